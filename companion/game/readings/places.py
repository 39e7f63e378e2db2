"""Places in a picture."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """A place in a picture, upright: centre and size in pixels."""

    cx: float
    cy: float
    w: float
    h: float
