"""Has everything on the table come to rest? Decided from small pictures and their stamps, nothing else.

    look → small picture → light matched → changed blobs → moving, covered or settled

A picture is compared with the first one of the present still stretch, so a slow roll adds up and is seen as well as a
fast one. Two pictures are compared only after their light has been matched: a camera that turns its exposure, or a
cloud, changes all pixels together and moves nothing. Motion is told by grey alone; what lies still over the table, by
colour as well, as skin is often as bright as wood.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

SMALL_WIDTH_PX = 320  # a die of 1/60 of the picture's width still covers 5 px; more costs time on every frame
MOST_SMALL_PX = 960  # along the other side: a strip of a picture must not become a huge one
STILL_US = 95_000  # three frame intervals at 30 a second; shorter catches dice that only pause while they roll
STILL_FRAMES = 3  # at least so many pictures must agree, for slow cameras
FIRST_STILL_US = 150_000  # before the table has been seen at rest once, a hand that hovers is not told from a table
CHANGE_LEVELS = 8.0  # grey levels; less hears video compression, more misses a grey die on a grey table
DETAIL_PX = 15  # of the small picture; less loses large dice, more hears the shadow of a hand
COVER_LEVELS = 16.0  # grey levels; less joins the shadows of many dice to one large thing, more lets sleeves pass
COLOUR_LEVELS = 9.0  # between the colours' own changes; less hears tinted light, more lets skin pass on wood
FAINT_PART = 0.4  # of those; what is new goes on as far as so much is seen of it, a dark sleeve over a dark floor say
WHITE = 250.0  # how bright so bright a pixel was is not known
COVER_NOISE = 8.0  # times what the calmest quarter of the picture shows; less hears noise, more is blind in dim light
SHARP_PX, SHARP_LEVEL = 9, 0.3  # so near its outline, in COVER_LEVELS, next to nothing is new: no soft shadow ends so
SHARP_PART = 0.1  # of the outline of a thing; a hand casts a soft shadow on one side
NOISE_FACTOR = 5.0  # times the noise that the two pictures show themselves
MOVED_PX = 6  # pixels of the small picture; less hears single sparks of noise, more misses the last wobble of a die
MATCH_BLOCK_PX = 8  # light is compared in blocks, which average the noise away
SAME_LEVELS, MOST_SAME = 2.0, 0.9  # blocks so near a line did not move; where so many do, no other line is looked for
OWN_PART = 0.05  # of the blocks, which a colour's own line must fit beside those that the common one fits
MATCH_DOUBT = 1.0  # squared grey levels; less fits a gain to the noise of an empty table, more follows a lamp late
TOO_BRIGHT, LEAST_DARK = 235.0, 0.1  # blocks that may hold white say nothing about light, unless there are few others
LEAST_GAIN = 0.1  # of contrast that dimmer light leaves; less takes a lens that was covered for a lamp switched off
HAND_PART = 0.025  # of the picture, in one piece that reaches its edge: a hand or an arm, not a die
HAND_DICE = 3.0  # where dice are known, so many with their shadows; less takes two dice for a hand, more misses tips
DIE_PART = 0.055  # of the picture: a die a sixth as wide as a wide picture, with its shadow
SHADED = 2.5  # of the box around a die is new where it lies: its shadow, and the blur of the small picture
DIE_SOLID, DIE_LONG = 0.98, 1.9  # area in its hull, length in widths: fingers leave gaps, and an arm is longer
NEW_VIEW_PART = 0.6  # of the picture has changed: the camera was turned, nothing is said about hands
PATIENCE_US = 2_500_000  # a large thing that has lain still for so long belongs to the table
TABLES = 3  # are remembered; fewer wait for a hand that has gone, after it passed for the table more than once
FADE_US = 2_000_000  # a still picture follows slow light within this time


LightChange = tuple[float, float]  # gain and offset from one picture to another


class Mood(StrEnum):
    """What the table is doing."""

    MOVING = "moving"
    COVERED = "covered"  # all is still, but something large reaches in: a hand
    SETTLED = "settled"


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """A picture as it is watched: bgr (h, w, 3) uint8, grey (h, w) float32; see `small_size`."""

    bgr: np.ndarray
    grey: np.ndarray


@dataclass(frozen=True, eq=False)
class Track:
    """What is remembered from one picture to the next.

    still_grey      (h, w) float32: the first picture of the present still stretch, following slow light
    since_us        when that stretch began: the last moment at which something was seen to have moved
    frames          how many pictures it holds
    at_us           stamp of the newest picture
    tables_bgr      the table when it was last settled, and the times before, TABLES at most: (h, w, 3) uint8 each
    """

    mood: Mood
    still_grey: np.ndarray
    since_us: int
    frames: int
    at_us: int
    tables_bgr: tuple[np.ndarray, ...] = ()

    def is_covered_by(self, bgr: np.ndarray, die_part: float | None) -> bool:
        """Something large reaches in that was not there, nor the times before: a hand that lay so long that it passed
        for the table leaves its place as new as it came."""
        return bool(self.tables_bgr) and all(is_covered(table, bgr, die_part) for table in self.tables_bgr)


def small_size(frame_bgr: np.ndarray) -> tuple[int, int]:
    """Width and height as a picture is watched: SMALL_WIDTH_PX wide, narrower where it is much taller than wide."""
    height, width = frame_bgr.shape[:2]
    scale = min(SMALL_WIDTH_PX / width, MOST_SMALL_PX / height)
    return max(1, round(scale * width)), max(1, round(scale * height))


def thumbnail(frame_bgr: np.ndarray) -> Thumbnail:
    """The picture as it is watched."""
    small_bgr = reduced_to(small_size(frame_bgr), frame_bgr)
    return Thumbnail(small_bgr, cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY).astype(np.float32))


def reduced_to(size: tuple[int, int], frame_bgr: np.ndarray) -> np.ndarray:
    """The picture in `size`, width and height. Halved first as often as that fits: OpenCV halves much faster."""
    while frame_bgr.shape[1] % (2 * size[0]) == 0 and frame_bgr.shape[0] % (2 * size[1]) == 0:
        half = frame_bgr.shape[1] // 2, frame_bgr.shape[0] // 2
        frame_bgr = cv2.resize(frame_bgr, half, interpolation=cv2.INTER_AREA)
    return cv2.resize(frame_bgr, size, interpolation=cv2.INTER_AREA)


def follow(track: Track | None, picture: Thumbnail, at_us: int, die_part: float | None = None) -> Track:
    """The track after one more picture; None begins a new one. `die_part` of the picture is the box around the largest
    die that is known to lie there."""
    grey = picture.grey
    if track is None or track.still_grey.shape != grey.shape:
        return Track(Mood.MOVING, grey, at_us, 1, at_us)
    if changed(track.still_grey, grey).any():
        return Track(Mood.MOVING, grey, at_us, 1, at_us, track.tables_bgr)
    elapsed_us = at_us - track.at_us
    following = replace(track, frames=track.frames + 1, at_us=at_us)
    if track.mood is Mood.SETTLED:
        return replace(following, still_grey=faded(track.still_grey, grey, elapsed_us))
    still_us = at_us - track.since_us
    wanted_us = STILL_US if track.tables_bgr else FIRST_STILL_US
    if still_us < wanted_us or following.frames < STILL_FRAMES:
        return following
    if still_us < PATIENCE_US and track.is_covered_by(picture.bgr, die_part):
        return replace(following, mood=Mood.COVERED)
    return replace(following, mood=Mood.SETTLED, tables_bgr=(picture.bgr, *track.tables_bgr)[:TABLES])


def is_settled(track: Track | None) -> bool:
    """Everything lies still and nothing reaches in."""
    return track is not None and track.mood is Mood.SETTLED


def changed(before_grey: np.ndarray, after_grey: np.ndarray) -> np.ndarray:
    """Where two pictures show different things: (h, w) bool, all False when only light, shadow and noise differ.

    What is wider than DETAIL_PX is taken off, and with it the soft shadow of a hand that comes or goes; a die that
    moves leaves sharp edges behind.
    """
    difference = after_grey - match_light(before_grey, after_grey)
    detail = difference - cv2.blur(difference, (DETAIL_PX, DETAIL_PX))
    noise_levels = 1.4826 * float(np.median(np.abs(detail[::3, ::3])))
    mask = cv2.blur(np.abs(detail), (3, 3)) > max(CHANGE_LEVELS, NOISE_FACTOR * noise_levels)
    return mask if np.count_nonzero(mask) >= MOVED_PX else np.zeros_like(mask)


def match_light(before_grey: np.ndarray, after_grey: np.ndarray) -> np.ndarray:
    """`before_grey` in the light of `after_grey`."""
    gain, offset = light_between(blocks(before_grey), blocks(after_grey))
    return before_grey * np.float32(gain) + np.float32(offset)


def blocks(picture: np.ndarray) -> np.ndarray:
    """A picture in large pixels, in which light is compared."""
    height, width = picture.shape[:2]
    size = (max(1, width // MATCH_BLOCK_PX), max(1, height // MATCH_BLOCK_PX))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


def light_between(before: np.ndarray, after: np.ndarray) -> LightChange:
    """The straight line that fits those blocks of two pictures that did not move."""
    dark = is_dark(before, after)
    before, after = (before[dark], after[dark]) if dark.mean() > LEAST_DARK else (before.ravel(), after.ravel())
    shifted = fitted(before, after, (1.0, float(np.median(after - before))))
    if alike(before, after, shifted) > MOST_SAME:
        return shifted
    dimmed = fitted(before, after, (float(np.median(after) / max(1.0, np.median(before))), 0.0))
    return max(shifted, dimmed, key=lambda line: alike(before, after, line))


def light_between_colours(before_bgr: np.ndarray, after_bgr: np.ndarray) -> list[LightChange]:
    """As `light_between`, of blocks (h, w, 3): one line for all colours, but for those that another one fits better."""
    common, lines = light_between(before_bgr, after_bgr), []
    for channel in range(3):
        before, after = before_bgr[..., channel], after_bgr[..., channel]
        dark = is_dark(before, after)
        line = common
        if dark.mean() > LEAST_DARK:
            own = fitted(before[dark], after[dark], common)
            if alike(before[dark], after[dark], own) > alike(before[dark], after[dark], common) + OWN_PART:
                line = own
        lines.append(line)
    return lines


def is_dark(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Which blocks of two pictures hold nothing too bright."""
    return (before < TOO_BRIGHT) & (after < TOO_BRIGHT)


def fitted(before: np.ndarray, after: np.ndarray, line: LightChange) -> LightChange:
    """The line through the blocks that lie near a rough one, without what moved."""
    gain, offset = line
    for _ in range(3):
        residual = np.abs(after - gain * before - offset)
        same = residual <= max(SAME_LEVELS, 2.0 * float(np.median(residual)))
        mean_before, mean_after = before[same].mean(), after[same].mean()
        from_mean = before[same] - mean_before
        together = float((from_mean * (after[same] - mean_after)).mean())
        gain = (together + MATCH_DOUBT * gain) / (float(np.square(from_mean).mean()) + MATCH_DOUBT)
        gain = max(gain, LEAST_GAIN)
        offset = float(mean_after - gain * mean_before)
    return gain, offset


def alike(before: np.ndarray, after: np.ndarray, line: LightChange) -> float:
    """Share of the blocks that lie near a line."""
    return float((np.abs(after - line[0] * before - line[1]) <= SAME_LEVELS).mean())


def is_covered(table_bgr: np.ndarray, bgr: np.ndarray, die_part: float | None = None) -> bool:
    """Something large that was not there reaches in over the edge of the picture: no die, no soft shadow.

    Where nobody knows how large dice are, a die seen close is told from a hand by its shape alone.
    """
    shaded_part = DIE_PART if die_part is None else min(DIE_PART, SHADED * die_part)
    hand_part = min(HAND_PART, HAND_DICE * shaded_part)
    news = newness(table_bgr, bgr)
    new = (news > 1.0).astype(np.uint8)
    if np.count_nonzero(new) > NEW_VIEW_PART * new.size:
        return False
    _, pieces, boxes, _ = cv2.connectedComponentsWithStats(new)
    large = [piece for piece in range(1, len(boxes)) if boxes[piece][cv2.CC_STAT_AREA] > hand_part * new.size]
    if not large:
        return False
    reaching = reaches_in(news > FAINT_PART)
    ends = cv2.erode(news, np.ones((SHARP_PX, SHARP_PX), np.uint8)) < SHARP_LEVEL
    masks = [pieces == piece for piece in large]
    return any((mask & reaching).any() and not is_die(mask, shaded_part) and is_sharp(mask, ends) for mask in masks)


def newness(table_bgr: np.ndarray, bgr: np.ndarray) -> np.ndarray:
    """How much each place differs from the table in the present light: (h, w) float32, 1.0 for what is surely new."""
    before, after = table_bgr.astype(np.float32), bgr.astype(np.float32)
    gains, offsets = np.array(light_between_colours(blocks(before), blocks(after)), np.float32).T
    difference = after - np.minimum(before * gains + offsets, 255.0)
    difference[(before >= WHITE) & (difference > 0)] = 0
    difference = cv2.blur(difference, (5, 5))
    blue, green, red = cv2.split(difference)
    grey = np.abs(cv2.cvtColor(difference, cv2.COLOR_BGR2GRAY))
    colour = cv2.max(cv2.max(blue, green), red) - cv2.min(cv2.min(blue, green), red)
    news = cv2.max(grey / COVER_LEVELS, colour / COLOUR_LEVELS)
    noise = COVER_NOISE * float(np.percentile(news[::3, ::3], 25))
    return np.asarray(news / max(1.0, noise))


def reaches_in(seen: np.ndarray) -> np.ndarray:
    """(h, w) bool: the pieces that touch the edge of the picture."""
    _, pieces = cv2.connectedComponents(seen.astype(np.uint8))
    return np.isin(pieces, np.concatenate([pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]])) & seen


def is_die(piece: np.ndarray, shaded_part: float) -> bool:
    """A thing (h, w) bool is compact and at most `shaded_part` of the picture: a die, whole or cut by its edge."""
    outline = outline_of(piece)
    _, sides, _ = cv2.minAreaRect(outline)
    area_px, hull_px = int(np.count_nonzero(piece)), cv2.contourArea(cv2.convexHull(outline))
    return DIE_SOLID * hull_px < area_px < shaded_part * piece.size and max(sides) < DIE_LONG * min(sides)


def is_sharp(piece: np.ndarray, ends: np.ndarray) -> bool:
    """Enough of the outline of a thing (h, w) bool, the edge of the picture apart, is where newness ends at once."""
    height, width = piece.shape
    x, y = outline_of(piece)[:, 0].T
    inside = (x > 0) & (y > 0) & (x < width - 1) & (y < height - 1)
    return bool(np.count_nonzero(ends[y[inside], x[inside]]) > SHARP_PART * np.count_nonzero(inside))


def outline_of(piece: np.ndarray) -> np.ndarray:
    """(n, 1, 2) int32: all pixels of the outer outline of a connected piece."""
    outlines, _ = cv2.findContours(piece.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(outlines[0])


def faded(still_grey: np.ndarray, grey: np.ndarray, elapsed_us: int) -> np.ndarray:
    """The remembered picture, drawn a little towards the newest so that slow light never adds up to a change."""
    weight = min(1.0, elapsed_us / FADE_US)
    return still_grey + np.float32(weight) * (grey - still_grey)
