"""Routes of sessions: the list, a new session, one session, its history, and the legal events."""

from dataclasses import replace
from typing import Any

from flask import Response, request

from companion.errors import BadInput, IllegalEvent, NotFound
from companion.game.events import NOW_US, Ask
from companion.game.game import AnyGame, Event, State
from companion.house.transfer import LONGEST_FILE
from companion.journal.codec import event_to_json
from companion.table.table import Table
from companion.words import _
from web.access import gate, referee, rights
from web.api import requests, responses
from web.api.answers import as_json, listed, listed_in_pieces, session_info
from web.api.operations import ENTRY, READ, SESSION, WRITE, Operations, Parameter
from web.house import host
from web.render.pieces import in_pieces

operations = Operations()


@operations.get("/api/sessions", "All sessions, newest first", gives=list[responses.Summary], refusals=(403, 503))
def sessions() -> Response:
    return as_json([listed(game) for game in host().games()])


@operations.post(
    "/api/sessions",
    "Start a game",
    gives=responses.SessionInfo,
    takes=requests.NewSession,
    status=201,
    refusals=ENTRY,
)
def create() -> tuple[Response, int]:
    body = requests.body(requests.NewSession)
    return begun(
        host().create(body.game, body.players, body.options, body.session_id, body.preset, maker=gate.device())
    )


@operations.post(
    "/api/import",
    "Take over a game that another table exported",
    gives=responses.SessionInfo,
    takes="text/plain",
    name="import",
    status=201,
    refusals=(400, 403, 409, 413, 422, 429, 503),
)
def import_session() -> tuple[Response, int]:
    """Imports a game that another table exported."""
    rights.check_import_limit()
    request.max_content_length = LONGEST_FILE
    try:
        text = request.get_data().decode()
    except UnicodeDecodeError as error:
        raise BadInput(_("This file isn't a saved game, because it isn't UTF-8 text. Choose another file.")) from error
    return begun(host().transfer.take(text, gate.device()))


def begun(table: Table) -> tuple[Response, int]:
    """The response for a new session; the device that begins or imports a locked one becomes its referee."""
    answer = as_json(session_info(table))
    if key := referee.key_given(table):
        referee.appoint(answer, table.session.id, key)
        answer.headers[referee.HEADER] = key
    return answer, 201


@operations.get(SESSION, "A session as it stands", gives=responses.SessionInfo, refusals=READ)
def show(session: str) -> Response:
    return as_json(session_info(host().table(session)))


@operations.get(SESSION + "/export", "The game as JSON lines", gives="application/x-ndjson", refusals=READ)
def export(session: str) -> Response:
    """The whole game as JSON lines, for another table or `companion replay`."""
    response = in_pieces(map(str.encode, host().transfer.export_in_pieces(session)), "application/x-ndjson")
    response.headers["Content-Disposition"] = f'attachment; filename="{session}.jsonl"'
    return response


@operations.get(
    SESSION + "/legal",
    "What a player may do now",
    gives=responses.Legal,
    refusals=READ,
    parameters=(Parameter("player", "query", {"type": "string", "maxLength": 64}, required=True),),
)
def legal(session: str) -> Response:
    """The events that a player may post now."""
    table = host().table(session)
    player = request.args.get("player", "")
    if player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))
    game, state, now_us = table.game, table.state, table.now_us()
    choices = game.rules.legal(state, player)
    events = [event for event in choices if not isinstance(event, Ask) and can_happen(game, state, event, now_us)]
    return as_json(
        responses.Legal(
            player=player,
            events=[_happening_now(event_to_json(event)) for event in events],
            numbers=[
                responses.LegalNumber(ask.kind, ask.field, ask.low, ask.high, ask.prompt)
                for ask in choices
                if isinstance(ask, Ask)
            ],
        )
    )


def can_happen(game: AnyGame, state: State, event: Event, at_us: int) -> bool:
    """Whether the rules allow an event at that moment: `legal` may list events that are only possible later."""
    if not hasattr(event, "at_us"):
        return True
    try:
        game.rules.apply(state, replace(event, at_us=at_us))
    except IllegalEvent:
        return False
    return True


def _happening_now(event: dict[str, Any]) -> dict[str, Any]:
    """The event with its time left to the table, ready to be posted."""
    return {**event, "at_us": NOW_US} if "at_us" in event else event


@operations.get(SESSION + "/history", "Every event, newest first", gives=list[responses.HistoryEntry], refusals=READ)
def history(session: str) -> Response:
    return listed_in_pieces(
        responses.HistoryEntry(
            seq=line.seq,
            sentence=line.sentence,
            source=line.source,
            device=line.device,
            wall_us=line.wall_us,
            status=line.status,
            player=line.player,
            picture=line.picture,
            event=None if line.event is None else event_to_json(line.event),
        )
        for line in host().table(session).history.lines()
    )


@operations.at_table(
    "/names",
    "Give a player of this game another name",
    requests.Rename,
    gives=responses.Done,
    refusals=WRITE,
)
def rename_player(table: Table, body: requests.Rename) -> Response:
    """Names lie outside the game's entries: every page follows, and no entry changes."""
    rights.required_to_rename(table, body.player)
    host().rename_player(table, body.player, body.name)
    return as_json(responses.Done())


@operations.post(SESSION + "/hold", "Take the table's camera and box", gives=responses.Done, refusals=READ)
def hold(session: str) -> Response:
    """Makes this session the active game."""
    host().table(session)
    rights.required_to_hold(session)
    host().active.hold(session)
    return as_json(responses.Done())
