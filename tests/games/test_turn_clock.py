"""The turn clock by its sheet, docs/games/turn_clock.md: cases by hand, and 10,000 games against a clock that ticks."""

import random
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent
from companion.game.box import Device, Light, Phase, Signal
from companion.games.turn_clock import GAME, lights
from companion.games.turn_clock.events import (
    CameBack,
    Corrected,
    Drawn,
    DroppedOut,
    Passed,
    Paused,
    Resumed,
    Reversed,
    RoundRang,
    Skipped,
    Started,
    TimeRanOut,
    TurnGiven,
    Won,
)
from companion.games.turn_clock.options import PRESETS, Bonus, Options, Way, Zero
from companion.games.turn_clock.state import Stage, shown_us, stage
from tests.games.clock_model import Ticking

S = 1_000_000
RULES = GAME.rules
PLAIN = Options(minutes=1, bonus_s=0)
TURN = Options(way=Way.TURN, minutes=0, seconds=30, bonus_s=0)
ROUNDS = Options(way=Way.ROUND, minutes=1, bonus_s=0)
SEED = 64


def play(options, players, *events):
    state = RULES.start(options, tuple(players))
    for event in events:
        state = RULES.apply(state, event)
    return state


def clocks(state, at_us=None):
    """What the clocks show, in seat order."""
    return [shown_us(state, player, state.at_us if at_us is None else at_us) for player in state.players]


def refused(state, event, why):
    with pytest.raises(IllegalEvent, match=why):
        RULES.apply(state, event)


# starting and passing on


def test_any_button_starts_the_clock_of_the_seat_that_begins():  # TC-01, TC-10
    assert play(PLAIN, "ABC").thinking == ()
    assert play(PLAIN, "ABC", Started(0)).thinking == ("A",)
    assert play(replace(PLAIN, first_seat=3), "ABC", Started(0)).thinking == ("C",)
    assert lights.bind(play(PLAIN, "ABC"), Signal(Device.SEAT, True, 7, 2)) == Started(7)
    refused(play(PLAIN, "AB", Started(0)), Started(1), "runs already")


def test_who_presses_to_start_it_too_is_not_done():  # TC-10
    state = play(ROUNDS, "AB", Started(7))
    presses = [Signal(Device.SEAT, True, 7 + later_us, 2) for later_us in (0, S // 2 - 1, S // 2)]
    assert [lights.bind(state, press) for press in presses] == [None, None, Passed("B", 7 + S // 2)]


def test_who_presses_just_after_the_buzzer_starts_no_round():  # TC-28
    state = play(ROUNDS, "AB", Started(0), RoundRang(60 * S))
    presses = [Signal(Device.SEAT, True, 60 * S + later_us, 2) for later_us in (0, 1, S // 2 - 1, S // 2)]
    made = [lights.bind(state, press) for press in presses]
    assert made == [Passed("B", 60 * S), None, None, Started(60 * S + S // 2)]


def test_a_turn_ends_at_the_stamp_of_the_press_and_the_next_begins_there():  # TC-02, TC-03, TC-11
    state = play(PLAIN, "AB", Started(5), Passed("A", 7 * S + 6))
    assert state.thinking == ("B",)
    assert clocks(state, 9 * S) == [53 * S - 1, 60 * S - (2 * S - 6)]


def test_only_who_is_on_the_turn_passes_on():  # TC-12
    state = play(PLAIN, "AB", Started(0))
    refused(state, Passed("B", S), "isn't this player's turn")
    assert lights.bind(state, Signal(Device.SEAT, True, S, 2)) is None
    assert lights.bind(state, Signal(Device.SEAT, False, S, 1)) is None
    refused(play(PLAIN, "AB"), Passed("A", S), "Start it first")


# the ways, as in the table of the sheet


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (PLAIN, (53, 47)),  # 60 - 7, 60 - 13
        (replace(PLAIN, bonus_s=5), (58, 52)),  # 60 - 7 + 5, 60 - 13 + 5
        (replace(PLAIN, bonus_s=5, bonus=Bonus.GIVEN_BACK), (58, 52)),
        (replace(PLAIN, bonus_s=5, bonus=Bonus.DELAY), (58, 52)),
        (replace(PLAIN, way=Way.HOURGLASS), (66, 54)),  # 60 - 7 + 13, 60 + 7 - 13
        (replace(PLAIN, way=Way.UP), (7, 13)),
        (replace(PLAIN, way=Way.TURN), (60, 60)),
    ],
)
def test_the_turns_of_the_sheet(options, shown):  # TC-20, TC-21, TC-22, TC-23, TC-24, TC-25, TC-26
    state = play(options, "AB", Started(0), Passed("A", 7 * S), Passed("B", 20 * S))
    assert clocks(state) == [shown[0] * S, shown[1] * S]


@pytest.mark.parametrize(("bonus", "left"), [(Bonus.ADDED, 63), (Bonus.GIVEN_BACK, 60), (Bonus.DELAY, 60)])
def test_a_short_turn_tells_the_bonuses_apart(bonus, left):  # TC-21, TC-22, TC-23
    state = play(replace(PLAIN, bonus_s=5, bonus=bonus), "AB", Started(0), Passed("A", 2 * S))
    assert clocks(state)[0] == left * S


@pytest.mark.parametrize(("bonus", "up_s"), [(Bonus.ADDED, 60), (Bonus.GIVEN_BACK, 60), (Bonus.DELAY, 65)])
def test_when_the_time_of_a_first_turn_is_up(bonus, up_s):  # TC-21, TC-22, TC-23
    state = play(replace(PLAIN, bonus_s=5, bonus=bonus), "AB", Started(0))
    assert RULES.due(state).at_us == up_s * S


def test_a_pause_stops_the_delay_too():  # TC-23
    state = play(replace(PLAIN, bonus_s=5, bonus=Bonus.DELAY), "AB", Started(0), Paused(2 * S), Resumed(50 * S))
    assert clocks(state, 53 * S)[0] == 60 * S
    assert clocks(state, 54 * S)[0] == 59 * S


def test_an_hourglass_of_three_loses_no_microsecond():  # TC-24
    state = play(replace(PLAIN, way=Way.HOURGLASS), "ABC", Started(0), Passed("A", 5))
    assert clocks(state) == [60 * S - 5, 60 * S + 3, 60 * S + 2]
    with pytest.raises(IllegalEvent, match="two players"):
        play(replace(PLAIN, way=Way.HOURGLASS), "A")


def test_no_time_runs_out_where_it_counts_up():  # TC-26
    assert RULES.due(play(Options(way=Way.UP, bonus_s=0), "AB", Started(0))) is None


# rounds, and all at once


def test_the_buzzer_ends_a_round_and_the_next_one_waits():  # TC-27, TC-28
    state = play(ROUNDS, "AB", Started(0), Passed("B", 10 * S))
    assert (state.thinking, RULES.due(state).event) == (("A",), RoundRang(60 * S))
    state = RULES.apply(state, RoundRang(60 * S))
    assert (stage(state), state.lap, RULES.due(state)) == (Stage.WAITING, 2, None)
    assert [state.seats[player].used_us for player in "AB"] == [60 * S, 10 * S]
    assert RULES.apply(state, Started(70 * S)).thinking == ("A", "B")


def test_a_round_ends_once_all_have_pressed():  # TC-27
    state = play(ROUNDS, "AB", Started(0), Passed("B", 10 * S), Passed("A", 11 * S))
    assert (stage(state), clocks(state)) == (Stage.WAITING, [60 * S, 60 * S])


def test_a_round_begins_by_itself_after_its_break_and_the_last_one_ends_it():  # TC-28, TC-62
    state = play(replace(ROUNDS, break_s=20, rounds=2), "AB", Started(0), RoundRang(60 * S))
    assert RULES.due(state).event == Started(80 * S)
    state = RULES.apply(RULES.apply(state, Started(80 * S)), RoundRang(140 * S))
    assert (RULES.is_over(state), RULES.winners(state)) == (True, ("A", "B"))


def test_all_think_at_once_until_all_have_pressed():  # TC-29
    state = play(replace(PLAIN, together=True), "ABC", Started(0), Passed("B", 4 * S), Passed("C", 6 * S))
    assert state.thinking == ("A",)
    state = RULES.apply(state, Passed("A", 9 * S))
    assert state.thinking == ("A", "B", "C")
    assert clocks(state) == [51 * S, 56 * S, 54 * S]
    refused(state, Skipped(9 * S), "no order")


# a time that is up


def test_who_has_no_time_left_is_out_and_the_last_one_wins():  # TC-30, TC-33, TC-61
    state = play(PLAIN, "ABC", Started(0), TimeRanOut("A", 60 * S))
    assert (state.thinking, clocks(state)) == (("B",), [0, 60 * S, 60 * S])
    state = RULES.apply(state, TimeRanOut("B", 120 * S))
    assert RULES.winners(state) == ("C",)
    assert RULES.score(state) == {"A": 0, "B": 0, "C": 1}
    assert RULES.winners(play(PLAIN, "A", Started(0), TimeRanOut("A", 60 * S))) == ()


def test_a_time_is_up_at_its_instant_and_not_before():  # TC-30
    state = play(PLAIN, "AB", Started(3))
    assert RULES.due(state).at_us == 60 * S + 3
    refused(state, TimeRanOut("A", 60 * S + 2), "isn't up yet")
    refused(state, Passed("A", 60 * S + 4), "was up before")


def test_the_turn_passes_on_where_the_table_wants_that():  # TC-31
    state = play(replace(TURN, zero=Zero.PASSES), "AB", Started(0), TimeRanOut("A", 30 * S))
    assert (state.thinking, clocks(state)) == (("B",), [30 * S, 30 * S])
    with pytest.raises(IllegalEvent, match="its own time"):
        play(replace(PLAIN, zero=Zero.PASSES), "AB")


def test_the_turn_goes_on_below_zero_where_the_table_wants_that():  # TC-32
    state = play(replace(PLAIN, zero=Zero.GOES_ON), "AB", Started(0), TimeRanOut("A", 60 * S))
    assert (state.thinking, RULES.due(state)) == (("A",), None)
    assert clocks(RULES.apply(state, Passed("A", 61 * S)))[0] == -S
    untold = play(replace(PLAIN, zero=Zero.GOES_ON), "AB", Started(0), Passed("A", 61 * S))
    assert clocks(untold)[0] == -S
    corrected = RULES.apply(state, Corrected("A", 61 * S, 30))
    assert RULES.due(corrected).at_us == 90 * S


# a press that is told later


def test_a_press_in_time_counts_after_the_end_of_the_time_was_told():  # TC-13
    ended = play(PLAIN, "AB", Started(0), TimeRanOut("A", 60 * S))
    assert RULES.winners(ended) == ("B",)
    for stamp in (60 * S - 1, 60 * S):
        press = lights.bind(ended, Signal(Device.SEAT, True, stamp, 1))
        state = RULES.apply(ended, press)
        assert (RULES.is_over(state), state.thinking, clocks(state)) == (False, ("B",), [60 * S - stamp, 60 * S])
    refused(ended, Passed("A", 60 * S + 1), "over")


def test_a_press_before_a_pause_counts_and_the_pause_stays():  # TC-13
    state = play(PLAIN, "AB", Started(0), Paused(10 * S), Passed("A", 10 * S - 5))
    assert (stage(state), state.thinking) == (Stage.PAUSED, ("B",))
    assert clocks(state) == [50 * S + 5, 60 * S - 5]
    refused(play(PLAIN, "AB", Started(0), Paused(10 * S)), Passed("A", 10 * S + 1), "paused")


def test_a_press_before_the_buzzer_ends_the_round_in_its_own_way():  # TC-13
    state = play(ROUNDS, "AB", Started(0), Passed("B", S), RoundRang(60 * S), Passed("A", 60 * S - 1))
    assert (state.rang_us, state.seats["A"].used_us, state.lap) == (None, 60 * S - 1, 2)


@pytest.mark.parametrize("order", [*permutations("ABC")], ids="".join)
@pytest.mark.parametrize("options", [replace(PLAIN, together=True), ROUNDS], ids=["turn", "round"])
def test_presses_count_at_their_stamps_in_whatever_order_they_are_told(order, options):  # TC-02, TC-13
    stamps = {"A": 9 * S, "B": 4 * S, "C": 6 * S}
    state = play(options, "ABC", Started(0), *(Passed(player, stamps[player]) for player in order))
    assert [state.seats[player].used_us for player in "ABC"] == [9 * S, 4 * S, 6 * S]
    assert (state.lap, state.since_us or state.ended_us, state.at_us) == (2, 9 * S, 9 * S)


def test_a_press_counts_at_its_stamp_although_a_clock_was_corrected_since():  # TC-02
    state = play(PLAIN, "AB", Started(0), Corrected("B", 10 * S, 5), Passed("A", 9 * S))
    assert (state.thinking, clocks(state, 10 * S)) == (("B",), [51 * S, 64 * S])
    refused(state, Paused(9 * S), "in between")


def test_one_press_is_no_two():  # TC-13
    state = play(PLAIN, "AB", Started(0), Passed("A", S))
    refused(state, Passed("A", S), "isn't this player's turn")


# the order


def test_the_order_turns_round():  # TC-40
    state = play(PLAIN, "ABC", Started(0), Reversed(S))
    assert state.thinking == ("A",)
    assert RULES.apply(state, Passed("A", 2 * S)).thinking == ("C",)


def test_a_skipped_turn_leaves_no_trace_on_its_clock():  # TC-41
    state = play(replace(PLAIN, bonus_s=5), "ABC", Started(0), Passed("A", S), Skipped(4 * S))
    assert (state.thinking, clocks(state)) == (("C",), [64 * S, 60 * S, 60 * S])
    assert state.seats["B"].turns == 0


def test_the_turn_is_given_to_anybody_and_the_turn_before_has_its_bonus():  # TC-42
    state = play(replace(PLAIN, bonus_s=5), "ABC", Started(0), TurnGiven("C", 10 * S))
    assert (state.thinking, clocks(state)[0]) == (("C",), 55 * S)
    refused(state, TurnGiven("C", 11 * S), "somebody else")


def test_who_drops_out_keeps_the_clock_and_may_come_back():  # TC-43, TC-44
    state = play(replace(PLAIN, bonus_s=5), "ABC", Started(0), DroppedOut("A", 10 * S))
    assert (state.thinking, clocks(state)[0]) == (("B",), 50 * S)
    state = RULES.apply(RULES.apply(state, CameBack("A", 11 * S)), TurnGiven("A", 12 * S))
    assert clocks(state, 13 * S)[0] == 49 * S
    over = play(PLAIN, "AB", DroppedOut("A", 0))
    assert RULES.winners(over) == ("B",)
    refused(play(PLAIN, "ABC", Started(0), TimeRanOut("A", 60 * S)), CameBack("A", 60 * S), "come back")
    refused(play(PLAIN, "A"), DroppedOut("A", 0), "has to stay")


# pauses and corrections


def test_a_pause_costs_nobody_a_microsecond():  # TC-50, TC-51
    state = play(PLAIN, "AB", Started(0), Paused(10 * S + 1))
    assert RULES.due(state) is None
    assert clocks(state, 99 * S) == [50 * S - 1, 60 * S]
    state = RULES.apply(state, Resumed(500 * S))
    assert RULES.due(state).at_us == 550 * S - 1
    refused(state, Resumed(501 * S), "isn't paused")


def test_a_clock_is_corrected_by_whole_seconds_and_never_below_zero():  # TC-52
    state = play(PLAIN, "AB", Started(0), Corrected("A", 10 * S, -20), Corrected("B", 10 * S, 15))
    assert clocks(state) == [30 * S, 75 * S]
    assert RULES.due(state).at_us == 40 * S
    refused(state, Corrected("A", 10 * S, -31), "shows less")
    refused(state, Corrected("A", 10 * S, 3601), "1 to 3600")
    state = play(ROUNDS, "AB", Started(0), Corrected("A", 10 * S, 30))
    assert clocks(state) == [80 * S, 80 * S]


# the end


def test_the_table_says_who_has_won_and_all_clocks_stop():  # TC-60, TC-61
    state = play(PLAIN, "AB", Started(0), Won("B", 10 * S))
    assert (RULES.winners(state), RULES.due(state), clocks(state, 99 * S)) == (("B",), None, [50 * S, 60 * S])
    assert RULES.winners(play(PLAIN, "ABC", DroppedOut("B", 0), Drawn(0))) == ("A", "C")
    refused(state, Started(11 * S), "over")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"minutes": 0}, "needs a time"),
        ({"minutes": 181}, "0 to 180"),
        ({"bonus_s": -1}, "0 to 300"),
        ({"way": Way.TURN, "bonus_s": 5}, "Set them to 0"),
        ({"rounds": 3}, "Only rounds"),
        ({"first_seat": 3}, "Seat 3 is empty"),
        ({"way": Way.HOURGLASS, "together": True}, "take turns"),
    ],
)
def test_options_that_cannot_be_played_are_refused(changed, why):  # TC-20
    with pytest.raises(IllegalEvent, match=why):
        play(replace(PLAIN, **changed), "AB")


# buttons and lights


def test_lights_say_whose_turn_it_is_and_blink_at_the_end():  # TC-70, TC-71, TC-72
    fresh = play(PLAIN, "AB")
    assert lights.look(fresh, 0).lights == (Light.SLOW, Light.SLOW)
    state = RULES.apply(fresh, Started(0))
    assert lights.look(state, 0).lights == (Light.ON, Light.OFF)
    assert lights.look(state, 50 * S - 1).phase is Phase.RUNNING
    assert lights.look(state, 50 * S).phase is Phase.LAST_SECONDS
    assert lights.look(state, 50 * S).lights == (Light.FAST, Light.OFF)
    assert lights.look(RULES.apply(state, Paused(S)), S).lights == (Light.SLOW, Light.OFF)
    rung = play(TURN, "ABC", Started(0), TimeRanOut("A", 30 * S))
    assert [lights.look(rung, at).phase for at in (30 * S, 33 * S - 1, 33 * S)] == [
        Phase.FINISHED,
        Phase.FINISHED,
        Phase.RUNNING,
    ]


def test_the_box_buzzes_once_where_a_turn_goes_on_below_zero():  # TC-32, TC-72
    state = play(replace(PLAIN, zero=Zero.GOES_ON), "AB", Started(0), TimeRanOut("A", 60 * S))
    assert [lights.look(state, at).phase for at in (60 * S, 63 * S)] == [Phase.FINISHED, Phase.RUNNING]


def test_a_quiet_box_makes_no_sound_and_still_blinks():  # TC-73
    state = play(replace(PLAIN, quiet=True), "AB", Started(0))
    looks = [lights.look(state, at) for at in (0, 55 * S)]
    assert [look.phase for look in looks] == [Phase.WAITING] * 2
    assert looks[1].lights == (Light.FAST, Light.OFF)


def test_the_start_button_starts_pauses_and_goes_on():  # TC-10, TC-50, TC-51
    fresh = play(PLAIN, "AB")
    running = RULES.apply(fresh, Started(0))
    press = Signal(Device.START, True, 5)
    made = [lights.bind(state, press) for state in (fresh, running, RULES.apply(running, Paused(1)))]
    assert made == [Started(5), Paused(5), Resumed(5)]
    assert lights.bind(running, Signal(Device.SEAT, True, S, 1)) == Passed("A", S)


# what holds whatever is played

SPANS = st.lists(st.integers(0, 20 * S), min_size=1, max_size=30)
SEATS = st.sampled_from(["AB", "ABC", "ABCDEFGH"])


def pressed(options, players, spans):
    """The state after turns of these lengths, as long as no time is up."""
    state = play(options, players, Started(0))
    for span in spans:
        at_us = state.at_us + span
        if (due := RULES.due(state)) and due.at_us < at_us:
            break
        state = RULES.apply(state, Passed(state.thinking[0], at_us))
    return state


@given(players=SEATS, spans=SPANS)
def test_an_hourglass_loses_and_makes_no_sand(players, spans):  # TC-24
    state = pressed(replace(PLAIN, way=Way.HOURGLASS), players, spans)
    assert sum(clocks(state)) == 60 * S * len(players)


@given(players=SEATS, spans=SPANS, bonus=st.sampled_from(Bonus))
def test_all_time_is_somebodys_and_a_bonus_is_no_more_than_was_promised(players, spans, bonus):  # TC-03, TC-21 … TC-23
    state = pressed(replace(PLAIN, bonus_s=5, bonus=bonus), players, spans)
    assert sum(seat.used_us for seat in state.seats.values()) == state.at_us
    for seat in state.seats.values():
        gained = seat.clock_us - (60 * S - seat.used_us)
        assert (gained == 5 * S * seat.turns) if bonus is Bonus.ADDED else (0 <= gained <= 5 * S * seat.turns)
        assert bonus is Bonus.ADDED or seat.clock_us <= 60 * S


@given(players=SEATS, spans=SPANS, stop_us=st.integers(0, 3600 * S))
def test_a_pause_moves_all_that_comes_by_its_length(players, spans, stop_us):  # TC-50, TC-51
    state = pressed(PLAIN, players, spans)
    again = RULES.apply(RULES.apply(state, Paused(state.at_us)), Resumed(state.at_us + stop_us))
    assert RULES.due(again).at_us == RULES.due(state).at_us + stop_us
    assert clocks(again) == clocks(state)


# against the clock that ticks

KINDS = {
    "start": lambda player, at, seconds: Started(at),
    "press": lambda player, at, seconds: Passed(player, at),
    "pause": lambda player, at, seconds: Paused(at),
    "resume": lambda player, at, seconds: Resumed(at),
    "give": lambda player, at, seconds: TurnGiven(player, at),
    "skip": lambda player, at, seconds: Skipped(at),
    "reverse": lambda player, at, seconds: Reversed(at),
    "drop": lambda player, at, seconds: DroppedOut(player, at),
    "back": lambda player, at, seconds: CameBack(player, at),
    "correct": lambda player, at, seconds: Corrected(player, at, seconds),
    "won": lambda player, at, seconds: Won(player, at),
    "drawn": lambda player, at, seconds: Drawn(at),
}
OFTEN = ["press"] * 40 + ["pause"] * 3 + ["resume"] * 6 + ["start"] * 6 + [*KINDS] + [*KINDS][:-2] * 2
GAPS = (0, 1, 2, 999_999, S, 7 * S, 31 * S, 77 * S)


def options_by(chance):
    way = chance.choice(list(Way))
    bonus_s = chance.choice((0, 2, 5, 30)) if way is Way.GAME else 0
    zeros = list(Zero) if way in (Way.TURN, Way.UP, Way.ROUND) else [Zero.OUT, Zero.GOES_ON]
    return Options(
        way,
        chance.choice((0, 0, 1, 3)),
        chance.choice((1, 10, 59)),
        bonus_s,
        chance.choice(list(Bonus)),
        chance.choice(zeros),
        way is not Way.HOURGLASS and chance.random() < 0.3,
        chance.choice((0, 2, 5)) if way is Way.ROUND else 0,
    )


def same(state, model, at_us, players):
    """Whether both show the same at an instant, to the microsecond."""
    seats = [state.seats[player] for player in players]
    ours = {
        "clock": [shown_us(state, player, at_us) for player in players],
        "used": [seat.used_us for seat in seats],
        "longest": [seat.longest_us for seat in seats],
        "turns": [seat.turns for seat in seats],
        "in": [seat.is_in for seat in seats],
        "on": [players.index(player) for player in state.thinking],
        "paused": stage(state) is Stage.PAUSED,
        "won": None if state.won is None else [players.index(player) for player in state.won],
    }
    theirs = {
        "clock": model.clock,
        "used": model.used,
        "longest": model.longest,
        "turns": model.turns,
        "in": [seat in model.inside() for seat in range(len(players))],
        "on": sorted(model.running),
        "paused": bool(model.running) and model.paused,
        "won": model.won,
    }
    assert ours == theirs


def up(state, model, players):
    """The next time that is up, as both say it: (instant, seat)."""
    due, zero = RULES.due(state), model.next_zero()
    assert (due and due.at_us) == (zero and zero[0])
    if due and isinstance(due.event, TimeRanOut):
        assert players.index(due.event.player) == zero[1]
    return due, zero


def one_game(chance, told):
    options, players = options_by(chance), tuple("ABCDEFGH"[: chance.randint(1, 8)])
    if options.way is Way.HOURGLASS and len(players) < 2:
        players = ("A", "B")
    first = chance.randrange(len(players))
    options = replace(options, first_seat=first + 1)
    state = RULES.start(options, players)
    model = Ticking(
        len(players),
        str(options.way),
        options.time_us,
        options.bonus_us,
        str(options.bonus),
        str(options.zero),
        options.together,
        options.rounds,
        first,
    )
    now = 0
    for _ in range(30):
        now += chance.choice(GAPS) + chance.randrange(3)
        while (both := up(state, model, players))[1] and both[1][0] <= now:
            due, (zero_us, seat) = both
            presses = [who for who in model.running if chance.random() < 0.2]
            if presses and zero_us > model.now:  # told late: the end of the time comes to us before the press
                press_us, who = zero_us - chance.choice((0, min(5, zero_us - model.now))), presses[0]
                state = RULES.apply(RULES.apply(state, due.event), Passed(players[who], press_us))
                model.tick(press_us)
                model.do("press", who)
                if model.next_zero() == (zero_us, seat):  # of another, of the round, or of nothing left
                    model.up(zero_us, seat)
                told["late"] += 1
            else:
                state = RULES.apply(state, due.event)
                model.up(zero_us, seat)
            told["up"] += 1
            now = max(now, zero_us + 1)  # A press at that very microsecond would be in time.
            same(state, model, model.now, players)
        if model.won is not None and chance.random() < 0.3:
            return
        what, seat, seconds = chance.choice(OFTEN), chance.randrange(len(players)), chance.randint(-70, 70)
        model.tick(now)
        if chance.random() < 0.8:  # mostly what may happen
            fitting = [each for each in range(len(players)) if model.may(what, each, seconds)]
            if not fitting:
                continue
            seat = chance.choice(fitting)
        event = KINDS[what](players[seat], now, seconds)
        if model.may(what, seat, seconds):
            state = RULES.apply(state, event)
            model.do(what, seat, seconds)
            told[what] = told.get(what, 0) + 1
        else:
            with pytest.raises(IllegalEvent):
                RULES.apply(state, event)
            told["refused"] += 1
        same(state, model, now, players)
        later = now + chance.choice(GAPS)
        if model.running and not (both := up(state, model, players))[1]:
            still = [player for player in players if player not in state.thinking]
            assert all(shown_us(state, player, later) == shown_us(state, player, now) for player in still)


def test_ten_thousand_games_are_those_of_a_clock_that_ticks():  # TC-02, TC-03, TC-13
    told = {"up": 0, "late": 0, "refused": 0}
    for number in range(10_000):
        chance = random.Random(SEED * 100_000 + number)
        try:
            one_game(chance, told)
        except BaseException:
            print(f"game {number} of seed {SEED}")
            raise
    print(told)
    assert min(told.values()) > 500, told


def test_every_preset_can_be_played():  # TC-30
    for preset in PRESETS:
        assert stage(play(Options(**preset.options), "AB", Started(0))) is Stage.RUNNING
