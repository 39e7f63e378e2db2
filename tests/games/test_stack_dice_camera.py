"""What the whole table seen from above means to Stack: moves, verdicts, stacks that fell; readings made by hand."""

from dataclasses import replace

import pytest

from companion.game.readings import Box, DiceReading, DieReading, Kind, StackReading, StacksReading
from companion.game.seeing import Proposed, Remark
from companion.games.stack_dice import camera, moves, piles, stacks
from companion.games.stack_dice.events import (
    Dropped,
    KnockedOver,
    PickedUp,
    Rolled,
    RolledWrong,
    RoundCounted,
    Stacked,
    StartRolled,
)
from companion.games.stack_dice.options import Options
from companion.games.stack_dice.rules import apply, start
from companion.games.stack_dice.stacks import DICE
from companion.games.stack_dice.state import colour
from tests.games.test_stack_dice import fresh, table


def top(body, value, accepted=True):
    return DieReading(value, 50, 50, 20, 20, 0, body, 0.99, accepted, ((value, 0.99),))


def seen(state, unsure_heights=False, without_full=False):
    """A reading of the table as it stands."""
    found = [
        StackReading(
            top(colour(state, stacks.owner(pile[-1])), state.layout.faces[pile[-1]]),
            1 if unsure_heights else len(pile),
            not unsure_heights,
            (),
            0.0,
            0.0,
        )
        for pile in stacks.tops(state.layout)
        if not (without_full and len(pile) == stacks.FULL_STACK)
    ]
    return StacksReading(1280, 960, tuple(found))


def fallen(state):
    """A reading of the table with no stack left: every top is a die."""
    return StacksReading(1280, 960, tuple(StackReading(s.top, 1, True, (), 0, 0) for s in seen(state).stacks))


STANDING = table("5:R", "5:B", "3:R", "3:BRB", "2:R", "6:B", "4:RB", turn="R")


def test_stacks_are_looked_for_in_the_turns_and_dice_where_one_is_rolled():
    assert camera.eyes(STANDING).above is Kind.STACKS
    assert camera.eyes(STANDING).knows == {"players_colours": ["red", "blue"]}
    assert camera.eyes(apply(STANDING, PickedUp("R", "R-1"))).above is Kind.DICE
    assert camera.eyes(fresh()).above is Kind.DICE


@pytest.mark.parametrize("unsure", [False, True])
def test_a_table_as_it_stood_means_nothing(unsure):
    assert camera.propose(STANDING, seen(STANDING, unsure)) is None


def test_a_die_that_vanished_here_and_a_stack_that_grew_there_is_the_move():  # ST-31
    move = Stacked("R", "R-1", "B-1")
    proposed = camera.propose(STANDING, seen(apply(STANDING, move)))
    assert proposed == Proposed(move)


def test_a_fourth_die_captures_whether_the_stack_stays_or_is_taken_off():  # ST-35
    captured = apply(STANDING, Stacked("R", "R-2", "B-3"))
    for without_full in (False, True):
        proposed = camera.propose(STANDING, seen(captured, without_full=without_full))
        assert proposed.event == Stacked("R", "R-2", "B-3")


def test_with_unsure_heights_the_tops_alone_tell_the_move():
    after = seen(apply(STANDING, Stacked("R", "R-1", "B-1")), unsure_heights=True)
    assert not after.accepted
    assert camera.propose(STANDING, after).event == Stacked("R", "R-1", "B-1")


def test_a_rolled_die_is_seen_by_its_new_number():  # ST-36
    move = Rolled("R", "R-4", 1)
    shown = apply(STANDING, move)
    proposed = camera.propose(STANDING, seen(shown))
    assert isinstance(proposed.event, Rolled)
    assert proposed.event.value == 1


def test_a_rolled_die_that_must_be_placed_is_looked_for_on_the_stacks():  # ST-36
    state = apply(STANDING, Rolled("R", "R-4", 6))
    assert state.hand
    assert camera.eyes(state).above is Kind.STACKS
    assert camera.propose(state, seen(state)) is None
    move = Stacked("R", "R-4", "B-4")
    assert camera.propose(state, seen(apply(state, move))) == Proposed(move)


def test_a_rolled_die_whose_number_is_misread_was_not_rolled_again():  # ST-36
    state = apply(STANDING, Rolled("R", "R-4", 6))
    misread = replace(state, layout=stacks.turned(state.layout, "R-4", 5))
    assert camera.propose(state, seen(misread)) is None


def test_a_move_that_the_rules_forbid_is_said():  # ST-31: the numbers differ.
    wrong = StacksReading(
        1280,
        960,
        tuple(
            StackReading(top("red", 2), 2, True, (), 0, 0) if (s.top.colour, s.top.value) == ("blue", 6) else s
            for s in seen(STANDING).stacks
            if (s.top.colour, s.top.value, s.height) != ("red", 2, 1)
        ),
    )
    remark = camera.propose(STANDING, wrong)
    assert isinstance(remark, Remark)
    assert "Take the die back" in remark.text


def test_stacks_that_fell_begin_the_penalty_with_what_stood():  # ST-50
    proposed = camera.propose(STANDING, fallen(STANDING))
    assert proposed.event == KnockedOver("R", rebuilt=True)
    assert proposed.confirm
    assert [event for _, event in proposed.instead] == [KnockedOver("R", rebuilt=False)]
    assert "blue 3 on 2 dice" in proposed.note
    assert "blue 4 on 1 die" in proposed.note


def test_whose_die_knocked_stacks_over_is_asked_where_the_turn_has_passed_on():  # ST-36, ST-50
    state = apply(STANDING, Rolled("R", "R-4", 1))  # There is no place for a 1.
    assert (state.turn, state.no_place.player) == ("B", "R")
    proposed = camera.propose(state, fallen(state))
    assert [proposed.event, *(event for _, event in proposed.instead)] == [
        KnockedOver("R", rebuilt=True),
        KnockedOver("R", rebuilt=False),
        KnockedOver("B", rebuilt=True),
        KnockedOver("B", rebuilt=False),
    ]
    assert proposed.which  # a bare yes is no answer
    assert "Whose die was it" in proposed.note
    assert all(body in label for (label, _), body in zip(proposed.instead, ("red", "blue", "blue"), strict=True))


def test_the_last_roll_of_a_round_may_have_knocked_stacks_over():  # ST-36, ST-50
    before = table("3:R", "3:BRB", "4:RB", "2:R", "6:BR", turn="R", out=("B",), last_turns=("R",))
    state = apply(before, Rolled("R", "R-4", 1))
    assert state.turn is None
    assert camera.eyes(state).above is Kind.STACKS
    assert camera.propose(state, seen(state)) is None
    proposed = camera.propose(state, fallen(state))
    assert proposed.event == KnockedOver("R", rebuilt=True)
    assert proposed.which  # the stacks may have been taken apart to be counted
    counted = apply(state, RoundCounted())
    assert camera.eyes(counted).above is Kind.DICE


def doubted(reading, body, face, **read):
    """The reading with the top of one pile, of which the camera is not sure, read otherwise."""
    found = next(s for s in reading.stacks if (s.top.colour, s.top.value) == (body, face))
    top_read = replace(found.top, accepted=False, **read)
    return replace(reading, stacks=tuple(replace(s, top=top_read) if s is found else s for s in reading.stacks))


@pytest.mark.parametrize("read", [{"value": 4}, {"colour": None}])
def test_a_misread_die_that_is_not_sure_hides_no_move(read):  # ST-31
    move = Stacked("R", "R-1", "B-1")
    proposed = camera.propose(STANDING, doubted(seen(apply(STANDING, move)), "blue", 6, **read))
    assert proposed.event == move
    assert proposed.confirm
    assert "The camera isn't sure of 1 die" in proposed.note


def test_a_die_of_a_colour_that_has_no_name_hides_no_move():  # ST-31
    move = Stacked("R", "R-1", "B-1")
    reading = doubted(seen(apply(STANDING, move)), "blue", 6, colour=None)
    sure = tuple(replace(s, top=replace(s.top, accepted=True)) for s in reading.stacks)
    assert camera.propose(STANDING, replace(reading, stacks=sure)).event == move


def test_a_top_that_cannot_be_read_hides_no_move():  # ST-31
    move = Stacked("R", "R-1", "B-1")
    reading = seen(apply(STANDING, move))
    without = tuple(s for s in reading.stacks if (s.top.colour, s.top.value) != ("blue", 6))
    proposed = camera.propose(STANDING, replace(reading, stacks=without, unread=(Box(50, 50, 20, 20),)))
    assert proposed.event == move
    assert proposed.confirm


def sure(reading):
    return replace(reading, stacks=tuple(replace(s, top=replace(s.top, accepted=True)) for s in reading.stacks))


def test_what_is_surely_seen_is_never_explained_away():
    wrong = doubted(seen(apply(STANDING, Stacked("R", "R-1", "B-1"))), "blue", 6, value=4)
    remark = camera.propose(STANDING, sure(wrong))
    assert isinstance(remark, Remark)
    assert "No single move" in remark.text


def test_a_move_of_somebody_elses_die_is_said():  # ST-56
    other = replace(STANDING, turn="B")
    remark = camera.propose(STANDING, seen(apply(other, Stacked("B", "B-1", "R-1"))))
    assert isinstance(remark, Remark)
    assert "blue die was moved" in remark.text
    assert "but it's red's turn" in remark.text


def test_one_stack_of_several_that_fell_is_asked_about():  # ST-50
    state = table("2:R", "2:B", "4:BR", "3:RB", "6:BRB", turn="R")
    tops = [s for s in seen(state).stacks if s.height != 3]
    apart = [StackReading(top(body, 6), 1, True, (), 0, 0) for body in ("blue", "red", "blue")]
    proposed = camera.propose(state, StacksReading(1280, 960, (*tops, *apart)))
    assert isinstance(proposed.event, KnockedOver)
    assert proposed.confirm


def test_one_stack_that_fell_is_asked_about_though_the_height_of_another_die_is_doubted():  # ST-50
    tops = [s for s in seen(STANDING).stacks if (s.top.colour, s.height) != ("blue", 3)]
    doubtful = replace(tops[0], height_accepted=False)
    apart = [StackReading(top(body, 6), 1, True, (), 0, 0) for body in ("blue", "red", "blue")]
    proposed = camera.propose(STANDING, StacksReading(1280, 960, (doubtful, *tops[1:], *apart)))
    assert isinstance(proposed.event, KnockedOver)
    assert proposed.confirm
    something = StacksReading(1280, 960, (doubtful, *tops[1:], *apart), (Box(10, 10, 20, 20),))
    assert camera.propose(STANDING, something) is None  # a thing that is no die may cover, or have come


def test_piles_that_look_alike_from_above_are_told_apart_by_the_heights_that_are_sure():  # ST-31
    state = table("5:R", "5:B", "5:RB", "3:R", "6:B", turn="R")
    single, pile = (
        die for height in (1, 2) for die in [p[-1] for p in stacks.tops(state.layout) if len(p) == height]
        if stacks.owner(die) == "B" and state.layout.faces[die] == 5
    )  # fmt: skip
    move = Stacked("R", "R-1", single)
    reading = seen(apply(state, move))
    unsure = tuple(
        replace(s, height_accepted=False) if (s.top.colour, s.top.value) == ("red", 5) else s for s in reading.stacks
    )
    proposed = camera.propose(state, replace(reading, stacks=unsure))
    assert proposed.event == move
    all_unsure = tuple(replace(s, height_accepted=False) for s in reading.stacks)
    asked = camera.propose(state, replace(reading, stacks=all_unsure))
    assert asked.event == move  # the heights as they are read, though none is sure
    assert [event for _, event in asked.instead] == [Stacked("R", "R-1", pile)]
    assert asked.confirm


def test_a_forbidden_move_is_not_told_as_an_allowed_one_that_the_heights_speak_against():  # ST-31: the numbers differ.
    state = table("1:B", "1:B", "2:B", "2:R", "6:R", turn="B")
    wrong = stacks.put(state.layout, "B-1", "R-1")  # a blue 1 on the red 2: by the tops alone the blue 2 may lie there
    reading = seen(replace(state, layout=wrong))
    unsure = tuple(replace(s, height_accepted=(s.top.colour, s.top.value) != ("blue", 1)) for s in reading.stacks)
    remark = camera.propose(state, replace(reading, stacks=unsure))
    assert isinstance(remark, Remark)
    assert "Take the die back" in remark.text


def test_doubt_alone_is_no_move():
    assert camera.propose(STANDING, doubted(seen(STANDING), "blue", 6, value=4)) is None


def test_moves_that_doubt_makes_alike_are_offered_side_by_side():  # ST-31
    state = table("5:R", "5:B", "4:R", "4:B", "2:R", "6:B", turn="R")
    moves = Stacked("R", "R-1", "B-1"), Stacked("R", "R-2", "B-2")
    after = doubted(seen(apply(state, moves[0])), "red", 4, value=3)
    after = doubted(doubted(after, "red", 5, value=3), "blue", 4, value=3)
    proposed = camera.propose(state, after)
    assert {proposed.event, *(event for _, event in proposed.instead)} >= set(moves)
    assert proposed.which
    assert all(words for words, _ in proposed.instead)


def test_where_much_is_doubted_nothing_is_made_of_it():
    reading = seen(apply(STANDING, Stacked("R", "R-1", "B-1")))
    all_doubted = tuple(replace(s, top=replace(s.top, accepted=False, value=1)) for s in reading.stacks)
    assert not isinstance(camera.propose(STANDING, replace(reading, stacks=all_doubted)), Proposed)


def test_stacks_that_are_not_made_out_have_not_fallen():  # ST-50
    reading = seen(STANDING)
    singles = tuple(stack for stack in reading.stacks if stack.height == 1)
    hidden = (Box(50, 50, 20, 20),) * (len(reading.stacks) - len(singles))
    assert camera.propose(STANDING, replace(reading, stacks=singles, unread=hidden)) is None


@pytest.mark.parametrize("unsure", [False, True])
def test_a_die_that_somebody_holds_is_no_move(unsure):  # ST-34
    state = table("5:R", "5:R", "5:B", "4:RB", turn="R")
    reading = seen(state, unsure_heights=unsure)
    held = next(stack for stack in reading.stacks if (stack.top.colour, stack.top.value) == ("red", 5))
    without = tuple(stack for stack in reading.stacks if stack is not held)
    assert camera.propose(state, replace(reading, stacks=without)) is None


def test_a_die_that_was_rolled_and_put_down_at_once_was_rolled_first():  # ST-36
    rolled = Rolled("R", "R-4", 4)
    both = apply(apply(STANDING, rolled), Stacked("R", "R-4", "B-5"))
    proposed = camera.propose(STANDING, seen(both))
    assert proposed.event == rolled
    assert proposed.confirm
    assert "blue 4" in proposed.note


def test_a_die_whose_number_its_owner_chooses_was_not_moved():  # ST-54
    state = apply(STANDING, RolledWrong("R", "B-1", 2))
    assert state.decision
    shown = replace(state, layout=stacks.turned(state.layout, "B-1", 2))
    assert camera.propose(state, seen(shown)) is None
    assert camera.propose(state, seen(state)) is None


def test_dice_of_who_has_dropped_are_no_part_of_the_others_drop():  # ST-20
    names = ("A", "B")
    state = apply(start(Options(), names), StartRolled((("A", 5), ("B", 3))))
    state = apply(state, Dropped("A", (1,) * DICE))
    red, blue = (colour(state, player) for player in names)

    def lying(reds, blues, unread=0):
        dice = tuple(top(body, 1) for body, count in ((red, reds), (blue, blues)) for _die in range(count))
        return DiceReading(640, 480, dice, (Box(9, 9, 40, 40),) * unread)

    proposed = camera.propose(state, lying(DICE, DICE - 1, unread=1))
    assert [player for player, _values in proposed.event.dice] == ["B"]
    assert proposed.paths == (*[""] * DICE, *(f"dice.0.1.{number}" for number in range(DICE)))
    assert camera.propose(state, lying(DICE, 0)) is None  # B is still to drop
    assert isinstance(camera.propose(state, lying(DICE - 1, DICE - 1, unread=1)), Remark)  # it may be either's


def test_dice_of_an_earlier_drop_that_lie_on_or_were_moved_are_no_part_of_the_others_drop():  # ST-20
    names = ("A", "B")
    state = apply(start(Options(), names), StartRolled((("A", 5), ("B", 3))))
    state = apply(state, Dropped("A", (1,) * DICE))
    red, blue = (top(colour(state, player), 1) for player in names)
    for moved in (0, 1, DICE):
        reading = DiceReading(640, 480, (red,) * moved + (blue,) * DICE, old=(red,) * (DICE - moved))
        assert [player for player, _values in camera.propose(state, reading).event.dice] == ["B"]


HELD = apply(STANDING, PickedUp("R", "R-1"))
LYING = tuple(stack.top for stack in seen(HELD).stacks if (stack.top.colour, stack.top.value) != ("red", 5))


@pytest.mark.parametrize("touched", [die for die in LYING if die.colour == "red"], ids=lambda die: die.value)
def test_a_die_that_a_hand_touched_while_it_holds_another_was_not_rolled(touched):  # ST-36
    old = tuple(die for die in LYING if die is not touched)
    assert len(old) == len(LYING) - 1
    assert camera.propose(HELD, DiceReading(1280, 960, (touched,), old=old)) is None


def test_the_rolled_die_is_read_among_those_that_lie_on():  # ST-36
    proposed = camera.propose(HELD, DiceReading(1280, 960, (top("red", 4),), old=LYING))
    assert proposed.event == Rolled("R", "R-1", 4)
    unsure = (*LYING[1:], replace(LYING[0], accepted=False))
    assert isinstance(camera.propose(HELD, DiceReading(1280, 960, (top("red", 4),), old=unsure)), Remark)


def test_a_change_looks_as_the_table_that_is_counted_anew():
    state = table("3:RBR", "3:B", "3:R", "5:BRB", "5:R", "2:RBRB", "2:B")
    lying = piles.piles_of(state, state.layout, heights=True)
    changes = [change for _move, change in moves.changes(state, "R", heights=True)]
    tables = [lying.changed(change) for change in changes]
    views = [view for after in tables for view in (after.must, after.must + after.full)]
    alike = [[piles.Comparison(lying, view).matches(change) for change in changes] for view in views]
    assert alike == [[after.matches(view) for after in tables] for view in views]
    assert any(map(any, alike))
    assert not all(map(all, alike))


def test_something_else_on_the_table_means_nothing():
    assert camera.propose(STANDING, StacksReading(1280, 960, ())) is None
    strange = StacksReading(1280, 960, (*seen(STANDING).stacks, StackReading(top("green", 4), 1, True, (), 0, 0)))
    assert camera.propose(STANDING, strange) is None
    assert camera.propose(STANDING, DiceReading(640, 480, ())) is None
