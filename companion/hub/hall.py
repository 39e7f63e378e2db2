"""The tables of a hall as they are at this moment, by what they have said last."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from companion.changes import Live
from companion.clock import wall_us
from companion.errors import CompanionError
from companion.letters.keys import PublicOf
from companion.letters.live import Report, read_report, wall_us_of
from companion.letters.offer import Doing

HALL = "hall"  # This topic of `Live` says that a table is new or different.
HOLDS_US = 90_000_000
MOST_UNSIGNED = 50  # Enrolled tables are not limited.


class OnSign(Protocol):
    """Is told of a table's sign of life: `HubRecord.hear`."""

    def __call__(self, key: str, doing: Doing | None = None, said_us: int = 0, *, has_left: bool = False) -> object: ...


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TableState:
    """The newest state of one table.

    id          of the key that signed it, or "~" and the table's topic if none did
    heard_us    when it was said, by the hub's clock
    until_us    until when it holds, by the hub's clock
    zero_us     when the running clock shows zero, by the hub's clock; None while none runs
    began_us    when its game was begun, by the hub's clock; 0 if it does not say
    calls_us    since when it calls the staff, by the hub's clock; 0 if it does not
    """

    id: str
    topic: str
    report: Report
    heard_us: int
    until_us: int
    zero_us: int | None
    began_us: int = 0
    calls_us: int = 0

    @property
    def is_signed(self) -> bool:
        """Whether an enrolled table's key signed it."""
        return bool(self.report.key)

    def silent_us(self, now_us: int) -> int | None:
        """Since when this state is too old to be shown, None while it holds."""
        if self.report.left:
            return self.heard_us
        return self.heard_us if now_us > self.until_us else None


class Hall:
    """The newest state of every table. Thread-safe.

    live        is told of each change
    now_us      gives the wall time
    """

    def __init__(
        self,
        public_of: PublicOf,
        live: Live,
        now_us: Callable[[], int] = wall_us,
        on_sign: OnSign = lambda *_sign, **_more: None,
    ) -> None:
        """on_sign  is told of each message that an enrolled table signs now"""
        self._public_of, self._live, self._now_us, self._on_sign = public_of, live, now_us, on_sign
        self._lock = threading.Lock()
        self._states: dict[str, TableState] = {}

    def hear(self, topic: str, data: bytes, *, is_retained: bool) -> None:
        """Takes a message of the table with that topic. What is no state, or is older than the one shown, is ignored.

        is_retained whether the broker had kept it, so that it may have been said any time ago
        """
        try:
            report = read_report(data, self._public_of)
        except CompanionError as refusal:
            log.info("a message of table %s is ignored: %s", topic, refusal)
            return
        now_us = self._now_us()
        at_us = wall_us_of(report.at) if report.at else wall_us_of(report.until) - HOLDS_US
        heard_us = min(now_us, at_us) if is_retained else now_us
        holds_us = heard_us + HOLDS_US
        state = TableState(
            report.key or f"~{topic}",
            topic,
            report,
            heard_us,
            min(holds_us, wall_us_of(report.until)) if report.sure and is_retained else holds_us,
            heard_us + wall_us_of(report.clock) - at_us if report.clock else None,
            heard_us + wall_us_of(report.began) - at_us if report.began else 0,
            heard_us + wall_us_of(report.calls) - at_us if report.calls and report.key else 0,
        )
        if report.key and not is_retained:  # What a broker had kept is no sign of life.
            doing = Doing(session=report.session, over=report.over, wall_us=at_us, wall_sure=report.sure)
            self._on_sign(report.key, doing, at_us, has_left=report.left)
        with self._lock:
            newest = self._states.get(state.id)
            if newest and is_older(state, newest):
                return
            if newest is None and not state.is_signed and self._unsigned() >= MOST_UNSIGNED:
                return
            if state.is_signed:  # The table may have been enrolled since.
                self._states.pop(f"~{topic}", None)
            self._states[state.id] = state
        self._live.publish(HALL)

    def forget(self, key: str) -> None:
        """Forgets what the table with this key has said."""
        with self._lock:
            self._states.pop(key, None)
        self._live.publish(HALL)

    def all(self) -> dict[str, TableState]:
        """Id → the newest state, of every table."""
        with self._lock:
            return dict(self._states)

    def _unsigned(self) -> int:
        return sum(not state.is_signed for state in self._states.values())


def is_older(state: TableState, newest: TableState) -> bool:
    """Whether a state was said before the known one, which still holds: somebody sends it once more."""
    if not (state.report.at and newest.report.at) or state.heard_us > newest.until_us:
        return False
    return wall_us_of(state.report.at) < wall_us_of(newest.report.at)
