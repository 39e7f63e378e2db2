"""The mat on paper: one large sheet, or usual sheets to glue together."""

import math
from collections.abc import Sequence
from itertools import pairwise

from companion.equipment import mat as mats
from companion.equipment.mat import Kind, Mat, Rectangle
from companion.printing.markers import marker
from companion.printing.paper import A4, Paper
from companion.printing.sheets import FOOT_MM, document, line, rectangle, ruler_at, text
from companion.words import N_, _

TINT = "#e6ebe4"  # It differs from dice of every colour, white too, and takes little ink.
WORDS = {
    Kind.DICE: N_("Dice"),
    Kind.BOARD: N_("Board"),
    Kind.TRUCK: N_("Truck card"),
    Kind.BOXES: N_("Boxes left over"),
    Kind.CARD: N_("Card"),
    Kind.SPACE: N_("Stack"),
}
LABEL_MM = 3.4
OVERLAP_MM = 10.0  # The strip that takes the glue is on two pages.
LEAST_GAP_MM = 60.0  # A line of text fits between two markers so far apart.


def printed(mat: Mat, *, tiled: bool, paper: Paper = A4) -> tuple[list[str], tuple[float, float]]:
    """The pages as SVG documents, and their size in mm; a mat for a front camera is always on usual sheets."""
    page_mm = paper.lying_mm if mat.row else paper.page_mm if tiled else paper.large_mm
    return on_pages(mat, page_mm, paper), page_mm


def on_pages(mat: Mat, page_mm: tuple[float, float], paper: Paper) -> list[str]:
    """Pages side by side, each of which overlaps the next by a strip for the glue; one where the mat fits on it."""
    edges = (0.0, *cuts(mat, page_mm[0] - 2 * paper.margin_mm), mat.width_mm - OVERLAP_MM)
    count = len(edges) - 1
    whole, pages = drawn(mat), []
    for number, (begin, last) in enumerate(pairwise(edges)):
        end = last + OVERLAP_MM
        left = _left(number, count, end - begin, page_mm, paper)
        page = f'<g transform="translate({left - begin:g} {paper.margin_mm:g})">{whole}</g>'
        if count > 1:
            page += _white(0, left, page_mm) + _white(left + end - begin, page_mm[0], page_mm)
            page += _seams(mat, left, end - begin, number, count, paper)
        pages.append(document(page + _notes(mat, number, count, page_mm, paper), page_mm))
    return pages


def cuts(mat: Mat, tile_mm: float) -> Sequence[float]:
    """Where each further page begins, in mm from the mat's left edge: spread evenly, and across no marker."""
    count = math.ceil((mat.width_mm - OVERLAP_MM) / (tile_mm - OVERLAP_MM))
    markers = [_upper_left(mat, fiducial.place)[0] for fiducial in mat.fiducials]
    wide = [fiducial.place.width_mm for fiducial in mat.fiducials]

    def is_free(at_mm: float) -> bool:
        return all(x >= at_mm + OVERLAP_MM or x + width <= at_mm for x, width in zip(markers, wide, strict=True))

    even_mm = (mat.width_mm - OVERLAP_MM) / count
    steps = sorted(range(-int(even_mm), int(even_mm)), key=abs)
    return [next(even_mm * k + step for step in steps if is_free(even_mm * k + step)) for k in range(1, count)]


def _left(number: int, count: int, wide_mm: float, page_mm: tuple[float, float], paper: Paper) -> float:
    """Where a part of the mat begins on its page: the outer parts leave the spare room at the mat's outer edges."""
    spare_mm = page_mm[0] - 2 * paper.margin_mm - wide_mm
    if count == 1:
        return paper.margin_mm + spare_mm / 2
    return paper.margin_mm + spare_mm * (1 - number / (count - 1))


def _white(from_mm: float, to_mm: float, page_mm: tuple[float, float]) -> str:
    """White over what lies beside the page's own part of the mat, so that the page ends where it is cut."""
    return f'<rect x="{from_mm:g}" y="0" width="{to_mm - from_mm:g}" height="{page_mm[1]:g}" fill="#ffffff"/>'


def _seams(mat: Mat, left_mm: float, wide_mm: float, number: int, count: int, paper: Paper) -> str:
    """The lines up to which a page is glued: the neighbour's edge at its right, its own edge's at its left."""
    seams = "" if number == count - 1 else _seam(left_mm + wide_mm - OVERLAP_MM, mat.depth_mm, paper)
    return seams if number == 0 else seams + _seam(left_mm + OVERLAP_MM, mat.depth_mm, paper)


def _seam(x_mm: float, depth_mm: float, paper: Paper) -> str:
    """A dashed line with a cross at each end, to align one page with the other."""
    top = paper.margin_mm
    dashes = "".join(line(x_mm, top + y, x_mm, top + y + 2) for y in range(0, int(depth_mm) - 2, 12))
    ends = (top + 4, top + depth_mm - 4)
    return dashes + "".join(line(x_mm - 3, y, x_mm + 3, y) + line(x_mm, y - 3, x_mm, y + 3) for y in ends)


def _notes(mat: Mat, number: int, count: int, page_mm: tuple[float, float], paper: Paper) -> str:
    """The ruler and how to glue the pages: below the mat where there is room, else upwards along the outer edge."""
    words = ""
    if count > 1:
        words = _(
            "{number} of {count}. Cut along the left edge, and glue it up to the line.", number=number + 1, count=count
        )
        if number == 0:
            words = _("{number} of {count}. Glue the next page on this strip, up to the line.", number=1, count=count)
    foot = paper.margin_mm + mat.depth_mm
    if page_mm[1] - paper.margin_mm - foot >= FOOT_MM:
        glue = text(paper.margin_mm, foot + 5, words, LABEL_MM) if words else ""
        return glue + ruler_at(paper.margin_mm, page_mm[1] - paper.margin_mm - 2, paper)
    bottom = page_mm[1] - paper.margin_mm
    if number == 0:
        outside = _upwards(paper.margin_mm + 4, bottom, ruler_at(0, 0, paper))  # Markers need white around them.
        seam = page_mm[0] - paper.margin_mm - OVERLAP_MM / 2
        return outside + (_upwards(seam + 1, bottom - 8, text(0, 0, words, LABEL_MM)) if words else "")
    return _upwards(page_mm[0] - paper.margin_mm - 3, bottom, text(0, 0, words, LABEL_MM))


def _upwards(x_mm: float, y_mm: float, svg: str) -> str:
    """A drawing turned to read from the foot to the head of the page, its origin at that place."""
    return f'<g transform="translate({x_mm:g} {y_mm:g}) rotate(-90)">{svg}</g>'


def drawn(mat: Mat) -> str:
    """The mat as an SVG fragment with its far left corner at (0, 0)."""
    zones = "".join(_zone(mat, zone.kind, zone.place) for zone in mat.zones if zone.kind is not Kind.BOARD)
    markers = "".join(
        marker(
            mats.DICTIONARY,
            fiducial.id,
            *_upper_left(mat, fiducial.place),
            fiducial.place.width_mm,
            fiducial.place.depth_mm,
        )
        for fiducial in mat.fiducials
    )
    return zones + _grid(mat) + markers + (_advice(mat) if mat.row else _title(mat))


def _zone(mat: Mat, kind: Kind, place: Rectangle) -> str:
    x, y = _upper_left(mat, place)
    fill = TINT if kind in (Kind.DICE, Kind.BOXES) else "none"
    label = text(x + 2.5, y + 5, _(WORDS[kind]), LABEL_MM)
    return rectangle(x, y, place.width_mm, place.depth_mm, fill, "#8b857c") + label


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
    lines = "".join(text(0, 5 * number, line_words, LABEL_MM, "middle") for number, line_words in enumerate(words))
    return f'<g transform="translate(12 {mat.depth_mm / 2:g}) rotate(-90)">{lines}</g>'


def _advice(mat: Mat) -> str:
    """The title of a mat for a front camera, and between its markers the edge that faces the camera."""
    title = _("Table companion: {title}", title=_(mat.title))
    lines = []
    for space in mat.zones_of(Kind.SPACE):
        x, y = _upper_left(mat, space)
        lines.append(text(x + space.width_mm / 2, y + space.depth_mm + 8, title, LABEL_MM, "middle"))
    for left, right in pairwise(fiducial.place for fiducial in mat.row):
        gap_mm = right.left_mm - left.left_mm - left.width_mm
        if gap_mm > LEAST_GAP_MM:
            x, _y = _upper_left(mat, right)
            words = _("This edge faces the camera")
            lines.append(text(x - gap_mm / 2, mat.depth_mm - 4, words, LABEL_MM, "middle"))
    return "".join(lines)


def _upper_left(mat: Mat, place: Rectangle) -> tuple[float, float]:
    """The upper left corner of a place on paper, where y runs towards the players."""
    return place.left_mm + mat.width_mm / 2, mat.depth_mm / 2 - place.far_mm
