"""The state of a game of Stack: sides, turns, and places for dice, with the ids of the rule sheet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.games import seats
from companion.games.rulings import Ruling
from companion.games.stack_dice import stacks
from companion.games.stack_dice.options import Options
from companion.games.stack_dice.stacks import FACES, FULL_STACK, DieId, Layout, Stack
from companion.words import _

HOUSE_PENALTY = 1  # ST-80 … ST-83


@dataclass(frozen=True)
class Penalty:
    """Points that a player lost in a round, with reason and rule; `points` is negative."""

    player: str
    points: int
    why: str
    rule: str
    round: int


@dataclass(frozen=True)
class InHand:
    """The die of this turn; `was` is its face before it was rolled, None if it was not rolled."""

    die: DieId
    was: int | None = None


@dataclass(frozen=True)
class NoPlace:
    """A rolled die that found no place and so ended the turn; `was` and `last_turns` are as before the roll."""

    player: str
    die: DieId
    was: int
    last_turns: tuple[str, ...] | None


@dataclass(frozen=True)
class Accident:
    """A penalty roll is due (ST-50)."""

    player: str
    rebuilt: bool


@dataclass(frozen=True)
class Decision:
    """The owner of a die that was rolled by mistake has to choose its number (ST-54); `culprit` rolled it."""

    owner: str
    culprit: str
    die: DieId
    old: int
    new: int


@dataclass(frozen=True)
class State:
    """The state of a game: facts from which points are summed.

    past        player → points of the stacks, for each counted round
    contenders  players who roll for the start of this round; `rolls`: player → face so far
    starter     the player who begins this round, None until known
    turn        the player whose turn it is, None before the drop and after the round
    skips       player → coming turns that the player has lost (ST-56); `passed`: players skipped before this turn
    no_place    the roll that ended the turn before, until somebody plays: it may have knocked over a stack
    out         players who ended the round (ST-40, ST-41); `last_turns`: players with a last turn, None before that
    """

    options: Options
    players: tuple[str, ...]
    contenders: tuple[str, ...]
    rolls: Mapping[str, int] = field(default_factory=dict)
    starter: str | None = None
    layout: Layout = field(default_factory=Layout)
    turn: str | None = None
    hand: InHand | None = None
    no_place: NoPlace | None = None
    accident: Accident | None = None
    decision: Decision | None = None
    skips: Mapping[str, int] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    last_turns: tuple[str, ...] | None = None
    past: tuple[Mapping[str, int], ...] = ()
    penalties: tuple[Penalty, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    ended: bool = False


class Stage(StrEnum):
    """The stages of a round, and of a game."""

    START_ROLL = "start roll"
    DROP = "drop"
    TURNS = "turns"
    COUNT = "count"
    OVER = "over"


def team(state: State, player: str) -> int:
    """The number of a player's team, from 0: seats alternate (ST-71); without teams each player is one."""
    return state.players.index(player) % (state.options.teams or len(state.players))


def sides(state: State) -> tuple[tuple[str, ...], ...]:
    """The players who win together: each team, or each player alone (ST-70)."""
    number = state.options.teams or len(state.players)
    return tuple(state.players[side::number] for side in range(number))


def are_opponents(state: State, player: str, other: str) -> bool:
    """Whether two players are on different sides (ST-72)."""
    return team(state, player) != team(state, other)


def may_stack_on(state: State, player: str, below: str) -> bool:
    """Whether a player's die may lie on a die of `below`: never on the own colour (ST-32), rarely on a partner's."""
    return player != below and (are_opponents(state, player, below) or state.options.team_stack_on_partner)


def clockwise(state: State, after: str) -> tuple[str, ...]:
    """All players clockwise from the seat after `after`, with `after` last (ST-12)."""
    return seats.clockwise(state.players, state.players.index(after) + 1)


def stage(state: State) -> Stage:
    """The stage of the round."""
    if state.ended:
        return Stage.OVER
    if state.starter is None:
        return Stage.START_ROLL
    if yet_to_drop(state):
        return Stage.DROP
    return Stage.COUNT if state.turn is None else Stage.TURNS


def yet_to_roll(state: State) -> tuple[str, ...]:
    """The players who still have to roll for the start."""
    return tuple(player for player in state.contenders if player not in state.rolls)


def yet_to_drop(state: State) -> tuple[str, ...]:
    """The players without dice on the table."""
    return tuple(player for player in state.players if player not in state.layout.loose)


def awaiting(state: State) -> frozenset[str]:
    """The players who may act: all who have to roll or drop, then one at a time; none while the round is counted."""
    match stage(state):
        case Stage.START_ROLL:
            return frozenset(yet_to_roll(state))
        case Stage.DROP:
            return frozenset(yet_to_drop(state))
        case Stage.TURNS:
            return frozenset({actor(state)})
    return frozenset()


def actor(state: State) -> str:
    """The player who has to act during the turns: for a penalty roll or a choice before the turn itself."""
    if state.accident:
        return state.accident.player
    if state.decision:
        return state.decision.owner
    assert state.turn is not None
    return state.turn


def has_turn_left(state: State, player: str) -> bool:
    """Whether a player may still have a turn in this round (ST-40, ST-44)."""
    if not stacks.unstacked(state.layout, player):
        return False
    return state.last_turns is None or player in state.last_turns


def targets(state: State, player: str, number: int) -> tuple[Stack, ...]:
    """Stacks and single dice that a player's die showing `number` may be put on (ST-31)."""
    faces = state.layout.faces
    alike = (stack for stack in stacks.tops(state.layout) if faces[stack[-1]] == number)  # The others need no sentence.
    return tuple(stack for stack in alike if not objection(state, player, number, stack))


def objection(state: State, player: str, number: int, stack: Stack) -> str:
    """The sentence that refuses a die showing `number` on `stack`, "" when it may go there (ST-31 … ST-33)."""
    face, below = state.layout.faces[stack[-1]], stacks.owner(stack[-1])
    if below == player:
        return _("Your own colour is on top there. Choose a rival's die.")  # ST-32
    if not may_stack_on(state, player, below):
        return _("Your partner's colour is on top there. Choose a rival's die.")  # ST-72
    if len(stack) >= FULL_STACK:
        return _("That stack is four high and captured. Choose another.")  # ST-33, ST-35
    if face != number:
        return _(
            "A {number} can't go on a {face}. Choose a rival's die that shows {number}, or roll.",
            number=number,
            face=face,
        )  # ST-31
    return ""


def round_number(state: State) -> int:
    """The number of the current round, from 1."""
    return len(state.past) + 1


def fined(state: State, players: Iterable[str], points: int, why: str, rule: str) -> State:
    """Each of `players` loses `points`; a score may become negative (ST-57). `why` is a message id."""
    number = round_number(state)
    fines = tuple(Penalty(player, -points, why, rule, number) for player in players)
    return replace(state, penalties=(*state.penalties, *fines))


def check_face(value: int) -> None:
    """Raises IllegalEvent unless a die can show `value`."""
    if value not in FACES:
        raise IllegalEvent(_("A die shows 1 to 6. Enter what it shows."))


def rollers(state: State) -> tuple[str, ...]:
    """The players whose rolled die may have knocked over a stack: the last entered one, or one not entered yet."""
    earlier = (state.no_place.player,) if state.no_place else ()
    now = (actor(state),) if stage(state) is Stage.TURNS else ()
    if state.decision:
        now = (state.decision.culprit,)
    return tuple(dict.fromkeys((*earlier, *now)))


def colour(state: State, player: str) -> str:
    """The colour of a player's dice, the same in every round (ST-04)."""
    return state.options.dice_colours[state.players.index(player)]
