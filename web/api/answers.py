"""The API's responses, made from values of the core."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from flask import Response

from companion.house.games_list import SessionSummary, UnreadableGame
from companion.journal.codec import event_to_json, options_to_json, state_to_json
from companion.journal.events import Origin
from companion.journal.session import Session
from companion.shelf import GAMES
from companion.table.corrections import Preview as CorePreview
from companion.table.receipts import Receipt as CoreReceipt
from companion.table.table import Table
from companion.words import plain
from web.access import gate
from web.api import requests, responses
from web.house import host
from web.render.pieces import batches, in_pieces


def as_json(answer: msgspec.Struct | Iterable[msgspec.Struct]) -> Response:
    return Response(msgspec.json.encode(answer, enc_hook=plain), mimetype="application/json")


def listed_in_pieces(answers: Iterable[msgspec.Struct]) -> Response:
    """A JSON list that may be long."""
    encoder = msgspec.json.Encoder(enc_hook=plain)

    def pieces() -> Iterator[bytes]:
        before = b"["
        for some in batches(answers):
            yield before + encoder.encode(some)[1:-1]
            before = b","
        yield b"]" if before == b"," else b"[]"

    return in_pieces(pieces(), "application/json")


def origin(body: requests.Sent) -> Origin:
    """Where the entry that a request asks for comes from."""
    return Origin(body.event_id, body.seen_seq, sender=gate.sender())


def receipt(core: CoreReceipt) -> Response:
    return as_json(responses.Receipt(core.event_id, core.seq))


def preview(core: CorePreview) -> Response:
    return as_json(
        responses.Preview(
            seq=core.seq,
            before=dict(core.before),
            after=dict(core.after),
            misfits=[responses.Misfit(misfit.seq, misfit.sentence, misfit.why) for misfit in core.misfits],
        )
    )


def summary(
    session: Session, names: Mapping[str, str], score: Mapping[str, int], over: bool, seq: int, ended_early: bool
) -> responses.Summary:
    """A session as the list shows it."""
    return responses.Summary(
        id=session.id,
        game=session.game,
        title=GAMES[session.game].pages.title,
        players=[responses.PlayerInfo(player, names.get(player, "")) for player in session.players],
        score=dict(score),
        over=over,
        seq=seq,
        created_wall_us=session.created_wall_us,
        preset=session.preset,
        locked=session.locked,
        ended_early=ended_early,
    )


def listed(game: SessionSummary | UnreadableGame) -> responses.Summary:
    """A session in the list; one that cannot be opened is described by its header."""
    if isinstance(game, SessionSummary):
        return summary(game.session, game.known_names, game.score, game.over, game.seq, game.ended_early)
    return responses.Summary(
        id=game.header.session,
        game=game.header.game,
        title=game.title,
        players=[responses.PlayerInfo(player, game.names.get(player, "")) for player in game.header.players],
        score={},
        over=False,
        seq=game.seq,
        created_wall_us=game.header.created_wall_us,
        preset=game.header.preset,
        locked=game.header.locked,
        unreadable=game.why,
    )


def session_info(table: Table) -> responses.SessionInfo:
    """A session with all that can be said of it now."""
    game, state = table.game, table.state
    short = summary(
        table.session, table.names, game.rules.score(state), game.rules.is_over(state), table.seq, table.ended_early
    )
    due = table.due
    return responses.SessionInfo(
        **{name: getattr(short, name) for name in short.__struct_fields__},
        awaiting=sorted(table.awaiting),
        winners=list(game.rules.winners(state)),
        options=options_to_json(table.session.options),
        holds_table=host().active.session == table.session.id,
        state=state_to_json(state),
        due=None if due is None else responses.DueInfo(due.at_us, event_to_json(due.event)),
        now_us=table.now_us(),
    )
