"""What a reader is told about the table, from SCENE.json: never what lies on it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from companion.errors import BadInput

RGB = tuple[float, float, float]


@dataclass(frozen=True)
class Scene:
    """The fields the dice reader uses; a scene file may hold many more.

    colour_rgb  name of a body colour to its red, green, blue 0..255; empty when the table's colours are not known
    """

    colour_rgb: Mapping[str, RGB] = field(default_factory=lambda: MappingProxyType({}))


def load_scene(path: Path) -> Scene:
    """The scene written at `path`; raises BadInput with a sentence about the file."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The scene {path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a number of thousands of digits
        raise BadInput(f"The scene {path} is no JSON: write it again with the calibration page.") from error
    try:
        return scene_of(fields)
    except BadInput as error:
        raise BadInput(f"The scene {path} does not fit: {error}") from error


def scene_of(fields: object) -> Scene:
    """A scene from decoded JSON; unknown keys are ignored."""
    if not isinstance(fields, dict):
        raise BadInput("it must be an object with fields such as colour_rgb.")
    colours = fields.get("colour_rgb") or {}
    if not isinstance(colours, dict):
        raise BadInput('colour_rgb must name colours, like {"red": [185, 20, 34]}.')
    return Scene(MappingProxyType({name: rgb_of(name, value) for name, value in colours.items()}))


def rgb_of(name: str, value: object) -> RGB:
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(isinstance(part, int | float) and not isinstance(part, bool) and 0 <= part <= 255 for part in value)
    ):
        raise BadInput(f"colour_rgb of {name} must be three numbers from 0 to 255.")
    red, green, blue = value
    return float(red), float(green), float(blue)
