"""Draws whole pictures of dice on tables, with labels: geometry, material, light, lens and clutter are all random.

python -m vision.training.drawn.scenes FOLDER COUNT SEED          writes COUNT JPEGs and labels-SEED.json
python -m vision.training.drawn.scenes FOLDER COUNT SEED small    1280 × 720, dice of 20 to 27 px, the smallest
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.scene.pose import turn_z
from vision.training.drawn.render import Lamp, Material, PipDie, draw_solid, face_values
from vision.training.drawn.tables import colour, lay_table, noise
from vision.training.labelled import Rng, through_jpeg

SMALL_PX = (20, 27)  # widths of the smallest dice that the reader must read

BODY_RGB = {
    "white": ((225, 222, 214), (250, 250, 248), (235, 225, 195)),
    "red": ((190, 20, 25), (150, 10, 20), (220, 50, 45)),
    "yellow": ((235, 200, 30), (225, 215, 70), (245, 220, 110)),
    "orange": ((235, 120, 20), (220, 95, 30)),
    "green": ((30, 130, 50), (20, 90, 40), (90, 180, 60)),
    "blue": ((30, 60, 170), (20, 35, 110), (60, 140, 210)),
    "purple": ((100, 40, 130), (75, 30, 100), (150, 90, 180)),
    "black": ((25, 25, 27), (40, 38, 38)),
    "grey": ((130, 130, 130), (100, 100, 105)),
}
EAST_ASIAN = 0.15  # share of all materials
LEAST_CONTRAST = 0.2  # of pips against the body in one channel: dull red on black is 0.25
BODY_SHARES = np.array([0.3, 0.14, 0.08, 0.06, 0.1, 0.1, 0.07, 0.11, 0.04])


@dataclass(frozen=True)
class PinholeCamera:
    """A pinhole camera over the table; lengths in sides of a die, table top z = 0."""

    rotation: np.ndarray  # world to camera
    position: np.ndarray
    focal_px: float
    width: int
    height: int

    def project(self, points: np.ndarray) -> np.ndarray:
        seen = (points - self.position) @ self.rotation.T
        return self.focal_px * seen[..., :2] / seen[..., 2:] + np.array([self.width, self.height]) / 2

    def jacobian(self, point: np.ndarray) -> np.ndarray:
        steps = np.eye(3) * 1e-3
        return ((self.project(point + steps) - self.project(point - steps)) / 2e-3).T

    def on_table(self, pixels: np.ndarray) -> np.ndarray:
        rays = (
            np.hstack([(pixels - np.array([self.width, self.height]) / 2) / self.focal_px, np.ones((len(pixels), 1))])
            @ self.rotation
        )
        return (self.position - rays * (self.position[2] / rays[:, 2:]))[:, :2]


def random_view(rng: Rng, width: int, height: int, die_px: float) -> PinholeCamera:
    """A camera from straight down to 48 degrees oblique; only pictures from above are turned freely."""
    field = np.radians(rng.uniform(25, 62))
    tilt_deg = abs(rng.normal(0, 12)) if rng.random() < 0.5 else rng.uniform(0, 48)
    tilt = np.radians(min(tilt_deg, 76 - np.degrees(field) / 2 * max(1, height / width), 48))
    roll = rng.uniform(0, 6.283) if tilt < np.radians(18) else rng.normal(0, np.radians(8))
    focal = max(width, height) / (2 * np.tan(field / 2))
    far = focal / die_px
    position = np.array([0, -far * np.sin(tilt), far * np.cos(tilt)])
    down = np.array([0, np.sin(tilt), -np.cos(tilt)])
    right = np.array([1.0, 0, 0])
    below = np.cross(down, right)
    turn = turn_z(roll)
    return PinholeCamera(turn @ np.stack([right, below, down]), position, focal, width, height)


def random_material(rng: Rng) -> tuple[Material, str]:
    """A random material, and the name of its body's colour ('mixed' if marbled)."""
    name = str(rng.choice(list(BODY_RGB), p=BODY_SHARES))
    shades = BODY_RGB[name]
    body = np.array(shades[rng.integers(len(shades))][::-1], np.float32) / 255
    body = np.clip(body * rng.uniform(0.8, 1.1) + rng.normal(0, 0.025, 3), 0.02, 1).astype(np.float32)
    marbled = rng.random() < 0.3
    vein = colour(rng, 0.7)
    sharp = float(np.exp(rng.uniform(0, 1.8)))
    shown = body * 0.5 + vein * 0.5 if marbled else body
    light_body = shown @ np.array([0.11, 0.59, 0.3]) > 0.42
    pip, foil = random_pip(rng, light_body)
    against = [body, vein] if marbled else [body]
    if min(np.abs(pip - paint).max() for paint in against) < LEAST_CONTRAST:
        pip = np.full(3, 0.05 if light_body else 0.92, np.float32)
    ace = np.array([0.1, 0.08, 0.75], np.float32) if light_body and rng.random() < 0.2 else pip
    radius = rng.uniform(0.13, 0.25)
    lens_disc = rng.random() < 0.05
    material = Material(
        body=body,
        vein=vein,
        veins=rng.uniform(0.4, 1) if marbled else 0,
        pip=pip,
        ace=ace,
        rim=rng.uniform(0.3, 1) if rng.random() < 0.15 else 0,
        pip_spread=rng.uniform(0.42, min(0.62, 0.9 - radius)),
        pip_radius=radius,
        ace_radius=rng.choice([1, 1, 1, 1.3, 1.7]),
        dish=rng.uniform(0, 0.6) if rng.random() < 0.6 else 0,
        rounding=rng.uniform(0.06, 0.4),
        ball=rng.uniform(1.32, 1.6) if rng.random() < 0.45 else 9,
        gloss=rng.uniform(0.1, 1) if rng.random() < 0.6 else 0,
        shine=np.exp(rng.uniform(np.log(8), np.log(150))),
        opacity=rng.uniform(0.55, 0.9) if rng.random() < 0.15 else 1,
        disc=rng.uniform(0.7, 0.9) if lens_disc else 0,
        disc_colour=(body * 0.6 + colour(rng, 0.3) * 0.4).astype(np.float32),
        sharp=sharp,
        scale=rng.uniform(0.5, 2.5),
        grain=rng.uniform(0.08, 0.45) if rng.random() < 0.3 else 0,
        foil=foil,
        emblem=rng.random() < 0.07,
        swirl=rng.uniform(0.2, 0.9) if rng.random() < 0.15 else 0,
    )
    habits = rng.spawn(1)[0]  # its own generator, so that everything else of a seed stays the same
    if habits.random() < EAST_ASIAN:
        material = east_asian(habits, material, light_body)
    return material, "mixed" if marbled else name


def east_asian(rng: Rng, material: Material, light_body: bool) -> Material:
    """The material with pips as in East Asia: closer, a two along an edge, a large one, red ones and fours."""
    spread = min(material.pip_spread, rng.uniform(0.38, 0.52))
    radius = min(material.pip_radius, 0.42 * spread)
    red = np.array([0.1, 0.08, 0.75], np.float32) if light_body and rng.random() < 0.7 else None
    return replace(
        material,
        pip_spread=spread,
        pip_radius=radius,
        ace=material.ace if red is None else red,
        ace_radius=float(rng.uniform(1.2, 2.2)),
        four=red,
        close_two=max(rng.uniform(0.26, 0.4), 1.15 * radius) if rng.random() < 0.7 else 0.0,
    )


def random_pip(rng: Rng, light_body: bool) -> tuple[np.ndarray, float]:
    """A colour for pips and the unevenness of their metal: plain, coloured, gold or silver."""
    choice = rng.random()
    if choice < 0.6:
        return np.full(3, rng.uniform(0.01, 0.16) if light_body else rng.uniform(0.7, 1), np.float32), 0.0
    if choice < 0.8:
        return (colour(rng, 1) * (0.6 if light_body else rng.uniform(0.5, 1))).astype(np.float32), 0.0
    gold, silver = np.array([0.2, 0.58, 0.82]), np.array([0.75, 0.75, 0.75])
    metal = (gold if rng.random() < 0.7 else silver) * (rng.uniform(0.35, 0.9) if light_body else rng.uniform(0.7, 1.1))
    return metal.astype(np.float32), float(rng.uniform(0, 0.5))


def place_dice(rng: Rng, view: PinholeCamera, count: int, sizes: np.ndarray) -> list[np.ndarray]:
    """Places on the table that do not overlap; some dice touch, some stand in rows."""
    places: list[np.ndarray] = []
    corners = view.on_table(np.array([[0, 0], [view.width, 0], [view.width, view.height], [0, view.height]], float))
    low, high = corners.min(axis=0), corners.max(axis=0)
    crowded = rng.random() < 0.4
    for index in range(count):
        for _ in range(30):
            if places and crowded and rng.random() < 0.8:
                angle = rng.uniform(0, 6.283)
                gap = rng.uniform(1.0, 1.45) * (sizes[index] + 1) / 2
                spot = places[rng.integers(len(places))] + gap * np.array([np.cos(angle), np.sin(angle)])
            else:
                spot = rng.uniform(low, high)
            pixel = view.project(np.array([*spot, 0.5]))
            if not (-10 < pixel[0] < view.width + 10 and -10 < pixel[1] < view.height + 10):
                continue
            apart = [np.linalg.norm(spot - other) for other in places]
            if all(a > 1.0 * (sizes[index] + sizes[i]) / 2 for i, a in enumerate(apart)):
                places.append(spot)
                break
        else:
            break
    return places


def cast_shadows(
    rng: Rng,
    canvas: np.ndarray,
    view: PinholeCamera,
    places: list[np.ndarray],
    sizes: np.ndarray,
    yaws: np.ndarray,
    lamp: Lamp,
) -> None:
    """Darkens the table in the shadows of the dice, and close to their feet."""
    shade: np.ndarray = np.zeros(canvas.shape[:2], np.float32)
    foot = np.zeros_like(shade)
    reach = lamp.direction[:2] / max(lamp.direction[2], 0.25)
    for spot, size, yaw in zip(places, sizes, yaws, strict=False):
        square = size / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ turn_z(yaw)[:2, :2].T * 0.95
        base = spot + square
        thrown = base - reach * size
        ground = np.hstack([np.vstack([base, thrown]), np.zeros((8, 1))])
        outline = cv2.convexHull(view.project(ground).astype(np.float32)).astype(np.int32)
        cv2.fillConvexPoly(shade, outline, 1.0, cv2.LINE_AA)
        cv2.fillConvexPoly(foot, view.project(ground[:4]).astype(np.int32), 1.0, cv2.LINE_AA)
    die_px = float(np.linalg.norm(view.jacobian(np.zeros(3)), 2))
    shade = cv2.GaussianBlur(shade, (0, 0), 0.4 + die_px * rng.choice([0.02, 0.08, 0.2]))
    foot = cv2.GaussianBlur(foot, (0, 0), 0.4 + die_px * 0.1)
    canvas *= 1 - rng.uniform(0.1, 0.75) * shade[..., None]
    canvas *= 1 - rng.uniform(0.1, 0.5) * foot[..., None]


def light_field(rng: Rng, height: int, width: int) -> np.ndarray:
    """(h, w, 1) uneven light over the picture: gradients, a hard shadow, lamp spots, vignette."""
    field = 1 + noise(rng, height, width, max(height, width)) * rng.uniform(0, 0.35)
    if rng.random() < 0.25:
        mask: np.ndarray = np.zeros((height, width), np.float32)
        corners = rng.uniform(-0.3, 1.3, (rng.integers(3, 6), 2)) * np.array([width, height])
        cv2.fillConvexPoly(mask, cv2.convexHull(corners.astype(np.int32)), 1.0)
        mask = cv2.GaussianBlur(mask, (0, 0), np.exp(rng.uniform(0, 3.5)))
        field *= 1 - mask * rng.uniform(0.2, 0.7)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    if rng.random() < 0.3:
        middle = rng.uniform(0, 1, 2) * np.array([width, height])
        spread = max(height, width) * rng.uniform(0.1, 0.6)
        field += rng.uniform(0.1, 0.8) * np.exp(-((xs - middle[0]) ** 2 + (ys - middle[1]) ** 2) / spread**2)
    if rng.random() < 0.3:
        radius = np.hypot(xs / width - 0.5, ys / height - 0.5)
        field *= 1 - np.clip(radius - rng.uniform(0.2, 0.45), 0, 1) * rng.uniform(0.5, 2.5)
    return np.clip(field, 0.08, 2)[..., None]


def through_lens(rng: Rng, canvas: np.ndarray, die_px: float) -> np.ndarray:
    """The picture as a camera takes it, uint8 BGR: cast, exposure, blur, noise, JPEG."""
    picture = canvas * light_field(rng, *canvas.shape[:2])
    picture = picture * np.exp(rng.normal(0, 0.12, 3)) * np.exp(rng.normal(0, 0.22))
    if rng.random() < 0.5:
        picture = cv2.GaussianBlur(picture, (0, 0), max(0.3, rng.uniform(0, 0.05) * die_px))
    if rng.random() < 0.1:
        length = max(1, int(rng.uniform(0.02, 0.1) * die_px))
        kernel = np.zeros((2 * length + 1, 2 * length + 1), np.float32)
        angle = rng.uniform(0, 3.1416)
        shift = (int(length * np.cos(angle)), int(length * np.sin(angle)))
        cv2.line(kernel, (length - shift[0], length - shift[1]), (length + shift[0], length + shift[1]), 1.0)
        picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
    picture = np.clip(picture, 0, 1) ** np.exp(rng.normal(0, 0.2))
    picture = picture + rng.uniform(0, 0.035) * rng.standard_normal(picture.shape, np.float32)
    if rng.random() < 0.15:
        picture = np.repeat(picture.mean(axis=2, keepdims=True), 3, axis=2)
    done = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    return through_jpeg(done, int(rng.uniform(35, 96)))


def random_lamp(rng: Rng) -> Lamp:
    direction = np.array([*rng.normal(0, 0.5, 2), 1.0])
    diffuse = rng.uniform(0.2, 0.8)
    ambient = 1.05 - diffuse * rng.uniform(0.7, 1)
    windows = tuple(
        (aside / np.linalg.norm(aside), rng.uniform(0, 6.283), rng.uniform(0.04, 0.35), rng.uniform(0.04, 0.35))
        for aside in (np.array([*rng.normal(0, 0.6, 2), 1.0]) for _ in range(rng.integers(0, 4)))
    )
    return Lamp(direction / np.linalg.norm(direction), diffuse, ambient, rng.uniform(0.01, 0.12), windows)


LayTable = Callable[[Rng, int, float], np.ndarray]
Lay = Callable[[Rng, np.ndarray, PinholeCamera, list[np.ndarray], np.ndarray, Lamp], None]


def render_scene(
    rng: Rng,
    width: int = 640,
    height: int = 512,
    die_px: float | None = None,
    lay: LayTable = lay_table,
    beside: Lay | None = None,
) -> tuple[np.ndarray, list[dict]]:
    """A picture and the labels of its dice: value, box and top face in px, colour, visible share of the face.

    beside  draws other things on the table before the dice: (rng, picture, view, places and sizes of the dice, lamp)
    """
    die_px = die_px or float(np.exp(rng.uniform(np.log(14), np.log(190))))
    most = max(1, int(min(45, 0.45 * width * height / (die_px * 1.5) ** 2)))
    count = 0 if rng.random() < 0.08 else 1 + int((most - 1) * rng.random() ** 1.6)
    view = random_view(rng, width, height, die_px)

    corners = view.on_table(np.array([[0, 0], [width, 0], [width, height], [0, height]], float))
    west, north, extent = corners[:, 0].min(), corners[:, 1].max(), float(np.ptp(corners, axis=0).max())
    table_px = 800
    table = lay(rng, table_px, max(6.0, table_px / extent))
    to_table = cv2.getPerspectiveTransform(
        ((corners - [west, north]) * [1, -1] / extent * table_px).astype(np.float32),
        np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32),
    )
    canvas = cv2.warpPerspective(table, to_table, (width, height), borderMode=cv2.BORDER_REFLECT) / np.float32(255)

    sizes = np.ones(count) if rng.random() < 0.7 else rng.uniform(0.75, 1.35, count)
    yaws = rng.uniform(0, 6.283, count) if rng.random() < 0.85 else np.full(count, rng.uniform(0, 6.283))
    places = place_dice(rng, view, count, sizes)
    lamp = random_lamp(rng)
    canvas = canvas * (lamp.ambient + lamp.diffuse * lamp.direction[2])
    if beside:
        beside(rng, canvas, view, places, sizes, lamp)
    cast_shadows(rng, canvas, view, places, sizes, yaws, lamp)

    set_materials = [random_material(rng) for _ in range(1 if rng.random() < 0.5 else 5)]
    order = sorted(range(len(places)), key=lambda i: -np.linalg.norm(np.array([*places[i], 0.5]) - view.position))
    dice: list[tuple[int, str, np.ndarray, tuple[float, ...]]] = []
    owner = np.full((height, width), -1, np.int16)
    for i in order:
        material, name = set_materials[rng.integers(len(set_materials))]
        centre = np.array([*places[i], sizes[i] / 2])
        value = int(rng.integers(1, 7))
        drawn = draw_solid(
            canvas,
            view.project(centre),
            view.jacobian(centre) * sizes[i] / 2,
            turn_z(yaws[i]),
            PipDie(material, face_values(value, rng)),
            lamp,
            rng,
        )
        if drawn is None or drawn[2].max() <= 0.5:
            continue
        rows, columns, coverage = drawn
        face = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]) * sizes[i] / 2 @ turn_z(yaws[i]).T
        owner[rows, columns][coverage > 0.5] = len(dice)
        ys, xs = np.nonzero(coverage > 0.5)
        box = (xs.min() + columns.start, ys.min() + rows.start, xs.max() + columns.start + 1, ys.max() + rows.start + 1)
        dice.append((value, name, view.project(face + centre), box))
    labels = [die_label(*die, seen=owner == i) for i, die in enumerate(dice)]
    return through_lens(rng, canvas, die_px), labels


def die_label(value: int, name: str, face_px: np.ndarray, box: tuple[float, ...], seen: np.ndarray) -> dict:
    """The label of one die; `seen` (h, w) marks its unhidden pixels."""
    face = np.zeros(seen.shape, np.uint8)
    cv2.fillConvexPoly(face, np.round(face_px).astype(np.int32), 1)
    area = max(1.0, cv2.contourArea(face_px.astype(np.float32)))
    return {
        "value": value,
        "cx": float(box[0] + box[2]) / 2,
        "cy": float(box[1] + box[3]) / 2,
        "w": float(box[2] - box[0]),
        "h": float(box[3] - box[1]),
        "face": np.round(face_px, 1).tolist(),
        "colour": name,
        "visible": round(min(1.0, float((seen & (face > 0)).sum()) / area), 3),
    }


def render_small(rng: Rng) -> tuple[np.ndarray, list[dict]]:
    """A scene of 1280 × 720 with dice 20 to 27 px wide."""
    die_px = float(rng.uniform(*SMALL_PX))
    return render_scene(rng, 1280, 720, die_px)


def write_scenes(folder: Path, count: int, seed: int, small: bool = False) -> None:
    """Writes `count` scenes; scene i of a seed is always the same."""
    folder.mkdir(parents=True, exist_ok=True)
    render = render_small if small else render_scene
    labels = []
    for index in range(count):
        picture, dice = render(np.random.default_rng([seed, index]))
        name = f"{seed}-{index:05d}.jpg"
        cv2.imwrite(str(folder / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
        labels.append({"image": name, "group": "rendered", "dice": dice})
        if index % 200 == 199 or index == count - 1:
            (folder / f"labels-{seed}.json").write_text(json.dumps(labels))


if __name__ == "__main__":
    cv2.setNumThreads(1)
    write_scenes(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), small=sys.argv[4:] == ["small"])
