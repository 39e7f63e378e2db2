"""Events that fall due by the clock: each is recorded once, at its own time."""

from collections.abc import Callable
from dataclasses import replace

from companion.clock import Clock
from companion.game.events import Due
from companion.logs import only_logged
from companion.periodic import PAUSE_S, PeriodicThread
from companion.table.table import Table

LONGEST_WAIT_S = 60.0  # The thread is awake at least this often, even if nobody calls `again`.
RETRY_S = 1.0  # An event that could not be recorded (a full disk) waits so long for the next try.


class Timers(PeriodicThread):
    """One thread that waits for the next `Due` of the running tables and hands it to the one door.

    It waits on the monotonic clock, so a jump of the wall clock changes nothing. It computes the next due time from the
    state alone, so after a restart in the middle of a round the time is still right.
    """

    def __init__(
        self, clock: Clock, tables: Callable[[], tuple[Table, ...]], fire: Callable[[Table, Due[object]], bool]
    ) -> None:
        """tables     the tables whose clocks run
        fire       called on the timer's thread with each event that is due; returns whether it was recorded
        """
        super().__init__("timers", self._fire_due, longest_s=PAUSE_S, is_needed=True)
        self._clock = clock
        self._tables = tables
        self._fire = fire

    def _fire_due(self) -> float:
        pending = [(due, table) for table in self._tables() if (due := due_of(table))]
        now_us = self._clock.now_us()
        now_due = [(due, table) for due, table in pending if due.at_us <= now_us]
        recorded = [self._try_fire(table, due) for due, table in now_due]
        if now_due and all(recorded):
            return 0.0
        longest_us = round((RETRY_S if now_due else LONGEST_WAIT_S) * 1_000_000)
        return min([longest_us, *(due.at_us - now_us for due, _ in pending if due.at_us > now_us)]) / 1_000_000

    def _try_fire(self, table: Table, due: Due[object]) -> bool:
        with only_logged(f"what fell due in game {table.session.id}"):
            return self._fire(table, due)
        return False


def due_of(table: Table) -> Due[object] | None:
    """The next event that the clock brings to a game, with its table time, or None.

    An error in the game is logged and gives None, so that it stops no other game's clock.
    """
    with only_logged(f"the clock of game {table.session.id}"):
        due = table.due
        return due and replace(due, at_us=table.table_us(due.at_us))
    return None
