"""Tickets in the journal."""

import sqlite3
from dataclasses import astuple, dataclass
from typing import Any

from companion.journal.database import Database


@dataclass(frozen=True)
class StoredTicket:
    """A ticket as it is stored; see `companion.access.tickets`."""

    id: str
    role: str
    session: str | None
    player: str | None
    label: str
    created_wall_us: int
    expires_wall_us: int
    once: bool


def add_ticket(journal: Database, ticket: StoredTicket) -> None:
    """Stores a ticket, and deletes those that have expired."""
    with journal.changing() as db:
        insert_ticket(db, ticket)


def find_ticket(journal: Database, ticket_id: str) -> StoredTicket | None:
    """A ticket by its id, or None."""
    rows = journal.select("SELECT * FROM tickets WHERE id = ?", (ticket_id,))
    return _ticket(rows[0]) if rows else None


def all_tickets(journal: Database) -> tuple[StoredTicket, ...]:
    """Every ticket, newest first."""
    rows = journal.select("SELECT * FROM tickets ORDER BY created_wall_us DESC, id")
    return tuple(map(_ticket, rows))


def insert_ticket(db: sqlite3.Connection, ticket: StoredTicket) -> None:
    """Stores a ticket, and deletes those that have expired, as a part of a transaction."""
    db.execute("DELETE FROM tickets WHERE expires_wall_us < ?", (ticket.created_wall_us,))
    db.execute("INSERT INTO tickets VALUES (?, ?, ?, ?, ?, ?, ?, ?)", astuple(ticket))


def _ticket(row: tuple[Any, ...]) -> StoredTicket:
    ticket_id, role, session, player, label, created_wall_us, expires_wall_us, once = row
    return StoredTicket(ticket_id, role, session, player, label, created_wall_us, expires_wall_us, bool(once))
