"""When a camera's pictures were exposed, and which are left out: those while it settles, and those that are old."""

import logging
from collections.abc import Callable

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.words import _

WARM_UP_FRAMES = 20  # So many pictures are left out after opening, as exposure and white balance still settle.
WARM_UP_US = 3_000_000  # A camera of few pictures a second settles no longer than this.
SANE_AGE_US = 2_000_000  # An older picture lay in a buffer, or its stamp is of another clock.
OLD_US = 1_500_000  # A camera that gives nothing but old pictures for so long is opened again.

log = logging.getLogger(__name__)


class Opening:
    """Asked about every picture since the camera was opened.

    Whether its stamps tell the time is decided while it settles: only then can a picture be told to be old. Stamps that
    are of another clock, stand still or go back tell none; each picture then counts from the moment at which it came,
    and the log says so once.

    name        the camera's, for the log
    knows_time  whether its stamps tell when a picture was exposed
    """

    def __init__(self, name: str = "", now_us: Callable[[], int] = monotonic_us) -> None:
        self.knows_time = False
        self._name = name
        self._now_us = now_us
        self._first_us: int | None = None
        self._pictures = 0
        self._settles = True
        # Pictures are counted while the camera settles; those before the first sane one lay in a buffer.
        self._sane = self._strange = 0
        self._last_us = 0  # It is the newest stamp that told the time.
        self._old_since_us: int | None = None

    def leaves_out(self, stamp_us: int) -> bool:
        """Whether a picture with this stamp is not to be used; raises CameraUnavailable when all are old."""
        now_us = self._now_us()
        is_sane = 0 <= now_us - stamp_us < SANE_AGE_US and stamp_us > self._last_us
        if is_sane:
            self._last_us = stamp_us
        if self._first_us is None:
            self._first_us = now_us
        self._pictures += 1
        if self._pictures <= WARM_UP_FRAMES and now_us - self._first_us < WARM_UP_US:
            self._sane += is_sane
            self._strange += self._sane > 0 and not is_sane
            return True
        if self._settles:
            self._settles, self.knows_time = False, self._sane > self._strange
            if not self.knows_time:
                self._log_that_it_knows_no_time()
        if self.knows_time and stamp_us > now_us:
            self.knows_time = False
            self._log_that_it_knows_no_time()
        if is_sane or not self.knows_time:
            self._old_since_us = None
            return False
        if self._old_since_us is None:
            self._old_since_us = now_us
        if now_us - self._old_since_us >= OLD_US:
            raise CameraUnavailable(
                _("The camera sends only old pictures. It is restarting. You can play on by tapping.")
            )
        return True

    def exposed_us(self, stamp_us: int) -> int:
        """When a picture was exposed: by its stamp, or now if that is old or tells no time."""
        now_us = self._now_us()
        return believed_us(stamp_us, now_us) if self.knows_time else now_us

    def _log_that_it_knows_no_time(self) -> None:
        log.warning(
            "The stamps of camera %s tell no time: each of its pictures counts from the moment at which it came.",
            self._name,
        )


def believed_us(stamp_us: int, now_us: int) -> int:
    """When a picture was exposed: its stamp, or now if that is old or of another clock."""
    return stamp_us if 0 <= now_us - stamp_us < SANE_AGE_US else now_us
