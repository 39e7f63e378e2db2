"""Standing in: somebody plays for a player who left for a while, and every sheet says so."""

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, NotFound
from companion.journal.events import Origin
from companion.words import _
from web.access import gate, rights
from web.house import host
from web.pages.people import drawn_players

standing_in = Blueprint("stand_in", __name__)


@standing_in.post("/s/<id:session>/stand-in")
def change(session: str) -> AnyResponse | tuple[str, int]:
    """Lets somebody play for a player, or with an empty name the player play again; a second tap changes nothing."""
    table, player, who = host().table(session), request.form.get("absent", ""), request.form.get("who", "").strip()
    if player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))
    rights.required_to_rename(table, player)
    if table.stand_ins.get(player, "") != who:
        try:
            table.stand_in(player, who, Origin(sender=gate.sender()))
        except BadInput as refusal:
            return drawn_players(table, str(refusal)), 400
    return redirect(url_for("pages.sheet_page", session=session, player=gate.only_player()), 303)
