"""Who is held elsewhere: people who are to play at a table while they still sit at another one.

A person in two tournaments of a hall is known by the name, as people type it: two entrants of one name are one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.hub.tournament.state import Play
from companion.names import alike

if TYPE_CHECKING:
    from companion.hub.tournament.desk import Tournament


@dataclass(frozen=True)
class Held:
    """Somebody who is to play, and still plays elsewhere.

    name        as the tournament that waits has it
    table       key of the table where the other game is, and its `session`
    """

    name: str
    table: str
    session: str


def people(one: "Tournament", seats: Iterable[str]) -> dict[str, str]:
    """Person → name, of the entrants at these seats. Whose name was deleted is nobody else."""
    found = {}
    for entrant in seats:
        name = one.names.get(entrant, "")
        found[f"name {alike(name)}" if name else f"entrant {one.id} {entrant}"] = one.name_of(entrant)
    return found


def busy(tournaments: Iterable["Tournament"]) -> set[str]:
    """Everybody whose open game has a table."""
    return {
        person
        for one in tournaments
        if one.state.rounds and not one.state.is_ended
        for play in one.state.newest.open
        if play.pairing.table
        for person in people(one, play.pairing.seats)
    }


def held(
    one: "Tournament", play: Play, tournaments: Iterable["Tournament"], playing: Mapping[str, str]
) -> Iterator[Held]:
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
    for person, name in people(one, play.pairing.seats).items():
        if person in elsewhere:
            yield Held(name, playing[elsewhere[person]], elsewhere[person])
