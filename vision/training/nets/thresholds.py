"""Sets temperature and acceptance thresholds of the dice reader by pictures that its networks were not trained on.

Rendered scenes of a seed kept aside, and the `nell_` and `tray_` photographs (other photographs of sessions that the
training saw). The sources pitray, cloth, carpet and felt are left for judging.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.dice.reader import DiceReader, Thresholds
from vision.dice.sights import Sight
from vision.training.labelled import picture_at
from vision.training.nets.samples import READABLE

PREFIXES = ("nell_", "tray_")
WRONG_ALLOWED = 0.01  # share of accepted dice: these pictures are harder than most tables, and some labels wrong
SMALLEST_PX = 18  # smaller dice are beyond the reader's scope and would dominate the thresholds
UNLABELLED_HEAT = 0.55
ALIKE = 1.6  # a candidate so much larger or smaller than the die there is another thing, such as a pip
STRICTEST, LAXEST = 0.9995, 0.9  # bounds of a threshold, as samples are few
USUAL = {"temperature": 1.0, "accept": 0.9, "accept_alone": 0.96, "heat": 0.4}

# Labels that are plainly wrong: beginning of the picture's name and index in its list, and the true value.
MISLABELLED = {
    ("nell_IMG_20191209_095439", 9): 4,
    ("tray_n3_PXL_20240219_192240931", 18): 4,
    ("tray_n3_PXL_20240219_192250488", 21): 5,
}


@dataclass(frozen=True)
class Judged:
    """A candidate with its truth: 0 no die, 1..6 its value, 7 unreadable.

    complete  whether every die of its picture is labelled
    """

    sight: Sight
    truth: int
    complete: bool


def labelled(scenes: Path, photographs: Path) -> Iterator[tuple[np.ndarray, list[dict[str, Any]], bool]]:
    """Pictures, their dice, and whether every die in them is surely labelled."""
    for labels in sorted(scenes.glob("labels-*.json")):
        for entry in json.loads(labels.read_text()):
            dice = [d | {"ignore": d["visible"] < READABLE} for d in entry["dice"]]
            yield picture_at(scenes / entry["image"]), dice, True
    for entry in json.loads((photographs / "labels.json").read_text()):
        name = Path(entry["image"]).name
        if name.startswith(PREFIXES):
            for (beginning, index), value in MISLABELLED.items():
                if name.startswith(beginning):
                    entry["dice"][index]["value"] = value
            yield picture_at(photographs / entry["image"]), entry["dice"], False


def judge(reader: DiceReader, frame: np.ndarray, dice: list[dict[str, Any]], complete: bool) -> Iterator[Judged]:
    for sight in reader.sights(frame):
        truth = 0
        for die in dice:
            size = die.get("size_px") or max(die["w"], die["h"])
            if np.hypot(die["cx"] - sight.candidate.cx, die["cy"] - sight.candidate.cy) < size / 2:
                doubtful = die.get("ignore") or not size / ALIKE < sight.candidate.side < size * ALIKE
                truth = 7 if doubtful else die["value"]
        yield Judged(sight, truth, complete)


def write_thresholds(scenes: Path, photographs: Path, out: Path) -> None:
    """Writes temperature and thresholds to `out`; prints the figures behind them."""
    reader = DiceReader(out.parent)
    reader.thresholds = Thresholds(**USUAL)  # these decide which dice the third network sees
    samples = [j for shown in labelled(scenes, photographs) for j in judge(reader, *shown)]
    values = [j for j in samples if 1 <= j.truth <= 6]
    temperature = min(np.arange(0.5, 4, 0.05), key=lambda t: log_loss(values, float(t)))
    sure = [
        (at_temperature(j.sight, temperature), j)
        for j in samples
        if j.truth != 7 and can_be_accepted(j.sight) and not is_unlabelled(j)
    ]
    confirmed = [(c, j) for c, j in sure if j.sight.pips == int(c[1:7].argmax()) + 1]
    alone = [(c, j) for c, j in sure if j.sight.pips != int(c[1:7].argmax()) + 1]
    thresholds = {
        "temperature": round(float(temperature), 2),
        "accept": threshold(confirmed),
        "accept_alone": max(threshold(alone), threshold(confirmed)),
        "heat": 0.4,
    }
    out.write_text(json.dumps(thresholds, indent=1) + "\n")
    print(f"{len(samples)} candidates, {len(values)} dice, {len(confirmed)} confirmed by their pips: {thresholds}")
    print_reliability(values, float(temperature))


def can_be_accepted(sight: Sight) -> bool:
    """Whether a sight could be accepted at all, and so counts for the thresholds."""
    return sight.is_die and sight.agreed and sight.candidate.side >= SMALLEST_PX


def is_unlabelled(sample: Judged) -> bool:
    """Whether a label is missing in a photograph: finder, reader and pips agree on a die there."""
    sight = sample.sight
    if sample.complete or sample.truth != 0:
        return False
    return sight.candidate.heat > UNLABELLED_HEAT and sight.pips == sight.value


def at_temperature(sight: Sight, temperature: float) -> np.ndarray:
    """The probabilities at another temperature than 1, with which they were made."""
    powers = sight.chances ** (1 / temperature)
    return powers / powers.sum()


def log_loss(values: list[Judged], temperature: float) -> float:
    return -float(np.mean([np.log(at_temperature(j.sight, temperature)[j.truth] + 1e-9) for j in values]))


def threshold(sure: list[tuple[np.ndarray, Judged]]) -> float:
    """The least confidence above which few enough values are wrong."""
    ranked = sorted(((float(c[1:7].max()), int(c[1:7].argmax()) + 1 != j.truth) for c, j in sure), reverse=True)
    lowest, wrong = STRICTEST, 0
    for count, (confidence, is_wrong) in enumerate(ranked, 1):
        wrong += is_wrong
        if wrong <= WRONG_ALLOWED * count:
            lowest = confidence
    return round(min(STRICTEST, max(LAXEST, lowest)), 4)


def print_reliability(values: list[Judged], temperature: float) -> None:
    """Prints how often values are right at each level of confidence."""
    chances = np.array([at_temperature(j.sight, temperature) for j in values])
    stated = chances[:, 1:7].max(axis=1)
    right = chances[:, 1:7].argmax(axis=1) + 1 == np.array([j.truth for j in values])
    for low, high in ((0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 0.99), (0.99, 0.999), (0.999, 1.01)):
        chosen = (stated >= low) & (stated < high)
        if chosen.any():
            print(f"stated {stated[chosen].mean():.4f}, right {right[chosen].mean():.4f} of {chosen.sum()}")
