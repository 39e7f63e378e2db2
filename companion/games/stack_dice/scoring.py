"""The points and the winners of Stack (ST-57 … ST-62, ST-70, ST-74, ST-84)."""

from collections import Counter
from collections.abc import Mapping

from companion.games import rulings
from companion.games.stack_dice import stacks
from companion.games.stack_dice.stacks import FULL_STACK, Stack
from companion.games.stack_dice.state import State, round_number, sides
from companion.words import _


def stack_points(state: State, player: str) -> int:
    """The points of this round's stacks with the player's colour on top (ST-58)."""
    return sum(points for _, points in owned_stacks(state, player))


def owned_stacks(state: State, player: str) -> tuple[tuple[Stack, int], ...]:
    """(stack, its points) for the stacks with the player's colour on top, captured ones included.

    A single die is no stack and gives no points (ST-59).
    """
    double = state.options.hr_double_four_high
    return tuple(
        (stack, stacks.points(state.layout, stack, double))
        for stack in state.layout.stacks
        if stacks.owner(stack[-1]) == player
    )


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of a player's score: counted rounds, then stacks, penalties and rulings (ST-61)."""
    rounds = tuple(
        (_("Round {number}", number=number), points[player], "ST-58")
        for number, points in enumerate(state.past, start=1)
    )
    standing = Counter(
        (stack_line(state, stack), points, stack_rule(state, stack)) for stack, points in owned_stacks(state, player)
    )
    losses = Counter(
        (_(penalty.why), penalty.points, penalty.rule) for penalty in state.penalties if penalty.player == player
    )
    return (*rounds, *merged(standing), *merged(losses), *rulings.lines(state.rulings, player))


def merged(lines: Mapping[tuple[str, int, str], int]) -> tuple[tuple[str, int, str], ...]:
    """The lines, equal ones merged into one."""
    return tuple(
        (f"{number} × {text}" if number > 1 else text, number * points, rule)
        for (text, points, rule), number in lines.items()
    )


def stack_line(state: State, stack: Stack) -> str:
    """The name of a stack in a score."""
    height, face = len(stack), state.layout.faces[stack[-1]]
    if height == FULL_STACK:
        return _("Stack of {height}, captured, {face} on top", height=height, face=face)
    return _("Stack of {height}, {face} on top", height=height, face=face)


def stack_rule(state: State, stack: Stack) -> str:
    """The id of the rule that scores a stack."""
    return "ST-84" if len(stack) == FULL_STACK and state.options.hr_double_four_high else "ST-58"


def round_gains(state: State) -> dict[str, int]:
    """Player → points of the round so far: stacks less penalties."""
    return {
        player: stack_points(state, player)
        + sum(
            penalty.points
            for penalty in state.penalties
            if penalty.player == player and penalty.round == round_number(state)
        )
        for player in state.players
    }


def score(state: State) -> dict[str, int]:
    """Player → points if the round ended now: earlier rounds, stacks, penalties, rulings (ST-57 … ST-61)."""
    return {player: total(state, player) for player in state.players}


def total(state: State, player: str) -> int:
    """One player's points if the round ended now."""
    return sum(points for _, points, _ in explain(state, player))


def side_totals(state: State) -> dict[tuple[str, ...], int]:
    """Side → combined score (ST-70)."""
    totals = score(state)
    return {side: sum(totals[player] for player in side) for side in sides(state)}


def leading(state: State) -> tuple[tuple[str, ...], ...]:
    """The sides with the highest total."""
    totals = side_totals(state)
    return tuple(side for side in totals if totals[side] == max(totals.values()))


def is_decided(state: State) -> bool:
    """Whether the best total is above the target (ST-60) and unshared (ST-62); a team's is its members' sum (ST-74)."""
    best = leading(state)
    return len(best) == 1 and side_totals(state)[best[0]] > state.options.target


def is_over(state: State) -> bool:
    """Whether the game is over."""
    return state.ended


def winners(state: State) -> tuple[str, ...]:
    """The players of the side with the highest total; a team wins together (ST-60, ST-70)."""
    if not state.ended:
        return ()
    best = {player for side in leading(state) for player in side}
    return tuple(player for player in state.players if player in best)


def ranked(state: State) -> tuple[tuple[str, ...], ...]:
    """The sides by their combined scores: partners are placed alike (ST-70)."""
    totals = side_totals(state)
    return tuple(
        tuple(player for side in totals if totals[side] == points for player in side)
        for points in sorted({*totals.values()}, reverse=True)
    )
