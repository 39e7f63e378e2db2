"""The referee of a locked game is the device that holds its key. Only the key's digest is stored."""

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
    """Records the device that begins a locked game, as a part of the transaction that records the game."""
    if session.locked:
        MAKER.for_key(session.id).insert(db, maker)


class Referees:
    """The referees of all locked games of the house."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()

    def appointed(self, table: Table, maker: str) -> str:
        """A new referee's key for the device that began a locked game, "" for every other device.

        If the first answer was lost, the device has never seen its key, and the key is not stored here. So it may get
        another one, which replaces the lost one, but only before the first entry: from then on the table relies on its
        referee, and several devices may share a ticket.
        """
        session_id = table.session.id
        with self._lock:
            if not maker or maker != MAKER.for_key(session_id).of(self._journal):
                return ""
            if self._digest(session_id) != REFEREE.usual and table.seq:
                return ""
            return self.new_key(session_id)

    def new_key(self, session_id: str) -> str:
        """Makes a new referee's key; earlier keys no longer work."""
        key = secrets.token_urlsafe(KEY_BYTES)
        REFEREE.for_key(session_id).put(self._journal, digest(key))
        return key

    def is_key(self, session_id: str, key: str) -> bool:
        """Whether `key` is the key of this session's referee."""
        return hmac.compare_digest(self._digest(session_id), digest(key))

    def _digest(self, session_id: str) -> str:
        return REFEREE.for_key(session_id).of(self._journal)
