"""The tournament desk: the one door to the tournaments in a hub's database.

Each change is checked against the state, and is on the disk before anybody hears of it. A result comes in the same
transaction as the letter that brings it, so no kill can part them.
"""

from collections.abc import Callable, Iterable, Sequence

import sqlalchemy as sa

from companion.errors import BadInput, IllegalEvent, NotFound
from companion.games import GAMES
from companion.hub.database import ENTRANTS, TOURNAMENTS
from companion.hub.presence import NOWHERE
from companion.hub.tournament import events
from companion.hub.tournament.attendance import Tournament, busy, people
from companion.hub.tournament.entry import Entry, read_entries
from companion.hub.tournament.events import MOST_ROUNDS, MOST_SEATS, Event, Form, Pairing, Ranks
from companion.hub.tournament.kept import OLDEST_FIRST, KeptTournaments, Playing, nowhere, rows_of, stale
from companion.hub.tournament.pairing import next_seating
from companion.hub.tournament.sessions import find_given, offer_of, placed_entrants
from companion.hub.tournament.solvers import solve
from companion.hub.tournament.state import Play, State, play_of
from companion.journal.session import new_id
from companion.letters.offer import Offer
from companion.names import alike, check_name, check_names
from companion.words import _


class Desk(KeptTournaments):
    """The tournaments of one hub's database. Thread-safe; another process may open it, too."""

    def all(self) -> list[Tournament]:
        """Every tournament, the newest first."""
        with self._database.reading() as db:
            return self._all(db, sa.select(TOURNAMENTS.c.id).order_by(TOURNAMENTS.c.begun_us.desc(), TOURNAMENTS.c.id))

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
        with self._database.reading() as db:
            tournaments = self._all(db, OLDEST_FIRST)
        for tournament in tournaments:
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
                if self._presences.all_in(db).get(table, NOWHERE).is_missed:
                    raise BadInput(_("This table isn't heard now. Choose another one."))
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
        given = find_given(db, session)
        if given is None or given.table != table:
            return
        now = self._read(db, given.tournament)
        _number, play = now.state.sessions().get(session, (0, None))
        placed = () if play is None else placed_entrants(session, play.pairing.seats, ranks)
        if play is None or placed is None:  # Somebody else played, so the staff rule.
            return
        self._add(db, given.tournament, now.state, events.ResultTaken(session=session, head=head, ranks=placed))
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


def check_idle(play: Play, playing: Playing) -> None:
    """Raises IllegalEvent if a game has begun at its table."""
    if play.pairing.session in playing:
        raise IllegalEvent(
            _("Game {number} is being played already. Let it finish, or rule its places.", number=play.pairing.number)
        )
