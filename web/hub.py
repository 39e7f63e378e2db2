"""The Flask application of a hub: what tables send, and the lists that its own machine may read."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from flask import Flask, Response, current_app, jsonify, request
from msgspec import Meta
from werkzeug.exceptions import HTTPException

from companion.errors import BadInput, CompanionError, JournalUnusable, NotAllowed, NotFound, TooManyTries
from companion.hub.chain import MOST_UNPACKED
from companion.hub.envelope import LONGEST_ENVELOPE
from companion.hub.record import Answer, HubRecord
from companion.network.addresses import network_of
from companion.words import N_, _
from web.access import gate

MOST_BYTES = LONGEST_ENVELOPE + MOST_UNPACKED // 2  # of a letter: games pack to a fifth, and no request is longer
REFUSED, PERIOD_S = 60, 60.0  # how many refused requests an address may make within so many seconds
TRIED, TRIED_S = 10, 600.0  # likewise enrolments
STATUS: dict[type[CompanionError], HTTPStatus] = {
    BadInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    NotAllowed: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    TooManyTries: HTTPStatus.TOO_MANY_REQUESTS,
    JournalUnusable: HTTPStatus.SERVICE_UNAVAILABLE,
}
ANSWERS = {
    Answer.NEW: HTTPStatus.CREATED,
    Answer.KNOWN: HTTPStatus.OK,
    Answer.UNJUDGED: HTTPStatus.ACCEPTED,
    Answer.FORK: HTTPStatus.CONFLICT,
}
FORKED = N_("This game is known with another course. Both are kept. The hub's staff decide.")
WRONG_WAY = N_("There's nothing at this address of the hub. See docs/hall.md.")
TOO_LARGE = N_("This is too big. Send less at once.")
UNEXPECTED = N_("Something went wrong in the hub. Nothing was lost. Try again, or look in its log.")

Hex = Annotated[str, Meta(pattern=r"\A([0-9a-f]{2})+\Z", max_length=128)]


class Enrolment(msgspec.Struct, forbid_unknown_fields=True):
    """What a table sends to be enrolled: the code, its public key, its signature of the code, and its name."""

    code: Annotated[str, Meta(max_length=40)]
    public: Hex
    signature: Hex
    name: Annotated[str, Meta(max_length=200)] = ""


class Limit:
    """So many at most within a period, for each address. Thread-safe."""

    def __init__(self, most: int, period_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        self._most, self._period_s, self._now_s = most, period_s, now_s
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = {}

    def check(self, address: str) -> None:
        """Raises TooManyTries if this address has to wait."""
        with self._lock:
            times, now_s = self._times.get(network_of(address), deque()), self._now_s()
            if len(times) >= self._most and times[0] > now_s - self._period_s:
                raise TooManyTries(_("Too many requests came from there. Wait some minutes, then try again."))

    def count(self, address: str) -> None:
        """Counts one of this address."""
        with self._lock:
            now_s = self._now_s()
            self._times = {one: times for one, times in self._times.items() if times[-1] > now_s - self._period_s}
            self._times.setdefault(network_of(address), deque(maxlen=self._most)).append(now_s)


def create_hub(
    record: HubRecord, allowed_hosts: Sequence[str] = (), now_s: Callable[[], float] = time.monotonic
) -> Flask:
    """The application that serves a hub's record.

    allowed_hosts   host names besides those by which a machine knows itself
    now_s           gives a time in seconds that never goes back
    """
    app = Flask(__name__, static_folder=None)
    app.config["ALLOWED_HOSTS"] = tuple(allowed_hosts)
    app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
    refused, tried = Limit(REFUSED, PERIOD_S, now_s), Limit(TRIED, TRIED_S, now_s)
    app.extensions |= {"addresses": lambda: (), "record": record, "refused": refused, "tried": tried}
    app.add_url_rule("/healthz", view_func=healthz)
    app.add_url_rule("/v1/tables", "enrol", enrol, methods=["POST"])
    app.add_url_rule("/v1/games/<session>/<head>", "take", take, methods=["PUT"])
    app.add_url_rule("/v1/games", "games", own(lambda: record.games()))
    app.add_url_rule("/v1/games/<session>", "letters", own(record.letters))
    app.add_url_rule("/v1/tables", "tables", own(record.tables))
    app.add_url_rule("/v1/standings", "standings", own(record.standings))
    app.before_request(lambda: refused.check(address()))
    app.register_error_handler(Exception, explained)
    app.after_request(secure)
    return app


def address() -> str:
    """The address that the request comes from."""
    return request.remote_addr or ""


def hub_record() -> HubRecord:
    """The record that this application serves."""
    record: HubRecord = current_app.extensions["record"]
    return record


def own(rows: Callable[..., list[dict[str, Any]]]) -> Callable[..., Response]:
    """A view that answers the hub's own machine alone with a list."""

    def view(**named: str) -> Response:
        if not gate.is_own_machine():
            raise NotAllowed(_("Only the hub's own computer may read this. Open it there."))
        return jsonify(rows(**named))

    return view


def healthz() -> Response:
    """Whether the hub can read its record."""
    hub_record().tables()
    return jsonify(status="ok")


def enrol() -> tuple[Response, int]:
    """Enrols a table by its code."""
    limit: Limit = current_app.extensions["tried"]
    limit.check(address())
    try:
        sent = msgspec.json.decode(request.get_data(), type=Enrolment)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise BadInput(_("This isn't an enrolment. Start the table with --hub and --enrol.")) from error
    try:
        table = hub_record().enrol(sent.code, bytes.fromhex(sent.public), bytes.fromhex(sent.signature), sent.name)
    except CompanionError:
        limit.count(address())
        raise
    return jsonify(id=table.id, name=table.name), HTTPStatus.CREATED


def take(session: str, head: str) -> tuple[Response, int]:
    """Takes a letter."""
    answer = hub_record().take(session, head, request.get_data())
    said = {"id": head, "answer": answer.value}
    return jsonify(said | {"error": _(FORKED)} if answer is Answer.FORK else said), ANSWERS[answer]


def secure(response: Response) -> Response:
    """The answer with the headers that every answer has; a refused request is counted."""
    if 400 <= response.status_code < 500 and response.status_code not in (409, 429) and not gate.is_own_machine():
        current_app.extensions["refused"].count(address())
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def explained(error: Exception) -> tuple[Response, int]:
    """Answers every error with a status and one sentence."""
    match error:
        case CompanionError():
            status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)
            return jsonify(error=str(error)), status
        case HTTPException(code=int(code)) if code < 500:
            return jsonify(error=_(TOO_LARGE if code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else WRONG_WAY)), code
    logging.getLogger(__name__).error("%s %s failed", request.method, request.url_rule, exc_info=error)
    return jsonify(error=_(UNEXPECTED)), HTTPStatus.INTERNAL_SERVER_ERROR
