"""Sandpile Panic by "Tyler": the rulebook, with the ids of the rule sheet (SP-…).

The chapters: `options`, `events`, `board` (spaces, piles and topples), `state`, `turns`, `islands`, `scoring`.
"""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games import rulings as referee
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import turns
from companion.games.sandpile_panic.board import Side, ready
from companion.games.sandpile_panic.events import EVENTS, Event, Left, Placed, TakenOver, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.options import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    WHY_SEATS_STAY,
    Options,
    board_size,
    check_options,
    piece_letters,
)
from companion.games.sandpile_panic.scoring import explain, is_over, ranked, score, winners
from companion.games.sandpile_panic.state import Stage, State, awaiting, open_tops, stage
from companion.games.seats import check_player, clockwise
from companion.words import _

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "ranked", "score", "start", "winners"]


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state with an empty board; whoever begins has the first colour, the next clockwise the second (SP-01, SP-10).

    Raises IllegalEvent for options that cannot be played.
    """
    check_options(options, players)
    size = board_size(options, len(players))
    order = clockwise(players, (options.first_seat or 1) - 1)
    return State(options, players, order, dict(zip(order, piece_letters(options), strict=False)), boards.empty(size))


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: turns and owners of piles are not checked, only what pieces can physically do

    A turn is one placed piece, then topples until no pile is ready (SP-30). No other event moves pieces (SP-24), and
    nobody passes (SP-15).
    """
    if not isinstance(event, EVENTS):
        raise IllegalEvent(_("That can't happen in Sandpile Panic. Reload the page."))
    check_player(state.players, event.player)
    match event:
        case Ruling():
            return replace(state, rulings=referee.added(state.rulings, event, state.players))
        case TakenOver() | Left():
            return turns.answered(state, event, ruled)
        case Placed():
            return turns.turn_ended(turns.placed(state, event, ruled))
        case Toppled():
            return turns.turn_ended(turns.toppled(state, event, ruled))
        case ToppledRest(player, topples):
            if not topples:
                raise IllegalEvent(_("No topple was entered. Name each pile and the side where it began."))
            return turns.whole(turns.toppled_each(state, player, topples, ruled), ruled)
        case Turned(player, at, pink, topples):
            return turns.whole(
                turns.toppled_each(turns.placed(state, Placed(player, at, pink), ruled), player, topples, ruled), ruled
            )


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The events that apply() accepts now from this player, one step each.

    `Turned` and `ToppledRest` combine several steps; there are too many to list, so `advice` searches them.
    """
    if player not in awaiting(state):
        return ()
    match stage(state):
        case Stage.PIE:
            return (TakenOver(player), Left(player))
        case Stage.TOPPLING:
            return tuple(Toppled(player, at, side) for at in ready(state.board) for side in Side)
    return tuple(
        Placed(player, at, pink)
        for pink in (False, True)
        if not turns.not_in_hand(state, player, pink)
        for at, pile in state.board.items()
        if boards.top(pile) in open_tops(state, player) and not (pink and turns.not_there(state, player, at, pink))
    )
