"""The drawings on cards, as rectangles from the upper left corner of a frame. Paper and pages both draw these."""

from functools import lru_cache

from companion.equipment.deck import Card
from companion.equipment.trucks import AREA, Truck
from companion.game.charts import Shape

PICTURE_MM = (53.0, 46.0)  # The drawing on a printed Stacker card has so much room.
LARGEST_SCALE = 0.6  # Small stacks look small beside others.
WOOD = ("#e9cfa3", "#d3a66c", "#bd8a4e")  # of a block's tones 1, 2, 3

Frame = tuple[float, float]  # width, height


def stack_frame_mm(card: Card) -> Frame:
    """The frame of a printed card's drawing, in millimetres of the wooden stack."""
    width_mm, height_mm = PICTURE_MM
    scale = min(LARGEST_SCALE, width_mm / card.width_mm, height_mm / card.height_mm)
    return width_mm / scale, height_mm / scale


@lru_cache(512)
def stack_shapes(card: Card, frame_mm: Frame) -> tuple[Shape, ...]:
    """The blocks from the front, in the middle of the frame and on its lower edge."""
    width_mm, height_mm = frame_mm
    aside_mm = (width_mm - card.width_mm) / 2 - card.left_mm
    return tuple(
        Shape(block.left_mm + aside_mm, height_mm - block.top_mm, block.width_mm, block.height_mm, block.tone)
        for block in card.blocks
    )


def truck_frame(truck: Truck) -> Frame:
    """The frame of a truck card's drawing in unit squares: all cards of a deck have one size (PS-04)."""
    columns, rows = AREA
    return float(max(columns, *map(len, truck.rows))), float(max(rows, len(truck.rows)))


@lru_cache(512)
def truck_shapes(truck: Truck) -> tuple[Shape, ...]:
    """The squares of the loading area, in the middle of the frame."""
    width, height = truck_frame(truck)
    left, top = (width - max(map(len, truck.rows))) / 2, (height - len(truck.rows)) / 2
    return tuple(Shape(left + column - 1, top + row - 1, 1.0, 1.0, 0) for row, column in sorted(truck.squares))
