"""What the staff of the hall want corrected here: entered at this table's own door, as the referee's entry."""

from companion.errors import CompanionError, JournalUnusable
from companion.house.host import Host
from companion.journal.codec import event_from_json
from companion.journal.events import Origin, Sender
from companion.letters.offer import Order
from companion.words import _


def enter_order(host: Host, order: Order) -> str:
    """Enters a ruling once, however often it comes; returns why the table refuses it, or "".

    Raises JournalUnusable while the disk takes nothing: then it is entered later.
    """
    try:
        table = host.table(order.session)
        content = {"kind": "Ruling", "player": order.player, "points": order.points, "why": order.why}
        sender = Sender(_("Staff of the hall"))
        event = event_from_json(table.game, content)
        table.submit(event, Origin(order.id, sender=sender))
    except JournalUnusable:
        raise
    except CompanionError as refusal:
        return refusal.sentence
    return ""
