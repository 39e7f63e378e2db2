"""Whole messages on a line to another process, in time: one that stops in the middle of a message keeps nobody.

They are written as `Connection.send` and `recv` of multiprocessing write them, which wait without end.
"""

import os
import pickle
import select
import socket
import struct
import time
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

HEAD, LONG_HEAD = struct.Struct("!i"), struct.Struct("!Q")
IS_LONG = -1  # In place of a length that the first head has no room for.
CHUNK_BYTES = 1_000_000


def receive(line: Connection, within_s: float) -> Any:
    """The next message; raises EOFError at the line's end, TimeoutError if it is not whole in time, or OSError."""
    until_s = time.monotonic() + within_s
    (length,) = HEAD.unpack(_read(line, HEAD.size, until_s))
    if length == IS_LONG:
        (length,) = LONG_HEAD.unpack(_read(line, LONG_HEAD.size, until_s))
    return pickle.loads(_read(line, length, until_s))


def send(line: Connection, message: object, within_s: float) -> None:
    """Sends a message; raises TimeoutError if the other side does not take it in time, or OSError."""
    until_s = time.monotonic() + within_s
    content = ForkingPickler.dumps(message)
    unsent = memoryview(HEAD.pack(len(content)) + bytes(content))
    with socket.socket(fileno=os.dup(line.fileno())) as raw:
        while unsent:
            if not select.select([], [raw], [], max(0.0, until_s - time.monotonic()))[1]:
                raise TimeoutError("the other side takes nothing")
            unsent = unsent[raw.send(unsent[:CHUNK_BYTES], socket.MSG_DONTWAIT) :]


def _read(line: Connection, size: int, until_s: float) -> bytes:
    content = bytearray()
    while len(content) < size:
        if not line.poll(max(0.0, until_s - time.monotonic())):
            raise TimeoutError("no whole message")
        if not (part := os.read(line.fileno(), min(size - len(content), CHUNK_BYTES))):
            raise EOFError
        content += part
    return bytes(content)
