"""What the terminal says of the commands is whole."""

import click
import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.app.authors.new_game import called


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
