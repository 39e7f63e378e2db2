"""Who may enter what at a table, and who may correct what: the API and every form ask here.

`gate` lets a device in by its role, before a route; here the game and the entry decide. A ticket for one seat
enters nothing for others. Whoever may correct corrects what others entered, too, as everybody sees who did; but another
seat's event is put in the place of no entry but that seat's own. In a locked game all that is the referee's.

What happened when is said by sensors, the clock and the table itself, which stamps what arrives; of people by the host,
and in a locked game by the referee who corrects: else whoever shouts last says that it was first.
"""

from collections.abc import Collection

from flask import g

from companion.errors import GameUnreadable, NotAllowed, NotFound
from companion.game.events import NOW_US, seats
from companion.game.game import Event
from companion.games.rulings import Ruling
from companion.journal.devices import Role
from companion.table.table import Table
from companion.words import _
from web.access import gate, referee
from web.house import host


def may_correct(table: Table) -> bool:
    """Whether this device may take back and correct in this game."""
    return gate.may(gate.Need.CORRECT) and referee.is_referee(table)


def may_rule_about(table: Table, player: str) -> bool:
    """Whether this device may give this player points or take some."""
    return referee.is_referee(table) and (table.session.locked or is_for({player}))


def required_to_enter(table: Table, event: Event) -> None:
    """Raises NotAllowed when the event is another seat's, or the referee's, to enter."""
    if isinstance(event, Ruling) and table.session.locked:
        required_as_referee(table)  # who decides about every seat, whichever ticket it came in by
    else:
        required_for(seats(event))


def required_to_amend(table: Table, seq: int, event: Event) -> None:
    """Raises NotAllowed when this device may not put the event in the place of entry `seq`."""
    required_as_referee(table)
    was = table.event(seq)
    if not table.session.locked:
        required_to_time(event, was)
    if not table.session.locked and (was is None or not seats(event) <= seats(was)):
        required_for(seats(event))


def required_to_time(event: Event, was: Event | None = None) -> None:
    """Raises NotAllowed when the event says when it happened, and this is not the host's device.

    was     what it takes the place of, whose time it may have
    """
    allowed = (NOW_US, getattr(was, "at_us", NOW_US))
    if getattr(event, "at_us", NOW_US) not in allowed and gate.role() is not Role.HOST:
        raise NotAllowed(_("Only camera, box and the host say when something happened: leave the time to the table."))


def may_hand_over() -> bool:
    """Whether this device may give camera and box to another game than the one that has them.

    A device that was let in for one game only has no say in another one that is being played.
    """
    only, holder = g.visitor.session, host().active.session
    return gate.may(gate.Need.PLAY) and (only in (None, holder) or holder is None or not is_played(holder))


def required_to_bring() -> None:
    """Raises TooManyTries when this device has brought too many games lately; the host's brings what the disk holds."""
    if gate.role() is not Role.HOST:
        host().transfer.brought.count(gate.device())


def is_played(session: str) -> bool:
    """Whether a game is open: neither over nor one that cannot be read here."""
    try:
        table = host().table(session)
    except (NotFound, GameUnreadable):
        return False
    return not table.game.is_over(table.state)


def required_to_hold(session: str) -> None:
    """Raises NotAllowed when this device may not give camera and box to that game."""
    if session != host().active.session and not may_hand_over():
        raise NotAllowed(
            _(
                "Another game is being played with camera and box: its players, the tablet of the table or the host "
                "hand them over."
            )
        )


def required_as_referee(table: Table) -> None:
    """Raises NotAllowed in a locked game on any device but the referee's: it corrects, takes back and rules."""
    if not referee.is_referee(table):
        raise NotAllowed(_("In a tournament the referee corrects, takes back and rules: call the referee."))


def required_for(players: Collection[str]) -> None:
    """Raises NotAllowed when a ticket is for one seat and these are others'."""
    if not is_for(players):
        raise NotAllowed(_("This device plays for another seat: use the tablet of the table, or that player's own."))


def is_for(players: Collection[str]) -> bool:
    """Whether this device may act for one of these seats; what is nobody's is everybody's."""
    seat = g.visitor.player
    return seat is None or not players or seat in players
