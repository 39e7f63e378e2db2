"""A phone as a camera of the table: who asks to be it, whom the host allows, and its pictures on their way.

The process that watches asks for each picture when it has time for one; a picture that nobody asks for is replaced by
the next. It goes through the pipe in pieces, each of them asked for, so that a process that hangs holds up nobody.
"""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from companion.clock import monotonic_us
from companion.errors import NotAllowed, TooManyTries
from companion.sensing.process_messages import PicturePiece, PictureWanted
from companion.words import _

PIECE_BYTES = 49_152  # On any Linux a pipe with room at all has room for that much.
OLD_US = 1_000_000  # An older picture shows no table of now.
TAKEN_S = 1.0  # A phone waits so long for its picture to be taken, before it may send the next.
WISH_S = 0.06  # The process says within some 20 ms what it wants next, and the page pauses for 80 anyway.
MOST_ASKING = 8


@dataclass(frozen=True)
class Phone:
    """A device that is a camera or asks to be one.

    device  the id of its ticket
    label   the house's name for it when it asked, "" after a restart: a name is kept in no second place
    """

    device: str
    label: str = ""


@dataclass(frozen=True)
class Picture:
    """A JPEG file and when it came, in the kernel's monotonic microseconds."""

    content: bytes
    at_us: int


class PhoneCamera:
    """One of the table's cameras, which is a phone. Thread-safe.

    send        takes messages for the process that watches
    on_change   called when somebody asks, or has another answer
    """

    def __init__(
        self,
        send: Callable[[object], None],
        on_change: Callable[[], None],
        *,
        now_us: Callable[[], int] = monotonic_us,
        taken_s: float = TAKEN_S,
        wish_s: float = WISH_S,
    ) -> None:
        self._send = send
        self._on_change = on_change
        self._now_us = now_us
        self._taken_s, self._wish_s = taken_s, wish_s
        self._changed = threading.Condition()
        self._asking: dict[str, Phone] = {}
        self._shares: dict[str, str] = {}  # a device that asks → its share
        self._allowed: Phone | None = None
        self._keep: Callable[[Phone | None], None] = lambda _phone: None
        self._number = 0  # The pictures are numbered.
        self._newest: Picture | None = None  # None: it is taken.
        self._wanted: PictureWanted | None = None  # None: it is answered.
        self._in_transit: tuple[int, Picture] | None = None  # (token, picture)

    def remember(self, allowed: Phone | None, keep: Callable[[Phone | None], None]) -> None:
        """Goes on with the phone that was allowed before a restart; `keep` is told of each change."""
        with self._changed:
            self._allowed, self._keep = allowed, keep

    @property
    def allowed(self) -> Phone | None:
        """The phone that is the camera, None while there is none."""
        return self._allowed

    @property
    def asking(self) -> tuple[Phone, ...]:
        """The phones that wait for the host's answer, the first to ask first."""
        with self._changed:
            return tuple(self._asking.values())

    def ask(self, phone: Phone, share: str) -> bool:
        """A phone asks to be the camera; returns whether it is. Raises TooManyTries if too many others ask.

        share   of several devices. Where all places are taken, the share with most asking gives one to one with fewer
        """
        with self._changed:
            if self._is_allowed(phone.device):
                return True
            if phone.device in self._asking:
                return False
            if len(self._asking) >= MOST_ASKING:
                asking = Counter(self._shares[device] for device in self._asking)
                largest, number = asking.most_common(1)[0]
                if number <= asking[share] + 1:
                    raise TooManyTries(_("Many phones are asking to be the camera. The host answers them first."))
                del self._asking[next(device for device in self._asking if self._shares[device] == largest)]
            self._asking[phone.device] = phone
            self._shares = {device: self._shares[device] for device in self._asking if device in self._shares}
            self._shares[phone.device] = share
        self._on_change()
        return False

    def allow(self, phone: Phone) -> None:
        """The host allows this phone; it takes the place of any other."""
        self._become(phone, phone.device)

    def refuse(self, device: str) -> None:
        """The host wants no pictures of this device: it asks no more, and is the camera no more."""
        stays = None if self._is_allowed(device) else self._allowed
        self._become(stays, device)

    def _become(self, allowed: Phone | None, device: str) -> None:
        with self._changed:
            self._keep(allowed)  # It comes first: what cannot be kept changes nothing.
            self._asking.pop(device, None)
            self._allowed, self._newest = allowed, None
            self._changed.notify_all()
        self._on_change()

    def _is_allowed(self, device: str) -> bool:
        return self._allowed is not None and self._allowed.device == device

    def require(self, device: str) -> None:
        if not self._is_allowed(device):
            raise NotAllowed(_("The host hasn't allowed this phone to be the camera. Ask again."))

    def show(self, device: str, content: bytes, at_us: int, *, full: bool) -> bool:
        """Takes a picture, and waits until it is on its way, another one has come, or TAKEN_S have passed; then WISH_S
        at most for the next wish.

        full    whether the picture has the phone's full size

        Returns whether the next one shall have the full size. Raises NotAllowed for a device that is not the camera.
        """
        with self._changed:
            self.require(device)
            if full and not self._wants_full():  # It came too late, and the next ones have the usual size.
                return False
            self._number += 1
            number, self._newest = self._number, Picture(content, at_us)
            self._changed.notify_all()
            self._answer(full=full)
            is_taken = self._changed.wait_for(
                lambda: self._newest is None or self._number > number or self._wants_full() > full, self._taken_s
            )
            if is_taken and self._number == number:
                self._changed.wait_for(lambda: self._wanted is not None or self._number > number, self._wish_s)
            return self._wants_full()

    def hear(self, wanted: PictureWanted) -> None:
        """The process asks for a picture, or for the rest of one."""
        with self._changed:
            if wanted.at:
                self._send_piece(wanted.token, wanted.at)
                return
            self._wanted = wanted
            self._answer(full=False)
            self._changed.notify_all()

    def _wants_full(self) -> bool:
        return self._wanted is not None and self._wanted.full

    def _answer(self, *, full: bool) -> None:
        """Sends the newest picture, if it is of now and as it is wanted."""
        wanted, picture = self._wanted, self._newest
        if wanted is None or picture is None or wanted.full > full or self._now_us() - picture.at_us > OLD_US:
            return
        self._wanted = self._newest = None
        self._in_transit = wanted.token, picture
        self._send_piece(wanted.token, 0)

    def _send_piece(self, token: int, at: int) -> None:
        if self._in_transit is not None and self._in_transit[0] == token:
            picture = self._in_transit[1]
            content = picture.content[at : at + PIECE_BYTES]
            self._send(PicturePiece(token, picture.at_us, len(picture.content), at, content))
