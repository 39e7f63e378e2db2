"""Which pictures of a camera that was just opened are left out: those while it settles, and those that are old."""

from collections.abc import Callable

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _

WARM_UP_FRAMES = 20  # left out after opening: exposure and white balance still settle
WARM_UP_US = 3_000_000  # but no longer than this, for a camera of few pictures a second
SANE_AGE_US = 2_000_000  # a picture older than this lay in a buffer, or its stamp is of another clock
OLD_US = 1_500_000  # a camera that gives nothing but old pictures for so long is opened again


class Opening:
    """Asked about every picture since the camera was opened.

    Whether its stamps are of our clock is decided while it settles: only then can a picture be told to be old.
    """

    def __init__(self, now_us: Callable[[], int] = monotonic_us) -> None:
        self._now_us = now_us
        self._first_us: int | None = None
        self._pictures = 0
        self._is_our_clock = False
        self._old_since_us: int | None = None

    def leaves_out(self, stamp_us: int) -> bool:
        """Whether a picture with this stamp is not to be used; raises CameraUnavailable when all are old."""
        now_us = self._now_us()
        is_fresh = 0 <= now_us - stamp_us < SANE_AGE_US
        if self._first_us is None:
            self._first_us = now_us
        self._pictures += 1
        if self._pictures <= WARM_UP_FRAMES and now_us - self._first_us < WARM_UP_US:
            self._is_our_clock = self._is_our_clock or is_fresh
            return True
        if is_fresh or not self._is_our_clock or stamp_us > now_us:
            self._old_since_us = None
            return False
        if self._old_since_us is None:
            self._old_since_us = now_us
        if now_us - self._old_since_us >= OLD_US:
            raise CameraUnavailable(
                _("The camera sends only old pictures. It is restarting. You can play on by tapping.")
            )
        return True


def believed_us(stamp_us: int, now_us: int) -> int:
    """When a picture was exposed: its stamp, or now if that is old or of another clock."""
    return stamp_us if 0 <= now_us - stamp_us < SANE_AGE_US else now_us
