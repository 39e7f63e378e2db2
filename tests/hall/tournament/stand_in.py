"""A table that stands in for a real one: it begins what its hub offers it, and sends signed results.

Its letters are whole and signed; what was played is made up, so its hub needs a judge that `believes` it.
"""

from companion.journal.events import Entry, Struck
from companion.journal.record import Row, content_of, header_json
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Session, canonical_json
from companion.letters.chain import pack, unpack
from companion.letters.envelope import make_envelope, seal
from companion.letters.keys import Key
from companion.letters.offer import Doing
from companion.shelf import GAMES
from tests.hall.letters import NOON_US
from tests.hall.test_record import enrol


def believes(_letter, _data):
    """Takes every ranking as its table claims it."""


class StandIn:
    """One enrolled table.

    begun   offers that it has begun, by session, and how many entries each has; what it plays now comes last
    """

    def __init__(self, record, number):
        self.record, self.key = record, Key(bytes(range(number, number + 32)))
        self.begun, self.before = {}, None
        enrol(record, self.key, f"Table {number}")

    def say(self, over=False):
        """A sign of life, with what lies on the table."""
        now = next(reversed(self.begun), None)
        self.record.hear(self.key.id, Doing(session=now, over=over, wall_us=NOON_US))

    def begin(self):
        """Begins what the hub has for it, if it has anything new."""
        offer = self.record.desk.offer_for(self.key.id)
        if offer and offer.session not in self.begun:
            self.begun[offer.session] = (offer, 0)
        self.say()

    def send(self, session, ranks_of):
        """Sends one of its games as it is now, with one entry more; `ranks_of` the players' ids by seat."""
        offer, entries = self.begun[session]
        self.begun[session] = (offer, entries + 1)
        ids = tuple(player.id for player in offer.players)
        game = GAMES[offer.game].rules
        header = Session(session, game.name, game.options(), ids, NOON_US, rules=rules_digest(game.name))
        rows = []
        for seq in range(1, entries + 2):
            entry = Entry(seq, f"e{seq}", Struck(seq), NOON_US + seq, NOON_US + seq, "tablet", "")
            rows.append(Row(0, "", content_of(session, entry), ""))
        chain = unpack(pack(canonical_json(header_json(header)), rows))
        self.before = make_envelope(self.key, chain, self.before, ranks_of(ids), {}, NOON_US, wall_sure=True)
        return self.record.take(session, self.before.head, seal(self.key, self.before, chain))
