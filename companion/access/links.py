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

MOST_USED_LINKS = 16


class Links:
    """The one-time links of one house. Thread-safe."""

    def __init__(self, journal: Journal, tickets: Tickets) -> None:
        self._journal = journal
        self._tickets = tickets
        self._used: deque[tuple[str, str, str]] = deque(maxlen=MOST_USED_LINKS)
        """(link, opener, token) of links that were used a moment ago."""

    def start_link(self) -> str:
        """The token of a one-time link for the host, printed at each start; the unused ones of before are deleted."""
        return self.start_links(1)[0]

    def start_links(self, count: int) -> list[str]:
        """The tokens of that many; each is used up alone."""
        with self._journal.changing() as db:
            db.execute("DELETE FROM tickets WHERE once = 1 AND role = ? AND label = ?", (Role.HOST.value, START_LINK))
        return [self._tickets.issue(Role.HOST, label=START_LINK, once=True) for _link in range(count)]

    def hand_over(self, giver: Ticket | None) -> str:
        """The token of a one-time link that makes the device that opens it the host, and the giver's a player.

        giver       None for the machine itself, which remains the host's
        """
        link = self._tickets.new(Role.HOST, label=NEXT_HOST, once=True)
        with self._journal.changing() as db:
            insert_ticket(db, link)
            if giver is not None:
                setting = (HANDED_OVER.name, f"{link.id} {giver.id}")
                db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", setting)
        return self._tickets.token(link)

    def use_up(self, link: Ticket, opener: str = "") -> str:
        """The token that a device gets for a one-time link. In the same transaction the link's giver becomes a player.

        opener      as in `Access.redeem`

        Raises NotAllowed when the link was revoked meanwhile.
        """
        ticket = self._tickets.new(link.role, link.session, link.player, link.label)
        with self._journal.changing() as db:
            if not db.execute("DELETE FROM tickets WHERE id = ?", (link.id,)).rowcount:  # It was shown out just now.
                raise NotAllowed(_(WORTH_NOTHING))
            step_back(db, link.id)
            insert_ticket(db, ticket)
            # Another tap may see it used up from here on.
            self._used.append((link.id, opener, self._tickets.token(ticket)))
        return self._tickets.token(ticket)

    def find_token(self, link: str, opener: str) -> str:
        """The token that the same page was given for a link a moment ago, "" if none: its answer may not have arrived,
        as a browser drops it at a second tap.
        """
        return next((token for used, by, token in tuple(self._used) if opener and (used, by) == (link, opener)), "")


def step_back(db: sqlite3.Connection, link: str) -> None:
    """Makes the device that handed the house over by this link a player."""
    setting = db.execute("SELECT value FROM settings WHERE name = ?", (HANDED_OVER.name,)).fetchone()
    of, _space, giver = setting[0].partition(" ") if setting else ("", "", "")
    if of == link:
        db.execute("UPDATE tickets SET role = ? WHERE id = ?", (Role.PLAYER.value, giver))
