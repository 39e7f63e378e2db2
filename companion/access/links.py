"""One-time links: the first device that opens one gets its ticket, and nobody else."""

import sqlite3
from collections import deque

from companion.access.tickets import WORTH_NOTHING, Ticket, Tickets
from companion.errors import NotAllowed
from companion.journal.devices import NEXT_HOST, START_LINK, Role
from companion.journal.settings import HANDED_OVER
from companion.journal.store import Journal
from companion.journal.tickets import insert_ticket
from companion.words import _

REMEMBERED = 16  # links that were used a moment ago


class Links:
    """The one-time links of one house. Thread-safe."""

    def __init__(self, journal: Journal, tickets: Tickets) -> None:
        self._journal = journal
        self._tickets = tickets
        self._given: deque[tuple[str, str, str]] = deque(maxlen=REMEMBERED)  # (link, opener, token) of used links

    def start_link(self) -> str:
        """The token of a one-time link for the host, printed at each start; the unused ones of before are deleted."""
        return self.start_links(1)[0]

    def start_links(self, count: int) -> list[str]:
        """The tokens of that many; each is used up alone."""
        with self._journal.changing() as db:
            db.execute("DELETE FROM tickets WHERE once = 1 AND role = ? AND label = ?", (Role.HOST.value, START_LINK))
        return [self._tickets.issue(Role.HOST, label=START_LINK, once=True) for _each in range(count)]

    def hand_over(self, giver: Ticket | None) -> str:
        """The token of a one-time link that makes the device that opens it the host, and the giver's a player.

        giver       None for the machine itself, which remains the host's
        """
        link = self._tickets.new(Role.HOST, label=NEXT_HOST, once=True)
        with self._journal.changing() as db:
            insert_ticket(db, link)
            if giver is not None:
                handed = (HANDED_OVER.name, f"{link.id} {giver.id}")
                db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", handed)
        return self._tickets.token(link)

    def used_up(self, link: Ticket, opener: str = "") -> str:
        """The token that a device gets for a one-time link. In the same transaction the link's giver becomes a player.

        opener      as in `Access.redeemed`

        Raises NotAllowed when the link was revoked meanwhile.
        """
        own = self._tickets.new(link.role, link.session, link.player, link.label)
        with self._journal.changing() as db:
            if not db.execute("DELETE FROM tickets WHERE id = ?", (link.id,)).rowcount:  # shown out just now
                raise NotAllowed(_(WORTH_NOTHING))
            step_back(db, link.id)
            insert_ticket(db, own)
            self._given.append((link.id, opener, self._tickets.token(own)))  # before another tap can see it used up
        return self._tickets.token(own)

    def given(self, link: str, opener: str) -> str:
        """The token that the same page was given for a link a moment ago, "" if none: its answer may not have arrived,
        as a browser drops it at a second tap.
        """
        return next((token for used, by, token in tuple(self._given) if opener and (used, by) == (link, opener)), "")


def step_back(db: sqlite3.Connection, link: str) -> None:
    """Makes the device that handed the house over by this link a player."""
    handed = db.execute("SELECT value FROM settings WHERE name = ?", (HANDED_OVER.name,)).fetchone()
    of, _space, giver = handed[0].partition(" ") if handed else ("", "", "")
    if of == link:
        db.execute("UPDATE tickets SET role = ? WHERE id = ?", (Role.PLAYER.value, giver))
