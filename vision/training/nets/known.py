"""Teaches the dice networks what is no die: numerals, dominoes, tokens, cards, print, lace. On a graphics card if any.

    python -m vision.training.nets.known draw [SHARE]          draws the pictures (SHARE of them, 1 unless said)
    python -m vision.training.nets.known find                  what the finder reports on them and on the photographs
    python -m vision.training.nets.known teach NAME MINUTES    NAME is knower, reader or doubts; writes NAME.npz
    python -m vision.training.nets.known export NAME [FOLDER]  makes the network in vision/models of that NAME.npz
    python -m vision.training.nets.known all MINUTES [SHARE]   everything, MINUTES for the teaching of each network

`all` teaches the three at once, so that no processor waits. Pictures and weights lie in the folder of
`vision.training.nets.train`; the photographs in ../shared/data, or in the folder that DICE_TRAINING_PHOTOS names.
The weights depend on how far a network came in its minutes: a run cannot be repeated exactly.
"""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from vision.dice.crops import CLOSE_PX, CONTEXT, CROP_PX, KNOWN_CONTEXT, KNOWN_PX, Pyramid
from vision.dice.faces import candidate_matrix
from vision.dice.reader import DiceReader
from vision.models.network import MODELS
from vision.training.drawn.scenes import write_scenes
from vision.training.drawn.strange import write_strange
from vision.training.drawn.tables import lay_close_table
from vision.training.labelled import Rng
from vision.training.nets import samples
from vision.training.nets.networks import CloseReader, DieKnower, FaceReader
from vision.training.nets.renumbered import renumbered
from vision.training.nets.train import LEAST_AGREED, SHARED, WORK, is_contradicted, reader_loss
from vision.training.nets.weights import export, with_norms

PHOTOS = Path(os.environ.get("DICE_TRAINING_PHOTOS", SHARED))
STRANGE, SCENES, TABLES = 8000, 3200, 320  # pictures; a sixteenth of them to a seed
STRANGE_SEED, SCENES_SEED, TABLES_SEED = 2000, 2100, 2200  # the first of sixteen
PARTS = 16
BATCH = 128
CROPS_A_PICTURE = 8
HALF_SEEN = 0.6  # between surely readable and surely not
PHOTOGRAPHED = {"nell2": 0.1, "tray2": 0.1, "board": 0.05, "lens": 0.05, "grey": 0.05, "negative": 0.05}
OWN = {"rendered": 0.15, "strange": 0.4, "clutter": 0.05}
READ = {"rendered": 0.34, "strange": 0.2, "clutter": 0.03}  # for the networks that name values
RENUMBERED = 0.25  # share of the photographed dice that the knower sees with a numeral in place of pips
WARM, AVERAGED = 300, 0.998  # steps in which the rate rises; share of the running mean that a step keeps


@dataclass(frozen=True)
class Pupil:
    """A network to teach: its class, crops and samples, its file, and whether it goes on from the committed weights."""

    kind: Callable[[], nn.Module]
    crop_px: int
    context: float
    upright: float
    shares: dict[str, float]
    rate: float
    model: str
    goes_on: bool


PUPILS = {
    "knower": Pupil(DieKnower, KNOWN_PX, KNOWN_CONTEXT, 0.0, PHOTOGRAPHED | OWN, 2e-3, "dice-knower", False),
    "reader": Pupil(FaceReader, CROP_PX, CONTEXT, 0.35, PHOTOGRAPHED | READ, 1.2e-3, "dice-reader", True),
    "doubts": Pupil(CloseReader, CLOSE_PX, CONTEXT, 0.35, PHOTOGRAPHED | READ, 1.2e-3, "dice-doubts", True),
}


def draw_tables(folder: Path, count: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(count):
        table = lay_close_table(np.random.default_rng([seed, index]))
        cv2.imwrite(str(folder / f"{seed}-{index:05}.jpg"), table, [cv2.IMWRITE_JPEG_QUALITY, 90])


def draw(share: float) -> None:
    """Draws all pictures, a process for each core."""
    wanted = [
        (write_strange, "strange", STRANGE, STRANGE_SEED),
        (write_scenes, "rendered", SCENES, SCENES_SEED),
        (draw_tables, "clutter", TABLES, TABLES_SEED),
    ]
    began = time.monotonic()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(write, WORK / folder, math.ceil(share * count / PARTS), first + part)
            for write, folder, count, first in wanted
            for part in range(PARTS)
        ]
        for job in jobs:
            job.result()
    print(f"drawn in {time.monotonic() - began:.0f} s", flush=True)


def load_pictures() -> dict[str, list[samples.Picture]]:
    """All pictures by group."""
    everything = samples.load_own(WORK / "rendered") + samples.load_own(WORK / "strange")
    everything += samples.load_without_dice("clutter", WORK / "clutter")
    everything += samples.load_photographs(PHOTOS / "dice-train")
    everything += samples.load_without_dice("negative", PHOTOS / "boards/go-photos", PHOTOS / "towers/bar-photos")
    pictures: dict[str, list[samples.Picture]] = {}
    for picture in everything:
        pictures.setdefault(picture.group, []).append(picture)
    return pictures


def find() -> None:
    """Saves what the committed networks report on each picture, and which labelled dice they contradict."""
    began = time.monotonic()
    jobs = [
        (f"{group}-{index}", picture)
        for group, members in load_pictures().items()
        for index, picture in enumerate(members)
    ]
    parts = [jobs[start :: 4 * PARTS] for start in range(4 * PARTS)]
    found: dict[str, np.ndarray] = {}
    doubtful: dict[str, list[int]] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for places, doubts in pool.map(look_at, parts):
            found |= places
            doubtful |= doubts
    np.savez(WORK / "found.npz", **found)  # type: ignore[arg-type]  # its types take a name for its one option
    (WORK / "doubtful.json").write_text(json.dumps(doubtful))
    counts = sum(map(len, found.values())), sum(map(len, doubtful.values()))
    print(f"{counts[0]} places, {counts[1]} labels set aside in {time.monotonic() - began:.0f} s", flush=True)


def look_at(jobs: list[tuple[str, samples.Picture]]) -> tuple[dict[str, np.ndarray], dict[str, list[int]]]:
    cv2.setNumThreads(1)
    reader = DiceReader(MODELS)
    found: dict[str, np.ndarray] = {}
    doubtful: dict[str, list[int]] = {}
    for name, picture in jobs:
        pyramid = Pyramid(picture.pixels())
        places = reader.finder.find(pyramid)
        looks = reader.reader.look(pyramid, [candidate_matrix(place) for place in places])
        found[name] = np.array(
            [[c.cx, c.cy, c.w, c.h, c.heat, *look.face] for c, look in zip(places, looks, strict=True)], np.float32
        ).reshape(-1, 9)
        if picture.group not in samples.OWN_GROUPS:
            doubtful[name] = [
                i
                for i, (cx, cy, w, h, value, _) in enumerate(picture.dice.tolist())
                if is_contradicted(
                    reader, pyramid, (cx, cy, max(w, h)), int(value), LEAST_AGREED[picture.group == "grey"]
                )
            ]
    return found, doubtful


def ready_pictures(shares: dict[str, float]) -> dict[str, list[samples.Picture]]:
    """The pictures unpacked, with what was found in them, and doubtful dice marked as half seen."""
    found = dict(np.load(WORK / "found.npz"))
    doubtful = json.loads((WORK / "doubtful.json").read_text())

    def ready(name: str, picture: samples.Picture) -> samples.Picture:
        picture.dice[doubtful.get(name, []), 5] = HALF_SEEN
        places = [part for part in (picture.found, found.get(name)) if part is not None and len(part)]
        return replace(picture, shown=picture.pixels(), found=np.concatenate(places) if places else None)

    pictures = {}
    with ThreadPoolExecutor() as pool:
        for group, members in load_pictures().items():
            if group in shares:
                pictures[group] = list(pool.map(ready, [f"{group}-{i}" for i in range(len(members))], members))
    return pictures


class Batches(torch.utils.data.IterableDataset):
    """Batches without an end: crops (n, px, px, 3) uint8, answers (n,), poses (n, 5); each worker draws its own."""

    def __init__(self, pupil: Pupil, pictures: dict[str, list[samples.Picture]], seed: int) -> None:
        self.pupil, self.pictures, self.seed = pupil, pictures, seed

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        cv2.setNumThreads(1)
        worker = torch.utils.data.get_worker_info()
        rng = np.random.default_rng([self.seed, worker.id if worker else 0])
        groups = list(self.pictures)
        shares = np.array([self.pupil.shares[group] for group in groups])
        while True:
            drawn: list[tuple[np.ndarray, int, np.ndarray]] = []
            while len(drawn) < BATCH:
                group = self.pictures[groups[rng.choice(len(groups), p=shares / shares.sum())]]
                drawn += self.crops_of(rng, group[rng.integers(len(group))])
            crops, answers, poses = zip(*drawn[:BATCH], strict=True)
            yield torch.from_numpy(np.stack(crops)), torch.tensor(answers), torch.from_numpy(np.stack(poses))

    def crops_of(self, rng: Rng, picture: samples.Picture) -> list[tuple[np.ndarray, int, np.ndarray]]:
        pupil = self.pupil
        pixels = picture.pixels()
        drawn = [
            samples.face_sample(rng, picture, pixels, pupil.crop_px, pupil.context, pupil.upright)
            for _ in range(CROPS_A_PICTURE)
        ]
        shown = [sample for sample in drawn if sample is not None]
        if pupil.goes_on or picture.group in samples.OWN_GROUPS:
            return shown
        return [self.as_photographed(rng, *sample) for sample in shown]

    def as_photographed(
        self, rng: Rng, crop: np.ndarray, answer: int, pose: np.ndarray
    ) -> tuple[np.ndarray, int, np.ndarray]:
        """A sample of a photograph; some of its dice have a numeral instead of pips, and are none."""
        if 1 <= answer <= 6 and rng.random() < RENUMBERED:
            other = renumbered(rng, crop)
            if other is not None:
                return other, 0, pose
        return crop, answer, pose


def normalise(crops: Tensor) -> Tensor:
    """As `vision.dice.crops.normalise`, where the network is."""
    planes = crops.permute(0, 3, 1, 2).float()
    middle = planes.mean(dim=(1, 2, 3), keepdim=True)
    spread = planes.std(dim=(1, 2, 3), keepdim=True, correction=0) + 4
    return (planes - middle) / spread


def knower_loss(out: Tensor, answer: Tensor, _: Tensor) -> Tensor:
    return functional.cross_entropy(out[:, :, 0, 0], (answer > 0).long(), label_smoothing=0.005)


def rate_at(share: float, step: int) -> float:
    """The share of the highest rate, `share` of the time having passed."""
    return min(1.0, (step + 1) / WARM) * max(0.01, 0.5 + 0.5 * math.cos(math.pi * min(1.0, share)))


def teach(name: str, minutes: float, workers: int) -> None:
    """Teaches one network for so long, and writes its weights."""
    pupil = PUPILS[name]
    torch.manual_seed(3)
    on = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pictures = ready_pictures(pupil.shares)
    print(name, {group: len(members) for group, members in pictures.items()}, on, flush=True)
    batches = Batches(pupil, pictures, seed=len(name))
    network = initial(pupil, batches).to(on, memory_format=torch.channels_last)
    loader = torch.utils.data.DataLoader(batches, batch_size=None, num_workers=workers, prefetch_factor=3)
    loss_of = knower_loss if name == "knower" else reader_loss
    optimiser = torch.optim.AdamW(network.parameters(), lr=pupil.rate, weight_decay=1e-2)
    mean = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED), use_buffers=True)
    network.train()
    half = partial(torch.autocast, on.type, torch.bfloat16, enabled=on.type == "cuda")
    began, running, step = time.monotonic(), 0.0, 0
    for crops, answers, poses in loader:
        share = (time.monotonic() - began) / 60 / minutes
        if share >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = pupil.rate * rate_at(share, step)
        with half():
            outputs = network(normalise(crops.to(on)).contiguous(memory_format=torch.channels_last)).float()
        loss = loss_of(outputs, answers.to(on), poses.to(on))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        mean.update_parameters(network)
        step += 1
        if step % 10 == 0:
            running += (loss.item() - running) / min(step / 10, 100)
        if step % 1000 == 0:
            print(f"{name} {step} steps, loss {running:.4f}, {time.monotonic() - began:.0f} s", flush=True)
            save(mean.module, name)
    save(mean.module, name)
    print(f"{name}: {step} steps of {BATCH} crops, loss {running:.4f}", flush=True)


def initial(pupil: Pupil, batches: Batches) -> nn.Module:
    network = pupil.kind()
    if pupil.goes_on:
        drawn = iter(batches)
        known = torch.cat([normalise(next(drawn)[0]) for _ in range(3)])
        return with_norms(network, pupil.model, known)
    return network


def save(network: nn.Module, name: str) -> None:
    """Writes the weights as plain arrays, which any version of torch reads."""
    np.savez(WORK / f"{name}.npz", **{key: value.cpu().numpy() for key, value in network.state_dict().items()})


def write_model(name: str, folder: Path) -> None:
    pupil = PUPILS[name]
    network = pupil.kind()
    network.load_state_dict({key: torch.from_numpy(value) for key, value in np.load(folder / f"{name}.npz").items()})
    export(network, pupil.model, 3, pupil.crop_px, pupil.crop_px)


def everything(minutes: float, share: float) -> None:
    """Draws, finds, and teaches all three at once."""
    draw(share)
    find()
    running = [
        subprocess.Popen([sys.executable, "-m", "vision.training.nets.known", "teach", name, str(minutes)])
        for name in PUPILS
    ]
    ended = [process.wait() for process in running]
    if any(ended):
        raise SystemExit("Teaching failed: see the message above.")


def main(words: list[str]) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    match words:
        case ["draw", *share]:
            draw(float(share[0]) if share else 1.0)
        case ["find"]:
            find()
        case ["teach", name, minutes]:
            teach(name, float(minutes), max(1, (os.cpu_count() or 2) // len(PUPILS)))
        case ["export", name, *folder]:
            write_model(name, Path(folder[0]) if folder else WORK)
        case ["all", minutes, *share]:
            everything(float(minutes), float(share[0]) if share else 1.0)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main(sys.argv[1:])
