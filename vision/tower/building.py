"""Follows a stack while it is built: each still look is explained by what stood there before and what has come.

A finished stack can be explained in several ways; its stages seldom can. So a few courses are kept, each a stack for
every stage, and the one that explains all stages best counts. A block that has come is then placed by its own outline
(`vision.tower.outline`), much more exactly than the network's maps do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from vision.tower.crop import Front
from vision.tower.evidence import Evidence
from vision.tower.fit import (
    BLOCK_COST,
    DEPTHS_MM,
    NEAR_DEPTHS_MM,
    Build,
    Placed,
    SizedWay,
    best_build,
    best_placed,
    fits_crop,
    with_shares,
)
from vision.tower.maps import look_at
from vision.tower.outline import Spot, find_spot, new_edges

KEPT, NEXT = 5, 4  # courses that are kept, and pieces that are tried on top of each
SELDOM = 4000.0  # evidence that two pieces must have to have come at once, or one in place of another
LEAST_LIKELY = 9000.0  # evidence by which a course may lag behind the best one
MOST_LOOKS = 12  # that are averaged
STILL_PX, STILL = 8, 6.0  # side of the squares of a crop that are compared, and how far above the usual a change is
LEAST_CHANGE = 5.0  # levels; a smaller change of a square is none
HOLD_MM, ASIDE_MM = 4.0, 1.0  # a piece overlaps what carries it by this, and what stands beside it by less than that
SAME_MM = 5.0  # a piece that is seen so far from where it was is another one
PUSHED_MM = 1.5  # less between two stages is the maps' noise
MAPPED_MM, OUTLINED_MM = 1.5, 0.5  # standard deviations of places by the maps, and of outlines beside their own
MOST_HOLLOW, MOST_LEFT_OVER = 0.4, 0.3  # as for `Build`: with more an arm is in view
LEAST_SEEN = 1500.0  # evidence of fronts; less is noise on an empty table
ANEW = 900.0  # evidence by which a look is better explained by what did not come step by step
NOTHING = Build((), 0.0, 0.0)


@dataclass(frozen=True)
class Came:
    """A piece of a course: where it stands now, where the maps saw it when it came, and its outline then."""

    piece: Placed
    mapped_mm: float
    spot: Spot | None

    @property
    def x_mm(self) -> float:
        """Its place by its outline, and where it was pushed since."""
        if self.spot is None:
            return self.piece.x_mm
        pushed = self.piece.x_mm - self.mapped_mm
        return self.spot.x_mm + (pushed if abs(pushed) > PUSHED_MM else 0.0)

    @property
    def sigma_mm(self) -> float:
        """The standard deviation of that."""
        return MAPPED_MM if self.spot is None else float(np.hypot(self.spot.sigma_mm, OUTLINED_MM))


@dataclass(frozen=True, eq=False)
class Course:
    """One explanation of all stages: what stands now, and the evidence of all stages together."""

    came: tuple[Came, ...] = ()
    evidence: float = 0.0
    build: Build = NOTHING

    @property
    def kinds(self) -> tuple[tuple[int, SizedWay], ...]:
        """Which pieces stand on which levels."""
        return tuple((came.piece.level, came.piece.way) for came in self.came)

    @property
    def watched(self) -> Build:
        """The build, each piece where its outline was seen."""
        return replace(self.build, pieces=tuple(replace(came.piece, x_mm=came.x_mm) for came in self.came))


@dataclass(frozen=True, eq=False)
class Next:
    """What may stand in a new stage: after which course, and the evidence of this stage alone."""

    after: Course
    build: Build
    evidence: float


class Building:
    """One space, watched from when nothing stood there.

    reach_mm    as for `best_build`
    """

    def __init__(self, front: Front, ways: Sequence[SizedWay], reach_mm: float) -> None:
        self.front = front
        self._reach_mm = reach_mm
        self._ways = [way for way in ways if fits_crop(way, front)]
        self._last: np.ndarray | None = None  # the crop before
        self._sum: np.ndarray | None = None  # of the still crops of this stage
        self._count = 0
        self._explained: np.ndarray | None = None  # the mean crop of the last stage that was
        self._empty: np.ndarray | None = None  # the first stage
        self._courses = [Course()]  # the best first
        self._is_lost = False  # whether the present stage could not be explained

    def look(self, crop: np.ndarray) -> None:
        """Takes one more crop (768, 320, 3) uint8 of the space; it counts if the next one shows the same."""
        before, self._last = self._last, crop
        if before is None or differs(before, crop):
            self._explain_stage()
            self._sum, self._count = None, 0
            return
        if self._sum is None:
            self._sum, self._count = before.astype(np.float32), 1
        if self._count < MOST_LOOKS:
            self._sum += crop
            self._count += 1

    def result(self) -> tuple[Course, float] | None:
        """The best course, and by how much evidence it is better than any of other pieces.

        None when the last crops are not still, or show what no course explains.
        """
        if self._sum is None:
            return None
        self._explain_stage()
        if self._is_lost:
            return None
        best, *others = self._courses
        unlike = [course.evidence for course in others if course.kinds != best.kinds]
        return best, best.evidence - max(unlike, default=-np.inf)

    def _explain_stage(self) -> None:
        """Explains the still crops so far, if they show something else than the last stage."""
        if self._sum is None:
            return
        mean = self._sum / np.float32(self._count)
        if self._explained is not None and not differs(self._explained, mean):
            self._is_lost = False
            return
        if self._empty is None:
            self._empty = mean
        elif not differs(self._empty, mean):  # the stack was taken away
            self._courses, self._explained, self._is_lost = [Course()], mean, False
            return
        maps = look_at([np.clip(mean + 0.5, 0, 255).astype(np.uint8)])[0]
        evidence = Evidence(maps, self._reach_mm / self.front.mm_per_px)
        found = [
            self._placed(evidence, course, pieces)
            for course in self._courses
            for pieces in self._nexts(evidence, course)
        ]
        found = sorted(filter(is_apart, found), key=lambda each: -each.after.evidence - each.evidence)
        if not found:
            self._is_lost = True
            return
        best = with_shares(evidence, self.front, found[0].build)
        left_over = best.left_over if best.left_over * float(evidence.seen[-1, -1]) > LEAST_SEEN else 0.0
        self._is_lost = best.hollow > MOST_HOLLOW or left_over > MOST_LEFT_OVER
        if not self._is_lost:
            fresh = best_build(maps, self.front, self._ways, self._reach_mm)
            self._is_lost = fresh.evidence > found[0].build.evidence + ANEW
            if self._is_lost:
                self._also(evidence, fresh)
        if self._is_lost:
            return
        edges = None if self._explained is None else new_edges(self._explained, mean)
        most = found[0].after.evidence + found[0].evidence
        kept: dict[tuple[object, ...], Course] = {}
        for each in found:
            key = tuple((piece.level, piece.way, round(piece.x_mm / SAME_MM)) for piece in each.build.pieces)
            near = each.after.evidence + each.evidence > most - LEAST_LIKELY
            if near and key not in kept and len(kept) < KEPT:
                kept[key] = self._course(evidence, each, edges)
        self._courses, self._explained = list(kept.values()), mean

    def _also(self, evidence: Evidence, fresh: Build) -> None:
        """Keeps what the present look alone says as one more course, in case a step was missed."""
        best = self._courses[0]
        after = replace(best, evidence=best.evidence - ANEW - fresh.evidence)
        self._courses = [*self._courses[: KEPT - 1], self._course(evidence, Next(after, fresh, fresh.evidence), None)]

    def _placed(self, evidence: Evidence, course: Course, pieces: tuple[Placed, ...]) -> Next:
        """The pieces where they fit best."""
        depths = course.build.depth_mm + NEAR_DEPTHS_MM if course.came else DEPTHS_MM
        build = best_placed(evidence, self.front, Build(pieces, course.build.depth_mm, 0.0), depths)
        is_seldom = len(pieces) > len(course.came) + 1 or is_exchange(course, pieces)
        return Next(course, build, build.evidence - (SELDOM if is_seldom else 0.0))

    def _course(self, evidence: Evidence, found: Next, edges: tuple[np.ndarray, np.ndarray] | None) -> Course:
        """The course with each piece that has come placed by its outline."""
        waiting, came = list(found.after.came), []
        for piece in found.build.pieces:
            was = next((each for each in waiting if is_same(each.piece, piece)), None)
            if was is not None:
                waiting.remove(was)
            if was is not None and was.spot is not None:
                came.append(replace(was, piece=piece))
                continue
            spot = edges and find_spot(edges, self.front, piece.way, piece.bottom_mm, piece.x_mm, found.build.depth_mm)
            came.append(Came(piece, piece.x_mm, spot))
        build = with_shares(evidence, self.front, found.build)
        return Course(tuple(came), found.after.evidence + found.evidence, build)

    def _nexts(self, evidence: Evidence, course: Course) -> list[tuple[Placed, ...]]:
        """What may stand after a course: the same, one less, one more, two more, or another one on top."""
        now = course.build.pieces
        tries = [now]
        tops = [piece for piece in now if not any(carries(piece, other) for other in now)]
        tries += [tuple(other for other in now if other is not top) for top in tops]
        depth = course.build.depth_mm
        ones = self._on_top(evidence, now, depth)
        tries += [(*now, one) for one in ones]
        for one in ones[:2]:
            tries += [(*now, one, two) for two in self._on_top(evidence, (*now, one), depth)[:2]]
        for less in (tuple(other for other in now if other is not top) for top in tops):
            tries += [(*less, one) for one in self._on_top(evidence, less, depth)[:2]]
        return tries

    def _on_top(self, evidence: Evidence, now: tuple[Placed, ...], depth_mm: float) -> list[Placed]:
        """The likeliest pieces that may have come, on a level of their own or beside the topmost piece."""
        front = self.front
        levels = 1 + max((piece.level for piece in now), default=-1)
        top = [piece for piece in now if piece.level == levels - 1]
        below = [piece for piece in now if piece.level == levels - 2]
        places: list[tuple[int, float, list[Placed], tuple[Placed, ...]]]
        places = [(levels, max((p.bottom_mm + p.way.upright_mm for p in top), default=0.0), top, ())]
        if top:
            places.append((levels - 1, top[0].bottom_mm, below, tuple(top)))
        found = []
        for level, bottom, carriers, beside in places:
            ways = [way for way in self._ways if not beside or abs(way.upright_mm - beside[0].way.upright_mm) < 0.5]
            if not ways:
                continue
            y = depth_mm - np.array([[way.front_mm] for way in ways])
            up = np.array([[bottom + way.upright_mm] for way in ways])
            across = np.array([way.across_mm for way in ways])
            half = across * front.scale(y[:, 0]) / front.mm_per_px / 2
            gains = evidence.along(front.rows(up, y), front.rows(np.full_like(up, bottom), y), half)[:, 0]
            for number, way in enumerate(ways):
                x = front.x_mm(np.arange(gains.shape[1]), y[number])
                free = np.ones(len(x), bool)
                if level > 0:
                    free &= np.any([overlaps(x, way, p) > HOLD_MM for p in carriers], axis=0) if carriers else False
                for other in beside:
                    free &= overlaps(x, way, other) < ASIDE_MM
                gain = np.where(free, gains[number], -np.inf)
                at = int(gain.argmax())
                if gain[at] > BLOCK_COST:
                    found.append((float(gain[at]), Placed(way, float(x[at]), bottom, level)))
        return [placed for _gain, placed in sorted(found, key=lambda each: -each[0])[:NEXT]]


def overlaps(x_mm: np.ndarray, way: SizedWay, other: Placed) -> np.ndarray:
    """By how much pieces with their middles at `x_mm` overlap another one."""
    half, half_other = way.across_mm / 2, other.way.across_mm / 2
    return np.minimum(x_mm + half, other.x_mm + half_other) - np.maximum(x_mm - half, other.x_mm - half_other)


def is_exchange(course: Course, pieces: Sequence[Placed]) -> bool:
    """Whether a piece was taken off and another one put in the same stage."""
    return len(pieces) == len(course.came) > 0 and pieces[-1] is not course.build.pieces[-1]


def is_apart(found: Next) -> bool:
    """Whether no piece stands where another one does, as their fits may have moved them."""
    return all(
        float(overlaps(np.array(left.x_mm), left.way, right)) < 2 * ASIDE_MM
        for level in found.build.levels
        for left, right in pairwise(level)
    )


def is_same(one: Placed, other: Placed) -> bool:
    """Whether a piece of one stage may be that of the next, at most pushed a little."""
    return (one.level, one.way) == (other.level, other.way) and abs(one.x_mm - other.x_mm) < SAME_MM


def carries(piece: Placed, other: Placed) -> bool:
    """Whether another piece rests on this one."""
    return other.level == piece.level + 1 and float(overlaps(np.array(other.x_mm), other.way, piece)) > 0


def differs(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two crops of a space show something else, beyond noise and a lamp's change."""
    apart = np.abs(squares(one) - squares(other))
    return bool((apart > max(LEAST_CHANGE, STILL * float(np.median(apart)) * 2)).sum() >= 2)


def squares(crop: np.ndarray) -> np.ndarray:
    """(96, 40, 3) the means of a crop's squares."""
    size = (crop.shape[1] // STILL_PX, crop.shape[0] // STILL_PX)
    return cv2.resize(crop.astype(np.float32), size, interpolation=cv2.INTER_AREA)
