"""The Stacker cards of our own MaxStax deck, to print: picture, number, stars, and a marker for the camera."""

from math import cos, pi, sin

from companion.equipment.deck import MOST_STARS, OWN_DECK, Card
from companion.equipment.pictures import PICTURE_MM, WOOD, stack_frame_mm, stack_shapes
from companion.printing.markers import marker
from companion.printing.sheets import Drawing, rectangle, text

WIDTH_MM, HEIGHT_MM = 61.0, 85.0  # They are close to a playing card; nine fit on a page of A4, six on Letter.
EDGE_MM = 4.0
GROUND_MM = 61.0  # Every stack stands on a line so far below the upper edge.
MARKER_MM = 16.0  # The card's paper is the marker's white margin.
STAR_MM = 2.6


def deck(_unit_mm: float) -> tuple[Drawing, ...]:
    """All cards in order. Their pictures have scales of their own, so the unit is ignored."""
    return tuple(drawn(card) for card in OWN_DECK.cards.values())


def drawn(card: Card) -> Drawing:
    """One card."""
    words = f"{len(card.blocks)} blocks"
    parts = (
        rectangle(0, 0, WIDTH_MM, HEIGHT_MM),
        text(EDGE_MM, EDGE_MM + 7.5, str(card.number), 10, bold=True),
        *(_star(number, number < card.stars) for number in range(MOST_STARS)),
        *_stack(card),
        text(EDGE_MM, HEIGHT_MM - EDGE_MM - 5, card.name, 4.2, bold=True),
        text(EDGE_MM, HEIGHT_MM - EDGE_MM, words, 3.4),
        marker(
            OWN_DECK.marker_dictionary,
            card.marker,
            WIDTH_MM - EDGE_MM - MARKER_MM,
            HEIGHT_MM - EDGE_MM - MARKER_MM,
            MARKER_MM,
        ),
    )
    return Drawing(f"Card {card.number}", "".join(parts), WIDTH_MM, HEIGHT_MM)


def _stack(card: Card) -> list[str]:
    """The drawing on its ground line."""
    frame_mm = stack_frame_mm(card)
    width_mm, height_mm = PICTURE_MM
    scale = width_mm / frame_mm[0]
    blocks = [
        rectangle(
            (WIDTH_MM - width_mm) / 2 + scale * shape.left,
            GROUND_MM - height_mm + scale * shape.top,
            scale * shape.width,
            scale * shape.height,
            fill=WOOD[shape.tone - 1],
        )
        for shape in stack_shapes(card, frame_mm)
    ]
    return [*blocks, rectangle(EDGE_MM, GROUND_MM, WIDTH_MM - 2 * EDGE_MM, 0.5, fill="#231d18")]


def _star(number: int, filled: bool) -> str:
    """One of the stars in the upper right corner, counted from the left."""
    x = WIDTH_MM - EDGE_MM - STAR_MM - (MOST_STARS - 1 - number) * 2.3 * STAR_MM
    y = EDGE_MM + STAR_MM
    corners_and_notches = ((turn * pi / 5, STAR_MM if turn % 2 == 0 else 0.45 * STAR_MM) for turn in range(10))
    points = " ".join(
        f"{x + radius * sin(angle):.2f},{y - radius * cos(angle):.2f}" for angle, radius in corners_and_notches
    )
    fill = "#b93a20" if filled else "none"
    return f'<polygon points="{points}" fill="{fill}" stroke="#231d18" stroke-width="0.2"/>'
