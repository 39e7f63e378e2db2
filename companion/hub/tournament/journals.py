"""The journals of the tournaments in a hub's database: read, folded and written.

Each change is checked against the state, and is on the disk before anybody hears of it.
"""

import threading
from collections.abc import Callable, Collection
from typing import Any

import sqlalchemy as sa

from companion.errors import NotFound
from companion.foreign import read_json
from companion.hub.database import ENTRANTS, HAPPENED, TOURNAMENTS, Database
from companion.hub.tournament import taking_back
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.clock import RoundClock, clock_of
from companion.hub.tournament.entry import Entry, first_hash, hash_of, read_entries
from companion.hub.tournament.events import Event, TakenBack
from companion.hub.tournament.sessions import remember_sessions, settle_letters
from companion.hub.tournament.state import State, apply, fold
from companion.letters.offer import veil_session
from companion.names import check_name
from companion.words import _

KEPT = sa.select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.deleted_us == 0)
# What has ended keeps no table, and costs a letter nothing.
OLDEST_FIRST = KEPT.where(~TOURNAMENTS.c.is_ended).order_by(TOURNAMENTS.c.begun_us, TOURNAMENTS.c.id)
ENDED = KEPT.where(TOURNAMENTS.c.is_ended).add_columns(
    sa.select(sa.func.max(HAPPENED.c.seq)).where(HAPPENED.c.tournament == TOURNAMENTS.c.id).scalar_subquery()
)
NEWEST_FIRST = KEPT.order_by(TOURNAMENTS.c.begun_us.desc(), TOURNAMENTS.c.id)


class Journals:
    """The journals of one hub's database. Thread-safe; another process may open it, too."""

    def __init__(self, database: Database, now_us: Callable[[], int]) -> None:
        self._database, self._now_us = database, now_us
        self._lock = threading.Lock()
        self._folded: dict[str, tuple[str, State]] = {}
        """Tournament → the hash of its newest entry, and the state after that entry."""
        self._acts: dict[str, tuple[int, list[Entry]]] = {}
        """Tournament → the number of its newest entry, and what can be taken back after that: a page asks often."""
        self._clocks: dict[str, tuple[int, RoundClock]] = {}
        """Tournament → likewise, and the clock of its newest round."""
        self._sessions: dict[str, tuple[int, frozenset[str]]] = {}
        """Ended tournament → likewise, and the games of its newest round."""

    def all(self) -> list[Tournament]:
        """Every tournament that is not deleted, the newest first."""
        with self._database.reading() as db:
            return self._all(db, NEWEST_FIRST)

    def going_on(self) -> list[Tournament]:
        """Every tournament that goes on, the oldest first. What has ended costs nothing here."""
        with self._database.reading() as db:
            return self._all(db, OLDEST_FIRST)

    def shown_with(self, sessions: Collection[str]) -> list[Tournament]:
        """The same, and those that have ended since one of these games was played in their newest round.

        sessions    as they are, or veiled
        """
        with self._database.reading() as db:
            ended = [one.id for one in db.execute(ENDED) if not self._newest_sessions(db, *one).isdisjoint(sessions)]
            return [*self._all(db, OLDEST_FIRST), *(self._read(db, tournament) for tournament in ended)]

    def _newest_sessions(self, db: sa.Connection, tournament: str, seq: int) -> frozenset[str]:
        """The games of a tournament's newest round, as they are and veiled."""
        with self._lock:
            known = self._sessions.get(tournament)
        if known is None or known[0] != seq:
            rounds = self._read(db, tournament).state.rounds[-1:]
            sessions = [play.pairing.session for round_ in rounds for play in round_.plays]
            known = seq, frozenset((*sessions, *map(veil_session, sessions)))
            with self._lock:
                self._sessions[tournament] = known
        return known[1]

    def deleted(self) -> list[Tournament]:
        """Every deleted tournament, the one that was deleted last first."""
        ids = sa.select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.deleted_us > 0)
        with self._database.reading() as db:
            return self._all(db, ids.order_by(TOURNAMENTS.c.deleted_us.desc(), TOURNAMENTS.c.id))

    def find(self, tournament: str) -> Tournament:
        """One tournament that is not deleted; raises NotFound."""
        with self._database.reading() as db:
            return self._kept(db, tournament)

    def entries(self, tournament: str) -> tuple[Entry, ...]:
        """Its journal; raises NotFound."""
        with self._database.reading() as db:
            entries = read_entries(tournament, rows_of(db, tournament))
        if not entries:
            raise nowhere()
        return entries

    def acts(self, tournament: str) -> list[Entry]:
        """What the staff did last and can take back, the newest first; raises NotFound."""
        seq = self.find(tournament).seq
        with self._lock:
            known = self._acts.get(tournament)
        if known is None or known[0] != seq:
            entries = self.entries(tournament)
            shown = [entries[act - 1] for act in taking_back.acts([entry.event for entry in entries])]
            known = len(entries), shown
            with self._lock:
                self._acts[tournament] = known
        return known[1]

    def clock(self, tournament: Tournament) -> RoundClock:
        """The clock of its newest round, which it must have."""
        with self._lock:
            known = self._clocks.get(tournament.id)
        if known is None or known[0] != tournament.seq:
            known = tournament.seq, clock_of(self.entries(tournament.id), tournament.state.plan.minutes)
            with self._lock:
                self._clocks[tournament.id] = known
        return known[1]

    def retitle(self, tournament: str, title: str) -> None:
        """Gives a tournament another name; raises BadInput or NotFound."""
        self._put(tournament, title=check_name(title))

    def delete(self, tournament: str) -> None:
        """Deletes a tournament until it is brought back: its games give up their tables, and count nowhere."""
        self._put(tournament, deleted_us=self._now_us())

    def restore(self, tournament: str) -> None:
        """Brings a deleted tournament back; raises NotFound."""
        self._put(tournament, deleted_us=0)

    def take_back(self, tournament: str, seq: int) -> None:
        """Takes back what the staff did with entry `seq`; raises IllegalEvent where something later builds on it."""

        def taken(db: sa.Connection, _now: Tournament) -> list[Event]:
            entries = read_entries(tournament, rows_of(db, tournament))
            return [taking_back.take_back([entry.event for entry in entries], seq)]

        self._change(tournament, taken)

    def _put(self, tournament: str, **values: Any) -> None:
        with self._database.changing() as db:
            if db.execute(sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament).values(values)).rowcount == 0:
                raise nowhere()
            self._settle(db)

    def _change(self, tournament: str, change: Callable[[sa.Connection, Tournament], list[Event]]) -> None:
        with self._database.changing() as db:
            now = self._kept(db, tournament)
            state = now.state
            for event in change(db, now):
                state = self._add(db, tournament, state, event)
            self._settle(db)

    def _settle(self, db: sa.Connection) -> None:
        """What follows from every change, as a part of its transaction."""

    def _all(self, db: sa.Connection, ids: sa.Select[Any]) -> list[Tournament]:
        return [self._read(db, tournament) for tournament in db.execute(ids).scalars().all()]

    def _kept(self, db: sa.Connection, tournament: str) -> Tournament:
        found = self._read(db, tournament)
        if found.deleted_us:
            raise nowhere()
        return found

    def _read(self, db: sa.Connection, tournament: str) -> Tournament:
        row = db.execute(sa.select(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament)).first()
        last = newest_entry(db, tournament)
        if row is None or last is None:
            raise nowhere()
        with self._lock:
            hash_, state = self._folded.get(tournament, ("", None))
        if state is None or hash_ != last.hash:
            state = fold(entry.event for entry in read_entries(tournament, rows_of(db, tournament)))
            with self._lock:
                self._folded[tournament] = (last.hash, state)
        query = sa.select(ENTRANTS.c.entrant, ENTRANTS.c.name).where(ENTRANTS.c.tournament == tournament)
        names = {entrant.entrant: entrant.name for entrant in db.execute(query)}
        return Tournament(tournament, row.title, row.begun_us, last.seq, state, names, row.deleted_us, row.series)

    def _add(self, db: sa.Connection, tournament: str, state: State | None, event: Event) -> State:
        """Checks an event against the state and writes it; returns the state after it."""
        if isinstance(event, TakenBack):
            journal = [entry.event for entry in read_entries(tournament, rows_of(db, tournament))]
            after = fold([*journal, event])
        else:
            after = apply(state, event)
        last = newest_entry(db, tournament)
        seq, before = (last.seq + 1, last.hash) if last else (1, first_hash(tournament))
        text = Entry(tournament=tournament, seq=seq, wall_us=self._now_us(), event=event).text
        read_json(text, Entry)  # Nothing is written that could not be read again.
        values = {"tournament": tournament, "seq": seq, "content": text, "hash": hash_of(before, text)}
        db.execute(sa.insert(HAPPENED).values(values))
        remember_sessions(db, tournament, state, after)
        if isinstance(event, TakenBack) and state is not None:
            settle_letters(db, [*journal, event], state, after)
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
