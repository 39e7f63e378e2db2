"""Checks whether a camera's frames show the table: frozen, black, white, half empty or misshapen ones are not read."""

from collections import OrderedDict
from collections.abc import Callable

import cv2
import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _
from vision.cameras.camera import Frame
from vision.cameras.pictures import DAMAGED

STRIDE = 16  # One of so many pixels has enough noise to tell two pictures apart, and a hundred frames take 1 ms.
FROZEN_US = 1_500_000  # The very same picture for so long is frozen, as a sensor's noise makes each differ.
BLACK_LEVELS = 5.0  # The mean level (in a photograph of every part) is below under a lens cap, and above in a dim room.
BURNT_LEVELS = 252.0  # Every part of a burnt-out picture is brighter.
ONE_COLOUR_LEVELS = 3  # Pixels of an empty picture differ by less; noise and light on a bare table differ by more.
BLIND_US = 1_500_000  # The table is told after this time, as switching a lamp takes less.
BLIND_AGAIN_US = 30_000_000  # A camera that stays black or white is opened again: it may not be the cap or a lamp.
LEAST_PX = 32  # No picture of a table has a shorter side.
REMEMBERED = 64  # A repeated picture is found among so many; drivers have far fewer buffers.
FLAT_STRIDE = 4  # One of so many rows is looked at for being of one colour.
LOST_PART = 0.3  # So large a share of rows or columns without a picture is a fault wherever they lie.
DARK_PART = 0.45  # The share is larger for black or white ones; fewer may be a dark room or a window.
ALIKE_PART = 0.3  # If more of the rest looks like the empty part, that is the ground of a drawing.
BAR_PART = 0.02  # Bars beside a picture of another shape differ by no larger share of the rows or columns.
FLAT_PART = 0.08  # Fewer rows may be a bar that was drawn into the picture, such as the time of day.
NO_LEVELS = 12  # Memory without a picture has no more blue and red; cloth, paint and lamps do.
GREEN_TIMES = 2.5  # A decoder takes memory without a picture for green, so many times stronger than the other colours.
UNLIT_LEVELS = 24  # In darker pixels a cast cannot be told from noise.
PURPLE_TIMES = 1.4  # Red and blue are so many times stronger than green; less takes a pink lamp for a broken camera.
CAST_PART = 0.97  # If fewer of the lit pixels have the cast, it is the table that has that colour.
GREY_LEVELS = 4  # The colours of a pixel without colour differ by no more; JPEG rounds by two.
LIT_PART = 0.2  # If fewer pixels are lit, nothing is said of colours.

BLACK = _("The camera sees only black. Take off its cap or turn on a light. You can play on by tapping.")
BURNT = _("The camera sees only white. Turn down a light or the exposure. You can play on by tapping.")
GREEN = _(
    "The camera's picture is green. Unplug its cable at both ends and plug it in again. You can play on by tapping."
)
HALF = _(
    "Part of the camera's picture is empty. Its cable is loose or too long. Plug it in again. You can play on "
    "by tapping."
)
EMPTY = _(
    "The camera's picture is one grey all over, so it can read nothing. Unplug it and plug it in again. You can play "
    "on by tapping."
)
PURPLE = _("The camera's picture is all purple. It can read dice, but no colours. Unplug it and plug it in again.")
OLD = _("The camera keeps sending one old picture. It is restarting. You can play on by tapping.")
NO_COLOURS = _(
    "The camera shows no colours. It can read dice, but nothing that needs colours. Switch off its night mode, "
    "or turn on a light."
)


def shows_nothing(frame_bgr: np.ndarray) -> bool:
    """Whether a frame (h, w, 3) is black, burnt out or of one colour all over, and so says nothing of the table."""
    height, width = frame_bgr.shape[:2]
    blocks = cv2.resize(frame_bgr, (max(1, width // STRIDE), max(1, height // STRIDE)), interpolation=cv2.INTER_AREA)
    if blocks.max() < BLACK_LEVELS or blocks.min() > BURNT_LEVELS:
        return True
    return is_one_colour(blocks) and is_one_colour(frame_bgr)


def is_one_colour(picture_bgr: np.ndarray) -> bool:
    """Whether a picture (h, w, 3) has one colour all over."""
    return bool(np.ptp(picture_bgr, axis=(0, 1)).max() < ONE_COLOUR_LEVELS)


def broken(bgr: np.ndarray) -> str:
    """The sentence on a picture (h, w, 3) that says nothing of the table, or does not show all of it; else ""."""
    sample = bgr[::STRIDE, ::STRIDE]
    if float(sample.mean()) < BLACK_LEVELS:
        return BLACK
    if float(sample.min()) > BURNT_LEVELS:
        return BURNT
    if is_all_green(sample):
        return GREEN
    return partly_empty(bgr) or partly_lost(bgr)


def is_all_green(sample_bgr: np.ndarray) -> bool:
    """Whether pixels (h, w, 3) are memory that holds no picture, with noise."""
    others = np.maximum(sample_bgr[..., 0], sample_bgr[..., 2])
    greener = sample_bgr[..., 1] > GREEN_TIMES * np.maximum(others, UNLIT_LEVELS)
    if np.count_nonzero(greener) <= CAST_PART * greener.size:
        return False
    middle_bgr = np.median(sample_bgr, axis=(0, 1))
    return max(middle_bgr[0], middle_bgr[2]) <= NO_LEVELS and is_green(middle_bgr)


def _spread(lines: np.ndarray) -> np.ndarray:
    """The most difference of pixels along each line (n,) of lines (n, length, 3)."""
    if not len(lines):
        return np.zeros(0, np.uint8)
    most, least = (cv2.reduce(lines, 1, kind)[:, 0] for kind in (cv2.REDUCE_MAX, cv2.REDUCE_MIN))
    return np.asarray((most - least).max(axis=1))


def partly_lost(bgr: np.ndarray) -> str:
    """The sentence on a picture of which a large part is of one colour, or one line again and again, else "".

    The part is whole rows, wherever they lie, or whole columns, without any noise, while the rest is a live picture.
    Black bars on both sides of a picture of another shape are no fault, nor is the ground of a drawn table: that goes
    on beside what is drawn on it.
    """
    rows = bgr[::FLAT_STRIDE, ::STRIDE]
    columns = bgr[::STRIDE, ::FLAT_STRIDE].transpose(1, 0, 2)
    for lines in (rows, columns):
        if sentence := _lost_lines(lines):
            return sentence
    return ""


def _lost_lines(lines: np.ndarray) -> str:
    """The sentence on lines (n, length, 3), each across the picture, of which many hold nothing, else ""."""
    sample = lines[:, :: max(1, lines.shape[1] // 8)]  # Hardly any line of a table gets past these few pixels.
    flat = np.ptp(sample, axis=1).max(axis=1) < ONE_COLOUR_LEVELS
    repeats = np.zeros(len(lines), bool)
    repeats[1:] = (sample[1:] == sample[:-1]).all(axis=(1, 2))
    least = LOST_PART * len(lines)
    if np.count_nonzero(flat) >= least:
        flat[flat] = _spread(lines[flat]) < ONE_COLOUR_LEVELS
        sentence = _one_colour_lost(lines, flat)
        if sentence:
            return sentence
    repeats &= ~flat
    if np.count_nonzero(repeats) < least:
        return ""
    before = np.flatnonzero(repeats) - 1
    repeats[repeats] = (lines[repeats] == lines[before]).all(axis=(1, 2))
    if np.count_nonzero(repeats) < least:
        return ""
    pattern = np.median(lines[repeats], axis=0)
    lost = (lines == pattern).all(axis=(1, 2))
    return HALF if np.count_nonzero(lost) >= least and _is_live(lines[~lost], pattern, 0) else ""


def _one_colour_lost(lines: np.ndarray, flat: np.ndarray) -> str:
    """The sentence on lines of which those that are `flat` have one colour each, else ""."""
    if not flat.any() or flat.all():
        return ""
    by_line = lines[flat, 0].astype(np.float32)
    colour = np.median(by_line, axis=0)
    lost = flat.copy()
    lost[flat] = np.abs(by_line - colour).max(axis=1) < ONE_COLOUR_LEVELS
    is_black = colour.max() < BLACK_LEVELS
    least = DARK_PART if is_black or colour.min() > BURNT_LEVELS else LOST_PART
    if np.count_nonzero(lost) < least * len(lines) or (is_black and _are_bars(lost)):
        return ""
    if not _is_live(lines[~lost], colour, ONE_COLOUR_LEVELS):
        return ""
    return GREEN if is_green(colour) else HALF


def _is_live(rest: np.ndarray, lost: np.ndarray, levels: int) -> bool:
    """Whether the rest of the lines (n, length, 3) show something else than what was lost, to so many levels."""
    if not len(rest):
        return False
    alike = np.abs(rest - lost.astype(np.float32)).max(axis=2) <= levels
    return float(alike.mean()) < ALIKE_PART


def _are_bars(lost: np.ndarray) -> bool:
    """Whether the lines that are lost lie at both ends, as many at the one as at the other."""
    first, last = int(np.argmin(lost)), int(np.argmin(lost[::-1]))
    return min(first, last) > 0 and abs(first - last) <= max(1, BAR_PART * len(lost)) and first + last == lost.sum()


def partly_empty(bgr: np.ndarray) -> str:
    """The sentence on a picture with rows that never arrived, else "".

    What did not arrive has one colour from side to side without any noise, which no table has, and lies at one end of
    the picture. Black and white rows may be a dark or a bright part of the room.
    """
    rows = bgr[::FLAT_STRIDE]
    sample = rows[:, :: max(1, rows.shape[1] // 8)]  # Hardly any row of a table gets past these few columns.
    flat = np.ptp(sample, axis=1).max(axis=1) < ONE_COLOUR_LEVELS
    if np.count_nonzero(flat) < FLAT_PART * len(rows):
        return ""
    flat[flat] = _spread(rows[flat]) < ONE_COLOUR_LEVELS
    if flat.all():
        # With another colour the lens is covered, or there is no noise.
        return GREEN if is_green(rows[:, 0].mean(axis=0)) else ""
    if flat[0] == flat[-1]:
        return ""
    part = rows[: np.argmin(flat)] if flat[0] else rows[len(rows) - np.argmin(flat[::-1]) :]
    by_row = part.mean(axis=1)
    colour = np.median(by_row, axis=0)
    alike = np.abs(by_row - colour).max(axis=1) < ONE_COLOUR_LEVELS  # JPEG blurs the colour of the first row.
    if np.count_nonzero(alike) < FLAT_PART * len(rows) or colour.max() < BLACK_LEVELS or colour.min() > BURNT_LEVELS:
        return ""
    return GREEN if is_green(colour) else HALF


def is_green(bgr: np.ndarray) -> bool:
    """Whether a colour is the green of a memory that holds no picture."""
    blue, green, red = (float(level) for level in bgr)
    return green > GREEN_TIMES * max(blue, red, UNLIT_LEVELS)


def cast(bgr: np.ndarray) -> str:
    """The sentence on a picture whose colours cannot be believed, else "": all purple, or without colours."""
    sample = bgr[::STRIDE, ::STRIDE]
    blue, green, red = cv2.split(sample)  # NumPy is slow along an axis of three, so they are split.
    most = np.maximum(np.maximum(blue, green), red)
    is_lit = most > UNLIT_LEVELS
    lit_px = np.count_nonzero(is_lit)
    if lit_px < LIT_PART * is_lit.size:
        return ""
    if np.count_nonzero(is_lit & (np.minimum(blue, red) > PURPLE_TIMES * green)) > CAST_PART * lit_px:
        return PURPLE
    least = np.minimum(np.minimum(blue, green), red)
    if int((most - least)[is_lit].max()) > GREY_LEVELS:
        return ""
    return EMPTY if is_one_colour(sample) else NO_COLOURS


class Health:
    """Checks frame after frame, also when the camera is opened again.

    cast    the sentence on colours that cannot be believed for some time now, else ""
    """

    def __init__(self, now_us: Callable[[], int] = monotonic_us) -> None:
        self.cast = ""
        self._now_us = now_us
        self._size: tuple[int, ...] | None = None
        # The samples of the last pictures that differed begin with the oldest.
        self._samples: OrderedDict[bytes, None] = OrderedDict()
        self._new_us = 0  # A picture last was none of them at this time.
        self._opened_us = 0
        self._repeats = 0  # So many pictures in a row were seen before the last one.
        self._blind_since_us: int | None = None
        self._cast_since_us: int | None = None

    def opened(self) -> None:
        """Notes that the camera was opened: its pictures may have another size now, and the first may be old ones."""
        self._opened_us = self._now_us()
        self._size = None
        self._blind_since_us = None
        self._cast_since_us, self.cast = None, ""

    def trouble(self, frame: Frame) -> str:
        """The sentence for the table about a frame that cannot be read, else "".

        Raises CameraUnavailable when the camera has to be opened anew.
        """
        self._check_size(frame.bgr)
        now_us = self._now_us()
        if sentence := broken(frame.bgr):
            return self._note_blindness(sentence, now_us)
        self._blind_since_us = None
        if sentence := self._check_repeats(frame.bgr[::STRIDE, ::STRIDE], now_us):
            return sentence
        self._judge_colours(frame.bgr, now_us)
        return ""

    @property
    def is_blind(self) -> bool:
        """Whether the last frame says nothing of the table as it is, not even that things were taken away.

        It was black or white all over, or a part of it was empty, or it was an old one that came again.
        """
        return self._blind_since_us is not None or self._repeats > 1

    @property
    def sees_colours(self) -> bool:
        """Whether the colours of the last frame can be believed."""
        return self._cast_since_us is None

    def _check_size(self, bgr: np.ndarray) -> None:
        size = bgr.shape
        if len(size) != 3 or size[2] != 3 or bgr.dtype != np.uint8 or min(size[:2]) < LEAST_PX:
            raise CameraUnavailable(_(DAMAGED))
        if self._size is not None and size != self._size:
            raise CameraUnavailable(
                _(
                    "The camera's picture changed from {old_width} × {old_height} pixels to {width} × "
                    "{height}. It is restarting. You can play on by tapping.",
                    old_width=self._size[1],
                    old_height=self._size[0],
                    width=size[1],
                    height=size[0],
                )
            )
        self._size = size

    def _note_blindness(self, sentence: str, now_us: int) -> str:
        if self._blind_since_us is None:
            self._blind_since_us = now_us
        blind_us = now_us - self._blind_since_us
        if blind_us > BLIND_AGAIN_US:
            raise CameraUnavailable(sentence)
        return sentence if blind_us >= BLIND_US else ""

    def _judge_colours(self, bgr: np.ndarray, now_us: int) -> None:
        """Notes whether the colours can be believed."""
        sentence = cast(bgr)
        if not sentence:
            self._cast_since_us, self.cast = None, ""
            return
        if self._cast_since_us is None:
            self._cast_since_us = now_us
        self.cast = sentence if now_us - self._cast_since_us >= BLIND_US else ""

    def _check_repeats(self, sample: np.ndarray, now_us: int) -> str:
        """The sentence on a picture that stands still, or a few that come again and again, else "".

        A camera that has never shown noise cannot be told from a frozen one, so it is not checked. One that was just
        opened may still hand out old pictures; if it goes on, CameraUnavailable is raised, so that it is opened again.
        """
        key = sample.tobytes()
        if key not in self._samples:
            self._new_us, self._repeats = now_us, 0
            self._samples[key] = None
            if len(self._samples) > REMEMBERED:
                self._samples.popitem(last=False)
            return ""
        is_last = next(reversed(self._samples)) == key
        self._repeats = 0 if is_last else self._repeats + 1
        self._samples.move_to_end(key)
        if len(self._samples) == 1 or now_us - self._new_us < FROZEN_US:
            return ""
        if now_us - self._opened_us >= FROZEN_US:
            raise CameraUnavailable(OLD)
        return OLD
