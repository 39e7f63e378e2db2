"""`companion` as people run it: where its output goes, and how it ends."""

import errno
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion import __main__ as command_line
from companion.app.cli.token import token
from companion.errors import BadInput
from companion.journal.data_folder import JOURNAL
from companion.journal.store import Journal

SCENE = Path(__file__).parents[1] / "vision" / "fixtures" / "dice"


def companion(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings):
    command = [sys.executable, "-m", "companion", *arguments]
    env = {**os.environ, **settings}
    return subprocess.run(command, stdout=stdout, stderr=stderr, env=env, timeout=120, check=False)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [("--help",), ("print", "--help")])
def test_output_that_cannot_be_written_is_one_sentence(arguments, unbuffered):
    with open("/dev/full", "wb") as full:
        done = companion(*arguments, stdout=full, PYTHONUNBUFFERED=unbuffered)
    told = done.stderr.decode()
    assert (done.returncode, told.count("\n")) == (1, 1)
    assert "No space left" in told


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("replay", "FOLDER"), "is a folder: name a game"),
        (("restore", "FOLDER"), "is a folder: name a copy"),
        (("run", "--camera", "none", "--data", "FILE"), "is no folder: name the folder of the games with --data"),
        (("run", "--host", "192.0.2.1"), "is no address of this machine"),  # and not first that this is the demo
    ],
)
def test_the_wrong_kind_of_path_is_one_sentence(tmp_path, arguments, why):
    (tmp_path / "FILE").write_text("a letter")
    places = {"FOLDER": str(tmp_path), "FILE": str(tmp_path / "FILE")}
    done = companion(*(places.get(word, word) for word in arguments))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert why in done.stderr.decode()


def test_nothing_is_left_to_say_where_standard_error_is_full_too():
    with open("/dev/full", "wb") as full:
        assert companion("--help", stdout=full, stderr=full).returncode == 1


def test_a_reader_that_stops_listening_hears_no_traceback():
    listening, writing = os.pipe()
    os.close(listening)
    with open(writing, "wb") as pipe:
        done = companion("--help", stdout=pipe)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("arguments", "ends"),
    [
        (("--help",), 0),
        (("list", "--help"), 0),
        (("create", "--help"), 0),
        (("create",), 2),
        (("create", "nonsense"), 2),
        (("revoke",), 2),
        (("list",), 1),
        (("create", "host"), 1),
        (("revoke", "x"), 1),
        (("pin",), 1),
    ],
)
def test_help_and_wrong_usage_of_tickets_need_no_table(tmp_path, arguments, ends):
    done = CliRunner().invoke(token, ["--data", str(tmp_path), *arguments])
    assert isinstance(done.exception, BadInput) if ends == 1 else done.exit_code == ends
    assert list(tmp_path.iterdir()) == []


def test_each_ticket_is_one_line_of_the_list(tmp_path):
    Journal(tmp_path / JOURNAL).close()
    where = ["--data", str(tmp_path)]
    assert CliRunner().invoke(token, [*where, "create", "player", "--label", " Ann's\n  phone "]).exit_code == 0
    (line,) = CliRunner().invoke(token, [*where, "list"]).output.splitlines()
    assert line.endswith("player    Ann's phone")


@pytest.fixture
def failing(monkeypatch):
    """`main` with a command that ends in that error."""

    def run(error):
        def cli(prog_name):
            raise error

        monkeypatch.setattr(command_line, "cli", cli)
        for name in ("write_any_name", "prepare_logs"):
            monkeypatch.setattr(command_line, name, lambda: None)
        command_line.main()

    return run


def test_a_device_that_fails_is_not_called_the_output(failing, capsys):
    with pytest.raises(OSError, match="/dev/video0"):
        failing(OSError(errno.EIO, "Input/output error", "/dev/video0"))
    assert capsys.readouterr().err == ""


def test_a_place_that_nobody_may_look_at_is_one_sentence(failing, capsys):
    with pytest.raises(SystemExit, match="1"):
        failing(PermissionError(errno.EACCES, "Permission denied", "/home/ann/game.jsonl"))
    assert capsys.readouterr().err.startswith("/home/ann/game.jsonl cannot be reached (Permission denied): ")


@pytest.mark.parametrize("arguments", [("replay",), ("watch",), ("cameras",), ("token", "--data")])
def test_a_name_that_is_too_long_is_one_sentence(arguments):
    done = companion(*arguments, "a" * 5000, *(["list"] if "token" in arguments else []))
    told = done.stderr.decode()
    assert (done.returncode, told.count("\n")) == (1, 1)
    assert "File name too long" in told


def test_a_failure_without_any_output_is_one_sentence(failing, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it after `>&-`
    with pytest.raises(SystemExit, match="1"):
        failing(OSError(errno.ENOSPC, "No space left on device"))
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["utf-8:strict", "latin-1:strict"])
def test_a_photo_whose_name_is_no_text_is_read_and_named(tmp_path, encoding):
    photo = os.fsencode(tmp_path) + b"/d\xff\xe4.png"
    entry = json.loads((SCENE / "labels.json").read_text())[0]
    with open(photo, "wb") as copy:
        copy.write((SCENE / entry["image"]).read_bytes())
    done = companion("read", "dice", photo, "--json", PYTHONIOENCODING=encoding)
    (element,) = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert element["dice"]
    assert os.fsencode(element["image"]) == photo
    done = companion("read", "dice", photo, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(os.fsencode(tmp_path))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "ascii", "utf-8:strict"])
def test_json_is_json_in_any_encoding(tmp_path, encoding):
    done = companion("read", "dice", os.fsencode(tmp_path / "é😀.jpg"), "--json", PYTHONIOENCODING=encoding)
    (element,) = json.loads(done.stdout.decode(encoding.partition(":")[0]))
    assert element["image"] == str(tmp_path / "é😀.jpg")


def test_the_command_says_its_version():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert companion("--version").stdout.decode() == f"companion {project['version']}\n"
