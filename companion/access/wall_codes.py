"""Wall codes: each lets in everybody who scans it, until it expires or is revoked."""

import contextlib
import sqlite3
import threading
from collections.abc import Mapping

from companion.access.tickets import DAY_US, WORTH_NOTHING, Ticket, Tickets
from companion.errors import JournalUnusable, NotAllowed
from companion.ids import EVERY
from companion.journal.devices import CODE_OF_A_GAME, FIRST_PAGE, Role
from companion.journal.settings import CODE, LAST_SCANNED, Setting
from companion.journal.store import Journal
from companion.journal.tickets import insert_ticket
from companion.words import _

REPLACED = 0  # in place of a device's number: this row is a code that another code has replaced
MOST_SCANNED = 64  # devices of one code that may have tickets of their own at a time


class WallCodes:
    """The wall codes of one house, and the devices that came in by each. Thread-safe."""

    def __init__(self, journal: Journal, tickets: Tickets) -> None:
        self._journal = journal
        self._tickets = tickets
        self._lock = threading.Lock()
        self._used: set[str] = set()  # tickets that were shown since this process began

    def standing(self, role: Role, session: str | None = None) -> str:
        """The token of the code for a role: the same each time, until it expires soon and a new one replaces it.

        session     the only game it is for; None for all, as on the first page
        """
        setting = code_setting(role, session)
        token = self._fresh(setting)
        if not token:
            with self._lock:
                token = self._fresh(setting) or self._renewed(setting, role, session)
        return token

    def _fresh(self, setting: Setting[str]) -> str:
        """The token in a code's setting, "" when it no longer counts or expires soon."""
        token = setting.of(self._journal)
        ticket = self._tickets.ticket(token)
        return token if ticket is not None and ticket.expires_wall_us >= self._tickets.now_us() + DAY_US else ""

    def _renewed(self, setting: Setting[str], role: Role, session: str | None) -> str:
        """The token of a new code that replaces the one in the setting and takes over its devices.

        The old code counts as one of them: it still hangs on some wall and lets in until it expires.
        """
        code = self._tickets.new(role, session, label=code_name(session))
        token, replaced = self._tickets.token(code), self._tickets.id_of(setting.of(self._journal))
        with self._journal.changing() as db:
            insert_ticket(db, code)
            db.execute("UPDATE scanned SET code = ? WHERE code = ?", (code.id, replaced))
            db.execute(
                "INSERT INTO scanned SELECT id, ?, ?, 1 FROM tickets WHERE id = ?", (code.id, REPLACED, replaced)
            )
            db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (setting.name, token))
        return token

    def scanned(self, link: Ticket, token: str) -> str:
        """The token that a device keeps for a link that works for many devices.

        Each device that scans a wall code gets a ticket of its own, so that it can be revoked alone. Raises NotAllowed
        when the link was revoked meanwhile.
        """
        with self._lock:
            code = self._code(link, token)
            return self._own_token(code, link, token) if code else token

    def _code(self, ticket: Ticket, token: str) -> str:
        """The id of the wall code that a link is, or of the code that replaced it; "" for any other link."""
        if token == code_setting(ticket.role, ticket.session).of(self._journal):
            return ticket.id
        rows = self._journal.select("SELECT code FROM scanned WHERE ticket = ? AND number = ?", (ticket.id, REPLACED))
        return rows[0][0] if rows else ""

    def _own_token(self, code: str, link: Ticket, token: str) -> str:
        """The token of a new ticket for one more device of a code.

        The link's own token if nothing can be stored, since a full disk must lock nobody out, and if the code has as
        many devices as it may.
        """
        with contextlib.suppress(JournalUnusable):
            with self._journal.changing() as db:
                if not db.execute("SELECT 1 FROM tickets WHERE id = ?", (link.id,)).fetchall():  # shown out just now
                    raise NotAllowed(_(WORTH_NOTHING))
                if not has_room(db, code, self._tickets.now_us()):
                    return token
                number = next_number(db)
                own = self._tickets.new(link.role, link.session, link.player, f"{code_name(link.session)}, {number}")
                insert_ticket(db, own)
                db.execute("INSERT INTO scanned VALUES (?, ?, ?, 0)", (own.id, code, number))
            return self._tickets.token(own)
        return token

    def discard(self, token: str) -> None:
        """Deletes the ticket that a device got for scanning a code, since it has another one now."""
        with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
            db.execute(
                "DELETE FROM tickets WHERE id IN (SELECT ticket FROM scanned WHERE ticket = ? AND number <> ?)",
                (self._tickets.id_of(token), REPLACED),
            )

    def mark_used(self, ticket: Ticket) -> None:
        """Records that a device has shown its ticket: tickets that were never shown make room for others."""
        if ticket.id in self._used:
            return
        self._used.add(ticket.id)
        with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
            db.execute("UPDATE scanned SET used = 1 WHERE ticket = ? AND used = 0", (ticket.id,))

    def was_shown(self, ticket_id: str) -> bool:
        """Whether a device has shown this ticket: since this program began, or ever if it scanned a code for it."""
        shown = "SELECT 1 FROM scanned WHERE ticket = ? AND used = 1 AND number <> ?"
        return ticket_id in self._used or bool(self._journal.select(shown, (ticket_id, REPLACED)))

    def devices(self) -> Mapping[str, int | None]:
        """Ticket id of each wall code → how many devices came in by it.

        None for a replaced code, whose devices now belong to its successor.
        """
        tokens = self._journal.select("SELECT value FROM settings WHERE name GLOB ?", (f"{CODE.name}:*",))
        replaced = self._journal.select("SELECT ticket FROM scanned WHERE number = ?", (REPLACED,))
        counted = "SELECT code, count(*) FROM scanned JOIN tickets ON id = ticket WHERE number <> ? GROUP BY code"
        devices = dict(self._journal.select(counted, (REPLACED,)))
        codes = [self._tickets.id_of(token) for (token,) in tokens]
        return {code: devices.get(code, 0) for code in codes} | {code: None for (code,) in replaced}


def code_setting(role: Role, session: str | None) -> Setting[str]:
    """The setting that holds the token of a wall code."""
    return CODE.for_key(f"{role}:{session or EVERY}")


def code_name(session: str | None) -> str:
    """The house's name for a wall code."""
    return CODE_OF_A_GAME if session else FIRST_PAGE


def has_room(db: sqlite3.Connection, code: str, now_us: int) -> bool:
    """Whether one more device of a code may have a ticket. To make room, a ticket that was never shown is deleted."""
    among = "SELECT ticket FROM scanned JOIN tickets ON id = ticket WHERE code = ? AND expires_wall_us >= ?"
    if len(db.execute(among, (code, now_us)).fetchall()) < MOST_SCANNED:
        return True
    unused = f"({among} AND used = 0 ORDER BY number LIMIT 1)"
    return db.execute(f"DELETE FROM tickets WHERE id = {unused}", (code, now_us)).rowcount > 0


def next_number(db: sqlite3.Connection) -> int:
    """The number of the next device that scans a code. Numbers begin again only when no such device is left."""
    is_anyone_in = db.execute("SELECT 1 FROM scanned WHERE number <> ? LIMIT 1", (REPLACED,)).fetchone()
    last = db.execute("SELECT value FROM settings WHERE name = ?", (LAST_SCANNED.name,)).fetchone()
    number = int(last[0]) + 1 if is_anyone_in and last else 1
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (LAST_SCANNED.name, str(number)))
    return number
