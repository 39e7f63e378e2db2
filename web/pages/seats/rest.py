"""Resting: a player leaves for a while, and the game goes on without waiting until one tap says that they are back."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.journal.events import Origin
from companion.table.standing import resting
from web.access import gate
from web.access.resting import event_of
from web.house import host

rest = Blueprint("rest", __name__)


@rest.post("/s/<id:session>/rest")
def change(session: str) -> AnyResponse:
    """Lets the player `absent` rest, or with the field `back` play again; a second tap changes nothing."""
    table, player, is_back = host().table(session), request.form.get("absent", ""), "back" in request.form
    event = event_of(table, player, is_back)
    if (player in resting(table)) == is_back:
        table.submit(event, Origin(sender=gate.sender()))
    return redirect(url_for("pages.sheet_page", session=session, player=gate.only_player()), 303)
