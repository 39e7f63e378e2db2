"""Draws and swaps before the stacking (SWP-02, SWP-10 … SWP-14)."""

from dataclasses import replace

from companion.equipment import deck
from companion.equipment.deck import OWN_DECK, STARS, Deck
from companion.errors import IllegalEvent
from companion.games.seats import check_player
from companion.games.swapstax.state import (
    Card,
    Drew,
    Passed,
    State,
    SwappedWithDeck,
    SwappedWithPlayer,
    all_lie,
    cards_left,
    drawable,
    drawing,
    in_stack_off,
    known_cards,
    shuffled_anew,
    swapping,
)
from companion.words import _


def drew(state: State, event: Drew, ruled: bool) -> State:
    """SWP-02: from the Shuffler clockwise, each draws the top card and lays it face up."""
    check_player(state.players, event.player)
    if not state.order:
        raise IllegalEvent(_("There's no Shuffler yet. Choose one first."))
    if event.player in state.hands or in_stack_off(state):
        raise IllegalEvent(_("This player already has a card for this round. Correct it, or swap it."))
    if drawing(state) != event.player and not ruled:
        raise IllegalEvent(_("It's another player's turn to draw. Cards are drawn clockwise from the Shuffler."))
    state = shuffled_anew(state)
    card = top_card(state, event.card, event.stars, ruled)
    return replace(state, hands={**state.hands, event.player: card})


def top_card(state: State, number: int | None, stars: int | None, ruled: bool) -> Card:
    """The card that was drawn, with stars from our own deck or as entered (MX-07).

    Raises IllegalEvent for a card that is not in play, was drawn before or lacks its number or stars.
    """
    if cards_left(state) < 1:
        raise IllegalEvent(_("The deck is empty. No card can be drawn."))
    if number is None and state.options.deck is Deck.OWN:
        raise IllegalEvent(_("Our printed cards have a number. Enter it."))
    if number is not None and number not in deck.in_play(() if ruled else state.options.deck_subset):
        raise IllegalEvent(_("Card {number} isn't in play. Enter the number on the card.", number=number))
    if number in known_cards(state):
        raise IllegalEvent(_("Card {number} was already drawn. Enter the number on the card.", number=number))
    if stars is None:
        if number is None or state.options.deck is not Deck.OWN:
            raise IllegalEvent(_("I don't know this card's stars. Enter them from the scoring card."))
        stars = OWN_DECK.cards[number].stars
    if not STARS[0] <= stars <= STARS[1]:
        raise IllegalEvent(
            _(
                "A card has {fewest} to {most} stars. Enter the number from the scoring card.",
                fewest=STARS[0],
                most=STARS[1],
            )
        )
    return Card(stars, number)


def swapped_with_player(state: State, player: str, other: str, ruled: bool) -> State:
    """SWP-11, SWP-14: a swap with any other player, even one who has passed or has no SWAP card; it may be reversed."""
    check_swapping(state, player, ruled)
    if other not in state.hands or other == player:
        raise IllegalEvent(_("You swap a card with another player or with the deck. Choose one."))
    hands = {**state.hands, player: state.hands[other], other: state.hands[player]}
    return replace(swap_played(state, player), hands=hands)


def swapped_with_deck(state: State, event: SwappedWithDeck, ruled: bool) -> State:
    """SWP-11, SWP-12: a swap for the top card of the deck; the old card is discarded."""
    check_swapping(state, event.player, ruled)
    card = top_card(state, event.card, event.stars, ruled)
    old = state.hands[event.player]
    after = replace(state, hands={**state.hands, event.player: card}, discard=(*state.discard, old))
    return swap_played(after, event.player)


def passed(state: State, player: str, ruled: bool) -> State:
    """SWP-13: swapping goes on until all pass one after the other."""
    check_swapping(state, player, ruled)
    return replace(turn_passed(state, player), passes=passes_before(state, player) + 1)


def check_swapping(state: State, player: str, ruled: bool) -> None:
    """Raises IllegalEvent unless this player may play a SWAP or pass now (SWP-10, SWP-13)."""
    check_player(state.players, player)
    if state.current.go_us is not None:
        raise IllegalEvent(_("Stacking has started. SWAP cards are played before that."))
    if not all_lie(state) or player not in state.hands:
        raise IllegalEvent(_("Not all cards are face up yet. Draw first, then swap."))
    if not state.swaps_left[player]:
        raise IllegalEvent(_("This player has used both SWAP cards. Another player can swap."))  # SWP-01
    if not ruled and swapping(state) is None:
        raise IllegalEvent(_("Everyone passed in a row. Get ready to stack."))
    if not ruled and swapping(state) != player:
        raise IllegalEvent(_("It's another player's turn to swap or pass. Swaps go clockwise from the Shuffler."))


def swap_played(state: State, player: str) -> State:
    """SWP-10: the SWAP card is turned over and used up."""
    return replace(
        turn_passed(state, player),
        swaps_left={**state.swaps_left, player: state.swaps_left[player] - 1},
        passes=0,
        current=replace(state.current, ready=frozenset()),
    )


def turn_passed(state: State, player: str) -> State:
    """SWP-13: the turn passes clockwise from this player."""
    return replace(state, turn=state.order.index(player) + 1)


def passes_before(state: State, player: str) -> int:
    """The number of passes in a row before this player's turn, skipped players without a SWAP card included."""
    skipped = (state.order.index(player) - state.turn) % len(state.order)
    return state.passes + skipped


def check_cards_lie(state: State, ruled: bool) -> None:
    """Raises IllegalEvent unless all cards lie face up and nobody may swap any more (SWP-10)."""
    if in_stack_off(state):
        return
    if not all_lie(state):
        raise IllegalEvent(_("Not all cards are face up yet. Draw first."))
    if swapping(state) is not None and not ruled:
        raise IllegalEvent(_("SWAP cards can still be played. Swap or pass first."))


def legal(state: State, player: str) -> tuple[Passed | SwappedWithPlayer | SwappedWithDeck, ...]:
    """The legal events of the player whose turn it is: to pass, or swap with a player or the deck (SWP-11)."""
    others = tuple(
        SwappedWithPlayer(player, other) for other in state.players if other in state.hands and other != player
    )
    return (Passed(player), *others, *(SwappedWithDeck(player, *card) for card in drawable(state)))
