"""What left-over boxes mean to Pack & Stack, with readings made by hand; the worked case is PS-E04's roll."""

from dataclasses import replace

import pytest

from companion.game.readings import DiceReading, Kind, LoadReading, SquareReading, TruckReading
from companion.game.seeing import Remark
from companion.games.pack_and_stack import camera
from companion.games.pack_and_stack.events import Loaded
from companion.games.pack_and_stack.loads import NONE
from companion.games.pack_and_stack.options import Deck
from companion.games.pack_and_stack.rules import apply
from tests.games.test_pack_and_stack import DICE, SMALL, rolled, with_trucks


def reading(outside, *trucks):
    return LoadReading(640, 480, outside, 0.99, True, trucks)


def truck(*rows, number=1):
    """The card with that number seen from above: # is a covered square."""
    cells = tuple(tuple(SquareReading(square == "#", None, True) for square in row) for row in rows)
    return TruckReading(cells, number)


@pytest.fixture
def loading():
    """A small truck holds 12 of the volume 22 that each player rolled."""
    return with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL)


def test_loads_are_looked_for_while_players_load_and_dice_never(loading):  # PS-05: these dice have no pips.
    assert camera.eyes(rolled()).above is None
    eyes = camera.eyes(loading)
    assert eyes.above is Kind.LOAD
    card = {"columns": 2, "rows": 2, "levels": 3, "loading_area_row_col": [[1, 1], [1, 1]]}
    rolled_counts = {str(size): count for size, count in enumerate(DICE, start=1)}
    assert eyes.knows["truck_cards"] == [{"number": number, **card, "rolled": rolled_counts} for number in (1, 2, 3)]


def test_the_truck_of_who_has_finished_keeps_its_place_in_the_order(loading):
    state = apply(apply(loading, Loaded("B", (0, 0, 0, 0, 2))), Loaded("A", (0, 0, 0, 0, 2)))
    cards = camera.eyes(state).knows["truck_cards"]
    assert [(card["number"], card.get("finished"), "rolled" in card) for card in cards] == [
        (1, 2, False),
        (2, 1, False),
        (3, None, True),
    ]


def test_left_overs_are_the_first_players_and_the_others_one_tap_away(loading):  # PS-45
    proposed = camera.propose(loading, reading({5: 2}))
    assert proposed.event == Loaded("A", (0, 0, 0, 0, 2))
    assert proposed.confirm
    assert [event for _, event in proposed.instead] == [Loaded("B", (0, 0, 0, 0, 2)), Loaded("C", (0, 0, 0, 0, 2))]


def test_a_load_that_was_only_just_taken_from_the_box_is_not_asked_about(loading):  # PS-40
    rolled = {size: count for size, count in enumerate(DICE, start=1) if count}
    assert camera.propose(loading, reading(rolled, truck("..", ".."))) is None
    assert camera.propose(loading, reading(rolled)) is None  # no truck is in view
    assert isinstance(camera.propose(loading, reading(rolled, truck("#.", ".."))), Remark)  # There is a box too many.


def test_the_loss_is_said_before_anybody_agrees(loading):  # PS-52: capacity 12 + 2 · 22 − 3 · 12 = 20
    assert "loss 20" in camera.propose(loading, reading({5: 2})).note


def test_a_box_that_must_be_there_and_is_not_seen_is_looked_for(loading):
    assert "I can't see" not in camera.propose(loading, reading({5: 2})).note
    hidden = replace(reading({5: 2}), outside_accepted=False, hidden=1)
    assert "loss 20" in camera.propose(loading, hidden).note
    assert "I can't see 1 of them" in camera.propose(loading, hidden).note


def test_where_the_camera_is_unsure_one_box_more_or_fewer_is_one_tap_away(loading):  # PS-45, PS-50
    seen = reading({5: 2})
    assert not [label for label, _event in camera.propose(loading, seen).instead if "of size" in label]
    instead = dict(camera.propose(loading, replace(seen, outside_accepted=False)).instead)
    counts = {event.unloaded for label, event in instead.items() if "of size" in label}
    rolled = tuple(DICE)
    assert all(all(0 <= left <= most for left, most in zip(each, rolled, strict=True)) for each in counts)
    assert all(sum(abs(a - b) for a, b in zip(each, (0, 0, 0, 0, 2), strict=True)) == 1 for each in counts)
    assert counts  # the truck holds 12 of the 22 that were rolled: at least 10 stay, and one box more may


@pytest.mark.parametrize(
    ("outside", "words"),
    [
        ({}, "holds 12"),  # PS-50: volume 22 does not go in
        ({5: 3}, "can't be left over"),  # more than were rolled
        ({4: 1, 5: 2}, "can't be left over"),
        ({7: 1}, "No box here is 7 long"),
    ],
)
def test_what_cannot_be_is_said(loading, outside, words):
    remark = camera.propose(loading, reading(outside))
    assert isinstance(remark, Remark)
    assert words in remark.text


def test_covered_squares_must_hold_what_is_not_left_over(loading):  # PS-42: 12 units are 3 high on four squares
    assert camera.propose(loading, reading({5: 2}, truck("##", "##"))).event == Loaded("A", (0, 0, 0, 0, 2))
    remark = camera.propose(loading, reading({5: 2}, truck("##", "#.")))
    assert "3 squares are covered" in remark.text


def test_with_several_trucks_in_view_one_of_them_must_hold_the_players_boxes(loading):  # PS-42
    full, empty = truck("##", "##", number=2), truck("..", "..")
    second = camera.propose(loading, reading({5: 2}, empty, full))
    assert second.event == Loaded("B", (0, 0, 0, 0, 2))
    assert second.which  # nobody says whose truck lies where
    assert [event.player for _, event in second.instead] == ["A", "C"]
    remark = camera.propose(loading, reading({5: 2}, empty, empty))
    assert isinstance(remark, Remark)
    assert "0 squares are covered" in remark.text


def test_only_a_load_that_the_camera_is_sure_of_on_the_players_own_truck_may_count_by_itself(loading):  # PS-40
    seen = reading({5: 2}, truck("##", "##"))
    assert camera.propose(loading, seen).patience_s == 0  # It may be A's, B's or C's.
    left = apply(apply(loading, Loaded("B", (0, 0, 0, 0, 2))), Loaded("C", (0, 0, 0, 0, 2)))
    assert camera.propose(left, seen).patience_s == camera.PATIENCE_S
    for unsure in (
        replace(seen, outside_accepted=False),
        replace(seen, hidden=1),
        replace(seen, trucks=()),  # whose boxes they are nobody sees
        replace(seen, trucks=(truck("##", "##", number=2),)),  # B's truck, which nobody has taken away
    ):
        assert camera.propose(left, unsure).patience_s == 0


def test_a_truck_stands_for_its_player_though_another_has_finished(loading):  # PS-42
    state = apply(loading, Loaded("A", (0, 0, 0, 0, 2)))  # A takes the truck away and C's comes there, B's stays
    proposed = camera.propose(state, reading({5: 2}, truck("..", "..", number=3), truck("##", "##", number=2)))
    assert {proposed.event.player, *(event.player for _, event in proposed.instead)} == {"B", "C"}
    assert proposed.event.player == "B"


def test_a_load_just_taken_from_the_box_is_none_though_a_finished_truck_is_full(loading):  # PS-40
    state = apply(loading, Loaded("A", (0, 0, 0, 0, 2)))
    taken = {size: count for size, count in enumerate(DICE, start=1) if count}
    assert camera.propose(state, reading(taken, truck("##", "##"), truck("..", "..", number=2))) is None


def test_a_full_load_is_asked_about_too():  # PS-40: it may be another player's, or that of one who has finished
    state = with_trucks(truck_deck=Deck.OWN, own_trucks=SMALL, dice=(2, 2, 2, 0, 0))  # 12 units, as the truck holds
    assert camera.propose(state, reading({}, truck("##", "##"))).confirm
    assert camera.propose(state, reading({})).confirm
    finished = apply(state, Loaded("A", NONE))
    assert camera.propose(finished, reading({}, truck("##", "##"))).confirm  # it may be A's still


def test_who_has_loaded_is_not_asked_again(loading):
    state = apply(loading, Loaded("A", (0, 0, 0, 0, 2)))
    assert camera.propose(state, reading({5: 2})).event == Loaded("B", (0, 0, 0, 0, 2))


def test_nothing_else_means_anything():
    assert camera.propose(rolled(), reading({5: 2})) is None
    assert camera.propose(rolled(), DiceReading(640, 480, ())) is None
