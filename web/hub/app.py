"""The Flask application of a hub: its routes, the checks of every request, and the one error handler."""

import logging
import time
from collections.abc import Callable, Sequence
from functools import cache
from http import HTTPStatus

from flask import Flask, Response, current_app, jsonify, make_response, render_template, request
from jinja2 import StrictUndefined
from werkzeug.exceptions import Forbidden, HTTPException

from companion.access.short_codes import ShortCodes
from companion.errors import BadInput, CompanionError, JournalUnusable, NotAllowed, NotFound, TooMany, TooManyTries
from companion.foreign import read_address
from companion.letters.chain import MOST_UNPACKED
from companion.letters.envelope import LONGEST_ENVELOPE
from companion.network.addresses import is_in_own_network
from companion.words import ENGLISH, N_, _, retold
from web.access import gate
from web.access.sites import SECURITY_HEADERS, is_from_here, is_of_another_site
from web.hub import (
    board,
    entrants,
    floor,
    letters,
    series,
    staff,
    standings,
    tables,
    tournament_staff,
    tournaments,
    ways_in,
)
from web.hub.here import Hub, address, forget_role, is_here, is_staff, may_organise, may_read
from web.hub.limits import Limit
from web.pages.network.certificate import of_the_house
from web.render import language, static_files, widgets
from web.sharing import of_its_own

MOST_BYTES = LONGEST_ENVELOPE + MOST_UNPACKED // 2  # No request is longer than a letter, and games pack to a fifth.
MOST_REFUSALS, REFUSALS_S = 60, 60.0
MOST_ENROLMENTS, ENROLMENTS_S = 10, 600.0
MOST_GUESSES, GUESSES_S = 10, 600.0
STATUS: dict[type[CompanionError], HTTPStatus] = {
    BadInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotAllowed: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    TooManyTries: HTTPStatus.TOO_MANY_REQUESTS,
    TooMany: HTTPStatus.SERVICE_UNAVAILABLE,
    JournalUnusable: HTTPStatus.SERVICE_UNAVAILABLE,
}
WRONG_WAY = N_("There's nothing at this address of the hub. See docs/hall.md.")
ANOTHER_SITE = N_("This request came from another site. Open the hub's own page.")
TOO_LARGE = N_("This is too big. Send less at once.")
UNEXPECTED = N_("Something went wrong in the hub. Nothing was lost. Try again, or look in its log.")
TAKES_NOTHING = N_("The hub can't keep anything now, and its staff know. Nothing is lost: it is tried again by itself.")
SENTENCES = {HTTPStatus.FORBIDDEN: ANOTHER_SITE, HTTPStatus.REQUEST_ENTITY_TOO_LARGE: TOO_LARGE}


def create_hub(hub: Hub, allowed_hosts: Sequence[str] = (), now_s: Callable[[], float] = time.monotonic) -> Flask:
    """The application that serves a hub.

    allowed_hosts   host names besides those by which a machine knows itself
    now_s           gives a time in seconds that never goes back
    """
    of_this_hub = {
        "hub": hub,
        "certificate": hub.certificate,
        "addresses": lambda: (),
        "usual language": lambda: ENGLISH,
        "refused": Limit(MOST_REFUSALS, REFUSALS_S, now_s),
        "tried": Limit(MOST_ENROLMENTS, ENROLMENTS_S, now_s),
        "guessed": Limit(MOST_GUESSES, GUESSES_S, now_s),
        "codes": ShortCodes(),
        "drawn board": board.Drawn(),
    }
    app = of_its_own(shared(), of_this_hub)
    app.config["ALLOWED_HOSTS"] = tuple(allowed_hosts)
    return app


@cache
def shared() -> Flask:
    """What the applications of all hubs share: addresses, templates and checks."""
    app = Flask(__name__, static_folder=None, template_folder="../templates")
    app.config["ALLOW_PUBLIC"] = True  # The checks in `here` say who may read.
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    widgets.prepare_drawing(app)
    language.prepare(app)  # It comes before the checks, so that they refuse in the reader's language.
    app.before_request(refuse_too_many)
    app.before_request(refuse_the_internet)
    app.before_request(refuse_other_sites)
    for blueprint in (
        *(letters.letters, board.board, tables.tables, standings.standings, staff.staff, floor.floor),
        *(tournaments.tournaments, tournament_staff.tournament_staff, entrants.entrants, series.series),
        ways_in.ways_in,
    ):
        app.register_blueprint(blueprint)
    app.jinja_env.globals["is_staff"] = is_staff
    app.jinja_env.globals["may_organise"] = may_organise
    app.jinja_env.globals["may_read"] = may_read
    app.jinja_env.globals["has_certificate"] = lambda: of_the_house() is not None
    app.jinja_env.globals["face_url"] = lambda _face: ""  # Charts draw people as a house does; a hall has no faces.
    static_files.serve(app)
    app.register_error_handler(Exception, explain)
    app.after_request(secure)
    return app


def refuse_too_many() -> None:
    """Refuses an address that was refused too often."""
    current_app.extensions["refused"].check(address())


def refuse_the_internet() -> None:
    """Refuses public addresses of IPv6 but those of the hub's own network.

    Routers hide addresses of IPv4, so whoever comes from a public one was let through on purpose.
    """
    visitor = gate.client_address()
    if visitor.version == 6 and gate.is_public(visitor) and not is_in_own_network(visitor):
        raise NotAllowed(_("This hub is only for its own network. Nobody reaches it from the Internet."))


def refuse_other_sites() -> None:
    """Refuses what changes something and comes from another site's page."""
    if is_of_another_site():
        raise Forbidden


def secure(response: Response) -> Response:
    """The answer with the headers that every answer has; a refused request is counted."""
    if 400 <= response.status_code < 500 and response.status_code not in (409, 429) and not is_here():
        current_app.extensions["refused"].count(address())
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def explain(error: Exception) -> tuple[Response, int]:
    """Answers every error with a status and one sentence."""
    if isinstance(error, JournalUnusable):
        forget_role()  # The page that says so must not ask the record who reads it.
    match error:
        case JournalUnusable() if request.path.startswith("/v1/") or not is_staff():  # Players read it at a table.
            return answer(HTTPStatus.SERVICE_UNAVAILABLE, _(TAKES_NOTHING))
        case CompanionError():
            status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)
            return answer(status, retold(error.sentence))
        case HTTPException(code=int(code)) if code < 400:
            return make_response(error), code
        case HTTPException(code=int(code)) if code < 500:
            return answer(code, _(SENTENCES.get(HTTPStatus(code), WRONG_WAY)))
    logging.getLogger(__name__).error("%s %s failed", request.method, request.url_rule, exc_info=error)
    return answer(HTTPStatus.INTERNAL_SERVER_ERROR, _(UNEXPECTED))


def answer(status: int, sentence: str) -> tuple[Response, int]:
    """The answer to an error: a page for a browser that opens one, JSON for all others."""
    accepted = request.accept_mimetypes
    if (
        request.path.startswith("/v1/")
        or not (accepted.accept_html and request.user_agent.string)
        or accepted.quality("text/html") <= accepted.quality("application/json")
    ):
        return jsonify(error=sentence), status
    page = render_template(
        "hall/error.html", sentence=sentence, status=status, reads=may_read(), before=find_page_before()
    )
    return make_response(page), status


def find_page_before() -> str:
    """The address of the hub's page on which the visitor tapped, "" where that is unknown or opens no more."""
    before = read_address(request.headers.get("Referer", ""))
    if not is_from_here(before.geturl()) or before.path == request.path:
        return ""
    try:
        current_app.url_map.bind("").match(before.path, method="GET")
    except HTTPException:
        return ""
    return f"{before.path}?{before.query}" if before.query else before.path
