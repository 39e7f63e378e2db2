"""The layout of the printed mats. Printing draws them and calibration finds the camera by them.

World frame: millimetres, the origin in the mat's middle, x right, y away from the players, z up; the mat is at z = 0.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType

from companion.errors import BadInput
from companion.words import _

WIDTH_MM, DEPTH_MM = 370.0, 263.0  # It fits one sheet of A3 or Tabloid, or two of A4 or Letter that overlap by 1 cm.
DICTIONARY = "DICT_4X4_50"
CORNER_MM, SIDE_MM = 26.0, 20.0  # Markers of 20 mm are 28 px when a die of 16 mm has its smallest 22 px.
STRIP_MM = 40.0  # The markers on the strips at the sides lie so far from the middle.
SIZES = range(4, 11)  # A board has so many squares along one side.
SIZE_IDS: Mapping[int, int] = MappingProxyType({n: 36 + n for n in SIZES})
NO_BOARD_ID = 36
USUAL_BOARD = 6
LARGEST_CELL_MM = 33.0
SMALLEST_CELL_MM = 12.0

PointMm = tuple[float, float, float]


class Kind(StrEnum):
    """The purpose of a zone."""

    DICE = "dice"
    BOARD = "board"
    TRUCK = "truck"
    BOXES = "boxes"
    CARD = "card"
    SPACE = "space"


@dataclass(frozen=True)
class Rectangle:
    """A part of the mat, parallel to its edges."""

    left_mm: float
    far_mm: float
    width_mm: float
    depth_mm: float

    @property
    def middle_mm(self) -> tuple[float, float]:
        return self.left_mm + self.width_mm / 2, self.far_mm - self.depth_mm / 2

    @property
    def corners_mm(self) -> tuple[PointMm, PointMm, PointMm, PointMm]:
        """Far left, far right, near right, near left."""
        right, near = self.left_mm + self.width_mm, self.far_mm - self.depth_mm
        return (
            (self.left_mm, self.far_mm, 0.0),
            (right, self.far_mm, 0.0),
            (right, near, 0.0),
            (self.left_mm, near, 0.0),
        )


@dataclass(frozen=True)
class Fiducial:
    """A marker of `DICTIONARY`, upright for the players; one that is not square is a stretched marker."""

    id: int
    place: Rectangle


@dataclass(frozen=True)
class Zone:
    """A place for one kind of thing."""

    kind: Kind
    place: Rectangle


@dataclass(frozen=True)
class Grid:
    """A board of n × n squares."""

    n: int
    cell_mm: float
    place: Rectangle


@dataclass(frozen=True)
class Mat:
    """One printed mat.

    ids         of the markers that no other mat has
    row         markers in a row before the stacks, for a camera at table height; empty on a mat seen from above
    tall_mm     height of the things that stand on it
    """

    name: str
    title: str
    ids: tuple[int, ...]
    zones: tuple[Zone, ...]
    grid: Grid | None = None
    width_mm: float = WIDTH_MM
    depth_mm: float = DEPTH_MM
    row: tuple[Fiducial, ...] = ()
    tall_mm: float = 0.0

    @property
    def fiducials(self) -> tuple[Fiducial, ...]:
        """Far left, far right, near right, near left: the corners, then the strips between them; or the row."""
        if self.row:
            return self.row
        across, along = (WIDTH_MM - CORNER_MM) / 2, (DEPTH_MM - CORNER_MM) / 2
        size_id = SIZE_IDS[self.grid.n] if self.grid else NO_BOARD_ID
        corners = ((-across, along), (across, along), (across, -along), (-across, -along))
        strips = ((-across, STRIP_MM), (across, STRIP_MM), (across, -STRIP_MM), (-across, -STRIP_MM))
        return (
            *(_fiducial(number, *corner, CORNER_MM) for number, corner in enumerate(corners)),
            *(_fiducial(number, *place, SIDE_MM) for number, place in zip((*self.ids, size_id), strips, strict=True)),
        )

    @property
    def outline(self) -> Rectangle:
        return Rectangle(-self.width_mm / 2, self.depth_mm / 2, self.width_mm, self.depth_mm)

    def zones_of(self, kind: Kind) -> tuple[Rectangle, ...]:
        """The places for one kind of thing, from the left."""
        return tuple(zone.place for zone in self.zones if zone.kind is kind)


def _fiducial(number: int, x_mm: float, y_mm: float, side_mm: float) -> Fiducial:
    return Fiducial(number, Rectangle(x_mm - side_mm / 2, y_mm + side_mm / 2, side_mm, side_mm))


def mat(name: str, board_n: int = USUAL_BOARD, cell_mm: float | None = None) -> Mat:
    """The mat of that name; if it has a board, one with `board_n` squares along a side.

    cell_mm     side of a square; None for the largest that fits, in whole millimetres

    Raises BadInput with one sentence for an unknown name, and for squares that do not fit.
    """
    mat_ = mats().get(name)
    if mat_ is None:
        raise BadInput(_("There's no mat called {name}. Choose one of {names}.", name=name, names=", ".join(mats())))
    boards = mat_.zones_of(Kind.BOARD)
    return replace(mat_, grid=_grid(boards[0], board_n, cell_mm)) if boards else mat_


def _grid(zone: Rectangle, n: int, cell_mm: float | None) -> Grid:
    if n not in SIZES:
        raise BadInput(
            _(
                "A board has {least} to {most} squares along each side, not {n}. Choose one of those sizes.",
                least=SIZES[0],
                most=SIZES[-1],
                n=n,
            )
        )
    largest = min(LARGEST_CELL_MM, zone.width_mm // n)
    side = largest if cell_mm is None else cell_mm
    if side < SMALLEST_CELL_MM or side * n > zone.width_mm:
        raise BadInput(
            _(
                "{n} × {n} squares of {side} mm don't fit on this mat. Choose {least} to {most} mm, or fewer squares.",
                n=n,
                side=f"{side:g}",
                least=f"{SMALLEST_CELL_MM:g}",
                most=f"{zone.width_mm / n:.1f}",
            )
        )
    x, y = zone.middle_mm
    return Grid(n, side, Rectangle(x - n * side / 2, y + n * side / 2, n * side, n * side))


@cache
def mats() -> Mapping[str, Mat]:
    """Every mat of mats.toml by name; a board has its usual size."""
    text = resources.files(__package__).joinpath("mats.toml").read_text(encoding="utf-8")
    return MappingProxyType({table["name"]: _mat(table) for table in tomllib.loads(text)["mat"]})


def _mat(table: Mapping[str, object]) -> Mat:
    zones = table["zones"]
    assert isinstance(zones, list)
    zones_ = tuple(Zone(Kind(zone["kind"]), Rectangle(*map(float, zone["place"]))) for zone in zones)
    grid = next((_grid(zone.place, USUAL_BOARD, None) for zone in zones_ if zone.kind is Kind.BOARD), None)
    name, title = str(table["name"]), str(table["title"])
    if "row" not in table:
        ids = table["ids"]
        assert isinstance(ids, list)
        return Mat(name, title, tuple(ids), zones_, grid)
    rows, size = table["row"], table["size"]
    assert isinstance(rows, list)
    assert isinstance(size, list)
    row = tuple(Fiducial(marker["id"], Rectangle(*map(float, marker["place"]))) for marker in rows)
    width_mm, depth_mm, tall_mm = map(float, size)
    return Mat(name, title, tuple(marker.id for marker in row), zones_, None, width_mm, depth_mm, row, tall_mm)


def mat_with(ids: frozenset[int]) -> Mat | None:
    """The mat that has one of these markers, or None; a marker of a board size sets the size of its board."""
    mat_ = next((mat_ for mat_ in mats().values() if ids & set(mat_.ids)), None)
    if mat_ is None:
        return None
    n = next((size for size, number in SIZE_IDS.items() if number in ids), USUAL_BOARD)
    return mat(mat_.name, n)
