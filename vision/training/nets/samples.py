"""Training samples: cut-outs of rendered scenes and licensed photographs, with targets for finder and reader.

Everything is drawn from a numpy generator, so a seed gives the same samples.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.dice.crops import CONTEXT, CROP_PX, UPRIGHT_CONTEXT
from vision.dice.finder import STRIDE
from vision.training.labelled import Rng, through_jpeg

OWN_GROUPS = {"rendered", "traced", "clutter", "strange"}  # groups of our own pictures, in which every die is labelled
READABLE = 0.7  # share of the top face that must be seen to read every pip
FINDER_PX = 256
SMALLEST_PX, LARGEST_PX = 7, 125  # die sizes the finder learns; a second pass at half the scale sees larger ones
SMALLEST_CROP_PX = 22  # of a die 16 px wide, smaller than the readers must read
TURNABLE = {"nell2", "board", "lens", "negative", "clutter"}  # seen from straight above, so any quarter turn is natural


@dataclass(frozen=True)
class Picture:
    """A JPEG in memory and its dice.

    dice    (n, 6) cx, cy, w, h, value, share of the top face that is visible
    faces   (n, 4, 2) corners of the top faces, or None for photographs
    found   (m, 9) the trained finder's candidates, to refine the reader on: cx, cy, w, h, heat, and the top face that
            a first reader sees: cx, cy, side, turn; or None
    shown   the pixels, where they are kept in memory
    """

    jpeg: np.ndarray
    group: str
    dice: np.ndarray
    faces: np.ndarray | None
    found: np.ndarray | None = None
    shown: np.ndarray | None = None

    def pixels(self) -> np.ndarray:
        if self.shown is not None:
            return self.shown
        return np.asarray(cv2.imdecode(self.jpeg, cv2.IMREAD_COLOR))


def rows(dice: list[dict]) -> np.ndarray:
    return np.array(
        [[d["cx"], d["cy"], d["w"], d["h"], d["value"], d.get("visible", 1.0)] for d in dice], np.float32
    ).reshape(-1, 6)


def load_own(folder: Path) -> list[Picture]:
    """Our own pictures with their labels: drawn ("rendered", "strange") or path-traced ("traced")."""
    return [
        Picture(
            np.fromfile(folder / entry["image"], np.uint8),
            entry["group"],
            rows(entry["dice"]),
            np.array([d["face"] for d in entry["dice"]], np.float32).reshape(-1, 4, 2),
            parts_of(entry["others"]) if entry.get("others") else None,
        )
        for labels in sorted(folder.glob("labels-*.json"))
        for entry in json.loads(labels.read_text())
    ]


def parts_of(others: list[list[float]]) -> np.ndarray:
    """Places on things that are no dice, as a `Picture` has them in `found`: each whole, and in four parts of it.

    A half of a domino is as wide as a die and looks like one.
    """
    places = []
    for cx, cy, side in others:
        parts = [(0.0, 0.0, 0.9)] + [(x, y, 0.5) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
        for x, y, share in parts:
            at, size = (cx + x * side, cy + y * side), share * side
            places.append([*at, size, size, 0.3, *at, 0.7 * size, 0.0])
    return np.array(places, np.float32).reshape(-1, 9)


def load_photographs(folder: Path) -> list[Picture]:
    """The photographs of dice-train by group; its README says what each group shows."""
    return [
        Picture(np.fromfile(folder / entry["image"], np.uint8), entry["group"], rows(entry["dice"]), None)
        for entry in json.loads((folder / "labels.json").read_text())
    ]


def load_without_dice(group: str, *folders: Path) -> list[Picture]:
    """Pictures without dice."""
    return [
        Picture(np.fromfile(path, np.uint8), group, np.zeros((0, 6), np.float32), None)
        for folder in folders
        for path in sorted(folder.glob("*.jpg"))
    ]


def recolour(rng: Rng, patch: np.ndarray) -> np.ndarray:
    """The patch in other light or by another camera: cast, contrast, grey, blur, noise, JPEG."""
    shown: np.ndarray = patch.astype(np.float32)
    shown *= np.exp(rng.normal(0, 0.12, 3)).astype(np.float32) * np.float32(np.exp(rng.normal(0, 0.25)))
    shown = (shown - 128) * np.float32(np.exp(rng.normal(0, 0.2))) + 128 + np.float32(rng.normal(0, 12))
    chance = rng.random(5)
    if chance[0] < 0.12:
        shown = np.repeat(shown.mean(axis=2, keepdims=True), 3, axis=2)
    if chance[1] < 0.08:
        shown = shown[..., rng.permutation(3)]
    if chance[2] < 0.25:
        shown = cv2.GaussianBlur(shown, (0, 0), rng.uniform(0.3, 1.1))
    if chance[3] < 0.3:
        shown = shown + rng.uniform(0, 10) * rng.standard_normal(shown.shape, np.float32)
    shown = np.clip(shown, 0, 255).astype(np.uint8)
    if chance[4] < 0.3:
        shown = through_jpeg(shown, int(rng.uniform(30, 90)))
    return shown


def random_warp(rng: Rng, picture: Picture, centre: np.ndarray, scale: float, out_px: int) -> np.ndarray:
    """(2, 3) matrix that brings `centre` to the middle of a cut-out, turned and mirrored as its group allows."""
    angle = rng.normal(0, 6)
    if picture.group in TURNABLE:
        angle += 90 * rng.integers(4)
    matrix = cv2.getRotationMatrix2D((0.0, 0.0), angle, 1.0)[:, :2]
    stretch = np.exp(rng.normal(0, 0.07))
    if picture.group == "tray2":  # its source squeezed 4:3 and 3:4 pictures to squares: the dice tell which
        stretch *= np.sqrt(4 / 3) ** (1 if (picture.dice[:, 2] < picture.dice[:, 3]).mean() > 0.5 else -1)
    matrix = np.diag([scale * stretch * rng.choice([-1, 1]), scale / stretch]) @ matrix
    return np.hstack([matrix, (out_px / 2 - matrix @ centre)[:, None]])


def warp_dice(dice: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Dice after the warp; boxes stay upright, as turns are close to quarter turns."""
    out = dice.copy()
    out[:, :2] = dice[:, :2] @ matrix[:, :2].T + matrix[:, 2]
    out[:, 2:4] = dice[:, 2:4] @ np.abs(matrix[:, :2]).T
    lean = min(abs(matrix[0, 0]), abs(matrix[0, 1])) / np.linalg.norm(matrix[0, :2])
    out[:, 2:4] /= 1 + 0.5 * lean  # |matrix| overstates a square's box by about half the lean
    return out


def finder_sample(rng: Rng, picture: Picture) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut-out (256, 256, 3) uint8; target (6, 64, 64): heat, log w, log h, dx, dy, box weight; heat weight (64, 64)."""
    pixels = picture.pixels()
    height, width = pixels.shape[:2]
    if len(picture.dice) and rng.random() < 0.85:
        chosen = picture.dice[rng.integers(len(picture.dice))]
        size = chosen[2:4].max()
        wanted = np.exp(rng.uniform(np.log(9), np.log(110)))
        scale = wanted / size
        centre = chosen[:2] + rng.uniform(-0.4, 0.4, 2) * FINDER_PX / scale
    else:
        scale = np.exp(rng.uniform(np.log(0.35), np.log(3)))
        centre = rng.uniform(0, 1, 2) * [width, height]
    scale = float(np.clip(scale, 0.33, 3))
    matrix = random_warp(rng, picture, centre, scale, FINDER_PX)
    if scale < 0.6:
        pixels = cv2.blur(pixels, (int(0.8 / scale), int(0.8 / scale)))
    border = tuple(float(v) for v in rng.uniform(0, 255, 3))
    shown = cv2.warpAffine(pixels, matrix, (FINDER_PX, FINDER_PX), borderValue=border)
    target, weight = finder_target(warp_dice(picture.dice, matrix))
    return recolour(rng, shown), target, weight


def finder_target(dice: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cells = FINDER_PX // STRIDE
    target = np.zeros((6, cells, cells), np.float32)
    weight = np.ones((cells, cells), np.float32)
    ys, xs = np.mgrid[0:cells, 0:cells].astype(np.float32) + 0.5
    for cx, cy, w, h, _, visible in dice:
        size = max(w, h)
        x, y = cx / STRIDE, cy / STRIDE
        reach = size / STRIDE
        inside = (0 <= cx < FINDER_PX) and (0 <= cy < FINDER_PX)
        if size > LARGEST_PX * 1.15:
            weight[np.hypot(xs - x, ys - y) < 0.25 * reach] = 0
            continue
        if size < SMALLEST_PX or visible < 0.5 or size > LARGEST_PX or not inside:
            weight[(np.abs(xs - x) < 0.6 * reach) & (np.abs(ys - y) < 0.6 * reach)] = 0
            continue
        spread = max(0.65, 0.1 * reach)
        bump = np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * spread**2))
        np.maximum(target[0], bump, out=target[0])
        near = bump > 0.5
        column, row = int(x), int(y)
        near[row, column] = True
        target[0, row, column] = 1
        target[1][near], target[2][near] = np.log(w / 16), np.log(h / 16)
        target[3][near], target[4][near] = (x - xs)[near], (y - ys)[near]
        target[5][near] = 1
        weight[near & (weight == 0)] = 1
    return target, weight


def face_sample(
    rng: Rng,
    picture: Picture,
    pixels: np.ndarray,
    crop_px: int = CROP_PX,
    context: float = CONTEXT,
    upright: float = 0.35,
) -> tuple[np.ndarray, int, np.ndarray] | None:
    """A crop (crop_px, crop_px, 3) uint8, its class and its face's pose (nan if unknown); None if doubtful.

    context  the crop's side in sides of the die
    upright  the share of crops that are turned upright, as for a second look
    """
    pose = np.full(5, np.nan, np.float32)
    face: np.ndarray | None = None
    height, width = pixels.shape[:2]
    dice = picture.dice
    kind = rng.random()
    if picture.found is not None and len(picture.found) and rng.random() < 0.6:
        place = picture.found[rng.integers(len(picture.found))]
        named = answer_at(picture, place)
        if named is None:
            return None
        index, answer = named
        face = place[5:]
        side = CONTEXT * place[2:4].max() * np.exp(rng.normal(0, 0.04))
        centre = place[:2] + rng.normal(0, 0.02, 2) * side
    elif len(dice) and kind < 0.8:
        index = int(rng.integers(len(dice)))
        cx, cy, w, h, value, visible = dice[index]
        size = max(w, h)
        answer = int(value) if visible >= READABLE else 7
        if READABLE > visible >= 0.55:
            return None  # in between: neither surely readable nor surely not
        if visible < 0.2:
            answer = 0
        side = CONTEXT * size * np.exp(rng.normal(0, 0.1))
        shift = rng.normal(0, 0.06, 2) * size
        if kind > 0.72:  # beside a die, a single pip, two dice at once: no die
            far = rng.random() < 0.5
            side *= 1 if far else rng.choice([rng.uniform(0.15, 0.45), rng.uniform(2.2, 4)])
            angle = rng.uniform(0, 6.283)
            away = rng.uniform(0.55, 0.8) if far else rng.uniform(0, 0.5)
            shift = away * size * np.array([np.cos(angle), np.sin(angle)])
            centre = np.array([cx, cy]) + shift
            gaps = np.linalg.norm(dice[:, :2] - centre, axis=1) / dice[:, 2:4].max(axis=1)
            sizes = CONTEXT * dice[:, 2:4].max(axis=1) / side
            if ((gaps < 0.45) & (sizes > 0.55) & (sizes < 1.8)).any():
                return None
            answer = 0
        centre = np.array([cx, cy]) + shift
    else:
        index, answer = -1, 0
        side = np.exp(rng.uniform(np.log(16), np.log(min(height, width) * 0.7)))
        centre = rng.uniform(0, 1, 2) * [width, height]
        if len(dice):
            gaps = np.linalg.norm(dice[:, :2] - centre, axis=1)
            if (gaps < 0.5 * dice[:, 2:4].max(axis=1) + 0.15 * side).any():
                return None
    side *= context / CONTEXT
    coarse = 1.0 if rng.random() < 0.7 else rng.uniform(SMALLEST_CROP_PX / crop_px, 1)  # as small as a far die
    matrix = random_warp(rng, picture, centre, crop_px / side, crop_px)
    if face is None and picture.faces is not None and 1 <= answer <= 6:
        face = face_of(picture.faces[index])
    if face is not None and rng.random() < upright:
        matrix = upright_warp(rng, face, crop_px)
    fine = max(1, round(side / crop_px / 2))
    source = pixels
    if fine > 1:
        source = cv2.blur(pixels, (fine, fine)) if fine < 12 else cv2.blur(pixels, (11, 11))
    crop = cv2.warpAffine(source, matrix, (crop_px, crop_px), borderMode=cv2.BORDER_REPLICATE)
    if coarse < 1 and side > 48:
        low = int(crop_px * coarse)
        crop = cv2.resize(cv2.resize(crop, (low, low), interpolation=cv2.INTER_AREA), (crop_px, crop_px))
    if picture.faces is not None and 1 <= answer <= 6:
        pose = face_pose((picture.faces[index] @ matrix[:, :2].T + matrix[:, 2]) / crop_px)
    return recolour(rng, crop), answer, pose


def answer_at(picture: Picture, place: np.ndarray) -> tuple[int, int] | None:
    """Index of the die and class of a candidate; None if its truth is doubtful."""
    side = place[2:4].max()
    sizes = picture.dice[:, 2:4].max(axis=1)
    apart = np.hypot(*(picture.dice[:, :2] - place[:2]).T) / np.maximum(sizes, 1)
    for index in np.flatnonzero(apart < 0.3):
        if 0.6 < side / sizes[index] < 1.6:
            visible = picture.dice[index, 5]
            if READABLE > visible >= 0.55:
                return None
            return int(index), int(picture.dice[index, 4]) if visible >= READABLE else 7
    near = (apart < 0.6).any() and 0.5 < side / sizes[apart.argmin()] < 2
    if near or (place[4] > 0.5 and picture.group not in OWN_GROUPS):  # most likely a die that its source did not label
        return None
    return -1, 0


def face_of(corners_px: np.ndarray) -> np.ndarray:
    """cx, cy, side and turn in degrees of a top face (4, 2)."""
    edge = corners_px[1] - corners_px[0]
    side = np.sqrt(cv2.contourArea(corners_px.astype(np.float32)))
    return np.array([*corners_px.mean(axis=0), side, np.degrees(np.arctan2(edge[1], edge[0]))])


def upright_warp(rng: Rng, face: np.ndarray, crop_px: int) -> np.ndarray:
    """The matrix of the reader's second look: roughly centred on the top face and turned upright."""
    turn = face[3] + 90 * rng.integers(4) + rng.normal(0, 5)
    side = UPRIGHT_CONTEXT * face[2] * np.exp(rng.normal(0, 0.08))
    cx, cy = face[:2] + rng.normal(0, 0.04, 2) * side
    matrix: np.ndarray = cv2.getRotationMatrix2D((float(cx), float(cy)), float(turn), crop_px / max(float(side), 4.0))
    matrix[:, 2] += crop_px / 2 - np.array([cx, cy])
    return matrix


def face_pose(corners: np.ndarray) -> np.ndarray:
    """Centre, side (root of the area), cosine and sine of four times the angle, of corners in shares of the crop."""
    centre = corners.mean(axis=0)
    side = np.sqrt(cv2.contourArea(corners.astype(np.float32)))
    edges = np.roll(corners, -1, axis=0) - corners
    angle = np.angle((edges[:, 0] + 1j * edges[:, 1]) ** 4)
    turned = np.exp(1j * angle).mean()
    turned /= abs(turned) + 1e-9
    return np.array([centre[0] - 0.5, centre[1] - 0.5, side, turned.real, turned.imag], np.float32)
