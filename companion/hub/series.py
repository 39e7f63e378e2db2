"""Series: the best evenings of a club. An evening is a tournament; a regular is known by the name, as people type it.

The table is worked out from the tournaments as they are now, so it follows whatever is renamed, deleted or taken back.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

import sqlalchemy as sa

from companion.errors import BadInput, IllegalEvent, NotFound
from companion.hub.database import SERIES, TOURNAMENTS, Database
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import Form
from companion.hub.tournament.standings import lines
from companion.names import alike, check_name
from companion.words import _

MOST_EVENINGS = 100


class Worth(StrEnum):
    """What an evening gives."""

    PLACES = "places"  # A point for everybody whom one is ahead of, half of one for a tie.
    POINTS = "points"  # The points of the tournament.


@dataclass(frozen=True)
class Series:
    """A series of evenings.

    best    how many evenings of each regular count, 0 for all
    """

    id: str
    title: str
    worth: Worth
    best: int
    made_us: int


@dataclass(frozen=True)
class Evening:
    """One evening of a series in which somebody has played."""

    tournament: str
    title: str
    begun_us: int
    is_ended: bool


@dataclass(frozen=True)
class Regular:
    """A line of the table.

    gained      points by evening, None for one that was missed
    counts      whether each evening counts
    course      points after each evening, from 0 before the first
    entrants    who this one was by evening, "" for one that was missed
    """

    name: str
    place: int
    points: Fraction
    gained: tuple[Fraction | None, ...]
    counts: tuple[bool, ...]
    course: tuple[Fraction, ...]
    entrants: tuple[str, ...]

    @property
    def evenings(self) -> int:
        """In how many evenings this one played."""
        return sum(points is not None for points in self.gained)

    @property
    def newest(self) -> int:
        """The number of the newest evening in which this one played, 0 for the first."""
        return max(number for number, entrant in enumerate(self.entrants) if entrant)


@dataclass(frozen=True)
class SeriesTable:
    """The table of a series: its evenings, the oldest first, and its regulars, best first."""

    evenings: tuple[Evening, ...]
    regulars: tuple[Regular, ...]


def table_of(series: Series, tournaments: Iterable[Tournament]) -> SeriesTable:
    """The table from all tournaments of a hub. Who is equal in points has the same place."""
    mine = sorted((one for one in tournaments if one.series == series.id), key=lambda one: (one.begun_us, one.id))
    played = [(one, gained) for one in mine if (gained := gained_in(one, series.worth))]
    names = {person: there.name for _one, gained in played for person, there in gained.items()}
    cells = {person: tuple(gained.get(person, MISSED) for _one, gained in played) for person in names}
    rows = {person: tuple(cell.points for cell in of_person) for person, of_person in cells.items()}
    courses = {
        person: tuple(best_of(gained[:count], series.best)[0] for count in range(len(played) + 1))
        for person, gained in rows.items()
    }
    ordered = sorted(names, key=lambda person: (-courses[person][-1], person))
    regulars = tuple(
        Regular(
            names[person],
            1 + sum(course[-1] > courses[person][-1] for course in courses.values()),
            courses[person][-1],
            rows[person],
            best_of(rows[person], series.best)[1],
            courses[person],
            tuple(cell.entrant for cell in cells[person]),
        )
        for person in ordered
    )
    return SeriesTable(
        tuple(Evening(one.id, one.title, one.begun_us, one.state.is_ended) for one, _gained in played), regulars
    )


@dataclass(frozen=True)
class Gained:
    """What somebody has from one evening, as which entrant, by what name; no points where this one was not there."""

    entrant: str
    name: str
    points: Fraction | None


MISSED = Gained("", "", None)


def gained_in(tournament: Tournament, worth: Worth) -> dict[str, Gained]:
    """Person → what one evening gives. Who had neither a game nor a bye was not there.

    Whose name was deleted is a rival of the others, and nobody's regular.
    """
    there = [line for line in lines(tournament.state) if line.games or line.byes]
    gained = {}
    for line in there:
        name = tournament.names.get(line.entrant, "")
        behind = sum(other.place > line.place for other in there)
        equal = sum(other.place == line.place for other in there) - 1
        if name:
            points = line.points if worth is Worth.POINTS else behind + Fraction(equal, 2)
            gained[alike(name)] = Gained(line.entrant, name, points)
    return gained


def best_of(gained: Sequence[Fraction | None], best: int) -> tuple[Fraction, tuple[bool, ...]]:
    """The sum of the best evenings, 0 for all, and whether each counts: of equal ones the earlier."""
    there = [(points, -at) for at, points in enumerate(gained) if points is not None]
    chosen = sorted(there, reverse=True)[: best or None]
    numbers = {-at for _points, at in chosen}
    return sum((points for points, _at in chosen), Fraction()), tuple(at in numbers for at in range(len(gained)))


class SeriesList:
    """The series of one hub's database. Thread-safe."""

    def __init__(self, database: Database, now_us: Callable[[], int]) -> None:
        self._database, self._now_us = database, now_us

    def all(self) -> list[Series]:
        """Every series that is not deleted, the newest first."""
        return self._read(SERIES.c.deleted_us == 0)

    def deleted(self) -> list[Series]:
        """Every deleted series, the newest first."""
        return self._read(SERIES.c.deleted_us > 0)

    def find(self, id_: str) -> Series:
        """A series that is not deleted; raises NotFound."""
        found = self._read((SERIES.c.id == id_) & (SERIES.c.deleted_us == 0))
        if not found:
            raise nowhere()
        return found[0]

    def make(self, id_: str, title: str, worth: Worth, best: int) -> None:
        """Makes a series; raises BadInput. What is sent twice with one id makes one."""
        values = {"id": id_, "made_us": self._now_us(), "deleted_us": 0, **checked(title, worth, best)}
        with self._database.changing() as db:
            if db.execute(sa.select(SERIES.c.id).where(SERIES.c.id == id_)).first() is None:
                db.execute(sa.insert(SERIES).values(values))

    def change(self, id_: str, title: str, worth: Worth, best: int, tournaments: Iterable[Tournament] = ()) -> None:
        """Changes what a series is called and how it counts; raises BadInput, IllegalEvent or NotFound.

        tournaments     those of this hub: its own have to fit
        """
        values = checked(title, worth, best)
        for one in tournaments:
            if one.series == id_:
                check_fits(worth, one.state.plan.form)
        with self._database.changing() as db:
            self._put(db, id_, **values)

    def delete(self, id_: str) -> None:
        """Deletes a series until it is brought back; its tournaments stay."""
        with self._database.changing() as db:
            self._put(db, id_, deleted_us=self._now_us())

    def restore(self, id_: str) -> None:
        """Brings a deleted series back, with its tournaments; raises NotFound."""
        with self._database.changing() as db:
            self._put(db, id_, deleted_us=0)

    def put(self, tournament: Tournament, id_: str) -> None:
        """Makes a tournament an evening of a series, or of none (""); raises NotFound or IllegalEvent."""
        self.check(id_, tournament.state.plan.form)
        with self._database.changing() as db:
            db.execute(sa.update(TOURNAMENTS).where(TOURNAMENTS.c.id == tournament.id).values(series=id_))

    def check(self, id_: str, form: Form) -> None:
        """Raises NotFound or IllegalEvent unless a tournament of this form can be an evening of it, "" for none."""
        if id_:
            check_fits(self.find(id_).worth, form)

    def _put(self, db: sa.Connection, id_: str, **values: Any) -> None:
        if db.execute(sa.update(SERIES).where(SERIES.c.id == id_).values(values)).rowcount == 0:
            raise nowhere()

    def _read(self, which: Any) -> list[Series]:
        with self._database.reading() as db:
            rows = db.execute(sa.select(SERIES).where(which).order_by(SERIES.c.made_us.desc(), SERIES.c.id)).all()
        return [Series(row.id, row.title, Worth(row.worth), row.best, row.made_us) for row in rows]


def checked(title: str, worth: Worth, best: int) -> dict[str, Any]:
    """The values of a series; raises BadInput."""
    if best > MOST_EVENINGS:
        raise BadInput(_("At most {most_evenings} evenings count. Type a smaller number.", most_evenings=MOST_EVENINGS))
    return {"title": check_name(title), "worth": worth.value, "best": best}


def check_fits(worth: Worth, form: Form) -> None:
    """Raises IllegalEvent where an evening of this form gives nothing by which the series counts."""
    if worth is Worth.POINTS and form is Form.KNOCK_OUT:
        raise IllegalEvent(_("A knock-out gives no points. Let the series count places, or choose another one."))


def nowhere() -> NotFound:
    return NotFound(_("There's no such series. Choose one from the list of tournaments."))
