"""Stopping before the rules end a game: an early end can be taken back. And deleting a game, which cannot."""

from flask import Blueprint, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.house.games_list import SessionSummary
from companion.journal.events import Origin
from companion.letters.outbox import Outbox, State
from companion.table.table import Table
from web.access import deletion, gate, rights
from web.house import host

endings = Blueprint("endings", __name__)


@endings.post("/s/<id:session>/end")
def end(session: str) -> AnyResponse:
    """Ends a game early; a second tap changes nothing."""
    table = host().table(session)
    rights.required_to_end(table)
    if table.is_played:
        table.end_early(Origin(sender=gate.sender()))
    return to_sheet(table)


@endings.post("/s/<id:session>/go-on")
def go_on(session: str) -> AnyResponse:
    """Lets a game that was ended early go on; a second tap changes nothing."""
    table = host().table(session)
    rights.required_to_end(table)
    if table.ended_early:
        table.go_on(Origin(sender=gate.sender()))
    return to_sheet(table)


@endings.get("/s/<id:session>/delete")
def delete_page(session: str) -> str:
    """Asks whether a game shall be deleted, and says what goes with it; also one that cannot be read here."""
    host().tables.header(session)
    (line,) = host().games_named([session])
    if isinstance(line, SessionSummary):
        names, begun_us, back = line.names, line.session.created_wall_us, url_for("pages.sheet_page", session=session)
    else:
        names, begun_us, back = tuple(line.names.values()), line.header.created_wall_us, url_for("pages.home")
    outbox = Outbox(host().journal)
    at_hub, waits = outbox.has(session, State.UPLOADED, State.REFUSED), outbox.has(session, State.WAITING)
    return render_template(
        "delete.html", line=line, names=names, begun_us=begun_us, back=back, at_hub=at_hub, waits=waits
    )


@endings.post("/s/<id:session>/delete")
def delete(session: str) -> AnyResponse:
    """Deletes a game for good; a second tap changes nothing."""
    deletion.delete(session)
    return redirect(url_for("pages.home"), 303)


def to_sheet(table: Table) -> AnyResponse:
    return redirect(url_for("pages.sheet_page", session=table.session.id, player=gate.sender().player), 303)
