"""Readings for SWAPSTAX and their meaning: cards drawn, swapped or turned up, then the stacks."""

from dataclasses import replace

from companion.equipment.deck import Deck, card_eyes
from companion.game.readings import CardReading, Reading, TowerReading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.games.maxstax import camera
from companion.games.maxstax.timer import Stage
from companion.games.swapstax import rules
from companion.games.swapstax.state import (
    CardTurned,
    Drew,
    Event,
    State,
    SwappedWithDeck,
    drawing,
    in_stack_off,
    known_cards,
    stage,
    swapping,
)


def eyes(state: State) -> Eyes:
    """A card that is drawn, swapped or turned up, then the stacks, each compared with its player's card."""
    if state.ended:
        return camera.NOTHING
    turned_up = in_stack_off(state) and stage(state) is Stage.WAITING and state.turned is None
    if turned_up or drawing(state) or swapping(state):
        return card_eyes(state.options.deck, state.options.deck_subset)
    cards = {player: card.number for player, card in state.hands.items()}
    if in_stack_off(state):
        cards = dict.fromkeys(state.current.builders, state.turned)
    if state.options.deck is Deck.BOUGHT:
        cards = {}  # nobody knows the blocks on them
    return camera.stacks(state.current, cards, state.players, state.options.to_the_mm)


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    """The card that was drawn (SWP-02), swapped with the deck (SWP-11) or turned up; the stacks wait for a shout
    (see `glanced`)."""
    match reading:
        case CardReading() if (swapper := swapping(state)) is not None:
            unnamed = any(card.number is None for card in state.hands.values())
            if reading.card is not None and (unnamed or reading.card in known_cards(state)):
                return None  # The card was drawn before, or may come from a player: it is no new one from the deck.
            meant = camera.card_proposal(
                reading,
                lambda number, stars: SwappedWithDeck(swapper, number, stars),
                lambda event: rules.apply(state, event),
                by_stars=state.options.deck is Deck.BOUGHT,
            )
            # The camera does not see the SWAP card, so a person must confirm.
            return replace(meant, confirm=True) if isinstance(meant, Proposed) else meant
        case CardReading() if drawing(state) or (in_stack_off(state) and not state.ended and state.turned is None):
            player = drawing(state)
            return camera.card_proposal(
                reading,
                lambda number, stars: CardTurned(number) if player is None else Drew(player, number, stars),
                lambda event: rules.apply(state, event),
                by_stars=player is not None and state.options.deck is Deck.BOUGHT,
            )
    return None


def glanced(state: State, event: Event | None, reading: Reading, at_us: int) -> Proposed[Event] | None:
    """The verdict on a stack after a shout, or at the end of the round; None for a picture that nobody asked for."""
    if event is None or not isinstance(reading, TowerReading) or state.ended:
        return None
    return camera.verdict(state.current, state.players, event, reading, at_us)
