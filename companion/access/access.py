"""The doors of one house: what devices show, scan, open and type."""

from companion.access.host_pin import HostPin
from companion.access.links import Links
from companion.access.tickets import WORTH_NOTHING, Tickets
from companion.access.wall_codes import WallCodes
from companion.errors import NotAllowed
from companion.journal.store import Journal
from companion.words import _


class Access:
    """Tickets, and the three ways to one. Safe from several threads."""

    def __init__(self, journal: Journal) -> None:
        self.tickets = Tickets(journal)
        self.codes = WallCodes(journal, self.tickets)
        self.links = Links(journal, self.tickets)
        self.pin = HostPin(journal, self.tickets)

    def redeemed(self, token: str) -> str:
        """The token a device keeps for what it scanned or opened: a one-time link is used up by that.

        Raises NotAllowed when it is worth nothing any more.
        """
        ticket = self.tickets.ticket(token)
        if ticket is None:
            raise NotAllowed(_(WORTH_NOTHING))
        return self.links.used_up(ticket) if ticket.once else self.codes.scanned(ticket, token)
