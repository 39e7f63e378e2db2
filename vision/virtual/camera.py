"""A camera over the demo's table: draws pictures of it, which the real reader then has to read.

The table is plain values (`companion.demo.things`); the pictures are pixels only, with perspective, side faces,
shadows, a lamp, motion blur and sensor noise. The table's x runs right and y towards the viewer; drawing is done in a
right-handed world of millimetres with y away from the viewer and z up.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, Self

from companion.clock import monotonic_us
from companion.demo.things import BOARD_N, DIE_MM, MAT, PIECE_SHARE, PIECE_THICK_MM, THROW_US, UNIT_MM, VirtualTable
from companion.equipment.mat import Kind, mat
from vision.cameras.camera import Camera, Frame, Wait
from vision.scene.fields import scene_fields
from vision.scene.pose import Pose
from vision.scene.scene import SceneCamera
from vision.virtual.painter import MAT_MIDDLE_MM, Painter
from vision.virtual.solids import PAINT_RGB
from vision.virtual.view import FOCAL_PX, HEIGHT_PX, WIDTH_PX, camera_axes, eye_mm

THROW_FPS = 30
FRESH_FPS = 15  # What was last laid down or asked for still has to be seen to rest.
IDLE_FPS = 4  # A still table is repeated with fresh noise.
FRESH_US = 5_000_000  # Anything that lies still passes for the table before that.
CAMERA = SceneCamera(WIDTH_PX, HEIGHT_PX, (FOCAL_PX, FOCAL_PX), (WIDTH_PX / 2, HEIGHT_PX / 2))


class VirtualCamera(Camera):
    """The camera that sees the demo's table.

    lens        the camera without its pose
    table       what it shows; another one may be put there between frames
    offset_us   turns the kernel's time into table time, which throws are given in
    asked_us    when the camera last had a command, in the kernel's time
    """

    live = True
    lens = CAMERA

    def __init__(
        self, table: VirtualTable | None = None, *, wait: Wait = time.sleep, now_us: Callable[[], int] = monotonic_us
    ) -> None:
        self.table = table or VirtualTable()
        self.offset_us = 0
        self.asked_us = 0
        self._wait = wait
        self._now_us = now_us
        self._painter: Painter | None = None

    def __enter__(self) -> Self:
        self._painter = self.new_painter()
        self.asked_us = self._now_us()
        return self

    def __exit__(self, *_failure: object) -> None:
        self._painter = None

    def new_painter(self) -> "Painter":
        """The painter of what this camera sees."""
        return Painter()

    def scene(self) -> dict[str, Any]:
        """The fields of the scene of the table shown, as calibration would write them."""
        return virtual_scene(self.table.mat, self.table.board_n)

    def scene_key(self, table: VirtualTable) -> object:
        """The parts of a table that its scene depends on."""
        return table.mat, table.board_n

    def frames(self) -> Iterator[Frame]:
        """Frames without end: more a second while dice move, few of a table that has lain still."""
        number = 0
        while self._painter is not None:
            at_us = self._now_us()
            yield Frame(self._painter.picture(self.table, at_us + self.offset_us), at_us, number)
            number += 1
            due_us = at_us + 1_000_000 // self._fps(at_us)  # By now another table may be shown.
            self._wait(max(0, due_us - self._now_us()) / 1_000_000)

    def _fps(self, at_us: int) -> int:
        if is_moving(self.table, at_us + self.offset_us):
            return THROW_FPS
        return FRESH_FPS if at_us < self.asked_us + FRESH_US else IDLE_FPS


def is_moving(table: VirtualTable, now_us: int) -> bool:
    """Whether a throw is under way, or so recent that the table has yet to settle."""
    return table.throw is not None and now_us < table.throw.rests_us + THROW_US


def virtual_scene(mat_name: str = MAT, board_n: int = BOARD_N) -> dict[str, Any]:
    """The scene fields of the demo's table, as a drawn camera needs no calibration."""
    rotation = camera_axes()
    pose = Pose(*CAMERA.lens(WIDTH_PX), rotation, -rotation @ (eye_mm() - MAT_MIDDLE_MM))
    printed = mat(mat_name, board_n)
    fields = scene_fields(CAMERA, printed, pose, DIE_MM)
    if printed.grid is not None:
        fields["piece"] = {"diameter_mm": printed.grid.cell_mm * PIECE_SHARE, "thickness_mm": PIECE_THICK_MM}
        fields["colour_rgb"] = {name: list(rgb) for name, rgb in PAINT_RGB.items()}
    if printed.zones_of(Kind.TRUCK):
        fields["unit_mm"] = UNIT_MM
    return fields
