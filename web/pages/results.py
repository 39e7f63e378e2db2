"""The result sheet of a game, the statistics of its dice, and the referee's page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput, CompanionError, NotAllowed
from companion.game.charts import Bar, Bars
from companion.game.dice import Thrown
from companion.game.events import SOURCES
from companion.game.game import Event
from companion.game.options import option_infos
from companion.game.parts.rules import NO_DICE
from companion.game.players import Viewer
from companion.game.widgets import AnyWidget, ScoreTable, Standings
from companion.games.rulings import LONGEST_REASON, MOST_POINTS, Ruling
from companion.house import next_game
from companion.house.fairness import Tally, all_alike, tallies
from companion.house.outcomes import dice_thrown, played_game, thrown_by_players
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.session import new_id
from companion.table.history import STATUS_WORDS, HistoryLine
from companion.table.table import Table
from companion.words import N_, _, _n, number
from web.access import gate, referee, rights
from web.api import requests
from web.house import host
from web.pages.codes import codes_of
from web.pages.devices import wall_path
from web.render import bg_stats, forms, result_picture
from web.render.csv import csv_file, moment
from web.render.finish import absences, best_moment, curves, final_photo, rounds_table, standings
from web.render.traces import Trace, trace_of

results = Blueprint("results", __name__)

SWITCHES = {"on": N_("yes"), "": N_("no")}

NEWEST = 300  # A page of a result shows so many presses, and so many pictures.
PICTURE_POLICY = (  # Its fonts and its photo are in it.
    "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; frame-ancestors 'none'"
)
HOUSE_GAMES = 200  # newest games of the house that count in its statistics


@dataclass(frozen=True)
class Press:
    """A press of a button that became an event: who, what, and when, in microseconds of table time.

    after_us    time since the press before
    trace       the raw edges of the press
    """

    line: HistoryLine
    at_us: int
    after_us: int | None  # None for the first press
    trace: Trace | None


@results.get("/s/<id:session>/result")
def result_page(session: str) -> str:
    """The result on one sheet, to keep or to print: points line by line, rulings, presses, pictures and the hash.

    Of very many presses or pictures the newest, or with ?before= those before that entry.
    """
    table = host().table(session)
    history = table.history.lines()
    lines = tuple(reversed([line for line in history if line.event is not None]))
    over = table.game.rules.is_over(table.state)
    before = requests.number_argument("before", requests.LARGEST)
    pressed, pressed_before = newest([line for line in lines if is_press(line)], before)
    pictures = host().pictures.of(lines)
    # a shout and what the table said of it have one picture
    pictured_lines = list({line.picture: line for line in lines if line.picture in pictures}.values())
    pictured, pictured_before = newest(pictured_lines, before)
    return render_template(
        "result.html",
        table=table,
        options=switches_changed(table),
        places=places(table),
        winners=[table.names.get(player, _("somebody")) for player in table.game.rules.winners(table.state)],
        over=over,
        standings=standings(table),
        moment=best_moment(table) if over else None,
        bg_stats=bg_stats.link(table) if over else "",
        rulings=[line for line in lines if isinstance(line.event, Ruling)],
        presses=presses(table, pressed),
        pictures=pictured,
        before=max(pressed_before, pictured_before),
        teams=[
            widget
            for widget in table.game.pages.view(table.state, Viewer(None, table.names))
            if is_of_teams(table, widget)
        ],
        shown=codes_of(watchers_path(table)) if gate.may(gate.Need.HOST) else (),
        preset=next((preset.label for preset in table.game.pages.presets if preset.name == table.session.preset), ""),
        has_dice=table.game.rules.dice is not NO_DICE,
        rounds=rounds_table(table),
        **final_photo(table),
        charts=charts_of(table),
        dice_verdict=verdict_of(table),
        marks=host().marks(table),
        strangers=strangers(table),
        absences=absences(table),
        entries=len(history),
        corrections=sum(bool(line.status) for line in history),
    )


def strangers(table: Table) -> list[str]:
    """The names of players of this game who are no people of the house."""
    seated = host().people.seated()
    names = [table.names[player] for player in table.session.players if player in table.names and player not in seated]
    return [name for name in names if not next_game.is_nobody(name)]


def is_of_teams(table: Table, widget: AnyWidget) -> bool:
    """Whether a widget shows the points of teams instead of players."""
    return isinstance(widget, ScoreTable | Standings) and {line.player for line in widget.lines} != set(
        table.session.players
    )


def watchers_path(table: Table) -> str:
    """Where the code on the result sheet leads: whoever scans it sees this game and changes nothing."""
    return wall_path(Role.WATCHER, table.session.id)


def places(table: Table) -> list[dict[str, Any]]:
    """The players with their points and how they came about, winners first."""
    game, state = table.game, table.state
    score, winners = game.rules.score(state), game.rules.winners(state)
    order = sorted(table.session.players, key=lambda player: (player not in winners, -score[player]))
    return [
        {
            "player": player,
            "name": table.names.get(player, _("somebody")),
            "points": score[player],
            "parts": game.rules.explain(state, player),
            "winner": player in winners,
        }
        for player in order
    ]


def switches_changed(table: Table) -> list[tuple[str, str, bool]]:
    """(label, value, whether it is lines as they were typed) of each option that is not as printed."""
    changed = []
    for info in option_infos(table.game.rules.options):
        value = getattr(table.session.options, info.name)
        if value != info.default:
            field = forms.field_of(info, value)
            words = [choice.label for choice in info.choices if choice.value == value]
            text = words[0] if words else _(SWITCHES.get(field.text, field.text))
            text = text or ", ".join(f"{key}: {part}" for key, part in field.pairs)
            changed.append((info.label, text, field.form == "lines"))
    return changed


def charts_of(table: Table) -> tuple[AnyWidget, ...]:
    """The charts: the points round by round, and the game's own charts."""
    own = table.game.pages.charts(table.state, Viewer(None, table.names))
    return (curves(table), *own) if table.fold.rounds() else own


def newest(lines: list[HistoryLine], before: int) -> tuple[list[HistoryLine], int]:
    """The newest NEWEST of these lines before entry `before`, oldest first, and the entry to ask for earlier ones by, 0
    where there are none."""
    earlier = [line for line in lines if line.seq < before]
    return earlier[-NEWEST:], earlier[-NEWEST].seq if len(earlier) > NEWEST else 0


def is_press(line: HistoryLine) -> bool:
    """Whether a press of a button became this event."""
    return line.source == "button" and hasattr(line.event, "at_us")


def presses(table: Table, pressed: list[HistoryLine]) -> list[Press]:
    """These presses, each with the margin to the one before."""
    entries = table.entries
    presses_so_far: list[Press] = []
    for line in pressed:
        assert line.event is not None
        at_us = line.event.at_us
        trace = trace_of(entries[line.seq - 1].reading, at_us)
        presses_so_far.append(Press(line, at_us, at_us - presses_so_far[-1].at_us if presses_so_far else None, trace))
    return presses_so_far


@results.get("/s/<id:session>/result.svg")
def picture(session: str) -> Response:
    """The result as a picture."""
    drawing = Response(result_picture.result_picture(host().table(session)), mimetype="image/svg+xml")
    drawing.headers["Content-Security-Policy"] = PICTURE_POLICY
    return drawing


@results.get("/s/<id:session>/result.csv")
def entries_csv(session: str) -> Response:
    """The game as CSV: each event, and everybody's points after it."""
    table = host().table(session)
    players = table.session.players
    names = [table.names.get(player, _("somebody")) for player in players]
    head = [_("Entry"), _("Time"), _("Source"), _("Device"), _("What happened"), _("Status"), *names]
    lines, points_then = table.history.with_course()
    word_said = {word: _(word) for word in (*SOURCES, *STATUS_WORDS.values())} | {"": ""}  # later rows know no language

    def rows() -> Iterator[list[str | float]]:
        yield [*head]
        course = iter(points_then)
        points = next(course)
        yield [0, "", "", "", "", "", *points]
        for line in lines:
            points = next(course) if line.event is not None else points
            source, status = word_said[line.source], word_said[line.status_words]
            yield [line.seq, moment(line.wall_us), source, line.device, line.sentence, status, *points]

    return csv_file(f"{table.game.rules.name}-{session}", rows())


# dice


@results.get("/s/<id:session>/dice")
def dice_page(session: str) -> str:
    """How often each face came in this game and in all games of the house, and whether that fits a fair die."""
    table = host().table(session)
    return render_template(
        "dice.html",
        table=table,
        here=[bars_of(tally, _(tally.die)) for tally in tallies(dice_thrown(table))],
        players=bars_of_players(table),
        house=[bars_of(tally, _(tally.die)) for tally in tallies(thrown_in_house(table.session.game))],
    )


def bars_of_players(table: Table) -> list[Bars]:
    """A bar chart for each of several players who rolled, where all dice have the same faces."""
    rolled = thrown_by_players(table)
    found = [(player, all_alike(dice)) for player, dice in rolled.items()] if len(rolled) > 1 else []
    return [bars_of(tally, table.names.get(player, _("somebody"))) for player, tally in found if tally]


def verdict_of(table: Table) -> str:
    """What chance says to all dice of the game; "" for too few throws, and for dice with different faces."""
    tally = all_alike(dice_thrown(table))
    return "" if tally is None or tally.p is None else tally.verdict


def bars_of(tally: Tally, name: str) -> Bars:
    """A bar chart of how often each face came, in which interval, and how often a fair die would have shown it.

    name    of the kind of die, or of the player who threw
    """
    bars = (
        Bar(str(face), count, expected=tally.expected[face], between=tally.interval(face))
        for face, count in tally.counts.items()
    )
    title = _n(
        "{die}: {n} throw, mean {mean}", "{die}: {n} throws, mean {mean}", tally.throws,
        die=name, mean=number(tally.mean, 2),
    )  # fmt: skip
    return Bars(title, tuple(bars), tally.verdict)


def thrown_in_house(game: str) -> Iterator[Thrown]:
    """Every die thrown in the newest games of the house, of one game."""
    for outcome in host().outcomes.newest(HOUSE_GAMES):
        if outcome.stored and played_game(outcome).game == game:
            for thrown, times in outcome.stored.thrown:
                yield from repeat(thrown, times)


# the referee


@results.get("/s/<id:session>/referee")
def referee_page(session: str) -> str | AnyResponse:
    """The form for rulings. With ?key= this device becomes the referee's."""
    table = host().table(session)
    key = request.args.get("key")
    if key is not None:
        if not host().referees.is_key(session, key):
            raise NotAllowed(_("This referee link has expired. Ask for a new one."))
        answer = redirect(url_for("results.referee_page", session=session), 303)
        referee.appoint(answer, session, key)
        return answer
    return ruling_page(table, {})


@results.post("/s/<id:session>/referee")
def rule(session: str) -> tuple[str, int] | AnyResponse:
    """Records a ruling; a refusal shows the form again with its sentence."""
    table = host().table(session)
    rights.required_as_referee(table)
    try:
        event = ruling_typed(table)
        rights.required_to_enter(table, event)
        table.submit(event, Origin(request.form.get("event_id") or new_id(), sender=gate.sender()))
    except NotAllowed:
        raise
    except CompanionError as refusal:
        return ruling_page(table, request.form, str(refusal)), 400
    return redirect(url_for("pages.sheet_page", session=session), 303)


def ruling_typed(table: Table) -> Event:
    player = request.form.get("player", "")
    if player not in table.session.players:
        raise BadInput(_("A ruling is about somebody at this table. Choose a player."))
    points = forms.whole_number(request.form.get("points", "").strip() or "0", len(str(MOST_POINTS)))
    if points is None:
        raise BadInput(_("Points must be a whole number, with a minus in front to deduct. Type one."))
    return Ruling(player, points, request.form.get("why", "").strip())


def ruling_page(table: Table, form: Mapping[str, str], refusal: str = "") -> str:
    path = ""
    if table.session.locked and referee.is_referee(table):
        key = referee.key_held(table.session.id)
        path = url_for("results.referee_page", session=table.session.id, key=key)
    return render_template(
        "referee.html",
        table=table,
        viewer=Viewer(None, table.names),
        form=form,
        refusal=refusal,
        shown=codes_of(path),
        may_rule=referee.is_referee(table),
        players=[player for player in table.session.players if rights.may_rule_about(table, player)],
        event_id=new_id(),
        most_points=MOST_POINTS,
        longest=LONGEST_REASON,
        rulings=[line for line in table.history.lines() if isinstance(line.event, Ruling)],
    )
