"""The tournaments that a hub keeps, and the tables that they have: read, written and handed on within transactions.

`Desk` is the door to them for the staff; `results` and the letters of tables come in here, too.
"""

import threading
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from companion.errors import NotFound, StaleEvent
from companion.foreign import read_json
from companion.hub.database import ENTRANTS, HAPPENED, TABLES, TOURNAMENTS, Database
from companion.hub.presence import NOWHERE, Presences
from companion.hub.tournament import events
from companion.hub.tournament.attendance import Tournament, busy, people
from companion.hub.tournament.entry import Entry, first_hash, hash_of, read_entries
from companion.hub.tournament.events import Event
from companion.hub.tournament.sessions import remember_sessions
from companion.hub.tournament.state import State, apply, fold
from companion.journal.session import new_id
from companion.words import _

# What has ended keeps no table, and costs a letter nothing.
OLDEST_FIRST = (
    sa.select(TOURNAMENTS.c.id).where(~TOURNAMENTS.c.is_ended).order_by(TOURNAMENTS.c.begun_us, TOURNAMENTS.c.id)
)
Playing = frozenset[str]
"""Sessions that are being played at this moment, as tables say."""


class KeptTournaments:
    """The tournaments of one hub's database. Thread-safe; another process may open it, too."""

    def __init__(self, database: Database, now_us: Callable[[], int], presences: Presences) -> None:
        self._database, self._now_us, self._presences = database, now_us, presences
        self._lock = threading.Lock()
        self._folded: dict[str, tuple[str, State]] = {}
        """Tournament → the hash of its newest entry, and the state after that entry."""

    def free_tables(self) -> list[str]:
        """The keys of the tables that are there and that no open game of a tournament has, those in peace first."""
        with self._database.reading() as db:
            return self._free_tables(db)

    def playing(self) -> Playing:
        """The sessions that lie on the tables to which they were given."""
        with self._database.reading() as db:
            presences = self._presences.all_in(db)
            states = [tournament.state for tournament in self._all(db, OLDEST_FIRST)]
        return frozenset(
            session
            for state in states
            for session, (_round, play) in state.sessions().items()
            if presences.get(play.pairing.table, NOWHERE).has(session)
        )

    def seat_waiting(self) -> None:
        """Gives free tables to the games that wait for one, as a table has come."""
        with self._database.changing() as db:
            self._call_waiting(db)

    def read_in(self, db: sa.Connection, tournament: str) -> Tournament:
        """A tournament, as a part of a transaction; raises NotFound."""
        return self._read(db, tournament)

    def open_in(self, db: sa.Connection) -> list[Tournament]:
        """Every tournament that goes on, the oldest first, as a part of a transaction."""
        return self._all(db, OLDEST_FIRST)

    def add_in(self, db: sa.Connection, now: Tournament, event: Event) -> None:
        """Enters an event, as a part of a transaction; raises IllegalEvent."""
        self._add(db, now.id, now.state, event)
        self._call_waiting(db)

    def _call_waiting(self, db: sa.Connection) -> None:
        """Gives free tables to the games that wait for one, of the oldest tournament first.

        A game waits on while one of its players still has another game at a table.
        """
        tournaments = self._all(db, OLDEST_FIRST)
        waiting = [
            (tournament, play) for tournament in tournaments for play in tournament.state.open if not play.pairing.table
        ]
        if not waiting:
            return
        playing, free = busy(tournaments), iter(self._free_tables(db))
        states = {tournament.id: tournament.state for tournament in tournaments}
        for tournament, play in waiting:
            players = set(people(tournament, play.pairing.seats))
            if players & playing:
                continue
            table = next(free, "")
            if not table:
                return
            called = events.Called(number=play.pairing.number, table=table, session=new_id())
            states[tournament.id] = self._add(db, tournament.id, states[tournament.id], called)
            playing |= players

    def _free_tables(self, db: sa.Connection) -> list[str]:
        tables = sa.select(TABLES.c.id).where(TABLES.c.revoked_us == 0).order_by(TABLES.c.enrolled_us, TABLES.c.id)
        used = {play.pairing.table for other in self._all(db, OLDEST_FIRST) for play in other.state.open}
        presences = self._presences.all_in(db)
        free = [one for one in db.execute(tables).scalars() if one not in used and presences[one].is_here]
        return sorted(free, key=lambda table: presences[table].is_busy)

    def _all(self, db: sa.Connection, ids: sa.Select[Any]) -> list[Tournament]:
        return [self._read(db, tournament) for tournament in db.execute(ids).scalars().all()]

    def _read(self, db: sa.Connection, tournament: str, at_seq: int | None = None) -> Tournament:
        row = db.execute(sa.select(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament)).first()
        if row is None:
            raise nowhere()
        last = newest_entry(db, tournament)
        if last is None:
            raise nowhere()
        if at_seq is not None and at_seq != last.seq:
            raise stale()
        with self._lock:
            hash_, state = self._folded.get(tournament, ("", None))
        if state is None or hash_ != last.hash:
            state = fold(entry.event for entry in read_entries(tournament, rows_of(db, tournament)))
            with self._lock:
                self._folded[tournament] = (last.hash, state)
        query = sa.select(ENTRANTS.c.entrant, ENTRANTS.c.name).where(ENTRANTS.c.tournament == tournament)
        names = {entrant.entrant: entrant.name for entrant in db.execute(query)}
        return Tournament(tournament, row.title, row.begun_us, last.seq, state, names)

    def _add(self, db: sa.Connection, tournament: str, state: State | None, event: Event) -> State:
        """Checks an event against the state and writes it; returns the state after it."""
        after = apply(state, event)
        last = newest_entry(db, tournament)
        seq, before = (last.seq + 1, last.hash) if last else (1, first_hash(tournament))
        text = Entry(tournament=tournament, seq=seq, wall_us=self._now_us(), event=event).text
        read_json(text, Entry)  # Nothing is written that could not be read again.
        values = {"tournament": tournament, "seq": seq, "content": text, "hash": hash_of(before, text)}
        db.execute(sa.insert(HAPPENED).values(values))
        remember_sessions(db, tournament, state, after)
        if after.is_ended != (state is not None and state.is_ended):
            here = sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament)
            db.execute(here.values(is_ended=after.is_ended))
        return after


def newest_entry(db: sa.Connection, tournament: str) -> Any:
    """The row with the `seq` and the `hash` of a tournament's newest entry, None before the first."""
    query = sa.select(HAPPENED.c.seq, HAPPENED.c.hash).where(HAPPENED.c.tournament == tournament)
    return db.execute(query.order_by(HAPPENED.c.seq.desc()).limit(1)).first()


def rows_of(db: sa.Connection, tournament: str) -> list[Any]:
    """(text, hash) of each entry of a tournament."""
    query = sa.select(HAPPENED.c.content, HAPPENED.c.hash).where(HAPPENED.c.tournament == tournament)
    return list(db.execute(query.order_by(HAPPENED.c.seq)).all())


def nowhere() -> NotFound:
    return NotFound(_("There's no such tournament. Choose one from the list."))


def stale() -> StaleEvent:
    return StaleEvent(_("The tournament has moved on. Look again, then tap."))
