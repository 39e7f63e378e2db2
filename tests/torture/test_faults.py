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
from tests.torture.power import compiler, shim, under

SMALL_MB = 3
SESSION = "a-game-with-faults"
NEEDS_SHIM = pytest.mark.skipif(compiler() is None, reason="no C compiler here: the shim cannot be built")


class Evening:
    """One game at a house, and what it was told."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.ledger = Ledger()

    def begin(self) -> None:
        """The house is up and the game begins, or goes on."""
        self.house.start()
        assert self.house.wait_until_ready(), self.house.complaints
        body = {"game": "sack_stackers", "players": ["Ann", "Bob"], "session_id": SESSION}
        assert self.house.call("/api/sessions", body)[0] == 201
        self.ledger.sessions.append(SESSION)

    def tap(self, event_id: str) -> tuple[int, str]:
        """A tap that rolls, or undoes the roll: the status, and the sentence of a refusal."""
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
        """Whether the page that every tablet shows says it."""
        status, page = self.house.text("/")
        return status == 200 and sentence in page

    def nothing_is_lost(self) -> None:
        """What the ledger says is there, and the state is the fold of it."""
        if self.house.url:
            assert judge_states(self.house, [SESSION], self.ledger) == 0
        found = +judge_file(self.house.data / JOURNAL, self.ledger)
        assert (found, self.ledger.wrong) == ({}, [])
        assert not [line for line in self.house.complaints if "Traceback" in line]


@pytest.fixture
def evening(tmp_path):
    """A service without camera on an ordinary disk."""
    yield from ended(Evening(House(tmp_path / "house", "--camera", "none")))


def ended(evening):
    try:
        yield evening
    finally:
        evening.house.stop()


def refused_and_said(evening, event_id, why):
    status, sentence = evening.tap(event_id)
    assert status == 503
    assert why in sentence
    assert "nothing was recorded" in sentence
    assert "\n" not in sentence
    assert evening.says(why)
    assert evening.house.call(f"/api/sessions/{SESSION}")[0] == 200  # the table can still be looked at


def goes_on(evening, event_id):
    assert evening.tap(event_id) == (200, "")
    assert evening.says("The journal can be written again.")
    evening.nothing_is_lost()


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
        for evening in ended(Evening(House(disk / "house", "--camera", "none"))):
            evening.begin()
            evening.tap("before")
            filled(disk)
            refused_and_said(evening, "full", "the disk is full")
            refused_and_said(evening, "full", "the disk is full")
            evening.house.kill()  # and in this moment the power goes
            filled(disk)
            evening.house.start()
            if evening.house.wait_until_ready():  # SQLite has tidied up and has room again
                status, sentence = evening.tap("meanwhile")
                assert status == 200 or "the disk is full: nothing was recorded" in sentence
                evening.house.stop()
            else:
                assert evening.house.ended() == 1
                assert any("free some space" in line for line in evening.house.complaints)
            for video in disk.glob("holiday-*"):
                video.unlink()
            evening.begin()
            assert evening.tap("full") == (200, "")
            evening.nothing_is_lost()


def test_files_that_may_not_grow(evening):
    evening.begin()
    evening.tap("before")
    service = evening.house.pid
    soft, hard = resource.prlimit(service, resource.RLIMIT_FSIZE)
    resource.prlimit(service, resource.RLIMIT_FSIZE, (os.stat(evening.house.data / f"{JOURNAL}-wal").st_size, hard))
    refused_and_said(evening, "full", "the disk failed")
    resource.prlimit(service, resource.RLIMIT_FSIZE, (soft, hard))
    goes_on(evening, "full")


@NEEDS_SHIM
@pytest.mark.parametrize(
    ("number", "why"),
    [(errno.EROFS, "the disk"), (errno.EIO, "the disk failed"), (errno.ENOSPC, "the disk is full")],
    ids=["read-only", "failing", "full"],
)
def test_a_disk_that_refuses_under_the_service(tmp_path, number, why):
    fault = tmp_path / "fault"
    environment = under(shim(tmp_path), JOURNAL, fault=fault)
    for evening in ended(Evening(House(tmp_path / "house", "--camera", "none", environment=environment))):
        evening.begin()
        evening.tap("before")
        fault.write_text(str(number))
        refused_and_said(evening, "refused", why)
        fault.unlink()
        goes_on(evening, "refused")
        fault.write_text(str(number))
        refused_and_said(evening, "again", why)
        evening.house.kill()
        fault.unlink()
        evening.begin()
        evening.nothing_is_lost()
        assert evening.tap("again") == (200, "")


@NEEDS_SHIM
def test_a_disk_that_takes_nothing_at_the_start(tmp_path):
    """What is there can be looked at; a house that has nothing yet cannot begin, and says so."""
    fault = tmp_path / "fault"
    environment = under(shim(tmp_path), JOURNAL, fault=fault)
    for evening in ended(Evening(House(tmp_path / "house", "--camera", "none", environment=environment))):
        evening.begin()
        evening.tap("before")
        evening.house.stop()
        fault.write_text(str(errno.ENOSPC))
        evening.house.start()
        assert evening.house.wait_until_ready(), evening.house.complaints
        refused_and_said(evening, "full", "the disk is full")
        fault.unlink()
        goes_on(evening, "full")
    Journal(tmp_path / "new" / JOURNAL).close()
    fault.write_text(str(errno.ENOSPC))
    house = House(tmp_path / "new", "--camera", "none", environment=environment)
    house.start()
    assert house.ended() == 1
    house.stop()
    assert len(house.complaints) == 1  # no traceback
    assert "the disk is full" in house.complaints[0]


def test_a_read_only_disk_at_the_start(tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        for evening in ended(Evening(House(disk / "house", "--camera", "none"))):
            evening.begin()
            evening.tap("before")
            evening.house.kill()
            subprocess.run(("mount", "-o", "remount,ro", str(disk)), check=True)
            evening.house.start()
            assert not evening.house.wait_until_ready()
            assert evening.house.ended() == 1
            assert any("Read-only" in line for line in evening.house.complaints), evening.house.complaints
            subprocess.run(("mount", "-o", "remount,rw", str(disk)), check=True)
            evening.begin()
            evening.nothing_is_lost()


def tap(evening):
    return evening.tap("slow")[0]


def begin_a_game(evening):
    return evening.house.call("/api/sessions", {"game": "sack_stackers", "players": ["Cy", "Dot"]})[0]


def import_a_game(evening):
    """One of another house."""
    other = Host(Journal(evening.house.data.parent / "other.sqlite3"))
    game = other.transfer.export(other.create("sack_stackers", ["Cy", "Dot"], {}).session.id)
    other.journal.close()
    return evening.house.text("/api/import", game.encode())[0]


@NEEDS_SHIM
@pytest.mark.parametrize(("act", "status"), [(tap, 200), (begin_a_game, 201), (import_a_game, 201)])
def test_a_slow_disk_holds_up_who_writes_and_nobody_else(tmp_path, act, status):
    fault, answers, longest_s = tmp_path / "fault", [], 0.0
    environment = under(shim(tmp_path), JOURNAL, fault=fault)
    for evening in ended(Evening(House(tmp_path / "house", "--camera", "none", environment=environment))):
        evening.begin()
        fault.write_text("-1500")
        writes = threading.Thread(target=lambda house: answers.append(act(house)), args=(evening,))
        began_s = time.monotonic()
        writes.start()
        while writes.is_alive():
            asked_s = time.monotonic()
            assert evening.house.call(f"/api/sessions/{SESSION}")[0] == 200
            longest_s = max(longest_s, time.monotonic() - asked_s)
        assert time.monotonic() - began_s > 1.5
        assert longest_s < 1
        assert answers == [status]
        evening.nothing_is_lost()


def test_a_damaged_last_page_is_said_left_alone_and_mended_by_a_copy(evening, tmp_path):
    """The copy is older than the last taps; they come from the tail."""
    evening.begin()
    evening.tap("before")
    journal, copy = evening.house.data / JOURNAL, tmp_path / "copy.sqlite3"
    backup(journal, copy)
    for number in range(5):
        assert evening.tap(f"after-{number}") == (200, "")
    evening.house.stop()
    damaged = bytearray(journal.read_bytes())
    damaged[-4096:] = bytes(4096)
    journal.write_bytes(damaged)
    evening.house.start()
    assert not evening.house.wait_until_ready()
    assert evening.house.ended() == 1
    assert any("damaged" in line and "companion restore" in line for line in evening.house.complaints)
    assert journal.read_bytes() == damaged
    restored = subprocess.run(
        (evening.house.python, "-m", "companion", "restore", str(copy), "--data", str(evening.house.data)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert restored.returncode == 0, restored.stderr
    assert "5 entries that were recorded after the copy were added." in restored.stdout
    evening.begin()
    evening.nothing_is_lost()


@pytest.mark.parametrize("damage", [bytes(4096), b""], ids=["zeros", "cut off"])
def test_a_damaged_end_of_the_write_ahead_log_is_mended(evening, damage):
    """SQLite leaves out what stands behind the damage without a word; the tail has it."""
    evening.begin()
    for number in range(6):
        assert evening.tap(f"tap-{number}") == (200, "")
    evening.house.kill()
    log = evening.house.data / f"{JOURNAL}-wal"
    content = log.read_bytes()
    log.write_bytes(content[:-12_000] + damage)
    evening.begin()
    evening.nothing_is_lost()
    assert any("were put back" in line for line in evening.house.complaints)
    assert evening.tap("goes-on") == (200, "")


def test_two_services_on_one_journal(evening):
    """The folder's lock is gone, so a second service starts; the one that comes second to an entry is told."""
    evening.begin()
    evening.tap("before")
    (evening.house.data / "in-use").unlink()
    other = Evening(House(evening.house.data, "--camera", "none"))
    other.ledger = evening.ledger
    try:
        other.begin()
        assert other.tap("other") == (200, "")
        assert evening.tap("mine")[0] in (400, 409)  # what was seen there is not known here
        evening.ledger.acknowledged.pop("other")
        status, sentence = evening.tap("mine-too")
        assert status == 503
        assert "another program uses it: nothing was recorded" in sentence
        evening.ledger.acknowledge("other", SESSION, 2)
    finally:
        other.house.stop()
    evening.house.kill()
    evening.begin()
    evening.nothing_is_lost()
