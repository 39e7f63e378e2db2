"""Who referees a locked game: the device that holds its key. Of a key only the digest is kept."""

import hmac
import secrets
import threading

from companion.journal import Journal
from companion.session import Session, digest
from companion.table import Table

KEY_BYTES = 18


class Referees:
    """The referees of all locked games of the house."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()

    def note_maker(self, session: Session, maker: str) -> None:
        """Which device begins a new locked game; noted first, so that a power cut leaves no game without it."""
        if session.locked:
            self._journal.set_setting(f"maker:{session.id}", maker)

    def appointed(self, table: Table, maker: str) -> str:
        """The key that makes the device that began a locked game its referee's, "" for every other device.

        A maker whose first answer was lost has never seen its key, and none is kept here to be sent again: it gets
        another, which replaces the lost one, but only before the first entry. Until then there is nothing to correct;
        from then on the table relies on the referee it has, and a ticket may be shared by several devices.
        """
        session_id = table.session.id
        with self._lock:
            if not maker or maker != self._journal.setting(f"maker:{session_id}", ""):
                return ""
            if self._journal.setting(f"referee:{session_id}", "") and table.seq:
                return ""
            return self.new_key(session_id)

    def new_key(self, session_id: str) -> str:
        """The secret that makes a device the referee's; any earlier one no longer does."""
        key = secrets.token_urlsafe(KEY_BYTES)
        self._journal.set_setting(f"referee:{session_id}", digest(key))
        return key

    def is_key(self, session_id: str, key: str) -> bool:
        """Whether `key` is that of this session's referee."""
        return hmac.compare_digest(self._journal.setting(f"referee:{session_id}", "none"), digest(key))
