"""The games of a round as pages show them, and where in the newest round the staff may move somebody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.hub.presence import NOWHERE, Presence
from companion.hub.tournament import hands
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import PLAIN, Form
from companion.hub.tournament.hands import Place
from companion.hub.tournament.play import Play, Round
from companion.hub.tournament.state import State, is_first_round_open
from companion.words import _, _n
from web.hub.here import hub
from web.hub.places import Suggestion, place_of, suggestions_of


@dataclass(frozen=True)
class SeatedGame:
    """One game of a round as a page shows it.

    table       name of the table where it is played, "" while it waits for one
    state       "waits" for a table, "called" to one, "plays", "silent" (its table is lost, and may play on unheard),
                "done" or "ruled"
    players     (entrant, name, place or 0) by seat
    session     its id, and `stamp`, what is known of it: a form says what was seen
    is_held     whether it is called to a table that still plays another game
    """

    number: int
    table: str
    state: str
    players: tuple[tuple[str, str, int], ...]
    session: str
    stamp: str
    suggestions: tuple[Suggestion, ...] = ()
    is_held: bool = False


def games_of(tournament: Tournament, round_: Round, names: Mapping[str, str]) -> list[SeatedGame]:
    presences = hub().record.presences.all()
    return [seated_game(tournament, play, names, presences) for play in round_.plays]


def seated_game(
    tournament: Tournament, play: Play, names: Mapping[str, str], presences: Mapping[str, Presence]
) -> SeatedGame:
    state = state_of(play, presences)
    return SeatedGame(
        play.pairing.number,
        table_name(play, names),
        state,
        tuple(
            (entrant, tournament.name_of(entrant), place_of(play.outcome, entrant)) for entrant in play.pairing.seats
        ),
        play.pairing.session,
        play.stamp,
        tuple(suggestions_of(tournament, play)),
        state == "called" and presences.get(play.pairing.table, NOWHERE).is_busy,
    )


def table_name(play: Play, names: Mapping[str, str]) -> str:
    """The table where a game is played, as people read it; "" while it waits for one."""
    if play.pairing.table == PLAIN:
        return _("A table without a companion")
    return names.get(play.pairing.table, _("a table that left")) if play.pairing.table else ""


def state_of(play: Play, presences: Mapping[str, Presence]) -> str:
    if play.is_done:
        return "ruled" if play.ruled else "done"
    if not play.is_at_ours:
        return "called" if play.pairing.table else "waits"
    presence = presences.get(play.pairing.table, NOWHERE)
    if presence.has(play.pairing.session):
        return "plays"
    return "silent" if presence.is_lost else "called"


def move_values(state: State, games: Sequence[SeatedGame]) -> dict[str, Any]:
    """Who may be moved and where to in the newest round, and where a late comer may sit: numbers of `places`.

    A game that is played takes nobody, nor does one whose table is silent: maybe it is played there.
    """
    shut = {game.number for game in games if game.state in ("plays", "silent")}
    stay = {one for game in games if game.state in ("plays", "done", "ruled") for one, _name, _place in game.players}
    places, present = hands.places_in(state, shut), [entrant for entrant in state.present if entrant not in stay]
    numbers = [place.number for place in places]
    ways = [number for number in numbers if any(hands.may_move(state, entrant, number) for entrant in present)]
    takes_late = state.plan.form is not Form.KNOCK_OUT or is_first_round_open(state)
    return {
        "places": [(place, place_name(place)) for place in places],
        "movable": [one for one in present if any(hands.may_move(state, one, number) for number in ways)],
        "ways": ways,
        "late_ways": numbers if takes_late else [],
    }


def place_name(place: Place) -> str:
    """Where somebody may be moved to, as people read it."""
    if place.number == hands.BYE:
        return _("a bye")
    if place.number == hands.NEW_GAME:
        return _("a new game with those who have a bye")
    return _n("game {number}: {n} sits there", "game {number}: {n} sit there", place.seated, number=place.number)
