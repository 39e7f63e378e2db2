"""Where pictures come from: the protocol of a camera; `vision.open_camera` knows them all.

A camera is opened with `with` and gives frames for as long as it can; each carries the moment it was exposed. What
cannot be had is a CameraUnavailable with one sentence, and a frame that fails for good ends the same way, so whoever
watches has one thing to catch.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np

Wait = Callable[[float], None]  # lets so many seconds pass, or fewer when something else calls
Tell = Callable[[str], None]  # takes one sentence for the people at the table


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the table.

    bgr         (h, w, 3) uint8
    at_us       when it was exposed: the kernel's monotonic microseconds, or the time in the recording
    number      counts from 0; a gap means frames that were lost
    take        frames of one take show one scene; grows when the picture is a new one altogether
    """

    bgr: np.ndarray
    at_us: int
    number: int
    take: int = 0


class Camera(Protocol):
    """Something that gives frames while it is open.

    live        it shows the table now; dice that lie there when it opens were rolled before anyone looked
    """

    live: bool

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def frames(self) -> Iterator[Frame]:
        """Frames in order. Ends when a recording ends; raises CameraUnavailable when the camera is gone."""
        ...

    def full(self, frame: Frame) -> Frame:
        """The picture to read: `frame` itself, or a sharper one exposed after it where a small one is watched."""
        ...
