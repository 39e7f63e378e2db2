"""The REST API, which the tablet's own pages use too. What it takes and gives stands in `bodies`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec
from flask import Blueprint, Response, render_template, request

from companion.errors import BadInput, IllegalEvent, NotFound
from companion.game.events import NOW_US, Ask
from companion.game.game import AnyGame, Event, State
from companion.game.options import option_infos
from companion.games import GAMES
from companion.house.games_list import SessionSummary, UnreadableGame
from companion.house.people import Profile
from companion.house.records import games_played, record_of, seats_of
from companion.journal.codec import event_from_json, event_to_json, options_to_json, state_to_json
from companion.journal.session import Session
from companion.sensing.proposals import Proposal, answer_json, corrected
from companion.table.corrections import Preview as CorePreview
from companion.table.table import Receipt as CoreReceipt
from companion.table.table import Table
from companion.words import _, plain
from web.access import gate, referee, rights
from web.api import bodies, openapi, reference
from web.render.drawing import host

api = Blueprint("api", __name__)

SOURCE = "tablet"


@api.get("/healthz")
def healthz() -> Response:
    return given(bodies.Health("ok"))


@api.get("/metrics")
def metrics() -> Response:
    """The host's figures in Prometheus' text format."""
    lines = [
        line
        for name, value in sorted(host().metrics().items())
        for line in (f"# TYPE {name} gauge", f"{name} {value:.15g}")
    ]
    return Response("\n".join([*lines, ""]), mimetype="text/plain")


@api.get("/api/openapi.json")
def document() -> Response:
    return Response(msgspec.json.encode(openapi.document()), mimetype="application/json")


@api.get("/api/docs")
def docs() -> str:
    """The same to read."""
    described = openapi.document()
    calls, kinds = reference.calls(described), reference.kinds(described)
    return render_template("api_docs.html", info=described["info"], calls=calls, kinds=kinds)


@api.get("/api/clock")
def clock() -> Response:
    """Table time now: a tablet asks a few times and believes the quickest answer."""
    return given(bodies.ClockInfo(host().clock.now_us()))


@api.get("/api/games")
def games() -> Response:
    return given(
        [
            bodies.GameInfo(
                name=game.name,
                title=game.title,
                tagline=game.tagline,
                fewest=game.seats[0],
                most=game.seats[1],
                options=[
                    bodies.GameOption(
                        name=info.name,
                        default=msgspec.to_builtins(info.default),
                        label=info.label,
                        help=info.help,
                        rule=info.rule,
                        choices=[bodies.OptionChoice(msgspec.to_builtins(c.value), c.label) for c in info.choices],
                        low=info.low,
                        high=info.high,
                    )
                    for info in option_infos(game.options)
                ],
                presets=[
                    bodies.GamePreset(one.name, one.label, one.help, msgspec.to_builtins(dict(one.options)), one.locked)
                    for one in game.presets
                ],
            )
            for game in GAMES.values()
        ]
    )


@api.get("/api/sessions")
def sessions() -> Response:
    return given([listed(one) for one in host().games()])


@api.post("/api/sessions")
def create() -> tuple[Response, int]:
    asked = bodies.body(bodies.NewSession)
    return begun(
        host().create(asked.game, asked.players, asked.options, asked.session_id, asked.preset, maker=gate.device())
    )


@api.post("/api/import")
def import_session() -> tuple[Response, int]:
    """Takes a game over that another table exported."""
    request.max_content_length = bodies.GAME_BYTES
    try:
        text = request.get_data().decode()
    except UnicodeDecodeError as error:
        raise BadInput(_("This file is no exported game: it is not UTF-8 text.")) from error
    return begun(host().import_game(text, gate.device()))


def begun(table: Table) -> tuple[Response, int]:
    """A new session; who begins or imports a locked one is its referee."""
    answer = given(session_info(table))
    if key := referee.key_given(table):
        referee.appoint(answer, table.session.id, key)
        answer.headers[referee.HEADER] = key
    return answer, 201


@api.get("/api/sessions/<id:session>")
def show(session: str) -> Response:
    return given(session_info(host().table(session)))


@api.get("/api/sessions/<id:session>/export")
def export(session: str) -> Response:
    """The whole game as JSON lines, for another table or `companion replay`."""
    response = Response(host().export(session), mimetype="application/x-ndjson")
    response.headers["Content-Disposition"] = f'attachment; filename="{session}.jsonl"'
    return response


@api.get("/api/sessions/<id:session>/legal")
def legal(session: str) -> Response:
    """What a player may do now."""
    table = host().table(session)
    player = request.args.get("player", "")
    if player not in table.session.players:
        raise NotFound(_("No such player sits at this table: choose one of the session's players."))
    game, state, now_us = table.game, table.state, table.now_us()
    found = game.legal(state, player)
    events = [event for event in found if not isinstance(event, Ask) and can_happen(game, state, event, now_us)]
    return given(
        bodies.Legal(
            player=player,
            events=[_happening_now(event_to_json(event)) for event in events],
            numbers=[
                bodies.LegalNumber(ask.kind, ask.field, ask.low, ask.high, ask.prompt)
                for ask in found
                if isinstance(ask, Ask)
            ],
        )
    )


def can_happen(game: AnyGame, state: State, event: Event, at_us: int) -> bool:
    """Whether the rules take an event at that moment: a game says what comes next, which may be later than now."""
    if not hasattr(event, "at_us"):
        return True
    try:
        game.apply(state, replace(event, at_us=at_us))
    except IllegalEvent:
        return False
    return True


def _happening_now(event: dict[str, Any]) -> dict[str, Any]:
    """The event with its time left to the table, as whoever posts it wants."""
    return {**event, "at_us": NOW_US} if "at_us" in event else event


@api.get("/api/sessions/<id:session>/history")
def history(session: str) -> Response:
    return given(
        [
            bodies.HistoryEntry(
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
            for line in host().table(session).history()
        ]
    )


@api.post("/api/sessions/<id:session>/events")
def post_event(session: str) -> Response:
    table = host().table(session)
    asked = bodies.body(bodies.PostEvent)
    event = event_from_json(table.game, asked.event)
    rights.required_to_enter(table, event)
    return receipt(
        table.submit(event, event_id=asked.event_id, seen_seq=asked.seen_seq, source=SOURCE, sender=gate.sender())
    )


@api.post("/api/sessions/<id:session>/undo")
def undo(session: str) -> Response:
    table = host().table(session)
    asked = bodies.body(bodies.Undo)
    rights.required_as_referee(table)
    return receipt(
        table.undo(event_id=asked.event_id, seen_seq=asked.seen_seq, source=SOURCE, seq=asked.seq, sender=gate.sender())
    )


@api.post("/api/sessions/<id:session>/strike")
def strike(session: str) -> Response:
    table = host().table(session)
    asked = bodies.body(bodies.Strike)
    if asked.preview:
        return preview(table.preview(asked.seq, None, tuple(asked.also), tuple(asked.ruled)))
    rights.required_as_referee(table)
    return receipt(
        table.strike(
            asked.seq,
            also=tuple(asked.also),
            ruled=tuple(asked.ruled),
            event_id=asked.event_id,
            seen_seq=asked.seen_seq,
            source=SOURCE,
            sender=gate.sender(),
        )
    )


@api.post("/api/sessions/<id:session>/amend")
def amend(session: str) -> Response:
    table = host().table(session)
    asked = bodies.body(bodies.Amend)
    event = event_from_json(table.game, asked.event)
    if asked.preview:
        return preview(table.preview(asked.seq, event, tuple(asked.also), tuple(asked.ruled)))
    rights.required_to_amend(table, asked.seq, event)
    return receipt(
        table.amend(
            asked.seq,
            event,
            also=tuple(asked.also),
            ruled=tuple(asked.ruled),
            event_id=asked.event_id,
            seen_seq=asked.seen_seq,
            source=SOURCE,
            sender=gate.sender(),
        )
    )


@api.post("/api/sessions/<id:session>/hold")
def hold(session: str) -> Response:
    """Gives this session the table's camera and box."""
    host().table(session)
    host().hold(session)
    return given(bodies.Done())


@api.get("/api/sessions/<id:session>/proposals")
def proposals(session: str) -> Response:
    host().table(session)
    return given(
        [
            bodies.ProposalInfo(
                id=proposal.id,
                kind=str(proposal.kind),
                event=proposal.event,
                instead=list(proposal.instead),
                doubts=[bodies.DoubtInfo(d.path, list(d.alternatives), d.picture) for d in proposal.doubts],
                sure=list(proposal.sure),
                note=proposal.note,
                picture=proposal.picture,
                created_us=proposal.created_us,
                counts_us=proposal.counts_us,
            )
            for proposal in host().proposals(session)
        ]
    )


@api.post("/api/sessions/<id:session>/proposals/<id:proposal>/confirm")
def confirm(session: str, proposal: str) -> Response:
    asked = bodies.body(bodies.Confirm)
    return agreed(session, proposal, asked.corrections, asked.event_id, asked.instead)


@api.post("/api/sessions/<id:session>/proposals/<id:proposal>/correct")
def correct(session: str, proposal: str) -> Response:
    asked = bodies.body(bodies.Correct)
    return agreed(session, proposal, asked.corrections, asked.event_id)


def agreed(
    session: str, proposal: str, corrections: dict[str, int], event_id: str, instead: int | None = None
) -> Response:
    """Makes a proposal an event. A repeated request gets the same answer, though its proposal is gone by then."""
    table = host().table(session)
    known_answer = table.answered(event_id, answer_json(proposal, corrections, instead))
    if known_answer is not None:
        return receipt(known_answer)
    event, _reading = corrected(known(session, proposal), corrections, instead)
    rights.required_to_enter(table, event_from_json(table.game, event))
    return receipt(
        host().confirm(proposal, corrections, event_id=event_id, instead=instead, source=SOURCE, sender=gate.sender())
    )


@api.post("/api/sessions/<id:session>/proposals/<id:proposal>/dismiss")
def dismiss(session: str, proposal: str) -> Response:
    question, table = known(session, proposal), host().table(session)
    rights.required_to_enter(table, event_from_json(table.game, question.event))
    host().dismiss(session, proposal)
    return given(bodies.Done())


@api.get("/api/people")
def everybody() -> Response:
    """The people of the house by name; those who are not remembered are nobody's to list."""
    played = games_played(host())
    return given([bodies.PersonInfo(**person_fields(one, played[one.id])) for one in host().people.everybody()])


@api.get("/api/people/<id:profile>")
def person(profile: str) -> Response:
    known = host().people.profile(profile)
    record = record_of(host(), known)
    return given(
        bodies.PersonRecord(
            **person_fields(known, len(record.seats)),
            finished=record.finished,
            won=record.won,
            bests=[bodies.BestInfo(best.game, best.points, best.session) for best in record.bests],
        )
    )


@api.get("/api/people/<id:profile>/games")
def person_games(profile: str) -> Response:
    return given(
        [
            bodies.PersonGame(
                session=seat.played.session,
                game=seat.played.game,
                title=seat.title,
                player=seat.player,
                created_wall_us=seat.played.created_wall_us,
                over=seat.played.outcome.over,
                won=seat.player in seat.played.outcome.winners,
                points=seat.points,
                place=seat.place if seat.played.outcome.over else None,
                others=list(seat.others),
                unreadable=seat.played.unreadable,
            )
            for seat in seats_of(host(), host().people.profile(profile))
        ]
    )


def person_fields(profile: Profile, games: int) -> dict[str, Any]:
    return {
        "id": profile.id,
        "name": profile.name,
        "symbol": profile.symbol,
        "colour": profile.colour,
        "games": games,
    }


@api.get("/api/pictures/<id:picture>.jpg")
def picture(picture: str) -> Response:
    """The address is the picture's hash; a device asks each time, so that one that was deleted is shown no longer."""
    response = Response(host().pictures.jpeg(picture), mimetype="image/jpeg")
    response.cache_control.private = response.cache_control.no_cache = True
    response.set_etag(picture)
    response.make_conditional(request)
    return response


def known(session: str, proposal: str) -> Proposal:
    """A proposal of this session; raises NotFound when there is none of that id."""
    host().table(session)
    for one in host().proposals(session):
        if one.id == proposal:
            return one
    raise NotFound(_("This question has been answered meanwhile: look at the sheet."))


def given(answer: msgspec.Struct | Iterable[msgspec.Struct]) -> Response:
    return Response(msgspec.json.encode(answer, enc_hook=plain), mimetype="application/json")


def receipt(core: CoreReceipt) -> Response:
    return given(bodies.Receipt(core.event_id, core.seq))


def preview(core: CorePreview) -> Response:
    return given(
        bodies.Preview(
            seq=core.seq,
            before=dict(core.before),
            after=dict(core.after),
            misfits=[bodies.Misfit(one.seq, one.sentence, one.why) for one in core.misfits],
        )
    )


def summary(
    session: Session, names: Mapping[str, str], score: Mapping[str, int], over: bool, seq: int
) -> bodies.Summary:
    """A session as the list shows it."""
    return bodies.Summary(
        id=session.id,
        game=session.game,
        title=GAMES[session.game].title,
        players=[bodies.PlayerInfo(player, names.get(player, "")) for player in session.players],
        score=dict(score),
        over=over,
        seq=seq,
        created_wall_us=session.created_wall_us,
        preset=session.preset,
        locked=session.locked,
    )


def listed(game: SessionSummary | UnreadableGame) -> bodies.Summary:
    """A line of the list; of a session that cannot be opened what its header says."""
    if isinstance(game, SessionSummary):
        return summary(game.session, game.known, game.score, game.over, game.seq)
    return bodies.Summary(
        id=game.header.session,
        game=game.header.game,
        title=game.title,
        players=[bodies.PlayerInfo(player, game.names.get(player, "")) for player in game.header.players],
        score={},
        over=False,
        seq=game.seq,
        created_wall_us=game.header.created_wall_us,
        preset=game.header.preset,
        locked=game.header.locked,
        unreadable=game.why,
    )


def session_info(table: Table) -> bodies.SessionInfo:
    """A session as it stands now."""
    game, state = table.game, table.state
    short = summary(table.session, table.names, game.score(state), game.is_over(state), table.seq)
    due = game.due(state)
    return bodies.SessionInfo(
        **{name: getattr(short, name) for name in short.__struct_fields__},
        awaiting=sorted(game.awaiting(state)),
        winners=list(game.winners(state)),
        options=options_to_json(table.session.options),
        holds_table=host().holder == table.session.id,
        state=state_to_json(state),
        due=None if due is None else bodies.DueInfo(due.at_us, event_to_json(due.event)),
        now_us=table.now_us(),
    )
