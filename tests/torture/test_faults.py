"""Disks that are full, read-only, slow, failing or damaged, and two programs on one journal.

After each: nothing acknowledged is lost, the people at the table read one sentence, and the service goes on or says
what to do. A full disk is a tmpfs of a few megabytes where the test may mount one, otherwise a limit on how large the
service's files may grow (RLIMIT_FSIZE). A disk that fails or turns read-only under the service, and a slow one, are
`shim.c`: a file system that is in use cannot be remounted.
"""

import contextlib
import errno
import os
import resource
import shutil
import subprocess
import threading
import time

import pytest

from companion.house.host import Host
from companion.journal.backup import backup
from companion.journal.data_folder import JOURNAL
from companion.journal.store import Journal
from tests.torture.house import House
from tests.torture.judge import judge_file, judge_states
from tests.torture.load import Ledger
from tests.torture.power import compiler, shim, shim_environment

SMALL_MB = 3
SESSION = "a-game-with-faults"
NEEDS_SHIM = pytest.mark.skipif(compiler() is None, reason="no C compiler here: the shim cannot be built")


class PlayedGame:
    """One game at a house, and the ledger of its answers."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.ledger = Ledger()

    def begin(self) -> None:
        """Starts the house; begins the game, or goes on with it."""
        self.house.start()
        assert self.house.wait_until_ready(), self.house.complaints
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": SESSION}
        assert self.house.call("/api/sessions", body)[0] == 201
        self.ledger.sessions.append(SESSION)

    def tap(self, event_id: str) -> tuple[int, str]:
        """Rolls, or undoes the roll; returns the status, and the sentence of a refusal."""
        path, body = f"/api/sessions/{SESSION}", {"event_id": event_id, "seen_seq": self.seq}
        roll = {**body, "event": {"kind": "Rolled", "dice": [1, 4]}}
        status, answer = self.house.call(*((f"{path}/undo", body) if self.seq % 2 else (f"{path}/events", roll)))
        if status == 200:
            self.ledger.acknowledge(event_id, SESSION, answer["seq"])
        return status, answer.get("error", "")

    @property
    def seq(self) -> int:
        """The newest entry that was acknowledged."""
        return max((seq for _, seq in self.ledger.acknowledged.values()), default=0)

    def says(self, sentence: str) -> bool:
        """Whether the first page says this sentence."""
        status, page = self.house.text("/")
        return status == 200 and sentence in page

    def nothing_is_lost(self) -> None:
        """Asserts that all that was acknowledged is there, and that the state is its fold."""
        if self.house.url:
            assert judge_states(self.house, [SESSION], self.ledger) == 0
        found = +judge_file(self.house.data / JOURNAL, self.ledger)
        assert (found, self.ledger.wrong) == ({}, [])
        assert not [line for line in self.house.complaints if "Traceback" in line]


@pytest.fixture
def game(tmp_path):
    """A service without camera on an ordinary disk."""
    yield from stopped_after(PlayedGame(House(tmp_path / "house", "--camera", "none")))


def stopped_after(game):
    try:
        yield game
    finally:
        game.house.stop()


def assert_refused(game, event_id, why):
    status, sentence = game.tap(event_id)
    assert status == 503
    assert why in sentence
    assert "nothing was recorded" in sentence
    assert "\n" not in sentence
    assert game.says(why)
    assert game.house.call(f"/api/sessions/{SESSION}")[0] == 200  # the table can still be looked at


def assert_goes_on(game, event_id):
    assert game.tap(event_id) == (200, "")
    assert game.says("Games can be saved again.")
    game.nothing_is_lost()


@contextlib.contextmanager
def small_disk(folder, megabytes=SMALL_MB):
    """A file system of its own, of that size."""
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here: the limit on the size of files stands for it")
    try:
        yield folder
    finally:
        subprocess.run(("umount", str(folder)), check=True)


def filled(folder):
    """Leaves no byte free."""
    path = folder / f"holiday-{len(list(folder.iterdir()))}"
    with path.open("wb", buffering=0) as video, contextlib.suppress(OSError):
        while True:
            video.write(bytes(4096))


def test_a_full_disk(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        for game in stopped_after(PlayedGame(House(disk / "house", "--camera", "none"))):
            game.begin()
            game.tap("before")
            filled(disk)
            assert_refused(game, "full", "the disk is full")
            assert_refused(game, "full", "the disk is full")
            game.house.kill()  # and in this moment the power goes
            filled(disk)
            game.house.start()
            if game.house.wait_until_ready():  # SQLite has tidied up and has room again
                status, sentence = game.tap("meanwhile")
                assert status == 200 or "the disk is full: nothing was recorded" in sentence
                game.house.stop()
            else:
                assert game.house.exit_status() == 1
                assert any("free some space" in line for line in game.house.complaints)
            for video in disk.glob("holiday-*"):
                video.unlink()
            game.begin()
            assert game.tap("full") == (200, "")
            game.nothing_is_lost()


def test_files_that_may_not_grow(game):
    game.begin()
    game.tap("before")
    service = game.house.pid
    soft, hard = resource.prlimit(service, resource.RLIMIT_FSIZE)
    resource.prlimit(service, resource.RLIMIT_FSIZE, (os.stat(game.house.data / f"{JOURNAL}-wal").st_size, hard))
    assert_refused(game, "full", "the disk failed")
    resource.prlimit(service, resource.RLIMIT_FSIZE, (soft, hard))
    assert_goes_on(game, "full")


@NEEDS_SHIM
@pytest.mark.parametrize(
    ("number", "why"),
    [(errno.EROFS, "the disk"), (errno.EIO, "the disk failed"), (errno.ENOSPC, "the disk is full")],
    ids=["read-only", "failing", "full"],
)
def test_a_disk_that_refuses_under_the_service(tmp_path, number, why):
    fault = tmp_path / "fault"
    environment = shim_environment(shim(tmp_path), JOURNAL, fault=fault)
    for game in stopped_after(PlayedGame(House(tmp_path / "house", "--camera", "none", environment=environment))):
        game.begin()
        game.tap("before")
        fault.write_text(str(number))
        assert_refused(game, "refused", why)
        fault.unlink()
        assert_goes_on(game, "refused")
        fault.write_text(str(number))
        assert_refused(game, "again", why)
        game.house.kill()
        fault.unlink()
        game.begin()
        game.nothing_is_lost()
        assert game.tap("again") == (200, "")


@NEEDS_SHIM
def test_a_disk_that_takes_nothing_at_the_start(tmp_path):
    """What is there can be looked at; a house that has nothing yet cannot begin, and says so."""
    fault = tmp_path / "fault"
    environment = shim_environment(shim(tmp_path), JOURNAL, fault=fault)
    for game in stopped_after(PlayedGame(House(tmp_path / "house", "--camera", "none", environment=environment))):
        game.begin()
        game.tap("before")
        game.house.stop()
        fault.write_text(str(errno.ENOSPC))
        game.house.start()
        assert game.house.wait_until_ready(), game.house.complaints
        assert_refused(game, "full", "the disk is full")
        fault.unlink()
        assert_goes_on(game, "full")
    Journal(tmp_path / "new" / JOURNAL).close()
    fault.write_text(str(errno.ENOSPC))
    house = House(tmp_path / "new", "--camera", "none", environment=environment)
    house.start()
    assert house.exit_status() == 1
    house.stop()
    assert len(house.complaints) == 1  # no traceback
    assert "the disk is full" in house.complaints[0]


def test_a_read_only_disk_at_the_start(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        for game in stopped_after(PlayedGame(House(disk / "house", "--camera", "none"))):
            game.begin()
            game.tap("before")
            game.house.kill()
            subprocess.run(("mount", "-o", "remount,ro", str(disk)), check=True)
            game.house.start()
            assert not game.house.wait_until_ready()
            assert game.house.exit_status() == 1
            assert any("Read-only" in line for line in game.house.complaints), game.house.complaints
            subprocess.run(("mount", "-o", "remount,rw", str(disk)), check=True)
            game.begin()
            game.nothing_is_lost()


def tap(game):
    return game.tap("slow")[0]


def begin_a_game(game):
    return game.house.call("/api/sessions", {"game": "sack_stackers", "players": ["Cy", "Dot"]})[0]


def import_a_game(game):
    """Imports a game that another house exported; returns the status."""
    other = Host(Journal(game.house.data.parent / "other.sqlite3"))
    exported = other.transfer.export(other.create("sack_stackers", ["Cy", "Dot"], {}).session.id)
    other.journal.close()
    return game.house.text("/api/import", exported.encode())[0]


@NEEDS_SHIM
@pytest.mark.parametrize(("act", "status"), [(tap, 200), (begin_a_game, 201), (import_a_game, 201)])
def test_a_slow_disk_holds_up_who_writes_and_nobody_else(tmp_path, act, status):
    fault, answers, longest_s = tmp_path / "fault", [], 0.0
    environment = shim_environment(shim(tmp_path), JOURNAL, fault=fault)
    for game in stopped_after(PlayedGame(House(tmp_path / "house", "--camera", "none", environment=environment))):
        game.begin()
        fault.write_text("-1500")
        writes = threading.Thread(target=lambda game: answers.append(act(game)), args=(game,))
        began_s = time.monotonic()
        writes.start()
        while writes.is_alive():
            asked_s = time.monotonic()
            assert game.house.call(f"/api/sessions/{SESSION}")[0] == 200
            longest_s = max(longest_s, time.monotonic() - asked_s)
        assert time.monotonic() - began_s > 1.5
        assert longest_s < 1
        assert answers == [status]
        game.nothing_is_lost()


def test_a_damaged_last_page_is_said_left_alone_and_mended_by_a_copy(game, tmp_path):
    """The copy is older than the last taps; they come from the tail."""
    game.begin()
    game.tap("before")
    journal, copy = game.house.data / JOURNAL, tmp_path / "copy.sqlite3"
    backup(journal, copy)
    for number in range(5):
        assert game.tap(f"after-{number}") == (200, "")
    game.house.stop()
    damaged = bytearray(journal.read_bytes())
    damaged[-4096:] = bytes(4096)
    journal.write_bytes(damaged)
    game.house.start()
    assert not game.house.wait_until_ready()
    assert game.house.exit_status() == 1
    assert any("damaged" in line and "companion restore" in line for line in game.house.complaints)
    assert journal.read_bytes() == damaged
    restored = subprocess.run(
        (game.house.python, "-m", "companion", "restore", str(copy), "--data", str(game.house.data)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert restored.returncode == 0, restored.stderr
    assert "5 entries that were recorded after the copy were added." in restored.stdout
    game.begin()
    game.nothing_is_lost()


@pytest.mark.parametrize("damage", [bytes(4096), b""], ids=["zeros", "cut off"])
def test_a_damaged_end_of_the_write_ahead_log_is_mended(game, damage):
    """SQLite leaves out what stands behind the damage without a word; the tail has it."""
    game.begin()
    for number in range(6):
        assert game.tap(f"tap-{number}") == (200, "")
    game.house.kill()
    log = game.house.data / f"{JOURNAL}-wal"
    content = log.read_bytes()
    log.write_bytes(content[:-12_000] + damage)
    game.begin()
    game.nothing_is_lost()
    assert any("were put back" in line for line in game.house.complaints)
    assert game.tap("goes-on") == (200, "")


def test_two_services_on_one_journal(game):
    """The folder's lock is gone, so a second service starts; the one that comes second to an entry is told."""
    game.begin()
    game.tap("before")
    (game.house.data / "in-use").unlink()
    other = PlayedGame(House(game.house.data, "--camera", "none"))
    other.ledger = game.ledger
    try:
        other.begin()
        assert other.tap("other") == (200, "")
        assert game.tap("mine")[0] in (400, 409)  # what was seen there is not known here
        game.ledger.acknowledged.pop("other")
        status, sentence = game.tap("mine-too")
        assert status == 503
        assert "another program uses it: nothing was recorded" in sentence
        game.ledger.acknowledge("other", SESSION, 2)
    finally:
        other.house.stop()
    game.house.kill()
    game.begin()
    game.nothing_is_lost()
