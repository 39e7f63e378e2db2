"""The tournament desk: the one door to the tournaments in a hub's database.

A result comes in the same transaction as the letter that brings it, so no kill can part them.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import sqlalchemy as sa

from companion.errors import BadInput, IllegalEvent, NotFound, StaleEvent
from companion.hub.database import ENTRANTS, TOURNAMENTS
from companion.hub.entrant_links import new_link
from companion.hub.presence import NOWHERE
from companion.hub.tournament import events, hands
from companion.hub.tournament.attendance import Tournament, busy, people
from companion.hub.tournament.events import MOST_MINUTES, PLAIN, Event, Form, Pairing, Ranks
from companion.hub.tournament.journals import OLDEST_FIRST
from companion.hub.tournament.kept import KeptTournaments, Playing
from companion.hub.tournament.pairing import next_seating
from companion.hub.tournament.plan import plan_of
from companion.hub.tournament.play import check_idle
from companion.hub.tournament.sessions import find_given, offer_of, placed_entrants
from companion.hub.tournament.solvers import solve
from companion.hub.tournament.state import State, apply, check_ranks, find_play, play_of
from companion.journal.session import new_id
from companion.letters.offer import Offer, veil_session
from companion.names import alike, check_name, check_names
from companion.words import _


class Desk(KeptTournaments):
    """The tournaments of one hub's database. Thread-safe; another process may open it, too."""

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
        id_: str = "",
        minutes: int = 0,
        series: str = "",
    ) -> Tournament:
        """Begins a tournament; raises BadInput or IllegalEvent, and then nothing has changed.

        seats       players at a table, as many as there are at most
        through     how many of a table go on in a knock-out; 0 for half of them
        id_         of the form that was sent: what is sent twice begins one tournament
        minutes     a round has, 0 for as long as it takes
        series      whose evening it is, "" for none
        """
        title, begun = plan_of(title, game, preset, form, seats, rounds, through, minutes)
        checked = check_names(list(names))
        tournament = id_ or new_id()
        with self._database.changing() as db:
            if db.execute(sa.select(TOURNAMENTS.c.id).where(TOURNAMENTS.c.id == tournament)).first():
                return self._read(db, tournament)
            values = {"id": tournament, "title": title, "begun_us": self._now_us(), "deleted_us": 0, "series": series}
            db.execute(sa.insert(TOURNAMENTS).values(values))
            state = self._add(db, tournament, None, begun)
            if checked:
                self._enter(db, tournament, state, checked)
            return self._read(db, tournament)

    def enter(self, tournament: str, names: Sequence[str]) -> None:
        """Enters people, who are seated from the next round on."""
        checked = check_new(names)
        with self._database.changing() as db:
            now = self._kept(db, tournament)
            check_takes_people(now.state)
            self._enter_new(db, now, checked)

    def seat_late(self, tournament: str, name: str, to: int, playing: Playing) -> None:
        """Enters somebody into the round that is seated (`hands.move`)."""
        checked = check_new([name])
        with self._database.changing() as db:
            now = self._kept(db, tournament)
            now.state.newest  # noqa: B018  # raises where no round is seated
            state = self._enter_new(db, now, checked)
            for play in hands.touched(state, state.entrants[-1], to):
                check_idle(play, playing)
            self._add(db, tournament, state, hands.move(state, state.entrants[-1], to, new_id))
            self._settle(db)

    def move(self, tournament: str, entrant: str, to: int, playing: Playing) -> None:
        """Moves somebody to another game of the newest round, to a bye, or from one (`hands.move`)."""

        def moved(_db: sa.Connection, now: Tournament) -> list[Event]:
            for play in hands.touched(now.state, entrant, to):
                check_idle(play, playing)
            return [hands.move(now.state, entrant, to, new_id)]

        self._change(tournament, moved)

    def stay_away(self, tournament: str, entrant: str, playing: Playing) -> None:
        """Empties the chair of somebody who does not come (`hands.stay_away`)."""

        def left(_db: sa.Connection, now: Tournament) -> list[Event]:
            if play := hands.where(now.state, entrant):
                check_idle(play, playing)
            return [hands.stay_away(now.state, entrant, new_id)]

        self._change(tournament, left)

    def withdraw(self, tournament: str, entrant: str) -> None:
        self._change(tournament, lambda _db, _now: [events.Withdrawn(entrant=entrant)])

    def bring_back(self, tournament: str, entrant: str) -> None:
        self._change(tournament, lambda _db, _now: [events.CameBack(entrant=entrant)])

    def rename(self, tournament: str, entrant: str, name: str) -> None:
        """Corrects a name, also while its games go on: the journal has only an id. A deleted one stays deleted."""
        tidy = check_name(name)
        with self._database.changing() as db:
            names = self._kept(db, tournament).names
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
            if db.execute(sa.update(ENTRANTS).where(here).values(name="", link="")).rowcount == 0:
                raise NotFound(_("That entrant isn't in any more. Look again."))

    def pair(self, tournament: str, number: int | None = None) -> None:
        """Seats the next round, which may take seconds; raises IllegalEvent where there is none, and StaleEvent if
        something has changed meanwhile.

        number      of the round that is to be seated, so that a second tap seats no second one
        """
        now = self.find(tournament)
        if number not in (None, len(now.state.rounds) + 1):
            raise IllegalEvent(_("This round is seated already. Look again."))
        seating = next_seating(now.state, solve, now.name_of)

        def paired(db: sa.Connection, then: Tournament) -> list[Event]:
            if then.seq != now.seq:
                raise StaleEvent(_("The tournament has moved on. Look again, then tap."))
            free, playing = iter(self._free_tables(db)), busy(self._all(db, OLDEST_FIRST))
            tables = ("" if playing & set(people(now, seats)) else next(free, "") for seats in seating.tables)
            pairings = tuple(
                Pairing(number=number, table=next(tables), session=new_id(), seats=seats)
                for number, seats in enumerate(seating.tables, start=1)
            )
            return [events.RoundPaired(round=len(now.state.rounds) + 1, pairings=pairings, byes=seating.byes)]

        self._change(tournament, paired)

    def swap(
        self, tournament: str, first: str, second: str, playing: Playing, seen: Sequence[str] | None = None
    ) -> None:
        """Has two entrants change seats in the newest round, at tables that do not play yet.

        seen        sessions of the games in which they were seen: a second tap changes nothing back
        """

        def swapped(_db: sa.Connection, now: Tournament) -> list[Event]:
            plays = {play.pairing.number: play for play in (play_of(now.state, first), play_of(now.state, second))}
            for play in plays.values():
                check_idle(play, playing)
                if seen is not None and play.pairing.session not in seen:
                    raise StaleEvent(_("They sit elsewhere now. Look again, then tap."))
            sessions = tuple((number, new_id()) for number in sorted(plays))
            return [events.Swapped(first=first, second=second, sessions=sessions)]

        self._change(tournament, swapped)

    def call(self, tournament: str, number: int, table: str, playing: Playing) -> None:
        """Gives a game of the newest round to a table, as a new game; raises BadInput for a table that is taken.

        The table that has the game already keeps it as it is: a second tap begins nothing anew.
        table       its key; PLAIN for one without a companion
        """

        def called(db: sa.Connection, now: Tournament) -> list[Event]:
            play = next((candidate for candidate in now.state.newest.open if candidate.pairing.number == number), None)
            if play:
                check_idle(play, playing)
                if play.pairing.table == table:
                    return []
            if table != PLAIN and table not in self._free_tables(db):
                if self._presences.all_in(db).get(table, NOWHERE).is_missed:
                    raise BadInput(_("This table isn't heard now. Choose another one."))
                raise BadInput(_("This table isn't free. Choose another one."))
            return [events.Called(number=number, table=table, session=new_id(), by_hand=True)]

        self._change(tournament, called)

    def call_plain(self, tournament: str) -> None:
        """Has all games that wait for a table played at tables without a companion."""

        def called(_db: sa.Connection, now: Tournament) -> list[Event]:
            waiting = [play.pairing.number for play in now.state.newest.open if not play.pairing.table]
            if not waiting:
                raise IllegalEvent(_("No game waits for a table. Look again."))
            return [events.Called(number=number, table=PLAIN, session=new_id(), by_hand=True) for number in waiting]

        self._change(tournament, called)

    def suggest(self, tournament: str, entrant: str, game: str, ranks: Ranks) -> None:
        """A player says how the own game ended. If all its players say the same, that is its result.

        game        its session as the player's page has it (`veil_session`)
        """

        def suggested(_db: sa.Connection, now: Tournament) -> list[Event]:
            play = next((play for play in now.state.open if entrant in play.pairing.seats), None)
            if play is None or veil_session(play.pairing.session) != game:
                raise StaleEvent(_("This game is decided, or you have another one now. Look again."))
            seats = play.pairing.seats
            check_ranks(play, ranks)
            placed = tuple(tuple(sorted(group, key=seats.index)) for group in ranks)
            if play.said.get(entrant) == placed:
                return []
            return [events.Suggested(session=play.pairing.session, by=entrant, ranks=placed)]

        self._change(tournament, suggested)

    def set_clock(self, tournament: str, minutes: int) -> None:
        """Begins the clock of the newest round anew, with so many minutes; 0 for no end."""
        if minutes > MOST_MINUTES:
            raise BadInput(_("A round has {most_minutes} minutes at most.", most_minutes=MOST_MINUTES))
        self._change(tournament, lambda _db, now: [events.Timed(round=now.state.newest.number, minutes=minutes)])

    def join(self, tournament: str, other: str, playing: Playing) -> str:
        """Makes one tournament of two; returns the one that stays: this one if it has results, else the other one.

        Who is in the one that goes alone is entered into the one that stays. The one that goes is deleted until it is
        brought back.
        """
        with self._database.changing() as db:
            joined = joining_of(self._kept(db, tournament), self._kept(db, other), playing)
            if joined.names:
                self._enter(db, joined.stays.id, joined.stays.state, joined.names)
            gone = sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == joined.goes.id)
            db.execute(gone.values(deleted_us=self._now_us()))
            self._settle(db)
            return joined.stays.id

    def joinable(self, tournament: Tournament, playing: Playing) -> list[Tournament]:
        """The tournaments with which this one can be joined now, the newest first."""
        found = []
        for other in reversed(self.going_on()):
            with suppress(IllegalEvent):
                joining_of(tournament, other, playing)
                found.append(other)
        return found

    def rule(self, tournament: str, number: int, ranks: Ranks, round_: int = 0, seen: str = "") -> None:
        """Decides a game, or takes that back if there are no ranks.

        round_      0 for the newest
        seen        the game's `stamp` as the staff saw it, "" for whatever it is now
        """

        def ruled(_db: sa.Connection, now: Tournament) -> list[Event]:
            play = find_play(now.state, number, round_)
            if seen not in ("", play.stamp):
                raise StaleEvent(_("This game has a new result. Look at it, then tap."))
            return [events.Ruled(number=number, ranks=ranks, round=round_ or len(now.state.rounds))]

        self._change(tournament, ruled)

    def open_again(self, tournament: str, number: int) -> None:
        """Has a game of the newest round played again, at the next free table."""
        self._change(tournament, lambda _db, _now: [events.Opened(number=number, session=new_id())])

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
        self._settle(db)  # A game that goes on after all has its table back.

    def _enter_new(self, db: sa.Connection, now: Tournament, names: Sequence[str]) -> State:
        """Enters people unless somebody of that name is in; returns the state after that."""
        names_in = {alike(now.names.get(entrant, "")) for entrant in now.state.entrants}
        for name in names:
            if alike(name) in names_in:
                raise BadInput(_("Two players are called {tidy}. Add a letter to one of them.", tidy=name))
        return self._enter(db, now.id, now.state, names)

    def _enter(self, db: sa.Connection, tournament: str, state: State, names: Sequence[str]) -> State:
        ids = tuple(new_id() for _name in names)
        after = self._add(db, tournament, state, events.Entered(entrants=ids))
        rows = [
            {"tournament": tournament, "entrant": entrant, "name": name, "link": new_link()}
            for entrant, name in zip(ids, names, strict=True)
        ]
        db.execute(sa.insert(ENTRANTS), rows)
        return after


@dataclass(frozen=True)
class Joining:
    """How two tournaments become one; `names` of those who are in the one that goes alone."""

    goes: Tournament
    stays: Tournament
    names: tuple[str, ...]


def joining_of(one: Tournament, other: Tournament, playing: Playing) -> Joining:
    """The first stays if it has results, else the other one; raises IllegalEvent where they can't be joined.

    playing     sessions that are being played
    """
    goes, stays = (other, one) if has_results(one.state) else (one, other)
    if one.id == other.id or has_results(goes.state):
        raise IllegalEvent(_("Both have results already, so they can't be joined. Delete the wrong one."))
    if one.state.plan.game != other.state.plan.game:
        raise IllegalEvent(_("They play different games, so they can't be joined."))
    if one.state.is_ended or other.state.is_ended:
        raise IllegalEvent(_("This tournament is over. Begin a new one."))
    for play in goes.state.open:
        check_idle(play, playing)
    there = {alike(name) for name in stays.names.values()}
    names = tuple(name for name in map(goes.names.get, goes.state.present) if name and alike(name) not in there)
    if names:
        check_takes_people(stays.state)
        apply(stays.state, events.Entered(entrants=tuple(f"joined {number}" for number in range(len(names)))))
    return Joining(goes, stays, names)


def check_takes_people(state: State) -> None:
    """Raises IllegalEvent if whoever comes now would never be seated."""
    if state.plan.form is Form.KNOCK_OUT and state.rounds:
        raise IllegalEvent(_("A knock-out that has begun takes people into a chair of its first round alone."))


def has_results(state: State) -> bool:
    """Whether anything is known of any game."""
    return any(play.is_done or play.head or play.sayings for round_ in state.rounds for play in round_.plays)


def check_new(names: Sequence[str]) -> tuple[str, ...]:
    """The names of people who come in, tidied; raises BadInput."""
    checked = check_names(list(names))
    if not checked:
        raise BadInput(_("Type a name."))
    return checked
