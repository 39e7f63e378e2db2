"""A card of our own deck as a picture from straight above, for the virtual camera and for training pictures."""

import cv2
import numpy as np

from companion.equipment.deck import OWN_DECK

CARD_MM, DOTS_MM = (61, 85), 6  # Cards are printed at this size, and drawn with so many pixels a millimetre.
WOOD_BGR = ((163, 207, 233), (108, 166, 211), (78, 138, 189))
INK_BGR = (24, 29, 35)
MARKER_MM, EDGE_MM, GROUND_MM = 16, 4, 61


def card_picture(number: int, marker: bool = True, foreign: bool = False) -> np.ndarray:
    """A card (510, 366, 3) as printed; `foreign` gives it another stack, name and ground."""
    card = OWN_DECK.cards[number]
    size = (CARD_MM[1] * DOTS_MM, CARD_MM[0] * DOTS_MM, 3)
    picture = np.full(size, 250, np.uint8)
    cv2.rectangle(picture, (0, 0), (size[1] - 1, size[0] - 1), INK_BGR, 3)
    cv2.putText(
        picture, "?" if foreign else str(number), (24, 70), cv2.FONT_HERSHEY_SIMPLEX, 2.0, INK_BGR, 5, cv2.LINE_AA
    )
    for star in range(5):
        spot = (size[1] - 30 - star * 34, 40)
        cv2.circle(picture, spot, 14, (32, 58, 185), -1 if star < card.stars else 2, cv2.LINE_AA)
    rng = np.random.default_rng([17, number])
    scale = 0.6 * DOTS_MM * min(1.0, 45 / card.height_mm, 50 / card.width_mm)
    for block in card.blocks:
        left, wide, bottom = block.left_mm, block.width_mm, block.bottom_mm
        if foreign:
            left, bottom = rng.uniform(-40, 20), rng.uniform(0, 60)
        x = size[1] / 2 + scale * (left - card.left_mm - card.width_mm / 2)
        y = GROUND_MM * DOTS_MM - scale * bottom
        corners = ((int(x), int(y - scale * block.height_mm)), (int(x + scale * wide), int(y)))
        cv2.rectangle(picture, *corners, WOOD_BGR[block.tone - 1], -1, cv2.LINE_AA)
        cv2.rectangle(picture, *corners, INK_BGR, 2, cv2.LINE_AA)
    name = "Stranger" if foreign else card.name
    cv2.putText(picture, name, (24, size[0] - 60), cv2.FONT_HERSHEY_DUPLEX, 0.9, INK_BGR, 2, cv2.LINE_AA)
    cv2.putText(
        picture,
        f"{len(card.blocks)} blocks",
        (24, size[0] - 26),
        cv2.FONT_HERSHEY_SIMPLEX,
        0.7,
        INK_BGR,
        2,
        cv2.LINE_AA,
    )
    if marker:
        tags = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, OWN_DECK.marker_dictionary))
        side = MARKER_MM * DOTS_MM
        corner = (size[1] - EDGE_MM * DOTS_MM - side, size[0] - EDGE_MM * DOTS_MM - side)
        draw = getattr(cv2.aruco, "generateImageMarker", None) or cv2.aruco.drawMarker  # type: ignore[attr-defined]  # before OpenCV 4.7
        tag = draw(tags, card.marker, side)
        picture[corner[1] : corner[1] + side, corner[0] : corner[0] + side] = tag[..., None]
    return picture
