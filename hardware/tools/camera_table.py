"""How high to hang which camera: what it sees and how large a die is in its picture, from the modules' own data."""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from companion.app.cli.wiring.drawing import words
from vision.cameras.pi_streams import FULL_PX
from vision.cameras.v4l2 import Size
from vision.cameras.webcam import best_of

CAMERAS = Path(__file__).parents[1] / "cameras.toml"
HEIGHTS_CM = (50, 60, 70, 80, 90)
DIE_MM = 16
SHAPE = FULL_PX[0] / FULL_PX[1]  # of the Pi's own cameras' pictures; a sensor that is taller is cut to it
ENOUGH_PX, GOOD_PX = 20, 40  # docs/vision.md: a die should be at least so wide, better so


@dataclass(frozen=True)
class CameraData:
    """A camera that looks straight down.

    wide, tall      width and height of what it sees, as parts of its height over the table
    read_px         width of the picture that is read
    """

    name: str
    wide: float
    tall: float
    read_px: int
    source: str

    def view_cm(self, height_cm: float) -> tuple[float, float]:
        """Width and depth of the table that is in view."""
        return self.wide * height_cm, self.tall * height_cm

    def die_px(self, height_cm: float, die_mm: float = DIE_MM) -> float:
        """How wide a die is in the picture."""
        return die_mm / 10 / (self.wide * height_cm) * self.read_px


def cameras() -> tuple[CameraData, ...]:
    """Every camera of cameras.toml."""
    return tuple(camera_from(each) for each in tomllib.loads(CAMERAS.read_text())["camera"])


def camera_from(data: dict[str, Any]) -> CameraData:
    """Angles, or what they follow from; of a camera on USB, the size that the companion asks for."""
    read_px, shape = FULL_PX[0], SHAPE
    if "offers" in data:
        size = best_of([Size(*offer) for offer in data["offers"]])
        read_px, shape = size.width, size.width / size.height
    if "corner_deg" in data:
        diagonal = 2 * math.tan(math.radians(data["corner_deg"]) / 2)
        tall = diagonal / math.hypot(shape, 1)
        wide = shape * tall
    elif "sensor_mm" in data:
        wide, tall = (side / data["lens_mm"] for side in data["sensor_mm"])
    else:
        wide, tall = (2 * math.tan(math.radians(data[key]) / 2) for key in ("wide_deg", "tall_deg"))
    return CameraData(data["name"], wide, min(tall, wide / shape), read_px, data["source"])


def markdown() -> str:
    """The table: one line a camera, one column a height."""
    head = "| camera | " + " | ".join(f"{height} cm" for height in HEIGHTS_CM) + " |"
    lines = [head, "| --- |" + " --- |" * len(HEIGHTS_CM)]
    for camera in cameras():
        cells = (cell(camera, height) for height in HEIGHTS_CM)
        lines.append(f"| {camera.name} | " + " | ".join(cells) + " |")
    lines.append("")
    for camera in cameras():
        line = f"- {camera.name}: {camera.source}; read {camera.read_px} pixels wide."
        lines += wrap(line, width=120, subsequent_indent="  ")
    return "\n".join(lines) + "\n"


def cell(camera: CameraData, height_cm: int) -> str:
    """What is in view, and the die's width in pixels: bold where it is good, in brackets where it is too small."""
    wide, tall = camera.view_cm(height_cm)
    die = camera.die_px(height_cm)
    shown = f"**{die:.0f} px**" if die >= GOOD_PX else f"{die:.0f} px" if die >= ENOUGH_PX else f"({die:.0f} px)"
    return f"{wide:.0f} × {tall:.0f} cm<br>{shown}"


INK, DIM, RED, WOOD = "#231d18", "#8b857c", "#b93a20", "#8f6437"
PAPER_MM = (200, 138)
FLOOR_MM, MIDDLE_MM = 118, 100  # the table's top and the camera's axis on paper
MM_PER_CM = 1.05
HANGS_CM = 80  # where the drawing hangs the camera


def drawing() -> str:
    """The camera over the table from the side, to scale: heights, what Camera Module 3 sees there, and the lamps."""
    camera, wide = cameras()[:2]
    top = FLOOR_MM - HANGS_CM * MM_PER_CM
    view_cm = camera.view_cm(HANGS_CM)[0]
    half = view_cm / 2 * MM_PER_CM
    left, right = MIDDLE_MM - half, MIDDLE_MM + half
    parts = [
        box(0, 0, *PAPER_MM, "#ffffff", "none"),
        f'<polygon points="{MIDDLE_MM},{top:.1f} {left:.1f},{FLOOR_MM} {right:.1f},{FLOOR_MM}" fill="#f7dcd0"/>',
        path(f"M{left:.1f} {FLOOR_MM} L{MIDDLE_MM} {top:.1f} L{right:.1f} {FLOOR_MM}", RED, 0.6),
        words(3, 8, "Camera over the table", 6),
        words(
            3, 14, f"{camera.name}: height of the lens, what is in view, width of a 16 mm die in the picture", 3.4, DIM
        ),
        words(
            3, 18.6, f"{wide.name}: {wide.wide / camera.wide:.1f} times as far each way, dice as much smaller", 3.4, DIM
        ),
    ]
    for height in HEIGHTS_CM:
        y = FLOOR_MM - height * MM_PER_CM
        across, along = camera.view_cm(height)
        parts += [
            path(f"M{MIDDLE_MM - 4} {y:.1f} H164", DIM, 0.5, 'stroke-dasharray="1 1.5"'),
            words(166, y - 0.6, f"{height} cm", 3.6),
            words(166, y + 3.6, f"{across:.0f} × {along:.0f} cm, {camera.die_px(height):.0f} px", 3, DIM),
        ]
    parts += [
        # the table, the arm with its clamp, the camera
        box(20, FLOOR_MM, 160, 5, "#c99a62", WOOD),
        path(f"M38 {FLOOR_MM + 5} V136 M170 {FLOOR_MM + 5} V136", WOOD, 1.5),
        path(f"M30 {FLOOR_MM - 3} H17 V{FLOOR_MM + 9} H30 M27 {FLOOR_MM + 12} V{FLOOR_MM + 5}", INK, 1.4),
        path(f"M19 {FLOOR_MM - 3} V{top - 4:.1f} H{MIDDLE_MM}", INK, 1.8),
        box(MIDDLE_MM - 5, top - 6, 10, 5, INK, INK),
        f'<circle cx="{MIDDLE_MM}" cy="{top:.1f}" r="1.6" fill="{INK}"/>',
        *(box(MIDDLE_MM + dx, FLOOR_MM - 3, 3, 3, "#fffdf6", INK) for dx in (-24, -12, 3, 9, 26)),
        # lamps from two sides
        *(
            f'<path transform="translate({x} {FLOOR_MM - 42}) scale({side} 1)" d="M0 0 l9 -4 l3.4 8 z" fill="#f2c53d"'
            f' stroke="{INK}" stroke-width="0.5"/>'
            for x, side in ((42, 1), (158, -1))
        ),
        words(47, FLOOR_MM - 32, "white lamp", 3, DIM, "middle"),
        words(152, FLOOR_MM - 32, "another from", 3, DIM, "middle"),
        words(152, FLOOR_MM - 28.4, "the other side", 3, DIM, "middle"),
        words(MIDDLE_MM, FLOOR_MM + 11, f"In view from {HANGS_CM} cm: {view_cm:.0f} cm", 3.6, RED, "middle"),
    ]
    width, height_mm = PAPER_MM
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height_mm}mm"'
    return f'{head} viewBox="0 0 {width} {height_mm}">{"".join(parts)}</svg>\n'


def box(x: float, y: float, width: float, height: float, fill: str, ink: str) -> str:
    """A rectangle."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} fill="{fill}" stroke="{ink}" stroke-width="0.5"/>'


def path(way: str, ink: str, thick: float, more: str = "") -> str:
    """Lines that go on and turn."""
    return f'<path d="{way}" fill="none" stroke="{ink}" stroke-width="{thick}" stroke-linejoin="round" {more}/>'
