"""The pages of Sack Stackers: what they say and what their taps do."""

from dataclasses import replace

from companion.contract import Viewer
from companion.games.sack_stackers import interface
from companion.games.sack_stackers.rules import (
    Coal,
    Mark,
    Options,
    Placed,
    Range,
    Sheet,
    State,
    apply,
    start,
)
from companion.widgets import Choice, DiceRow, Grid, Headline, Notice, Track


def game(dice, sheet: Sheet | None = None, **options) -> State:
    """Ann's turn, with these dice."""
    return replace(start(Options(**options), ("A",)), dice=dice, sheets={"A": sheet or Sheet()})


def page(state: State, draft=None):
    return interface.view(state, Viewer("A", {"A": "Ann"}, draft or {}))


def of(kind, widgets):
    return [widget for widget in widgets if isinstance(widget, kind)]


def taps(widgets):
    """What can be tapped on a page: label → tap."""
    found = {tap.label: tap for choice in of(Choice, widgets) for tap in choice.taps if not tap.refused}
    return found | {
        cell.tap.label: cell.tap for grid in of(Grid, widgets) for row in grid.rows for cell in row if cell.tap
    }


def tapped(state: State, *labels, draft=None):
    """The draft after these taps, as the tablet keeps it."""
    draft = dict(draft or {})
    for label in labels:
        draft = {name: value for name, value in {**draft, **taps(page(state, draft))[label].draft}.items() if value}
    return draft


def headline(state: State, draft):
    (found,) = of(Headline, page(state, draft))
    return found.title, found.detail


def confirmed(state: State, draft):
    """The one event that the page would post, None while it refuses to."""
    events = [tap.event for tap in taps(page(state, draft)).values() if tap.event]
    assert len(events) <= 1
    return events[0] if events else None


# altering


def test_each_tap_of_plus_and_minus_marks_a_circle():  # SS-20, SS-25
    state = game((3, 3))
    draft = tapped(state, "First + 1", "First − 1")
    (circles,), (row,) = of(Track, page(state, draft)), of(DiceRow, page(state, draft))
    assert circles.pending == 2
    assert row.dice[0].note == "altered to 3"
    draft = tapped(state, "Section 3, I", "Coal into column 5", draft=draft)  # SS-23: the second circle of the game
    assert confirmed(state, draft) == Placed("A", 1, 3, "I", "I", 3, (Mark(1, 1), Mark(1, -1)), (Coal(5),))


def test_altering_is_taken_back_in_one_tap():  # SS-20
    state = game((3, 4))
    assert "Take the circles back" not in taps(page(state))
    assert tapped(state, "First + 1", "Second − 1", "First + 1", "Take the circles back") == {}


def test_no_more_than_ten_circles_can_be_tapped():  # SS-22
    state = game((3, 3), Sheet(circles=8))
    draft = tapped(state, "First + 1", "First − 1")
    assert not [label for label in taps(page(state, draft)) if label.startswith(("First", "Second"))]
    assert "Take the circles back" in taps(page(state, draft))


def test_a_correction_begins_with_the_circles_that_were_recorded():  # SS-25
    state = game((3, 3))
    event = Placed("A", 1, 4, "I", "I", 3, (Mark(1, 1), Mark(2, 1), Mark(2, -1)), (Coal(5),))
    apply(state, event)
    draft = interface.drafted(state, event)
    assert headline(state, draft)[0] == "Confirm"
    assert confirmed(state, draft) == event


def test_a_strict_table_offers_no_circle_that_leads_out_of_one_to_six():  # SS-24
    assert "First − 1" not in taps(page(game((1, 3), altered_range=Range.STRICT)))
    assert "First − 1" in taps(page(game((1, 3))))


def test_circles_that_no_longer_fit_are_said_and_left_out():  # SS-24
    state, stale = game((1, 3), altered_range=Range.STRICT), {"marks": "1 -1"}  # the roll was corrected since
    assert "between 1 and 6" in of(Notice, page(state, stale))[0].text
    assert confirmed(state, tapped(state, "Section 1, I", draft=stale)) == Placed("A", 1, 1, "I", "I", 3)
