"""What somebody types as the reason of a ruling: the chain has a salted digest of it, and the text lies beside."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date

import pytest

from companion.errors import BadInput
from companion.games.rulings import Ruling
from companion.house.host import Host
from companion.journal.backup import DailyCopies, backup
from companion.journal.events import Origin
from companion.journal.export import read_game_file, replayed, steps_of
from companion.journal.files import COPIES
from companion.journal.record import Row, content_of
from companion.journal.restore import restore
from companion.journal.schema import MIGRATIONS
from companion.journal.session import digest
from companion.journal.store import Journal

TYPED = "Zebedee turned a die over"


def rule(table, why=TYPED, event_id="ruling", points=-3):
    player = table.session.players[0]
    return table.submit(Ruling(player, points, why), Origin(event_id))


def sentences(table):
    return [line.sentence for line in table.history.lines()]


def chain_text(host, table):
    return "".join(row.content for row in host.journal.rows(table.session.id))


def files_with(folder, text):
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes())


def test_the_chain_has_no_word_of_the_reason(host, sack):
    rule(sack)
    assert "Zebedee" not in chain_text(host, sack)
    assert sentences(sack) == [f"Ruling for Ann, −3 points: {TYPED}."]


def test_the_digest_is_sha256_of_salt_and_text(host, sack):
    rule(sack)
    ((_seq, reason),) = host.journal.reasons(sack.session.id).items()
    posted = json.loads(host.journal.rows(sack.session.id)[0].content)["body"]["posted"]
    assert posted["why"] == f"sha256:{digest(reason.salt + TYPED)}"
    assert len(bytes.fromhex(reason.salt)) == 16


def test_the_same_reason_twice_has_two_digests(host, sack):
    rule(sack)
    rule(sack, event_id="again")
    first, second = (json.loads(row.content)["body"]["posted"]["why"] for row in host.journal.rows(sack.session.id))
    assert first != second


def test_a_restart_keeps_the_words_and_gives_the_same_answer(host, sack):
    receipt = rule(sack)
    host.journal.close()
    with_journal = Host(Journal(host.journal.path))
    table = with_journal.table(sack.session.id)
    assert sentences(table) == [f"Ruling for Ann, −3 points: {TYPED}."]
    assert rule(table) == receipt
    assert (table.seq, table.fingerprint) == (1, sack.fingerprint)
    with_journal.close()


def test_a_correction_has_its_own_words_beside_the_chain(host, sack):
    rule(sack)
    other = replace(sack.entries[0].body.event, why="Ottoline did it")
    sack.amend(1, other, Origin("amend"))
    assert "Ottoline" not in chain_text(host, sack)
    assert {seq: reason.text for seq, reason in host.journal.reasons(sack.session.id).items()} == {
        1: TYPED,
        2: "Ottoline did it",
    }
    with closing(Host(Journal(host.journal.path, is_mended=True))) as again:
        assert again.table(sack.session.id).state.rulings == sack.state.rulings == (other,)


def test_a_deleted_reason_leaves_the_points_and_the_chain(host, sack):
    player = sack.session.players[0]
    before = sack.game.rules.score(sack.state)[player]
    rule(sack)
    with host.journal.changing() as db:
        db.execute("DELETE FROM reasons")
    sack.forget_reasons()
    assert sack.game.rules.score(sack.state)[player] == before - 3
    assert sentences(sack) == ["Ruling for Ann, −3 points: the reason isn't kept here."]
    exported = read_game_file(host.transfer.export(sack.session.id))
    assert (exported.broken_at, exported.reasons) == (None, {})
    assert replayed(exported, steps_of(exported)) == sack.state
    rule(sack, "Later", "later")
    assert sack.entries[1].hash == host.journal.rows(sack.session.id)[1].hash
    assert read_game_file(host.transfer.export(sack.session.id)).broken_at is None


def test_an_export_takes_the_words_along(host, sack, tmp_path):
    rule(sack)
    text = host.transfer.export(sack.session.id)
    elsewhere = Host(Journal(tmp_path / "elsewhere" / "journal.sqlite3"))
    table = elsewhere.transfer.take(text)
    assert sentences(table) == [f"Ruling for Ann, −3 points: {TYPED}."]
    assert elsewhere.transfer.export(sack.session.id) == text
    elsewhere.close()


def test_words_that_nobody_typed_are_refused(host, sack, tmp_path):
    rule(sack)
    text = host.transfer.export(sack.session.id).replace(TYPED, "Zebedee is a cheat")
    elsewhere = Host(Journal(tmp_path / "elsewhere" / "journal.sqlite3"))
    with pytest.raises(BadInput, match="The reason in entry 1 was changed after the game"):
        elsewhere.transfer.take(text)
    assert elsewhere.journal.count_sessions() == 0
    elsewhere.close()


def test_a_game_of_an_older_version_keeps_its_words_in_the_chain(host, sack):
    """As it was written before: the text in the entry, and no salt."""
    rule(sack)
    old = replace(sack.entries[0], salt="")
    content = content_of(sack.session.id, old)
    assert TYPED in content
    head = digest(digest(host.journal.header(sack.session.id)) + content)
    header = host.journal.header(sack.session.id)
    rows = (Row(1, old.id, content, head),)
    with host.journal.changing() as db:
        db.execute("DELETE FROM reasons")
        db.execute("DELETE FROM entries")
        db.execute("DELETE FROM sessions")
    host.journal.import_session(sack.session, (), rows, header)
    with closing(Host(Journal(host.journal.path, is_mended=True))) as again:
        table = again.table(sack.session.id)
        assert table.state.rulings[0].why == TYPED
        assert table.fingerprint == head
        exported = read_game_file(host.transfer.export(sack.session.id))
        assert exported.broken_at is None
        rule(table, "New words", "new")
        assert "New words" not in chain_text(host, table)


def test_a_copy_has_the_words_and_brings_them_back(host, sack, tmp_path):
    rule(sack)
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    rule(sack, "After the copy", "after")
    host.journal.close()
    restore(copy, host.journal.path, "before")
    back = Host(Journal(host.journal.path))
    assert [ruling.why for ruling in back.table(sack.session.id).state.rulings] == [TYPED, "After the copy"]
    back.close()


def test_an_older_copy_gets_the_words_of_what_is_added_to_it(host, sack, tmp_path):
    """A copy made before there were reasons beside the chain."""
    copy = tmp_path / "copy.sqlite3"
    backup(host.journal.path, copy)
    number = next(number for number, sql in enumerate(MIGRATIONS) if "TABLE reasons" in sql)
    with closing(sqlite3.connect(copy)) as db, db:
        db.executescript(f"DROP TABLE reasons; DROP TABLE outbox; DROP TABLE clips; PRAGMA user_version={number};")
    rule(sack)
    host.journal.close()
    restore(copy, host.journal.path, "before")
    back = Host(Journal(host.journal.path))
    assert [ruling.why for ruling in back.table(sack.session.id).state.rulings] == [TYPED]
    back.close()


@pytest.mark.parametrize("by", ["tail", "copy"])
def test_a_mended_journal_has_the_words_again(host, sack, by):
    rule(sack)
    if by == "copy":
        assert DailyCopies(host.journal, today=lambda: date(2026, 11, 21)).look()
    host.journal.close()
    with closing(sqlite3.connect(host.journal.path)) as db, db:
        db.executescript("DELETE FROM reasons; DELETE FROM entries;")
    mended = Host(Journal(host.journal.path))
    assert mended.table(sack.session.id).state.rulings[0].why == TYPED
    mended.close()


def test_who_is_deleted_takes_the_reasons_of_their_games_along(host):
    """In the journal, the copies, the tails, and at a table that is open."""
    theirs = host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann", "Bob"])
    rule(theirs)
    others = host.create("sack_stackers", ["Bob", "Cyd"], {})
    rule(others, "It rained on the board")
    assert DailyCopies(host.journal, today=lambda: date(2026, 11, 21)).look()
    rule(theirs, "Zebedee again", "again")
    ann = next(one for one in host.people.everybody() if one.name == "Ann")
    folder = host.journal.path.parent
    assert files_with(folder, "Zebedee")
    assert host.erase_person(ann.id) == ()
    assert files_with(folder, "Zebedee") == []
    assert any(name.startswith("journal-") for name in files_with(folder / COPIES, "It rained"))
    assert all("isn't kept here" in sentence for sentence in sentences(theirs))
    assert sentences(others) == ["Ruling for Bob, −3 points: It rained on the board."]
    host.journal.close()
    again = Host(Journal(host.journal.path))
    assert len(again.table(theirs.session.id).state.rulings) == 2
    again.close()
