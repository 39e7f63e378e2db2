"""What tables say of themselves: what of it is believed, and how long it holds."""

import datetime
import json

import pytest

from companion.changes import Live, news
from companion.errors import BadInput, NotAllowed
from companion.hub.hall import HALL, HOLDS_US, MOST_UNSIGNED, Hall
from companion.letters.live import MOST_BYTES, read_report, sign_report
from tests.hall.letters import KEY, NOON_US, OTHER_KEY, public_of

SECOND_US = 1_000_000


def iso(at_us):
    return datetime.datetime.fromtimestamp(at_us / 1e6, datetime.UTC).isoformat()


def said(at_us=NOON_US, key=KEY, **more):
    """A state of a table as `companion/app/service/whole_table.py` makes it."""
    state = {
        "session": "game-1", "game": "sack_stackers", "entry": 12, "over": False, "asks": 0, "clock": None,
        "seats": [{"player": "seat 1", "points": 7, "turn": True}, {"player": "seat 2", "points": 4, "turn": False}],
        "health": {"camera": "ok"}, "name": "Table 1", "sure": True, "at": iso(at_us), "until": iso(at_us + HOLDS_US),
        **more,
    }  # fmt: skip
    return sign_report(key, state) if key else state


def as_bytes(state):
    return json.dumps(state).encode()


class Now:
    us = NOON_US

    def __call__(self):
        return self.us


@pytest.fixture
def now():
    return Now()


@pytest.fixture
def live():
    return Live()


@pytest.fixture
def hall(live, now):
    return Hall(public_of, live, now)


def hear(hall, state, topic="a1", is_retained=False):
    hall.hear(topic, as_bytes(state), is_retained=is_retained)


def test_what_an_enrolled_table_says_is_shown(hall, live, now):
    seen = live.counts
    hear(hall, said())
    heard = hall.all()[KEY.id]
    assert [(seat.player, seat.points, seat.turn) for seat in heard.report.seats] == [
        ("seat 1", 7, True),
        ("seat 2", 4, False),
    ]
    assert (heard.is_signed, heard.silent_us(now.us)) == (True, None)
    assert news((HALL,), seen, live.counts) == [HALL]


def forged(state):
    return {**state, "seats": [{"player": "seat 1", "points": 700}]}


def renamed(state):
    return {**state, "name": "Table 2"}


@pytest.mark.parametrize(
    "change",
    [forged, renamed, lambda state: {**state, "signature": "00" * 64}, lambda state: {**state, "signature": ""}],
)
def test_what_was_changed_after_it_was_signed_is_not_shown(hall, change):
    hear(hall, said())
    hear(hall, change(said(NOON_US + SECOND_US)))
    assert hall.all()[KEY.id].report.seats[0].points == 7
    with pytest.raises(NotAllowed):
        read_report(as_bytes(change(said())), public_of)


def test_the_key_of_a_stranger_is_not_shown(hall):
    hear(hall, said(key=OTHER_KEY))
    assert hall.all() == {}


def test_a_letters_signature_is_none_of_a_state(hall):
    """A signature says what it was made for."""
    state = {**said(), "signature": ""}
    naked = json.dumps(
        {name: value for name, value in state.items() if name != "signature"}, sort_keys=True, separators=(",", ":")
    )
    hear(hall, {**state, "signature": KEY.sign(naked.encode()).hex()})
    assert hall.all() == {}


def test_a_table_without_a_key_is_told_from_the_others(hall):
    hear(hall, said(key=None))
    (heard,) = hall.all().values()
    assert (heard.id, heard.is_signed) == ("~a1", False)
    hear(hall, said(NOON_US + SECOND_US))  # it was enrolled meanwhile
    assert list(hall.all()) == [KEY.id]


def test_tables_without_a_key_fill_no_memory(hall):
    for number in range(MOST_UNSIGNED + 5):
        hear(hall, said(key=None), topic=f"t{number}")
    assert len(hall.all()) == MOST_UNSIGNED
    hear(hall, said())
    assert KEY.id in hall.all()


def test_an_older_state_that_is_sent_again_changes_nothing(hall, now):
    old = said(entry=3)
    hear(hall, old)
    now.us += SECOND_US
    hear(hall, said(now.us, entry=4))
    hear(hall, old)
    assert hall.all()[KEY.id].report.entry == 4


def test_after_its_until_a_table_is_silent(hall, now):
    hear(hall, said())
    now.us += HOLDS_US
    assert hall.all()[KEY.id].silent_us(now.us) is None
    now.us += SECOND_US
    assert hall.all()[KEY.id].silent_us(now.us) == NOON_US


def test_what_a_broker_had_kept_is_as_old_as_it_is(hall, now):
    now.us += 2 * HOLDS_US
    hear(hall, said(NOON_US), is_retained=True)
    assert hall.all()[KEY.id].silent_us(now.us) == NOON_US


def test_a_table_whose_clock_is_wrong_is_not_silent(hall, now):
    hear(hall, said(NOON_US - 10 * HOLDS_US, sure=False))
    assert hall.all()[KEY.id].silent_us(now.us) is None
    now.us += HOLDS_US + SECOND_US
    assert hall.all()[KEY.id].silent_us(now.us) == NOON_US


def test_a_clock_is_counted_by_the_hubs_own(hall):
    """The table's clock is ten seconds ahead, its round ends in half a minute."""
    ahead_us = NOON_US + 10 * SECOND_US
    hear(hall, said(ahead_us, clock=iso(ahead_us + 30 * SECOND_US)))
    assert hall.all()[KEY.id].zero_us == NOON_US + 30 * SECOND_US


def test_a_table_that_left_is_silent_at_once(hall, now):
    hear(hall, said())
    now.us += 5 * SECOND_US
    hear(hall, said(now.us, left=True))
    assert hall.all()[KEY.id].silent_us(now.us) == now.us
    now.us += SECOND_US
    hear(hall, said(now.us))
    assert hall.all()[KEY.id].silent_us(now.us) is None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"null", b"[]", b"{}", b"\xff", b"[" * 9999, b"{" * 9999, as_bytes({**said(key=None), "until": "soon"}),
        as_bytes({**said(key=None), "until": "2026-11-26T18:00:00"}), as_bytes({**said(key=None), "asks": -1}),
        as_bytes({**said(key=None), "until": "0001-01-01T00:00:00+23:00"}),
        as_bytes({**said(key=None), "seats": [{"player": "x", "points": 10**30}]}),
        as_bytes({**said(key=None), "name": "x" * MOST_BYTES}), b'{"entry": ' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_nonsense_is_refused_and_ignored(hall, data):
    hear_raw = hall.hear("a1", data, is_retained=False)
    assert (hear_raw, hall.all()) == (None, {})
    with pytest.raises(BadInput):
        read_report(data, public_of)


def test_newer_tables_may_say_more(hall):
    hear(hall, said(weather="sunny"))
    assert KEY.id in hall.all()
