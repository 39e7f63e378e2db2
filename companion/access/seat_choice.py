"""Who plays on a device: whoever came in by a player's link or code chooses a seat, once, and may choose again.

A link serves many devices, so none is ever narrowed: each choice gives the device a new ticket, recorded as one that
came in by the link. Revoking the link revokes it too, and by the link the device may change its choice.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

from companion.access.tickets import WORTH_NOTHING, Ticket, Tickets
from companion.access.wall_codes import REPLACED, WallCodes, has_room, next_number
from companion.errors import NotAllowed, TooMany
from companion.game.players import PlayerId
from companion.journal.devices import Role
from companion.journal.store import Journal
from companion.journal.tickets import insert_ticket
from companion.words import _


class SeatChoice:
    """The choices of one house's devices. Thread-safe, as the journal is."""

    def __init__(self, journal: Journal, tickets: Tickets, codes: WallCodes) -> None:
        self._journal = journal
        self._tickets = tickets
        self._codes = codes

    def link_of(self, ticket: Ticket) -> Ticket | None:
        """The player's link by which a device came in, or its own ticket if that is for every seat.

        None for a device that may not choose: it was let in to look on, for one seat, or as the host, or the link no
        longer counts.
        """
        rows = self._journal.select("SELECT code FROM scanned WHERE ticket = ? AND number <> ?", (ticket.id, REPLACED))
        link = self._tickets.of(rows[0][0]) if rows else ticket
        return link if link is not None and link.role is Role.PLAYER and link.player is None else None

    def devices_by_player(self, session: str, but: str = "") -> Mapping[PlayerId, int]:
        """Player of a game → how many devices play for them alone; the device with the ticket `but` is left out."""
        counts: dict[PlayerId, int] = {}
        for ticket in self._tickets.all():
            if ticket.session == session and ticket.player and ticket.id != but and self._codes.was_shown(ticket.id):
                counts[ticket.player] = counts.get(ticket.player, 0) + 1
        return counts

    def choose(self, ticket: Ticket, session: str | None, player: PlayerId | None, role: Role = Role.PLAYER) -> str:
        """The token of a new ticket for a device, for that seat of that game; the device's present one goes, unless it
        is the link itself.

        session, player     None for the whole table, as the link is
        role                a watcher's for a device that only looks on

        Raises NotAllowed if the device may not choose, TooMany if its link has as many devices as it may.
        """
        link = self.link_of(ticket)
        if link is None or link.session not in (None, session or link.session):
            raise NotAllowed(_("This device can't choose a seat. Scan the player's code at the table."))
        scope = session if player else link.session
        own = self._tickets.new(role, scope, player, ticket.label)
        with self._journal.changing() as db:
            if not db.execute(
                "SELECT 1 FROM tickets WHERE id = ?", (link.id,)
            ).fetchall():  # It was shown out just now.
                raise NotAllowed(_(WORTH_NOTHING))
            number = self._leave(db, ticket)
            if not has_room(db, link.id, self._tickets.now_us()):
                raise TooMany(_("Too many devices use this link. Ask the host to remove some, or for a new one."))
            # A choice lets nobody in for longer.
            insert_ticket(db, replace(own, expires_wall_us=ticket.expires_wall_us))
            db.execute("INSERT INTO scanned VALUES (?, ?, ?, 1)", (own.id, link.id, number))
        return self._tickets.token(own)

    def _leave(self, db: sqlite3.Connection, ticket: Ticket) -> int:
        """Deletes a device's own ticket; returns the device's number, a new one for a device that showed a link."""
        rows = db.execute("SELECT number FROM scanned WHERE ticket = ? AND number <> ?", (ticket.id, REPLACED))
        if row := rows.fetchone():
            db.execute("DELETE FROM tickets WHERE id = ?", (ticket.id,))
            return int(row[0])
        return next_number(db)
