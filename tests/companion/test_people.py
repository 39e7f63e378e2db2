"""The people of a house: who was who in which game, and what is left when somebody is deleted."""

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from companion.errors import BadInput, NotFound
from companion.game.readings import DiceReading, DieReading, Settled
from companion.games.sack_stackers.events import Rolled
from companion.house import erasure
from companion.house.host import Host
from companion.house.symbols import SYMBOLS, Mark, marks_at_table, seat_mark
from companion.journal.backup import DailyCopies, backup, days_to_keep, verified
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.export import read_game_file, replayed, steps_of
from companion.journal.files import COPIES, other_journals
from companion.journal.restore import restore
from companion.journal.store import Journal
from companion.table.table import Table


def play(host, *names, remember=True):
    wanted = names if remember else ()
    table = host.create("sack_stackers", list(names), {}, remember=wanted)
    table.submit(Rolled((3, 5)), Origin("roll"), reading={"picture": picture(host, names)})
    return table


def picture(host, names):
    return host.journal.add_picture("".join(names).encode(), 1)


def person(host, name):
    return next(one for one in host.people.everybody() if one.name == name)


def test_whoever_is_remembered_is_the_same_person_in_the_next_game(host):
    first, second = play(host, "Ann", "Bob"), play(host, "bob", "ANN", remember=False)
    assert [one.name for one in host.people.everybody()] == ["Ann", "Bob"]
    seated = host.people.seated()
    assert [seated[player].name for player in second.session.players] == ["Bob", "Ann"]
    assert seated[first.session.players[0]] == seated[second.session.players[1]]


def test_somebody_may_sit_down_while_it_is_asked_who_sits_where(host, monkeypatch):
    select = host.journal.select

    def and_somebody_sits_down(*query):
        rows = select(*query)
        monkeypatch.undo()
        play(host, "Ann")
        return rows

    monkeypatch.setattr(host.journal, "select", and_somebody_sits_down)
    assert host.people.seated() == {}
    assert [profile.name for profile in host.people.seated().values()] == ["Ann"]


def test_nobody_is_remembered_who_was_not_asked(host):
    play(host, "Ann", "Bob", remember=False)
    assert host.people.everybody() == ()
    assert [(one.name, one.games) for one in host.people.strangers()] == [("Ann", 1), ("Bob", 1)]


def test_a_new_person_gets_the_games_played_under_the_name_before(host):
    play(host, "Ann", "Bob", remember=False)
    ann = host.people.add("ann")
    assert len(host.people.seats(ann.id)) == 1
    assert [one.name for one in host.people.strangers()] == ["Bob"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "BOB"])
def test_a_name_that_cannot_be_is_refused_and_changes_nothing(host, name):
    host.people.add("Bob")
    with pytest.raises(BadInput):
        host.people.add(name)
    assert len(host.people.everybody()) == 1


def test_a_new_name_is_used_in_earlier_games_too(host):
    table = play(host, "Ann", "Bob")
    ann = person(host, "Ann")
    host.people.change(ann.id, "Anna", "moon", "pink")
    host.tables.update_names()
    assert table.names[table.session.players[0]] == "Anna"
    assert host.marks(table)[table.session.players[0]] == Mark("moon", "pink")


def test_nobody_takes_the_name_of_somebody_they_sat_beside(host):
    play(host, "Ann", "Bob", remember=False)
    ann = host.people.add("Ann")
    with pytest.raises(BadInput, match="another Bob"):
        host.people.change(ann.id, "Bob", ann.symbol, ann.colour)


def test_of_two_who_take_one_name_in_the_same_instant_one_is_refused(host, monkeypatch):
    play(host, "Ann", "Bob")
    ann, bob = person(host, "Ann"), person(host, "Bob")
    first = threading.Thread(target=host.people.change, args=(bob.id, "Cleo", bob.symbol, bob.colour), daemon=True)

    def meanwhile(_profile, _name):
        first.start()
        first.join(5)

    with monkeypatch.context() as patched:
        patched.setattr(
            host.people, "_sat_beside", lambda profile, name: first.ident is None and meanwhile(profile, name)
        )
        with pytest.raises(BadInput, match="Someone is already called Cleo"):
            host.people.change(ann.id, "Cleo", ann.symbol, ann.colour)
    assert sorted(one.name for one in host.people.everybody()) == ["Ann", "Cleo"]


def test_symbols_at_a_table_differ_and_pieces_give_the_colour():
    players = ("a", "b", "c")
    marks = marks_at_table(players, {"b": seat_mark(1), "c": seat_mark(1)}, {"a": "red"}, {})
    assert len({mark.symbol for mark in marks.values()}) == 3
    assert marks["b"] == seat_mark(1)
    assert marks["a"].colour == "red"
    assert len({seat_mark(seat) for seat in range(1, 101)}) == 100
    assert len({seat_mark(seat).symbol for seat in range(1, 11)}) == len(SYMBOLS)


# deleting somebody


def everywhere(folder):
    """Every byte of every file of a house."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_who_is_deleted_is_nowhere_in_the_house_and_every_chain_holds(host, tmp_path):
    table = play(host, "Annabella Quux", "Bob")
    other = play(host, "Bob", "Cy")
    ann, ann_player = person(host, "Annabella Quux"), table.session.players[0]
    host.journal.set_setting("entrants", "Bob\nannabella quux")
    host.access.tickets.issue(Role.PLAYER, session=table.session.id, player=ann_player, label="Annabella Quux's phone")
    (tmp_path / "backups").mkdir()
    backup(host.journal.path, tmp_path / "backups" / "journal-2026-01-01.sqlite3")
    assert b"Annabella" in everywhere(tmp_path)

    assert host.people.erase(ann.id) == ()
    host.tables.update_names()

    assert b"nnabella" not in everywhere(tmp_path)
    assert stat.S_IMODE((tmp_path / "journal.tail").stat().st_mode) == 0o600  # It was written anew.
    assert table.names == {table.session.players[1]: "Bob"}
    assert host.journal.picture(picture_hash(table)) is None
    assert host.journal.picture(picture_hash(other)) is not None
    assert host.journal.setting("entrants", "") == "Bob"
    assert not [one for one in host.access.tickets.all() if one.player == ann_player]
    with pytest.raises(NotFound):
        host.people.profile(ann.id)

    exported = read_game_file(host.transfer.export(table.session.id))
    assert exported.broken_at is None
    assert replayed(exported, steps_of(exported)) == table.state
    assert verified(tmp_path / "backups" / "journal-2026-01-01.sqlite3").games == 2


def picture_hash(table):
    return table.entries[0].reading["picture"]


def asked(host, table, taken):
    """A question about two dice; its pictures are told from those of other questions by `taken`."""
    host.active.hold(table.session.id)
    dice = tuple(
        DieReading(value, 50, 50, 40, 40, 0, "red", 0.5, False, ((value, 0.5), (1, 0.5)), 0.97) for value in (3, 5)
    )
    crops = tuple(f"{taken}: die {number}".encode() for number in (1, 2))
    host.on_reading(Settled(DiceReading(640, 480, dice), 1, 2, f"{taken}: frame".encode(), crops))
    (question,) = host.questions.of(table.session.id)
    return question


def kept_pictures(host):
    return sorted(jpeg.decode() for (jpeg,) in host.journal.select("SELECT jpeg FROM pictures"))


def test_pictures_of_questions_go_with_the_person_however_they_were_answered(host):
    both, other = (host.create("sack_stackers", [name, "Bob"], {}, remember=["Ann"]) for name in ("Ann", "Cy"))
    host.dismiss(both.session.id, asked(host, both, "dismissed").id)
    host.confirm(asked(host, both, "answered").id, {"dice.0": 3, "dice.1": 4}, Origin("answer"))
    asked(host, other, "other")
    assert len(kept_pictures(host)) == 9
    host.erase_person(person(host, "Ann").id)
    assert kept_pictures(host) == ["other: die 1", "other: die 2", "other: frame"]
    assert host.journal.select("SELECT count(*) FROM taken_in") == [(3,)]
    host.delete_pictures()
    assert host.journal.select("SELECT count(*) FROM taken_in") == [(0,)]


def test_a_journal_that_an_older_companion_put_aside_keeps_no_picture_of_theirs(host, tmp_path):
    table, other = play(host, "Ann", "Bob"), play(host, "Cy", "Bob")
    host.journal.add_picture(b"a question", 1)
    backup(host.journal.path, tmp_path / "journal.sqlite3.before")
    with closing(sqlite3.connect(tmp_path / "journal.sqlite3.before", isolation_level=None)) as old:
        old.execute("DROP TABLE taken_in")
        assert host.erase_person(person(host, "Ann").id) == ()
        assert old.execute("SELECT hash FROM pictures").fetchall() == [(picture_hash(other),)]
        assert old.execute("SELECT name FROM players WHERE id = ?", (table.session.players[0],)).fetchall() == []


def test_a_picture_of_which_no_game_is_known_goes_too(host):
    """As an older companion left the pictures of its questions."""
    play(host, "Ann", "Bob")
    host.people.add("Dora, who has not played")
    host.journal.add_picture(b"a question", 1)
    host.erase_person(person(host, "Dora, who has not played").id)
    assert "a question" in kept_pictures(host)
    host.erase_person(person(host, "Ann").id)
    assert kept_pictures(host) == []


def test_a_daily_copy_does_not_say_what_pictures_there_were(host, tmp_path):
    asked(host, host.create("sack_stackers", ["Ann"], {}), "day")
    backup(host.journal.path, tmp_path / "copy.sqlite3", pictures=False)
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy, copy:
        assert copy.execute("SELECT count(*) FROM taken_in").fetchone() == (0,)
    copy.close()


def test_who_is_deleted_does_not_come_back_with_the_next_start(host, tmp_path):
    play(host, "Ann", "Bob")
    host.people.erase(person(host, "Ann").id)
    host.journal.close()
    again = Host(Journal(tmp_path / "journal.sqlite3"))
    assert [name for summary in again.sessions() for name in summary.names] == ["somebody", "Bob"]
    again.journal.close()


def test_who_is_deleted_is_in_nothing_that_a_restore_put_aside(host, tmp_path):
    """Neither from games that the copy had, nor from later ones, which the house no longer knows of."""
    play(host, "Annabella Quux", "Bob")
    host.journal.tail.rotate()
    backup(host.journal.path, tmp_path / "journal-copy")
    play(host, "Cy", "Annabella Quux")
    host.journal.close()
    restore(tmp_path / "journal-copy", host.journal.path, "before-noon", exactly=True)
    (tmp_path / "journal-copy").unlink()
    aside = {f"journal.{name}.before-noon" for name in ("sqlite3", "tail", "tail.1")}
    house = Host(Journal(host.journal.path))
    assert aside <= {path.name for path in tmp_path.iterdir() if b"Annabella" in path.read_bytes()}

    assert house.erase_person(person(house, "Annabella Quux").id) == ()
    assert b"Annabella" not in everywhere(tmp_path)
    assert b"Bob" in (tmp_path / "journal.tail.1.before-noon").read_bytes()
    assert verified(tmp_path / "journal.sqlite3.before-noon").games == 2
    house.journal.close()


@pytest.mark.parametrize("name", ["journal.tail", "journal.tail.before-noon"])
def test_a_tail_that_cannot_be_changed_is_named_and_loses_nothing(host, tmp_path, monkeypatch, name):
    play(host, "Ann", "Bob")
    (tmp_path / "journal.tail.before-noon").write_bytes((tmp_path / "journal.tail").read_bytes())
    opened = Path.open

    def closed(path, mode="r"):
        if path.name == name:
            raise PermissionError(13, "Permission denied")
        return opened(path, mode)

    with monkeypatch.context() as locked:
        locked.setattr(Path, "open", closed)
        assert host.people.erase(person(host, "Ann").id) == (name,)
    assert b"Bob" in (tmp_path / name).read_bytes()


def test_a_copy_that_cannot_be_changed_is_named(host, tmp_path):
    play(host, "Ann", "Bob")
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "journal-2026-01-01.sqlite3").write_text("this is no database at all, only some text")
    assert host.people.erase(person(host, "Ann").id) == ("journal-2026-01-01.sqlite3",)


def test_who_is_deleted_while_the_daily_copy_is_made_is_not_in_it(host, tmp_path, monkeypatch):
    play(host, "Annabella Quux", "Bob")
    erasing = threading.Thread(target=host.people.erase, args=(person(host, "Annabella Quux").id,))

    def meanwhile(part):
        assert b"Annabella" in part.read_bytes()
        erasing.start()
        erasing.join(0.3)  # as far as it comes
        return verified(part)

    monkeypatch.setattr("companion.journal.backup.verified", meanwhile)
    assert DailyCopies(host.journal).look() is not None
    erasing.join()
    assert b"nnabella" not in everywhere(tmp_path)


def test_an_old_copy_that_goes_while_somebody_is_deleted_is_none_that_could_not_be_changed(host, tmp_path, monkeypatch):
    play(host, "Ann", "Bob")
    (tmp_path / "backups").mkdir()
    for day in range(1, 29):
        backup(host.journal.path, tmp_path / "backups" / f"journal-2020-02-{day:02}.sqlite3")
    gone, refused = threading.Event(), []
    erasing = threading.Thread(
        target=lambda ann: refused.extend(host.people.erase(ann)), args=(person(host, "Ann").id,)
    )

    def listed(journal):
        found = other_journals(journal)
        gone.wait(0.3)
        return found

    def chosen(days):
        erasing.start()
        erasing.join(0.1)  # as far as it comes
        return days_to_keep(days)

    monkeypatch.setattr("companion.house.erasure.other_journals", listed)
    monkeypatch.setattr("companion.journal.backup.days_to_keep", chosen)
    assert DailyCopies(host.journal).look() is not None
    gone.set()
    erasing.join()
    assert refused == []


def test_who_is_deleted_is_not_in_a_copy_that_a_kill_broke_off(host, tmp_path):
    play(host, "Annabella Quux", "Bob")
    (tmp_path / "backups").mkdir()
    for part in ("part", "part-journal"):
        (tmp_path / "backups" / f"journal-2026-01-01.sqlite3.{part}").write_bytes(b"Annabella Quux")
    assert host.people.erase(person(host, "Annabella Quux").id) == ()
    assert b"nnabella" not in everywhere(tmp_path)


def test_who_is_deleted_while_a_game_of_theirs_is_opened_is_nobody_there(host, monkeypatch):
    ours = play(host, "Ann", "Bob").session.id
    house = Host(host.journal)  # as after a restart: nobody has opened it
    monkeypatch.setattr("companion.house.tables.Table", lambda *given: (Table(*given), house.erase_person(ann))[0])
    ann = person(house, "Ann").id
    assert list(house.table(ours).names.values()) == ["Bob"]


def test_people_are_in_a_backup_and_come_back_with_it(host, tmp_path):
    play(host, "Ann", "Bob")
    backup(host.journal.path, tmp_path / "copy.sqlite3")
    elsewhere = tmp_path / "elsewhere" / "journal.sqlite3"
    restore(tmp_path / "copy.sqlite3", elsewhere, "old")
    house = Host(Journal(elsewhere))
    assert [one.name for one in house.people.everybody()] == ["Ann", "Bob"]
    assert len(house.people.seated()) == 2
    house.journal.close()


def test_a_journal_of_the_last_version_gets_the_new_tables(tmp_path):
    from companion.journal.schema import MIGRATIONS

    path = tmp_path / "journal.sqlite3"
    with closing(sqlite3.connect(path)) as old, old:
        for number, migration in enumerate(MIGRATIONS[:2], start=1):
            old.executescript(migration + f"PRAGMA user_version={number};")
        old.execute("INSERT INTO players VALUES ('p', 'Ann', NULL)")
    old.close()
    house = Host(Journal(path))
    assert len(house.people.seats(house.people.add("Ann").id)) == 1
    house.journal.close()


def test_a_broken_off_copy_of_a_deleted_person_is_gone_for_good(host, monkeypatch):
    """Its name is taken out of the folder, and the folder is synced before anybody hears that it is done."""
    folder = host.journal.path.parent / COPIES
    folder.mkdir(exist_ok=True)
    part = folder / "journal-2026-11-21.sqlite3.part"
    part.write_text("Ann")
    host.create("sack_stackers", ["Ann", "Bob"], {}, remember=("Ann",))
    (ann,) = (each for each in host.people.everybody() if each.name == "Ann")
    synced = []
    monkeypatch.setattr(erasure, "sync_folder", lambda place: synced.append((place, part.exists())))
    assert host.erase_person(ann.id) == ()
    assert (folder, False) in synced
