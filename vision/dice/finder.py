"""Finds dice: a small network looks at the reduced frame several times and says where dice may lie and how large."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot, sqrt
from pathlib import Path

import cv2
import numpy as np

from vision.dice.crops import Pyramid
from vision.models.network import MODELS, load_network

Trace = Callable[[str, np.ndarray], None]

STRIDE = 4  # A cell of the network's map has so many pixels; as trained.
LEVELS = np.arange(256, dtype=np.float32) / 127.5 - 1  # The network gets this for each level of a channel; as trained.
WORK = 1668  # A pixel costs so many multiply-adds.

# The frame is first seen with so many pixels (704 × 396 at 16:9); more finds smaller dice, and costs.
FRAME_PX = 278_700
WIDE = 0.5  # The wide look has this scale against the close one, and finds dice up to half of the frame wide.
FAR = (0.5, 0.25)  # The far looks have these scales against the wide one, and find a die that fills the frame.
LEAST_FAR = 0.4  # What looks smaller from afar is left to the other looks.
SEAM_PX = 48  # The finer look's tiles overlap by more than half of the dice it is for.
TINY_DIE_PX = 9  # Smaller dice in the finer look call for the finest.
SMALL_DIE_PX = 13  # Smaller dice in the first look call for the finer one.
FAINT_DIE_PX = 24  # Where the first look finds none larger, a finer look checks its faint candidates.
HEAT = 0.22  # Less heat of a candidate finds nothing more, and costs a crop each.
LEAST_FAINT_HEAT = 0.1  # Half of the dice that only a finer look finds have that heat at first, and little else has.
MOST_CANDIDATES = 160
OVERLAP = 0.42  # Two candidates closer than this share of their side are one die ...
MOST_UNLIKE = 1.8  # ... unless one is so many times larger.


@dataclass(frozen=True)
class Candidate:
    """A place where a die may lie, in pixels of the frame.

    heat    0..1, how sure the network is of a die there
    """

    cx: float
    cy: float
    w: float
    h: float
    heat: float

    @property
    def side(self) -> float:
        return max(self.w, self.h)


class DiceFinder:
    """The network, loaded once. `multiply_adds` counts its work."""

    def __init__(self, models: Path = MODELS) -> None:
        network = load_network("dice-finder", models)
        self.networks = {
            look: network if network.any_size or look == "wide" else load_network("dice-finder", models)
            for look in ("far", "wide", "close", "detail")
        }
        self.multiply_adds = 0

    def find(self, pyramid: Pyramid, trace: Trace | None = None) -> list[Candidate]:
        """Candidates of all sizes, strongest first, from a wide look, a close one and finer ones if needed."""
        scale = first_scale(pyramid)
        reduced = pyramid.scaled(scale)
        size = (max(1, round(WIDE * side)) for side in reduced.shape[1::-1])
        whole = cv2.resize(reduced, tuple(size), interpolation=cv2.INTER_AREA)
        close = self.scan(reduced, scale, "close", trace, least=LEAST_FAINT_HEAT)
        candidates = [c for c in close if c.heat >= HEAT] + self.scan(whole, WIDE * scale, "wide", trace)
        if scale < 1 / 1.2:
            candidates += self.find_finely(pyramid, scale, candidates, [c for c in close if c.heat < HEAT], trace)
        return keep_strongest(candidates)

    def find_far(self, pyramid: Pyramid, trace: Trace | None = None) -> list[Candidate]:
        """Candidates so large that they fill the frame, strongest first, from looks that cost next to nothing."""
        least_px = LEAST_FAR * min(pyramid.frame_bgr.shape[:2])
        scales = [far * WIDE * first_scale(pyramid) for far in FAR]
        candidates = [c for scale in scales for c in self.scan(pyramid.scaled(scale), scale, "far", trace)]
        return keep_strongest([c for c in candidates if c.side >= least_px])

    def find_finely(
        self, pyramid: Pyramid, scale: float, candidates: list[Candidate], faint: list[Candidate], trace: Trace | None
    ) -> list[Candidate]:
        """Candidates of finer looks.

        The whole frame is searched where dice are small or none were found; otherwise only around faint candidates, and
        only where dice are about as small as the first look can see.
        """
        sides = [candidate.side for candidate in candidates if candidate.heat > 0.3]
        usual_px = float(np.percentile(sides, 25)) * scale if sides else 0.0
        if usual_px >= FAINT_DIE_PX:
            return []
        if usual_px >= SMALL_DIE_PX:
            near = [
                c for c in faint if c.side * scale < FAINT_DIE_PX and not any(same_die(c, die) for die in candidates)
            ]
            return self.scan_finely(pyramid, 2, scale, trace, near) if near else []
        finer = self.scan_finely(pyramid, 2, scale, trace)
        sides = [candidate.side for candidate in finer if candidate.heat > 0.3]
        if scale < 0.5 and sides and np.median(sides) * 2 * scale < TINY_DIE_PX:
            finer += self.scan_finely(pyramid, 3, scale, trace)
        return finer

    def scan_finely(
        self, pyramid: Pyramid, times: int, scale: float, trace: Trace | None, near: list[Candidate] | None = None
    ) -> list[Candidate]:
        """Candidates of a look `times` as fine as the close one, in tiles of its size, so that it needs no more memory.

        near    only tiles that hold one of these are searched; None searches all
        """
        height, width = pyramid.frame_bgr.shape[:2]
        wide, tall = round(width * scale), round(height * scale)
        fine = min(1.0, times * scale, (times * wide - (times - 1) * SEAM_PX) / width)
        enlarged = pyramid.scaled(fine)
        places = None if near is None else [(c.cx * fine, c.cy * fine) for c in near]
        candidates = []
        for top in tile_starts(enlarged.shape[0], tall):
            for left in tile_starts(enlarged.shape[1], wide):
                if places is not None and not any(0 <= x - left < wide and 0 <= y - top < tall for x, y in places):
                    continue
                tile = enlarged[top : top + tall, left : left + wide]
                for c in self.scan(tile, fine, "close", trace):
                    x, y = c.cx * fine, c.cy * fine
                    if in_core(x, left, wide, enlarged.shape[1]) and in_core(y, top, tall, enlarged.shape[0]):
                        candidates.append(replace(c, cx=c.cx + left / fine, cy=c.cy + top / fine))
        return candidates

    def scan(
        self, frame_bgr: np.ndarray, scale: float, look: str, trace: Trace | None = None, least: float = HEAT
    ) -> list[Candidate]:
        """Candidates of one look with at least the heat `least`.

        frame_bgr   (h, w, 3) at `scale` times the whole frame's size
        """
        height, width = frame_bgr.shape[:2]
        padded = cv2.copyMakeBorder(
            frame_bgr, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT, value=(127, 127, 127)
        )
        planes = np.empty((1, 3, *padded.shape[:2]), np.float32)
        for levels, plane in zip(cv2.split(padded), planes[0], strict=True):
            cv2.LUT(levels, LEVELS, plane)
        cells = self.networks[look].run(planes)[0][0]
        self.multiply_adds += WORK * padded.shape[0] * padded.shape[1]
        heat = 1 / (1 + np.exp(-cells[0]))
        if trace:
            trace(f"heat-{look}", (heat * 255).astype(np.uint8))
        peaks = (heat >= least) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.nonzero(peaks)
        _, log_w, log_h, dx, dy = cells[:, rows, columns]
        xs, ys = (columns + 0.5 + dx) * STRIDE, (rows + 0.5 + dy) * STRIDE
        inside = (xs > 0) & (xs < width) & (ys > 0) & (ys < height)
        places = np.stack([xs, ys, 16 * np.exp(log_w), 16 * np.exp(log_h)], axis=1) / scale
        hot = heat[rows, columns]
        hits = zip(places[inside].tolist(), hot[inside].tolist(), strict=True)
        return [Candidate(cx, cy, w, h, heat) for (cx, cy, w, h), heat in hits]


def first_scale(pyramid: Pyramid) -> float:
    """The scale of the close look, which sees the whole frame."""
    return float(min(1.0, (FRAME_PX / (pyramid.frame_bgr.size / 3)) ** 0.5))


def tile_starts(length: int, tile: int) -> list[int]:
    """The first pixel of each tile; tiles overlap by SEAM_PX or more, and the last one ends with the picture."""
    if length <= tile:
        return [0]
    count = -(-(length - SEAM_PX) // max(1, tile - SEAM_PX))
    return [round(i * (length - tile) / (count - 1)) for i in range(count)]


def in_core(at: float, start: int, tile: int, length: int) -> bool:
    """Whether a place in a tile is far enough from its seams; otherwise the neighbouring tile sees it whole."""
    margin = SEAM_PX / 2
    return (at >= margin or start == 0) and (at < tile - margin or start + tile >= length)


def keep_strongest(candidates: list[Candidate]) -> list[Candidate]:
    """The strongest candidate of each place, strongest first: the looks overlap in the sizes they see."""
    ordered = sorted(candidates, key=lambda c: -c.heat)[: 2 * MOST_CANDIDATES]
    xs, ys, sides = np.array([(c.cx, c.cy, c.side) for c in ordered]).reshape(-1, 3).T
    apart = np.hypot(xs[:, None] - xs, ys[:, None] - ys)
    alike = np.maximum(sides[:, None], sides) < MOST_UNLIKE * np.minimum(sides[:, None], sides)
    same = alike & (apart < OVERLAP * np.sqrt(sides[:, None] * sides))
    free = np.ones(len(ordered), bool)
    strongest = []
    for i, candidate in enumerate(ordered):
        if free[i]:
            strongest.append(candidate)
            free &= ~same[i]
    return strongest[:MOST_CANDIDATES]


def same_die(candidate: Candidate, other: Candidate) -> bool:
    """Whether two candidates are one die found twice."""
    apart = hypot(candidate.cx - other.cx, candidate.cy - other.cy)
    small, large = sorted((candidate.side, other.side))
    return apart < OVERLAP * sqrt(small * large) and large < MOST_UNLIKE * small
