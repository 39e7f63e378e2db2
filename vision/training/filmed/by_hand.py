"""Simulates video of a table by a camera in somebody's hand: it drifts, trembles, turns, tilts and comes nearer.

The truth of every frame is known: which dice lie where in it, and whether one moves. Each row of a picture is exposed a
little after the one above, and for as long as a phone does in a room, so that the picture bends and blurs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.demo.things import TableDie, VirtualTable, cleared, thrown
from vision.cameras.camera import Frame
from vision.training.drawn.rolls import (
    APART_MM,
    ASIDE_MM,
    COLUMNS_MM,
    FRAME_US,
    NUDGE_SIDES,
    REST_FRAMES,
    ROWS_MM,
    Moment,
)
from vision.training.drawn.tables import plain, wood, woven
from vision.training.labelled import Rng
from vision.virtual.dice import (
    BODY_BGR,
    HALF_MM,
    cast_shadow,
    draw_die,
    far_and_low_first,
    poses_in_flight,
    resting_pose,
)
from vision.virtual.view import HEIGHT_PX, WIDTH_PX, project

DIE_PX = 43.5  # in the middle of the picture from which a hand's pictures are cut
SEEN = 0.8  # of that picture; the rest comes into view as the hand moves
CLEAR_PX = 90  # around what the hand's camera sees at first: dice lie further in
SLOW_HZ, TREMBLE_HZ = (0.15, 0.6), (5.0, 10.0)  # of a hand
SWAY, TREMBLE = 0.02, 0.0012  # of the picture's width, across and down
TURN_DEG, TREMBLE_DEG = 1.2, 0.06
NEARER, TILT = 0.015, 2e-5  # share by which it comes nearer; perspective for each pixel aside
WAVES = 3  # of each
ROWS_US, EXPOSED_US = 20_000, 8_000  # from the first row of a picture to the last; of each row
PARTS = 2  # of an exposure that are drawn
NOISE_LEVELS, JPEG_QUALITY = 2.0, 85
NOISE_ASIDE_PX = 64  # one store of noise, shown from another place in each picture
SHEET_LIGHT = 0.55  # of the table beside a sheet of paper
SECOND_US = 1_000_000

Ground = Callable[[Rng], np.ndarray]  # → a bare table (HEIGHT_PX, WIDTH_PX, 3) uint8


def as_ground(top: np.ndarray) -> np.ndarray:
    """The part of a square table top that is looked at."""
    return np.ascontiguousarray(top[:HEIGHT_PX, :WIDTH_PX])


def paper_ground(rng: Rng) -> np.ndarray:
    """A plain sheet of paper that ends in view, on a plain table."""
    sheet, table = (as_ground(plain(rng, WIDTH_PX, DIE_PX)) for _which in range(2))
    sheet = cv2.addWeighted(sheet, 0.5, np.full_like(sheet, 200), 0.5, 0)
    corners = np.array([(0.2, 0.12), (1.3, 0.1), (1.3, 0.8), (0.22, 0.83)]) + rng.uniform(-0.03, 0.03, (4, 2))
    mask = np.zeros(sheet.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners * (WIDTH_PX, HEIGHT_PX)).astype(np.int32), 255, cv2.LINE_AA)
    return np.where(mask[..., None] > 127, sheet, cv2.convertScaleAbs(table, alpha=SHEET_LIGHT))


def wooden_ground(rng: Rng) -> np.ndarray:
    """A table of wood."""
    return as_ground(wood(rng, WIDTH_PX, DIE_PX))


def cloth_ground(rng: Rng) -> np.ndarray:
    """A table under a woven cloth."""
    return as_ground(woven(rng, WIDTH_PX, DIE_PX))


GROUNDS: dict[str, Ground] = {"paper": paper_ground, "wood": wooden_ground, "cloth": cloth_ground}


@dataclass(frozen=True)
class Lying:
    """A die as one frame shows it: its value, and the middle of its top face in pixels."""

    value: int
    x_px: float
    y_px: float


class Path:
    """A hand's way: slow sway and quick trembling, each of WAVES waves of random pace."""

    def __init__(self, rng: Rng, sway: float, tremble: float) -> None:
        parts = [(sway, SLOW_HZ), (tremble, TREMBLE_HZ)]
        self._waves = [
            (size * 0.6, rng.uniform(*paces), rng.uniform(0, 2 * np.pi))
            for size, paces in parts
            for _wave in range(WAVES)
        ]

    def at(self, at_us: float) -> float:
        """How far aside the hand is."""
        return float(sum(size * np.sin(2 * np.pi * hz * at_us / SECOND_US + turn) for size, hz, turn in self._waves))


class HandCamera:
    """A camera in a hand, before a still picture of the table of which it sees a part: the whole picture's middle.

    size_px     width and height of its own pictures
    whole_px    width and height of the whole picture
    seen        share of the whole picture that it sees
    strength    of the hand's motion; 1.0 is a hand that tries to hold still
    """

    def __init__(
        self, rng: Rng, size_px: tuple[int, int], whole_px: tuple[int, int], seen: float = SEEN, strength: float = 1.0
    ) -> None:
        self.size_px = size_px
        self._rng, self._whole_px = rng, whole_px
        width, height = size_px
        store = rng.normal(0, NOISE_LEVELS, (height + NOISE_ASIDE_PX, width + NOISE_ASIDE_PX, 3))
        self._noise = store.astype(np.float32)
        self._pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).astype(np.float32)
        self.scale = max(width / (seen * whole_px[0]), height / (seen * whole_px[1]))
        aside = (SWAY * whole_px[0] * strength, TREMBLE * whole_px[0] * strength)
        tilted = (TILT * strength, 0.0)
        self._across, self._down = Path(rng, *aside), Path(rng, *aside)
        self._turned = Path(rng, TURN_DEG * strength, TREMBLE_DEG * strength)
        self._nearer = Path(rng, NEARER * strength, 0.0)
        self._tilts = Path(rng, *tilted), Path(rng, *tilted)

    def view(self, at_us: float) -> np.ndarray:
        """(3, 3): a pixel of the whole picture → the same as the hand's camera shows it."""
        width, height = self.size_px
        middle = np.array([[1, 0, -self._whole_px[0] / 2], [0, 1, -self._whole_px[1] / 2], [0, 0, 1]])
        turn, larger = np.radians(self._turned.at(at_us)), self.scale * (1 + self._nearer.at(at_us))
        cos, sin = larger * np.cos(turn), larger * np.sin(turn)
        across, down = self._across.at(at_us), self._down.at(at_us)
        swayed = np.array([[cos, -sin, self.scale * across], [sin, cos, self.scale * down], [0, 0, 1]])
        tilted = np.array([[1, 0, 0], [0, 1, 0], [*(tilt.at(at_us) for tilt in self._tilts), 1]])
        back = np.array([[1, 0, width / 2], [0, 1, height / 2], [0, 0, 1]])
        return np.asarray(back @ swayed @ tilted @ middle)

    def seen_at(self, place_px: np.ndarray, at_us: int) -> tuple[float, float]:
        """Where its picture of that time shows a place (2,) of the whole one: in the row exposed as it passed there."""
        middle_us = at_us + EXPOSED_US * (PARTS - 1) / PARTS / 2
        _x, y = self._at(place_px, middle_us)
        return self._at(place_px, middle_us + ROWS_US * (y / self.size_px[1] - 0.5))

    def picture(self, whole_bgr: np.ndarray, at_us: int) -> np.ndarray:
        """Its picture (h, w, 3) uint8 of the whole one, blurred, bent, noisy and packed as a phone's."""
        exposed = np.zeros((*self.size_px[::-1], 3), np.float32)
        for part in range(PARTS):
            exposed += self._shown(whole_bgr, at_us + part * EXPOSED_US / PARTS)
        aside, down = self._rng.integers(0, NOISE_ASIDE_PX, 2)
        exposed += PARTS * self._noise[down : down + exposed.shape[0], aside : aside + exposed.shape[1]]
        frame_bgr = cv2.convertScaleAbs(np.maximum(exposed, 0), alpha=1 / PARTS)
        packed = cv2.imencode(".jpg", frame_bgr, (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR))

    def _at(self, place_px: np.ndarray, at_us: float) -> tuple[float, float]:
        ((x, y),) = cv2.perspectiveTransform(place_px.reshape(1, 1, 2).astype(float), self.view(at_us))[0].tolist()
        return x, y

    def _shown(self, whole_bgr: np.ndarray, at_us: float) -> np.ndarray:
        """What the hand's camera shows of the whole picture, row after row."""
        first, last = (np.linalg.inv(self.view(at_us + late_us)) for late_us in (-ROWS_US / 2, ROWS_US / 2))
        down = np.linspace(0, 1, self.size_px[1], dtype=np.float32)[:, None]
        early, late = (cv2.perspectiveTransform(self._pixels, matrix) for matrix in (first, last))
        x, y = ((1 - down) * early[..., axis] + down * late[..., axis] for axis in range(2))
        return cv2.remap(whole_bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)


class HandFilm:
    """Films a table by hand: each action goes on from the present, frame by frame, and ends in a rest.

    strength    of the hand's motion; 1.0 is a hand that tries to hold still
    rested_us   when the last moving die came to rest
    """

    def __init__(self, rng: Rng, size_px: tuple[int, int], ground: Ground, strength: float = 1.0) -> None:
        self.table = VirtualTable()
        self.rested_us = 0
        self._rng = rng
        self._ground = ground(rng)
        self._frames = self._dice = 0
        self._hand = HandCamera(rng, size_px, (WIDTH_PX, HEIGHT_PX), strength=strength)

    @property
    def at_us(self) -> int:
        """The time of the next frame."""
        return self._frames * FRAME_US

    def rest(self, frames: int = REST_FRAMES) -> Iterator[Moment]:
        """Films the table at rest."""
        for _frame in range(frames):
            yield self._moment()

    def throw(self, count: int, frames: int = REST_FRAMES) -> Iterator[Moment]:
        """Throws so many more dice, then films them at rest."""
        new = [self._new_die(place) for place in self._free_places(count)]
        began_us = self.at_us + int(self._rng.integers(FRAME_US))
        self.table = thrown(self.table, (*self.table.dice, *new), began_us)
        assert self.table.throw is not None
        self.rested_us = self.table.throw.rests_us
        while self.at_us < self.rested_us:
            yield self._moment(die_moves=True)
        yield from self.rest(frames)

    def nudge(self, frames: int = REST_FRAMES) -> Iterator[Moment]:
        """Pushes the first die aside at once, then films the rest."""
        die, *others = self.table.dice
        angle, far_mm = self._rng.uniform(0, 2 * np.pi), 2 * HALF_MM * self._rng.uniform(*NUDGE_SIDES)
        pushed = replace(die, x_mm=die.x_mm + far_mm * np.cos(angle), y_mm=die.y_mm + far_mm * np.sin(angle))
        self.table = replace(self.table, dice=(pushed, *others), throw=None)
        self.rested_us = self.at_us
        yield from self.rest(frames)

    def clear(self, frames: int = REST_FRAMES) -> Iterator[Moment]:
        """Takes all dice away at once."""
        self.table = cleared(self.table)
        yield from self.rest(frames)

    def lying(self, at_us: int) -> list[Lying]:
        """The dice at rest as a frame of that time shows them, each in the row that was exposed as it passed there."""
        places = (project(np.array([[die.x_mm, -die.y_mm, 2 * HALF_MM]])) for die in self.table.dice)
        return [
            Lying(die.value, *self._hand.seen_at(place, at_us))
            for die, place in zip(self.table.dice, places, strict=True)
        ]

    def _moment(self, *, die_moves: bool = False) -> Moment:
        """The next frame."""
        at_us = self.at_us
        moment = Moment(
            Frame(self._hand.picture(self._whole_picture(at_us), at_us), at_us, self._frames), die_moves, False
        )
        self._frames += 1
        return moment

    def _whole_picture(self, at_us: int) -> np.ndarray:
        """The table, of which the hand's camera sees a part."""
        frame_bgr, throw = self._ground.copy(), self.table.throw
        flies = throw is not None and at_us < throw.rests_us
        poses = poses_in_flight(self.table, at_us) if flies else [resting_pose(die) for die in self.table.dice]
        for pose in poses:
            cast_shadow(frame_bgr, pose)
        for pose in sorted(poses, key=far_and_low_first):
            draw_die(frame_bgr, pose)
        return frame_bgr

    def _new_die(self, place_mm: np.ndarray) -> TableDie:
        self._dice += 1
        value, turn_deg = int(self._rng.integers(1, 7)), float(self._rng.uniform(0, 360))
        colour = str(self._rng.choice(list(BODY_BGR)))
        return TableDie(f"die-{self._dice}", value, float(place_mm[0]), float(place_mm[1]), turn_deg, colour)

    def _free_places(self, count: int) -> list[np.ndarray]:
        """So many places in mm well in view, or fewer if there is no more room."""
        places = np.stack(np.meshgrid(COLUMNS_MM, ROWS_MM), axis=-1).reshape(-1, 2)
        places = places + self._rng.uniform(-ASIDE_MM, ASIDE_MM, places.shape)
        far_px = np.array(self._hand.size_px) / self._hand.scale / 2 - CLEAR_PX
        flat = project(np.column_stack([places[:, 0], -places[:, 1], np.zeros(len(places))]))
        inside = (np.abs(flat - (WIDTH_PX / 2, HEIGHT_PX / 2)) < far_px).all(axis=1)
        there = [np.array([die.x_mm, die.y_mm]) for die in self.table.dice]
        room = [
            place
            for place in self._rng.permutation(places[inside])
            if all(np.hypot(*(place - at)) > APART_MM for at in there)
        ]
        return room[:count]
