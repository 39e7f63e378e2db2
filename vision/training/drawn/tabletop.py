"""A drawn table under a camera with a known pose, shared by the pictures of boards and loads.

Light adds up in linear values, as in a camera: a glossy red under a lamp becomes pink, not bright red. World and label
fields are those of ../shared/data/*-rendered: millimetres, z up, table top z = 0.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose, turn_z
from vision.training.drawn.tables import CLUTTER, lay_table, noise, plain, speckled, wood, woven
from vision.training.labelled import Rng, through_jpeg

WIDTH_PX, HEIGHT_PX = 1280, 960
TABLE_PX = 1100  # side of the drawn table top, before it is laid under the camera
SHIFT = 4  # fractional bits of polygon corners
FALL_PX = 8  # of the coarse grid on which light is calculated


def linear(rgb: Any) -> np.ndarray:
    """Colours 0..255 as amounts of light 0..1."""
    return (np.asarray(rgb, np.float32) / 255) ** 2.2


@dataclass(frozen=True)
class RoomLight:
    """A lamp and the room: amounts of light, the lamp's place, and its mirror image.

    lamp_mm     place of the lamp
    softness    width of a shadow's edge over the height that casts it
    glare_mm    spread of the lamp's mirror image on a glossy level face
    """

    ambient: np.ndarray
    direct: np.ndarray
    lamp_mm: np.ndarray
    softness: float
    gloss: float
    glare_mm: float
    near: float  # 0: as far as the sun; 1: brighter below the lamp

    def direction(self, place_mm: np.ndarray) -> np.ndarray:
        """The unit vector from a place (…, 3) to the lamp."""
        way = self.lamp_mm - place_mm
        return way / np.linalg.norm(way, axis=-1, keepdims=True)

    def falloff(self, place_mm: np.ndarray) -> np.ndarray:
        """The share of the lamp's light that arrives at a place."""
        far = np.linalg.norm(self.lamp_mm - place_mm, axis=-1)
        return 1 + self.near * ((np.linalg.norm(self.lamp_mm) / far) ** 2 - 1)

    def on(self, place_mm: np.ndarray, normal: np.ndarray, shade: float = 0.0) -> np.ndarray:
        """The light (3,) on a face."""
        slant = max(0.0, float(self.direction(place_mm) @ normal))
        seen_sky = 0.65 + 0.35 * float(normal[2])
        return self.ambient * seen_sky + self.direct * slant * float(self.falloff(place_mm)) * (1 - shade)


def random_light(rng: Rng) -> RoomLight:
    """A window, a lamp, an overcast day or a mixture."""
    high = rng.uniform(350, 1600)
    aside = rng.uniform(0, 6.283)
    reach = high * np.tan(np.radians(rng.uniform(5, 62)))
    lamp = np.array([reach * np.cos(aside), reach * np.sin(aside), high])
    share = rng.choice([0.15, 0.4, 0.6, 0.8]) + rng.uniform(-0.1, 0.1)
    warm = np.exp(rng.normal(0, 0.12) * np.array([1.0, 0.1, -1.1]))
    level = np.exp(rng.normal(-0.1, 0.35))
    up = high / np.linalg.norm(lamp)
    return RoomLight(
        ambient=(level * (1 - share) * np.exp(rng.normal(0, 0.05, 3))).astype(np.float32),
        direct=(level * share * warm / up).astype(np.float32),
        lamp_mm=lamp,
        softness=float(np.exp(rng.uniform(np.log(0.05), np.log(1.2)))),
        gloss=float(rng.choice([0.0, 0.08, 0.2, 0.45]) * rng.uniform(0.5, 1.3)),
        glare_mm=float(rng.uniform(25, 160)),
        near=float(rng.uniform(0, 1)),
    )


def random_camera(rng: Rng, most_tilt_deg: float, wide_mm: float) -> tuple[Pose, dict[str, Any]]:
    """A camera over the table with `wide_mm` in view, and its block of labels."""
    tilt = np.radians(rng.uniform(0, most_tilt_deg) if rng.random() > 0.1 else 0.0)
    roll, side = rng.normal(0, np.radians(5)), rng.normal(0, np.radians(2.5))
    far = rng.uniform(560, 880)
    focal = WIDTH_PX * far / wide_mm
    down = np.array([np.sin(side), np.sin(tilt), -np.cos(tilt)])
    down /= np.linalg.norm(down)
    right = np.cross(down, np.array([0, 1.0, 0]) if tilt < 1 else np.array([0, 0, 1.0]))
    right = np.array([1.0, 0, 0]) - down * down[0] if np.linalg.norm(right) < 1e-6 else right
    right /= np.linalg.norm(right)
    turn = turn_z(roll)
    rotation = turn @ np.stack([right, np.cross(down, right), down])
    target = np.array([*rng.normal(0, 8, 2), 0.0])
    shift = -rotation @ (target - down * far)
    bend = float(rng.normal(0, 0.03))
    pose = Pose(
        np.array([[focal, 0, (WIDTH_PX - 1) / 2], [0, focal, (HEIGHT_PX - 1) / 2], [0, 0, 1]]),
        np.array([bend, 0, 0, 0, 0]),
        rotation,
        shift,
    )
    return pose, {
        "width": WIDTH_PX, "height": HEIGHT_PX, "fx": focal, "fy": focal,
        "cx": (WIDTH_PX - 1) / 2, "cy": (HEIGHT_PX - 1) / 2, "dist": [bend, 0, 0, 0, 0],
        "R_world_to_cam": rotation.tolist(), "t_mm": shift.tolist(),
        "tilt_from_vertical_deg": float(np.degrees(np.arccos(-down[2]))),
    }  # fmt: skip


class Canvas:
    """A picture being drawn, linear light (h, w, 3), back to front."""

    def __init__(self, rng: Rng, pose: Pose, light: RoomLight, table_mm: float, unit_mm: float) -> None:
        self.rng, self.pose, self.light = rng, pose, light
        self.eye = pose.eye_mm
        self.picture = np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.float32)
        ys, xs = np.mgrid[0:HEIGHT_PX:FALL_PX, 0:WIDTH_PX:FALL_PX].astype(np.float64)
        pixels = np.stack([xs, ys], axis=-1).reshape(-1, 1, 2)
        rays = cv2.undistortPoints(pixels, pose.intrinsics, pose.distortion).reshape(-1, 2)
        ways = np.hstack([rays, np.ones((len(rays), 1))]) @ pose.rotation
        ground = self.eye + ways * (-self.eye[2] / ways[:, 2:])
        self._ground = ground.reshape(*xs.shape, 3)
        self._table(table_mm, unit_mm)

    def _table(self, table_mm: float, unit_mm: float) -> None:
        rng = self.rng
        top = surface(rng, unit_mm * TABLE_PX / table_mm)
        self.fall = self._full(self.light.falloff(self._ground).astype(np.float32))
        where = (self._ground[..., :2] / table_mm + 0.5) * TABLE_PX
        maps = [self._full(where[..., axis].astype(np.float32)) for axis in (0, 1)]
        seen = cv2.remap(top, maps[0], TABLE_PX - maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        lit = self.light.ambient + self.light.direct * self.light.direction(np.zeros(3))[2] * self.fall[..., None]
        self.picture[:] = linear(seen[:, :, ::-1]) * lit + self.glare(0.25 * rng.random())

    def _full(self, coarse: np.ndarray) -> np.ndarray:
        wide, tall = coarse.shape[1] * FALL_PX, coarse.shape[0] * FALL_PX
        columns = (np.arange(wide, dtype=np.float32)) / FALL_PX
        rows = (np.arange(tall, dtype=np.float32)) / FALL_PX
        return cv2.remap(coarse, *np.meshgrid(columns, rows), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    def glare(self, share: float, z_mm: float = 0.0) -> np.ndarray:
        """The lamp mirrored in a level face at a height, over the whole picture (h, w, 1)."""
        if share * self.light.gloss < 1e-3:
            return np.zeros((1, 1, 1), np.float32)
        spots = np.array([self.glare_at(place, z_mm) for place in self._ground.reshape(-1, 3)[:, :2]], np.float32)
        return share * self._full(spots.reshape(self._ground.shape[:2]))[..., None]

    def glare_at(self, spot_mm: np.ndarray, z_mm: float) -> float:
        """The brightness of the lamp mirrored in a glossy level face at one spot."""
        lamp, eye = self.light.lamp_mm, self.eye
        share = (eye[2] - z_mm) / (eye[2] + lamp[2] - 2 * z_mm)
        middle = eye[:2] + share * (lamp[:2] - eye[:2])
        off = np.linalg.norm(np.asarray(spot_mm)[:2] - middle) / self.light.glare_mm
        return float(self.light.gloss * np.exp(-0.5 * off**2)) * float(self.light.direct.mean()) * 1.6

    def shape(self, corners_mm: np.ndarray, light_or_rgb: np.ndarray, grain: float = 0.0) -> None:
        """Fills a convex face with corners (n, 3) in mm and the colour (3,) that leaves it."""
        self.fill(self.pose.project(corners_mm), light_or_rgb, grain)

    def fill(self, corners_px: np.ndarray, colour: np.ndarray, grain: float = 0.0) -> None:
        """Fills a convex polygon (n, 2) in px with smooth edges; `grain` roughens the colour."""
        low = np.floor(corners_px.min(axis=0)).astype(int) - 1
        high = np.ceil(corners_px.max(axis=0)).astype(int) + 2
        low, high = np.maximum(low, 0), np.minimum(high, self.picture.shape[1::-1])
        if (high <= low).any():
            return
        mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        points = np.round((corners_px - low) * 2**SHIFT).astype(np.int32)
        cv2.fillConvexPoly(mask, points, 255, cv2.LINE_AA, SHIFT)
        share = mask[..., None].astype(np.float32) / 255
        window = self.picture[low[1] : high[1], low[0] : high[0]]
        face = colour
        if grain:
            tall, wide = mask.shape
            lines = noise(self.rng, wide, tall, 2.0, 12).T if self.rng.random() < 0.5 else noise(self.rng, tall, wide, 2.0, 12)  # fmt: skip  # noqa: E501
            face = colour * (1 + grain * lines[..., None])
        window += share * (face - window)

    def shadow(self, outlines_mm: list[np.ndarray], deep: float, blur_px: float) -> np.ndarray:
        """Mask (h, w), 0..deep, of outlines (n, 3) on a level, blurred like the edge of a shadow."""
        small = np.zeros((HEIGHT_PX // 2, WIDTH_PX // 2), np.uint8)
        for outline in outlines_mm:
            hull = cv2.convexHull(self.pose.project(outline).astype(np.float32)).reshape(-1, 2) / 2
            cv2.fillConvexPoly(small, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
        soft = cv2.GaussianBlur(small, (0, 0), max(0.4, blur_px / 2))
        return cv2.resize(soft, (WIDTH_PX, HEIGHT_PX)).astype(np.float32) * np.float32(deep / 255)

    def thrown(self, outline_mm: np.ndarray, high_mm: float) -> np.ndarray:
        """An outline together with its shadow from `high_mm` above."""
        to = self.light.direction(outline_mm.mean(axis=0))
        away = -to[:2] / max(float(to[2]), 0.25) * high_mm
        return np.vstack([outline_mm, outline_mm + np.array([*away, 0.0])])

    def direct_share(self) -> float:
        """The share of light that the lamp gives, by which its shadows are darker."""
        direct = float((self.light.direct * self.light.direction(np.zeros(3))[2]).mean())
        return direct / (direct + float(self.light.ambient.mean()))

    def done(self) -> np.ndarray:
        """The picture as a camera takes it, uint8 BGR: cast, exposure, blur, noise, JPEG."""
        rng = self.rng
        picture: np.ndarray = self.picture * np.exp(rng.normal(0, 0.07, 3)).astype(np.float32)
        level = float(np.percentile(picture[::4, ::4], 90))
        picture = picture * np.float32(np.exp(rng.normal(-0.3, 0.35)) * min(1.0 / max(level, 0.2), 1.6))
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.5))
        picture = np.clip(picture, 0, 1) ** np.float32(1 / 2.2)
        grain: np.ndarray = rng.standard_normal(picture.shape, np.float32)
        if rng.random() < 0.6:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 2
        picture = picture + np.float32(rng.uniform(0, 0.03)) * grain
        done = (np.clip(picture, 0, 1) * 255).astype(np.uint8)[:, :, ::-1]
        return through_jpeg(done, int(rng.uniform(75, 92)))


def surface(rng: Rng, unit: float) -> np.ndarray:
    """A table top (TABLE_PX, TABLE_PX, 3), sometimes with clutter."""
    choice = rng.random()
    if choice < 0.2:
        return lay_table(rng, TABLE_PX, unit)
    top = (wood, wood, speckled, woven, plain)[int(rng.integers(5))](rng, TABLE_PX, unit)
    if rng.random() < 0.25:
        stripe = (np.arange(TABLE_PX) / (unit * rng.uniform(2, 8))).astype(int) % 2 == 1
        top[:, stripe] = (top[:, stripe] * rng.uniform(0.3, 0.9, 3)).astype(np.uint8)
    for _ in range(rng.integers(0, 6)):
        spot = rng.uniform(0, TABLE_PX, 2)
        if np.abs(spot / TABLE_PX - 0.5).max() > 0.2:
            CLUTTER[rng.integers(len(CLUTTER))](rng, top, spot, unit)
    return top


MARKER_BORDER = 1.25  # the white paper round a marker, as a share of its side


def lay_markers(canvas: Canvas, half_mm: tuple[float, float], side_mm: float) -> list[dict[str, Any]]:
    """Draws four printed tags, ids 0 to 3 clockwise from the far left; returns their labels."""
    tags = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    square = side_mm / 2 * np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])
    labels = []
    for number, (x, y) in enumerate(((-1, 1), (1, 1), (1, -1), (-1, -1))):
        middle = np.array([x * half_mm[0], y * half_mm[1]])
        paper = np.hstack([middle + MARKER_BORDER * square, np.full((4, 1), 0.25)])
        corners = np.hstack([middle + square, np.full((4, 1), 0.25)])
        lit = canvas.light.on(paper.mean(axis=0), np.array([0, 0, 1.0]))
        canvas.shape(paper, lit * np.float32(0.8))
        modules = cv2.aruco.generateImageMarker(tags, number, 6)
        step = side_mm / 6
        for row, column in np.ndindex(6, 6):
            left, far = corners[0, 0] + column * step, corners[0, 1] - row * step
            module = np.array([[left, far], [left + step, far], [left + step, far - step], [left, far - step]])
            grown = module.mean(axis=0) + 1.04 * (module - module.mean(axis=0))
            if not modules[row, column]:
                canvas.shape(np.hstack([grown, np.full((4, 1), 0.25)]), lit * np.float32(0.02))
        labels.append({
            "dictionary": "DICT_4X4_50", "id": number, "side_mm": side_mm,
            "corners_mm_tl_tr_br_bl": corners.round(2).tolist(),
        })  # fmt: skip
    return labels
