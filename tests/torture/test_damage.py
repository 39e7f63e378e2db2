"""The short form of `make damage`, and proof that it would notice."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from companion.errors import BadInput, JournalUnusable
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.backup import DailyCopies, backup
from companion.journal.data_folder import JOURNAL, claim
from companion.journal.events import Origin
from companion.journal.files import daily_copies
from companion.journal.restore import restore
from companion.journal.store import Journal
from tests.torture.damage import FLIPPED, HOWS, try_damages
from tests.torture.killed_restore import under_shim
from tests.torture.power import compiler

SAMPLE = 60  # damages of each of two houses


def sample(every):
    """Each file missing or empty, and some of the rest."""
    return [one for one in every if one[1] not in (*HOWS, FLIPPED)] + Random(5).sample(every, SAMPLE)


def test_no_damage_takes_an_entry_without_a_word():
    found, wrong = try_damages(sample)
    assert wrong == []
    assert found["refused"] > 1
    assert found.total() == 2 * (SAMPLE + 4)


def test_a_journal_that_asks_nobody_is_found_out(monkeypatch):
    """The control."""
    monkeypatch.setattr("companion.journal.database.mend", lambda *_: 0)
    assert any("without a word" in one for one in try_damages(sample)[1])


@pytest.mark.skipif(compiler() is None, reason="no C compiler here: the shim cannot be built")
def test_a_restore_that_is_killed_leaves_the_old_house_or_the_new_one(tmp_path):
    said = under_shim(tmp_path, 6)
    kills, wrong = re.search(r"(\d+) kills of a restore, (\d+) wrong$", said.strip()).groups()
    assert (int(kills) > 50, wrong) == (True, "0"), said


@pytest.mark.skipif(compiler() is None, reason="no C compiler here: the shim cannot be built")
def test_a_deletion_that_is_killed_leaves_the_game_whole_or_nothing_of_it(tmp_path):
    said = under_shim(tmp_path, 6, "tests.torture.killed_deletion")
    kills, wrong = re.search(r"(\d+) kills of a deletion, (\d+) wrong$", said.strip()).groups()
    assert (int(kills) > 10, wrong) == (True, "0"), said


@pytest.fixture
def copied(host, sack, tmp_path):
    """A copy of an early moment, the daily copy of a later one, and entries after it."""
    tap(sack)
    backup(host.journal.path, tmp_path / "early.sqlite3")
    for _ in range(3):
        tap(sack)
    assert DailyCopies(host.journal).look()
    tap(sack)
    host.journal.close()
    return tmp_path / "early.sqlite3"


def tap(table):
    table.submit(Rolled((1, 4)), Origin(f"roll-{table.seq}"))
    table.undo(Origin(f"undo-{table.seq}"))


def entries(path):
    journal = Journal(path)
    try:
        return journal.select("SELECT count(*) FROM entries")[0][0]
    finally:
        journal.close()


def test_no_house_is_begun_beside_copies(host, copied):
    for name in (JOURNAL, f"{JOURNAL}-wal"):
        host.journal.path.with_name(name).unlink(missing_ok=True)
    for _ in range(2):
        with pytest.raises(JournalUnusable, match=r"missing or empty, but .* companion restore .*/backups/journal-"):
            Journal(host.journal.path)
    assert not host.journal.path.exists()
    host.journal.path.touch()
    with pytest.raises(JournalUnusable, match="is missing or empty"):
        Journal(host.journal.path)


def test_no_house_is_begun_beside_a_journal_that_was_put_aside(host, copied, tmp_path):
    shutil.rmtree(tmp_path / "backups")
    host.journal.path.rename(f"{host.journal.path}.before-noon")
    with pytest.raises(JournalUnusable, match=r"companion restore .*before-noon"):
        Journal(host.journal.path)


def test_between_an_older_copy_and_the_tail_daily_copies_are_the_bridge(host, copied):
    host.journal.path.unlink()
    assert restore(copied, host.journal.path, "before").added == 8
    assert entries(host.journal.path) == 10


def test_without_a_bridge_a_restore_says_how_many_are_missing_and_does_nothing(host, copied, tmp_path):
    host.journal.path.unlink()
    shutil.rmtree(tmp_path / "backups")
    with pytest.raises(BadInput, match=r"2 entries that were recorded here .* --incomplete"):
        restore(copied, host.journal.path, "before")
    assert not host.journal.path.exists()
    assert restore(copied, host.journal.path, "before", incomplete=True).left_out == 2
    assert entries(host.journal.path) == 2
    assert (tmp_path / "journal.tail.before").exists()


def test_exactly_is_exactly_also_after_the_next_start(host, copied, tmp_path):
    done = restore(copied, host.journal.path, "before", exactly=True)
    assert (done.added, done.left_out) == (0, 8)
    assert [entries(host.journal.path) for _ in range(2)] == [2, 2]
    assert daily_copies(host.journal.path) == {}
    assert [path.name.count(".before.") for path in (tmp_path / "backups").iterdir()] == [1]


def test_who_goes_back_after_all_is_told_what_was_played_meanwhile(host, sack, copied):
    aside = restore(copied, host.journal.path, "before", exactly=True).aside
    house = Host(Journal(host.journal.path))
    house.table(sack.session.id).submit(Rolled((2, 3)), Origin("other-course"))
    house.journal.close()
    with pytest.raises(BadInput, match="1 entry that was recorded here"):
        restore(aside, host.journal.path, "again")


def test_a_restore_that_was_broken_off_is_finished_by_who_comes_next(host, copied, monkeypatch):
    monkeypatch.setattr("companion.journal.restore.finish", lambda _journal: None)
    restore(copied, host.journal.path, "before", exactly=True)
    monkeypatch.undo()
    with claim(host.journal.path.parent):
        assert entries(host.journal.path) == 2
    assert entries(Path(f"{host.journal.path}.before")) == 10


def test_an_entry_that_only_the_log_holds_stays_in_the_tail(host, sack, monkeypatch):
    tap(sack)
    monkeypatch.setattr(host.journal, "settle", lambda: False)  # somebody reads and reads
    assert DailyCopies(host.journal).look()
    assert sum(line.seq > 0 for line in host.journal.tail.lines()) == 2


def test_nobody_else_may_take_the_lock(tmp_path):
    (tmp_path / "in-use").touch(mode=0o644)
    with claim(tmp_path):
        assert (tmp_path / "in-use").stat().st_mode & 0o077 == 0


def test_the_command_names_the_flag(host, copied, tmp_path):
    host.journal.path.unlink()
    shutil.rmtree(tmp_path / "backups")
    command = (sys.executable, "-m", "companion", "restore", str(copied), "--data", str(tmp_path))
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "--incomplete" in refused.stderr
    done = subprocess.run((*command, "--incomplete"), capture_output=True, text=True, check=True)
    assert "2 entries that were recorded after the copy were left out, and are kept aside." in done.stdout
