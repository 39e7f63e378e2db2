"""What picamera2 lacks for libcamera's simulated cameras. Everything else in it is as on a Pi.

It takes the pictures' memory of a device that Debian's kernel for ARM leaves out; it asks every camera for raw
pictures, which `virtual` has not; it gives every buffer one plane, of which `virtual` wants two; and `vimc` says that
it can give RGB888, for which its driver then refuses to start.
"""

import fcntl
import mmap
import os
import struct
from typing import Any

import libcamera
from picamera2 import Picamera2
from picamera2.allocators import DmaAllocator, dmaallocator
from picamera2.dma_heap import UniqueFD

UDMABUF_CREATE = 0x40187542  # _IOW('u', 0x42, struct udmabuf_create), of the kernel's linux/udmabuf.h
DRIVER_PX = (480, 270)  # of vimc: the emulator paints larger pictures too slowly


def plane(handle: int, offset: int, length: int) -> Any:
    """A part of a buffer."""
    part = libcamera.FrameBuffer.Plane()
    part.fd, part.offset, part.length = handle, offset, length
    return part


class Memory:
    """In place of picamera2's `DmaHeap`: memory of a process, as a buffer that devices can fill."""

    isValid = True  # picamera2's name

    def __init__(self) -> None:
        self._device = os.open("/dev/udmabuf", os.O_RDWR | os.O_CLOEXEC)

    def alloc(self, name: str, size: int) -> Any:
        """A buffer of whole pages."""
        whole = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        memory = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(memory, whole)
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
            asked = bytearray(struct.pack("IIQQ", memory, 1, 0, whole))  # 1: closed when another program takes over
            return UniqueFD(fcntl.ioctl(self._device, UDMABUF_CREATE, asked))
        finally:
            os.close(memory)

    def close(self) -> None:
        """Buffers stay until they are closed themselves."""
        os.close(self._device)


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

    dmaallocator.DmaHeap = Memory
    picamera2.Picamera2 = Picamera2Here
