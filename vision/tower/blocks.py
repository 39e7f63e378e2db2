"""Ray-casts wooden blocks and cylinders: which one a ray meets, and how it looks in the light.

World as everywhere: millimetres, z up, table top z = 0. Nothing here knows a game; stacks are lists of `Solid`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.scene.pose import Pose

NOTHING = -1
EDGE_MM = 0.9  # A sanded edge is so wide, and a little lighter or darker than the face.
SHADE_STEP = 2  # Light is computed for every second pixel each way: soft shadows do not show it.
LIFT_MM = 0.3  # Shadow rays start so far off the surface.
GRID_PX = 16  # Distortion changes slowly: rays are exact at every 16th pixel and interpolated in between.


@dataclass(frozen=True, eq=False)
class Solid:
    """A block (x long, y middle, z short edge) or an upright cylinder (axis z) of wood.

    centre_mm   (3,) world
    rotation    (3, 3) from its own axes to the world's
    half_mm     (3,) half edges; of a cylinder radius, radius, half height
    paint       (3,) BGR 0..1
    seed        of the wood's grain
    """

    centre_mm: np.ndarray
    rotation: np.ndarray
    half_mm: np.ndarray
    cylinder: bool = False
    paint: tuple[float, float, float] = (0.45, 0.65, 0.8)
    seed: int = 0

    def corners_mm(self) -> np.ndarray:
        """(n, 3) world points whose hull is the solid."""
        if self.cylinder:
            angles = np.arange(24) * 2 * np.pi / 24
            rim = np.stack([np.cos(angles) * self.half_mm[0], np.sin(angles) * self.half_mm[0]], axis=1)
            own = np.vstack([np.hstack([rim, np.full((24, 1), side * self.half_mm[2])]) for side in (-1, 1)])
        else:
            signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            own = signs * self.half_mm
        return np.asarray(self.centre_mm + own @ self.rotation.T)


@dataclass(frozen=True, eq=False)
class Hits:
    """The hits of n rays.

    which   (n,) number of the solid, or NOTHING
    far     (n,) distance, inf for nothing
    normal  (n, 3) direction of the surface
    own     (n, 3) place in the solid's own axes
    """

    which: np.ndarray
    far: np.ndarray
    normal: np.ndarray
    own: np.ndarray


@dataclass(frozen=True, eq=False)
class Lighting:
    """Directions towards the light with their strengths, and the light from everywhere.

    towards   (n, 3) unit vectors; a window is several of them side by side
    strength  (n,)
    ambient   0..1, dimmed where the sky is hidden
    """

    towards: np.ndarray
    strength: np.ndarray
    ambient: float


def rays_of(pose: Pose, left: int, top: int, right: int, bottom: int) -> np.ndarray:
    """(rows, columns, 3) world directions of the pixels of a window, of length 1 along the camera's axis."""
    xs = np.arange(left, right + GRID_PX, GRID_PX, dtype=np.float64)
    ys = np.arange(top, bottom + GRID_PX, GRID_PX, dtype=np.float64)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 1, 2)
    ahead = cv2.undistortPoints(grid, pose.intrinsics, pose.distortion).reshape(len(ys), len(xs), 2).astype(np.float32)
    columns, rows = np.meshgrid(np.arange(right - left) / GRID_PX, np.arange(bottom - top) / GRID_PX)
    flat = cv2.remap(ahead, columns.astype(np.float32), rows.astype(np.float32), cv2.INTER_LINEAR)
    return np.concatenate([flat, np.ones((*flat.shape[:2], 1), np.float32)], axis=2) @ pose.rotation.astype(np.float32)


def meet(solid: Solid, origins: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distance or inf, own axis of the surface met (0 to 2) and its sign, for n rays; a cylinder's side has axis 0."""
    turn = solid.rotation.astype(np.float32)
    start, along = (origins - solid.centre_mm).astype(np.float32) @ turn, rays @ turn
    half = solid.half_mm.astype(np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1 / np.where(along == 0, np.float32(1e-9), along)
        middle, reach = -start * inverse, half * np.abs(inverse)
        near, far = middle - reach, middle + reach
        if solid.cylinder:
            a = along[:, 0] ** 2 + along[:, 1] ** 2
            b = start[:, 0] * along[:, 0] + start[:, 1] * along[:, 1]
            root = b * b - a * (start[:, 0] ** 2 + start[:, 1] ** 2 - half[0] ** 2)
            wide = np.sqrt(np.maximum(root, 0))
            near = np.stack([np.where(root > 0, (-b - wide) / a, np.inf), near[:, 2]], axis=1)
            far = np.stack([np.where(root > 0, (-b + wide) / a, -np.inf), far[:, 2]], axis=1)
        axis = near.argmax(axis=1)
        enter, leave = near.max(axis=1), far.min(axis=1)
    distance = np.where((enter < leave) & (enter > 1e-3), enter, np.inf)
    axis = np.where(axis == 1, 2, 0) if solid.cylinder else axis
    sign = -np.sign(np.take_along_axis(along, axis[:, None], axis=1)[:, 0])
    return distance, axis, sign


def cast(solids: Sequence[Solid], eye: np.ndarray, rays: np.ndarray) -> Hits:
    """The first hits of rays (n, 3) from the eye."""
    count = len(rays)
    which, far = np.full(count, NOTHING, np.int16), np.full(count, np.inf, np.float32)
    normal, own = np.zeros((count, 3), np.float32), np.zeros((count, 3), np.float32)
    for number, solid in enumerate(solids):
        distance, axis, sign = meet(solid, eye[None], rays)
        first = distance < far
        if not first.any():
            continue
        which[first], far[first] = number, distance[first]
        place = (eye + rays[first] * distance[first, None] - solid.centre_mm) @ solid.rotation
        own[first] = place
        if solid.cylinder:
            side = np.where((axis[first] == 0)[:, None], place * [1, 1, 0] / solid.half_mm[0], [0, 0, 1])
            side[axis[first] == 2, 2] = sign[first][axis[first] == 2]
        else:
            side = np.eye(3)[axis[first]] * sign[first, None]
        normal[first] = side @ solid.rotation.T
    return Hits(which, far, normal, own)


def brightness(solids: Sequence[Solid], points: np.ndarray, normals: np.ndarray, light: Lighting) -> np.ndarray:
    """(n,) light at each point: in shadow behind other solids, darker where they hide the sky."""
    start = (points + LIFT_MM * normals).astype(np.float32)
    total = np.zeros(len(points), np.float32)
    for towards, strength in zip(light.towards, light.strength, strict=True):
        facing = np.maximum(normals @ towards, 0)
        total += strength * facing * reaches_light(solids, start, towards)
    sky = np.array([[0, 0, 1], [0.8, 0, 0.6], [-0.8, 0, 0.6], [0, -0.8, 0.6], [0, 0.8, 0.6], [0, -1, 0.1]])
    sky_light, weight = np.zeros(len(points), np.float32), np.full(len(points), 1e-3, np.float32)
    for towards in sky / np.linalg.norm(sky, axis=1, keepdims=True):
        facing = np.maximum(normals @ towards, 0) + 0.15
        sky_light += facing * reaches_light(solids, start, towards, 90.0)
        weight += facing
    return total + light.ambient * (0.25 + 0.75 * sky_light / weight)


def reaches_light(
    solids: Sequence[Solid], points: np.ndarray, towards: np.ndarray, reach_mm: float = 1e6
) -> np.ndarray:
    """(n,) 1 where nothing stands between a point and a direction, else 0."""
    free = np.ones(len(points), np.float32)
    rays = np.broadcast_to(towards.astype(np.float32), points.shape)
    for solid in solids:
        beside = points - solid.centre_mm
        along = beside @ towards
        reach = float(np.linalg.norm(solid.half_mm))
        near = (((beside - along[:, None] * towards) ** 2).sum(axis=1) < reach**2) & (along < reach)
        if near.any():
            distance, _, _ = meet(solid, points[near], rays[near])
            free[near] *= ~(distance < reach_mm)
    return free


def wood_of(solids: Sequence[Solid], hits: Hits) -> np.ndarray:
    """(n, 3) BGR 0..1 of the wood: rings around an axis along x, fibres, sanded edges."""
    paint = np.zeros((len(hits.which), 3), np.float32)
    for number, solid in enumerate(solids):
        here = hits.which == number
        if not here.any():
            continue
        rng = np.random.default_rng(solid.seed)
        x, y, z = hits.own[here].T
        if solid.cylinder:
            x, z = z, x  # It was turned from a rod, so the grain runs along its axis.
        y0, z0 = rng.uniform(-50, 50, 2)
        radius = np.hypot(y - y0, z - z0) + 1.5 * np.sin(x * rng.uniform(0.01, 0.06) + rng.uniform(0, 6))
        radius += 0.8 * np.sin(0.3 * y + rng.uniform(0, 6)) * np.sin(0.05 * x)
        period = rng.uniform(1.8, 6)
        grain = rng.uniform(0.01, 0.09) * np.sin(radius * 6.283 / period)
        grain += rng.uniform(0, 0.05) * np.sin(radius * 6.283 / (period * 0.37) + 2 * np.sin(x * 0.02))
        tone = (1 + grain) * (1 + rng.normal(0, 0.04))
        if not solid.cylinder:
            room = np.sort(solid.half_mm - np.abs(hits.own[here]), axis=1)[:, 1]  # The smallest is the face itself.
            tone = np.where(room < EDGE_MM, tone * rng.uniform(0.82, 1.06), tone)
        else:
            room = solid.half_mm[2] - np.abs(hits.own[here][:, 2])
            tone = np.where(room < EDGE_MM, tone * 0.9, tone)
        paint[here] = np.array(solid.paint, np.float32) * tone[:, None]
    return paint


def window_of(solids: Sequence[Solid], pose: Pose, shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """(left, top, right, bottom) of the pixels that solids cover, or None when they are out of the picture."""
    pixels = pose.project(np.vstack([solid.corners_mm() for solid in solids]))
    left, top = np.maximum(np.floor(pixels.min(axis=0)).astype(int) - 2, 0)
    right, bottom = np.minimum(np.ceil(pixels.max(axis=0)).astype(int) + 3, (shape[1], shape[0]))
    return (left, top, right, bottom) if right - left > 2 and bottom - top > 2 else None


def draw_towers(stacks: Sequence[Sequence[Solid]], pose: Pose, canvas: np.ndarray, light: Lighting) -> None:
    """Draws stacks with their shadows into `canvas` (h, w, 3) float32 BGR 0..1, which shows the table."""
    eye, everything = pose.eye_mm, [solid for stack in stacks for solid in stack]
    shade_table(everything, pose, canvas, light)
    far_first = sorted((stack for stack in stacks if stack), key=lambda s: -float(np.linalg.norm(s[0].centre_mm - eye)))
    for stack in far_first:
        layer = layer_of(stack, pose, canvas.shape, light)
        if layer is not None:
            layer.lay_on(canvas)


@dataclass(frozen=True, eq=False)
class Layer:
    """A stack as it is drawn over what is behind it: its corner in the picture, colours, and cover (h, w, 1) 0..1."""

    left: int
    top: int
    colour: np.ndarray
    cover: np.ndarray

    def lay_on(self, canvas: np.ndarray) -> None:
        """Draws the stack into `canvas`, as `draw_towers` does."""
        rows, columns = self.cover.shape[:2]
        place = canvas[self.top : self.top + rows, self.left : self.left + columns]
        place[:] = place * (1 - self.cover) + self.colour * self.cover


def layer_of(stack: Sequence[Solid], pose: Pose, shape: tuple[int, ...], light: Lighting) -> Layer | None:
    """A stack as a picture of that shape shows it, or None when it is out of the picture."""
    window = window_of(stack, pose, shape)
    if window is None:
        return None
    left, top, right, bottom = window
    eye, rays = pose.eye_mm, rays_of(pose, left, top, right, bottom)
    hits = cast(stack, eye, rays.reshape(-1, 3))
    covered = (hits.which != NOTHING).reshape(rays.shape[:2])
    colour = wood_of(stack, hits).reshape(*rays.shape)
    colour *= shading_of(stack, hits, eye, rays, light)[..., None]
    cover = cv2.GaussianBlur(covered.astype(np.float32), (3, 3), 0.6)[..., None]  # Edges get no stairs.
    return Layer(left, top, np.where(covered[..., None], colour, cv2.dilate(colour, np.ones((3, 3)))), cover)


def shading_of(stack: Sequence[Solid], hits: Hits, eye: np.ndarray, rays: np.ndarray, light: Lighting) -> np.ndarray:
    """(h, w) brightness of a window, computed for every second pixel."""
    rows, columns = rays.shape[:2]
    pick = np.zeros((rows, columns), bool)
    pick[::SHADE_STEP, ::SHADE_STEP] = True
    sample = pick.ravel() & (hits.which != NOTHING)
    points = eye + rays.reshape(-1, 3)[sample] * hits.far[sample, None]
    level = np.zeros(rows * columns, np.float32)
    level[sample] = brightness(stack, points, hits.normal[sample], light)
    is_sampled = sample.astype(np.float32).reshape(rows, columns)
    weight = cv2.GaussianBlur(is_sampled, (5, 5), 1.0)
    return cv2.GaussianBlur(level.reshape(rows, columns), (5, 5), 1.0) / np.maximum(weight, 1e-4)


def shade_table(solids: Sequence[Solid], pose: Pose, canvas: np.ndarray, light: Lighting, step: int = 6) -> None:
    """Darkens the table where solids stand between it and the light, computed for every `step`-th pixel."""
    if not solids:
        return
    height, width = canvas.shape[:2]
    eye = pose.eye_mm
    rays = rays_of(pose, 0, 0, width, height)[::step, ::step]
    flat = rays.reshape(-1, 3)
    down = flat[:, 2] < -1e-4
    with np.errstate(divide="ignore"):
        points = eye + flat * (-eye[2] / np.where(down, flat[:, 2], -1))[:, None]
    middle = np.mean([solid.centre_mm for solid in solids], axis=0)
    spread = max(float(np.abs(solid.centre_mm - middle)[:2].max()) for solid in solids) + 350
    near = down & (np.abs(points[:, :2] - middle[:2]).max(axis=1) < spread)
    level = np.ones(len(flat), np.float32)
    up = np.broadcast_to(np.array([0.0, 0, 1]), (int(near.sum()), 3))
    open_sky = float((light.strength * np.maximum(light.towards[:, 2], 0)).sum()) + light.ambient
    level[near] = brightness(solids, points[near], up, light) / open_sky
    mask = cv2.resize(level.reshape(rays.shape[:2]), (width, height), interpolation=cv2.INTER_LINEAR)
    canvas *= mask[..., None]
