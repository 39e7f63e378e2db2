"""What the terminal says of the commands is whole, and one sentence where a place cannot be written to."""

import click
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.app.authors.new_game import called
from companion.app.cli import report
from companion.errors import BadInput


def groups(group, path=()):
    """Every group of commands, each by the words that call it."""
    yield path
    context = click.Context(group)
    for name in group.list_commands(context):
        if isinstance(command := group.get_command(context, name), click.Group):
            yield from groups(command, (*path, name))


@pytest.mark.parametrize("path", [*groups(cli)], ids=" ".join)
@pytest.mark.parametrize("columns", [40, 80])
def test_the_help_of_each_group_cuts_no_sentence(path, columns):
    done = CliRunner().invoke(cli, [*path, "--help"], terminal_width=columns)
    listed = done.output.split("Commands:")[1]
    assert "..." not in listed
    assert listed.rstrip().endswith(".")


def test_the_program_is_called_by_its_place_where_no_path_leads_to_it(tmp_path, monkeypatch):
    own = tmp_path / "companion"
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called() == "companion"  # There is none to be named.
    own.touch(0o755)
    assert called() == "companion"
    monkeypatch.setenv("PATH", "")
    assert called() == str(own)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("init --data FILE/x", "The folder FILE/x cannot be used (Not a directory): choose another."),
        ("new-game coin_race --into FILE/x", "The folder FILE/x cannot be used (Not a directory): choose another."),
        ("cert --data FILE/x", "The folder FILE/x cannot be used (Not a directory): choose another."),
        ("report --yes -o FILE/x", "There is no folder FILE: make it first, or name another with -o."),
    ],
)
def test_a_place_that_cannot_be_written_to_is_one_sentence(words, said, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "doctor_lines", lambda data: [])
    file = tmp_path / "FILE"
    file.touch()
    done = CliRunner().invoke(cli, words.replace("FILE", str(file)).split())
    assert isinstance(done.exception, BadInput), done.exception
    assert str(done.exception) == said.replace("FILE", str(file))
