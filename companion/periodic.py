"""The threads of a program, all begun here: those that are meant to live, and those that do one thing and end.

A thread that is meant to live acts again and again. A round that fails is logged, and the next one follows, after a
longer wait each time. One that has ended all the same is begun again by `look_after`, which each program's first thread
calls. How all of them are is told by `health`.
"""

import contextlib
import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
SPREAD = 0.25
STEADY_S = 60.0  # A round that lasted so long before it failed was a good one.
HUNG_S = 60.0  # A slow disk needs less for a round.
STOP_S = 5.0
LONGEST_WAIT_S = 3_600.0  # Nobody can wait for ever without end.
LOOK_S = 1.0
MOST_FAILED = 5  # One whose rounds all fail is dead, too.

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Life:
    """How a thread that is meant to live is.

    lives       whether it runs, does not hang, and did not fail just now
    restarts    how often it was begun again
    trouble     why it was the last time, "" if it never was
    """

    name: str
    lives: bool
    restarts: int
    trouble: str


class PeriodicThread:
    """Calls `act` on a thread of its own, from `start` to `stop`.

    act         one round; returns the seconds until the next, or None to end
    first_s     until the first round
    pause_s     until the next round after one that failed; twice as long each time, up to longest_s
    hung_s      a round that takes longer hangs
    works       whether what the thread does is done, as far as only its owner knows
    is_needed   whether the program has to be started again where this does not live
    """

    in_a_row = 0
    """Rounds that failed, one after the other."""
    most_failed: float = MOST_FAILED
    """So many in a row, and it counts as dead."""
    tells_itself = False
    """Whether people hear from the part itself that it does not live."""

    def __init__(
        self,
        name: str,
        act: Callable[[], float | None],
        *,
        first_s: float = 0.0,
        pause_s: float = PAUSE_S,
        longest_s: float = LONGEST_PAUSE_S,
        hung_s: float = HUNG_S,
        works: Callable[[], bool] = lambda: True,
        is_needed: bool = False,
    ) -> None:
        self.thread_name, self._act, self._works, self.is_needed = name, act, works, is_needed
        self._pause_s, self._longest_s, self._hung_s = pause_s, max(pause_s, longest_s), hung_s
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._began_s = math.inf
        """When the present round began, in monotonic seconds."""
        self._is_down = self._is_over = False
        self._restarts = 0
        self._trouble = ""
        self._thread = self._thread_from(first_s)

    def start(self) -> None:
        self._thread.start()
        _begun[self] = None
        if self._is_over:
            _begun.pop(self, None)

    def again(self) -> None:
        """Begins the next round now, or right after the present one. One that failed waits all the same."""
        self._wake.set()

    def stop(self) -> None:
        """Ends the thread; waits up to STOP_S for the present round."""
        self._stopping.set()
        self._wake.set()
        _begun.pop(self, None)
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(STOP_S)

    def join(self, within_s: float | None = None) -> None:
        """Waits for a thread that ends by itself."""
        self._thread.join(within_s)

    @property
    def is_stopping(self) -> bool:
        """Whether `stop` was called: a long round may end early."""
        return self._stopping.is_set()

    def is_alive(self) -> bool:
        """Whether the thread runs, its present round does not hang, and not every round fails."""
        in_time = self._thread.is_alive() and time.monotonic() < self._began_s + self._hung_s
        return in_time and self.in_a_row < self.most_failed and self._works()

    @property
    def life(self) -> Life:
        return Life(self.thread_name, not self._is_down and self.is_alive(), self._restarts, self._trouble)

    def begin_again(self) -> None:
        """Begins a thread that has ended although nobody stopped it."""
        if not (self._thread.is_alive() or self.is_stopping or self._is_over):
            self._thread = self._thread_from(self._failed(None))
            self._thread.start()

    def on_failure(self, error: BaseException | None, wait_s: float) -> None:
        """Tells of a failure; the next round comes in so many seconds."""
        log.error("%s: a round failed, the next comes in %.2g s", self.thread_name, wait_s, exc_info=error)

    def _thread_from(self, wait_s: float) -> threading.Thread:
        return threading.Thread(target=self._run, args=(wait_s,), name=self.thread_name, daemon=True)

    def _run(self, first_s: float) -> None:
        wait_s: float | None = first_s
        while wait_s is not None:
            try:
                wait_s = self._go_round(wait_s)
            except BaseException as error:  # What ends other threads, as SystemExit, ends none of these.
                wait_s = self._failed(error)
        self._is_over = True
        _begun.pop(self, None)

    def _go_round(self, wait_s: float) -> float | None:
        if wait_s > 0:
            (self._stopping if self._is_down else self._wake).wait(min(wait_s, LONGEST_WAIT_S))
        self._wake.clear()
        if self.is_stopping:
            return None
        self._is_down, self._began_s = False, time.monotonic()
        wait_s_ = self._act()
        self._began_s, self.in_a_row = math.inf, 0
        return wait_s_

    def _failed(self, error: BaseException | None) -> float:
        """Notes a failure; returns the seconds to wait."""
        is_steady = time.monotonic() > self._began_s + STEADY_S
        self._is_down, self._began_s = True, math.inf
        self._restarts, self.in_a_row = self._restarts + 1, 1 if is_steady else self.in_a_row + 1
        self._trouble = type(error).__name__ if error else "ended"
        wait_s = spread(min(self._pause_s * 2.0 ** min(self.in_a_row - 1, 16), self._longest_s))
        self.on_failure(error, wait_s)
        return wait_s


_begun: dict[PeriodicThread, None] = {}


def begin(name: str, work: Callable[[], object]) -> None:
    """Does one thing on a thread of its own. Whatever comes of it is logged."""

    def do() -> None:
        try:
            work()
        except Exception:
            log.exception("%s failed", name)

    threading.Thread(target=do, name=name, daemon=True).start()


@contextlib.contextmanager
def within(seconds: float, end: Callable[[], object]) -> Iterator[None]:
    """Calls `end` on another thread if what is done here takes longer."""
    done = threading.Event()
    begin("deadline", lambda: done.wait(seconds) or end())
    try:
        yield
    finally:
        done.set()


@dataclass(frozen=True)
class Health:
    """How a program is: `status` is "ok", or "trouble" where a thread does not live that is meant to."""

    status: str
    threads: list[Life]


def health(*, says_why: bool = True) -> Health:
    """How the program is; those of one name are told as one. `trouble` is told only where `says_why`."""
    found: dict[str, Life] = {}
    for life in (each.life for each in tuple(_begun)):
        other = found.get(life.name, Life(life.name, True, 0, ""))
        lives, restarts = life.lives and other.lives, life.restarts + other.restarts
        trouble = (life.trouble or other.trouble) if says_why else ""
        found[life.name] = Life(life.name, lives, restarts, trouble)
    threads = list(found.values())
    return Health("ok" if all(life.lives for life in threads) else "trouble", threads)


def untold() -> list[str]:
    """The names of those that do not live, and of whom nobody else tells."""
    return list(dict.fromkeys(each.thread_name for each in tuple(_begun) if not (each.tells_itself or each.life.lives)))


def is_well() -> bool:
    """Whether all are alive without which the program must be started again."""
    return all(each.is_alive() for each in tuple(_begun) if each.is_needed)


def look_after() -> None:
    """Begins again whatever has ended although nobody stopped it."""
    for each in tuple(_begun):
        try:
            each.begin_again()
        except Exception:  # There are too many threads just now, perhaps.
            log.exception("%s cannot be begun again", each.thread_name)


def spread(seconds: float) -> float:
    """A wait that is a little shorter or longer each time, so that the tables of a hall do not all come at once."""
    return seconds * random.uniform(1 - SPREAD, 1 + SPREAD)
