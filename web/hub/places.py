"""Places in a game of a tournament, as people read them; and what players suggest."""

from collections.abc import Iterable
from dataclasses import dataclass

from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import Ranks
from companion.hub.tournament.play import Play
from companion.words import listed


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
