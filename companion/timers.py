"""What the clock brings: events that fall due, each recorded once, at its own time."""

import threading
from collections.abc import Callable
from dataclasses import replace

from companion.clock import Clock
from companion.contract import Due
from companion.table import Table

LONGEST_WAIT_S = 60.0  # wakes now and then even if nobody calls `again`
RETRY_S = 1.0  # before an event that could not be recorded (a full disk) is tried again


class Timers:
    """One thread that waits for the next `Due` of the running tables and hands it to the one door.

    It waits on the monotonic clock, so a wall clock that jumps changes nothing, and reckons from the state alone, so a
    restart in the middle of a round goes on from the right time.
    """

    def __init__(
        self, clock: Clock, tables: Callable[[], tuple[Table, ...]], fire: Callable[[Table, Due], bool]
    ) -> None:
        """tables     the tables whose clocks run
        fire       called on the timer's thread with each event that is due; whether it was recorded
        """
        self._clock = clock
        self._tables = tables
        self._fire = fire
        self._changed = threading.Condition()
        self._stopped = False
        self._stale = True
        self._thread = threading.Thread(target=self._run, name="timers", daemon=True)

    def start(self) -> None:
        """Begins to watch."""
        self._thread.start()

    def again(self) -> None:
        """Some table has changed: reckon again."""
        with self._changed:
            self._stale = True
            self._changed.notify()

    def stop(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._stale = False
            pending = [(due, table) for table in self._tables() if (due := due_of(table))]
            now_us = self._clock.now_us()
            ripe = [(due, table) for due, table in pending if due.at_us <= now_us]
            recorded = [self._fire(table, due) for due, table in ripe]
            if ripe and all(recorded):
                continue
            longest_us = round((RETRY_S if ripe else LONGEST_WAIT_S) * 1_000_000)
            wait_s = min([longest_us, *(due.at_us - now_us for due, _ in pending if due.at_us > now_us)]) / 1_000_000
            with self._changed:
                self._changed.wait_for(lambda: self._stale or self._stopped, wait_s)
                if self._stopped:
                    return


def due_of(table: Table) -> Due | None:
    """What the clock brings a game next, at which table time; None while nothing is awaited."""
    due = table.game.due(table.state)
    return due and replace(due, at_us=table.table_us(due.at_us))
