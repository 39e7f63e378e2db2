"""The staff's page: what has not come, who is silent, whose key counts, and forks."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.clock import wall_us
from companion.errors import BadInput
from companion.hub.database import Standing
from companion.hub.hall import HALL
from companion.hub.stories import Told
from companion.letters.offer import CHIME_SENTENCES, COMES
from companion.shelf import title_of
from companion.words import _, listed, retold
from web.hub import floor
from web.hub.board import line, name_of_table, whom_we_seated
from web.hub.here import follows, hub, may_organise, referees_too, staff_only
from web.hub.tables import page as table_page
from web.render import forms

staff = Blueprint("staff", __name__)

MOST_DIGITS = 4


@staff.get("/staff")
@referees_too
def page(code: str = "") -> str:
    """The page, with a code that was just made."""
    return render_template("hall/staff.html", code=code, **page_values())


@staff.get("/staff/floor")
@referees_too
def fragment() -> str:
    """The part of that page that changes; a code that was just made stays in the page."""
    return render_template("hall/staff_now.html", code="", **page_values())


def page_values() -> dict[str, Any]:
    now_us, states, presences = wall_us(), hub().hall.all(), hub().record.presences.all()
    seated, tables = whom_we_seated(states.values()), []
    for table in hub().record.tables():
        state = states.get(table["id"])
        tables.append((table, line(name_of_table(table), presences[table["id"]], state, now_us, seated), state))
    names = {table["id"]: line_.name for table, line_, _state in tables}
    return {
        "tables": tables,
        "names": names,
        "chimes": {what: sentence for what, sentence in CHIME_SENTENCES.items() if what != COMES},
        **(decision_values(names) if may_organise() else {"forks": (), "doubles": (), "stories": ()}),
        **floor.floor_values(states, presences),
    }


def decision_values(names: Mapping[str, str]) -> dict[str, Any]:
    """What organisers decide about letters."""
    return {
        "forks": fork_values(names),
        "doubles": [(double, title_of(double.game)) for double in hub().record.doubles.all()],
        "stories": story_values(),
    }


def fork_values(names: Mapping[str, str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """(title, its letters) of each game that people have to decide about."""
    forks_: dict[str, list[dict[str, Any]]] = {}
    for letter in hub().record.forks():
        more = {
            "table_name": names[letter["table"]],
            "counts": letter["standing"] == Standing.COUNTS,
            "places": [listed(seats(letter, group)) for group in letter["ranks"]],
        }
        forks_.setdefault(letter["session"], []).append({**letter, **more})
    return [(title_of(letters[0]["game"]), letters) for letters in forks_.values()]


def story_values() -> list[tuple[str, list[tuple[str, Told]]]]:
    """(id, (title of a game, its letter) of each story) of each table whose key tells two."""
    return [
        (two.table, [(title_of(told.game), told) for told in (two.first, two.other)])
        for two in hub().record.stories.all()
    ]


def seats(letter: Mapping[str, Any], group: Sequence[str]) -> list[str]:
    """The seats of some players of a game."""
    return [_("Seat {number}", number=letter["players"].index(player) + 1) for player in group]


@staff.get("/v1/forks")
@staff_only
def forks() -> Response:
    """The letters that people have to decide about, for programs."""
    return jsonify(hub().record.forks())


@staff.post("/staff/code")
@staff_only
def new_code() -> str:
    """Makes a code that enrols one table, which is shown only now."""
    return str(page(code=hub().record.new_code()))


@staff.post("/staff/tables/<key>/revoke")
@staff_only
def revoke(key: str) -> AnyResponse:
    hub().record.revoke(key)
    hub().hall.forget(key)
    return redirect(url_for("staff.page"), 303)


@staff.post("/staff/games/<session>/<head>/count")
@staff_only
def count(session: str, head: str) -> AnyResponse:
    """Lets one of a game's letters count."""
    hub().record.decide(session, head)
    return redirect(url_for("staff.page"), 303)


@staff.post("/staff/games/<session>/<head>/settle")
@staff_only
def settle(session: str, head: str) -> AnyResponse:
    """Says which counts, of a game that is held and the one that it looks like."""
    hub().record.doubles.settle(session, head, request.form.get("which", ""))
    return redirect(url_for("staff.page"), 303)


@staff.post("/staff/results/<session>/<head>/take")
@staff_only
def take_result(session: str, head: str) -> AnyResponse:
    """Takes a result that a tournament had not asked for."""
    hub().record.results.take(session, head)
    hub().live.publish(HALL)
    return redirect(url_for("staff.page"), 303)


@staff.post("/staff/results/<session>/<head>/leave")
@staff_only
def leave_result(session: str, head: str) -> AnyResponse:
    """Leaves such a result, which then counts nowhere."""
    hub().record.results.leave(session, head)
    hub().live.publish(HALL)
    return redirect(url_for("staff.page"), 303)


@staff.post("/staff/tables/<key>/stories")
@staff_only
def both_stories(key: str) -> AnyResponse:
    """The staff know that this table's key tells two stories, and both stay."""
    hub().record.stories.settle(key)
    return redirect(url_for("staff.page"), 303)


@staff.post("/staff/tables/<key>/games/<session>/rule")
@referees_too
def rule(key: str, session: str) -> AnyResponse | tuple[str, int]:
    """Has a table enter a ruling into one of its games."""
    points = forms.whole_number(request.form.get("points", "").strip() or "0", MOST_DIGITS)
    try:
        if points is None:
            raise BadInput(_("Points must be a whole number, with a minus in front to deduct. Type one."))
        hub().record.orders.give(key, session, request.form.get("player", ""), points, request.form.get("why", ""))
    except BadInput as refusal:
        if follows():
            raise
        return table_page(key=key, refusal=retold(refusal.sentence)), HTTPStatus.UNPROCESSABLE_ENTITY
    hub().live.publish(HALL)
    return redirect(url_for("tables.page", key=key), 303)
