"""The effect of each event on the clocks (TC-03 … TC-62). Every time that passes is booked at one place, `_booked`."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games.seats import check_player
from companion.games.turn_clock import events
from companion.games.turn_clock.events import Timed
from companion.games.turn_clock.options import SECOND_US, Bonus, Way, Zero
from companion.games.turn_clock.state import (
    Stage,
    State,
    beginner,
    next_player,
    others_in_order,
    playing,
    shown_us,
    spent_us,
    stage,
    with_seat,
    zero_us,
)
from companion.words import _

MOST_CORRECTED_S = 3600


def after(state: State, event: Timed, ruled: bool) -> State:
    """The state after an event of a game that is not over; raises IllegalEvent when the rules forbid it."""
    if (player := getattr(event, "player", None)) is not None:
        check_player(state.players, player)
    match event:
        case events.Started(at_us):
            return started(state, at_us)
        case events.Passed(player, at_us):
            return passed(state, player, at_us, ruled)
        case events.TurnGiven(player, at_us):
            return turn_given(state, player, at_us)
        case events.Skipped(at_us):
            return skipped(state, at_us)
        case events.Reversed():
            _on_turn(state)
            return replace(state, forward=not state.forward)  # TC-40
        case events.DroppedOut(player, at_us):
            return dropped_out(state, player, at_us)
        case events.CameBack(player):
            if not state.seats[player].may_return:
                raise IllegalEvent(_("Only a player who dropped out can come back."))
            return with_seat(state, player, replace(state.seats[player], is_out=False))  # TC-44
        case events.Paused(at_us):
            if stage(state) is not Stage.RUNNING:
                raise IllegalEvent(_("No clock runs, so there's nothing to pause."))
            return replace(state, since_us=None, spent_us=spent_us(state, at_us))  # TC-50
        case events.Resumed(at_us):
            if stage(state) is not Stage.PAUSED:
                raise IllegalEvent(_("The clock isn't paused."))
            return replace(state, since_us=at_us)  # TC-51
        case events.Corrected(player, at_us, seconds):
            return corrected(state, player, seconds, at_us)
        case events.TimeRanOut(player, at_us):
            return time_ran_out(state, player, at_us, ruled)
        case events.RoundRang(at_us):
            return round_rang(state, at_us, ruled)
        case events.Won(player, at_us):
            return _over(state, (player,), at_us)  # TC-60
        case events.Drawn(at_us):
            return _over(state, playing(state), at_us)  # TC-61


def started(state: State, at_us: int) -> State:
    """TC-10, TC-28: the clock of the seat that begins runs, or the clocks of all."""
    if stage(state) is not Stage.WAITING:
        raise IllegalEvent(_("The clock runs already."))
    first = playing(state) if state.options.is_shared else (beginner(state),)
    if state.options.way is Way.ROUND:
        full = {player: replace(seat, clock_us=state.options.time_us) for player, seat in state.seats.items()}
        state = replace(state, seats=full)
    return replace(state, thinking=first, since_us=at_us, spent_us=0)


def passed(state: State, player: str, at_us: int, ruled: bool) -> State:
    """TC-11, TC-12: the turn ends at the stamp of the press."""
    if not state.thinking:
        raise IllegalEvent(_("No clock runs yet. Start it first."))
    if state.since_us is None and not ruled:
        raise IllegalEvent(_("The clock is paused. Resume it first."))
    if player not in state.thinking:
        raise IllegalEvent(_("It isn't this player's turn."))
    return _moved_on(_booked(state, player, at_us, _after_turn(state, player, at_us)), player, at_us)


def turn_given(state: State, player: str, at_us: int) -> State:
    """TC-42: the turn before ends as by a press."""
    last = _on_turn(state)
    if player == last or not state.seats[player].is_in:
        raise IllegalEvent(_("The turn can go to somebody else who is in. Choose another player."))
    return _begun(_booked(state, last, at_us, _after_turn(state, last, at_us)), (player,), at_us)


def skipped(state: State, at_us: int) -> State:
    """TC-41: what the turn used does not count."""
    last = _on_turn(state)
    if len(playing(state)) < 2:
        raise IllegalEvent(_("Nobody else is in."))
    return _begun(state, (next_player(state, last),), at_us)


def dropped_out(state: State, player: str, at_us: int) -> State:
    """TC-43: the clock stands as it is; TC-33: the last one wins."""
    if not state.seats[player].is_in:
        raise IllegalEvent(_("This player is out already."))
    if len(playing(state)) < 2:
        raise IllegalEvent(_("Somebody has to stay. Say instead that the game is over."))
    was_on = player in state.thinking
    if was_on:
        state = _booked(state, player, at_us, shown_us(state, player, at_us), turns=0)
    return _gone(with_seat(state, player, replace(state.seats[player], is_out=True)), player, at_us, was_on)


def corrected(state: State, player: str, seconds: int, at_us: int) -> State:
    """TC-52: whole seconds more or less, never below zero."""
    if not seconds or abs(seconds) > MOST_CORRECTED_S:
        raise IllegalEvent(_("A correction is 1 to {most} seconds, more or less.", most=MOST_CORRECTED_S))
    if state.seats[player].ran_out:
        raise IllegalEvent(_("This player's time was up. Take that back first."))
    wrong = state.thinking if state.options.way is Way.ROUND else (player,)
    if not wrong:
        raise IllegalEvent(_("Correct the clock of a round while the round runs."))
    for one in wrong:
        if seconds < 0 and shown_us(state, one, at_us) + seconds * SECOND_US < 0:
            raise IllegalEvent(_("The clock shows less than that. Take fewer seconds."))
        seat = state.seats[one]
        state = with_seat(state, one, replace(seat, clock_us=seat.clock_us + seconds * SECOND_US))
    if player in state.rung and shown_us(state, player, at_us) > 0:
        return replace(state, rung=tuple(other for other in state.rung if other != player))
    return state


def time_ran_out(state: State, player: str, at_us: int, ruled: bool) -> State:
    """TC-30 … TC-32: the seat is out, or its turn passes on, or goes on below zero."""
    if state.options.way is Way.ROUND or player not in state.thinking or player in state.rung:
        raise IllegalEvent(_("This player's time doesn't end here."))
    _check_is_up(state, player, at_us, ruled)
    state = replace(state, rang_us=at_us)
    if state.options.zero is Zero.GOES_ON:
        return replace(state, rung=(*state.rung, player))
    if state.options.zero is Zero.PASSES:
        return _moved_on(_booked(state, player, at_us, _after_turn(state, player, at_us)), player, at_us)
    state = _booked(state, player, at_us, 0)
    return _gone(with_seat(state, player, replace(state.seats[player], ran_out=True)), player, at_us, True)


def round_rang(state: State, at_us: int, ruled: bool) -> State:
    """TC-27: the round is over for all who have not pressed."""
    if state.options.way is not Way.ROUND or not state.thinking:
        raise IllegalEvent(_("No round is running."))
    _check_is_up(state, state.thinking[0], at_us, ruled)
    for player in state.thinking:
        state = _booked(state, player, at_us, state.options.time_us)
    return _round_over(replace(state, rang_us=at_us), at_us)


def _check_is_up(state: State, player: str, at_us: int, ruled: bool) -> None:
    zero = zero_us(state, player)
    if not ruled and (zero is None or at_us < zero):
        raise IllegalEvent(_("Time isn't up yet."))


def _on_turn(state: State) -> str:
    """The one player on the turn; raises IllegalEvent where there is none."""
    if state.options.is_shared:
        raise IllegalEvent(_("All think at once here, so there is no order."))
    if not state.thinking:
        raise IllegalEvent(_("No clock runs yet. Start it first."))
    return state.thinking[0]


def _after_turn(state: State, player: str, at_us: int) -> int:
    """What the clock shows once the turn has come to its end (TC-20 … TC-27)."""
    options, spent = state.options, spent_us(state, at_us)
    if options.way in (Way.TURN, Way.ROUND):
        return options.time_us  # TC-25
    bonus_us = {Bonus.ADDED: options.bonus_us, Bonus.GIVEN_BACK: min(spent, options.bonus_us), Bonus.DELAY: 0}
    return shown_us(state, player, at_us) + bonus_us[options.bonus]  # TC-21 … TC-23


def _booked(state: State, player: str, at_us: int, clock_us: int, turns: int = 1) -> State:
    """The player's turn is over with this clock; an hourglass runs into those of the others (TC-24)."""
    spent, seat = spent_us(state, at_us), state.seats[player]
    used_us, longest_us = seat.used_us + spent, max(seat.longest_us, spent)
    after = replace(seat, clock_us=clock_us, used_us=used_us, longest_us=longest_us, turns=seat.turns + turns)
    seats = {**state.seats, player: after}
    if state.options.way is Way.HOURGLASS:
        others = [other for other in others_in_order(state, player, 1) if other != player]
        part, rest = divmod(spent, len(others) or 1)
        for place, other in enumerate(others):
            seats[other] = replace(seats[other], clock_us=seats[other].clock_us + part + (place < rest))
    return replace(state, seats=seats, thinking=tuple(other for other in state.thinking if other != player))


def _begun(state: State, players: tuple[str, ...], at_us: int) -> State:
    """The next turn, at the very stamp (TC-03); in a pause it stands."""
    since_us = None if state.since_us is None else at_us
    below = tuple(player for player in players if state.seats[player].clock_us < 0)
    return replace(state, thinking=players, since_us=since_us, spent_us=0, rung=below)


def _moved_on(state: State, player: str, at_us: int) -> State:
    """What comes after the player's turn (TC-11, TC-27, TC-29)."""
    if not state.options.is_shared:
        return _begun(state, (next_player(state, player),), at_us)
    if state.thinking:
        return state
    at_us = max(at_us, state.at_us)  # Another press may have been told before this one.
    if state.options.way is Way.ROUND:
        return _round_over(state, at_us)
    return _begun(replace(state, lap=state.lap + 1), playing(state), at_us)


def _gone(state: State, player: str, at_us: int, was_on: bool) -> State:
    """What comes after a player is out (TC-33)."""
    left = playing(state)
    if not left or (len(left) == 1 and len(state.players) > 1):
        return _over(state, left, at_us)
    return _moved_on(state, player, at_us) if was_on else state


def _round_over(state: State, at_us: int) -> State:
    """TC-28: the clock waits for a start; TC-62: after the last round it is over."""
    if state.lap == state.options.rounds:
        return _over(state, playing(state), at_us)
    return replace(state, thinking=(), since_us=None, spent_us=0, lap=state.lap + 1, ended_us=at_us)


def _over(state: State, won: tuple[str, ...], at_us: int) -> State:
    """All clocks stop (TC-60)."""
    for player in state.thinking:
        state = _booked(state, player, at_us, shown_us(state, player, at_us), turns=0)
    return replace(state, thinking=(), since_us=None, spent_us=0, won=won)
