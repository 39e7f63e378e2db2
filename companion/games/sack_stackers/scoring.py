"""The groups, the points and the winner of Sack Stackers (SS-40 … SS-46, SS-51)."""

from collections.abc import Mapping
from dataclasses import replace

from companion.games import rulings
from companion.games.sack_stackers import groups
from companion.games.sack_stackers.coal import drop
from companion.games.sack_stackers.options import CIRCLES, COAL, Overlap
from companion.games.sack_stackers.state import State
from companion.words import _n

GROUP_POINTS = 10  # SS-40
COAL_POINTS = 2  # SS-44
CIRCLE_POINTS = 1  # SS-45


def scoring_groups(state: State, player: str) -> Mapping[str, tuple[groups.Group, ...]]:
    """The groups that count on a player's sheet, by type (SS-40 … SS-43)."""
    return groups.count(
        state.sheets[player].sack,
        mirror=state.options.mirror,
        shared=state.options.overlap is Overlap.SHARED,
        exact=state.options.exact_groups,
    )


def isolated_coal(sack: tuple[str, ...]) -> int:
    """The number of coals without another directly above, below, left or right (SS-44)."""
    squares = {(column, row) for column, things in enumerate(sack) for row, thing in enumerate(things) if thing == COAL}
    return sum(squares.isdisjoint(groups.neighbours(square)) for square in squares)


def counted(state: State, player: str) -> tuple[int, int, int]:
    """How many groups, coals alone and circles left a player has (SS-40, SS-44, SS-45)."""
    sheet = state.sheets[player]
    number = sum(len(of_type) for of_type in scoring_groups(state, player).values())
    return number, isolated_coal(sheet.sack), CIRCLES - sheet.circles


def explain(state: State, player: str) -> tuple[tuple[str, int, str], ...]:
    """The lines of the scoring box (SS-07)."""
    number, coal, unused = counted(state, player)
    return (
        (_n("{n} group", "{n} groups", number), number * GROUP_POINTS, "SS-40"),
        (_n("{n} coal alone", "{n} coals alone", coal), coal * COAL_POINTS, "SS-44"),
        (_n("{n} circle left", "{n} circles left", unused), unused * CIRCLE_POINTS, "SS-45"),
        *rulings.lines(state.rulings, player),
    )


def score(state: State) -> dict[str, int]:
    """Player → total if the game ended now (SS-46)."""
    return {player: total(state, player) for player in state.players}


def total(state: State, player: str) -> int:
    """One player's total if the game ended now (SS-46), without the sentences of `explain`."""
    number, coal, unused = counted(state, player)
    ruled = sum(points for _, points, _ in rulings.lines(state.rulings, player))
    return number * GROUP_POINTS + coal * COAL_POINTS + unused * CIRCLE_POINTS + ruled


def worth(state: State, player: str, gift: str, column: int) -> int:
    """The points that a gift adds if it falls into a column with room."""
    sheet = state.sheets[player]
    after = replace(state, sheets={**state.sheets, player: replace(sheet, sack=drop(sheet.sack, column, gift))})
    return total(after, player) - total(state, player)


def leaders(state: State) -> tuple[str, ...]:
    """The players with the highest total."""
    totals = score(state)
    best = max(totals.values())
    return tuple(player for player in state.players if totals[player] == best)


def tie_to_break(state: State) -> bool:
    """Whether the game has ended and the table has to name the youngest (SS-51)."""
    tied = set(leaders(state))
    if not state.ended or len(tied) == 1:
        return False
    # After a correction, a new player in the tie may be younger; one who left matters only if nobody named is left.
    return not tied <= set(state.tied) or tied.isdisjoint(state.youngest)


def winners(state: State) -> tuple[str, ...]:
    """The Head Elf (SS-51); empty until the game is over and a tie is broken."""
    if not state.ended or tie_to_break(state):
        return ()
    best = leaders(state)
    return best if len(best) == 1 else tuple(player for player in best if player in state.youngest)


def is_over(state: State) -> bool:
    """Whether the game is over and a tie is broken."""
    return state.ended and not tie_to_break(state)
