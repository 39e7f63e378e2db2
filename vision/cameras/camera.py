"""The protocol of a camera; `vision.open_camera` knows every kind.

A camera is opened with `with` and gives frames for as long as it can; each carries the time when it was exposed. Any
failure is a CameraUnavailable with one sentence, so a user of frames has one error to catch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self, runtime_checkable

import numpy as np

from companion.errors import BadInput, CameraUnavailable
from companion.words import _
from vision.cameras.pictures import DAMAGED, small_picture

Wait = Callable[[float], None]  # It waits for so many seconds, or fewer if interrupted.
Tell = Callable[[str], None]  # It takes one sentence for the people at the table.


class CameraLost(CameraUnavailable):
    """The camera is gone, and this process cannot open it again: only another one can."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the table.

    bgr         (h, w, 3) uint8
    at_us       time of exposure: the kernel's monotonic microseconds, or the time in the recording
    number      counts from 0; a gap means lost frames
    take        frames of one take show one scene; grows when an unrelated picture follows
    """

    bgr: np.ndarray
    at_us: int
    number: int
    take: int = 0

    @cached_property
    def small_bgr(self) -> np.ndarray:
        """The small picture, in which all that watches looks first."""
        return small_picture(self.bgr)

    @cached_property
    def is_whole(self) -> bool:
        """Whether the picture can be looked at."""
        try:
            return bool(self.bgr.size)
        except BadInput:
            return False

    @property
    def look_bgr(self) -> np.ndarray:
        """The small picture as cheaply as it is to be had: good to compare with others of its kind alone."""
        return self.small_bgr


Decode = Callable[[np.ndarray], np.ndarray]  # It raises BadInput for what is damaged.


class Undecoded(Frame):
    """A frame as the camera gave it, decoded once somebody looks at it; `bgr` and `look_bgr` may raise BadInput.

    raw     what the camera gave, such as a JPEG (n,) uint8
    decode  makes (h, w, 3) uint8 BGR of it
    reduce  makes a smaller picture (h, w, 3) uint8 BGR of it, in less time
    """

    raw: np.ndarray
    decode: Decode
    reduce: Decode

    def __init__(self, raw: np.ndarray, at_us: int, number: int, *, decode: Decode, reduce: Decode) -> None:
        vars(self).update(raw=raw, at_us=at_us, number=number, take=0, decode=decode, reduce=reduce)

    @cached_property
    def bgr(self) -> np.ndarray:
        """The picture (h, w, 3) uint8."""
        return self.decode(self.raw)

    @property
    def look_bgr(self) -> np.ndarray:
        """As in `Frame`."""
        return small_picture(self.reduce(self.raw))


class Camera(Protocol):
    """Something that gives frames while it is open; a camera without anything to open or close leaves that out.

    live        whether it shows the table now; dice that lie there when it opens were rolled before
    broken      the sentence for people when none of its pictures can be decoded
    flaw        the sentence for people on what it does badly just now, "" for nothing
    """

    live: bool
    flaw: str = ""

    @property
    def broken(self) -> str:
        return _(DAMAGED)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        return None

    def frames(self) -> Iterator[Frame]:
        """Frames in order, to the end of a recording; raises CameraUnavailable when the camera is gone."""
        ...

    def doze(self, is_on: bool) -> None:
        """Told with every frame whether most are left undecoded now: a camera that can may send fewer."""
        return None

    def full(self, frame: Frame) -> Frame:
        """The picture to read: `frame` itself, or where a small stream is watched a larger picture exposed after it."""
        return frame


@runtime_checkable
class Autofocus(Protocol):
    """A camera that may have a lens that moves by itself."""

    def focuses_itself(self) -> bool:
        """Whether its lens moves by itself, and can be told to stay."""
        ...

    def hold_focus(self) -> bool:
        """Has the lens stay where it was for the last picture; whether the camera can do that."""
        ...

    def free_focus(self) -> None:
        """Lets the lens move by itself again."""
        ...


@runtime_checkable
class AutoLight(Protocol):
    """A camera that exposes and balances white by itself, and may be told not to."""

    def hold_light(self) -> bool:
        """Has exposure and white balance stay as they are; whether the camera can do that."""
        ...

    def free_light(self) -> None:
        """Lets both change by themselves again."""
        ...
