"""A house has an id, which its copies carry; another house's copy comes in by an answer alone, and never beside it."""

import shutil
import subprocess
import sys
from datetime import date

import pytest

from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.backup import DailyCopies, backup
from companion.journal.events import Origin
from companion.journal.files import daily_copies
from companion.journal.restore import OtherHouse, restore
from companion.journal.settings import HOUSE
from companion.journal.store import Journal

DAY = date(2026, 11, 21)


def house(folder, name):
    """A closed house that has played one game; (its journal, the game's id, its own id)."""
    host = Host(Journal(folder / "journal.sqlite3"))
    table = host.create("sack_stackers", [f"{name} 1", f"{name} 2"], {})
    table.submit(Rolled((1, 4)), Origin(f"{name}-roll"))
    host.journal.set_setting("auto_accept", name)
    DailyCopies(host.journal, today=lambda: DAY).look()
    found = host.journal.path, table.session.id, HOUSE.of(host.journal)
    host.journal.close()
    return found


def games(path):
    """(the games of a journal, its house's id)."""
    journal = Journal(path)
    found = sorted(row for (row,) in journal.select("SELECT id FROM sessions")), HOUSE.of(journal)
    journal.close()
    return found


@pytest.fixture
def ours(tmp_path):
    return house(tmp_path / "ours", "Ann")


@pytest.fixture
def theirs(tmp_path):
    return house(tmp_path / "theirs", "Zoe")


def without_id(path):
    """A copy as they were before houses had ids."""
    journal = Journal(path)
    with journal.changing() as db:
        db.execute("DELETE FROM settings WHERE name = ?", (HOUSE.name,))
    journal.close()


def test_an_id_is_made_once_and_every_copy_carries_it(ours, theirs, tmp_path):
    path, game, id_ = ours
    assert games(path) == ([game], id_)
    assert id_ not in ("", theirs[2])
    copy = tmp_path / "copy.sqlite3"
    backup(path, copy)
    for each in (copy, daily_copies(path)[DAY]):
        assert games(each)[1] == id_


def test_another_houses_copy_changes_nothing_unless_it_is_wanted(ours, theirs, tmp_path):
    path, game, id_ = ours
    copy = tmp_path / "copy.sqlite3"
    backup(theirs[0], copy)
    with pytest.raises(OtherHouse, match="--other-house"):
        restore(copy, path, "before")
    assert games(path) == ([game], id_)
    aside = restore(copy, path, "before", other_house=True).aside
    assert games(path) == ([theirs[1]], theirs[2])
    assert games(path) == ([theirs[1]], theirs[2])  # Nor does the next start mix the two.
    assert games(aside) == ([game], id_)
    with pytest.raises(OtherHouse):
        restore(aside, path, "again")
    restore(aside, path, "again", other_house=True)
    assert games(path) == ([game], id_)


def test_a_foreign_copy_among_the_daily_ones_merges_nothing(ours, theirs):
    path, game, id_ = ours
    shutil.copy(daily_copies(theirs[0])[DAY], path.parent / "backups/journal-2026-11-22.sqlite3")
    assert games(path) == ([game], id_)
    restore(daily_copies(path)[DAY], path, "before")
    assert games(path) == ([game], id_)


def test_a_copy_of_another_house_neither_stops_todays_copy_nor_is_deleted_as_an_old_one(ours, theirs):
    path, _game, id_ = ours
    today, old = date(2026, 11, 22), date(2020, 1, 3)
    for day in (today, old):
        shutil.copy(daily_copies(theirs[0])[DAY], path.parent / f"backups/journal-{day}.sqlite3")
    journal = Journal(path)
    made = DailyCopies(journal, today=lambda: today).look()
    journal.close()
    assert games(made)[1] == id_
    aside = sorted(path.parent.glob("backups/*another-house*.sqlite3"))
    assert [games(each) for each in aside] == [([theirs[1]], theirs[2])] * 2


def test_copies_of_a_dead_card_come_back_on_one_that_was_only_started(ours, tmp_path):
    path, game, id_ = ours
    new = tmp_path / "new/journal.sqlite3"
    journal = Journal(new)
    DailyCopies(journal, today=lambda: date(2026, 11, 24)).look()  # as a new card does after its first start
    journal.close()
    shutil.copytree(path.parent / "backups", new.parent / "backups", dirs_exist_ok=True)
    assert games(new) == ([game], id_)


def test_own_copies_still_mend_beside_a_foreign_one(ours, theirs):
    path, _game, id_ = ours
    shutil.copy(daily_copies(theirs[0])[DAY], path.parent / "backups/journal-2026-11-22.sqlite3")
    path.with_suffix(".tail").unlink(missing_ok=True)
    journal = Journal(path)
    with journal.changing() as db:
        db.execute("DELETE FROM entries")
    journal.close()
    journal = Journal(path)
    assert journal.select("SELECT count(*) FROM entries") == [(1,)]
    assert (journal.put_back, HOUSE.of(journal)) == (1, id_)
    journal.close()


def test_a_copy_from_before_houses_had_ids_is_this_houses_and_gets_its_id(ours, tmp_path):
    path, game, id_ = ours
    copy = tmp_path / "old.sqlite3"
    backup(path, copy)
    without_id(copy)
    restore(copy, path, "before")
    assert games(path) == ([game], id_)
    without_id(path)
    assert games(path) == ([game], id_)  # Its own daily copies say who it is.


def test_a_new_place_takes_the_house_with_its_daily_copies_unasked(ours, tmp_path):
    path, game, id_ = ours
    new = tmp_path / "new/journal.sqlite3"
    Journal(new).close()
    shutil.copytree(path.parent / "backups", new.parent / "backups")
    copy = tmp_path / "copy.sqlite3"
    backup(path, copy)
    restore(copy, new, "before")
    assert games(new) == ([game], id_)


def test_the_command_names_its_option_where_nobody_can_be_asked(ours, theirs, tmp_path):
    path, game, id_ = ours
    copy = tmp_path / "copy.sqlite3"
    backup(theirs[0], copy)
    command = [sys.executable, "-m", "companion", "restore", str(copy), "--data", str(path.parent)]
    asked = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (asked.returncode != 0, "--other-house" in asked.stderr) == (True, True)
    assert games(path) == ([game], id_)
    assert subprocess.run([*command, "--other-house"], capture_output=True, timeout=60).returncode == 0
    assert games(path) == ([theirs[1]], theirs[2])
