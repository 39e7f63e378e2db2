"""The pages of Sack Stackers: what they say and what their taps do."""

from dataclasses import replace

from companion.game.players import Viewer
from companion.game.widgets import Choice, DiceRow, Grid, Headline, Notice, PictureChoice, Track, Variants, after_taps
from companion.games.sack_stackers import GAME
from companion.games.sack_stackers.events import Coal, Mark, Placed, Unplaced, When
from companion.games.sack_stackers.options import BOXES, Options, Range
from companion.games.sack_stackers.rules import apply, start
from companion.games.sack_stackers.state import Sheet, State


def game(dice, sheet: Sheet | None = None, **options) -> State:
    """Ann's turn, with these dice."""
    return replace(start(Options(**options), ("A",)), dice=dice, sheets={"A": sheet or Sheet()})


def page(state: State, draft=None):
    return GAME.pages.view(state, Viewer("A", {"A": "Ann"}, draft or {}))


def of(kind, widgets):
    return [widget for widget in widgets if isinstance(widget, kind)]


def taps(widgets):
    """What can be tapped on a page: label → tap."""
    found = {tap.label: tap for choice in of(Choice, widgets) for tap in choice.taps if not tap.refused}
    found |= {each.tap.label: each.tap for choice in of(PictureChoice, widgets) for each in choice.pictures if each.tap}
    return found | {
        cell.tap.label: cell.tap for grid in of(Grid, widgets) for row in grid.rows for cell in row if cell.tap
    }


def tapped(state: State, *labels, draft=None):
    """The draft after these taps, as the tablet keeps it."""
    draft = dict(draft or {})
    for label in labels:
        draft = after_taps(draft, taps(page(state, draft))[label])
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
    draft = tapped(state, "First die +1", "First die −1")
    (circles,), (row,) = of(Track, page(state, draft)), of(DiceRow, page(state, draft))
    assert circles.pending == 2
    assert row.dice[0].note == "changed to 3"
    draft = tapped(state, "Section 3, I", "Coal into column 5", draft=draft)  # SS-23: this is the second circle.
    assert confirmed(state, draft) == Placed("A", 1, 3, "I", "I", 3, (Mark(1, 1), Mark(1, -1)), (Coal(5),))


def test_altering_is_taken_back_in_one_tap():  # SS-20
    state = game((3, 4))
    assert "As we rolled it" not in taps(page(state))
    assert tapped(state, "First die +1", "Second die −1", "First die +1", "As we rolled it") == {}


def test_no_more_than_ten_circles_can_be_tapped():  # SS-22
    state = game((3, 3), Sheet(circles=8))
    draft = tapped(state, "First die +1", "First die −1")
    assert not [label for label in taps(page(state, draft)) if label.startswith(("First", "Second"))]
    assert "As we rolled it" in taps(page(state, draft))


def test_a_correction_begins_with_the_circles_that_were_recorded():  # SS-25
    state = game((3, 3))
    event = Placed("A", 1, 4, "I", "I", 3, (Mark(1, 1), Mark(2, 1), Mark(2, -1)), (Coal(5),))
    apply(state, event)
    draft = GAME.pages.drafted(state, event)
    assert headline(state, draft)[0] == "Drop it here?"
    assert confirmed(state, draft) == event


def test_a_strict_table_offers_no_circle_that_leads_out_of_one_to_six():  # SS-24
    assert "First die −1" not in taps(page(game((1, 3), altered_range=Range.STRICT)))
    assert "First die −1" in taps(page(game((1, 3))))


def test_circles_that_no_longer_fit_are_said_and_left_out():  # SS-24
    state, stale = game((1, 3), altered_range=Range.STRICT), {"marks": "1 -1"}  # the roll was corrected since
    assert "between 1 and 6" in of(Notice, page(state, stale))[0].text
    assert confirmed(state, tapped(state, "Section 1, I", draft=stale)) == Placed("A", 1, 1, "I", "I", 3)


def test_altered_dice_that_lead_nowhere_have_to_be_altered_again():  # SS-14, SS-32
    used = Sheet(("", "", "CCCCCC", "", "", ""), frozenset((6, box) for box in BOXES))
    state = game((3, 4), used)
    draft = tapped(
        state, "Second die −1"
    )  # 3 and 3: column 3 is full, and a gift fits with the dice as they were rolled
    why = "No gift fits the changed dice. Change them again, or play them as we rolled them."
    assert headline(state, draft) == ("Nothing fits", why)
    assert confirmed(state, draft) is None
    assert {tap.refused for choice in of(Choice, page(state, draft)) for tap in choice.taps} == {"", why}
    assert not [label for label in taps(page(state, draft)) if label.startswith(("Section", "Coal"))]
    assert headline(state, tapped(state, "First die +1", draft=draft)) == (
        "Choose a gift",
        "Take a gift from section 3 and drop it in column 4. Or drop coal first: tap a column of your sack.",
    )


# coal before the gift


ONE_SQUARE = Sheet(("CCCCCC", "CCCCC", *("CCCCCC",) * 4))  # It is left in column 2.


def test_coal_for_circles_may_fall_before_a_box_is_chosen():  # SS-33
    state = game((1, 4), Sheet(("", "", "", "", "", "T")))
    draft = tapped(state, "Second die +1", "Second die +1")
    assert headline(state, draft)[1].endswith("tap a column of your sack.")
    draft = tapped(state, "Coal into column 6", "Section 1, T", draft=draft)
    # SS-E02: the coal lies below the gift
    assert confirmed(state, draft) == Placed("A", 1, 1, "T", "T", 6, (Mark(2, 1),) * 2, (Coal(6, When.BEFORE),))
    (sack,) = (grid for grid in of(Grid, page(state, draft)) if grid.title == "Sack")
    assert [row[5].text for row in reversed(sack.rows)][:3] == ["T", "●", "T"]


def test_coal_may_fall_after_the_gift_as_well():  # SS-33, SS-E03
    state = game((1, 4), Sheet(("", "", "", "", "", "T")))
    draft = tapped(state, "Second die +1", "Second die +1", "Section 1, T", "Coal into column 6")
    assert confirmed(state, draft) == Placed("A", 1, 1, "T", "T", 6, (Mark(2, 1),) * 2, (Coal(6),))


def test_the_type_of_a_wild_gift_is_asked_after_coal_that_fell_first():  # SS-15, SS-33
    state = game((1, 4))
    draft = tapped(state, "Second die +1", "Second die +1", "Coal into column 5", "Section 1, wild", "The S gift")
    assert confirmed(state, draft) == Placed("A", 1, 1, "?", "S", 6, (Mark(2, 1),) * 2, (Coal(5, When.BEFORE),))


def test_after_a_wild_box_its_gift_is_asked_for_and_no_other_box():  # SS-15
    state = game((4, 5))
    confirm = of(Choice, page(state, tapped(state, "Section 5, wild")))[0].taps[0]
    assert (confirm.label, confirm.refused) == ("Choose the gift", "First tap which gift the wild box is.")


def test_the_coal_may_take_the_last_square_before_the_gift():  # SS-34, SS-E21
    state = game((1, 2), ONE_SQUARE)
    draft = tapped(state, "First die +1", "First die +1", "Coal into column 2")
    assert headline(state, draft) == ("Drop it here?", "No gift this turn.")
    event = confirmed(state, draft)
    assert event == Unplaced("A", (Mark(1, 1),) * 2, (Coal(2, When.BEFORE),))
    assert apply(state, event).ended
    assert confirmed(state, GAME.pages.drafted(state, event)) == event


def test_a_gift_on_the_last_square_asks_for_no_coal_that_has_no_place():  # SS-35
    state = game((1, 2), ONE_SQUARE)
    draft = tapped(state, "First die +1", "First die +1", "Section 3, I")
    assert headline(state, draft) == ("Drop it here?", "The gift fills the sack, so no more coal drops.")
    event = confirmed(state, draft)
    assert event == Placed("A", 1, 3, "I", "I", 2, (Mark(1, 1),) * 2)
    assert apply(state, event).ended


def test_coal_that_leaves_the_gift_no_place_brings_one_more():  # SS-30, SS-34
    state = game((3, 3), Sheet(("", "", "OTLSI", "", "", "")))
    draft = tapped(state, "First die +1", "First die −1", "Coal into column 3")
    assert headline(state, draft) == ("Nothing fits", "Drop 1. Tap a column of your sack.")
    draft = tapped(state, "Coal into column 1", draft=draft)
    assert confirmed(state, draft) == Unplaced("A", (Mark(1, 1), Mark(1, -1)), (Coal(3, When.BEFORE), Coal(1)))


def test_coal_that_was_tapped_before_the_gift_leaves_the_other_use_of_the_dice():  # SS-34
    state = game((1, 1), Sheet(("", "", "IIIII", "", "", "")))
    draft = tapped(state, "Second die +1", "Second die +1", "Coal into column 3")
    assert headline(state, draft) == ("Choose a gift", "Take a gift from section 3 and drop it in column 1.")
    assert not [label for label in taps(page(state, draft)) if label.startswith("Section 1")]


def test_what_cannot_be_confirmed_is_not_called_so():  # SS-34
    state = game((1, 1), Sheet(("", "", "IIIII", "", "", "")))
    draft = tapped(state, "Second die +1", "Second die +1", "Section 1, I", "Coal into column 4")
    draft = {**draft, "coal": "before 3"}  # of an entry that is corrected
    assert headline(state, draft) == ("Not like this", "Column 3 is full. Use the dice another way.")


def test_who_cannot_place_takes_the_coal():  # SS-32
    state = game((3, 3), Sheet(("", "", "CCCCCC", "", "", "")))
    assert headline(state, {}) == ("Nothing fits", "No gift fits. Drop 1 coal in a column, or change a die.")
    draft = tapped(state, "Coal into column 1")
    assert headline(state, draft) == ("Drop it here?", "No gift this turn.")
    assert confirmed(state, draft) == Unplaced("A", (), (Coal(1),))


def test_a_correction_leaves_out_what_the_dice_no_longer_give():
    state = game((1, 2))
    draft = GAME.pages.drafted(state, Placed("A", 1, 5, "I", "I", 6))  # the roll was corrected, and the table said so
    assert headline(state, draft)[0] == "Choose a gift"
    state = game((1, 2), Sheet(("", "", "CCCCCC", "", "", "")))
    draft = GAME.pages.drafted(state, Placed("A", 1, 1, "I", "I", 4, (Mark(2, 1),) * 2, (Coal(3),)))
    assert headline(state, draft)[0] == "Drop the coal"


# the wrappings


def test_every_sheet_has_the_five_wrappings_with_their_names_and_shapes():  # SS-03
    names = ("stripes", "dots", "stars", "bows", "bells")
    state = game((3, 4), pattern_map=tuple(zip(names, "IOTLS", strict=True)))
    for now in (state, replace(state, dice=None)):
        (wrappings,) = of(Variants, page(now))
        assert [each.title for each in wrappings.variants] == [
            "I: stripes",
            "O: dots",
            "T: stars",
            "L: bows",
            "S: bells",
        ]
        drawn = [
            "/".join("".join(cell.text or "." for cell in row) for row in each.rows) for each in wrappings.variants
        ]
        assert drawn == ["IIII", "OO/OO", ".T./TTT", "L./L./LL", ".SS/SS."]


def test_the_history_names_a_wrapping_that_the_table_named():  # SS-03
    event = Placed("A", 1, 3, "O", "O", 4)
    own = game((3, 4), pattern_map=(("horizontal stripes", "I"), ("dots", "O"), ("a", "T"), ("b", "L"), ("c", "S")))
    viewer = Viewer("A", {"A": "Ann"})
    assert GAME.pages.describe(own, event, viewer) == "Ann took the O (dots) gift from section 3 into column 4."
    assert GAME.pages.describe(game((3, 4)), event, viewer) == "Ann took the O gift from section 3 into column 4."


# the page of the whole table


def shared(state, draft=None, looks_on=False):
    return GAME.pages.view(state, Viewer(None, {"A": "Ann", "B": "Bob"}, draft or {}, looks_on))


def test_the_next_players_sheet_is_in_front_by_itself_on_the_tablet_that_all_share():
    state = replace(start(Options(), ("A", "B")), dice=(3, 5))
    assert of(Headline, shared(state))[0].title == "Ann: Choose a gift"
    draft = taps(shared(state))["Section 3, I"].draft
    (placed,) = [tap.event for tap in taps(shared(state, draft)).values() if tap.event]
    assert placed == Placed("A", 1, 3, "I", "I", 5)
    then = apply(state, placed)
    for left_over in ({}, draft):  # Ann has placed on another device, and her choice is still on this page
        page_of_bob = shared(then, left_over)
        assert of(Headline, page_of_bob)[0].title == "Bob: Choose a gift"
        assert not [tap for tap in taps(page_of_bob).values() if tap.event or tap.chosen]


def test_somebody_else_may_place_first_and_takes_no_choice_of_another_along():
    state = replace(start(Options(), ("A", "B")), dice=(3, 5))
    chosen = dict(taps(shared(state))["Section 3, I"].draft)
    other = taps(shared(state, chosen))["Bob"].draft
    draft = {name: value for name, value in {**chosen, **other}.items() if value}
    assert draft == {"who": "B"}
    assert of(Headline, shared(state, draft))[0].title == "Bob: Choose a gift"


def test_who_only_looks_on_sees_every_sack():
    state = replace(start(Options(), ("A", "B")), dice=(3, 5))
    assert [grid.title for grid in of(Grid, shared(state, looks_on=True))] == ["Ann", "Bob"]
    assert not taps(shared(state, looks_on=True))
