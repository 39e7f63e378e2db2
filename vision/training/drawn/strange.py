"""Draws tables with things that are no dice, beside a few dice or none, with labels of both.

python -m vision.training.drawn.strange FOLDER COUNT SEED       writes COUNT JPEGs and labels-SEED.json
"""

import json
import sys
from pathlib import Path

import cv2
import numpy as np

from vision.scene.pose import turn_z
from vision.training.drawn.cloths import lay_cloth
from vision.training.drawn.render import Lamp, draw_solid
from vision.training.drawn.scenes import PinholeCamera, cast_shadows, place_dice, render_scene
from vision.training.drawn.strangers import Stranger, random_stranger
from vision.training.drawn.tables import lay_table
from vision.training.labelled import Rng

NONE_ELSE = 0.3  # share of the pictures without a die
PATTERNED = 0.35  # share of the pictures on a patterned cloth
MOST = 14  # things in a picture
RAYS = 200  # a card is as wide as five dice: with fewer its edges look like saws


def lay_either(rng: Rng, size: int, unit: float) -> np.ndarray:
    return lay_cloth(rng, size, unit) if rng.random() < PATTERNED else lay_table(rng, size, unit)


def random_things(rng: Rng) -> list[Stranger]:
    """The things of one picture: often several of a kind, as a game has them."""
    kinds = [random_stranger(rng) for _ in range(rng.integers(1, 4))]
    count = int(rng.integers(1, MOST + 1))
    things = [kinds[rng.integers(len(kinds))] if rng.random() < 0.3 else random_stranger(rng) for _ in range(count)]
    return [lain_anew(rng, thing) for thing in things]


def lain_anew(rng: Rng, thing: Stranger) -> Stranger:
    """The thing, turned anew."""
    return Stranger(thing.solid, thing.unit, turn_z(rng.uniform(0, 6.283)) @ thing.turn, thing.height, thing.reach)


def render_strange(rng: Rng, width: int = 640, height: int = 512) -> tuple[np.ndarray, list[dict], list[list[float]]]:
    """A picture, the labels of its dice, and the boxes of the other things: centre x and y, larger side in px."""
    die_px = float(np.exp(rng.uniform(np.log(18), np.log(170))))
    boxes: list[list[float]] = []

    def beside(
        rng: Rng, canvas: np.ndarray, view: PinholeCamera, places: list[np.ndarray], sizes: np.ndarray, lamp: Lamp
    ) -> None:
        if rng.random() < NONE_ELSE:
            places.clear()
        del places[6:]
        things = random_things(rng)
        reaches = np.array([2 * thing.reach for thing in things])
        free = [
            (spot, thing)
            for spot, thing in zip(place_dice(rng, view, len(things), reaches), things, strict=False)
            if all(np.linalg.norm(spot - die) > 0.5 * sizes[i] + 0.8 * thing.reach for i, die in enumerate(places))
        ]
        feet = [2 * thing.height for _, thing in free]
        spots = [spot for spot, _ in free]
        cast_shadows(rng, canvas, view, spots, np.array(feet), rng.uniform(0, 6.283, len(free)), lamp)
        free.sort(key=lambda one: -float(np.linalg.norm(np.array([*one[0], 0.5]) - view.position)))
        for spot, thing in free:
            centre = np.array([*spot, thing.height])
            drawn = draw_solid(
                canvas,
                view.project(centre),
                view.jacobian(centre) * thing.unit,
                thing.turn,
                thing.solid,
                lamp,
                rng,
                RAYS,
            )
            if drawn is not None and drawn[2].max() > 0.5:
                ys, xs = np.nonzero(drawn[2] > 0.5)
                side = max(np.ptp(xs), np.ptp(ys)) + 1
                middle = (xs.max() + xs.min()) / 2 + drawn[1].start, (ys.max() + ys.min()) / 2 + drawn[0].start
                boxes.append([float(middle[0]), float(middle[1]), float(side)])

    picture, dice = render_scene(rng, width, height, die_px, lay_either, beside)
    return picture, dice, boxes


def write_strange(folder: Path, count: int, seed: int) -> None:
    """Writes `count` pictures; picture i of a seed is always the same."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = []
    for index in range(count):
        picture, dice, boxes = render_strange(np.random.default_rng([seed, index]))
        name = f"{seed}-{index:05d}.jpg"
        cv2.imwrite(str(folder / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
        labels.append({"image": name, "group": "strange", "dice": dice, "others": boxes})
    (folder / f"labels-{seed}.json").write_text(json.dumps(labels))


if __name__ == "__main__":
    cv2.setNumThreads(1)
    write_strange(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
