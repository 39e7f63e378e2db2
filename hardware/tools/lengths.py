"""How long each cable has to be, reckoned from the measures of the printed parts and of the arm.

The Pi's tray is tied under the arm's level tube, beside the elbow: no ribbon reaches from there to under the table.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MOUNTS = Path(__file__).parents[1] / "mounts"
UPRIGHT_CM, LEVEL_CM = 75.0, 40.0  # the tubes, as parts.toml asks for them
TABLE_CM = (160.0, 90.0)  # the largest table that the cables are meant for; the arm stands amid a long side
TABLE_THICK_CM = 4.0
BENDS_CM = 6.0  # of a ribbon, that it need not be pulled
DROOP = 1.1  # A cable that is tied is so much longer than its way.
SEAT_UP_CM = 15.0  # from the table's underside over its edge to a seat's box


@dataclass(frozen=True)
class Cable:
    """What a cable has to bridge, and the length that is sold."""

    name: str
    way_cm: float
    sold_cm: float


def measure(source: str, name: str) -> float:
    """A number of an OpenSCAD source, in mm."""
    found = re.search(rf"^\s*{name} = (\d+(?:\.\d+)?);", (MOUNTS / source).read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{source} has no number {name}")
    return float(found.group(1))


def lens_cm() -> float:
    """Height of the camera's plate over the table."""
    tube, wall = measure("camera-arm.scad", "tube"), measure("camera-arm.scad", "wall")
    foot_mm = 34 - 20 + wall  # clamp(): from the table's top to the upright tube's foot
    socket = tube + measure("camera-arm.scad", "tube_play") + 2 * wall
    axis_mm = foot_mm + wall + socket / 2
    return UPRIGHT_CM + (axis_mm - tube / 2 - measure("camera-arm.scad", "board_post")) / 10


def on_arm_cm() -> tuple[float, float]:
    """From the upright tube's axis to both ends of the Pi's tray."""
    deep = measure("camera-arm.scad", "socket_deep") / 10
    board_cm = 8.5  # of a Pi 3, 4 or 5
    long = board_cm + 2 * (measure("pi-tray.scad", "margin") + measure("pi-tray.scad", "ear")) / 10
    return deep, deep + long


def cables() -> tuple[Cable, ...]:
    """Every cable that has to be bought or cut to length."""
    begin, end = on_arm_cm()
    board_cm = begin + (measure("pi-tray.scad", "margin") + measure("pi-tray.scad", "ear")) / 10
    tray_cm = (measure("pi-tray.scad", "post_high") + measure("pi-tray.scad", "thick") + 16) / 10
    down = end + lens_cm() + TABLE_THICK_CM
    across = TABLE_CM[0] / 2 + TABLE_CM[1]
    return (
        Cable("camera's ribbon, from the Pi on the arm to the plate", LEVEL_CM - board_cm + tray_cm + BENDS_CM, 50),
        Cable("to the farthest seat's box", (down + across + SEAT_UP_CM) * DROOP, 500),
        Cable("to the table's box beside the arm", (end + lens_cm() + 20) * DROOP, 150),
        Cable("power, from a socket strip under the table", (down + 10) * DROOP, 120),
    )


def ribbon_under_table_cm() -> float:
    """What a ribbon would have to bridge if the Pi were under the table."""
    return TABLE_THICK_CM + lens_cm() + LEVEL_CM + BENDS_CM


def markdown() -> str:
    """The cables for README.md."""
    rows = ["| cable | its way | take |", "| --- | --- | --- |"]
    rows += [f"| {cable.name} | {cable.way_cm:.0f} cm | {length(cable.sold_cm)} |" for cable in cables()]
    wide, deep = TABLE_CM
    rows += [
        "",
        f"Reckoned for a table of up to {wide:g} × {deep:g} cm, tubes of {UPRIGHT_CM:g} and {LEVEL_CM:g} cm (the",
        f"camera is then {lens_cm():.0f} cm high), and the arm amid a long side. From under the table a ribbon would",
        f"have to bridge {ribbon_under_table_cm():.0f} cm; ribbons of 50 cm are sold.",
    ]
    return "\n".join(rows) + "\n"


def length(cm: float) -> str:
    return f"{cm:g} cm" if cm < 100 else f"{cm / 100:g} m"


def too_short() -> Mapping[str, float]:
    """Name of each cable that does not reach → how much is missing, in cm."""
    return {cable.name: cable.way_cm - cable.sold_cm for cable in cables() if cable.way_cm > cable.sold_cm}
