"""Which blocks stand where: the build that explains the maps of a space best, found level by level for all at once.

Fronts of blocks are upright rectangles in a crop (`vision.tower_crop`). The evidence for one is the sum of the front
map inside it and of the edge maps along its border, which sums of areas give for every place at once. Levels are chosen
from the table up by dynamic programming over the height: every sequence of levels is weighed, none is guessed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from companion.games.maxstax.deck import EDGES
from vision.tower_crop import BELOW_PX, TALL_PX, WIDE_PX, Front
from vision.tower_maps import Maps

SURE = 4.0  # log odds beyond this say no more: one wrong spot must not decide
EDGE_WEIGHT = 0.6  # an edge between two blocks is in both of them
BLOCK_COST = 60.0  # of evidence a block must bring: less sees blocks in noise, more misses the thin ones
HALF_EDGE_PX = 1.0  # an edge is so wide on each side
DEPTHS_MM = np.arange(-14.0, 14.1, 2)  # the stack's middle behind the space's: people put it a little beside
NEAR_DEPTHS_MM = np.arange(-6.0, 6.1, 2)  # around the depth that a build was looked for at
ONE_DEPTH_MM = 5.0  # a build found for one depth is looked for anew where it stands so much further
ROUND_FRONT = 0.7  # of its radius, what is seen of a cylinder stands before its axis
NEAR_MM = 3.0  # the best place of a piece is within so much of where it was seen first
FINE_PX = 0.25  # places are found this exactly
LEAST_HOLD_MM = -1.5  # what rests on something shares so much of it, less what measuring may miss
HEIGHT_STEP_MM = 0.7  # heights closer than this are one

CYLINDER = "cylinder"


@dataclass(frozen=True)
class Way:
    """One way a piece can stand: its name, in the words of the card deck where it is a block, and its size in mm."""

    name: str
    across_mm: float
    upright_mm: float
    away_mm: float

    @property
    def front_mm(self) -> float:
        """How far its front stands before its middle."""
        return self.away_mm / 2 * (ROUND_FRONT if self.name == CYLINDER else 1.0)


@dataclass(frozen=True)
class Placed:
    """One piece of a build: x of its middle from the middle of the space, height of its foot, level from 0."""

    way: Way
    x_mm: float
    bottom_mm: float
    level: int


@dataclass(frozen=True)
class Build:
    """The pieces from the bottom up, how far behind the space's middle they stand, the evidence for them, and the share
    of what is seen of fronts that they leave over."""

    pieces: tuple[Placed, ...]
    depth_mm: float
    evidence: float
    left_over: float = 0.0

    @property
    def levels(self) -> tuple[tuple[Placed, ...], ...]:
        """The pieces of each level, from the left."""
        count = 1 + max((piece.level for piece in self.pieces), default=-1)
        return tuple(
            tuple(sorted((p for p in self.pieces if p.level == level), key=lambda p: p.x_mm)) for level in range(count)
        )


def ways_of(block_mm: Sequence[float], cylinder_mm: Sequence[float] | None) -> tuple[Way, ...]:
    """All ways in which the pieces of a table can stand."""
    ways = [Way(name.value, *(block_mm[i] for i in edges)) for name, edges in EDGES.items()]
    if cylinder_mm is not None:
        ways.append(Way(CYLINDER, cylinder_mm[0], cylinder_mm[1], cylinder_mm[0]))
    return tuple(ways)


class Evidence:
    """Sums of the maps over any upright rectangle, with parts of pixels."""

    def __init__(self, maps: Maps, reach_px: float = np.inf, edge_weight: float = EDGE_WEIGHT) -> None:
        self.edge_weight = edge_weight
        off = np.abs(np.arange(WIDE_PX) + 0.5 - WIDE_PX / 2) > reach_px
        self.seen = area_sums(np.where(off, 0, np.maximum(maps.front, 0)))
        self.front, self.level, self.side = (
            area_sums(np.where(off, -SURE, plane)) for plane in (maps.front, maps.level, maps.side)
        )

    def along(
        self, ways: Sequence[Way], bottoms_mm: np.ndarray, front: Front, depth_mm: float
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each way (heights, places) evidence for a piece at each height with its middle at each column, and these
        places in mm."""
        y = depth_mm - np.array([[way.front_mm] for way in ways])
        low = front.rows(bottoms_mm, y)
        high = front.rows(bottoms_mm + np.array([[way.upright_mm] for way in ways]), y)
        edge = HALF_EDGE_PX
        seams = rows_of(self.level, high + edge) - rows_of(self.level, high - edge)
        seams += rows_of(self.level, low + edge) - rows_of(self.level, low - edge)
        inside = rows_of(self.front, low) - rows_of(self.front, high) + self.edge_weight * seams
        sides = self.edge_weight * (rows_of(self.side, low) - rows_of(self.side, high))
        found = []
        for i, way in enumerate(ways):
            half = way.across_mm * front.scale(y[i, 0]) / front.mm_per_px / 2
            middles = np.arange(np.ceil(half + 1), WIDE_PX - half - 1, 1.0)
            first, last = middles[0], len(middles)
            gain = columns_of(inside[i], first + half, last) - columns_of(inside[i], first - half, last)
            for side in (first - half, first + half):
                gain += columns_of(sides[i], side + edge, last) - columns_of(sides[i], side - edge, last)
            found.append((gain, front.x_mm(middles, y[i, 0])))
        return found

    def of(self, high: np.ndarray, low: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Evidence for fronts that are rectangles, given by fractional rows and columns that broadcast."""
        edge = HALF_EDGE_PX
        seams = boxed(self.level, high - edge, high + edge, left, right)
        seams += boxed(self.level, low - edge, low + edge, left, right)
        sides = boxed(self.side, high, low, left - edge, left + edge)
        sides += boxed(self.side, high, low, right - edge, right + edge)
        return boxed(self.front, high, low, left, right) + self.edge_weight * (seams + sides)


def area_sums(plane: np.ndarray) -> np.ndarray:
    """(385, 161) sums of everything above and left of a corner."""
    sums = np.zeros((plane.shape[0] + 1, plane.shape[1] + 1))
    np.clip(plane, -SURE, SURE).cumsum(axis=0).cumsum(axis=1, out=sums[1:, 1:])
    return sums


def rows_of(sums: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(…, 161) the sums above fractional rows of any shape; beyond the first and last row theirs."""
    rows = np.maximum(np.minimum(rows, sums.shape[0] - 1.001), 0)
    first = rows.astype(int)
    part = (rows - first)[..., None]
    above = sums.take(first, axis=0)
    rest = sums.take(first + 1, axis=0)
    rest -= above
    rest *= part
    return np.asarray(above + rest)


def columns_of(rows: np.ndarray, first: float, count: int) -> np.ndarray:
    """(n, count) sums left of `count` columns from a fractional one on, of rows (n, 161)."""
    at = int(first)
    part = first - at
    return np.asarray(rows[:, at : at + count] * (1 - part) + rows[:, at + 1 : at + 1 + count] * part)


def heights_of(ways: Sequence[Way], most_mm: float) -> np.ndarray:
    """All heights at which a level can begin, from 0; those closer than HEIGHT_STEP_MM are one."""
    uprights = sorted({way.upright_mm for way in ways})
    found, waiting = [0.0], list(uprights)
    while waiting and waiting[0] <= most_mm:
        height = heappop(waiting)
        if height - found[-1] >= HEIGHT_STEP_MM:
            found.append(height)
            for upright in uprights:
                heappush(waiting, height + upright)
    return np.array(found)


def nearest(heights: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each wanted height is among the heights, -1 where none comes near."""
    after = np.clip(np.searchsorted(heights, wanted), 1, len(heights) - 1)
    found = after - (wanted - heights[after - 1] < heights[after] - wanted)
    return np.where(np.abs(heights[found] - wanted) <= HEIGHT_STEP_MM, found, -1)


def best_build(maps: Maps, front: Front, ways: Sequence[Way], reach_mm: float = np.inf) -> Build:
    """The build that explains the maps best, within `reach_mm` of the space's middle; no pieces where nothing does."""
    evidence = Evidence(maps, reach_mm / front.mm_per_px)
    ways = [way for way in ways if fits(way, front)]
    if not ways:
        return Build((), 0.0, 0.0, left_over(evidence, front, Build((), 0.0, 0.0)))
    build = refined(evidence, front, build_at(evidence, front, ways, 0.0), DEPTHS_MM)
    if build.pieces and abs(build.depth_mm) > ONE_DEPTH_MM:
        again = build_at(evidence, front, ways, build.depth_mm)
        build = max(build, refined(evidence, front, again, NEAR_DEPTHS_MM), key=lambda each: each.evidence)
    return replace(build, left_over=left_over(evidence, front, build))


def fits(way: Way, front: Front) -> bool:
    """Whether a piece is within the crop at any depth: one that lies across may be wider than all of it, and one that
    lies away may reach behind the camera."""
    return bool(0 < way.across_mm * front.scale(DEPTHS_MM[0] - way.front_mm) / front.mm_per_px < WIDE_PX - 3)


def left_over(evidence: Evidence, front: Front, build: Build) -> float:
    """The share of the fronts that are seen which no piece of the build covers."""
    seen, covered = float(evidence.seen[-1, -1]), 0.0
    for piece in build.pieces:
        y = build.depth_mm - piece.way.front_mm
        half = piece.way.across_mm * front.scale(y) / front.mm_per_px / 2
        middle = front.columns(np.array([piece.x_mm]), y)
        high, low = (front.rows(np.array([piece.bottom_mm + up]), y) for up in (piece.way.upright_mm, 0))
        covered += float(boxed(evidence.seen, high, low, middle - half, middle + half)[0])
    return max(0.0, 1 - covered / seen) if seen > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Choice:
    """The best level of one kind at each of n heights: one piece, or two equally high ones side by side.

    gain    (n,) evidence
    ways    of its pieces, from the left; those of a pair differ with the height
    x_mm    (pieces, n) their middles
    """

    gain: np.ndarray
    ways: tuple[tuple[Way, ...], ...]
    x_mm: np.ndarray

    @property
    def upright_mm(self) -> float:
        return self.ways[0][0].upright_mm

    def slots(self, front: Front, depth_mm: float) -> np.ndarray:
        """(5, 2, n) of up to two pieces: left and right column, how far the front stands behind the middle, left and
        right end in mm."""
        found = np.zeros((5, 2, self.x_mm.shape[1]))
        for piece, x_mm in enumerate(self.x_mm):
            fronts = np.array([depth_mm - ways[piece].front_mm for ways in self.ways])
            half = np.array([ways[piece].across_mm / 2 for ways in self.ways])
            found[0, piece] = front.columns(x_mm - half, fronts)
            found[1, piece] = front.columns(x_mm + half, fronts)
            found[2:, piece] = fronts, x_mm - half, x_mm + half
        return found


def build_at(evidence: Evidence, front: Front, ways: Sequence[Way], depth_mm: float) -> Build:
    """The best build whose middle stands `depth_mm` behind the space's."""
    heights = heights_of(ways, (TALL_PX - 2 * BELOW_PX) * front.mm_per_px)
    choices = [
        choice
        for upright in sorted({way.upright_mm for way in ways})
        for choice in choices_of(evidence, front, [w for w in ways if w.upright_mm == upright], heights, depth_mm)
    ]
    below = np.stack([nearest(heights, heights - choice.upright_mm) for choice in choices])
    joints = joints_of(evidence, front, heights, np.stack([c.slots(front, depth_mm) for c in choices], axis=2), below)
    best = np.full((len(choices), len(heights)), -np.inf)
    came = np.full((len(choices), len(heights)), -1)
    gains = np.stack([choice.gain for choice in choices])
    best[:, 0] = gains[:, 0]
    rows = np.arange(len(choices))
    for i in range(1, len(heights)):
        under = np.where(below[:, i] >= 0, best[rows, below[:, i]], -np.inf)
        totals = under[:, None] + joints[:, :, i]
        came[:, i] = totals.argmax(axis=0)
        best[:, i] = totals.max(axis=0) + gains[:, i]
    kind, at_height = (int(v) for v in np.unravel_index(best.argmax(), best.shape))
    evidence_found = float(best[kind, at_height])
    if evidence_found <= 0:
        return Build((), depth_mm, 0.0)
    steps = [(kind, at_height)]
    while at_height > 0:
        kind = int(came[kind, at_height])
        at_height = int(below[kind, at_height])
        steps.append((kind, at_height))
    pieces = [
        Placed(way, float(choices[k].x_mm[piece, i]), float(heights[i]), level)
        for level, (k, i) in enumerate(reversed(steps))
        for piece, way in enumerate(choices[k].ways[i])
    ]
    return Build(tuple(pieces), depth_mm, evidence_found)


def joints_of(
    evidence: Evidence, front: Front, heights: np.ndarray, slots: np.ndarray, below: np.ndarray
) -> np.ndarray:
    """(lower, upper, n) what is counted twice where a level rests on another; -inf where it would not be carried.

    The front that stands nearer hides a strip of the other one, and that one's edge with it.

    slots  (5, 2, choices, n) as `Choice.slots` gives them
    below  (choices, n) at which height the lower level begins
    """
    lows = np.take_along_axis(slots, np.broadcast_to(below, slots.shape), axis=3)
    shape = (below.shape[0], below.shape[0], below.shape[1])
    total, carried, idle = np.zeros(shape), np.zeros(shape, bool), np.zeros(shape, bool)
    for l_left, l_right, l_front, l_from, l_to in lows.transpose(1, 0, 2, 3)[:, :, :, None]:
        top = front.rows(heights, l_front)
        carries = np.zeros(shape, bool)
        for h_left, h_right, h_front, h_from, h_to in slots.transpose(1, 0, 2, 3)[:, :, None]:
            left, right = np.maximum(l_left, h_left), np.minimum(l_right, h_right)
            shared = np.minimum(l_to, h_to) - np.maximum(l_from, h_from) > LEAST_HOLD_MM
            carries |= shared
            foot = front.rows(heights, h_front)
            hidden = shared & (foot > top) & (right > left)
            if not hidden.any():
                continue
            lost = boxed(evidence.front, *(np.broadcast_to(v, shape)[hidden] for v in (top, foot, left, right)))
            edge_row = np.where(h_front < l_front, top, foot)
            around = (edge_row - HALF_EDGE_PX, edge_row + HALF_EDGE_PX, left, right)
            edge = boxed(evidence.level, *(np.broadcast_to(v, shape)[hidden] for v in around))
            clear = np.broadcast_to(foot - top > 2 * HALF_EDGE_PX, shape)[hidden]
            total[hidden] -= lost + np.where(clear, evidence.edge_weight * edge, 0)
        carried |= carries
        idle |= (l_right > l_left) & ~carries
    # what lies beside a stack on the table is a piece that fell, not a part of it
    return np.where(carried & (below >= 0)[:, None] & ~(idle & (below == 0)[:, None]), total, -np.inf)


def boxed(sums: np.ndarray, high: np.ndarray, low: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(n,) sums of n boxes."""
    return corner(sums, low, right) - corner(sums, high, right) - corner(sums, low, left) + corner(sums, high, left)


def corner(sums: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Sums above and left of fractional corners; asked thousands of times a picture, so without numpy's slower ways."""
    row = np.maximum(np.minimum(row, sums.shape[0] - 1.001), 0)
    column = np.maximum(np.minimum(column, sums.shape[1] - 1.001), 0)
    r, c = row.astype(int), column.astype(int)
    down, aside = row - r, column - c
    flat, wide = sums.ravel(), sums.shape[1]
    at = r * wide + c
    here, under = flat.take(at), flat.take(at + wide)
    upper = here + aside * (flat.take(at + 1) - here)
    lower = under + aside * (flat.take(at + wide + 1) - under)
    return np.asarray(upper + down * (lower - upper))


def choices_of(
    evidence: Evidence, front: Front, ways: Sequence[Way], heights: np.ndarray, depth_mm: float
) -> list[Choice]:
    """For equally high ways: each alone, and the best two side by side."""
    found, gains, places = [], [], []
    every = np.arange(len(heights))
    for way, (gain, x_mm) in zip(ways, evidence.along(ways, heights, front, depth_mm), strict=True):
        gains.append(gain - BLOCK_COST)
        places.append(x_mm)
        best = gains[-1].argmax(axis=1)
        found.append(Choice(gains[-1][every, best], ((way,),) * len(heights), x_mm[best][None]))
    grid = np.arange(-WIDE_PX / 2, WIDE_PX / 2) * front.mm_per_px
    left, left_at = [], []  # the best piece that ends left of each grid place, for another to stand beside it
    for way, gain, x_mm in zip(ways, gains, places, strict=True):
        last = np.searchsorted(x_mm + way.across_mm / 2, grid + 0.5, side="right") - 1
        running = np.maximum.accumulate(gain, axis=1)
        left.append(np.where(last >= 0, running[:, np.maximum(last, 0)], -np.inf))
        left_at.append(last)
    lefts = np.stack(left)
    most = lefts.max(axis=0)
    stands = [
        np.clip(np.searchsorted(grid, x_mm - way.across_mm / 2, side="right") - 1, 0, len(grid) - 1)
        for way, x_mm in zip(ways, places, strict=True)
    ]
    pairs = [gain + most[:, stand] for gain, stand in zip(gains, stands, strict=True)]
    tops = np.stack([pair.max(axis=1) for pair in pairs])
    which = tops.argmax(axis=0)
    x_pair, ways_pair = np.zeros((2, len(heights))), []
    for i in every:
        k = int(which[i])
        second = int(pairs[k][i].argmax())
        stand = stands[k][second]
        j = int(lefts[:, i, stand].argmax())
        first = int(gains[j][i, : max(1, left_at[j][stand] + 1)].argmax())
        x_pair[:, i] = places[j][first], places[k][second]
        ways_pair.append((ways[j], ways[k]))
    found.append(Choice(tops.max(axis=0), tuple(ways_pair), x_pair))
    return found


def refined(evidence: Evidence, front: Front, build: Build, about_mm: np.ndarray) -> Build:
    """The same pieces, placed to a quarter of a pixel, at the best of the depths around the build's own."""
    return max(placed(evidence, front, build, build.depth_mm + about_mm), key=lambda each: each.evidence)


def placed(
    evidence: Evidence,
    front: Front,
    build: Build,
    depths_mm: np.ndarray,
    reach_mm: float = NEAR_MM,
    shifts_mm: np.ndarray | float = 0.0,
) -> list[Build]:
    """The pieces of a build where they fit best within `reach_mm` of their places, and the evidence for them there:
    once for each depth (n,), all pieces shifted by as much."""
    if not build.pieces:
        return [Build((), float(depth), 0.0) for depth in depths_mm]
    ways, x_mm, bottoms = zip(*((piece.way, piece.x_mm, piece.bottom_mm) for piece in build.pieces), strict=True)
    y = np.asarray(depths_mm)[:, None] - np.array([way.front_mm for way in ways])  # (n, pieces)
    low = front.rows(np.array(bottoms), y)
    high = front.rows(np.array(bottoms) + np.array([way.upright_mm for way in ways]), y)
    half = np.array([way.across_mm for way in ways]) * front.scale(y) / front.mm_per_px / 2
    offsets = np.arange(-reach_mm, reach_mm + 1e-6, FINE_PX * front.mm_per_px)
    begun = np.array(x_mm) + np.broadcast_to(shifts_mm, len(depths_mm))[:, None]
    middles = front.columns(begun[..., None] + offsets, y[..., None])
    gains = evidence.of(high[..., None], low[..., None], middles - half[..., None], middles + half[..., None])
    best = gains.argmax(axis=2)
    places = begun + offsets[best]
    totals = np.take_along_axis(gains, best[..., None], axis=2).sum(axis=(1, 2)) - BLOCK_COST * len(ways)
    found = []
    for depth, total, at in zip(depths_mm, totals, places, strict=True):
        pieces = tuple(replace(piece, x_mm=float(x)) for piece, x in zip(build.pieces, at, strict=True))
        here = Build(pieces, float(depth), float(total))
        found.append(replace(here, evidence=here.evidence + joint(evidence, front, here)))
    return found


def joint(evidence: Evidence, front: Front, build: Build) -> float:
    """What the pieces of a build count twice, all seams together, as `joints_of` counts it."""
    pairs = [
        (low, high)
        for below, above in pairwise(build.levels)
        for low in below
        for high in above
        if abs(low.x_mm - high.x_mm) < (low.way.across_mm + high.way.across_mm) / 2
    ]
    if not pairs:
        return 0.0
    fronts = np.array([[build.depth_mm - piece.way.front_mm for piece in pair] for pair in pairs]).T
    left = np.max([ends_px(front, [pair[i] for pair in pairs], fronts[i], -1) for i in (0, 1)], axis=0)
    right = np.min([ends_px(front, [pair[i] for pair in pairs], fronts[i], 1) for i in (0, 1)], axis=0)
    seams = np.array([high.bottom_mm for _, high in pairs])
    top, foot = front.rows(seams, fronts[0]), front.rows(seams, fronts[1])
    edge_row = np.where(fronts[1] < fronts[0], top, foot)
    lost = boxed(evidence.front, top, foot, left, right)
    edge = boxed(evidence.level, edge_row - HALF_EDGE_PX, edge_row + HALF_EDGE_PX, left, right)
    lost += np.where(foot - top > 2 * HALF_EDGE_PX, evidence.edge_weight * edge, 0)
    return -float(lost[(foot > top) & (right > left)].sum())


def ends_px(front: Front, pieces: Sequence[Placed], y_mm: np.ndarray, side: int) -> np.ndarray:
    """(n,) columns of the left (-1) or right (1) ends of pieces whose fronts stand at y_mm."""
    ends = np.array([piece.x_mm + side * piece.way.across_mm / 2 for piece in pieces])
    return np.asarray(front.columns(ends, y_mm))
