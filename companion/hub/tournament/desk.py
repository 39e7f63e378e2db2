"""The tournament desk: the one door to the tournaments in a hub's database.

Each change is checked against the state, and is on the disk before anybody hears of it. A result comes in the same
transaction as the letter that brings it, so no kill can part them.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from companion.errors import BadInput, IllegalEvent, NotFound, StaleEvent
from companion.foreign import read_json
from companion.hub.database import ENTRANTS, HAPPENED, TABLES, TOURNAMENTS, Database
from companion.hub.tournament import events
from companion.hub.tournament.attendance import Tournament, busy, people
from companion.hub.tournament.entry import Entry, first_hash, hash_of, read_entries
from companion.hub.tournament.events import MOST_ROUNDS, MOST_SEATS, Event, Form, Pairing, Ranks
from companion.hub.tournament.pairing import next_seating
from companion.hub.tournament.solvers import solve
from companion.hub.tournament.state import Play, State, apply, fold, play_of
from companion.journal.session import digest, new_id
from companion.letters.offer import Offer, Player
from companion.names import alike, check_name, check_names
from companion.shelf import GAMES
from companion.words import _

OLDEST_FIRST = sa.select(TOURNAMENTS.c.id).order_by(TOURNAMENTS.c.begun_us, TOURNAMENTS.c.id)
PLAYER_LENGTH = 24
Playing = frozenset[str]
"""Sessions that are being played at this moment, as tables say."""


def player_of(session: str, entrant: str) -> str:
    """The id of an entrant as a player of that one game: nobody can tell from it who that is elsewhere."""
    return digest(f"{session}/{entrant}")[:PLAYER_LENGTH]


class Desk:
    """The tournaments of one hub's database. Thread-safe; another process may open it, too."""

    def __init__(self, database: Database, now_us: Callable[[], int]) -> None:
        self._database, self._now_us = database, now_us
        self._lock = threading.Lock()
        self._folded: dict[str, tuple[str, State]] = {}
        """Tournament → the hash of its newest entry, and the state after that entry."""

    def all(self) -> list[Tournament]:
        """Every tournament, the newest first."""
        with self._database.reading() as db:
            return self._all(db, sa.select(TOURNAMENTS.c.id).order_by(TOURNAMENTS.c.begun_us.desc(), TOURNAMENTS.c.id))

    def free_tables(self) -> list[str]:
        """The keys of the tables that no open game of a tournament has, in the order in which they were enrolled."""
        with self._database.reading() as db:
            return self._free_tables(db)

    def find(self, tournament: str) -> Tournament:
        """One tournament; raises NotFound."""
        with self._database.reading() as db:
            return self._read(db, tournament)

    def entries(self, tournament: str) -> tuple[Entry, ...]:
        """Its journal; raises NotFound."""
        with self._database.reading() as db:
            entries = read_entries(tournament, rows_of(db, tournament))
        if not entries:
            raise nowhere()
        return entries

    def offer_for(self, table: str) -> Offer | None:
        """The game that a table has to play now, None for none."""
        for tournament in self.all():
            for play in tournament.state.open:
                if play.pairing.table == table:
                    return offer_of(tournament, play)
        return None

    def begin(
        self,
        title: str,
        game: str,
        preset: str,
        form: Form,
        seats: int,
        rounds: int,
        names: Sequence[str],
        through: int = 0,
    ) -> Tournament:
        """Begins a tournament; raises BadInput or IllegalEvent, and then nothing has changed.

        seats       players at a table, as many as there are at most
        through     how many of a table go on in a knock-out; 0 for half of them
        """
        (title, begun), checked = plan_of(title, game, preset, form, seats, rounds, through), check_names(list(names))
        tournament = new_id()
        with self._database.changing() as db:
            values = {"id": tournament, "title": title, "begun_us": self._now_us()}
            db.execute(sa.insert(TOURNAMENTS).values(values))
            state = self._add(db, tournament, None, begun)
            if checked:
                self._enter(db, tournament, state, checked)
            return self._read(db, tournament)

    def enter(self, tournament: str, names: Sequence[str], at_seq: int | None = None) -> None:
        """Enters people, who are seated from the next round on."""
        checked = check_names(list(names))
        if not checked:
            raise BadInput(_("Type a name."))
        with self._database.changing() as db:
            now = self._read(db, tournament, at_seq)
            names_in = {alike(name) for name in now.names.values()}
            for name in checked:
                if alike(name) in names_in:
                    raise BadInput(_("Two players are called {tidy}. Add a letter to one of them.", tidy=name))
            self._enter(db, tournament, now.state, checked)

    def withdraw(self, tournament: str, entrant: str) -> None:
        self._change(tournament, lambda _db, _now: [events.Withdrawn(entrant=entrant)])

    def bring_back(self, tournament: str, entrant: str) -> None:
        self._change(tournament, lambda _db, _now: [events.CameBack(entrant=entrant)])

    def rename(self, tournament: str, entrant: str, name: str) -> None:
        """Corrects a name, also while its games go on: the journal has only an id. A deleted one stays deleted."""
        tidy = check_name(name)
        with self._database.changing() as db:
            names = self._read(db, tournament).names
            if not names.get(entrant):
                raise NotFound(_("That entrant isn't in any more. Look again."))
            if any(alike(other) == alike(tidy) for one, other in names.items() if one != entrant):
                raise BadInput(_("Two players are called {tidy}. Add a letter to one of them.", tidy=tidy))
            here = (ENTRANTS.c.tournament == tournament) & (ENTRANTS.c.entrant == entrant)
            db.execute(sa.update(ENTRANTS).where(here).values(name=tidy))

    def forget(self, tournament: str, entrant: str) -> None:
        """Deletes somebody's name; the journal has only an id without a meaning."""
        here = (ENTRANTS.c.tournament == tournament) & (ENTRANTS.c.entrant == entrant)
        with self._database.changing() as db:
            if db.execute(sa.update(ENTRANTS).where(here).values(name="")).rowcount == 0:
                raise NotFound(_("That entrant isn't in any more. Look again."))

    def pair(self, tournament: str, at_seq: int | None = None) -> None:
        """Seats the next round, which may take seconds; raises IllegalEvent where there is none, and StaleEvent if
        something has changed meanwhile.
        """
        now = self.find(tournament)
        if at_seq is not None and at_seq != now.seq:
            raise stale()
        seating = next_seating(now.state, solve, now.name_of)

        def paired(db: sa.Connection, _now: Tournament) -> list[Event]:
            free, playing = iter(self._free_tables(db)), busy(self._all(db, OLDEST_FIRST))
            tables = ("" if playing & set(people(now, seats)) else next(free, "") for seats in seating.tables)
            pairings = tuple(
                Pairing(number=number, table=next(tables), session=new_id(), seats=seats)
                for number, seats in enumerate(seating.tables, start=1)
            )
            return [events.RoundPaired(round=len(now.state.rounds) + 1, pairings=pairings, byes=seating.byes)]

        self._change(tournament, paired, now.seq)

    def swap(self, tournament: str, first: str, second: str, playing: Playing, at_seq: int | None = None) -> None:
        """Has two entrants change seats in the newest round, at tables that do not play yet."""

        def swapped(_db: sa.Connection, now: Tournament) -> list[Event]:
            plays = {play.pairing.number: play for play in (play_of(now.state, first), play_of(now.state, second))}
            for play in plays.values():
                check_idle(play, playing)
            sessions = tuple((number, new_id()) for number in sorted(plays))
            return [events.Swapped(first=first, second=second, sessions=sessions)]

        self._change(tournament, swapped, at_seq)

    def call(self, tournament: str, number: int, table: str, playing: Playing) -> None:
        """Gives a game of the newest round to a table, as a new game; raises BadInput for a table that is taken."""

        def called(db: sa.Connection, now: Tournament) -> list[Event]:
            play = next((candidate for candidate in now.state.newest.open if candidate.pairing.number == number), None)
            if play:
                check_idle(play, playing)
            if table not in self._free_tables(db) and not (play and play.pairing.table == table):
                raise BadInput(_("This table isn't free. Choose another one."))
            return [events.Called(number=number, table=table, session=new_id())]

        self._change(tournament, called)

    def rule(self, tournament: str, number: int, ranks: Ranks, at_seq: int | None = None) -> None:
        """Decides a game of the newest round, or takes that back if there are no ranks."""
        self._change(tournament, lambda _db, _now: [events.Ruled(number=number, ranks=ranks)], at_seq)

    def end(self, tournament: str) -> None:
        self._change(tournament, lambda _db, _now: [events.Ended()])

    def take(self, db: sa.Connection, session: str, table: str, head: str, ranks: Iterable[Iterable[str]]) -> None:
        """Takes the result of a letter that counts, as a part of its transaction. Other games change nothing.

        table   id of the key that signed it: a game counts at the table that it was given to
        ranks   players by place; nobody while the game is not over
        """
        for tournament in db.execute(sa.select(TOURNAMENTS.c.id)).scalars().all():
            now = self._read(db, tournament)
            _number, play = now.state.sessions().get(session, (0, None))
            if play is None or play.pairing.table != table:
                continue
            entrants = {player_of(session, entrant): entrant for entrant in play.pairing.seats}
            placed = tuple(tuple(entrants.get(player, "") for player in group) for group in ranks)
            seated = sorted(entrant for group in placed for entrant in group)
            if placed and seated != sorted(play.pairing.seats):  # Somebody else played, so the staff rule.
                continue
            self._add(db, tournament, now.state, events.ResultTaken(session=session, head=head, ranks=placed))
            self._call_waiting(db)

    def _change(
        self, tournament: str, change: Callable[[sa.Connection, Tournament], list[Event]], at_seq: int | None = None
    ) -> None:
        with self._database.changing() as db:
            now = self._read(db, tournament, at_seq)
            state = now.state
            for event in change(db, now):
                state = self._add(db, tournament, state, event)
            self._call_waiting(db)

    def _enter(self, db: sa.Connection, tournament: str, state: State, names: Sequence[str]) -> None:
        ids = tuple(new_id() for _name in names)
        self._add(db, tournament, state, events.Entered(entrants=ids))
        rows = [
            {"tournament": tournament, "entrant": entrant, "name": name}
            for entrant, name in zip(ids, names, strict=True)
        ]
        db.execute(sa.insert(ENTRANTS), rows)

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
        return [table for table in db.execute(tables).scalars() if table not in used]

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
        return after


def plan_of(
    title: str, game: str, preset: str, form: Form, seats: int, rounds: int, through: int = 0
) -> tuple[str, events.Begun]:
    """The title and the event that begin a tournament (`Desk.begin`); raises BadInput."""
    title = check_name(title)
    kind = GAMES.get(game)
    if kind is None:
        raise BadInput(_("There's no such game. Choose one from the list."))
    if preset not in {choice.name for choice in kind.pages.presets}:
        raise BadInput(_("{game} isn't played by these rules. Choose the rules again.", game=kind.pages.title))
    least, most = max(2, kind.rules.seats[0]), min(MOST_SEATS, kind.rules.seats[1])
    if not least <= seats <= most:
        raise BadInput(
            _(
                "{game} is played by {least} to {most}. Choose the seats again.",
                game=kind.pages.title,
                least=least,
                most=most,
            )
        )
    if rounds > MOST_ROUNDS:
        raise BadInput(_("A tournament has {most_rounds} rounds at most.", most_rounds=MOST_ROUNDS))
    begun = events.Begun(
        game=game,
        preset=preset,
        form=form,
        least=least,
        most=seats,
        rounds=0 if form is Form.KNOCK_OUT else rounds,
        through=through or seats // 2,
    )
    return title, begun


def newest_entry(db: sa.Connection, tournament: str) -> Any:
    """The row with the `seq` and the `hash` of a tournament's newest entry, None before the first."""
    query = sa.select(HAPPENED.c.seq, HAPPENED.c.hash).where(HAPPENED.c.tournament == tournament)
    return db.execute(query.order_by(HAPPENED.c.seq.desc()).limit(1)).first()


def rows_of(db: sa.Connection, tournament: str) -> list[Any]:
    """(text, hash) of each entry of a tournament."""
    query = sa.select(HAPPENED.c.content, HAPPENED.c.hash).where(HAPPENED.c.tournament == tournament)
    return list(db.execute(query.order_by(HAPPENED.c.seq)).all())


def offer_of(tournament: Tournament, play: Play) -> Offer:
    """A game of a tournament as its table is told of it."""
    plan, pairing = tournament.state.plan, play.pairing
    return Offer(
        session=pairing.session,
        title=tournament.title,
        round=len(tournament.state.rounds),
        number=pairing.number,
        game=plan.game,
        preset=plan.preset,
        players=tuple(
            Player(id=player_of(pairing.session, entrant), name=tournament.name_of(entrant))
            for entrant in pairing.seats
        ),
    )


def check_idle(play: Play, playing: Playing) -> None:
    """Raises IllegalEvent if a game has begun at its table."""
    if play.pairing.session in playing:
        raise IllegalEvent(
            _("Game {number} is being played already. Let it finish, or rule its places.", number=play.pairing.number)
        )


def nowhere() -> NotFound:
    return NotFound(_("There's no such tournament. Choose one from the list."))


def stale() -> StaleEvent:
    return StaleEvent(_("The tournament has moved on. Look again, then tap."))
