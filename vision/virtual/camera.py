"""A camera over the demo's table: draws pictures of it that the real reader then has to read.

The table is plain values (`companion.demo.things`); what leaves here is pixels only, with perspective, side faces,
shadows, a lamp, motion blur and sensor noise. The table's x runs right and y towards the viewer; drawing is done in a
right-handed world of millimetres with y away from the viewer and z up.
"""

import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.demo.things import (
    BOARD_N,
    DIE_MM,
    HEIGHT_MM,
    MAT,
    PIECE_SHARE,
    PIECE_THICK_MM,
    THROW_US,
    UNIT_MM,
    WIDTH_MM,
    TableDie,
    VirtualTable,
)
from companion.equipment.mat import Kind, Mat, mat
from vision.cameras.camera import Frame, Wait
from vision.cameras.memory import give_back
from vision.card.picture import CARD_MM, card_picture
from vision.scene.mat import scene_fields
from vision.scene.pose import Pose, turn_z
from vision.scene.scene import SceneCamera
from vision.virtual.mat_picture import mat_picture, paper_corners_mm
from vision.virtual.solids import PAINT_RGB, draw_things
from vision.virtual.view import (
    AMBIENT,
    DIFFUSE,
    DISTANCE_MM,
    HEIGHT_PX,
    ROUNDED_LIGHT,
    TO_LIGHT,
    VIEW_MM,
    WIDTH_PX,
    camera_axes,
    eye_mm,
    project,
    towards_eye,
)

THROW_FPS = 30
IDLE_FPS = 15  # a still table is repeated with fresh noise, which costs 2 ms a frame
EXPOSURE_US = 10_000  # what moves is smeared along its way for as long
LENS_PX = 0.6  # blur of a lens that is in focus
NOISE_LEVELS = 2.5  # standard deviation; a webcam in a lit room
NOISE_FLOOR = 12  # added by the noise picture, so taken off the still one beforehand
STRIP_PX = 64  # rows of noise made at once

MAT_MIDDLE_MM = np.array([WIDTH_MM / 2, -HEIGHT_MM / 2, 0.0])
MAT_PX_PER_MM, MAT_BLUR_PX = 5.0, 0.8  # twice as fine as the picture, and softened so that no edge flickers
PAPER_LIGHT = 0.8  # of a lamp that leaves white dice brighter than the paper

HALF_MM = DIE_MM / 2
ROUNDING_MM = 1.4  # radius of the die's edges
PIP_RADIUS, PIP_PLACE = 0.19, 0.5  # of half an edge
TEXTURE_PX = 72
FINER = 2  # dice are drawn this much larger and made smaller again, for smooth edges

BODY_BGR = {
    "white": (232, 238, 240),
    "red": (38, 34, 190),
    "yellow": (40, 200, 240),
    "orange": (30, 120, 238),
    "green": (70, 140, 40),
    "blue": (180, 90, 30),
    "purple": (140, 50, 110),
    "black": (38, 36, 36),
    "grey": (140, 140, 140),
}
LIGHT_PIPS_ON = ("red", "green", "blue", "purple", "black")

# Opposite faces add to seven; 1, 2, 3 run counter-clockwise round their corner, as on dice sold in Europe.
NORMALS = {1: (0, 0, 1), 6: (0, 0, -1), 2: (1, 0, 0), 5: (-1, 0, 0), 3: (0, 1, 0), 4: (0, -1, 0)}
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def _axes(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    across = np.roll(normal, 1) * np.sign(normal.sum())
    return normal, across, np.cross(normal, across)


# Of each face its normal and the two axes its pips are laid out along, right-handed, in the die's own frame.
FACE_AXES = {value: _axes(np.array(normal, dtype=float)) for value, normal in NORMALS.items()}
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


class VirtualCamera:
    """The camera that sees the demo's table.

    `show` may be called between frames; `offset_us` turns the kernel's time into table time, in which throws are told.
    """

    live = True

    def __init__(
        self,
        table: VirtualTable | None = None,
        *,
        wait: Wait = time.sleep,
        now_us: Callable[[], int] = monotonic_us,
    ) -> None:
        self.table = table or VirtualTable()
        self.offset_us = 0
        self._wait = wait
        self._now_us = now_us
        self._painter: Painter | None = None

    def __enter__(self) -> Self:
        self._painter = self.new_painter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._painter = None

    def new_painter(self) -> "Painter":
        """Draws what this camera sees."""
        return Painter()

    def lens(self) -> SceneCamera:
        """The camera itself, without its place."""
        return scene_camera()

    def scene(self) -> dict[str, Any]:
        """The table that is shown, as calibration would write it."""
        return virtual_scene(self.table.mat, self.table.board_n)

    def laid(self, table: VirtualTable) -> object:
        """What the scene depends on."""
        return table.mat, table.board_n

    def show(self, table: VirtualTable) -> None:
        """The table as it is from now on."""
        self.table = table

    def full(self, frame: Frame) -> Frame:
        """The virtual camera is watched in full."""
        return frame

    def frames(self) -> Iterator[Frame]:
        """Frames without end, more of them while dice are on their way."""
        number = 0
        while self._painter is not None:
            at_us = self._now_us()
            moving = is_moving(self.table, at_us + self.offset_us)
            yield Frame(self._painter.picture(self.table, at_us + self.offset_us), at_us, number)
            number += 1
            due_us = at_us + 1_000_000 // (THROW_FPS if moving else IDLE_FPS)
            self._wait(max(0, due_us - self._now_us()) / 1_000_000)


def is_moving(table: VirtualTable, now_us: int) -> bool:
    """A throw is on its way, or so fresh that settling still has to be seen."""
    return table.throw is not None and now_us < table.throw.rests_us + THROW_US


@dataclass(frozen=True, eq=False)
class DiePose:
    """Where a die is: centre in world millimetres, rotation from die to world, smear on the picture in pixels."""

    centre_mm: np.ndarray
    rotation: np.ndarray
    colour: str
    smear_px: tuple[float, float] = (0.0, 0.0)


class Painter:
    """Draws tables; keeps the bare table, the last still picture and a store of noise."""

    def __init__(self, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        self._bare_of = ("", 0)  # the mat that lies on the bare table, and the squares of its board
        self._bare_bgr = np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.uint8)
        self._floor = np.full_like(self._bare_bgr, NOISE_FLOOR)
        self._noise = noise(self._random, HEIGHT_PX + 64, WIDTH_PX + 64)
        self._still: tuple[VirtualTable, np.ndarray] | None = None

    def picture(self, table: VirtualTable, now_us: int) -> np.ndarray:
        """The table as the sensor gives it at table time `now_us`: (HEIGHT_PX, WIDTH_PX, 3) uint8."""
        down, right = self._random.integers(0, 64, 2)
        return cv2.add(self.clean(table, now_us), self._noise[down : down + HEIGHT_PX, right : right + WIDTH_PX])

    def clean(self, table: VirtualTable, now_us: int) -> np.ndarray:
        """The same without noise, and darker by NOISE_FLOOR; not to be drawn into."""
        table = self.in_view(table)
        if table.throw is not None and now_us < table.throw.rests_us:
            return self._paint(table, poses_in_flight(table, now_us))
        at_rest = replace(table, throw=None)
        if self._still is None or self._still[0] != at_rest:
            self._still = (at_rest, self._paint(table, [resting_pose(die) for die in table.dice]))
        return self._still[1]

    def in_view(self, table: VirtualTable) -> VirtualTable:
        """What of the table can be seen from above: the stacks stand beside it."""
        return replace(table, stacks=())

    def _paint(self, table: VirtualTable, poses: list[DiePose]) -> np.ndarray:
        if self._bare_of != (table.mat, table.board_n):
            self._bare_of = (table.mat, table.board_n)
            self._bare_bgr = bare_table(np.random.default_rng(7), table.mat, table.board_n)
            give_back()  # drawn once a game; what that took would stay this process's for the whole evening
        frame_bgr = self._bare_bgr.copy()
        if table.card is not None:
            lay_card(frame_bgr, mat(table.mat), table.card, marker=not table.bought_deck)
        draw_things(frame_bgr, table)
        for pose in poses:
            cast_shadow(frame_bgr, pose)
        for pose in sorted(poses, key=far_and_low_first):
            draw_die(frame_bgr, pose)
        return cv2.subtract(frame_bgr, self._floor)


# where things are


def resting_pose(die: TableDie) -> DiePose:
    """A die that lies on the table, or on others, with its value up."""
    centre_mm = np.array([die.x_mm, -die.y_mm, HALF_MM + die.level * DIE_MM])
    return DiePose(centre_mm, turn_z(np.radians(-die.angle_deg)) @ face_up(die.value), die.colour)


def far_and_low_first(pose: DiePose) -> tuple[float, float]:
    """The order in which dice are drawn: a stack hides what stands behind it, its upper dice the lower ones."""
    away_mm = float(np.hypot(*(pose.centre_mm - eye_mm())[:2]))
    return -away_mm, float(pose.centre_mm[2])


def poses_in_flight(table: VirtualTable, now_us: int) -> list[DiePose]:
    """The dice of a throw that has not come to rest."""
    assert table.throw is not None
    origins = {die.key: die for die in table.throw.origin}
    return [pose_in_flight(die, origins.get(die.key), table, now_us) for die in table.dice]


def pose_in_flight(die: TableDie, origin: TableDie | None, table: VirtualTable, now_us: int) -> DiePose:
    """One die between where it was (or the hand at the near edge) and where it will lie: it hops and tumbles."""
    assert table.throw is not None
    if die == origin:
        return resting_pose(die)
    dice_random = np.random.default_rng(zlib.crc32(f"{die.key} {table.throw.started_us}".encode()))
    start_mm = (
        np.array([origin.x_mm, -origin.y_mm])
        if origin is not None
        else np.array([WIDTH_MM / 2 + dice_random.uniform(-40, 40), -HEIGHT_MM - 60.0])
    )
    axis = dice_random.normal(size=3)
    spin_deg = dice_random.uniform(500, 900)
    end = resting_pose(die)

    def centre_mm(at_us: int) -> np.ndarray:
        part = throw_part(table, at_us)
        ground_mm = start_mm + (end.centre_mm[:2] - start_mm) * (1 - (1 - part) ** 2)
        hop_mm = 55.0 * (1 - part) * abs(np.sin(2.5 * np.pi * part))
        return np.array([*ground_mm, HALF_MM + 4 * (1 - part) + hop_mm])

    part = throw_part(table, now_us)
    rotation = cv2.Rodrigues(axis / np.linalg.norm(axis) * np.radians(spin_deg * (1 - part) ** 2))[0] @ end.rotation
    now_px, then_px = project(np.array([centre_mm(now_us), centre_mm(now_us - EXPOSURE_US)]))
    return DiePose(centre_mm(now_us), rotation, die.colour, (now_px[0] - then_px[0], now_px[1] - then_px[1]))


def throw_part(table: VirtualTable, now_us: int) -> float:
    """How much of the throw has passed, 0..1."""
    assert table.throw is not None
    whole_us = max(1, table.throw.rests_us - table.throw.started_us)
    return min(1.0, max(0.0, (now_us - table.throw.started_us) / whole_us))


def face_up(value: int) -> np.ndarray:
    """Rotation that brings a face to the top."""
    normal, across, along = FACE_AXES[value]
    return np.array([across, along, normal])


def virtual_scene(mat_name: str = MAT, board_n: int = BOARD_N) -> dict[str, Any]:
    """The demo's table as calibration would write it: nobody has to set up a camera that is drawn."""
    camera = scene_camera()
    rotation = camera_axes()
    pose = Pose(camera.intrinsics(WIDTH_PX), np.zeros(5), rotation, -rotation @ (eye_mm() - MAT_MIDDLE_MM))
    printed = mat(mat_name, board_n)
    fields = scene_fields(camera, printed, pose, DIE_MM)
    if printed.grid is not None:
        fields["piece"] = {"diameter_mm": printed.grid.cell_mm * PIECE_SHARE, "thickness_mm": PIECE_THICK_MM}
        fields["colour_rgb"] = {name: list(rgb) for name, rgb in PAINT_RGB.items()}
    if printed.zones_of(Kind.TRUCK):
        fields["unit_mm"] = UNIT_MM
    return fields


def scene_camera() -> SceneCamera:
    """The virtual camera as a scene describes one, without its place."""
    focal_px = WIDTH_PX * DISTANCE_MM / VIEW_MM
    return SceneCamera(WIDTH_PX, HEIGHT_PX, (focal_px, focal_px), (WIDTH_PX / 2, HEIGHT_PX / 2))


# how they look


# in quotes, as to name the class loads numpy.random: 6 MB of every vision process
def bare_table(random: "np.random.Generator", mat_name: str = MAT, board_n: int = BOARD_N) -> np.ndarray:
    """The empty table with its mat: planks of wood on a dark floor, lit by a lamp on the upper left."""
    height_mm, width_mm = int(HEIGHT_MM), int(WIDTH_MM)
    size = (width_mm * 3, height_mm * 3)
    fibre = cv2.resize(random.normal(0, 1, (height_mm * 3, 24)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    cloud = cv2.resize(random.normal(0, 1, (6, 4)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
    rows = np.arange(size[1], dtype=np.float32)[:, None]
    ring = np.sin((rows / 9.0 + 2.5 * cloud) * 1.3)
    tone = 1.0 + 0.035 * cv2.GaussianBlur(fibre, (0, 0), 1.0) + 0.035 * ring + 0.03 * cloud
    plank = (rows // (size[1] / 4)).astype(int).ravel()
    tone *= np.array([1.0, 0.95, 1.03, 0.97], dtype=np.float32)[plank][:, None]
    wood = in_light(np.broadcast_to(np.array([86, 124, 164], np.uint8), (*tone.shape, 3)), tone)
    edges_mm = np.array([[0, 0, 0], [WIDTH_MM, 0, 0], [WIDTH_MM, -HEIGHT_MM, 0], [0, -HEIGHT_MM, 0]])
    corners_px = project(edges_mm).astype(np.float32)
    source = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], dtype=np.float32)
    frame_bgr = np.full((HEIGHT_PX, WIDTH_PX, 3), (52, 48, 46), np.uint8)
    cv2.warpPerspective(
        wood,
        cv2.getPerspectiveTransform(source, corners_px),
        (WIDTH_PX, HEIGHT_PX),
        dst=frame_bgr,
        flags=cv2.INTER_AREA,
        borderMode=cv2.BORDER_TRANSPARENT,
    )
    lay_mat(frame_bgr, mat(mat_name, board_n))
    down, right = np.ogrid[0:HEIGHT_PX, 0:WIDTH_PX]
    down, right = down.astype(np.float32), right.astype(np.float32)
    lamp = 1.08 - 0.32 * np.hypot((right - 0.36 * WIDTH_PX) / WIDTH_PX, (down - 0.34 * HEIGHT_PX) / HEIGHT_PX) ** 1.5
    return in_light(frame_bgr, lamp)


def in_light(picture_bgr: np.ndarray, light: np.ndarray) -> np.ndarray:
    """A picture (h, w, 3) uint8 times the light (h, w) float32; colour by colour, as all at once take 12 bytes each."""
    lit = np.empty(picture_bgr.shape, np.uint8)
    for channel in range(3):
        lit[..., channel] = np.clip(picture_bgr[..., channel] * light, 0, 255)
    return lit


def noise(random: "np.random.Generator", tall_px: int, wide_px: int) -> np.ndarray:
    """(tall_px, wide_px, 3) uint8 around NOISE_FLOOR; in strips, as random numbers take eight times its bytes."""
    levels = np.empty((tall_px, wide_px, 3), np.uint8)
    for top in range(0, tall_px, STRIP_PX):
        strip = levels[top : top + STRIP_PX]
        strip[:] = np.clip(np.rint(random.normal(NOISE_FLOOR, NOISE_LEVELS, strip.shape)), 0, 255)
    return levels


def lay_mat(frame_bgr: np.ndarray, printed: Mat) -> None:
    """The printed mat in the table's middle."""
    lay_paper(frame_bgr, mat_picture(printed, MAT_PX_PER_MM), paper_corners_mm(printed))


def lay_card(frame_bgr: np.ndarray, printed: Mat, number: int, *, marker: bool) -> None:
    """A card in the middle of the mat's card spot; without a marker it is one of a bought deck."""
    x_mm, y_mm = printed.zones_of(Kind.CARD)[0].middle_mm
    half = np.array(CARD_MM) / 2
    corners_mm = np.array([x_mm, y_mm]) + half * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
    lay_paper(frame_bgr, card_picture(number, marker), np.column_stack([corners_mm, np.zeros(4)]))


def lay_paper(frame_bgr: np.ndarray, picture: np.ndarray, corners_mm: np.ndarray) -> None:
    """A printed picture (h, w, 3) on the table, its corners from the upper left one on, from the mat's middle."""
    paper = cv2.GaussianBlur(picture, (0, 0), MAT_BLUR_PX)
    tall, wide = paper.shape[:2]
    source = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], dtype=np.float32) - 0.5
    corners_px = project(corners_mm + MAT_MIDDLE_MM).astype(np.float32)
    to_frame = cv2.getPerspectiveTransform(source, corners_px)
    size = (WIDTH_PX, HEIGHT_PX)
    shade = cv2.LUT(paper, (np.arange(256) * PAPER_LIGHT).astype(np.uint8))
    cv2.warpPerspective(shade, to_frame, size, dst=frame_bgr, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT)


def cast_shadow(frame_bgr: np.ndarray, pose: DiePose) -> None:
    """Darkens the table where the die keeps the lamp's light away; softer the higher it flies."""
    corners_mm = pose.centre_mm + CORNERS * HALF_MM * 0.94 @ pose.rotation.T
    ground_mm = corners_mm - TO_LIGHT * (corners_mm[:, 2:] / TO_LIGHT[2])
    outline_px = cv2.convexHull(np.rint(project(ground_mm)).astype(np.int32))
    softness_px = 3.0 + 0.25 * float(pose.centre_mm[2] - HALF_MM)
    patch = window(outline_px.reshape(-1, 2), round(3 * softness_px), frame_bgr.shape)
    if patch is None:
        return
    left, top, right, bottom = patch
    shade = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(shade, outline_px - np.array([left, top]), 130)
    box = (2 * round(softness_px) - 1,) * 2
    shade = cv2.blur(cv2.blur(shade, box), box)
    under = frame_bgr[top:bottom, left:right]
    under[:] = dimmed(under, 255 - shade)


def draw_die(frame_bgr: np.ndarray, pose: DiePose) -> None:
    """Draws a rounded cube with its pips over the picture."""
    corners_mm = pose.centre_mm + CORNERS * (HALF_MM - ROUNDING_MM) @ pose.rotation.T
    corners_px = project(corners_mm)
    px_per_mm = float(np.ptp(project(pose.centre_mm + np.array([[-0.5, 0, 0], [0.5, 0, 0]]))[:, 0]))
    margin_px = round(ROUNDING_MM * px_per_mm + max(abs(pose.smear_px[0]), abs(pose.smear_px[1]))) + 3
    patch = window(corners_px, margin_px, frame_bgr.shape)
    if patch is None:
        return
    left, top, right, bottom = patch
    size = ((right - left) * FINER, (bottom - top) * FINER)
    to_patch = np.array([[FINER, 0, -left * FINER], [0, FINER, -top * FINER], [0, 0, 1.0]])
    body = np.array(BODY_BGR.get(pose.colour, BODY_BGR["white"]), dtype=np.float32)
    seen = [value for value in NORMALS if is_seen(value, pose)]

    outline = cv2.convexHull(np.rint((corners_px - (left, top)) * FINER).astype(np.int32))
    alpha = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(alpha, outline, 255)
    cv2.polylines(alpha, [outline], True, 255, max(1, round(2 * ROUNDING_MM * px_per_mm * FINER)), cv2.LINE_AA)
    edge = ROUNDED_LIGHT * max(brightness(value, pose) for value in seen)
    colour = np.empty((size[1], size[0], 3), np.uint8)
    colour[:] = np.clip(body * edge, 0, 255)

    for value in seen:
        face = np.float32(project(face_corners_mm(value, pose)))
        texture = face_texture(value, body, brightness(value, pose), dark=pose.colour not in LIGHT_PIPS_ON)
        source = np.float32([[0, 0], [TEXTURE_PX, 0], [TEXTURE_PX, TEXTURE_PX], [0, TEXTURE_PX]])
        warped = cv2.warpPerspective(texture, to_patch @ cv2.getPerspectiveTransform(source, face), size)
        colour = cv2.add(dimmed(warped[..., :3], warped[..., 3]), dimmed(colour, 255 - warped[..., 3]))

    layer = cv2.merge([*cv2.split(dimmed(colour, alpha)), alpha])
    layer = cv2.resize(layer, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    layer = smeared(cv2.GaussianBlur(layer, (0, 0), LENS_PX), pose.smear_px)
    under = frame_bgr[top:bottom, left:right]
    under[:] = cv2.add(np.ascontiguousarray(layer[..., :3]), dimmed(under, 255 - layer[..., 3]))


def dimmed(picture_bgr: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """The picture times alpha (h, w), 255 being all of it."""
    return cv2.multiply(picture_bgr, cv2.merge([alpha] * 3), scale=1 / 255)


def is_seen(value: int, pose: DiePose) -> bool:
    """The face looks towards the camera."""
    normal = pose.rotation @ FACE_AXES[value][0]
    return bool(normal @ towards_eye(pose.centre_mm + normal * HALF_MM) > 0)


def brightness(value: int, pose: DiePose) -> float:
    """How much light a face throws back, 1.0 for one that faces the lamp."""
    normal = pose.rotation @ FACE_AXES[value][0]
    return AMBIENT + DIFFUSE * max(0.0, float(normal @ TO_LIGHT))


def face_corners_mm(value: int, pose: DiePose) -> np.ndarray:
    """Corners of a face in the order of its texture's: upper left, upper right, lower right, lower left."""
    normal, across, along = FACE_AXES[value]
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    local = np.array([normal + across * s + along * t for s, t in signs]) * HALF_MM
    return pose.centre_mm + local @ pose.rotation.T


def face_texture(value: int, body: np.ndarray, light: float, *, dark: bool) -> np.ndarray:
    """One face from straight above: (TEXTURE_PX, TEXTURE_PX, 4) uint8, fading out towards the rounded edge."""
    pip_bgr = (34, 30, 30) if dark else (228, 232, 236)
    colour = np.empty((TEXTURE_PX, TEXTURE_PX, 3), np.uint8)
    colour[:] = np.clip(body * light, 0, 255)
    half_px = TEXTURE_PX / 2
    for across, along in PIPS[value]:
        centre = (round(half_px * (1 + PIP_PLACE * across)), round(half_px * (1 + PIP_PLACE * along)))
        shade = tuple(float(level) * min(1.0, light) for level in pip_bgr)
        cv2.circle(colour, centre, round(PIP_RADIUS * half_px), shade, cv2.FILLED, cv2.LINE_AA)
    alpha = np.zeros((TEXTURE_PX, TEXTURE_PX), np.uint8)
    inset = round(ROUNDING_MM / DIE_MM * TEXTURE_PX)
    cv2.rectangle(alpha, (inset, inset), (TEXTURE_PX - inset - 1, TEXTURE_PX - inset - 1), 255, cv2.FILLED)
    return np.dstack([colour, cv2.GaussianBlur(alpha, (0, 0), inset / 3)])


def smeared(layer: np.ndarray, smear_px: tuple[float, float]) -> np.ndarray:
    """A layer drawn out along its way, as an exposure does with what moves."""
    length = round(np.hypot(*smear_px))
    if length < 2:
        return layer
    kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
    half = (smear_px[0] / 2, smear_px[1] / 2)
    ends = [(round(length + sign * half[0]), round(length + sign * half[1])) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    return cv2.filter2D(layer, -1, kernel / kernel.sum(), borderType=cv2.BORDER_CONSTANT)


def window(points_px: np.ndarray, margin_px: int, shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of the part of the picture around points; None when they lie outside it."""
    left, top = np.floor(points_px.min(axis=0)).astype(int) - margin_px
    right, bottom = np.ceil(points_px.max(axis=0)).astype(int) + margin_px
    left, top, right, bottom = max(0, left), max(0, top), min(shape[1], right), min(shape[0], bottom)
    return (int(left), int(top), int(right), int(bottom)) if right > left and bottom > top else None
