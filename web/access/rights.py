"""Who may enter what at a table, and who may correct what: the API and every form ask here.

`gate` lets a device in by its role, before a route; here the game and the entry decide. A ticket for one seat
enters nothing for others. Whoever may correct also corrects what others entered, as everybody sees who did; but a
ticket for one seat cannot replace an entry by an event of another seat, unless the entry was that seat's. In a locked
game only the referee may do all that.

The time of an event comes from sensors, the clock and the table itself, which stamps events as they arrive. Of people,
only the host may set it, and in a locked game the referee who corrects: else whoever shouts last could claim to have
been first.
"""

from collections.abc import Collection

from flask import g, request

from companion.errors import GameUnreadable, NotAllowed, NotFound
from companion.game.events import NOW_US, seats
from companion.game.game import Event
from companion.game.players import Writers
from companion.games.resting import Rested, Returned
from companion.games.rulings import Ruling
from companion.journal.devices import Role
from companion.table.table import Table
from companion.words import _
from web.access import gate, referee
from web.house import host


def may_correct(table: Table) -> bool:
    """Whether this device may take back and correct in this game."""
    return gate.may(gate.Need.CORRECT) and referee.is_referee(table) and not is_for_host_alone(table)


def may_rule_about(table: Table, player: str) -> bool:
    """Whether this device may rule about this player."""
    is_seats = table.session.locked or is_for({player})
    return referee.is_referee(table) and is_seats and not is_for_host_alone(table)


def required_to_enter(table: Table, event: Event) -> None:
    """Raises NotAllowed when only another seat, or the referee, may enter the event."""
    if isinstance(event, Ruling | Rested | Returned) and table.session.locked:
        required_as_referee(table)  # This holds for every seat, whatever its ticket.
    else:
        required_to_write(table, seats(event))


def is_for_host_alone(table: Table) -> bool:
    """Whether only the host enters and corrects in this game, and this is another device."""
    return table.game.rules.writers(table.state) is Writers.HOST and gate.role() is not Role.HOST


def required_to_write(table: Table, players: Collection[str]) -> None:
    """Raises NotAllowed when only another of these seats, or the host, may write there."""
    if is_for_host_alone(table):
        raise NotAllowed(_("In this game only the host writes. Tell the host."))
    if table.game.rules.writers(table.state) is Writers.OWN:
        required_for(players)


def may_write_for(table: Table, players: Collection[str], player: str) -> bool:
    """Whether a player's page may write for one of these seats, if its device may."""
    return not players or player in players or table.game.rules.writers(table.state) is Writers.EVERYBODY


def may_enter(table: Table, event: Event) -> bool:
    """Whether this device may enter the event."""
    try:
        required_to_enter(table, event)
    except NotAllowed:
        return False
    return gate.may(gate.Need.PLAY)


def required_to_amend(table: Table, seq: int, event: Event) -> None:
    """Raises NotAllowed when this device may not replace entry `seq` by the event."""
    required_as_referee(table)
    was = table.event(seq)
    if not table.session.locked:
        required_to_time(event, was)
    if not table.session.locked and (was is None or not seats(event) <= seats(was)):
        required_to_write(table, seats(event))
        if hasattr(event, "at_us") and g.visitor.player is not None:
            raise NotAllowed(
                _("This belongs to another seat. That player, the shared tablet or the host can correct it.")
            )


def required_to_time(event: Event, was: Event | None = None) -> None:
    """Raises NotAllowed when the event sets its time and this is not the host's device.

    was     the event it replaces, whose time it may keep
    """
    allowed = (NOW_US, getattr(was, "at_us", NOW_US))
    if getattr(event, "at_us", NOW_US) not in allowed and gate.role() is not Role.HOST:
        raise NotAllowed(
            _("Only the camera, the buttons and the host can say when something happened. Leave the time to the table.")
        )


def may_hand_over() -> bool:
    """Whether this device may make another game the active game.

    A device that was let in for one game only may not take the table from another game that is being played.
    """
    only, active = g.visitor.session, host().active.session
    return gate.may(gate.Need.PLAY) and (only in (None, active) or active is None or not is_played(active))


def check_import_limit() -> None:
    """Raises TooManyTries when this device has imported too many games lately. The host's has no limit."""
    if gate.role() is not Role.HOST:
        host().transfer.import_limit.count(gate.device(), request.remote_addr or "")


def is_played(session: str) -> bool:
    """Whether a game is still being played: neither over nor ended early, and readable here."""
    try:
        table = host().table(session)
    except (NotFound, GameUnreadable):
        return False
    return table.is_played


def required_to_hold(session: str) -> None:
    """Raises NotAllowed when this device may not make that game the active game."""
    if session != host().active.session and not may_hand_over():
        raise NotAllowed(
            _(
                "Another game is using the camera and buttons. Its players, the shared tablet or the host can "
                "hand them over."
            )
        )


def required_as_referee(table: Table) -> None:
    """Raises NotAllowed in a locked game on any device but the referee's, and where the host alone writes."""
    if is_for_host_alone(table):
        raise NotAllowed(_("In this game only the host writes. Tell the host."))
    if not referee.is_referee(table):
        raise NotAllowed(_("In a tournament only the referee can correct, undo and rule. Call the referee."))


def may_end(table: Table) -> bool:
    """Whether this device may end the game early: for the whole table, in a locked game as its referee."""
    return may_correct(table) and g.visitor.player is None


def required_to_end(table: Table) -> None:
    """Raises NotAllowed when this device may not end the game early, nor let it go on."""
    required_as_referee(table)
    if g.visitor.player is not None:
        raise NotAllowed(_("This device plays for one seat. End the game on the shared tablet."))


def may_begin() -> bool:
    """Whether this device may begin another game here."""
    return gate.may(gate.Need.PLAY) and gate.is_of_the_house()


def required_to_line_up(table: Table) -> None:
    """Raises NotAllowed for a device that may not end this game or not begin another."""
    required_to_end(table)
    if not may_begin():
        raise NotAllowed(_("This device can join only one game. Start the next one on the shared tablet."))


def may_rename(table: Table, player: str) -> bool:
    """Whether this device may give a player of this game another name: for their own seat, in a locked game as its
    referee.
    """
    return may_correct(table) and (table.session.locked or is_for({player}))


def required_to_rename(table: Table, player: str) -> None:
    """Raises NotAllowed when this device may not give that player another name."""
    required_as_referee(table)
    if not table.session.locked:
        required_for({player})


def may_rest(table: Table, player: str) -> bool:
    """Whether this device may let a player rest and bring them back: that seat, any device for all seats, or in a
    locked game its referee.
    """
    is_allowed = referee.is_referee(table) if table.session.locked else is_for({player})
    return gate.may(gate.Need.PLAY) and is_allowed


def required_for(players: Collection[str]) -> None:
    """Raises NotAllowed when the device's ticket is for one seat, and it is none of these."""
    if not is_for(players):
        raise NotAllowed(_("This device plays for another seat. Use the shared tablet, or that player's own."))


def is_for(players: Collection[str]) -> bool:
    """Whether this device may act for one of these seats, or for the table if there are none."""
    seat = g.visitor.player
    return seat is None or not players or seat in players
