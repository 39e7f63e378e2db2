"""Trains the two networks that read loads on pictures of vision.training.drawn.loads.

python -m vision.training.nets.load_nets finder FOLDER…  fits vision/models/load-finder.onnx.xz
python -m vision.training.nets.load_nets reader FOLDER…  fits vision/models/load-reader.onnx.xz
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import cv2
import numpy as np

from vision.load.cuts import CUT_PX, Cutter, cutter_of, reader_input
from vision.load.flat import finder_input, lay_flat, seen_at
from vision.load.reader import KINDS, MOST_LEVELS, STRIDE, likely_tops, square_corners
from vision.scene.file import scene_of
from vision.scene.pose import Pose
from vision.training.labelled import Rng, picture_at
from vision.training.nets.samples import recolour

Sample = TypeVar("Sample")
if TYPE_CHECKING:  # torch is only installed for training
    from vision.training.nets.course import Course

UP = np.array([0, 0, 1.0])
WINDOW_PX = 224  # side of the part of a flat picture in a sample
STEPS, BATCH, RATE = 15000, 8, 4e-3
READER_STEPS, READER_RATE, BOX_CUTS, SQUARE_CUTS = 15000, 3e-3, 48, 20
FINDER_BITS = 7  # of its weights: rounding to them changed no reading of 200 pictures
NEAR, NOT_NEAR = 0.45, 0.65  # units: a top nearer than the first is the cut's own, one farther than the second is not


@dataclass(frozen=True, eq=False)
class FlatSample:
    """A picture laid flat as in the reader, for the finder; it holds only what is needed, as all are in memory.

    picture  (h, w, 3) uint8
    mask     (h, w) uint8: where trucks are
    lean     (2, 3): from its pixels to the shift by one more unit of height, in units
    tops     (n, 2) pixels: where the camera sees the tops of the boxes beside, one box high
    """

    picture: np.ndarray
    mask: np.ndarray
    lean: np.ndarray
    tops: np.ndarray


@dataclass(frozen=True, eq=False)
class CutSample:
    """A picture from which cuts are taken, for the reader.

    cutter   of the frame
    reach    (4, 2) mm: corners of the table that the flat picture shows
    tops     (n, 2) mm: where the camera sees the tops of the boxes beside, one box high
    kinds    (n,) of KINDS
    loaded   (m, 2) as `tops`: tops of what lies on trucks
    found    (f, 2) as `tops`: what the finder takes for tops
    squares  (k, 4, 3) mm: corners of the open squares
    levels   (k,) levels on those squares
    """

    cutter: Cutter
    reach: np.ndarray
    tops: np.ndarray
    kinds: np.ndarray
    loaded: np.ndarray
    found: np.ndarray
    squares: np.ndarray
    levels: np.ndarray


def boxes_beside(labels: dict[str, Any], pose: Pose, unit_mm: float) -> tuple[np.ndarray, np.ndarray]:
    """The boxes beside the trucks: (n, 2) mm where their tops appear, one box high, and (n,) of KINDS."""
    beside = [box for box in labels["boxes"] if box["where"] == "beside"]
    high = [box["length"] if box["standing"] else 1 for box in beside]
    middles = [[*box["position_mm"][:2], unit_mm * up] for box, up in zip(beside, high, strict=True)]
    kinds = [KINDS.index((box["length"], up > 1)) for box, up in zip(beside, high, strict=True)]
    return seen_at(pose, np.array(middles).reshape(-1, 3), unit_mm), np.array(kinds, int)


def flat_sample(frame_bgr: np.ndarray, labels: dict[str, Any]) -> FlatSample:
    """The finder's sample from a picture."""
    scene = scene_of(labels)
    unit_mm, pose = scene.unit_mm, scene.pose(frame_bgr)
    assert unit_mm is not None
    tops, _kinds = boxes_beside(labels, pose, unit_mm)
    flat = lay_flat(frame_bgr, pose, unit_mm)
    mask = finder_input(flat, scene.trucks, pose, unit_mm)[0, 5].astype(np.uint8)
    corner, right, below = flat.lean[0, 0], flat.lean[0, 1], flat.lean[1, 0]
    lean = np.stack([right - corner, below - corner, corner], axis=1)
    return FlatSample(flat.picture, mask, lean, flat.of_mm(tops))


def cut_sample(frame_bgr: np.ndarray, labels: dict[str, Any]) -> CutSample:
    """The reader's sample from a picture."""
    scene = scene_of(labels)
    unit_mm, pose = scene.unit_mm, scene.pose(frame_bgr)
    assert unit_mm is not None
    tops, kinds = boxes_beside(labels, pose, unit_mm)
    squares, levels = [], []
    for truck, known in zip(scene.trucks, labels["trucks"], strict=True):
        for corners, level, may in zip(
            square_corners(truck), np.ravel(known["height_map_row_col"]), np.ravel(truck.area), strict=True
        ):
            if may:
                squares.append(corners)
                levels.append(min(int(level), MOST_LEVELS))
    corners = np.array(squares).reshape(-1, 4, 3)
    covered = corners.mean(axis=1) + np.array(levels).reshape(-1, 1) * UP * unit_mm
    flat = lay_flat(frame_bgr, pose, unit_mm)
    height, width = flat.picture.shape[:2]
    return CutSample(
        cutter_of(frame_bgr, pose, unit_mm, scene.trucks),
        np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]]) @ flat.to_mm.T,
        tops,
        kinds,
        seen_at(pose, covered[np.array(levels, int) > 0], unit_mm),
        likely_tops(flat, scene.trucks, pose, unit_mm).spots_mm,
        corners,
        np.array(levels, int),
    )


def samples_of(folders: list[Path], sample: Callable[[np.ndarray, dict[str, Any]], Sample]) -> list[Sample]:
    """The sample of every picture in the folders."""
    return [
        sample(picture_at(folder / entry["file"]), entry)
        for folder in folders
        for entry in json.loads((folder / "labels.json").read_text())["images"]
    ]


def window_of(rng: Rng, sample: FlatSample) -> tuple[np.ndarray, np.ndarray]:
    """A part of a flat picture, turned, mirrored and recoloured a little: (6, h, w), and its tops (n, 2)."""
    moved = sample.tops
    height, width = sample.picture.shape[:2]
    middle = (rng.uniform(0, width), rng.uniform(0, height))
    if len(moved) and rng.random() < 0.6:
        middle = tuple(moved[rng.integers(len(moved))])
    turn_deg, zoom = float(rng.normal(0, 6)), float(np.exp(rng.normal(0, 0.03)))
    matrix: np.ndarray = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), turn_deg, zoom)
    matrix[:, 2] += np.array([rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8)]) * WINDOW_PX - middle
    if rng.random() < 0.5:
        matrix[0] = np.array([0, 0, WINDOW_PX - 1]) - matrix[0]
    size = (WINDOW_PX, WINDOW_PX)
    picture = recolour(rng, cv2.warpAffine(sample.picture, matrix, size, borderMode=cv2.BORDER_REPLICATE))
    colours = picture.astype(np.float32).transpose(2, 0, 1)
    colours = (colours - colours.mean()) / (colours.std() + 4)
    back = cv2.invertAffineTransform(matrix)
    turned = matrix[:, :2] @ sample.lean @ np.vstack([back, [0, 0, 1]])
    rows, columns = np.mgrid[0:WINDOW_PX, 0:WINDOW_PX]
    lean = turned[:, :1, None] * columns + turned[:, 1:2, None] * rows + turned[:, 2:, None]
    mask = cv2.warpAffine(sample.mask, matrix, size)
    planes = np.concatenate([colours, lean, mask[None]]).astype(np.float32)
    moved = moved @ matrix[:, :2].T + matrix[:, 2]
    return planes, moved[((moved > 2) & (moved < WINDOW_PX - 3)).all(axis=1)]


def fit_finder(folders: list[Path], course: "Course | None" = None, steps: int = STEPS) -> None:
    """Trains the network that finds tops, from nothing without a course; prints its loss, writes it as ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.nets.course import Course
    from vision.training.nets.networks import LoadFinder
    from vision.training.nets.weights import export

    torch.manual_seed(3)
    course = course or Course(LoadFinder(), steps, RATE)
    samples = samples_of(folders, flat_sample)
    cells = WINDOW_PX // STRIDE
    ys, xs = np.mgrid[0:cells, 0:cells]

    def losses(rng: Rng) -> dict[str, torch.Tensor]:
        windows = [window_of(rng, samples[i]) for i in rng.integers(len(samples), size=BATCH)]
        answer = course.network(torch.from_numpy(np.stack([planes for planes, _ in windows]))).float()
        heat = np.zeros((BATCH, cells, cells), np.float32)
        at, offs = [], []
        for i, (_, tops) in enumerate(windows):
            for top in (tops + 0.5) / STRIDE - 0.5:
                heat[i] = np.maximum(heat[i], np.exp(-((xs - top[0]) ** 2 + (ys - top[1]) ** 2) / (2 * 0.7**2)))
                column, row = np.round(top).astype(int)
                heat[i, row, column] = 1
                at.append((i, row, column))
                offs.append(top - [column, row])
        wanted = torch.from_numpy(heat)
        sure = torch.sigmoid(answer[:, 0]).clamp(1e-4, 1 - 1e-4)
        middle_loss = -((1 - sure) ** 2 * torch.log(sure))[wanted == 1].sum()
        rest_loss = -((1 - wanted) ** 4 * sure**2 * torch.log(1 - sure))[wanted < 1].sum()
        lost = {"middles": (middle_loss + rest_loss) / max(1, len(at))}
        if at:
            i, row, column = np.array(at).T
            off = answer[i, 1:3, row, column] - torch.from_numpy(np.array(offs, np.float32))
            lost["offsets"] = functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.1)
        return lost

    course.teach("load finder", losses, weight_decay=2e-2)
    export(course.network, "load-finder", 6, 288, 384, bits=FINDER_BITS)


def spot_of(rng: Rng, sample: CutSample) -> np.ndarray:
    """(2,) mm, one box high: mostly near a top or what the finder takes for one, otherwise anywhere."""
    unit_mm, draw = sample.cutter.unit_mm, rng.random()
    for share, spots, far in (
        (0.35, sample.tops, 0.15), (0.48, sample.tops, 1.2), (0.85, sample.found, 0.12), (0.93, sample.loaded, 0.5),
    ):  # fmt: skip
        if draw < share and len(spots):
            return spots[rng.integers(len(spots))] + rng.normal(0, far, 2) * unit_mm
    corner, right, _, below = sample.reach
    return corner + rng.uniform() * (right - corner) + rng.uniform() * (below - corner)


def cut_of(rng: Rng, sample: CutSample, square: bool) -> tuple[np.ndarray, int, np.ndarray, int]:
    """A cut (6, 72, 72) and its truth: class of box, offset of its top, and level; -1 for what is not asked."""
    cutter, kind, level, off = sample.cutter, -1, -1, np.zeros(2)
    turn, scale = rng.normal(0, 0.06), float(np.exp(rng.normal(0, 0.03)))
    mirrored = rng.random() < 0.5
    if square:
        i = rng.integers(len(sample.levels))
        corners = sample.squares[i]
        spot, level = corners.mean(axis=0)[:2] + rng.normal(0, 0.07, 2) * cutter.unit_mm, int(sample.levels[i])
        picture, mask, lean = cutter.cut(spot[None], corners[None], turn, scale)
    else:
        spot = spot_of(rng, sample)
        picture, mask, lean = cutter.cut(spot[None], None, turn, scale)
        axes, _ = cutter.axes_at(spot[None], turn)
        away = (sample.tops - spot) @ axes[0].T / cutter.unit_mm * scale
        far = np.linalg.norm(away, axis=1) if len(away) else np.array([np.inf])
        kind = 0
        if far.min() < NEAR:
            kind, off = 1 + int(sample.kinds[far.argmin()]), away[far.argmin()] * [-1 if mirrored else 1, 1]
        elif far.min() < NOT_NEAR:
            kind = -1
    if mirrored:
        picture, mask = picture[:, :, ::-1], mask[:, :, ::-1]
    planes = reader_input(recolour(rng, np.ascontiguousarray(picture[0]))[None], mask, lean, cutter.nearer)
    return planes[0], kind, off, level


def fit_reader(folders: list[Path], course: "Course | None" = None, steps: int = READER_STEPS) -> None:
    """Trains the network that reads cuts, from nothing without a course; prints its loss, writes it as ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.nets.course import Course
    from vision.training.nets.networks import BoxReader
    from vision.training.nets.weights import export

    torch.manual_seed(3)
    course = course or Course(BoxReader(), steps, READER_RATE, seed=8)
    samples = samples_of(folders, cut_sample)
    loaded = [sample for sample in samples if len(sample.levels)]

    def losses(rng: Rng) -> dict[str, torch.Tensor]:
        drawn = [cut_of(rng, samples[i], False) for i in rng.integers(len(samples), size=BOX_CUTS)]
        drawn += [cut_of(rng, loaded[i], True) for i in rng.integers(len(loaded), size=SQUARE_CUTS)]
        planes, kinds, offs, levels = (np.array(part) for part in zip(*drawn, strict=True))
        answer = course.network(torch.from_numpy(planes)).float()[:, :, 0, 0]
        boxes = torch.from_numpy(kinds > 0)
        off = answer[boxes, 10:12] - torch.from_numpy(offs.astype(np.float32))[boxes]
        return {
            "kinds": functional.cross_entropy(answer[:, :10], torch.from_numpy(kinds), ignore_index=-1),
            "offsets": functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.1),
            "levels": functional.cross_entropy(answer[:, 12:], torch.from_numpy(levels), ignore_index=-1),
        }

    course.teach("load reader", losses, weight_decay=2e-2)
    export(course.network, "load-reader", 6, CUT_PX, CUT_PX)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    fit_one = {"finder": fit_finder, "reader": fit_reader}[sys.argv[1]]
    fit_one([Path(folder) for folder in sys.argv[2:]])
