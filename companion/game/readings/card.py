"""The card on the card spot, as the camera believes it is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CardReading:
    """One frame: the card that lies face up on the card spot.

    card        its number in the deck, None for an empty spot or an unknown card
    name        its name for people
    stars       of a card of the bought deck, if somebody entered them when it was shown; otherwise None
    corners_px  its four corners, or those of its marker, clockwise from the top left of the card
    accepted    False: ask a person; an unknown card is never accepted
    """

    width: int
    height: int
    card: int | None
    name: str
    confidence: float
    accepted: bool
    corners_px: tuple[tuple[float, float], ...] = ()
    stars: int | None = None
