"""Trains the dice reader's networks and writes them to vision/models.

    python -m vision.training.nets.train              everything: render, train all, export, set the thresholds
    python -m vision.training.nets.train finder       one step of it: finder or one of the other steps in `main`

Path-traced pictures of dice, made beforehand by vision.training.traced.dice, are a quarter of the samples where
vision/training/work/traced holds some; rendered scenes take their place where not. The stages "further-…" go on from
the weights in vision/models.

Seeds and steps are fixed, so a run on the same machine with the same torch gives the same weights. Pictures and
checkpoints lie in vision/training/work, or in the folder that DICE_TRAINING_WORK names.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from vision.dice.crops import CLOSE_PX, CONTEXT, CROP_PX, Pyramid, crop_matrix, mirror_crop, normalise
from vision.dice.faces import candidate_matrix
from vision.dice.reader import DiceReader
from vision.models.network import MODELS, softmax
from vision.training.drawn.tables import lay_close_table
from vision.training.labelled import Rng
from vision.training.nets import samples
from vision.training.nets.course import half_bits
from vision.training.nets.networks import CloseReader, FaceReader, Finder
from vision.training.nets.thresholds import write_thresholds
from vision.training.nets.weights import export, multiply_adds, with_norms

HERE = Path(__file__).parents[1]
WORK = Path(os.environ.get("DICE_TRAINING_WORK", HERE / "work"))
SHARED = HERE.parents[2] / "shared" / "data"

SCENES = {11: 1600, 12: 1600, 13: 1000, 14: 1000}  # seed: how many
CLOSE_TABLES, CLOSE_SEED = 600, 15  # without dice
JUDGED_SCENES = {91: 240, 92: 160}  # for the thresholds, never for training
FINDER_BATCH, READER_BATCH = 16, 64
AVERAGED = {"steady": 0.999, "cycle": 0.995, "falling": 0.995}  # of the running mean of the weights, which is saved
CROPS_A_PICTURE = 8  # decoding a picture costs more than cutting it
LEAST_AGREED = {False: 0.0, True: 0.3}  # the grey heaps have many dice under others
HALF_SEEN = 0.6  # between surely readable and surely not
SHARES = {
    "rendered": 0.27, "traced": 0.27, "nell2": 0.11, "tray2": 0.11, "board": 0.05, "lens": 0.06, "grey": 0.06,
    "negative": 0.05, "clutter": 0.05,
}  # fmt: skip
COMMITTED = "vision/models"  # in place of a checkpoint: the committed weights
NORM_BATCHES = 6  # batches of samples that give the batch norm anew


@dataclass(frozen=True)
class Stage:
    """One training run: its network, initial weights, length, rate and samples."""

    network: str  # of NETWORKS
    start: str | None  # a stage, COMMITTED, or nothing
    steps: int
    rate: float
    seed: int
    shape: str = "cycle"  # of the rate over the steps: cycle, steady or falling


NETWORKS: dict[str, tuple[type[nn.Module], tuple[int, ...]]] = {  # and the shape of each one's input
    "finder": (Finder, (3, 448, 800)),
    "reader": (FaceReader, (3, CROP_PX, CROP_PX)),
    "doubts": (CloseReader, (3, CLOSE_PX, CLOSE_PX)),
}
STAGES = {
    "finder": Stage("finder", None, 4000, 2e-3, 1),
    "reader": Stage("reader", None, 9000, 2e-3, 2),
    "hone": Stage("finder", "finder", 4000, 1e-3, 35, "steady"),
    "settle": Stage("finder", "hone", 9000, 1e-3, 37, "falling"),
    "refine": Stage("reader", "reader", 20000, 6e-4, 24, "steady"),  # on what the finder reports
    "cool": Stage("reader", "refine", 1500, 6e-4, 26, "falling"),
    "doubts": Stage("doubts", None, 20000, 2e-3, 41),
    "further-reader": Stage("reader", COMMITTED, 8000, 1.2e-3, 61, "steady"),
    "further-cool": Stage("reader", "further-reader", 9000, 1.2e-3, 64, "falling"),
    "further-finder": Stage("finder", COMMITTED, 4000, 1e-3, 62),
    "further-doubts": Stage("doubts", COMMITTED, 6000, 1.2e-3, 63),
}


def render() -> None:
    """Renders the scenes of all seeds, one process a seed."""
    wanted = [("rendered", SCENES), ("judged", JUDGED_SCENES)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "vision.training.drawn.scenes", str(WORK / folder), str(count), str(seed)]
        )
        for folder, scenes in wanted
        for seed, count in scenes.items()
    ]
    (WORK / "clutter").mkdir(parents=True, exist_ok=True)
    for index in range(CLOSE_TABLES):
        table = lay_close_table(np.random.default_rng([CLOSE_SEED, index]))
        cv2.imwrite(str(WORK / "clutter" / f"{index:05}.jpg"), table, [cv2.IMWRITE_JPEG_QUALITY, 90])
    if any(process.wait() for process in running):
        raise SystemExit("Rendering failed: see the message above.")


def load_pictures() -> dict[str, list[samples.Picture]]:
    pictures: dict[str, list[samples.Picture]] = {name: [] for name in SHARES}
    everything = samples.load_own(WORK / "rendered") + samples.load_own(WORK / "traced")
    everything += samples.load_without_dice("clutter", WORK / "clutter")
    if SHARED.is_dir():
        everything += samples.load_photographs(SHARED / "dice-train")
        everything += samples.load_without_dice("negative", SHARED / "boards/go-photos", SHARED / "towers/bar-photos")
    for picture in everything:
        pictures[picture.group].append(picture)
    return {name: group for name, group in pictures.items() if group}


def pick(rng: Rng, pictures: dict[str, list[samples.Picture]]) -> samples.Picture:
    names = list(pictures)
    wanted = SHARES if "traced" in pictures else SHARES | {"rendered": SHARES["rendered"] + SHARES["traced"]}
    shares = np.array([wanted[name] for name in names])
    group = pictures[names[rng.choice(len(names), p=shares / shares.sum())]]
    return group[rng.integers(len(group))]


def set_doubtful_aside() -> None:
    """Notes labelled dice that a first reader contradicts: wrong labels, and heaps that nobody can read."""
    reader = DiceReader(MODELS)
    cv2.setNumThreads(1)
    doubtful: dict[str, list[int]] = {}
    for group, members in load_pictures().items():
        if group in samples.OWN_GROUPS or group == "negative":
            continue
        for index, picture in enumerate(members):
            pyramid = Pyramid(picture.pixels())
            contradicted = [
                i
                for i, (cx, cy, w, h, value, _) in enumerate(picture.dice.tolist())
                if is_contradicted(reader, pyramid, (cx, cy, max(w, h)), int(value), LEAST_AGREED[group == "grey"])
            ]
            doubtful[f"{group}-{index}"] = contradicted
    (WORK / "doubtful.json").write_text(json.dumps(doubtful))
    print(f"set aside: {sum(map(len, doubtful.values()))}")


def is_contradicted(
    reader: DiceReader, pyramid: Pyramid, place: tuple[float, float, float], value: int, agreed: float
) -> bool:
    """Whether six crops of a die together surely say something else, or give its value less than `agreed`."""
    cx, cy, size = place
    frames = [
        crop_matrix(cx + shift * size, cy + shift * size, CONTEXT * size * zoom, 0.0)
        for zoom, shift in ((1, 0), (0.9, 0.05), (1.1, -0.05))
    ]
    looks = reader.reader.look(pyramid, frames + [mirror_crop(frame) for frame in frames])
    chances = np.mean([softmax(look.scores) for look in looks], axis=0)
    return bool(chances[value] < 0.05 and chances.max() > 0.75) or bool(chances[value] < agreed)


def without_doubtful(pictures: dict[str, list[samples.Picture]]) -> dict[str, list[samples.Picture]]:
    """The pictures with the doubtful dice marked as half seen: only the finder learns them."""
    for key, indices in json.loads((WORK / "doubtful.json").read_text()).items():
        group, _, index = key.rpartition("-")
        pictures[group][int(index)].dice[indices, 5] = HALF_SEEN
    return pictures


def find_in_pictures() -> None:
    """Saves the finder's candidates on training pictures and the top faces that the reader sees, for `refine`."""
    reader = DiceReader(MODELS)
    cv2.setNumThreads(1)
    found = {}
    for group, members in load_pictures().items():
        for index, picture in enumerate(members):
            pixels = picture.pixels()
            pyramid = Pyramid(pixels)
            places = reader.finder.find(pyramid)
            looks = reader.reader.look(pyramid, [candidate_matrix(place) for place in places])
            found[f"{group}-{index}"] = np.array(
                [[c.cx, c.cy, c.w, c.h, c.heat, *look.face] for c, look in zip(places, looks, strict=True)]
            ).reshape(-1, 9)
    np.savez(WORK / "found.npz", **found)  # type: ignore[arg-type]  # its types take a name for its one option


def with_found(pictures: dict[str, list[samples.Picture]]) -> dict[str, list[samples.Picture]]:
    found = dict(np.load(WORK / "found.npz"))
    return {
        group: [replace(picture, found=found.get(f"{group}-{index}")) for index, picture in enumerate(members)]
        for group, members in pictures.items()
    }


class FinderBatches(torch.utils.data.Dataset):
    """Batches for the finder; batch i is the same whichever process computes it."""

    def __init__(self, pictures: dict[str, list[samples.Picture]], steps: int, seed: int) -> None:
        self.pictures, self.steps, self.seed = pictures, steps, seed

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor, Tensor]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng([self.seed, index])
        frames, targets, weights = zip(
            *(samples.finder_sample(rng, pick(rng, self.pictures)) for _ in range(FINDER_BATCH)), strict=True
        )
        pixels = torch.from_numpy(np.stack(frames)).permute(0, 3, 1, 2).float() / 127.5 - 1
        return pixels, torch.from_numpy(np.stack(targets)), torch.from_numpy(np.stack(weights))


class ReaderBatches(torch.utils.data.Dataset):
    def __init__(self, pictures: dict[str, list[samples.Picture]], steps: int, seed: int, crop_px: int) -> None:
        self.pictures, self.steps, self.seed, self.crop_px = pictures, steps, seed, crop_px

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
                sample = samples.face_sample(rng, picture, pixels, self.crop_px)
                if sample is not None:
                    crops.append(sample[0])
                    answers.append(sample[1])
                    poses.append(sample[2])
        ready = normalise(np.stack(crops[:READER_BATCH]))
        return (
            torch.from_numpy(ready),
            torch.tensor(answers[:READER_BATCH]),
            torch.from_numpy(np.stack(poses[:READER_BATCH])),
        )


def finder_loss(out: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    """Focal loss of the heat, and absolute error of size and offset near the centres."""
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
    return functional.cross_entropy(scores, answer, label_smoothing=0.005) + error.sum() / known.sum().clamp(min=1)


def schedule_of(optimiser: torch.optim.Optimizer, stage: Stage) -> torch.optim.lr_scheduler.LRScheduler:
    if stage.shape == "cycle":
        return torch.optim.lr_scheduler.OneCycleLR(optimiser, stage.rate, total_steps=stage.steps, pct_start=0.08)
    warm = 200 if stage.shape == "steady" else 1
    last = 1.0 if stage.shape == "steady" else 0.01
    return torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / warm) * (1 + (last - 1) * step / stage.steps)
    )


def fit(
    network: nn.Module, batches: Iterator[tuple[Tensor, Tensor, Tensor]], steps: int, rate: float, name: str
) -> None:
    """Trains by one cycle of the rate; saves a checkpoint every 500 steps."""
    loss_of = finder_loss if STAGES[name].network == "finder" else reader_loss
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-2)
    schedule = schedule_of(optimiser, STAGES[name])
    mean = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED[STAGES[name].shape]), use_buffers=True)
    network.train()
    began, running = time.monotonic(), 0.0
    for step, (pictures, first, second) in enumerate(batches, 1):
        with half_bits():
            outputs = network(pictures.contiguous(memory_format=torch.channels_last)).float()
        loss = loss_of(outputs, first, second)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(network)
        running += (loss.item() - running) / min(step, 100)
        if step % 100 == 0:
            print(f"{name} {step}/{steps} loss {running:.4f} {time.monotonic() - began:.0f} s", flush=True)
        if step % 500 == 0 or step == steps:
            torch.save(mean.module.state_dict(), WORK / f"{name}.pt")


def train(name: str) -> None:
    torch.manual_seed(3)
    torch.set_num_threads(1)
    pictures = load_pictures()
    print({group: len(members) for group, members in pictures.items()}, flush=True)
    stage = STAGES[name]
    shape = NETWORKS[stage.network][1]
    data: FinderBatches | ReaderBatches
    if stage.network == "finder":
        data = FinderBatches(pictures, stage.steps, stage.seed)
    else:
        if name != "reader":
            pictures = with_found(without_doubtful(pictures))
        data = ReaderBatches(pictures, stage.steps, stage.seed, shape[-1])
    network = initial_network(stage, data)
    loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2, prefetch_factor=4)
    fit(network.to(memory_format=torch.channels_last), iter(loader), stage.steps, stage.rate, name)
    write_model(name)


def initial_network(stage: Stage, data: FinderBatches | ReaderBatches) -> nn.Module:
    """The network of a stage with its initial weights."""
    network = NETWORKS[stage.network][0]()
    if stage.start == COMMITTED:
        known = torch.cat([data[stage.steps + i][0] for i in range(NORM_BATCHES)])
        return with_norms(network, f"dice-{stage.network}", known)
    if stage.start:
        network.load_state_dict(torch.load(WORK / f"{stage.start}.pt"))
    return network


def write_model(name: str) -> None:
    """Writes the checkpoint as ONNX; a later stage replaces an earlier one."""
    stage = STAGES[name]
    kind, shape = NETWORKS[stage.network]
    network = kind()
    network.load_state_dict(torch.load(WORK / f"{name}.pt"))
    export(network, f"dice-{stage.network}", *shape)
    print(f"{name}: {multiply_adds(network, *shape) / 1e6:.1f} M multiply-adds for {shape}")


EVERYTHING = ["render", "finder", "reader", "hone", "settle", "find", "sift", "refine", "cool", "doubts", "thresholds"]


def main(steps: list[str]) -> None:
    """Runs the steps, or all of them; refuses first if the last one could not run."""
    if not (SHARED / "dice" / "labels.json").is_file():
        raise SystemExit(f"{SHARED / 'dice'} holds no labelled photographs: the dice reader is taught and set on them.")
    WORK.mkdir(parents=True, exist_ok=True)
    for step in steps or EVERYTHING:
        if step == "render":
            render()
        elif step == "find":
            find_in_pictures()
        elif step == "sift":
            set_doubtful_aside()
        elif step == "thresholds":
            write_thresholds(WORK / "judged", SHARED / "dice", MODELS / "dice.json")
        elif step.startswith("export-"):
            write_model(step.removeprefix("export-"))
        else:
            train(step)


if __name__ == "__main__":
    main(sys.argv[1:])
