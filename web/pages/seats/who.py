"""“Who are you?”: asked once of whoever comes in by a player's link or code, and again when somebody taps it.

The answer gives the device a ticket of its own; see `companion.access.seat_choice`.
"""

from flask import Blueprint, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKETS, Ticket
from companion.errors import BadInput, NotFound
from companion.game.players import Viewer
from companion.journal.devices import Role
from companion.table.table import Table
from companion.words import _
from web.access import cookie, gate, rights
from web.house import host

who = Blueprint("who", __name__)

EVERYBODY, NOBODY = "everybody", "nobody"  # The tablet is for everyone, or its holder just watches.
LINK_ANSWERED = "who"  # The cookie names the link by which this device came in when it was asked.


@who.get("/who")
def page() -> AnyResponse:
    """The players of the game as large buttons. Without a game nobody can be chosen yet, and the first page follows."""
    ticket, link = chooser()
    table = game_asked(link, request.args.get("game"))
    if table is None:
        return redirect(url_for("pages.home"), 303)
    answer = make_response(drawn(table, ticket))
    cookie.put(answer, LINK_ANSWERED, link.id, "Lax")
    return answer


@who.post("/who")
def choose() -> AnyResponse | tuple[str, int]:
    """Takes the answer: the device gets a ticket for that seat, for every seat, or to look on.

    If another device plays for that player, it is said first, and taken anyway by a second tap.
    """
    ticket, link = chooser()
    table, chosen = game_asked(link, request.form.get("game")), request.form.get("choice", "")
    if table is None:
        return redirect(url_for("pages.home"), 303)
    seats = host().access.seats
    session, player, role = table.session.id, None, Role.PLAYER
    if chosen in table.session.players:
        player = chosen
        if player in seats.devices_by_player(session, ticket.id) and "anyway" not in request.form:
            return drawn(table, ticket, player), 409
    elif chosen == NOBODY:
        role = Role.WATCHER
    elif chosen != EVERYBODY:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))
    answer = redirect(url_for("pages.sheet_page", session=session, player=player or ""), 303)
    if (ticket.role, ticket.player) != (role, player) or (player and ticket.session != session):
        gate.let_in(answer, seats.choose(ticket, session, player, role))
        host().live.publish(TICKETS)
    return answer


def chooser() -> tuple[Ticket, Ticket]:
    """(the device's ticket, its link); raises BadInput for a device that has nothing to choose: no role is refused."""
    ticket = gate.shown_ticket()
    link = host().access.seats.link_of(ticket) if ticket else None
    if ticket is None or link is None:
        raise BadInput(_("This device can't choose a seat. Scan the player's code at the table."))
    return ticket, link


def may_choose() -> bool:
    """Whether this device may say whom it plays for."""
    ticket = gate.shown_ticket()
    return ticket is not None and host().access.seats.link_of(ticket) is not None


def has_to_be_asked() -> bool:
    """Whether this device came in while no game was played, and was not asked since."""
    ticket = gate.shown_ticket()
    link = host().access.seats.link_of(ticket) if ticket else None
    return link is not None and gate.only_player() is None and cookie.value_of(LINK_ANSWERED) != link.id


def is_to_ask(ticket: Ticket) -> bool:
    """Whether a device that has just come in with this ticket is asked who it is: there is a game to choose in."""
    link = host().access.seats.link_of(ticket)
    return link is not None and game_asked(link, None) is not None


def game_asked(link: Ticket, wanted: str | None) -> Table | None:
    """The game to choose a seat in: the link's, the one that is wanted while it is played, or the active one."""
    for session in (link.session, wanted, host().active.session):
        if session and link.session in (None, session) and rights.is_played(session):
            return host().table(session)
    return None


def drawn(table: Table, ticket: Ticket, refused: str = "") -> str:
    """The page; `refused` is a player for whom another device plays already."""
    g.names = frozenset(table.names.values())
    is_here = ticket.session in (None, table.session.id)
    now = ticket.player if ticket.player and is_here else NOBODY if ticket.role is Role.WATCHER else EVERYBODY
    return render_template(
        "who.html",
        table=table,
        viewer=Viewer(None, table.names),
        marks=host().marks(table),
        taken=host().access.seats.devices_by_player(table.session.id, ticket.id),
        now=now if is_here else "",
        refused=refused,
    )
