"""A journal of an older companion is copied before it is brought up to date, and people are told first."""

import sqlite3
from contextlib import closing

import pytest

from companion.journal import backup
from companion.journal.backup import copy_older, verified
from companion.journal.data_folder import JOURNAL, journal_in
from companion.journal.files import other_journals
from companion.journal.schema import VERSION
from tests.older import age


@pytest.fixture
def journal(host, sack, tmp_path):
    """The closed journal of an older companion, with a game."""
    host.close()
    age(tmp_path / JOURNAL, VERSION - 1)
    return tmp_path / JOURNAL


def version_in(path):
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA user_version").fetchone()[0]


def test_it_is_told_and_copied_before_anything_changes(journal):
    told = []

    def tell(sentence):
        told.append((sentence, version_in(journal), list(journal.parent.glob("backups/*"))))

    copy = copy_older(journal, tell)
    ((sentence, version, copies),) = told
    assert str(copy) in sentence
    assert (version, copies) == (VERSION - 1, [])
    assert version_in(copy) == VERSION - 1
    assert verified(copy).games == 1
    assert copy in other_journals(journal)  # Who is deleted later is deleted there, too.


def test_what_needs_no_change_is_not_copied(tmp_path, host):
    assert copy_older(tmp_path / JOURNAL, pytest.fail) is None
    assert copy_older(tmp_path / "no journal", pytest.fail) is None
    (tmp_path / "nonsense").write_bytes(b"no database " * 500)
    assert copy_older(tmp_path / "nonsense", pytest.fail) is None


def test_a_second_time_takes_another_name(journal):
    first = copy_older(journal, lambda _: None)
    before = first.read_bytes()
    second = copy_older(journal, lambda _: None)
    assert first != second
    assert first.read_bytes() == before


def test_without_room_it_says_so_and_goes_on(journal, monkeypatch):
    monkeypatch.setattr(backup, "room_wanted", lambda _journal: 40)
    told = []
    assert copy_older(journal, told.append) is None
    assert told[1] == "The disk has no room for that copy, so there is none. Free up 40 MB for the next time."
    assert not list(journal.parent.glob("backups/*"))


def test_a_command_that_opens_it_copies_it_too(journal, caplog):
    journal_in(journal.parent).close()
    assert version_in(journal) == VERSION
    (copy,) = journal.parent.glob("backups/before-*.sqlite3")
    assert version_in(copy) == VERSION - 1
    assert str(copy) in caplog.text
