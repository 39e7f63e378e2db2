"""Trains the two networks of the heights of stacks on pictures of vision.training.drawn.stacks.

python -m vision.training.nets.stack_nets FOLDER…  fits stack-reader and stack-heights of vision/models
"""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from companion.game.readings import DieReading
from vision.dice.reader import read_dice
from vision.scene.file import scene_of
from vision.scene.scene import Scene
from vision.stacks.reader import (
    OWN_FEATURES,
    SHARED_FEATURES,
    TALL_PX,
    TOP_Y_PX,
    WIDE_PX,
    Cut,
    cut_of,
    cut_stack,
    marks_of,
    network_input,
)
from vision.training.labelled import Rng, picture_at
from vision.training.nets.samples import recolour

if TYPE_CHECKING:  # torch is only installed for training
    from vision.training.nets.course import Course

FINER, MARGIN_PX = 1.25, 12  # scale and margin of the patches against the reader's crops
PATCH_PX = (int(WIDE_PX * FINER) + 2 * MARGIN_PX, int(TALL_PX * FINER) + 2 * MARGIN_PX)
STEEP_LEAN, STEEP_TIMES = 0.2, 3.0  # in sides a level: stacks that lean less are shown so many times as often
CLEARLY_SEEN = 0.8  # least share of a top face to learn from
STEPS, BATCH, RATE = 6000, 64, 3e-3


@dataclass(frozen=True, eq=False)
class Patch:
    """A stack, cut wider and finer than in the reader, to be jittered.

    cut     how the reader would cut it out of the patch
    height  0 without a label: for a side face, a lower die, or a half hidden top face
    others  (n, 2) middles of the picture's other supposed tops, in pixels of the patch
    """

    picture: np.ndarray
    cut: Cut
    height: int
    others: np.ndarray


def patches_of(folders: list[Path]) -> list[list[Patch]]:
    """The patches of all dice that the reader takes for tops, by picture."""
    shown = []
    for folder in folders:
        for entry in json.loads((folder / "labels.json").read_text())["images"]:
            frame = picture_at(folder / entry["file"])
            scene = scene_of(entry)
            dice = read_dice(frame, scene).dice
            if dice:
                shown.append(patches_in(frame, scene, entry["stacks"], dice))
    return shown


def patches_in(
    frame: np.ndarray, scene: Scene, labels: list[dict[str, Any]], dice: tuple[DieReading, ...]
) -> list[Patch]:
    """The patches of one picture."""
    assert scene.die_size_mm is not None
    pose = scene.pose(frame)
    middles = np.array([[die.cx, die.cy] for die in dice])
    patches = []
    for number, die in enumerate(dice):
        cut = cut_of(pose, scene.die_size_mm, middles[number], die.angle_deg)
        wide = FINER * cut.matrix + np.array([[0, 0, MARGIN_PX], [0, 0, MARGIN_PX]])
        picture = cv2.warpAffine(frame, wide, PATCH_PX, borderMode=cv2.BORDER_REPLICATE)
        inside = np.array([[1 / FINER, 0, -MARGIN_PX / FINER], [0, 1 / FINER, -MARGIN_PX / FINER]])
        others = np.delete(middles, number, axis=0) @ wide[:, :2].T + wide[:, 2]
        patches.append(Patch(picture, replace(cut, matrix=inside), labelled_height(labels, middles[number]), others))
    return patches


def labelled_height(labels: list[dict[str, Any]], middle_px: np.ndarray) -> int:
    """The height of the stack with its clearly seen top face there, otherwise 0."""
    for stack in labels:
        size = float(np.sqrt(cv2.contourArea(np.array(stack["top_face_px"], np.float32))))
        if np.linalg.norm(middle_px - stack["top_centre_px"]) < size / 2:
            return int(stack["height"]) if stack["top_visible"] >= CLEARLY_SEEN else 0
    return 0


def jitter(rng: Rng, patch: Patch, zoom: float) -> tuple[np.ndarray, np.ndarray]:
    """Crop and marks as the reader might cut them, a pixel or two off; half of them mirrored."""
    zoom *= float(np.exp(rng.normal(0, 0.003)))  # more would blur the size of a face, which tells its height
    turn: np.ndarray = cv2.getRotationMatrix2D((WIDE_PX / 2, TOP_Y_PX), float(rng.normal(0, 2)), zoom)
    turn[:, 2] += rng.normal(0, 0.8, 2)
    matrix = turn[:, :2] @ patch.cut.matrix + np.array([[0, 0, 1], [0, 0, 1]]) * turn[:, 2:]
    cut = replace(patch.cut, matrix=matrix, turn_deg=patch.cut.turn_deg + rng.normal(0, 2))
    crop, marks = cut_stack(patch.picture, cut), marks_of(cut, patch.others)
    return (crop[:, ::-1], marks[:, ::-1]) if rng.random() < 0.5 else (crop, marks)


def shares_of(shown: list[list[Patch]]) -> np.ndarray:
    """The share of each picture among the samples: larger if its stacks hardly lean, as these are hardest to tell."""
    weights = np.array(
        [np.mean([STEEP_TIMES if p.cut.lean < STEEP_LEAN else 1.0 for p in patches]) for patches in shown]
    )
    return weights / weights.sum()


def sample(rng: Rng, shown: list[list[Patch]], shares: np.ndarray) -> tuple[np.ndarray, list[int], list[int]]:
    """A batch of pictures, whole or in part: the input, the heights, and the number of stacks in each picture.

    All stacks of a picture have the same light, camera and error in the size of a die.
    """
    crops, marks, cuts, heights = [], [], [], []
    numbers: list[int] = []
    while sum(numbers) < BATCH:
        patches = shown[rng.choice(len(shown), p=shares)]
        if rng.random() < 0.5:
            share = rng.uniform(0.3, 1)
            patches = [patches[i] for i in rng.permutation(len(patches))[: max(1, int(len(patches) * share))]]
        zoom, look = float(np.exp(rng.normal(0, 0.004))), int(rng.integers(2**62))
        for patch in patches:
            crop, mark = jitter(rng, patch, zoom)
            crops.append(recolour(np.random.default_rng(look), crop))
            marks.append(mark)
            cuts.append(patch.cut)
            heights.append(patch.height)
        numbers.append(len(patches))
    return network_input(np.stack(crops), np.stack(marks), cuts), heights, numbers


def fit(folders: list[Path], course: "Course | None" = None, steps: int = STEPS) -> None:
    """Trains both networks of the heights, from nothing without a course; prints the loss and writes them as ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.nets.course import Course
    from vision.training.nets.networks import StackHeights, StackReader
    from vision.training.nets.weights import committed, export

    torch.manual_seed(3)
    known = (OWN_FEATURES + SHARED_FEATURES, 1, 1)
    height_network = committed(StackHeights(), "stack-heights", *known) if course else StackHeights()
    course = course or Course(StackReader(), steps, RATE)
    reader, shown = course.network, patches_of(folders)
    shares = shares_of(shown)
    print(f"{len(shown)} pictures", flush=True)

    def losses(rng: Rng) -> dict[str, torch.Tensor]:
        batch, heights, numbers = sample(rng, shown, shares)
        seen = reader(torch.from_numpy(batch)).float()
        alike = [part.mean(0, keepdim=True).expand_as(part) for part in seen[:, OWN_FEATURES:].split(numbers)]
        scores = height_network(torch.cat([seen[:, :OWN_FEATURES], torch.cat(alike)], dim=1)).float()[:, :, 0, 0]
        truth = torch.tensor(heights)
        return {
            "heights": functional.cross_entropy(scores[truth > 0], truth[truth > 0] - 1, label_smoothing=0.005),
        }

    replace(course, network=torch.nn.ModuleList([reader, height_network])).teach("stacks", losses, weight_decay=5e-2)
    export(reader, "stack-reader", 6, TALL_PX, WIDE_PX)
    export(height_network, "stack-heights", *known)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    fit([Path(folder) for folder in sys.argv[1:]])
