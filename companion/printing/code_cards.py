"""A card with a QR code that leads to the table, to stand on it."""

from segno import make as make_qr

from companion.printing.sheets import Drawing, rectangle, text

WIDTH_MM, HEIGHT_MM = 90.0, 112.0
CODE_MM = 74.0
OTHER_MM, OTHER_CODE_MM = 74.0, 50.0  # A second code makes the card so much higher, and is so wide.
QUIET_MODULES = 4  # The standard of QR codes wants so wide a white margin.


def code_card(link: str, words: str, other: str = "") -> Drawing:
    """A card with the code of a link, the words above it, and the link to type.

    other   the same by another address, for devices that do not find the first: a smaller code below
    """
    height = HEIGHT_MM + (OTHER_MM if other else 0)
    parts = [
        rectangle(0, 0, WIDTH_MM, height),
        text(WIDTH_MM / 2, 13, words, 6, "middle", bold=True),
        code(link, 18.0, CODE_MM),
        link_line(link, HEIGHT_MM - 10),
    ]
    if other:
        parts += [
            text(WIDTH_MM / 2, HEIGHT_MM + 5, "Doesn't open? Scan this", 4.5, "middle", bold=True),
            code(other, HEIGHT_MM + 9, OTHER_CODE_MM),
            link_line(other, height - 8),
        ]
    return Drawing("Code to scan", "".join(parts), WIDTH_MM, height)


def code(link: str, top: float, wide_mm: float) -> str:
    """The QR code of a link, in the middle of the card."""
    rows = [list(row) for row in make_qr(link, error="m", micro=False).matrix]
    side = wide_mm / (len(rows) + 2 * QUIET_MODULES)
    left = (WIDTH_MM - wide_mm) / 2
    black = "".join(
        f"M{left + (QUIET_MODULES + column) * side:.3f} {top + (QUIET_MODULES + row) * side:.3f}"
        f"h{side:.3f}v{side:.3f}h{-side:.3f}z"
        for row, modules in enumerate(rows)
        for column, module in enumerate(modules)
        if module
    )
    return f'<path d="{black}" fill="#000000"/>'


def link_line(link: str, y_mm: float) -> str:
    """The link as people type it, as large as it fits."""
    size_mm = min(4.0, 1.7 * (WIDTH_MM - 8) / len(link))  # A letter's width is about 0.56 of its size.
    return text(WIDTH_MM / 2, y_mm, link, size_mm, "middle")
