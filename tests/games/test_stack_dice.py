"""Stack against its rule sheet; the ids stand beside each test."""

from collections import Counter
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent
from companion.games.rulings import Ruling
from companion.games.stack_dice.events import (
    EVENTS,
    AllDropped,
    Dropped,
    FellOffTable,
    KnockedOver,
    NumberChosen,
    Penalised,
    PenaltyRolled,
    PickedUp,
    PickedUpWrong,
    PlayedOutOfTurn,
    Rolled,
    RolledWrong,
    RoundCounted,
    Stacked,
    StartRolled,
    Swore,
)
from companion.games.stack_dice.options import Options, OutOfTurn, Starter
from companion.games.stack_dice.rules import apply, legal, start
from companion.games.stack_dice.scoring import explain, is_over, ranked, score, winners
from companion.games.stack_dice.stacks import DICE, Layout, owner, turned, unstacked
from companion.games.stack_dice.state import Stage, State, awaiting, colour, sides, stage, targets

DROP = (1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6)


def table(*piles: str, players: str = "", turn: str | None = "R", options: dict | None = None, **known) -> State:
    """A round in which `piles` stand: "6:RB" is red under blue, both showing 6. R-1 is the first red die named.

    Those who have dice play, in the order R, B, G, V, unless `players` says otherwise.
    """
    players = players or "".join(each for each in "RBGV" if any(each in text for text in piles))
    faces, standing, number = {}, [], Counter()
    for text in piles:
        value, _, owners = text.partition(":")
        pile = []
        for each in owners:
            number[each] += 1
            pile.append(f"{each}-{number[each]}")
            faces[pile[-1]] = int(value)
        if len(pile) > 1:
            standing.append(tuple(pile))
    layout = Layout(faces, tuple(standing))
    return State(Options(**(options or {})), tuple(players), (), starter=players[0], layout=layout, turn=turn, **known)


def play(state: State, *events) -> State:
    for event in events:
        state = apply(state, event)
    return state


def fresh(players: str = "RB", **options) -> State:
    return start(Options(**options), tuple(players))


# before the turns


def test_fourteen_dice_in_one_colour_each():  # ST-01
    state = apply(fresh(), StartRolled((("R", 2), ("B", 3))))
    with pytest.raises(IllegalEvent, match="14 dice, not 13"):
        apply(state, Dropped("R", DROP[:13]))
    with pytest.raises(IllegalEvent, match="14 dice, not 15"):
        apply(state, Dropped("R", (*DROP, 6)))
    after = apply(state, AllDropped((("R", DROP), ("B", DROP))))
    assert Counter(map(owner, after.layout.faces)) == {"R": DICE, "B": DICE}


def test_a_player_keeps_the_colour():  # ST-04
    state = table("6:R", players="RBGV")
    assert [colour(state, player) for player in state.players] == ["red", "blue", "green", "purple"]
    after = apply(table("6:R", "6:B", players="RB", turn=None, last_turns=()), RoundCounted())
    assert colour(after, "R") == "red"


def test_the_highest_start_roll_begins_and_a_one_beats_everything():  # ST-10, ST-05
    state = apply(fresh("RBG"), StartRolled((("R", 6), ("B", 1), ("G", 5))))  # ST-E01
    assert state.starter == "B"
    assert apply(fresh("RBG"), StartRolled((("R", 2), ("B", 3), ("G", 5)))).starter == "G"


def test_those_tied_for_the_highest_roll_again():  # ST-11
    state = apply(fresh("RBG"), StartRolled((("R", 1), ("B", 1), ("G", 6))))  # ST-E02
    assert state.starter is None
    assert awaiting(state) == {"R", "B"}
    with pytest.raises(IllegalEvent, match="named here"):
        apply(state, StartRolled((("G", 1),)))
    state = play(state, StartRolled((("B", 4),)), StartRolled((("R", 3),)))
    assert state.starter == "B"


@pytest.mark.parametrize("rolls", [(), (("R", 0),), (("R", 7),), (("X", 3),), (("R", 3), ("R", 4)), (("R", 10**9),)])
def test_a_start_roll_that_cannot_be_is_refused(rolls):
    with pytest.raises(IllegalEvent, match=r"[:.] \w"):
        apply(fresh(), StartRolled(rolls))


def test_play_goes_clockwise_from_the_starter():  # ST-12
    state = apply(fresh("RBG"), StartRolled((("R", 6), ("B", 1), ("G", 5))))
    state = apply(state, AllDropped(tuple((player, (2,) * DICE) for player in "GRB")))
    assert state.turn == "B"
    turns = []
    for _ in range(4):
        turns.append(state.turn)
        state = apply(state, Rolled(state.turn, unstacked(state.layout, state.turn)[0], 6))
        state = apply(state, legal(state, state.turn)[0]) if state.hand else state
    assert turns == ["B", "G", "R", "B"]


@pytest.mark.parametrize(("option", "begins"), [(Starter.ROTATE, "B"), (Starter.WINNER, "G"), (Starter.LOSER, "R")])
def test_who_begins_a_later_round_where_it_is_not_rolled_for(option, begins):  # ST-13
    state = table("6:RG", "3:RB", "1:R", turn=None, last_turns=(), options={"starter_each_round": option})
    assert apply(state, RoundCounted()).starter == begins


def test_later_rounds_roll_for_the_start_again_and_so_do_those_equally_good():  # ST-13
    state = table("6:RG", "6:RB", "1:R", turn=None, last_turns=())
    assert awaiting(apply(state, RoundCounted())) == {"R", "B", "G"}
    winner = replace(state, options=Options(starter_each_round=Starter.WINNER))
    assert awaiting(apply(winner, RoundCounted())) == {"B", "G"}


def test_all_dice_start_unstacked_with_the_number_they_landed_on():  # ST-20
    state = play(fresh(), StartRolled((("R", 2), ("B", 3))), Dropped("B", DROP), Dropped("R", DROP[::-1]))
    assert state.layout.stacks == ()
    for player in "RB":
        assert sorted(state.layout.faces[die] for die in unstacked(state.layout, player)) == sorted(DROP)
    assert score(state) == {"R": 0, "B": 0}  # ST-59


def test_correcting_one_die_of_a_drop_leaves_all_others_their_names():
    waiting = apply(fresh(), StartRolled((("R", 2), ("B", 3))))
    one, other = (apply(waiting, Dropped("R", drop)).layout.faces for drop in (DROP, (*DROP[:13], 1)))
    assert set(one) - set(other) == {"R-6c"}
    assert set(other) - set(one) == {"R-1c"}


def test_who_has_dropped_does_not_drop_again():
    state = play(fresh(), StartRolled((("R", 2), ("B", 3))), Dropped("R", DROP))
    for event in (Dropped("R", DROP), AllDropped((("B", DROP), ("B", DROP))), AllDropped(()), Dropped("X", DROP)):
        with pytest.raises(IllegalEvent, match=r"[:.] \w"):
            apply(state, event)
    with pytest.raises(IllegalEvent, match="1 to 6"):
        apply(state, Dropped("B", (*DROP[:13], 7)))


# a turn


def test_only_own_unstacked_dice_are_played_and_the_lowest_of_a_stack_is_none():  # ST-30
    state = table("6:RB", "6:G", "6:R")
    assert unstacked(state.layout, "R") == ("R-2",)
    for die in ("R-1", "B-1", "G-1", "nonsense"):
        with pytest.raises(IllegalEvent, match="your own unstacked"):
            apply(state, Stacked("R", die, "G-1"))
        with pytest.raises(IllegalEvent, match="your own unstacked"):
            apply(state, Rolled("R", die, 3))


def test_a_die_goes_on_the_same_number_under_a_rivals_colour():  # ST-31
    state = table("6:R", "6:B", "5:G", "6:GB", "6:R", "1:B")
    assert apply(state, Stacked("R", "R-1", "B-1")).layout.stacks == (("G-2", "B-2"), ("B-1", "R-1"))
    with pytest.raises(IllegalEvent, match="A 6 can't go on a 5"):
        apply(state, Stacked("R", "R-1", "G-1"))
    with pytest.raises(IllegalEvent, match="Choose a single die or the top of a stack"):
        apply(state, Stacked("R", "R-1", "G-2"))  # it has a die on it
    with pytest.raises(IllegalEvent, match="Choose a single die or the top of a stack"):
        apply(state, Stacked("R", "R-1", "R-1"))


def test_never_on_the_own_colour_though_a_stack_may_hold_two_of_a_colour():  # ST-32
    state = table("6:R", "6:R", "6:BR", "6:RB", "6:G")
    for onto in ("R-2", "R-3"):
        with pytest.raises(IllegalEvent, match="own colour"):
            apply(state, Stacked("R", "R-1", onto))
    assert ("R-4", "B-2", "R-1") in apply(state, Stacked("R", "R-1", "B-2")).layout.stacks


def test_a_fifth_die_is_not_allowed():  # ST-33
    state = table("6:R", "6:GBRB", "6:R", "6:G")
    with pytest.raises(IllegalEvent, match="four high"):
        apply(state, Stacked("R", "R-1", "B-2"))
    assert not [pile for pile in targets(state, "R", 6) if len(pile) >= 4]


def test_a_die_that_was_picked_up_must_be_played_and_the_play_stands():  # ST-34
    state = apply(table("6:R", "5:R", "6:B", "5:G", "2:B", "2:G"), PickedUp("R", "R-1"))
    assert state.turn == "R"
    assert {type(event) for event in legal(state, "R")} == {Stacked, Rolled}
    assert {event.die for event in legal(state, "R")} == {"R-1"}
    for event in (Stacked("R", "R-2", "G-1"), Rolled("R", "R-2", 3), PickedUp("R", "R-2"), PickedUp("R", "R-1")):
        with pytest.raises(IllegalEvent, match="in your hand"):
            apply(state, event)
    after = apply(state, Stacked("R", "R-1", "B-1"))
    assert after.turn == "B"
    with pytest.raises(IllegalEvent, match="unstacked"):
        apply(replace(after, turn="R"), Stacked("R", "R-1", "G-1"))  # a stacked die is never moved again


def test_the_fourth_die_captures_the_stack_for_the_rest_of_the_round():  # ST-35
    state = apply(table("6:R", "6:RBG", "6:R", "6:B", "6:B"), Stacked("R", "R-1", "G-1"))
    assert state.layout.stacks == (("R-2", "B-1", "G-1", "R-1"),)
    assert score(state) == {"R": 6, "B": 0, "G": 0}
    assert ("R-2", "B-1", "G-1", "R-1") not in targets(state, "B", 6)


def test_a_rolled_die_must_be_stacked_if_there_is_a_place():  # ST-36
    state = apply(table("6:R", "4:R", "2:B", "2:G", "5:B", "4:B", "6:G"), Rolled("R", "R-1", 2))
    assert state.turn == "R"
    assert legal(state, "R") == (Stacked("R", "R-1", "B-1"), Stacked("R", "R-1", "G-1"))  # The player chooses which.
    with pytest.raises(IllegalEvent, match="in your hand"):
        apply(state, Stacked("R", "R-2", "B-3"))
    assert apply(state, Stacked("R", "R-1", "G-1")).turn == "B"


def test_a_rolled_die_without_a_place_stays_unstacked_with_the_new_number():  # ST-36
    state = apply(table("6:R", "3:R", "3:BR", "4:B", "1:G"), Rolled("R", "R-1", 3))  # ST-E07
    assert state.turn == "B"
    assert state.layout.faces["R-1"] == 3
    assert "R-1" in unstacked(state.layout, "R")


def test_rolling_is_an_option_also_when_a_die_could_be_stacked():  # ST-36
    assert apply(table("6:R", "6:B", "5:B", "1:G"), Rolled("R", "R-1", 4)).turn == "B"


def test_only_one_roll_a_turn_but_on_as_many_turns_as_one_likes():  # ST-37
    state = apply(table("6:R", "2:B", "4:B", "2:G"), Rolled("R", "R-1", 2))
    with pytest.raises(IllegalEvent, match="once a turn"):
        apply(state, Rolled("R", "R-1", 5))
    again = table("6:R", "2:B", "4:B")
    again = play(again, Rolled("R", "R-1", 5), Rolled("B", "B-1", 6), Rolled("R", "R-1", 3))
    assert again.layout.faces["R-1"] == 3


def test_there_is_no_pass_who_cannot_stack_must_roll():  # ST-38
    state = table("6:R", "5:R", "4:B", "3:G")
    assert {type(event) for event in legal(state, "R")} == {Rolled, PickedUp}
    assert legal(state, "B") == ()


def test_what_only_another_player_may_do_is_refused():  # ST-56
    state = table("6:R", "6:B", "6:G")
    for event in (Stacked("B", "B-1", "R-1"), Rolled("B", "B-1", 3), PickedUp("G", "G-1"), KnockedOver("B", True)):
        with pytest.raises(IllegalEvent, match=r"another player's turn"):
            apply(state, event)
    with pytest.raises(IllegalEvent, match="That player isn't in this game"):
        apply(state, Rolled("X", "R-1", 3))


@pytest.mark.parametrize("value", [-1, 0, 7, 10**12])
def test_a_die_shows_one_to_six(value):
    with pytest.raises(IllegalEvent, match="1 to 6"):
        apply(table("6:R", "6:B"), Rolled("R", "R-1", value))


# the end of a round


def test_going_out_gives_every_opponent_one_last_turn_clockwise():  # ST-40
    state = table("6:G", "6:B", "6:B", "5:R", "5:R", "5:V", "5:V", "5:B", players="RBGV", turn="G")
    state = apply(state, Stacked("G", "G-1", "B-1"))  # ST-E12
    assert state.out == ("G",)
    assert state.last_turns == ("V", "R", "B")
    turns = []
    for event in (Rolled("V", "V-1", 1), Rolled("R", "R-1", 1), Stacked("R", "R-1", "V-1"), Rolled("B", "B-2", 3)):
        turns.append(state.turn)
        state = apply(state, event)
    assert turns == ["V", "R", "R", "B"]
    assert stage(state) is Stage.COUNT


def test_covering_an_opponents_last_unstacked_die_puts_both_out():  # ST-41
    state = table("6:R", "5:R", "6:B", "6:G", "6:G", "6:V", "6:V", players="RBGV")
    state = apply(state, Stacked("R", "R-1", "B-1"))  # ST-E13
    assert set(state.out) == {"R", "B"}
    assert state.last_turns == ("G", "V")
    assert unstacked(state.layout, "R") == ("R-2",)  # R has dice left and no turn


def test_covering_the_last_die_of_a_stack_is_nothing_special():  # ST-41
    state = apply(table("6:R", "5:R", "6:GB", "2:B", "6:G", "5:G"), Stacked("R", "R-1", "B-1"))
    assert state.out == ()
    assert state.turn == "B"


def test_with_two_players_the_round_is_over_at_once():  # ST-42
    state = apply(table("6:R", "5:R", "6:B", players="RB"), Stacked("R", "R-1", "B-1"))  # ST-E14
    assert set(state.out) == {"R", "B"}
    assert stage(state) is Stage.COUNT
    assert awaiting(state) == frozenset()
    assert legal(state, "R") == legal(state, "B") == (RoundCounted(),)


def test_the_own_last_die_on_an_opponents_last_puts_both_out():  # ST-43
    state = table("6:V", "6:R", "5:B", "5:B", "5:G", "5:G", players="RBGV", turn="V")
    state = apply(state, Stacked("V", "V-1", "R-1"))  # ST-E15
    assert set(state.out) == {"V", "R"}
    assert state.last_turns == ("B", "G")


def test_a_last_die_covered_before_the_last_turn_loses_it():  # ST-44
    state = table("5:G", "5:B", "6:V", "4:V", "6:R", "3:B", "2:B", players="RBGV", turn="G")
    state = apply(state, Stacked("G", "G-1", "B-1"))
    state = apply(state, Stacked("V", "V-1", "R-1"))  # ST-E16
    assert state.turn == "B"
    assert state.last_turns == ("B",)
    assert stage(apply(state, Rolled("B", "B-2", 6))) is Stage.TURNS  # V's 6 is a place
    assert stage(apply(state, Rolled("B", "B-2", 1))) is Stage.COUNT


def test_going_out_again_in_the_last_turns_changes_nothing():  # ST-44
    state = table("5:G", "5:B", "6:V", "6:R", "4:R", "3:B", players="RBGV", turn="G")
    state = play(state, Stacked("G", "G-1", "B-1"), Stacked("V", "V-1", "R-1"))  # V stacks the last one too.
    assert state.out == ("G",)
    assert state.last_turns == ("R", "B")


@pytest.mark.parametrize(
    "events",
    [
        (Rolled("B", "B-2", 1),),
        (KnockedOver("B", True), PenaltyRolled("B", 3)),
        (PickedUpWrong("B", "R-1"),),
        (RolledWrong("B", "R-1", 2), NumberChosen("R", 2)),
    ],
)
def test_a_last_turn_is_used_up_even_if_nothing_was_stacked(events):  # ST-45
    state = table("6:GB", "4:B", "3:R", players="RBG", turn="B", out=("G",), last_turns=("B", "R"))
    state = play(state, *events)
    assert state.turn == "R"
    assert state.last_turns == ("R",)


def test_the_round_is_counted_once_it_is_over_and_not_before():  # ST-61
    state = table("6:R", "5:R", "6:B", "4:G", players="RBG")
    with pytest.raises(IllegalEvent, match="The round isn't over"):
        apply(state, RoundCounted())
    over = table("6:RB", "5:R", turn=None, last_turns=())
    after = apply(over, RoundCounted())
    assert after.past == ({"R": 0, "B": 6},)
    assert after.layout == Layout()
    assert stage(after) is Stage.START_ROLL
    assert score(after) == score(over) == {"R": 0, "B": 6}


# mistakes


def test_knocking_over_a_stack_costs_a_penalty_roll_and_the_turn():  # ST-50
    before = table("6:R", "5:BG", "2:B", "5:B", "2:G", past=({"R": 37, "B": 0, "G": 0},))
    rolled = apply(before, Rolled("R", "R-1", 2))
    state = apply(rolled, KnockedOver("R", True))  # ST-E17
    assert state.layout == before.layout  # the die shows its old number, the stacks are rebuilt
    assert awaiting(state) == {"R"}
    assert legal(state, "R") == tuple(PenaltyRolled("R", face) for face in range(1, 7))
    with pytest.raises(IllegalEvent, match="penalty roll comes first"):
        apply(state, Rolled("R", "R-1", 3))
    after = apply(state, PenaltyRolled("R", 4))
    assert score(after)["R"] == 33
    assert after.turn == "B"
    assert after.skips.get("R", 0) == 0


def test_stacks_that_cannot_be_rebuilt_cost_ten_more_once():  # ST-51
    state = table("6:R", "5:BG", "4:BG", past=({"R": 37, "B": 0, "G": 0},))
    after = play(state, KnockedOver("R", False), PenaltyRolled("R", 4))  # ST-E18
    assert score(after)["R"] == 23


@pytest.mark.parametrize(("value", "points"), [(10, -5), (1, 4)])
def test_a_penalty_roll_of_one(value, points):  # ST-52
    options = {"penalty_one_value": value}
    state = table("6:R", "5:BG", "2:B", "2:G", options=options, past=({"R": 5, "B": 0, "G": 0},))
    after = play(state, KnockedOver("R", True), PenaltyRolled("R", 1))  # ST-E19
    assert score(after)["R"] == points


def test_a_roll_without_a_place_may_have_knocked_over_a_stack_too():  # ST-50, ST-36
    before = table("6:R", "4:R", "5:BG", "3:B", "3:G")
    rolled = apply(before, Rolled("R", "R-1", 2))
    assert rolled.turn == "B"  # no place: the turn is over
    state = apply(rolled, KnockedOver("R", True))
    assert (state.layout, awaiting(state)) == (before.layout, {"R"})
    after = apply(state, PenaltyRolled("R", 4))
    assert (after.turn, score(after)["R"]) == ("B", -4)


@pytest.mark.parametrize(
    "event", [PickedUp("B", "B-2"), Rolled("B", "B-2", 1), Stacked("B", "B-2", "G-2"), PickedUpWrong("B", "R-1")]
)
def test_what_a_roll_knocked_over_is_told_before_somebody_else_plays(event):  # ST-50
    state = play(table("6:R", "4:R", "5:BG", "3:B", "3:G", "1:B", "1:G"), Rolled("R", "R-1", 2), event)
    with pytest.raises(IllegalEvent, match="another player's turn"):
        apply(state, KnockedOver("R", True))


def test_only_who_rolled_last_can_have_knocked_over_a_stack_after_the_turn():  # ST-50
    state = apply(table("6:R", "4:R", "5:BG", "3:B", "3:G"), Rolled("R", "R-1", 2))
    with pytest.raises(IllegalEvent, match="another player's turn"):
        apply(state, KnockedOver("G", True))
    assert apply(state, KnockedOver("B", True)).accident.player == "B"  # a roll of B's that was not entered


def test_a_lost_turn_that_was_passed_over_is_passed_over_again():  # ST-50, ST-56
    rolled = apply(table("6:R", "4:R", "5:BG", "3:B", "3:G", skips={"B": 1}), Rolled("R", "R-1", 2))
    assert (rolled.turn, rolled.passed, rolled.skips) == ("G", ("B",), {"B": 0})
    fallen = apply(play(rolled, PlayedOutOfTurn("B")), KnockedOver("R", True))
    assert fallen.skips == {"B": 2}
    assert apply(fallen, PenaltyRolled("R", 3)).skips == {"B": 1}


def test_the_last_roll_of_a_round_may_have_knocked_over_a_stack():  # ST-50, ST-45
    state = table("6:GB", "4:B", "3:R", players="RBG", turn="B", out=("G",), last_turns=("B",))
    over = apply(state, Rolled("B", "B-2", 1))
    assert stage(over) is Stage.COUNT
    fallen = apply(over, KnockedOver("B", False))
    assert fallen.layout == state.layout
    assert stage(apply(fallen, PenaltyRolled("B", 2))) is Stage.COUNT
    with pytest.raises(IllegalEvent):
        play(over, RoundCounted(), KnockedOver("B", True))


def test_a_die_that_goes_back_was_rolled_all_the_same():  # ST-50, ST-82: our reading
    state = table("6:R", "4:R", "5:BG", "3:B", "3:G", options={"hr_rolled_two": True})
    after = play(state, Rolled("R", "R-1", 2), KnockedOver("R", True), PenaltyRolled("R", 4))
    assert [(each.points, each.rule) for each in after.penalties] == [(-1, "ST-82"), (-4, "ST-50")]


def test_nobody_rolls_for_a_penalty_that_is_not_due():  # ST-50
    state = table("6:R", "5:BG")
    with pytest.raises(IllegalEvent, match="Nobody has to roll for a penalty"):
        apply(state, PenaltyRolled("R", 3))
    with pytest.raises(IllegalEvent, match="Nobody has to roll for a penalty"):
        apply(apply(state, KnockedOver("R", True)), PenaltyRolled("B", 3))
    with pytest.raises(IllegalEvent, match="There are no stacks on the table"):
        apply(table("6:R", "5:B"), KnockedOver("R", True))


def test_picking_up_a_rivals_die_loses_the_turn():  # ST-53
    state = table("6:R", "5:B", "5:G")
    after = apply(state, PickedUpWrong("R", "B-1"))
    assert after.turn == "B"
    assert after.layout == state.layout
    for die in ("R-1", "X-1"):
        with pytest.raises(IllegalEvent, match="The mistake is to pick up a rival's die"):
            apply(state, PickedUpWrong("R", die))


@pytest.mark.parametrize("die", ["B-1", "G-1"])
def test_any_die_of_a_rival_can_be_picked_up_by_mistake(die):  # ST-53, ST-54: "an opponent's die", on top or buried
    state = table("6:R", "5:BG", "5:B", "5:G")
    after = apply(state, PickedUpWrong("R", die))
    assert (after.turn, after.layout) == ("B", state.layout)
    rolled = apply(state, RolledWrong("R", die, 3))
    assert awaiting(rolled) == {die[0]}
    assert apply(rolled, NumberChosen(die[0], 3)).layout == turned(state.layout, die, 3)


BOTH = (RolledWrong("R", "B-2", 3), KnockedOver("R", False))


@pytest.mark.parametrize("mistakes", [BOTH, BOTH[::-1]], ids=["rolled first", "knocked over first"])
def test_a_rivals_die_that_was_rolled_and_knocked_over_a_stack_costs_both(mistakes):  # ST-50, ST-51, ST-54
    before = table("6:R", "5:BG", "5:B", "5:G")
    state = play(before, *mistakes)
    assert awaiting(state) == {"R"}  # the penalty roll comes first
    state = apply(state, PenaltyRolled("R", 4))
    assert score(state)["R"] == -14
    assert awaiting(state) == {"B"}
    assert legal(state, "B") == (NumberChosen("B", 5), NumberChosen("B", 3))
    after = apply(state, NumberChosen("B", 3))
    assert (after.turn, after.accident, after.decision) == ("B", None, None)  # one turn is lost, not two
    assert after.layout == turned(before.layout, "B-2", 3)


@pytest.mark.parametrize("order", [1, -1])
def test_a_rivals_die_that_fell_on_its_own_number_may_have_knocked_over_a_stack_too(order):  # ST-50, ST-54
    state = table("6:R", "5:BG", "5:B", "5:G")
    fallen = play(state, *(RolledWrong("R", "B-2", 5), KnockedOver("R", True))[::order])
    assert (awaiting(fallen), fallen.layout) == ({"R"}, state.layout)
    after = apply(fallen, PenaltyRolled("R", 4))
    assert (after.turn, score(after)["R"]) == ("B", -4)


def test_only_who_rolled_the_die_can_have_knocked_over_a_stack_with_it():  # ST-50, ST-54
    state = apply(table("6:R", "5:BG", "5:B", "5:G"), RolledWrong("R", "B-2", 3))
    with pytest.raises(IllegalEvent, match="First the owner of the rolled die decides which number it keeps"):
        apply(state, KnockedOver("B", True))
    with pytest.raises(IllegalEvent, match="penalty roll comes first"):
        play(state, KnockedOver("R", True), KnockedOver("R", True))


@pytest.mark.parametrize("kept", [5, 2])
def test_rolling_a_rivals_die_lets_its_owner_choose_the_number(kept):  # ST-54
    state = table("5:R", "4:B", "4:G", players="RBG", turn="B")
    state = apply(state, RolledWrong("B", "R-1", 2))  # ST-E20
    assert awaiting(state) == {"R"}
    assert legal(state, "R") == (NumberChosen("R", 5), NumberChosen("R", 2))
    for wrong in (NumberChosen("R", 3), NumberChosen("B", 5)):
        with pytest.raises(IllegalEvent, match=r"[:.] \w"):
            apply(state, wrong)
    with pytest.raises(IllegalEvent, match="First the owner of the rolled die decides which number it keeps"):
        apply(state, Rolled("B", "B-1", 1))
    after = apply(state, NumberChosen("R", kept))
    assert after.layout.faces["R-1"] == kept
    assert after.turn == "G"


def test_a_rivals_die_that_shows_the_same_number_again_leaves_nothing_to_decide():  # ST-54
    assert apply(table("5:R", "4:B", turn="B"), RolledWrong("B", "R-1", 5)).turn == "R"


def test_the_lost_turn_is_the_one_in_which_the_mistake_happens():  # ST-55
    state = table("6:R", "5:B", "4:B", "5:G")
    state = play(state, PickedUpWrong("R", "B-1"), Rolled("B", "B-1", 1), Rolled("G", "G-1", 2))
    assert state.turn == "R"


def test_who_plays_out_of_turn_loses_the_next_turn_of_their_own():  # ST-56
    state = apply(table("6:R", "5:B", "4:G"), PlayedOutOfTurn("B"))
    assert state.turn == "R"
    state = apply(state, Rolled("R", "R-1", 1))
    assert state.turn == "G"
    assert state.passed == ("B",)
    state = play(state, Rolled("G", "G-1", 2), Rolled("R", "R-1", 3))
    assert state.turn == "B"


def test_out_of_turn_in_the_last_turns_costs_the_last_turn():  # ST-56
    state = table("6:GB", "5:B", "4:R", turn="R", out=("G",), last_turns=("R", "B"))
    state = play(state, PlayedOutOfTurn("B"), Rolled("R", "R-1", 1))
    assert stage(state) is Stage.COUNT


def test_a_turn_lost_by_who_has_none_left_is_lost_in_the_next_round():  # ST-56
    state = table("6:GB", "5:B", "4:R", turn="R", out=("G",), last_turns=("R",))
    state = play(state, PlayedOutOfTurn("G"), Rolled("R", "R-1", 1), RoundCounted())
    state = apply(state, StartRolled((("R", 2), ("B", 3), ("G", 1))))
    state = apply(state, AllDropped(tuple((player, DROP) for player in "RBG")))
    assert state.turn == "R"


def test_a_table_may_only_warn():  # ST-56
    options = {"lost_turn_out_of_turn": OutOfTurn.WARNING}
    state = table("6:R", "5:B", "4:G", options=options)
    assert apply(state, PlayedOutOfTurn("B")) == state
    with pytest.raises(IllegalEvent, match="It's this player's turn"):
        apply(state, PlayedOutOfTurn("R"))


def test_scores_may_become_negative():  # ST-57
    after = play(table("6:R", "5:BG"), KnockedOver("R", False), PenaltyRolled("R", 6))
    assert score(after)["R"] == -16


# scoring


def test_only_the_top_number_of_each_stack_counts():  # ST-58, ST-05
    state = table("5:BR", "6:GBR", "1:BR", "3:RB", "4:R", "1:R")  # ST-E09
    assert score(state) == {"R": 21, "B": 3, "G": 0}
    assert explain(state, "R") == (
        ("Stack of 2, 5 on top", 5, "ST-58"),
        ("Stack of 3, 6 on top", 6, "ST-58"),
        ("Stack of 2, 1 on top", 10, "ST-58"),
    )


def test_unstacked_dice_score_nothing():  # ST-59
    assert score(table("1:R", "6:B")) == {"R": 0, "B": 0}


def test_penalties_are_part_of_the_running_total():  # ST-61
    state = play(table("6:R", "5:BG", "4:B"), KnockedOver("R", True), PenaltyRolled("R", 3))
    assert score(state) == {"R": -3, "B": 0, "G": 5}
    assert explain(state, "R") == (("Knocked over a stack", -3, "ST-50"),)


def counted(
    target: int = 200, players: str = "RBG", teams: int = 0, starter: Starter = Starter.ROLL, **totals: int
) -> State:
    past = {player: totals.get(player, 0) for player in players}
    options = {"target": target, "teams": teams, "starter_each_round": starter}
    loose = tuple(f"6:{player}" for player in players)
    state = table(*loose, players=players, turn=None, last_turns=(), past=(past,), options=options)
    return apply(state, RoundCounted())


def test_the_game_ends_after_a_round_with_more_than_the_target():  # ST-60
    assert not is_over(counted(R=200, B=180))  # ST-E21
    assert winners(counted(R=201, B=198)) == ("R",)  # ST-E22
    assert winners(counted(R=215, B=230, G=40)) == ("B",)  # ST-E23
    assert winners(counted(target=50, R=51)) == ("R",)
    assert winners(counted(target=-5, R=-4, B=-6, G=-7)) == ("R",)
    assert not winners(counted(target=1_000_000, R=1_000_000))
    with pytest.raises(IllegalEvent, match="over"):
        apply(counted(R=201), StartRolled((("R", 1),)))
    assert awaiting(counted(R=201)) == frozenset()
    assert legal(counted(R=201), "R") == ()


def test_more_than_the_target_ends_nothing_before_the_round_is_counted():  # ST-60
    assert not is_over(table("6:RB", "5:R", "4:B", "4:G", past=({"R": 300, "B": 0, "G": 0},)))


def test_a_shared_highest_total_means_another_round():  # ST-62
    state = counted(R=205, B=205, G=201)  # ST-E24
    assert not is_over(state)
    assert awaiting(state) == {"R", "B", "G"}


def test_a_ruling_counts_like_any_other_points():
    state = apply(table("6:RB"), Ruling("R", -4, "Hid a die"))
    assert score(state) == {"R": -4, "B": 6}
    assert explain(state, "R")[-1] == ("Ruling: Hid a die", -4, "ruling")
    assert score(apply(counted(R=201), Ruling("B", 5, "Late"))) == {"R": 201, "B": 5, "G": 0}


@pytest.mark.parametrize(
    ("starter", "current"),
    [
        (Starter.ROLL, Stage.START_ROLL),
        (Starter.ROTATE, Stage.DROP),  # B begins
        (Starter.WINNER, Stage.START_ROLL),  # All gained the same.
    ],
)
def test_a_ruling_that_ties_a_finished_game_means_another_round(starter, current):  # ST-62, ST-13
    over = counted(starter=starter, R=205, B=203)
    assert (stage(over), winners(over)) == (Stage.OVER, ("R",))
    tied = apply(over, Ruling("B", 2, "A stack was counted as three"))
    assert (stage(tied), winners(tied)) == (current, ())
    assert awaiting(tied) == {"R", "B", "G"}
    assert legal(tied, "R")
    if current is Stage.START_ROLL:
        tied = apply(tied, StartRolled((("R", 2), ("B", 6), ("G", 3))))
    begun = play(tied, *(Dropped(player, DROP) for player in "RBG"))
    assert (begun.turn, winners(apply(begun, Ruling("R", 1, "Late")))) == ("B", ())  # a whole round is played now


def test_a_ruling_that_takes_points_below_the_target_means_another_round():  # ST-60
    state = apply(counted(R=201, B=180), Ruling("R", -1, "Hid a die"))
    assert not is_over(state)
    assert awaiting(state) == {"R", "B", "G"}


def test_a_ruling_between_two_rounds_can_decide_the_game():  # ST-60, ST-62
    tied = counted(starter=Starter.ROTATE, R=205, B=205)
    over = apply(tied, Ruling("B", 1, "Late"))
    assert (is_over(over), winners(over)) == (True, ("B",))
    again = apply(over, Ruling("R", 1, "Late, too"))
    assert again == replace(tied, rulings=again.rulings)  # whose turn it is to begin has not gone on
    assert winners(apply(counted(R=200, B=180), Ruling("R", 1, "Late"))) == ("R",)
    assert winners(apply(over, Ruling("G", 0, "Put on record"))) == ("B",)


def test_a_ruling_in_a_round_ends_nothing_before_it_is_counted():  # ST-60, ST-61
    assert not is_over(apply(fresh(target=10), Ruling("R", 11, "Late")))
    state = apply(table("6:RB", "5:R", "4:B", options={"target": 10}), Ruling("R", 11, "Late"))
    assert not is_over(state)
    counting = replace(state, turn=None, last_turns=())
    assert winners(apply(counting, RoundCounted())) == ("R",)


# variants


def test_the_team_with_the_highest_combined_score_wins():  # ST-70, ST-74
    state = counted(players="RBGV", teams=2, R=100, B=190, G=101, V=10)
    assert sides(state) == (("R", "G"), ("B", "V"))
    assert winners(state) == ("R", "G")
    assert ranked(state) == (("R", "G"), ("B", "V"))  # B alone made the most points of all.


def test_the_target_is_for_the_combined_score():  # ST-74
    assert is_over(counted(players="RBGV", teams=2, R=101, G=100))
    assert not is_over(counted(players="RBGV", teams=2, R=100, G=100))
    assert not is_over(counted(players="RBGV", teams=2, R=150, G=60, B=210))  # ST-62


@pytest.mark.parametrize(
    ("players", "teams"), [("RBG", 2), ("RBGVY", 2), ("RBGV", 3), ("RB", 3), ("RB", 1), ("RB", -2)]
)
def test_partners_never_sit_side_by_side(players, teams):  # ST-71
    with pytest.raises(IllegalEvent, match="teams"):
        fresh(players, teams=teams)
    assert sides(fresh("RBGVYO", teams=3)) == (("R", "V"), ("B", "Y"), ("G", "O"))


def test_no_stacking_on_a_partner_unless_the_table_allows_it():  # ST-72
    piles = ("6:R", "6:G", "6:RBG", "6:B", "5:B", "5:V")
    with pytest.raises(IllegalEvent, match="partner"):
        apply(table(*piles, players="RBGV", options={"teams": 2}), Stacked("R", "R-1", "G-1"))
    assert targets(table(*piles, players="RBGV", options={"teams": 2}), "R", 6) == (("B-2",),)
    allowed = table(*piles, players="RBGV", options={"teams": 2, "team_stack_on_partner": True})
    assert apply(allowed, Stacked("R", "R-1", "G-1")).turn == "B"


def test_a_partner_whose_last_die_a_partner_covered_is_not_out():  # ST-41, ST-72
    options = {"teams": 2, "team_stack_on_partner": True}
    state = table("6:R", "5:R", "6:G", "5:B", "4:B", "5:V", "4:V", players="RBGV", options=options)
    state = apply(state, Stacked("R", "R-1", "G-1"))
    assert state.out == ()
    state = apply(state, Rolled("B", "B-1", 1))
    assert state.turn == "V"  # G has nothing to play


def test_a_partners_die_is_none_that_can_be_picked_up_wrong():  # ST-53, ST-72
    with pytest.raises(IllegalEvent, match="rival's"):
        apply(table("6:R", "6:G", "6:B", "6:V", players="RBGV", options={"teams": 2}), PickedUpWrong("R", "G-1"))


@pytest.mark.parametrize(("partner", "last"), [(False, ("V", "B")), (True, ("V", "R", "B"))])
def test_a_partner_has_no_last_turn(partner, last):  # ST-73
    options = {"teams": 2, "partner_last_turn": partner}
    state = table("6:G", "6:B", "5:B", "5:R", "5:V", players="RBGV", turn="G", options=options)
    assert apply(state, Stacked("G", "G-1", "B-1")).last_turns == last


def test_in_teams_two_who_are_out_at_once_leave_everybody_else_a_last_turn():  # ST-41, ST-73
    state = table("6:R", "5:R", "6:B", "5:G", "5:V", players="RBGV", options={"teams": 2})
    assert apply(state, Stacked("R", "R-1", "B-1")).last_turns == ("G", "V")


# house rules


def test_a_die_off_the_table_costs_a_point_each():  # ST-80
    state = table("6:R", options={"hr_die_off_table": True})
    assert score(play(state, FellOffTable("R"), FellOffTable("R")))["R"] == -2
    with pytest.raises(IllegalEvent, match="cost nothing"):
        apply(table("6:R"), FellOffTable("R"))


def test_swearing_costs_a_point():  # ST-81
    assert score(apply(table("6:R", "6:B", options={"hr_swearing": True}), Swore("B")))["B"] == -1
    with pytest.raises(IllegalEvent, match="costs nothing"):
        apply(table("6:R"), Swore("R"))


def test_rolling_a_two_costs_a_point_in_a_turn_only():  # ST-82
    options = {"hr_rolled_two": True}
    state = apply(fresh("RB", **options), StartRolled((("R", 2), ("B", 3))))
    state = apply(state, AllDropped((("R", (2,) * DICE), ("B", (3,) * DICE))))
    assert score(state) == {"R": 0, "B": 0}
    assert score(apply(state, Rolled("B", "B-3a", 2))) == {"R": 0, "B": -1}
    assert score(play(table("6:R", "5:BG", options=options), KnockedOver("R", True), PenaltyRolled("R", 2)))["R"] == -2
    assert score(apply(table("6:R", "6:B"), Rolled("R", "R-1", 2)))["R"] == 0


def test_a_capture_costs_every_other_player_a_point():  # ST-83
    past = ({"R": 12, "B": 9, "G": 0},)
    state = table("6:RGR", "6:B", "5:B", turn="B", options={"hr_capture_tax": True}, past=past)
    before = score(state)
    after = score(apply(state, Stacked("B", "B-1", "R-2")))  # ST-E25, the stack itself aside
    assert {player: after[player] - before[player] for player in "RBG"} == {"R": -6 - 1, "B": 6, "G": -1}
    state = table("6:RGR", "6:B", "5:B", turn="B", past=past)
    assert score(apply(state, Stacked("B", "B-1", "R-2")))["G"] == 0


def test_four_high_counts_double():  # ST-84
    state = table("4:RBRB", "1:RBGR", "5:GB", options={"hr_double_four_high": True})  # ST-E11
    assert score(state) == {"R": 20, "B": 13, "G": 0}
    assert ("Stack of 4, captured, 1 on top", 20, "ST-84") in explain(state, "R")


def test_tables_make_their_own_penalties():  # ST-85
    options = {"custom_penalties": (("Phone", 3), ("Late", -5))}
    state = play(table("6:R", options=options), Penalised("R", "Phone"), Penalised("R", "Late"))
    assert score(state)["R"] == -8
    with pytest.raises(IllegalEvent, match="no such penalty"):
        apply(state, Penalised("R", "Sneezing"))
    for wrong in ((("", 3),), (("x" * 41, 3),), (("A", 0),), (("A", 1), ("A", 2)), (("A", 9999),)):
        with pytest.raises(IllegalEvent, match=r"[:.] \w"):
            fresh(custom_penalties=wrong)


@pytest.mark.parametrize("wrong", [{"target": -(10**9)}, {"target": 10**9}, {"penalty_one_value": 5}])
def test_switches_that_make_no_game_are_refused(wrong):
    with pytest.raises(IllegalEvent, match=r"[:.] \w"):
        fresh(**wrong)


# what the table rules


def test_the_table_may_say_that_a_play_stands():
    state = table("6:R", "5:R", "6:B", "4:B", "4:G")
    after = apply(state, Stacked("B", "B-1", "R-2"), ruled=True)  # out of turn, and not the same number
    assert after.layout.stacks == (("R-2", "B-1"),)
    assert after.turn == "G"
    with pytest.raises(IllegalEvent, match="Choose a single die or the top of a stack"):
        apply(state, Stacked("R", "R-1", "X-1"), ruled=True)
    with pytest.raises(IllegalEvent, match="unstacked"):
        apply(after, Stacked("B", "B-1", "R-1"), ruled=True)


def test_a_penalty_roll_stays_due_whatever_the_table_rules_meanwhile():
    state = apply(table("6:R", "5:BG", "4:B", "4:G"), KnockedOver("R", True))
    state = apply(state, Rolled("B", "B-2", 1), ruled=True)
    assert awaiting(state) == {"R"}
    assert score(apply(state, PenaltyRolled("R", 6)))["R"] == -6


# what comes from outside

PLAYERS = st.sampled_from(["R", "B", "G", "X", ""])
DICE_NAMES = st.sampled_from(["R-1", "R-2", "R-3", "B-1", "B-2", "G-1", "X-1", "R-", "", "-1"])
NUMBERS = st.one_of(st.integers(-2, 8), st.integers())
VALUES = st.one_of(st.lists(NUMBERS, max_size=16).map(tuple), st.just(DROP))
FIELDS = {
    "player": PLAYERS,
    "die": DICE_NAMES,
    "onto": DICE_NAMES,
    "value": NUMBERS,
    "values": VALUES,
    "rebuilt": st.booleans(),
    "name": st.text(max_size=5),
    "points": NUMBERS,
    "why": st.text(max_size=5),
    "rolls": st.lists(st.tuples(PLAYERS, NUMBERS), max_size=4).map(tuple),
    "dice": st.lists(st.tuples(PLAYERS, VALUES), max_size=4).map(tuple),
}
ANYTHING = st.one_of([st.builds(kind, **{f.name: FIELDS[f.name] for f in fields(kind)}) for kind in EVENTS])


@given(happened=st.lists(st.tuples(ANYTHING, st.booleans()), max_size=8), begun=st.booleans())
def test_whatever_comes_is_accepted_or_refused_with_a_sentence(happened, begun):
    known = {"custom_penalties": (("", 1),)}
    state = table("6:R", "5:R", "6:BR", "6:B", "5:G", "4:GB", "6:G") if begun else fresh("RBG")
    state = replace(state, options=replace(state.options, **known))
    for event, ruled in happened:
        before = repr(state)
        try:
            after = apply(state, event, ruled=ruled)
        except IllegalEvent:
            after = state
        assert repr(state) == before
        state = after
        assert set(score(state)) == set("RBG")
        for player in "RBG":
            for move in legal(state, player):
                apply(state, move)
