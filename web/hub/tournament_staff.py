"""What the staff do in a tournament. A refusal is said on the page that was tapped."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, CompanionError
from companion.hub.hall import HALL
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import Form, Ruled
from companion.hub.tournament.plan import plan_of
from companion.hub.tournament.standings import Line, find_advancing, lines
from companion.hub.tournament.state import apply, find_play
from companion.words import _, retold
from web.hub.here import follows, hub, referees_too, staff_only
from web.hub.places import cells, headings, place_of
from web.hub.tournament_forms import FORM_ID, read_form, read_number, read_ranks
from web.hub.tournaments import all_page, playing, tournament_page
from web.render.name_lists import SentList, list_sent

tournament_staff = Blueprint("tournament_staff", __name__)

KEPT = ("id", "title", "game", "preset", "form", "seats", "rounds", "minutes", "series")
Answer = AnyResponse | tuple[str, int]


def changing(rule: str, needed: Callable[..., Any] = staff_only) -> Callable[[Callable[..., Answer | None]], Any]:
    """A route by which the staff change a tournament; they see its page afterwards, unless it answers with another.

    A page that follows by itself asks for JSON: it hears only whether it was done, and why not.
    """

    def decorate(change: Callable[..., Answer | None]) -> Any:
        @tournament_staff.post(f"/tournaments/<tournament>/{rule}")
        @needed
        @wraps(change)
        def changed(tournament: str, **named: Any) -> Answer:
            hub().record.desk.find(tournament)  # Without a tournament there is no page that could show a refusal.
            try:
                answer = change(tournament, **named)
            except CompanionError as refusal:
                if follows():
                    raise
                page = tournament_page(hub().record.desk.find(tournament), retold(refusal.sentence))
                return page, HTTPStatus.UNPROCESSABLE_ENTITY
            if answer is not None:
                return answer
            hub().live.publish(HALL)
            if follows():
                return "", HTTPStatus.NO_CONTENT
            return redirect(url_for("tournaments.page", tournament=tournament), 303)

        return changed

    return decorate


@tournament_staff.post("/tournaments")
@staff_only
def begin() -> Answer:
    """Begins a tournament, once the names that were understood have been shown."""
    form, id_ = request.form, request.form.get("id", "")
    try:
        if id_ and not FORM_ID.fullmatch(id_):
            raise BadInput(_("This form can't be read. Open the page again, and type it anew."))
        asked = (
            form.get("title", ""),
            form.get("game", ""),
            form.get("preset", ""),
            read_form(),
            read_number("seats"),
            read_number("rounds", 0),
        )
        minutes, series = read_number("minutes", 0), form.get("series", "")
        _title, plan = plan_of(*asked, minutes=minutes)
        hub().record.series.check(series, plan.form)
        sent = list_sent("names")
        if not sent.is_sure:
            kept = {name: form.get(name, "") for name in KEPT}
            return names_page(sent, kept, url_for(".begin"), _("Begin the tournament"), plan.least)
        begun = hub().record.desk.begin(*asked, sent.names, id_=id_, minutes=minutes, series=series)
    except CompanionError as refusal:
        return all_page(refusal=retold(refusal.sentence), typed=form), HTTPStatus.UNPROCESSABLE_ENTITY
    return redirect(url_for("tournaments.page", tournament=begun.id), 303)


@changing("pair")
def pair(tournament: str) -> None:
    hub().record.desk.pair(tournament, read_number("round"))


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
    """Each of both is sent with the session of the game in which it was seen."""
    (first, one), (second, other) = (request.form.get(name, "").partition(" ")[::2] for name in ("first", "second"))
    hub().record.desk.swap(tournament, first, second, playing(), (one, other))


@changing("late")
def seat_late(tournament: str) -> None:
    hub().record.desk.seat_late(tournament, request.form.get("name", ""), read_number("to"), playing())


@changing("move")
def move(tournament: str) -> None:
    hub().record.desk.move(tournament, request.form.get("entrant", ""), read_number("to"), playing())


@changing("away")
def stay_away(tournament: str) -> None:
    hub().record.desk.stay_away(tournament, request.form.get("entrant", ""), playing())


@changing("acts/<int:seq>/back")
def take_back(tournament: str, seq: int) -> None:
    hub().record.desk.take_back(tournament, seq)


@changing("title")
def retitle(tournament: str) -> None:
    hub().record.desk.retitle(tournament, request.form.get("title", ""))


@changing("delete")
def delete(tournament: str) -> Answer:
    hub().record.desk.delete(tournament)
    hub().live.publish(HALL)
    return redirect(url_for("tournaments.all_page"), 303)


@tournament_staff.post("/tournaments/<tournament>/restore")
@staff_only
def restore(tournament: str) -> Answer:
    """Brings a deleted tournament back."""
    hub().record.desk.restore(tournament)
    hub().live.publish(HALL)
    return redirect(url_for("tournaments.page", tournament=tournament), 303)


@changing("games/<int:number>/call")
def call(tournament: str, number: int) -> None:
    hub().record.desk.call(tournament, number, request.form.get("table", ""), playing())


@changing("plain")
def call_plain(tournament: str) -> None:
    hub().record.desk.call_plain(tournament)


@changing("clock")
def set_clock(tournament: str) -> None:
    hub().record.desk.set_clock(tournament, read_number("minutes", 0))


@changing("series")
def put_into_series(tournament: str) -> None:
    hub().record.series.put(hub().record.desk.find(tournament), request.form.get("series", ""))


@changing("join")
def join(tournament: str) -> Answer:
    stays = hub().record.desk.join(tournament, request.form.get("other", ""), playing())
    hub().live.publish(HALL)
    return redirect(url_for("tournaments.page", tournament=stays), 303)


@changing("games/<int:number>/open")
def open_again(tournament: str, number: int) -> None:
    hub().record.desk.open_again(tournament, number)


@changing("rounds/<int:round>/games/<int:number>/rule", referees_too)
def rule(tournament: str, round: int, number: int) -> Answer | None:
    """Decides a game by the places that were chosen; in an earlier round once what follows was shown."""
    one = hub().record.desk.find(tournament)
    ranks = read_ranks(find_play(one.state, number, round).pairing.seats)
    seen = request.form.get("seen", "")
    if round < len(one.state.rounds) and not request.form.get("sure"):
        return ruling_page(one, Ruled(number=number, ranks=ranks, round=round), seen)
    hub().record.desk.rule(tournament, number, ranks, round, seen)
    return None


@changing("rounds/<int:round>/games/<int:number>/unrule", referees_too)
def unrule(tournament: str, round: int, number: int) -> None:
    hub().record.desk.rule(tournament, number, (), round)


@changing("end")
def end(tournament: str) -> None:
    hub().record.desk.end(tournament)


def names_page(sent: SentList, kept: dict[str, str], target: str, sure: str, least: int = 0) -> tuple[str, int]:
    """The page with what was understood of a list.

    kept    the other answers of the form that sent it
    least   how many a round needs, so that it is said before it is too late
    """
    page = render_template("hall/names.html", sent=sent, kept=kept, target=target, sure=sure, least=least)
    return page, HTTPStatus.UNPROCESSABLE_ENTITY if sent.refusal else HTTPStatus.OK


def ruling_page(tournament: Tournament, ruled: Ruled, seen: str) -> Answer:
    """The page with what follows from a ruling in an earlier round, before it counts."""
    now, then = tournament.state, apply(tournament.state, ruled)
    before = {line.entrant: line for line in lines(now)}
    form = now.plan.form
    standings = [(line, standing_of(before[line.entrant], form), standing_of(line, form)) for line in lines(then)]
    changes = [
        (tournament.name_of(line.entrant), list(zip(was, is_, strict=True)))
        for line, was, is_ in standings
        if was != is_
    ]
    is_knock_out = form is Form.KNOCK_OUT
    on_now, on_then = (
        (find_advancing(find_play(state, ruled.number, ruled.round), now.plan.through) or frozenset())
        if is_knock_out
        else frozenset[str]()
        for state in (now, then)
    )
    page = render_template(
        "hall/ruling.html",
        tournament=tournament,
        number=ruled.number,
        round=ruled.round,
        places=[
            (tournament.name_of(entrant), place_of(ruled.ranks, entrant)) for group in ruled.ranks for entrant in group
        ],
        changes=changes,
        headings=headings(form),
        would_go_on=[tournament.name_of(entrant) for entrant in sorted(on_then - on_now)],
        would_be_out=[tournament.name_of(entrant) for entrant in sorted(on_now - on_then)],
        kept={"seen": seen, **{entrant: request.form[entrant] for group in ruled.ranks for entrant in group}},
    )
    return page, HTTPStatus.OK


def standing_of(line: Line, form: Form) -> list[str]:
    """An entrant's place, and what decides it, where that changes."""
    return [f"{line.place}", *cells(line, form)]
