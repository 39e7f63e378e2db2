"""Stopping before the rules end a game: pausing needs nothing, and ending early can be taken back."""

from flask import Blueprint, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.journal.session import new_id
from companion.table.table import Table
from web.access import gate, rights
from web.house import host

endings = Blueprint("endings", __name__)


@endings.post("/s/<id:session>/end")
def end(session: str) -> AnyResponse:
    """Ends a game early; a second tap changes nothing."""
    table = host().table(session)
    rights.required_to_end(table)
    if table.is_played:
        table.end_early(event_id=new_id(), source="tablet", sender=gate.sender())
    return to_sheet(table)


@endings.post("/s/<id:session>/go-on")
def go_on(session: str) -> AnyResponse:
    """Lets a game that was ended early go on; a second tap changes nothing."""
    table = host().table(session)
    rights.required_to_end(table)
    if table.ended_early:
        table.go_on(event_id=new_id(), source="tablet", sender=gate.sender())
    return to_sheet(table)


def to_sheet(table: Table) -> AnyResponse:
    return redirect(url_for("pages.sheet_page", session=table.session.id, player=gate.sender().player), 303)
