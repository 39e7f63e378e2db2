"""What a photo tells besides its picture: where and when it was taken, by which phone. All of that is left out."""

import struct

from companion.errors import BadInput
from companion.words import _

START, SCAN = b"\xff\xd8", 0xDA
EXIF = b"Exif\x00\x00"
LEFT_OUT = {*range(0xE1, 0xE2), *range(0xE3, 0xEE), 0xEF, 0xFE}  # APP1, APP3 to APP13, APP15 and comments
ORIENTATION, FACES_UP = 0x0112, 1


def without_notes(jpeg: bytes) -> bytes:
    """The JPEG without what its device wrote beside the picture, but which way is up; raises BadInput for no JPEG."""
    if not jpeg.startswith(START):
        raise _unreadable()
    parts, at, turned = [START], 2, FACES_UP
    while True:
        if len(jpeg) < at + 4 or jpeg[at] != 0xFF:
            raise _unreadable()
        kind, size = jpeg[at + 1], int.from_bytes(jpeg[at + 2 : at + 4])
        if kind == SCAN:
            break
        segment = jpeg[at : at + 2 + size]
        if size < 2 or len(segment) < 2 + size:
            raise _unreadable()
        if kind not in LEFT_OUT:
            parts.append(segment)
        elif segment[4:].startswith(EXIF):
            turned = _orientation(segment[4 + len(EXIF) :])
        at += 2 + size
    if turned != FACES_UP:
        parts.insert(1, _note_of(turned))
    return b"".join((*parts, jpeg[at:]))


def _orientation(tiff: bytes) -> int:
    """Which way is up, 1 to 8, as the first directory of an Exif note says it; 1 where it says nothing."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    try:
        if order is not None:
            (first,) = struct.unpack_from(f"{order}I", tiff, 4)
            (count,) = struct.unpack_from(f"{order}H", tiff, first)
            for entry in range(count):
                tag, _type, _count, value = struct.unpack_from(f"{order}HHIH", tiff, first + 2 + 12 * entry)
                if tag == ORIENTATION and 1 <= value <= 8:
                    return int(value)
    except struct.error:  # The note ends before what it announces: it says nothing.
        pass
    return FACES_UP


def _note_of(turned: int) -> bytes:
    """An Exif segment that says which way is up and nothing else."""
    tiff = struct.pack(">2sHIHHHIHHI", b"MM", 42, 8, 1, ORIENTATION, 3, 1, turned, 0, 0)
    return struct.pack(">HH", 0xFFE1, 2 + len(EXIF) + len(tiff)) + EXIF + tiff


def _unreadable() -> BadInput:
    return BadInput(_("This photo can't be kept: it is no JPEG. Take it with a phone's camera, or choose another one."))
