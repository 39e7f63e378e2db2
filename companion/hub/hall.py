"""The tables of a hall as they are at this moment, by what they have said last."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from companion.changes import Live
from companion.clock import wall_us
from companion.errors import CompanionError
from companion.letters.envelope import PublicOf
from companion.letters.live import Told, read, wall_us_of

HALL = "hall"  # the topic of `Live` that says that a table is new or different
HOLDS_US = 90_000_000  # how long a state holds after it was said
MOST_UNSIGNED = 50  # tables that nobody enrolled; the hub's own are as many as were enrolled

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Heard:
    """The newest state of one table.

    id          of the key that signed it, or "~" and the table's topic if none did
    heard_us    when it was said, by the hub's clock
    until_us    until when it holds, by the hub's clock
    zero_us     when the running clock shows zero, by the hub's clock; None while none runs
    began_us    when its game was begun, by the hub's clock; 0 if it does not say
    calls_us    since when it calls the staff, by the hub's clock; 0 if it does not
    left_us     when the broker said that the table has left; None if it has not
    """

    id: str
    topic: str
    told: Told
    heard_us: int
    until_us: int
    zero_us: int | None
    began_us: int = 0
    calls_us: int = 0
    left_us: int | None = None

    @property
    def is_signed(self) -> bool:
        """Whether an enrolled table's key signed it."""
        return bool(self.told.key)

    def silent_us(self, now_us: int) -> int | None:
        """Since when nothing is known of the table, None while its state holds."""
        if self.left_us is not None:
            return self.left_us
        return self.heard_us if now_us > self.until_us else None


class Hall:
    """The newest state of every table. Thread-safe.

    live        is told of each change
    now_us      gives the wall time
    """

    def __init__(self, public_of: PublicOf, live: Live, now_us: Callable[[], int] = wall_us) -> None:
        self._public_of, self._live, self._now_us = public_of, live, now_us
        self._lock = threading.Lock()
        self._heard: dict[str, Heard] = {}

    def hear(self, topic: str, data: bytes, *, kept: bool) -> None:
        """Takes a message of the table with that topic. What is no state, or is older than the one shown, is ignored.

        kept    whether the broker had kept it, so that it may have been said any time ago
        """
        try:
            told = read(data, self._public_of)
        except CompanionError as refusal:
            log.info("a message of table %s is ignored: %s", topic, refusal)
            return
        now_us = self._now_us()
        at_us = wall_us_of(told.at) if told.at else wall_us_of(told.until) - HOLDS_US
        heard_us = min(now_us, at_us) if kept else now_us
        holds_us = heard_us + HOLDS_US
        heard = Heard(
            told.key or f"~{topic}",
            topic,
            told,
            heard_us,
            min(holds_us, wall_us_of(told.until)) if told.sure else holds_us,
            heard_us + wall_us_of(told.clock) - at_us if told.clock else None,
            heard_us + wall_us_of(told.began) - at_us if told.began else 0,
            heard_us + wall_us_of(told.calls) - at_us if told.calls and told.key else 0,
        )
        with self._lock:
            known = self._heard.get(heard.id)
            if known and is_older(heard, known):
                return
            if known is None and not heard.is_signed and self._unsigned() >= MOST_UNSIGNED:
                return
            if heard.is_signed:  # it was enrolled since
                self._heard.pop(f"~{topic}", None)
            self._heard[heard.id] = heard
        self._live.publish(HALL)

    def leave(self, topic: str) -> None:
        """The broker says that the table with that topic has left."""
        with self._lock:
            for heard in self._heard.values():
                if heard.topic == topic and heard.left_us is None:
                    self._heard[heard.id] = Heard(**{**vars(heard), "left_us": self._now_us()})
                    break
            else:
                return
        self._live.publish(HALL)

    def forget(self, key: str) -> None:
        """Forgets what the table with this key has said."""
        with self._lock:
            self._heard.pop(key, None)
        self._live.publish(HALL)

    def all(self) -> dict[str, Heard]:
        """Id → the newest state, of every table."""
        with self._lock:
            return dict(self._heard)

    def _unsigned(self) -> int:
        return sum(not heard.is_signed for heard in self._heard.values())


def is_older(heard: Heard, known: Heard) -> bool:
    """Whether a state was said before the known one, which still holds: somebody sends it once more."""
    if not (heard.told.at and known.told.at) or heard.heard_us > known.until_us:
        return False
    return wall_us_of(heard.told.at) < wall_us_of(known.told.at)
