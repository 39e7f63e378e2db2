"""The outcome of every game of the house, worked out once for each newest entry and stored.

What is kept is no truth of its own: it names the rules and the newest hash it was worked out from, and is worked out
anew when either is another. Folding a thousand games for each look at a season or a list would take a small board
minutes.
"""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

import msgspec

from companion import equipment, games
from companion.errors import GameUnreadable, JournalUnusable
from companion.game.dice import Thrown
from companion.game.players import PlayerId
from companion.house.seasons import Outcome, Played
from companion.journal.events import timeline
from companion.journal.record import digest_bytes
from companion.journal.store import Journal
from companion.table.table import Table

SOURCES = (".py", ".toml")
RULES = tuple(Path(str(package.__file__)).parent for package in (equipment, games))
FORMAT = 2  # of what is kept: with every change to `StoredOutcome` what was kept before is worked out anew
NOTHING = Outcome(False, {}, ())


@cache
def rules_hash() -> str:
    """Changes with every line of the games and of their equipment: what another version worked out is not believed."""
    files = (path for folder in RULES for path in sorted(folder.rglob("*.*")) if path.suffix in SOURCES)
    return digest_bytes(b"".join(path.read_bytes() for path in files))


@dataclass(frozen=True)
class StoredOutcome:
    """The facts that a list of games, a season and the statistics of the dice need of a game as it stands.

    colours     of each player's own pieces
    thrown      each face of a die that came, and how often
    """

    outcome: Outcome
    colours: Mapping[PlayerId, str]
    thrown: tuple[tuple[Thrown, int], ...]


@dataclass(frozen=True)
class Listed:
    """One game of the house as it stands: its header's text, and the number of its newest entry.

    kept        None for a game that this version cannot read
    unreadable  why, else ""
    """

    header: str
    seq: int
    kept: StoredOutcome | None
    unreadable: str = ""


class Header(msgspec.Struct):
    """The part of a session's header that lists need, whichever version wrote it."""

    session: str
    game: str
    players: list[str]
    created_wall_us: int
    preset: str = ""
    locked: bool = False


LISTED = """
    SELECT header, coalesce(last.seq, 0), coalesce(last.hash, sessions.hash), outcomes.of, outcomes.outcome
    FROM (SELECT * FROM sessions {which}) AS sessions
    LEFT JOIN entries AS last ON last.session = sessions.id
        AND last.seq = (SELECT max(seq) FROM entries WHERE session = sessions.id)
    LEFT JOIN outcomes ON outcomes.session = sessions.id
    ORDER BY created_wall_us DESC, sessions.id
"""
NEWEST = LISTED.format(which="ORDER BY created_wall_us DESC, id LIMIT ?")  # SQLite takes a limit of -1 for none
NAMED = LISTED.format(which="WHERE id IN (SELECT value FROM json_each(?))")


class Outcomes:
    """The outcomes in one journal.

    table_of    opens a session's table
    open_table  the table of a session that is open already: what it comes to is asked there once for each entry, and
                written nowhere, so that nobody who looks on waits for the disk at each entry of a running game
    """

    def __init__(
        self, journal: Journal, table_of: Callable[[str], Table], open_table: Callable[[str], Table | None]
    ) -> None:
        self._journal = journal
        self._table_of = table_of
        self._open_table = open_table
        self._lock = threading.Lock()  # one page at a time folds
        # table → (hash of the entry at which it was worked out, outcome)
        self._of_open: WeakKeyDictionary[Table, tuple[str, StoredOutcome]] = WeakKeyDictionary()

    def all(self) -> tuple[Played, ...]:
        """Every game, newest first."""
        return tuple(played(one) for one in self.newest())

    def newest(self, count: int | None = None) -> tuple[Listed, ...]:
        """Every game, or the newest so many, newest first."""
        return self._listed(NEWEST, -1 if count is None else count)

    def of(self, sessions: Iterable[str]) -> tuple[Listed, ...]:
        """These games, newest first; what is no game of the house is left out."""
        return self._listed(NAMED, msgspec.json.encode(list(sessions)).decode())

    def _listed(self, query: str, which: int | str) -> tuple[Listed, ...]:
        found, fresh = [], []
        for header, seq, newest, of, kept in self._journal.select(query, (which,)):
            stands_for = f"{FORMAT} {rules_hash()} {newest}"
            if kept is not None and of == stands_for:
                found.append(Listed(header, seq, msgspec.json.decode(kept, type=StoredOutcome)))
                continue
            session = msgspec.json.decode(header, type=Header).session
            try:
                worked_out, is_folded = self._worked_out(session)
            except GameUnreadable as why:
                found.append(Listed(header, seq, None, why.sentence))
                continue
            if is_folded:
                fresh.append((session, stands_for, msgspec.json.encode(worked_out).decode()))
            found.append(Listed(header, seq, worked_out))
        if fresh:  # all at once: whoever looks waits for the disk once
            # a disk that cannot be written says so on every page; a season can still be looked at
            with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
                db.executemany("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)", fresh)
        return tuple(found)

    def _worked_out(self, session: str) -> tuple[StoredOutcome, bool]:
        """The outcome to store of a game, and whether the game had to be folded for it."""
        with self._lock:
            table = self._open_table(session)
            if table is None:
                return stored_outcome(self._table_of(session)), True
            stands_for = table.fingerprint  # first: what is worked out may then be newer than it says, and never older
            known = self._of_open.get(table)
            if known is None or known[0] != stands_for:
                known = self._of_open[table] = (stands_for, stored_outcome(table))
            return known[1], False


def played(one: Listed) -> Played:
    """A game as far as a season is concerned."""
    header = msgspec.json.decode(one.header, type=Header)
    outcome = one.kept.outcome if one.kept else NOTHING
    return Played(header.session, header.game, tuple(header.players), header.created_wall_us, outcome, one.unreadable)


def stored_outcome(table: Table) -> StoredOutcome:
    """The outcome to store of a game as it stands now."""
    game, state = table.game, table.state
    outcome = Outcome(game.is_over(state), dict(game.score(state)), game.winners(state))
    return StoredOutcome(outcome, dict(game.colours(state)), tuple(Counter(thrown_in(table)).items()))


def thrown_in(table: Table) -> Iterator[Thrown]:
    """Every die thrown in a game, as it counts now."""
    for step in timeline(table.entries):
        yield from table.game.thrown(step.event, table.session.options)
