"""The power is cut at any moment, and what was not synced is gone: nothing acknowledged may be gone with it."""

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from companion.errors import JournalUnusable
from companion.journal.data_folder import JOURNAL
from tests.torture.house import House
from tests.torture.power import Disk, File, Kind, Operation, compiler, operations, shim, shim_environment, surviving_ids

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler here: the shim cannot be built")

CUTS = 60  # moments at which the power goes; each leaves one disk of every kind

SCRIPT = """
import os, sys
from pathlib import Path
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.errors import JournalUnusable
from companion.journal.events import Origin
from companion.journal.export import session_of
from companion.journal.store import Journal
journal, log, synchronous, events = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
for life in range(2):
    host = Host(Journal(journal))
    host.journal._db.execute(f"PRAGMA synchronous={synchronous}")
    host.journal._db.execute("PRAGMA wal_autocheckpoint=40")
    table = host.create("sack_stackers", ["Ann"], {}, session_id=f"power-cut-{life}")
    print("game", table.session.id, log.stat().st_size)
    for number in range(events):
        table.submit(Rolled((1, 4)), Origin(f"r{life}-{number}"))
        print("event", f"r{life}-{number}", log.stat().st_size)
        if number % 5 == 0:
            host.journal.add_picture(os.urandom(9_000), 0)
        table.undo(Origin(f"u{life}-{number}"))
        print("event", f"u{life}-{number}", log.stat().st_size)
    host.journal.close()
"""


def played(tmp_path: Path, synchronous: str, events: int) -> tuple[Path, list[tuple[str, str, int]]]:
    """The log of two lives of a journal, and what was acknowledged when the log was how long."""
    log = tmp_path / "log"
    environment = {"PATH": "/usr/bin:/bin", **shim_environment(shim(tmp_path), JOURNAL, log=log)}
    arguments = [sys.executable, "-c", SCRIPT, str(tmp_path / "house" / JOURNAL), str(log), synchronous, str(events)]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    return log, [(what, name, int(size)) for what, name, size in told]


def lost_by_cuts(log: Path, told: list[tuple[str, str, int]], folder: Path, cuts: int, seed: int) -> tuple[int, int]:
    """(cuts tried, acknowledged things that were gone after one of them)."""
    random, disk = Random(seed), Disk()
    every = list(operations(log))
    moments = set(random.sample(range(len(every)), min(cuts, len(every))))
    tried = lost = 0
    for number, operation in enumerate(every):
        disk.apply(operation)
        if number not in moments:
            continue
        for kind in Kind:
            house = folder / f"cut-{number}-{kind.name}"
            house.mkdir()
            disk.write_after_cut(house, kind, random)
            try:
                there = surviving_ids(house / JOURNAL)
            except JournalUnusable:
                there = set()
            lost += sum(name not in there for _, name, size in told if size <= operation.end)
            tried += 1
    return tried, lost


def test_nothing_acknowledged_is_lost_when_the_power_is_cut(tmp_path):
    log, told = played(tmp_path, "FULL", 25)
    tried, lost = lost_by_cuts(log, told, tmp_path, CUTS, seed=3)
    assert (tried, lost) == (3 * CUTS, 0)


def test_a_house_that_was_just_being_made_can_be_opened(tmp_path):
    log, told = played(tmp_path, "FULL", 0)
    random, disk = Random(5), Disk()
    making = [operation for operation in operations(log) if operation.end <= told[0][2]]
    for number, operation in enumerate(making):
        disk.apply(operation)
        for kind in Kind:
            house = tmp_path / f"cut-{number}-{kind.name}"
            house.mkdir()
            disk.write_after_cut(house, kind, random)
            surviving_ids(house / JOURNAL)
    assert any(operation.name.endswith("-journal") for operation in making)


FORGETTING = """
import sys
from pathlib import Path
from companion.journal.tail import Line, Tail
tail = Tail(Path(sys.argv[1]))
tail.add([Line("{}", (("p1", "Ann", None), ("p2", "Bob", None)))])
tail.forget_players(frozenset({"p1"}))
"""


def test_a_name_that_was_deleted_from_the_tail_is_on_no_disk(tmp_path):
    log, journal = tmp_path / "log", tmp_path / "house" / JOURNAL
    journal.parent.mkdir()
    environment = {"PATH": "/usr/bin:/bin", **shim_environment(shim(tmp_path), "journal.tail", log=log)}
    subprocess.run([sys.executable, "-c", FORGETTING, str(journal)], env=environment, check=True, timeout=60)
    disk = Disk()
    for operation in operations(log):
        disk.apply(operation)
    for kind in Kind:
        (tmp_path / kind.name).mkdir()
        disk.write_after_cut(tmp_path / kind.name, kind, Random(6))
        left_over = {path.name: path.read_bytes() for path in (tmp_path / kind.name).iterdir()}
        assert list(left_over) == ["journal.tail"]
        assert b"Ann" not in left_over["journal.tail"]
        assert b"Bob" in left_over["journal.tail"]


def test_a_journal_that_does_not_sync_is_found_out(tmp_path):
    """The control: were it not for `synchronous=FULL`, this test would notice."""
    log, told = played(tmp_path, "OFF", 8)
    assert lost_by_cuts(log, told, tmp_path, CUTS, seed=3)[1] > 0


def test_the_service_itself_keeps_what_it_acknowledged(tmp_path):
    """The real program under the shim: two lives, the first of them killed; then the power is cut anywhere."""
    log = tmp_path / "log"
    house = House(
        tmp_path / "house", "--camera", "none", environment=shim_environment(shim(tmp_path), JOURNAL, log=log)
    )
    told = []
    for life in range(2):
        house.start()
        assert house.wait_until_ready(), house.complaints
        body = {"game": "sack_stackers", "players": ["Ann"], "session_id": f"power-cut-{life}"}
        status, answer = house.call("/api/sessions", body)
        assert status == 201, answer
        told.append(("game", f"power-cut-{life}", log.stat().st_size))
        for number in range(12):
            roll = {
                "event_id": f"r{life}-{number}",
                "seen_seq": 2 * number,
                "event": {"kind": "Rolled", "dice": [1, 4]},
            }
            assert house.call(f"/api/sessions/power-cut-{life}/events", roll)[0] == 200
            told.append(("event", f"r{life}-{number}", log.stat().st_size))
            undo = {"event_id": f"u{life}-{number}", "seen_seq": 2 * number + 1}
            assert house.call(f"/api/sessions/power-cut-{life}/undo", undo)[0] == 200
            told.append(("event", f"u{life}-{number}", log.stat().st_size))
        house.kill() if life == 0 else house.stop()
    tried, lost = lost_by_cuts(log, told, tmp_path, CUTS, seed=4)
    assert (tried, lost) == (3 * CUTS, 0)


def write(offset, data):
    return Operation("w", "/a", offset, data, 0)


def test_a_disk_keeps_what_was_synced_and_of_the_rest_what_it_likes(tmp_path):
    disk = Disk()
    steps = (Operation("c", "/a", 0, b"", 0), write(0, b"old"), Operation("f", "/a", 0, b"", 0), write(1, b"NEW"))
    for step in (*steps[:3], Operation("d", "//", 0, b"", 0), steps[3]):
        disk.apply(step)
    found = {}
    for kind in Kind:
        (tmp_path / kind.name).mkdir()
        disk.write_after_cut(tmp_path / kind.name, kind, Random(1))
        found[kind] = (tmp_path / kind.name / "a").read_bytes()
    assert (found[Kind.NOTHING], found[Kind.ALL]) == (b"old", b"oNEW")


def test_a_name_that_was_not_synced_may_be_gone(tmp_path):
    disk = Disk()
    for step in (Operation("c", "/a", 0, b"", 0), write(0, b"old"), Operation("f", "/a", 0, b"", 0)):
        disk.apply(step)
    disk.write_after_cut(tmp_path, Kind.NOTHING, Random(1))
    assert list(tmp_path.iterdir()) == []


def test_a_truncation_and_a_hole_are_as_on_a_disk():
    file = File()
    file.pending = [write(2, b"ab"), Operation("t", "/a", 3, b"", 0), Operation("t", "/a", 5, b"", 0)]
    assert file.after_cut(Kind.ALL, Random(1)) == b"\0\0a\0\0"
