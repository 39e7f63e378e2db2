"""Moving the demo's boxes: a load is dealt beside the trucks, boxes are put onto squares and taken back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.demo.things import CARD_MM, HEIGHT_MM, UNIT_MM, WIDTH_MM, TableBox, TruckCard, VirtualTable
from companion.equipment.mat import Kind, Rectangle, mat
from companion.equipment.truck_places import cards_in_places
from companion.errors import BadInput
from companion.words import _

LOADS_MAT = "loads"
SIZES = range(1, 6)
ALONG = ("x", "y", "z")
MOST_LEVELS = 6
ROW_STEP_UNITS = 1.7
EDGE_UNITS = 0.9


def with_cards(table: VirtualTable, truck_cards: Sequence[Mapping[str, Any]]) -> VirtualTable:
    """The table with a game's truck cards, each in the middle of a truck zone of the mat.

    Cards without a zone are left out. Loaded boxes stay on their cards.
    """
    zones = mat(LOADS_MAT).zones_of(Kind.TRUCK)
    cards = tuple(
        TruckCard(area_of(card), *on_table(zone.middle_mm), card.get("number"), bool(card.get("finished")))
        for card, zone in zip(cards_in_places(truck_cards, len(zones)), zones, strict=False)
    )
    return replace(table, mat=LOADS_MAT, trucks=cards, boxes=boxes_of(table, cards))


def is_same_round(before: Sequence[Mapping[str, Any]], cards: Sequence[Mapping[str, Any]]) -> bool:
    """Whether both lists are of the same round: at most one truck was replaced (PS-63)."""
    others = sum(old.get("number") != new.get("number") for old, new in zip(before, cards, strict=False))
    return len(before) == len(cards) and others <= 1


def area_of(card: Mapping[str, Any]) -> tuple[tuple[bool, ...], ...]:
    """The loading area of a game's truck card, row by row: True where a box may stand."""
    return tuple(tuple(bool(square) for square in row) for row in card["loading_area_row_col"])


def boxes_of(table: VirtualTable, cards: Sequence[TruckCard]) -> tuple[TableBox, ...]:
    """The boxes on those of these cards that were on the table before.

    Boxes beside the trucks are left over from a player who has finished, and go with that player's card.
    """
    before = {replace(card, finished=False) for card in table.trucks}
    stay = [card for card in cards if replace(card, finished=False) in before]
    return tuple(box for box in table.boxes if any(is_on(card, box) for card in stay))


def on_table(place_mm: tuple[float, float]) -> tuple[float, float]:
    """A place in mm from the mat's middle (y away from the viewer), from the table's upper left corner (y towards
    them).
    """
    return WIDTH_MM / 2 + place_mm[0], HEIGHT_MM / 2 - place_mm[1]


def dealt(table: VirtualTable, counts: Sequence[int]) -> VirtualTable:
    """The table with new boxes in rows in the box zone, in place of those there. Loaded boxes stay.

    counts  of each size, smallest first

    Raises BadInput if they do not fit.
    """
    zone = mat(LOADS_MAT).zones_of(Kind.BOXES)[0]
    boxes: list[TableBox] = []
    x_units, y_units = EDGE_UNITS, EDGE_UNITS
    for size, count in zip(SIZES, counts, strict=True):
        for _number in range(count):
            if (x_units + size) * UNIT_MM > zone.width_mm:
                x_units, y_units = EDGE_UNITS, y_units + ROW_STEP_UNITS
            if (y_units + EDGE_UNITS) * UNIT_MM > zone.depth_mm:
                raise BadInput(_("That many boxes won't fit beside the trucks. Deal fewer."))
            boxes.append(TableBox(size, "x", *at_units(zone, x_units + size / 2, y_units)))
            x_units += size + EDGE_UNITS
    return replace(table, boxes=(*(box for box in table.boxes if is_loaded(table, box)), *boxes))


def at_units(zone: Rectangle, x: float, y: float) -> tuple[float, float]:
    """A place in a zone, in units from its far left corner, converted to mm on the table."""
    return on_table((zone.left_mm + x * UNIT_MM, zone.far_mm - y * UNIT_MM))


def loaded(table: VirtualTable, size: int, truck: int, row: int, column: int, along: str) -> VirtualTable:
    """The table with a box put from beside the trucks onto a truck: its far left unit on that square, on top of any
    boxes.

    Raises BadInput if there is no such box, and if it would hang over the area, in the air, or be too high.
    """
    waiting = [box for box in table.boxes if box.size == size and not is_loaded(table, box)]
    if not waiting or along not in ALONG:
        raise BadInput(_("There's no box of size {size} beside the trucks. Deal a load.", size=size))
    if not 0 <= truck < len(table.trucks):
        raise BadInput(_("There's no truck there. Tap a square of a truck."))
    card = table.trucks[truck]
    squares = [(row + i * (along == "y"), column + i * (along == "x")) for i in range(size if along != "z" else 1)]
    if not all(is_square(card, square) for square in squares):
        raise BadInput(_("The box would stick out of the loading area. Turn it, or choose another square."))
    heights = {height_mm(table, card, square) for square in squares}
    if len(heights) > 1:
        raise BadInput(_("The box would float in the air. Fill the space below it first."))
    z_mm = heights.pop()
    if z_mm + UNIT_MM * (size if along == "z" else 1) > CARD_MM + MOST_LEVELS * UNIT_MM:
        raise BadInput(_("The load would be too high. Choose another square."))
    places = [middle_of(card, square) for square in squares]
    x_mm, y_mm = (sum(axis) / len(places) for axis in zip(*places, strict=True))
    rest = list(table.boxes)
    rest.remove(waiting[-1])
    return replace(table, boxes=(*rest, TableBox(size, along, x_mm, y_mm, z_mm)))


def taken_back(table: VirtualTable, truck: int, row: int, column: int) -> VirtualTable:
    """The table with the upper box of a truck's square back beside the trucks; raises BadInput if none is free."""
    if not 0 <= truck < len(table.trucks) or not is_square(table.trucks[truck], (row, column)):
        raise BadInput(_("There's no truck there. Tap a square of a truck."))
    card = table.trucks[truck]
    here = [box for box in table.boxes if covers(box, *middle_of(card, (row, column)))]
    if not here:
        raise BadInput(_("There's no box there. Tap a box."))
    box = max(here, key=top_mm)
    if any(other.z_mm >= top_mm(box) and lies_over(card, other, box) for other in table.boxes):
        raise BadInput(_("There's another box on top. Take that one back first."))
    rest = list(table.boxes)
    rest.remove(box)
    waiting = [other.size for other in rest if not is_loaded(table, other)]
    return dealt(replace(table, boxes=tuple(rest)), [(*waiting, box.size).count(size) for size in SIZES])


def lies_over(card: TruckCard, upper: TableBox, lower: TableBox) -> bool:
    """Whether some square of a card is below both boxes."""
    return any(covers(upper, *place) and covers(lower, *place) for place in places_of(card))


def is_square(card: TruckCard, square: tuple[int, int]) -> bool:
    """Whether a card has that square of loading area."""
    row, column = square
    return 0 <= row < len(card.area) and 0 <= column < len(card.area[row]) and card.area[row][column]


def middle_of(card: TruckCard, square: tuple[int, int]) -> tuple[float, float]:
    """The middle of a square on the table, in mm."""
    rows, columns = len(card.area), max(map(len, card.area))
    row, column = square
    return card.x_mm + (column - (columns - 1) / 2) * UNIT_MM, card.y_mm + (row - (rows - 1) / 2) * UNIT_MM


def height_mm(table: VirtualTable, card: TruckCard, square: tuple[int, int]) -> float:
    """The height of the boxes on a square, or of the card if there are none."""
    x_mm, y_mm = middle_of(card, square)
    return max((top_mm(box) for box in table.boxes if covers(box, x_mm, y_mm)), default=CARD_MM)


def covers(box: TableBox, x_mm: float, y_mm: float) -> bool:
    """Whether a box lies over a place."""
    across = UNIT_MM * (box.size if box.along == "x" else 1) / 2
    away = UNIT_MM * (box.size if box.along == "y" else 1) / 2
    return abs(box.x_mm - x_mm) < across and abs(box.y_mm - y_mm) < away


def top_mm(box: TableBox) -> float:
    """The height of a box's upper side."""
    return box.z_mm + UNIT_MM * (box.size if box.along == "z" else 1)


def is_loaded(table: VirtualTable, box: TableBox) -> bool:
    """Whether a box lies on a truck."""
    return any(is_on(card, box) for card in table.trucks)


def is_on(card: TruckCard, box: TableBox) -> bool:
    """Whether a box lies on this truck."""
    return any(covers(box, *place) for place in places_of(card))


def places_of(card: TruckCard) -> Iterator[tuple[float, float]]:
    """The middle of each of a card's squares, in mm on the table."""
    for row, squares in enumerate(card.area):
        for column in range(len(squares)):
            if is_square(card, (row, column)):
                yield middle_of(card, (row, column))
