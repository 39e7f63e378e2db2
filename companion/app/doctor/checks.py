"""What the checks of `companion doctor` have in common: the table to be tested, and what a check says."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeGuard

from companion.cameras.names import NO_CAMERA
from companion.cameras.set_up import FRONT_SCENE


class Light(StrEnum):
    """The result of a check."""

    GREEN = "green"
    RED = "red"
    OFF = "off"  # The part is not here, and not needed; or it could not be seen.


@dataclass(frozen=True)
class Check:
    """One line of the self-test; a red one says what to do."""

    name: str
    light: Light
    text: str


@dataclass(frozen=True)
class Table:
    """The table to be tested."""

    data: Path
    camera: str | None
    table_toml: Path | None
    port: int
    front: str | None = None


@dataclass(frozen=True)
class Part:
    """One part of the self-test.

    limit_s             seconds after which it is given up
    advice              what helps then
    waits_for_a_camera  it takes as long as the camera likes, and nothing from the time that the other parts share
    """

    name: str
    check: Callable[[Table], tuple[Light, str]]
    limit_s: float
    advice: str
    waits_for_a_camera: bool = False


def is_there(camera: str | None) -> TypeGuard[str]:
    return camera not in (None, NO_CAMERA)


def front_scene(table: Table) -> Path:
    """The path of the scene file of the camera at table height."""
    return table.data / FRONT_SCENE
