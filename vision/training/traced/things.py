"""Solids for path-traced pictures: dice and the things beside them. Millimetres, z up, table top z = 0.

Each maker of things returns solids about the origin and their reach from it, 0 for things so flat that dice may lie on
them.
"""

from collections.abc import Callable
from typing import TypedDict

import cv2
import numpy as np

from vision.scene.pose import turn_z
from vision.training.drawn.render import Material, body_colours, face_values, paint_pips
from vision.training.drawn.tables import TABLES, checked, colour, map_board, paint
from vision.training.drawn.tabletop import linear
from vision.training.labelled import Rng
from vision.training.traced.rays import Mesh, Solid, prism, rounded_box, sheet, surface_of_revolution
from vision.virtual.dice import PIPS

FACE_PX = 96  # of a die's side in its texture
CORNER = 1.73  # half sides from the middle of a cube to its corners: a larger ball cuts nothing
OPAQUE = 1.6  # minus the opacity of a drawn die: share of light that passes through resin
KEYS = list("QWERTZUIOPASDFGHJKLYXCVBNM1234567890.,:;*+-")
SIGNS = list("ABEHKMRSWXZ2345789+?#%&@")
Made = tuple[list[Solid], float]


# Dice


def die_of(rng: Rng, material: Material, value: int, side_mm: float) -> Solid:
    """A die about the origin with `value` up."""
    picture, pips = die_picture(rng, material, face_values(value, rng))
    half = side_mm / 2
    mesh = rounded_box(np.full(3, half), 0.7 * material.rounding * half, 3, min(material.ball, CORNER) * half)
    deep = 0.2 * material.dish * half if not material.disc else 0.0
    clear = np.clip((OPAQUE - material.opacity) * (1 - pips), 0, 0.95)
    return Solid(
        mesh,
        picture,
        rough=0.55 - 0.4 * material.gloss,
        gloss=0.25 + 0.6 * material.gloss,
        metal=float(material.grain > 0.3),
        relief=pip_relief(pips, deep, side_mm) if deep else None,
        clear=clear if material.opacity < 1 else None,
    )


def die_picture(rng: Rng, material: Material, values: dict[tuple[int, int], int]) -> tuple[np.ndarray, np.ndarray]:
    """The six faces in the layout of `rounded_box`, (h, w, 3) uint8 sRGB, red first, and the pips (h, w) 0..1."""
    points = face_points() / np.float32(0.99)  # as `rounded_box` shows the middle 99 % of each face
    bare = body_colours(points, material, rng)
    no_lamp = np.zeros(3, np.float32)  # pips are hollowed by the tracer instead
    shown = paint_pips(bare.copy(), points, values, material, no_lamp, 2 / FACE_PX, rng)
    pips = np.clip(np.abs(shown - bare).max(axis=1, keepdims=True) * 8, 0, 1)
    return (np.clip(as_atlas(shown)[:, :, ::-1], 0, 1) * 255).astype(np.uint8), as_atlas(pips)[:, :, 0]


def face_points() -> np.ndarray:
    """(n, 3) the pixels of a die's six faces in half sides: +x, +y, +z, -x, -y, -z, rows upwards."""
    ys, xs = (np.mgrid[0:FACE_PX, 0:FACE_PX].astype(np.float32) + 0.5) / FACE_PX * 2 - 1
    points = np.zeros((6, FACE_PX, FACE_PX, 3), np.float32)
    for number, cell in enumerate(points):
        axis = number % 3
        a, b = (i for i in range(3) if i != axis)
        cell[..., axis], cell[..., a], cell[..., b] = 1 if number < 3 else -1, xs, ys
    return points.reshape(-1, 3)


def as_atlas(values: np.ndarray) -> np.ndarray:
    """Values (n, channels) at `face_points` as a picture, three faces above three."""
    cells = values.reshape(2, 3, FACE_PX, FACE_PX, -1)[:, :, ::-1]
    return cells.transpose(0, 2, 1, 3, 4).reshape(2 * FACE_PX, 3 * FACE_PX, -1)


def pip_relief(pips: np.ndarray, deep_mm: float, side_mm: float) -> np.ndarray:
    """(h, w) height of the surface above the face in mm: negative bowls where pips are."""
    far = cv2.distanceTransform((pips > 0.5).astype(np.uint8), cv2.DIST_L2, 5) * side_mm / FACE_PX
    bowl = 1 - np.clip(1 - far / (0.12 * side_mm), 0, 1) ** 2
    return -deep_mm * cv2.GaussianBlur(bowl.astype(np.float32), (0, 0), 1.0)


# Paints and prints


def random_paint(rng: Rng) -> np.ndarray:
    """A random paint, linear, red first."""
    return linear(colour(rng)[::-1] * 255)


def random_ink(rng: Rng) -> tuple[float, ...]:
    return paint(colour(rng))


class Finish(TypedDict):
    """Two fields of a `Solid`."""

    rough: float
    gloss: float


def random_finish(rng: Rng) -> Finish:
    return {"rough": rng.uniform(0.1, 0.9), "gloss": rng.uniform(0, 0.8)}


def paper(body: np.ndarray, wide: int, tall: int) -> np.ndarray:
    """An empty picture (tall, wide, 3) of one paint, sRGB, red first."""
    return np.full((tall, wide, 3), (np.clip(body, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8))


def sign(rng: Rng, art: np.ndarray, ink: tuple[float, ...], text: str) -> None:
    tall = art.shape[0]
    at = (int(tall * rng.uniform(0.12, 0.35)), int(tall * rng.uniform(0.6, 0.85)))
    scale = tall / 40 * rng.uniform(0.5, 1.1)
    cv2.putText(art, text, at, int(rng.integers(0, 6)), scale, ink, max(1, int(scale * 2)), cv2.LINE_AA)


def on_top(top: np.ndarray, body: np.ndarray) -> np.ndarray:
    """The texture of a box with a picture (s, s, 3) on its upper face and one paint elsewhere."""
    cell = top.shape[0]
    shown = paper(body, 3 * cell, 2 * cell)
    shown[:cell, 2 * cell :] = top
    return shown


# Things


def keyboard(rng: Rng, side_mm: float) -> Made:
    """Rows of keys with signs, some of them wide."""
    pitch = side_mm * rng.uniform(0.75, 1.5)
    rows, columns = int(rng.integers(2, 6)), int(rng.integers(3, 13))
    cap, body, ink = random_paint(rng) * rng.choice([0.1, 1.0]), random_paint(rng) * 0.4, random_ink(rng)
    finish, tall = random_finish(rng), pitch * rng.uniform(0.1, 0.4)
    inset, rounding = pitch * rng.uniform(0.38, 0.47), pitch * rng.uniform(0.03, 0.12)
    half = np.array([columns, rows]) * pitch / 2
    found = [Solid(rounded_box(np.array([*(half + 3), 2.0]), 1.0).at(np.array([0, 0, 2.0])), body, 0.7, 0.2)]
    for row in range(rows):
        column = 0
        while column < columns:
            wide = 1 if rng.random() < 0.85 else min(int(rng.integers(2, 5)), columns - column)
            top = paper(cap, 40, 40)
            if rng.random() < 0.9:
                sign(rng, top, ink, str(rng.choice(KEYS)))
            size = np.array([inset + (wide - 1) * pitch / 2, inset, tall / 2])
            middle = np.array([(column + wide / 2) * pitch - half[0], (row + 0.5) * pitch - half[1], 4 + tall / 2])
            found.append(Solid(rounded_box(size, rounding, 2).at(middle), on_top(top, cap), **finish))
            column += wide
    return found, float(np.hypot(*(half + 3)))


def coins(rng: Rng, side_mm: float) -> Made:
    """A coin or a few on each other, counters, chips, buttons with holes."""
    radius, thick = side_mm * rng.uniform(0.35, 1.2), side_mm * rng.uniform(0.08, 0.35)
    metal = rng.random() < 0.4
    body = np.array([0.75, 0.55, 0.3]) * rng.uniform(0.6, 1.2, 3) if metal else random_paint(rng)
    ink, edge, holes = random_ink(rng), random_ink(rng), int(rng.choice([0, 0, 0, 1, 2, 3, 4, 5, 6]))
    skin = paper(body, 128, 128)  # its left half is the top
    cv2.ellipse(skin, (32, 64), (27, 54), 0, 0, 360, edge, int(rng.integers(1, 6)), cv2.LINE_AA)
    for x, y in PIPS.get(holes, ()):
        cv2.ellipse(skin, (32 + x * 10, 64 + y * 20), (5, 10), 0, 0, 360, ink, -1, cv2.LINE_AA)
    if not holes and rng.random() < 0.7:
        cv2.putText(skin, str(rng.integers(1, 60)), (14, 80), 0, 1.2, ink, 3, cv2.LINE_AA)
    finish = random_finish(rng)
    found = []
    for level in range(int(rng.choice([1, 1, 1, 2, 3, 5]))):
        at = np.array([*rng.normal(0, radius * 0.05, 2), level * thick])
        mesh = prism(radius, 0.0, thick, thick * 0.15).at(at, turn_z(rng.uniform(0, 6.283)))
        found.append(Solid(mesh, skin, **finish, metal=float(metal)))
    return found, radius * 1.3


def cube(rng: Rng, side_mm: float) -> Made:
    """A blank cube or one with a letter, a flat tile with a sign, or a domino."""
    kind = str(rng.choice(["blank", "letter", "tile", "domino"]))
    body, ink = random_paint(rng), random_ink(rng)
    half = side_mm / 2 * rng.uniform(0.5, 1.3)
    flat = kind in ("tile", "domino")
    size = half * np.array([2.0 if kind == "domino" else 1.0, 1.0, rng.uniform(0.15, 0.4) if flat else 1.0])
    top = paper(body, 64, 64)
    if kind == "domino":
        cv2.line(top, (32, 2), (32, 62), ink, 2, cv2.LINE_AA)
        for across in (16, 48):
            for x, y in PIPS[int(rng.integers(1, 7))]:
                cv2.ellipse(top, (across + x * 8, 32 + y * 17), (2, 5), 0, 0, 360, ink, -1, cv2.LINE_AA)
    elif kind != "blank":
        sign(rng, top, ink, str(rng.choice(SIGNS)))
    mesh = rounded_box(size, half * rng.uniform(0.03, 0.14), 2).at(np.array([0, 0, size[2]]))
    return [Solid(mesh, on_top(top, body), **random_finish(rng))], float(np.hypot(size[0], size[1]))


def pen(rng: Rng, side_mm: float) -> Made:
    radius, half, edge = rng.uniform(3, 6), rng.uniform(50, 75), rng.uniform(0.6, 0.9)
    lying, around = cv2.Rodrigues(np.array([0, np.pi / 2, 0]))[0], int(rng.choice([6, 48]))
    up, finish = np.array([0, 0, radius]), random_finish(rng)
    shaft = prism(radius, -half, half * edge, 0.5, around).at(up, lying)
    tip = prism(radius * 0.7, half * edge, half, radius * 0.5, around).at(up, lying)
    found = [Solid(shaft, random_paint(rng), **finish), Solid(tip, random_paint(rng), **finish)]
    return found, float(np.hypot(half, radius))


def pawn(rng: Rng, side_mm: float) -> Made:
    body, finish, radius = random_paint(rng), random_finish(rng), side_mm * rng.uniform(0.3, 0.6)
    tall = radius * rng.uniform(2, 3.5)
    profile = np.array([[0, 0], [radius, 0], [radius, 0.15 * tall], [0.45 * radius, 0.8 * tall], [0, 0.8 * tall]])
    head = ball(radius).at(np.array([0, 0, tall]))
    return [Solid(surface_of_revolution(profile), body, **finish), Solid(head, body, **finish)], radius


def marbles(rng: Rng, side_mm: float) -> Made:
    radius, finish = side_mm * rng.uniform(0.3, 0.6), random_finish(rng)
    spots: list[np.ndarray] = []
    for spot in rng.normal(0, 3 * radius, (int(rng.integers(1, 5)), 2)):
        if all(np.linalg.norm(spot - other) > 2 * radius for other in spots):
            spots.append(spot)
    found = [Solid(ball(radius).at(np.array([*spot, radius])), random_paint(rng), **finish) for spot in spots]
    return found, float(max(np.linalg.norm(spot) for spot in spots)) + radius


def ball(radius_mm: float) -> Mesh:
    return rounded_box(np.full(3, radius_mm), radius_mm * 0.999, 6)


def card(rng: Rng, side_mm: float) -> Made:
    """A printed card a little above the table: a map, a board, a score sheet. Playing cards are painted on tables."""
    half = side_mm * rng.uniform(1.5, 5, 2)
    print_on = checked if rng.random() < 0.5 else map_board
    art = print_on(rng, 300, 300 / (2 * half.max()) * side_mm)[:, :, ::-1]
    flat = np.array([[-1, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]]) * [*half, 0] + [0, 0, rng.uniform(0.3, 2.5)]
    return [Solid(sheet(flat), np.ascontiguousarray(art), rng.uniform(0.2, 0.8), rng.uniform(0.1, 0.6))], 0.0


THINGS = (keyboard, coins, coins, cube, cube, pen, pawn, marbles, card)


# Beside the game


def furniture(rng: Rng, taken_mm: np.ndarray, half_mm: np.ndarray) -> list[Solid]:
    """Cups, books, telephones and pencils near the edges of the view, some way from all places (n, 2) taken."""
    found: list[Solid] = []
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        size = np.array([rng.uniform(20, 90), rng.uniform(15, 60), rng.uniform(2, 45)])
        reach = float(np.hypot(size[0], size[1])) + 18
        for _ in range(12):
            angle = rng.uniform(0, 2 * np.pi)
            spot = np.array([np.cos(angle), np.sin(angle)]) * half_mm * rng.uniform(0.9, 1.5)
            if len(taken_mm) and np.linalg.norm(taken_mm - spot, axis=1).min() < reach:
                continue
            paint, yaw = linear(rng.uniform(8, 245, 3)), rng.uniform(0, 6.283)
            if rng.random() < 0.4:
                mesh = prism(size[1], 0.0, size[2] * 1.6, 1.5).at(np.array([*spot, 0.0]))
            else:
                mesh = rounded_box(size * [1, 1, 0.5], 1.0).at(np.array([*spot, size[2] / 2]), turn_z(yaw))
            found.append(Solid(mesh, paint, rng.uniform(0.1, 0.9), rng.uniform(0, 0.7)))
            break
    return found


# Around the dice

Apart = Callable[[np.ndarray], np.ndarray]  # places (n, 2) mm -> distance of each from the wall


def bowl(rng: Rng, side_mm: float, middle_mm: np.ndarray) -> tuple[list[Solid], Apart]:
    """A round wall around `middle_mm` (2,) with its own floor, and the distance from the wall."""
    reach, tall, thick, finish = wall(rng, side_mm)
    slope, at = thick * rng.uniform(0, 1.5), np.array([*middle_mm, 0.0])
    outer, rim = reach + slope + thick, reach + slope
    ring = surface_of_revolution(np.array([[reach, 0], [outer, 0], [outer, tall], [rim, tall], [reach, 0]]))
    top = cv2.resize(floor_of(rng, reach, side_mm), (500, 1000))
    floor = Solid(prism(reach, 0.0, 0.5, 0.1), np.hstack([top, top]), 0.8, 0.1)  # the left half is its top

    def apart(places: np.ndarray) -> np.ndarray:
        return np.abs(np.linalg.norm(places - middle_mm, axis=-1) - (reach + outer) / 2) - (outer - reach) / 2

    return [Solid(ring.at(at), random_paint(rng), **finish), floor.at(at)], apart


def tray(rng: Rng, side_mm: float, middle_mm: np.ndarray) -> tuple[list[Solid], Apart]:
    """Four walls around `middle_mm` (2,) with their own floor, and the distance from them."""
    reach, tall, thick, finish = wall(rng, side_mm)
    half, turn = np.array([reach, reach * rng.uniform(0.6, 1)]), turn_z(rng.uniform(0, 6.283))
    at, body = np.array([*middle_mm, 0.0]), random_paint(rng)
    flat = np.array([[-1, 1, 0], [1, 1, 0], [1, -1, 0], [-1, -1, 0]]) * [*half, 0] + [0, 0, 0.4]
    found = [Solid(sheet(flat), floor_of(rng, reach, side_mm), 0.8, 0.1)]
    for axis, other in ((0, 1), (1, 0)):
        for end in (-1, 1):
            size, off = np.full(3, tall / 2), np.array([0, 0, tall / 2])
            size[axis], size[other], off[axis] = thick / 2, half[other] + thick, end * (half[axis] + thick / 2)
            found.append(Solid(rounded_box(size, thick * 0.2, 2).at(off), body, **finish))

    def apart(places: np.ndarray) -> np.ndarray:
        over = np.abs((places - middle_mm) @ turn[:2, :2]) - half
        return np.abs(over.max(axis=-1) - thick / 2) - thick / 2

    return [solid.at(at, turn) for solid in found], apart


def wall(rng: Rng, side_mm: float) -> tuple[float, float, float, Finish]:
    """The reach, height, thickness and finish of a wall."""
    reach, tall, thick = rng.uniform(3, 8), rng.uniform(0.4, 2.2), rng.uniform(0.15, 0.8)
    return side_mm * reach, side_mm * tall, side_mm * thick, random_finish(rng)


def floor_of(rng: Rng, reach_mm: float, side_mm: float) -> np.ndarray:
    plain_ones = TABLES[:5]
    top = plain_ones[rng.integers(len(plain_ones))](rng, 500, 500 / (2 * reach_mm) * side_mm)
    return np.ascontiguousarray(top[:, :, ::-1])
