"""A card of a bought deck while a person shows it: where it lies, and its picture cut to its edge."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.errors import BadInput
from companion.game.readings.deck import CardSeen, DeckCard
from companion.words import _
from vision.cameras.photos import decode_photo
from vision.cameras.pictures import as_jpeg, reduced
from vision.card.outlines import card_outlines
from vision.card.reader import LearnedCard, card_like, cut_out, learn_card, most_alike

FOUND_BGR = (60, 170, 40)
SAME_ALIKE = 0.955  # Two different cards of the demo reached 0.95; a card laid down again reaches 0.96.
LARGEST_SHARE = 0.2  # A mat or a board takes more of the frame.


def card_seen(frame_bgr: np.ndarray, tap: tuple[float, float] | None, deck: Sequence[LearnedCard]) -> CardSeen:
    """The card in a frame (h, w, 3) uint8, as the page shows it.

    tap     where a person touched the picture, as shares of its width and height, or None
    deck    the cards shown before
    """
    corners = place_of_card(frame_bgr, tap)
    if corners is None:
        return CardSeen(as_jpeg(reduced(frame_bgr)))
    match = most_alike(frame_bgr, [corners], deck) if deck else None
    number = match.card.number if match is not None and match.alike >= SAME_ALIKE else None
    return CardSeen(draw_outline(frame_bgr, corners), as_jpeg(cut_out(frame_bgr, corners)), number)


def place_of_card(frame_bgr: np.ndarray, tap: tuple[float, float] | None) -> np.ndarray | None:
    """Corners (4, 2) in px of the card, or None.

    With a tap it is the smallest outline around it, as others may lie within or around the card; otherwise the largest
    outline with sharp edges that is no mat or board.
    """
    outlines = [outline for outline in card_outlines(frame_bgr) if card_like(outline, frame_bgr)]
    if tap is not None:
        place = (tap[0] * frame_bgr.shape[1], tap[1] * frame_bgr.shape[0])
        touched = [outline for outline in outlines if cv2.pointPolygonTest(outline, place, measureDist=False) >= 0]
        if touched:
            return touched[-1]
    most = LARGEST_SHARE * frame_bgr.shape[0] * frame_bgr.shape[1]
    return next((outline for outline in outlines if cv2.contourArea(outline) < most), None)


def draw_outline(frame_bgr: np.ndarray, corners: np.ndarray) -> bytes:
    """The picture with the card's outline, as JPEG."""
    picture = reduced(frame_bgr).copy()  # It may be the frame itself.
    outline = np.rint(corners * (picture.shape[1] / frame_bgr.shape[1])).astype(np.int32)
    cv2.polylines(picture, [outline], True, FOUND_BGR, max(2, picture.shape[1] // 480), cv2.LINE_AA)
    return as_jpeg(picture)


def learn_deck(cards: Sequence[DeckCard]) -> tuple[LearnedCard, ...]:
    """The cards of a bought deck, learned from their pictures; BadInput names the card to show again."""
    deck = []
    for card in cards:
        try:
            picture_bgr = decode_photo(card.jpeg, f"{card.number}.jpg")
            deck.append(learn_card(card.number, _("card {number}", number=card.number), picture_bgr, card.stars))
        except BadInput as error:
            words = _("The picture of card {number} can't be used. Show that card again.", number=card.number)
            raise BadInput(words) from error
    return tuple(deck)
