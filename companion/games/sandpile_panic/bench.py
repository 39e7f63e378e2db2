"""`companion bench sandpile`: the speed of Sandpile Panic's searches, pages and rules, by size and topples."""

import random
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from typing import ParamSpec, TypeVar

from companion.game.figures import Measured
from companion.game.players import Viewer
from companion.games.sandpile_panic import advice, rules
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.events import Placed
from companion.games.sandpile_panic.options import Opening, Options
from companion.games.sandpile_panic.outcomes import search
from companion.games.sandpile_panic.pages import view
from companion.games.sandpile_panic.state import State
from companion.games.sandpile_panic.turns import placed

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

SEED = 20
SIZES = (5, 6, 7, 8, 9, 10)
MOST_TOPPLES = 8  # Longer chains have more outcomes than anybody looks at.
BOARDS = 12  # Each size and each number of topples has so many.
REPEATS = 3
RANDOM_BOARDS = 3_000


def figures() -> list[Measured]:
    """All measurements: median and largest milliseconds of many boards."""
    rows = growth_figures()
    for size in SIZES:
        rows += search_figures(size)
    for size, players in ((5, 2), (10, 2), (10, 8)):
        rows += page_figures(size, players)
    return rows


def growth_figures() -> list[Measured]:
    """Time for all outcomes of a placement on boards of all sizes, by topples, and the factor for one topple more."""
    taken_ms: dict[int, list[float]] = {number: [] for number in range(1, MOST_TOPPLES + 1)}
    whole: dict[int, int] = dict.fromkeys(taken_ms, 0)
    for size in SIZES:
        for topples, plays in chains(size).items():
            for state, play in plays:
                play_ms, outcomes = timed(advice.outcomes, state, play)
                taken_ms[topples].append(play_ms)
                whole[topples] += outcomes.complete
    rows = []
    for topples, plays_ms in taken_ms.items():
        if not plays_ms:
            continue
        group = f"all sizes, {topples} topple{'s' if topples > 1 else ''}"
        rows += [
            *spread("all outcomes", group, plays_ms, "ms"),
            Measured("all outcomes within the bound", group, count=whole[topples], total=len(plays_ms)),
        ]
        if taken_ms.get(topples - 1):
            factor = median(plays_ms) / median(taken_ms[topples - 1])
            rows.append(Measured("growth with one topple more, median", group, value=factor, unit="times"))
    return rows


def search_figures(size: int) -> list[Measured]:
    """Time for all outcomes of a placement, and for finding the play again from the colours on top."""
    rows = []
    for topples, plays in sorted(chains(size).items()):
        group = f"{size}x{size}, {topples} topple{'s' if topples > 1 else ''}"
        all_ms, counts, known_ms, unknown_ms = [], [], [], []
        for state, play in plays:
            taken_ms, outcomes = timed(advice.outcomes, state, play)
            all_ms.append(taken_ms)
            counts.append(len(outcomes.endings))
            tops = boards.tops(outcomes.endings[-1].state.board)
            known_ms.append(best(advice.explanations, state, tops, at=play.at))
            unknown_ms.append(best(advice.explanations, state, tops))
        rows += [
            *spread("distinct outcomes", group, counts, ""),
            *spread("all outcomes", group, all_ms, "ms"),
            *spread("play from tops, space known", group, known_ms, "ms"),
            *spread("play from tops, space unknown", group, unknown_ms, "ms"),
        ]
    return rows


def chains(size: int) -> dict[int, list[tuple[State, Placed]]]:
    """Number of topples → crowded random boards, each with a placement that causes so many."""
    chance = random.Random(SEED + size)
    plays_of: dict[int, list[tuple[State, Placed]]] = {number: [] for number in range(1, MOST_TOPPLES + 1)}
    for _ in range(RANDOM_BOARDS):
        state = crowded(size, 2, chance)
        at = chance.choice([at for at, pile in state.board.items() if len(pile) == boards.BLOCK])
        state = replace(state, board={**state.board, at: state.board[at][:-1] + "W"})
        play = Placed(state.players[0], at)
        topples = sum(search.firings(placed(state, play, ruled=False).board).topples.values())
        if len(plays_of.get(topples, [None] * BOARDS)) < BOARDS:
            plays_of[topples].append((state, play))
    return plays_of


def crowded(size: int, players: int, chance: random.Random) -> State:
    """A random state in the middle of a game; the first player is to place."""
    seats = tuple(f"player {number}" for number in range(1, players + 1))
    opening = Opening.NONE if players == 2 else None
    state = rules.start(Options(board_size=size, opening=opening), seats)
    letters = tuple(state.colours.values())
    heights = (0, 1, 2, 3, 4, 4, 4)
    board = {at: "".join(chance.choices(letters, k=chance.choice(heights))) for at in state.board}
    return replace(state, board=board, turns=2 * players)


def page_figures(size: int, players: int) -> list[Measured]:
    """Time for a tap: the page, the list of legal events, and the turn itself."""
    chance = random.Random(SEED)
    states = [crowded(size, players, chance) for _ in range(BOARDS)]
    full = [replace(state, board={at: pile or "W" for at, pile in state.board.items()}) for state in states]
    group = f"{size}x{size} full, {players} players"

    def times(work: Callable[[State], object]) -> list[float]:
        return [best(work, state) for state in full]

    def page(state: State) -> object:
        return view(state, Viewer(None, {}))

    def legal(state: State) -> object:
        return rules.legal(state, state.players[0])

    def turn(state: State) -> object:
        return rules.apply(state, rules.legal(state, state.players[0])[0])

    return [
        *spread("page", group, times(page), "ms"),
        *spread("legal events", group, times(legal), "ms"),
        *spread("legal events and one of them", group, times(turn), "ms"),
    ]


def timed(work: Callable[Arguments, Answer], *args: Arguments.args, **named: Arguments.kwargs) -> tuple[float, Answer]:
    """(milliseconds of processor time, result) of one call."""
    began = time.process_time()
    answer = work(*args, **named)
    return (time.process_time() - began) * 1e3, answer


def best(work: Callable[Arguments, Answer], *args: Arguments.args, **named: Arguments.kwargs) -> float:
    """Milliseconds of the quickest of a few calls, so with warm caches."""
    return min(timed(work, *args, **named)[0] for _ in range(REPEATS))


def spread(name: str, group: str, values: list[float] | list[int], unit: str) -> list[Measured]:
    """Two measurements, the median and the largest; empty for no values."""
    if not values:
        return []
    return [
        Measured(f"{name}, median", group, value=float(median(values)), unit=unit),
        Measured(f"{name}, largest", group, value=float(max(values)), unit=unit),
    ]
