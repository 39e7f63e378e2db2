"""`make bench NAME=watch`: how soon and how reliably dice at rest are reported, on simulated video, and at what cost.
`make bench NAME=held`: the same before a camera that somebody holds in the hand; of labelled photographs if named.

The time from rest to reading is that between the stamps of the frames, plus the processor time of all work on one core:
other programs on the machine do not change it. The drawing of the frames and the camera's own work are not counted.
"""

import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.app.bench import dice_photos
from companion.app.bench.figures import Figure
from companion.app.bench.labels import read_dice
from companion.app.bench.misses import save_miss
from companion.game.readings import Box, DiceReading, DieReading, Kind, Settled, Watching
from tests.benches.tally import Tally
from tests.benches.thrown import painted_out
from vision.cameras.camera import Frame
from vision.cameras.health import Health
from vision.cameras.photos import load_photo
from vision.training.drawn.rolls import FRAME_US, Film, Moment
from vision.training.filmed.by_hand import GROUNDS, HandCamera, HandFilm, Lying
from vision.training.filmed.photographs import THROW_US, FollowingCamera, Label, PhotoFilm, scene_of
from vision.watch.known_table import KnownTable
from vision.watch.lookout import reader_for
from vision.watch.watch import Watch

SIZES_PX = ((640, 480), (1280, 720), (1920, 1080))
ROUNDS, THROWS = 30, 10
GROWTH = (1, 10, 60)  # dice
SEED = 51
WANTED_MS = 250  # from when the last die comes to rest until it is read
MOST_THROWN = 6
GROWN_PX = (1280, 720)  # the size at which many dice are thrown
PATIENT_FRAMES = 90  # until something taken for a resting hand counts as part of the table
IDLE_FRAMES, IDLE_PICTURES = 150, 10  # frames watched, and different pictures drawn for them beforehand
IDLE_FPS = 15  # of a slow webcam
HELD_SIZES_PX = ((320, 576), (1280, 720), (1920, 1080))
CLIPS, HELD_SEED = 4, 35  # by hand, of each size and table; each shows two throws and a nudge
LEAD_FRAMES = 12  # of the bare table, before the first throw
ALONG_STRENGTH = 2.0  # of a hand that goes along with the dice
NEAR = 0.7  # of a die's size: so near a die's true place its reading is that die's

Reported = list[tuple[Moment, Settled]]
Size = tuple[int, int]


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures; takes no labels and draws no misses."""
    return watch_figures(SIZES_PX, ROUNDS, GROWTH, THROWS, SEED)


def watch_figures(
    sizes: tuple[Size, ...], rounds: int, growth: tuple[int, ...], throws: int, seed: int
) -> list[Figure]:
    """For each size, `rounds` of a throw, a hovering hand, a nudge and a hand that takes dice; then the times by number
    of dice, each number thrown `throws` times."""
    cv2.setNumThreads(1)
    rows = []
    for size_px in sizes:
        rows += round_figures(np.random.default_rng([seed, *size_px]), size_px, rounds)
        rows += [idle_figure(np.random.default_rng([seed, dice]), size_px, dice) for dice in growth]
    for dice in growth:
        rows += growth_figures(np.random.default_rng([seed, dice]), dice, throws)
    return rows


def round_figures(rng: np.random.Generator, size_px: Size, rounds: int) -> list[Figure]:
    """The figures of `rounds` rounds with one size of pictures."""
    film, tally = Film(rng, size_px), Tally()
    watch, late_ms = watch_of(film), list[float]()
    readings(watch, film.rest())
    for _ in range(rounds):
        thrown = readings(watch, film.throw(int(rng.integers(1, MOST_THROWN + 1))))
        thrown = thrown or readings(watch, film.rest(PATIENT_FRAMES))
        at_rest = [settled for moment, settled in thrown if not moment.die_moves]
        tally.count("throws told", bool(at_rest))
        if at_rest:
            late_ms.append(ready_ms(film, at_rest[0]))
            tally.count(f"ready later than {WANTED_MS} ms, of throws told", late_ms[-1] > WANTED_MS)
        tally.count("told while a die moved, of throws", len(at_rest) < len(thrown))

        hovered = readings(watch, film.hover())
        nudged = readings(watch, film.nudge())
        anew = [each for each in nudged if each[0].frame.at_us >= film.rested_us]
        taken = readings(watch, film.take(int(rng.integers(1, len(film.table.dice) + 1))))
        for seen in (hovered, nudged, taken):
            beneath = [settled for moment, settled in seen if moment.hand_in_view]
            sure = any(settled.reading.accepted and settled.surely_new for settled in beneath)
            tally.count("told with a hand in view, of hands", bool(beneath))
            tally.count("the same, surely and as new, of hands", sure)
        tally.count("hand taking dice told as a roll", bool(taken))
        for times, expected in ((len(at_rest), 1), (len(hovered), 0), (len(anew), 1)):
            tally.count("same dice told twice", times > expected)
        tally.count("nudged die told", bool(anew))
    group = in_words(size_px)
    return [*ready_figures(group, late_ms), *tally.figures(group)]


def held_figures(labels: Path | None, out: Path) -> list[Figure]:
    """The figures of clips by hand, for each size and table, or with labels of throws of their photographs by hand.

    Of those, what was read wrongly or not told is drawn into `out`.
    """
    cv2.setNumThreads(1)
    if labels:
        return [row for size_px in HELD_SIZES_PX for row in photo_figures(labels, size_px, out)]
    return [
        row
        for size_px in HELD_SIZES_PX
        for ground in GROUNDS
        for row in clip_figures([HELD_SEED, *size_px], size_px, ground, CLIPS)
    ]


def clip_figures(seed: list[int], size_px: Size, ground: str, clips: int) -> list[Figure]:
    """The figures of so many clips of one size and table: a throw, another beside what lies there, and a nudge."""
    tally, spent_ms = Tally(), list[float]()
    for number in range(clips):
        rng = np.random.default_rng([*seed, number])
        film = HandFilm(rng, size_px, GROUNDS[ground])
        watch = watch_held()

        def told(moments: Iterable[Moment], watch: Watch = watch) -> Reported:
            found: Reported = []
            for moment in moments:
                began = time.process_time()
                settled = watch.feed(moment.frame)
                if settled is None:
                    spent_ms.append(1000 * (time.process_time() - began))
                else:
                    found.append((moment, settled))
            return found

        told(film.rest(LEAD_FRAMES))
        for _throw in range(2):
            seen = told(film.throw(int(rng.integers(1, MOST_THROWN + 1))))
            at_rest = [(moment, settled) for moment, settled in seen if not moment.die_moves]
            tally.count("throws told", bool(at_rest))
            tally.count("told while a die moved, of throws", len(at_rest) < len(seen))
            tally.count("same dice told twice", len(at_rest) > 1)
            for moment, settled in at_rest[:1]:
                count_dice(tally, film.lying(moment.frame.at_us), settled.reading)
        tally.count("nudged die told", bool(told(film.nudge())))
    group = f"{in_words(size_px)}, {ground}"
    median = Figure("watching a picture, median", group, value=float(np.median(spent_ms)), unit="ms")
    return [*tally.figures(group), median]


def photo_figures(folder: Path, size_px: Size, out: Path) -> list[Figure]:
    """The figures of throws made of a folder's photographs, filmed by a hand that stays and by one that goes along."""
    entries = [entry for entry in read_dice(folder) if any(map(dice_photos.in_scope, entry["dice"]))]
    rows = []
    for goes_along in (False, True):
        tally = Tally()
        for entry in dice_photos.with_progress(entries, "photographs"):
            seed = [HELD_SEED, *size_px, goes_along, zlib.crc32(entry["image"].encode())]
            film = film_of(np.random.default_rng(seed), folder, entry, size_px, goes_along)
            miss = count_throw(tally, film)
            if miss is not None:
                save_miss(out, f"{in_words(size_px)} {'along' if goes_along else 'stays'} {entry['image']}", miss)
        rows += tally.figures(f"{in_words(size_px)}, {'goes along' if goes_along else 'stays'}")
    return rows


def film_of(
    rng: np.random.Generator, folder: Path, entry: dict[str, Any], size_px: Size, goes_along: bool
) -> PhotoFilm:
    """The throw of one photograph's dice, filmed by hand."""
    photo_bgr = load_photo(folder / entry["image"])
    labels = [label | {"size_px": dice_photos.size_of(label)} for label in entry["dice"]]
    scene = scene_of(photo_bgr, painted_out(photo_bgr, labels), labels, size_px)
    height, width = scene.bare_bgr.shape[:2]
    if not goes_along:
        return PhotoFilm(rng, scene, HandCamera(rng, size_px, (width, height)))
    return PhotoFilm(rng, scene, FollowingCamera(rng, size_px, (width, height), THROW_US, ALONG_STRENGTH))


def count_throw(tally: Tally, film: PhotoFilm) -> np.ndarray | None:
    """Counts what is told of a throw; the picture of it if that is not all."""
    seen = readings(watch_held(), film.frames())
    at_rest = [(moment.frame, settled.reading) for moment, settled in seen if moment.frame.at_us >= film.rested_us]
    tally.count("throws told", bool(at_rest))
    tally.count("told while a die moved, of throws", any(moment.die_moves for moment, _settled in seen))
    tally.count("same dice told twice", len(at_rest) > 1)
    if not at_rest:
        return film.last_bgr
    frame, reading = at_rest[0]
    labels = as_read(film, frame.at_us, reading)
    verdict = dice_photos.judge(labels, reading)
    tally.add("dice read rightly, of throws told", verdict.right, verdict.dice)
    tally.add("silent errors, of dice", verdict.silent, verdict.dice)
    tally.add("asked about, of dice", verdict.asked, verdict.dice)
    tally.add("things that are no dice, of dice", verdict.false, verdict.dice)
    return None if verdict.entirely_right and not verdict.silent else dice_photos.draw_miss(frame.bgr, labels, reading)


def as_read(film: PhotoFilm, told_us: int, reading: DiceReading) -> list[Label]:
    """The labels in the picture that was read: of those since the rest, the one that most of the reading lies in."""
    since_rest = [film.labels(at_us) for at_us in range(told_us, film.rested_us - 1, -FRAME_US)]
    return max(since_rest, key=lambda labels: len(dice_photos.matches(labels, reading.dice)))


def watch_held() -> Watch:
    """A watch like the vision process's, which knows nothing of the table."""
    read = reader_for(KnownTable.at(None), Watching(Kind.DICE))
    return Watch(read, live=True, stopwatch_us=lambda: time.process_time_ns() // 1000)


def count_dice(tally: Tally, lying: list[Lying], reading: DiceReading) -> None:
    """Counts what a reading says of the dice that lie there."""

    def there(place: DieReading | Box, die: Lying) -> bool:
        return float(np.hypot(place.cx - die.x_px, place.cy - die.y_px)) < NEAR * max(place.w, place.h)

    for die in lying:
        read = [each for each in reading.dice if there(each, die) and each.accepted]
        tally.count("dice read rightly, of throws told", any(each.value == die.value for each in read))
        tally.count("accepted wrong value", any(each.value != die.value for each in read))
    for each in reading.dice:
        tally.count("accepted die where none lies", each.accepted and not any(there(each, die) for die in lying))
        tally.count("asked about", not each.accepted)


def growth_figures(rng: np.random.Generator, dice: int, throws: int) -> list[Figure]:
    """The times until `dice` dice, thrown at once, are read."""
    film = Film(rng, GROWN_PX)
    watch, late_ms = watch_of(film), list[float]()
    readings(watch, film.rest())
    for _ in range(throws):
        seen = [settled for moment, settled in readings(watch, film.throw(dice)) if not moment.die_moves]
        late_ms += [ready_ms(film, settled) for settled in seen[:1]]
        readings(watch, film.clear())
    return ready_figures(f"{in_words(GROWN_PX)}, {dice} dice", late_ms)


def idle_figure(rng: np.random.Generator, size_px: Size, dice: int) -> Figure:
    """The share of one core for watching a still table, without the camera's own work."""
    film, health = Film(rng, size_px), Health(lambda: 0)  # by a clock, pictures that repeat mean a broken camera
    watch = watch_of(film)
    readings(watch, film.rest())
    readings(watch, film.throw(dice))
    pictures = [moment.frame.bgr for moment in film.rest(IDLE_PICTURES)]
    at_us = [film.at_us + number * 1_000_000 // IDLE_FPS for number in range(IDLE_FRAMES)]
    frames = [Frame(pictures[number % IDLE_PICTURES], at_us[number], number) for number in range(IDLE_FRAMES)]
    began = time.process_time()
    for frame in frames:
        health.trouble(frame)
        watch.feed(frame)
    spent_s = (time.process_time() - began) / IDLE_FRAMES
    name = f"idle at {IDLE_FPS} frames a second, {dice} dice"
    return Figure(name, in_words(size_px), value=100 * spent_s * IDLE_FPS, unit="% of one core")


def watch_of(film: Film) -> Watch:
    """A watch like the vision process's, for a calibrated table."""
    read = reader_for(KnownTable(film.scene()), Watching(Kind.DICE))
    return Watch(read, live=True, stopwatch_us=lambda: time.process_time_ns() // 1000)


def readings(watch: Watch, moments: Iterable[Moment]) -> Reported:
    """Every reading of the watch, with the moment of its frame."""
    return [(moment, settled) for moment in moments if (settled := watch.feed(moment.frame)) is not None]


def ready_ms(film: Film, settled: Settled) -> float:
    """Milliseconds from when the last die came to rest until its reading was ready."""
    return (settled.read_us - film.rested_us) / 1000


def ready_figures(group: str, late_ms: list[float]) -> list[Figure]:
    if not late_ms:
        return []
    return [
        Figure("ready after the last die rests, median", group, value=float(np.median(late_ms)), unit="ms"),
        Figure("ready after the last die rests, worst", group, value=max(late_ms), unit="ms"),
    ]


def in_words(size_px: Size) -> str:
    return f"{size_px[0]} × {size_px[1]}"
