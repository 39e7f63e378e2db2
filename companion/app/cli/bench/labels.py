"""labels.json: the file beside the pictures of a bench that says what they show."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from companion.errors import BadInput

MOST_PX = 1e5  # of a place or a size: no picture is larger

# The fields that the benches use; those with a default may be left out, and a label may have more.
Level = Annotated[float, Meta(ge=0, le=255)]
Number = Annotated[float, Meta(ge=-MOST_PX, le=MOST_PX)]  # JSON as Python reads it knows NaN and infinity, too
Size = Annotated[float, Meta(gt=0, le=MOST_PX)]


class Die(Struct):
    """A die with its place and size; one that is ignored needs no value.

    visible  share of its top face that nothing hides and the frame does not cut off
    """

    cx: Number
    cy: Number
    size_px: Size | None = None
    w: Size | None = None
    h: Size | None = None
    value: Annotated[int, Meta(ge=1, le=6)] | None = None
    colour: str | None = None
    ignore: bool = False
    visible: Annotated[float, Meta(ge=0, le=1)] = 1.0

    def __post_init__(self) -> None:
        if self.value is None and not self.ignore:
            raise ValueError("Object missing required field `value`")
        if self.size_px is None and (self.w is None or self.h is None):
            raise ValueError("Object missing required field `size_px`")


class DicePhoto(Struct):
    """A photograph with its dice.

    colour_rgb  its colours as measured, where they do not look as usual
    """

    dice: list[Die]
    view: str | None = None
    tags: list[str] = []
    colour_rgb: dict[str, tuple[Level, Level, Level]] = {}


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


class Stack(Struct):
    space: Annotated[int, Meta(ge=1)]
    status: str
    blocks_count: int | None = None
    same_as_space_1: bool | UnsetType = UNSET

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


def check_labels(folder: Path, bench: str) -> None:
    """Raises BadInput unless these labels are of the kind that the bench of that name reads."""
    if bench in PICTURES:
        read_images(folder, bench)
    else:
        read_dice(folder)


def read_labels(folder: Path) -> Any:
    """The decoded labels.json of a folder, not validated yet; raises BadInput."""
    try:
        return json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The labels of {folder} cannot be read ({error.strerror}): name another folder.") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a number of thousands of digits
        raise BadInput(f"The labels of {folder} are no JSON: write labels.json again.") from error


def places_of(folder: Path) -> set[Path]:
    """The folder of labels, and every folder with a picture that they name."""
    known = read_labels(folder)
    entries: Any = known.get("images") if isinstance(known, dict) else known
    named = [entry.get("image", entry.get("file")) for entry in entries] if are_objects(entries) else []
    home = folder.resolve()
    return {home, *(Path(os.path.normpath(home / name)).parent for name in named if isinstance(name, str))}


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


def read_dice(folder: Path) -> list[dict[str, Any]]:
    """The labels as a list of photographs, each with its `image`, and `dice` with the fields that the bench needs."""
    known = read_labels(folder)
    if not are_entries(known, "image") or not all(are_objects(entry.get("dice")) for entry in known):
        raise BadInput(f"The labels of {folder} are of another kind: a list of photographs with their dice is needed.")
    for entry in known:
        check(folder, entry["image"], entry, DicePhoto)
    entries: list[dict[str, Any]] = known
    return entries


def check(folder: Path, name: str, entry: object, fields: type) -> None:
    """Raises BadInput if an entry lacks a field that its bench needs, or has a wrong type there."""
    try:
        msgspec.convert(entry, fields)
    except msgspec.ValidationError as error:
        raise BadInput(f"The labels of {folder} do not fit at {name} ({error}): complete labels.json.") from error


@contextmanager
def label_of(picture: str) -> Iterator[None]:
    """Adds the picture's name to a refusal in this context, so that its label can be found among hundreds."""
    try:
        yield
    except BadInput as refusal:
        raise BadInput(f"{picture}: {refusal}") from refusal


def are_entries(value: object, name: str) -> bool:
    """Whether a value is a list, not empty, of objects that each have this field as a text."""
    if not isinstance(value, list) or not value or not are_objects(value):
        return False
    return all(isinstance(entry.get(name), str) for entry in value)


def are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
