"""The truck cards on paper."""

from collections.abc import Sequence

from companion.equipment.pictures import truck_frame, truck_shapes
from companion.equipment.trucks import Truck, printed_decks
from companion.printing.sheets import Drawing, rectangle, text

EDGE_MM = 6.0
HEAD_MM = 12.0
AREA_FILL = "#f2ead9"


def manual_36(unit_mm: float) -> Sequence[Drawing]:
    """The deck of 36 cards."""
    return cards("manual-36", unit_mm)


def classic_30(unit_mm: float) -> Sequence[Drawing]:
    """The deck of 30 cards."""
    return cards("classic-30", unit_mm)


def cards(deck: str, unit_mm: float) -> Sequence[Drawing]:
    """Every card of a deck, its loading area true to scale."""
    return [card(number, truck, unit_mm) for number, truck in enumerate(printed_decks()[deck], start=1)]


def card(number: int, truck: Truck, unit_mm: float) -> Drawing:
    """One truck card: its number and height, the loading area in unit squares, an arrow towards the player (PS-30)."""
    squares_wide, squares_high = truck_frame(truck)
    width, height = squares_wide * unit_mm + 2 * EDGE_MM, squares_high * unit_mm + EDGE_MM + HEAD_MM
    squares = "".join(
        rectangle(
            EDGE_MM + shape.left * unit_mm,
            HEAD_MM + shape.top * unit_mm,
            shape.width * unit_mm,
            shape.height * unit_mm,
            AREA_FILL,
        )
        for shape in truck_shapes(truck)
    )
    middle, end = width / 2, height - 1
    arrow = f'<polygon points="{middle - 2.5},{end - 3.5} {middle + 2.5},{end - 3.5} {middle},{end}" fill="#231d18"/>'
    parts = (
        rectangle(0, 0, width, height),
        text(EDGE_MM, 8.5, str(number), 6),
        text(width - EDGE_MM, 9.5, f"{truck.height} high", 8, "end", bold=True),
        squares,
        arrow,
    )
    return Drawing(f"Truck {number}", "".join(parts), width, height)
