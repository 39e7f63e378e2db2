"""Tickets: each lets a device in as a watcher, a player or the host.

A ticket's token is signed with the house's own secret, so a forged one costs no look-up. A ticket counts only while its
row is in the journal: deleting the row revokes it.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from itsdangerous import BadSignature, Signer

from companion.game.players import PlayerId
from companion.journal.calendar import date_us
from companion.journal.devices import Role
from companion.journal.session import new_id
from companion.journal.settings import SECRET
from companion.journal.store import Journal
from companion.journal.tickets import StoredTicket, add_ticket, all_tickets, find_ticket
from companion.words import N_

TICKETS = "tickets"  # This topic of `Live` says that somebody was shown out.
DAY_US = 24 * 60 * 60 * 1_000_000
TICKET_DAYS = 30
LINK_MINUTES = 30  # A one-time link that nobody used by then is worth nothing.
WORTH_NOTHING = N_("This link has expired. Scan the code at the table again.")


@dataclass(frozen=True)
class Ticket:
    """The rights of a device.

    session     the only session it is for, None for all
    player      the only seat it acts for, None for all
    once        a link: it is exchanged for a ticket the first time it is opened
    """

    id: str
    role: Role
    session: str | None = None
    player: PlayerId | None = None
    label: str = ""
    created_wall_us: int = 0
    expires_wall_us: int = 0
    once: bool = False


class Tickets:
    """The tickets of one house. Thread-safe."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        secret = SECRET.of(journal)
        if not secret:
            secret = secrets.token_hex(32)
            SECRET.put(journal, secret)
        self._signer = Signer(secret, salt="ticket")
        self._frame_signer = Signer(secret, salt="frame")  # Neither kind of token counts as the other.

    def issue(
        self,
        role: Role,
        *,
        session: str | None = None,
        player: PlayerId | None = None,
        label: str = "",
        once: bool = False,
    ) -> str:
        """Stores a new ticket and returns its token."""
        ticket = self.new(role, session, player, label, once)
        add_ticket(self._journal, ticket)
        return self.token(ticket)

    def issue_for_frame(self, label: str) -> str:
        """Stores a new ticket of a watcher and returns the token that shows it in the address of a framed screen."""
        ticket = self.new(Role.WATCHER, label=label)
        add_ticket(self._journal, ticket)
        return self._frame_signer.sign(ticket.id).decode()

    def new(
        self,
        role: Role,
        session: str | None = None,
        player: PlayerId | None = None,
        label: str = "",
        once: bool = False,
    ) -> StoredTicket:
        """A new ticket that counts from now on, not stored yet."""
        now_us = self.now_us()
        lifetime_us = LINK_MINUTES * 60_000_000 if once else TICKET_DAYS * DAY_US
        return StoredTicket(new_id(), role.value, session, player, label, now_us, now_us + lifetime_us, once)

    def ticket(self, token: str) -> Ticket | None:
        """The ticket of a token, or None when it is forged, revoked or expired."""
        ticket_id = self.id_of(token)
        return self.of(ticket_id) if ticket_id else None

    def ticket_for_frame(self, token: str) -> Ticket | None:
        """The ticket of a token in the address of a framed screen, or None as above; a device's token is none."""
        try:
            ticket = self.of(self._frame_signer.unsign(token).decode())
        except BadSignature:
            return None
        return ticket if ticket is not None and ticket.role is Role.WATCHER else None

    def of(self, ticket_id: str) -> Ticket | None:
        """The ticket with this id, or None when it is revoked or expired."""
        ticket = self.of_device(ticket_id)
        return None if ticket is None or ticket.expires_wall_us < self.now_us() else ticket

    def of_device(self, device: str) -> Ticket | None:
        """The ticket with this id, or None when it was revoked."""
        stored = find_ticket(self._journal, device)
        return None if stored is None else ticket_of(stored)

    def token(self, ticket: StoredTicket) -> str:
        """The token that a device shows for a ticket."""
        return self._signer.sign(ticket.id).decode()

    def id_of(self, token: str) -> str:
        """The id of the token's ticket, "" when the token is forged."""
        try:
            return self._signer.unsign(token).decode()
        except BadSignature:
            return ""

    def now_us(self) -> int:
        """The time by which tickets expire."""
        return date_us(self._journal)

    def all(self) -> tuple[Ticket, ...]:
        """Every ticket that still counts, newest first."""
        now_us = self.now_us()
        return tuple(ticket_of(stored) for stored in all_tickets(self._journal) if stored.expires_wall_us >= now_us)

    def show_out(self, *roles: Role) -> None:
        """Revokes every ticket of these roles, links and codes included."""
        with self._journal.changing() as db:
            db.executemany("DELETE FROM tickets WHERE role = ?", [(role.value,) for role in roles])

    def move(self, session: str, to: str, players: Mapping[PlayerId, PlayerId]) -> None:
        """Moves tickets for one seat to the same player's seat in another session.

        players     player in `session` → player in `to`
        """
        with self._journal.changing() as db:
            db.executemany(
                "UPDATE tickets SET session = ?, player = ? WHERE session = ? AND player = ?",
                [(to, after, session, before) for before, after in players.items()],
            )

    def revoke(self, ticket_id: str) -> None:
        """Revokes a ticket, from the next request of its device on.

        With a code, all devices that came in by it are revoked, also those of the codes it replaced.
        """
        with self._journal.changing() as db:
            db.execute(
                "DELETE FROM tickets WHERE id = ? OR id IN (SELECT ticket FROM scanned WHERE code = ?)",
                (ticket_id, ticket_id),
            )


def ticket_of(stored: StoredTicket) -> Ticket:
    """A ticket from its stored form; an unknown role becomes a watcher's."""
    role = Role(stored.role) if stored.role in set(Role) else Role.WATCHER
    return Ticket(**{**vars(stored), "role": role})
