"""Sack Stackers against its rule sheet; the ids stand beside each test."""

from dataclasses import replace
from itertools import product

import pytest

from companion.errors import IllegalEvent
from companion.game.players import Viewer
from companion.game.readings import Box, DiceReading, DieReading
from companion.game.seeing import Proposed, Remark
from companion.game.widgets import DiceRow
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.games.sack_stackers import GAME
from companion.games.sack_stackers.coal import coal_for_circles
from companion.games.sack_stackers.events import Coal, Mark, Placed, Rolled, Unplaced, When, YoungestNamed
from companion.games.sack_stackers.options import BOXES, Options, Overlap, Range
from companion.games.sack_stackers.rules import apply, legal, start
from companion.games.sack_stackers.scoring import explain, is_over, score, scoring_groups, winners
from companion.games.sack_stackers.state import Sheet, State, awaiting

FULL = ("CCCCCC",) * 6


def game(*players: str, dice=None, sheet: Sheet | None = None, **options) -> State:
    state = start(Options(**options), players or ("A",))
    sheets = dict.fromkeys(state.players, sheet or Sheet())
    return replace(state, dice=dice, sheets=sheets)


def test_all_boxes_squares_and_circles_are_empty_at_the_start():  # SS-02, SS-04, SS-05, SS-06
    assert game("A", "B").sheets == {"A": Sheet(), "B": Sheet()}
    assert score(game()) == {"A": 10}  # SS-45


def test_every_shape_belongs_to_one_wrapping():  # SS-03
    with pytest.raises(IllegalEvent, match="S once"):
        start(Options(pattern_map=(("stripes", "I"), ("a", "I"), ("b", "T"), ("c", "L"), ("d", "S"))), ("A",))


def test_the_dice_are_rolled_once_a_turn():  # SS-10
    with pytest.raises(IllegalEvent, match="already rolled"):
        apply(game(dice=(1, 2)), Rolled((3, 4)))


def test_a_gift_falls_onto_what_lies_in_the_column():  # SS-11, SS-12
    after = apply(game("A", "B", dice=(1, 4), sheet=Sheet(("", "", "", "TC", "", ""))), Placed("A", 1, 1, "I", "I", 4))
    assert after.sheets["A"] == Sheet(("", "", "", "TCI", "", ""), frozenset({(1, "I")}))


def test_each_player_decides_which_die_is_which():  # SS-13
    state = apply(game("A", "B", dice=(1, 4)), Placed("A", 1, 1, "I", "I", 4))
    state = apply(state, Placed("B", 2, 4, "O", "O", 1))
    assert [sheet.sack for sheet in state.sheets.values()] == [("", "", "", "I", "", ""), ("O", "", "", "", "", "")]


def test_a_marked_box_can_never_be_used_again():  # SS-14
    state = game(dice=(1, 4), sheet=Sheet(boxes=frozenset({(1, "I")})))
    with pytest.raises(IllegalEvent, match="already marked"):
        apply(state, Placed("A", 1, 1, "I", "I", 4))


def test_the_wild_box_takes_any_type_and_marks_no_second_box():  # SS-15
    after = apply(game(dice=(1, 4)), Placed("A", 1, 1, "?", "S", 4))
    assert after.sheets["A"].boxes == {(1, "?")}
    assert after.sheets["A"].sack[3] == "S"
    with pytest.raises(IllegalEvent, match="wild box"):
        apply(game(dice=(1, 4)), Placed("A", 1, 1, "O", "S", 4))


def test_an_altered_die_counts_only_for_that_player():  # SS-20
    state = game("A", "B", dice=(1, 4))
    state = apply(state, Placed("A", 1, 1, "I", "I", 5, (Mark(2, 1),)))
    assert state.dice == (1, 4)
    assert state.sheets["A"].circles == 1
    with pytest.raises(IllegalEvent, match="section 1 and column 4"):
        apply(state, Placed("B", 1, 1, "I", "I", 5))


def test_two_circles_with_no_net_effect_still_bring_a_coal():  # SS-21, SS-23, SS-25
    marks = (Mark(1, 1), Mark(1, -1))
    after = apply(game(dice=(1, 4)), Placed("A", 1, 1, "I", "I", 4, marks, (Coal(2),)))
    assert after.sheets["A"].sack == ("", "C", "", "I", "", "")
    with pytest.raises(IllegalEvent, match="Drop 1 coal this turn"):
        apply(game(dice=(1, 4)), Placed("A", 1, 1, "I", "I", 4, marks))


def test_ten_circles_in_a_game():  # SS-22
    with pytest.raises(IllegalEvent, match="Only 1 circle left"):
        apply(game(dice=(1, 1), sheet=Sheet(circles=9)), Placed("A", 1, 1, "I", "I", 3, (Mark(2, 1), Mark(2, 1))))


def test_a_die_altered_to_seven_places_nothing_and_costs_a_coal():  # SS-24
    after = apply(game(dice=(6, 2)), Unplaced("A", (Mark(1, 1),), (Coal(3),)))
    assert after.sheets["A"] == Sheet(("", "", "C", "", "", ""), circles=1)


@pytest.mark.parametrize(("die", "step", "number"), [(1, 1, 11), (2, 1, 8), (2, -1, "−4")])
def test_no_refusal_names_a_section_or_a_column_that_does_not_exist(die, step, number):  # SS-24
    marks = (Mark(die, step),) * 6  # of another roll, which was corrected to this one
    with pytest.raises(IllegalEvent, match=f"no section or column {number}"):
        apply(game(dice=(5, 2)), Placed("A", 1, 5, "I", "I", 3, marks, (Coal(6),) * 3))


def test_seven_is_one_where_the_table_wraps():  # SS-24
    after = apply(game(dice=(6, 2), altered_range=Range.WRAP), Placed("A", 1, 1, "T", "T", 2, (Mark(1, 1),)))
    assert after.sheets["A"].boxes == {(1, "T")}


def test_who_can_place_may_not_take_coal_instead():  # SS-32
    with pytest.raises(IllegalEvent, match="You can place a gift"):
        apply(game(dice=(1, 2)), Unplaced("A", (), (Coal(1),)))
    assert apply(game(dice=(1, 2), voluntary_coal=True), Unplaced("A", (), (Coal(1),))).sheets["A"].sack[0] == "C"


def test_who_cannot_place_takes_one_coal_but_may_alter_instead():  # SS-30, SS-32
    state = game(dice=(3, 3), sheet=Sheet(("", "", "CCCCCC", "", "", "")))
    assert apply(state, Unplaced("A", (), (Coal(1),))).sheets["A"].sack[0] == "C"
    assert apply(state, Placed("A", 1, 3, "I", "I", 4, (Mark(2, 1),))).sheets["A"].sack[3] == "I"


def test_coal_falls_before_or_after_the_gift_for_each_coal_separately():  # SS-31, SS-33
    marks = (Mark(2, 1),) * 4
    coal = (Coal(6, When.BEFORE), Coal(6, When.AFTER))
    after = apply(game(dice=(1, 2)), Placed("A", 1, 1, "T", "T", 6, marks, coal))
    assert after.sheets["A"].sack[5] == "CTC"


def test_coal_dropped_first_may_leave_no_place_for_the_gift():  # SS-34
    state = game(dice=(1, 1), sheet=Sheet(("", "", "IIIII", "", "", ""), circles=0))
    marks, coal = (Mark(2, 1), Mark(2, 1)), (Coal(3, When.BEFORE),)
    with pytest.raises(IllegalEvent, match="Column 3 is full"):
        apply(state, Placed("A", 1, 1, "T", "T", 3, marks, coal))
    # gift 3 into column 1 is still possible, so no coal instead
    with pytest.raises(IllegalEvent, match="You can place a gift"):
        apply(state, Unplaced("A", marks, (*coal, Coal(1))))


def test_the_coal_for_being_unable_is_not_what_makes_one_unable():  # SS-32, SS-34
    state = game(dice=(3, 3), sheet=Sheet(("", "", "OTLSI", "", "", "")))
    with pytest.raises(IllegalEvent, match="You can place a gift"):
        apply(state, Unplaced("A", (), (Coal(3, When.BEFORE),)))


def test_circles_coal_dropped_first_may_make_a_player_unable():  # SS-34
    state = game(dice=(3, 3), sheet=Sheet(("", "", "OTLSI", "", "", "")))
    marks = (Mark(1, 1), Mark(1, -1))
    after = apply(state, Unplaced("A", marks, (Coal(3, When.BEFORE), Coal(1))))
    assert after.sheets["A"].sack == ("C", "", "OTLSIC", "", "", "")


def test_in_a_full_sack_what_is_still_due_is_forfeited():  # SS-35, SS-E21
    almost = Sheet(("IIIIII", "IIIII", *FULL[2:]))
    state = game(dice=(2, 1), sheet=almost)
    after = apply(state, Unplaced("A", (Mark(1, 1), Mark(1, -1)), (Coal(2, When.BEFORE),)))
    assert after.sheets["A"].full
    assert after.ended


def test_the_others_finish_the_turn_in_which_a_sack_is_full():  # SS-50, SS-E20
    almost = Sheet(("IIIIII", "IIIII", *FULL[2:]))
    state = game("A", "B", "C", dice=(2, 2))
    state = replace(state, sheets={"A": almost, "B": almost, "C": Sheet()})
    state = apply(state, Placed("A", 1, 2, "T", "T", 2))
    assert awaiting(state) == {"B", "C"}
    state = apply(apply(state, Placed("B", 1, 2, "T", "T", 2)), Placed("C", 1, 2, "T", "T", 2))
    assert state.ended
    assert set(score(state)) == {"A", "B", "C"}
    with pytest.raises(IllegalEvent, match="over"):
        apply(state, Rolled((1, 2)))


def test_the_highest_total_wins_and_the_youngest_a_tie():  # SS-51, SS-E19
    state = replace(game("A", "B", "C"), ended=True)
    state = replace(state, sheets={"A": Sheet(), "B": Sheet(), "C": Sheet(circles=1)})
    assert winners(state) == ()
    assert not is_over(state)
    assert winners(apply(state, YoungestNamed(("B",)))) == ("B",)
    assert winners(apply(state, YoungestNamed(("A", "B")))) == ("A", "B")  # reading 8
    with pytest.raises(IllegalEvent, match="tied"):
        apply(state, YoungestNamed(("C",)))


def test_who_comes_into_the_tie_later_may_be_younger():  # SS-51
    state = replace(game("A", "B", "C"), ended=True)
    state = replace(state, sheets={"A": Sheet(), "B": Sheet(), "C": Sheet(circles=1)})
    state = apply(state, YoungestNamed(("A",)))
    state = apply(state, Ruling("C", 1, "a circle too many was marked"))
    assert winners(state) == ()
    assert YoungestNamed(("C",)) in legal(state, "A")
    assert winners(apply(state, YoungestNamed(("C",)))) == ("C",)


def test_who_leaves_the_tie_leaves_it_decided_while_the_youngest_is_in_it():  # SS-51
    state = apply(replace(game("A", "B", "C"), ended=True), YoungestNamed(("A",)))
    assert winners(apply(state, Ruling("C", -1, "coal miscounted"))) == ("A",)
    assert winners(apply(state, Ruling("A", -1, "coal miscounted"))) == ()  # of B and C nobody said who is younger


@pytest.mark.parametrize(
    ("sack", "kind", "number"),
    [
        (("", "LLL", "L", "", "", ""), "L", 1),
        (("L", "LLL", "", "", "", ""), "L", 1),  # turned over
        (("LLLL", "LLLL", "", "", "", ""), "L", 2),
        (("SS", "CSS", "", "", "", ""), "S", 1),
        (("TTTTTT", "CT", "", "", "", ""), "T", 1),
        (("IIII", "IIII", "IIII", "IIII", "", ""), "I", 4),
        (("OOOO", "OOOO", "OOOO", "OOOO", "OOOO", "OOOO"), "O", 6),
    ],
)
def test_groups_in_any_orientation_each_gift_once(sack, kind, number):  # SS-40, SS-41, SS-42
    assert len(scoring_groups(game(sheet=Sheet(sack)), "A")[kind]) == number


def test_the_switches_of_the_groups():  # SS-41, SS-42, SS-43
    five = Sheet(("I", "I", "I", "I", "I", ""))
    assert len(scoring_groups(game(sheet=five, overlap=Overlap.SHARED), "A")["I"]) == 2
    assert len(scoring_groups(game(sheet=five, exact_groups=True), "A")["I"]) == 0
    assert len(scoring_groups(game(sheet=Sheet(("L", "LLL", "", "", "", "")), mirror=False), "A")["L"]) == 0


def test_a_roll_counts_for_every_sheet():  # SS-10
    state = game("A", "B", dice=(3, 5))
    for player in ("A", "B"):
        rows = [widget for widget in GAME.pages.view(state, Viewer(player, {})) if isinstance(widget, DiceRow)]
        assert [face.value for face in rows[0].dice] == [3, 5]


def test_legal_offers_all_boxes_of_both_uses():  # SS-11, SS-13, SS-15
    unaltered = [event for event in legal(game(dice=(1, 2)), "A") if isinstance(event, Placed) and not event.marks]
    assert len(unaltered) == 2 * (len(BOXES) - 1 + 5)


def test_coal_that_takes_no_place_does_not_make_a_player_unable():  # SS-32, SS-34
    sheet = Sheet(("", "", "TTTTTT", "TTTTTT", "", ""))
    circles = (Mark(1, 1), Mark(2, 1))  # 2 and 3 become 3 and 4, whose columns were full before any coal
    coal = (Coal(6, When.BEFORE), Coal(5))
    with pytest.raises(IllegalEvent, match="Coal is only for players who can't"):
        apply(game(dice=(2, 3), sheet=sheet), Unplaced("A", circles, coal))
    nearly = replace(sheet, sack=("", "", "TTTTTT", "TTTTT", "", ""))
    filled = apply(game(dice=(2, 3), sheet=nearly), Unplaced("A", circles, (Coal(4, When.BEFORE), Coal(5))))
    assert filled.sheets["A"].sack[3:5] == ("TTTTTC", "C")


def test_a_column_that_is_higher_than_the_sack_takes_nothing():  # SS-12, SS-31
    sheet = Sheet(("C" * 7, "", "", "", "", ""))
    with pytest.raises(IllegalEvent, match="full"):
        apply(game(dice=(2, 1), sheet=sheet), Placed("A", 1, 2, "I", "I", 1))
    with pytest.raises(IllegalEvent, match="full"):
        apply(game(dice=(1, 1), sheet=sheet), Unplaced("A", (), (Coal(1),)))


# the camera


def die(value: int, accepted: bool = True) -> DieReading:
    return DieReading(value, 0, 0, 40, 40, 0, "white", 0.99, accepted, ((value, 0.99), (1, 0.01)))


def test_two_dice_at_rest_are_the_roll():
    reading = DiceReading(640, 480, (die(3), die(5)))
    assert GAME.sight.propose(game(), reading) == Proposed(Rolled((3, 5)), ("dice.0", "dice.1"))


def test_a_die_that_cannot_be_read_is_part_of_the_question():
    reading = DiceReading(640, 480, (die(3),), (Box(9, 9, 40, 40),))
    assert GAME.sight.propose(game(), reading) == Proposed(Rolled((3, 1)), ("dice.0", "dice.1"))


def test_three_dice_are_no_roll():
    assert isinstance(GAME.sight.propose(game(), DiceReading(640, 480, (die(3), die(5), die(6)))), Remark)


def test_a_die_that_was_not_rolled_with_the_other_is_said():  # SS-02
    remark = GAME.sight.propose(game(), DiceReading(640, 480, (die(3),), old=(die(5),)))
    assert remark == Remark("I see 1 new die but need 2. Roll both dice again, or tap the numbers yourself.")


def test_the_same_dice_nudged_are_no_second_roll():
    assert GAME.sight.propose(game(dice=(5, 3)), DiceReading(640, 480, (die(3), die(5)))) is None
    assert isinstance(GAME.sight.propose(game(dice=(5, 3)), DiceReading(640, 480, (die(3), die(6)))), Remark)


@pytest.mark.parametrize("rolled", [(5, 3), (3, 1)])
def test_in_a_turn_a_die_that_cannot_be_read_has_no_value(rolled):
    remark = GAME.sight.propose(game(dice=rolled), DiceReading(640, 480, (die(3),), (Box(9, 9, 40, 40),)))
    assert "show 3 and one I can't read" in remark.text


def test_the_scoring_box_has_groups_coal_circles_and_adds_up():  # SS-07, SS-46, SS-E13
    sheet = Sheet(("IIII", "OOC", "OOC", "TTT", "CTC", "LC"), circles=3)
    lines = explain(game(sheet=sheet), "A")
    assert [(points, rule) for _, points, rule in lines] == [(30, "SS-40"), (6, "SS-44"), (7, "SS-45")]
    assert score(game(sheet=sheet)) == {"A": 43}


def test_a_ruling_counts_and_may_decide_who_is_tied():
    state = replace(game("A", "B"), ended=True)
    after = apply(state, Ruling("B", 1, "Helped to count"))
    assert score(after) == {"A": 10, "B": 11}
    assert winners(after) == ("B",)
    named = apply(apply(state, YoungestNamed(("A",))), Ruling("B", 1, "Helped to count"))
    assert winners(named) == ("B",)
    with pytest.raises(IllegalEvent, match="A ruling needs a reason of 1 to"):
        apply(state, Ruling("B", 1, " "))


def test_each_box_says_what_its_gift_would_add():
    sheet = Sheet(("III", "", "", "", "", ""))
    state = game(dice=(2, 1), sheet=sheet)
    (boxes,) = (w for w in GAME.pages.view(state, Viewer("A", {"A": "Ann"})) if getattr(w, "title", "") == "Gifts")
    cells = [[cell.text for cell in row] for row in boxes.rows]
    # section 2 goes into column 1, where a fourth I makes a line; section 1 into column 2, where nothing does
    assert (cells[0][1], cells[1][1], cells[0][0]) == ("I +10", "O", "I")
    assert cells[BOXES.index("?")][1] == "? +10"


# the edges of each rule, found by changing rules.py


def test_a_roll_shows_one_to_six_and_begins_the_turn_for_all():  # SS-10
    for dice in product(range(1, 7), repeat=2):
        after = apply(game("A", "B"), Rolled(dice))
        assert (after.dice, awaiting(after)) == (dice, {"A", "B"})
    for dice in ((0, 3), (3, 7), (-1, 1)):
        with pytest.raises(IllegalEvent, match="1 to 6"):
            apply(game(), Rolled(dice))
    assert awaiting(game("A", "B")) == frozenset()
    assert awaiting(replace(game("A", dice=(1, 1)), ended=True)) == frozenset()


def test_the_next_turn_begins_empty_when_all_have_placed():  # SS-50
    state = game("A", "B", dice=(6, 6))
    for player in ("A", "B"):
        state = apply(state, Placed(player, 1, 6, "I", "I", 6))
    assert (state.turn, state.dice, state.done) == (2, None, frozenset())
    last = replace(game("A", dice=(6, 6)), sheets={"A": Sheet((*FULL[:5], "CCCCC"))}, turn=9)
    ended = apply(last, Placed("A", 1, 6, "I", "I", 6))
    assert (ended.turn, ended.ended) == (9, True)


@pytest.mark.parametrize(("section", "column"), [(0, 1), (7, 1), (1, 0), (1, 7)])
def test_the_table_cannot_say_that_there_is_a_seventh_section(section, column):  # SS-24
    with pytest.raises(IllegalEvent, match="numbered 1 to 6"):
        apply(game(dice=(1, 1)), Placed("A", 1, section, "I", "I", column), ruled=True)


def test_what_the_table_says_needs_no_roll_but_still_fits_on_the_sheet():
    state = game("A", "B")
    placed = apply(state, Placed("A", 1, 6, "I", "I", 2), ruled=True)
    assert placed.sheets["A"].sack[1] == "I"
    assert apply(state, Unplaced("B", coal=(Coal(3),)), ruled=True).sheets["B"].sack[2] == "C"
    with pytest.raises(IllegalEvent, match="The dice haven't been rolled"):
        apply(state, Placed("A", 1, 6, "I", "I", 2))
    rolled = game("A", "B", dice=(3, 4))
    fallen = apply(rolled, Placed("A", 1, 3, "I", "I", 4, coal=(Coal(1),)), ruled=True)  # more than was due (SS-23)
    assert fallen.sheets["A"].sack[0] == "C"
    later = apply(fallen, Rolled((1, 1)), ruled=True)  # B's turn was struck, and nobody played it anew
    assert (later.dice, later.done, later.turn) == ((1, 1), frozenset(), rolled.turn + 1)
    with pytest.raises(IllegalEvent, match="The game is over"):
        apply(replace(state, ended=True), Placed("A", 1, 6, "I", "I", 2))


@pytest.mark.parametrize(
    ("die", "steps", "allowed"), [(1, 0, True), (6, 0, True), (1, -1, False), (6, 1, False), (2, -1, True)]
)
def test_a_strict_table_alters_within_one_to_six(die, steps, allowed):  # SS-24
    state = game(dice=(die, 3), altered_range=Range.STRICT)
    marks = (Mark(1, steps),) * abs(steps)
    move = Placed("A", 1, die + steps, "I", "I", 3, marks)
    if allowed:
        assert apply(state, move).sheets["A"].sack[2] == "I"
    else:
        with pytest.raises(IllegalEvent, match="Stay between 1 and 6"):
            apply(state, replace(move, section=die))


def test_no_die_is_out_of_range_at_six_and_the_last_section_and_column_count():  # SS-24, SS-32
    state = game(dice=(6, 6))
    with pytest.raises(IllegalEvent, match="You can place a gift"):
        apply(state, Unplaced("A", coal=(Coal(1),)))
    assert Placed("A", 1, 6, "I", "I", 6) in legal(state, "A")


def test_the_tenth_circle_can_be_marked_and_a_mark_is_one_on_one_die():  # SS-20, SS-22, SS-23
    state = game(dice=(3, 3), sheet=Sheet(circles=9))
    after = apply(state, Placed("A", 1, 4, "I", "I", 3, (Mark(1, 1),), (Coal(1),)))
    assert after.sheets["A"].circles == 10
    for mark in (Mark(3, 1), Mark(1, 2), Mark(0, 0)):
        with pytest.raises(IllegalEvent, match="adds or subtracts 1"):
            apply(state, Placed("A", 1, 4, "I", "I", 3, (mark,), (Coal(1),)))


@pytest.mark.parametrize(
    ("before", "marks", "coal"), [(0, 1, 0), (1, 1, 1), (2, 1, 0), (3, 2, 1), (2, 4, 2), (9, 1, 1)]
)
def test_every_second_circle_of_the_game_brings_a_coal(before, marks, coal):  # SS-23
    assert coal_for_circles(Sheet(circles=before), (Mark(1, 1),) * marks) == coal


@pytest.mark.parametrize(("number", "fits"), [(0, False), (1, True), (40, True), (41, False)])
def test_a_wrapping_has_a_name_that_fits(number, fits):  # SS-03
    names = ("x" * number, "b", "c", "d", "e")
    pattern_map = tuple(zip(names, "IOTLS", strict=True))
    if fits:
        assert start(Options(pattern_map=pattern_map), ("A",)).options.pattern_map == pattern_map
    else:
        with pytest.raises(IllegalEvent, match="1 to 40 characters"):
            start(Options(pattern_map=pattern_map), ("A",))


def test_a_hundred_players_play():  # SS-01
    assert len(start(Options(), tuple(map(str, range(100)))).sheets) == 100


def test_legal_moves_cost_the_fewest_circles_and_drop_due_coal_where_there_is_room():  # SS-20, SS-31
    moves = legal(game(dice=(2, 5), sheet=Sheet(("CCCCCC", "", "", "", "", ""), circles=1)), "A")
    placed = {(move.section, move.column, move.box, move.gift): move for move in moves if isinstance(move, Placed)}
    assert placed[2, 5, "I", "I"].marks == ()
    one = placed[3, 5, "I", "I"]
    assert (one.marks, one.coal) == ((Mark(1, 1),), (Coal(2),))  # the second circle: one coal; column 1 is full
    assert {move.gift for move in moves if isinstance(move, Placed) and move.box == "?"} == set("IOTLS")
    assert not [move for move in placed.values() if move.column == 1]
    assert len(placed) == len([move for move in moves if isinstance(move, Placed)])


# a player who left for a while; SS-50 makes a turn wait for everybody who plays


def table(*events, players=("A", "B", "C")):
    state = start(Options(), players)
    for event in events:
        state = apply(state, event)
    return state


def test_a_turn_does_not_wait_for_a_player_who_rests():  # SS-50
    state = table(Rolled((1, 4)), Placed("A", 1, 1, "I", "I", 4), Placed("B", 1, 1, "I", "I", 4))
    assert awaiting(state) == {"C"}
    rested = apply(state, Rested("C"))
    assert (rested.turn, rested.dice, awaiting(rested)) == (2, None, frozenset())
    assert rested.sheets["C"] == Sheet()  # no box is marked and no coal falls
    rolled = apply(rested, Rolled((2, 5)))
    assert awaiting(rolled) == {"A", "B"}


def test_a_player_who_is_back_places_the_roll_of_this_turn():  # SS-12
    state = table(Rested("C"), Rolled((1, 4)), Placed("A", 1, 1, "I", "I", 4))
    with pytest.raises(IllegalEvent, match="on a break"):
        apply(state, Placed("C", 1, 1, "I", "I", 4))
    back = apply(state, Returned("C"))
    assert awaiting(back) == {"B", "C"}
    assert apply(back, Placed("C", 1, 1, "I", "I", 4)).sheets["C"].sack[3] == "I"


def test_who_rests_after_placing_keeps_what_was_placed():  # SS-12
    state = table(Rolled((1, 4)), Placed("C", 1, 1, "I", "I", 4), Rested("C"))
    assert (awaiting(state), state.sheets["C"].sack[3]) == ({"A", "B"}, "I")
    after = apply(apply(state, Placed("A", 1, 1, "I", "I", 4)), Placed("B", 1, 1, "I", "I", 4))
    assert (after.turn, after.dice) == (2, None)


def test_the_game_ends_by_a_full_sack_though_a_player_rests():  # SS-50
    state = replace(game("A", "B", sheet=Sheet(("CCCCCC",) * 5 + ("CCCCC",)), dice=(1, 6)), resting=frozenset("B"))
    assert apply(state, Placed("A", 1, 1, "I", "I", 6)).ended


@pytest.mark.parametrize(
    ("events", "event", "why"),
    [
        ((Rested("A"), Rested("B")), Rested("C"), "Somebody has to play on"),
        ((Rested("A"),), Rested("A"), "on a break already"),
        ((), Returned("A"), "isn't on a break"),
        ((), Rested("X"), "isn't in this game"),
    ],
)
def test_somebody_always_plays_on_and_nobody_rests_twice(events, event, why):  # SS-50
    with pytest.raises(IllegalEvent, match=why):
        apply(table(*events), event)
