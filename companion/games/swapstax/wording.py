"""Sentences for the history about events of SWAPSTAX."""

from companion.game.players import Viewer
from companion.games.maxstax import wording
from companion.games.swapstax.state import (
    ROUNDS,
    CardTurned,
    Drew,
    Event,
    Passed,
    ShufflerNamed,
    State,
    SwappedWithDeck,
    SwappedWithPlayer,
    in_stack_off,
)
from companion.words import _, _n


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    match event:
        case ShufflerNamed(shuffler):
            return _("{name} is the Shuffler.", name=viewer.name(shuffler))
        case Drew(player, card, stars):
            return _("{name} drew {card}.", name=viewer.name(player), card=_card_words(card, stars))
        case SwappedWithPlayer(player, other):
            return _("{name} swapped cards with {other}.", name=viewer.name(player), other=viewer.name(other))
        case SwappedWithDeck(player, card, stars):
            return _(
                "{name} swapped with the deck for {card}.",
                name=viewer.name(player),
                card=_card_words(card, stars),
            )
        case Passed(player):
            return _("{name} passed.", name=viewer.name(player))
        case CardTurned(card):
            return _("Card {card} turned up.", card=card)
    return wording.describe(state.current, event, viewer.name, round_name(state))


def round_name(state: State) -> str:
    """The current round or stack-off: "Round 2 of 5"."""
    if in_stack_off(state):
        return _("Speed-Stack-Off {number}", number=len(state.stack_offs) + 1)
    return _("Round {number} of {rounds}", number=len(state.past) + 1, rounds=ROUNDS)


def _card_words(number: int | None, stars: int | None) -> str:
    if stars is None:
        return _("a card") if number is None else _("card {number}", number=number)
    if number is None:
        return _n("a card with {n} star", "a card with {n} stars", stars)
    return _n("card {number} with {n} star", "card {number} with {n} stars", stars, number=number)
