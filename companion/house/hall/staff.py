"""The staff of the hall, as a table knows them: what they have it ring, and whether it calls them."""

import time
from collections.abc import Callable

from companion.clock import wall_us
from companion.errors import BadInput
from companion.house.status import Status
from companion.letters.offer import CHIME_SENTENCES, COMES, UNKNOWN_CHIME, Chime
from companion.words import _

PART = "staff"
SENTENCE_S = 60.0


class HallStaff:
    """What the staff say is a line of the status for a minute; a call lasts until they come, or it is taken back.

    chime       what was rung last, None for nothing in this minute
    called_us   since when this table calls them, a wall time; 0 if it does not
    """

    def __init__(self, status: Status, ring: Callable[[], None], now_s: Callable[[], float] = time.monotonic) -> None:
        """ring     has the box ring"""
        self._status, self._ring, self._now_s = status, ring, now_s
        self._chime_id, self._until_s = "", 0.0
        self.chime: Chime | None = None
        self.called_us = 0

    def hear(self, chime: Chime | None) -> None:
        """Rings what the hub of this table has it ring, once for each id."""
        if chime is None or chime.id == self._chime_id:
            return
        self._chime_id, self._until_s, self.chime = chime.id, self._now_s() + SENTENCE_S, chime
        if chime.what == COMES:
            self.called_us = 0
        self._status.clear(PART)  # The same sentence is news again.
        self._status.set(PART, "note", _(CHIME_SENTENCES.get(chime.what, UNKNOWN_CHIME)))
        self._ring()

    def forget_old(self) -> None:
        """Takes away what was rung a minute ago."""
        if self.chime and self._now_s() >= self._until_s:
            self.chime = None
            self._status.clear(PART)

    @property
    def can_be_called(self) -> bool:
        """Whether the hall shows this table live, and so hears its call."""
        lines = self._status.lines
        return (
            "hub" in lines
            and lines["hub"].state != "down"
            and any(part in lines and lines[part].state == "ok" for part in ("hall", "mqtt"))
        )

    def call(self) -> None:
        """Calls them, until they come; raises BadInput where nobody would hear it."""
        if not self.can_be_called:
            raise BadInput(_("The hall doesn't hear this table now. Go to its staff."))
        self.called_us = self.called_us or wall_us()
        self._status.changed()

    def call_off(self) -> None:
        self.called_us = 0
        self._status.changed()
