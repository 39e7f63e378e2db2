"""Who may do what in this house: tickets for devices, and the host's PIN.

A ticket makes a device a watcher, a player or the host. Its token is signed with the house's own secret, so that
nothing is looked up for a forged one, and it counts only while its row stands in the journal: deleting the row revokes
it. The machine itself needs no ticket.
"""

import contextlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from itsdangerous import BadSignature, Signer

from companion.clock import wall_us
from companion.errors import JournalUnusable, NotAllowed, TooManyTries
from companion.game.players import PlayerId
from companion.journal.devices import BY_PIN, CODE_OF_A_GAME, FIRST_PAGE, NEXT_HOST, START_LINK, Role
from companion.journal.session import new_id
from companion.journal.settings import CODE, HANDED_OVER, LAST_SCANNED, PIN, SECRET, WRONG_PINS, Setting
from companion.journal.store import Journal
from companion.journal.tickets import StoredTicket, add_ticket, all_tickets, find_ticket, insert_ticket
from companion.words import N_, _

PIN_DIGITS = 8
TICKETS = "tickets"  # the topic of `Live` that says that somebody was shown out
DAY_US = 24 * 60 * 60 * 1_000_000
TICKET_DAYS = 30
LINK_MINUTES = 30  # a one-time link that nobody used by then is worth nothing
# argon2id for a board with 512 MB: the smallest setting of the usual recommendations (19 MiB, two passes)
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
FREE_TRIES = 5  # wrong PINs of one address before it has to wait
MOST_TRIES = 40  # wrong PINs of everybody together before everybody has to wait
FIRST_WAIT_US = 30_000_000
LONGEST_WAIT_US = 3_600_000_000
EVERYBODY = "*"
WORTH_NOTHING = N_("This link no longer works: scan a fresh one at the table.")
REPLACED = 0  # the number of a code that another one has replaced, among that one's devices
MOST_SCANNED = 64  # devices of one of these codes that have a ticket of their own, at any time
MOST_ADDRESSES = 500  # remembered for their wrong PINs


@dataclass(frozen=True)
class Ticket:
    """What a device may do here.

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


class Access:
    """The tickets and the PIN of one house. Safe from several threads."""

    def __init__(self, journal: Journal, now_us: Callable[[], int] = wall_us) -> None:
        self._journal = journal
        self._now_us = now_us
        self._lock = threading.Lock()
        self._came: set[str] = set()  # tickets that were shown since this process began
        secret = SECRET.of(journal)
        if not secret:
            secret = secrets.token_hex(32)
            SECRET.put(journal, secret)
        self._signer = Signer(secret, salt="ticket")

    # tickets

    def issue(
        self,
        role: Role,
        *,
        session: str | None = None,
        player: PlayerId | None = None,
        label: str = "",
        once: bool = False,
    ) -> str:
        """A new ticket's token."""
        ticket = new_ticket(role, session, player, label, once)
        add_ticket(self._journal, ticket)
        return self._token(ticket)

    def start_link(self) -> str:
        """A one-time link for the host, printed at each start; one of an earlier start that nobody used goes."""
        with self._journal.changing() as db:
            db.execute("DELETE FROM tickets WHERE once = 1 AND role = ? AND label = ?", (Role.HOST.value, START_LINK))
        return self.issue(Role.HOST, label=START_LINK, once=True)

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
        ticket = self.ticket(token)
        return token if ticket is not None and ticket.expires_wall_us >= wall_us() + DAY_US else ""

    def _renewed(self, kept: Setting[str], role: Role, session: str | None) -> str:
        """A code in the place of another one, whose devices are its own from now on.

        So is the other one itself, which still hangs on some wall and lets in until it expires.
        """
        code = new_ticket(role, session, label=code_name(session))
        token, replaced = self._token(code), self._id(kept.of(self._journal))
        with self._journal.changing() as db:
            insert_ticket(db, code)
            db.execute("UPDATE scanned SET code = ? WHERE code = ?", (code.id, replaced))
            db.execute(
                "INSERT INTO scanned SELECT id, ?, ?, 1 FROM tickets WHERE id = ?", (code.id, REPLACED, replaced)
            )
            db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (kept.name, token))
        return token

    def ticket(self, token: str) -> Ticket | None:
        """The ticket of a token, None when it is forged, revoked or expired."""
        ticket_id = self._id(token)
        stored = find_ticket(self._journal, ticket_id) if ticket_id else None
        if stored is None or stored.expires_wall_us < wall_us():
            return None
        return ticket_of(stored)

    def _token(self, ticket: StoredTicket) -> str:
        """What a device shows for a ticket."""
        return self._signer.sign(ticket.id).decode()

    def _id(self, token: str) -> str:
        """Whose token that is, "" when it is forged."""
        try:
            return self._signer.unsign(token).decode()
        except BadSignature:
            return ""

    def redeemed(self, token: str) -> str:
        """The token a device keeps for a link it opened: a one-time link is used up by that.

        Each device that scans a code of the wall gets a ticket of its own, so that it can be told from the others and
        shown out alone. Raises NotAllowed when the link is worth nothing any more.
        """
        with self._lock:
            ticket = self.ticket(token)
            if ticket is None:
                raise NotAllowed(_(WORTH_NOTHING))
            if not ticket.once:
                code = self._code(ticket, token)
                return self._scanned(code, ticket, token) if code else token
            return self._used_up(ticket)

    def _used_up(self, link: Ticket) -> str:
        """The token that a device gets for a one-time link, whose giver steps back: all of it is recorded, or none."""
        own = new_ticket(link.role, link.session, link.player, link.label)
        with self._journal.changing() as db:
            if not db.execute("DELETE FROM tickets WHERE id = ?", (link.id,)).rowcount:  # shown out just now
                raise NotAllowed(_(WORTH_NOTHING))
            step_back(db, link.id)
            insert_ticket(db, own)
        return self._token(own)

    def _code(self, ticket: Ticket, token: str) -> str:
        """The code of the wall that a link is, or that replaced it; "" for any other link, whatever it is called."""
        if token == code_of_door(ticket.role, ticket.session).of(self._journal):
            return ticket.id
        rows = self._journal.select("SELECT code FROM scanned WHERE ticket = ? AND number = ?", (ticket.id, REPLACED))
        return rows[0][0] if rows else ""

    def _scanned(self, code: str, link: Ticket, token: str) -> str:
        """The token of one more device of a code.

        The link's own where nothing can be recorded, since a full disk keeps nobody out, and where the code has as many
        devices as it may.
        """
        with contextlib.suppress(JournalUnusable):
            with self._journal.changing() as db:
                if not db.execute("SELECT 1 FROM tickets WHERE id = ?", (link.id,)).fetchall():  # shown out just now
                    raise NotAllowed(_(WORTH_NOTHING))
                if not has_room(db, code):
                    return token
                number = next_number(db)
                own = new_ticket(link.role, link.session, link.player, f"{code_name(link.session)}, {number}")
                insert_ticket(db, own)
                db.execute("INSERT INTO scanned VALUES (?, ?, ?, 0)", (own.id, code, number))
            return self._token(own)
        return token

    def left(self, token: str) -> None:
        """A device has another ticket from now on: the one that it got for scanning a code is nobody's."""
        with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
            db.execute(
                "DELETE FROM tickets WHERE id IN (SELECT ticket FROM scanned WHERE ticket = ? AND number <> ?)",
                (self._id(token), REPLACED),
            )

    def came(self, ticket: Ticket) -> None:
        """A device shows its ticket: remembered the first time, since one that was never shown may go for another."""
        if ticket.id in self._came:
            return
        self._came.add(ticket.id)
        with contextlib.suppress(JournalUnusable), self._journal.changing() as db:
            db.execute("UPDATE scanned SET used = 1 WHERE ticket = ? AND used = 0", (ticket.id,))

    def tickets(self) -> tuple[Ticket, ...]:
        """Every ticket that still counts, newest first."""
        now_us = wall_us()
        return tuple(ticket_of(one) for one in all_tickets(self._journal) if one.expires_wall_us >= now_us)

    def codes(self) -> Mapping[str, int | None]:
        """The tickets that are codes of the wall, which are nobody's: how many devices came in by each.

        None for one that was replaced, whose devices are the other's.
        """
        tokens = self._journal.select("SELECT value FROM settings WHERE name GLOB ?", (f"{CODE.name}:*",))
        replaced = self._journal.select("SELECT ticket FROM scanned WHERE number = ?", (REPLACED,))
        came = "SELECT code, count(*) FROM scanned JOIN tickets ON id = ticket WHERE number <> ? GROUP BY code"
        devices = dict(self._journal.select(came, (REPLACED,)))
        codes = [self._id(token) for (token,) in tokens]
        return {code: devices.get(code, 0) for code in codes} | {code: None for (code,) in replaced}

    def show_out(self, *roles: Role) -> None:
        """Every ticket of these roles counts no more, links and codes included."""
        with self._journal.changing() as db:
            db.executemany("DELETE FROM tickets WHERE role = ?", [(role.value,) for role in roles])

    def move(self, session: str, to: str, players: Mapping[PlayerId, PlayerId]) -> None:
        """Tickets for one seat are for that player's seat in another session from now on."""
        with self._journal.changing() as db:
            db.executemany(
                "UPDATE tickets SET session = ?, player = ? WHERE session = ? AND player = ?",
                [(to, after, session, before) for before, after in players.items()],
            )

    def hand_over(self, giver: Ticket | None) -> str:
        """A one-time link: the device that opens it is the host, and the giver's plays on as a player.

        giver       None for the machine itself, which stays the host's
        """
        link = new_ticket(Role.HOST, label=NEXT_HOST, once=True)
        with self._journal.changing() as db:
            insert_ticket(db, link)
            if giver is not None:
                handed = (HANDED_OVER.name, f"{link.id} {giver.id}")
                db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", handed)
        return self._token(link)

    def revoke(self, ticket_id: str) -> None:
        """A ticket counts no more, from the next request of its device on.

        A code's devices are out with it, also those that came in by the one it replaced.
        """
        with self._journal.changing() as db:
            db.execute(
                "DELETE FROM tickets WHERE id = ? OR id IN (SELECT ticket FROM scanned WHERE code = ?)",
                (ticket_id, ticket_id),
            )

    # the PIN

    def new_pin(self) -> str:
        """Makes a PIN that whoever types it becomes the host; shown once, kept as a hash."""
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
        PIN.put(self._journal, HASHER.hash(pin))
        return pin

    def has_pin(self) -> bool:
        """Whether a PIN was ever made here."""
        return bool(PIN.of(self._journal))

    def try_pin(self, pin: str, address: str) -> str:
        """The host's token for the right PIN.

        Raises TooManyTries while this address, or everybody, has to wait, and NotAllowed for a wrong PIN. A wrong PIN
        costs its address a wait that doubles each time; a guess made while waiting is not even looked at.
        """
        with self._lock:
            self._let_wait(address)
            right = is_pin(PIN.of(self._journal), pin)
            if right:
                WRONG_PINS.put(self._journal, WRONG_PINS.usual)
            else:
                self._remember_wrong(address)
        if not right:
            raise NotAllowed(_("This is not the PIN: look at the table's own screen, or make a new one there."))
        return self.issue(Role.HOST, label=BY_PIN)

    def _let_wait(self, address: str) -> None:
        wrong = self._wrong()
        for who in (address, EVERYBODY):
            _count, free_us = wrong.get(who, (0, 0))
            left_us = min(free_us - self._now_us(), LONGEST_WAIT_US)  # a clock that was set back keeps nobody out
            if left_us > 0:
                seconds = -(-left_us // 1_000_000)
                raise TooManyTries(_("Too many wrong PINs: try again in {seconds} seconds.", seconds=seconds))

    def _wrong(self) -> dict[str, tuple[int, int]]:
        """Address → (wrong PINs so far, when it may try again), in the journal's file: a restart forgives nothing."""
        return {who: (count, free_us) for who, (count, free_us) in json.loads(WRONG_PINS.of(self._journal)).items()}

    def _remember_wrong(self, address: str) -> None:
        wrong = self._wrong()
        for who in (address, EVERYBODY):
            count = wrong.pop(who, (0, 0))[0] + 1
            over = count - (MOST_TRIES if who == EVERYBODY else FREE_TRIES)
            wait_us = 0 if over < 0 else min(FIRST_WAIT_US << min(over, 20), LONGEST_WAIT_US)
            wrong[who] = (count, self._now_us() + wait_us)
        WRONG_PINS.put(self._journal, json.dumps(dict(list(wrong.items())[-MOST_ADDRESSES:])))


def is_pin(kept: str, pin: str) -> bool:
    """Whether `pin` is the one whose hash is kept; nothing is, before one was made."""
    try:
        return HASHER.verify(kept, pin)
    except (VerificationError, InvalidHashError):
        return False


def code_of_door(role: Role, session: str | None) -> Setting[str]:
    """The token of a code of the wall."""
    return CODE.each(f"{role}:{session or 'all'}")


def code_name(session: str | None) -> str:
    """What the house calls a code of the wall."""
    return CODE_OF_A_GAME if session else FIRST_PAGE


def has_room(db: sqlite3.Connection, code: str) -> bool:
    """Whether one more device of a code may have a ticket; for it goes one that was never shown, none that was."""
    among = "SELECT ticket FROM scanned JOIN tickets ON id = ticket WHERE code = ? AND expires_wall_us >= ?"
    if len(db.execute(among, (code, wall_us())).fetchall()) < MOST_SCANNED:
        return True
    unused = f"({among} AND used = 0 ORDER BY number LIMIT 1)"
    return db.execute(f"DELETE FROM tickets WHERE id = {unused}", (code, wall_us())).rowcount > 0


def step_back(db: sqlite3.Connection, link: str) -> None:
    """Whoever handed the house over by this link plays on as a player."""
    handed = db.execute("SELECT value FROM settings WHERE name = ?", (HANDED_OVER.name,)).fetchone()
    of, _space, giver = handed[0].partition(" ") if handed else ("", "", "")
    if of == link:
        db.execute("UPDATE tickets SET role = ? WHERE id = ?", (Role.PLAYER.value, giver))


def next_number(db: sqlite3.Connection) -> int:
    """The number of the next device that scans a code: none is given twice while any of them is in."""
    is_anyone_in = db.execute("SELECT 1 FROM scanned WHERE number <> ? LIMIT 1", (REPLACED,)).fetchone()
    last = db.execute("SELECT value FROM settings WHERE name = ?", (LAST_SCANNED.name,)).fetchone()
    number = int(last[0]) + 1 if is_anyone_in and last else 1
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (LAST_SCANNED.name, str(number)))
    return number


def new_ticket(
    role: Role, session: str | None = None, player: PlayerId | None = None, label: str = "", once: bool = False
) -> StoredTicket:
    """A ticket from now on, in nobody's hand yet."""
    now_us = wall_us()
    lifetime_us = LINK_MINUTES * 60_000_000 if once else TICKET_DAYS * DAY_US
    return StoredTicket(new_id(), role.value, session, player, label, now_us, now_us + lifetime_us, once)


def ticket_of(stored: StoredTicket) -> Ticket:
    """A stored ticket; an unknown role is the least."""
    role = Role(stored.role) if stored.role in set(Role) else Role.WATCHER
    return Ticket(**{**vars(stored), "role": role})
