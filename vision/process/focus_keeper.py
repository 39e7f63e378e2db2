"""Has a camera's lens stay where it is once its picture is sharp: after the camera was set up, or when it hunts."""

from companion.clock import monotonic_us
from vision.cameras.camera import Autofocus, Camera
from vision.watch.sharpness import Sharpness

STEADY_US = 1_500_000  # A lens whose picture was sharp for so long after the set-up no longer moves.
TRIES = 5  # A lens may stop a little late, where the picture is soft; then it is let go and stopped again.


class FocusKeeper:
    """Follows one open camera."""

    def __init__(self, camera: Camera) -> None:
        self._lens = camera if isinstance(camera, Autofocus) else None
        self._is_held = False
        self._was_set_up = False  # It was, since the lens was held last.
        self._tries = TRIES
        self._sharp_since_us: int | None = None

    def follow(self, sharpness: Sharpness, *, sets_up: bool, is_set_up: bool) -> None:
        """Holds the lens or lets it go, as the last picture wants it.

        sets_up     whether somebody sets up the camera now: it has to find its focus then
        is_set_up   whether it was set up at any time
        """
        now_us = monotonic_us()
        if not sharpness.is_sharp or sets_up:
            self._sharp_since_us = None
        elif self._sharp_since_us is None:
            self._sharp_since_us = now_us
        if self._lens is None:
            return
        if sets_up:
            if self._is_held or not self._was_set_up:  # The driver may hold it since an earlier start.
                self._free(self._lens)
            self._was_set_up, self._tries = True, TRIES
        elif self._is_held:
            if sharpness.is_soft:
                self._free(self._lens)
        elif self._tries and sharpness.is_sharp and (sharpness.is_hunting or self._is_steady(now_us, is_set_up)):
            self._tries -= 1
            self._was_set_up = False
            self._is_held = self._lens.hold_focus()
            if not self._is_held:
                self._lens = None

    def _is_steady(self, now_us: int, is_set_up: bool) -> bool:
        """Whether the camera was just set up, and has found its focus."""
        since_us = self._sharp_since_us
        return self._was_set_up and is_set_up and since_us is not None and now_us - since_us >= STEADY_US

    def _free(self, lens: Autofocus) -> None:
        lens.free_focus()
        self._is_held = False
