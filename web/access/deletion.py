"""Deleting a game for good; the form and the API ask here."""

from companion.access.tickets import TICKETS
from companion.errors import BadInput
from companion.words import _
from web.house import host


def delete(session: str) -> None:
    """Deletes a game, also one that cannot be read here; a second time changes nothing.

    Raises NotFound if there never was such a game, and BadInput, once it is deleted, if some of its copies could not
    be changed.
    """
    still = () if host().journal.is_deleted(session) else host().delete_game(session)
    host().live.publish(TICKETS)
    if still:
        raise BadInput(
            _("The game is deleted, but these copies couldn't be changed: {files}. Delete them by hand.",
              files=", ".join(still))
        )  # fmt: skip
