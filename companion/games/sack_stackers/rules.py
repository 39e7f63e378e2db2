"""Sack Stackers by Chris Kingsnorth: the rulebook, with the ids of the rule sheet (SS-…).

A gift type is named by the letter of its shape: I, O, T, L, S. A column is a string from the bottom upwards.
The chapters: `options`, `events`, `state`, `dice`, `coal`, `turns`, `groups`, `scoring`.
"""

from dataclasses import replace
from functools import cache
from itertools import product

from companion.errors import IllegalEvent
from companion.games import rulings
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.games.sack_stackers import groups
from companion.games.sack_stackers.coal import coal_for_circles, drop, leftmost
from companion.games.sack_stackers.dice import altered, placeable, uses_of
from companion.games.sack_stackers.events import EVENTS, Event, Mark, Placed, Rolled, Unplaced, YoungestNamed
from companion.games.sack_stackers.options import (
    BOXES,
    CIRCLES,
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    WHY_SEATS_STAY,
    WILD,
    Options,
    Range,
    check_options,
)
from companion.games.sack_stackers.scoring import explain, is_over, leaders, score, tie_to_break, winners
from companion.games.sack_stackers.state import Sheet, State, awaiting, rolled_dice
from companion.games.sack_stackers.turns import may_leave_unplaced, placed, rested, rolled, unplaced, youngest_named
from companion.words import _

__all__ = ["EVENTS", "FEWEST_PLAYERS", "MOST_PLAYERS", "WHY_SEATS_STAY", "Event", "Options", "State"]
__all__ += ["apply", "awaiting", "explain", "is_over", "legal", "score", "start", "winners"]


def start(options: Options, players: tuple[str, ...]) -> State:
    """The state with empty sheets (SS-02, SS-05); raises IllegalEvent for options that cannot be played."""
    check_options(options, players)
    return State(options, players, {player: Sheet() for player in players})


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table insists: the sheet must have room, but dice and due coal are not checked, and a roll begins
                the next turn even if somebody has not finished this one
    """
    match event:
        case Rolled():
            return rolled(state, event, ruled)
        case Placed():
            return placed(state, event, ruled)
        case Unplaced():
            return unplaced(state, event, ruled)
        case YoungestNamed():
            return youngest_named(state, event)
        case Rested() | Returned():
            return rested(state, event)
        case Ruling():
            return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    raise IllegalEvent(_("That can't happen in Sack Stackers. Reload the page."))


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The events that apply() accepts now from this player.

    Each use of the dice comes with the fewest circles that reach it. Due coal falls after the gift into the leftmost
    column with room, though a player may choose any column and moment (SS-31, SS-33).
    """
    if state.ended:
        return tuple(YoungestNamed((tied,)) for tied in leaders(state)) if tie_to_break(state) else ()
    if state.dice is None:
        return tuple(Rolled((first, second)) for first, second in product(range(1, 7), repeat=2))
    if player not in awaiting(state):
        return ()
    sheet = state.sheets[player]
    events: list[Placed] = []
    reached: set[tuple[int, int]] = set()  # Fewer circles reach these.
    for marks in markings(CIRCLES - sheet.circles):
        try:
            dice = altered(state, marks)
        except IllegalEvent:
            continue  # At a strict table these circles lead out of 1–6.
        due = coal_for_circles(sheet, marks)
        for gift_die, (section, column) in enumerate(uses_of(dice), start=1):
            if (section, column) in reached or (section, column) not in placeable(sheet, dice):
                continue
            reached.add((section, column))
            coal = leftmost(drop(sheet.sack, column, groups.TYPES[0]), due)
            events += (
                Placed(player, gift_die, section, box, gift, column, marks, coal)
                for box in BOXES
                if (section, box) not in sheet.boxes
                for gift in (groups.TYPES if box == WILD else (box,))
            )
    return (*events, *unplaced_events(state, player))


@cache
def markings(left: int) -> tuple[tuple[Mark, ...], ...]:
    """The ways to alter the two dice with up to `left` circles, fewest first, each pair of sums once.

    A change by more than 7 makes no difference.
    """
    steps = sorted(product(range(-7, 8), repeat=2), key=lambda change: (abs(change[0]) + abs(change[1]), change))
    return tuple(
        tuple(
            Mark(die, 1 if change > 0 else -1) for die, change in enumerate(pair, start=1) for _ in range(abs(change))
        )
        for pair in steps
        if abs(pair[0]) + abs(pair[1]) <= left
    )


def unplaced_events(state: State, player: str) -> tuple[Unplaced, ...]:
    """The legal events without a gift: with unaltered dice, or with a die one step out of range (SS-24)."""
    sheet = state.sheets[player]
    out = tuple(
        tuple(Mark(die, step) for _ in range(away))
        for die, value in enumerate(rolled_dice(state), start=1)
        for step, away in ((-1, value), (1, 7 - value))
        if state.options.altered_range is Range.OUT_OF_RANGE and away <= CIRCLES - sheet.circles
    )
    candidates = (
        Unplaced(player, marks, leftmost(sheet.sack, coal_for_circles(sheet, marks) + 1)) for marks in ((), *out)
    )
    return tuple(event for event in candidates if may_leave_unplaced(state, event))
