"""Tells whether everything on the table has come to rest, from small pictures and their stamps alone.

    look → small picture → light matched → changed blobs → moving, covered or settled

A picture is compared with the first one of the present still stretch, so a slow roll adds up and is seen like a fast
one. Light is matched before two pictures are compared: a camera that changes its exposure, or a cloud, changes all
pixels together and moves nothing. Motion is told by grey alone; what covers the table also by colour, as skin is often
as bright as wood.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from vision.cameras.pictures import small_picture
from vision.watch.stripes import WHITE, with_stripes_of

STILL_US = 95_000  # This is three frames at 30 a second; a shorter time catches dice that only pause while they roll.
STILL_FRAMES = 3  # With a slow camera at least so many pictures agree.
FIRST_STILL_US = 150_000  # This holds before the first rest, as a hovering hand cannot be told from the table yet.
CHANGE_LEVELS = 8.0  # Less reacts to video compression, more misses a grey die on a grey table.
DETAIL_PX = 15  # Less loses large dice, more reacts to the shadow of a hand.
COVER_LEVELS = 16.0  # Less joins the shadows of many dice into one large thing, more misses sleeves.
COLOUR_LEVELS = 9.0  # Less reacts to tinted light, more misses skin on wood.
FAINT_PART = 0.4  # A new thing goes on where it is this faint, such as a dark sleeve over a dark floor.
COVER_NOISE = 8.0  # Times the calmest quarter of the picture: less reacts to noise, more is blind in dim light.
SHARP_PX, SHARP_LEVEL = 9, 0.3  # Newness falls so low so near a sharp outline; a soft shadow's does not.
SHARP_PART = 0.1  # At least this share of an outline is sharp; a hand casts a soft shadow on one side.
NOISE_FACTOR = 5.0  # A change is so many times stronger than the noise between the two pictures.
MOVED_PX = 6  # Fewer pixels react to noise, more miss the last wobble of a die.
MATCH_BLOCK_PX = 8  # Light is compared in blocks of this size, which average out noise.
SAME_LEVELS, MOST_SAME = 2.0, 0.9  # Blocks so near a line did not move; with so many of them no other line is tried.
OWN_PART = 0.05  # A colour's own line has to fit this share of blocks more than the common one.
MATCH_DOUBT = 1.0  # Less fits the noise of an empty table, more follows a lamp late.
TOO_BRIGHT, LEAST_DARK = 235.0, 0.1  # Brighter blocks may hold white and are left out, unless too few remain.
LEAST_GAIN = 0.1  # A dimmer light leaves this much contrast; less mistakes a covered lens for a lamp switched off.
HAND_PART = 0.025  # A larger piece that reaches the picture's edge is a hand or an arm.
HAND_DICE = 3.0  # A hand is larger than so many shaded dice; less takes two dice for a hand, more misses fingertips.
DIE_PART = 0.055  # No die with its shadow takes more of the picture: that one is a sixth as wide as it.
SHADED = 2.5  # Shadow and blur make a new die so many times larger than the box around it.
# A die fills so much of its hull and is no longer than so many widths; fingers leave gaps, arms are longer.
DIE_SOLID, DIE_LONG = 0.98, 1.9
NEW_VIEW_PART = 0.6  # With more changes the camera was turned, and hands are not checked.
PATIENCE_US = 2_500_000  # A large thing that lies still for so long belongs to the table.
TABLES = 3  # With fewer, a hand that was taken for the table more than once is still awaited.
FADE_US = 2_000_000  # A still picture follows slow light within this time.


LightChange = tuple[float, float]  # The gain and the offset lead from one picture to another.


class TableState(StrEnum):
    """The state of the table."""

    MOVING = "moving"
    COVERED = "covered"  # All is still, but a hand or another large thing reaches in.
    SETTLED = "settled"


@dataclass(frozen=True, eq=False)
class Thumbnail:
    """A small picture: bgr (h, w, 3) uint8, grey (h, w) float32."""

    bgr: np.ndarray
    grey: np.ndarray


@dataclass(frozen=True, eq=False)
class Track:
    """The memory of the watch from picture to picture.

    still_grey      (h, w) float32: the first picture of the present still stretch, following slow light
    since_us        when that stretch began: the last time that something had moved
    frames          number of its pictures
    at_us           stamp of the newest picture
    tables_bgr      the table at its last rests, newest first, TABLES at most: (h, w, 3) uint8 each
    """

    state: TableState
    still_grey: np.ndarray
    since_us: int
    frames: int
    at_us: int
    tables_bgr: tuple[np.ndarray, ...] = ()


def thumbnail(frame_bgr: np.ndarray) -> Thumbnail:
    """The small picture of a frame, which may have been made small before."""
    small_bgr = small_picture(frame_bgr)
    return Thumbnail(small_bgr, cv2.cvtColor(small_bgr, cv2.COLOR_BGR2GRAY).astype(np.float32))


def follow(track: Track | None, picture: Thumbnail, at_us: int, die_part: float | None = None) -> Track:
    """The track after one more picture; None begins a new one.

    die_part    area of the box around the largest known die, as a share of the picture
    """
    grey = picture.grey
    if track is None or track.still_grey.shape != grey.shape:
        return Track(TableState.MOVING, grey, at_us, 1, at_us)
    if changed(track.still_grey, grey).any():
        return Track(TableState.MOVING, grey, at_us, 1, at_us, track.tables_bgr)
    following = replace(track, frames=track.frames + 1, at_us=at_us)
    if track.state is TableState.SETTLED:
        # Slow light never adds up to a change, as the remembered picture moves a little towards the newest.
        weight = np.float32(min(1.0, (at_us - track.at_us) / FADE_US))
        return replace(following, still_grey=track.still_grey + weight * (grey - track.still_grey))
    still_us = at_us - track.since_us
    wanted_us = STILL_US if track.tables_bgr else FIRST_STILL_US
    if still_us < wanted_us or following.frames < STILL_FRAMES:
        return following
    # A hand that lay so long that it was taken for the table leaves its place as new as it came.
    tables = track.tables_bgr
    if still_us < PATIENCE_US and tables and all(is_covered(table, picture.bgr, die_part) for table in tables):
        return replace(following, state=TableState.COVERED)
    return replace(following, state=TableState.SETTLED, tables_bgr=(picture.bgr, *tables)[:TABLES])


def is_settled(track: Track | None) -> bool:
    """Whether everything lies still and nothing reaches in."""
    return track is not None and track.state is TableState.SETTLED


def changed(before_grey: np.ndarray, after_grey: np.ndarray) -> np.ndarray:
    """(h, w) bool: where two pictures show different things; False everywhere for light, shadow and noise.

    Whatever is wider than DETAIL_PX is removed, and so is the soft shadow of a hand; a die that moves leaves sharp
    edges.
    """
    mask = detail_mask(match_light(before_grey, after_grey), after_grey)
    if mask.any() and (striped_grey := with_stripes_of(before_grey, after_grey)) is not None:
        return detail_mask(striped_grey, after_grey)
    return mask


def detail_mask(before_grey: np.ndarray, after_grey: np.ndarray) -> np.ndarray:
    """(h, w) bool: where details of two pictures in the same light differ; nowhere if these are a few pixels alone."""
    difference = after_grey - before_grey
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
    """The straight line that fits the blocks of two pictures that did not move."""
    dark = is_dark(before, after)
    before, after = (before[dark], after[dark]) if dark.mean() > LEAST_DARK else (before.ravel(), after.ravel())
    shifted = fit_line(before, after, (1.0, float(np.median(after - before))))
    if share_on_line(before, after, shifted) > MOST_SAME:
        return shifted
    dimmed = fit_line(before, after, (float(np.median(after) / max(1.0, np.median(before))), 0.0))
    return max(shifted, dimmed, key=lambda line: share_on_line(before, after, line))


def light_between_colours(before_bgr: np.ndarray, after_bgr: np.ndarray) -> list[LightChange]:
    """One line for each colour of blocks (h, w, 3): the common one, or its own if that fits clearly better."""
    common, lines = light_between(before_bgr, after_bgr), []
    for channel in range(3):
        before, after = before_bgr[..., channel], after_bgr[..., channel]
        dark = is_dark(before, after)
        lines.append(common)
        if dark.mean() > LEAST_DARK:
            before, after = before[dark], after[dark]
            own = fit_line(before, after, common)
            if share_on_line(before, after, own) > share_on_line(before, after, common) + OWN_PART:
                lines[-1] = own
    return lines


def is_dark(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Which blocks are not too bright in both pictures."""
    return (before < TOO_BRIGHT) & (after < TOO_BRIGHT)


def fit_line(before: np.ndarray, after: np.ndarray, line: LightChange) -> LightChange:
    """The line through the blocks near a rough line, without what moved."""
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


def share_on_line(before: np.ndarray, after: np.ndarray, line: LightChange) -> float:
    """Share of the blocks near a line."""
    return float((np.abs(after - line[0] * before - line[1]) <= SAME_LEVELS).mean())


def is_covered(table_bgr: np.ndarray, bgr: np.ndarray, die_part: float | None = None) -> bool:
    """Whether something large and new reaches in over the edge of the picture that is no die and no soft shadow.

    If the size of dice is not known, a close die is told from a hand by its shape alone.
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
    """(h, w) float32: how much each place differs from the table in the present light; above 1.0 it is new."""
    before, after = table_bgr.astype(np.float32), bgr.astype(np.float32)
    for channel in range(3):
        striped = with_stripes_of(before[..., channel], after[..., channel])
        before[..., channel] = before[..., channel] if striped is None else striped
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


def reaches_in(new: np.ndarray) -> np.ndarray:
    """(h, w) bool: the pieces that touch the edge of the picture."""
    _, pieces = cv2.connectedComponents(new.astype(np.uint8))
    return np.isin(pieces, np.concatenate([pieces[0], pieces[-1], pieces[:, 0], pieces[:, -1]])) & new


def is_die(piece: np.ndarray, shaded_part: float) -> bool:
    """Whether a piece (h, w) bool is compact and at most `shaded_part` of the picture, as a whole or cut-off die is."""
    outline = outline_of(piece)
    _, sides, _ = cv2.minAreaRect(outline)
    area_px, hull_px = int(np.count_nonzero(piece)), cv2.contourArea(cv2.convexHull(outline))
    return DIE_SOLID * hull_px < area_px < shaded_part * piece.size and max(sides) < DIE_LONG * min(sides)


def is_sharp(piece: np.ndarray, ends: np.ndarray) -> bool:
    """Whether newness ends at once along enough of a piece's outline, not counting the edge of the picture."""
    height, width = piece.shape
    x, y = outline_of(piece)[:, 0].T
    inside = (x > 0) & (y > 0) & (x < width - 1) & (y < height - 1)
    return bool(np.count_nonzero(ends[y[inside], x[inside]]) > SHARP_PART * np.count_nonzero(inside))


def outline_of(piece: np.ndarray) -> np.ndarray:
    """(n, 1, 2) int32: all pixels of the outer outline of a connected piece."""
    outlines, _ = cv2.findContours(piece.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(outlines[0])
