"""Things that lie on tables beside dice and are none: dice with numerals, dominoes, tokens, cards, coins, figures.

Lengths are in sides of an ordinary die. Pictures of tops are BGR 0..1.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.training.drawn.scenes import random_material
from vision.training.drawn.solids import (
    FACE_PX,
    OUTLINE_PX,
    SIDES,
    NumberedDie,
    Slab,
    depth_of,
    face_normals,
    lying_on,
    outline_of,
)
from vision.training.drawn.tables import colour, noise
from vision.training.labelled import Rng
from vision.virtual.dice import PIPS

TOP_PX = 128  # the longer side of a top's picture
SUITS = ("heart", "spade", "diamond", "club")
Paint = tuple[float, float, float]


@dataclass(frozen=True)
class Stranger:
    """A thing that is no die: its solid, how large a unit of it is, how it is turned, how high its middle lies.

    reach   half of its width, by which it keeps others away
    """

    solid: NumberedDie | Slab
    unit: float
    turn: np.ndarray
    height: float
    reach: float


def paint_of(bgr: np.ndarray) -> Paint:
    blue, green, red = (float(level) for level in bgr)
    return blue, green, red


def contrasting(rng: Rng, body: np.ndarray) -> np.ndarray:
    """An ink that can be told from `body`."""
    for _ in range(20):
        ink = colour(rng, 0.4)
        if np.abs(ink - body).max() > 0.35:
            return ink
    return np.full(3, 0.05 if body.mean() > 0.5 else 0.95, np.float32)


def figure(rng: Rng, text: str, size: int, share: float) -> np.ndarray:
    """A picture (size, size) 0..1 of a text in its middle that fills `share` of it, turned at random."""
    drawn = np.zeros((160, 320), np.uint8)
    face, thick = int(rng.choice([0, 1, 2, 3, 4, 6, 7])), int(rng.integers(4, 13))
    cv2.putText(drawn, text, (40, 120), face, 3.2, 255, thick, cv2.LINE_AA)
    if text in ("6", "9", "66", "99") and rng.random() < 0.7:
        cv2.line(drawn, (45, 142), (45 + 60 * len(text), 142), 255, thick)
    ys, xs = np.nonzero(drawn > 60)
    tall, wide = float(np.ptp(ys)) + 1, float(np.ptp(xs)) + 1
    zoom = share * size / max(tall, wide)
    matrix = cv2.getRotationMatrix2D((float(xs.mean()), float(ys.mean())), float(rng.uniform(0, 360)), zoom)
    matrix[0, :2] = matrix[0, :2] * rng.uniform(0.75, 1.1)
    matrix[:, 2] = size / 2 - matrix[:, :2] @ [xs.min() + wide / 2, ys.min() + tall / 2]
    return cv2.warpAffine(drawn, matrix, (size, size), flags=cv2.INTER_AREA).astype(np.float32) / 255


def ornament(rng: Rng, size: int) -> np.ndarray:
    """A picture (size, size) 0..1 of an engraved pattern."""
    waves = noise(rng, size, size, size * rng.uniform(0.08, 0.2)) + noise(rng, size, size, size * 0.25)
    return np.clip(4 * np.abs(np.sin(3 * waves)) - 2.2, 0, 1).astype(np.float32)


def numbered_die(rng: Rng) -> Stranger:
    """A die of a role-playing game, with numerals; or a cube with signs in place of pips."""
    sides = int(rng.choice(SIDES, p=[0.13, 0.12, 0.17, 0.22, 0.16, 0.2]))
    share = {4: 0.42, 6: 0.6, 8: 0.55, 10: 0.7, 12: 0.75, 20: 0.7}[sides] * rng.uniform(0.75, 1.25)
    tens, ornate = sides == 10 and rng.random() < 0.4, rng.random() < 0.2
    numerals = [f"{10 * i:02d}" if tens else str(i if sides == 10 else i + 1) for i in rng.permutation(sides)]
    if rng.random() < 0.12:
        numerals = [str(rng.choice(list("ABCDEGHKRSTXZ&?!+*#%@"))) for _ in range(sides)]
    faces = np.stack([figure(rng, text, FACE_PX, share) for text in numerals])
    if sides == 4:
        turns = (cv2.getRotationMatrix2D((FACE_PX / 2, FACE_PX / 2), 120.0 * i, 1.0) for i in range(3))
        away = np.array([[1, 0, 0], [0, 1, -0.27 * FACE_PX]], np.float32)
        corner = cv2.warpAffine(faces[0], away, (FACE_PX, FACE_PX))
        faces = np.stack([np.max([cv2.warpAffine(corner, turn, (FACE_PX, FACE_PX)) for turn in turns], axis=0)] * 4)
    if ornate:
        faces = np.stack(
            [np.maximum(face, ornament(rng, FACE_PX) * (cv2.blur(face, (15, 15)) < 0.05)) for face in faces]
        )
    material, _ = random_material(rng)
    if np.abs(material.pip - material.body).max() < 0.3:
        material = replace(material, pip=contrasting(rng, material.body).astype(np.float32))
    solid = NumberedDie(material, sides, faces, rng.uniform(0.5, 1) if ornate or rng.random() < 0.1 else 0.0)
    unit = rng.uniform(0.5, 0.85)
    floor = face_normals(sides)[rng.integers(sides)]
    return Stranger(solid, unit, lying_on(floor, rng.uniform(0, 6.283)), unit * depth_of(sides), unit)


def spots(top: np.ndarray, value: int, middle: tuple[float, float], spread: float, radius: float, ink: Paint) -> None:
    """Draws the pips of a die's face, around a point in pixels."""
    for x, y in PIPS[value]:
        at = (round(16 * (middle[0] + spread * x)), round(16 * (middle[1] + spread * y)))
        cv2.circle(top, at, round(16 * radius), ink, -1, cv2.LINE_AA, 4)


def slab(
    rng: Rng,
    outline: np.ndarray,
    top: np.ndarray,
    body: np.ndarray,
    long_side: float,
    thick: float,
    rounding: float = 0.12,
) -> Stranger:
    """A slab lying on the table; `long_side` and `thick` in sides of a die, its edges at most so round in units."""
    material, _ = random_material(rng)
    unit = long_side / 2
    half = max(0.012, thick / 2 / unit)
    material = replace(material, body=body.astype(np.float32), veins=0.0, opacity=1.0, gloss=material.gloss * 0.6)
    printed_top = np.clip(top, 0, 1).astype(np.float32)
    solid = Slab(material, outline, half, min(half * rng.uniform(0.2, 0.9), rounding), printed_top)
    yaw = rng.uniform(0, 6.283)
    cos, sin = np.cos(yaw), np.sin(yaw)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    return Stranger(solid, unit, turn, half * unit, unit)


def rectangle(aspect: float, round_share: float = 0.1) -> np.ndarray:
    """The outline of a rectangle with rounded corners; `aspect` is its height over its width, at most 1."""
    ys, xs = (np.mgrid[0:OUTLINE_PX, 0:OUTLINE_PX] + 0.5) / OUTLINE_PX * 3 - 1.5
    corner = round_share * aspect
    across, up = np.abs(xs) - 1 + corner, np.abs(ys) - aspect + corner
    outer = np.hypot(np.maximum(across, 0), np.maximum(up, 0)) + np.minimum(np.maximum(across, up), 0)
    return (outer - corner).astype(np.float32)


def polygon(rng: Rng, corners: int) -> np.ndarray:
    """The outline of a regular polygon, or of a disc for many corners."""
    angles = np.arange(corners) * 6.2832 / corners + rng.uniform(0, 6.28)
    points = (np.stack([np.cos(angles), np.sin(angles)], axis=1) / 3 + 0.5) * OUTLINE_PX
    mask = np.zeros((OUTLINE_PX, OUTLINE_PX), np.uint8)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1)
    return outline_of(mask)


def domino(rng: Rng) -> Stranger:
    """Two halves with up to six pips each, and a bar between them."""
    body = colour(rng, 0.5)
    inks = [paint_of(contrasting(rng, body))] * 2
    if rng.random() < 0.25:
        inks = [paint_of(contrasting(rng, body)) for _ in range(2)]
    top = np.ones((TOP_PX // 2, TOP_PX, 3), np.float32) * body
    radius, spread = rng.uniform(3.5, 6.5), rng.uniform(13, 18)
    for half, ink in enumerate(inks):
        value = int(rng.integers(0, 7))
        if value:
            spots(top, value, (TOP_PX * (0.25 + 0.5 * half), TOP_PX / 4), spread, radius, ink)
    if rng.random() < 0.9:
        inset = int(rng.uniform(0, 12))
        cv2.line(top, (64, inset), (64, 63 - inset), inks[0], int(rng.integers(1, 5)), cv2.LINE_AA)
    if rng.random() < 0.3:
        cv2.circle(top, (64, 32), int(rng.integers(3, 7)), paint_of(np.array([0.3, 0.6, 0.75])), -1, cv2.LINE_AA)
    if rng.random() < 0.2:
        cv2.rectangle(top, (3, 3), (124, 60), inks[0], 1, cv2.LINE_AA)
    long_side = rng.uniform(1.6, 3.2)
    return slab(rng, rectangle(0.5, rng.uniform(0.02, 0.4)), top, body, long_side, rng.uniform(0.3, 0.6))


def token(rng: Rng) -> Stranger:
    """A flat token with pips, a number, or both, as those of a printed map."""
    body, size = colour(rng, 0.5), TOP_PX
    ink = paint_of(contrasting(rng, body))
    top = np.ones((size, size, 3), np.float32) * body
    if rng.random() < 0.4:
        cv2.circle(top, (64, 64), int(rng.uniform(48, 60)), ink, int(rng.integers(1, 5)), cv2.LINE_AA)
    kind = rng.random()
    if kind < 0.5:
        spots(top, int(rng.integers(1, 7)), (64, 64), rng.uniform(16, 26), rng.uniform(5, 11), ink)
    elif kind < 0.8:
        print_text(rng, top, str(rng.integers(2, 13)), (64, 56), rng.uniform(0.3, 0.5), ink)
        count = int(rng.integers(1, 6))
        for i in range(count):
            cv2.circle(top, (int(64 + 10 * (i - (count - 1) / 2)), 96), 3, ink, -1, cv2.LINE_AA)
    else:
        emblem_on(rng, top, ink)
    corners = int(rng.choice([6, 8, 40, 40, 40] if kind < 0.5 else [4, 6, 8, 40, 40]))  # square with pips: like a die
    outline = rectangle(1.0, rng.uniform(0.05, 0.3)) if corners == 4 else polygon(rng, corners)
    return slab(rng, outline, top, body, rng.uniform(0.7, 2.2), rng.choice([0.06, 0.12, 0.2]))


def print_text(rng: Rng, top: np.ndarray, text: str, at: tuple[int, int], share: float, ink: Paint) -> None:
    """Prints a text around a point, `share` of the height of `top`."""
    face, thick = int(rng.choice([0, 2, 3, 4, 6, 7])), int(rng.integers(1, 4))
    (wide, tall), _ = cv2.getTextSize(text, face, 1.0, thick)
    zoom = share * top.shape[0] / max(tall, 1)
    place = (int(at[0] - wide * zoom / 2), int(at[1] + tall * zoom / 2))
    drawn = np.zeros(top.shape[:2], np.uint8)  # letters are drawn in bytes alone
    cv2.putText(drawn, text, place, face, zoom, 255, max(1, round(thick * zoom)), cv2.LINE_AA)
    covered = drawn[..., None].astype(np.float32) / 255
    top[:] = top * (1 - covered) + np.array(ink, np.float32) * covered


def emblem_on(rng: Rng, top: np.ndarray, ink: Paint) -> None:
    """Prints a pictogram: bars, rings, blots and dots that mean nothing; first a bar, so that it is never a pip."""
    tall, wide = top.shape[:2]
    reach = 0.32 * min(tall, wide)
    cv2.line(top, (int(wide / 2 - reach), tall // 2), (int(wide / 2 + reach), tall // 2), ink, max(2, int(0.2 * reach)))
    for _ in range(rng.integers(2, 8)):
        x, y = (int(v) for v in rng.normal(0, 0.4 * reach, 2) + np.array([wide, tall]) / 2)
        shade = ink if rng.random() < 0.6 else paint_of(colour(rng, 0.5))
        kind, size = int(rng.integers(5)), reach * rng.uniform(0.15, 0.8)
        if kind == 0:
            cv2.circle(top, (x, y), max(1, int(size / 2)), shade, -1, cv2.LINE_AA)
        elif kind == 1:
            turn = float(rng.uniform(0, 180))
            cv2.ellipse(top, (x, y), (int(size), max(1, int(size / 3))), turn, 0, 360, shade, -1, cv2.LINE_AA)
        elif kind == 2:
            corners = (rng.normal(0, size, (int(rng.integers(3, 6)), 2)) + np.array([x, y])).astype(np.int32)
            cv2.fillPoly(top, [corners], shade, cv2.LINE_AA)
        elif kind == 3:
            cv2.circle(top, (x, y), max(2, int(size)), shade, max(1, int(size / 5)), cv2.LINE_AA)
        else:
            end = (int(x + rng.normal(0, size)), int(y + rng.normal(0, size)))
            cv2.line(top, (x, y), end, shade, max(1, int(reach * 0.12)), cv2.LINE_AA)


def suit_sign(top: np.ndarray, suit: str, x: float, y: float, size: float, ink: Paint) -> None:
    if suit == "diamond":
        points = np.array([(0, -1.2), (0.85, 0), (0, 1.2), (-0.85, 0)])
        cv2.fillPoly(top, [np.round([x, y] + size * points).astype(np.int32)], ink, cv2.LINE_AA)
        return
    up = 1 if suit == "heart" else -1
    lobes = [(-0.5, -0.35 * up), (0.5, -0.35 * up)] + ([(0, -0.8)] if suit == "club" else [])
    for dx, dy in lobes:
        cv2.circle(top, (round(x + size * dx), round(y + size * dy)), max(1, round(0.5 * size)), ink, -1, cv2.LINE_AA)
    if suit != "club":
        tip = np.array([(-0.95, -0.2 * up), (0.95, -0.2 * up), (0, 1.1 * up)])
        cv2.fillPoly(top, [np.round([x, y] + size * tip).astype(np.int32)], ink, cv2.LINE_AA)
    if suit != "heart":
        foot = np.array([(0, 0), (0.35, 1.1), (-0.35, 1.1)])
        cv2.fillPoly(top, [np.round([x, y] + size * foot).astype(np.int32)], ink, cv2.LINE_AA)


def playing_card(rng: Rng) -> Stranger:
    """A card with as many signs as it is worth, or a picture."""
    body = np.full(3, 0.94) if rng.random() < 0.75 else colour(rng, 0.5)
    ink = paint_of(np.array([0.1, 0.08, 0.75]) if rng.random() < 0.5 else np.full(3, 0.06))
    top = np.ones((round(TOP_PX * 0.68), TOP_PX, 3), np.float32) * body
    tall, suit, count = top.shape[0], str(rng.choice(SUITS)), int(rng.integers(1, 11))
    if rng.random() < 0.25:
        emblem_on(rng, top, ink)
    else:
        rows = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2}.get(count, 2 if count < 9 else 3)
        for i in range(count):
            x = TOP_PX * (0.2 + 0.6 * ((i // rows) + 0.5) / -(-count // rows))
            y = tall * (0.12 + 0.76 * ((i % rows) + 0.5) / rows)
            suit_sign(top, suit, x, y, TOP_PX * rng.uniform(0.045, 0.06), ink)
    for x, y in ((8, 10), (TOP_PX - 8, tall - 10)):
        print_text(rng, top, str(rng.choice(list("A23456789JQK"))), (x, y), 0.13, ink)
    return slab(rng, rectangle(0.68, 0.1), top, body, rng.uniform(3, 6), 0.03)


def printed(rng: Rng) -> Stranger:
    """A label, a banknote, a ticket or a space of a printed board: text, bars, a picture."""
    aspect = float(rng.choice([0.45, 0.6, 0.8, 1.0]))
    body = colour(rng, 0.4)
    top = np.ones((round(TOP_PX * aspect), TOP_PX, 3), np.float32) * body
    tall = top.shape[0]
    if rng.random() < 0.5:
        y = int(rng.uniform(0, 0.8) * tall)
        cv2.rectangle(top, (0, y), (TOP_PX, y + int(tall * rng.uniform(0.1, 0.3))), paint_of(colour(rng, 0.8)), -1)
    ink = paint_of(contrasting(rng, body))
    if rng.random() < 0.6:
        emblem_on(rng, top, ink)
    for _ in range(rng.integers(1, 4)):
        letters = "".join(rng.choice(list("ABCDEHIKLMNOPRSTU0123456789$%"), rng.integers(1, 9)))
        at = (int(rng.uniform(0.2, 0.8) * TOP_PX), int(rng.uniform(0.1, 0.9) * tall))
        print_text(rng, top, letters, at, rng.uniform(0.08, 0.3), ink)
    if rng.random() < 0.5:
        cv2.rectangle(top, (4, 4), (TOP_PX - 5, tall - 5), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
    return slab(rng, rectangle(aspect, 0.05), top, body, rng.uniform(1, 5), rng.choice([0.02, 0.1]))


def tile(rng: Rng) -> Stranger:
    """A thick square tile or a cube with a letter or a sign, a blank one, or the cap of a key."""
    body = colour(rng, 0.4)
    ink = paint_of(contrasting(rng, body))
    top = np.ones((TOP_PX, TOP_PX, 3), np.float32) * body
    kind = rng.random()
    if kind < 0.55:
        print_text(rng, top, str(rng.choice(list("ABCDEFGHIKLMNOPRSTUVWXYZ0123456789?!+-="))), (60, 60), 0.45, ink)
        if rng.random() < 0.5:
            print_text(rng, top, str(rng.integers(1, 11)), (100, 104), 0.15, ink)
    elif kind < 0.85:
        emblem_on(rng, top, ink)
    return slab(rng, rectangle(1.0, rng.uniform(0.02, 0.35)), top, body, rng.uniform(0.7, 1.6), rng.uniform(0.2, 1.0))


def coin(rng: Rng) -> Stranger:
    metal = np.array([rng.uniform(0.2, 0.6), rng.uniform(0.45, 0.7), rng.uniform(0.55, 0.8)])
    top = np.ones((TOP_PX, TOP_PX, 3), np.float32) * metal
    ink = paint_of(metal * rng.uniform(0.4, 0.8))
    cv2.circle(top, (64, 64), 57, ink, int(rng.integers(1, 5)), cv2.LINE_AA)
    if rng.random() < 0.5:
        print_text(rng, top, str(rng.choice([1, 2, 5, 10, 20, 25, 50])), (64, 64), 0.4, ink)
    else:
        emblem_on(rng, top, ink)
    return slab(rng, polygon(rng, 40), top, metal, rng.uniform(0.9, 1.7), 0.12)


def button(rng: Rng) -> Stranger:
    """A button with two or four holes, a stone, a nut or a ring."""
    body = colour(rng, 0.5)
    dark = paint_of(body * 0.3)
    top = np.ones((TOP_PX, TOP_PX, 3), np.float32) * body
    cv2.circle(top, (64, 64), int(rng.uniform(38, 56)), paint_of(body * rng.uniform(0.6, 0.9)), 5, cv2.LINE_AA)
    holes = int(rng.choice([0, 1, 2, 4, 4]))
    for i in range(holes):
        angle, away = 6.283 * i / holes + 0.8, 0 if holes == 1 else rng.uniform(14, 20)
        at = (round(64 + away * np.cos(angle)), round(64 + away * np.sin(angle)))
        cv2.circle(top, at, int(rng.uniform(5, 30 if holes == 1 else 11)), dark, -1, cv2.LINE_AA)
    return slab(
        rng, polygon(rng, int(rng.choice([6, 40, 40]))), top, body, rng.uniform(0.5, 1.6), rng.uniform(0.1, 0.5)
    )


def piece(rng: Rng) -> Stranger:
    """A wooden figure, a sweet, a screw or a battery: a few round and long parts of one colour or two."""
    mask = np.zeros((OUTLINE_PX, OUTLINE_PX), np.uint8)
    middle, unit = OUTLINE_PX // 2, OUTLINE_PX / 3
    kind = rng.random()
    body = colour(rng, 0.8)
    top = np.ones((TOP_PX, TOP_PX, 3), np.float32) * body
    if kind < 0.4:  # a figure with head, arms and legs
        cv2.circle(mask, (middle, int(middle - 0.6 * unit)), int(0.33 * unit), 1, -1)
        for x in (-0.8, 0.8):
            cv2.line(mask, (middle, int(middle - 0.2 * unit)), (int(middle + x * unit), middle), 1, int(0.3 * unit))
            cv2.line(
                mask, (middle, middle), (int(middle + 0.6 * x * unit), int(middle + 0.8 * unit)), 1, int(0.4 * unit)
            )
    elif kind < 0.65:  # a sweet or a bead
        axes = (int(unit * 0.95), int(unit * rng.uniform(0.6, 0.95)))
        cv2.ellipse(mask, (middle, middle), axes, 0, 0, 360, 1, -1)
    else:  # a screw, a battery or a peg
        broad = rng.uniform(0.1, 0.35) * unit
        cv2.line(
            mask, (int(middle - 0.8 * unit), middle), (int(middle + 0.8 * unit), middle), 1, max(2, int(2 * broad))
        )
        if rng.random() < 0.5:
            cv2.circle(mask, (int(middle + 0.75 * unit), middle), int(1.6 * broad) + 1, 1, -1)
        metal = paint_of(colour(rng, 0.3))
        for x in range(int(rng.integers(0, 20)), TOP_PX, int(rng.integers(6, 40))):
            cv2.line(top, (x, 0), (x, TOP_PX), metal, int(rng.integers(1, 5)))
    return slab(rng, outline_of(mask), top, body, rng.uniform(0.8, 2.5), rng.uniform(0.3, 0.9), rng.uniform(0.1, 0.4))


STRANGERS: tuple[tuple[Callable[[Rng], Stranger], float], ...] = (
    (numbered_die, 0.36), (domino, 0.13), (token, 0.11), (playing_card, 0.05), (printed, 0.09), (tile, 0.1),
    (coin, 0.04), (button, 0.05), (piece, 0.07),
)  # fmt: skip


def random_stranger(rng: Rng) -> Stranger:
    return STRANGERS[rng.choice(len(STRANGERS), p=[share for _, share in STRANGERS])][0](rng)
