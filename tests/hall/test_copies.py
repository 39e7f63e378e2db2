"""The copies of a hub's record: whole while it is written, missed aloud, and put back."""

import contextlib
import os
import sqlite3

import pytest

from companion.errors import BadInput, JournalUnusable
from companion.hub import copies as copies_module
from companion.hub.copies import BEFORE, Copies, put_back
from companion.hub.record import HubRecord
from companion.journal.data_folder import HUB_RECORD
from tests.hall.letters import KEY, QUICK, chain_of, ranks_of
from tests.hall.test_record import enrol, take


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub")
    yield record
    record.close()


@pytest.fixture
def stick(tmp_path):
    (tmp_path / "stick").mkdir()
    return tmp_path / "stick"


@pytest.fixture
def copies(record, tmp_path, stick):
    copies = Copies(tmp_path / "hub" / HUB_RECORD, stick)
    yield copies
    copies.close()


def test_a_copy_has_what_is_in_the_write_ahead_log_and_is_one_file(record, copies, tmp_path, stick):
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    assert (tmp_path / "hub" / f"{HUB_RECORD}-wal").stat().st_size > 0
    copies.copy()
    assert (copies.trouble(), [path.name for path in stick.iterdir()]) == ("", [HUB_RECORD])
    assert stick.joinpath(HUB_RECORD).stat().st_mode & 0o077 == 0
    assert (
        stick.joinpath(HUB_RECORD).read_bytes()[18:20] == b"\1\1"
    )  # Else it could not be read where nothing can be written.
    contents = put_back(stick, tmp_path / "new")
    assert (contents.tables, contents.games, contents.tournaments) == (1, 1, 0)
    with contextlib.closing(HubRecord(tmp_path / "new")) as again:
        assert (again.key.id, again.games()) == (record.key.id, record.games())


def test_nothing_new_is_not_copied_again_and_the_copy_before_stays(record, copies, stick):
    copies.copy()
    first = stick.joinpath(HUB_RECORD).stat().st_ino
    copies.copy()
    assert stick.joinpath(HUB_RECORD).stat().st_ino == first
    enrol(record)
    copies.copy()
    assert stick.joinpath(HUB_RECORD).stat().st_ino != first
    assert stick.joinpath(BEFORE).stat().st_ino == first


def test_a_stick_that_is_pulled_out_is_said_and_comes_back(record, copies, stick, tmp_path):
    copies.copy()
    stick.rename(tmp_path / "pulled")
    copies.copy()
    assert "There's no copy of the hub since" in copies.trouble()
    assert "plug the stick in again" in copies.trouble()
    (tmp_path / "pulled").rename(stick)
    copies.copy()
    assert copies.trouble() == ""


def test_an_empty_folder_where_a_stick_was_is_no_stick(copies, stick, monkeypatch):
    """A stick that is pulled out leaves its mount point, on the hub's own disk."""
    copies._device += 1
    copies.copy()
    assert "plug the stick in again" in copies.trouble()
    assert list(stick.iterdir()) == []


def test_a_disk_that_takes_no_copy_is_said_and_the_last_copy_stays(record, copies, stick, monkeypatch):
    copies.copy()
    enrol(record)

    def full(_part, _target):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(copies_module, "give_place", full)
    copies.copy()
    assert "No space left on device" in copies.trouble()
    assert [path.name for path in stick.iterdir()] == [HUB_RECORD]


def test_a_copy_of_another_hub_is_never_overwritten(copies, stick, tmp_path):
    copies.copy()
    HubRecord(tmp_path / "other").close()
    with pytest.raises(BadInput, match="copy of another hub"):
        Copies(tmp_path / "other" / HUB_RECORD, stick)


@pytest.mark.parametrize("where", ["missing", "hub"])
def test_a_folder_that_cannot_keep_copies_is_one_sentence(record, tmp_path, where):
    with pytest.raises(BadInput):
        Copies(tmp_path / "hub" / HUB_RECORD, tmp_path / where)


def test_where_a_record_is_nothing_is_put_back(record, copies, stick, tmp_path):
    copies.copy()
    enrol(record)
    with pytest.raises(BadInput, match="has a hub's record already"):
        put_back(stick, tmp_path / "hub")
    assert [table["id"] for table in record.tables()] == [KEY.id]


def test_a_damaged_record_is_taken_for_no_new_hubs(record, copies, stick, tmp_path):
    copies.copy()
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / HUB_RECORD).write_bytes(b"nonsense" * 1000)
    with pytest.raises(BadInput, match="has a hub's record already"):
        put_back(stick, damaged)
    assert (damaged / HUB_RECORD).exists()


def test_a_folder_without_a_copy_is_one_sentence(tmp_path, stick):
    with pytest.raises(BadInput, match="no copy of a hub"):
        put_back(stick, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_of_a_broken_copy_the_one_before_is_put_back(record, copies, stick, tmp_path):
    enrol(record)
    copies.copy()
    record.new_code()
    copies.copy()
    whole = stick.joinpath(HUB_RECORD).read_bytes()
    stick.joinpath(HUB_RECORD).write_bytes(whole[: len(whole) // 2])
    assert put_back(stick, tmp_path / "new").tables == 1
    stick.joinpath(BEFORE).write_bytes(b"nonsense" * 1000)
    with pytest.raises(JournalUnusable, match="No copy"):
        put_back(stick, tmp_path / "third")
    assert sqlite3.connect(tmp_path / "new" / HUB_RECORD).close() is None
    assert [path.name for path in (tmp_path / "third").iterdir()] == []
