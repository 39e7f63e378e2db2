"""Simulates video of the demo's table: dice that are thrown, and hands that hover over them, nudge and take them.

The truth of every frame is known. Dice fly as in the demo. Hands are flat and simple, in the sizes and colours of hands
and sleeves, so these videos do not show how surely a hand is told from a table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from companion.demo.things import DIE_MM, THROW_US, TableDie, VirtualTable, cleared, moved, thrown
from vision.cameras.camera import Frame
from vision.training.labelled import Rng
from vision.virtual.camera import virtual_scene
from vision.virtual.dice import BODY_BGR, dim
from vision.virtual.painter import NOISE_FLOOR, NOISE_LEVELS, Painter
from vision.virtual.view import HEIGHT_PX, VIEW_MM, WIDTH_PX, project

FPS = 30
FRAME_US = 1_000_000 // FPS
REST_FRAMES = 20  # after each action
COLUMNS_MM, ROWS_MM = np.linspace(65, 335, 10), np.linspace(45, 255, 6)  # where dice may lie, in view of every size
ASIDE_MM = np.array([3.0, 9.0])  # random distance from there; dice never touch
NUDGE_SIDES = (0.5, 1.5)  # less is within the reader's own noise
NUDGE_FRAMES = 6
APART_MM = 23.0  # two dice corner to corner just touch at 22.6

PX_PER_MM = WIDTH_PX / VIEW_MM
FINGER_MM, PALM_MM, FINGER_WIDE_MM, PALM_WIDE_MM, ARM_WIDE_MM = 75.0, 95.0, 18.0, 80.0, 66.0
SPREAD = (-0.36, -0.12, 0.12, 0.36)  # of the fingers, in palms across
SKIN_BGR, SKIN_LIGHT = np.array([0.72, 0.86, 1.15]), (40, 220)  # times its light, from dark to pale
BARE = 0.4  # share of arms without a sleeve
BEYOND_PX = 600  # distance of the arm's elbow outside the picture
COME_FRAMES, STAY_FRAMES = (7, 15), (4, 36)  # of a moving hand, and of one held still
TREMBLE_PX = 0.4  # a hand held as still as can be
SHADE, SHADE_PX, SHADE_COARSE = 50, (12, 18), 8  # a hand's shadow: darkness, shift, coarseness


@dataclass(frozen=True, eq=False)
class Moment:
    """A frame and its truth."""

    frame: Frame
    die_moves: bool
    hand_in_view: bool


@dataclass(frozen=True)
class Hand:
    """A hand: its elbow outside the picture, and its colours."""

    elbow_px: tuple[float, float]
    skin_bgr: tuple[float, ...]
    sleeve_bgr: tuple[float, ...]

    def draw(self, frame_bgr: np.ndarray, tip_px: np.ndarray) -> np.ndarray:
        """A copy of the picture with the hand, its fingertips at a place, and its shadow."""
        small = (frame_bgr.shape[1] // SHADE_COARSE, frame_bgr.shape[0] // SHADE_COARSE)
        shade = np.zeros((small[1], small[0]), np.uint8)
        for start, end, wide, _ in self.limbs(tip_px + SHADE_PX):
            stroke(shade, start / SHADE_COARSE, end / SHADE_COARSE, wide / SHADE_COARSE, (SHADE,))
        soft = cv2.resize(cv2.blur(shade, (5, 5)), frame_bgr.shape[1::-1], interpolation=cv2.INTER_LINEAR)
        picture = dim(frame_bgr, 255 - soft)
        for start, end, wide, paint in self.limbs(tip_px):
            stroke(picture, start, end, wide, paint)
        return picture

    def limbs(self, tip_px: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, float, tuple[float, ...]]]:
        """Start, end, width and paint of the arm, the palm and the fingers."""
        elbow = np.array(self.elbow_px)
        ahead = (tip_px - elbow) / max(1.0, float(np.linalg.norm(tip_px - elbow)))
        knuckles = tip_px - ahead * FINGER_MM * PX_PER_MM
        wrist = knuckles - ahead * PALM_MM * PX_PER_MM
        yield elbow, wrist, ARM_WIDE_MM * PX_PER_MM, self.sleeve_bgr
        yield wrist, knuckles, PALM_WIDE_MM * PX_PER_MM, self.skin_bgr
        for aside in SPREAD:
            across = np.array([-ahead[1], ahead[0]]) * aside * PALM_WIDE_MM * PX_PER_MM
            lit = tuple(level * (1 + 0.12 * aside) for level in self.skin_bgr)
            yield knuckles + across, tip_px + across, FINGER_WIDE_MM * PX_PER_MM, lit


def stroke(
    picture: np.ndarray, start_px: np.ndarray, end_px: np.ndarray, wide_px: float, paint: tuple[float, ...]
) -> None:
    (x0, y0), (x1, y1) = np.round(start_px).astype(int).tolist(), np.round(end_px).astype(int).tolist()
    cv2.line(picture, (x0, y0), (x1, y1), paint, max(1, round(wide_px)), cv2.LINE_AA)


class Film:
    """Films the table: each action goes on from the present, frame by frame, and ends in a rest.

    rested_us  when the last moving die came to rest
    """

    def __init__(self, rng: Rng, size_px: tuple[int, int]) -> None:
        self.table = VirtualTable()
        self.rested_us = 0
        self._rng = rng
        self._size_px = width, height = size_px
        self._painter = Painter()
        self._aside_px = round((HEIGHT_PX * width / height - WIDTH_PX) / 2)  # of floor beside a wider picture
        store = rng.normal(NOISE_FLOOR, NOISE_LEVELS, (height + 64, width + 64, 3))
        self._noise = np.clip(np.rint(store), 0, 255).astype(np.uint8)
        self._frames = self._dice = 0  # numbers of frames and of dice so far; each thrown die is new
        self._tip_px = np.zeros(2)
        # the painter's last picture, and the same at the film's size
        self._still: tuple[np.ndarray, np.ndarray] = (np.empty(0), np.empty(0))

    @property
    def at_us(self) -> int:
        """The time of the next frame."""
        return self._frames * FRAME_US

    def scene(self) -> dict[str, Any]:
        """The scene fields of the table in such pictures, as calibration would write them."""
        fields = virtual_scene()
        camera = fields["camera"]
        aside = {"width": camera["width"] + 2 * self._aside_px, "cx": camera["cx"] + self._aside_px}
        return {**fields, "camera": {**camera, **aside}}

    def rest(self, frames: int = REST_FRAMES) -> Iterator[Moment]:
        """Films the table at rest."""
        for _ in range(frames):
            yield self._moment()

    def throw(self, count: int) -> Iterator[Moment]:
        """Throws so many more dice, from beyond the near edge."""
        new = [self._new_die(place) for place in self._rng.permutation(self._free_places())[:count]]
        began_us = self.at_us + int(self._rng.integers(FRAME_US))
        self.table = thrown(self.table, (*self.table.dice, *new), began_us)
        self.rested_us = began_us + THROW_US
        while self.at_us < self.rested_us:
            yield self._moment(die_moves=True)
        yield from self.rest()

    def clear(self) -> Iterator[Moment]:
        """Removes all dice at once."""
        self.table = cleared(self.table)
        yield from self.rest()

    def hover(self) -> Iterator[Moment]:
        """Holds a hand over one to three dice."""
        hand = self._hand()
        for die in self._some_dice(int(self._rng.integers(1, 4))):
            yield from self._reach(hand, self._tip_at(die))
            yield from self._hold(hand)
        yield from self._leave(hand)

    def take(self, count: int) -> Iterator[Moment]:
        """Takes so many dice with a hand, one after the other."""
        hand = self._hand()
        for die in self._some_dice(count):
            yield from self._reach(hand, self._tip_at(die))
            yield from self._hold(hand)
            left = tuple(each for each in self.table.dice if each.key != die.key)
            self.table = replace(self.table, dice=left, throw=None)
        yield from self._leave(hand)

    def nudge(self) -> Iterator[Moment]:
        """Pushes one die aside with a finger."""
        hand, (die, there) = self._hand(), self._choose_push()
        yield from self._reach(hand, self._tip_at(die))
        for share in np.linspace(0, 1, NUDGE_FRAMES + 1)[1:]:
            x_mm, y_mm = (1 - share) * np.array([die.x_mm, die.y_mm]) + share * there
            self.table = moved(self.table, die.key, float(x_mm), float(y_mm))
            self._tip_px = self._tip_at(replace(die, x_mm=float(x_mm), y_mm=float(y_mm)))
            self.rested_us = self.at_us
            yield self._moment(hand, die_moves=True)
        yield from self._hold(hand)
        yield from self._leave(hand)

    def _reach(self, hand: Hand, to_px: np.ndarray) -> Iterator[Moment]:
        """Moves the fingertips to a place, slowly at both ends."""
        from_px = self._tip_px
        for part in np.linspace(0, 1, int(self._rng.integers(*COME_FRAMES)))[1:]:
            self._tip_px = from_px + (to_px - from_px) * part**2 * (3 - 2 * part)
            yield self._moment(hand)

    def _hold(self, hand: Hand) -> Iterator[Moment]:
        """Holds the hand where it is."""
        held_px = self._tip_px
        for _ in range(int(self._rng.integers(*STAY_FRAMES))):
            self._tip_px = held_px + self._rng.normal(0, TREMBLE_PX, 2)
            yield self._moment(hand)

    def _leave(self, hand: Hand) -> Iterator[Moment]:
        yield from self._reach(hand, np.array(hand.elbow_px))
        yield from self.rest()

    def _moment(self, hand: Hand | None = None, *, die_moves: bool = False) -> Moment:
        """The next frame, at the film's size, with noise."""
        wide_px = WIDTH_PX + 2 * self._aside_px
        in_view = hand is not None and bool(((self._tip_px >= 0) & (self._tip_px < (wide_px, HEIGHT_PX))).all())
        width, height = self._size_px
        down, right = self._rng.integers(0, 64, 2)
        sized = self._sized_picture(hand if in_view else None)
        frame_bgr = cv2.add(sized, self._noise[down : down + height, right : right + width])
        moment = Moment(Frame(frame_bgr, self.at_us, self._frames), die_moves, in_view)
        self._frames += 1
        return moment

    def _sized_picture(self, hand: Hand | None) -> np.ndarray:
        """The table, and a hand over it, at the film's size; a still table is resized only once."""
        table = self._painter.without_noise(self.table, self.at_us)
        if hand is None and table is self._still[0]:
            return self._still[1]
        picture = cv2.copyMakeBorder(table, 0, 0, self._aside_px, self._aside_px, cv2.BORDER_REPLICATE)
        if hand is not None:
            picture = hand.draw(picture, self._tip_px)
        sized = cv2.resize(picture, self._size_px, interpolation=cv2.INTER_AREA)
        if hand is None:
            self._still = (table, sized)
        return sized

    def _hand(self) -> Hand:
        """A hand that comes in over the near, the left or the right edge."""
        wide_px, along = WIDTH_PX + 2 * self._aside_px, float(self._rng.uniform(0.2, 0.8))
        elbows = (
            (along * wide_px, HEIGHT_PX + BEYOND_PX),
            (-BEYOND_PX, along * HEIGHT_PX),
            (wide_px + BEYOND_PX, along * HEIGHT_PX),
        )
        elbow = elbows[self._rng.choice(3, p=(0.6, 0.2, 0.2))]
        self._tip_px = np.array(elbow)
        skin = SKIN_BGR * self._rng.uniform(*SKIN_LIGHT)
        cloth = np.clip(self._rng.uniform(15, 230) * np.exp(self._rng.normal(0, 0.3, 3)), 5, 245)
        sleeve = skin if self._rng.random() < BARE else cloth
        return Hand(elbow, tuple(map(float, skin)), tuple(map(float, sleeve)))

    def _new_die(self, place_mm: np.ndarray) -> TableDie:
        self._dice += 1
        x_mm, y_mm = (place_mm + self._rng.uniform(-ASIDE_MM, ASIDE_MM)).tolist()
        value, turn_deg = int(self._rng.integers(1, 7)), float(self._rng.uniform(0, 360))
        return TableDie(f"die-{self._dice}", value, x_mm, y_mm, turn_deg, str(self._rng.choice(list(BODY_BGR))))

    def _free_places(self) -> np.ndarray:
        """(n, 2) places in mm without a die near."""
        places = np.stack(np.meshgrid(COLUMNS_MM, ROWS_MM), axis=-1).reshape(-1, 2)
        return np.array([place for place in places if self._has_room(place, self.table.dice)])

    def _has_room(self, place_mm: np.ndarray, dice: tuple[TableDie, ...]) -> bool:
        return all(np.hypot(die.x_mm - place_mm[0], die.y_mm - place_mm[1]) > APART_MM for die in dice)

    def _some_dice(self, count: int) -> list[TableDie]:
        chosen = self._rng.permutation(len(self.table.dice))[:count]
        return [self.table.dice[i] for i in chosen]

    def _tip_at(self, die: TableDie) -> np.ndarray:
        """The place of the fingertips in the picture when they touch a die."""
        return project(np.array([[die.x_mm, -die.y_mm, DIE_MM]]))[0] + (self._aside_px, 0)

    def _choose_push(self) -> tuple[TableDie, np.ndarray]:
        """A random die, and the place (2,) in mm to which it may be pushed."""
        while True:
            (die,) = self._some_dice(1)
            angle, far_mm = self._rng.uniform(0, 2 * np.pi), DIE_MM * self._rng.uniform(*NUDGE_SIDES)
            there = np.array([die.x_mm + far_mm * np.cos(angle), die.y_mm + far_mm * np.sin(angle)])
            others = tuple(each for each in self.table.dice if each.key != die.key)
            if self._has_room(there, others):
                return die, there
