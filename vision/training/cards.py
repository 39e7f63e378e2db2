"""Pictures of cards on tables, to judge the reader of cards: the stacks of our deck, with our marker or without."""

import cv2
import numpy as np

from companion.games.maxstax.deck import OWN_DECK
from vision.training.tables import Rng, lay_table

MANY = len(OWN_DECK.cards)
CARD_MM, DOTS_MM = (61, 85), 6  # as printed; dots of a picture for each of its millimetres
WIDTH_PX, HEIGHT_PX = 1280, 960
WOOD_BGR = ((163, 207, 233), (108, 166, 211), (78, 138, 189))
INK_BGR = (24, 29, 35)
MARKER_MM, EDGE_MM, GROUND_MM = 16, 4, 61


def card_picture(number: int, marker: bool = True, foreign: bool = False) -> np.ndarray:
    """A card (510, 366, 3) as the printed one looks; a foreign one has another stack, name and ground."""
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
        drawn = cv2.aruco.generateImageMarker(tags, card.marker, side)
        picture[corner[1] : corner[1] + side, corner[0] : corner[0] + side] = drawn[..., None]
    return picture


def lay_card(rng: Rng, picture: np.ndarray) -> np.ndarray:
    """The card on a table (960, 1280, 3), turned, seen a little from the side, under some lamp."""
    table = cv2.resize(lay_table(rng, 1100, 55), (WIDTH_PX, HEIGHT_PX)).astype(np.float32)
    tall, wide = picture.shape[:2]
    scale = rng.uniform(2.2, 3.6) / DOTS_MM  # pixels of the frame for each millimetre
    turn = rng.normal(0, 0.35) + (np.pi if rng.random() < 0.2 else 0.0)
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2 * scale
    corners = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners[:, 1] *= np.cos(np.radians(rng.uniform(0, 35)))
    corners *= 1 + corners[:, 1:] / 3500
    corners += rng.uniform(0.35, 0.65, 2) * [WIDTH_PX, HEIGHT_PX]
    start = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    matrix = cv2.getPerspectiveTransform(start, corners.astype(np.float32))
    small = cv2.GaussianBlur(picture, (0, 0), 0.35 / scale)
    laid = cv2.warpPerspective(small, matrix, (WIDTH_PX, HEIGHT_PX)).astype(np.float32)
    share = cv2.warpPerspective(np.ones((tall, wide), np.float32), matrix, (WIDTH_PX, HEIGHT_PX))[..., None]
    shadow = cv2.GaussianBlur(share, (0, 0), 4)[..., None]
    frame = table * (1 - 0.3 * shadow) * (1 - share) + laid * share
    ramp = np.linspace(rng.uniform(0.55, 1), rng.uniform(0.55, 1), WIDTH_PX, dtype=np.float32)[None, :, None]
    frame *= ramp * np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    frame = cv2.GaussianBlur(frame, (0, 0), rng.uniform(0.4, 1.3))
    return np.clip(frame + rng.normal(0, rng.uniform(1, 6), frame.shape), 0, 255).astype(np.uint8)
