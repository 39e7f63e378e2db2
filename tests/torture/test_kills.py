"""The short form of `make torture`, and proof that its judge would notice."""

import sqlite3
from collections import Counter
from contextlib import closing

import pytest

from companion.games.sack_stackers.events import Placed, Rolled
from companion.journal.events import Origin
from tests.torture.__main__ import shared, torture
from tests.torture.judge import judge_file
from tests.torture.load import Ledger


def test_a_few_kills_lose_nothing():
    kills, found, tortured = torture(kills=4, minutes=0.3, houses=2, seed=7)
    wrong = [line for each in tortured for line in (*each.ledger.wrong, *each.complaints())]
    assert (wrong, +found) == ([], Counter())
    assert kills
    assert sum(each.ledger.counts["acknowledged"] for each in tortured)


def test_every_kill_is_shared_out():
    assert [shared(kills, houses) for kills, houses in ((200, 3), (4, 2), (5, 1))] == [[30, 85, 85], [1, 3], [5]]


@pytest.fixture
def ledger(host, sack):
    """A journal and the ledger of an honest evening."""
    ledger = Ledger(sessions=[sack.session.id])
    ann = sack.session.players[0]
    for number, event in enumerate((Rolled((1, 4)), Placed(ann, 1, 1, "I", "I", 4))):
        receipt = sack.submit(event, Origin(f"tap-{number}", seen_seq=number))
        ledger.acknowledge(receipt.event_id, sack.session.id, receipt.seq)
    return ledger


def rewritten(host, sql):
    with closing(sqlite3.connect(host.journal.path)) as db, db:
        db.execute(sql)
    db.close()


def test_the_judge_finds_an_honest_journal_honest(host, ledger):
    assert +judge_file(host.journal.path, ledger) == Counter()
    assert ledger.wrong == []


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("DELETE FROM entries WHERE seq = 2", {"lost": 1}),
        ("UPDATE entries SET id = 'tap-9' WHERE seq = 2", {"lost": 1, "broken": 1}),
        ("UPDATE entries SET content = replace(content, '[1,4]', '[4,1]')", {"broken": 1}),
        ("UPDATE sessions SET header = replace(header, 'true', 'false')", {"broken": 1}),
        ("DELETE FROM entries", {"lost": 2}),
    ],
)
def test_the_judge_finds_what_is_lost(host, ledger, sql, found):
    rewritten(host, sql)
    assert +judge_file(host.journal.path, ledger) == Counter(found)
    assert ledger.wrong


def test_the_judge_remembers_what_it_has_seen(host, ledger):
    judge_file(host.journal.path, ledger)
    rewritten(host, "UPDATE entries SET hash = 'x' WHERE seq = 2")
    assert judge_file(host.journal.path, ledger)["lost"] == 1


def test_the_judge_finds_what_happened_twice(host, ledger, sack):
    sack.undo(Origin("again", source="button"))  # nobody pressed
    ledger.refused.add("again")
    assert judge_file(host.journal.path, ledger)["twice"] == 2
    ledger.acknowledge("tap-1", sack.session.id, 3)
    assert any(line.startswith("twice: tap-1 was acknowledged") for line in ledger.wrong)


def test_a_session_that_is_gone_is_lost(host, ledger):
    ledger.sessions.append("another")
    assert judge_file(host.journal.path, ledger)["lost"] == 1
