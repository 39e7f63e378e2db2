"""Trains the dice reader's networks and writes them to vision/models.

    python -m vision.training.train              everything: render, train both, export, calibrate
    python -m vision.training.train finder       one step of it: render, finder, reader, find, refine or calibrate

Seeds and steps are fixed, so a run on the same machine with the same torch gives the same weights. Pictures and
checkpoints lie in vision/training/work, or in the folder that DICE_TRAINING_WORK names.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.dice import DiceReader
from vision.training import samples
from vision.training.calibrate import calibrate
from vision.training.networks import CROP_PX, FaceReader, Finder, export, multiply_adds

HERE = Path(__file__).parent
WORK = Path(os.environ.get("DICE_TRAINING_WORK", HERE / "work"))
MODELS = HERE.parent / "models"
SHARED = HERE.parents[2] / "shared" / "data"

SCENES = {11: 1600, 12: 1600}  # seed: how many
JUDGED_SCENES = {91: 240}  # never trained on: the calibration looks at them
FINDER_STEPS, FINDER_BATCH, FINDER_RATE = 4000, 16, 2e-3
REFINE_STEPS, REFINE_RATE = 1000, 6e-4  # the reader once more, on what the trained finder reports
READER_STEPS, READER_BATCH, READER_RATE = 9000, 64, 2e-3
FOUND_IN = 1200  # pictures of a group that the refinement uses
CROPS_A_PICTURE = 8  # decoding a picture costs more than cutting it
SHARES = {"rendered": 0.54, "nell2": 0.11, "tray2": 0.11, "board": 0.05, "lens": 0.07, "grey": 0.07, "negative": 0.05}


def render() -> None:
    """Scenes of all seeds, one process a seed."""
    wanted = [("rendered", SCENES), ("judged", JUDGED_SCENES)]
    running = [
        subprocess.Popen([sys.executable, "-m", "vision.training.scenes", str(WORK / folder), str(count), str(seed)])
        for folder, scenes in wanted
        for seed, count in scenes.items()
    ]
    if any(process.wait() for process in running):
        raise SystemExit("Rendering failed: see the message above.")


def load_pictures() -> dict[str, list[samples.Picture]]:
    pictures: dict[str, list[samples.Picture]] = {name: [] for name in SHARES}
    everything = samples.load_rendered(WORK / "rendered")
    if SHARED.is_dir():
        everything += samples.load_photographs(SHARED / "dice-train")
        everything += samples.load_negatives(SHARED / "boards/go-photos", SHARED / "towers/bar-photos")
    for picture in everything:
        pictures[picture.group].append(picture)
    return {name: group for name, group in pictures.items() if group}


def pick(rng: samples.Rng, pictures: dict[str, list[samples.Picture]]) -> samples.Picture:
    names = list(pictures)
    shares = np.array([SHARES[name] for name in names])
    group = pictures[names[rng.choice(len(names), p=shares / shares.sum())]]
    return group[rng.integers(len(group))]


def find_in_pictures() -> None:
    """What the finder reports on training pictures, for `refine`."""
    reader = DiceReader(MODELS)
    cv2.setNumThreads(1)
    found = {}
    for group, members in load_pictures().items():
        for index, picture in enumerate(members[:FOUND_IN]):
            places = reader.find_dice(picture.pixels())
            found[f"{group}-{index}"] = np.array([[c.cx, c.cy, c.w, c.h, c.heat] for c in places]).reshape(-1, 5)
    np.savez(WORK / "found.npz", **found)


def with_found(pictures: dict[str, list[samples.Picture]]) -> dict[str, list[samples.Picture]]:
    found = np.load(WORK / "found.npz")
    return {
        group: [replace(picture, found=found[f"{group}-{index}"]) for index, picture in enumerate(members[:FOUND_IN])]
        for group, members in pictures.items()
    }


class FinderBatches(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """Batch i is the same whoever computes it."""

    def __init__(self, pictures: dict[str, list[samples.Picture]]) -> None:
        self.pictures = pictures

    def __len__(self) -> int:
        return FINDER_STEPS

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor, Tensor]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng([1, index])
        frames, targets, weights = zip(
            *(samples.finder_sample(rng, pick(rng, self.pictures)) for _ in range(FINDER_BATCH)), strict=True
        )
        pixels = torch.from_numpy(np.stack(frames)).permute(0, 3, 1, 2).float() / 127.5 - 1
        return pixels, torch.from_numpy(np.stack(targets)), torch.from_numpy(np.stack(weights))


class ReaderBatches(torch.utils.data.Dataset):  # type: ignore[type-arg]
    def __init__(self, pictures: dict[str, list[samples.Picture]], steps: int, seed: int) -> None:
        self.pictures, self.steps, self.seed = pictures, steps, seed

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor, Tensor]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng([self.seed, index])
        crops: list[np.ndarray] = []
        answers: list[int] = []
        poses: list[np.ndarray] = []
        while len(crops) < READER_BATCH:
            picture = pick(rng, self.pictures)
            pixels = picture.pixels()
            for _ in range(CROPS_A_PICTURE):
                sample = samples.face_sample(rng, picture, pixels)
                if sample is not None:
                    crops.append(sample[0])
                    answers.append(sample[1])
                    poses.append(sample[2])
        ready = samples.normalised(np.stack(crops[:READER_BATCH]))
        return (
            torch.from_numpy(ready),
            torch.tensor(answers[:READER_BATCH]),
            torch.from_numpy(np.stack(poses[:READER_BATCH])),
        )


def finder_loss(out: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Focal loss on the heat, absolute error of size and offset near the centres."""
    heat, truth = out[:, 0].sigmoid().clamp(1e-4, 1 - 1e-4), target[:, 0]
    peak = (truth == 1).float() * weight
    found = -peak * (1 - heat) ** 2 * heat.log()
    quiet = -(1 - peak) * weight * (1 - truth) ** 4 * heat**2 * (1 - heat).log()
    near = target[:, 5:6]
    shape = functional.smooth_l1_loss(out[:, 1:5], target[:, 1:5], reduction="none", beta=0.05) * near
    return (found + quiet).sum() / peak.sum().clamp(min=1) + shape.sum() / near.sum().clamp(min=1)


def reader_loss(out: Tensor, answer: Tensor, pose: Tensor) -> Tensor:
    scores, guess = out[:, :8, 0, 0], out[:, 8:, 0, 0]
    known = ~pose.isnan()
    error = functional.smooth_l1_loss(guess, pose.nan_to_num(), reduction="none", beta=0.05) * known
    return functional.cross_entropy(scores, answer, label_smoothing=0.01) + error.sum() / known.sum().clamp(min=1)


def fit(
    network: nn.Module, batches: Iterator[tuple[Tensor, Tensor, Tensor]], steps: int, rate: float, name: str
) -> None:
    """One-cycle training; a checkpoint every 500 steps."""
    loss_of = finder_loss if name == "finder" else reader_loss
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.08)
    network.train()
    began, running = time.monotonic(), 0.0
    for step, (pictures, first, second) in enumerate(batches, 1):
        loss = loss_of(network(pictures.contiguous(memory_format=torch.channels_last)), first, second)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        running += (loss.item() - running) / min(step, 100)
        if step % 100 == 0:
            print(f"{name} {step}/{steps} loss {running:.4f} {time.monotonic() - began:.0f} s", flush=True)
        if step % 500 == 0 or step == steps:
            torch.save(network.state_dict(), WORK / f"{name}.pt")


def train(name: str) -> None:
    torch.manual_seed(3)
    torch.set_num_threads(1)
    pictures = load_pictures()
    print({group: len(members) for group, members in pictures.items()}, flush=True)
    network: nn.Module
    data: FinderBatches | ReaderBatches
    if name == "finder":
        network, data, rate = Finder(), FinderBatches(pictures), FINDER_RATE
    elif name == "reader":
        network, data, rate = FaceReader(), ReaderBatches(pictures, READER_STEPS, 2), READER_RATE
    else:
        network, data, rate = FaceReader(), ReaderBatches(with_found(pictures), REFINE_STEPS, 4), REFINE_RATE
        network.load_state_dict(torch.load(WORK / "reader.pt"))
    loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=1, prefetch_factor=4)
    fit(network.to(memory_format=torch.channels_last), iter(loader), len(data), rate, name)
    write_model(name)


def write_model(name: str) -> None:
    """The checkpoint as ONNX; `refine` takes the reader's place."""
    network = Finder() if name == "finder" else FaceReader()
    network.load_state_dict(torch.load(WORK / f"{name}.pt"))
    shape = (3, 448, 800) if name == "finder" else (3, CROP_PX, CROP_PX)
    export(network, str(MODELS / f"dice-{name.replace('refine', 'reader')}.onnx"), *shape)
    print(f"{name}: {multiply_adds(network, *shape) / 1e6:.1f} M multiply-adds for {shape}")


def main(steps: list[str]) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    for step in steps or ["render", "finder", "reader", "find", "refine", "calibrate"]:
        if step == "render":
            render()
        elif step == "find":
            find_in_pictures()
        elif step == "calibrate":
            calibrate(WORK / "judged", SHARED / "dice", MODELS / "dice.json")
        elif step.startswith("export-"):
            write_model(step.removeprefix("export-"))
        else:
            train(step)


if __name__ == "__main__":
    main(sys.argv[1:])
