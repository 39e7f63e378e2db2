"""Designs of block stacks: the blocks of a table, and random designs that stand while they are built."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from companion.equipment.deck import EDGES, OWN_DECK, Way
from vision.tower.fit import ways_of
from vision.tower.match import card_build
from vision.training.labelled import Rng

STEP_MM = 8.0  # intended sideways offsets are multiples of this
SET_MM = ((45, 30, 15), (45, 30, 15), (60, 40, 20), (60, 40, 20), (48, 32, 16), (50, 30, 20), (54, 36, 18))

WOODS_BGR = {
    "pine": (0.36, 0.62, 0.78), "maple": (0.52, 0.70, 0.82), "beech": (0.38, 0.55, 0.72), "oak": (0.28, 0.46, 0.62),
    "birch": (0.58, 0.76, 0.86), "cherry": (0.18, 0.32, 0.58), "walnut": (0.12, 0.20, 0.32), "ash": (0.5, 0.66, 0.76),
}  # fmt: skip

MOST_TALL_MM = 330.0


@dataclass(frozen=True)
class Part:
    """A block in a design: how it lies, and where its middle is."""

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
        """Its width, height and depth in mm."""
        if part.way == "cylinder":
            assert self.cylinder_mm
            return self.cylinder_mm[0], self.cylinder_mm[1], self.cylinder_mm[0]
        across, upright, away = (self.block_mm[i] for i in EDGES[Way(part.way)])
        return across, upright, away

    def height(self, level: tuple[Part, ...]) -> float:
        return self.size(level[0])[1]


Designer = Callable[[Rng, Kit], Design]


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
    """A stack of 3 to 12 levels that stands while it is built with blocks a few millimetres off."""
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
        levels: list[tuple[Part, ...]] = list(card_design(rng, kit)) if rng.random() < 0.4 else []
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
        if len(levels) >= 2 and stands(kit, tuple(levels)) and not is_crowded(kit, levels):
            return tuple(levels)


def card_design(rng: Rng, kit: Kit) -> Design:
    """A random card made of this table's blocks, or () if its levels are not flat."""
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
    """Two or three equal blocks side by side, at most a block's length between the outer ones."""
    ways = ["up_y", "up_y", "edge_y", "edge_y", "flat_y", "up_x", *(["cylinder"] if kit.cylinder_mm else [])]
    way, count = str(rng.choice(ways)), 2 if rng.random() < 0.75 else 3
    across = kit.size(Part(way, 0))[0]
    apart = across + rng.uniform(0.5, max(1.0, kit.block_mm[0] - across))
    return tuple(Part(way, middle_mm + (i - (count - 1) / 2) * apart) for i in range(count))


def is_crowded(kit: Kit, levels: Sequence[tuple[Part, ...]]) -> bool:
    """Whether two blocks of a level overlap."""
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
    """Whether the weight above every seam lies well within its support, from left to right."""
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
    """The left and right end of the overlap of two blocks."""
    a, b = kit.size(low)[0] / 2, kit.size(high)[0] / 2
    return max(low.x_mm - a, high.x_mm - b), min(low.x_mm + a, high.x_mm + b)


def change_design(rng: Rng, kit: Kit, design: Design) -> tuple[Design, dict[str, Any]]:
    """Another design with one difference, and that difference."""
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
        if len(levels) < 2 or seen == was or is_crowded(kit, levels) or not stands(kit, other):
            continue
        if sum(kit.height(each) for each in levels) > MOST_TALL_MM + 20:
            continue
        return other, {"kind": kind, "level": at, "from": before, "to": after}
    return design[:-1], {"kind": "missing", "level": len(design) - 1, "from": design[-1][0].way, "to": ""}
