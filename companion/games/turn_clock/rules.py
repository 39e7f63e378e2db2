"""Turn clock: it says whose turn it is and how long it takes, in any game (TC-01 … TC-62, docs/games/turn_clock.md).

`turns` has the effect of each event on the clocks. Here is what may happen when, and what a late press changes.
"""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.game.events import Ask
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.turn_clock import events, turns
from companion.games.turn_clock import options as choices
from companion.games.turn_clock.events import EVENTS, Event
from companion.games.turn_clock.options import Options, Zero
from companion.games.turn_clock.state import Seat, Stage, State, due, playing, stage
from companion.words import N_, _

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_NO_REST", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "due", "explain", "is_over", "legal", "score", "start", "winners"]

FEWEST_PLAYERS, MOST_PLAYERS = choices.FEWEST_PLAYERS, choices.MOST_PLAYERS
WHY_SEATS_STAY = N_("Each seat has the clock that it has used so far, and a newcomer has used nothing.")
WHY_NO_REST = N_("The clock needs the moment. Tap that the player is out, and later that they are back.")
STEP_S = 10
TOLD_TOO_EARLY = (events.TimeRanOut, events.RoundRang, events.Paused, events.Passed)  # than a press (TC-13)


def start(options: Options, players: tuple[str, ...]) -> State:
    """All clocks stand until somebody presses (TC-10). Raises IllegalEvent for options that cannot be played."""
    choices.check_options(options, players)
    return State(options, players, {player: Seat(options.time_us) for player in players})


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: an event after the end of a time, or out of the order of the stamps, happens now
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    if isinstance(event, events.Passed) and _is_first_of_two(state, event):
        return _pressed_late(state, event)
    if state.won is not None:
        raise IllegalEvent(_("The game is over. Start a new one."))
    if ruled:
        event = replace(event, at_us=max(event.at_us, state.at_us))
    elif event.at_us < state.at_us and not _is_own_press(state, event):
        raise IllegalEvent(_("Something else came in between. Look again, then tap."))
    elif _is_after_end(state, event.at_us):
        raise IllegalEvent(_("The time was up before that. Look again, then tap."))
    after = turns.after(state, event, ruled)
    return replace(after, at_us=max(event.at_us, state.at_us), before=(replace(state, before=None), event))


def _is_own_press(state: State, event: events.Timed) -> bool:
    """Whether it is a press of this very turn, which counts at its stamp whatever was told since (TC-02, TC-13)."""
    is_on = isinstance(event, events.Passed) and event.player in state.thinking
    return is_on and state.since_us is not None and event.at_us >= state.since_us


def _is_after_end(state: State, at_us: int) -> bool:
    """Whether what the clock brings comes first; a turn that goes on below zero waits for nothing (TC-32)."""
    next_ = due(state)
    waits = state.options.zero is not Zero.GOES_ON or not isinstance(next_ and next_.event, events.TimeRanOut)
    return next_ is not None and waits and at_us > next_.at_us


def _is_first_of_two(state: State, press: events.Passed) -> bool:
    """Whether the press came before the newest event, and is only told now (TC-13)."""
    before, newest = state.before or (state, None)
    if not isinstance(newest, TOLD_TOO_EARLY) or press.player not in before.thinking:
        return False
    is_own = getattr(newest, "player", None) == press.player
    if is_own and isinstance(newest, events.Passed):
        return False
    is_at_zero = press.at_us == newest.at_us and (is_own or press.player not in state.thinking)
    return is_at_zero or before.at_us <= press.at_us < newest.at_us


def _pressed_late(state: State, press: events.Passed) -> State:
    """The press first, then what was told before it, unless that fits no more (TC-13)."""
    assert state.before is not None
    before, newest = state.before
    after = replace(apply(before, press), rulings=state.rulings)
    try:
        return apply(after, newest)
    except IllegalEvent:
        return after


def legal(state: State, player: str) -> tuple[Event | Ask, ...]:
    """The events that apply() accepts now from this player, at the newest instant; an end only where clocks stand."""
    at_us, now, options = state.at_us, stage(state), state.options
    if now is Stage.OVER:
        return ()
    seat, is_on = state.seats[player], player in state.thinking
    takes_turns = now is not Stage.WAITING and not options.is_shared
    ends = now is Stage.PAUSED or (now is Stage.WAITING and state.lap > 1)
    possible: tuple[tuple[bool, Event], ...] = (
        (now is Stage.WAITING, events.Started(at_us)),
        (now is Stage.RUNNING and is_on, events.Passed(player, at_us)),
        (now is Stage.RUNNING, events.Paused(at_us)),
        (now is Stage.PAUSED, events.Resumed(at_us)),
        (takes_turns and seat.is_in and not is_on, events.TurnGiven(player, at_us)),
        (takes_turns and is_on and len(playing(state)) > 1, events.Skipped(at_us)),
        (takes_turns, events.Reversed(at_us)),
        (seat.is_in and len(playing(state)) > 1, events.DroppedOut(player, at_us)),
        (seat.may_return, events.CameBack(player, at_us)),
        (seat.is_in and now is not Stage.WAITING, events.Corrected(player, at_us, STEP_S)),
        (ends, events.Won(player, at_us)),
        (ends, events.Drawn(at_us)),
    )
    return tuple(event for is_possible, event in possible if is_possible)


def awaiting(state: State) -> frozenset[str]:
    """Who is on the turn; before a start everybody who is in."""
    if stage(state) is Stage.WAITING:
        return frozenset(playing(state))
    return frozenset(state.thinking if stage(state) is Stage.RUNNING else ())


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """One point for a win (TC-61), and the rulings."""
    won = ((_("A win"), 1, "TC-61"),) if player in winners(state) else ()
    return (*won, *rulings.lines(state.rulings, player))


def score(state: State) -> dict[str, int]:
    """Whoever wins has a point."""
    won = winners(state)
    return {player: (player in won) + rulings.points_of(state.rulings, player) for player in state.players}


def winners(state: State) -> tuple[str, ...]:
    """The last one who is in (TC-33), whom the table named, or all who share the win (TC-60 … TC-62)."""
    return state.won or ()


def is_over(state: State) -> bool:
    """It is over once one player is left, or once the table says so."""
    return state.won is not None
