"""How staff come in on any device: by a link that is opened once, or five letters that stand for it. And out again.

Where the house has a certificate, a device gets it here, so that it may come in encrypted.
"""

from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.access.short_codes import CODE_MINUTES, ShortCodes, Way
from companion.errors import BadInput, CompanionError, NotAllowed
from companion.hub.hall import HALL
from companion.hub.staff_tickets import StaffRole
from companion.words import N_, _, retold
from web.access import cookie, gate
from web.hub.guests import reached_host, reached_url
from web.hub.here import STAFF_COOKIE, address, follows, hub, staff_only
from web.hub.limits import Limit
from web.pages.codes import code_of
from web.pages.network.certificate import authority as sent_authority
from web.pages.network.certificate import of_the_house

ways_in = Blueprint("ways_in", __name__)

ROLES = {
    StaffRole.REFEREE: N_("Referee: results and rulings"),
    StaffRole.ORGANISER: N_("Organiser: everything"),
}


@ways_in.get("/join")
def code_page(refusal: str = "") -> str:
    """The page for somebody who types five letters."""
    gate.check_address()
    return render_template("hall/join.html", token="", refusal=refusal)


@ways_in.post("/join")
def enter_code() -> AnyResponse | tuple[str, int]:
    gate.check_address()
    guessed: Limit = current_app.extensions["guessed"]
    guessed.check(address())
    way = codes().find(request.form.get("code", "").strip())
    try:
        if way is None:
            guessed.count(address())
            raise NotAllowed(
                _("Wrong code. A code ends after {minutes} minutes: ask for a new one.", minutes=CODE_MINUTES)
            )
        return let_in(way.token)
    except CompanionError as refusal:
        return code_page(retold(refusal.sentence)), HTTPStatus.FORBIDDEN


@ways_in.get("/join/<token>")
def link_page(token: str) -> str:
    """The page behind a link: a tap comes in, so that a messenger that looks at links uses up none."""
    gate.check_address()
    return render_template("hall/join.html", token=token, refusal="")


@ways_in.post("/join/<token>")
def enter_link(token: str) -> AnyResponse:
    gate.check_address()
    return let_in(token)


def let_in(token: str) -> AnyResponse:
    """Lets the device in that opened a link; raises NotAllowed for one that does not count."""
    answer = redirect(url_for("staff.page"), 303)
    cookie.put(answer, STAFF_COOKIE, hub().record.staff.enter(token), "Lax")
    hub().live.publish(HALL)
    return answer


@ways_in.get("/staff/people")
@staff_only
def people_page(token: str = "", refusal: str = "") -> str:
    """Who of the staff is let in; with a link that was just made."""
    return render_template("hall/staff_people.html", refusal=refusal, **people_values(token, refusal))


@ways_in.get("/staff/people/now")
@staff_only
def people_fragment() -> str:
    """The part of that page that changes."""
    return render_template("hall/staff_people_now.html", **people_values())


def people_values(token: str = "", refusal: str = "") -> dict[str, Any]:
    path = url_for(".link_page", token=token) if token else ""
    return {
        "tickets": hub().record.staff.all(),
        "roles": ROLES,
        "minutes": CODE_MINUTES,
        "code": code_of(f"{reached_url()}{path}") if token else None,
        "letters": codes().new(Way(token)) if token else "",
        "letters_at": f"{reached_url()}{url_for('.code_page')}",
        "typed": request.form if refusal else {},
    }


@ways_in.post("/staff/people")
@staff_only
def make_link() -> str | tuple[str, int]:
    try:
        role = StaffRole(request.form.get("role", ""))
    except ValueError as error:
        raise BadInput(_("Choose what this one may do.")) from error
    try:
        return str(people_page(token=hub().record.staff.link(role, request.form.get("name", ""))))
    except CompanionError as refusal:
        if follows():
            raise
        return str(people_page(refusal=retold(refusal.sentence))), HTTPStatus.UNPROCESSABLE_ENTITY


@ways_in.post("/staff/people/<ticket>/revoke")
@staff_only
def revoke(ticket: str) -> AnyResponse:
    hub().record.staff.revoke(ticket)
    hub().live.publish(HALL)
    return redirect(url_for(".people_page"), 303)


@ways_in.get("/cert")
def certificate_page() -> str:
    """The page on which a device gets the certificate of the house, to trust it."""
    gate.check_address()
    house = of_the_house()
    return render_template(
        "hall/certificate.html",
        fingerprint=house.fingerprint() if house else "",
        ends=house.ends() if house else None,
        is_secure=request.is_secure,
        secure_url=f"https://{reached_host()}:{hub().https_port}",
    )


@ways_in.get("/cert/authority.crt")
def authority() -> Response:
    gate.check_address()
    return sent_authority()


def codes() -> ShortCodes:
    found: ShortCodes = current_app.extensions["codes"]
    return found
