"""The sheet of one player who crosses out and draws: squares, circles, shapes, and lines for the points."""

from companion.game.sheets import BoardSheet
from companion.printing.sheets import Drawing, line, rectangle, text

WIDTH_MM, HEIGHT_MM = 190.0, 128.0  # Two of them fit on a page.
SQUARE_MM = 12.0
LEFTS_MM, TOP_MM = (6.0, 100.0), 26.0  # Both fields of squares begin here.
FOOT_MM = 103.0  # The foot begins here.
CIRCLE_MM, SHAPE_SQUARE_MM, SHAPE_MM = 5.6, 3.4, 17.0


def board_sheet(title: str, sheet: BoardSheet) -> Drawing:
    """A game's sheet for one player."""
    left, right = LEFTS_MM
    parts = [text(left, 7, title, 6, bold=True), text(right, 7, "Name", 3.4), line(right + 12, 8, right + 72, 8)]
    for edge, (heading, rows) in zip(LEFTS_MM, sheet.fields, strict=True):
        parts += [text(edge, 17, heading, 3.2), *_squares(edge, rows)]
    return Drawing(f"Sheet of {title}", "".join((*parts, *_foot(sheet))), WIDTH_MM, HEIGHT_MM)


def _squares(left_mm: float, rows: tuple[tuple[str, ...], ...]) -> list[str]:
    """Squares with their texts, and the number of its column above each."""
    parts = [
        text(left_mm + (column + 0.5) * SQUARE_MM, TOP_MM - 2, str(column + 1), 3.6, "middle")
        for column in range(len(rows[0]))
    ]
    for row, words in enumerate(rows):
        for column, word in enumerate(words):
            x, y = left_mm + column * SQUARE_MM, TOP_MM + row * SQUARE_MM
            parts.append(rectangle(x, y, SQUARE_MM, SQUARE_MM))
            parts.append(text(x + SQUARE_MM / 2, y + 0.65 * SQUARE_MM, word, 5, "middle"))
    return parts


def _foot(sheet: BoardSheet) -> list[str]:
    """The circles, the shapes with their names above them, and a line for each part of the points."""
    left, right = LEFTS_MM
    parts = [text(left, FOOT_MM + 3, "Circles", 3.4)]
    for number in range(sheet.circles):
        parts.append(
            f'<circle cx="{left + 17 + number * CIRCLE_MM:.2f}" cy="{FOOT_MM + 2:.2f}" r="2.2" fill="none"'
            ' stroke="#231d18" stroke-width="0.25"/>'
        )
    for number, (name, squares) in enumerate(sheet.shapes):
        edge, ground = left + number * SHAPE_MM, FOOT_MM + 20
        parts.append(text(edge, FOOT_MM + 11, name, 3.6, bold=True))
        parts += [
            rectangle(edge + x * SHAPE_SQUARE_MM, ground - y * SHAPE_SQUARE_MM, SHAPE_SQUARE_MM, SHAPE_SQUARE_MM)
            for x, y in squares
        ]
    for row, words in enumerate(sheet.points):
        bottom = FOOT_MM + 4 + row * 6
        parts += [text(right, bottom, words, 3.4), line(right + 38, bottom + 1, right + 72, bottom + 1)]
    return parts
