"""Throws that the program draws, for a table that has no dice at hand and no camera on them."""

import secrets
from dataclasses import replace

from companion.errors import IllegalEvent
from companion.game.dice import Throw
from companion.game.events import DRAWN
from companion.game.game import Event
from companion.journal.events import Origin
from companion.table.receipts import Receipt
from companion.table.table import Table
from companion.words import _

CHANCE = secrets.SystemRandom()  # Nobody can foretell the machine's own source.


def drawn(throw: Throw[Event] | None) -> Event:
    """The event of a throw with a value drawn for each die; raises IllegalEvent when there is nothing to throw."""
    if throw is None:
        raise IllegalEvent(_("No dice are rolled here now. Look at the page to see whose turn it is."))
    return throw.event(tuple(CHANCE.choice(faces) for faces in throw.dice))


def earlier_receipt(table: Table, event_id: str) -> Receipt | None:
    """The receipt for a throw that was drawn under this id, or None: a repeated request draws no other dice."""
    receipt = table.receipt_of(event_id)
    return receipt if receipt and table.entries[receipt.seq - 1].source == DRAWN else None


def enter(table: Table, event: Event, origin: Origin) -> Receipt:
    """Records a drawn throw, once for each id; raises as `Table.submit` does."""
    with table.lock:
        return earlier_receipt(table, origin.id) or table.submit(event, replace(origin, source=DRAWN))
