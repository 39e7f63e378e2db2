"""Keeps one helper process alive: starts it, restarts it when it dies or stalls, and never leaves it behind.

The helper is a function, given as itself or as "package.module:function". It is called in a fresh interpreter with its
end of a pipe and the arguments. It sends plain values: `Heartbeat` while it makes progress, `Status` for people; all
others are messages. It gets commands the same way, `Stop` among them.
"""

import contextlib
import logging
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
from companion.sensing.process_messages import Heartbeat, Status, Stop
from companion.words import _

QUIET_S = 2.5  # People are told then; the camera's process gives two signs of life a second.
STALL_S = 6.0  # The helper is restarted then: a busy machine gets time.
# A slow machine gets as long as it took to the first sign of life, which is known of each life: for an emulated Pi that
# is half a minute. It gets no longer than this, as the start may have been slow for another reason.
LONGEST_STALL_S = 20.0
START_S = 60.0  # A Pi Zero loads numpy and the model for a while before its first sign of life.
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0  # The wait doubles with each restart.
STEADY_S = 60.0  # After so long a life the wait is the first one again.
STOP_S = 2.0
MOST_ERRANDS = 16  # Older errands of a busy helper are out of date.
GRACE_S = 10.0  # A supervisor that has not replaced its helper by then counts as dead.

log = logging.getLogger(__name__)


OnMessage = Callable[[Any], None]
OnStatus = Callable[[str, str, str], None]


class Supervisor:
    """Owns one helper process, from `start` to `stop`. Both callbacks are called on the supervisor's thread.

    target      "package.module:function", or the function
    on_message  called with every message of the helper but heartbeats and statuses
    on_status   called with (name, state, sentence)
    start       starts the process: as a child of this one, or of one that may open more

    The newest command of each kind is kept, and sent again to a restarted helper; errands are not.
    """

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
    ) -> None:
        self.name = name
        self._start_helper = start
        self._target = target
        self._arguments = arguments
        self._on_message = on_message
        self._on_status = on_status
        self._quiet_s = quiet_s
        self._stall_s = stall_s
        self._last_status = Status("ok", "")
        self._start_s = start_s
        self._first_wait_s = first_wait_s
        self._longest_wait_s = longest_wait_s
        self._lock = threading.Lock()
        self._commands: dict[type, Any] = {}
        self._unsent: set[type] = set()
        self._errands: deque[Any] = deque(maxlen=MOST_ERRANDS)
        self._stopping = threading.Event()
        self._awake, wake = os.pipe()
        os.set_blocking(wake, False)
        self._wake: int | None = wake  # None: it is closed, and its number may be another file's.
        self._thread = threading.Thread(target=self._run, name=f"supervisor of the {name}", daemon=True)
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
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether the helper makes progress or is about to be replaced."""
        return self._thread.is_alive() and time.monotonic() < self._expected_s + GRACE_S

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
            self._thread.join()
        with self._lock:
            wake, self._wake = self._wake, None
        if wake is not None:
            os.close(wake)
            os.close(self._awake)

    def _rouse(self) -> None:
        with self._lock, contextlib.suppress(BlockingIOError):  # The pipe is full: its reader is about to wake anyway.
            if self._wake is not None:
                os.write(self._wake, b"!")

    def _run(self) -> None:
        wait_s = self._first_wait_s
        while not self._stopping.is_set():
            began_s = time.monotonic()
            sentence = self._live_one_life()
            if self._stopping.is_set():
                return
            log.warning("the %s process is started again: %s", self.name, sentence)
            if time.monotonic() - began_s > STEADY_S:
                wait_s = self._first_wait_s
            self._tell(
                Status(
                    "down",
                    _(
                        "{sentence} It restarts in {wait_s:g} s. You can play on by tapping.",
                        sentence=sentence,
                        wait_s=wait_s,
                    ),
                )
            )
            self._expected_s = time.monotonic() + wait_s
            self._stopping.wait(wait_s)
            wait_s = min(2 * wait_s, self._longest_wait_s)

    def _live_one_life(self) -> str:
        """Runs a helper from its start to its end; returns a sentence on how it ended."""
        try:
            ours, helper = self._start_helper(self.name, self._target, self._arguments)
        except OSError as error:
            return _("The {name} process can't be started ({error}).", name=self.name, error=error)
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
            self._send_what_fits(ours)
            now_s = time.monotonic()
            if now_s >= self._expected_s:
                return _("The {name} process has stalled.", name=self.name)
            if now_s >= quiet_at_s:
                quiet_at_s = self._expected_s
                if self._last_status.text:  # Otherwise it is still starting, and its line says so.
                    words = _("The {name} process doesn't answer. You can play on by tapping.", name=self.name)
                    self._tell(Status("down", words))
            left_s = min(quiet_at_s, self._expected_s) - now_s
            # If something is still unsent, the pipe is full: look again soon.
            ready = pipes.wait([ours, sentinel, self._awake], min(left_s, 0.05) if self._waiting() else left_s)
            if self._awake in ready:
                os.read(self._awake, 4096)
            if ours in ready:
                try:
                    message = ours.recv()
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
            else _("The {name} process has ended unexpectedly.", name=self.name)
        )

    def _send_what_fits(self, ours: Connection) -> None:
        """Sends commands as long as the pipe has room: a helper that stalls must not stall us."""
        while self._waiting() and select.select([], [ours], [], 0)[1]:
            with self._lock:
                command = self._commands[self._unsent.pop()] if self._unsent else self._errands.popleft()
            with contextlib.suppress(OSError):  # It has just died.
                ours.send(command)

    def _waiting(self) -> bool:
        """Whether a command or an errand is still unsent."""
        return bool(self._unsent or self._errands)

    def _tell(self, message: Any) -> None:
        try:
            match message:
                case Heartbeat():
                    pass
                case Status(state, text):
                    self._on_status(self.name, state, text)
                case _:
                    self._on_message(message)
        except Exception:  # A callback may fail; the helper must be supervised all the same.
            log.exception("a message of the %s process could not be used", self.name)

    def _end(self, helper: Helper, ours: Connection) -> None:
        with contextlib.suppress(OSError):
            if select.select([], [ours], [], 0)[1]:
                ours.send(Stop())
        ours.close()
        helper.end(STOP_S if self._stopping.is_set() else 0)
