"""Places in a game of a tournament and in its standings, as people read them; and what players suggest."""

from collections.abc import Iterable
from dataclasses import dataclass

from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import Form, Ranks
from companion.hub.tournament.play import Play
from companion.hub.tournament.standings import Line
from companion.words import N_, _, listed
from web.render.charts import figure

# What decides a place, what weighs most first. Whoever is out of a knock-out is marked beside the name.
COLUMNS = {
    "points": N_("Points"),
    "wins": N_("Wins"),
    "rivals": N_("Rivals' points"),
    "reached": N_("Round"),
    "last": N_("Place at the last table"),
}


@dataclass(frozen=True)
class Suggestion:
    """How some players of a game say that it ended, in words, and as a form sends it: (entrant, place) by seat."""

    places: str
    players: str
    fields: tuple[tuple[str, int], ...]


def place_of(ranks: Ranks, entrant: str) -> int:
    """The place of an entrant, 0 for none yet."""
    place = 1
    for group in ranks:
        if entrant in group:
            return place
        place += len(group)
    return 0


def columns(form: Form) -> tuple[str, ...]:
    """The fields of a line that decide its place, wherever standings stand."""
    return ("reached", "last") if form is Form.KNOCK_OUT else ("points", "wins", "rivals")


def headings(form: Form) -> list[str]:
    return [_(COLUMNS[name]) for name in columns(form)]


def cells(line: Line, form: Form) -> list[str]:
    """What stands under these headings; a dash for the place of somebody who has sat nowhere."""
    values = {name: getattr(line, name) for name in columns(form)}
    return ["–" if name == "last" and not value else figure(value) for name, value in values.items()]


def placed(places: Iterable[Iterable[str]]) -> str:
    """Names by place, as in "1. Ann, 2. Ben and Cleo"."""
    texts, place = [], 1
    for group in map(tuple, places):
        texts.append(f"{place}. {listed(group)}")
        place += len(group)
    return ", ".join(texts)


def named_ranks(tournament: Tournament, ranks: Ranks) -> str:
    """The same of places of a tournament."""
    return placed(map(tournament.name_of, group) for group in ranks)


def suggestions_of(tournament: Tournament, play: Play) -> list[Suggestion]:
    """What the players of a game say that staff may take: nothing once it is done."""
    return [
        Suggestion(
            named_ranks(tournament, ranks),
            listed([tournament.name_of(player) for player in players]),
            tuple((seat, place_of(ranks, seat)) for seat in play.pairing.seats),
        )
        for ranks, players in (() if play.is_done else play.suggestions.items())
    ]
