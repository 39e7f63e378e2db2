"""Draws pictures of the mat on tables, with the camera's true pose, to measure calibration on.

    python -m vision.training.drawn.mats FOLDER [--count 200] [--seed 0]

Picture i of a seed is always the same. labels.json has the fields of ../shared/data/*-rendered, and `mat`, `hidden`
(ids of markers under a hand or cut by the picture's edge) and `blur_px`.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.equipment.mat import Mat, mat, mats
from vision.scene.pose import Pose
from vision.training.drawn.scenes import through_lens
from vision.training.drawn.tables import CLUTTER, lay_table
from vision.training.labelled import Rng
from vision.virtual.mat_picture import mat_picture, paper_corners_mm

WIDTH_PX, HEIGHT_PX = 1280, 960
TABLE_MM, TABLE_PX = 1400.0, 1400
PX_PER_MM = 8.0  # of the drawn mat
FINER = 2  # how much larger than the picture it is drawn
MOST_TILT_DEG = 35.0
DIE_MM = 16.0
COARSE_PX = 8  # of the grid on which directions are calculated
EXPOSURE = 0.8  # brightness of white paper, as cameras leave some headroom


def random_pose(rng: Rng) -> Pose:
    """A camera 55 to 95 cm away with the mat in view, sometimes a little cut off."""
    tilt = np.radians(rng.uniform(0, MOST_TILT_DEG))
    turn, roll = rng.uniform(-np.pi, np.pi), rng.normal(0, np.radians(20))
    away = np.array([np.sin(tilt) * np.sin(turn), -np.sin(tilt) * np.cos(turn), np.cos(tilt)])
    down = -away
    right = np.cross(down, [np.sin(roll), np.cos(roll), 0.0])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(down, right), down])
    far_mm = rng.uniform(550, 950)
    target = np.array([*rng.normal(0, 10, 2), 0.0])
    focal = WIDTH_PX * far_mm / rng.uniform(440, 620)
    matrix = np.array([[focal, 0, (WIDTH_PX - 1) / 2], [0, focal, (HEIGHT_PX - 1) / 2], [0, 0, 1]])
    bend = np.array([rng.normal(0, 0.03), 0, 0, 0, 0])
    return Pose(matrix, bend, rotation, -rotation @ (target + away * far_mm))


def table_with_mat(rng: Rng, printed: Mat, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """The mat on a table, FINER times as large as the picture, and its `ground_mm`."""
    table = lay_table(rng, TABLE_PX, DIE_MM * TABLE_PX / TABLE_MM)
    ground = ground_mm(pose)
    scale = TABLE_PX / TABLE_MM
    place = (ground * (scale, -scale) + TABLE_PX / 2).astype(np.float32)
    canvas = cv2.remap(table, place[..., 0], place[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return lay_mat(rng, canvas, ground, printed), ground


def at_picture_size(canvas: np.ndarray) -> np.ndarray:
    """The canvas at the size of the picture, 0..EXPOSURE."""
    small = cv2.resize(canvas, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return small.astype(np.float32) * (EXPOSURE / 255)


def draw(rng: Rng, printed: Mat, pose: Pose) -> tuple[np.ndarray, list[int], float]:
    """The picture (h, w, 3) uint8, the ids of markers that are not wholly seen, and the blur added, in px."""
    canvas, ground = table_with_mat(rng, printed, pose)
    hidden = [each.id for each in printed.fiducials if not is_in_view(pose, each.place.corners_mm)]
    hidden += lay_hand(rng, canvas, ground, printed)
    canvas = at_picture_size(canvas)
    blur_px = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
    canvas = cv2.GaussianBlur(canvas, (0, 0), blur_px) if blur_px else canvas
    die_px = DIE_MM * pose.intrinsics[0, 0] / float(np.linalg.norm(pose.shift_mm))
    return through_lens(rng, canvas, die_px), sorted(set(hidden)), blur_px


def ground_mm(pose: Pose) -> np.ndarray:
    """(h, w, 2) x and y on the table under each pixel of a picture FINER times as large."""
    ys, xs = np.mgrid[
        -COARSE_PX : HEIGHT_PX + 2 * COARSE_PX : COARSE_PX, -COARSE_PX : WIDTH_PX + 2 * COARSE_PX : COARSE_PX
    ]
    pixels = np.stack([xs, ys], axis=-1).reshape(-1, 1, 2).astype(np.float64)
    seen = cv2.undistortPoints(pixels, pose.intrinsics, pose.distortion).reshape(-1, 2)
    ways = np.hstack([seen, np.ones((len(seen), 1))]) @ pose.rotation
    eye = pose.eye_mm
    coarse = (eye[:2] + ways[:, :2] * (-eye[2] / ways[:, 2:])).reshape(*xs.shape, 2).astype(np.float32)
    columns, rows = ((np.arange(size * FINER, dtype=np.float32) + 0.5) / FINER - 0.5 for size in (WIDTH_PX, HEIGHT_PX))
    return cv2.remap(coarse, *np.meshgrid(columns / COARSE_PX + 1, rows / COARSE_PX + 1), cv2.INTER_LINEAR)


def lay_mat(rng: Rng, canvas: np.ndarray, ground: np.ndarray, printed: Mat) -> np.ndarray:
    """The table with the mat on it, and with things of a game on the mat, but not on the markers."""
    paper = mat_picture(printed, PX_PER_MM)
    for _ in range(rng.integers(0, 8)):
        at = rng.uniform((0.2, 0.1), (0.8, 0.9)) * paper.shape[1::-1]
        CLUTTER[rng.integers(len(CLUTTER))](rng, paper, at, DIE_MM * PX_PER_MM)
    left, far = paper_corners_mm(printed)[0, :2]
    where = ((ground - (left, far)) * (PX_PER_MM, -PX_PER_MM) - 0.5).astype(np.float32)
    small = cv2.GaussianBlur(paper, (0, 0), 1.2)  # the picture has fewer pixels than the paper
    shown = cv2.remap(small, where[..., 0], where[..., 1], cv2.INTER_LINEAR)
    wide, deep = small.shape[1::-1]
    on_paper = (where[..., 0] >= 0) & (where[..., 0] <= wide - 1) & (where[..., 1] >= 0) & (where[..., 1] <= deep - 1)
    return np.where(on_paper[..., None], shown, canvas)


def lay_hand(rng: Rng, canvas: np.ndarray, ground: np.ndarray, printed: Mat) -> list[int]:
    """Sometimes covers markers; returns their ids."""
    if rng.random() < 0.6:
        return []
    covered = [printed.fiducials[index] for index in rng.choice(len(printed.fiducials), rng.integers(1, 4), False)]
    for each in covered:
        off = ground - each.place.middle_mm
        canvas[(off**2).sum(axis=2) < (0.6 * each.place.width_mm) ** 2] = rng.integers(40, 220, 3)
    return [each.id for each in covered]


def is_in_view(pose: Pose, corners_mm: tuple[tuple[float, ...], ...]) -> bool:
    pixels = pose.project(np.array(corners_mm))
    return bool((pixels >= 0).all() and (pixels <= (WIDTH_PX - 1, HEIGHT_PX - 1)).all())


def render_mat(seed: int, number: int) -> tuple[np.ndarray, dict[str, Any]]:
    """One picture and its label."""
    rng = np.random.default_rng([seed, number])
    name = str(rng.choice([each.name for each in mats().values() if not each.row]))
    printed = mat(name, int(rng.integers(4, 11)))
    pose = random_pose(rng)
    frame_bgr, hidden, blur_px = draw(rng, printed, pose)
    focal = float(pose.intrinsics[0, 0])
    label = {
        "file": f"mat-{seed}-{number:04d}.jpg",
        "seed": seed,
        "camera": {
            "width": WIDTH_PX, "height": HEIGHT_PX, "fx": focal, "fy": focal,
            "cx": (WIDTH_PX - 1) / 2, "cy": (HEIGHT_PX - 1) / 2, "dist": pose.distortion.tolist(),
            "R_world_to_cam": pose.rotation.tolist(), "t_mm": pose.shift_mm.tolist(),
        },
        "mat": {"name": name, "n": printed.grid.n if printed.grid else None},
        "hidden": hidden,
        "blur_px": blur_px,
    }  # fmt: skip
    return frame_bgr, label


def write_mats(folder: Path, count: int, seed: int) -> None:
    """Writes `count` pictures and labels.json."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = []
    for number in range(count):
        frame_bgr, label = render_mat(seed, number)
        cv2.imwrite(str(folder / label["file"]), frame_bgr, [cv2.IMWRITE_JPEG_QUALITY, 85])
        labels.append(label)
    (folder / "labels.json").write_text(json.dumps({"task": "mat", "images": labels}))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    write_mats(given.folder, given.count, given.seed)
