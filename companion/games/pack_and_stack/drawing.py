"""Shared parts of Pack & Stack's pages: the player a page acts for, the trucks and the boxes."""

from collections.abc import Callable

from companion.equipment.trucks import Truck
from companion.game.players import Viewer
from companion.game.widgets import Cell, Grid
from companion.games.pack_and_stack.events import Event
from companion.games.pack_and_stack.loads import SIZES, Counts
from companion.games.pack_and_stack.options import BOX_COLOURS, trucks
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.state import State, order
from companion.words import _

DRAWABLE = {"white", "red", "yellow", "orange", "green", "blue", "purple", "black", "grey", "brown", "turquoise"}


def actor(state: State, viewer: Viewer) -> str | None:
    """The player whose move this page makes, or None.

    On a player's own page it is that player; on the page of the whole table the chosen one, or the next in order. Its
    headline names that player, and another one is a tap away. Where nothing is tapped it is the only one waiting.
    """
    waiting = [player for player in order(state) if player in awaiting(state)]
    if viewer.player is not None:
        return viewer.player if viewer.player in waiting else None
    if viewer.draft.get("who") in waiting:
        return viewer.draft["who"]
    return waiting[0] if len(waiting) == 1 or (waiting and not viewer.looks_on) else None


def round_name(state: State) -> str:
    """The current round: "Round 2"."""
    return _("Round {number}", number=len(state.past) + 1)


def truck_words(state: State, card: int) -> str:
    """A truck in words: "Truck 17: 8 squares, 2 high"."""
    truck = trucks(state.options)[card - 1]
    return _("Truck {card}: {n} squares, {height} high", card=card, n=len(truck.squares), height=truck.height)


def boxes_words(counts: Counts) -> str:
    """Boxes in words: "2 of size 3, 1 of size 5"."""
    boxes = zip(SIZES, counts, strict=True)
    return ", ".join(_("{number} of size {size}", number=number, size=size) for size, number in boxes if number)


def colour_of(state: State, size: int) -> str:
    """The colour of a size on the page: the table's if the page can draw it, otherwise the printed one."""
    colour = state.options.box_colours[size - 1].strip().lower()
    return colour if colour in DRAWABLE else BOX_COLOURS[size - 1]


def boxes_grid(state: State, counts: Counts) -> Grid[Event]:
    """The number of rolled boxes of each size, in their colours."""
    cells: tuple[Cell[Event], ...] = tuple(
        Cell(str(number), colour_of(state, size) if number else "") for size, number in zip(SIZES, counts, strict=True)
    )
    return Grid(_("Boxes of each size"), (cells,), tuple(map(str, SIZES)))


def truck_grid(state: State, card: int) -> Grid[Event]:
    """A truck's loading area, with its height in each square."""
    truck = trucks(state.options)[card - 1]
    return area(
        _("Truck {card}, {height} high", card=card, height=truck.height),
        truck,
        lambda _square: Cell(str(truck.height), "white"),
    )


def area(title: str, truck: Truck, cell: Callable[[tuple[int, int]], Cell[Event]]) -> Grid[Event]:
    """A truck's loading area; `cell` draws each square, the rest stays empty."""
    rows, columns = len(truck.rows), max(map(len, truck.rows))
    drawn = (
        tuple(cell((row, column)) if (row, column) in truck.squares else Cell() for column in range(1, columns + 1))
        for row in range(1, rows + 1)
    )
    return Grid(title, tuple(drawn))
