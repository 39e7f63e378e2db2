"""Threads that answer requests. Python's own pool would not replace one that has ended."""

import math
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

from companion.periodic import PeriodicThread

PAUSE_S = 0.01


class Workers(Executor):
    """Does one work after the other on threads, of which there are as many as were busy at once, `most` at most."""

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._threads: list[PeriodicThread] = []
        self._works: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._undone = 0
        self._is_over = False
        self._changed = threading.Condition()

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._changed:
            self._undone += 1
            self._works.append((future, partial(work, *arguments, **named)))
            self._changed.notify()
            if len(self._threads) < min(self._undone, self._most):
                self._begin_one()
        return future

    def _begin_one(self) -> None:
        """Begins a thread more; raises RuntimeError where the system allows none and there is no other."""
        new = PeriodicThread(self._name, self._do_next, pause_s=PAUSE_S, hung_s=math.inf)
        try:
            new.start()
        except RuntimeError:
            new.stop()
            if not self._threads:
                self._works.pop()
                self._undone -= 1
                raise
        else:
            self._threads.append(new)

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = False) -> None:
        """Ends each thread once it has nothing to do."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _do_next(self) -> float | None:
        with self._changed:
            self._changed.wait_for(lambda: self._works or self._is_over)
            if not self._works:
                return None
            future, work = self._works.popleft()
        try:
            if future.set_running_or_notify_cancel():
                future.set_result(work())
        except BaseException as error:  # Whoever waits for the work hears of it.
            future.set_exception(error)
        finally:
            with self._changed:
                self._undone -= 1
        return 0.0
