"""Results of tournaments that came in another way than they were asked for: the staff take each, or leave it.

Such a result is of a game that was given to another table since, of another table than the one that the game was given
to, of a table that was enrolled anew, or of a seating that the hub lost with its disk. It is kept and counts nowhere
until the staff decide; then it counts, or what it takes the place of: never both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from companion.errors import IllegalEvent, NotFound
from companion.foreign import read_json
from companion.hub.database import LETTERS, SESSIONS, TOURNAMENTS, Database, Standing
from companion.hub.tournament import events
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.desk import Desk
from companion.hub.tournament.sessions import Given, find_given, placed_entrants, play_at, recognise, remember_given
from companion.words import _

COLUMNS = tuple(
    LETTERS.c[name] for name in ("number", "session", "head", "table_id", "ranks", "received_us", "standing", "judged")
)
HERE = sa.select(*COLUMNS).where(LETTERS.c.session == sa.bindparam("of"), LETTERS.c.head == sa.bindparam("at"))
MOST_LISTED = 100


@dataclass(frozen=True)
class Result:
    """A signed result, as the staff decide about it.

    table       key of the table that sent it; given, the one that has the game now, "" for none
    number      of the game in its round
    places      names by place, best first
    now         likewise what counts for this game now, () while it is open
    is_left     whether the staff have decided against it
    is_lost     whether its seating was lost with the hub's disk: its players alone tell which game it is
    why_not     why it can't be taken, "" if it can
    """

    session: str
    head: str
    table: str
    tournament: str
    title: str
    round: int
    number: int
    given: str
    places: tuple[tuple[str, ...], ...]
    now: tuple[tuple[str, ...], ...]
    received_us: int
    is_left: bool
    is_lost: bool
    why_not: str


class Results:
    """The results of one hub's database that people decide about. Thread-safe."""

    def __init__(self, database: Database, desk: Desk) -> None:
        self._database, self._desk = database, desk

    def given(self, db: sa.Connection, session: str, players: Sequence[str]) -> Given | None:
        """Which game of a tournament a letter has; a session that the journal has lost is known by its players."""
        given = find_given(db, session)
        if given is None:
            for tournament in self._desk.open_in(db):
                if given := recognise(tournament.id, tournament.state, session, players):
                    remember_given(db, given)
                    break
        return given

    def is_asked(self, db: sa.Connection, given: Given, table: str) -> bool:
        """Whether a result of this game counts by itself if this table sends it."""
        return given.table == table and given.session in self._desk.read_in(db, given.tournament).state.sessions()

    def all(self) -> list[Result]:
        """The results that wait for a decision, and those that were left in tournaments that go on; newest last.

        Those of a deleted tournament wait until it is brought back.
        """
        query = (
            sa.select(*COLUMNS)
            .join(SESSIONS, SESSIONS.c.session == LETTERS.c.session)
            .join(TOURNAMENTS, TOURNAMENTS.c.id == SESSIONS.c.tournament)
            .where(TOURNAMENTS.c.deleted_us == 0)
            .order_by(LETTERS.c.number.desc())
            .limit(MOST_LISTED)
        )
        waits = query.where(LETTERS.c.standing == Standing.WAITS.value)
        left = query.where(LETTERS.c.standing == Standing.SET_ASIDE.value, ~TOURNAMENTS.c.is_ended)
        with self._database.reading() as db:
            rows = sorted([*db.execute(waits), *db.execute(left), *self._untaken(db)], key=lambda row: row.number)
            tournaments: dict[str, Tournament] = {}
            found = []
            for row in rows:
                given = find_given(db, row.session)
                if given and read_json(row.ranks):
                    tournament = tournaments.setdefault(given.tournament, self._desk.read_in(db, given.tournament))
                    found.append(result_of(row, given, tournament))
        return found

    def _untaken(self, db: sa.Connection) -> list[Any]:
        """Letters that count as games, of games that are open all the same: others played, or by other rules."""
        sessions = [play.pairing.session for one in self._desk.open_in(db) for play in one.state.open]
        query = sa.select(*COLUMNS).where(LETTERS.c.standing == Standing.COUNTS.value)
        return list(db.execute(query.where(LETTERS.c.session.in_(sessions)))) if sessions else []

    def take(self, session: str, head: str) -> None:
        """Takes a result in place of whatever its game had; raises NotFound, or IllegalEvent if that can't be."""
        with self._database.changing() as db:
            letter, given = self._find(db, session, head)
            now = self._desk.read_in(db, given.tournament)
            play = play_at(now.state, given)
            if play and (play.pairing.session, play.head) == (session, head) and not play.ruled:
                return  # A second tap.
            had = self._accept(db, given, letter)
            others = LETTERS.c.session.in_({session, had}) & LETTERS.c.standing.in_(
                [Standing.COUNTS.value, Standing.WAITS.value, Standing.FORK.value]
            )
            db.execute(sa.update(LETTERS).where(others).values(standing=Standing.SET_ASIDE.value))
            here = sa.update(LETTERS).where(LETTERS.c.number == letter.number)
            db.execute(here.values(standing=Standing.COUNTS.value))

    def leave(self, session: str, head: str) -> None:
        """Leaves a result as a letter that counts nowhere; raises NotFound."""
        with self._database.changing() as db:
            letter, given = self._find(db, session, head)
            if letter.standing == Standing.SET_ASIDE.value:
                return
            left = events.ResultLeft(
                round=given.round,
                number=given.number,
                table=letter.table_id,
                session=session,
                head=head,
                counted=letter.standing == Standing.COUNTS.value,
            )
            self._desk.add_in(db, self._desk.read_in(db, given.tournament), left)
            here = sa.update(LETTERS).where(LETTERS.c.number == letter.number)
            db.execute(here.values(standing=Standing.SET_ASIDE.value))

    def _find(self, db: sa.Connection, session: str, head: str) -> tuple[Any, Given]:
        """A result that the staff may decide about; of two tables' letters with one head, the one that waits."""
        rows = db.execute(HERE.order_by(LETTERS.c.number), {"of": session, "at": head}).all()
        given = find_given(db, session)
        for standing in (Standing.WAITS, Standing.SET_ASIDE, Standing.COUNTS):
            for row in rows:
                if given and row.standing == standing.value:
                    return row, given
        raise NotFound(_("There's nothing to decide about this game any more. Look again."))

    def _accept(self, db: sa.Connection, given: Given, letter: Any) -> str:
        """Enters a result into its tournament; returns the session that its game had. Raises IllegalEvent."""
        now = self._desk.read_in(db, given.tournament)
        play, placed = play_at(now.state, given), placed_entrants(given.session, given.seats, read_json(letter.ranks))
        if play is None or not placed:
            raise IllegalEvent(others_sit_there())
        accepted = events.Accepted(
            round=given.round,
            number=given.number,
            table=letter.table_id,
            session=given.session,
            head=letter.head,
            ranks=placed,
        )
        self._desk.add_in(db, now, accepted)
        return play.pairing.session


def result_of(row: Any, given: Given, tournament: Tournament) -> Result:
    """A result from its letter's row."""
    play = play_at(tournament.state, given)
    placed = placed_entrants(given.session, given.seats, read_json(row.ranks))
    return Result(
        row.session,
        row.head,
        row.table_id,
        tournament.id,
        tournament.title,
        given.round,
        given.number,
        play.pairing.table if play else "",
        tuple(tuple(map(tournament.name_of, group)) for group in placed or ()),
        tuple(tuple(map(tournament.name_of, group)) for group in play.outcome) if play else (),
        row.received_us,
        row.standing == Standing.SET_ASIDE.value,
        not given.table and row.session not in tournament.state.sessions(),
        "" if play and placed else others_sit_there(),
    )


def others_sit_there() -> str:
    """Why a result can't be taken."""
    return _("Other people sit in that game now, so this result can't be taken. Rule its places.")
