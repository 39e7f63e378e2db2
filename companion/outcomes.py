"""What every game of the house came to, worked out once for each of its entries and kept.

The kept outcome is no truth of its own: it names the rules and the newest hash it was worked out from, and is worked
out anew when either is another. Folding a thousand games for each look at a season would take a small board minutes.
"""

import contextlib
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from companion import games
from companion.errors import JournalUnusable
from companion.journal import Journal, digest_bytes
from companion.seasons import Outcome, Played
from companion.table import Table

SOURCES = (".py", ".toml")
RULES = Path(games.__file__).parent


@cache
def rules_hash() -> str:
    """Changes with every line of the games' rules: what another version worked out is not believed."""
    return digest_bytes(b"".join(path.read_bytes() for path in sorted(RULES.rglob("*.*")) if path.suffix in SOURCES))


class Header(msgspec.Struct):
    """What a season needs of a session's header."""

    session: str
    game: str
    players: list[str]
    created_wall_us: int


class Outcomes:
    """The outcomes in one journal. `table_of` opens a session's table."""

    def __init__(self, journal: Journal, table_of: Callable[[str], Table]) -> None:
        self._journal = journal
        self._table_of = table_of
        self._lock = threading.Lock()  # one page at a time works them out

    def all(self) -> tuple[Played, ...]:
        """Every game, newest first."""
        with self._lock:
            rows = self._journal.select(
                """
                SELECT header, coalesce(
                    (SELECT hash FROM entries WHERE session = sessions.id ORDER BY seq DESC LIMIT 1), hash
                ), outcomes.of, outcomes.outcome
                FROM sessions LEFT JOIN outcomes ON outcomes.session = sessions.id
                ORDER BY created_wall_us DESC, sessions.id
                """
            )
            return tuple(self._played(*row) for row in rows)

    def _played(self, text: str, newest: str, of: str | None, kept: str | None) -> Played:
        header = msgspec.json.decode(text, type=Header)
        stands_for = f"{rules_hash()} {newest}"
        if kept is not None and of == stands_for:
            outcome = msgspec.json.decode(kept, type=Outcome)
        else:
            outcome = outcome_of(self._table_of(header.session))
            # a disk that cannot be written says so on every page; a season can still be looked at
            with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
                db.execute(
                    "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)",
                    (header.session, stands_for, msgspec.json.encode(outcome).decode()),
                )
        return Played(header.session, header.game, tuple(header.players), header.created_wall_us, outcome)


def outcome_of(table: Table) -> Outcome:
    """What a game comes to as it stands."""
    game, state = table.game, table.state
    return Outcome(game.is_over(state), dict(game.score(state)), game.winners(state))
