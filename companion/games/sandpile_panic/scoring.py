"""The islands, the points and the winner of Sandpile Panic (SP-40 … SP-45, SP-52 … SP-55)."""

from companion.games import rulings as referee
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import islands
from companion.games.sandpile_panic.islands import Island, Scoring, Sizes, Special
from companion.games.sandpile_panic.state import State
from companion.words import _, _n


def player_islands(state: State, player: str) -> tuple[Island, ...]:
    """All islands of a player's colour, with the pink spaces in them."""
    return islands.joined(boards.tops(state.board), state.colours[player], state.options.special_piece)


def sizes(state: State, player: str, scoring: Scoring | None = None) -> Sizes:
    """The sizes of the islands that count for a player, largest first."""
    chosen = scoring or state.options.scoring
    return islands.counted(player_islands(state, player), state.options.special_piece, chosen)


def explain(state: State, player: str, scoring: Scoring | None = None) -> tuple[tuple[str, int, str], ...]:
    """The lines of a player's points, under the game's scoring or another one."""
    chosen, special = scoring or state.options.scoring, state.options.special_piece
    all_islands = player_islands(state, player)
    counts = islands.counted(all_islands, special, chosen)
    lines = island_lines(counts, chosen)
    left_out = len(all_islands) - len(counts)
    if left_out and special is Special.PENALTY:
        text = _n("{n} island with a pink space", "{n} islands with a pink space", left_out)
        lines += ((text, 0, "SP-55"),)
    elif left_out:
        text = _n("{n} island of only pink spaces, left out", "{n} islands of only pink spaces, left out", left_out)
        lines += ((text, 0, "SP-54"),)
    return (*lines, *referee.lines(state.rulings, player))


def island_lines(counts: Sizes, scoring: Scoring) -> tuple[tuple[str, int, str], ...]:
    """The islands as lines: the list that is compared, or the points for each size."""
    if scoring is Scoring.REGULAR:
        what = _("Largest island") if counts else _("No island")
        return ((what, islands.points(counts, scoring), "SP-41"),)
    rule, less = ("SP-44", "") if scoring is Scoring.LANDGRAB else ("SP-45", f" − {islands.SMALL}")
    lines = []
    for size in dict.fromkeys(counts):
        times = counts.count(size)
        text = _n(
            "{n} island of {size} ({sum})", "{n} islands of {size} ({sum})", times, size=size, sum=f"{size}²{less}"
        )
        lines.append((text, times * islands.worth(size, scoring), rule))
    return tuple(lines)


def standing(state: State) -> tuple[dict[str, int], dict[str, Sizes]]:
    """(player → points, player → island sizes), as they are compared."""
    lists = {player: sizes(state, player) for player in state.players}
    points = {
        player: islands.points(lists[player], state.options.scoring) + referee.points_of(state.rulings, player)
        for player in state.players
    }
    return points, lists


def score(state: State) -> dict[str, int]:
    """Player → points if the game ended now; in regular scoring the size of the largest island."""
    return standing(state)[0]


def ranking(state: State) -> tuple[tuple[str, ...], ...]:
    """Groups of completely equal players, best first; in regular scoring only the first place counts (SP-43)."""
    return islands.ranking(*standing(state))


def winners(state: State) -> tuple[str, ...]:
    """The winner; empty before the end, and after a complete tie, when another game is played (SP-42)."""
    best = islands.winner(ranking(state)) if state.ended else None
    return () if best is None else (best,)


def ranked(state: State) -> tuple[tuple[str, ...], ...]:
    """Landgrab ranks everybody, any other scoring the winner alone (SP-43); a complete tie nobody (SP-42)."""
    first = winners(state)
    if not first or state.options.scoring is Scoring.LANDGRAB:
        return ranking(state) if first else ()
    return first, tuple(player for player in state.players if player not in first)


def is_over(state: State) -> bool:
    """Whether the game is over."""
    return state.ended
