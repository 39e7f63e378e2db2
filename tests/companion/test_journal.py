"""The journal on disk: what survives, what is refused, what stays untouched."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from companion.clock import LONGEST_OFF_US, Clock
from companion.errors import BadInput, JournalUnusable
from companion.games.sack_stackers.events import Placed, Rolled
from companion.house.host import Host
from companion.journal.backup import backup
from companion.journal.events import Origin
from companion.journal.export import read_game_file, replayed, steps_of
from companion.journal.schema import VERSION
from companion.journal.session import Session, canonical_json, digest
from companion.journal.store import Journal
from tests.older import age
from web.app import create_app


def played(table):
    table.submit(Rolled((1, 4)), Origin("roll", 0, source="camera"), reading={"picture": "abc"})
    ann = table.session.players[0]
    table.submit(Placed(ann, 1, 1, "I", "I", 4), Origin("ann", 1))


def test_where_there_is_no_room_for_all_pictures_the_oldest_go(host, sack, monkeypatch):
    """They are counted after so many new bytes, as that reads the disk, and whenever old ones are deleted."""
    monkeypatch.setattr("companion.journal.store.MOST_PICTURE_BYTES", 2_500)
    monkeypatch.setattr("companion.journal.store.BYTES_BETWEEN_TRIMS", 3_500)
    first, second = host.journal.add_pictures((b"a" * 1_000, b"b" * 1_000), 10, sack.session.id)
    third = host.journal.add_picture(b"c" * 1_000, 5, sack.session.id, 1)  # the wall clock was set back
    assert host.journal.kept_pictures((first, second, third)) == {first, second, third}
    fourth = host.journal.add_picture(b"d" * 1_000, 5, sack.session.id, 2)
    assert host.journal.kept_pictures((first, second, third, fourth)) == {third, fourth}
    fifth = host.journal.add_picture(b"e" * 1_000, 5, sack.session.id, 3)
    host.journal.delete_pictures(before_wall_us=1)
    assert host.journal.kept_pictures((third, fourth, fifth)) == {fourth, fifth}
    assert host.journal.evidence(sack.session.id) == {1: third, 2: fourth, 3: fifth}  # what they were stays known


def test_a_photo_of_the_final_table_stays_where_another_in_its_place_cannot_be_written(host, sack):
    first = host.journal.put_final_picture(b"first", 1, sack.session.id)
    with host.journal.changing() as db:
        db.execute("CREATE TEMP TRIGGER broken BEFORE INSERT ON pictures BEGIN SELECT raise(ABORT, 'full'); END")
    with pytest.raises(JournalUnusable):
        host.journal.put_final_picture(b"second", 2, sack.session.id)
    assert host.journal.final_picture(sack.session.id) == first


def test_commits_are_flushed_to_disk(host):
    assert host.journal._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert host.journal._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def modes(folder):
    return {path.name: oct(path.stat().st_mode & 0o777) for path in folder.glob("journal.*")}


def test_nobody_but_its_owner_reads_the_journal_or_what_lies_beside_it(host, sack, tmp_path):
    played(sack)
    beside = {"journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm", "journal.tail"}
    assert modes(tmp_path) == dict.fromkeys(beside, "0o600")


def test_a_journal_that_all_could_read_is_its_owners_once_it_is_opened(tmp_path):
    folder, seen = tmp_path / "house", tmp_path / "seen"
    journal = Journal(folder / "journal.sqlite3")
    shutil.copytree(folder, seen)  # as a kill leaves it
    journal.close()
    for path in seen.glob("journal.sqlite3*"):
        path.chmod(0o644)
    journal = Journal(seen / "journal.sqlite3")
    assert set(modes(seen).values()) == {"0o600"}
    journal.close()


def test_a_damaged_journal_is_one_sentence_and_left_alone(tmp_path):
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(b"this is no database" * 100)
    before = path.read_bytes()
    with pytest.raises(JournalUnusable, match="damaged"):
        Journal(path)
    assert path.read_bytes() == before


def test_a_newer_journal_is_one_sentence_and_left_alone(tmp_path):
    path = tmp_path / "journal.sqlite3"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"PRAGMA user_version={VERSION + 1}")
    db.close()
    with pytest.raises(JournalUnusable, match="newer companion"):
        Journal(path)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalUnusable, match="Choose another"):
        Journal(tmp_path / "file" / "journal.sqlite3")


def test_a_full_disk_loses_nothing_and_says_so(host, sack):
    played(sack)
    host.journal._db.execute(f"PRAGMA max_page_count={host.journal._db.execute('PRAGMA page_count').fetchone()[0]}")
    with pytest.raises(JournalUnusable, match="nothing was recorded"):
        host.journal.add_picture(os.urandom(1_000_000), 0)
    assert host.table(sack.session.id).seq == 2
    assert sack.state.sheets[sack.session.players[0]].sack[3] == "I"


def test_an_exported_game_replays_and_its_hashes_hold(host, sack):
    played(sack)
    game_file = read_game_file(host.transfer.export(sack.session.id))
    assert game_file.broken_at is None
    assert replayed(game_file, steps_of(game_file)) == sack.state
    assert sorted(game_file.names.values()) == ["Ann", "Bob"]


def test_a_changed_game_is_found_out(host, sack):
    played(sack)
    text = host.transfer.export(sack.session.id).replace('"dice":[1,4]', '"dice":[1,5]')
    assert read_game_file(text).broken_at == 1
    with pytest.raises(BadInput, match="changed"):
        host.transfer.take(text)


def test_a_changed_header_is_found_out(host, sack):
    played(sack)
    text = host.transfer.export(sack.session.id).replace('"mirror":true', '"mirror":false')
    assert read_game_file(text).broken_at == 1


def test_a_name_can_be_changed_without_breaking_the_chain(host, sack):
    played(sack)
    assert read_game_file(host.transfer.export(sack.session.id).replace('"Ann"', '"Eva"')).broken_at is None


def test_a_file_names_its_own_players_alone(host, sack):
    header, beside, *entries = host.transfer.export(sack.session.id).splitlines()
    strangers = {f"stranger-{number}": "" for number in range(100_000)}  # compared with each other they took hours
    names = {**json.loads(beside)["names"], **strangers}
    game_file = read_game_file("\n".join((header, canonical_json({"names": names}), *entries)))
    assert sorted(game_file.names.values()) == ["Ann", "Bob"]


def test_a_file_names_pictures_of_its_own_entries_alone(host, sack, tmp_path):
    played(sack)
    sack.history.keep_evidence(2, b"as it lay")
    header, beside, *entries = host.transfer.export(sack.session.id).splitlines()
    more = {**json.loads(beside)["evidence"], **{str(seq): "a" * 64 for seq in range(3, 999)}}
    other = Host(Journal(tmp_path / "other.sqlite3"))
    forgery = "\n".join((header, canonical_json({**json.loads(beside), "evidence": more}), *entries))
    table = other.transfer.take(forgery)
    assert other.journal.evidence(table.session.id).keys() == {2}
    other.journal.close()


@pytest.mark.parametrize("evidence", [{"2": "a" * 63}, {"2": "a" * 64 + "\n"}, {"2": "../a"}, {"two": "a" * 64}, []])
def test_what_is_no_hash_of_a_picture_is_refused(host, sack, evidence):
    played(sack)
    header, beside, *entries = host.transfer.export(sack.session.id).splitlines()
    with pytest.raises(BadInput, match="damaged"):
        read_game_file("\n".join((header, canonical_json({**json.loads(beside), "evidence": evidence}), *entries)))


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_journal_of_each_older_companion_is_brought_up_to_date(host, sack, tmp_path, version):
    played(sack)
    path = tmp_path / "older" / "journal.sqlite3"
    path.parent.mkdir()
    backup(host.journal.path, path)
    age(path, version)
    house = Host(Journal(path))
    table = house.table(sack.session.id)
    assert (table.state, table.names, table.fingerprint) == (sack.state, sack.names, sack.fingerprint)
    table.history.keep_evidence(2, b"as it lay")
    assert house.pictures.jpeg(table.history.line(2).picture) == b"as it lay"
    house.journal.close()


def test_only_pictures_that_are_here_are_said_to_be_kept(host):
    kept, other, gone = (host.journal.add_picture(jpeg, taken) for jpeg, taken in ((b"a", 9), (b"b", 9), (b"c", 1)))
    host.journal.delete_pictures(5)
    assert host.journal.kept_pictures([kept, gone, "it's none", kept]) == {kept}
    assert host.journal.kept_pictures([]) == frozenset()
    assert host.journal.kept_pictures([str(number) for number in range(99_999)] + [other]) == {other}


def test_a_game_from_another_table_can_be_imported(host, sack, tmp_path):
    played(sack)
    sack.history.keep_evidence(2, b"as it lay")
    other = Host(Journal(tmp_path / "other.sqlite3"))
    table = other.transfer.take(host.transfer.export(sack.session.id))
    assert table.state == sack.state
    assert sorted(table.names.values()) == ["Ann", "Bob"]
    assert table.history.line(2).picture == sack.history.line(2).picture is not None
    assert other.transfer.export(sack.session.id) == host.transfer.export(sack.session.id)
    other.journal.close()


@pytest.mark.parametrize("text", ["", "hello", "{}", "[]", '{"format": "table-companion-game/9"}', "\x00\n\x00"])
def test_what_is_no_game_is_one_sentence(text):
    with pytest.raises(BadInput, match=r"[:.] \w"):
        read_game_file(text)


def forged(text, change):
    """An exported game with one change, and a hash chain made to fit, as anybody can."""
    header, names, *entries = (json.loads(line) for line in text.splitlines())
    change(header, entries)
    previous = digest(canonical_json(header))
    for entry in entries:
        entry.pop("hash")
        previous = digest(previous + canonical_json(entry))
        entry["hash"] = previous
    return "".join(canonical_json(line) + "\n" for line in (header, names, *entries))


NO_IDS = ("", ".", "..", "a.b", "x\n", "\nx", "a/../b", "a b", "ä", "١", "a" * 65, "a%2e")
MISDIRECTED = [
    {kind: seq, "also": also, **more, **({"event": {"kind": "Rolled", "dice": [3, 5]}} if kind == "amended" else {})}
    for kind, more in (("struck", {"ruled": []}), ("amended", {"ruled": []}), ("undone", {}))
    for seq, also in ((2, []), (3, []), (99, []), (1, [2]), (1, [99]))
] + [{"struck": 1, "also": [], "ruled": [7]}, {"amended": 1, "event": {"kind": "Rolled", "dice": [3, 5]}, "also": [],
     "ruled": [2]}]  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        lambda header, entries: header.update(created_wall_us=4 * 10**18),
        *(lambda header, entries, bad=bad: header.update(session=bad) for bad in NO_IDS),
        *(lambda header, entries, bad=bad: header.update(players=[bad, "p2"]) for bad in NO_IDS),
        *(lambda header, entries, bad=bad: entries[0].update(id=bad) for bad in NO_IDS),
        lambda header, entries: header.update(players=["p1", "p1"]),
        lambda header, entries: header.update(players=["table", "p2"]),
        lambda header, entries: entries[1].update(id=entries[0]["id"]),
        lambda header, entries: entries[0].update(reading=[1]),
        lambda header, entries: entries[0].update(reading={"picture": [1]}),
        lambda header, entries: entries[0].update(wall_us="abc"),
        lambda header, entries: entries[0].update(wall_us=10**30),
        lambda header, entries: entries[0].update(source="elsewhere"),
        lambda header, entries: entries[1].update(body={"undone": 1, "also": [[]]}),
        lambda header, entries: entries[1].update(body={"undone": 10**400, "also": []}),
        lambda header, entries: entries[1].update(body={"surprise": 1}),
        *(lambda header, entries, body=body: entries[1].update(body=body) for body in MISDIRECTED),
    ],
)
def test_a_forged_game_is_one_sentence_and_changes_nothing(host, sack, tmp_path, change):
    played(sack)
    other = Host(Journal(tmp_path / "other.sqlite3"))
    with pytest.raises(BadInput, match=r"[:.] \w"):
        other.transfer.take(forged(host.transfer.export(sack.session.id), change))
    assert other.sessions() == ()
    other.journal.close()


def test_a_correction_of_a_correction_is_refused_but_its_undo_is_not(host, sack, tmp_path):
    played(sack)
    sack.strike(2, Origin("strike"))
    exported = host.transfer.export(sack.session.id)
    other = Host(Journal(tmp_path / "other.sqlite3"))
    again = forged(exported, lambda _header, entries: entries[2].update(body={"struck": 3, "also": [], "ruled": []}))
    with pytest.raises(BadInput, match="Entry 3 of the game changes one that isn't there"):
        other.transfer.take(again)
    undone = forged(exported, lambda _header, entries: entries.append(later(entries[2], {"undone": 3, "also": []})))
    assert other.transfer.take(undone).seq == 4
    other.journal.close()


def later(entry, body):
    """An entry after this one."""
    return {**entry, "seq": entry["seq"] + 1, "id": "later", "body": body}


YEARS_US = {year: (year - 1970) * 31_556_952_000_000 for year in (1970, 1999, 2101, 2231)}


@pytest.mark.parametrize("at_us", YEARS_US.values(), ids=YEARS_US)
def test_a_game_of_a_wrong_wall_clock_is_read_after_a_restart_listed_and_told(host, at_us, tmp_path, monkeypatch):
    monkeypatch.setattr("time.time_ns", lambda: at_us * 1000)
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    played(table)
    again, other = Host(Journal(host.journal.path)), Host(Journal(tmp_path / "other.sqlite3"))
    assert again.table(table.session.id).state == table.state
    assert other.transfer.take(host.transfer.export(table.session.id)).seq == 2
    client = create_app(again).test_client()
    page = f"/s/{table.session.id}"
    for address in ("/", page, f"{page}/history", f"{page}/result", f"{page}/result.csv", "/season", "/season.csv"):
        assert client.get(address).status_code == 200, address
    for house in (again, other):
        house.journal.close()
        house.live.close()


def test_a_wall_clock_that_is_centuries_ahead_while_the_table_is_off_spends_no_table_time(host, sack, monkeypatch):
    played(sack)
    for boot, year in enumerate((2231, 1999, 2231, 1999, 2231)):
        monkeypatch.setattr("time.time_ns", lambda year=year: YEARS_US[year] * 1000)
        monkeypatch.setattr("companion.clock.boot_id", lambda boot=boot: f"boot {boot}")
        host.journal.import_session(
            Session(f"game-{boot}", "sack_stackers", None, (), 0), (), (), "{}", host.clock.instant()
        )
        before_us = host.clock.now_us()
        host.clock = Clock.resume(host.journal.instant())
        assert before_us <= host.clock.now_us() <= before_us + LONGEST_OFF_US + 60_000_000


def test_a_journal_deleted_under_us_is_told_and_nothing_is_acknowledged(host, sack):
    os.rename(host.journal.path, f"{host.journal.path}.moved")
    with pytest.raises(JournalUnusable, match="moved or deleted"):
        sack.submit(Rolled((1, 4)), Origin("roll", 0))
    assert sack.seq == 0


def test_half_a_game_file_is_one_sentence(host, sack):
    played(sack)
    with pytest.raises(BadInput, match="damaged"):
        read_game_file(host.transfer.export(sack.session.id)[:-40])


ENDLESS = """
import sys
from pathlib import Path
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.events import Origin
from companion.journal.store import Journal
host = Host(Journal(Path(sys.argv[1])))
table = host.create("sack_stackers", ["Ann"], {})
print(table.session.id, flush=True)
number = 0
while True:
    number += 1
    table.submit(Rolled((1, 4)), Origin(f"r{number}"))
    print(table.seq, flush=True)
    table.undo(Origin(f"u{number}"))
    print(table.seq, flush=True)
"""


def test_kill_9_loses_no_acknowledged_event(tmp_path):
    """Killed at an arbitrary moment; whatever was printed as acknowledged is in the journal, and the chain holds."""
    path = tmp_path / "journal.sqlite3"
    child = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE, text=True)
    session_id = child.stdout.readline().strip()
    acknowledged = 0
    while acknowledged < 60:
        acknowledged = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    last = child.stdout.read().split()  # what it had still acknowledged before it died
    child.wait()
    acknowledged = int(last[-1]) if last else acknowledged
    host = Host(Journal(path))
    table = host.table(session_id)
    assert table.seq >= acknowledged
    assert (table.state.dice is None) == (table.seq % 2 == 0)
    assert read_game_file(host.transfer.export(session_id)).broken_at is None
    host.journal.close()
    child.stdout.close()


def test_the_stored_text_is_canonical_json(host, sack):
    played(sack)
    for row in host.journal.rows(sack.session.id):
        data = json.loads(row.content)
        assert json.dumps(data, sort_keys=True, separators=(",", ":")) == row.content


def test_a_commit_that_fails_on_the_disk_leaves_the_journal_usable(host, sack):
    """SQLite keeps the transaction open when COMMIT itself fails; the next tap must not meet it."""

    def break_off_at_commit():
        with host.journal.changing():
            host.journal._db.execute("PRAGMA defer_foreign_keys=ON")
            host.journal._db.execute("INSERT INTO entries VALUES ('no such session', 1, 'a', '{}', 'b')")

    heard = []
    host.journal.on_trouble = heard.append
    with pytest.raises(JournalUnusable, match="nothing was recorded"):
        break_off_at_commit()
    assert "another program" in heard[0]
    sack.submit(Rolled((1, 4)), Origin("roll", 0))
    assert heard[1:] == [""]
    assert sack.seq == 1


def test_another_writer_is_told_apart_from_a_full_disk(host, sack):
    played(sack)
    row = host.journal.rows(sack.session.id)[-1]
    with closing(sqlite3.connect(host.journal.path)) as db, db:
        db.execute("INSERT INTO entries VALUES (?, 3, 'elsewhere', ?, 'hash')", (sack.session.id, row.content))
    db.close()
    with pytest.raises(JournalUnusable, match="another program uses it: nothing was recorded"):
        sack.undo(Origin("mine"))
    assert sack.seq == 2
