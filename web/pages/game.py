"""The pages of a game: sheet, history and corrections. A game's own widgets come from its `view`."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from flask import Blueprint, Response, current_app, g, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.cameras.names import ABOVE, FRONT
from companion.errors import BadInput, NotAllowed, NotFound
from companion.game.game import State
from companion.game.parts.derived import nothing
from companion.game.parts.pages import Advice
from companion.game.parts.rules import NO_DICE
from companion.game.players import Viewer
from companion.game.readings import OF_FRONT, Kind
from companion.game.widgets import AnyWidget, Headline, ScoreTable, Tone
from companion.house import next_game
from companion.house.games_list import SessionSummary, UnreadableGame
from companion.house.photos import wanted_kinds, words_for
from companion.house.presses import box_question
from companion.journal.codec import event_from_json
from companion.journal.settings import SET_UP
from companion.table.standing import resting
from companion.table.table import Table
from companion.words import _, language
from web.access import cookie, gate, offers, rights
from web.access.rights import may_begin, may_correct, may_hand_over
from web.api import requests, rolls
from web.house import host
from web.live.camera import unseen_words
from web.pages import devices, hints
from web.pages import gallery as samples
from web.pages.codes import codes_of
from web.pages.seats import who
from web.pages.set_up import begins_at_once, game_cards
from web.render.anew import anew
from web.render.finish import absences, best_moment, final_photo, rounds_table, standings
from web.render.fragments import Fragments
from web.render.last import last_of, line_of
from web.render.questions import hold_back, question
from web.render.widgets import (
    draw,
    grids_side_by_side,
    in_table_time,
    is_racing,
    main_tap,
    plain,
    split,
    stepped_back,
    stopped,
)

pages = Blueprint("pages", __name__)

DRAFT_FIELDS, DRAFT_LENGTH = 64, 400  # a draft has a few choices; more did not come from our page
LINES_A_PAGE = 200  # of the history
GAMES_LISTED = 50
SEATS = "seats"  # The cookie says whose sheet this device showed last, for each game.


@pages.get("/")
def home() -> str:
    """The first page: go on with a game or begin one. A device without a ticket is asked to come in."""
    if not gate.may(gate.Need.READ):
        return devices.outside_page()
    games, holder = games_shown(), host().active.session
    readable = [game for game in games if isinstance(game, SessionSummary)]
    aside = [game for game in readable if next_game.is_put_aside(host(), game.session)]
    sessions = [game for game in readable if game not in aside]
    running = [game for game in sessions if not game.over and not game.ended_early]
    current = next((game for game in running if game.session.id == holder), running[0] if running else None)
    return render_template(
        "home.html",
        shown=codes_of(devices.guests_path()) if gate.may(gate.Need.HOST) else (),
        sessions=sessions,
        aside=aside,
        unreadable=[game for game in games if isinstance(game, UnreadableGame)],
        current=current,
        cards=game_cards(),
        at_once=begins_at_once(),
        offer=next_game.open_offer(host()),
        holder=holder,
        may_hand_over=may_hand_over(),
        seats=cookie.by_session(SEATS) | own_seat(),
        asks_who=who.has_to_be_asked(),
        is_set_up=SET_UP.of(host().journal),
        addresses=host().status.addresses,
    )


def games_shown() -> tuple[SessionSummary | UnreadableGame, ...]:
    """The newest games of the house, or the only game that this device was let in for."""
    if gate.is_of_the_house():
        return host().games(GAMES_LISTED)
    return host().games_named([g.visitor.session])


def own_seat() -> dict[str, str]:
    """The only game → seat that the device was let in for; empty for all others."""
    return {g.visitor.session: g.visitor.player} if g.visitor.player else {}


# one session

ADVICE_LOCK = threading.Lock()  # one search at a time: the table's own work goes first


@pages.get("/s/<id:session>")
def sheet_page(session: str) -> Response:
    """The scoreboard of the whole table, or with ?player= one player's own sheet."""
    table = host().table(session)
    viewer = viewer_of(table)
    response = make_response(render_template("session.html", **sheet(table, viewer)))
    if "player" in request.args:
        cookie.put_for_session(response, SEATS, session, viewer.player or "")
    return response


@pages.get("/s/<id:session>/sheet")
def sheet_fragment(session: str) -> str | AnyResponse:
    """The part of the page that changes, drawn once for all who see the same. A result is drawn for each.

    Of a game that was deleted, pages that show it are led to the first one.
    """
    try:
        table = host().table(session)
    except NotFound:
        if not host().journal.is_deleted(session):
            raise
        return redirect(url_for("pages.home"), 303)
    viewer = viewer_of(table)
    counts = host().live.counts  # before the state is read: a drawing is never older

    def draw_sheet() -> str:
        return render_template("sheet.html", **sheet(table, viewer))

    if not table.is_played:
        return draw_sheet()
    may = (gate.role(), gate.may(gate.Need.CORRECT), may_correct(table), may_begin(), may_hand_over())
    seen_by = (
        hints.of(table, viewer.player),
        language(),
        g.visitor.player,
        viewer.player,
        tuple(sorted(viewer.draft.items())),
        request.script_root,
    )
    state = (session, table.seq, counts.get(f"session:{session}"), counts.get("status"))
    return fragments().get((*state, *may, *seen_by), draw_sheet)


def fragments() -> Fragments:
    """The cache of drawn sheets."""
    cache = current_app.extensions["fragments"]
    assert isinstance(cache, Fragments)
    return cache


@pages.get("/s/<id:session>/advice/<id:name>")
def advice(session: str, name: str) -> str:
    """Advice for the present state and the draft on the page."""
    table = host().table(session)
    viewer = viewer_of(table)
    return worked_out(table, name, lambda advice: offers.offered(table, viewer, advice.answer(table.state, viewer)))


@pages.get("/s/<id:session>/correct/<seq:seq>/advice/<id:name>")
def advice_before(session: str, seq: int, name: str) -> str:
    """The same, for the state before entry `seq`."""
    table = host().table(session)
    return worked_out(table, name, lambda advice: advice.answer(table.state_before(seq), viewer_of(table)))


def worked_out(table: Table, name: str, answer: Callable[[Advice[Any, Any]], tuple[AnyWidget, ...]]) -> str:
    for advice in table.game.pages.advice:
        if advice.name == name:
            with ADVICE_LOCK:
                return "".join(draw(widget, host().marks(table)) for widget in answer(advice))
    raise NotFound(_("This game doesn't have that help. Reload the page."))


@pages.get("/s/<id:session>/history")
def history(session: str) -> str:
    """Every entry with its sentence, its source, and the ways to correct it."""
    return render_template("history.html", **history_context(host().table(session)))


@pages.get("/s/<id:session>/history/list")
def history_fragment(session: str) -> str:
    return render_template("history_list.html", **history_context(host().table(session)))


def history_context(table: Table) -> dict[str, Any]:
    before = requests.number_argument("before", requests.LARGEST)
    older = [line for line in table.history.lines() if line.seq < before]
    return {
        "table": table,
        "seq": table.seq,
        "total": len(table.history.lines()),
        "lines": older[:LINES_A_PAGE],
        "pictures": host().pictures.of(older[:LINES_A_PAGE]),
        "clips": host().pictures.clips(line.picture for line in older[:LINES_A_PAGE]),
        "before": older[LINES_A_PAGE - 1].seq if len(older) > LINES_A_PAGE else None,
        "rounds": rounds_table(table),
        "last": last_of(table),
        "may_correct": may_correct(table),
    }


@pages.get("/s/<id:session>/correct/<seq:seq>")
def correct_page(session: str, seq: int) -> str:
    """The sheet as it was before entry `seq`; an event tapped there replaces that entry, once confirmed."""
    table = host().table(session)
    if not may_correct(table):
        raise NotAllowed(_("In this game only the referee or the host can correct. Call them."))
    line = line_of(table, seq)
    begun = {} if line.event is None else dict(table.game.pages.drafted(table.state_before(seq), line.event))
    pictures = {"pictures": host().pictures.of([line]), "clips": host().pictures.clips([line.picture])}
    return render_template("correct.html", **correction(table, seq, begun), draft=begun, **pictures)


@pages.get("/s/<id:session>/correct/<seq:seq>/sheet")
def correct_fragment(session: str, seq: int) -> str:
    return render_template("correct_sheet.html", **correction(host().table(session), seq, draft_in_query()))


@pages.post("/s/<id:session>/preview/<seq:seq>")
def preview(session: str, seq: int) -> str:
    """The effect of a correction (of a strike, if there is no event), and the ways to accept it."""
    table = host().table(session)
    body = requests.body(requests.PreviewAsk)
    event = None if body.event is None else event_from_json(table.game, body.event)
    effect = table.preview(seq, event)
    return render_template(
        "preview.html",
        table=table,
        seq=seq,
        event=body.event,
        preview=effect,
        sentence=described(table, seq, effect.event),
        was=line_of(table, seq).sentence,
        ways=table.ways(seq, event),
        may_correct=may_correct(table),
    )


def described(table: Table, seq: int, event: Any) -> str:
    """The sentence of the corrected entry, "" when it is struck."""
    return "" if event is None else table.game.pages.describe(table.state_before(seq), event, Viewer(None, table.names))


def viewer_of(table: Table) -> Viewer:
    """The viewer named in the query; raises NotFound for a player who does not sit here."""
    player = request.args.get("player") or None
    if player is not None and player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose a name at the top of the sheet."))
    return Viewer(player, table.names, draft_in_query(), looks_on=offers.is_to_look_at(player))


def draft_in_query() -> dict[str, str]:
    """The draft on the page: the query's fields that begin with "d."; raises BadInput for one that is too large."""
    fields = {key[2:]: value for key, value in request.args.items() if key.startswith("d.")}
    if len(fields) > DRAFT_FIELDS or any(len(key) + len(value) > DRAFT_LENGTH for key, value in fields.items()):
        raise BadInput(_("This page has lost its place. Reload it."))
    return fields


def sheet(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The values for a sheet, with what this device may use of it."""
    values = drawn_now(table, viewer)
    if not table.ended_early:
        values |= {part: offers.offered(table, viewer, values[part]) for part in ("main", "aside")}
    racing = is_racing(values["main"])
    pressing, main = main_tap(values["main"])
    ended, awaiting = table.ended_early, table.game.rules.awaiting(table.state)
    is_waiting = racing and viewer.player is not None and not gate.may(gate.Need.HOST)  # until nobody builds any more
    asked = [] if ended or is_waiting else host().questions.of(table.session.id)
    may_answer = [one for one in asked if not gate.may(gate.Need.PLAY) or rights.may_enter(table, one.event)]
    proposals = [question(table, one) for one in may_answer]
    if not viewer.draft:  # what somebody has begun to enter stays
        hold_back(table, may_answer, races=racing)
    if not racing:
        main = tuple(map(stepped_back, main))
        pressing = plain(pressing) if pressing is not None and proposals else pressing
    return {
        **values,
        "main": main,
        "pressing": pressing,
        "racing": racing,
        "waits": bool(awaiting) and viewer.player is not None and viewer.player not in awaiting,
        "beside": grids_side_by_side(main) and not table.game.rules.is_over(table.state),
        "proposals": proposals,
        "may_enter": partial(rights.may_enter, table),
        "clips": host().pictures.clips(proposal.picture for proposal, _sentence, _agreed in proposals),
        "box_question": box_question(host().questions.of(table.session.id)),
        "box_devices": {device for device, _seat in host().outside.buttons},
        "remark": host().remarks.of(table.session.id),
        "is_new": table.newest is None,
        "hint": hints.of(table, viewer.player),
        "deal_due": table.game.pages.deal_due(table.state) and not racing,
        "holds": host().active.session == table.session.id,
        "last": last_of(table),
        "may_correct": may_correct(table),
        "may_hand_over": may_hand_over(),
        "has_dice": table.game.rules.dice is not NO_DICE,
        "has_clock": table.game.rules.due is not nothing,
        "own_dice": has_own_dice(table),
        "photos": photos_wanted(table),
        "at_rest": [(player, rights.may_rest(table, player)) for player in resting(table)],
        "stand_ins": [(player, who, rights.may_rename(table, player)) for player, who in table.stand_ins.items()],
        "rolls": "" if ended else rolls.address(table, viewer),
        "ended_early": ended,
        **ending(table),
        "holder": host().active.session,
    }


def ending(table: Table) -> dict[str, Any]:
    """The values for an end screen; of a game that goes on only that it does."""
    if not table.game.rules.is_over(table.state):
        return {"over": False}
    end = {"standings": standings(table), "absences": absences(table), "moment": best_moment(table)}
    return {"over": True, **end, **final_photo(table)}


def stopped_early(widgets: Iterable[AnyWidget]) -> tuple[AnyWidget, ...]:
    """The page of a game that was ended early: nothing to tap, nobody's turn, and everybody's points so far."""
    head = Headline(
        _("This game was ended early"), _("The points so far stay. They don't count in a season."), Tone.PRIMARY
    )
    points = (
        ScoreTable(_("The score so far"), tuple(replace(line, state="", active=False) for line in widget.lines))
        for widget in widgets
        if isinstance(widget, ScoreTable)
    )
    return (head, *points)


def photos_wanted(table: Table) -> list[tuple[str, str]]:
    """What this device may take a photo of, as (kind, words): what the game waits for and no camera looks at.

    Stacks of blocks change with each second of a race: the page offers them once the round is over.
    """
    may_show = gate.may(gate.Need.PLAY) and rights.is_for(table.awaiting)
    is_active, judges = host().active.session == table.session.id, table.game.sight.eyes(table.state).judges

    def is_offered(kind: Kind) -> bool:
        if kind in OF_FRONT:
            return judges and not (is_active and host().status.is_up(FRONT))
        return not (is_active and host().status.is_up(ABOVE) and not unseen_words())

    return [(str(kind), words_for(kind)) for kind in wanted_kinds(table) if may_show and is_offered(kind)]


def has_own_dice(table: Table) -> bool:
    """Whether each player has dice of a colour, and a camera has to know them."""
    rolls = table.game.rules.dice is not NO_DICE
    return rolls and host().outside.camera_set_up is not None and bool(table.game.rules.colours(table.state))


def drawn(table: Table, state: State, viewer: Viewer) -> dict[str, Any]:
    """The values for the game's own view of a state."""
    seq = table.seq  # read before the state: a page may then only be newer than it says, and is refused
    main, aside = split(tuple(in_table_time(widget, table) for widget in table.game.pages.view(state, viewer)))
    marks = host().marks(table)
    return {"table": table, "seq": seq, "viewer": viewer, "marks": marks, "main": main, "aside": aside}


def drawn_now(table: Table, viewer: Viewer) -> dict[str, Any]:
    """The values for the game's own view as it stands; of a game that was ended early only the points so far."""
    values = drawn(table, table.state, viewer)
    if not table.ended_early:
        return values
    main, aside = split(stopped_early((*values["main"], *values["aside"])))
    return {**values, "main": main, "aside": aside}


def correction(table: Table, seq: int, draft: Mapping[str, str]) -> dict[str, Any]:
    """The values for the sheet before an entry, as seen by the entry's player. Its clocks stand still."""
    line = line_of(table, seq)
    viewer = Viewer(line.player, table.names, draft)
    before = drawn(table, table.state_before(seq), viewer)
    at_us = table.table_us(getattr(line.event, "at_us", table.entries[seq - 1].at_us))
    before["main"] = tuple(stopped(widget, at_us) for widget in before["main"])
    if main := anew(line.event, viewer, table.session.players):
        before |= {"main": main, "aside": ()}
    return {**before, "line": line}


# for developers


@pages.get("/gallery")
def gallery() -> str:
    """Every widget in several states."""
    return render_template("gallery.html", samples=samples.SAMPLES, marks=samples.MARKS)
