"""Entrants' links: whoever opens one on a phone is that entrant, and may say how the own game ended. No accounts."""

import secrets
from collections.abc import Mapping

import sqlalchemy as sa

from companion.errors import NotFound
from companion.hub.database import ENTRANTS, TOURNAMENTS, Database
from companion.words import _

LETTERS, LENGTH = "23456789abcdefghjkmnpqrstuvwxyz", 10  # No two look alike, and nearly 50 bits are random.


def new_link() -> str:
    """The letters of a new link."""
    return "".join(secrets.choice(LETTERS) for _number in range(LENGTH))


class Links:
    """The links of the entrants in one hub's database. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, tournament: str) -> Mapping[str, str]:
        """Entrant → link, of everybody who has a name."""
        query = sa.select(ENTRANTS.c.entrant, ENTRANTS.c.link).where(ENTRANTS.c.tournament == tournament)
        with self._database.reading() as db:
            return {row.entrant: row.link for row in db.execute(query.where(ENTRANTS.c.link != ""))}

    def find(self, link: str) -> tuple[str, str]:
        """(tournament, entrant) of a link; raises NotFound, also where the tournament is deleted."""
        query = (
            sa.select(ENTRANTS.c.tournament, ENTRANTS.c.entrant)
            .join(TOURNAMENTS, TOURNAMENTS.c.id == ENTRANTS.c.tournament)
            .where(ENTRANTS.c.link == link, TOURNAMENTS.c.deleted_us == 0)
        )
        with self._database.reading() as db:
            row = db.execute(query).first() if link else None
        if row is None:
            raise NotFound(_("This link doesn't count any more. Ask the organiser for yours."))
        return row.tournament, row.entrant

    def renew(self, tournament: str, entrant: str) -> None:
        """Gives an entrant another link; the one before counts no more. Raises NotFound."""
        here = (ENTRANTS.c.tournament == tournament) & (ENTRANTS.c.entrant == entrant) & (ENTRANTS.c.name != "")
        with self._database.changing() as db:
            if db.execute(sa.update(ENTRANTS).where(here).values(link=new_link())).rowcount == 0:
                raise NotFound(_("That entrant isn't in any more. Look again."))
