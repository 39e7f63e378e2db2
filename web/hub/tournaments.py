"""The tournaments of a hall: the list, one tournament, and the seating of a round for a projector and for paper."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from companion.errors import NotFound
from companion.games import GAMES
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import MOST_SEATS, Form
from companion.hub.tournament.pairing import is_final
from companion.hub.tournament.standings import lines
from companion.hub.tournament.state import Play, Round
from companion.letters.offer import veil_session
from companion.words import N_, _, _n, listed
from web.hub.board import name_of_table
from web.hub.here import hub, is_staff, readers_only
from web.hub.tables import title_of
from web.render import charts

tournaments = Blueprint("tournaments", __name__)

FORMS = {
    Form.ROUNDS: N_("Rounds: everybody plays each round, against rivals of the same strength"),
    Form.GROUP: N_("Group: everybody meets everybody"),
    Form.KNOCK_OUT: N_("Knock-out: the best of each table go on"),
}


# As the journal's canonical text has the id of a game: in an object, or beside the number of a game.
SESSION = re.compile(r'("session":|\[\d+,)"([^"]+)"')


@dataclass(frozen=True)
class SeatedGame:
    """One game of a round as a page shows it.

    table       name of the table where it is played, "" while it waits for one
    state       "waits" for a table, "called" to one, "plays", "done" or "ruled"
    players     (entrant, name, place or 0) by seat
    """

    number: int
    table: str
    state: str
    players: tuple[tuple[str, str, int], ...]


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
def all_page(refusal: str = "", typed: Mapping[str, str] | None = None) -> str:
    """The list, and the form that begins a tournament; after a refusal with what was typed."""
    return render_template(
        "hall/tournaments.html",
        tournaments=[(tournament, game_title(tournament), stage(tournament)) for tournament in hub().record.desk.all()],
        games=GAMES.values(),
        presets={preset.name: preset.label for game in GAMES.values() for preset in game.pages.presets},
        forms={form.value: text for form, text in FORMS.items()},
        most_seats=MOST_SEATS,
        refusal=refusal,
        typed=typed or {},
    )


@tournaments.get("/tournaments/<tournament>")
@readers_only
def page(tournament: str) -> str:
    return tournament_page(hub().record.desk.find(tournament))


def tournament_page(tournament: Tournament, refusal: str = "") -> str:
    """The page of a tournament; after a refusal with its sentence."""
    names = table_names()
    rounds = [(round_, games_of(tournament, round_, names)) for round_ in tournament.state.rounds]
    return render_template(
        "hall/tournament.html",
        tournament=tournament,
        title=game_title(tournament),
        form=FORMS[tournament.state.plan.form],
        stage=stage(tournament),
        is_final=is_final(tournament.state),
        lines=[(line, tournament.name_of(line.entrant), points(line.points)) for line in lines(tournament.state)],
        newest=rounds[-1] if rounds else None,
        earlier=rounds[:-1][::-1],
        playing=playing(),
        tables=names,
        refusal=refusal,
    )


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
    }


def games_of(tournament: Tournament, round_: Round, names: Mapping[str, str]) -> list[SeatedGame]:
    now = playing()
    return [
        SeatedGame(
            play.pairing.number,
            names.get(play.pairing.table, _("a table that left")) if play.pairing.table else "",
            state_of(play, now),
            tuple((entrant, tournament.name_of(entrant), place_of(play, entrant)) for entrant in play.pairing.seats),
        )
        for play in round_.plays
    ]


def state_of(play: Play, now: frozenset[str]) -> str:
    if play.is_done:
        return "ruled" if play.ruled else "done"
    if play.pairing.session in now:
        return "plays"
    return "called" if play.pairing.table else "waits"


def place_of(play: Play, entrant: str) -> int:
    """The place that an entrant took in a game, 0 for none yet."""
    place = 1
    for group in play.outcome:
        if entrant in group:
            return place
        place += len(group)
    return 0


def playing() -> frozenset[str]:
    """The sessions that lie on the tables to which they were given."""
    return hub().record.desk.playing()


def table_names() -> dict[str, str]:
    """Key → name, of every table that counts."""
    return {table["id"]: name_of_table(table) for table in hub().record.enrolled()}


def game_title(tournament: Tournament) -> str:
    return title_of(tournament.state.plan.game)


def points(count: Fraction) -> str:
    """Points as people read them, in hundredths at most."""
    return charts.figure(round(float(count), 2))


def stage(tournament: Tournament) -> str:
    """How far a tournament is, in one sentence."""
    state = tournament.state
    if state.is_ended:
        return _("The tournament is over.")
    if not state.rounds:
        return _n("{n} entrant. No round yet.", "{n} entrants. No round yet.", len(state.present))
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


def find_play(tournament: str, number: int) -> Play:
    """A game of the newest round; raises NotFound."""
    state = hub().record.desk.find(tournament).state
    for play in state.rounds[-1].plays if state.rounds else ():
        if play.pairing.number == number:
            return play
    raise NotFound(_("There's no such game in this round. Look again."))
