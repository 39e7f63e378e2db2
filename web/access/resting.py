"""Who may let a player rest, and in which games; the form and the API ask here."""

from companion.errors import IllegalEvent, NotFound
from companion.games.resting import Rested, Returned
from companion.table.table import Table
from companion.words import _
from web.access import rights


def event_of(table: Table, player: str, is_back: bool) -> Rested | Returned:
    """The event that a device asks for.

    Raises NotFound for a player who sits elsewhere, NotAllowed for another device's seat, IllegalEvent where the game
    lets nobody rest.
    """
    if player not in table.session.players:
        raise NotFound(_("That player isn't at this table. Choose one of the session's players."))
    event = Returned(player) if is_back else Rested(player)
    rights.required_to_enter(table, event)
    if not is_possible(table):
        raise IllegalEvent(why_not(table))
    return event


def is_possible(table: Table) -> bool:
    """Whether this game lets a seat rest, and is still played by two or more."""
    return Rested in table.game.rules.events and len(table.session.players) > 1


def why_not(table: Table) -> str:
    """Why nobody can rest in this game, and what to do instead."""
    why = _(table.game.rules.why_no_rest)
    if not why:
        alone = Rested in table.game.rules.events
        why = _("There is nobody else to play on.") if alone else _("This game waits for all its players.")
    return _("{why} Let somebody play for them, or end here and start again with other players.", why=why)
