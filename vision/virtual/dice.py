"""Dice as the virtual camera sees them: their poses at rest and in flight, and how they are drawn."""

import zlib
from dataclasses import dataclass

import cv2
import numpy as np

from companion.demo.things import DIE_MM, HEIGHT_MM, WIDTH_MM, TableDie, Throw, VirtualTable
from vision.scene.pose import turn_z
from vision.virtual.view import ROUNDED_LIGHT, TO_LIGHT, brightness_of, eye_mm, project, towards_eye

EXPOSURE_US = 10_000  # A moving die is smeared along its way for so long.
LENS_PX = 0.6  # A lens that is in focus blurs by this.
HALF_MM = DIE_MM / 2
ROUNDING_MM = 1.4  # A die's edges have this radius.
PIP_RADIUS, PIP_PLACE = 0.19, 0.5  # Both are in halves of an edge.
TEXTURE_PX = 72
FINER = 2  # Dice are drawn this much larger and then reduced, for smooth edges.

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


# Each face's normal and the two axes of its pips, right-handed, in the die's own frame.
FACE_AXES = {value: _axes(np.array(normal, dtype=float)) for value, normal in NORMALS.items()}
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


@dataclass(frozen=True, eq=False)
class DiePose:
    """A die's place: centre in world millimetres, rotation from die to world, smear in pixels."""

    centre_mm: np.ndarray
    rotation: np.ndarray
    colour: str
    smear_px: tuple[float, float] = (0.0, 0.0)


def resting_pose(die: TableDie) -> DiePose:
    """The pose of a die on the table or on others, with its value up."""
    centre_mm = np.array([die.x_mm, -die.y_mm, HALF_MM + die.level * DIE_MM])
    return DiePose(centre_mm, turn_z(np.radians(-die.angle_deg)) @ face_up(die.value), die.colour)


def far_and_low_first(pose: DiePose) -> tuple[float, float]:
    """The sort key for drawing: far stacks before near ones, lower dice before upper ones."""
    away_mm = float(np.hypot(*(pose.centre_mm - eye_mm())[:2]))
    return -away_mm, float(pose.centre_mm[2])


def poses_in_flight(table: VirtualTable, now_us: int) -> list[DiePose]:
    """The poses of the dice in a throw that has not come to rest."""
    assert table.throw is not None
    origins = {die.key: die for die in table.throw.origin}
    return [pose_in_flight(die, origins.get(die.key), table.throw, now_us) for die in table.dice]


def pose_in_flight(die: TableDie, origin: TableDie | None, throw: Throw, now_us: int) -> DiePose:
    """The pose of a die that hops and tumbles from where it was, or from the hand at the near edge."""
    if die == origin:
        return resting_pose(die)
    dice_random = np.random.default_rng(zlib.crc32(f"{die.key} {throw.started_us}".encode()))
    start_mm = (
        np.array([origin.x_mm, -origin.y_mm])
        if origin is not None
        else np.array([WIDTH_MM / 2 + dice_random.uniform(-40, 40), -HEIGHT_MM - 60.0])
    )
    axis = dice_random.normal(size=3)
    spin_deg = dice_random.uniform(500, 900)
    end = resting_pose(die)

    def centre_mm(at_us: int) -> np.ndarray:
        part = throw_part(throw, at_us)
        ground_mm = start_mm + (end.centre_mm[:2] - start_mm) * (1 - (1 - part) ** 2)
        hop_mm = 55.0 * (1 - part) * abs(np.sin(2.5 * np.pi * part))
        return np.array([*ground_mm, HALF_MM + 4 * (1 - part) + hop_mm])

    part = throw_part(throw, now_us)
    rotation = cv2.Rodrigues(axis / np.linalg.norm(axis) * np.radians(spin_deg * (1 - part) ** 2))[0] @ end.rotation
    now_px, then_px = project(np.array([centre_mm(now_us), centre_mm(now_us - EXPOSURE_US)]))
    return DiePose(centre_mm(now_us), rotation, die.colour, (now_px[0] - then_px[0], now_px[1] - then_px[1]))


def throw_part(throw: Throw, now_us: int) -> float:
    """The share of the throw that has passed, 0..1."""
    return min(1.0, max(0.0, (now_us - throw.started_us) / max(1, throw.rests_us - throw.started_us)))


def face_up(value: int) -> np.ndarray:
    """The rotation (3, 3) that brings a face to the top."""
    normal, across, along = FACE_AXES[value]
    return np.array([across, along, normal])


def cast_shadow(frame_bgr: np.ndarray, pose: DiePose) -> None:
    """Darkens the table in the die's shadow, which is softer the higher the die flies."""
    corners_mm = pose.centre_mm + CORNERS * HALF_MM * 0.94 @ pose.rotation.T
    ground_mm = corners_mm - TO_LIGHT * (corners_mm[:, 2:] / TO_LIGHT[2])
    outline_px = cv2.convexHull(np.rint(project(ground_mm)).astype(np.int32))
    softness_px = 3.0 + 0.25 * float(pose.centre_mm[2] - HALF_MM)
    patch = window(outline_px.reshape(-1, 2), round(3 * softness_px), frame_bgr.shape)
    if patch is None:
        return
    left, top, right, bottom = patch
    shade: np.ndarray = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(shade, outline_px - np.array([left, top]), 130)
    box = (2 * round(softness_px) - 1,) * 2
    shade = cv2.blur(cv2.blur(shade, box), box)
    under = frame_bgr[top:bottom, left:right]
    under[:] = dim(under, 255 - shade)


def draw_die(frame_bgr: np.ndarray, pose: DiePose) -> None:
    """Draws a rounded cube with its pips into the picture."""
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
    lights = {
        value: brightness_of(pose.rotation @ FACE_AXES[value][0]) for value in NORMALS if faces_camera(value, pose)
    }

    outline = cv2.convexHull(np.rint((corners_px - (left, top)) * FINER).astype(np.int32))
    alpha = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(alpha, outline, 255)
    cv2.polylines(alpha, [outline], True, 255, max(1, round(2 * ROUNDING_MM * px_per_mm * FINER)), cv2.LINE_AA)
    edge = ROUNDED_LIGHT * max(lights.values())
    colour: np.ndarray = np.empty((size[1], size[0], 3), np.uint8)
    colour[:] = np.clip(body * edge, 0, 255)

    for value, light in lights.items():
        face = project(face_corners_mm(value, pose)).astype(np.float32)
        texture = face_texture(value, body, light, dark=pose.colour not in LIGHT_PIPS_ON)
        source = np.array([[0, 0], [TEXTURE_PX, 0], [TEXTURE_PX, TEXTURE_PX], [0, TEXTURE_PX]], np.float32)
        warped = cv2.warpPerspective(texture, to_patch @ cv2.getPerspectiveTransform(source, face), size)
        colour = cv2.add(dim(warped[..., :3], warped[..., 3]), dim(colour, 255 - warped[..., 3]))

    layer = cv2.merge([*cv2.split(dim(colour, alpha)), alpha])
    layer = cv2.resize(layer, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    layer = smear(cv2.GaussianBlur(layer, (0, 0), LENS_PX), pose.smear_px)
    under = frame_bgr[top:bottom, left:right]
    under[:] = cv2.add(np.ascontiguousarray(layer[..., :3]), dim(under, 255 - layer[..., 3]))


def dim(picture_bgr: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """The picture times alpha (h, w), where 255 leaves it as it is."""
    return cv2.multiply(picture_bgr, cv2.merge([alpha] * 3), scale=1 / 255)


def faces_camera(value: int, pose: DiePose) -> bool:
    """Whether the face looks towards the camera."""
    normal = pose.rotation @ FACE_AXES[value][0]
    return bool(normal @ towards_eye(pose.centre_mm + normal * HALF_MM) > 0)


def face_corners_mm(value: int, pose: DiePose) -> np.ndarray:
    """(4, 3) corners of a face in the order of its texture: upper left, upper right, lower right, lower left."""
    normal, across, along = FACE_AXES[value]
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    local = np.array([normal + across * s + along * t for s, t in signs]) * HALF_MM
    return pose.centre_mm + local @ pose.rotation.T


def face_texture(value: int, body: np.ndarray, light: float, *, dark: bool) -> np.ndarray:
    """A face from straight above: (TEXTURE_PX, TEXTURE_PX, 4) uint8, fading out towards the rounded edge."""
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


def smear(layer: np.ndarray, smear_px: tuple[float, float]) -> np.ndarray:
    """A layer blurred along its way, as by an exposure."""
    length = round(np.hypot(*smear_px))
    if length < 2:
        return layer
    kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
    half = (smear_px[0] / 2, smear_px[1] / 2)
    ends = [(round(length + sign * half[0]), round(length + sign * half[1])) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0)
    return cv2.filter2D(layer, -1, kernel / kernel.sum(), borderType=cv2.BORDER_CONSTANT)


def window(points_px: np.ndarray, margin_px: int, shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom of the part of the picture around points, or None if they are outside."""
    left, top = np.floor(points_px.min(axis=0)).astype(int) - margin_px
    right, bottom = np.ceil(points_px.max(axis=0)).astype(int) + margin_px
    left, top, right, bottom = max(0, left), max(0, top), min(shape[1], right), min(shape[0], bottom)
    return (int(left), int(top), int(right), int(bottom)) if right > left and bottom > top else None
