"""What picamera2 lacks for libcamera's simulated cameras. Everything else in it is as on a Pi.

It asks every camera for raw pictures, which `virtual` has not; it gives every buffer one plane, of which `virtual`
wants two; and `vimc` says that it can give RGB888, for which its driver then refuses to start.
"""

from typing import Any

import libcamera
from picamera2 import Picamera2
from picamera2.allocators import DmaAllocator

DRIVER_PX = (480, 270)  # of vimc: the emulator paints larger pictures too slowly


def plane(handle: int, offset: int, length: int) -> Any:
    """A part of a buffer."""
    part = libcamera.FrameBuffer.Plane()
    part.fd, part.offset, part.length = handle, offset, length
    return part


class TwoPlanes(DmaAllocator):  # type: ignore[misc]
    """Tells libcamera of both planes of an NV12 picture; the memory is that which picamera2 has taken for it."""

    def allocate(self, libcamera_config: Any, use_case: Any) -> None:
        """Takes the memory of every stream."""
        super().allocate(libcamera_config, use_case)
        for stream in libcamera_config:
            if str(stream.pixel_format) == "NV12":
                luma = stream.stride * stream.size.height
                self.frame_buffers[stream.stream] = [
                    self._split(buffer, luma) for buffer in self.buffers(stream.stream)
                ]

    def _split(self, buffer: Any, luma: int) -> Any:
        memory, handle = self.mapped_buffers.pop(buffer), buffer.planes[0].fd
        both = libcamera.FrameBuffer([plane(handle, 0, luma), plane(handle, luma, luma // 2)])
        own = both.planes[0].fd  # libcamera keeps a copy of the handle
        self.mapped_buffers[both], self.mapped_buffers_used[own] = memory, False
        self.libcamera_fds.append(own)
        return both


class Picamera2Here(Picamera2):  # type: ignore[misc]
    """picamera2 with simulated cameras."""

    def __init__(self, camera_num: int = 0) -> None:
        super().__init__(camera_num, allocator=TwoPlanes())

    def _get_raw_modes(self) -> Any:
        if self.camera.generate_configuration([libcamera.StreamRole.Raw]) is not None:
            return super()._get_raw_modes()
        offered = self.camera.generate_configuration([libcamera.StreamRole.Viewfinder]).at(0).formats
        sizes = [(str(kind), size) for kind in offered.pixel_formats for size in offered.sizes(kind)]
        return [{"format": kind, "size": (size.width, size.height)} for kind, size in sizes]

    def create_video_configuration(self, main: dict[str, Any] | None = None, **more: Any) -> Any:
        """As picamera2's, with what `vimc` can do."""
        if "vimc" in self.camera.id:
            main = (main or {}) | {"format": "BGR888", "size": DRIVER_PX}
        return super().create_video_configuration(main or {}, **more)


def put_in_place() -> None:
    """Has whoever imports picamera2's camera get this one."""
    import picamera2

    picamera2.Picamera2 = Picamera2Here
