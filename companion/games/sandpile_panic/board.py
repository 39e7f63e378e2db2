"""The board of Sandpile Panic: spaces, piles and topples.

A space is named by its row from the north and its column from the west, "r1c1" in the north-west corner. A pile is a
string of colour letters, the bottom piece first; a board maps every space to its pile, "" where there is none.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from companion.words import N_, _

Board = Mapping[str, str]
Tops = Mapping[str, str]
UnsureTops = Mapping[str, str | None]  # None is an unsure space.

BLOCK = 4  # SP-31, SP-32: the pieces that leave a toppling pile, one to each side
READY = 5  # SP-23, SP-30: a pile of four stands, one of five must topple
NAME = re.compile(r"r(\d+)c(\d+)")

# The sheet has these letters, U for blue since B is black; the board reader has these names of colours.
COLOURS: Mapping[str, str] = {
    "W": "white",
    "B": "black",
    "R": "red",
    "U": "blue",
    "Y": "yellow",
    "G": "green",
    "O": "orange",
    "V": "purple",
}
PINK = "P"  # SP-50
NAMES: Mapping[str, str] = {**COLOURS, PINK: "pink"}


class Side(StrEnum):
    """The sides of a space, clockwise as seen from above (SP-32)."""

    NORTH = "north"
    EAST = "east"
    SOUTH = "south"
    WEST = "west"


SIDES = tuple(Side)
SIDE_NAMES: Mapping[Side, str] = {
    Side.NORTH: N_("north"),
    Side.EAST: N_("east"),
    Side.SOUTH: N_("south"),
    Side.WEST: N_("west"),
}
STEPS: Mapping[Side, tuple[int, int]] = {
    Side.NORTH: (-1, 0),
    Side.EAST: (0, 1),
    Side.SOUTH: (1, 0),
    Side.WEST: (0, -1),
}


def in_words(letter: str) -> str:
    """The colour of a piece, for people."""
    return _(NAMES.get(letter, letter))


def space(row: int, column: int) -> str:
    """The name of a space."""
    return f"r{row}c{column}"


def spot(at: str) -> str:
    """The name of a space for people: "row 1 column 3" is in the first row from the north, the third from the west.

    What names no space, as in an entry of another program, stays as it is.
    """
    match = NAME.fullmatch(at)
    return _("row {row} column {column}", row=int(match[1]), column=int(match[2])) if match else at


@cache
def beside(at: str) -> tuple[str, str, str, str]:
    """The names of the four spaces around a space, clockwise from north, those off the board too."""
    match = NAME.fullmatch(at)
    assert match, at
    row, column = map(int, match.groups())
    north, east, south, west = (space(row + down, column + right) for down, right in STEPS.values())
    return north, east, south, west


def empty(size: int) -> Board:
    """A square board of empty spaces, row by row (SP-02)."""
    return {space(row, column): "" for row in range(1, size + 1) for column in range(1, size + 1)}


def rows(board: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The names of the spaces, row by row from the north."""
    lines: dict[str, list[str]] = {}
    for at in board:
        lines.setdefault(at.partition("c")[0], []).append(at)
    return tuple(map(tuple, lines.values()))


def top(pile: str) -> str:
    """The colour that owns a pile (SP-04), "" for none."""
    return pile[-1:]


def tops(board: Board) -> Tops:
    """Space → top colour, "" for an empty space: the board seen from above (SP-40)."""
    return {at: pile[-1:] for at, pile in board.items()}


def agrees(looks: UnsureTops, tops: Tops) -> bool:
    """Whether a board that looks so from above, as far as it is sure, may have these tops."""
    return all(top is None or top == tops[at] for at, top in looks.items())


def placed(board: Board, at: str, piece: str) -> Board:
    """The board with one more piece on top of a space."""
    return {**board, at: board[at] + piece}


def ready(board: Board) -> tuple[str, ...]:
    """The spaces whose pile must topple, whoever owns it and however it grew (SP-30)."""
    return tuple(at for at, pile in board.items() if len(pile) >= READY)


def highest(board: Board) -> int:
    """The height of the highest pile."""
    return max(map(len, board.values()), default=0)


def landing(block: str, start: Side) -> tuple[str, str, str, str]:
    """The piece of a block that goes north, east, south and west: the bottom one to `start`, then clockwise (SP-32)."""
    turn = SIDES.index(start)
    north, east, south, west = (block[side - turn] for side in range(BLOCK))
    return north, east, south, west


def toppled(board: Board, at: str, start: Side) -> tuple[Board, str]:
    """(the board after a pile toppled, the pieces spilled over its edge).

    The top four pieces move as a block and the rest stays (SP-31); pink ones move like any other (SP-53). They land on
    top of the neighbouring piles (SP-35), and a piece whose side is off the board is spilled (SP-34).
    """
    after, spilled = dict(board), ""
    after[at] = board[at][:-BLOCK]
    for side, piece in zip(beside(at), landing(board[at][-BLOCK:], start), strict=True):
        if side in after:
            after[side] += piece
        else:
            spilled += piece
    return after, spilled
