"""A bought deck of cards: each card is shown to the camera once, and known by that picture from then on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DeckCard:
    """A card of the bought deck as it was shown.

    stars   those of its scoring card, None where nobody said
    jpeg    upright, cut to its edge
    """

    number: int
    stars: int | None
    jpeg: bytes


@dataclass(frozen=True)
class UseDeck:
    """A command: these cards were shown so far."""

    cards: tuple[DeckCard, ...] = ()


@dataclass(frozen=True)
class LookAtCard:
    """A command: look for one card, several times a second, and send each time what is seen, as a `CardSeen`.

    until_us    table time at which that ends by itself; whoever watches asks again and again
    tap         where somebody touched the picture, as parts of its width and height: the card is there
    """

    until_us: int
    tap: tuple[float, float] | None = None


@dataclass(frozen=True)
class CardSeen:
    """The look of a card in one picture.

    jpeg        the picture, reduced, the card's outline drawn in
    card_jpeg   the card alone, upright and cut to its edge; empty while none is made out
    known       number of the card that was shown before and looks like it, None where none does
    """

    jpeg: bytes
    card_jpeg: bytes = b""
    known: int | None = None
