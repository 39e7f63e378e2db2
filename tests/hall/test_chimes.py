"""What the staff have tables ring: for one minute, at the tables that were chosen, and once for each ring."""

import pytest

from companion.errors import BadInput
from companion.hub.chimes import NEWS_US
from companion.hub.record import HubRecord
from companion.letters.offer import Chime
from tests.hall.databases import on_both
from tests.hall.letters import KEY, NOON_US, OTHER_KEY
from tests.hall.test_record import Now, enrol

pytestmark = on_both


@pytest.fixture
def now():
    return Now()


@pytest.fixture
def record(tmp_path, now):
    record = HubRecord(tmp_path / "hub", now)
    enrol(record)
    enrol(record, OTHER_KEY, "Table 2")
    yield record
    record.close()


def test_the_tables_that_were_chosen_ring(record):
    record.chimes.ring([KEY.id], "begins")
    chime = record.chimes.of(KEY.id)
    assert (chime.what, record.chimes.of(KEY.id)) == ("begins", chime)
    assert record.chimes.of(OTHER_KEY.id) is None


def test_a_later_ring_is_another_one(record):
    record.chimes.ring([KEY.id, OTHER_KEY.id], "five minutes")
    first = record.chimes.of(KEY.id)
    record.chimes.ring([KEY.id], "five minutes")
    assert record.chimes.of(KEY.id).id != first.id
    assert record.chimes.of(OTHER_KEY.id).what == "five minutes"


@pytest.mark.parametrize(("later_us", "rings"), [(0, True), (NEWS_US - 1, True), (NEWS_US, False), (-1, False)])
def test_a_table_that_was_away_rings_nothing_that_is_no_longer_true(record, now, later_us, rings):
    record.chimes.ring([KEY.id], "begins")
    now.us = NOON_US + later_us
    assert isinstance(record.chimes.of(KEY.id), Chime) == rings
    assert record.chimes.newest()[KEY.id].given_us == NOON_US


@pytest.mark.parametrize(
    ("tables", "what", "said"),
    [
        ([KEY.id], "nonsense", "Choose what"),
        ([], "begins", "Choose a table"),
        ([KEY.id, "x" * 64], "begins", "isn't here"),
    ],
)
def test_what_cannot_be_rung_rings_nowhere(record, tables, what, said):
    with pytest.raises(BadInput, match=said):
        record.chimes.ring(tables, what)
    assert record.chimes.newest() == {}


def test_a_table_without_a_key_is_rung_no_more(record):
    record.revoke(KEY.id)
    with pytest.raises(BadInput, match="isn't here"):
        record.chimes.ring([KEY.id, OTHER_KEY.id], "begins")
    assert record.chimes.newest() == {}
