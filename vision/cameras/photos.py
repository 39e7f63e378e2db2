"""Loads photographs from files."""

import errno
import os
import stat
import struct
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

import cv2
import numpy as np

from companion.errors import BadInput
from companion.packages import HEIC, install_command
from companion.words import _
from vision import MOST_PIXELS

MOST_BYTES = 100_000_000  # A photograph of MOST_PIXELS has some 30 MB.
# These are libjpeg's words; extraneous bytes alone do no harm.
DAMAGED = (b"premature end", b"bad Huffman", b"Premature end")
STDERR = 2  # libjpeg writes to this descriptor, whatever sys.stderr is.
STDERR_LOCK = threading.Lock()  # The descriptor belongs to the whole process.
# ISO/IEC 23008-12 puts them behind "ftyp" in the first box.
HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1")
# Files of JPEG, PNG, WebP and BMP begin with these.
SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF", b"BM")


def load_photo(path: Path) -> np.ndarray:
    """The photograph (h, w, 3) uint8 BGR, turned upright by its EXIF orientation; raises BadInput with a sentence."""
    name = str(path)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # A pipe waits for a writer, and some devices never end.
            raise BadInput(_("{file} isn't a photo, but a folder, a device or a pipe. Choose a photo.", file=name))
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(why_unread(name, error)) from error
    if len(content) > MOST_BYTES:
        most = MOST_BYTES // 10**6
        raise BadInput(_("{file} has more than {most} MB. Choose a smaller photo.", file=name, most=most))
    return decode_photo(content, name)


def why_unread(name: str, error: OSError) -> str:
    """One sentence on why a file could not be read, and what to do."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return _("There's no file {file}. Check its name.", file=name)
        case errno.EACCES | errno.EPERM:
            return _("You aren't allowed to read {file}. Ask whoever owns it, or choose another photo.", file=name)
        case errno.ENAMETOOLONG:
            return _("The name {file} is too long. Shorten it.", file=f"{name[:20]}…")
    return _(
        "{file} couldn't be read ({error}). Copy it to another disk, or choose another photo.",
        file=name,
        error=error.strerror,
    )


def decode_photo(content: bytes, name: str) -> np.ndarray:
    """The photograph in a file's content, as by `load_photo`; `name` stands for the file in sentences."""
    if content[4:8] == b"ftyp" and content[8:12] in HEIC_BRANDS:
        return decode_heic(content, name)
    if not content.startswith(SIGNATURES):
        raise BadInput(_("{file} isn't a photo this program can open. Choose a JPEG or PNG.", file=name))
    refuse_too_large(*stated_size(content), name)
    try:
        frame, complaints = decode(content)
    except cv2.error as error:
        raise BadInput(damage_sentence(name)) from error
    if frame is None:  # It begins as a photograph does.
        raise BadInput(damage_sentence(name))
    if any(word in complaints for word in DAMAGED):
        raise BadInput(_("{file} is damaged: part of the picture is missing. Choose another photo.", file=name))
    return frame


def damage_sentence(name: str) -> str:
    """The sentence for what cannot be decoded."""
    return _("{file} is damaged or too large. Choose another photo.", file=name)


def refuse_too_large(width: int, height: int, name: str) -> None:
    """Raises BadInput for more than MOST_PIXELS."""
    if width * height > MOST_PIXELS:
        raise BadInput(
            _(
                "{file} has {width} × {height} pixels. Make it smaller than {most} megapixels.",
                file=name,
                width=width,
                height=height,
                most=MOST_PIXELS // 10**6,
            )
        )


def decode_heic(content: bytes, name: str) -> np.ndarray:
    """A phone's HEIC, turned as its own boxes say; by that standard its EXIF orientation turns nothing."""
    try:
        import pi_heif
    except ImportError as error:  # The distribution brings OpenCV, as on a Pi.
        raise BadInput(
            _(
                "{file} is HEIC, which this computer can't read. Save it as a JPEG, or type there {command}",
                file=name,
                command=install_command(HEIC),
            )
        ) from error
    try:
        photo = pi_heif.open_heif(content, bgr_mode=True)
        width, height = photo.size
        refuse_too_large(width, height, name)
        picture = np.asarray(photo)
    except (ValueError, OSError, EOFError, RuntimeError, SyntaxError) as error:
        raise BadInput(damage_sentence(name)) from error
    if picture.ndim != 3 or picture.dtype != np.uint8:
        raise BadInput(damage_sentence(name))
    return np.ascontiguousarray(picture[:, :, :3])


def decode(content: bytes) -> tuple[np.ndarray | None, bytes]:
    """The picture, and the decoder's complaints on standard error; only those about DAMAGED are kept from the terminal.

    OpenCV returns a damaged JPEG as a whole picture that is grey or shifted from the damage on; only the words tell.
    """
    with STDERR_LOCK, memory_file() as output:
        stderr = copy_of_stderr()
        os.dup2(output.fileno(), STDERR)
        try:
            frame = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
        finally:
            if stderr is not None:
                os.dup2(stderr, STDERR)
                os.close(stderr)
            elif output.fileno() != STDERR:  # A file opened while standard error is closed gets its number.
                os.close(STDERR)
        output.seek(0)
        complaints = output.read()
    if complaints and stderr is not None and not any(word in complaints for word in DAMAGED):
        with suppress(OSError):  # The terminal has gone.
            os.write(STDERR, complaints)
    return frame, complaints


def memory_file() -> IO[bytes]:
    """A file to write and read, in memory where the system can, otherwise in the folder for temporary files."""
    return open(os.memfd_create("decoder"), "w+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()


def copy_of_stderr() -> int | None:
    """A duplicate of the descriptor of standard error, or None if that is closed."""
    try:
        return os.dup(STDERR)
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        return None


def stated_size(content: bytes) -> tuple[int, int]:
    """Width and height from a PNG or JPEG header, read before anything large is decoded; else (0, 0)."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        width, height = struct.unpack(">II", content[16:24])
        return width, height
    at = 2
    while content[:2] == b"\xff\xd8" and at + 9 <= len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], int.from_bytes(content[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # This is a frame header and no table.
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0
