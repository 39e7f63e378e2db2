"""Keeps one helper process alive: starts it, restarts it when it dies or stalls, and never leaves it behind.

The helper is a function, given as itself or as "package.module:function". It is called in a fresh interpreter with its
end of a pipe and the arguments. It sends plain values: `Heartbeat` while it makes progress, `Status` for people; all
others are messages. It gets commands the same way, `Stop` among them.
"""

import contextlib
import logging
import math
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from multiprocessing import connection as pipes
from multiprocessing.connection import Connection
from typing import Any

from companion.app.service.camera_process import Helper, Start, Target, start_here
from companion.app.service.messages import receive, send
from companion.errors import HardwareUnavailable
from companion.periodic import PeriodicThread
from companion.sensing.process_messages import Heartbeat, Status, Stop
from companion.words import _

QUIET_S = 2.5  # People are told then; the camera's process gives two signs of life a second.
STALL_S = 6.0  # The helper is restarted then: a busy machine gets time.
# A slow machine gets as long as it took to the first sign of life, which is known of each life: for an emulated Pi that
# is half a minute. It gets no longer than this, as the start may have been slow for another reason.
LONGEST_STALL_S = 20.0
START_S = 60.0  # A Pi Zero loads numpy and the model for a while before its first sign of life.
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0  # The wait doubles with each restart.
STOP_S = 2.0
MOST_ERRANDS = 16  # Older errands of a busy helper are out of date.
GRACE_S = 10.0  # A supervisor that has not replaced its helper by then counts as dead.

log = logging.getLogger(__name__)


class HelperGone(HardwareUnavailable):
    """A helper has ended, and is started again."""


OnMessage = Callable[[Any], None]
OnStatus = Callable[[str, str, str], None]


class Supervisor(PeriodicThread):
    """Owns one helper process, from `start` to `stop`. Both callbacks are called on the supervisor's thread.

    target      "package.module:function", or the function
    on_message  called with every message of the helper but heartbeats and statuses
    on_status   called with (name, state, sentence)
    start       starts the process: as a child of this one, or of one that may open more

    The newest command of each kind is kept, and sent again to a restarted helper; errands are not.
    """

    tells_itself = True
    most_failed = math.inf  # What fails is the helper; a service that is started again has no better one.

    def __init__(
        self,
        target: Target,
        arguments: tuple[Any, ...],
        on_message: OnMessage,
        on_status: OnStatus,
        *,
        name: str = "camera",
        start: Start = start_here,
        quiet_s: float = QUIET_S,
        stall_s: float = STALL_S,
        start_s: float = START_S,
        first_wait_s: float = FIRST_WAIT_S,
        longest_wait_s: float = LONGEST_WAIT_S,
        is_needed: bool = False,
    ) -> None:
        super().__init__(
            f"supervisor of the {name}",
            self._live,
            pause_s=first_wait_s,
            longest_s=longest_wait_s,
            hung_s=math.inf,
            works=self._is_in_time,
            is_needed=is_needed,
        )
        self._part = name
        self._start_helper = start
        self._target = target
        self._arguments = arguments
        self._on_message = on_message
        self._on_status = on_status
        self._quiet_s = quiet_s
        self._stall_s = stall_s
        self._last_status = Status("ok", "")
        self._start_s = start_s
        self._lock = threading.Lock()
        self._commands: dict[type, Any] = {}
        self._unsent: set[type] = set()
        self._errands: deque[Any] = deque(maxlen=MOST_ERRANDS)
        self._awake, rouse = os.pipe()
        os.set_blocking(rouse, False)
        self._rousing: int | None = rouse  # None: it is closed, and its number may be another file's.
        self._pid: int | None = None
        self._expected_s = 0.0
        """The deadline for a sign of life, or for a new helper."""

    @property
    def pid(self) -> int | None:
        """Process id of the helper, None while there is none."""
        return self._pid

    def start(self) -> None:
        """Starts the helper; returns at once."""
        self._expected_s = time.monotonic()
        super().start()

    def _is_in_time(self) -> bool:
        """Whether the helper makes progress or is about to be replaced."""
        return time.monotonic() < self._expected_s + GRACE_S

    def send(self, command: Any) -> None:
        """Sends the helper a command; of each kind only the newest is sure to arrive. Never waits."""
        with self._lock:
            self._commands[type(command)] = command
            self._unsent.add(type(command))
        self._rouse()

    def send_each(self, errand: Any) -> None:
        """Sends the helper an errand, a command of the moment: each is sent, but at most once. Never waits."""
        with self._lock:
            self._errands.append(errand)
        self._rouse()

    def stop(self) -> None:
        self._stopping.set()
        self._rouse()
        if self._thread.is_alive():
            self.join()
        super().stop()
        with self._lock:
            rousing, self._rousing = self._rousing, None
        if rousing is not None:
            os.close(rousing)
            os.close(self._awake)

    def _rouse(self) -> None:
        with self._lock, contextlib.suppress(BlockingIOError):  # The pipe is full: its reader is about to wake anyway.
            if self._rousing is not None:
                os.write(self._rousing, b"!")

    def _live(self) -> None:
        """One life of the helper, and the end of the supervisor's only when it is stopped."""
        sentence = self._live_one_life()
        if not self.is_stopping:
            raise HelperGone(sentence)

    def on_failure(self, error: BaseException | None, wait_s: float) -> None:
        self._expected_s = time.monotonic() + wait_s
        sentence, unexpected = self._why_it_ended(), error
        if isinstance(error, HelperGone):
            sentence, unexpected = error.sentence, None
        log.warning("the %s process is started again: %s", self._part, sentence, exc_info=unexpected)
        self._tell(
            Status(
                "down",
                _(
                    "{sentence} It restarts in {wait_s:g} s. You can play on by tapping.",
                    sentence=sentence,
                    wait_s=float(f"{wait_s:.1g}"),
                ),
            )
        )

    def _live_one_life(self) -> str:
        """Runs a helper from its start to its end; returns a sentence on how it ended."""
        try:
            ours, helper = self._start_helper(self._part, self._target, self._arguments)
        except OSError as error:
            return _("The {name} process can't be started ({error}).", name=self._part, error=error)
        self._pid = helper.pid
        with self._lock:
            self._unsent = set(self._commands)
        try:
            return self._serve(ours, helper.sentinel)
        finally:
            self._pid = None
            self._end(helper, ours)

    def _serve(self, ours: Connection, sentinel: int) -> str:
        began_s, stall_s = time.monotonic(), 0.0
        self._expected_s = quiet_at_s = began_s + self._start_s
        self._last_status = Status("ok", "")
        while not self._stopping.is_set():
            try:
                self._send_what_fits(ours)
            except TimeoutError:
                return _("The {name} process has stalled.", name=self._part)
            now_s = time.monotonic()
            if now_s >= self._expected_s:
                return _("The {name} process has stalled.", name=self._part)
            if now_s >= quiet_at_s:
                quiet_at_s = self._expected_s
                if self._last_status.text:  # Otherwise it is still starting, and its line says so.
                    words = _("The {name} process doesn't answer. You can play on by tapping.", name=self._part)
                    self._tell(Status("down", words))
            left_s = min(quiet_at_s, self._expected_s) - now_s
            # If something is still unsent, the pipe is full: look again soon.
            ready = pipes.wait([ours, sentinel, self._awake], min(left_s, 0.05) if self._waiting() else left_s)
            if self._awake in ready:
                os.read(self._awake, 4096)
            if ours in ready:
                try:
                    message = receive(ours, LONGEST_STALL_S)
                except TimeoutError:
                    return _("The {name} process has stalled.", name=self._part)
                except (EOFError, OSError):
                    return self._why_it_ended()
                if quiet_at_s == self._expected_s and self._last_status.text:
                    self._tell(self._last_status)  # It was quiet and is back.
                now_s = time.monotonic()
                stall_s = stall_s or max(self._stall_s, min(now_s - began_s, LONGEST_STALL_S))
                self._expected_s, quiet_at_s = now_s + stall_s, now_s + self._quiet_s
                if isinstance(message, Status):
                    self._last_status = message
                self._tell(message)
            elif sentinel in ready:
                return self._why_it_ended()
        return ""

    def _why_it_ended(self) -> str:
        """A sentence on why the helper ended: its own last one if it was in trouble."""
        return (
            self._last_status.text
            if self._last_status.state == "down"
            else _("The {name} process has ended unexpectedly.", name=self._part)
        )

    def _send_what_fits(self, ours: Connection) -> None:
        """Sends commands as long as the pipe has room: a helper that stalls must not stall us."""
        while self._waiting() and select.select([], [ours], [], 0)[1]:
            with self._lock:
                command = self._commands[self._unsent.pop()] if self._unsent else self._errands.popleft()
            with contextlib.suppress(ConnectionError):  # It has just died.
                send(ours, command, LONGEST_STALL_S)

    def _waiting(self) -> bool:
        """Whether a command or an errand is still unsent."""
        return bool(self._unsent or self._errands)

    def _tell(self, message: Any) -> None:
        try:
            match message:
                case Heartbeat():
                    pass
                case Status(state, text):
                    self._on_status(self._part, state, text)
                case _:
                    self._on_message(message)
        except Exception:  # A callback may fail; the helper must be supervised all the same.
            log.exception("a message of the %s process could not be used", self._part)

    def _end(self, helper: Helper, ours: Connection) -> None:
        with contextlib.suppress(OSError):
            if select.select([], [ours], [], 0)[1]:
                send(ours, Stop(), 0.0)
        ours.close()
        helper.end(STOP_S if self._stopping.is_set() else 0)
