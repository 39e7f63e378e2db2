"""Who referees a locked game: the device that holds its key. Of a key only the digest is kept."""

import hmac
import secrets
import sqlite3
import threading

from companion.journal.session import Session, digest
from companion.journal.settings import MAKER, REFEREE
from companion.journal.store import Journal
from companion.table.table import Table

KEY_BYTES = 18


def note_maker(db: sqlite3.Connection, session: Session, maker: str) -> None:
    """Which device begins a new locked game, as a part of the transaction that records it."""
    if session.locked:
        MAKER.each(session.id).insert(db, maker)


class Referees:
    """The referees of all locked games of the house."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()

    def appointed(self, table: Table, maker: str) -> str:
        """The key that makes the device that began a locked game its referee's, "" for every other device.

        A maker whose first answer was lost has never seen its key, and none is kept here to be sent again: it gets
        another, which replaces the lost one, but only before the first entry. Until then there is nothing to correct;
        from then on the table relies on the referee it has, and a ticket may be shared by several devices.
        """
        session_id = table.session.id
        with self._lock:
            if not maker or maker != MAKER.each(session_id).of(self._journal):
                return ""
            if self._digest(session_id) != REFEREE.usual and table.seq:
                return ""
            return self.new_key(session_id)

    def new_key(self, session_id: str) -> str:
        """The secret that makes a device the referee's; any earlier one no longer does."""
        key = secrets.token_urlsafe(KEY_BYTES)
        REFEREE.each(session_id).put(self._journal, digest(key))
        return key

    def is_key(self, session_id: str, key: str) -> bool:
        """Whether `key` is that of this session's referee."""
        return hmac.compare_digest(self._digest(session_id), digest(key))

    def _digest(self, session_id: str) -> str:
        return REFEREE.each(session_id).of(self._journal)
