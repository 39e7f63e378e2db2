"""Writes pictures and labels.json, for every maker of pictures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

SAVE_EVERY = 20  # scenes: writing the labels after each one would take longer than drawing it

Rng = np.random.Generator
LabelledPicture = tuple[np.ndarray, dict[str, Any]]  # a picture and its labels
LabelledScene = tuple[list[LabelledPicture], list[dict[str, Any]]]  # and the labels of pairs of them


def picture_at(path: Path) -> np.ndarray:
    """The picture (h, w, 3) uint8 at `path`; raises FileNotFoundError if none can be read."""
    picture = cv2.imread(str(path))
    if picture is None:
        raise FileNotFoundError(f"{path} is no picture that can be read.")
    return picture


def through_jpeg(picture: np.ndarray, quality: int) -> np.ndarray:
    """A picture (h, w, 3) uint8 after JPEG compression of that quality."""
    packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))


def write_labelled(folder: Path, count: int, seed: int, name: str, draw: Callable[[Rng], LabelledPicture]) -> None:
    """Writes `count` pictures, each of its own scene; picture i of a seed is always the same."""
    write_scenes(folder, count, seed, name, lambda rng, _stem, _index: ([draw(rng)], []))


def write_scenes(
    folder: Path,
    count: int,
    seed: int,
    name: str,
    draw: Callable[[Rng, str, int], LabelledScene],
    *,
    quality: int = 92,
    goes_on: bool = False,
) -> None:
    """Writes at least `count` pictures; scene i of a seed is always the same.

    draw     (rng, name without suffix, i) → scene i; the labels of several pictures name each "file"
    quality  of the JPEGs
    goes_on  keeps pictures that are already there, as some take long
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "labels.json"
    known: dict[str, Any] = {"images": [], "pairs": [], "scenes": 0}
    if goes_on and listed.exists():
        known = json.loads(listed.read_text())
    while len(known["images"]) < count:
        index = known["scenes"]
        stem = f"{name}-{seed}-{index:04d}"
        shown, pairs = draw(np.random.default_rng([seed, index]), stem, index)
        for picture, labels in shown:
            entry = {"file": f"{stem}.jpg", **labels}
            cv2.imwrite(str(folder / entry["file"]), picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
            known["images"].append(entry)
        known["pairs"] += pairs
        known["scenes"] = index + 1
        if goes_on or known["scenes"] % SAVE_EVERY == 0 or len(known["images"]) >= count:
            listed.write_text(json.dumps(known))
