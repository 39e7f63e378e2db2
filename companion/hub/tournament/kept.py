"""The tables of the tournaments that a hub keeps: given, parted and handed on within transactions.

`Desk` is the door to them for the staff; `results` and the letters of tables come in here, too.
"""

from collections.abc import Callable

import sqlalchemy as sa

from companion.hub.database import TABLES, Database
from companion.hub.presence import NOWHERE, Presences
from companion.hub.tournament import events
from companion.hub.tournament.attendance import Tournament, busy, people
from companion.hub.tournament.events import Event
from companion.hub.tournament.journals import OLDEST_FIRST, Journals
from companion.hub.tournament.play import Play
from companion.journal.session import new_id

Playing = frozenset[str]
"""Sessions that are being played at this moment, as tables say."""


class KeptTournaments(Journals):
    """The tournaments of one hub's database, and its tables. Thread-safe; another process may open it, too."""

    def __init__(self, database: Database, now_us: Callable[[], int], presences: Presences) -> None:
        super().__init__(database, now_us)
        self._presences = presences

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

    def playing_at(self) -> dict[str, str]:
        """Session → key of the table where it is still played, of every game that is."""
        with self._database.reading() as db:
            presences = self._presences.all_in(db)
            states = [tournament.state for tournament in self._all(db, OLDEST_FIRST)]
        return {
            session: play.pairing.table
            for state in states
            for session, (_round, play) in state.sessions().items()
            if (presence := presences.get(play.pairing.table, NOWHERE)).has(session) and presence.is_busy
        }

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
        self._settle(db)

    def _settle(self, db: sa.Connection) -> None:
        self._part_games(db)
        self._call_waiting(db)

    def _part_games(self, db: sa.Connection) -> None:
        """Of two open games with one table, the one that lies there stays; else the one that was opened again begins
        anew, at a table that is free.
        """
        tournaments, presences = self._all(db, OLDEST_FIRST), self._presences.all_in(db)
        open_ = [(tournament, play) for tournament in tournaments for play in tournament.state.open if play.is_at_ours]
        states = {tournament.id: tournament.state for tournament in tournaments}
        used: dict[str, str] = {}

        def comes_after(one: tuple[Tournament, Play]) -> tuple[bool, bool]:
            pairing = one[1].pairing
            return not presences.get(pairing.table, NOWHERE).has(pairing.session), bool(one[1].head)

        for tournament, play in sorted(open_, key=comes_after):
            if used.setdefault(play.pairing.table, play.pairing.session) != play.pairing.session:
                waits = events.Called(number=play.pairing.number, table="", session=new_id())
                states[tournament.id] = self._add(db, tournament.id, states[tournament.id], waits)

    def _call_waiting(self, db: sa.Connection) -> None:
        """Gives free tables to the games that wait for one, of the oldest tournament first.

        A game waits on while one of its players still has another game at a table, and one of which a player has said
        how it ended was played already.
        """
        tournaments = self._all(db, OLDEST_FIRST)
        waiting = [
            (tournament, play)
            for tournament in tournaments
            for play in tournament.state.open
            if not play.pairing.table and not play.sayings
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
