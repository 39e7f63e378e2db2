"""The mat on paper: one page of A3, or two of A4 that are glued together."""

from companion import mat as mats
from companion.mat import DEPTH_MM, WIDTH_MM, Kind, Mat, Rectangle
from companion.printing.markers import marker
from companion.printing.sheets import A3_MM, MARGIN_MM, PAGE_MM, document, line, rectangle, text
from companion.words import N_, _

TILE_MM = PAGE_MM[0] - 2 * MARGIN_MM  # of the mat on one page of A4
OVERLAP_MM = 2 * TILE_MM - WIDTH_MM  # on both pages, to glue one on the other
TINT = "#e6ebe4"  # dice of every colour differ from it, white ones too, and it takes little ink
WORDS = {
    Kind.DICE: N_("Dice"),
    Kind.BOARD: N_("Board"),
    Kind.TRUCK: N_("Truck card"),
    Kind.BOXES: N_("Boxes left over"),
    Kind.CARD: N_("Card"),
    Kind.SPACE: N_("Stack"),
}
LABEL_MM = 3.4


def on_a3(mat: Mat) -> list[str]:
    """The page, in its middle."""
    place = f"translate({(A3_MM[0] - WIDTH_MM) / 2:g} {MARGIN_MM:g})"
    return [document(f'<g transform="{place}">{drawn(mat)}</g>', A3_MM)]


def on_a4(mat: Mat) -> list[str]:
    """The left and the right half; what lies between their two dashed lines is on both."""
    whole = drawn(mat)
    pages = []
    for number, from_mm in enumerate((0.0, WIDTH_MM - TILE_MM)):
        seam_mm = MARGIN_MM + (TILE_MM - OVERLAP_MM if number == 0 else OVERLAP_MM)
        words = _("1 of 2. Glue the other page on this strip, up to the line.")
        if number == 1:
            words = _("2 of 2. Cut along the left edge, and glue it up to the line.")
        pages.append(
            document(
                f'<g transform="translate({MARGIN_MM - from_mm:g} {MARGIN_MM:g})">{whole}</g>'
                + _margins()
                + _seam(seam_mm)
                + text(PAGE_MM[0] - MARGIN_MM, PAGE_MM[1] - 4, words, LABEL_MM, "end")
            )
        )
    return pages


def _margins() -> str:
    """White where a printer leaves white, so that both pages end where they are cut."""
    width, height = PAGE_MM
    return "".join(
        f'<rect x="{x:g}" y="0" width="{MARGIN_MM:g}" height="{height:g}" fill="#ffffff"/>'
        for x in (0, width - MARGIN_MM)
    )


def _seam(x_mm: float) -> str:
    """A dashed line with a cross at each end, to lay one page exactly on the other."""
    dashes = "".join(line(x_mm, MARGIN_MM + y, x_mm, MARGIN_MM + y + 2) for y in range(0, int(DEPTH_MM) - 2, 12))
    ends = (MARGIN_MM + 4, MARGIN_MM + DEPTH_MM - 4)
    return dashes + "".join(line(x_mm - 3, y, x_mm + 3, y) + line(x_mm, y - 3, x_mm, y + 3) for y in ends)


def drawn(mat: Mat) -> str:
    """The mat as an SVG fragment of WIDTH_MM × DEPTH_MM, its far left corner at (0, 0)."""
    zones = "".join(_zone(zone.kind, zone.place) for zone in mat.zones if zone.kind is not Kind.BOARD)
    markers = "".join(
        marker(mats.DICTIONARY, each.id, *_upper_left(each.place), each.place.width_mm) for each in mat.fiducials
    )
    return zones + _grid(mat) + markers + _title(mat)


def _zone(kind: Kind, place: Rectangle) -> str:
    x, y = _upper_left(place)
    fill = TINT if kind in (Kind.DICE, Kind.BOXES) else "none"
    return rectangle(x, y, place.width_mm, place.depth_mm, fill, "#8b857c") + _small(x + 2.5, y + 5, _(WORDS[kind]))


def _grid(mat: Mat) -> str:
    """The squares of the board."""
    if mat.grid is None:
        return ""
    x, y = _upper_left(mat.grid.place)
    whole, cell = mat.grid.place.width_mm, mat.grid.cell_mm
    inner = [cell * number for number in range(1, mat.grid.n)]
    return (
        rectangle(x, y, whole, whole)
        + "".join(line(x + at, y, x + at, y + whole) for at in inner)
        + "".join(line(x, y + at, x + whole, y + at) for at in inner)
    )


def _title(mat: Mat) -> str:
    """Which mat it is, upright between the markers of the left strip."""
    words = [_("Table companion: {title}", title=_(mat.title))]
    if mat.grid is not None:
        words.append(_("{n} × {n} squares of {mm} mm", n=mat.grid.n, mm=f"{mat.grid.cell_mm:g}"))
    lines = "".join(text(0, 5 * number, each, LABEL_MM, "middle") for number, each in enumerate(words))
    return f'<g transform="translate(12 {DEPTH_MM / 2:g}) rotate(-90)">{lines}</g>'


def _small(x_mm: float, y_mm: float, words: str) -> str:
    return text(x_mm, y_mm, words, LABEL_MM)


def _upper_left(place: Rectangle) -> tuple[float, float]:
    """On paper, where y runs towards the players."""
    return place.left_mm + WIDTH_MM / 2, DEPTH_MM / 2 - place.far_mm
