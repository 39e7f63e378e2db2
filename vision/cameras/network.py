"""A camera in the network: RTSP, a stream of JPEG pictures, or single ones."""

import time
from collections.abc import Iterator
from typing import Self

import numpy as np

from companion.cameras.in_network import parts_of, without_secrets
from companion.errors import BadInput, CameraUnavailable
from companion.words import N_, _
from vision.cameras.camera import Camera, Frame, Undecoded
from vision.cameras.fetcher import Fetcher, FetcherGone
from vision.cameras.photos import decode_photo
from vision.cameras.pictures import decoded_small
from vision.cameras.sources import NoSource, Trouble

DOZE_S = 0.15  # So long after each decoded picture of a table that is dozed over none is asked for.
SENTENCES = {
    Trouble.UNKNOWN: N_("There's no device at the name in {where}. Check the camera's address."),
    Trouble.GONE: N_("The camera at {where} doesn't answer. Check its power and its network."),
    Trouble.REFUSED: N_("No camera answers at {where}. Check the port's number."),
    Trouble.PASSWORD: N_("The camera at {where} refused this name and password. Check both."),
    Trouble.PATH: N_("The camera at {where} has nothing at this path. Look up what follows its address."),
    Trouble.REDIRECT: N_("The camera at {where} sends us to another device. Use that one's address."),
    Trouble.NO_PICTURE: N_("The answer from {where} isn't a picture. Look up the path of its pictures."),
    Trouble.STALLED: N_("The camera at {where} has stopped sending pictures. We'll try again."),
    Trouble.ENDED: N_("The camera at {where} ended the connection. We'll try again."),
    Trouble.CERTIFICATE: N_("The certificate of {where} isn't trusted here. Use the camera's http address."),
}


class NetworkCamera(Camera):
    """The camera at an address; it may be entered again after it was gone.

    fetcher     the process that reads the network, None to start one at each opening
    """

    live = True

    def __init__(self, address: str, fetcher: Fetcher | None = None) -> None:
        try:
            self.where = without_secrets(address)
            parts_of(address)
        except BadInput as error:
            raise CameraUnavailable(error.sentence) from error
        self._address = address
        self._shared_fetcher = fetcher
        self._fetcher: Fetcher | None = None
        self._dozes = False

    def __enter__(self) -> Self:
        self._fetcher = self._shared_fetcher or Fetcher()
        try:
            self._fetcher.open(self._address)
        except FetcherGone:
            self._close()
            raise
        return self

    def __exit__(self, *_failure: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._fetcher is not None and self._fetcher is not self._shared_fetcher:
            self._fetcher.close()
        self._fetcher = None

    def frames(self) -> Iterator[Frame]:
        """Frames until the camera gives none, which raises CameraUnavailable; those that come while one is read are
        left out."""
        if self._fetcher is None:
            raise CameraUnavailable(_("The camera at {where} isn't open.", where=self.where))
        number = 0
        while True:
            try:
                picture = self._fetcher.next()
            except NoSource as why:
                raise CameraUnavailable(_(SENTENCES[why.trouble], where=self.where)) from None
            if isinstance(picture.content, bytes):
                jpeg = np.frombuffer(picture.content, np.uint8)
                yield Undecoded(jpeg, picture.at_us, number, decode=decode, reduce=decoded_small)
            else:
                yield Frame(picture.content, picture.at_us, number)
                if self._dozes:  # A decoded picture takes time even to hand over.
                    time.sleep(DOZE_S)
            number += 1

    def doze(self, is_on: bool) -> None:
        """Has pictures that come decoded handed over less often."""
        self._dozes = is_on

    @property
    def broken(self) -> str:
        return _(SENTENCES[Trouble.NO_PICTURE], where=self.where)


def decode(jpeg: np.ndarray) -> np.ndarray:
    """The picture (h, w, 3) uint8 BGR; raises BadInput if it is damaged."""
    return decode_photo(jpeg.tobytes(), _("This picture"))
