"""Trains the network for a space of a board on pictures of vision.training.drawn.boards.

python -m vision.training.nets.board_net FOLDER…  fits vision/models/space-reader.onnx.xz
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.board.reader import space_middles
from vision.board.tops import (
    FOOT_PX,
    PIECE_PX,
    TALL_PX,
    WIDE_PX,
    EmptyLook,
    cut_matrices,
    cut_spaces,
    empty_looks,
    space_input,
)
from vision.scene.file import scene_of
from vision.training.labelled import Rng, picture_at
from vision.training.nets.samples import recolour

if TYPE_CHECKING:  # torch is only installed for training
    from vision.training.nets.course import Course

MARGIN_PX = 6  # of the patches around the reader's cuts
STEPS, BATCH, RATE = 20_000, 64, 4e-3
FIRST_LOOK_SHARE = 0.35  # share of spaces shown by themselves, as in the reader's first look


@dataclass(frozen=True)
class Spaces:
    """Every space once, cut wider than the reader does, to be jittered.

    shown    (n, 82, 68, 7) uint8: the cut, the look of an empty space there, and how much empty ones differ
    surely   (n,) probability that those spaces are empty
    leans    (n,)
    heights  (n,)
    shifts   (n, 2) of the tops, NaN if there is none
    """

    shown: np.ndarray
    surely: np.ndarray
    leans: np.ndarray
    heights: np.ndarray
    shifts: np.ndarray


def spaces_of(folders: list[Path]) -> Spaces:
    """All spaces of the pictures in these folders."""
    rng = np.random.default_rng(17)
    shown, surely, leans, heights, shifts = [], [], [], [], []
    for folder in folders:
        for entry in json.loads((folder / "labels.json").read_text())["images"]:
            frame = picture_at(folder / entry["file"])
            scene = scene_of(entry)
            assert scene.board is not None
            assert scene.piece is not None
            pose = scene.pose(frame)
            cuts = cut_matrices(pose, scene.piece, space_middles(scene.board))
            grown = [matrix + np.array([[0, 0, MARGIN_PX], [0, 0, MARGIN_PX]]) for matrix, _ in cuts]
            cut = cut_spaces(frame, grown, (WIDE_PX + 2 * MARGIN_PX, TALL_PX + 2 * MARGIN_PX))
            usual = empty_looks(cut, simulate_first_look(rng, np.array(entry["heights"]).ravel() == 0))
            shown.append(np.concatenate([cut, usual.looks, usual.apart[..., None].astype(np.uint8)], axis=3))
            surely.append(usual.sure)
            leans += [lean for _, lean in cuts]
            shift = np.full((len(cuts), 2), np.nan)
            for pile in entry["piles"]:
                index = pile["cell"][0] * scene.board.n + pile["cell"][1]
                matrix, _ = cuts[index]
                shift[index] = (matrix @ [*pile["top_centre_px"], 1] - FOOT_PX) / PIECE_PX
            shifts.append(shift)
            heights += [height for row in entry["heights"] for height in row]
    return Spaces(
        np.concatenate(shown), np.concatenate(surely), np.array(leans, np.float32), np.array(heights),
        np.concatenate(shifts),
    )  # fmt: skip


def simulate_first_look(rng: Rng, empty: np.ndarray) -> np.ndarray:
    """Probabilities (n,) of being empty, as a first look may give them.

    They are mostly right; on some boards they are hardly better than a guess, and on some all spaces look taken.
    """
    odds = np.where(empty, 4.0, -4.0) * rng.choice([1.0, 0.5, 0.2]) + rng.normal(0, 1.5, len(empty))
    return 1 / (1 + np.exp(-odds - rng.choice([0.0, 0.0, -4.0])))


def jitter(rng: Rng, shown: np.ndarray, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cut and the empty look, (70, 56, 7) uint8, and the top's shift (2,), as an inexact pose gives them.

    Half of them are mirrored.
    """
    foot = FOOT_PX + MARGIN_PX
    turn_deg, zoom = float(rng.normal(0, 2)), float(np.exp(rng.normal(0, 0.03)))
    matrix: np.ndarray = cv2.getRotationMatrix2D((float(foot[0]), float(foot[1])), turn_deg, zoom)
    matrix[:, 2] += rng.normal(0, 0.8, 2) - MARGIN_PX
    parts = np.split(shown, [3, 6], axis=2)
    warped = [cv2.warpAffine(part, matrix, (WIDE_PX, TALL_PX), borderMode=cv2.BORDER_REPLICATE) for part in parts]
    made = np.concatenate([*warped[:2], warped[2][..., None]], axis=2)
    moved = (matrix @ [*(foot + shift * PIECE_PX), 1] - FOOT_PX) / PIECE_PX
    return (made[:, ::-1], moved * [-1, 1]) if rng.random() < 0.5 else (made, moved)


def in_other_light(rng: Rng, shown: np.ndarray) -> np.ndarray:
    """The cut and the empty look, (70, 56, 7), both in the same other light."""
    both = recolour(rng, np.concatenate([shown[..., :3], shown[..., 3:6]], axis=1))
    return np.concatenate([*np.split(both, 2, axis=1), shown[..., 6:]], axis=2)


def fit(folders: list[Path], course: "Course | None" = None, steps: int = STEPS) -> None:
    """Trains the network of the spaces, from nothing without a course; prints its loss and writes it as ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.nets.course import Course
    from vision.training.nets.networks import SpaceReader
    from vision.training.nets.weights import export

    torch.manual_seed(3)
    course = course or Course(SpaceReader(), steps, RATE)
    spaces = spaces_of(folders)
    print(f"{len(spaces.heights)} spaces", flush=True)

    def losses(rng: Rng) -> dict[str, torch.Tensor]:
        chosen = rng.integers(len(spaces.heights), size=BATCH)
        pairs = [jitter(rng, spaces.shown[i], spaces.shifts[i]) for i in chosen]
        views = np.stack([in_other_light(rng, view) if rng.random() < 0.7 else view for view, _ in pairs])
        usual = EmptyLook(views[..., 3:6], views[..., 6], spaces.surely[chosen])
        shown = space_input(views[..., :3], spaces.leans[chosen], usual)
        shown[rng.random(BATCH) < FIRST_LOOK_SHARE, 4:] = 0
        wanted = np.array([shift for _, shift in pairs], np.float32)
        there = torch.from_numpy(~np.isnan(wanted[:, 0]))
        scores = course.network(torch.from_numpy(shown)).float()[:, :, 0, 0]
        heights = torch.from_numpy(spaces.heights[chosen])
        off = scores[:, -2:][there] - torch.from_numpy(wanted)[there]
        return {
            "heights": functional.cross_entropy(scores[:, :-2], heights, label_smoothing=0.005),
            "shifts": 5 * functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.1),
        }

    course.teach("boards", losses, weight_decay=3e-2)
    export(course.network, "space-reader", 9, TALL_PX, WIDE_PX)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    fit([Path(folder) for folder in sys.argv[1:]])
