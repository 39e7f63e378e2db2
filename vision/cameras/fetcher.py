"""The process that reads a camera in the network, as the process that watches it has no network.

It gets the address through its pipe, so no list of processes shows it, and hands over a picture only when it is asked
for one, always the newest: nothing waits in the pipe, however slowly pictures are read. It ends with the other process.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection

import numpy as np

from companion.clock import monotonic_us
from companion.errors import CameraUnavailable
from companion.foreign import read_json
from companion.periodic import begin
from companion.words import _
from vision.cameras.http_source import http_pictures
from vision.cameras.rtsp_source import rtsp_pictures
from vision.cameras.sources import STALL_S, NoSource, Trouble, trouble_of

FIRST_S = 15.0  # The first picture comes within this time, name look-up and sign-in included.
ANSWER_S = FIRST_S + 4.0  # The fetcher limits itself and answers within this time.
START_S = 60.0  # The fetcher starts within this time: a Pi Zero loads numpy and OpenCV for a while.
NEXT, READY = b"next", b"ready"
COMMAND = "import sys; from vision.cameras.fetcher import serve; serve(int(sys.argv[1]))"


@dataclass(frozen=True)
class Picture:
    """A picture that came at `at_us`: JPEG, or already decoded."""

    content: bytes | np.ndarray
    at_us: int


class FetcherGone(CameraUnavailable):
    """The fetcher has ended or hangs: only another one can help."""

    def __init__(self) -> None:
        super().__init__(_("The program that reads the network camera has stopped."))


class Fetcher:
    """The process, seen from the one that wants pictures. It has to be started while that one still has a network.

    Every method but `close` raises FetcherGone.
    """

    def __init__(self) -> None:
        ours, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", COMMAND, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # Ctrl-C reaches the whole terminal; this one ends with its pipe
            )
        self._line = ours
        self._is_ready = False

    def wait_ready(self) -> None:
        """Waits until it has started."""
        if not self._is_ready:
            self._is_ready = self._receive(START_S) == READY

    def open(self, address: str) -> None:
        """Has it read this address from now on, afresh."""
        self.wait_ready()
        self._send(address.encode())

    def next(self) -> Picture:
        """The newest picture that was not yet given; raises NoSource as well."""
        self._send(NEXT)
        head = read_json(self._receive(ANSWER_S))
        if "trouble" in head:
            raise NoSource(Trouble(head["trouble"]))
        content = self._receive(ANSWER_S)
        if head["shape"] is None:
            return Picture(content, head["at_us"])
        return Picture(np.frombuffer(content, np.uint8).reshape(head["shape"]), head["at_us"])

    def close(self) -> None:
        """Ends the process."""
        self._line.close()
        self._process.kill()
        self._process.wait()

    def _send(self, message: bytes) -> None:
        try:
            self._line.send_bytes(message)
        except OSError as error:
            raise FetcherGone from error

    def _receive(self, limit_s: float) -> bytes:
        """The next message, which has to begin within so many seconds."""
        try:
            if self._line.poll(limit_s):
                return self._line.recv_bytes()
        except (EOFError, OSError) as error:
            raise FetcherGone from error
        raise FetcherGone


class Newest:
    """Reads an address on a thread of its own, as fast as pictures come, and keeps the newest."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._changed = threading.Condition()
        self._picture: Picture | None = None
        self._trouble: Trouble | None = None
        self._limit_s = FIRST_S
        self._closed = False
        begin("network camera", self._read)

    def close(self) -> None:
        """Ends the reading; its thread ends with the next picture or error."""
        self._closed = True

    def take(self) -> Picture:
        """The newest picture, waited for if it was taken before; raises NoSource."""
        with self._changed:
            self._changed.wait_for(lambda: self._picture or self._trouble, self._limit_s)
            picture, self._picture = self._picture, None
        if picture is None:
            first = self._limit_s == FIRST_S
            raise NoSource(self._trouble or (Trouble.GONE if first else Trouble.STALLED))
        self._limit_s = STALL_S
        return picture

    def _read(self) -> None:
        trouble = Trouble.ENDED
        source = rtsp_pictures if self._address.lower().startswith("rtsp:") else http_pictures
        try:
            with contextlib.closing(source(self._address)) as pictures:
                for content in pictures:
                    with self._changed:
                        if self._closed:
                            return
                        self._picture = Picture(content, monotonic_us())
                        self._changed.notify()
        except Exception as error:  # Whatever a camera sends, somebody waits to hear that it sends no picture.
            trouble = trouble_of(error)
        with self._changed:
            self._trouble = trouble
            self._changed.notify()


def serve(descriptor: int) -> None:
    """The process's main function: answers on this end of a pipe until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["OPENCV_FFMPEG_LOGLEVEL"] = "-8"  # This is AV_LOG_QUIET, as FFmpeg would print the address.
    newest: Newest | None = None
    line = Connection(descriptor)
    with contextlib.suppress(EOFError, OSError):  # The other end was closed.
        line.send_bytes(READY)
        while True:
            message = line.recv_bytes()
            if message != NEXT:
                if newest is not None:
                    newest.close()
                newest = Newest(message.decode())
            elif newest is not None:
                answer(line, newest)
    os._exit(0)  # A thread may hang in the network.


def answer(line: Connection, newest: Newest) -> None:
    """Sends the newest picture, or what keeps it from coming."""
    try:
        picture = newest.take()
    except NoSource as why:
        line.send_bytes(json.dumps({"trouble": why.trouble}).encode())
        return
    content, shape = picture.content, None
    if not isinstance(content, bytes):
        shape, content = content.shape, content.tobytes()
    line.send_bytes(json.dumps({"at_us": picture.at_us, "shape": shape}).encode())
    line.send_bytes(content)
