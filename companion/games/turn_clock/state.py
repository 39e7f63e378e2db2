"""The state of the turn clock, and what its clocks show at an instant; nothing here looks at a clock."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from companion.game.events import Due
from companion.games.rulings import Ruling
from companion.games.turn_clock.events import Event, RoundRang, Started, Timed, TimeRanOut
from companion.games.turn_clock.options import SECOND_US, Bonus, Options, Way


@dataclass(frozen=True)
class Seat:
    """A player's clock; times are microseconds.

    clock_us    what it shows while it waits, and showed as the turn began
    used_us     all time on the turn, also after zero; longest_us: the longest turn
    turns       turns that came to their end
    is_out      whether the player dropped out; ran_out: whether the time was up for good
    """

    clock_us: int
    used_us: int = 0
    longest_us: int = 0
    turns: int = 0
    is_out: bool = False
    ran_out: bool = False

    @property
    def is_in(self) -> bool:
        return not (self.is_out or self.ran_out)

    @property
    def may_return(self) -> bool:
        return self.is_out and not self.ran_out


@dataclass(frozen=True)
class State:
    """The state of a game.

    thinking    the players on the turn, in seat order; empty before a start
    since_us    the instant from which their clocks run, None while they stand
    spent_us    the time of this turn before that
    at_us       the newest instant
    forward     whether the order is that of the seats
    lap         the number of the round, or of the turn of all who think at once
    rang_us     when a time was up the last time, None before
    rung        the players on the turn whose clocks are below zero (TC-32)
    ended_us    when the last round ended, None before
    won         who won, None while it is not over
    before      the state before the newest event, and that event, for a press that is told later (TC-13)
    """

    options: Options
    players: tuple[str, ...]
    seats: Mapping[str, Seat]
    thinking: tuple[str, ...] = ()
    since_us: int | None = None
    spent_us: int = 0
    at_us: int = 0
    forward: bool = True
    lap: int = 1
    rang_us: int | None = None
    rung: tuple[str, ...] = ()
    ended_us: int | None = None
    won: tuple[str, ...] | None = None
    before: "tuple[State, Timed] | None" = None
    rulings: tuple[Ruling, ...] = ()


class Stage(StrEnum):
    """The stages of a game."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    OVER = "over"


def stage(state: State) -> Stage:
    if state.won is not None:
        return Stage.OVER
    if not state.thinking:
        return Stage.WAITING
    return Stage.PAUSED if state.since_us is None else Stage.RUNNING


def playing(state: State) -> tuple[str, ...]:
    """The players who are in, in seat order."""
    return tuple(player for player in state.players if state.seats[player].is_in)


def beginner(state: State) -> str:
    """The player who begins (TC-10), or the next one who is in."""
    first = state.players[(state.options.first_seat or 1) - 1]
    return first if state.seats[first].is_in else next_player(state, first)


def next_player(state: State, player: str) -> str:
    """The next player of the order who is in (TC-11), the same one if there is no other."""
    return others_in_order(state, player, 1 if state.forward else -1)[0]


def others_in_order(state: State, player: str, step: int) -> tuple[str, ...]:
    """The players who are in, from the next one on; the player comes last, if in."""
    count, place = len(state.players), state.players.index(player)
    order = (state.players[(place + step * away) % count] for away in range(1, count + 1))
    return tuple(other for other in order if state.seats[other].is_in)


def spent_us(state: State, at_us: int) -> int:
    """The time of this turn at an instant, without pauses."""
    return state.spent_us + (0 if state.since_us is None else at_us - state.since_us)


def shown_us(state: State, player: str, at_us: int) -> int:
    """What the player's clock shows at an instant; below zero where the turn goes on (TC-32)."""
    clock_us = state.seats[player].clock_us
    if player not in state.thinking:
        return clock_us
    spent, options = spent_us(state, at_us), state.options
    if options.way is Way.UP:  # TC-26
        return clock_us + spent
    if options.bonus is Bonus.DELAY:  # TC-23
        return clock_us - max(0, spent - options.bonus_us)
    return clock_us - spent


def zero_us(state: State, player: str) -> int | None:
    """The instant at which the clock of a player on the turn shows zero; None while it stands, or counts up."""
    options = state.options
    if state.since_us is None or options.way is Way.UP:
        return None
    delay_us = options.bonus_us if options.bonus is Bonus.DELAY else 0
    return state.since_us + state.seats[player].clock_us + delay_us - state.spent_us


def due(state: State) -> Due[Event] | None:
    """The end of the next time, or of the break (TC-27, TC-28, TC-30, TC-31)."""
    options = state.options
    match stage(state):
        case Stage.WAITING if options.break_s and state.ended_us is not None:
            at_us = max(state.at_us, state.ended_us + options.break_s * SECOND_US)
            return Due(at_us, Started(at_us))
        case Stage.RUNNING:
            thinking = [player for player in state.thinking if player not in state.rung]
            ends = [(zero, player) for player in thinking if (zero := zero_us(state, player)) is not None]
            if not ends:
                return None
            first_us, player = min(ends, key=lambda end: end[0])
            at_us = max(first_us, state.at_us)
            return Due(at_us, RoundRang(at_us) if options.way is Way.ROUND else TimeRanOut(player, at_us))
    return None


def with_seat(state: State, player: str, seat: Seat) -> State:
    return replace(state, seats={**state.seats, player: seat})
