"""Takes the motion of a hand that holds the camera out of the small pictures that are watched.

    small picture → is the camera held by hand? → registered on the still stretch's first picture → as that saw it

Rest, dice and hands are then told as with a camera that stands. What came into view since counts as what the first
picture would have shown there: nothing new. A picture whose registration is not to be trusted stays as it is, so
everything in it moves. With a camera that stands, one picture in four is looked at here while something moves, and none
while all is still.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.cameras.camera import Frame
from vision.watch.comparison import window_of
from vision.watch.registration import (
    MOVED_PX,
    UNMOVED,
    Motion,
    Reference,
    Registration,
    at_size,
    farthest_px,
    is_moved,
    move_points,
    register,
)
from vision.watch.settle import TableState, Thumbnail, Track, changed, is_settled

LOOK_US, MOVES = 130_000, 2  # Somebody holds the camera if it moved in so many looks, which are so far apart.
MOST_GAIN = 0.15  # If the light changes more between two looks, a lamp flickers, and its stripes pass for a motion.
HELD_US = 2_000_000  # A camera is looked at as one held by hand for so long after it moved.
LOOSE_PX = 0.8  # A registered picture may lie so far aside; less takes a tremble for motion, more hides slow rolls.
LEAST_SEEN = 0.85  # With less of the first picture in view a new stretch begins.
SAME_SEEN = 0.6  # So much of the last rest's picture has to be in view to tell that it shows the same.
SOLID_PX = 3  # A change so wide and high is no edge that lies a little aside.
SOFT_PX = 0.7  # Both pictures are blurred before they are compared, as one that was moved is a little softer.


@dataclass(frozen=True, eq=False)
class StillFrame:
    """A frame of a still stretch, where the camera was since its first one, and how sharp it is."""

    frame: Frame
    motion: Motion | None = None
    sharpness: float = 0.0


class Steady:
    """Follows where one camera is, from picture to picture.

    motion      from the first picture of the still stretch to the newest, in pixels of the small picture; None while
                the camera stands or nobody can tell
    home        from the last rest's first picture to that of this stretch; None if it stands or nobody can tell
    is_same     whether this stretch shows what the last rest did, in the part that both show
    """

    def __init__(self) -> None:
        self.motion: Motion | None = None
        self.home: Motion | None = None
        self.is_same = False
        self._first: Thumbnail | None = None
        self._reference: Reference | None = None
        self._guess: Motion = UNMOVED
        self._newest: Motion | None = None  # It leads to the newest picture, whether or not that can be compared.
        self._is_away = False  # The camera left the place where the last rest began.
        # It leads roughly from the last rest to this stretch, and is added up step by step.
        self._way_home: Motion = UNMOVED
        self._moved_us: int | None = None
        self._tables: tuple[np.ndarray, ...] = ()  # The tables of the last rest are as its first picture saw them.
        self._sought_home = False
        self._anchor: Reference | None = None  # It is a picture of a moment before.
        self._anchor_us, self._moves = 0, 0

    def is_held(self, at_us: int) -> bool:
        """Whether somebody's hand holds the camera, as far as its last seconds tell, or did since the last rest."""
        return self._is_away or (self._moved_us is not None and 0 <= at_us - self._moved_us < HELD_US)

    @property
    def may_be_held(self) -> bool:
        """Whether the camera moved at the last look, and the next one tells whether somebody holds it."""
        return 0 < self._moves < MOVES

    def begin(self, first: Thumbnail) -> None:
        """A new still stretch has this picture as its first."""
        if self._newest is not None:
            self._way_home = self._newest @ self._way_home
            self._is_away = farthest_px(self._way_home, first.grey.shape) >= MOVED_PX
        self._first, self._reference, self._newest = first, None, None
        self._guess, self.motion, self.home = UNMOVED, None, None
        self.is_same = self._sought_home = False

    def hold_still(self, picture: Thumbnail, at_us: int, track: Track | None) -> Thumbnail:
        """The picture as the first of the stretch saw it, (h, w) the same; itself while the camera stands."""
        self.motion = self._newest = None
        first = self._first
        if first is None or first.grey.shape != picture.grey.shape:
            self._anchor = None
            return picture
        if not self.is_held(at_us):
            if not is_settled(track):
                self._look_for_hand(picture, at_us)
            return picture
        if self._reference is None:
            self._reference = Reference(first.grey)
        fit = register(self._reference, picture.grey, self._guess)
        if fit is None:
            return picture
        self._guess = self._newest = fit.motion
        if farthest_px(fit.motion, picture.grey.shape) >= MOVED_PX:
            self._moved_us = at_us
        steadied = as_first_saw(first, picture, fit)
        if steadied is None:
            return picture
        self.motion = fit.motion
        return steadied

    def _look_for_hand(self, picture: Thumbnail, at_us: int) -> None:
        """Compares the picture with one of a moment before; a camera that moved twice in a row is held by hand."""
        anchor = self._anchor
        if anchor is not None and 0 <= at_us - self._anchor_us < LOOK_US:
            return
        self._anchor, self._anchor_us = Reference(picture.grey), at_us
        fit = None
        if anchor is not None and anchor.shape == picture.grey.shape and not stands(anchor, picture.grey):
            fit = register(anchor, picture.grey)
        is_lit_alike = fit is not None and abs(fit.light.gain - 1) < MOST_GAIN
        moves = self._moves + 1 if anchor and fit and is_lit_alike and is_moved(anchor, picture.grey, fit) else 0
        self._moves = moves
        if moves >= MOVES:
            self._moved_us = at_us

    def follow_home(self, track: Track) -> Track:
        """The track of this stretch, with the table's last rests as its first picture sees them if that can be told."""
        if track.state is TableState.SETTLED:
            self._tables, self._way_home = track.tables_bgr, UNMOVED
            self._is_away = self._newest is not None and farthest_px(self._newest, self._tables[0].shape) >= MOVED_PX
        elif self.is_held(track.at_us) and not self._sought_home:
            self._sought_home = True
            if self._tables and self._first is not None and self._tables[0].shape == self._first.bgr.shape:
                return self._with_tables_here(track, self._first)
        return track

    def _with_tables_here(self, track: Track, first: Thumbnail) -> Track:
        last_grey = cv2.cvtColor(self._tables[0], cv2.COLOR_BGR2GRAY).astype(np.float32)
        last = Reference(last_grey)
        fit = register(last, first.grey, self._way_home) or register(
            last, first.grey, whole_shift(last_grey, first.grey)
        )
        if fit is None:
            return track
        self.home = fit.motion
        steadied = as_first_saw(Thumbnail(self._tables[0], last_grey), first, fit, SAME_SEEN)
        self.is_same = steadied is not None and not has_solid(changed(last_grey, steadied.grey))
        return replace(track, tables_bgr=tuple(move_into(table, first.bgr, fit.motion) for table in self._tables))

    def in_frame(self, motion: Motion, frame_px: tuple[int, int]) -> Motion:
        """A motion of the small picture as one of the frame, which is so high and wide."""
        assert self._first is not None
        height, width = self._first.grey.shape
        return at_size(motion, frame_px[1] / width, frame_px[0] / height)


def stands(reference: Reference, grey: np.ndarray) -> bool:
    """Whether most of the strong pixels show what they showed, or there are too few to tell."""
    points = reference.points(1)
    if not len(points.xy):
        return True
    x, y = points.xy.astype(int).T
    change = cv2.GaussianBlur(grey, (0, 0), 1.0)[y, x] - points.level
    change -= np.median(change)
    return bool(np.median(np.abs(change) / np.hypot(*points.slope.T)) < MOVED_PX)


def whole_shift(before_grey: np.ndarray, after_grey: np.ndarray) -> Motion:
    """About how the whole picture moved to become the later one, from its details alone."""
    before, after = (
        cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 2.0), cv2.CV_32F) for grey in (before_grey, after_grey)
    )
    (x, y), _response = cv2.phaseCorrelate(before, after, window_of(before.shape))
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])


def has_solid(change: np.ndarray) -> bool:
    """Whether something that changed (h, w) bool is more than a thin line."""
    return bool(cv2.erode(change.astype(np.uint8), np.ones((SOLID_PX, SOLID_PX), np.uint8), borderValue=0).any())


def as_first_saw(
    first: Thumbnail, picture: Thumbnail, fit: Registration, least_seen: float = LEAST_SEEN
) -> Thumbnail | None:
    """The picture as the first one saw it; None if too little of that is in view.

    Differences that a slightly wrong registration would make are taken out of the grey picture, and what is not in view
    shows what the first picture did.
    """
    height, width = first.grey.shape
    there = cv2.warpPerspective(
        np.ones_like(first.grey), fit.motion, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    )
    in_view = cv2.erode((there > 0.999).astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=1) > 0
    if in_view.mean() < least_seen:
        return None
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    grey = cv2.warpPerspective(picture.grey, fit.motion, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    bgr = as_seen_before(picture.bgr, fit.motion)
    first_in_light = np.float32(fit.light.gain) * first.grey + np.float32(fit.light.offset)
    before = cv2.GaussianBlur(first_in_light, (0, 0), SOFT_PX)
    change = cv2.GaussianBlur(grey, (0, 0), SOFT_PX) - before
    steep = np.hypot(cv2.Sobel(before, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(before, cv2.CV_32F, 0, 1, scale=0.125))
    loose = np.float32(LOOSE_PX) * cv2.dilate(steep, np.ones((3, 3), np.uint8))
    change = np.sign(change) * np.maximum(np.abs(change) - loose, 0)
    change[~in_view] = 0
    light_bgr = np.clip(fit.light.gain * first.bgr.astype(np.float32) + fit.light.offset, 0, 255).astype(np.uint8)
    return Thumbnail(np.where(in_view[..., None], bgr, light_bgr), np.asarray(first_in_light + change, np.float32))


def move_into(before: np.ndarray, after: np.ndarray, motion: Motion) -> np.ndarray:
    """The earlier picture as the later one sees it; where it showed nothing, the later one."""
    size = after.shape[1::-1]
    there = cv2.warpPerspective(np.ones(before.shape[:2], np.float32), motion, size)
    carried = cv2.warpPerspective(before, motion, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    in_view = cv2.erode((there > 0.999).astype(np.uint8), np.ones((3, 3), np.uint8), borderValue=1) > 0
    return np.asarray(np.where(in_view if before.ndim == 2 else in_view[..., None], carried, after))


def move_place(motion: Motion, x: float, y: float) -> tuple[float, float]:
    """Where a motion takes a place."""
    ((there_x, there_y),) = move_points(np.array([[x, y]]), motion).tolist()
    return there_x, there_y


def as_seen_before(frame_bgr: np.ndarray, motion: Motion) -> np.ndarray:
    """A frame as the camera saw it from where it was before a motion; where it showed nothing, black."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpPerspective(frame_bgr, motion, frame_bgr.shape[1::-1], flags=flags)


def sharpness(frame_bgr: np.ndarray) -> float:
    """How sharp a frame is, to be compared with another of the same table."""
    half = frame_bgr[::2, ::2, 1]
    return float(np.abs(cv2.Laplacian(half, cv2.CV_16S)).mean())
