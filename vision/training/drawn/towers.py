"""Pictures of block stacks from the front, with their truth: builds, pairs of builds, collapsed heaps, four spaces.

    python -m vision.training.drawn.towers FOLDER COUNT SEED           COUNT pictures (a pair is two) and labels.json
    python -m vision.training.drawn.towers FOLDER COUNT SEED arches    with gates, arches, cards of our own deck

The labels have the fields of ../shared/data/towers-rendered. Everything is drawn here, so the truth is exact.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.equipment.deck import EDGES, OWN_DECK
from vision.scene.pose import Pose, turn_z
from vision.tower.blocks import Light, Solid, draw_towers, window_of
from vision.tower.fit import ways_of
from vision.tower.match import card_build
from vision.training.drawn.tables import TABLES, as_bytes, colour, ink, lay_table, noise, paint
from vision.training.labelled import LabelledScene, Rng, write_scenes

WIDTH, HEIGHT = 1280, 960
STEP_MM = 8.0  # sideways offsets that are meant are multiples of this
SET_MM = ((45, 30, 15), (45, 30, 15), (60, 40, 20), (60, 40, 20), (48, 32, 16), (50, 30, 20), (54, 36, 18))
WOODS_BGR = {
    "pine": (0.36, 0.62, 0.78), "maple": (0.52, 0.70, 0.82), "beech": (0.38, 0.55, 0.72), "oak": (0.28, 0.46, 0.62),
    "birch": (0.58, 0.76, 0.86), "cherry": (0.18, 0.32, 0.58), "walnut": (0.12, 0.20, 0.32), "ash": (0.5, 0.66, 0.76),
}  # fmt: skip
MOST_TALL_MM = 330.0
SPACE_MM = 135.0  # from one stacking space to the next
TABLE_PX, TABLE_MM = 1200, 1500.0


@dataclass(frozen=True)
class Part:
    """One block as it is meant: how it lies and where its middle is."""

    way: str  # a key of EDGES, or "cylinder"
    x_mm: float


Design = tuple[tuple[Part, ...], ...]  # levels from the bottom


@dataclass(frozen=True)
class Kit:
    """The blocks of one table."""

    block_mm: tuple[float, ...]
    cylinder_mm: tuple[float, float] | None
    wood: str
    paint: np.ndarray

    def size(self, part: Part) -> tuple[float, float, float]:
        """Across, upright, away in mm."""
        if part.way == "cylinder":
            assert self.cylinder_mm
            return self.cylinder_mm[0], self.cylinder_mm[1], self.cylinder_mm[0]
        across, upright, away = (self.block_mm[i] for i in EDGES[part.way])
        return across, upright, away

    def height(self, level: tuple[Part, ...]) -> float:
        return self.size(level[0])[1]


Designer = Callable[[Rng, Kit], Design]


@dataclass
class Stack:
    """What stands or lies in a space."""

    space: int
    status: str
    design: Design = ()
    solids: list[Solid] = field(default_factory=list)
    parts: list[tuple[int, Part]] = field(default_factory=list)


def random_kit(rng: Rng) -> Kit:
    block_mm = SET_MM[rng.integers(len(SET_MM))]
    if rng.random() < 0.2:
        long = rng.uniform(42, 66)
        middle = long * rng.uniform(0.55, 0.72)
        block_mm = tuple(round(v, 1) for v in (long, middle, middle * rng.uniform(0.42, 0.62)))  # type: ignore[assignment]
    round_mm = (float(block_mm[1]), float(block_mm[1])) if rng.random() < 0.5 else None
    wood = str(rng.choice(list(WOODS_BGR), p=np.array([5, 5, 5, 3, 4, 2, 1, 3]) / 28))
    paint = np.clip(np.array(WOODS_BGR[wood]) * rng.uniform(0.85, 1.1) + rng.normal(0, 0.02, 3), 0.03, 1)
    return Kit(tuple(block_mm), round_mm, wood, paint)


def random_design(rng: Rng, kit: Kit) -> Design:
    """A stack of 3 to 12 levels that stands while it is built, each in a few millimetres of its place."""
    while True:
        levels: list[tuple[Part, ...]] = []
        count = int(rng.integers(3, 13)) if rng.random() < 0.7 else int(rng.integers(3, 7))
        for _ in range(count * 8):
            if len(levels) == count:
                break
            level = random_level(rng, kit, levels)
            tall = sum(kit.height(each) for each in (*levels, level))
            if tall < MOST_TALL_MM and stands(kit, (*levels, level)):
                levels.append(level)
        if len(levels) >= 3:
            return tuple(levels)


def arched_design(rng: Rng, kit: Kit) -> Design:
    """A card of our own deck, or floors on two or three columns each."""
    while True:
        levels: list[tuple[Part, ...]] = list(of_card(rng, kit)) if rng.random() < 0.4 else []
        while not levels or len(levels) < rng.integers(3, 9):
            middle = float(np.mean([part.x_mm for part in levels[-1]])) if levels else 0.0
            columns = random_columns(rng, kit, middle)
            floor = Part(
                str(rng.choice(["flat_x", "flat_x", "edge_x"])), middle + STEP_MM * float(rng.choice([-1, 0, 0, 0, 1]))
            )
            if rng.random() < 0.7:
                levels += [columns, (floor,)]
            else:
                levels.append(random_level(rng, kit, levels))
        while sum(kit.height(level) for level in levels) > MOST_TALL_MM:
            levels.pop()
        if len(levels) >= 2 and stands(kit, tuple(levels)) and not crowded(kit, levels):
            return tuple(levels)


def of_card(rng: Rng, kit: Kit) -> Design:
    """A card whose levels are flat, in the blocks of this table; nothing where the card that was drawn is not."""
    card = OWN_DECK.cards[int(rng.choice(list(OWN_DECK.cards)))]
    build = card_build(card, ways_of(kit.block_mm, kit.cylinder_mm))
    levels = tuple(tuple(Part(piece.way.name, piece.x_mm) for piece in level) for level in build.levels)
    feet = np.cumsum([0.0, *(kit.height(level) for level in levels)])
    flat = all(
        abs(piece.bottom_mm - foot) < 0.5 and abs(piece.way.upright_mm - kit.height(level)) < 0.5
        for built_level, level, foot in zip(build.levels, levels, feet[:-1], strict=True)
        for piece in built_level
    )
    return levels if flat else ()


def random_columns(rng: Rng, kit: Kit, middle_mm: float) -> tuple[Part, ...]:
    """Two or three equal blocks apart from each other, a block's length between the outer ones at most."""
    ways = ["up_y", "up_y", "edge_y", "edge_y", "flat_y", "up_x", *(["cylinder"] if kit.cylinder_mm else [])]
    way, count = str(rng.choice(ways)), 2 if rng.random() < 0.75 else 3
    across = kit.size(Part(way, 0))[0]
    apart = across + rng.uniform(0.5, max(1.0, kit.block_mm[0] - across))
    return tuple(Part(way, middle_mm + (i - (count - 1) / 2) * apart) for i in range(count))


def crowded(kit: Kit, levels: Sequence[tuple[Part, ...]]) -> bool:
    """Whether two blocks of a level would be in the same place."""
    for level in levels:
        parts = sorted(level, key=lambda part: part.x_mm)
        if any(b.x_mm - a.x_mm < (kit.size(a)[0] + kit.size(b)[0]) / 2 for a, b in pairwise(parts)):
            return True
    return False


def random_level(rng: Rng, kit: Kit, below: list[tuple[Part, ...]]) -> tuple[Part, ...]:
    ways = [*EDGES, *(["cylinder"] * 2 if kit.cylinder_mm else [])]
    way = str(rng.choice(ways))
    middle = float(np.mean([part.x_mm for part in below[-1]])) if below else 0.0
    part = Part(way, middle + STEP_MM * float(rng.choice([-2, -1, 0, 0, 0, 0, 1, 2])))
    across = kit.size(part)[0]
    if rng.random() < 0.1 and way != "cylinder" and across <= kit.block_mm[1]:
        half = (across + rng.choice([2.0, STEP_MM, 2 * STEP_MM])) / 2
        return (Part(way, middle - half), Part(way, middle + half))
    return (part,)


def stands(kit: Kit, levels: tuple[tuple[Part, ...], ...]) -> bool:
    """Whether the weight above every seam lies well within what carries it, from left to right."""
    for at in range(1, len(levels)):
        above = [part for level in levels[at:] for part in level]
        weight = sum(part.x_mm for part in above) / len(above)
        spans = [overlap(kit, low, high) for low in levels[at - 1] for high in levels[at]]
        held = [span for span in spans if span[1] - span[0] > 6]
        carried = all(
            any(b - a > 6 for a, b in (overlap(kit, low, high) for low in levels[at - 1])) for high in levels[at]
        )
        if not held or not carried:
            return False
        left, right = min(a for a, _ in held), max(b for _, b in held)
        if not left + 4 <= weight <= right - 4:
            return False
        if len(levels[at]) == 2 and len(held) < 2:
            return False
    return True


def overlap(kit: Kit, low: Part, high: Part) -> tuple[float, float]:
    a, b = kit.size(low)[0] / 2, kit.size(high)[0] / 2
    return max(low.x_mm - a, high.x_mm - b), min(low.x_mm + a, high.x_mm + b)


def changed(rng: Rng, kit: Kit, design: Design) -> tuple[Design, dict[str, Any]]:
    """Another design that differs in one thing, and which."""
    for _ in range(200):
        levels = list(design)
        at = int(rng.integers(len(levels)))
        level = levels[at]
        kind = str(rng.choice(["moved", "turned", "missing", "added", "swapped"], p=[0.3, 0.3, 0.15, 0.15, 0.1]))
        before, after = level[0].way, level[0].way
        if kind == "moved":
            shift = STEP_MM * float(rng.choice([-2, -1, -1, 1, 1, 2]))
            who = int(rng.integers(len(level)))
            levels[at] = tuple(replace(part, x_mm=part.x_mm + shift * (i == who)) for i, part in enumerate(level))
        elif kind == "turned":
            after = str(rng.choice([*EDGES, *(["cylinder"] if kit.cylinder_mm else [])]))
            levels[at] = tuple(replace(part, way=after) for part in level)
        elif kind == "missing":
            levels.pop(at)
        elif kind == "added":
            levels.insert(at, random_level(rng, kit, levels[:at]))
        elif at + 1 < len(levels):
            levels[at], levels[at + 1] = levels[at + 1], levels[at]
        other = tuple(levels)
        seen = [[(kit.size(part)[:2], part.x_mm, part.way == "cylinder") for part in each] for each in levels]
        was = [[(kit.size(part)[:2], part.x_mm, part.way == "cylinder") for part in each] for each in design]
        if len(levels) < 2 or seen == was or crowded(kit, levels) or not stands(kit, other):
            continue
        if sum(kit.height(each) for each in levels) > MOST_TALL_MM + 20:
            continue
        return other, {"kind": kind, "level": at, "from": before, "to": after}
    return design[:-1], {"kind": "missing", "level": len(design) - 1, "from": design[-1][0].way, "to": ""}


def built(rng: Rng, kit: Kit, design: Design, space: int, centre: tuple[float, float]) -> Stack:
    """The design as people build it: each block 1 to 3 mm and 1 to 4 degrees beside its place."""
    shift = np.clip(rng.normal(0, 4, 2), -12, 12)
    whole = np.radians(np.clip(rng.normal(0, 1.2), -3, 3))
    stack, bottom = Stack(space, "standing", design), 0.0
    for number, level in enumerate(design):
        for part in level:
            _, tall, _ = kit.size(part)
            slip = np.clip(rng.normal(0, 1.6, 2), -3.2, 3.2)
            x = centre[0] + shift[0] + part.x_mm * np.cos(whole) + slip[0]
            y = centre[1] + shift[1] + part.x_mm * np.sin(whole) + slip[1]
            yaw = whole + np.radians(np.clip(rng.normal(0, 1.5), -4, 4))
            stack.solids.append(solid(rng, kit, part, np.array([x, y, bottom + tall / 2]), turn_z(yaw)))
            stack.parts.append((number, part))
        bottom += kit.height(level)
    return stack


def solid(rng: Rng, kit: Kit, part: Part, centre: np.ndarray, turn: np.ndarray) -> Solid:
    paint = tuple(float(c) for c in np.clip(kit.paint * (1 + rng.normal(0, 0.03)), 0, 1))
    seed = int(rng.integers(1 << 30))
    if part.way == "cylinder":
        assert kit.cylinder_mm
        half = np.array([kit.cylinder_mm[0], kit.cylinder_mm[0], kit.cylinder_mm[1]]) / 2
        return Solid(centre, turn, half, True, paint, seed)  # type: ignore[arg-type]
    own = np.zeros((3, 3))
    across, upright, away = EDGES[part.way]
    own[0, across], own[1, away], own[2, upright] = 1, 1, 1
    own[:, 0] *= np.linalg.det(own)
    return Solid(centre, turn @ own, np.array(kit.block_mm) / 2, False, paint, seed)  # type: ignore[arg-type]


def fallen(rng: Rng, kit: Kit, design: Design, space: int, centre: tuple[float, float]) -> Stack:
    """The same blocks after the stack fell: some lower ones may still stand, the others lie about."""
    parts = [part for level in design for part in level]
    left = int(rng.integers(0, min(3, len(parts) - 1))) if rng.random() < 0.4 else 0
    standing = built(rng, kit, design[: min(left, len(design) - 2)], space, centre) if left else Stack(space, "")
    stack = Stack(space, "collapsed", design, list(standing.solids), list(standing.parts))
    spread = rng.uniform(25, 70)
    for part in parts[len(stack.solids) :]:
        stack.solids.append(lying(rng, kit, part, stack.solids, centre, spread))
        stack.parts.append((0, part))
    return stack


def lying(rng: Rng, kit: Kit, part: Part, others: list[Solid], centre: tuple[float, float], spread: float) -> Solid:
    """A block where it came to rest: on the table, or on others, or leaning on one."""
    for attempt in range(40):
        way = part.way if part.way == "cylinder" else str(rng.choice(list(EDGES), p=[0.3, 0.3, 0.15, 0.15, 0.05, 0.05]))
        across, tall, away = kit.size(Part(way, 0))
        reach = spread * (1 + attempt / 20)
        x, y = np.array(centre) + np.clip(rng.normal(0, reach, 2), -90, 90) * [1, 0.8]
        turn = turn_z(rng.uniform(0, 6.283))
        radius = np.hypot(across, away) / 2
        near = [o for o in others if np.hypot(*(o.centre_mm[:2] - [x, y])) < 0.8 * (radius + np.sort(o.half_mm)[-1])]
        if way == "cylinder" and rng.random() < 0.7:  # rolled over
            over = turn @ np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
            if not near:
                return solid_at(rng, kit, Part(way, 0), np.array([x, y, across / 2]), over)
            continue
        if not near:
            return solid(rng, kit, Part(way, 0), np.array([x, y, tall / 2]), turn)
        if rng.random() < 0.35:
            top = max(float(o.corners_mm()[:, 2].max()) for o in near)
            if top > 80:
                continue
            lean = np.arctan2(top, across) * rng.uniform(0.5, 1)
            tilt = np.array([[np.cos(lean), 0, np.sin(lean)], [0, 1, 0], [-np.sin(lean), 0, np.cos(lean)]])
            height = (across * np.sin(lean) + tall * np.cos(lean)) / 2
            return solid(rng, kit, Part(way, 0), np.array([x, y, height]), turn @ tilt)
    top = max(float(o.corners_mm()[:, 2].max()) for o in near)
    return solid(rng, kit, Part(way, 0), np.array([x, y, top + tall / 2]), turn)


def solid_at(rng: Rng, kit: Kit, part: Part, centre: np.ndarray, turn: np.ndarray) -> Solid:
    return replace(solid(rng, kit, part, centre, np.eye(3)), rotation=turn)


def random_pose(rng: Rng, wide: bool) -> Pose:
    """A camera 60 to 95 cm before the spaces and 12 to 30 cm high, aimed a hand's breadth above the table."""
    far = rng.uniform(820, 980) if wide else rng.uniform(640, 820)
    around = np.radians(np.clip(rng.normal(0, 8), -18, 18))
    eye = np.array([far * np.sin(around), -far * np.cos(around), rng.uniform(120, 305)])
    aim = np.array([rng.normal(0, 8), 0, rng.uniform(110, 165)])
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(ahead, [0, 0, 1])
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(ahead, right), ahead])
    rotation = turn_z(rng.normal(0, np.radians(0.7))) @ rotation
    focal = rng.uniform(1750, 2000)
    intrinsics = np.array([[focal, 0, (WIDTH - 1) / 2], [0, focal, (HEIGHT - 1) / 2], [0, 0, 1]])
    distortion = np.array([rng.uniform(-0.03, 0.03), 0, 0, 0, 0])
    return Pose(intrinsics, distortion, rotation, -rotation @ eye)


def nudged(rng: Rng, pose: Pose) -> Pose:
    """Nearly the same camera: bumped by a few millimetres and half a degree."""
    turn, _ = cv2.Rodrigues(rng.normal(0, np.radians(0.5), 3))
    eye = -pose.rotation.T @ pose.shift_mm + rng.normal(0, 2, 3)
    rotation = turn @ pose.rotation
    return replace(pose, rotation=rotation, shift_mm=-rotation @ eye)


@dataclass(frozen=True)
class Room:
    """What is the same in pictures of one table: table top, wall and what stands before it, light, white balance."""

    table: np.ndarray
    wall: np.ndarray
    back_mm: float
    light: Light
    cast: np.ndarray
    exposure: float
    gamma: float
    noise: float
    blur_px: float
    far_blur_px: float


def random_room(rng: Rng, kit: Kit, centres: list[tuple[float, float]]) -> Room:
    table = lay_table(rng, TABLE_PX, 16 * TABLE_PX / TABLE_MM) if rng.random() < 0.4 else plain_top(rng)
    if rng.random() < 0.75:
        for number, centre in enumerate(centres):
            lay_mat(rng, table, number + 1, centre)
    back = rng.uniform(200, 520)
    main = np.array([rng.normal(0, 0.7), rng.normal(-0.1, 0.8), rng.uniform(0.5, 1.6)])
    if rng.random() < 0.12:
        main = np.array([rng.normal(0, 0.4), rng.uniform(0.8, 1.6), 0.8])  # against the light
    width = rng.choice([0.02, 0.1, 0.25])
    towards = main / np.linalg.norm(main) + rng.normal(0, width, (4, 3))
    diffuse = rng.uniform(0.25, 0.95)
    light = Light(
        towards / np.linalg.norm(towards, axis=1, keepdims=True), np.full(4, diffuse / 4), rng.uniform(0.3, 0.75)
    )
    return Room(
        table=table,
        wall=random_wall(rng, kit),
        back_mm=back,
        light=light,
        cast=np.exp(rng.normal(0, 0.12, 3)),
        exposure=float(np.exp(rng.normal(-0.05, 0.25))),
        gamma=float(np.exp(rng.normal(0, 0.15))),
        noise=rng.uniform(0.003, 0.03),
        blur_px=rng.uniform(0, 1.3),
        far_blur_px=rng.uniform(0, 5),
    )


def plain_top(rng: Rng) -> np.ndarray:
    kind = rng.integers(4)
    return TABLES[(0, 1, 2, 3)[kind]](rng, TABLE_PX, 16 * TABLE_PX / TABLE_MM)


def lay_mat(rng: Rng, table: np.ndarray, number: int, centre: tuple[float, float]) -> None:
    """A sheet of paper with a coloured border and the number of the space."""
    scale = TABLE_PX / TABLE_MM
    half = rng.uniform(52, 66) * scale
    x, y = TABLE_PX / 2 + centre[0] * scale, TABLE_PX * 0.6 - centre[1] * scale
    paper = tuple(float(v) for v in rng.uniform(215, 255) * np.ones(3))
    rim_ink = paint(colour(rng, 0.8))
    outer, inner = (int(x - half), int(y - half)), (int(x + half), int(y + half))
    cv2.rectangle(table, outer, inner, paper, -1)
    rim = int(5 * scale) + 1
    cv2.rectangle(
        table, (outer[0] + rim, outer[1] + rim), (inner[0] - rim, inner[1] - rim), rim_ink, int(3 * scale) + 1
    )
    at = (outer[0] + 2 * rim, inner[1] - 2 * rim)
    cv2.putText(table, str(number), at, cv2.FONT_HERSHEY_SIMPLEX, 0.7, (30, 30, 30), 2, cv2.LINE_AA)


def random_wall(rng: Rng, kit: Kit) -> np.ndarray:
    """(900, 1500, 3) uint8, a millimetre a pixel: a wall and books, vases, boxes, frames before it."""
    height, width = 900, 1500
    if rng.random() < 0.6:
        base = np.ones((height, width, 3), np.float32) * colour(rng, 0.4)
        base += (noise(rng, height, width, rng.uniform(10, 200)) * rng.uniform(0, 0.08))[..., None]
        wall = as_bytes(base)
    else:
        wall = cv2.resize(TABLES[rng.integers(6)](rng, 750, rng.uniform(20, 60)), (width, height))
    if rng.random() < 0.3:
        for x in np.arange(rng.uniform(0, 150), width, rng.uniform(90, 220)):
            cv2.line(wall, (int(x), 0), (int(x), height), tuple(float(v) for v in wall[0, 0] * 0.8), 2)
    if rng.random() < 0.4:
        x, y, w, h = rng.uniform(0, 1100), rng.uniform(0, 300), rng.uniform(100, 400), rng.uniform(100, 350)
        cv2.rectangle(wall, (int(x), int(y)), (int(x + w), int(y + h)), ink(rng), -1)
        cv2.rectangle(wall, (int(x), int(y)), (int(x + w), int(y + h)), ink(rng), 6)
        for _ in range(rng.integers(0, 7)):
            at = (int(x + w * rng.random()), int(y + h * rng.random()))
            cv2.circle(wall, at, int(rng.uniform(5, 50)), paint(colour(rng, 0.9)), -1, cv2.LINE_AA)
    shelf = int(rng.uniform(0, 25))
    x = rng.uniform(-100, 200)
    while x < width and rng.random() < 0.97:
        stand_thing(rng, wall, x, height - shelf, kit)
        x += rng.uniform(15, 60) if rng.random() < 0.85 else rng.uniform(60, 400)
    strip = kit.paint * 0.8 if rng.random() < 0.4 else colour(rng, 0.3)
    cv2.rectangle(wall, (0, height - shelf), (width, height), paint(strip), -1)
    return wall


def stand_thing(rng: Rng, wall: np.ndarray, x: float, foot: int, kit: Kit) -> None:
    body = colour(rng, 0.6)
    if rng.random() < 0.12:
        body = np.clip(kit.paint * rng.uniform(0.7, 1.1), 0, 1)  # wood behind wood
    front, side = paint(body), paint(body * rng.uniform(0.5, 0.9))
    if rng.random() < 0.06:
        wide, tall = rng.uniform(25, 70), rng.uniform(100, 320)
        cv2.ellipse(wall, (int(x), int(foot - tall / 2)), (int(wide), int(tall / 2)), 0, 0, 360, front, -1, cv2.LINE_AA)
        cv2.ellipse(wall, (int(x - wide / 3), int(foot - tall / 2)), (int(wide / 6), int(tall / 3)), 0, 0, 360,
                    tuple(min(255.0, v + 60) for v in front), -1, cv2.LINE_AA)  # fmt: skip
        return
    wide, tall = rng.uniform(15, 55), rng.uniform(90, 330)
    cv2.rectangle(wall, (int(x), int(foot - tall)), (int(x + wide), foot), front, -1)
    cv2.rectangle(wall, (int(x + wide), int(foot - tall)), (int(x + wide + rng.uniform(2, 30)), foot), side, -1)
    label = paint(colour(rng, 0.2))
    for at in (0.08, 0.88):
        y = int(foot - tall * at)
        cv2.line(wall, (int(x), y), (int(x + wide), y), label, 3)
    cv2.rectangle(wall, (int(x + wide * 0.35), int(foot - tall * 0.7)), (int(x + wide * 0.65), int(foot - tall * 0.3)),
                  label, -1)  # fmt: skip


def drawn_room(room: Room, pose: Pose) -> np.ndarray:
    """The table with the wall behind it, float32 BGR 0..1."""
    half, front = TABLE_MM / 2, TABLE_PX * 0.6 * TABLE_MM / TABLE_PX
    table_mm = np.array(
        [[-half, front, 0], [half, front, 0], [half, front - TABLE_MM, 0], [-half, front - TABLE_MM, 0]]
    )
    table_mm[2:, 1] = np.maximum(table_mm[2:, 1], (-pose.rotation.T @ pose.shift_mm)[1] + 60)
    scale = TABLE_PX / TABLE_MM
    table_px = np.stack([table_mm[:, 0] * scale + TABLE_PX / 2, TABLE_PX * 0.6 - table_mm[:, 1] * scale], axis=1)
    canvas = seen_plane(room.table, table_px, table_mm, pose, cv2.BORDER_REFLECT)
    tall, wide = room.wall.shape[:2]
    foot = -30.0
    wall_mm = np.array(
        [[-wide / 2, room.back_mm, foot + tall], [wide / 2, room.back_mm, foot + tall],
         [wide / 2, room.back_mm, foot], [-wide / 2, room.back_mm, foot]]
    )  # fmt: skip
    wall_px = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], float)
    wall = seen_plane(room.wall, wall_px, wall_mm, pose, cv2.BORDER_REFLECT)
    if room.far_blur_px > 0.3:
        wall = cv2.GaussianBlur(wall, (0, 0), room.far_blur_px)
    behind = np.zeros(canvas.shape[:2], np.float32)
    edge = np.array([[-2000, room.back_mm, 0], [2000, room.back_mm, 0]], float)
    (x0, y0), (x1, y1) = pose.project(edge)
    outline = np.array([[x0, y0], [x1, y1], [x1, -500], [x0, -500]])
    cv2.fillConvexPoly(behind, np.round(outline).astype(np.int32), 1.0, cv2.LINE_AA)
    return (canvas * (1 - behind[..., None]) + wall * behind[..., None]).astype(np.float32) / 255


def seen_plane(art: np.ndarray, art_px: np.ndarray, world_mm: np.ndarray, pose: Pose, border: int) -> np.ndarray:
    straight = replace(pose, distortion=np.zeros(5))  # the bend of the lens matters for blocks, not for a backdrop
    matrix = cv2.getPerspectiveTransform(art_px.astype(np.float32), straight.project(world_mm).astype(np.float32))
    return cv2.warpPerspective(art, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=border)


def photographed(rng: Rng, room: Room, canvas: np.ndarray) -> np.ndarray:
    """White balance, exposure, blur, noise, JPEG; uint8 BGR."""
    picture = canvas * room.cast.astype(np.float32) * np.float32(room.exposure)
    if room.blur_px > 0.25:
        picture = cv2.GaussianBlur(picture, (0, 0), room.blur_px)
    picture = np.clip(picture, 0, 1) ** np.float32(room.gamma)
    picture = picture + np.float32(room.noise) * rng.standard_normal(picture.shape, np.float32)
    done = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    packed = cv2.imencode(".jpg", done, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
    return cv2.imdecode(packed, cv2.IMREAD_COLOR)


def picture_of(rng: Rng, room: Room, pose: Pose, stacks: list[Stack]) -> np.ndarray:
    """The photograph, (960, 1280, 3) uint8."""
    canvas = drawn_room(room, pose)
    open_sky = float((room.light.strength * np.maximum(room.light.towards[:, 2], 0)).sum()) + room.light.ambient
    canvas *= open_sky
    draw_towers([stack.solids for stack in stacks], pose, canvas, room.light)
    return photographed(rng, room, canvas)


Shoot = Callable[[Rng, Room, Pose, list[Stack]], np.ndarray]


def labels_of(
    name: str, pose: Pose, kit: Kit, centres: list[tuple[float, float]], stacks: list[Stack]
) -> dict[str, Any]:
    """One entry of labels.json."""
    camera = {
        "width": WIDTH, "height": HEIGHT, "fx": pose.intrinsics[0, 0], "fy": pose.intrinsics[1, 1],
        "cx": pose.intrinsics[0, 2], "cy": pose.intrinsics[1, 2], "dist": pose.distortion.tolist(),
        "R_world_to_cam": pose.rotation.tolist(), "t_mm": pose.shift_mm.tolist(),
    }  # fmt: skip
    return {
        "file": name,
        "camera": camera,
        "block_mm_long_mid_short": list(kit.block_mm),
        "cylinder_mm_diameter_height": None if kit.cylinder_mm is None else list(kit.cylinder_mm),
        "wood": kit.wood,
        "space_centres_mm": [list(centre) for centre in centres],
        "stacks": [stack_label(stack, pose) for stack in stacks],
    }


def stack_label(stack: Stack, pose: Pose) -> dict[str, Any]:
    window = window_of(stack.solids, pose, (HEIGHT, WIDTH)) if stack.solids else None
    return {
        "space": stack.space,
        "status": stack.status,
        "blocks_count": len(stack.solids),
        "levels_bottom_up": [
            [{"orientation": part.way, "x_mm": part.x_mm} for part in level]
            for level in (stack.design if stack.status == "standing" else ())
        ],
        "bbox_px": None if window is None else [int(v) for v in window],
        "blocks": [
            {
                "level": level,
                "orientation": part.way,
                "shape": "cylinder" if piece.cylinder else "block",
                "position_mm": np.round(piece.centre_mm, 2).tolist(),
                "rotation": np.round(piece.rotation, 5).tolist(),
                "hull_px": np.round(
                    cv2.convexHull(pose.project(piece.corners_mm()).astype(np.float32)).reshape(-1, 2), 1
                ).tolist(),
            }
            for (level, part), piece in zip(stack.parts, stack.solids, strict=True)
        ],
    }


def solids_of(kit_mm: list[float], round_mm: list[float] | None, blocks: list[dict[str, Any]]) -> list[Solid]:
    """The solids of labelled blocks; also of ../shared/data, which gives quaternions."""
    found = []
    for block in blocks:
        if "rotation" in block:
            rotation = np.array(block["rotation"])
        else:
            w, *xyz = block["quaternion_wxyz"]
            rotation = cv2.Rodrigues(
                2 * np.arctan2(np.linalg.norm(xyz), w) * np.array(xyz) / max(np.linalg.norm(xyz), 1e-9)
            )[0]
        round_one = block["shape"] == "cylinder"
        assert not round_one or round_mm
        half = np.array([round_mm[0], round_mm[0], round_mm[1]]) / 2 if round_one and round_mm else np.array(kit_mm) / 2
        found.append(Solid(np.array(block["position_mm"]), rotation, half, round_one))
    return found


def render_pair(
    rng: Rng, name: str, designed: Designer, shoot: Shoot = picture_of
) -> tuple[list[tuple[str, np.ndarray, dict[str, Any]]], dict[str, Any]]:
    """Two pictures of one table, a stack in each, and whether the stacks are meant to be the same."""
    kit, centres = random_kit(rng), [(0.0, 0.0)]
    room = random_room(rng, kit, centres)
    design = designed(rng, kit)
    same = bool(rng.random() < 0.5)
    other, difference = (design, None) if same else changed(rng, kit, design)
    pose = random_pose(rng, wide=False)
    again = nudged(rng, pose) if rng.random() < 0.6 else random_pose(rng, wide=False)
    shown = []
    for letter, view, levels in (("a", pose, design), ("b", again, other)):
        stack = built(rng, kit, levels, 1, centres[0])
        file = f"{name}_{letter}.jpg"
        shown.append((file, shoot(rng, room, view, [stack]), labels_of(file, view, kit, centres, [stack])))
    return shown, {"a": shown[0][0], "b": shown[1][0], "same": same, "difference": difference}


def render_four(
    rng: Rng, name: str, designed: Designer = random_design, shoot: Shoot = picture_of
) -> tuple[str, np.ndarray, dict[str, Any]]:
    """Four spaces in one view: the first stack stands, the others are the same, others, fallen, or not there."""
    kit = random_kit(rng)
    centres = [((i - 1.5) * SPACE_MM, 0.0) for i in range(4)]
    room = random_room(rng, kit, centres)
    design = designed(rng, kit)
    stacks, truths = [built(rng, kit, design, 1, centres[0])], [True]
    for space in range(2, 5):
        centre, chance = centres[space - 1], rng.random()
        if chance < 0.3:
            stacks.append(built(rng, kit, design, space, centre))
        elif chance < 0.6:
            stacks.append(built(rng, kit, changed(rng, kit, design)[0], space, centre))
        elif chance < 0.82:
            stacks.append(fallen(rng, kit, design, space, centre))
        else:
            stacks.append(Stack(space, "empty"))
        truths.append(chance < 0.3)
    pose, file = random_pose(rng, wide=True), f"{name}_four.jpg"
    entry = labels_of(file, pose, kit, centres, stacks)
    for label, same in zip(entry["stacks"], truths, strict=True):
        label["same_as_space_1"] = same
    return file, shoot(rng, room, pose, stacks), entry


def write_towers(folder: Path, count: int, seed: int, designed: Designer = random_design) -> None:
    """Writes at least `count` pictures, as many of four spaces as pairs."""

    def draw(rng: Rng, name: str, index: int) -> LabelledScene:
        if index % 2 == 0:
            _file, picture, entry = render_four(rng, name, designed)
            return [(picture, entry)], []
        shown, pair = render_pair(rng, name, designed)
        return [(picture, entry) for _file, picture, entry in shown], [pair]

    write_scenes(folder, count, seed, "tower", draw, quality=90)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    designer = arched_design if sys.argv[4:] == ["arches"] else random_design
    write_towers(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), designer)
