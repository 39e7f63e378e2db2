"""Codes of the wall: each lets in everybody who scans it, until it expires or the house shows it out."""

import contextlib
import sqlite3
import threading
from collections.abc import Mapping

from companion.access.tickets import DAY_US, WORTH_NOTHING, Ticket, Tickets
from companion.errors import JournalUnusable, NotAllowed
from companion.journal.devices import CODE_OF_A_GAME, FIRST_PAGE, Role
from companion.journal.settings import CODE, LAST_SCANNED, Setting
from companion.journal.store import Journal
from companion.journal.tickets import insert_ticket
from companion.words import _

REPLACED = 0  # the number of a code that another one has replaced, among that one's devices
MOST_SCANNED = 64  # devices of one of these codes that have a ticket of their own, at any time


class WallCodes:
    """Those of one house, and the devices that came in by each. Safe from several threads."""

    def __init__(self, journal: Journal, tickets: Tickets) -> None:
        self._journal = journal
        self._tickets = tickets
        self._lock = threading.Lock()
        self._came: set[str] = set()  # tickets that were shown since this process began

    def standing(self, role: Role, session: str | None = None) -> str:
        """The token of a code that hangs on the wall: the same each time, a fresh one when it expires soon.

        session     the only game it is for; None for all, as on the first page
        """
        kept = code_of_door(role, session)
        token = self._fresh(kept)
        if not token:
            with self._lock:
                token = self._fresh(kept) or self._renewed(kept, role, session)
        return token

    def _fresh(self, kept: Setting[str]) -> str:
        """The token of a code by its setting, "" when it counts no more or expires soon."""
        token = kept.of(self._journal)
        ticket = self._tickets.ticket(token)
        return token if ticket is not None and ticket.expires_wall_us >= self._tickets.now_us() + DAY_US else ""

    def _renewed(self, kept: Setting[str], role: Role, session: str | None) -> str:
        """A code in the place of another one, whose devices are its own from now on.

        So is the other one itself, which still hangs on some wall and lets in until it expires.
        """
        code = self._tickets.new(role, session, label=code_name(session))
        token, replaced = self._tickets.token(code), self._tickets.id_of(kept.of(self._journal))
        with self._journal.changing() as db:
            insert_ticket(db, code)
            db.execute("UPDATE scanned SET code = ? WHERE code = ?", (code.id, replaced))
            db.execute(
                "INSERT INTO scanned SELECT id, ?, ?, 1 FROM tickets WHERE id = ?", (code.id, REPLACED, replaced)
            )
            db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (kept.name, token))
        return token

    def scanned(self, link: Ticket, token: str) -> str:
        """The token a device keeps for a link that is good for many.

        Each device that scans a code of the wall gets a ticket of its own, so that it can be told from the others and
        shown out alone. Raises NotAllowed when the link was shown out meanwhile.
        """
        with self._lock:
            code = self._code(link, token)
            return self._one_more(code, link, token) if code else token

    def _code(self, ticket: Ticket, token: str) -> str:
        """The code of the wall that a link is, or that replaced it; "" for any other link, whatever it is called."""
        if token == code_of_door(ticket.role, ticket.session).of(self._journal):
            return ticket.id
        rows = self._journal.select("SELECT code FROM scanned WHERE ticket = ? AND number = ?", (ticket.id, REPLACED))
        return rows[0][0] if rows else ""

    def _one_more(self, code: str, link: Ticket, token: str) -> str:
        """The token of one more device of a code.

        The link's own where nothing can be recorded, since a full disk keeps nobody out, and where the code has as many
        devices as it may.
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

    def left(self, token: str) -> None:
        """A device has another ticket from now on: the one that it got for scanning a code is nobody's."""
        with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
            db.execute(
                "DELETE FROM tickets WHERE id IN (SELECT ticket FROM scanned WHERE ticket = ? AND number <> ?)",
                (self._tickets.id_of(token), REPLACED),
            )

    def came(self, ticket: Ticket) -> None:
        """A device shows its ticket: remembered the first time, since one that was never shown may go for another."""
        if ticket.id in self._came:
            return
        self._came.add(ticket.id)
        with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
            db.execute("UPDATE scanned SET used = 1 WHERE ticket = ? AND used = 0", (ticket.id,))

    def devices(self) -> Mapping[str, int | None]:
        """The tickets that are codes of the wall, which are nobody's: how many devices came in by each.

        None for one that was replaced, whose devices are the other's.
        """
        tokens = self._journal.select("SELECT value FROM settings WHERE name GLOB ?", (f"{CODE.name}:*",))
        replaced = self._journal.select("SELECT ticket FROM scanned WHERE number = ?", (REPLACED,))
        came = "SELECT code, count(*) FROM scanned JOIN tickets ON id = ticket WHERE number <> ? GROUP BY code"
        devices = dict(self._journal.select(came, (REPLACED,)))
        codes = [self._tickets.id_of(token) for (token,) in tokens]
        return {code: devices.get(code, 0) for code in codes} | {code: None for (code,) in replaced}


def code_of_door(role: Role, session: str | None) -> Setting[str]:
    """The token of a code of the wall."""
    return CODE.each(f"{role}:{session or 'all'}")


def code_name(session: str | None) -> str:
    """What the house calls a code of the wall."""
    return CODE_OF_A_GAME if session else FIRST_PAGE


def has_room(db: sqlite3.Connection, code: str, now_us: int) -> bool:
    """Whether one more device of a code may have a ticket; for it goes one that was never shown, none that was."""
    among = "SELECT ticket FROM scanned JOIN tickets ON id = ticket WHERE code = ? AND expires_wall_us >= ?"
    if len(db.execute(among, (code, now_us)).fetchall()) < MOST_SCANNED:
        return True
    unused = f"({among} AND used = 0 ORDER BY number LIMIT 1)"
    return db.execute(f"DELETE FROM tickets WHERE id = {unused}", (code, now_us)).rowcount > 0


def next_number(db: sqlite3.Connection) -> int:
    """The number of the next device that scans a code: none is given twice while any of them is in."""
    is_anyone_in = db.execute("SELECT 1 FROM scanned WHERE number <> ? LIMIT 1", (REPLACED,)).fetchone()
    last = db.execute("SELECT value FROM settings WHERE name = ?", (LAST_SCANNED.name,)).fetchone()
    number = int(last[0]) + 1 if is_anyone_in and last else 1
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (LAST_SCANNED.name, str(number)))
    return number
