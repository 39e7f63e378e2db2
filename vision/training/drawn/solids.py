"""Solids that lie on tables and are no dice with pips: dice with numerals, and slabs of any outline, printed on top.

Each is a `Solid` of `vision.training.drawn.render`: lengths in units in which it reaches to about 1.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from vision.training.drawn.render import Material, body_colours
from vision.training.labelled import Rng

SIDES = (4, 6, 8, 10, 12, 20)  # of dice with numerals
FACE_PX = 72  # side of a face's picture
EDGE = 0.035  # how far a face's bevel reaches, in units
OUTLINE_PX = 96  # side of the map of a slab's outline, which spans -1.5..1.5
SLAB_STEPS = 26  # sphere-tracing steps; a flat slab is met at grazing angles
GOLDEN = (1 + 5**0.5) / 2


@cache
def face_normals(sides: int) -> np.ndarray:
    """(sides, 3) unit normals of the faces of a die with so many."""
    corners = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    if sides == 4:
        found = [(x, y, z) for x, y, z in corners if x * y * z > 0]
    elif sides == 6:
        found = [tuple(row) for row in np.vstack([np.eye(3), -np.eye(3)]).tolist()]
    elif sides == 8:
        found = corners
    elif sides == 10:
        turns = (np.arange(10) * 2 * np.pi / 10).tolist()
        found = [(np.cos(turn), np.sin(turn), 0.85 if i % 2 else -0.85) for i, turn in enumerate(turns)]
    else:
        short = 1 / GOLDEN if sides == 20 else 1.0
        pairs = [(a, b) for a in (-short, short) for b in (-GOLDEN, GOLDEN)]
        found = [(0.0, a, b) for a, b in pairs] + [(a, b, 0.0) for a, b in pairs] + [(b, 0.0, a) for a, b in pairs]
        found += corners if sides == 20 else []
    normals = np.array(found, np.float32)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def depth_of(sides: int) -> float:
    """How far the faces lie from the middle, if the corners lie 1 from it."""
    return {4: 1 / 3, 6: 0.577, 8: 0.577, 10: 0.66, 12: 0.795, 20: 0.795}[sides]


def lying_on(normal: np.ndarray, yaw: float) -> np.ndarray:
    """(3, 3) the turn from the solid's axes to the world's that lays this face on the table."""
    down = -normal.astype(float)
    side = np.cross(down, [1.0, 0, 0] if abs(down[0]) < 0.8 else [0, 1.0, 0])
    side /= np.linalg.norm(side)
    upright = np.stack([side, np.cross(down, side), down])
    cos, sin = np.cos(yaw), np.sin(yaw)
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ upright


@dataclass(frozen=True)
class NumberedDie:
    """A die with numerals, or with whatever `faces` show.

    faces    (sides, FACE_PX, FACE_PX) 0..1, how much paint covers each face, seen from outside
    frame    0..1, how strongly a line follows the edges of each face
    """

    material: Material
    sides: int
    faces: np.ndarray
    frame: float

    def trace(self, origins: np.ndarray, ray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        normals, depth = face_normals(self.sides), depth_of(self.sides)
        steepness = normals @ ray
        reach = (depth - origins @ normals.T) / np.where(np.abs(steepness) < 1e-6, 1e-6, steepness)
        enter = np.where(steepness < 0, reach, -np.inf).max(axis=1)
        leave = np.where(steepness < 0, np.inf, reach).min(axis=1)
        points = origins + enter[:, None].astype(np.float32) * ray
        return points, (enter < leave) & (np.linalg.norm(points, axis=1) < 0.97)  # the ball rounds the corners

    def normals(self, points: np.ndarray) -> np.ndarray:
        normals, depth = face_normals(self.sides), depth_of(self.sides)
        weights = np.exp((points @ normals.T - depth) / EDGE)
        blended = weights @ normals
        return np.asarray(blended / np.linalg.norm(blended, axis=1, keepdims=True))

    def colours(self, points: np.ndarray, light: np.ndarray, softness: float, rng: Rng) -> np.ndarray:
        normals, depth = face_normals(self.sides), depth_of(self.sides)
        slack = points @ normals.T - depth
        nearest = slack.argmax(axis=1)
        albedo = body_colours(points, self.material, rng)
        covered = np.zeros(len(points), np.float32)
        for face, normal in enumerate(normals):
            chosen = nearest == face
            if not chosen.any():
                continue
            across, up, _ = lying_on(-normal, 0.0)
            size = inner_radius(self.sides) * 2
            flat = points[chosen] @ np.stack([across, up]).T.astype(np.float32) / size
            at = (flat + 0.5) * FACE_PX - 0.5
            picture = self.faces[face]
            covered[chosen] = cv2.remap(
                picture, at[:, 0].astype(np.float32)[:, None], at[:, 1].astype(np.float32)[:, None], cv2.INTER_LINEAR
            )[:, 0]
        if self.frame:
            second = np.partition(slack, -2, axis=1)[:, -2]
            line = np.clip(1 - np.abs(second + 0.13) / (0.03 + softness), 0, 1)
            covered = np.maximum(covered, self.frame * line).astype(np.float32)
        return np.asarray(albedo * (1 - covered[:, None]) + self.material.pip * covered[:, None])


def inner_radius(sides: int) -> float:
    """Half of the side of the square on a face that its picture fills, in units."""
    return {4: 0.62, 6: 0.577, 8: 0.5, 10: 0.42, 12: 0.42, 20: 0.34}[sides]


@dataclass(frozen=True)
class Slab:
    """A flat thing: an outline, so thick, with a picture on top.

    outline    (OUTLINE_PX, OUTLINE_PX) signed distance to the outline in units, over -1.5..1.5
    half       half of its thickness
    rounding   of its edges
    top        (h, w, 3) what its top shows, BGR 0..1, over -1..1 along the longer side
    """

    material: Material
    outline: np.ndarray
    half: float
    rounding: float
    top: np.ndarray

    def distance(self, points: np.ndarray) -> np.ndarray:
        at = ((points[:, :2] / 3 + 0.5) * OUTLINE_PX - 0.5).astype(np.float32)
        flat = cv2.remap(
            self.outline, at[:, :1].copy(), at[:, 1:].copy(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )[:, 0]
        across, up = flat + self.rounding, np.abs(points[:, 2]) - self.half + self.rounding
        inside = np.minimum(np.maximum(across, up), 0)
        return np.asarray(inside + np.hypot(np.maximum(across, 0), np.maximum(up, 0)) - self.rounding)

    def trace(self, origins: np.ndarray, ray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        points = (origins - 2 * ray).astype(np.float32)
        for _ in range(SLAB_STEPS):
            points = points + 0.9 * self.distance(points)[:, None] * ray
        return points, self.distance(points) < 0.02

    def normals(self, points: np.ndarray) -> np.ndarray:
        here, step = self.distance(points), 2e-2
        steps = step * np.eye(3, dtype=np.float32)
        gradient = np.stack([self.distance(points + one) - here for one in steps], axis=1)
        return np.asarray(gradient / (np.linalg.norm(gradient, axis=1, keepdims=True) + 1e-9))

    def colours(self, points: np.ndarray, light: np.ndarray, softness: float, rng: Rng) -> np.ndarray:
        height, width = self.top.shape[:2]
        longer = max(height, width)
        x = points[:, 0] * longer / 2 + width / 2 - 0.5
        y = height / 2 - points[:, 1] * longer / 2 - 0.5
        printed = cv2.remap(
            self.top, x.astype(np.float32)[:, None], y.astype(np.float32)[:, None], cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )[:, 0]  # fmt: skip
        on_top = (points[:, 2] > self.half - self.rounding - 0.02)[:, None]
        return np.where(on_top, printed, body_colours(points, self.material, rng))


def outline_of(mask: np.ndarray) -> np.ndarray:
    """The signed distances of a `Slab` from a mask (OUTLINE_PX, OUTLINE_PX), which is above 0 inside."""
    inside = (mask > 0).astype(np.uint8)
    far = cv2.distanceTransform(1 - inside, cv2.DIST_L2, 5) - cv2.distanceTransform(inside, cv2.DIST_L2, 5)
    return (far * 3 / OUTLINE_PX).astype(np.float32)
