"""Shared parts of Pack & Stack's pages: the player a page acts for, the trucks and the boxes."""

import re
from collections.abc import Callable, Iterable

from companion.equipment.pictures import truck_frame, truck_shapes
from companion.equipment.trucks import Truck
from companion.game.charts import Picture, Pictures
from companion.game.players import Viewer
from companion.game.widgets import Cell, Grid, PictureChoice, PictureTap, Tap
from companion.games.pack_and_stack.events import Event
from companion.games.pack_and_stack.loads import SIZES, Counts
from companion.games.pack_and_stack.options import BOX_COLOURS, trucks
from companion.games.pack_and_stack.rounds import awaiting
from companion.games.pack_and_stack.state import State, order
from companion.words import _, _n, listed

DRAWABLE = {"white", "red", "yellow", "orange", "green", "blue", "purple", "black", "grey", "brown", "turquoise"}

EMPTY, GAP = ".", re.compile(r"\.+")  # squares of a row that are no part of the loading area


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


def truck_shape_words(state: State, card: int) -> str:
    """A truck for whoever does not see it: "Truck 12: 9 squares, 1 high, 3 rows, a gap on the left"."""
    truck = trucks(state.options)[card - 1]
    rows = _n("{n} row", "{n} rows", len(truck.rows))
    return ", ".join((truck_words(state, card), rows, _gaps(truck)))


def _gaps(truck: Truck) -> str:
    """The gaps of the rows, by their place: "a gap on the left and 2 gaps on the right"."""
    width = max(map(len, truck.rows))
    gaps = [gap.span() for row in truck.rows for gap in GAP.finditer(row.ljust(width, EMPTY))]
    left = sum(start == 0 for start, _end in gaps)
    right = sum(end == width for _start, end in gaps)
    middle = len(gaps) - left - right
    words = (
        _n("a gap on the left", "{n} gaps on the left", left) if left else "",
        _n("a gap in the middle", "{n} gaps in the middle", middle) if middle else "",
        _n("a gap on the right", "{n} gaps on the right", right) if right else "",
    )
    return listed(filter(None, words)) or _("no gaps")


def truck_picture(state: State, card: int, label: str = "") -> Picture:
    """A truck card as it is printed, with its number and height."""
    truck = trucks(state.options)[card - 1]
    return Picture(
        label,
        truck_shape_words(state, card),
        *truck_frame(truck),
        truck_shapes(truck),
        number=str(card),
        mark=_("{height} high", height=truck.height),
        colour="card",
        stands=False,
    )


def truck_taps(prompt: str, choices: Iterable[tuple[Picture, Event, str]]) -> PictureChoice[Event]:
    """Trucks to choose from by one tap.

    choices     (the card, what a tap on it posts, why it cannot be the one, "" when it can)
    """

    def chosen_by_tap(picture: Picture, event: Event, refused: str) -> PictureTap[Event]:
        words = ", ".join(filter(None, (picture.text, picture.label)))
        return PictureTap(picture, Tap(words, event=event, refused=refused))

    return PictureChoice(prompt, tuple(chosen_by_tap(*choice) for choice in choices))


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


def loaded_trucks(state: State, viewer: Viewer, players: Iterable[str]) -> tuple[Pictures, ...]:
    """The trucks of those of these players who have one, each with its player's name."""
    cards = state.current.trucks
    shown = tuple(truck_picture(state, cards[each], viewer.name(each)) for each in players if each in cards)
    return (Pictures("", shown),) if shown else ()


def area(title: str, truck: Truck, cell: Callable[[tuple[int, int]], Cell[Event]]) -> Grid[Event]:
    """A truck's loading area; `cell` draws each square, the rest stays empty."""
    rows, columns = len(truck.rows), max(map(len, truck.rows))
    drawn = (
        tuple(cell((row, column)) if (row, column) in truck.squares else Cell() for column in range(1, columns + 1))
        for row in range(1, rows + 1)
    )
    return Grid(title, tuple(drawn))
