"""Access to one house: the tickets that devices show, and the ways to get one."""

from companion.access.host_pin import HostPin
from companion.access.links import Links
from companion.access.seat_choice import SeatChoice
from companion.access.short_codes import ShortCodes, Way
from companion.access.tickets import WORTH_NOTHING, Tickets
from companion.access.wall_codes import WallCodes
from companion.errors import NotAllowed
from companion.journal.store import Journal
from companion.words import _


class Access:
    """Tickets, and the ways to get one. Thread-safe."""

    def __init__(self, journal: Journal) -> None:
        self.tickets = Tickets(journal)
        self.codes = WallCodes(journal, self.tickets)
        self.links = Links(journal, self.tickets)
        self.pin = HostPin(journal, self.tickets)
        self.short_codes = ShortCodes()
        self.seats = SeatChoice(journal, self.tickets, self.codes)

    def enter(self, typed: str, address: str) -> Way:
        """The way in for what somebody typed: a short code, or the host's PIN.

        Raises NotAllowed for neither, and TooManyTries after too many of these; see `HostPin.guess`.
        """
        with self.pin.guess(address):
            return self.short_codes.find(typed) or Way(self.pin.token_for(typed, address))

    def redeem(self, token: str, opener: str = "") -> str:
        """The token that a device keeps for the link or code with this token; a one-time link is used up by that.

        opener      random, of the page on which a one-time link was opened: the same gets the same answer again

        Raises NotAllowed when the link or code no longer works.
        """
        ticket = self.tickets.ticket(token)
        if ticket is None:
            if token_ := self.links.find_token(self.tickets.id_of(token), opener):
                return token_
            raise NotAllowed(_(WORTH_NOTHING))
        return self.links.use_up(ticket, opener) if ticket.once else self.codes.scan(ticket, token)
