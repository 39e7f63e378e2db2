"""The facts about the table that readers are given, never what lies on it; `vision.scene.file` reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from companion.errors import BadInput
from companion.words import _, number
from vision.scene.pose import Marker, Pose, pose_from_markers

DICE_UNDER_CAMERA = 5  # A stack of four dice fits under the camera, and a little more.
# Fingers need room between pieces, so these are shares of a board's square.
DIAMETER_SHARE, THICKNESS_SHARE = 0.72, 0.2
RGB = tuple[float, float, float]
PointMm = tuple[float, float, float]


@dataclass(frozen=True)
class SceneCamera:
    """A camera's mapping from directions to pixels, and its pose where calibration found one."""

    width: int
    height: int
    focal: tuple[float, float]
    centre: tuple[float, float]
    distortion: tuple[float, ...] = ()
    rotation: tuple[float, ...] | None = None  # It has nine numbers, row by row.
    shift_mm: tuple[float, ...] | None = None

    def intrinsics(self, width: int) -> np.ndarray:
        """The matrix (3, 3) for a picture of `width` pixels that shows the same view."""
        zoom = width / self.width
        (fx, fy), (cx, cy) = self.focal, self.centre
        return np.array([[fx * zoom, 0, cx * zoom], [0, fy * zoom, cy * zoom], [0, 0, 1]])

    def lens(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (3, 3) for a picture of `width` pixels, and the distortion (k,), both as in OpenCV."""
        return self.intrinsics(width), np.array(self.distortion or (0.0,) * 5)

    def pose(self, width: int) -> Pose | None:
        """The pose that calibration found, for a picture of `width` pixels."""
        if self.rotation is None or self.shift_mm is None:
            return None
        return Pose(*self.lens(width), np.array(self.rotation).reshape(3, 3), np.array(self.shift_mm))


@dataclass(frozen=True)
class Board:
    """A grid board of n × n spaces; the grid's corners in mm are far left, far right, near right, near left."""

    n: int
    cell_mm: float
    corners_mm: tuple[PointMm, ...]


@dataclass(frozen=True)
class Piece:
    """The round pieces that lie on a board."""

    diameter_mm: float
    thickness_mm: float


def usual_piece(cell_mm: float) -> Piece:
    """The usual pieces for a board with such squares, if nobody measured any."""
    return Piece(round(DIAMETER_SHARE * cell_mm, 1), round(THICKNESS_SHARE * cell_mm, 1))


@dataclass(frozen=True)
class Truck:
    """A truck card.

    area        its loading area by rows, True where boxes may stand
    corners_mm  of the loading area
    number      as printed on it, or None
    """

    columns: int
    rows: int
    levels: int
    area: tuple[tuple[bool, ...], ...]
    cell_mm: float
    corners_mm: tuple[PointMm, ...]
    number: int | None = None


@dataclass(frozen=True)
class StackReference:
    """The reference for the stack of a space: a card of the deck, or the stack of another space."""

    card: int | None = None
    space: int | None = None


@dataclass(frozen=True)
class Scene:
    """The facts that readers use, all optional; a reader says which one it lacks.

    colour_rgb          name of a colour of dice or pieces to its red, green, blue 0..255; empty when not known
    colours             the names in use, if they are fewer than in colour_rgb
    colour_by_length    colour of the boxes of each size in units; these names have no RGB
    piece               None if nobody measured one; the picture tells their size then
    unit_mm             side of the smallest box
    rolls               how many boxes of each size each player rolled, the players of `trucks` first
    spaces_mm           centres of the stacking spaces, from the left
    block_mm            long, middle and short edge of the wooden blocks
    cylinder_mm         diameter and height
    misplaced_mm        how far hands put a block from its place, where stacks are compared to the millimetre
    outline_mm          corners of the mat: far left, far right, near right, near left
    tall_mm             how tall things of the game may stand on the mat; 0 if the camera looks from above
    references          space, from 1 at the left, to what its stack is compared with
    strictness          by which factor dice need less doubt to be accepted; see `companion.sensing.strictness`
    """

    colour_rgb: Mapping[str, RGB] = field(default_factory=lambda: MappingProxyType({}))
    camera: SceneCamera | None = None
    markers: tuple[Marker, ...] = ()
    die_size_mm: float | None = None
    colours: tuple[str, ...] = ()
    board: Board | None = None
    piece: Piece | None = None
    trucks: tuple[Truck, ...] = ()
    colour_by_length: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    unit_mm: float | None = None
    rolls: tuple[Mapping[int, int], ...] = ()
    spaces_mm: tuple[tuple[float, float], ...] = ()
    block_mm: tuple[float, float, float] | None = None
    cylinder_mm: tuple[float, float] | None = None
    misplaced_mm: float | None = None
    outline_mm: tuple[PointMm, ...] = ()
    tall_mm: float = 0.0
    references: Mapping[int, StackReference] = field(default_factory=lambda: MappingProxyType({}))
    strictness: float = 1.0

    def pose(self, frame_bgr: np.ndarray) -> Pose:
        """The camera's pose: as calibrated, else by the markers in the frame; BadInput says what is missing."""
        if self.camera is None:
            raise BadInput(_("The scene has no camera. Calibrate the table, and the page writes it."))
        height, width = frame_bgr.shape[:2]
        if abs(height * self.camera.width - width * self.camera.height) > 0.02 * width * self.camera.height:
            raise BadInput(
                _(
                    "The scene is for pictures of {right} pixels, but this one has {here}. Take it with the "
                    "calibrated camera.",
                    right=f"{self.camera.width} × {self.camera.height}",
                    here=f"{width} × {height}",
                )
            )
        pose = self.camera.pose(width) or pose_from_markers(frame_bgr, self.markers, *self.camera.lens(width))
        self._check_seen_by(pose)
        return pose

    def _check_seen_by(self, pose: Pose) -> None:
        """Raises BadInput if things on the table cannot be in front of that camera."""
        if self.die_size_mm is not None and pose.eye_mm[2] < DICE_UNDER_CAMERA * self.die_size_mm:
            raise BadInput(
                _(
                    "The scene says a die is {side} mm wide and the camera is {high} mm above the table. "
                    "Measure the die, and calibrate the camera again.",
                    side=number(self.die_size_mm, 1),
                    high=number(float(pose.eye_mm[2]), 0),
                )
            )
        corners_mm = {"board": self.board.corners_mm} if self.board else {}
        corners_mm |= {"trucks": tuple(corner for truck in self.trucks for corner in truck.corners_mm)}
        for name, corners in corners_mm.items():
            if corners and (np.array(corners) @ pose.rotation[2] + pose.shift_mm[2]).min() <= 0:
                raise BadInput(
                    _("The scene says corners of {name} are behind the camera. Calibrate the table again.", name=name)
                )
