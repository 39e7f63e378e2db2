"""Simulates video of standing stacks: hands, sleeves, shakes, lamps, and sometimes a fall at a known moment.

A few pictures of a stack, and of it falling, are ray-cast; the rest is put together from them in small pictures, 30 a
second, so that an hour takes minutes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.tower.blocks import Solid, draw_towers
from vision.training.drawn.tower_designs import random_design, random_kit
from vision.training.drawn.tower_rooms import draw_room, random_pose, random_room
from vision.training.drawn.towers import build_stack
from vision.training.labelled import Rng
from vision.watch.comparison import small_levels

FPS = 30
GRAVITY = 9810.0  # mm/s²
FALL_FRAMES = 20
MOVED_MM = 8.0  # a stack begins to fall when a block has moved so far
TIP_RATE = 7.5  # 1/s, how fast a tilt grows
FREE_AFTER_S = 0.22  # then the blocks separate
HALF = 0.5  # scale of the ray-cast picture, which is then reduced to the watched size


Paint = tuple[float, ...]  # blue, green, red, 0..255


@dataclass(frozen=True, eq=False)
class FallClip:
    """A stack in small pictures: standing, its pixels, and falling.

    begun  index of the first picture with a block MOVED_MM from its place
    """

    standing: np.ndarray
    stack: np.ndarray
    falling: tuple[np.ndarray, ...]
    begun: int


def random_fall(rng: Rng) -> FallClip:
    """A stack on a table and its fall: the upper part tips over, breaks up and drops."""
    kit, centres = random_kit(rng), [(0.0, 0.0)]
    room, pose = random_room(rng, kit, centres), random_pose(rng, wide=bool(rng.random() < 0.5))
    stack = build_stack(rng, kit, random_design(rng, kit), 1, centres[0])
    small = cv2.resize(draw_room(room, pose), None, fx=HALF, fy=HALF, interpolation=cv2.INTER_AREA)
    zoom = np.diag([HALF, HALF, 1.0])
    view = replace(pose, intrinsics=zoom @ pose.intrinsics)
    first = int(rng.integers(0, max(1, len(stack.solids) - 1)))  # the blocks below may stay
    towards, spread = float(rng.uniform(0, 6.283)), rng.normal(0, 120, (len(stack.solids), 2))
    shown, begun = [], FALL_FRAMES - 1
    for frame in range(FALL_FRAMES):
        upper = tip_over(stack.solids[first:], frame / FPS, towards, spread)
        solids = [*stack.solids[:first], *upper]
        moves = [float(np.linalg.norm(a.centre_mm - b.centre_mm)) for a, b in zip(solids, stack.solids, strict=True)]
        if max(moves) > MOVED_MM:
            begun = min(begun, frame)
        canvas = small.copy()
        draw_towers([solids], view, canvas, room.light)
        tone = np.clip(canvas * np.float32(room.exposure), 0, 1) ** np.float32(room.gamma)
        shown.append(small_levels((tone * 255).astype(np.uint8)))
    mask = np.zeros(canvas.shape[:2], np.uint8)
    for solid in stack.solids:
        hull = cv2.convexHull(view.project(solid.corners_mm()).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 255)
    pixels = cv2.resize(mask, (shown[0].shape[1], shown[0].shape[0]), interpolation=cv2.INTER_AREA) > 127
    return FallClip(shown[0], pixels, tuple(shown), begun)


def tip_over(solids: list[Solid], seconds: float, towards: float, spread: np.ndarray) -> list[Solid]:
    """The upper part of a stack so long after it lost its balance: it tips, then each block falls by itself."""
    foot = min(float(solid.corners_mm()[:, 2].min()) for solid in solids)
    pivot = np.array([*solids[0].centre_mm[:2], foot])
    axis = np.array([-np.sin(towards), np.cos(towards), 0])
    angle = min(1.3, 0.012 * float(np.cosh(TIP_RATE * seconds) - 1) * 2)
    turn, _ = cv2.Rodrigues(axis * angle)
    free = max(0.0, seconds - FREE_AFTER_S)
    fallen = []
    for number, solid in enumerate(solids):
        centre = pivot + turn @ (solid.centre_mm - pivot)
        centre[:2] += spread[number] * free
        centre[2] = max(float(solid.half_mm.min()), centre[2] - GRAVITY * free**2 / 2)
        own, _ = cv2.Rodrigues(np.array([spread[number, 1], -spread[number, 0], 40.0]) / 60 * free)
        fallen.append(replace(solid, centre_mm=centre, rotation=own @ turn @ solid.rotation))
    return fallen


@dataclass(frozen=True)
class DrawnArm:
    """An arm that reaches in, stays and leaves: from an edge of the small picture to a place, in px."""

    start: tuple[float, float]
    place: tuple[float, float]
    begins: int
    arrives: int
    leaves: int
    ends: int
    wide: float
    sleeve: Paint
    skin: Paint

    def draw(self, shown: np.ndarray, frame: int, tremble: np.ndarray) -> None:
        """Draws it into the picture, with a soft shadow."""
        if not self.begins <= frame < self.ends:
            return
        way = min(1.0, (frame - self.begins) / max(1, self.arrives - self.begins))
        if frame > self.leaves:
            way = 1 - (frame - self.leaves) / max(1, self.ends - self.leaves)
        start, place = np.array(self.start), np.array(self.place) + tremble
        tip = start + (place - start) * way
        wrist = tip - (place - start) / max(1.0, float(np.linalg.norm(place - start))) * 1.5 * self.wide
        shade = np.zeros(shown.shape[:2], np.uint8)
        draw_line(shade, start, tip, (1,), self.wide * 1.3, (6, 10))
        shown *= 1 - 0.18 * cv2.blur(shade.astype(np.float32), (15, 15))[..., None]
        draw_line(shown, start, wrist, self.sleeve, self.wide * 1.2)
        draw_line(shown, wrist, tip, self.skin, self.wide)
        for finger in (-0.4, -0.15, 0.12, 0.4):
            aside = np.array([-(place - start)[1], (place - start)[0]]) / max(1.0, float(np.linalg.norm(place - start)))
            ahead = tip + aside * finger * self.wide + (tip - wrist) * 0.5
            lit = tuple(level * (0.93 + 0.1 * finger) for level in self.skin)
            draw_line(shown, tip + aside * finger * self.wide, ahead, lit, self.wide * 0.22)


def draw_line(
    picture: np.ndarray, start: np.ndarray, end: np.ndarray, ink: Paint, wide: float, shift: tuple[int, int] = (0, 0)
) -> None:
    (x0, y0), (x1, y1) = np.round(start + shift).astype(int).tolist(), np.round(end + shift).astype(int).tolist()
    cv2.line(picture, (x0, y0), (x1, y1), ink, max(1, round(wide)), cv2.LINE_AA)


def random_arm(rng: Rng, play: FallClip, begins: int) -> DrawnArm:
    """A random arm near the stack, often in front of it."""
    height, width = play.standing.shape[:2]
    rows, columns = np.nonzero(play.stack)
    place = np.array([columns.mean(), rows.mean()]) + rng.normal(0, (45, 40))
    edge = rng.integers(4)
    start = [(-20, rng.uniform(0, height)), (width + 20, rng.uniform(0, height)),
             (rng.uniform(0, width), height + 20), (rng.uniform(0, width), -20)][edge]  # fmt: skip
    stay, come, go = rng.integers(5, 90), rng.integers(6, 25), rng.integers(6, 25)
    light = rng.uniform(40, 220)
    skin = (0.72 * light, 0.86 * light, 1.15 * light)
    sleeve = skin if rng.random() < 0.4 else sleeve_of(rng)
    arrives, leaves = begins + int(come), begins + int(come + stay)
    wide = float(rng.uniform(22, 50))
    start_px, place_px = (float(start[0]), float(start[1])), (float(place[0]), float(place[1]))
    return DrawnArm(start_px, place_px, begins, arrives, leaves, leaves + int(go), wide, sleeve, skin)


def sleeve_of(rng: Rng) -> Paint:
    """The colour of any cloth, blue, green and red 0..255."""
    blue, green, red = np.clip(rng.uniform(15, 230) * np.exp(rng.normal(0, rng.uniform(0, 0.5), 3)), 5, 245)
    return float(blue), float(green), float(red)


def video(rng: Rng, play: FallClip, frames: int, falls_at: int | None, busy: float = 0.35) -> Iterator[np.ndarray]:
    """`frames` small pictures; `busy` is the share of time in which something happens near the stack.

    falls_at  frame at which the first block has moved MOVED_MM, or None
    """
    arms: list[DrawnArm] = []
    bumped, strength, way = -1000, 0.0, 0.0
    lamp, wanted = 1.0, 1.0
    noise = [rng.normal(0, rng.uniform(1, 4), play.standing.shape).astype(np.float32) for _ in range(7)]
    trembles = rng.normal(0, 0.8, (64, 2))
    for frame in range(frames):
        if rng.random() < busy / 90 and (falls_at is None or abs(frame - falls_at) > 120 or rng.random() < 0.3):
            arms = [arm for arm in arms if arm.ends > frame] + [random_arm(rng, play, frame)]
        if rng.random() < busy / 240:
            bumped, strength, way = frame, float(rng.uniform(0.5, 6)), float(rng.uniform(0, 6.283))
        if rng.random() < 1 / 600:
            wanted = float(np.exp(rng.normal(0, 0.2)))
        lamp += (wanted - lamp) * (0.5 if rng.random() < 0.1 else 0.05)
        shown = play.standing
        if falls_at is not None and frame >= falls_at - play.begun:
            shown = play.falling[min(frame - falls_at + play.begun, FALL_FRAMES - 1)]
        picture: np.ndarray = shown * np.float32(lamp)
        since = (frame - bumped) / FPS
        if since < 1.5:
            far = strength * np.exp(-3 * since) * np.sin(2 * np.pi * 7 * since + 0.3)
            matrix = np.array([[1, 0, far * np.cos(way)], [0, 1, far * np.sin(way)]], np.float32)
            size = (picture.shape[1], picture.shape[0])
            picture = cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        for arm in arms:
            arm.draw(picture, frame, trembles[frame % 64])
        yield np.clip(picture + noise[frame % 7], 0, 255)
