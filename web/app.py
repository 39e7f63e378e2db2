"""The Flask application of one host: its blueprints, the checks before each request, and the one error handler."""

import errno
import logging
from collections.abc import Sequence
from functools import cache
from http import HTTPStatus

from flask import Flask, Response, current_app, g, jsonify, make_response, render_template, request
from jinja2 import StrictUndefined, TemplateNotFound
from markupsafe import escape
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import BaseConverter

from companion import words
from companion.errors import (
    BadInput,
    CameraUnavailable,
    CompanionError,
    GameUnreadable,
    HardwareUnavailable,
    IllegalEvent,
    JournalUnusable,
    NotAllowed,
    NotFound,
    StaleEvent,
    TooMany,
    TooManyTries,
)
from companion.house.host import Host
from companion.ids import ID
from companion.journal.settings import LANGUAGE
from companion.table.standing import resting
from companion.words import N_, _, retold
from web.access import gate, proxies, rights, stirring
from web.access import resting as seats_at_rest
from web.access.sites import SECURITY_HEADERS, is_of_another_site
from web.api import routes as api
from web.live import camera, stream
from web.pages import (
    calibrate,
    deck,
    demo,
    devices,
    endings,
    how_to,
    install,
    lessons,
    next_game,
    people,
    photos,
    results,
    screen,
    seasons,
    set_up,
    wizard,
)
from web.pages import game as pages
from web.pages.network import certificate, wifi
from web.pages.seats import line_up, rest, staff, stand_in, who
from web.render import language, static_files, widgets
from web.render.fragments import Fragments
from web.sharing import of_its_own

BODY_BYTES = 1_000_000  # Any event is far smaller. The import of a game sets its own limit.

PROBES = ("/healthz", "/metrics")

STATUS: dict[type[CompanionError], HTTPStatus] = {
    IllegalEvent: HTTPStatus.UNPROCESSABLE_ENTITY,
    StaleEvent: HTTPStatus.CONFLICT,
    BadInput: HTTPStatus.BAD_REQUEST,
    NotFound: HTTPStatus.NOT_FOUND,
    NotAllowed: HTTPStatus.FORBIDDEN,
    TooManyTries: HTTPStatus.TOO_MANY_REQUESTS,
    TooMany: HTTPStatus.SERVICE_UNAVAILABLE,
    GameUnreadable: HTTPStatus.SERVICE_UNAVAILABLE,
    JournalUnusable: HTTPStatus.SERVICE_UNAVAILABLE,
    CameraUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    HardwareUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
}

# For errors that Flask and Werkzeug raise themselves.
SENTENCES = {
    HTTPStatus.BAD_REQUEST: N_("This request can't be understood. Reload the page and try again."),
    HTTPStatus.FORBIDDEN: N_("This request came from another site. Open the companion's own page."),
    HTTPStatus.NOT_FOUND: N_("There's nothing at this address. Start from the first page."),
    HTTPStatus.METHOD_NOT_ALLOWED: N_("This address doesn't accept that method. See /api/openapi.json."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: N_("This is too big. Send less at once."),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: N_("Send JSON, with the content type application/json."),
}
UNEXPECTED = N_("Something went wrong in the companion. Nothing was lost. Try again, or look in its log.")

UNREADABLE = N_(
    "The table can't read a file that it needs. Nothing was lost. Restart its computer, and if this comes "
    "back, replace its disk or memory card."
)
BARE_PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<h1>{sentence}</h1>
<p><a href="{root}/">{way}</a></p>
<p>{status}</p>
"""


class IdConverter(BaseConverter):
    """The id of a session, proposal or player in an address; any other text gives 404."""

    regex = ID


class SeqConverter(BaseConverter):
    """The number of an entry, of at most nine digits."""

    regex = "[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        return int(value)


def create_app(
    host: Host, allowed_hosts: Sequence[str] = (), allow_public: bool = False, frames: Sequence[str] = ()
) -> Flask:
    """The application that serves `host`, and the demo's table if it has one.

    allowed_hosts   host names that are accepted besides its addresses, localhost, the machine's name and its mDNS name
    allow_public    whether devices with public addresses are let in; they need a ticket, as all others do
    frames          origins whose pages may show the screens in a frame
    """
    of_this_house = {
        "host": host,
        "addresses": lambda: host.status.addresses,
        "usual language": lambda: LANGUAGE.of(host.journal),
        "fragments": Fragments(),
    }
    app = of_its_own(shared(host.outside.demo is not None), of_this_house)
    app.config |= {"ALLOWED_HOSTS": tuple(allowed_hosts), "ALLOW_PUBLIC": allow_public, "FRAMES": tuple(frames)}
    return app


@cache
def shared(has_demo: bool) -> Flask:
    """What the applications of all houses share: addresses, templates and checks. They take long to make."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_BYTES
    app.url_map.converters["id"] = IdConverter
    app.url_map.converters["seq"] = SeqConverter
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
    widgets.prepare(app)
    language.prepare(app)  # before the checks below, so that their refusals are in the reader's language
    app.jinja_env.globals["may"] = gate.may
    app.jinja_env.globals |= {
        "unnamed_proxy": proxies.unnamed_proxy,
        "silent_proxy": proxies.silent_proxy,
        "may_begin": rights.may_begin,
        "is_of_the_house": gate.is_of_the_house,
        "family": next_game.family,
        "may_end": rights.may_end,
        "may_rest": rights.may_rest,
        "rests": seats_at_rest.is_possible,
        "resting": resting,
        "why_no_rest": seats_at_rest.why_not,
        "why_seats_stay": line_up.why_seats_stay,
        "may_add_a_player": line_up.may_add,
        "may_choose_seat": who.may_choose,
        "face_url": people.face_url,
        "phone_cameras": camera.phone_cameras,
        "phone_above": camera.phone_above,
        "unseen_words": camera.unseen_words,
        "lead_words": camera.lead_words,
        "is_own_machine": gate.is_own_machine,
        "is_setting_up": gate.is_setting_up,
        "has_wifi": wifi.is_there,
    }

    app.register_blueprint(pages.pages)
    app.register_blueprint(how_to.how_to)
    app.register_blueprint(screen.screen)
    app.register_blueprint(set_up.set_up)
    app.register_blueprint(results.results)
    app.register_blueprint(people.people)
    app.register_blueprint(seasons.seasons)
    app.register_blueprint(next_game.next_games)
    app.register_blueprint(endings.endings)
    app.register_blueprint(who.who)
    app.register_blueprint(line_up.line_up)
    app.register_blueprint(stand_in.standing_in)
    app.register_blueprint(rest.rest)
    app.register_blueprint(staff.hall_staff)
    app.register_blueprint(devices.devices)
    app.register_blueprint(lessons.lessons)
    app.register_blueprint(photos.photos)
    app.register_blueprint(install.install)
    app.register_blueprint(certificate.certificate)
    app.register_blueprint(wizard.wizard)
    app.register_blueprint(wifi.wifi)
    app.register_blueprint(calibrate.calibrate)
    app.register_blueprint(deck.deck)
    app.register_blueprint(api.api)
    app.register_blueprint(stream.stream)
    app.register_blueprint(camera.camera)
    if has_demo:
        app.register_blueprint(demo.demo)

    static_files.serve(app)
    app.before_request(wifi.lead_here)
    app.before_request(refuse_other_sites)
    app.before_request(gate.check)
    app.before_request(stirring.tell)
    app.after_request(secure)
    app.register_error_handler(Exception, explained)
    return app


def refuse_other_sites() -> tuple[Response, int] | None:
    """A refusal for a request that changes something and comes from another site's page, else None."""
    if not is_of_another_site():
        return None
    return answered(HTTPStatus.FORBIDDEN, _(SENTENCES[HTTPStatus.FORBIDDEN]))


def secure(response: Response) -> Response:
    """The answer with the headers that every answer has."""
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    if current_app.config["FRAMES"] and request.endpoint in gate.FRAMED:
        frames = " ".join(("frame-ancestors", *current_app.config["FRAMES"]))
        policy = response.headers["Content-Security-Policy"].replace("frame-ancestors 'none'", frames)
        response.headers["Content-Security-Policy"] = policy
        response.headers["Referrer-Policy"] = "no-referrer"  # the address may have a ticket
        del response.headers["X-Frame-Options"]  # it knows no list
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response


def explained(error: Exception) -> tuple[Response, int]:
    """The one error handler: answers every error with a status and one sentence, never a traceback."""
    match error:
        case CompanionError():
            return answered(status_of(error), retold(error.sentence))  # The process that reads photos speaks English.
        case HTTPException() if error.code is not None and error.code < HTTPStatus.INTERNAL_SERVER_ERROR:
            status = HTTPStatus(error.code)
            if status < HTTPStatus.BAD_REQUEST:  # Werkzeug redirects by an exception, too.
                return make_response(error), status
            return answered(status, _(SENTENCES.get(status, SENTENCES[HTTPStatus.BAD_REQUEST])), error)
        case OSError() | TemplateNotFound() if is_of_the_disk(error):
            logging.getLogger(__name__).error("%s %s failed", request.method, request.url_rule, exc_info=error)
            return answered(HTTPStatus.SERVICE_UNAVAILABLE, _(UNREADABLE))
    logging.getLogger(__name__).error("%s %s failed", request.method, request.url_rule, exc_info=error)
    return answered(HTTPStatus.INTERNAL_SERVER_ERROR, _(UNEXPECTED))


def status_of(error: CompanionError) -> HTTPStatus:
    """The HTTP status of an error."""
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), HTTPStatus.BAD_REQUEST)


def answered(status: HTTPStatus, sentence: str, error: HTTPException | None = None) -> tuple[Response, int]:
    """The answer to an error: JSON for programs and scripts, a page with a link back for people."""
    response = jsonify(error=sentence) if wants_json() else make_response(page_of(sentence, status))
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response, status


def is_of_the_disk(error: OSError | TemplateNotFound) -> bool:
    """Whether the error is that of a file. Errors of cameras and devices have no file name, and another number."""
    return isinstance(error, TemplateNotFound) or error.filename is not None or error.errno == errno.EIO


def page_of(sentence: str, status: HTTPStatus) -> str:
    """The page of an error. If journal or templates cannot be read, a bare page that needs no file."""
    try:
        if status is HTTPStatus.FORBIDDEN and hasattr(g, "visitor") and gate.role() is None:
            return devices.outside_page(sentence)
        return render_template("error.html", sentence=sentence, status=status)
    except Exception as error:
        if not isinstance(error, CompanionError):  # Otherwise the sentence itself most likely reports the fault.
            logging.getLogger(__name__).error("the page of an error failed", exc_info=error)
        return BARE_PAGE.format(
            language=words.language(),
            root=request.script_root,
            title=escape(_("Not this way")),
            sentence=escape(sentence),
            way=escape(_("Go to the first page")),
            status=status.value,
        )


def wants_json() -> bool:
    """Whether the request is for the API or a probe, or a script of a page sent it."""
    path = request.path
    return path.startswith("/api/") or path in PROBES or request.headers.get("X-Requested-With") == "companion"
