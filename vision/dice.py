"""Reads six-sided pip dice: find_dice → cut → classify → count_pips → accept or ask.

A small network finds dice on a reduced frame, a second one reads each at full resolution, twice: as found, and turned
upright and centred on the top face. Counting pips on that upright face is a cue of its own. What the three do not
agree on is asked, never guessed. Networks, limits and figures: vision/models/README.md.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from math import atan2, degrees, floor, hypot, log2, sqrt
from pathlib import Path

import cv2
import numpy as np

from companion.readings import Box, DiceReading, DieReading
from vision.colour import body_bgr, name_colours, paints
from vision.markers import without_markers
from vision.network import MODELS, load_network
from vision.scene import Scene

Trace = Callable[[str, np.ndarray], None]


STRIDE = 4  # pixels a cell of the finder's map; as trained
LEVELS = np.arange(256, dtype=np.float32) / 127.5 - 1  # what the finder sees of a channel's levels; as trained
CROP_PX = 40  # side of a crop; as trained
CONTEXT = 1.35  # side of a crop in sides of the die's box; as trained
CROPS_AT_ONCE = 16  # more cost memory and, as caches overflow, time
UPRIGHT_CONTEXT = 1.55  # side of the second crop in sides of the top face; as trained
NO_DIE, UNREADABLE = 0, 7  # classes beside the values 1..6

FINDER_WORK = 1668  # multiply-adds a pixel
READER_WORK = 11_463_648  # multiply-adds a crop

FRAME_PX = 278_700  # pixels of the frame the finder sees first (704 × 396 at 16:9); more finds smaller dice, and costs
WIDE = 0.5  # scale of the wide look against the close one: for dice up to half of the frame
SEAM_PX = 48  # tiles of the finer look overlap so far: more than half of the dice it is for
TINY_DIE_PX = 9  # dice smaller than this in the finer look call for the finest
SMALL_DIE_PX = 13  # dice smaller than this in the first look call for the finer one
HEAT = 0.22  # least heat of a candidate; less finds nothing more, and costs a crop each
MOST_CANDIDATES = 160
OVERLAP = 0.42  # two candidates closer than this share of their side are one die
MOST_UNLIKE = 1.8  # unless one is so many times larger


LEAST_SURE = 3  # surely read dice that say how large dice are here; a closer look at doubtful places needs that
CLOSER_LOOKS = 3  # at most, in a frame
DETAIL_PX, DETAIL_DIE_PX = 192, 56  # side of what a closer look shows, and of the usual die in it
MERGED = 1.22  # times the usual side: as large may be two dice that touch
SURELY_NONE = 0.97  # a candidate that the first look calls no die so surely is not looked at again
SURELY_NONE_FAINT = 0.8  # the same of a faint one: it had to be read as a die very surely to become one
SURELY_READ = 0.97  # a face that it reads so surely is not either, when its pips say the same
SURELY_READ_ALONE = 0.99  # the same where no pips stand out
FURTHER_LOOKS = 3  # at a die that two looks leave in doubt
FURTHER_DICE = 3  # so many dice of a frame get them, the likeliest first; more would cost more than they settle
FAINT_HEAT, SURE_OF_FAINT = 0.38, 0.95  # found so faintly, a die must be read as one so surely, and is asked
SURE_HEAT = 0.6  # so hot that only a surely rejecting face reader can drop it
SURE_OF_DIE = 0.7  # what the face reader takes less surely for a die, and the finder not surely, gets no value
FACES_APART = 0.6  # sides: top faces that lie closer are one; of the dice of all photographs none are closer than 0.74
SIZE_RANGE = 2.2  # dice of one table are at most this many times larger than their median, as seen


@dataclass(frozen=True)
class Candidate:
    """A place where a die may lie, pixels of the frame."""

    cx: float
    cy: float
    w: float
    h: float
    heat: float

    @property
    def side(self) -> float:
        return max(self.w, self.h)


@dataclass(frozen=True)
class Look:
    """What the face reader makes of one crop.

    scores  (8,) no die, 1..6, unreadable: before the softmax
    face    the top face in the frame: cx, cy, side in pixels and its turn in degrees, -45..45
    """

    scores: np.ndarray
    face: tuple[float, float, float, float]


@dataclass(frozen=True)
class Calibration:
    """How scores become probabilities, and how sure is sure; written by vision.training.calibrate.

    temperature     divides the scores
    accept          least probability to accept a value that the pip count confirms
    accept_alone    the same when the pip count says nothing or something else
    heat            least heat of an accepted die
    """

    temperature: float
    accept: float
    accept_alone: float
    heat: float


@dataclass(frozen=True)
class Sight:
    """A candidate with everything known about it.

    chances   (8,) calibrated probabilities of no die, 1..6, unreadable
    agreed    the looks name the same value
    pips      pips counted on the upright face, None where they cannot be told from the body
    upright   (PIP_CROP_PX, PIP_CROP_PX, 3) the top face turned upright, None where no die is seen
    """

    candidate: Candidate
    face: tuple[float, float, float, float]
    chances: np.ndarray
    agreed: bool
    pips: int | None
    upright: np.ndarray | None = field(default=None, compare=False)
    odd_size: bool = False

    @property
    def is_die(self) -> bool:
        """Both networks have a say: a faint find must be read surely, a hot one surely rejected."""
        word = 1 - float(self.chances[NO_DIE])
        if self.candidate.heat < FAINT_HEAT:
            return word > SURE_OF_FAINT
        return word > (0.2 if self.candidate.heat > SURE_HEAT else 0.5)

    @property
    def is_sure_die(self) -> bool:
        return self.is_die and float(self.chances[1:7].max()) > 0.9

    @property
    def readable(self) -> bool:
        surely_one = self.candidate.heat > SURE_HEAT or 1 - float(self.chances[NO_DIE]) > SURE_OF_DIE
        return self.upright is not None and surely_one and float(self.chances[1:7].sum()) > 0.5

    @property
    def value(self) -> int:
        return int(self.chances[1:7].argmax()) + 1


class Pyramid:
    """A frame and its halvings, made when first needed: large dice are cut from a smaller one, without aliases."""

    def __init__(self, frame_bgr: np.ndarray) -> None:
        self.levels = [frame_bgr]

    def halved(self, times: int) -> np.ndarray:
        while len(self.levels) <= times:
            height, width = self.levels[-1].shape[:2]
            even = self.levels[-1][: height & ~1, : width & ~1]  # so that pixels halve exactly
            self.levels.append(cv2.resize(even, (width // 2, height // 2), interpolation=cv2.INTER_AREA))
        return self.levels[times]


class DiceReader:
    """Both networks, loaded once. One thread at a time: OpenCV's networks keep their working memory."""

    def __init__(self, models: Path = MODELS) -> None:
        # One network a look: changing the size of the input makes OpenCV plan its memory anew.
        self.finders = {look: load_network("dice-finder", models) for look in ("wide", "close", "detail")}
        self.face_reader = load_network("dice-reader", models)
        self.calibration = Calibration(**json.loads((models / "dice.json").read_text()))
        self.reads, self.multiply_adds = 0, 0

    def read(self, frame_bgr: np.ndarray, scene: Scene | None = None, trace: Trace | None = None) -> DiceReading:
        """All dice of a frame (h, w, 3) uint8."""
        frame_bgr = without_markers(frame_bgr, scene.markers) if scene else frame_bgr
        height, width = frame_bgr.shape[:2]
        sights = one_size(one_a_face(drop_inner([sight for sight in self.sights(frame_bgr, trace) if sight.is_die])))
        read = [sight for sight in sights if sight.readable]
        bodies = [body_bgr(sight.upright, 1 / UPRIGHT_CONTEXT) for sight in read if sight.upright is not None]
        colours = name_colours(bodies, paints(scene.colour_rgb, scene.colours) if scene else None)
        times = scene.strictness if scene else 1.0
        dice = tuple(
            reading_of(sight, colour, body, self.calibration, times)
            for sight, colour, body in zip(read, colours, bodies, strict=True)
        )
        unread = tuple(box_of(sight.candidate) for sight in sights if not sight.readable)
        return DiceReading(width, height, dice, unread)

    def sights(self, frame_bgr: np.ndarray, trace: Trace | None = None) -> list[Sight]:
        """Every candidate with all that is known about it, also those that are no dice."""
        self.reads += 1
        pyramid = Pyramid(frame_bgr)
        sights = self.judged(pyramid, self.find_dice(frame_bgr, trace))
        sides = [sight.candidate.side for sight in sights if sight.is_sure_die]
        if len(sides) < LEAST_SURE:
            return sights
        usual = float(np.median(sides))
        for doubt in [sight for sight in sights if may_hide_dice(sight, usual)][:CLOSER_LOOKS]:
            sights = parted(sights, doubt, self.judged(pyramid, self.look_closer(pyramid, doubt.candidate, usual)))
        return sights

    def look_closer(self, pyramid: Pyramid, place: Candidate, usual: float) -> list[Candidate]:
        """Candidates around a place, seen so large that dice which touch come apart."""
        side = usual * DETAIL_PX / DETAIL_DIE_PX
        scale = DETAIL_PX / side
        shown = cut(pyramid, crop_frame(place.cx, place.cy, side, 0.0), DETAIL_PX)
        left, top = place.cx - side / 2, place.cy - side / 2
        found = [replace(c, cx=c.cx + left, cy=c.cy + top) for c in self.scan(shown, scale, "detail", None)]
        return strongest([c for c in found if max(abs(c.cx - place.cx), abs(c.cy - place.cy)) < 0.3 * side])

    def judged(self, pyramid: Pyramid, candidates: list[Candidate]) -> list[Sight]:
        """What both networks and the pips say of each candidate."""
        looks = self.look(pyramid, candidates)
        first = [softmax_of(look, self.calibration) for look in looks]
        upright = [
            cut(pyramid, upright_frame(look), PIP_CROP_PX) if chances[NO_DIE] < SURELY_NONE else None
            for look, chances in zip(looks, first, strict=True)
        ]
        pips = [None if crop is None else count_pips(crop) for crop in upright]
        again = [i for i, c in enumerate(candidates) if needs_second_look(c, first[i], pips[i])]
        votes = [[look] for look in looks]
        for i, second in zip(again, self.classify(pyramid, [upright_frame(looks[i]) for i in again]), strict=True):
            votes[i].append(second)
        doubtful = most_doubtful({i: votes[i] for i in again}, self.calibration)
        frames = [frame for i in doubtful for frame in further_frames(candidates[i], looks[i])]
        further = self.classify(pyramid, frames)
        for place, i in enumerate(doubtful):
            votes[i] += further[place * FURTHER_LOOKS : (place + 1) * FURTHER_LOOKS]
        return [
            joined(candidate, votes[i], pips[i], upright[i], self.calibration) for i, candidate in enumerate(candidates)
        ]

    def find_dice(self, frame_bgr: np.ndarray, trace: Trace | None = None) -> list[Candidate]:
        """Candidates of all sizes, strongest first: a wide look for large dice, a close one, a fine one if needed."""
        height, width = frame_bgr.shape[:2]
        scale = min(1.0, (FRAME_PX / (width * height)) ** 0.5)
        reduced = resized(frame_bgr, scale)
        whole = resized(resized(reduced, 0.5), 2 * WIDE)
        found = self.scan(reduced, scale, "close", trace) + self.scan(whole, WIDE * scale, "wide", trace)
        sides = [candidate.side for candidate in found if candidate.heat > 0.3]
        if scale < 1 / 1.2 and (not sides or np.percentile(sides, 25) * scale < SMALL_DIE_PX):
            finer = self.scan_finely(frame_bgr, 2, scale, trace)
            sides = [candidate.side for candidate in finer if candidate.heat > 0.3]
            if scale < 0.5 and sides and np.median(sides) * 2 * scale < TINY_DIE_PX:
                finer += self.scan_finely(frame_bgr, 3, scale, trace)
            found += finer
        return strongest(found)

    def scan_finely(self, frame_bgr: np.ndarray, times: int, scale: float, trace: Trace | None) -> list[Candidate]:
        """A look `times` as fine as the close one, in tiles of its size, so that it needs no more memory."""
        height, width = frame_bgr.shape[:2]
        wide, tall = round(width * scale), round(height * scale)
        fine = min(1.0, times * scale, (times * wide - (times - 1) * SEAM_PX) / width)
        enlarged = resized(frame_bgr, fine)
        found = []
        for top in tile_starts(enlarged.shape[0], tall):
            for left in tile_starts(enlarged.shape[1], wide):
                tile = enlarged[top : top + tall, left : left + wide]
                for c in self.scan(tile, fine, "close", trace):
                    x, y = c.cx * fine, c.cy * fine
                    if in_core(x, left, wide, enlarged.shape[1]) and in_core(y, top, tall, enlarged.shape[0]):
                        found.append(replace(c, cx=c.cx + left / fine, cy=c.cy + top / fine))
        return found

    def scan(self, frame_bgr: np.ndarray, scale: float, look: str, trace: Trace | None) -> list[Candidate]:
        """Candidates of one look at a frame that is `scale` times the whole one."""
        height, width = frame_bgr.shape[:2]
        padded = cv2.copyMakeBorder(
            frame_bgr, 0, -height % 32, 0, -width % 32, cv2.BORDER_CONSTANT, value=(127, 127, 127)
        )
        cells = self.finders[look].run(np.stack([cv2.LUT(plane, LEVELS) for plane in cv2.split(padded)])[None])[0][0]
        self.multiply_adds += FINDER_WORK * padded.shape[0] * padded.shape[1]
        heat = 1 / (1 + np.exp(-cells[0]))
        if trace:
            trace(f"heat-{look}", (heat * 255).astype(np.uint8))
        peaks = (heat >= HEAT) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8)))
        rows, columns = np.nonzero(peaks)
        _, log_w, log_h, dx, dy = cells[:, rows, columns]
        xs, ys = (columns + 0.5 + dx) * STRIDE, (rows + 0.5 + dy) * STRIDE
        inside = (xs > 0) & (xs < width) & (ys > 0) & (ys < height)
        table = np.stack([xs / scale, ys / scale, 16 * np.exp(log_w) / scale, 16 * np.exp(log_h) / scale], axis=1)
        return [
            Candidate(*(float(v) for v in row), float(h))
            for row, h in zip(table[inside], heat[rows, columns][inside], strict=True)
        ]

    def look(self, pyramid: Pyramid, candidates: list[Candidate]) -> list[Look]:
        """Reads each candidate as found."""
        frames = [crop_frame(c.cx, c.cy, CONTEXT * c.side, 0.0) for c in candidates]
        return self.classify(pyramid, frames)

    def classify(self, pyramid: Pyramid, matrices: list[np.ndarray]) -> list[Look]:
        """What the face reader makes of each crop; many at once would overflow the processor's cache."""
        looks = []
        for start in range(0, len(matrices), CROPS_AT_ONCE):
            chosen = matrices[start : start + CROPS_AT_ONCE]
            crops = normalised(np.stack([cut(pyramid, matrix, CROP_PX) for matrix in chosen]))
            self.multiply_adds += READER_WORK * len(chosen)
            outputs = self.face_reader.run(crops)[0].reshape(len(chosen), -1)
            looks += [Look(out[:8], face_in_frame(out[8:], at)) for out, at in zip(outputs, chosen, strict=True)]
        return looks


def tile_starts(length: int, tile: int) -> list[int]:
    """Where tiles that overlap by SEAM_PX at least begin, the last one flush with the end."""
    if length <= tile:
        return [0]
    count = -(-(length - SEAM_PX) // max(1, tile - SEAM_PX))
    return [round(i * (length - tile) / (count - 1)) for i in range(count)]


def in_core(at: float, start: int, tile: int, length: int) -> bool:
    """Whether a place in a tile is far enough from the seams; its neighbour sees it whole otherwise."""
    margin = SEAM_PX / 2
    return (at >= margin or start == 0) and (at < tile - margin or start + tile >= length)


@cache
def default_reader() -> DiceReader:
    return DiceReader()


def read_dice(frame_bgr: np.ndarray, scene: Scene | None = None, trace: Trace | None = None) -> DiceReading:
    """All dice of a frame (h, w, 3) uint8, read with the networks in vision/models."""
    return default_reader().read(frame_bgr, scene, trace)


def resized(frame: np.ndarray, scale: float) -> np.ndarray:
    if scale == 1:
        return frame
    height, width = frame.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return cv2.resize(frame, size, interpolation=cv2.INTER_AREA if scale <= 0.5 else cv2.INTER_LINEAR)


def strongest(found: list[Candidate]) -> list[Candidate]:
    """One candidate a place: the looks overlap in the sizes they see."""
    ordered = sorted(found, key=lambda c: -c.heat)[: 2 * MOST_CANDIDATES]
    xs, ys, sides = np.array([(c.cx, c.cy, c.side) for c in ordered]).reshape(-1, 3).T
    free = np.ones(len(ordered), bool)
    kept = []
    for i, candidate in enumerate(ordered):
        if free[i]:
            kept.append(candidate)
            apart = np.hypot(xs - candidate.cx, ys - candidate.cy)
            alike = np.maximum(sides, candidate.side) < MOST_UNLIKE * np.minimum(sides, candidate.side)
            free &= ~(alike & (apart < OVERLAP * np.sqrt(sides * candidate.side)))
    return kept[:MOST_CANDIDATES]


def same_die(one: Candidate, other: Candidate) -> bool:
    apart = hypot(one.cx - other.cx, one.cy - other.cy)
    small, large = sorted((one.side, other.side))
    return apart < OVERLAP * sqrt(small * large) and large < MOST_UNLIKE * small


def crop_frame(cx: float, cy: float, side: float, turn_deg: float) -> np.ndarray:
    """(2, 3) matrix from the frame to a crop around (cx, cy), what is turned by `turn_deg` upright in it."""
    matrix = cv2.getRotationMatrix2D((cx, cy), turn_deg, CROP_PX / max(side, 4.0))
    matrix[:, 2] += CROP_PX / 2 - np.array([cx, cy])
    return matrix


def cut(pyramid: Pyramid, matrix: np.ndarray, size_px: int) -> np.ndarray:
    """The crop (size, size, 3); `matrix` is made for CROP_PX."""
    zoom = size_px / CROP_PX
    scale = hypot(matrix[0, 0], matrix[0, 1]) * zoom
    height, width = pyramid.levels[0].shape[:2]
    times = max(0, min(floor(-log2(scale)), min(height, width).bit_length() - 5))
    local = matrix * zoom
    local[:, 2] += local[:, :2] @ np.full(2, (2**times - 1) / 2)  # centre of a pixel of the halved frame
    local[:, :2] *= 2**times
    return cv2.warpAffine(pyramid.halved(times), local, (size_px, size_px), borderMode=cv2.BORDER_REPLICATE)


def normalised(crops: np.ndarray) -> np.ndarray:
    """(n, 40, 40, 3) uint8 → (n, 3, 40, 40) float, each of mean 0 and deviation 1: light and exposure drop out."""
    planes = crops.astype(np.float32).transpose(0, 3, 1, 2)
    middle = planes.mean(axis=(1, 2, 3), keepdims=True)
    spread = planes.std(axis=(1, 2, 3), keepdims=True) + 4
    return np.ascontiguousarray((planes - middle) / spread)


def face_in_frame(pose: np.ndarray, matrix: np.ndarray) -> tuple[float, float, float, float]:
    """Centre, side and turn of the top face in the frame from the network's pose in the crop."""
    x, y, side, cos4, sin4 = pose.tolist()
    (along, across, shift_x), (_, _, shift_y) = matrix.tolist()
    zoom = hypot(along, across)
    at_x = (min(0.4, max(-0.4, x)) + 0.5) * CROP_PX - shift_x
    at_y = (min(0.4, max(-0.4, y)) + 0.5) * CROP_PX - shift_y
    turn = degrees(atan2(sin4, cos4)) / 4 + degrees(atan2(across, along))
    side_px = min(0.9, max(0.3, side)) * CROP_PX / zoom
    cx, cy = (along * at_x - across * at_y) / zoom**2, (across * at_x + along * at_y) / zoom**2
    return cx, cy, side_px, (turn + 45) % 90 - 45


def needs_second_look(candidate: Candidate, chances: np.ndarray, pips: int | None) -> bool:
    """Whether the first look and the pips leave anything open; a second look costs as much as the first."""
    likeliest = int(chances.argmax())
    if likeliest == NO_DIE:
        return float(chances[NO_DIE]) < (SURELY_NONE if candidate.heat >= FAINT_HEAT else SURELY_NONE_FAINT)
    if pips is None:
        return float(chances[likeliest]) < SURELY_READ_ALONE
    return likeliest != pips or float(chances[likeliest]) < SURELY_READ


def most_doubtful(votes: dict[int, list[Look]], calibration: Calibration) -> list[int]:
    """Which dice to look at further, at most FURTHER_DICE: those likely to be dice whose value two looks leave open."""
    doubts = {}
    for i, looks in votes.items():
        chances = mean_chances(looks, calibration)
        split = len({int(look.scores.argmax()) for look in looks}) > 1
        if float(chances[1:7].sum()) > 0.3 and (split or float(chances.max()) < SURELY_READ):
            doubts[i] = float(chances[1:7].max())
    return sorted(sorted(doubts, key=lambda i: -doubts[i])[:FURTHER_DICE])


def further_frames(candidate: Candidate, look: Look) -> list[np.ndarray]:
    """Frames of more looks at a doubtful die: each shows the same face otherwise."""
    cx, cy, side, turn_deg = look.face
    return [
        crop_frame(cx, cy, UPRIGHT_CONTEXT * side * 0.92, turn_deg + 90),
        mirrored(crop_frame(cx, cy, UPRIGHT_CONTEXT * side * 1.08, turn_deg)),
        mirrored(crop_frame(candidate.cx, candidate.cy, CONTEXT * candidate.side, 0.0)),
    ]


def mirrored(matrix: np.ndarray) -> np.ndarray:
    return np.array([[-1.0, 0, CROP_PX - 1], [0, 1.0, 0]]) @ np.vstack([matrix, [0, 0, 1]])


def joined(
    candidate: Candidate, votes: list[Look], pips: int | None, upright: np.ndarray | None, calibration: Calibration
) -> Sight:
    """What all looks say together; most must name the value that their mean names."""
    chances = mean_chances(votes, calibration)
    alike = sum(int(vote.scores.argmax()) == int(chances.argmax()) for vote in votes)
    return Sight(candidate, votes[0].face, chances, alike > 0.7 * len(votes), pips, upright)


def mean_chances(votes: list[Look], calibration: Calibration) -> np.ndarray:
    return softmax(sum(vote.scores for vote in votes) / (len(votes) * calibration.temperature))


def softmax_of(look: Look, calibration: Calibration) -> np.ndarray:
    return softmax(look.scores / calibration.temperature)


def upright_frame(look: Look) -> np.ndarray:
    """The crop centred on the top face and turned upright with it."""
    cx, cy, side, turn_deg = look.face
    return crop_frame(cx, cy, UPRIGHT_CONTEXT * side, turn_deg)


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


PIP_CROP_PX = 56
PIP_CONTRAST = 30  # of 255, pips against the body; less is the body's own shading
PIP_AREA = (0.006, 0.16)  # shares of the face; fainter specks are noise, larger ones glare or print
PIP_FILL = 0.55  # least share of its bounding box that a pip fills; a disc fills 0.79, a tiny one less


def count_pips(upright_bgr: np.ndarray) -> int | None:
    """Pips on an upright face that spans 1/UPRIGHT_CONTEXT of the crop; None when none stand out clearly."""
    size = upright_bgr.shape[0]
    half = size / UPRIGHT_CONTEXT / 2
    low, high = int(size / 2 - half * 0.9), int(size / 2 + half * 0.9)
    face = upright_bgr[low:high, low:high]
    sample = np.sort(face[::2, ::2].reshape(-1, 3), axis=0)
    body = sample[len(sample) // 2].astype(float)
    blue, green, red = cv2.split(cv2.absdiff(face, (*body, 0.0)))
    contrast = cv2.max(cv2.max(blue, green), red)
    _, mask = cv2.threshold(contrast, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    if cv2.mean(contrast, mask)[0] < PIP_CONTRAST:
        return None
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask)
    area = (2 * half) ** 2
    pips = 0
    for (_, _, w, h, pixels), (x, y) in zip(stats[1:].tolist(), centres[1:].tolist(), strict=True):
        edge = max(abs(x / (high - low) - 0.5), abs(y / (high - low) - 0.5))
        if not PIP_AREA[0] * area < pixels < PIP_AREA[1] * area or edge > 0.44:
            continue
        if pixels < PIP_FILL * w * h or max(w, h) > 1.8 * min(w, h):
            return None
        pips += 1
    return pips if 1 <= pips <= 6 else None


def may_hide_dice(sight: Sight, usual: float) -> bool:
    """Whether a closer look is due: one thing as large as two dice, or a faint one that reads like a die."""
    if sight.is_sure_die or sight.candidate.side < usual / 2:
        return False
    merged = sight.is_die and sight.candidate.side > MERGED * usual
    return merged or (not sight.is_die and float(sight.chances[1:7].sum()) > 0.5)


def parted(sights: list[Sight], doubt: Sight, closer: list[Sight]) -> list[Sight]:
    """The sights with what a closer look at a doubtful one shows in its place, if it shows dice."""
    reach = 0.5 * doubt.candidate.side
    dice = [
        sight
        for sight in closer
        if sight.is_die
        and float(sight.chances[1:7].max()) > 0.5
        and hypot(sight.candidate.cx - doubt.candidate.cx, sight.candidate.cy - doubt.candidate.cy) < 2 * reach
    ]
    if not any(
        hypot(die.candidate.cx - doubt.candidate.cx, die.candidate.cy - doubt.candidate.cy) < reach for die in dice
    ):
        return sights
    others = [sight for sight in sights if sight is not doubt]
    fresh = [
        die for die in dice if not any(same_die(die.candidate, other.candidate) and other.is_die for other in others)
    ]
    return others + fresh


def drop_inner(sights: list[Sight]) -> list[Sight]:
    """Without those inside a surer die: a pip seen large looks like a die showing one."""
    ordered = sorted(sights, key=lambda s: -s.candidate.side)
    places = np.array([(s.candidate.cx, s.candidate.cy, s.candidate.side) for s in ordered]).reshape(-1, 3)
    xs, ys, sides = places.T
    free = np.ones(len(ordered), bool)
    for i, sight in enumerate(ordered):
        if free[i] and sight.readable:
            apart = np.maximum(np.abs(xs - xs[i]), np.abs(ys - ys[i]))
            free &= (apart >= 0.5 * sides[i] - 0.25 * sides) | (sides >= 0.75 * sides[i])
    return sorted((sight for i, sight in enumerate(ordered) if free[i]), key=lambda s: -s.candidate.heat)


def one_a_face(sights: list[Sight]) -> list[Sight]:
    """Without the less sure of two with one top face: a die may be found anew with its shadow; asked if read unlike."""
    read = sorted((i for i, sight in enumerate(sights) if sight.readable), key=lambda i: -sights[i].chances[1:7].max())
    xs, ys, sides, _ = np.array([sights[i].face for i in read]).reshape(-1, 4).T
    apart = np.hypot(xs[:, None] - xs, ys[:, None] - ys)
    kept: dict[int, Sight | None] = dict(enumerate(sights))
    for surer, other in np.argwhere(np.triu(apart < FACES_APART * (sides[:, None] + sides) / 2, 1)):
        one, twin = kept[read[surer]], kept[read[other]]
        if one and twin:
            kept[read[surer]] = replace(one, agreed=one.agreed and one.value == twin.value)
            kept[read[other]] = None
    return [sight for sight in kept.values() if sight]


def one_size(sights: list[Sight]) -> list[Sight]:
    """Dice of one table look about equally large: odd ones that are doubtful are dropped, the others asked."""
    sides = [sight.candidate.side for sight in sights if sight.readable and sight.chances[1:7].max() > 0.9]
    if len(sides) < 3:
        return sights
    usual = float(np.median(sides))
    kept = []
    for sight in sights:
        odd = not usual / SIZE_RANGE < sight.candidate.side < usual * SIZE_RANGE
        if odd and sight.chances[1:7].max() < 0.98:
            continue
        kept.append(replace(sight, odd_size=odd))
    return kept


def confidence_needed(sight: Sight, calibration: Calibration) -> float | None:
    """With which a die of this sight is accepted; None when it is asked in any case."""
    if not sight.agreed or sight.odd_size or sight.candidate.heat < calibration.heat:
        return None
    return calibration.accept if sight.pips == sight.value else calibration.accept_alone


def reading_of(
    sight: Sight, colour: str | None, body: np.ndarray, calibration: Calibration, strictness: float = 1.0
) -> DieReading:
    x, y, side, turn = sight.face
    spread = side * (abs(np.cos(np.radians(turn))) + abs(np.sin(np.radians(turn))))
    chances = {value: round(float(sight.chances[value]), 4) for value in range(1, 7)}
    alternatives = tuple(sorted(((v, c) for v, c in chances.items() if c > 0.001), key=lambda pair: -pair[1]))
    confidence = float(sight.chances[1:7].max())
    needed = confidence_needed(sight, calibration)
    blue, green, red = (round(float(level), 1) for level in body)
    return DieReading(
        value=sight.value,
        cx=x,
        cy=y,
        w=float(spread),
        h=float(spread),
        angle_deg=turn,
        colour=colour,
        confidence=confidence,
        accepted=needed is not None and 1 - confidence <= (1 - needed) / strictness,
        alternatives=alternatives,
        needs=needed,
        body_rgb=(red, green, blue),
    )


def box_of(candidate: Candidate) -> Box:
    return Box(candidate.cx, candidate.cy, candidate.w, candidate.h)
