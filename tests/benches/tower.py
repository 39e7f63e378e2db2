"""`make bench NAME=tower`: the reader of block stacks (statuses, builds, verdicts) and, on simulated video, falls."""

import time
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from companion.app.bench.figures import Figure
from companion.app.bench.misses import save_miss
from companion.errors import BadInput
from companion.game.readings import MatchReading, SpaceReading, TowerReading
from tests.benches.labels import label_of, read_images
from tests.benches.tally import Tally
from vision.cameras.photos import load_photo
from vision.readers.annotate import draw_tower
from vision.scene.file import scene_of
from vision.scene.scene import Scene, StackReference
from vision.tower.match import ACCEPT_MATCH, BY_SHIFT, moved_odds
from vision.tower.reader import read_beside, read_tower, reference_side
from vision.training.drawn.buildings import Film, random_film
from vision.training.drawn.falls import FPS, FallClip, random_fall, video
from vision.watch.collapse import CollapseWatch

SHARED = Path(__file__).parents[3] / "shared" / "data" / "towers-rendered"
MINUTES, FALLS = 60.0, 120  # of video, if no pictures are named
SEED = 91  # of the videos; the watch was tuned with its misses in view, so it is not unseen (training/LOG.md)
FILMS, FILMS_SEED = 20, 8100  # of building, two spaces and four in turn; nothing was chosen on them
PLAYS, MOST_LATE_MS = 12, 200
FALL_FRAMES = (60, 400)  # the fall of a clip begins between these
AFTER_FRAMES = 160  # an arm that lies before the stack when it falls stays for up to 140
AFTER_ALARM_FRAMES = 150  # until the hands have left


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures; misses are drawn into `out`. With --labels the pictures alone, else an hour of video too."""
    folder = labels or SHARED
    found = []
    if (folder / "labels.json").is_file():
        found = tower_figures(folder, read_images(folder, "tower"), out)
    return found if labels else [*found, *collapse_figures(MINUTES, FALLS)]


def tower_figures(folder: Path, known: dict[str, Any], out: Path) -> list[Figure]:
    """Rows for the pictures of a folder: each space by itself, pairs, and spaces against space 1 of the same view."""
    tally = Tally()
    entries = {entry["file"]: entry for entry in known["images"]}
    for name, entry in entries.items():
        frame, scene = load_photo(folder / name), labelled_scene(entry)
        compares = any("same_as_space_1" in stack for stack in entry["stacks"])
        with label_of(name):
            reading: TowerReading = tally.timed(read_tower, frame, scene)
        wrong = [count_space(tally, space, label) for space, label in zip(reading.spaces, entry["stacks"], strict=True)]
        if compares:
            standing = [space for space in entry["stacks"][1:] if space["status"] == "standing"]
            beside_first = {space["space"]: StackReference(space=1) for space in standing}
            matched = read_tower(frame, replace(scene, references=beside_first)).spaces
            for space in standing:
                wrong.append(count_match(tally, matched[space["space"] - 1].match, space["same_as_space_1"]))
        if any(wrong):
            save_miss(out, name, draw_tower(frame, reading))
    for pair in known.get("pairs", []):
        a, b = (entries[pair[letter]] for letter in "ab")
        frame, scene = load_photo(folder / pair["b"]), labelled_scene(b)
        judged = matched_with(frame, scene, load_photo(folder / pair["a"]), labelled_scene(a))
        wrong_pair = count_match(tally, None if judged is None else judged.spaces[0].match, pair["same"])
        if wrong_pair and judged is not None:
            save_miss(out, f"pair-{pair['b']}", draw_tower(frame, judged))
    return tally.figures(folder.name)


def building_figures(_labels: Path | None, out: Path) -> list[Figure]:
    """Stacks filmed while they are built: verdicts on the last pictures, and those that the true places would give."""
    tally, exact = Tally(), Tally()
    for index in range(FILMS):
        film = random_film(FILMS_SEED, index)
        frame = deque(film.looks(), maxlen=1)[0].frame_bgr
        references = {space: StackReference(space=1) for space in film.same}
        reading = tally.timed(read_tower, frame, replace(scene_of(film.entry("film")), references=references))
        wrong = [count_match(tally, reading.spaces[at - 1].match, same) for at, same in film.same.items()]
        if any(wrong):
            save_miss(out, f"film-{index}.jpg", draw_tower(frame, reading))
        for space, same in film.same.items():
            count_match(exact, match_by_places(film, space), same)
    return [*tally.figures("last picture"), *exact.figures("true places, same odds")]


def match_by_places(film: Film, space: int) -> MatchReading:
    """The verdict on a space of a film if a camera knew where each block stands, by the odds of `compare`."""
    model, mine = ([(level, part.way) for level, part in film.stacks[at - 1].parts] for at in (1, space))
    if model != mine:
        return MatchReading(same=False, confidence=1.0, accepted=True)
    there, here = (np.array([solid.centre_mm[0] for solid in film.stacks[at - 1].solids]) for at in (1, space))
    doubt = BY_SHIFT[0] + BY_SHIFT[1] * moved_odds(list(here - there), 2, Scene.misplaced_mm)
    other = float(1 / (1 + np.exp(-doubt)))
    confidence = max(other, 1 - other)
    return MatchReading(other < 0.5, confidence, confidence >= ACCEPT_MATCH)


def labelled_scene(entry: dict[str, Any]) -> Scene:
    """The scene that a label describes; raises BadInput, which names its picture."""
    with label_of(entry["file"]):
        return scene_of(entry)


def matched_with(
    frame_bgr: np.ndarray, scene: Scene, reference_bgr: np.ndarray, reference_scene: Scene
) -> TowerReading | None:
    """Each stack compared with the first of the reference; None when none is seen there, which counts as asked."""
    try:
        side = reference_side(reference_bgr, None, reference_scene)
    except BadInput:
        return None
    return read_beside(frame_bgr, scene, side)


def count_space(tally: Tally, space: SpaceReading, label: dict[str, Any]) -> bool:
    """Counts one space; True when it is wrong."""
    right = space.status == label["status"]
    tally.count("status right", right)
    tally.count("status wrong and not asked", not right and space.accepted)
    if label["status"] == "standing":
        counted = len(space.blocks) == label["blocks_count"]
        tally.count("blocks of a stack counted right", counted)
    return not right


def count_match(tally: Tally, match: MatchReading | None, same: bool) -> bool:
    """Counts one comparison; True when it is wrong. No comparison is a question."""
    right = match is not None and match.same == same
    tally.count("same or different right", right)
    tally.count("verdict wrong and not asked", match is not None and match.accepted and not right)
    tally.count("verdict asked", match is None or not match.accepted)
    return not right


def collapse_figures(minutes: float, falls: int, seed: int = SEED) -> list[Figure]:
    """Falls of simulated stacks seen in time, and false alarms in so many minutes without one."""
    plays = [random_fall(np.random.default_rng([seed, number])) for number in range(PLAYS)]
    began, frames, alarms = time.process_time(), round(minutes * 60 * FPS), 0
    for number, play in enumerate(plays):
        rng = np.random.default_rng([seed, 1, number])
        alarms += len(watched(rng, play, frames // PLAYS, None))
    spent_ms = (time.process_time() - began) * 1000 / max(1, frames)
    late, too_early = [], 0
    for number in range(falls):
        rng = np.random.default_rng([seed, 2, number])
        at = int(rng.integers(*FALL_FRAMES))
        play = plays[number % PLAYS]
        seen = watched(rng, play, at + AFTER_FRAMES, at)
        late += [(frame - at) * 1000 / FPS for frame in seen if frame >= at - play.begun]
        too_early += any(frame < at - play.begun for frame in seen)
    group = "simulated video"
    in_time = sum(each <= MOST_LATE_MS for each in late)
    return [
        Figure("minutes without a fall", group, value=minutes, unit="min"),
        Figure("false alarms in them", group, value=alarms, unit="alarms"),
        Figure("falls seen", group, len(late), falls),
        Figure("falls with a false alarm before them", group, too_early, falls),
        Figure(f"falls seen within {MOST_LATE_MS} ms", group, in_time, falls),
        Figure("late, median", group, value=float(np.median(late)) if late else None, unit="ms"),
        Figure("late, 95 of 100", group, value=float(np.percentile(late, 95)) if late else None, unit="ms"),
        Figure("time a frame, video and watch", group, value=spent_ms, unit="ms"),
    ]


def watched(rng: np.random.Generator, play: FallClip, frames: int, falls_at: int | None) -> list[int]:
    """The frames at which falls were reported; after a false alarm the watch starts anew, once the hands have left."""
    found: list[int] = []
    watch, anew = CollapseWatch(), 0
    for frame, picture in enumerate(video(rng, play, frames, falls_at)):
        at_us = round(frame * 1_000_000 / FPS)
        if frame == anew:
            watch.watch_small(1, play.standing, play.stack, at_us)
        if watch.feed_small(picture, at_us):
            found.append(frame)
            if falls_at is not None and frame >= falls_at - play.begun:
                break
            anew = frame + (1 if falls_at is not None else AFTER_ALARM_FRAMES)
    return found
