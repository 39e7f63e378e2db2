"""Ray-casts one die: a lit cube with rounded edges and pips, seen along parallel rays.

Die coordinates: centre at the origin, half a side is 1, z up; the face that counts is +z.
"""

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from vision.training.labelled import Rng
from vision.virtual.dice import PIPS

TRACE_STEPS = 14  # sphere-tracing steps; fewer leave holes at grazing edges
MAX_RAYS_SIDE = 132  # larger dice are traced at this size and enlarged: speed for a little sharpness


@dataclass(frozen=True)
class Material:
    """The material of a die. Colours are BGR 0..1, lengths in half sides."""

    body: np.ndarray
    vein: np.ndarray
    veins: float  # 0 plain .. 1 fully marbled
    pip: np.ndarray
    ace: np.ndarray  # colour of the single pip
    rim: float  # 0 none .. 1: pips outlined in the body's shade
    pip_spread: float
    pip_radius: float
    ace_radius: float
    dish: float  # shading of drilled pips
    rounding: float
    ball: float  # radius of the sphere that cuts the cube; large cuts nothing
    gloss: float
    shine: float  # exponent of the highlight
    opacity: float
    disc: float  # radius of a printed disc under the pips, 0 none
    disc_colour: np.ndarray
    sharp: float = 1.0  # sharpness of a marbled body: 1 cloudy .. 6 two paints
    scale: float = 1.0  # of the marble's clouds; larger is finer
    grain: float = 0.0  # brushed or pearly shading of the body, 0 none .. 0.5
    foil: float = 0.0  # uneven metal in the pips, 0 none .. 0.6
    emblem: bool = False  # the maker's sign in place of the single pip
    swirl: float = 0.0  # lighter middle of each pip, as in glossy paint
    close_two: float = 0.0  # distance from the middle of the pips of a two along an edge; 0: along a diagonal
    four: np.ndarray | None = None  # colour of the pips of a four; None: as the others


@dataclass(frozen=True)
class Lamp:
    """A far lamp: direction towards it in world axes, strengths."""

    direction: np.ndarray
    diffuse: float
    ambient: float
    width: float  # angular size of its mirror image on a glossy face
    windows: tuple[tuple[np.ndarray, float, float, float], ...] = ()  # direction, turn, half width, half height


def face_values(top: int, rng: Rng) -> dict[tuple[int, int], int]:
    """Values by (axis, sign), opposite faces summing to seven."""
    pairs = [pair for pair in ((1, 6), (2, 5), (3, 4)) if top not in pair]
    rng.shuffle(pairs)
    values = {(2, 1): top, (2, -1): 7 - top}
    for axis, pair in enumerate(pairs):
        first, second = rng.permutation(pair)
        values[axis, 1], values[axis, -1] = int(first), int(second)
    return values


def distance(points: np.ndarray, rounding: float, ball: float) -> np.ndarray:
    """Signed distance of points (n, 3) to the rounded cube cut with a ball."""
    x, y, z = np.abs(points.T)
    flat = 1 - rounding
    outer = np.sqrt(np.maximum(x - flat, 0) ** 2 + np.maximum(y - flat, 0) ** 2 + np.maximum(z - flat, 0) ** 2)
    box = outer + np.minimum(np.maximum(np.maximum(x, y), z) - flat, 0) - rounding
    return np.maximum(box, np.sqrt(x * x + y * y + z * z) - ball)


def trace(origins: np.ndarray, ray: np.ndarray, material: Material) -> tuple[np.ndarray, np.ndarray]:
    """Hit points (n, 3) of parallel rays, and which rays hit."""
    points = origins - 3 * ray
    for _ in range(TRACE_STEPS):
        points = points + distance(points, material.rounding, material.ball)[:, None] * ray
    return points, distance(points, material.rounding, material.ball) < 0.02


def normals(points: np.ndarray, material: Material) -> np.ndarray:
    """(n, 3) directions of the surface at points."""
    here = distance(points, material.rounding, material.ball)
    step = 1e-2
    gradient = np.stack(
        [
            distance(points + step * np.eye(3, dtype=np.float32)[axis], material.rounding, material.ball) - here
            for axis in range(3)
        ],
        axis=1,
    )
    return gradient / (np.linalg.norm(gradient, axis=1, keepdims=True) + 1e-9)


def body_colours(points: np.ndarray, material: Material, rng: Rng) -> np.ndarray:
    """The body's colour at each point: two colours mixed by a sum of waves."""
    mix = np.zeros(len(points), np.float32)
    if material.veins > 0:
        for octave in range(4):
            wave = rng.normal(size=3).astype(np.float32) * (1.5 + octave) * np.float32(material.scale)
            mix += np.sin(points @ wave + rng.uniform(0, 6.3)) / (1 + 0.5 * octave)
        mix = np.clip(0.5 + mix * 0.8 * material.sharp, 0, 1) * material.veins
    body = material.body * (1 - mix[:, None]) + material.vein * mix[:, None]
    if material.grain > 0:
        body = body * (1 + material.grain * streaks(points, rng))[:, None].astype(np.float32)
    return body


def streaks(points: np.ndarray, rng: Rng) -> np.ndarray:
    """-1..1 at each point: fine waves across one direction, long along it."""
    across = rng.normal(size=3).astype(np.float32)
    across *= rng.uniform(3, 12) / np.linalg.norm(across)
    bend = rng.normal(size=3).astype(np.float32) * 2
    phase = points @ across + np.sin(points @ bend + rng.uniform(0, 6.3)) * rng.uniform(0, 2)
    return 0.6 * np.sin(phase) + 0.4 * np.sin(2.3 * phase + 3 * np.sin(points @ bend[::-1]))


def paint_pips(
    albedo: np.ndarray,
    points: np.ndarray,
    values: dict[tuple[int, int], int],
    material: Material,
    light: np.ndarray,
    softness: float,
    rng: Rng,
) -> np.ndarray:
    """The albedo with the pips of all faces; a drilled pip is darker towards the lamp."""
    axis = np.abs(points).argmax(axis=1)
    for (which, sign), value in values.items():
        chosen = (axis == which) & (points[:, which] * sign > 0)
        if not chosen.any():
            continue
        others = [a for a in range(3) if a != which]
        on_face = points[chosen][:, others]
        centres = np.array(PIPS[value], np.float32) * material.pip_spread
        if value == 2 and material.close_two:
            centres = np.array([(-1, 0), (1, 0)], np.float32) * material.close_two
        if rng.random() < 0.5:
            centres = centres[:, ::-1] * np.array([1, -1], np.float32)
        radius = material.pip_radius * (material.ace_radius if value == 1 else 1)
        colour = {1: material.ace, 4: material.four}.get(value)
        colour = material.pip if colour is None else colour
        offsets = on_face[:, None, :] - centres[None]
        distances = np.linalg.norm(offsets, axis=2)
        nearest = distances.argmin(axis=1)
        if value == 1 and material.emblem:
            inside = emblem(on_face, softness, rng)[:, None]
        else:
            inside = np.clip((radius - distances.min(axis=1)) / softness + 0.5, 0, 1)[:, None]
        offset = offsets[np.arange(len(offsets)), nearest] / radius
        shade = 1 - material.dish * (offset @ light[others])
        if material.foil:
            shade = shade * (1 + material.foil * streaks(points[chosen] * 1.7, rng))
        if material.swirl:
            shade = shade + material.swirl * np.exp(-(((offset - 0.25) / 0.35) ** 2).sum(axis=1))
        painted = albedo[chosen]
        if material.disc:
            disc = np.clip((material.disc - np.linalg.norm(on_face, axis=1)) / softness + 0.5, 0, 1)[:, None]
            painted = painted * (1 - disc) + material.disc_colour * disc
        if material.rim:
            ring = np.clip(1 - np.abs(distances.min(axis=1) - radius) / (0.06 + softness), 0, 1)[:, None]
            painted = painted * (1 - 0.6 * material.rim * ring)
        albedo[chosen] = painted * (1 - inside) + colour * np.clip(shade, 0.3, 1.8)[:, None] * inside
    return albedo


def emblem(on_face: np.ndarray, softness: float, rng: Rng) -> np.ndarray:
    """Coverage 0..1 of a maker's sign: a few blots, bars and holes around the middle of the face."""
    covered = np.zeros(len(on_face), np.float32)
    for _ in range(rng.integers(2, 7)):
        middle = rng.normal(0, 0.22, 2)
        half = rng.uniform(0.08, 0.4, 2)
        angle = rng.uniform(0, 3.14)
        turned = (on_face - middle) @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        reach = np.linalg.norm(turned / half, axis=1) if rng.random() < 0.5 else np.abs(turned / half).max(axis=1)
        part = np.clip((1 - reach) * half.min() / softness + 0.5, 0, 1)
        covered = np.maximum(covered, part) if rng.random() < 0.7 else covered * (1 - part)
    return covered


def mirrored_windows(mirror: np.ndarray, lamp: Lamp) -> np.ndarray:
    """The share of a bright window that each mirror direction (n, 3) meets, 0..1, in the lamp's axes."""
    seen = np.zeros(len(mirror), np.float32)
    for direction, turn, wide, tall in lamp.windows:
        side = np.cross(direction, [np.cos(turn), np.sin(turn), 0.3])
        side /= np.linalg.norm(side)
        up = np.cross(side, direction)
        depth = np.maximum(mirror @ direction, 1e-3)
        x, y = np.abs(mirror @ side / depth) / wide, np.abs(mirror @ up / depth) / tall
        seen = np.maximum(seen, np.clip((1 - np.maximum(x, y)) / 0.15, 0, 1) * (depth > 0.1))
    return seen


class Solid(Protocol):
    """What lies on a table, in axes of its own: the origin in the middle, the reach of everything at most 1.75."""

    @property
    def material(self) -> Material:
        """Its body, gloss and opacity."""

    def trace(self, origins: np.ndarray, ray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hit points (n, 3) of parallel rays through `origins`, and which rays hit."""

    def normals(self, points: np.ndarray) -> np.ndarray:
        """(n, 3) directions of the surface at points."""

    def colours(self, points: np.ndarray, light: np.ndarray, softness: float, rng: Rng) -> np.ndarray:
        """(n, 3) the surface's own colours, BGR 0..1; edges are `softness` wide."""


@dataclass(frozen=True)
class PipDie:
    """An ordinary die; `values` by (axis, sign)."""

    material: Material
    values: dict[tuple[int, int], int]

    def trace(self, origins: np.ndarray, ray: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return trace(origins, ray, self.material)

    def normals(self, points: np.ndarray) -> np.ndarray:
        return normals(points, self.material)

    def colours(self, points: np.ndarray, light: np.ndarray, softness: float, rng: Rng) -> np.ndarray:
        return paint_pips(
            body_colours(points, self.material, rng), points, self.values, self.material, light, softness, rng
        )


def draw_solid(
    canvas: np.ndarray,
    centre_px: np.ndarray,
    jacobian: np.ndarray,
    turn: np.ndarray,
    solid: Solid,
    lamp: Lamp,
    rng: Rng,
    most_rays: int = MAX_RAYS_SIDE,
) -> tuple[slice, slice, np.ndarray] | None:
    """Draws a solid into `canvas` (float BGR); returns the rows, the columns and its coverage there (0..1), if any.

    jacobian   (2, 3) pixels per unit of the solid along the world's axes
    turn       (3, 3) from the solid's axes to world axes
    most_rays  along a side of the square that is traced; what is larger is enlarged
    """
    material = solid.material
    height, width = canvas.shape[:2]
    reach = int(np.ceil(np.linalg.norm(jacobian, 2) * 1.75)) + 2
    x0, y0 = int(centre_px[0]) - reach, int(centre_px[1]) - reach
    left, top, right, bottom = max(x0, 0), max(y0, 0), min(x0 + 2 * reach, width), min(y0 + 2 * reach, height)
    if right <= left or bottom <= top:
        return None
    side = 2 * reach
    rays_side = min(side * 2, most_rays)
    step = side / rays_side
    grid = (np.arange(rays_side, dtype=np.float32) + 0.5) * step
    xs, ys = np.meshgrid(grid + x0 - centre_px[0], grid + y0 - centre_px[1])
    pixels = np.stack([xs.ravel(), ys.ravel()], axis=1)

    ray_world = np.cross(jacobian[0], jacobian[1])
    ray_world /= np.linalg.norm(ray_world)
    if ray_world[2] > 0:
        ray_world = -ray_world
    ray = (turn.T @ ray_world).astype(np.float32)
    origins = (pixels @ np.linalg.pinv(jacobian).T @ turn).astype(np.float32)
    close = np.linalg.norm(origins, axis=1) < 1.75
    points = np.zeros((len(origins), 3), np.float32)
    hit = np.zeros(len(origins), bool)
    points[close], hit[close] = solid.trace(origins[close], ray)
    surface = points[hit]
    if not len(surface):
        return None

    light = (turn.T @ lamp.direction).astype(np.float32)
    normal = solid.normals(surface)
    length = np.float64(np.linalg.norm(jacobian, 2))
    softness = max(0.04, 1.5 * step / length)
    albedo = solid.colours(surface, light, softness, rng)
    lit = lamp.ambient * (0.75 + 0.25 * (normal @ turn.T)[:, 2]) + lamp.diffuse * np.maximum(normal @ light, 0)
    mirror = ray - 2 * (normal @ ray)[:, None] * normal + 0.18 * surface
    mirror /= np.linalg.norm(mirror, axis=1, keepdims=True)
    highlight = np.clip(mirror @ light, 0, 1) ** material.shine
    window = np.exp(-(((1 - np.clip(mirror @ light, -1, 1)) / lamp.width) ** 2))
    if lamp.windows:
        window = np.maximum(window, mirrored_windows(mirror @ turn.T, lamp))
    shown = albedo * lit[:, None] + (material.gloss * (0.6 * highlight + 0.5 * window))[:, None]

    colours = np.zeros((rays_side * rays_side, 3), np.float32)
    alpha = np.zeros(rays_side * rays_side, np.float32)
    colours[hit], alpha[hit] = shown, 1
    patch = cv2.resize(
        np.dstack([colours.reshape(rays_side, rays_side, 3), alpha.reshape(rays_side, rays_side)]),
        (side, side),
        interpolation=cv2.INTER_AREA if rays_side > side else cv2.INTER_LINEAR,
    )[top - y0 : bottom - y0, left - x0 : right - x0]
    cover = patch[..., 3:]
    target = canvas[top:bottom, left:right]
    through = cover * material.opacity
    canvas[top:bottom, left:right] = (
        target * (1 - through)
        + patch[..., :3] * material.opacity
        + (1 - material.opacity) * cover * 0.25 * material.body
    )
    return slice(top, bottom), slice(left, right), patch[..., 3]
