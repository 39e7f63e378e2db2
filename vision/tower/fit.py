"""Finds which blocks stand where: the build that explains the maps of a space best.

Fronts of blocks are upright rectangles in a crop (`vision.tower.crop`). The evidence for one is the sum of the front
map inside it and of the edge maps along its border (`vision.tower.evidence`). Levels are chosen from the table up by
dynamic programming over the height, which weighs every sequence of levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from companion.equipment.deck import EDGES
from vision.tower.crop import BELOW_PX, TALL_PX, WIDE_PX, Front
from vision.tower.evidence import HALF_EDGE_PX, Evidence, box_sums, corner_sums
from vision.tower.maps import Maps

BLOCK_COST = 60.0  # A block must have this evidence: less sees blocks in noise, more misses the thin ones.
DEPTHS_MM = np.arange(-14.0, 14.1, 2)  # People are not exact, so the stack's middle may lie so far behind the space's.
NEAR_DEPTHS_MM = np.arange(-6.0, 6.1, 2)  # They lie around the depth at which a build was found.
ONE_DEPTH_MM = 5.0  # A build that turns out to stand further off than this is searched anew there.
ROUND_FRONT = 0.7  # A cylinder's visible front is nearer than its axis by this share of the radius.
NEAR_MM = 3.0  # A piece's best place is at most so far from where it was found first.
FINE_PX = 0.25  # Places are found this exactly.
MOST_BESIDE = 4  # No more equally high pieces stand side by side in a level.
LEAST_HOLD_MM = -1.5  # A piece rests on another if they overlap by this; it is negative for errors of measurement.
HEIGHT_STEP_MM = 0.7  # Heights closer than this are one.

CYLINDER = "cylinder"


@dataclass(frozen=True)
class SizedWay:
    """A way in which a piece can stand: its name, as in the card deck for a block, and its size in mm."""

    name: str
    across_mm: float
    upright_mm: float
    away_mm: float

    @property
    def front_mm(self) -> float:
        """The distance by which its front is nearer than its middle."""
        return self.away_mm / 2 * (ROUND_FRONT if self.name == CYLINDER else 1.0)


@dataclass(frozen=True)
class Placed:
    """A piece of a build: x of its middle from the space's middle, height of its foot, and its level from 0."""

    way: SizedWay
    x_mm: float
    bottom_mm: float
    level: int


@dataclass(frozen=True)
class Build:
    """The pieces from the bottom up.

    depth_mm    how far they stand behind the space's middle
    evidence    for all pieces together
    left_over   share of the visible fronts that the pieces do not explain
    hollow      largest share of a piece's front where no front is seen
    """

    pieces: tuple[Placed, ...]
    depth_mm: float
    evidence: float
    left_over: float = 0.0
    hollow: float = 0.0

    @property
    def levels(self) -> tuple[tuple[Placed, ...], ...]:
        """The pieces of each level, from the left."""
        count = 1 + max((piece.level for piece in self.pieces), default=-1)
        return tuple(
            tuple(sorted((p for p in self.pieces if p.level == level), key=lambda p: p.x_mm)) for level in range(count)
        )


def ways_of(block_mm: Sequence[float], cylinder_mm: Sequence[float] | None) -> tuple[SizedWay, ...]:
    """All ways in which the pieces of a table can stand."""
    ways = [SizedWay(name.value, *(block_mm[i] for i in edges)) for name, edges in EDGES.items()]
    if cylinder_mm is not None:
        ways.append(SizedWay(CYLINDER, cylinder_mm[0], cylinder_mm[1], cylinder_mm[0]))
    return tuple(ways)


def heights_of(ways: Sequence[SizedWay], most_mm: float) -> np.ndarray:
    """All heights at which a level can begin, from 0; heights closer than HEIGHT_STEP_MM are one."""
    uprights = sorted({way.upright_mm for way in ways})
    heights, queue = [0.0], list(uprights)
    while queue and queue[0] <= most_mm:
        height = heappop(queue)
        if height - heights[-1] >= HEIGHT_STEP_MM:
            heights.append(height)
            for upright in uprights:
                heappush(queue, height + upright)
    return np.array(heights)


def nearest(heights: np.ndarray, heights_wanted: np.ndarray) -> np.ndarray:
    """The index of each wanted height among the heights, -1 where none is near."""
    after = np.clip(np.searchsorted(heights, heights_wanted), 1, len(heights) - 1)
    index = after - (heights_wanted - heights[after - 1] < heights[after] - heights_wanted)
    return np.where(np.abs(heights[index] - heights_wanted) <= HEIGHT_STEP_MM, index, -1)


def best_build(maps: Maps, front: Front, ways: Sequence[SizedWay], reach_mm: float = np.inf) -> Build:
    """The build that explains the maps best within `reach_mm` of the space's middle; without pieces if none does."""
    evidence = Evidence(maps, reach_mm / front.mm_per_px)
    ways = [way for way in ways if fits_crop(way, front)]
    if not ways:
        return with_shares(evidence, front, Build((), 0.0, 0.0))
    build = best_placed(evidence, front, build_at(evidence, front, ways, 0.0), DEPTHS_MM)
    if build.pieces and abs(build.depth_mm) > ONE_DEPTH_MM:
        again = build_at(evidence, front, ways, build.depth_mm)
        again = best_placed(evidence, front, again, build.depth_mm + NEAR_DEPTHS_MM)
        build = max(build, again, key=lambda candidate: candidate.evidence)
    return with_shares(evidence, front, build)


def fits_crop(way: SizedWay, front: Front) -> bool:
    """Whether a piece is narrower than the crop at any depth and does not reach behind the camera."""
    return bool(0 < way.across_mm * front.scale(DEPTHS_MM[0] - way.front_mm) / front.mm_per_px < WIDE_PX - 3)


def with_shares(evidence: Evidence, front: Front, build: Build) -> Build:
    """The build with its shares `left_over` and `hollow`."""
    in_all = float(evidence.seen[-1, -1])
    if not build.pieces:
        return replace(build, left_over=1.0 if in_all > 0 else 0.0)
    high, low, half, y = fronts_px(front, build, np.array([build.depth_mm]))
    middle = front.columns(np.array([piece.x_mm for piece in build.pieces]), y)
    visible, scores = (
        box_sums(sums, high, low, middle - half, middle + half) for sums in (evidence.seen, evidence.front)
    )
    bare = visible - scores  # This speaks against a front.
    left_over = max(0.0, 1 - float(visible.sum()) / in_all) if in_all > 0 else 0.0
    return replace(build, left_over=left_over, hollow=float((bare / np.maximum(visible + bare, 1e-9)).max()))


def fronts_px(
    front: Front, build: Build, depths_mm: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(n, pieces) each: upper row, lower row, half width in px, and distance behind the space's middle in mm.

    depths_mm   (n,) depths of the build
    """
    ways = [piece.way for piece in build.pieces]
    bottoms = np.array([piece.bottom_mm for piece in build.pieces])
    y = depths_mm[:, None] - np.array([way.front_mm for way in ways])
    high = front.rows(bottoms + np.array([way.upright_mm for way in ways]), y)
    half = np.array([way.across_mm for way in ways]) * front.scale(y) / front.mm_per_px / 2
    return high, front.rows(bottoms, y), half, y


@dataclass(frozen=True, eq=False)
class LevelChoice:
    """The best level of one kind at each of n heights: so many equally high pieces side by side.

    gain        (n,) evidence
    upright_mm  height of the level
    kinds       (pieces, n) which of the ways its pieces stand in, from the left
    x_mm        (pieces, n) their middles
    """

    gain: np.ndarray
    upright_mm: float
    kinds: np.ndarray
    x_mm: np.ndarray


def build_at(evidence: Evidence, front: Front, ways: Sequence[SizedWay], depth_mm: float) -> Build:
    """The best build whose middle is `depth_mm` behind the space's."""
    heights = heights_of(ways, (TALL_PX - 2 * BELOW_PX) * front.mm_per_px)
    uprights = sorted({way.upright_mm for way in ways})
    choices = [
        choice for upright in uprights for choice in choices_of(evidence, front, ways, upright, heights, depth_mm)
    ]
    under = dict(zip(uprights, (nearest(heights, heights - upright) for upright in uprights), strict=True))
    below = np.stack([under[choice.upright_mm] for choice in choices])
    joints = joints_of(evidence, front, ways, heights, choices, below, depth_mm)
    best = np.full((len(choices), len(heights) + 1), -np.inf)  # The last column stands for what is below the table.
    lower_choice = np.full((len(choices), len(heights)), -1)
    gains = np.stack([choice.gain for choice in choices])
    best[:, 0] = gains[:, 0]
    rows = np.arange(len(choices))
    for i in range(1, len(heights)):
        totals = best[rows, below[:, i]][:, None] + joints[:, :, i]
        lower_choice[:, i] = totals.argmax(axis=0)
        best[:, i] = totals.max(axis=0) + gains[:, i]
    kind, at_height = (int(v) for v in np.unravel_index(best.argmax(), best.shape))
    evidence_found = float(best[kind, at_height])
    if evidence_found <= 0:
        return Build((), depth_mm, 0.0)
    steps = [(kind, at_height)]
    while at_height > 0:
        kind = int(lower_choice[kind, at_height])
        at_height = int(below[kind, at_height])
        steps.append((kind, at_height))
    pieces = [
        Placed(ways[way], float(x), float(heights[i]), level)
        for level, (k, i) in enumerate(reversed(steps))
        for way, x in zip(choices[k].kinds[:, i], choices[k].x_mm[:, i], strict=True)
    ]
    return Build(tuple(pieces), depth_mm, evidence_found)


def joints_of(
    evidence: Evidence,
    front: Front,
    ways: Sequence[SizedWay],
    heights: np.ndarray,
    choices: Sequence[LevelChoice],
    below: np.ndarray,
    depth_mm: float,
) -> np.ndarray:
    """(lower, upper, n) evidence counted twice where a level rests on another; -inf where it would not be carried.

    below  (choices, n) index of the height at which the lower level begins
    """
    counts = [len(choice.kinds) for choice in choices]
    begins = np.cumsum([0, *counts[:-1]])  # Each choice begins there among all pieces.
    kinds, x_mm = (np.concatenate(part) for part in zip(*((c.kinds, c.x_mm) for c in choices), strict=True))
    half = np.array([way.across_mm / 2 for way in ways])[kinds]
    y = depth_mm - np.array([way.front_mm for way in ways])[kinds]
    ends = np.stack([y, x_mm - half, x_mm + half, front.columns(x_mm - half, y), front.columns(x_mm + half, y)])
    under = np.repeat(below, counts, axis=0)
    lows = np.take_along_axis(ends, under[None], axis=2)
    l_front, l_from, l_to, l_left, l_right = lows[:, :, None]
    h_front, h_from, h_to, h_left, h_right = ends[:, None]
    shared = np.minimum(l_to, h_to) - np.maximum(l_from, h_from) > LEAST_HOLD_MM
    left, right = np.maximum(l_left, h_left), np.minimum(l_right, h_right)
    top, foot = front.rows(heights, l_front), front.rows(heights, h_front)
    hidden = shared & (under >= 0)[:, None] & (foot > top) & (right > left)
    total = np.zeros(hidden.shape)
    total[hidden] = -overlap_of(
        evidence, *(np.broadcast_to(edge, hidden.shape)[hidden] for edge in (top, foot, left, right, h_front < l_front))
    )
    lost = np.add.reduceat(np.add.reduceat(total, begins, axis=0), begins, axis=1)
    carries = np.logical_or.reduceat(shared, begins, axis=1)
    carried = np.logical_or.reduceat(carries, begins, axis=0)
    idle = np.logical_or.reduceat(~carries, begins, axis=0)
    # What lies beside a stack on the table is a piece that fell, not a part of it.
    return np.where(carried & (below >= 0)[:, None] & ~(idle & (below == 0)[:, None]), lost, -np.inf)


def overlap_of(
    evidence: Evidence, top: np.ndarray, foot: np.ndarray, left: np.ndarray, right: np.ndarray, upper_nearer: np.ndarray
) -> np.ndarray:
    """(n,) evidence counted twice by two pieces on each other: the nearer front hides a strip and an edge of the other.

    top, foot     (n,) rows of the seam on the lower and on the upper front; the strip is between them
    upper_nearer  (n,) whether the upper front is the nearer one
    """
    edge = np.where(upper_nearer, top, foot)
    seam = corner_sums(evidence.seam, edge, right) - corner_sums(evidence.seam, edge, left)
    strip = box_sums(evidence.front, top, foot, left, right)
    return np.asarray(strip + np.where(foot - top > 2 * HALF_EDGE_PX, seam, 0))


def choices_of(
    evidence: Evidence, front: Front, ways: Sequence[SizedWay], upright_mm: float, heights: np.ndarray, depth_mm: float
) -> list[LevelChoice]:
    """The best levels of that height: each way alone, and the best two, three and so on side by side."""
    kinds = np.array([kind for kind, way in enumerate(ways) if way.upright_mm == upright_mm])
    across = np.array([[ways[kind].across_mm] for kind in kinds])
    y = depth_mm - np.array([[ways[kind].front_mm] for kind in kinds])
    half = across * front.scale(y) / front.mm_per_px / 2
    alone = evidence.along(front.rows(heights + upright_mm, y), front.rows(heights, y), half[:, 0]) - BLOCK_COST
    x_mm = front.x_mm(np.arange(WIDE_PX), y)  # (kinds, places), as all that follows
    grid = np.arange(-WIDE_PX / 2, WIDE_PX / 2) * front.mm_per_px
    ends = np.array([np.searchsorted(row, grid + 0.5, side="right") - 1 for row in x_mm + across / 2])
    stands = np.clip(np.searchsorted(grid, x_mm - across / 2, side="right") - 1, 0, WIDE_PX - 1)
    every, best = np.arange(len(heights)), alone.argmax(axis=2)
    choices = [
        LevelChoice(gains[every, at], upright_mm, np.full((1, len(heights)), kind), places[at][None])
        for kind, gains, at, places in zip(kinds, alone, best, x_mm, strict=True)
    ]
    rows, clears = [alone], []
    for _count in range(2, MOST_BESIDE + 1):
        running = np.maximum.accumulate(rows[-1], axis=2)
        clears.append(np.stack([run[:, np.maximum(end, 0)] for run, end in zip(running, ends, strict=True)]))
        most = clears[-1].max(axis=0)
        rows.append(alone + np.stack([most[:, stand] for stand in stands]))
        gain, which, at = best_row(rows, clears, ends, stands)
        if not (gain > np.max([choice.gain for choice in choices], axis=0)).any():
            break  # More say less at every height.
        choices.append(LevelChoice(gain, upright_mm, kinds[which], x_mm[which, at]))
    return choices


def best_row(
    rows: Sequence[np.ndarray], clears: Sequence[np.ndarray], ends: np.ndarray, stands: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best pieces side by side at each of n heights: evidence (n,), kinds and places (pieces, n) from the left.

    rows    for one, two, … pieces (kinds, n, places): the best with the last piece of that kind at that place
    clears  for one, two, … pieces (kinds, n, grid): the best that ends left of a grid place
    ends    (kinds, grid) the last place of a piece that ends there
    stands  (kinds, places) the grid place at which such a piece begins
    """
    every, places = np.arange(rows[0].shape[1]), np.arange(rows[0].shape[2])
    kind = rows[-1].max(axis=2).argmax(axis=0)
    at = rows[-1][kind, every].argmax(axis=1)
    gain, which, where = rows[-1][kind, every, at], [kind], [at]
    for row, clear in zip(reversed(rows[:-1]), reversed(clears), strict=True):
        stand = stands[kind, at]
        kind = clear[:, every, stand].argmax(axis=0)
        free = places <= ends[kind, stand][:, None]
        at = np.where(free, row[kind, every], -np.inf).argmax(axis=1)
        which.insert(0, kind)
        where.insert(0, at)
    return gain, np.stack(which), np.stack(where)


def best_placed(
    evidence: Evidence, front: Front, build: Build, depths_mm: np.ndarray, reach_mm: float = NEAR_MM
) -> Build:
    """The same pieces where they fit best, exact to a quarter of a pixel, at the best of the depths."""
    if not build.pieces:
        return build
    gains, places = place_pieces(evidence, front, build, depths_mm, reach_mm)
    best = int(gains.argmax())
    pieces = tuple(replace(piece, x_mm=float(x)) for piece, x in zip(build.pieces, places[best], strict=True))
    return Build(pieces, float(depths_mm[best]), float(gains[best]))


def place_pieces(
    evidence: Evidence,
    front: Front,
    build: Build,
    depths_mm: np.ndarray,
    reach_mm: float = NEAR_MM,
    shifts_mm: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """The evidence (n,) for a build's pieces in their best places at each depth (n,), and these places in mm.

    The places (n, pieces) are at most `reach_mm` from where the pieces were, after all were shifted by `shifts_mm`. The
    build has at least one piece.
    """
    high, low, half, y = fronts_px(front, build, depths_mm)
    offsets = np.arange(-reach_mm, reach_mm + 1e-6, FINE_PX * front.mm_per_px)
    begun = np.array([piece.x_mm for piece in build.pieces]) + np.broadcast_to(shifts_mm, len(depths_mm))[:, None]
    middles = front.columns(begun[..., None] + offsets, y[..., None])
    gains = evidence.of(high[..., None], low[..., None], middles - half[..., None], middles + half[..., None])
    best = best_apart(gains, build, offsets)
    places = begun + offsets[best]
    totals = np.take_along_axis(gains, best[..., None], axis=2)[..., 0].sum(axis=1) - BLOCK_COST * len(build.pieces)
    return totals - counted_twice(evidence, front, build, y, places), places


def best_apart(gains: np.ndarray, build: Build, offsets_mm: np.ndarray) -> np.ndarray:
    """(n, pieces) the best offset of each piece, by its index: those on one level lie beside each other.

    gains   (n, pieces, offsets)
    """
    best = gains.argmax(axis=2)
    for level in build.levels:
        row = [build.pieces.index(piece) for piece in level]
        total, before = gains[:, row[0]], []
        for left, right in pairwise(level):
            room_mm = right.x_mm - left.x_mm - (left.way.across_mm + right.way.across_mm) / 2 - LEAST_HOLD_MM
            last = (
                np.searchsorted(offsets_mm, offsets_mm + room_mm, side="right") - 1
            )  # so far right may the left one lie
            highest = np.maximum.accumulate(total, axis=1)
            at = np.maximum.accumulate(np.where(total == highest, np.arange(len(offsets_mm)), 0), axis=1)
            before.append(at[:, last])
            total = np.where(last < 0, -np.inf, highest[:, last] + gains[:, build.pieces.index(right)])
        chosen = total.argmax(axis=1)
        for number, reached in zip(reversed(row[1:]), reversed(before), strict=True):
            best[:, number] = chosen
            chosen = np.take_along_axis(reached, chosen[:, None], axis=1)[:, 0]
        best[:, row[0]] = chosen
    return best


def counted_twice(evidence: Evidence, front: Front, build: Build, y_mm: np.ndarray, x_mm: np.ndarray) -> np.ndarray:
    """(n,) evidence that the pieces of a build count twice at all seams, see `joints_of`.

    y_mm, x_mm  (n, pieces) of their fronts and middles
    """
    pieces = list(enumerate(build.pieces))
    pairs = [(i, j) for i, low in pieces for j, high in pieces if high.level == low.level + 1]
    if not pairs:
        return np.zeros(len(x_mm))
    below, above = np.array(pairs).T
    half = np.array([piece.way.across_mm / 2 for piece in build.pieces])
    left, right = front.columns(x_mm - half, y_mm), front.columns(x_mm + half, y_mm)
    left, right = np.maximum(left[:, below], left[:, above]), np.minimum(right[:, below], right[:, above])
    seams = np.array([build.pieces[j].bottom_mm for j in above])
    top, foot = front.rows(seams, y_mm[:, below]), front.rows(seams, y_mm[:, above])
    lost = overlap_of(evidence, top, foot, left, right, y_mm[:, above] < y_mm[:, below])
    touching = np.abs(x_mm[:, below] - x_mm[:, above]) < half[below] + half[above]
    return np.where(touching & (foot > top) & (right > left), lost, 0).sum(axis=1)
