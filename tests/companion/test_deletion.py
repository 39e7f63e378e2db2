"""Deleting a game: nothing of it is left, nothing puts it back, and every other game stays as it was."""

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from companion.errors import NotFound
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house import next_game
from companion.house.host import Host
from companion.journal.backup import DailyCopies, backup, verified
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.restore import restore
from companion.journal.store import Journal
from companion.letters.outbox import Outbox, State, Waiting
from companion.sensing.process_messages import Clip


def play(host, *names):
    table = host.create("sack_stackers", list(names), {}, remember=["Ann"])
    picture = host.journal.add_picture(f"a picture with {names}".encode(), 1, table.session.id)
    table.submit(Rolled((1, 4)), Origin("a", source="camera"), reading={"picture": picture})
    host.pictures.add_clip(Clip(picture, 2, 1000, f"a clip of {names}".encode()))
    why = f"{names[1]} sneezed"
    table.submit(Ruling(table.session.players[1], 1, why), Origin("b"))
    return table


def copy_of(host, day=21):
    copy = DailyCopies(host.journal, today=lambda: date(2026, 11, day)).look()
    assert copy
    return copy


def everywhere(folder):
    """Every byte of every file of a house."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def rows(journal):
    """table → number of rows, without the settings."""
    names = [name for (name,) in journal.select("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {name: journal.select(f"SELECT count(*) FROM {name}")[0][0] for name in names if name != "settings"}


def left_in(path, session):
    with closing(sqlite3.connect(path)) as db, db:
        found = db.execute("SELECT count(*) FROM sessions WHERE id = ?", (session,)).fetchone()[0]
        found += db.execute("SELECT count(*) FROM entries WHERE session = ?", (session,)).fetchone()[0]
    db.close()
    return found


@pytest.fixture
def both(host):
    """A game that stays, then one that is to go; copies were made after both, and a journal lies aside."""
    kept, gone = play(host, "Ann", "Bob"), play(host, "Ann", "Quirinus Quux")
    copy_of(host, 20)
    backup(host.journal.path, host.journal.path.with_name("journal.sqlite3.before-noon"))
    copy_of(host, 21)
    for table in (kept, gone):
        table.submit(Ruling(table.session.players[0], 2, "tea"), Origin("c"))
    return kept, gone


def test_nothing_of_a_deleted_game_is_left_and_the_other_stays_whole(host, both, tmp_path):
    kept, gone = both
    session = gone.session.id
    host.access.tickets.issue(Role.PLAYER, session=session, player=gone.session.players[1], label="a phone")
    host.access.codes.standing(Role.WATCHER, session)
    host.people.keep_marks(host.marks(gone))
    assert host.active.session == session
    before = host.transfer.export(kept.session.id)
    assert host.delete_game(session) == ()
    left = everywhere(tmp_path)
    assert b"Quirinus" not in left
    assert left.count(session.encode()) == left.count(f"deleted:{session}".encode())  # that it was deleted is all
    assert all(player.encode() not in left for player in gone.session.players)
    assert host.transfer.export(kept.session.id) == before
    assert host.active.session is None
    assert host.access.tickets.all() == ()
    assert [one.id for one in host.sessions()] == [kept.session.id]
    assert {one.name for one in host.people.everybody()} == {"Ann"}
    for path in (*(tmp_path / "backups").iterdir(), tmp_path / "journal.sqlite3.before-noon"):
        assert verified(path).games == 1


def test_a_house_without_the_game_and_one_that_deleted_it_have_the_same_rows(host, tmp_path):
    """Whatever table a game has rows in, also one that somebody adds later."""
    play(host, "Ann", "Bob")
    before = rows(host.journal)
    gone = play(host, "Ann", "Quirinus Quux")
    host.access.tickets.issue(Role.PLAYER, session=gone.session.id, player=gone.session.players[0])
    assert host.outcomes.all()
    host.journal.set_setting("x", "y")
    host.delete_game(gone.session.id)
    assert rows(host.journal) == before | {"outcomes": rows(host.journal)["outcomes"]}
    assert host.journal.select("SELECT count(*) FROM outcomes WHERE session = ?", (gone.session.id,)) == [(0,)]


def test_it_does_not_come_back_with_the_next_start(host, both, tmp_path):
    kept, gone = both
    host.delete_game(gone.session.id)
    host.journal.close()
    again = Host(Journal(tmp_path / "journal.sqlite3"))
    assert again.journal.put_back == 0
    assert [one.id for one in again.sessions()] == [kept.session.id]
    with pytest.raises(NotFound, match="This game was deleted"):
        again.table(gone.session.id)
    again.journal.close()


def test_after_a_kill_in_the_middle_the_next_start_finishes_it(host, both, tmp_path, monkeypatch):
    """The journal no longer has it; tails and copies have all of it."""
    kept, gone = both
    monkeypatch.setattr(host.deletion, "_finish", lambda _session: ())
    host.delete_game(gone.session.id)
    host.journal.close()
    copies = [*(tmp_path / "backups").iterdir(), tmp_path / "journal.sqlite3.before-noon"]
    assert all(left_in(path, gone.session.id) for path in copies)
    again = Host(Journal(tmp_path / "journal.sqlite3"))
    assert [one.id for one in again.sessions()] == [kept.session.id]
    assert again.deletion.finish() == ()
    assert [left_in(path, gone.session.id) for path in copies] == [0, 0, 0]
    assert b"Quirinus" not in everywhere(tmp_path)
    assert again.deletion.finish() == ()
    again.journal.close()


def test_a_journal_that_lost_entries_gets_those_of_the_other_game_back(host, both, tmp_path):
    kept, gone = both
    host.delete_game(gone.session.id)
    host.journal.close()
    with closing(sqlite3.connect(tmp_path / "journal.sqlite3")) as db, db:
        db.execute("DELETE FROM entries WHERE seq > 1")
    db.close()
    journal = Journal(tmp_path / "journal.sqlite3")
    assert journal.put_back == 2
    assert [session for (session,) in journal.select("SELECT id FROM sessions")] == [kept.session.id]
    journal.close()


def test_a_tablet_that_still_shows_it_is_refused_and_nothing_comes_back(host, both):
    _kept, gone = both
    host.delete_game(gone.session.id)
    with pytest.raises(NotFound, match="This game was deleted"):
        gone.undo(Origin("late"))
    with pytest.raises(NotFound):
        gone.history.keep_evidence(1, b"a late picture")
    with pytest.raises(NotFound):
        host.delete_game(gone.session.id)
    assert not host.journal.select("SELECT 1 FROM entries WHERE session = ?", (gone.session.id,))
    assert gone.seq == 3
    assert gone not in host.tables.all_open()


def test_a_repeated_request_does_not_begin_it_again_but_play_again_begins_another(host):
    first = host.create("sack_stackers", ["Ann", "Bob"], {}, "made-by-the-sender")
    host.delete_game(first.session.id)
    with pytest.raises(NotFound, match="This game was deleted"):
        host.create("sack_stackers", ["Ann", "Bob"], {}, "made-by-the-sender")
    before = play(host, "Ann", "Bob")
    second = next_game.begin_again(host, before.session.id, "sack_stackers")
    host.delete_game(second.session.id)
    third = next_game.begin_again(host, before.session.id, "sack_stackers")
    assert third.session.id != second.session.id


def test_a_saved_game_may_be_brought_here_again(host, both, tmp_path):
    _kept, gone = both
    saved = host.transfer.export(gone.session.id)
    host.delete_game(gone.session.id)
    assert host.transfer.take(saved).fingerprint == gone.fingerprint
    host.journal.close()
    again = Host(Journal(tmp_path / "journal.sqlite3"))
    assert again.table(gone.session.id).fingerprint == gone.fingerprint
    assert again.deletion.finish() == ()
    assert again.table(gone.session.id)
    again.journal.close()


def test_what_a_season_counted_goes_with_it(host):
    play(host, "Ann", "Bob")
    gone = play(host, "Ann", "Cy")
    (ann,) = host.people.everybody()
    assert len(host.people.seats(ann.id)) == 2
    host.delete_game(gone.session.id)
    assert [played.session for played in host.outcomes.all()] != []
    assert gone.session.id not in [played.session for played in host.outcomes.all()]
    assert len(host.people.seats(ann.id)) == 1


def test_a_picture_that_another_game_shows_too_stays(host):
    one, two = play(host, "Ann", "Bob"), play(host, "Ann", "Cy")
    for table in (one, two):
        shared = host.journal.add_picture(b"both games on one table", 1, table.session.id)
    host.delete_game(two.session.id)
    assert host.journal.picture(shared)
    host.delete_game(one.session.id)
    assert rows(host.journal)["pictures"] == 0


def test_a_copy_that_cannot_be_changed_is_named_and_tried_again(host, both, tmp_path):
    _kept, gone = both
    broken = tmp_path / "backups" / "journal-2026-01-01.sqlite3"
    broken.write_text("this is no database at all, only some text")
    assert host.delete_game(gone.session.id) == (broken.name,)
    assert host.deletion.finish() == (broken.name,)
    broken.unlink()
    assert host.deletion.finish() == ()


def test_a_restored_copy_that_was_cleaned_has_no_trace_of_it(host, both, tmp_path):
    kept, gone = both
    host.delete_game(gone.session.id)
    host.journal.close()
    newest = tmp_path / "backups" / "journal-2026-11-21.sqlite3"
    assert restore(newest, host.journal.path, "before").left_out == 0
    again = Host(Journal(host.journal.path))
    assert [one.id for one in again.sessions()] == [kept.session.id]
    assert again.table(kept.session.id).seq == 3
    again.journal.close()


def test_the_letters_of_a_deleted_game_keep_only_their_envelopes_and_their_numbers(host, both):
    kept, gone = both
    outbox = Outbox(host.journal)
    for number, table in enumerate((gone, kept, gone), start=1):
        outbox.add(Waiting(number, table.session.id, f"head-{number}", b"envelope\nsignature\nthe game"))
    outbox.mark(1, State.UPLOADED)
    outbox.mark(2, State.UPLOADED)
    host.delete_game(gone.session.id)
    letters = [letter for (letter,) in host.journal.select("SELECT letter FROM outbox ORDER BY n")]
    assert letters == [b"envelope", b"envelope\nsignature\nthe game", b"envelope"]
    assert outbox.first_waiting() is None  # what had not left does not leave
    assert outbox.newest() == b"envelope"  # on which the next letter builds
    assert (outbox.summary().waiting, outbox.summary().all) == (0, 2)
    outbox.mark(3, State.UPLOADED)  # it was on its way
    assert outbox.newest() == b"envelope"


def test_lessons_of_the_camera_go_too(host, both, monkeypatch):
    _kept, gone = both
    forgotten = []
    monkeypatch.setattr(host.learner, "forget_games", forgotten.extend)
    host.delete_game(gone.session.id)
    assert forgotten == [gone.session.id]
    assert not list(Path(host.journal.path.parent).rglob("*.new"))
