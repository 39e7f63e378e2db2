"""The whole program as a person starts it: ready, killed, restarted, and started wrongly."""

import ctypes
import platform
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.app.cli.print_ import print_
from companion.app.cli.token import token
from companion.app.doctor.command import Light, Table, answers, check_storage
from companion.app.service.plan import Plan
from companion.app.service.server import serve
from companion.app.service.systemd import READY, STEP
from companion.errors import BadInput
from companion.games.maxstax.timer import COUNTDOWN_US, STACKING_US
from companion.journal.data_folder import JOURNAL, claim, version_of
from companion.journal.events import Origin
from companion.journal.schema import VERSION
from companion.journal.store import Journal
from tests.older import age
from tests.service import REAL, Service, running

SYS_TGKILL = {"x86_64": 234, "aarch64": 131}[platform.machine()]  # the C library has no function for it


def companion(*arguments):
    return subprocess.run([sys.executable, "-m", "companion", *arguments], capture_output=True, text=True, timeout=60)


def test_systemd_hears_of_each_step_of_a_start(tmp_path, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        with running(tmp_path / "data", "--camera", "none", program=REAL):
            said = [manager.recv(100).decode()]
            while said[-1] != READY:
                said.append(manager.recv(100).decode())
    # before the journal, before what runs beside the pages, before the pages are loaded, before they answer
    assert said == [*[STEP] * 4, READY]


def test_after_kill_9_the_same_game_goes_on_and_so_does_its_clock(tmp_path):
    service = Service(tmp_path, "--camera", "none")
    _, created = service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})
    session = f"/api/sessions/{created['id']}"
    players = [player["id"] for player in created["players"]]
    posts = [
        *({"kind": "Readied", "player": player} for player in players),
        {"kind": "Started", "at_us": -1},
        {"kind": "Shouted", "player": players[1], "at_us": -1},
    ]
    for seq, event in enumerate(posts[:3]):
        status, answer = service.call(f"{session}/events", {"event_id": f"e{seq}", "seen_seq": seq, "event": event})
        assert (status, answer["seq"]) == (200, seq + 1)
    _, before = service.call(session)
    service.kill()
    with running(tmp_path, "--camera", "none") as again:
        _, after = again.call(session)
        assert after["seq"] == 3
        assert after["state"] == before["state"]
        assert after["due"]["at_us"] == after["state"]["current"]["go_us"] + STACKING_US
        assert 0 < after["due"]["at_us"] - after["now_us"] < STACKING_US + COUNTDOWN_US
        repeated = {"event_id": "e2", "seen_seq": 2, "event": posts[2]}
        assert again.call(f"{session}/events", repeated) == (200, {"event_id": "e2", "seq": 3})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_the_kernel_hands_to_another_thread_ends_the_service(tmp_path, number):
    tgkill = ctypes.CDLL(None, use_errno=True).syscall
    with running(tmp_path, "--camera", "none") as service:
        process = service.process.pid
        other = max(int(thread.name) for thread in Path(f"/proc/{process}/task").iterdir())
        assert other != process  # the first thread has the number of its process
        assert tgkill(SYS_TGKILL, process, other, number) == 0
        assert service.process.wait(timeout=15) == 0


def test_a_port_in_use_is_one_sentence(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = companion("run", "--host", "127.0.0.1", "--port", port, "--data", str(tmp_path), "--camera", "none")
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert f"Port {port}" in result.stderr


def test_a_table_to_whose_terminal_nothing_can_be_said_is_played_at(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "companion", "run", "--camera", "none", "--host", "127.0.0.1"]
    with open("/dev/full", "wb") as full:
        process = subprocess.Popen(
            [*command, "--port", str(port), "--data", str(tmp_path)], stdout=full, stderr=subprocess.PIPE, text=True
        )
    try:
        until_s = time.monotonic() + 60
        while not answers(port) and process.poll() is None and time.monotonic() < until_s:
            time.sleep(0.1)
        assert answers(port)
    finally:
        process.terminate()
        _, told = process.communicate(timeout=15)
    assert (process.returncode, told) == (0, "")


def test_two_companions_never_share_a_folder(tmp_path):
    with running(tmp_path, "--camera", "none"):
        result = companion("run", "--port", "0", "--data", str(tmp_path), "--camera", "none")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "Another companion" in result.stderr


@pytest.fixture
def old(tmp_path):
    """A folder with the journal of an older companion."""
    Journal(path := tmp_path / JOURNAL).close()
    age(path, VERSION - 1)
    return tmp_path


@pytest.fixture
def older(old):
    """The same while that companion runs, and what is in its journal."""
    with claim(old):
        yield old, (old / JOURNAL).read_bytes()


def test_a_second_start_leaves_the_journal_of_the_running_companion_as_it_is(older):
    folder, before = older
    with socket.socket() as listener, pytest.raises(BadInput, match="Another companion"):
        serve(Plan(False, "none", folder, None), listener)
    assert (folder / JOURNAL).read_bytes() == before


@pytest.mark.parametrize(
    ("command", "arguments"),
    [(token, ("--data", "FOLDER", "list")), (print_, ("qr", "--role", "player", "--data", "FOLDER"))],
)
def test_no_ticket_is_made_under_an_older_companion(older, command, arguments):
    folder, before = older
    done = CliRunner().invoke(command, [str(folder) if each == "FOLDER" else each for each in arguments])
    assert isinstance(done.exception, BadInput)
    assert "Another companion" in str(done.exception)
    assert (folder / JOURNAL).read_bytes() == before


def test_the_self_test_only_reads_the_journal_of_a_running_companion(older):
    folder, before = older
    light, _said = check_storage(Table(folder, None, None, 0))
    assert light is Light.GREEN
    assert (folder / JOURNAL).read_bytes() == before


def test_where_nobody_runs_a_ticket_brings_an_older_journal_up_to_date(old):
    assert CliRunner().invoke(token, ["--data", str(old), "list"]).exit_code == 0
    assert version_of(old / JOURNAL) == VERSION


@pytest.mark.parametrize("what", ["damaged", "newer"])
def test_a_journal_that_cannot_be_used_is_one_sentence(tmp_path, what):
    path = tmp_path / "journal.sqlite3"
    if what == "damaged":
        path.write_bytes(b"no database at all, " * 200)
    else:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(f"PRAGMA user_version={VERSION + 1}")
        db.close()
    before = path.read_bytes()
    result = companion("run", "--port", "0", "--data", str(tmp_path), "--camera", "none")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert what in result.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--camera", "none", "--table", "missing.toml"),
        ("run", "--camera", "virtual"),
        ("run", "--camera", "no-such-folder"),
        ("run", "--camera", "none", "--host", "999.1.1.1"),
        ("replay", "pyproject.toml"),
        ("replay", "no-such-file"),
        ("replay", "tests"),
        ("restore", "no-such-file"),
        ("restore", "tests"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(tmp_path, arguments):
    folder = ("--data", str(tmp_path))
    data = {"run": (*folder, "--port", "0"), "restore": folder}.get(arguments[0], ())
    result = companion(*arguments, *data)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [("fly",), ("run", "--port", "many"), ("replay",), ("restore",)])
def test_wrong_usage_is_exit_2(arguments):
    result = companion(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_an_exported_game_can_be_replayed_on_the_command_line(host, sack, tmp_path):
    from companion.games.sack_stackers.events import Rolled

    sack.submit(Rolled((1, 4)), Origin("roll", 0))
    path = tmp_path / "game.jsonl"
    path.write_text(host.transfer.export(sack.session.id))
    shown = companion("replay", str(path))
    assert shown.returncode == 0
    assert "The hash chain holds." in shown.stdout
    path.write_text(path.read_text().replace('"dice":[1,4]', '"dice":[4,1]'))
    changed = companion("replay", str(path), "--json")
    assert changed.returncode == 1
    assert '"broken_at": 1' in changed.stdout
