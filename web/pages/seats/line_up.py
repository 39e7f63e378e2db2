"""Other players: no rule sheet says how to join or leave a running game, so it ends here and the next one begins.

The form comes with the change that was tapped: somebody more, or one seat earlier in the order. Nothing ends before
its own button is tapped.
"""

import itertools

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKETS
from companion.errors import BadInput, IllegalEvent
from companion.house import next_game
from companion.house.next_game import Seated
from companion.journal.events import Origin
from companion.journal.session import new_id
from companion.names import MOST_CHARACTERS
from companion.table.table import Table
from companion.words import _
from web.access import gate, referee, rights
from web.house import host

line_up = Blueprint("line_up", __name__)

MOST_ADDED = 3  # empty rows of the form; more players come in a second time, or with a new game


@line_up.get("/s/<id:session>/line-up")
def page(session: str) -> str:
    """The players of the next game, in their order: who stays is filled in.

    ?more=1     with somebody more
    ?earlier=2  with the third player, counted from 0, one seat earlier
    """
    table = host().table(session)
    rights.required_to_line_up(table)
    rows = [Seated(table.names.get(player, ""), player) for player in table.session.players]
    if "more" in request.args and may_add(table):
        rows.append(Seated(newcomer(rows), ""))
    return drawn(table, one_earlier(rows, request.args.get("earlier", type=int)), new_id())


@line_up.post("/s/<id:session>/line-up/order")
def reorder(session: str) -> str:
    """The form once more, with one of its rows a seat earlier; nothing ends."""
    table = host().table(session)
    rights.required_to_line_up(table)
    rows = rows_typed(request.form.get("earlier", type=int))
    return drawn(table, rows, request.form.get("new_session", "") or new_id())


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
        table.end_early(Origin(sender=gate.sender()))
    host().live.publish(TICKETS)
    return referee.begun(following)


def rows_typed(earlier: int | None = None) -> list[Seated]:
    """The rows of the form with a name, by the seats that were chosen; of equal ones in the order of the form.

    earlier     the row of the form, from 0, that is to sit one seat earlier
    """
    form = zip(request.form.getlist("name"), request.form.getlist("player"), request.form.getlist("seat"), strict=False)
    rows = [(int(seat) if seat.isascii() and seat.isdigit() and len(seat) < 4 else 0, which, name.strip(), player)
            for which, (name, player, seat) in enumerate(form)]  # fmt: skip
    in_order = [row for row in sorted(rows, key=lambda row: row[0]) if row[2]]
    moved = [place for place, row in enumerate(in_order) if row[1] == earlier]
    return one_earlier([Seated(name, player) for _seat, _which, name, player in in_order], next(iter(moved), None))


def one_earlier(rows: list[Seated], which: int | None) -> list[Seated]:
    """The rows with the one at `which`, from 0, a seat earlier; as they are for the first row, or for none of them."""
    if which is None or not 0 < which < len(rows):
        return rows
    return [*rows[: which - 1], rows[which], rows[which - 1], *rows[which + 1 :]]


def newcomer(rows: list[Seated]) -> str:
    """The name of a seat that nobody has, for somebody who has not typed one yet."""
    names = {row.name for row in rows}
    return next(name for name in map(next_game.nobody, itertools.count(len(rows) + 1)) if name not in names)


def may_add(table: Table) -> bool:
    """Whether the game has a seat for one more."""
    return len(table.session.players) < table.game.rules.seats[1]


def why_seats_stay(table: Table) -> str:
    """Why nobody joins this game or changes seats while it runs, by its rule sheet."""
    return _(table.game.rules.why_seats_stay) if table.game.rules.why_seats_stay else ""


def drawn(table: Table, rows: list[Seated], fresh: str, refusal: str = "") -> str:
    """The form; `fresh` is the id of the game that it begins."""
    added = min(MOST_ADDED, max(0, table.game.rules.seats[1] - len(rows)))
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
