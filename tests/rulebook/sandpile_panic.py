"""Worked cases of Sandpile Panic."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from companion.errors import IllegalEvent
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import islands, rules
from companion.games.sandpile_panic.events import Topple, Turned
from companion.games.sandpile_panic.islands import Scoring, Sizes, Special
from companion.games.sandpile_panic.state import State, on_turn, opening_of, seat
from tests.rulebook.cases import AnyOrder, Case, Kinds, Letters, listed, only_keys, options_of

GAME = "sandpile_panic"
MOST_TURNS = 100_000


def sand_turn(case: Case) -> dict[str, Any]:
    only_keys(case["play"], {"colour", "at", "piece"})
    mover, piece = case["play"]["colour"], case["play"].get("piece")
    if len(mover) != 1 or mover == boards.PINK or piece not in (None, "pink"):
        raise ValueError("the play names no colour and piece of this game")
    before = position(case, mover)
    topples = []
    for topple in listed(case.get("topples")):
        only_keys(topple, {"at", "start"})
        topples.append(Topple(topple["at"], boards.Side(topple["start"])))
    try:
        after = rules.apply(before, Turned(mover, case["play"]["at"], piece == "pink", tuple(topples)))
    except IllegalEvent:
        return {"legal": False, **seen(before)}
    return {"legal": True, **seen(after)}


def position(case: Case, mover: str) -> State:
    """The board of a case, with every colour on it a player and the mover's turn; how it came about is not asked."""
    board = {
        boards.space(row, column): "" if pile == "." else pile
        for row, line in enumerate(case["board"], start=1)
        for column, pile in enumerate(line.split(), start=1)
    }
    seen_colours = {piece for pile in board.values() for piece in pile} - {mover, boards.PINK}
    players = (mover, *sorted(seen_colours or {"B" if mover == "W" else "W"}))
    options = options_of(case, GAME)
    rules.start(options, players[:2])  # refuses values that no game has
    state = State(
        options, players, players, {player: player for player in players}, board,
        highest=boards.highest(board),
    )  # fmt: skip
    later = count(2 * len(players))  # past the opening, where the order of turns has settled
    return next(found for found in (replace(state, turns=turn) for turn in later) if on_turn(found) == mover)


def seen(state: State) -> dict[str, Any]:
    """What the cases ask of a position."""
    lines = boards.rows(state.board)
    return {
        "board": [" ".join(state.board[at] or "." for at in line) for line in lines],
        "heights": [" ".join(str(len(state.board[at]) or ".") for at in line) for line in lines],
        "highest_pile": state.highest,
        "spilled": Letters(state.spilled),
        "game_over": state.ended,
    }


def sand_order(case: Case) -> dict[str, Any]:
    """The order that shares the first move fairly, unless the case names another opening."""
    options = options_of(case, GAME, opening="fair_share")
    state = rules.start(options, tuple(map(str, range(min(case["players"], MOST_TURNS)))))
    opening = opening_of(state)
    turns = case["turns"] or 0
    if not 0 <= turns <= MOST_TURNS:
        raise ValueError(f"an order is asked for 0 to {MOST_TURNS} turns")
    return {"order": [seat(turn, case["players"], opening) + 1 for turn in range(turns)]}


def sand_score(case: Case) -> dict[str, Any]:
    options = options_of(case, GAME)
    special = Special(case["special_piece"] or "none") if "special_piece" in case else options.special_piece
    tops = {
        boards.space(row, column): "" if piece == "." else piece
        for row, line in enumerate(case["tops"], start=1)
        for column, piece in enumerate(line.replace(" ", ""), start=1)
    }
    found = {colour: islands.joined(tops, colour, special) for colour in colours_of(case, tops)}
    sizes = {
        scoring: {colour: islands.counted(found[colour], special, scoring) for colour in found} for scoring in Scoring
    }
    return judged(sizes)


def colours_of(case: Case, tops: Mapping[str, str]) -> list[str]:
    """The players' colours: those seen, and those without a visible piece that the case asks about."""
    asked = [colour for wanted in case["expect"].values() if isinstance(wanted, dict) for colour in wanted]
    return list(dict.fromkeys(piece for piece in (*asked, *tops.values()) if piece not in ("", boards.PINK)))


def sand_compare(case: Case) -> dict[str, Any]:
    options_of(case, GAME)
    sizes = {
        player: tuple(sorted((size for size in listed(counted) if size), reverse=True))
        for player, counted in case["sizes"].items()
    }
    return judged(dict.fromkeys(Scoring, sizes))


def judged(sizes: Mapping[Scoring, Mapping[str, Sizes]]) -> dict[str, Any]:
    """Points, rankings and winners under every scoring."""
    points = {
        scoring: {player: islands.points(each, scoring) for player, each in sizes[scoring].items()}
        for scoring in Scoring
    }
    rankings = {scoring: islands.ranking(points[scoring], sizes[scoring]) for scoring in Scoring}
    return {
        "sizes": {player: list(each) for player, each in sizes[Scoring.REGULAR].items()},
        "regular_winner": islands.winner(rankings[Scoring.REGULAR]),
        "landgrab": points[Scoring.LANDGRAB],
        "landgrab_winner": islands.winner(rankings[Scoring.LANDGRAB]),
        "landgrab_ranking": [AnyOrder(group) for group in rankings[Scoring.LANDGRAB]],
        "no_small_islands": points[Scoring.NO_SMALL_ISLANDS],
        "no_small_winner": islands.winner(rankings[Scoring.NO_SMALL_ISLANDS]),
    }


KINDS: Kinds = {
    "sand_turn": ({"board", "play", "topples"}, sand_turn),
    "sand_order": ({"players", "turns"}, sand_order),
    "sand_score": ({"tops", "special_piece"}, sand_score),
    "sand_compare": ({"sizes"}, sand_compare),
}
