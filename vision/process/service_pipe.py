"""One end of the pipe between the service and a process with a camera: commands come in, and signs of life go out."""

import contextlib
import math
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from companion.clock import monotonic_us
from companion.game.readings import EncodePhoto, Glance, Kind, Photograph, ReadPhoto, Watching
from companion.game.readings.deck import UseDeck
from companion.game.readings.mat import UseScene
from companion.periodic import begin
from companion.sensing.process_messages import ClockOffset, Heartbeat, PicturePiece, Status, Stop
from companion.words import _

PULSE_S = 0.5  # Signs of life are so far apart.
SLOW_S = 2.0  # After this people are told that the camera takes its time to open.
SLOW = _("The camera is taking a long time to open. You can play on by tapping.")

T = TypeVar("T")


class Stopped(Exception):
    """The service asked this process to end."""


class ServicePipe:
    """This process's end of the pipe: sends messages, and receives commands while it waits.

    A thread gives signs of life as long as the loop's next step takes no longer than `expect` allows; time in `wait`
    does not count. A hanging camera hangs within OpenCV, and a recording on a network share within the kernel. Only the
    end of the process helps then, and the service starts another.
    """

    def __init__(self, connection: Connection, offset_us: int, give_up: Callable[[int], object] = os._exit) -> None:
        self.give_up = give_up
        self.came_us = monotonic_us()  # A command last came in then.
        self.has_news = (
            False  # One has come, also in a wait, since whoever applies them has said that they are applied.
        )
        self._connection = connection
        # The commands are by kind; what came last stands last.
        self._newest: dict[type, Any] = {ClockOffset: ClockOffset(offset_us)}
        self._errands: list[tuple[Any, int]] = []  # They are not yet taken, and stand with the time since when.
        self._lock = threading.Lock()  # A pipe takes one sender at a time.
        self._last_status: Status | None = None
        self._until_us: int | None = None
        self._sentence = ""
        self._slow_us: int | None = None
        self._ended = threading.Event()
        begin("pulse", self._pulse)

    def close(self) -> None:
        """Stops the signs of life."""
        self._ended.set()

    def send(self, message: Any) -> None:
        """Sends a plain value to the service."""
        with self._lock:
            if isinstance(message, Status):
                self._last_status = message
            self._connection.send(message)

    def report(self, status: Status) -> None:
        """Sends the camera's status if it is new."""
        if status != self._last_status:
            self.send(status)

    def expect(self, seconds: float | None, sentence: str = "", *, is_opening: bool = False) -> None:
        """Limits the next step to so many seconds, None for no limit; later `sentence` is sent and the process ends.

        is_opening  whether people are told after SLOW_S that it takes long
        """
        self._slow_us = monotonic_us() + round(SLOW_S * 1_000_000) if is_opening else None
        self._sentence = sentence
        self._until_us = None if seconds is None else monotonic_us() + round(seconds * 1_000_000)

    def wait(self, seconds: float) -> None:
        """Waits for so many seconds, or until a command comes, which is received."""
        until_us, since_us = self._until_us, monotonic_us()
        self._until_us = None
        is_command = self._connection.poll(seconds)
        if until_us is not None:
            self._until_us = until_us + monotonic_us() - since_us
        if is_command:
            self.receive()

    def receive(self) -> None:
        """Receives every command that has come; raises Stopped for Stop."""
        while self._connection.poll():
            self.has_news = True
            self.came_us = monotonic_us()
            match self._connection.recv():
                case Stop():
                    raise Stopped
                case Glance() | PicturePiece() | ReadPhoto() | EncodePhoto() as errand:
                    self._errands.append((errand, self.came_us))
                case Photograph() | UseDeck() | UseScene() as errand:  # Only the newest counts.
                    self.take(type(errand))
                    self._errands.append((errand, self.came_us))
                case command:
                    self._newest.pop(type(command), None)
                    self._newest[type(command)] = command

    def newest(self, kind: Any, default: T) -> T:
        """The newest command of this kind, or of one of these kinds."""
        return next((command for command in reversed(self._newest.values()) if isinstance(command, kind)), default)

    def take(self, kind: type[T], is_due: Callable[[int], bool] = lambda _since_us: True) -> list[T]:
        """Takes the errands of this kind that are due, by when they came."""

        def is_wanted(errand: tuple[Any, int]) -> bool:
            return isinstance(errand[0], kind) and is_due(errand[1])

        commands = [command for command, _since_us in filter(is_wanted, self._errands)]
        self._errands = [errand for errand in self._errands if not is_wanted(errand)]
        return commands

    def awaits(self, kind: type) -> bool:
        """Whether an errand of this kind is left to do."""
        return any(isinstance(errand, kind) for errand, _since_us in self._errands)

    @property
    def has_errands(self) -> bool:
        """Whether any errand is left to do."""
        return bool(self._errands)

    @property
    def watching(self) -> Watching:
        """What the service wants to be read."""
        return self.newest(Watching, Watching(Kind.DICE))

    @property
    def offset_us(self) -> int:
        """See ClockOffset."""
        return self.newest(ClockOffset, ClockOffset(0)).offset_us

    def _until_next_s(self) -> float:
        """The time to the next sign of life, or to when something is to be said if that comes first."""
        due_us = [at_us for at_us in (self._slow_us, self._until_us) if at_us is not None]
        left_us = min(due_us) - monotonic_us() + 1 if due_us else math.inf
        return max(0.0, min(PULSE_S, left_us / 1_000_000))

    def _pulse(self) -> None:
        with contextlib.suppress(OSError):  # The service has gone, and this process ends with it.
            while not self._ended.wait(self._until_next_s()):
                until_us, slow_us = self._until_us, self._slow_us
                if slow_us is not None and monotonic_us() > slow_us:
                    self._slow_us = None
                    self.send(Status("down", SLOW))
                if until_us is not None and monotonic_us() > until_us:
                    self.send(Status("down", self._sentence))
                    self.give_up(1)
                    return
                self.send(Heartbeat())
