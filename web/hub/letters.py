"""What tables send to a hub, and the lists for programs. Each list's elements have an `id`."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

import msgspec
from flask import Blueprint, Response, current_app, jsonify, request
from msgspec import Meta

from companion import periodic
from companion.errors import BadInput, CompanionError
from companion.foreign import Unreadable, read_json
from companion.hub.questions import AskedBefore
from companion.hub.record import Answer
from companion.letters.errand import answer, doing_of, read_order_answer, read_question
from companion.letters.greeting import greet
from companion.letters.offer import Errand
from companion.words import N_, _, retold
from web.hub.board import name_of_table
from web.hub.here import address, hub, is_here, is_staff, readers_only
from web.hub.limits import Limit

letters = Blueprint("letters", __name__)

ANSWERS = {
    Answer.NEW: HTTPStatus.CREATED,
    Answer.KNOWN: HTTPStatus.OK,
    Answer.UNJUDGED: HTTPStatus.ACCEPTED,
    Answer.FORK: HTTPStatus.CONFLICT,
    Answer.HELD: HTTPStatus.CONFLICT,
    Answer.WAITS: HTTPStatus.ACCEPTED,
    Answer.FOREIGN: HTTPStatus.CONFLICT,
}
FORKED = N_("This game is known with another course. Both are kept. The hub's staff decide.")
FOREIGN = N_("This game was given to another table. It's kept. The hub's staff decide.")

Hex = Annotated[str, Meta(pattern=r"\A([0-9a-f]{2})+\Z", max_length=128)]


class Enrolment(msgspec.Struct, forbid_unknown_fields=True):
    """What a table sends to be enrolled: the code, its public key, its signature of the code, and its name."""

    code: Annotated[str, Meta(max_length=40)]
    public: Hex
    signature: Hex
    name: Annotated[str, Meta(max_length=200)] = ""


@letters.get("/healthz")
def healthz() -> Response:
    """Whether the hub can read and write its record, how its threads are, and for the staff all that is wrong."""
    names = {table["id"]: name_of_table(table) for table in hub().record.enrolled()}
    presences = hub().record.presences.all()
    found = [
        sentence for sentence in hub().troubles(names, presences) if not hub().is_blind or sentence != hub().trouble()
    ]
    says_why = is_staff() or is_here()
    health = periodic.health(says_why=says_why)
    is_well = periodic.is_well() and not hub().record.is_failing
    said = {
        "status": "trouble" if found else health.status,
        "threads": health.threads,
        "troubles": [str(retold(sentence)) for sentence in found] if says_why else [],
    }
    status = HTTPStatus.OK if is_well else HTTPStatus.SERVICE_UNAVAILABLE
    return Response(msgspec.json.encode(said), status, mimetype="application/json")


@letters.get("/v1/hub")
def greeting() -> Response:
    """Who this hub is, signed for the table that asks; and where it shows tables live."""
    signed = greet(hub().record.key, request.args.get("challenge", ""), *hub().mqtt)
    return jsonify([msgspec.to_builtins(signed)])


@letters.post("/v1/tables")
def enrol() -> tuple[Response, int]:
    limit: Limit = current_app.extensions["tried"]
    limit.check(address())
    try:
        sent = read_json(request.get_data(), Enrolment)
    except Unreadable as error:
        raise BadInput(_("This isn't an enrolment. Start the table with --hub and --enrol.")) from error
    try:
        table = hub().record.enrol(sent.code, bytes.fromhex(sent.public), bytes.fromhex(sent.signature), sent.name)
    except CompanionError:
        limit.count(address())
        raise
    return jsonify(id=table.id, name=table.name), HTTPStatus.CREATED


@letters.put("/v1/games/<session>/<head>")
def take(session: str, head: str) -> tuple[Response, int]:
    answer = hub().record.take(session, head, request.get_data())
    content = {"id": head, "answer": answer.value}
    if answer is Answer.FORK:
        content["error"] = _(FORKED)
    if answer is Answer.FOREIGN:
        content["error"] = _(FOREIGN)
    if answer is Answer.HELD:
        content["error"] = hub().record.doubles.sentence(session, head)
    return jsonify(content), ANSWERS[answer]


@letters.put("/v1/people/<person>")
def meet(person: str) -> Response:
    hub().record.meet(person, request.get_data())
    return jsonify(id=person)


@letters.post("/v1/errands")
def errands() -> Response | tuple[Response, int]:
    """What the hub has for the table that asks: the game of a tournament that it plays now, corrections, a chime."""
    record = hub().record
    asking = read_question(request.get_data(), record.public_of)
    try:
        record.questions.hear(asking.key, asking.challenge)
    except AskedBefore as refusal:
        return jsonify(error=retold(refusal.sentence), asked_before=True), HTTPStatus.FORBIDDEN
    doing = doing_of(asking)
    record.hear(asking.key, doing)
    errand = Errand(
        offer=record.desk.offer_for(asking.key),
        orders=record.orders.waiting(asking.key),
        chime=record.chimes.of(asking.key),
        again=record.lacking(asking.key, doing.sent) if doing else (),
        hears=True,
    )
    return jsonify(msgspec.to_builtins(answer(record.key, asking, errand)))


@letters.put("/v1/orders/<order>")
def answer_order(order: str) -> Response:
    """A table has entered a correction, or refuses it."""
    message = read_order_answer(request.get_data(), hub().record.public_of)
    if message.order != order:
        raise BadInput(_("The address names another correction than the message. Let the table send it again."))
    hub().record.orders.answer(message.key, order, message.said)
    return jsonify(id=order)


def add_list(path: str, rows: Callable[..., list[dict[str, Any]]]) -> None:
    """Adds a route that answers a list to those who may read."""
    letters.add_url_rule(path, path, readers_only(lambda **named: jsonify(rows(**named))))


add_list("/v1/games", lambda: hub().record.games())
add_list("/v1/games/<session>", lambda session: hub().record.letters(session))
add_list("/v1/tables", lambda: hub().record.tables())
add_list("/v1/kinds", lambda: hub().record.kinds())
