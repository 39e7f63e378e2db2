"""Trains the network of the tower reader on pictures of vision.training.drawn.towers.

    python -m vision.training.nets.tower_net FOLDER…  fits vision/models/tower-reader.onnx.xz

The truth of every pixel of a crop comes from casting rays at the labelled blocks.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from vision.scene.file import scene_of
from vision.tower.blocks import NOTHING, Solid, cast
from vision.tower.crop import FINER, TALL_PX, WIDE_PX, Front, front_of
from vision.tower.maps import STATUSES, network_input
from vision.training.drawn.towers import solids_of
from vision.training.labelled import Rng, picture_at

if TYPE_CHECKING:  # torch is only installed for training
    from vision.training.nets.course import Course

STEPS, BATCH, RATE, STATUS_STEPS = 9000, 8, 3e-3, 300
ROWS, COLUMNS = slice(96, None), slice(16, 144)  # where stacks are
PART_PX = (192, 112)
WEIGHT_OF_FRONTS, WEIGHT_OF_EDGES = 2.0, 4.0  # edges are rare: one missed costs more
COLOURS = 3 * FINER**2  # the input's first planes: those of the fine pixels, rows first, then columns, then colours
TURNS = np.arange(COLOURS) % 3  # the colour of each
MIRRORED = np.concatenate([[3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8], np.arange(COLOURS, 16)])  # left and right exchanged
FRONT_FACING = 0.75  # least part of a face's direction towards the viewer: one turned further is a side


def truth_of(front: Front, solids: list[Solid]) -> np.ndarray:
    """(4, 384, 160) uint8 0 or 1: front, block, level edge, side edge."""
    near = [solid for solid in solids if abs(solid.centre_mm[0] - front.centre_mm[0]) < 140 * front.mm_per_px]
    which, block = np.full((TALL_PX, WIDE_PX), NOTHING), np.zeros((TALL_PX, WIDE_PX), bool)
    if near:
        corners = np.vstack([solid.corners_mm() for solid in near])
        behind = corners[:, 1] - front.centre_mm[1]
        columns = front.columns(corners[:, 0] - front.centre_mm[0], behind)
        rows = front.rows(corners[:, 2], behind)
        window = (
            slice(max(0, int(rows.min()) - 1), max(1, int(rows.max()) + 2)),
            slice(max(0, int(columns.min()) - 1), max(1, int(columns.max()) + 2)),
        )
        rays = (front.points_mm()[window] - front.eye_mm).astype(np.float32)
        hits = cast(near, front.eye_mm, rays.reshape(-1, 3))
        round_one = np.array([solid.cylinder for solid in near] + [False])
        facing = (-hits.normal[:, 1] > FRONT_FACING) | (round_one[hits.which] & (np.abs(hits.normal[:, 2]) < 0.5))
        which[window] = np.where(facing, hits.which, NOTHING).reshape(rays.shape[:2])
        block[window] = (hits.which != NOTHING).reshape(rays.shape[:2])
    level, side = np.zeros_like(which, bool), np.zeros_like(which, bool)
    up, left = which[1:] != which[:-1], which[:, 1:] != which[:, :-1]
    level[1:] |= up
    level[:-1] |= up
    side[:, 1:] |= left
    side[:, :-1] |= left
    return np.stack([which != NOTHING, block, level, side]).astype(np.uint8)


def samples_of(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every space of a folder once: crops (n, 768, 320, 3), truths (n, 4, 384, 160), statuses (n,)."""
    cached = folder / "samples.npz"
    if cached.exists():
        stored = np.load(cached)
        return stored["crops"], stored["truths"], stored["statuses"]
    crops, truths, statuses = [], [], []
    for entry in json.loads((folder / "labels.json").read_text())["images"]:
        frame = picture_at(folder / entry["file"])
        for front, stack in spaces_of(entry, frame):
            solids = [piece for each in entry["stacks"] for piece in labelled_solids(entry, each)]
            crops.append(front.cut(frame))
            truths.append(truth_of(front, solids))
            statuses.append(STATUSES.index(stack["status"]))
    np.savez(cached, crops=crops, truths=truths, statuses=statuses)
    return np.stack(crops), np.stack(truths), np.array(statuses)


def spaces_of(entry: dict[str, Any], frame: np.ndarray) -> list[tuple[Front, dict[str, Any]]]:
    """Each labelled space as the camera sees it, with its label."""
    scene = scene_of(entry)
    assert scene.block_mm
    pose = scene.pose(frame)
    return [
        (front_of(pose, scene.spaces_mm[stack["space"] - 1], scene.block_mm[1]), stack) for stack in entry["stacks"]
    ]


def labelled_solids(entry: dict[str, Any], stack: dict[str, Any]) -> list[Solid]:
    return solids_of(entry["block_mm_long_mid_short"], entry["cylinder_mm_diameter_height"], stack["blocks"])


def fit(folders: list[Path], course: "Course | None" = None, steps: int = STEPS) -> None:
    """Trains the maps, then the status, on one core; from nothing without a course. Prints losses, writes the
    network."""
    import torch

    from vision.training.nets.course import Course
    from vision.training.nets.networks import TowerReader
    from vision.training.nets.weights import export

    torch.manual_seed(3)
    course = course or Course(TowerReader(), steps, RATE, seed=9)
    crops, truths, statuses = map(np.concatenate, zip(*map(samples_of, folders), strict=True))
    print(f"{len(crops)} spaces, {sum(p.numel() for p in course.network.parameters())} parameters", flush=True)
    fit_maps(course, crops, truths)
    fit_status(course.network, crops, statuses)
    export(course.network, "tower-reader", 16, TALL_PX, WIDE_PX, outputs=("maps", "status"))


def fit_maps(course: "Course", crops: np.ndarray, truths: np.ndarray) -> None:
    """Trains the maps on windows of the crops around the stacks, mirrored and in other light."""
    import torch
    from torch.nn import functional

    network: Any = course.network
    inputs = np.stack([network_input(crop)[0][:, ROWS, COLUMNS].astype(np.float16) for crop in crops])
    weights = torch.tensor([WEIGHT_OF_FRONTS, WEIGHT_OF_FRONTS, WEIGHT_OF_EDGES, WEIGHT_OF_EDGES]).view(1, 4, 1, 1)

    def losses(rng: Rng) -> dict[str, torch.Tensor]:
        shown, wanted = [], []
        for i in rng.integers(len(crops), size=BATCH):
            top, left = 2 * rng.integers(0, (inputs.shape[2] - PART_PX[0]) // 2 + 1, 2) // np.array([1, 6])
            window = (slice(None), slice(top, top + PART_PX[0]), slice(left, left + PART_PX[1]))
            looks = inputs[i][window].astype(np.float32)
            truth = truths[i][:, ROWS, COLUMNS][window]
            looks[:COLOURS] = looks[:COLOURS] * np.exp(rng.normal(0, 0.15)) + rng.normal(0, 0.15, (3, 1, 1))[TURNS]
            looks[:COLOURS] += rng.uniform(0, 0.1) * rng.standard_normal(looks[:COLOURS].shape, np.float32)
            if rng.random() < 0.5:
                looks, truth = looks[MIRRORED, :, ::-1], truth[:, :, ::-1]
            shown.append(looks)
            wanted.append(truth)
        target = torch.from_numpy(np.stack(wanted).astype(np.float32))
        maps = network.maps_of(torch.from_numpy(np.stack(shown)))[0].float()
        planes = maps.reshape(BATCH, 4, 2, 2, *maps.shape[2:]).permute(0, 1, 4, 2, 5, 3).reshape(target.shape)
        return {"maps": functional.binary_cross_entropy_with_logits(planes, target, pos_weight=weights)}

    course.teach("towers", losses, weight_decay=1e-2)


def fit_status(network: Any, crops: np.ndarray, statuses: np.ndarray) -> None:
    """Trains the status on the features of whole crops, once the maps are trained."""
    import torch
    from torch.nn import functional

    network.eval()
    with torch.no_grad():
        seen = torch.cat([network.maps_of(torch.from_numpy(network_input(crop)))[1] for crop in crops])
    seen, targets = torch.cat([seen, seen.flip(3)]), torch.from_numpy(np.tile(statuses, 2))
    network.status.train()
    optimiser = torch.optim.AdamW(network.status.parameters(), lr=2e-3, weight_decay=1e-1)
    shares = torch.bincount(targets, minlength=len(STATUSES)).float()
    for step in range(STATUS_STEPS):
        chosen = torch.randint(len(seen), (64,))
        scores = network.status(seen[chosen])[:, :, 0, 0]
        loss = functional.cross_entropy(scores, targets[chosen], weight=(shares.max() / shares).sqrt())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 100 == 99:
            print(f"status step {step + 1}, loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    fit([Path(folder) for folder in sys.argv[1:]])
