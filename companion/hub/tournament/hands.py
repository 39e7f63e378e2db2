"""What the staff change by hand in a round that is seated: pure, from a state to the event that changes it."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from companion.errors import BadInput, CompanionError, IllegalEvent
from companion.hub.tournament.events import Pairing, Reseated, Ruled
from companion.hub.tournament.play import Play
from companion.hub.tournament.state import State, play_at
from companion.words import _

BYE = 0  # In place of a game's number: a bye,
NEW_GAME = 501  # and a new game with those who have a bye; no game has this number.


@dataclass(frozen=True)
class Place:
    """Where somebody may be moved to.

    number      of a game, or BYE or NEW_GAME
    seated      how many sit there
    """

    number: int
    seated: int


def places_in(state: State, shut: Collection[int] = ()) -> tuple[Place, ...]:
    """Where somebody may be moved to in the newest round, but to the games with these numbers."""
    newest, plan = state.newest, state.plan
    open_ = [play.pairing for play in newest.open if play.pairing.number not in shut]
    games = [Place(pairing.number, len(pairing.seats)) for pairing in open_]
    free = [place for place in games if place.seated < plan.most]
    new = [Place(NEW_GAME, len(newest.byes))] if len(newest.byes) + 1 >= plan.least else []
    return (*free, *new, Place(BYE, len(newest.byes)))


def may_move(state: State, entrant: str, to: int) -> bool:
    """Whether `move` takes somebody there, as far as the seating goes: games that are played it does not know."""
    try:
        move(state, entrant, to, lambda: "")
    except CompanionError:
        return False
    return True


def where(state: State, entrant: str) -> Play | None:
    """The game of the newest round in which somebody sits, None for none."""
    return next((play for play in state.newest.plays if entrant in play.pairing.seats), None)


def touched(state: State, entrant: str, to: int) -> list[Play]:
    """The games that `move` changes."""
    here = where(state, entrant)
    there = [play_at(state, to)] if to not in (BYE, NEW_GAME) else []
    return ([here] if here else []) + there


def move(state: State, entrant: str, to: int, new_id: Callable[[], str]) -> Reseated:
    """Moves somebody to another place of the newest round: from a game, a bye, or nowhere, as who came late.

    Where too few are left for a game, they have a bye, and the game is no more.
    to      number of a game, or BYE or NEW_GAME
    """
    least, most = state.plan.least, state.plan.most
    here = where(state, entrant)
    check_place(state, entrant, here, to)
    pairings, dissolved = [], []
    byes = [bye for bye in state.newest.byes if bye != entrant]
    if here:
        rest = without(here, entrant)
        if len(rest) < least:
            dissolved.append(here.pairing.number)
            byes += rest
        else:
            pairings.append(seated_anew(here.pairing, rest, new_id))
    if to == BYE:
        byes.append(entrant)
    elif to == NEW_GAME:
        seats, byes = (entrant, *byes[: most - 1]), byes[most - 1 :]
        if len(seats) < least:
            raise IllegalEvent(_("Too few have a bye for a new game. Give somebody else a bye first."))
        number = free_number(state, dissolved)
        dissolved = [gone for gone in dissolved if gone != number]
        pairings.append(Pairing(number=number, table="", session=new_id(), seats=seats))
    else:
        there = play_at(state, to).pairing
        if len(there.seats) >= most:
            raise IllegalEvent(_("No chair is free in that game. Have two change seats."))
        pairings.append(seated_anew(there, (*there.seats, entrant), new_id))
    if not pairings and len(dissolved) == len(state.newest.plays):
        raise IllegalEvent(_("No game would be left in this round. Take the whole round back."))
    return Reseated(pairings=tuple(pairings), dissolved=tuple(dissolved), byes=tuple(byes))


def check_place(state: State, entrant: str, here: Play | None, to: int) -> None:
    """Raises a refusal unless this entrant may be moved there."""
    if entrant not in state.entrants or entrant in state.withdrawn:
        raise BadInput(_("That entrant isn't in any more. Look again."))
    if here and here.is_done:
        raise IllegalEvent(_("This one's game is decided already. Choose somebody else."))
    if (here and here.pairing.number == to) or (to == BYE and entrant in state.newest.byes):
        raise IllegalEvent(_("This one sits there already. Look again."))


def stay_away(state: State, entrant: str, new_id: Callable[[], str]) -> Reseated | Ruled:
    """Empties the chair of somebody who does not come: the others play on without, or are ruled if they are too few."""
    here = where(state, entrant)
    if here is None or here.is_done:
        raise IllegalEvent(_("Only players of a game that isn't decided yet can stay away. Choose somebody else."))
    rest = without(here, entrant)
    if len(rest) < state.plan.least:
        return Ruled(number=here.pairing.number, ranks=(rest, (entrant,)), round=state.newest.number)
    return Reseated(pairings=(seated_anew(here.pairing, rest, new_id),), dissolved=(), byes=state.newest.byes)


def without(play: Play, entrant: str) -> tuple[str, ...]:
    return tuple(seat for seat in play.pairing.seats if seat != entrant)


def seated_anew(pairing: Pairing, seats: Iterable[str], new_id: Callable[[], str]) -> Pairing:
    """The game at its table with other players, as a new one."""
    return Pairing(number=pairing.number, table=pairing.table, session=new_id(), seats=tuple(seats))


def free_number(state: State, dissolved: Iterable[int]) -> int:
    """The lowest number that no other game of the newest round has."""
    taken = {play.pairing.number for play in state.newest.plays} - set(dissolved)
    return next(number for number in range(1, NEW_GAME) if number not in taken)
