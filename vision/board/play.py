"""Finds the play that leads from one picture of a board to the next: a piece placed, or a pile toppled.

Both pictures are read as boards. Where a pile of the same colours merely grew, the readings may be equal; but the
camera stands still, so the pictures differ. Each play that the board allows is judged by both: the spaces it changes,
and no others, must look changed, and it must lead to the tops and heights that are seen.
"""

import cv2
import numpy as np

from companion.game.readings.play import Cell, Play, PlayReading
from companion.words import _, joined
from vision.board.reader import Space, Spaces, read_spaces, space_middles
from vision.scene.pose import FAR_PX
from vision.scene.scene import Scene

BLOCK = 4  # So many pieces leave a toppling pile, one to each side; fewer cannot topple.
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # They are far, right, near and left.
BLUR_PX = 1.2  # It takes the noise away.
DIFFERENT = 16.0  # Pictures differ by more brightness, of 255, where a piece moved, not a shadow.
CHANGED_SHARE, CHANGED_STEEP = 0.02, 150.0  # Such a share of a piece's size differs when a piece came or went.
LEAST_CHANCE = 1e-4  # Nothing is impossible in a picture, so no probability is smaller.
ACCEPT = 0.97  # A play counts with this probability; higher asks more and errs less.
LEAST_SHARE = 1e-3  # Heights are hints, and never weigh more than this against a play.
OTHERWISE = 1e-3  # Anything else, such as two plays or a helping hand, has this probability and explains every change.
MOST_SHOWN = 5  # A reading has no more alternatives.


def read_play(before_bgr: np.ndarray, after_bgr: np.ndarray, scene: Scene | None) -> PlayReading:
    """The play between two frames (h, w, 3) uint8 of one board; BadInput says what the scene lacks."""
    height, width = after_bgr.shape[:2]
    before_bgr, after_bgr = equally_wide(before_bgr, after_bgr)
    larger = width / after_bgr.shape[1]
    before, after = read_spaces(before_bgr, scene), read_spaces(after_bgr, scene)
    n = round(len(before.spaces) ** 0.5)
    assert scene is not None
    looks = changed_areas((before_bgr, after_bgr), (before, after), scene)
    chance = np.array([changed_chance(*parts) for parts in zip(before.spaces, after.spaces, looks, strict=True)])
    changed = tuple((int(i) // n, int(i) % n) for i in np.flatnonzero(chance > 0.5))
    at_px = (after.spaces[row * n + column].at_px for row, column in changed)
    places = tuple((float(x * larger), float(y * larger)) for x, y in at_px)
    unseen = tuple(
        (i // n, i % n)
        for i, pair in enumerate(zip(before.spaces, after.spaces, strict=True))
        if not both_in_view(pair)
    )
    still = float(np.log(1 - chance).sum())
    ranked = sorted(
        ((still + weight, play) for play, weight in plays(before.spaces, after.spaces, chance, before.names, n)),
        key=lambda pair: -pair[0],
    )
    if not ranked or not changed:
        return PlayReading(
            width, height, None, float(np.exp(still)), False, (), changed, places, no_play_words(changed, unseen, n)
        )
    otherwise = still + float(np.log(OTHERWISE) + (np.log(chance) - np.log(1 - chance))[chance > 0.5].sum())
    top = max(ranked[0][0], otherwise)
    odds = np.array([np.exp(score - top) for score, _play in ranked])
    total = float(odds.sum() + np.exp(otherwise - top))
    likeliest = tuple((play, float(odds[i] / total)) for i, (_score, play) in enumerate(ranked[:MOST_SHOWN]))
    best, confidence = likeliest[0]
    if ranked[0][0] < otherwise:
        return PlayReading(
            width, height, None, 1 - confidence, False, likeliest, changed, places, no_play_words(changed, unseen, n)
        )
    accepted = confidence >= ACCEPT and not cells_in_reach(best).intersection(unseen) and not after.paints_guessed
    return PlayReading(width, height, best, confidence, accepted, likeliest, changed, places)


def equally_wide(*frames_bgr: np.ndarray) -> tuple[np.ndarray, ...]:
    """The frames reduced to the smallest: sharper edges alone would look like changes."""
    width = min(frame.shape[1] for frame in frames_bgr)
    return tuple(
        frame
        if frame.shape[1] == width
        else cv2.resize(frame, (width, round(frame.shape[0] * width / frame.shape[1])), interpolation=cv2.INTER_AREA)
        for frame in frames_bgr
    )


def both_in_view(pair: tuple[Space, Space]) -> bool:
    """Whether a space is in view both before and after."""
    return pair[0].in_view and pair[1].in_view


def cells_in_reach(play: Play) -> set[Cell]:
    """The spaces that a play changes, and those from which a topple could have changed them."""
    changed = {play.cell, *(to for to, _colour in play.pieces)}
    return changed | {(row + down, column + right) for row, column in changed for down, right in SIDES}


def no_play_words(changed: tuple[Cell, ...], unseen: tuple[Cell, ...], n: int) -> str:
    """The sentence that says why no play was found on a board of n × n spaces."""
    if changed:
        return _("No single move explains what changed. Look at {places}.", places=cells_in_words(changed))
    if len(unseen) == n * n:
        return _("One of the two pictures doesn't show the board. Take it again.")
    if unseen:
        return _(
            "Nothing was played where both pictures show the board. Look at {places}.", places=cells_in_words(unseen)
        )
    return _("The two pictures show the same board. Nothing was played.")


def cells_in_words(cells: tuple[Cell, ...]) -> str:
    """Spaces in words, counted from 1."""
    return joined(_("row {row} column {column}", row=row + 1, column=column + 1) for row, column in cells)


def changed_areas(frames_bgr: tuple[np.ndarray, np.ndarray], reads: tuple[Spaces, Spaces], scene: Scene) -> np.ndarray:
    """(n,) changed area where each pile stood or stands, as a share of a piece's area.

    A piece on a pile of its own colour shows only as a new edge, so the frames themselves are compared.
    """
    before, after = (cv2.GaussianBlur(frame, (0, 0), BLUR_PX) for frame in frames_bgr)
    pose, piece = reads[1].pose, reads[1].piece
    assert scene.board is not None
    corners = np.array(scene.board.corners_mm, np.float64)
    moved = cv2.getPerspectiveTransform(
        reads[0].pose.project(corners).astype(np.float32), pose.project(corners).astype(np.float32)
    )
    if before.shape != after.shape or np.abs(moved - np.eye(3)).max() > 1e-6:  # The camera was moved or found anew.
        before, after = before.astype(np.float32), after.astype(np.float32)
        before = cv2.warpPerspective(before, moved, after.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    different = changed_pixels(before, after)
    around = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = piece.diameter_mm / 2 * np.stack([np.cos(around), np.sin(around), 0 * around], axis=1)
    feet_mm = space_middles(scene.board)[:, None] + rim
    spaces = zip(reads[0].spaces, reads[1].spaces, strict=True)
    high = np.array([max(1, int(earlier.heights.argmax()), int(later.heights.argmax())) for earlier, later in spaces])
    tops_mm = feet_mm + high[:, None, None] * [0, 0, piece.thickness_mm]
    feet, tops = (pose.project(rims).reshape(-1, len(rim), 2).astype(np.float32) for rims in (feet_mm, tops_mm))
    looks = []
    for foot, top in zip(feet, tops, strict=True):
        outline = cv2.convexHull(np.clip(np.vstack([foot, top]), -FAR_PX, FAR_PX)).reshape(-1, 2)
        low = np.clip(np.floor(outline.min(axis=0)).astype(int), 0, None)
        wide, tall = np.ceil(np.ptp(outline, axis=0)).astype(int) + 1
        window = different[low[1] : low[1] + tall, low[0] : low[0] + wide]
        if not window.size:  # It is out of the picture.
            looks.append(0.0)
            continue
        own = np.zeros(window.shape, np.uint8)
        cv2.fillConvexPoly(own, np.round(outline - low).astype(np.int32), 1)
        looks.append(cv2.countNonZero(window & own) / cv2.contourArea(foot))
    return np.array(looks)


def changed_pixels(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(h, w) uint8: 255 where two frames (h, w, 3) of bytes or floats differ by more than noise and light, else 0."""
    off = cv2.subtract(after, before, dtype=cv2.CV_16S if after.dtype == np.uint8 else cv2.CV_32F)
    light = np.median(off[::8, ::8].reshape(-1, 3), axis=0)  # The lamp may have changed everywhere alike.
    usual = (*light.tolist(), 0.0)
    apart = cv2.split(cv2.absdiff(off[::4, ::4].astype(np.float32), usual))  # type: ignore[call-overload]  # its types know no colour
    most = DIFFERENT + 4 * float(np.median(cv2.max(cv2.max(apart[0], apart[1]), apart[2])))
    low, high = light - most, light + most
    if off.dtype == np.int16:
        low, high = np.ceil(low), np.floor(high)
    return cv2.bitwise_not(cv2.inRange(off, tuple(low.tolist()), tuple(high.tolist())))


def changed_chance(before: Space, after: Space, look: float) -> float:
    """The probability that a space has changed, by its look and by both readings."""
    by_look = 1 / (1 + np.exp(-CHANGED_STEEP * (look - CHANGED_SHARE)))
    same_top = before.heights[0] * after.heights[0] + float(before.colours @ after.colours) * (
        (1 - before.heights[0]) * (1 - after.heights[0])
    )
    odds = by_look / (1 - by_look + 1e-9) * ((1 - same_top) / (same_top + 1e-3) + 0.5)
    return float(np.clip(odds / (1 + odds), LEAST_CHANCE, 1 - LEAST_CHANCE))


def plays(
    before: tuple[Space, ...], after: tuple[Space, ...], chance: np.ndarray, names: list[str], n: int
) -> list[tuple[Play, float]]:
    """Every possible play and its logarithmic gain: how much better than no change it explains the pictures."""
    gain = np.log(chance) - np.log(1 - chance)
    heights = np.array([space.heights for space in before]), np.array([space.heights for space in after])
    growth, fall = growth_gain(*heights), topple_gain(*heights)
    options = []
    for i in np.flatnonzero(chance > 2 * LEAST_CHANCE).tolist():
        cell = (i // n, i % n)
        options += [
            (Play("place", cell, name), float(gain[i] + growth[i] + np.log(after[i].colours[k] + LEAST_CHANCE)))
            for k, name in enumerate(names)
        ]
        sides = [(cell[0] + down, cell[1] + right) for down, right in SIDES]
        weight = float(gain[i] + fall[i])
        pieces = []
        for side in sides:
            if not (0 <= side[0] < n and 0 <= side[1] < n):
                continue
            j = side[0] * n + side[1]
            best = int(after[j].colours.argmax())
            weight += float(gain[j] + growth[j]) + float(np.log(after[j].colours[best] + LEAST_CHANCE))
            pieces.append((side, names[best]))
        options.append((Play("topple", cell, None, tuple(pieces)), weight))
    return options


def growth_gain(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(n,) logarithm of how much better one more piece explains the heights (n, 7) than any other number does."""
    one_more = np.zeros(before.shape)
    one_more[:, 1:] = before[:, :-1]
    one_more[:, -1] += before[:, -1]
    return clipped_log((one_more * after).sum(axis=1) * after.shape[1])


def topple_gain(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """(n,) logarithm of how much better BLOCK pieces fewer explain the heights (n, 7) than any other number does.

    The last height stands for all above, so it may leave one more.
    """
    most = after.shape[1]
    less = np.zeros(before.shape)
    less[:, : most - BLOCK] = before[:, BLOCK:]
    less[:, most - BLOCK - 1] /= 2
    less[:, most - BLOCK] = before[:, -1] / 2
    return clipped_log((less * after).sum(axis=1) * most**2 / (most - BLOCK))


def clipped_log(share: np.ndarray) -> np.ndarray:
    return np.asarray(np.log(np.clip(share, LEAST_SHARE, 1 / LEAST_SHARE)))
