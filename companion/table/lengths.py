"""How long a game may become."""

from companion.errors import IllegalEvent
from companion.games import rulings
from companion.journal.events import Entry, Posted
from companion.journal.record import MOST_LENGTH, MOST_PLAYED, content_of, length_of, length_of_reason, reason_of
from companion.words import _


def length_with(length: int, session: str, entry: Entry) -> int:
    """How long a game is with one more entry; raises IllegalEvent where no table could take it over then.

    What is played ends earlier than corrections and rulings do, so that a game that is full can still be put right.
    """
    reason = reason_of(entry)
    length += length_of(content_of(session, entry)) + (length_of_reason(reason) if reason else 0)
    is_play = isinstance(entry.body, Posted) and not isinstance(entry.body.event, rulings.Ruling)
    if length > (MOST_PLAYED if is_play else MOST_LENGTH):
        raise IllegalEvent(_("This game is as long as a game can be. It's saved. Start a new one."))
    return length
