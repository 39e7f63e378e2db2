"""Draws table tops seen from straight above, with clutter: nothing here is a die.

A picture is uint8 BGR; `unit` is the side of a die in its pixels, so that clutter has its true size beside dice.
"""

from collections.abc import Callable

import cv2
import numpy as np

from vision.training.labelled import Rng


def colour(rng: Rng, vivid: float = 0.5) -> np.ndarray:
    """A random BGR colour; `vivid` is the chance of a saturated one."""
    if rng.random() < vivid:
        hsv = np.array([[[rng.uniform(0, 360), rng.uniform(0.4, 1), rng.uniform(0.15, 1)]]], np.float32)
        return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0]
    return np.clip(rng.uniform(0.03, 0.97) + rng.normal(0, 0.05, 3), 0, 1).astype(np.float32)


def paint(bgr: np.ndarray) -> tuple[float, ...]:
    """A colour 0..1 for OpenCV's drawing functions."""
    return tuple(float(c) * 255 for c in bgr)


def ink(rng: Rng) -> tuple[float, ...]:
    return paint(colour(rng))


def as_bytes(picture: np.ndarray) -> np.ndarray:
    return (np.clip(picture, 0, 1) * 255).astype(np.uint8)


def noise(rng: Rng, height: int, width: int, cell_px: float, stretch: float = 1.0) -> np.ndarray:
    """(height, width) smooth noise -1..1 with features of about `cell_px`, `stretch` times longer along x."""
    rows = max(2, min(height, int(height / cell_px)))
    columns = max(2, min(width, int(width / (cell_px * stretch))))
    coarse = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def plain(rng: Rng, size: int, unit: float) -> np.ndarray:
    top = np.ones((size, size, 3), np.float32) * colour(rng, 0.45)
    top += (noise(rng, size, size, unit * rng.uniform(0.1, 6)) * rng.uniform(0, 0.06))[..., None]
    return as_bytes(top)


def speckled(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Carpet, cork, felt or stone."""
    top = np.ones((size, size, 3), np.float32) * colour(rng, 0.4)
    for _ in range(rng.integers(1, 4)):
        grain = noise(rng, size, size, max(1.0, unit * rng.choice([0.04, 0.08, 0.15, 0.3, 0.7])))
        tint = colour(rng, 0.5) - 0.5 if rng.random() < 0.4 else np.ones(3)
        top += grain[..., None] * tint * rng.uniform(0.03, 0.3)
    return as_bytes(top)


def woven(rng: Rng, size: int, unit: float) -> np.ndarray:
    period = max(2.5, unit * rng.uniform(0.08, 0.5))
    ys, xs = np.mgrid[0:size, 0:size].astype(np.float32)
    weave = np.sin(xs * 6.28 / period) * np.sin(ys * 6.28 / period + np.sin(xs * 6.28 / (3 * period)))
    weave += noise(rng, size, size, period) * 0.7
    a, b = colour(rng, 0.5), colour(rng, 0.5)
    mix = np.clip(0.5 + weave * rng.uniform(0.15, 0.6), 0, 1)[..., None]
    return as_bytes(a * mix + b * (1 - mix))


def wood(rng: Rng, size: int, unit: float) -> np.ndarray:
    base = np.array([rng.uniform(0.05, 0.6), rng.uniform(0.15, 0.75), rng.uniform(0.3, 0.95)], np.float32)
    base = np.sort(base)
    ys = np.mgrid[0:size, 0:size][0].astype(np.float32)
    warp = noise(rng, size, size, unit * 5, 4) * unit * rng.uniform(0.5, 3)
    rings = np.sin((ys + warp) * 6.28 / (unit * rng.uniform(0.3, 1.6)))
    fibre = noise(rng, size, size, max(1.0, unit * 0.06), 25)
    grain = rings * rng.uniform(0.02, 0.15) + fibre * rng.uniform(0.02, 0.12)
    top = as_bytes(base * (1 + grain)[..., None])
    plank = unit * rng.uniform(4, 12)
    for y in np.arange(rng.uniform(0, plank), size, plank):
        cv2.line(top, (0, int(y)), (size, int(y)), paint(base * 0.4), max(1, int(unit * 0.06)))
    for _ in range(rng.integers(0, 4)):
        centre = tuple(int(c) for c in rng.uniform(0, size, 2))
        axes = (int(unit * rng.uniform(0.2, 0.9)), int(unit * rng.uniform(0.15, 0.4)))
        cv2.ellipse(top, centre, axes, 0, 0, 360, paint(base * rng.uniform(0.2, 0.6)), -1)
    return np.ascontiguousarray(np.rot90(top, int(rng.integers(4))))


def checked(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A board, graph paper or tiles."""
    top = plain(rng, size, unit)
    cell = max(3.0, unit * rng.choice([0.3, 0.6, 1.0, 1.3, 2.0, 3.0]))
    if rng.random() < 0.5:
        other = ink(rng)
        index = (np.arange(size) / cell).astype(int)
        top[(index[:, None] + index[None]) % 2 == 0] = other
    else:
        line = ink(rng)
        for at in np.arange(rng.uniform(0, cell), size, cell):
            cv2.line(top, (int(at), 0), (int(at), size), line, max(1, int(unit * 0.04)))
            cv2.line(top, (0, int(at)), (size, int(at)), line, max(1, int(unit * 0.04)))
    return top


def map_board(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A printed map with regions, roads, spaces, numbers and names."""
    top = plain(rng, size, unit)
    for _ in range(rng.integers(5, 25)):
        centre = rng.uniform(0, size, 2)
        spokes = np.sort(rng.uniform(0, 6.28, rng.integers(3, 9)))
        radius = unit * rng.uniform(1, 7)
        shape = centre + radius * np.stack([np.cos(spokes), np.sin(spokes)], axis=1) * rng.uniform(0.5, 1)
        cv2.fillPoly(top, [shape.astype(np.int32)], ink(rng), cv2.LINE_AA)
    stops = rng.uniform(0, size, (rng.integers(4, 30), 2)).astype(int)
    cv2.polylines(top, [stops], False, ink(rng), max(1, int(unit * 0.15)), cv2.LINE_AA)
    radius, land, edge = unit * rng.uniform(0.1, 0.9), ink(rng), ink(rng)
    for stop in stops:
        cv2.circle(top, tuple(stop), max(1, int(radius)), land, -1, cv2.LINE_AA)
        cv2.circle(top, tuple(stop), max(1, int(radius)), edge, max(1, int(unit * 0.06)), cv2.LINE_AA)
    for _ in range(rng.integers(3, 20)):
        write(rng, top, rng.uniform(0, size, 2), unit)
    return top


def keyboard(rng: Rng, size: int, unit: float) -> np.ndarray:
    """Keys as large as dice, with one or more signs each."""
    top = as_bytes(np.ones((size, size, 3), np.float32) * colour(rng, 0.2) * 0.6)
    pitch, key, sign = unit * rng.uniform(0.7, 1.6), colour(rng, 0.2), ink(rng)
    cap = pitch * rng.uniform(0.75, 0.93)
    for row, y in enumerate(np.arange(rng.uniform(0, pitch), size, pitch)):
        x = -pitch * rng.uniform(0, 1)
        while x < size:
            wide = cap * (1 if rng.random() < 0.85 else rng.uniform(1.3, 3))
            key_top(top, x, y, wide, cap, key)
            if rng.random() < 0.9:
                label = str(rng.choice(list("QWERTZUIOPASDFGHJKLYXCVBNM1234567890.,:;-+*")))
                at = (int(x + cap * rng.uniform(0.15, 0.4)), int(y + cap * rng.uniform(0.4, 0.7)))
                cv2.putText(top, label, at, row % 2, cap / 60, sign, max(1, int(cap / 24)), cv2.LINE_AA)
            x += wide + pitch - cap
    return top


def key_top(top: np.ndarray, x: float, y: float, wide: float, tall: float, cap: np.ndarray) -> None:
    cv2.rectangle(top, (int(x), int(y)), (int(x + wide), int(y + tall)), paint(cap * 0.7), -1)
    inset = tall * 0.1
    cv2.rectangle(
        top,
        (int(x + inset), int(y + inset * 0.6)),
        (int(x + wide - inset), int(y + tall - inset * 1.6)),
        paint(cap),
        -1,
        cv2.LINE_AA,
    )


def tray(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A tray, bowl or mouse mat on another table."""
    top, inner = TABLES[rng.integers(5)](rng, size, unit), TABLES[rng.integers(5)](rng, size, unit)
    mask = np.zeros((size, size), np.uint8)
    centre = rng.uniform(0.35, 0.65, 2) * size
    radius = size * rng.uniform(0.2, 0.5)
    corners = rng.choice([4, 4, 6, 8, 40])
    angles = np.arange(corners) * 6.283 / corners + rng.uniform(0, 6.28)
    outline = (centre + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(np.int32)
    cv2.fillPoly(mask, [outline], 1)
    top[mask > 0] = inner[mask > 0]
    cv2.polylines(top, [outline], True, ink(rng), max(1, int(unit * rng.uniform(0.1, 1.2))), cv2.LINE_AA)
    return top


TABLES: tuple[Callable[[Rng, int, float], np.ndarray], ...] = (
    plain, speckled, woven, wood, plain, checked, map_board, keyboard, tray,
)  # fmt: skip
TABLE_SHARES = np.array([0.2, 0.18, 0.1, 0.15, 0.05, 0.07, 0.08, 0.05, 0.12])


def write(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    letters = "".join(rng.choice(list("abcdeoilmnrstuABDOPRS0123456789 .:%&"), rng.integers(1, 14)))
    scale = unit / 30 * rng.uniform(0.3, 2)
    position = (int(at[0]), int(at[1]))
    cv2.putText(top, letters, position, int(rng.integers(0, 8)), scale, ink(rng), max(1, int(scale * 2)), cv2.LINE_AA)


def stamp(
    rng: Rng, top: np.ndarray, at: np.ndarray, half: tuple[float, float], face: Callable[[np.ndarray], None]
) -> None:
    """Lays a flat thing on the table, turned and with a shadow; `face` draws it upright on a picture of its own."""
    wide, tall = max(4, int(2 * half[0])), max(4, int(2 * half[1]))
    art: np.ndarray = np.zeros((tall, wide, 4), np.uint8)
    face(art)
    angle = rng.uniform(0, 360)
    matrix: np.ndarray = cv2.getRotationMatrix2D((wide / 2, tall / 2), angle, 1)
    reach = int(np.hypot(wide, tall) / 2) + 2
    matrix[:, 2] += reach - np.array([wide, tall]) / 2
    art = cv2.warpAffine(art, matrix, (2 * reach, 2 * reach), flags=cv2.INTER_AREA)
    x, y = int(at[0]) - reach, int(at[1]) - reach
    left, upper, right, lower = max(x, 0), max(y, 0), min(x + 2 * reach, top.shape[1]), min(y + 2 * reach, top.shape[0])
    if right <= left or lower <= upper:
        return
    shift = rng.uniform(-0.06, 0.06, 2) * min(wide, tall)
    dim = cv2.GaussianBlur(art[..., 3].astype(np.float32) / 255, (0, 0), 1 + 0.03 * min(wide, tall))
    dim = cv2.warpAffine(dim, np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), dim.shape[::-1])
    window = (slice(upper - y, lower - y), slice(left - x, right - x))
    place = top[upper:lower, left:right]
    alpha = art[window][..., 3:].astype(np.float32) / 255
    place[:] = place * (1 - 0.5 * dim[window][..., None]) * (1 - alpha) + art[window][..., :3] * alpha


def fill(art: np.ndarray, body: tuple[float, ...], round_px: float = 0) -> None:
    tall, wide = art.shape[:2]
    r = int(round_px)
    cv2.rectangle(art, (r, 0), (wide - 1 - r, tall - 1), (*body, 255), -1)
    cv2.rectangle(art, (0, r), (wide - 1, tall - 1 - r), (*body, 255), -1)
    for corner in ((r, r), (wide - 1 - r, r), (r, tall - 1 - r), (wide - 1 - r, tall - 1 - r)):
        cv2.circle(art, corner, r, (*body, 255), -1, cv2.LINE_AA)


def disc(art: np.ndarray, body: tuple[float, ...], share: float = 1.0, at: tuple[float, float] = (0.5, 0.5)) -> None:
    tall, wide = art.shape[:2]
    centre = (int(wide * at[0]), int(tall * at[1]))
    cv2.circle(art, centre, max(1, int(min(wide, tall) / 2 * share) - 1), (*body, 255), -1, cv2.LINE_AA)


def coin(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    half = unit * rng.uniform(0.4, 1.0)
    metal = np.array([rng.uniform(0.2, 0.6), rng.uniform(0.45, 0.7), rng.uniform(0.6, 0.8)])
    digit = str(rng.integers(1, 60))

    def face(art: np.ndarray) -> None:
        disc(art, paint(metal * 0.7))
        disc(art, paint(metal), 0.88)
        wide = art.shape[1]
        engraved = (*paint(metal * 0.6), 255)
        cv2.putText(art, digit, (wide // 4, wide * 2 // 3), 0, wide / 50, engraved, max(1, wide // 20), cv2.LINE_AA)

    stamp(rng, top, at, (half, half), face)


def counter(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    """Draws counters, stones, chips, buttons with holes or rings: round, sometimes dotted like a face."""
    half = unit * rng.uniform(0.15, 1.6)
    holes = int(rng.choice([0, 0, 0, 1, 2, 4, 5]))
    body, dot, edge = ink(rng), ink(rng), ink(rng)

    def face(art: np.ndarray) -> None:
        disc(art, edge)
        disc(art, body, rng.uniform(0.6, 0.95))
        for hole in range(holes):
            angle = 6.283 * hole / holes + 0.8
            spread = 0.0 if holes == 1 else 0.17
            disc(art, dot, rng.uniform(0.12, 0.3), (0.5 + spread * np.cos(angle), 0.5 + spread * np.sin(angle)))

    stamp(rng, top, at, (half, half), face)


def card(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    """Draws a playing card: rows of suit signs or dots, a number in two corners."""
    half = (unit * rng.uniform(1.2, 2.2), unit * rng.uniform(1.7, 3))
    paper = ink(rng) if rng.random() < 0.3 else (237, 242, 242)
    red = ink(rng) if rng.random() < 0.4 else ((25, 25, 205) if rng.random() < 0.5 else (13, 13, 13))
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    shape = int(rng.integers(3))
    framed = rng.random() < 0.3

    def face(art: np.ndarray) -> None:
        tall, wide = art.shape[:2]
        fill(art, paper, wide * 0.06)
        if framed:
            cv2.rectangle(art, (wide // 8, tall // 8), (wide * 7 // 8, tall * 7 // 8), (*red, 255), max(1, wide // 30))
        radius = wide * rng.uniform(0.04, 0.11)
        for row in range(rows):
            for column in range(columns):
                x, y = wide * (column + 1) / (columns + 1), tall * (row + 1) / (rows + 1)
                if shape == 0:
                    cv2.circle(art, (int(x), int(y)), max(1, int(radius)), (*red, 255), -1, cv2.LINE_AA)
                else:
                    spokes = np.arange(4 if shape == 1 else 3) * (1.571 if shape == 1 else 2.094)
                    points = np.stack([x + radius * np.sin(spokes), y - 1.3 * radius * np.cos(spokes)], axis=1)
                    cv2.fillPoly(art, [points.astype(np.int32)], (*red, 255), cv2.LINE_AA)
        mark = str(rng.choice(list("A23456789JQK")))
        at_corner = (int(wide * 0.06), int(tall * 0.16))
        cv2.putText(art, mark, at_corner, 0, wide / 110, (*red, 255), max(1, wide // 50), cv2.LINE_AA)

    stamp(rng, top, at, half, face)


def pen(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    body, tip = ink(rng), ink(rng)

    def face(art: np.ndarray) -> None:
        tall, wide = art.shape[:2]
        fill(art, body, tall * 0.4)
        cv2.rectangle(art, (wide * 4 // 5, 0), (wide - 2, tall), (*tip, 255), -1)
        art[tall // 4 : tall // 3, :, :3] //= 2

    stamp(rng, top, at, (unit * rng.uniform(3, 6), unit * rng.uniform(0.15, 0.4)), face)


def block(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    """Draws boxes, erasers, tokens, tiles with a letter or sign, or blank cubes: square but no dice."""
    half = unit * rng.uniform(0.3, 1.1)
    aspect = rng.choice([1.0, 1.0, 1.5, 2.0])
    body, sign = ink(rng), ink(rng)
    kind = int(rng.integers(4))
    letter = str(rng.choice(list("ABEHKMRSWXZ2345789+x?#")))

    def face(art: np.ndarray) -> None:
        tall, wide = art.shape[:2]
        fill(art, body, tall * rng.uniform(0, 0.3))
        if kind == 1:
            cv2.putText(
                art, letter, (wide // 4, tall * 3 // 4), 0, tall / 40, (*sign, 255), max(1, tall // 12), cv2.LINE_AA
            )
        elif kind == 2:
            cv2.rectangle(art, (wide // 4, tall // 4), (wide * 3 // 4, tall * 3 // 4), (*sign, 255), max(1, tall // 14))
        elif kind == 3:
            cv2.line(art, (0, 0), (wide, tall), (*sign, 255), max(1, tall // 10), cv2.LINE_AA)

    stamp(rng, top, at, (half * aspect, half), face)


def dots(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    """Draws loose spots of every size: a pip, however large, is not a die."""
    spot_ink = ink(rng)
    for _ in range(rng.integers(1, 9)):
        spot = at + rng.normal(0, 1.2 * unit, 2)
        radius = max(1, int(unit * np.exp(rng.uniform(np.log(0.05), np.log(1.2)))))
        cv2.circle(top, (int(spot[0]), int(spot[1])), radius, spot_ink, -1, cv2.LINE_AA)


def lettering(rng: Rng, top: np.ndarray, at: np.ndarray, unit: float) -> None:
    for line in range(rng.integers(1, 5)):
        write(rng, top, at + np.array([0, line * unit * 0.8]), unit * 0.7)


CLUTTER = (coin, counter, counter, card, pen, block, dots, lettering)


def lay_table(rng: Rng, size: int, unit: float) -> np.ndarray:
    """A table top with clutter, (size, size, 3)."""
    top = TABLES[rng.choice(len(TABLES), p=TABLE_SHARES)](rng, size, unit)
    if rng.random() < 0.65:
        for _ in range(rng.integers(1, 14)):
            CLUTTER[rng.integers(len(CLUTTER))](rng, top, rng.uniform(0, size, 2), unit)
    return top


def lay_close_table(rng: Rng) -> np.ndarray:
    """A cluttered table (960, 1280, 3) with nothing to tell sizes by: cards, coins and keys as large as dice."""
    unit = float(np.exp(rng.uniform(np.log(14), np.log(140))))
    seen = cv2.resize(lay_table(rng, 1100, unit), (1280, 1280))[160:1120]
    return cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.3, 1.5))
