"""What a hub knows of people: who was who in a table's games, and the games that a season is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from companion.foreign import read_json
from companion.hub.database import LETTERS, PEOPLE, SEATS, Database, Standing
from companion.letters.people import Person
from companion.names import shortened

LATE_US = 14 * 86_400_000_000  # A game that comes this long after a season's end no longer counts for it.

GAME = tuple(LETTERS.c[name] for name in ("session", "game", "table_id", "players", "ranks", "created_us", "clock"))

Who = tuple[str, str]
"""A table's key and the id of a person there."""


@dataclass(frozen=True)
class CountedGame:
    """A game that counts: judged by this hub, and not contradicted.

    people      player → who that is, for those whom the table made known
    clock       what the hub thinks of the table's clock, a `dating.Clock`
    """

    session: str
    game: str
    table: str
    players: tuple[str, ...]
    ranks: tuple[tuple[str, ...], ...]
    created_us: int
    people: dict[str, Who]
    clock: str = ""


class League:
    """The people of one hub's database. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, person: Person) -> None:
        """Takes what a table says of a person in place of what it said before. What is older changes nothing."""
        here = (PEOPLE.c.table_id == person.key) & (PEOPLE.c.person == person.person)
        with self._database.changing() as db:
            known_us = db.execute(sa.select(PEOPLE.c.at_us).where(here)).scalar()
            if known_us is not None and known_us >= person.at_us:
                return
            mine = (SEATS.c.table_id == person.key) & (SEATS.c.person == person.person)
            db.execute(sa.delete(SEATS).where(mine))
            db.execute(sa.delete(PEOPLE).where(here))
            values = {"table_id": person.key, "person": person.person}
            db.execute(sa.insert(PEOPLE).values(values | {"name": shortened(person.name), "at_us": person.at_us}))
            if not person.players:
                return
            players = set(person.players)
            # A seat that was somebody else's is this person's now.
            db.execute(
                sa.delete(SEATS).where(SEATS.c.table_id == person.key, SEATS.c.player == sa.bindparam("taken")),
                [{"taken": player} for player in players],
            )
            rows = [{"table_id": person.key, "player": player, "person": person.person} for player in players]
            db.execute(sa.insert(SEATS), rows)

    def names(self) -> dict[Who, str]:
        """Everybody whom a table has made known."""
        query = sa.select(PEOPLE.c.table_id, PEOPLE.c.person, PEOPLE.c.name).where(PEOPLE.c.name != "")
        with self._database.reading() as db:
            return {(row.table_id, row.person): row.name for row in db.execute(query)}

    def games(self, game: str = "", first_us: int | None = None, end_us: int | None = None) -> list[CountedGame]:
        """The games of a season, oldest first: of one kind or all (""), begun from one moment to before another.

        Games that came more than LATE_US after the season's end are not among them.
        """
        query = sa.select(*GAME).where(LETTERS.c.standing == Standing.COUNTS.value, LETTERS.c.judged)
        if game:
            query = query.where(LETTERS.c.game == game)
        if first_us is not None:
            query = query.where(LETTERS.c.created_us >= first_us)
        if end_us is not None:
            query = query.where(LETTERS.c.created_us < end_us, LETTERS.c.received_us < end_us + LATE_US)
        with self._database.reading() as db:
            rows = db.execute(query.order_by(LETTERS.c.created_us, LETTERS.c.session)).all()
            seats = {(row.table_id, row.player): row.person for row in db.execute(sa.select(SEATS))}
        return [game_of(row, seats) for row in rows]

    def games_of(self, table: str, most: int) -> list[CountedGame]:
        """The newest games of one table that count, newest first; those that this hub could not judge, too."""
        query = sa.select(*GAME).where(LETTERS.c.standing == Standing.COUNTS.value, LETTERS.c.table_id == table)
        mine = sa.select(SEATS).where(SEATS.c.table_id == table)
        with self._database.reading() as db:
            rows = db.execute(query.order_by(LETTERS.c.created_us.desc(), LETTERS.c.session).limit(most)).all()
            seats = {(row.table_id, row.player): row.person for row in db.execute(mine)}
        return [game_of(row, seats) for row in rows]


def game_of(row: Any, seats: Mapping[Who, str]) -> CountedGame:
    """A game from its row; seats: a table's key and a player → the person."""
    players = tuple(read_json(row.players))
    people = {
        player: (row.table_id, seats[row.table_id, player]) for player in players if (row.table_id, player) in seats
    }
    ranks = tuple(tuple(group) for group in read_json(row.ranks))
    return CountedGame(row.session, row.game, row.table_id, players, ranks, row.created_us, people, row.clock)
