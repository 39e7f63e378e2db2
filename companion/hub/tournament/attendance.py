"""A tournament as it is now, and its absentees: people who are to play while they still sit at another table.

A person in two tournaments of a hall is known by the name, as people type it: two entrants of one name are one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from companion.hub.tournament.play import Play
from companion.hub.tournament.state import State
from companion.names import alike
from companion.words import _


@dataclass(frozen=True)
class Tournament:
    """One tournament as it is now.

    seq     of its newest entry: who changes something says on which state that was decided
    names   entrant → name, "" for one whose name was deleted
    series  whose evening it is, "" for none
    """

    id: str
    title: str
    begun_us: int
    seq: int
    state: State
    names: Mapping[str, str]
    deleted_us: int = 0
    series: str = ""

    def name_of(self, entrant: str) -> str:
        """The name of an entrant, as people read it."""
        number = self.state.entrants.index(entrant) + 1 if entrant in self.state.entrants else 0
        return self.names.get(entrant) or _("Entrant {number}", number=number)


@dataclass(frozen=True)
class Absentee:
    """Somebody who is to play, and still plays elsewhere.

    name        as the tournament that waits has it
    table       key of the table where the other game is, and its `session`
    """

    name: str
    table: str
    session: str


def people(tournament: Tournament, seats: Iterable[str]) -> dict[str, str]:
    """Person → name, of the entrants at these seats. Whose name was deleted is nobody else."""
    names = {}
    for entrant in seats:
        name = tournament.names.get(entrant, "")
        names[f"name {alike(name)}" if name else f"entrant {tournament.id} {entrant}"] = tournament.name_of(entrant)
    return names


def busy(tournaments: Iterable[Tournament]) -> set[str]:
    """Everybody whose open game has a table."""
    return {
        person
        for tournament in tournaments
        for play in tournament.state.open
        if play.pairing.table
        for person in people(tournament, play.pairing.seats)
    }


def find_absentees(
    tournament: Tournament, play: Play, tournaments: Iterable[Tournament], playing: Mapping[str, str]
) -> Iterator[Absentee]:
    """Those who keep a game from beginning because they sit elsewhere, in the order of their seats.

    playing     session → key of the table, of every game that tables say they play now
    """
    if play.pairing.session in playing:
        return
    elsewhere: dict[str, str] = {}
    for other in tournaments:
        for session, (_round, game) in other.state.sessions().items():
            if session in playing:
                elsewhere |= dict.fromkeys(people(other, game.pairing.seats), session)
    for person, name in people(tournament, play.pairing.seats).items():
        if person in elsewhere:
            yield Absentee(name, playing[elsewhere[person]], elsewhere[person])
