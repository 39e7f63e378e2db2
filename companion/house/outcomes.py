"""The outcome of every game of the house, computed once for each newest entry and stored.

A stored outcome is only a cache: it names the rules and the newest hash it was computed from, and is computed anew when
either has changed. Without it, a page of a season with a thousand games would take a small board minutes.
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
from companion.foreign import read_json
from companion.game.dice import Thrown
from companion.game.players import PlayerId
from companion.house.seasons import Outcome, Played
from companion.journal.events import timeline
from companion.journal.record import digest_bytes
from companion.journal.rules_digest import rules_digest
from companion.journal.store import Journal
from companion.shelf import PACKAGES
from companion.table.standing import resting
from companion.table.table import Table

SOURCES = (".py", ".toml")
RULES = tuple(Path(str(package.__file__)).parent for package in (equipment, games))
FORMAT = 5  # Raise it with every change of `StoredOutcome`, so that all are computed anew.
NOTHING = Outcome(False, {}, (), ())


@cache
def rules_hash() -> str:
    """A hash of all files of the games and their equipment, so that outcomes of other versions do not count."""
    files = (path for folder in RULES for path in sorted(folder.rglob("*.*")) if path.suffix in SOURCES)
    brought = (f"{package} {rules_digest(game)}".encode() for game, package in PACKAGES.items())
    return digest_bytes(b"".join((*(path.read_bytes() for path in files), *brought)))


@dataclass(frozen=True)
class StoredOutcome:
    """The outcome of a game as it stands, for the list of games, seasons and the statistics of the dice.

    colours     player → colour of the player's pieces
    thrown      each face that was thrown, and how often
    ended_early whether the players stopped before the rules ended it; it is not over then
    """

    outcome: Outcome
    colours: Mapping[PlayerId, str]
    thrown: tuple[tuple[Thrown, int], ...]
    ended_early: bool = False


@dataclass(frozen=True)
class StoredGame:
    """One game of the house as it stands: its header's text, and the number of its newest entry.

    stored      None for a game that this version cannot read
    unreadable  why it cannot, else ""
    """

    header: str
    seq: int
    stored: StoredOutcome | None
    unreadable: str = ""


class Header(msgspec.Struct):
    """The fields of a session's header that lists need, readable from every version's headers."""

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
NEWEST = LISTED.format(which="ORDER BY created_wall_us DESC, id LIMIT ?")  # SQLite takes a limit of -1 for none.
# A game may have been deleted meanwhile.
KEEP = "INSERT OR REPLACE INTO outcomes SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?1)"
NAMED = LISTED.format(which="WHERE id IN (SELECT value FROM json_each(?))")


class Outcomes:
    """The outcomes in one journal.

    table_of    opens a session's table
    open_table  the table of a session if it is open already. Its outcome is computed once for each entry and not
                stored, so that no page of a running game waits for the disk.
    """

    def __init__(
        self, journal: Journal, table_of: Callable[[str], Table], open_table: Callable[[str], Table | None]
    ) -> None:
        self._journal = journal
        self._table_of = table_of
        self._open_table = open_table
        self._fold_lock = threading.Lock()
        self._open_outcomes: WeakKeyDictionary[Table, tuple[str, StoredOutcome]] = WeakKeyDictionary()
        """Table → the hash of its newest entry when the outcome was computed, and the outcome."""

    def all(self) -> tuple[Played, ...]:
        """Every game, newest first."""
        return tuple(played_game(game) for game in self.newest())

    def newest(self, count: int | None = None) -> tuple[StoredGame, ...]:
        """Every game, or only the `count` newest; newest first."""
        return self._listed(NEWEST, -1 if count is None else count)

    def of(self, sessions: Iterable[str]) -> tuple[StoredGame, ...]:
        """These games, newest first; ids of no game of the house are left out."""
        return self._listed(NAMED, msgspec.json.encode(list(sessions)).decode())

    def _listed(self, query: str, which: int | str) -> tuple[StoredGame, ...]:
        games, computed = [], []
        for header, seq, newest, of, stored in self._journal.select(query, (which,)):
            key = f"{FORMAT} {rules_hash()} {newest}"
            if stored is not None and of == key:
                games.append(StoredGame(header, seq, read_json(stored, StoredOutcome)))
                continue
            session = read_json(header, Header).session
            try:
                outcome, is_folded = self._compute(session)
            except GameUnreadable as why:
                games.append(StoredGame(header, seq, None, why.sentence))
                continue
            if is_folded:
                computed.append((session, key, msgspec.json.encode(outcome).decode()))
            games.append(StoredGame(header, seq, outcome))
        if computed:  # One transaction lets the page wait for the disk once.
            # Every page reports a disk that cannot be written, and this one can still be shown.
            with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
                db.executemany(KEEP, computed)
        return tuple(games)

    def _compute(self, session: str) -> tuple[StoredOutcome, bool]:
        """The outcome of a game, and whether the game had to be folded for it."""
        with self._fold_lock:
            table = self._open_table(session)
            if table is None:
                return stored_outcome(self._table_of(session)), True
            # The fingerprint is read first, so the outcome may be newer than it says, but never older.
            fingerprint = table.fingerprint
            latest = self._open_outcomes.get(table)
            if latest is None or latest[0] != fingerprint:
                latest = self._open_outcomes[table] = (fingerprint, stored_outcome(table))
            return latest[1], False


def played_game(game: StoredGame) -> Played:
    """The part of a listed game that a season needs."""
    header = read_json(game.header, Header)
    outcome = game.stored.outcome if game.stored else NOTHING
    return Played(header.session, header.game, tuple(header.players), header.created_wall_us, outcome, game.unreadable)


def stored_outcome(table: Table) -> StoredOutcome:
    """The outcome to store of a game as it stands now."""
    game, state = table.game, table.state
    away = tuple(dict.fromkeys((*table.stand_ins, *resting(table))))
    outcome = Outcome(
        game.rules.is_over(state),
        dict(game.rules.score(state)),
        game.rules.winners(state),
        game.rules.ranking(state),
        away,
    )
    return StoredOutcome(
        outcome, dict(game.rules.colours(state)), tuple(Counter(dice_thrown(table)).items()), table.ended_early
    )


def dice_thrown(table: Table) -> Iterator[Thrown]:
    """Every die that was thrown in a game, by the events that count now."""
    for step in timeline(table.entries):
        yield from table.game.rules.dice.thrown(step.event, table.session.options)


def thrown_by_players(table: Table) -> dict[PlayerId, list[Thrown]]:
    """Player → the dice of that player's rolls; nobody for a roll of the whole table."""
    thrown: dict[PlayerId, list[Thrown]] = {player: [] for player in table.session.players}
    for step in timeline(table.entries):
        player = getattr(step.event, "player", None)
        if player in thrown:
            thrown[player] += table.game.rules.dice.thrown(step.event, table.session.options)
    return {player: dice for player, dice in thrown.items() if dice}
