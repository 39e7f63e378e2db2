"""The state of a game of Sandpile Panic, and the order of turns (SP-10 … SP-14)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from companion.games.rulings import Ruling
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.board import PINK, Board
from companion.games.sandpile_panic.islands import Special
from companion.games.sandpile_panic.options import Opening, Options


@dataclass(frozen=True)
class State:
    """The state of a game.

    order       players in the order of their turns; only taking over the opening changes it
    colours     player → letter, as in board.COLOURS
    turns       number of finished or skipped turns
    mover       the player who placed a piece and still has to topple, None while a placement is awaited
    pink_used   players whose pink piece has been placed
    spilled     the pieces that left the board; they never score
    highest     the height of the highest pile since the turn began
    decided     True: player two has answered the opening (pie rule)
    skipped     players skipped just before this turn (SP-15)
    changed     the spaces that the newest event changed
    """

    options: Options
    players: tuple[str, ...]
    order: tuple[str, ...]
    colours: Mapping[str, str]
    board: Board
    turns: int = 0
    mover: str | None = None
    pink_used: frozenset[str] = frozenset()
    spilled: str = ""
    highest: int = 0
    decided: bool = False
    skipped: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    ended: bool = False
    rulings: tuple[Ruling, ...] = ()


class Stage(StrEnum):
    """The stages of a game: the kinds of next steps."""

    PLACING = "placing"
    TOPPLING = "toppling"
    PIE = "pie"
    OVER = "over"


def opening_of(state: State) -> Opening:
    """The opening of this game: the table's choice, otherwise pie rule for two and fair share for more (SP-11)."""
    if state.options.opening is not None:
        return state.options.opening
    return Opening.PIE if len(state.players) == 2 else Opening.FAIR_SHARE


def seat(turn: int, players: int, opening: Opening) -> int:
    """The place in the order that has turn number `turn`, both from 0 (SP-10)."""
    if opening is not Opening.FAIR_SHARE:
        return turn % players
    if players == 2:  # SP-13: an extra turn right after player two's first; SP-14 is for more players
        return turn % 2 if turn < 2 else (turn + 1) % 2
    place = turn % players  # SP-14: the second round runs backwards, all others forwards
    return players - 1 - place if turn // players == 1 else place


def on_turn(state: State) -> str:
    """The player whose turn it is; with the pie rule, black's follows the answer, whoever is black (SP-12)."""
    return state.order[seat(state.turns, len(state.order), opening_of(state))]


def stage(state: State) -> Stage:
    """The stage of the game."""
    if state.ended:
        return Stage.OVER
    if state.mover is not None:
        return Stage.TOPPLING
    if opening_of(state) is Opening.PIE and state.turns == 1 and not state.decided:
        return Stage.PIE
    return Stage.PLACING


def awaiting(state: State) -> frozenset[str]:
    """The one player who may act; empty when the game is over."""
    match stage(state):
        case Stage.OVER:
            return frozenset()
        case Stage.TOPPLING if state.mover is not None:
            return frozenset({state.mover})
        case Stage.PIE:
            return frozenset({state.order[1]})
    return frozenset({on_turn(state)})


def pieces_used(state: State, player: str) -> int:
    """The number of pieces of a player's colour that have been placed."""
    colour = state.colours[player]
    return sum(pile.count(colour) for pile in state.board.values()) + state.spilled.count(colour)


def open_tops(state: State, player: str) -> tuple[str, ...]:
    """The tops that a player may place on: none, the own colour (SP-21, SP-23), and pink if in the game (SP-52)."""
    pink = () if state.options.special_piece is Special.NONE else (PINK,)
    return ("", state.colours[player], *pink)


def letters(state: State) -> tuple[str, ...]:
    """The letters of all pieces in this game."""
    pink = () if state.options.special_piece is Special.NONE else (boards.PINK,)
    return (*(state.colours[player] for player in state.order), *pink)
