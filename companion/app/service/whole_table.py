"""The whole table in one value, as a hall shows it."""

import datetime
from collections.abc import Callable
from typing import Any

from companion.clock import is_wall_sure
from companion.game.players import PlayerId
from companion.house.host import Host
from companion.journal.settings import TABLE_NAME
from companion.letters.outbox import Outbox
from companion.table.table import Table

STEADY_US = 500_000  # Two looks at one running clock differ by less.


class WholeTable:
    """Says what the table is like now, so that what is read of it belongs together.

    who     a player as they are called: by seat or by name
    """

    def __init__(self, host: Host, who: Callable[[Table, PlayerId], str]) -> None:
        self._host, self._who = host, who
        self._zero_us = 0

    def now(self, now_us: int) -> dict[str, Any]:
        """The state at a wall time, which is the same again while nothing has happened."""
        health = {part: line.state for part, line in sorted(self._host.status.lines.items())}
        always: dict[str, Any] = {
            "health": health,
            "name": TABLE_NAME.of(self._host.journal),
            "sure": is_wall_sure(),
            **self._letters(),
        }
        if self._host.staff.called_us:
            always["calls"] = moment(self._host.staff.called_us)
        active = self._host.active.session
        if active is None:
            always |= {"session": None, "game": None, "entry": 0, "over": False, "seats": [], "asks": 0, "clock": None}
            return always
        table = self._host.table(active)
        entry, state, awaited = table.seq, table.state, table.awaiting
        points = table.game.rules.score(state)
        seats = [
            {"player": self._who(table, player), "points": points[player], "turn": player in awaited}
            for player in table.session.players
        ]
        return {
            "session": active,
            "game": table.session.game,
            "entry": entry,
            "over": not table.is_played,
            "seats": seats,
            "asks": len(self._host.questions.of(active)),
            "clock": self._clock(table, now_us),
            "began": moment(table.session.created_wall_us),
            **always,
        }

    def _letters(self) -> dict[str, int]:
        """How many games a hub does not have yet; nothing for a table without one."""
        outbox = Outbox(self._host.journal)
        if not outbox.hub:
            return {}
        summary = outbox.summary()
        return {"waiting": summary.waiting, "refused": summary.not_taken}

    def _clock(self, table: Table, now_us: int) -> str | None:
        """When the running clock shows zero, None while none runs."""
        if (due := table.due) is None:
            return None
        zero_us = now_us + due.at_us - table.now_us()
        if abs(zero_us - self._zero_us) > STEADY_US:
            self._zero_us = zero_us
        return moment(self._zero_us, "milliseconds")


def moment(at_us: int, to: str = "seconds") -> str:
    """A wall time in ISO 8601, UTC, to the second."""
    when = datetime.datetime.fromtimestamp(at_us / 1e6, datetime.UTC)
    return when.isoformat(timespec=to)
