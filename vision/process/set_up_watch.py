"""Looks at the mat or for a card several times a second while a person sets the camera up, and shows it."""

import numpy as np

from companion.errors import BadInput
from companion.game.readings.deck import CardSeen, LookAtCard
from companion.game.readings.mat import LookAtMat, MatSeen
from vision.calibration.look_at_mat import Calibration
from vision.cameras.camera import Camera
from vision.cameras.network import NetworkCamera
from vision.cameras.phone import PhoneCamera
from vision.cameras.webcam import Webcam
from vision.card.shown import card_seen
from vision.virtual.camera import VirtualCamera
from vision.watch.known_table import KnownTable

EVERY_US = 350_000  # This is short enough to follow by eye, and long enough for a Pi.


class SetUpWatch:
    """The present question about one camera's picture, and when it was last answered."""

    def __init__(self, camera: Camera) -> None:
        lens = "webcam" if isinstance(camera, Webcam | NetworkCamera | PhoneCamera) else "module-3"
        # Nothing has to be learned about a drawn camera.
        self._calibration = Calibration(lens, camera.lens if isinstance(camera, VirtualCamera) else None)
        self._wish: LookAtMat | LookAtCard | None = None
        self._next_us = 0

    def want(self, wish: LookAtMat | LookAtCard | None) -> None:
        """Answers this from now on."""
        self._wish = wish

    def is_on(self, now_us: int) -> bool:
        """Whether somebody sets up the camera; nothing is read then, as a hand may hold the mat."""
        return self._wish is not None and now_us < self._wish.until_us

    def is_due(self, now_us: int) -> bool:
        """Whether the next look may begin."""
        return self.is_on(now_us) and now_us >= self._next_us

    def look(self, frame_bgr: np.ndarray, table: KnownTable, now_us: int) -> MatSeen | CardSeen:
        """The answer for this frame; a card is only searched on the mat, if that is known."""
        assert self._wish is not None
        self._next_us = now_us + EVERY_US
        if isinstance(self._wish, LookAtMat):
            return self._calibration.look(frame_bgr, self._wish)
        try:
            deck = table.learned_cards()
        except BadInput:  # A card that has to be shown again is shown here.
            deck = ()
        return card_seen(table.only_mat(frame_bgr), self._wish.tap, deck)
