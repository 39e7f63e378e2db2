"""The mat on paper: one page of A3, or pages of A4 to glue together."""

import math
from itertools import pairwise

from companion.equipment import mat as mats
from companion.equipment.mat import Kind, Mat, Rectangle
from companion.printing.markers import marker
from companion.printing.sheets import A3_MM, LYING_MM, MARGIN_MM, PAGE_MM, document, line, rectangle, text
from companion.words import N_, _

TINT = "#e6ebe4"  # differs from dice of every colour, white too, and takes little ink
WORDS = {
    Kind.DICE: N_("Dice"),
    Kind.BOARD: N_("Board"),
    Kind.TRUCK: N_("Truck card"),
    Kind.BOXES: N_("Boxes left over"),
    Kind.CARD: N_("Card"),
    Kind.SPACE: N_("Stack"),
}
LABEL_MM = 3.4
LEAST_GAP_MM = 60.0  # between two markers, to print a line of text there


def printed(mat: Mat, *, tiled: bool) -> tuple[list[str], tuple[float, float]]:
    """The pages as SVG documents, and their size in mm; a mat for a front camera is always on A4."""
    if mat.row:
        return on_a4(mat), LYING_MM
    return (on_a4(mat), PAGE_MM) if tiled else (on_a3(mat), A3_MM)


def on_a3(mat: Mat) -> list[str]:
    """One page with the mat in its middle."""
    place = f"translate({(A3_MM[0] - mat.width_mm) / 2:g} {MARGIN_MM:g})"
    return [document(f'<g transform="{place}">{drawn(mat)}</g>', A3_MM)]


def on_a4(mat: Mat) -> list[str]:
    """The left and the right half, which overlap between their dashed lines. A small mat is one page."""
    page_mm = LYING_MM if mat.row else PAGE_MM
    tile_mm = page_mm[0] - 2 * MARGIN_MM
    count = math.ceil(mat.width_mm / tile_mm)
    overlap_mm = count * tile_mm - mat.width_mm
    whole = drawn(mat)
    pages = []
    for number in range(count):
        from_mm = number * (mat.width_mm - tile_mm)
        page = f'<g transform="translate({MARGIN_MM - from_mm:g} {MARGIN_MM:g})">{whole}</g>'
        if count > 1:
            words = _("1 of 2. Glue the other page on this strip, up to the line.")
            if number == 1:
                words = _("2 of 2. Cut along the left edge, and glue it up to the line.")
            page += _margins(page_mm)
            page += _seam(MARGIN_MM + (tile_mm - overlap_mm if number == 0 else overlap_mm), mat.depth_mm)
            page += text(page_mm[0] - MARGIN_MM, page_mm[1] - 4, words, LABEL_MM, "end")
        pages.append(document(page, page_mm))
    return pages


def _margins(page_mm: tuple[float, float]) -> str:
    """White margins as a printer leaves them, so that both pages end where they are cut."""
    width, height = page_mm
    return "".join(
        f'<rect x="{x:g}" y="0" width="{MARGIN_MM:g}" height="{height:g}" fill="#ffffff"/>'
        for x in (0, width - MARGIN_MM)
    )


def _seam(x_mm: float, depth_mm: float) -> str:
    """A dashed line with a cross at each end, to align one page with the other."""
    dashes = "".join(line(x_mm, MARGIN_MM + y, x_mm, MARGIN_MM + y + 2) for y in range(0, int(depth_mm) - 2, 12))
    ends = (MARGIN_MM + 4, MARGIN_MM + depth_mm - 4)
    return dashes + "".join(line(x_mm - 3, y, x_mm + 3, y) + line(x_mm, y - 3, x_mm, y + 3) for y in ends)


def drawn(mat: Mat) -> str:
    """The mat as an SVG fragment with its far left corner at (0, 0)."""
    zones = "".join(_zone(mat, zone.kind, zone.place) for zone in mat.zones if zone.kind is not Kind.BOARD)
    markers = "".join(
        marker(mats.DICTIONARY, each.id, *_upper_left(mat, each.place), each.place.width_mm, each.place.depth_mm)
        for each in mat.fiducials
    )
    return zones + _grid(mat) + markers + (_advice(mat) if mat.row else _title(mat))


def _zone(mat: Mat, kind: Kind, place: Rectangle) -> str:
    x, y = _upper_left(mat, place)
    fill = TINT if kind in (Kind.DICE, Kind.BOXES) else "none"
    return rectangle(x, y, place.width_mm, place.depth_mm, fill, "#8b857c") + _small(x + 2.5, y + 5, _(WORDS[kind]))


def _grid(mat: Mat) -> str:
    """The squares of the board."""
    if mat.grid is None:
        return ""
    x, y = _upper_left(mat, mat.grid.place)
    whole, cell = mat.grid.place.width_mm, mat.grid.cell_mm
    inner = [cell * number for number in range(1, mat.grid.n)]
    return (
        rectangle(x, y, whole, whole)
        + "".join(line(x + at, y, x + at, y + whole) for at in inner)
        + "".join(line(x, y + at, x + whole, y + at) for at in inner)
    )


def _title(mat: Mat) -> str:
    """The mat's title, along the left edge between the markers."""
    words = [_("Table companion: {title}", title=_(mat.title))]
    if mat.grid is not None:
        words.append(_("{n} × {n} squares of {mm} mm", n=mat.grid.n, mm=f"{mat.grid.cell_mm:g}"))
    lines = "".join(text(0, 5 * number, each, LABEL_MM, "middle") for number, each in enumerate(words))
    return f'<g transform="translate(12 {mat.depth_mm / 2:g}) rotate(-90)">{lines}</g>'


def _advice(mat: Mat) -> str:
    """The title of a mat for a front camera, and between its markers the edge that faces the camera."""
    title = _("Table companion: {title}", title=_(mat.title))
    lines = []
    for space in mat.zones_of(Kind.SPACE):
        x, y = _upper_left(mat, space)
        lines.append(text(x + space.width_mm / 2, y + space.depth_mm + 8, title, LABEL_MM, "middle"))
    for left, right in pairwise(each.place for each in mat.row):
        gap_mm = right.left_mm - left.left_mm - left.width_mm
        if gap_mm > LEAST_GAP_MM:
            x, _y = _upper_left(mat, right)
            words = _("This edge faces the camera")
            lines.append(text(x - gap_mm / 2, mat.depth_mm - 4, words, LABEL_MM, "middle"))
    return "".join(lines)


def _small(x_mm: float, y_mm: float, words: str) -> str:
    return text(x_mm, y_mm, words, LABEL_MM)


def _upper_left(mat: Mat, place: Rectangle) -> tuple[float, float]:
    """The upper left corner of a place on paper, where y runs towards the players."""
    return place.left_mm + mat.width_mm / 2, mat.depth_mm / 2 - place.far_mm
