"""The tournaments of a hall: the list, one tournament, and the seating of a round for a projector and for paper."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request, url_for

from companion.clock import wall_us
from companion.hub.series import Worth, table_of
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import MOST_SEATS, Form
from companion.hub.tournament.pairing import is_final, rounds_of_group
from companion.hub.tournament.standings import Line, entrants_of, lines
from companion.hub.tournament.state import State
from companion.journal.session import new_id
from companion.letters.offer import veil_session
from companion.shelf import GAMES, title_of
from companion.words import N_, _, _n, joined, listed
from web.hub.acts import act_lines
from web.hub.board import name_of_table
from web.hub.guests import code_for_guests
from web.hub.here import hub, is_staff, may_organise, readers_only
from web.hub.places import cells, headings
from web.hub.rounds import games_of, move_values

tournaments = Blueprint("tournaments", __name__)

BLOCK = 10  # So many lines of the standings stand together on a projector.

FORMS = {
    Form.ROUNDS: N_("Rounds: everybody plays each round, against rivals of the same strength"),
    Form.GROUP: N_("Group: everybody meets everybody"),
    Form.KNOCK_OUT: N_("Knock-out: the best of each table go on"),
}


WORTHS = {
    Worth.PLACES: N_("Places: a point for everybody you are ahead of that evening, half of one for a tie"),
    Worth.POINTS: N_("The points of each tournament"),
}

# As the journal's canonical text has the id of a game: in an object, or beside the number of a game.
SESSION = re.compile(r'("session":|\[\d+,)"([^"]+)"')


@tournaments.get("/v1/tournaments")
@readers_only
def rows() -> Response:
    """The tournaments for programs, the newest first."""
    return jsonify(
        [
            {
                "id": tournament.id,
                "title": tournament.title,
                "game": tournament.state.plan.game,
                "form": tournament.state.plan.form.value,
                "entrants": len(tournament.state.entrants),
                "round": len(tournament.state.rounds),
                "open": len(tournament.state.rounds[-1].open) if tournament.state.rounds else 0,
                "ended": tournament.state.is_ended,
            }
            for tournament in hub().record.desk.all()
        ]
    )


@tournaments.get("/v1/tournaments/<tournament>")
@readers_only
def journal(tournament: str) -> Response:
    """The journal of a tournament for programs; `id` is the number of the entry. Guests get the games' ids veiled."""
    entries = hub().record.desk.entries(tournament)
    lines_ = (f'{{"id":"{entry.seq}",{entry.text[1:]}' for entry in entries)
    text = f"[{','.join(lines_)}]"
    if not is_staff():  # Who knows the id of a game that is open could send a result under it.
        text = SESSION.sub(lambda found: f'{found[1]}"{veil_session(found[2])}"', text)
    return Response(text, mimetype="application/json")


@tournaments.get("/tournaments")
@readers_only
def all_page(refusal: str = "", typed: Mapping[str, Any] | None = None, of: str = "tournament") -> str:
    """The list, and the forms that begin a tournament or a series; after a refusal with what was typed.

    of      the form that was refused
    """
    typed = typed or next_evening(request.args.get("series", ""))
    tournaments = list_values()
    return render_template(
        "hall/tournaments.html",
        tournaments=tournaments,
        first_game=first_game(tournaments),
        series=hub().record.series.all(),
        worths=WORTHS,
        games=GAMES.values(),
        presets={preset.name: preset.label for game in GAMES.values() for preset in game.pages.presets},
        forms={form.value: text for form, text in FORMS.items()},
        most_seats=MOST_SEATS,
        refusal=refusal,
        typed=typed if of == "tournament" else {},
        typed_series=typed if of == "series" else {},
        id_=(typed if of == "tournament" else {}).get("id") or new_id(),
        series_id=(typed if of == "series" else {}).get("id") or new_id(),
        deleted=hub().record.desk.deleted() if is_staff() else [],
        deleted_series=hub().record.series.deleted() if is_staff() else [],
    )


def next_evening(id_: str) -> dict[str, Any]:
    """What the form that begins the next evening of a series has at first: the newest evening's answers, and its
    regulars, the best first.
    """
    if not id_ or not may_organise():
        return {}
    everything = hub().record.desk.all()
    table = table_of(hub().record.series.find(id_), everything)
    typed: dict[str, Any] = {"series": id_, "names": "\n".join(regular.name for regular in table.regulars)}
    newest = next((one for one in everything if one.series == id_), None)
    if newest:
        plan = newest.state.plan
        numbers = {"seats": plan.most, "rounds": plan.rounds or "", "minutes": plan.minutes or ""}
        typed |= {"title": newest.title, "game": plan.game, "preset": plan.preset, "form": plan.form.value, **numbers}
    return typed


@tournaments.get("/tournaments/now")
@readers_only
def list_fragment() -> str:
    """The part of the list that changes."""
    return render_template("hall/tournament_list.html", tournaments=list_values())


def first_game(tournaments: list[tuple[Tournament, str, str]]) -> str:
    """The game that the form offers: of the newest tournament, else the first on the shelf that begins with two.

    What one person can play alone, such as a tray of dice, is seldom a contest.
    """
    newest = [tournament.state.plan.game for tournament, _title, _stage in tournaments[:1]]
    for_two = [name for name, game in GAMES.items() if game.rules.seats[0] == 2]
    return next((name for name in (*newest, *for_two) if name in GAMES), "")


def list_values() -> list[tuple[Tournament, str, str]]:
    return [(tournament, game_title(tournament), stage(tournament)) for tournament in hub().record.desk.all()]


@tournaments.get("/tournaments/<tournament>")
@readers_only
def page(tournament: str) -> str:
    return tournament_page(hub().record.desk.find(tournament))


@tournaments.get("/tournaments/<tournament>/now")
@readers_only
def fragment(tournament: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/tournament_now.html", **page_values(hub().record.desk.find(tournament)))


def tournament_page(tournament: Tournament, refusal: str = "") -> str:
    """The page of a tournament; after a refusal with its sentence, and with what was typed."""
    return render_template("hall/tournament.html", refusal=refusal, **page_values(tournament))


def page_values(tournament: Tournament) -> dict[str, Any]:
    names, state = table_names(), tournament.state
    rounds = [(round_, games_of(tournament, round_, names)) for round_ in state.rounds]
    return {
        "tournament": tournament,
        "title": game_title(tournament),
        "form": FORMS[state.plan.form],
        "group_rounds": rounds_of_group(state) if state.plan.form is Form.GROUP else 0,
        "stage": stage(tournament),
        "is_final": is_final(state),
        "lines": named_lines(tournament),
        "headings": headings(state.plan.form),
        "newest": rounds[-1] if rounds else None,
        "absent": absent(state),
        **(move_values(state, rounds[-1][1]) if rounds and may_organise() and not state.is_ended else {}),
        "earlier": rounds[:-1][::-1],
        "tables": free_tables(names) if may_organise() else {},
        "acts": act_lines(tournament, names) if is_staff() else [],
        "clock": hub().record.desk.clock(tournament) if state.rounds else None,
        "now_us": wall_us(),
        "series": hub().record.series.all(),
        "others": others_for(tournament) if may_organise() and not tournament.state.is_ended else [],
        "typed": typed_at,
    }


def typed_at(action: str) -> Mapping[str, str]:
    """What was sent to this address, where that was refused: the page shows it again, without scripts too."""
    return request.form if request.path == str(action) else {}


def free_tables(names: Mapping[str, str]) -> dict[str, str]:
    """Key → name, of the tables to which a game can be given now, those in peace first."""
    return {key: names[key] for key in hub().record.desk.free_tables() if key in names}


def others_for(tournament: Tournament) -> list[Tournament]:
    """The tournaments with which this one can be joined now, and one that was refused just now."""
    others = hub().record.desk.joinable(tournament, playing())
    refused = typed_at(url_for("tournament_staff.join", tournament=tournament.id)).get("other")
    if not refused or refused in [other.id for other in others]:
        return others
    return [*others, *(one for one in hub().record.desk.all() if one.id == refused)]


@tournaments.get("/tournaments/<tournament>/seating")
@readers_only
def seating(tournament: str) -> str:
    """The seating of the newest round, for a projector and for paper."""
    return render_template("hall/seating.html", **seating_values(hub().record.desk.find(tournament)))


@tournaments.get("/tournaments/<tournament>/seating/tables")
@readers_only
def seating_tables(tournament: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/seating_tables.html", **seating_values(hub().record.desk.find(tournament)))


@tournaments.get("/tournaments/<tournament>/standings")
@readers_only
def standings(tournament: str) -> str:
    """The standings for a projector."""
    return render_template("hall/big_standings.html", **big_standings_values(tournament))


@tournaments.get("/tournaments/<tournament>/standings/lines")
@readers_only
def standings_lines(tournament: str) -> str:
    """The part of that page that changes."""
    return render_template("hall/big_standings_lines.html", **big_standings_values(tournament))


def big_standings_values(tournament: str) -> dict[str, Any]:
    one = hub().record.desk.find(tournament)
    named = named_lines(one)
    return {
        "tournament": one,
        "title": game_title(one),
        "stage": stage(one),
        "clock": hub().record.desk.clock(one) if one.state.open else None,
        "now_us": wall_us(),
        "headings": headings(one.state.plan.form),
        "blocks": [named[at : at + BLOCK] for at in range(0, len(named), BLOCK)],
        "guests": code_for_guests(url_for(".page", tournament=tournament)),
    }


def named_lines(tournament: Tournament) -> list[tuple[Line, str, list[str]]]:
    """(line, name, what decides its place) of everybody, best first."""
    form = tournament.state.plan.form
    return [(line, tournament.name_of(line.entrant), cells(line, form)) for line in lines(tournament.state)]


def seating_values(tournament: Tournament) -> dict[str, Any]:
    newest = tournament.state.rounds[-1] if tournament.state.rounds else None
    games = games_of(tournament, newest, table_names()) if newest else []
    roll = sorted((name, game) for game in games for _entrant, name, _place in game.players)
    byes = [tournament.name_of(entrant) for entrant in newest.byes] if newest else []
    return {
        "tournament": tournament,
        "title": game_title(tournament),
        "stage": stage(tournament),
        "games": games,
        "roll": roll,
        "byes": byes,
        "clock": hub().record.desk.clock(tournament) if newest else None,
        "now_us": wall_us(),
        "guests": code_for_guests(url_for(".seating", tournament=tournament.id)),
    }


def absent(state: State) -> list[str]:
    """Those who are in, and neither sit in the newest round nor have a bye; in a knock-out they are out."""
    if not state.rounds:
        return []
    here = set(entrants_of(state.newest))
    return [entrant for entrant in state.present if entrant not in here]


def playing() -> frozenset[str]:
    """The sessions that lie on the tables to which they were given."""
    return hub().record.desk.playing()


def table_names() -> dict[str, str]:
    """Key → name, of every table that counts."""
    return {table["id"]: name_of_table(table) for table in hub().record.enrolled()}


def game_title(tournament: Tournament) -> str:
    return title_of(tournament.state.plan.game)


def stage(tournament: Tournament) -> str:
    """How far a tournament is, in one sentence."""
    state = tournament.state
    if state.is_ended:
        return _("The tournament is over.")
    if not state.rounds:
        sentence = _n("{n} entrant. No round yet.", "{n} entrants. No round yet.", len(state.present))
        if state.present and len(state.present) < state.plan.least:
            needs = _("A round needs {least} entrants at least. Enter more.", least=state.plan.least)
            return joined((sentence, needs), " ")
        return sentence
    newest = state.rounds[-1]
    if newest.is_closed:
        return _("Round {round} is closed.", round=newest.number)
    numbers = [str(play.pairing.number) for play in newest.open]
    if len(numbers) > MOST_SEATS:
        return _n(
            "Round {round}: {n} game is open.", "Round {round}: {n} games are open.", len(numbers), round=newest.number
        )
    return _n(
        "Round {round}: game {games} is missing.",
        "Round {round}: games {games} are missing.",
        len(numbers),
        round=newest.number,
        games=listed(numbers),
    )
