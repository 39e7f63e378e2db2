"""The tail: what was recorded last, once more, and how it mends a journal."""

import json
import sqlite3
from contextlib import closing
from datetime import date

import pytest

from companion.errors import JournalUnusable
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.backup import DailyCopies, verified
from companion.journal.events import Origin
from companion.journal.store import Journal

DEEP = '\n{"players":' + "[" * 200_000


def played(table, taps=4):
    for number in range(taps):
        if number % 2:
            table.undo(Origin(f"tap-{number}"))
        else:
            table.submit(Rolled((1, 4)), Origin(f"tap-{number}"))


def damaged(host, sql):
    """The house's journal after some damage, opened anew."""
    host.journal.close()
    with closing(sqlite3.connect(host.journal.path)) as db, db:
        db.execute(sql)
    db.close()
    return Journal(host.journal.path)


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("DELETE FROM entries WHERE seq > 2", 2),
        ("DELETE FROM entries", 4),
        ("UPDATE entries SET id = 'tap-9' WHERE seq = 2", 1),  # the hash covers what the content says, not this column
    ],
)
def test_entries_that_are_missing_are_put_back(host, sack, sql, count):
    played(sack)
    journal = damaged(host, sql)
    assert journal.put_back == count
    assert Host(journal).table(sack.session.id).seq == 4
    assert verified(host.journal.path).entries == 4
    journal.close()


HEADERS = [
    "UPDATE sessions SET header = replace(header, 'sack_stackers', 'sack_stackerz')",
    "UPDATE sessions SET header = CAST(x'7bff7d' AS TEXT)",
    "UPDATE sessions SET hash = 'x' || substr(hash, 2)",
    "UPDATE sessions SET id = 'x' || substr(id, 2)",
]


@pytest.mark.parametrize("sql", HEADERS)
def test_a_damaged_header_is_put_back(host, sack, sql):
    played(sack)
    journal = damaged(host, sql)
    assert [journal.header(sack.session.id)] == list(journal.headers())
    assert Host(journal).table(sack.session.id).seq == 4
    assert verified(host.journal.path).entries == 4
    journal.close()


@pytest.mark.parametrize("sql", HEADERS)
def test_a_game_without_a_sound_header_anywhere_is_not_opened(host, sack, sql):
    played(sack)
    host.journal.path.with_suffix(".tail").unlink()
    with pytest.raises(JournalUnusable, match=r"lacks (4 entries|1 entry)"):
        damaged(host, sql)


def test_a_damaged_header_of_the_tail_begins_no_game(host, sack):
    played(sack)
    tail = host.journal.path.with_suffix(".tail")
    id_ = sack.session.id
    tail.write_text(tail.read_text().replace(id_, "x" + id_[1:], 1))
    journal = damaged(host, "SELECT 1")
    assert list(journal.headers()) == [journal.header(id_)]
    journal.close()


def test_a_game_that_is_missing_is_put_back_with_its_names(host, sack):
    played(sack)
    host.journal.close()
    host.journal.path.unlink()
    for part in ("-wal", "-shm"):
        host.journal.path.with_name(host.journal.path.name + part).unlink(missing_ok=True)
    journal = Journal(host.journal.path)
    table = Host(journal).table(sack.session.id)
    assert (table.seq, sorted(table.names.values())) == (4, ["Ann", "Bob"])
    journal.close()


def test_a_journal_is_not_opened_without_what_its_tail_knows_of_and_cannot_put_back(host, sack):
    played(sack)
    tail = host.journal.path.with_suffix(".tail")
    tail.write_text(tail.read_text().replace("undone", "undene", 1))
    with pytest.raises(JournalUnusable, match="lacks 3 entries"):
        damaged(host, "DELETE FROM entries WHERE seq > 1")
    assert verified(host.journal.path).entries == 1


def test_nothing_is_put_back_twice_or_where_another_entry_stands(host, sack):
    played(sack)
    other = Journal(host.journal.path)
    assert other.put_back == 0
    other.close()


@pytest.mark.parametrize(
    "nonsense",
    [
        "\n{}",
        "\n[]",
        "\nnull",
        '\n{"session": 1}',
        '\n{"header": "{}", "players": []}',
        "\n{",
        "\n" + '{"players":' + "[" * 200_000,
    ],
)
def test_nonsense_in_the_tail_harms_nobody(host, sack, nonsense):
    played(sack)
    with host.journal.path.with_suffix(".tail").open("a") as tail:
        tail.write(nonsense)
    journal = damaged(host, "DELETE FROM entries WHERE seq > 2")
    assert journal.put_back == 2
    journal.close()


def test_what_a_kill_kept_from_the_tail_is_added_at_the_next_start(host, sack):
    played(sack)
    tail = host.journal.path.with_suffix(".tail")
    tail.write_text("\n".join(tail.read_text().splitlines()[:-2])[:-5])  # two lines less, and one broken off
    host.journal.close()
    Journal(host.journal.path).close()
    journal = damaged(host, "DELETE FROM entries")
    assert journal.put_back == 4
    journal.close()


@pytest.mark.parametrize("place", ['"session":"', '"hash":"', '"content":"', '"id":"'])
@pytest.mark.parametrize("entry", [1, 2, 4])
def test_a_bit_that_flips_in_the_tail_is_no_entry_of_it(host, sack, place, entry):
    """The journal is whole and opened; and then the tail is whole again, too."""
    played(sack)
    host.journal.close()
    tail = host.journal.path.with_suffix(".tail")
    lines = tail.read_bytes().split(b"\n")
    at = next(n for n, line in enumerate(lines) if b'"seq":%d' % entry in line)
    where = lines[at].index(place.encode()) + len(place) + (20 if place == '"content":"' else 0)
    flipped = bytearray(lines[at])
    flipped[where] ^= 1
    lines[at] = bytes(flipped)
    tail.write_bytes(b"\n".join(lines))
    Journal(host.journal.path).close()
    journal = damaged(host, "DELETE FROM entries")
    assert journal.put_back == 4
    assert Host(journal).table(sack.session.id).seq == 4
    journal.close()


def test_a_tail_that_cannot_be_written_stops_no_game(host, sack):
    host.journal.path.with_suffix(".tail").unlink()
    host.journal.path.with_suffix(".tail").mkdir()
    played(sack)
    assert sack.seq == 4


def test_a_copy_begins_a_new_tail(host, sack):
    played(sack)
    copies = DailyCopies(host.journal, today=lambda: date(2026, 11, 21))
    assert copies.look() is not None
    assert list(host.journal.tail.lines()) == []
    sack.submit(Rolled((2, 5)), Origin("later"))
    assert [json.loads(line.content)["id"] for line in host.journal.tail.lines()] == ["later"]
    journal = damaged(host, "DELETE FROM entries WHERE seq = 5")
    assert journal.put_back == 1
    journal.close()


def test_a_copy_that_fails_takes_nothing_from_the_tail(host, sack, monkeypatch):
    played(sack)
    monkeypatch.setattr("companion.journal.files.LEAST_FREE", 10**15)
    before = list(host.journal.tail.lines())
    copies = DailyCopies(host.journal, today=lambda: date(2026, 11, 21))
    assert copies.look() is None
    assert list(host.journal.tail.lines()) == before
