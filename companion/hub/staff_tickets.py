"""The staff's tickets: each lets a device act as an organiser or a referee. A link is a ticket that is opened once."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from companion.errors import NotAllowed, NotFound
from companion.hub.database import STAFF_TICKETS, Database
from companion.journal.session import digest
from companion.names import check_name
from companion.words import _

LINK_US = 30 * 60_000_000
TICKET_US = 30 * 24 * 60 * 60_000_000
TOKEN_BYTES = 24


class StaffRole(StrEnum):
    """What somebody of the staff may do."""

    REFEREE = "referee"  # Results and rulings.
    ORGANISER = "organiser"  # Everything.


@dataclass(frozen=True)
class StaffTicket:
    """The rights of a device; `name` is whose it is, as the organiser called them."""

    id: str
    role: StaffRole
    name: str
    made_us: int
    is_link: bool


class StaffTickets:
    """The tickets in one hub's database, which keeps only the digest of each token. Thread-safe."""

    def __init__(self, database: Database, now_us: Callable[[], int]) -> None:
        self._database, self._now_us = database, now_us

    def link(self, role: StaffRole, name: str) -> str:
        """The token of a new link; raises BadInput for a name that is none."""
        tidy = check_name(name)
        with self._database.changing() as db:
            return self._add(db, role, tidy, is_link=True)

    def enter(self, token: str) -> str:
        """The token of a device's own ticket in exchange for that of a link, which then counts no more; raises
        NotAllowed.
        """
        with self._database.changing() as db:
            link = self._find(db, token)
            if link is None or not link.is_link:
                raise NotAllowed(_("This link doesn't count any more. Ask the organiser for a new one."))
            db.execute(sa.delete(STAFF_TICKETS).where(STAFF_TICKETS.c.id == link.id))
            return self._add(db, link.role, link.name, is_link=False)

    def find(self, token: str) -> StaffTicket | None:
        """The ticket of a device, None for one that does not count, and for a link."""
        if not token:
            return None
        with self._database.reading() as db:
            found = self._find(db, token)
        return found if found and not found.is_link else None

    def all(self) -> list[StaffTicket]:
        """Every ticket that counts, links that nobody has opened included, the newest first."""
        query = sa.select(STAFF_TICKETS).where(STAFF_TICKETS.c.until_us > self._now_us())
        with self._database.reading() as db:
            return list(map(ticket_of, db.execute(query.order_by(STAFF_TICKETS.c.made_us.desc(), STAFF_TICKETS.c.id))))

    def revoke(self, id_: str) -> None:
        """Takes a ticket away, from its device's next request on; raises NotFound."""
        with self._database.changing() as db:
            if db.execute(sa.delete(STAFF_TICKETS).where(STAFF_TICKETS.c.id == id_)).rowcount == 0:
                raise NotFound(_("This one isn't let in any more. Look again."))

    def _find(self, db: sa.Connection, token: str) -> StaffTicket | None:
        query = sa.select(STAFF_TICKETS).where(STAFF_TICKETS.c.id == digest(token))
        row = db.execute(query.where(STAFF_TICKETS.c.until_us > self._now_us())).first()
        return None if row is None else ticket_of(row)

    def _add(self, db: sa.Connection, role: StaffRole, name: str, *, is_link: bool) -> str:
        token, now_us = secrets.token_urlsafe(TOKEN_BYTES), self._now_us()
        db.execute(sa.delete(STAFF_TICKETS).where(STAFF_TICKETS.c.until_us <= now_us))
        values = {
            "id": digest(token),
            "role": role.value,
            "name": name,
            "made_us": now_us,
            "until_us": now_us + (LINK_US if is_link else TICKET_US),
            "is_link": int(is_link),
        }
        db.execute(sa.insert(STAFF_TICKETS).values(values))
        return token


def ticket_of(row: sa.Row[tuple[object, ...]]) -> StaffTicket:
    return StaffTicket(row.id, StaffRole(row.role), row.name, row.made_us, bool(row.is_link))
