"""A card with a QR code that leads to the table, to stand on it."""

from segno import make as make_qr

from companion.printing.sheets import Drawing, rectangle, text

WIDTH_MM, HEIGHT_MM = 90.0, 112.0
CODE_MM = 74.0
QUIET_MODULES = 4  # white margin around a QR code that its standard requires


def code_card(link: str, words: str) -> Drawing:
    """A card with the code of a link, the words above it, and the link to type."""
    rows = [list(row) for row in make_qr(link, error="m", micro=False).matrix]
    side = CODE_MM / (len(rows) + 2 * QUIET_MODULES)
    left, top = (WIDTH_MM - CODE_MM) / 2, 18.0
    black = "".join(
        f"M{left + (QUIET_MODULES + column) * side:.3f} {top + (QUIET_MODULES + row) * side:.3f}"
        f"h{side:.3f}v{side:.3f}h{-side:.3f}z"
        for row, modules in enumerate(rows)
        for column, module in enumerate(modules)
        if module
    )
    small = min(4.0, 1.7 * (WIDTH_MM - 8) / len(link))  # a letter's width is about 0.56 of its size
    parts = (
        rectangle(0, 0, WIDTH_MM, HEIGHT_MM),
        text(WIDTH_MM / 2, 13, words, 6, "middle", bold=True),
        f'<path d="{black}" fill="#000000"/>',
        text(WIDTH_MM / 2, HEIGHT_MM - 10, link, small, "middle"),
    )
    return Drawing("Code to scan", "".join(parts), WIDTH_MM, HEIGHT_MM)
