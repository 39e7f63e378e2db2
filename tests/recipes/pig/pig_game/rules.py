"""The rules of Pig."""

from dataclasses import dataclass, replace

from companion.errors import IllegalEvent
from companion.game.events import Ask
from companion.game.game import Dice, Rules
from companion.game.options import option
from companion.games.rulings import Ruling, added, lines, points_of
from companion.words import N_, _

FACES = (1, 2, 3, 4, 5, 6)
PIG = 1  # It takes the points of the turn.


@dataclass(frozen=True)
class Options:
    goal: int = option(100, N_("Points to win"), N_("Whoever holds with as many wins."), "", low=20, high=500)


@dataclass(frozen=True)
class Rolled:
    player: str
    value: int


@dataclass(frozen=True)
class Held:
    player: str


Event = Rolled | Held | Ruling


@dataclass(frozen=True)
class State:
    """`held` are the points that a player has for good, `turn` those of the turn that is played."""

    options: Options
    players: tuple[str, ...]
    held: tuple[int, ...]
    turn: int = 0
    turns: int = 0
    rulings: tuple[Ruling, ...] = ()


def start(options: Options, players: tuple[str, ...]) -> State:
    return State(options, players, (0,) * len(players))


def is_over(state: State) -> bool:
    return max(state.held) >= state.options.goal


def next_player(state: State) -> str:
    """Who rolls or holds now, "" once the game is over."""
    return "" if is_over(state) else state.players[state.turns % len(state.players)]


def legal(state: State, player: str) -> tuple[Event | Ask, ...]:
    if player != next_player(state):
        return ()
    return (*(Rolled(player, value) for value in FACES), *([Held(player)] if state.turn else []))


def apply(state: State, event: Event, ruled: bool = False) -> State:
    match event:
        case Ruling():
            return replace(state, rulings=added(state.rulings, event, state.players))
        case Rolled(_player, value) if value not in FACES:
            raise IllegalEvent(_("A die shows 1 to 6. Tap what it shows."))
    if event.player != next_player(state):
        raise IllegalEvent(_("It's another player's turn, or the game is over. Look at the page again."))
    match event:
        case Rolled(_player, value) if value != PIG:
            return replace(state, turn=state.turn + value)
        case Held() if not state.turn and not ruled:
            raise IllegalEvent(_("There's nothing to hold yet. Roll first."))
    gained = state.turn if isinstance(event, Held) else 0
    held = tuple(
        points + gained * (player == event.player) for player, points in zip(state.players, state.held, strict=True)
    )
    return replace(state, held=held, turn=0, turns=state.turns + 1)


def score(state: State) -> dict[str, int]:
    held = zip(state.players, state.held, strict=True)
    return {player: points + points_of(state.rulings, player) for player, points in held}


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    return ((_("Held"), state.held[state.players.index(player)], ""), *lines(state.rulings, player))


def rules(dice: Dice[State, Event, Options]) -> Rules[State, Event, Options]:
    return Rules(
        name="pig",
        seats=(2, 8),
        events=(Rolled, Held, Ruling),
        start=start,
        legal=legal,
        apply=apply,
        score=score,
        options=Options,
        is_over=is_over,
        explain=explain,
        dice=dice,
        round_of=lambda state: state.turns // len(state.players) + 1,
    )
