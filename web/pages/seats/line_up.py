"""Other players: no rule sheet lets anybody join or leave a running game, so it ends here and the next one begins."""

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKETS
from companion.errors import BadInput, IllegalEvent
from companion.house import next_game
from companion.house.next_game import Seated
from companion.journal.session import new_id
from companion.names import MOST_CHARACTERS
from companion.table.table import Table
from web.access import gate, referee, rights
from web.house import host

line_up = Blueprint("line_up", __name__)

MOST_ADDED = 3  # empty rows of the form; more players come in a second time, or with a new game


@line_up.get("/s/<id:session>/line-up")
def page(session: str) -> str:
    """The players of the next game, in their order: who stays is filled in."""
    table = host().table(session)
    rights.required_to_line_up(table)
    names = [Seated(table.names.get(player, ""), player) for player in table.session.players]
    return drawn(table, names, new_id())


@line_up.post("/s/<id:session>/line-up")
def begin(session: str) -> AnyResponse | tuple[str, int]:
    """Ends the game early and begins the same one with these players; a repeated request begins only one."""
    table = host().table(session)
    rights.required_to_line_up(table)
    fresh, rows = request.form.get("new_session", "") or new_id(), rows_typed()
    try:
        following = next_game.with_others(host(), table, rows, fresh, gate.device())
    except (BadInput, IllegalEvent) as refusal:
        return drawn(table, rows, fresh, str(refusal)), 400
    if table.is_played:
        table.end_early(event_id=new_id(), source="tablet", sender=gate.sender())
    host().live.publish(TICKETS)
    return referee.begun(following)


def rows_typed() -> list[Seated]:
    """The rows of the form with a name, by the seats that were chosen; of equal ones in the order of the form."""
    typed = zip(
        request.form.getlist("name"), request.form.getlist("player"), request.form.getlist("seat"), strict=False
    )
    rows = [(int(seat) if seat.isascii() and seat.isdigit() and len(seat) < 4 else 0, name.strip(), player)
            for name, player, seat in typed]  # fmt: skip
    return [Seated(name, player) for _seat, name, player in sorted(rows, key=lambda row: row[0]) if name]


def drawn(table: Table, rows: list[Seated], fresh: str, refusal: str = "") -> str:
    """The form; `fresh` is the id of the game that it begins."""
    added = min(MOST_ADDED, max(0, table.game.seats[1] - len(rows)))
    return render_template(
        "line_up.html",
        table=table,
        rows=[*rows, *(Seated("", "") for _row in range(added))],
        marks=host().marks(table),
        fresh=fresh,
        refusal=refusal,
        name_length=MOST_CHARACTERS,
        address=url_for("line_up.begin", session=table.session.id),
    )
