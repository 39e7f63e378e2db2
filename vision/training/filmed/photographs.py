"""Simulates a throw filmed by hand from a labelled photograph: its dice fly in and come to rest where they lie in it.

The table before is the photograph with its dice painted out. What a real clip shows besides is not here: the hand that
throws, things that stand out of the table, a camera that looks for its focus.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.cameras.camera import Frame
from vision.training.drawn.rolls import FRAME_US, Moment
from vision.training.filmed.by_hand import SEEN, HandCamera
from vision.training.labelled import Rng

WITHIN = 0.62  # of the hand's picture: so much the dice take at most
LEAD_FRAMES, FLY_FRAMES, REST_FRAMES = 15, 18, 60
THROW_US = (LEAD_FRAMES * FRAME_US, (LEAD_FRAMES + FLY_FRAMES) * FRAME_US)  # from the first motion of a die to the last
FAR, ASIDE_RAD, TURNS = (0.8, 1.4), 0.6, 2.0  # of the whole picture, from where dice come; about which way; turns on it
PATCH, SOLID, FEATHER = 1.3, 0.85, 0.06  # of a die's label: what flies, how much of that is solid, how soft its edge
ALONG, CLOSER = (0.06, 0.12), (-0.1, 0.15)  # a hand that goes along: of the whole picture aside, and nearer

Label = dict[str, Any]  # `cx`, `cy`, `w`, `h`, `size_px` in pixels, and `value`


class FollowingCamera(HandCamera):
    """A hand that follows what it films aside and nearer, between two times."""

    def __init__(
        self,
        rng: Rng,
        size_px: tuple[int, int],
        whole_px: tuple[int, int],
        during_us: tuple[int, int],
        strength: float = 1.0,
    ) -> None:
        super().__init__(rng, size_px, whole_px, strength=strength)
        self._during_us = during_us
        self._far_px = rng.uniform(*ALONG, 2) * rng.choice([-1, 1], 2) * size_px
        self._closer = rng.uniform(*CLOSER)

    def view(self, at_us: float) -> np.ndarray:
        """(3, 3): a pixel of the whole picture → the same as the hand's camera shows it."""
        share = float(np.clip((at_us - self._during_us[0]) / (self._during_us[1] - self._during_us[0]), 0, 1))
        share *= share * (3 - 2 * share)
        larger, (middle_x, middle_y) = 1 + self._closer * share, np.array(self.size_px) / 2
        x, y = self._far_px * share
        moved = np.array(
            [[larger, 0, x + middle_x * (1 - larger)], [0, larger, y + middle_y * (1 - larger)], [0, 0, 1]]
        )
        return np.asarray(moved @ super().view(at_us))


@dataclass(frozen=True, eq=False)
class Scene:
    """A photograph's table as the whole of which a hand sees a part: without and with its dice, (h, w, 3) uint8."""

    bare_bgr: np.ndarray
    lain_bgr: np.ndarray
    labels: tuple[Label, ...]


def scene_of(photo_bgr: np.ndarray, bare_bgr: np.ndarray, labels: list[Label], size_px: tuple[int, int]) -> Scene:
    """The scene of a photograph for a hand with pictures of that size; the photograph is turned to lie as they do.

    Beside the photograph lies its own table once more, mirrored and bare. It is never made larger.
    """
    if (photo_bgr.shape[0] > photo_bgr.shape[1]) != (size_px[1] > size_px[0]):
        labels = [turned(label, photo_bgr.shape[0]) for label in labels]
        photo_bgr, bare_bgr = (cv2.rotate(each, cv2.ROTATE_90_CLOCKWISE) for each in (photo_bgr, bare_bgr))
    places = np.array([(label["cx"], label["cy"]) for label in labels], float)
    room_px = max(label["size_px"] for label in labels)
    first, last = places.min(axis=0) - room_px, places.max(axis=0) + room_px
    scale = min(1.0, *(WITHIN * np.array(size_px) / (last - first)))
    small_px = tuple(max(1, round(scale * side)) for side in photo_bgr.shape[1::-1])
    photo_bgr, bare_bgr = (cv2.resize(each, small_px, interpolation=cv2.INTER_AREA) for each in (photo_bgr, bare_bgr))
    whole_px = tuple(round(side / SEEN) for side in size_px)
    aside = np.rint(np.array(whole_px) / 2 - scale * (first + last) / 2)
    to_whole = np.array([[1, 0, aside[0]], [0, 1, aside[1]]])
    bare_whole = cv2.warpAffine(bare_bgr, to_whole, whole_px, borderMode=cv2.BORDER_REFLECT_101)
    lain = bare_whole.copy()
    cv2.warpAffine(photo_bgr, to_whole, whole_px, lain, cv2.INTER_NEAREST, cv2.BORDER_TRANSPARENT)
    return Scene(bare_whole, lain, tuple(placed(label, scale, aside) for label in labels))


def turned(label: Label, height_px: int) -> Label:
    """The label in the photograph turned clockwise, which was so high."""
    return label | {"cx": height_px - 1 - label["cy"], "cy": label["cx"], "w": label.get("h"), "h": label.get("w")}


def placed(label: Label, scale: float, aside: np.ndarray | tuple[float, float]) -> Label:
    """The label in a picture so many times as large, so far aside."""
    sizes = {side: label[side] * scale for side in ("w", "h", "size_px") if label.get(side)}
    return label | sizes | {"cx": label["cx"] * scale + aside[0], "cy": label["cy"] * scale + aside[1]}


def left(share: float) -> float:
    """What is left of a way after a share of its time, as a die slows down."""
    return (1 - share) ** 2


class PhotoFilm:
    """Films the throw of a scene.

    hand        the camera that films
    rested_us   when the dice have come to rest
    last_bgr    the newest picture
    """

    rested_us = THROW_US[1]

    def __init__(self, rng: Rng, scene: Scene, hand: HandCamera) -> None:
        self.last_bgr = scene.bare_bgr
        self._scene, self._hand = scene, hand
        far_px = max(scene.bare_bgr.shape) * rng.uniform(*FAR, len(scene.labels))
        towards = rng.uniform(-ASIDE_RAD, ASIDE_RAD, len(scene.labels))
        self._ways = np.stack([far_px * np.cos(towards), far_px * np.sin(towards)], axis=1)
        self._turns = rng.uniform(-TURNS, TURNS, len(scene.labels))

    def frames(self) -> Iterator[Moment]:
        """The bare table, the throw, and the dice at rest."""
        for number in range(LEAD_FRAMES + FLY_FRAMES + REST_FRAMES):
            share = min(1.0, (number - LEAD_FRAMES) / FLY_FRAMES)
            at_us = number * FRAME_US
            self.last_bgr = self._hand.picture(self._whole(share), at_us)
            moves = 0 <= share < 1 and self._is_die_in_view(share, at_us)
            yield Moment(Frame(self.last_bgr, at_us, number), moves, False)

    def labels(self, at_us: int) -> list[Label]:
        """The labels where the frame of that time shows them."""
        found = []
        for label in self._scene.labels:
            x, y = self._hand.seen_at(np.array([label["cx"], label["cy"]]), at_us)
            found.append(label | {"cx": x, "cy": y})
        return found

    def _is_die_in_view(self, share: float, at_us: int) -> bool:
        """Whether the hand's camera shows a die that is so far on its way."""
        middles = (np.array([label["cx"], label["cy"]]) for label in self._scene.labels)
        seen = [
            self._hand.seen_at(middle + aside, at_us)
            for middle, aside in zip(middles, self._ways * left(share), strict=True)
        ]
        width, height = self._hand.size_px
        return any(0 <= x < width and 0 <= y < height for x, y in seen)

    def _whole(self, share: float) -> np.ndarray:
        """The table with the dice so far on their way; before they begin, the bare one."""
        if not 0 <= share < 1:
            return self._scene.bare_bgr if share < 0 else self._scene.lain_bgr
        whole = self._scene.bare_bgr.copy()
        for label, way, turns in zip(self._scene.labels, self._ways, self._turns, strict=True):
            self._put(whole, label, way * left(share), 360 * turns * left(share))
        return whole

    def _put(self, whole: np.ndarray, label: Label, aside: np.ndarray, turn_deg: float) -> None:
        """Shows a die so far aside of its place, turned."""
        half_px = round(PATCH * label["size_px"] / 2) + 2
        side = 2 * half_px + 1
        patch = cv2.getRectSubPix(self._scene.lain_bgr, (side, side), (label["cx"], label["cy"]))
        turn = cv2.getRotationMatrix2D((half_px, half_px), turn_deg, 1.0)
        patch = cv2.warpAffine(patch, turn, (side, side), borderMode=cv2.BORDER_REFLECT)
        mask = np.zeros((side, side), np.float32)
        cv2.circle(mask, (half_px, half_px), int(SOLID * half_px), 1.0, cv2.FILLED)
        mask = cv2.GaussianBlur(mask, (0, 0), max(1.0, FEATHER * half_px))[..., None]
        left, top = np.rint(np.array([label["cx"], label["cy"]]) + aside).astype(int) - half_px
        x0, y0 = max(0, left), max(0, top)
        x1, y1 = min(whole.shape[1], left + side), min(whole.shape[0], top + side)
        if x0 < x1 and y0 < y1:
            within = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
            there = whole[y0:y1, x0:x1]
            there[:] = (there * (1 - mask[within]) + patch[within] * mask[within]).astype(np.uint8)
