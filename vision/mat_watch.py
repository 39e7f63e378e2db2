"""While somebody sets the camera up: looks at the mat several times a second, and shows what was found."""

import numpy as np

from companion.readings.mat import LookAtMat, MatSeen
from vision.calibration import Calibration
from vision.camera import Camera
from vision.scene import SceneCamera
from vision.virtual import VirtualCamera
from vision.webcam import Webcam

EVERY_US = 350_000  # between two looks: what a person wants to follow, and a Pi can still keep up with


class MatWatch:
    """What is asked about one camera's picture, and when it was last answered."""

    def __init__(self, camera: Camera) -> None:
        self._calibration = Calibration("webcam" if isinstance(camera, Webcam) else "module-3", known_camera(camera))
        self._wish: LookAtMat | None = None
        self._next_us = 0

    def want(self, wish: LookAtMat | None) -> None:
        """What is asked from now on."""
        self._wish = wish

    def is_on(self, now_us: int) -> bool:
        """Somebody looks; nothing is read meanwhile, for the mat may be in a hand."""
        return self._wish is not None and now_us < self._wish.until_us

    def is_due(self, now_us: int) -> bool:
        """The next look may begin."""
        return self.is_on(now_us) and now_us >= self._next_us

    def look(self, frame_bgr: np.ndarray, now_us: int) -> MatSeen:
        """What is seen now."""
        assert self._wish is not None
        self._next_us = now_us + EVERY_US
        return self._calibration.look(frame_bgr, self._wish)


def known_camera(camera: Camera) -> SceneCamera | None:
    """The camera itself where it is drawn: there is nothing to learn about it."""
    return camera.lens() if isinstance(camera, VirtualCamera) else None
