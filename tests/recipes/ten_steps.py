"""Ten Steps: walk towards ten, one to three steps a turn. Land on a rival, and they start again. First at ten wins."""

from dataclasses import dataclass, replace

from companion.errors import IllegalEvent
from companion.game.game import Game, Rules
from companion.games.rulings import Ruling, added, points_of

GOAL, STEPS = 10, (1, 2, 3)


@dataclass(frozen=True)
class Walked:
    """On your turn you walk one, two or three steps. Whoever stands where you stop goes back to the start."""

    player: str
    steps: int


@dataclass(frozen=True)
class State:
    players: tuple[str, ...]
    places: dict[str, int]
    walks: int = 0
    rulings: tuple[Ruling, ...] = ()


def start(_options, players):
    """Everybody stands at the start. The first player begins, and turns go clockwise."""
    return State(players, dict.fromkeys(players, 0))


def legal(state, player):
    is_next = player == state.players[state.walks % len(state.players)]
    return tuple(Walked(player, steps) for steps in STEPS) if is_next and max(state.places.values()) < GOAL else ()


def apply(state, event, ruled=False):
    if isinstance(event, Ruling):
        return replace(state, rulings=added(state.rulings, event, state.players))
    if event.player not in state.players or event.steps not in STEPS:
        raise IllegalEvent("Somebody at this table walks one, two or three steps. Enter that.")
    if not ruled and event not in legal(state, event.player):
        raise IllegalEvent("It's another player's turn, or the game is over. Look at the page again.")
    stop = state.places[event.player] + event.steps
    back = {player: 0 for player, place in state.places.items() if place == stop}
    return replace(state, places={**state.places, **back, event.player: stop}, walks=state.walks + 1)


def score(state):
    """Each step from the start is a point."""
    return {player: state.places[player] + points_of(state.rulings, player) for player in state.players}


GAME = Game(Rules("ten_steps", (2, 4), (Walked, Ruling), start, legal, apply, score))
