"""labels.json: the file beside the pictures of a bench that says what they show."""

import os
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from companion.errors import BadInput
from companion.foreign import Unreadable, read_json, read_value

MOST_PX = 1e5  # No picture is larger.

# The fields that the benches use; those with a default may be left out, and a label may have more.
Level = Annotated[float, Meta(ge=0, le=255)]
Number = Annotated[float, Meta(ge=-MOST_PX, le=MOST_PX)]  # JSON as Python reads it knows NaN and infinity, too.
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


def read_labels(folder: Path) -> Any:
    """The decoded labels.json of a folder, not validated yet; raises BadInput."""
    try:
        return read_json((folder / "labels.json").read_bytes())
    except OSError as error:
        raise BadInput(f"The labels of {folder} cannot be read ({error.strerror}): name another folder.") from error
    except Unreadable as error:
        raise BadInput(f"The labels of {folder} are no JSON: write labels.json again.") from error


def places_of(folder: Path) -> set[Path]:
    """The folder of labels, and every folder with a picture that they name."""
    labels = read_labels(folder)
    entries: Any = labels.get("images") if isinstance(labels, dict) else labels
    names = [entry.get("image", entry.get("file")) for entry in entries] if are_objects(entries) else []
    home = folder.resolve()
    return {home, *(Path(os.path.normpath(home / name)).parent for name in names if isinstance(name, str))}


def read_dice(folder: Path) -> list[dict[str, Any]]:
    """The labels as a list of photographs, each with its `image`, and `dice` with the fields that the bench needs."""
    labels = read_labels(folder)
    if not are_entries(labels, "image") or not all(are_objects(entry.get("dice")) for entry in labels):
        raise BadInput(f"The labels of {folder} are of another kind: a list of photographs with their dice is needed.")
    for entry in labels:
        check(folder, entry["image"], entry, DicePhoto)
    entries: list[dict[str, Any]] = labels
    return entries


def check(folder: Path, name: str, entry: object, fields: type) -> None:
    """Raises BadInput if an entry lacks a field that its bench needs, or has a wrong type there."""
    try:
        read_value(entry, fields)
    except Unreadable as error:
        raise BadInput(f"The labels of {folder} do not fit at {name} ({error.why}): complete labels.json.") from error


def are_entries(value: object, name: str) -> bool:
    """Whether a value is a list, not empty, of objects that each have this field as a text."""
    if not isinstance(value, list) or not value or not are_objects(value):
        return False
    return all(isinstance(entry.get(name), str) for entry in value)


def are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
