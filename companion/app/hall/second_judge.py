"""A second process that judges games for a hub, so that a hall that sends much at once is not held up by one core.

It only ever confirms. What it does not confirm soon, for whatever reason, the hub judges itself: so no game and no
refusal depends on it. It starts once two games are there to be judged at the same time, and ends with the hub.
"""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

from companion.app.service.camera_process import Helper, Start, start_here
from companion.hub.judging import READY, YES, judge
from companion.letters.envelope import Letter

TARGET = "companion.hub.judging:confirm_letters"
PATIENCE_S = 10.0  # The longest game takes a few seconds.
RESTART_S = 60.0
END_S = 1.0

log = logging.getLogger(__name__)


class SecondJudge:
    """Judges as `judging.judge` does, for several threads at once. `close` it in the end."""

    def __init__(self, start: Start = start_here, processors: int | None = os.cpu_count()) -> None:
        self._start = start
        self._is_wanted = (processors or 1) > 1
        self._lock = threading.Lock()  # It guards the fields up to the next lock.
        self._judging = 0
        self._line: Connection | None = None
        self._helper: Helper | None = None
        self._is_ready = False
        self._not_before_s = 0.0
        self._free = threading.Lock()  # Whoever asks the second process holds it.

    def judge(self, letter: Letter, data: bytes) -> None:
        """Raises BadInput as `judging.judge`; `data` is the letter as it came."""
        with self._count_judging():
            if self._free.acquire(blocking=False):
                try:
                    if self._confirms(data):
                        return
                finally:
                    self._free.release()
            judge(letter)

    def close(self) -> None:
        with self._free, self._lock:
            self._is_wanted = False
            self._end()

    @contextlib.contextmanager
    def _count_judging(self) -> Iterator[None]:
        with self._lock:
            self._judging += 1
            if self._judging > 1 and self._is_wanted and self._line is None and time.monotonic() >= self._not_before_s:
                self._begin()
        try:
            yield
        finally:
            with self._lock:
                self._judging -= 1

    def _begin(self) -> None:
        self._not_before_s = time.monotonic() + RESTART_S
        try:
            self._line, self._helper = self._start("judge", TARGET, ())
        except OSError as error:
            log.warning("There is no second process for judging games (%s): the hub judges all of them.", error)

    def _confirms(self, data: bytes) -> bool:
        """Whether the second process confirms this letter's game."""
        line = self._line
        if line is None:
            return False
        try:
            if not self._is_ready:
                if not line.poll():
                    return False
                self._is_ready = line.recv_bytes() == READY
            line.send_bytes(data)
            if line.poll(PATIENCE_S):
                return line.recv_bytes() == YES
            log.warning("The second process for judging games does not answer, and is ended.")
        except (OSError, EOFError) as error:
            log.warning("The second process for judging games has ended (%s).", type(error).__name__)
        with self._lock:
            self._end()
        return False

    def _end(self) -> None:
        line, helper, self._line, self._helper = self._line, self._helper, None, None
        self._is_ready = False
        if line is not None and helper is not None:
            line.close()
            helper.end(END_S)
