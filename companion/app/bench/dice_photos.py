"""Judges the dice reader against labels: counts, times and work, and the misses as pictures."""

import resource
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import cv2
import numpy as np

from companion.app.bench.figures import Figure, Wanted
from companion.app.bench.misses import save_miss
from companion.game.readings import DiceReading, DieReading
from companion.house.fairness import wilson
from vision.cameras.photos import load_photo
from vision.colour.bodies import NOMINAL_RGB
from vision.dice.reader import DiceReader
from vision.models.network import MODELS
from vision.readers.annotate import draw_dice, mark_missed
from vision.scene.scene import Scene

LEAST_VISIBLE = 0.7  # With less of the top face not every pip can be read.
SMALLEST_PX = 18  # Smaller dice are beyond what the reader is for.
STANDARD_PX = (1280, 720)  # Time and work have goals for this frame.
STANDARD = ((5, 5, 40.0, 1000.0), (50, 60, 90.0, None))
"""Fewest and most dice, and the goals in ms and million multiply-adds."""
WANTED = {
    "dice found with the right value": Wanted(99.5),
    "photos entirely right": Wanted(97),
    "silent, wrong or missed, of dice": Wanted(0.1, at_most=True),
    "silent errors, photos with one": Wanted(0.5, at_most=True),
    "asked, of dice": Wanted(3, at_most=True),
    "colour right among the photo's": Wanted(99),
}

Reader = Callable[[np.ndarray, Scene | None], DiceReading]
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class PhotoVerdict:
    """The verdict on the reading of one photograph. Counts are of dice `in_scope`.

    silent        accepted dice that are wrong or false, and dice missed although the photo was accepted
    silent_false  those of them that are false, of which there can be more than dice
    promises      the stated confidence of each die, and whether it was right
    """

    dice: int = 0
    right: int = 0
    missed: int = 0
    wrong: int = 0
    false: int = 0
    silent: int = 0
    silent_false: int = 0
    asked: int = 0
    coloured: int = 0
    colour_right: int = 0
    scene_coloured: int = 0
    scene_colour_right: int = 0
    spent_ms: float = 0.0
    promises: tuple[tuple[float, bool], ...] = ()

    @property
    def entirely_right(self) -> bool:
        return self.right == self.dice and not self.false


@dataclass(frozen=True)
class JudgedPhoto:
    """A judged photograph with the groups it counts for."""

    groups: tuple[str, ...]
    verdict: PhotoVerdict


def matches(labels: list[dict[str, Any]], dice: tuple[DieReading, ...]) -> list[tuple[int, int]]:
    """Pairs (label, die), nearest first, each once, whose centres lie within half of the labelled size."""
    near = sorted(
        (apart, i, j)
        for i, label in enumerate(labels)
        for j, die in enumerate(dice)
        if (apart := float(np.hypot(label["cx"] - die.cx, label["cy"] - die.cy))) <= size_of(label) / 2
    )
    pairs: dict[int, int] = {}
    for _, i, j in near:
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    return list(pairs.items())


def size_of(label: dict[str, Any]) -> float:
    return float(label.get("size_px") or max(label["w"], label["h"]))


def in_scope(label: dict[str, Any]) -> bool:
    """Whether a die must be read. Reading any other (ignored, hidden or tiny) is neither required nor wrong."""
    return not label.get("ignore") and label.get("visible", 1.0) >= LEAST_VISIBLE and size_of(label) >= SMALLEST_PX


def judge(
    labels: list[dict[str, Any]], reading: DiceReading, names: Collection[str] = NOMINAL_RGB.keys()
) -> PhotoVerdict:
    """The verdict on one reading, without its time and the figures `scene_…`; only colours among `names` count."""
    pairs = dict(matches(labels, reading.dice))
    due = [i for i, label in enumerate(labels) if in_scope(label)]
    right = [i for i in due if i in pairs and reading.dice[pairs[i]].value == labels[i]["value"]]
    wrong = [i for i in due if i in pairs and i not in right]
    missed = [i for i in due if i not in pairs]
    false = [die for j, die in enumerate(reading.dice) if j not in pairs.values()]
    to_ask = [i for i in due if i in pairs and not reading.dice[pairs[i]].accepted]
    unread = [
        i
        for i in missed
        if any(
            np.hypot(labels[i]["cx"] - b.cx, labels[i]["cy"] - b.cy) <= size_of(labels[i]) / 2 for b in reading.unread
        )
    ]
    coloured = [i for i in due if i in pairs and labels[i].get("colour") in names]
    promises = [(reading.dice[pairs[i]].confidence, i in right) for i in due if i in pairs]
    silent_false = sum(die.accepted for die in false)
    silent = sum(reading.dice[pairs[i]].accepted for i in wrong) + silent_false
    return PhotoVerdict(
        dice=len(due),
        right=len(right),
        missed=len(missed),
        wrong=len(wrong),
        false=len(false),
        silent=silent + (len(missed) if reading.accepted else 0),
        silent_false=silent_false,
        asked=len(to_ask) + len(unread),
        coloured=len(coloured),
        colour_right=sum(reading.dice[pairs[i]].colour == labels[i]["colour"] for i in coloured),
        promises=(*promises, *((die.confidence, False) for die in false)),
    )


def scene_of_labels(entry: dict[str, Any]) -> Scene:
    """A scene of the colours labelled in this photograph: as its labels measured them, else as they usually look."""
    colours = NOMINAL_RGB | {name: tuple(rgb) for name, rgb in entry.get("colour_rgb", {}).items()}
    return Scene({name: colours[name] for label in entry["dice"] if (name := label.get("colour")) in colours})


def judge_photo(frame: np.ndarray, entry: dict[str, Any], read: Reader) -> tuple[PhotoVerdict, DiceReading]:
    labels = entry["dice"]
    began = time.perf_counter()
    reading = read(frame, None)
    spent_ms = (time.perf_counter() - began) * 1000
    verdict = replace(judge(labels, reading), spent_ms=spent_ms)
    scene = scene_of_labels(entry)
    if len(scene.colour_rgb) < 2:
        return verdict, reading
    by_names = judge(labels, read(frame, scene), scene.colour_rgb.keys())
    return replace(verdict, scene_coloured=by_names.coloured, scene_colour_right=by_names.colour_right), reading


def dice_figures(folder: Path, entries: list[dict[str, Any]], out: Path) -> list[Figure]:
    """Figures of the reader, by source and by tag."""
    cv2.setNumThreads(1)
    reader = DiceReader()
    reader.read(np.zeros((*STANDARD_PX[::-1], 3), np.uint8))  # This loads the networks, which no photograph counts.
    photos, timed = [], []
    for entry in with_progress(entries, "photographs"):
        frame = load_photo(folder / entry["image"])
        verdict, reading = judge_photo(frame, entry, reader.read)
        photos.append(JudgedPhoto(groups_of(entry), verdict))
        if not verdict.entirely_right or verdict.silent:
            save_miss(out, entry["image"], draw_miss(frame, entry["dice"], reading))
        if any(few <= verdict.dice <= most for few, most, _ms, _work in STANDARD):
            timed.append(timed_read(reader, frame, verdict.dice))
    left_out = sum(not in_scope(label) for entry in entries for label in entry["dice"])
    bands = reliability([photo.verdict for photo in photos])
    save_reliability(out / "reliability.svg", bands)
    return [
        *(
            replace(figure, wanted=WANTED.get(figure.name)) if figure.group == "all" else figure
            for figure in count_groups(photos)
        ),
        Figure("dice left out: ignored, hidden or tiny", "all", value=left_out, unit="dice"),
        *bands,
        *costs(photos, reader),
        *standard_costs(timed),
    ]


def groups_of(entry: dict[str, Any]) -> tuple[str, ...]:
    """The groups that a photograph counts for. Its source is its name up to the first underscore, if it has one."""
    source, underscore, _ = Path(entry["image"]).name.partition("_")
    sources = (f"source {source}",) if underscore else ()
    return ("all", *sources, *(f"tag {tag}" for tag in (entry.get("view"), *entry.get("tags", ())) if tag))


def count_groups(photos: list[JudgedPhoto]) -> Iterator[Figure]:
    """Counts of each group, everything first."""
    groups = sorted({group for photo in photos for group in photo.groups})
    for group in groups:
        verdicts = [photo.verdict for photo in photos if group in photo.groups]
        dice = sum(v.dice for v in verdicts)
        yield Figure("photos entirely right", group, sum(v.entirely_right for v in verdicts), len(verdicts))
        yield Figure("dice found with the right value", group, sum(v.right for v in verdicts), dice)
        silent, none_there = sum(v.silent for v in verdicts), sum(v.silent_false for v in verdicts)
        yield Figure("silent errors", group, value=silent, unit="errors")
        yield Figure("silent, none there", group, value=none_there, unit="false dice")
        yield Figure("silent, wrong or missed, of dice", group, silent - none_there, dice)
        yield Figure("silent errors, photos with one", group, sum(v.silent > 0 for v in verdicts), len(verdicts))
        yield Figure("asked, of dice", group, sum(v.asked for v in verdicts), dice)
        yield Figure("dice missed", group, sum(v.missed for v in verdicts), dice)
        yield Figure("dice with a wrong value", group, sum(v.wrong for v in verdicts), dice)
        yield Figure("false dice", group, value=sum(v.false for v in verdicts), unit="dice")
        coloured, in_scene = sum(v.coloured for v in verdicts), sum(v.scene_coloured for v in verdicts)
        yield Figure("body colour right", group, sum(v.colour_right for v in verdicts), coloured)
        yield Figure("colour right among the photo's", group, sum(v.scene_colour_right for v in verdicts), in_scene)


BANDS = (0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)  # Most dice are in the last band of stated confidence.


def reliability(verdicts: list[PhotoVerdict]) -> list[Figure]:
    """The reliability of stated confidences: the share of dice read right in each band of confidence."""
    promises = [promise for verdict in verdicts for promise in verdict.promises]
    figures = []
    for low, high in pairwise(BANDS):
        band = [right for stated, right in promises if low <= stated < high or (high == 1 == stated)]
        figures.append(Figure("right of the dice stated at", f"{low:.2f} to {high:.2f}", sum(band), len(band)))
    return figures


def save_reliability(path: Path, figures: list[Figure]) -> None:
    """Draws the reliability: stated confidence across, share right up, bars for the interval."""
    bars = []
    for (low, high), figure in zip(pairwise(BANDS), figures, strict=True):
        if not figure.total or figure.count is None:
            continue
        least, most = wilson(figure.count, figure.total)
        x, y = 40 + 300 * (low + high) / 2, 320 - 300 * figure.count / figure.total
        bars.append(
            f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{320 - 300 * least:.0f}" y2="{320 - 300 * most:.0f}" stroke="#888"/>'
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="4" fill="#06c"><title>{figure.words()}</title></circle>'
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 360" font-family="sans-serif" font-size="12">'
        '<rect width="360" height="360" fill="#fff"/><path d="M40 20V320H340" fill="none" stroke="#333"/>'
        '<path d="M40 320L340 20" stroke="#ccc"/><text x="190" y="350" text-anchor="middle">stated confidence</text>'
        '<text x="16" y="170" text-anchor="middle" transform="rotate(-90 16 170)">read right</text>'
        '<text x="34" y="324" text-anchor="end">0</text><text x="34" y="26" text-anchor="end">1</text>'
        f'<text x="340" y="336" text-anchor="end">1</text>{"".join(bars)}</svg>\n',
        encoding="utf-8",
    )


def costs(photos: list[JudgedPhoto], reader: DiceReader) -> list[Figure]:
    """Time, work and memory of our reader on one core."""
    spent = [photo.verdict.spent_ms for photo in photos]
    return [
        Figure("time a photo, one core, median", "all", value=float(np.median(spent)), unit="ms"),
        Figure("time a photo, one core, 95th of 100", "all", value=float(np.percentile(spent, 95)), unit="ms"),
        Figure("model files of the dice", "all", value=size_of_files("dice"), unit="MB"),
        Figure("model files together", "all", value=size_of_files(""), unit="MB", wanted=Wanted(5, at_most=True)),
        Figure("multiply-adds a read, mean", "all", value=reader.multiply_adds / reader.reads / 1e6, unit="million"),
        Figure("peak memory of this process", "all", value=peak_memory_mb(), unit="MB"),
    ]


class Timed(NamedTuple):
    """The cost of one reading of a photograph with this many dice, in a frame of STANDARD_PX."""

    dice: int
    ms: float
    multiply_adds: int


def timed_read(reader: DiceReader, frame: np.ndarray, dice: int) -> Timed:
    """Reads a photograph again, scaled to as many pixels as STANDARD_PX has, and measures the cost."""
    zoom = float(np.sqrt(STANDARD_PX[0] * STANDARD_PX[1] / (frame.shape[0] * frame.shape[1])))
    scaled_bgr = cv2.resize(
        frame, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA if zoom < 1 else cv2.INTER_LINEAR
    )
    before, began = reader.multiply_adds, time.perf_counter()
    reader.read(scaled_bgr)
    return Timed(dice, (time.perf_counter() - began) * 1000, reader.multiply_adds - before)


def standard_costs(timed: list[Timed]) -> Iterator[Figure]:
    """Time and work for the photographs with as many dice as a row of STANDARD says."""
    size = "{} x {}".format(*STANDARD_PX)
    for few, most, most_ms, most_work in STANDARD:
        chosen = [cost for cost in timed if few <= cost.dice <= most]
        group = f"{len(chosen)} of {few} to {most} dice" if few < most else f"{len(chosen)} of {few} dice"
        for name, share in (("median", 50), ("most", 100)) if chosen else ():
            ms = float(np.percentile([cost.ms for cost in chosen], share))
            work = float(np.percentile([cost.multiply_adds / 1e6 for cost in chosen], share))
            yield Figure(f"time at {size}, {name}", group, value=ms, unit="ms", wanted=Wanted(most_ms, at_most=True))
            yield Figure(f"multiply-adds at {size}, {name}", group, value=work, unit="million",
                         wanted=None if most_work is None else Wanted(most_work, at_most=True))  # fmt: skip


def size_of_files(begins: str) -> float:
    """Megabytes of the models whose names begin so."""
    return sum(path.stat().st_size for path in MODELS.glob(f"{begins}*.xz")) / 1e6


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def draw_miss(frame: np.ndarray, labels: list[dict[str, Any]], reading: DiceReading) -> np.ndarray:
    """The photograph with the reading; in red the labels that were read wrong, and the things wrongly read as dice."""
    picture = draw_dice(frame, reading)
    pairs = dict(matches(labels, reading.dice))
    for i, label in enumerate(labels):
        if not in_scope(label) or (i in pairs and reading.dice[pairs[i]].value == label["value"]):
            continue
        mark_missed(picture, (label["cx"], label["cy"]), size_of(label), str(label["value"]))
    for j, die in enumerate(reading.dice):
        if j not in pairs.values():
            mark_missed(picture, (die.cx, die.cy), max(die.w, die.h), "none")
    return picture


def with_progress(things: Sequence[Thing], label: str) -> Iterator[Thing]:
    """Yields the things one after the other, with a progress line on standard error if that is a terminal."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield from things
        return
    with click.progressbar(things, label=label, file=sys.stderr) as bar:
        yield from bar
