"""A bought deck of cards: each card is shown to the camera once and recognised by that picture afterwards."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DeckCard:
    """A card of the bought deck, as it was shown to the camera.

    stars   those of its scoring card, None when nobody entered them
    jpeg    upright, cut to its edge
    """

    number: int
    stars: int | None
    jpeg: bytes


@dataclass(frozen=True)
class UseDeck:
    """A command: use these cards, all that were shown so far."""

    cards: tuple[DeckCard, ...] = ()


@dataclass(frozen=True)
class LookAtCard:
    """A command: look for one card several times a second, and send a `CardSeen` each time.

    until_us    table time at which this ends by itself; the page that watches sends the command again and again
    tap         place of the card that somebody touched in the picture, as parts of its width and height
    """

    until_us: int
    tap: tuple[float, float] | None = None


@dataclass(frozen=True)
class CardSeen:
    """A card in one picture.

    jpeg        the picture, reduced, the card's outline drawn in
    card_jpeg   the card alone, upright and cut to its edge; empty when none is found
    known       number of the card that was shown before and looks like it, or None
    """

    jpeg: bytes
    card_jpeg: bytes = b""
    known: int | None = None
