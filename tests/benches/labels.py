"""labels.json beside pictures of boards, loads, stacks, towers and mats. Those of dice are `companion bench`'s own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from companion.app.bench.labels import are_entries, check, read_labels
from companion.errors import BadInput


class Grid(Struct):
    n: int


class BoardPicture(Struct):
    camera: dict[str, Any]
    board: Grid
    piece: dict[str, Any]
    top_colours: list[list[str | None]]
    heights: list[list[int]]

    def __post_init__(self) -> None:
        check_rows("top_colours", self.top_colours, self.board.n, self.board.n)
        check_rows("heights", self.heights, self.board.n, self.board.n)


class LoadedTruck(Struct):
    rows: int
    columns: int
    loading_area_row_col: list[list[int]]
    height_map_row_col: list[list[int]]

    def __post_init__(self) -> None:
        check_rows("loading_area_row_col", self.loading_area_row_col, self.rows, self.columns)
        check_rows("height_map_row_col", self.height_map_row_col, self.rows, self.columns)


class LoadPicture(Struct):
    camera: dict[str, Any]
    unit_mm: float
    trucks: list[LoadedTruck]
    beside_counts_length_colour: dict[Annotated[str, Meta(pattern=r"^[0-9]{1,3}(:|$)")], int]


class DiceStack(Struct):
    height: int
    top_value: int
    top_colour: str
    top_centre_px: Annotated[list[float], Meta(min_length=2, max_length=2)]
    top_face_px: Annotated[list[Annotated[list[float], Meta(min_length=2, max_length=2)]], Meta(min_length=3)]
    top_visible: float
    in_frame: bool = True


class StacksPicture(Struct):
    camera: dict[str, Any]
    die_size_mm: float
    stacks: list[DiceStack]


class StackedBlock(Struct):
    level: int
    orientation: str
    shape: str
    position_mm: Annotated[list[float], Meta(min_length=3, max_length=3)]


class Stack(Struct):
    space: Annotated[int, Meta(ge=1)]
    status: str
    blocks_count: int | None = None
    same_as_space_1: bool | UnsetType = UNSET
    blocks: list[StackedBlock] = []

    def __post_init__(self) -> None:
        if self.status == "standing" and self.blocks_count is None:
            raise ValueError("Object missing required field `blocks_count`")


class TowerPicture(Struct):
    camera: dict[str, Any]
    block_mm_long_mid_short: list[float]
    space_centres_mm: Annotated[list[Any], Meta(min_length=1)]
    stacks: list[Stack]

    def __post_init__(self) -> None:
        if len(self.stacks) != len(self.space_centres_mm) or max(each.space for each in self.stacks) > len(self.stacks):
            raise ValueError("Object with other `stacks` than `space_centres_mm`")
        standing = [each for each in self.stacks[1:] if each.status == "standing"]
        compared = [each.same_as_space_1 is not UNSET for each in standing]
        if any(each.same_as_space_1 is not UNSET for each in self.stacks) and not all(compared):
            raise ValueError("Object missing required field `same_as_space_1`")


class CameraPlace(Struct):
    R_world_to_cam: list[Any]
    t_mm: list[Any]


class MarkerSeen(Struct):
    corners_px: Annotated[list[Annotated[list[float], Meta(min_length=2, max_length=2)]], Meta(min_length=4)]


class PrintedMat(Struct):
    name: str
    n: int | None


class MatPicture(Struct):
    camera: CameraPlace
    mat: PrintedMat | UnsetType = UNSET
    hidden: list[int] | UnsetType = UNSET
    markers: list[MarkerSeen] | None = None

    def __post_init__(self) -> None:
        if self.mat is not UNSET and self.hidden is UNSET:
            raise ValueError("Object missing required field `hidden`")


class Played(Struct):
    """A move: a piece placed, which has a colour, or a pile toppled."""

    type: str
    cell: list[int]
    colour: str | None = None

    def __post_init__(self) -> None:
        if self.type == "place" and self.colour is None:
            raise ValueError("Object missing required field `colour`")


class Move(Struct):
    before: str
    after: str
    move: Played


class Pair(Struct):
    a: str
    b: str
    same: bool


class Links(Struct):
    """Pictures that belong together: before and after a move, and two of one stack."""

    moves: list[Move] = []
    pairs: list[Pair] = []


PICTURES = {
    "board": BoardPicture,
    "load": LoadPicture,
    "tower": TowerPicture,
    "mat": MatPicture,
    "stacks": StacksPicture,
}


def check_rows(name: str, rows: list[Any], count: int, length: int) -> None:
    """Raises ValueError, which msgspec reports as its own, unless there are `count` rows of this length."""
    if len(rows) != count or any(len(row) != length for row in rows):
        raise ValueError(f"Expected `{name}` of {count} rows of {length}")


def read_images(folder: Path, kind: str) -> dict[str, Any]:
    """The labels as an object with `images`, each with the fields that the bench of that kind needs."""
    known = read_labels(folder)
    if not isinstance(known, dict) or not are_entries(known.get("images"), "file"):
        raise BadInput(f"The labels of {folder} are of another kind: an object with images is needed.")
    for entry in known["images"]:
        check(folder, entry["file"], entry, PICTURES[kind])
    check(folder, "moves and pairs", known, Links)
    files = {entry["file"] for entry in known["images"]}
    for link in (*known.get("moves", ()), *known.get("pairs", ())):
        for name in (link.get("before"), link.get("after"), link.get("a"), link.get("b")):
            if name is not None and name not in files:
                raise BadInput(f"The labels of {folder} are incomplete: add {name} to the images, or leave it out.")
    return known


@contextmanager
def label_of(picture: str) -> Iterator[None]:
    """Adds the picture's name to a refusal in this context, so that its label can be found among hundreds."""
    try:
        yield
    except BadInput as refusal:
        raise BadInput(f"{picture}: {refusal}") from refusal
