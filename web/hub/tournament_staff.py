"""What the staff do in a tournament, on the hub's own computer alone. A refusal is said on the page that was tapped."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, CompanionError
from companion.hub.hall import HALL
from companion.hub.tournament.desk import plan_of
from companion.hub.tournament.events import Form
from companion.words import _, retold
from web.hub.here import hub, staff_only
from web.hub.tournaments import all_page, find_play, playing, tournament_page
from web.render.name_lists import SentList, list_sent

tournament_staff = Blueprint("tournament_staff", __name__)

Answer = AnyResponse | tuple[str, int]


def changing(rule: str) -> Callable[[Callable[..., Answer | None]], Callable[..., Answer]]:
    """A route by which the staff change a tournament; they see its page afterwards, unless it answers with another."""

    def decorate(change: Callable[..., Answer | None]) -> Callable[..., Answer]:
        @tournament_staff.post(f"/tournaments/<tournament>/{rule}")
        @staff_only
        @wraps(change)
        def changed(tournament: str, **named: Any) -> Answer:
            hub().record.desk.find(tournament)  # Without a tournament there is no page that could show a refusal.
            try:
                answer = change(tournament, **named)
            except CompanionError as refusal:
                page = tournament_page(hub().record.desk.find(tournament), retold(refusal.sentence))
                return page, HTTPStatus.UNPROCESSABLE_ENTITY
            if answer is not None:
                return answer
            hub().live.publish(HALL)
            return redirect(url_for("tournaments.page", tournament=tournament), 303)

        return changed

    return decorate


@tournament_staff.post("/tournaments")
@staff_only
def begin() -> Answer:
    """Begins a tournament, once the names that were understood have been shown."""
    form = request.form
    try:
        asked = (
            form.get("title", ""),
            form.get("game", ""),
            form.get("preset", ""),
            read_form(),
            read_number("seats"),
            read_number("rounds", 0),
        )
        plan_of(*asked)
        sent = list_sent("names")
        if not sent.is_sure:
            kept = {name: form.get(name, "") for name in ("title", "game", "preset", "form", "seats", "rounds")}
            return names_page(sent, kept, url_for(".begin"), _("Begin the tournament"))
        begun = hub().record.desk.begin(*asked, sent.names)
    except CompanionError as refusal:
        return all_page(refusal=retold(refusal.sentence), typed=form), HTTPStatus.UNPROCESSABLE_ENTITY
    return redirect(url_for("tournaments.page", tournament=begun.id), 303)


@changing("pair")
def pair(tournament: str) -> None:
    hub().record.desk.pair(tournament, read_number("seen"))


@changing("enter")
def enter(tournament: str) -> Answer | None:
    sent = list_sent("names")
    if not sent.is_sure:
        return names_page(sent, {}, url_for(".enter", tournament=tournament), _("Enter them"))
    hub().record.desk.enter(tournament, sent.names)
    return None


@changing("rename")
def rename(tournament: str) -> None:
    hub().record.desk.rename(tournament, request.form.get("entrant", ""), request.form.get("name", ""))


@changing("withdraw")
def withdraw(tournament: str) -> None:
    hub().record.desk.withdraw(tournament, request.form.get("entrant", ""))


@changing("back")
def bring_back(tournament: str) -> None:
    hub().record.desk.bring_back(tournament, request.form.get("entrant", ""))


@changing("forget")
def forget(tournament: str) -> None:
    hub().record.desk.forget(tournament, request.form.get("entrant", ""))


@changing("swap")
def swap(tournament: str) -> None:
    first, second = request.form.get("first", ""), request.form.get("second", "")
    hub().record.desk.swap(tournament, first, second, playing(), read_number("seen"))


@changing("games/<int:number>/call")
def call(tournament: str, number: int) -> None:
    hub().record.desk.call(tournament, number, request.form.get("table", ""), playing())


@changing("games/<int:number>/rule")
def rule(tournament: str, number: int) -> None:
    """Decides a game by the places that were chosen."""
    places: dict[int, list[str]] = {}
    for entrant in find_play(tournament, number).pairing.seats:
        places.setdefault(read_number(entrant), []).append(entrant)
    ranks = tuple(tuple(places[place]) for place in sorted(places))
    hub().record.desk.rule(tournament, number, ranks, read_number("seen"))


@changing("games/<int:number>/unrule")
def unrule(tournament: str, number: int) -> None:
    hub().record.desk.rule(tournament, number, ())


@changing("end")
def end(tournament: str) -> None:
    hub().record.desk.end(tournament)


def read_form() -> Form:
    """The form of a tournament that was chosen; raises BadInput."""
    try:
        return Form(request.form.get("form", ""))
    except ValueError as error:
        raise BadInput(_("Choose how the tournament goes from round to round.")) from error


def read_number(name: str, usual: int | None = None) -> int:
    """A whole number of the form, from 0 to 999,999; raises BadInput. `usual` stands for an empty place."""
    text = request.form.get(name, "").strip()
    if not text and usual is not None:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise BadInput(_("A number is missing, or isn't one. Type it again."))
    return int(text)


def names_page(sent: SentList, kept: dict[str, str], target: str, sure: str) -> tuple[str, int]:
    """The page with what was understood of a list; `kept` are the other answers of the form that sent it."""
    page = render_template("hall/names.html", sent=sent, kept=kept, target=target, sure=sure)
    return page, HTTPStatus.UNPROCESSABLE_ENTITY if sent.refusal else HTTPStatus.OK
