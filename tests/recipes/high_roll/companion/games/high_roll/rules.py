"""High Roll: the rulebook. Ids are those of the rule sheet (HR-…)."""

from dataclasses import dataclass, replace
from typing import get_args

from companion.errors import IllegalEvent
from companion.game.options import option
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.words import N_, _

MOST_PLAYERS = 8
LEAST_TARGET, MOST_TARGET = 5, 50


@dataclass(frozen=True)
class Options:
    """The table's switches."""

    target: int = option(
        20, N_("Points to win"), N_("Who has so many points first wins."), "HR-03", low=LEAST_TARGET, high=MOST_TARGET
    )


@dataclass(frozen=True)
class PipsRolled:
    """A player rolled the die (HR-01)."""

    player: str
    value: int


Event = PipsRolled | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


@dataclass(frozen=True)
class State:
    """All rolls so far, the first one first."""

    options: Options
    players: tuple[str, ...]
    rolls: tuple[PipsRolled, ...] = ()
    rulings: tuple[Ruling, ...] = ()


def start(options: Options, players: tuple[str, ...]) -> State:
    """Nobody has rolled yet."""
    if not LEAST_TARGET <= options.target <= MOST_TARGET:
        raise IllegalEvent(
            _("High Roll is played to {least} to {most} points: choose a number.", least=LEAST_TARGET, most=MOST_TARGET)
        )
    return State(options, players)


def awaiting(state: State) -> frozenset[str]:
    """Players roll in turn (HR-01)."""
    return frozenset() if is_over(state) else frozenset({state.players[len(state.rolls) % len(state.players)]})


def legal(state: State, player: str) -> tuple[Event, ...]:
    """The six rolls of whoever is to roll."""
    return tuple(PipsRolled(player, value) for value in range(1, 7)) if player in awaiting(state) else ()


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: any player may roll at any time
    """
    if isinstance(event, Ruling):
        return replace(state, rulings=rulings.added(state.rulings, event, state.players))
    if event.player not in state.players or event.value not in range(1, 7):
        raise IllegalEvent(_("A roll is somebody's, 1 to 6: enter it again."))
    if not ruled and event.player not in awaiting(state):
        raise IllegalEvent(_("Another player is to roll: enter that roll first."))
    return replace(state, rolls=(*state.rolls, event))


def points(roll: PipsRolled) -> int:
    """The pips, nothing for a one (HR-02)."""
    return roll.value if roll.value > 1 else 0


def rolled(state: State, player: str) -> int:
    """What a player's rolls have brought."""
    return sum(points(roll) for roll in state.rolls if roll.player == player)


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """All rolls in one line, then the rulings."""
    return ((_("Rolls"), rolled(state, player), "HR-02"), *rulings.lines(state.rulings, player))


def score(state: State) -> dict[str, int]:
    """The points of every player."""
    return {player: rolled(state, player) + rulings.points_of(state.rulings, player) for player in state.players}


def is_over(state: State) -> bool:
    """Somebody's rolls have brought enough (HR-03)."""
    return any(rolled(state, player) >= state.options.target for player in state.players)


def winners(state: State) -> tuple[str, ...]:
    """Who has most points then (HR-03); a ruling may have made them others."""
    points_of = score(state)
    return tuple(player for player in state.players if is_over(state) and points_of[player] == max(points_of.values()))
