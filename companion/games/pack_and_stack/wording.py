"""Sentences for the history about events of Pack & Stack."""

from companion.errors import IllegalEvent
from companion.game.players import Viewer
from companion.games import rulings
from companion.games.pack_and_stack import events, loads
from companion.games.pack_and_stack.drawing import boxes_words, round_name
from companion.games.pack_and_stack.events import Event
from companion.games.pack_and_stack.loads import NONE
from companion.games.pack_and_stack.state import State, truck_taken
from companion.games.rulings import Ruling
from companion.words import _, _n


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    match event:
        case events.StarterNamed(starter):
            return _("{name} is the youngest and starts.", name=viewer.name(starter))
        case events.Rolled(player, dice):
            return _("{name} rolled {boxes}.", name=viewer.name(player), boxes=boxes_words(dice) or _("no boxes"))
        case events.CardShown(player, card):
            return _("Truck {card} is in front of {name}.", card=card, name=viewer.name(player))
        case events.Taken():
            return _taking(event, viewer)
        case events.Loaded(player):
            return _loaded(state, event, viewer.name(player))
        case events.RoundClosed():
            return _("{round} closed.", round=round_name(state))
        case events.RewardDrawn(player, reward):
            return _("{name} drew the reward card {reward}.", name=viewer.name(player), reward=_(reward))
        case events.OrderRenewed():
            return _order_renewed(event, viewer)
        case events.TruckReplaced(player, card):
            return _("{name} replaced the truck and drew truck {card}.", name=viewer.name(player), card=card)
        case events.VoucherUsed(player):
            return _("{name} used a voucher.", name=viewer.name(player))
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    raise TypeError(event)


def _taking(event: events.Taken, viewer: Viewer) -> str:
    name, card = viewer.name(event.player), event.card
    if event.owner is None:
        return _("{name} took truck {card} from the draw pile.", name=name, card=card)
    return _("{name} took truck {card} in front of {owner}.", name=name, card=card, owner=viewer.name(event.owner))


def _order_renewed(event: events.OrderRenewed, viewer: Viewer) -> str:
    return _(
        "{name} used New Order and rolled {boxes}.",
        name=viewer.name(event.player),
        boxes=boxes_words(event.dice) or _("no boxes"),
    )


def _loaded(state: State, event: events.Loaded, name: str) -> str:
    """The sentence for a load, with its loss if truck and roll are known and fit."""
    boxes = boxes_words(event.unloaded)
    try:
        truck = truck_taken(state, event.player)
        loss = loads.loss(truck, state.current.dice.get(event.player, NONE), event.unloaded)
    except IllegalEvent:
        if event.unloaded == NONE:
            return _("{name} loaded everything.", name=name)
        return _("{name} loaded all but {boxes}.", name=name, boxes=boxes)
    if event.unloaded == NONE:
        return _n(
            "{name} loaded everything and lost {n} point.",
            "{name} loaded everything and lost {n} points.",
            loss,
            name=name,
        )
    return _n(
        "{name} loaded all but {boxes} and lost {n} point.",
        "{name} loaded all but {boxes} and lost {n} points.",
        loss,
        name=name,
        boxes=boxes,
    )
