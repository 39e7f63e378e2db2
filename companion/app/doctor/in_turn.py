"""The checks of `companion doctor` one after another, each with a time limit, in a process that can be given up.

A driver may hang, a library may crash, and threads that they leave behind may keep a process from ending. So the
checks run in a child, and this process imports nothing of theirs: it says what the child tells it, and ends.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe
from typing import NoReturn, Self

from companion.app.doctor.checks import Check, Light, Part, Table
from companion.errors import CompanionError
from companion.journal.files import out_of_reach

TOGETHER_S = 16.0  # Without a camera the last line must come within half a minute.
LEAST_S = 1.0  # Each part gets it, even when the shared time is used up.
LEAVE_S = 0.5  # A part that is given up may put away what it has made; one that hangs in the kernel keeps nobody.


class Allowance:
    """How long each part may take: as long as its own limit, while the time that all parts share is not used up.

    patience    times every limit, for a machine that is slow or busy
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._left_s = TOGETHER_S * patience

    def of(self, part: Part) -> float:
        """Seconds that this part may take now."""
        limit_s = part.limit_s * self._patience
        return limit_s if part.waits_for_a_camera else min(limit_s, max(self._left_s, LEAST_S * self._patience))

    def take(self, part: Part, took_s: float) -> None:
        """Takes from the shared time what a part has used of it."""
        if not part.waits_for_a_camera:
            self._left_s -= took_s


def run_in_turn(
    parts: Sequence[Part], table: Table, patience: float, begins: Callable[[Part], None] = lambda _part: None
) -> Iterator[Check]:
    """The result of each part, as soon as it is known; `begins` hears of each before it starts."""
    allowance = Allowance(patience)
    remaining = list(parts)
    while remaining:
        with Child(remaining, table) as child:
            while remaining and child.goes_on:
                part = remaining.pop(0)
                begins(part)
                limit_s, began_s = allowance.of(part), time.monotonic()
                yield child.result(part, limit_s)
                allowance.take(part, time.monotonic() - began_s)


class Child:
    """A process that runs these parts in turn. It is ended with the `with` block, whatever it does."""

    def __init__(self, parts: Sequence[Part], table: Table) -> None:
        self._parts = tuple(parts)
        self._table = table
        self.goes_on = True

    def __enter__(self) -> Self:
        self._results, results = Pipe(duplex=False)
        self._pid = os.fork()  # A Pi takes long to import, and a fork has everything.
        if self._pid == 0:
            self._results.close()
            tell(self._parts, self._table, results)
        results.close()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._results.close()
        if self.goes_on:  # The child has told everything.
            os.kill(self._pid, signal.SIGKILL)
        else:
            os.kill(self._pid, signal.SIGTERM)
            if not self._has_ended():
                os.kill(self._pid, signal.SIGKILL)
        self._has_ended()

    def result(self, part: Part, limit_s: float) -> Check:
        """What the part says; after `limit_s`, or when the process dies of it, a red light that says so."""
        if not self._results.poll(limit_s):
            self.goes_on = False
            return Check(
                part.name, Light.RED, f"This took longer than {limit_s:.0f} s and was given up: {part.advice}."
            )
        try:
            check_ = self._results.recv()
        except EOFError:
            self.goes_on = False
            return Check(part.name, Light.RED, "The test itself crashed: please report this sentence.")
        assert isinstance(check_, Check)
        return check_

    def _has_ended(self) -> bool:
        until_s = time.monotonic() + LEAVE_S
        while time.monotonic() < until_s:
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                    time.sleep(0.01)
                    continue
            return True
        return False


def tell(parts: Sequence[Part], table: Table, results: Connection) -> NoReturn:
    """The child: sends the result of each part, and ends without a look back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent hears it, and ends this process.
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit())
    with contextlib.suppress(SystemExit, BrokenPipeError):
        for part in parts:
            results.send(run_check(part.name, part.check, table))
    os._exit(0)


def run_check(name: str, check: Callable[[Table], tuple[Light, str]], table: Table) -> Check:
    """The result of one check; an error makes it red."""
    try:
        return Check(name, *check(table))
    except CompanionError as refusal:
        return Check(name, Light.RED, str(refusal))
    except Exception as error:  # An error must not end the self-test.
        sentence = out_of_reach(error) if isinstance(error, OSError) else ""
        return Check(name, Light.RED, sentence or f"The test itself failed ({error!r}): please report this sentence.")
