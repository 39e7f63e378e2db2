"""Has a camera's exposure and white balance stay as they are while a game is read: a hand that comes in changes both.

The whole picture would become brighter, darker or of another tint, which is what the readers like least.
"""

from companion.clock import monotonic_us
from vision.cameras.camera import AutoLight, Camera, Frame

STEADY_US, ALIKE = 3_000_000, 1.03  # The light is held once the picture's level has changed less than this for so long.
CHECK_US, AS_BEFORE = 500_000, 1.25  # After this a driver that forgot how it exposed shows that, by so much.
OTHER_LIGHT = 1.6  # A lamp was switched, or the sun has gone down, if the level is so many times another.


class LightKeeper:
    """Follows one open camera."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera if isinstance(camera, AutoLight) else None
        self._level = 0.0  # The picture's mean level is compared with this.
        self._since_us = 0
        self._is_held = self._is_checked = False

    def follow(self, frame: Frame, *, is_wanted: bool) -> None:
        """Holds the light or lets it go, as the last picture wants it.

        is_wanted   whether something is read, and nothing is wrong with the picture
        """
        if self._camera is None:
            return
        level = float(frame.small_bgr.mean())
        now_us, times = monotonic_us(), max(level, 1.0) / max(self._level, 1.0)
        change = max(times, 1 / times)
        if not self._is_held:
            if not is_wanted or change > ALIKE:
                self._level, self._since_us = level, now_us
            elif now_us - self._since_us >= STEADY_US:
                self._is_held, self._is_checked, self._since_us = self._camera.hold_light(), False, now_us
                if not self._is_held:
                    self._camera = None
        elif not is_wanted or change > OTHER_LIGHT:
            self._free(self._camera)
            self._level, self._since_us = level, now_us
        elif not self._is_checked and now_us - self._since_us >= CHECK_US:
            self._is_checked = True
            if change > AS_BEFORE:
                self._free(self._camera)
                self._camera = None  # It would do so again.

    def _free(self, camera: AutoLight) -> None:
        camera.free_light()
        self._is_held = False
