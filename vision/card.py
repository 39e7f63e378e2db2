"""Reads the card that lies face up: one of our own deck by its marker, one of a bought deck by a picture shown once.

Our markers carry their number and are read exactly or not at all. A bought card is found by its features, laid upright
by them, and then compared with the pictures point by point: cards of one deck share frames and letters, so features
alone would take one for another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInput
from companion.games.maxstax.deck import OWN_DECK
from companion.readings import CardReading
from companion.words import _
from vision.photos import load_photo
from vision.scene import Scene

SHOWN_PX = 480  # longer side of a card's picture as it is kept
SEEN_PX = 1280  # longer side of a frame as cards are looked for
CARD_FEATURES, FRAME_FEATURES = 300, 1600
UNLIKE = 0.85  # of the second best match's distance: a match that is hardly better says nothing
LEAST_INLIERS = 12  # features that agree where the card lies
OFF_PX = 4.0  # how far an agreeing feature may be off, in pixels of the frame
VOTER, FAR_BITS = 4, 64  # every so many-th feature of a frame votes, the more the fewer of its 256 bits are off
PLACED, COMPARED = 8, 4  # candidates whose place is worked out, and that are compared point by point
COMPARED_PX = (120, 168)  # of the upright card there
ACCEPT_ALIKE, ACCEPT_APART = 0.55, 0.15  # least correlation with the picture, and how much the next one is behind
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
QUAD_SHARE = (0.004, 0.5)  # of the frame: what may be an unknown card
QUAD_ASPECT = (1.2, 1.7)


@dataclass(frozen=True, eq=False)
class ShownCard:
    """One card of a bought deck, as it was shown: its features, and its picture made small."""

    number: int
    name: str
    size_px: tuple[int, int]
    places_px: np.ndarray
    features: np.ndarray
    small: np.ndarray


def read_card(frame_bgr: np.ndarray, scene: Scene | None = None, deck: Sequence[ShownCard] = ()) -> CardReading:
    """The card in a frame (h, w, 3) uint8: of `deck` where one is given, else of our own."""
    size = frame_bgr.shape[1], frame_bgr.shape[0]
    found = shown_card(frame_bgr, deck) if deck else own_card(frame_bgr)
    if found is not None:
        return found
    outline = unknown_card(frame_bgr)
    if outline is not None:
        return CardReading(*size, None, _("unknown card"), 0.5, False, outline)
    return CardReading(*size, None, "", 0.99, True)


# our own deck


def own_card(frame_bgr: np.ndarray) -> CardReading | None:
    """The card whose marker is seen; several are asked about."""
    size = frame_bgr.shape[1], frame_bgr.shape[0]
    by_marker = {card.marker: card for card in OWN_DECK.cards.values()}
    exact = {number: corners for number, corners in card_markers(frame_bgr, 0.0).items() if number in by_marker}
    seen = exact or {number: corners for number, corners in card_markers(frame_bgr, 0.6).items() if number in by_marker}
    if not seen:
        return None
    largest = max(seen, key=lambda number: cv2.contourArea(seen[number].astype(np.float32)))
    card = by_marker[largest]
    sure = bool(exact) and len(seen) == 1
    corners = tuple((float(x), float(y)) for x, y in seen[largest])
    return CardReading(*size, card.number, card.name, 0.999 if sure else 0.9 / len(seen), sure, corners)


def card_markers(frame_bgr: np.ndarray, forgive: float) -> dict[int, np.ndarray]:
    """Corners (4, 2) of our markers by number; `forgive` is the share of repairable modules that may be wrong."""
    if not hasattr(cv2, "aruco"):
        raise BadInput(_("This OpenCV has no marker detector, which our own cards need: give the cards with --deck."))
    tags = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, OWN_DECK.marker_dictionary))
    if hasattr(cv2.aruco, "ArucoDetector"):
        parameters = cv2.aruco.DetectorParameters()
        parameters.errorCorrectionRate = forgive
        corners, ids, _rejected = cv2.aruco.ArucoDetector(tags, parameters).detectMarkers(frame_bgr)
    else:
        parameters = cv2.aruco.DetectorParameters_create()
        parameters.errorCorrectionRate = forgive
        corners, ids, _rejected = cv2.aruco.detectMarkers(frame_bgr, tags, parameters=parameters)
    return {} if ids is None else {int(i): c.reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}


# a bought deck


def load_deck(folder: Path) -> tuple[ShownCard, ...]:
    """The cards of a folder with one picture each, in the order of their names; BadInput says what is wrong with it."""
    if not folder.is_dir():
        raise BadInput(_("{folder} is no folder: give one with a picture of each card.", folder=folder))
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise BadInput(_("{folder} holds no pictures: put one of each card there.", folder=folder))
    return tuple(learned(number, path.stem, load_photo(path)) for number, path in enumerate(paths, 1))


def learned(number: int, name: str, picture_bgr: np.ndarray) -> ShownCard:
    """A card from its picture (h, w, 3), upright and cut to its edge."""
    zoom = SHOWN_PX / max(picture_bgr.shape[:2])
    grey = cv2.cvtColor(
        cv2.resize(picture_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY
    )
    places, features = features_of(grey, CARD_FEATURES)
    if len(places) < LEAST_INLIERS:
        raise BadInput(_("The picture of the card {name} shows too little: take it again, closer.", name=name))
    small = cv2.resize(picture_bgr, COMPARED_PX, interpolation=cv2.INTER_AREA)
    return ShownCard(number, name, (grey.shape[1], grey.shape[0]), places, features, small)


def features_of(grey: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) and features (n, 32) of a picture."""
    points, features = cv2.ORB_create(most, fastThreshold=8).detectAndCompute(grey, None)  # type: ignore[attr-defined]
    if features is None:
        return np.zeros((0, 2), np.float32), np.zeros((0, 32), np.uint8)
    return np.array([point.pt for point in points], np.float32), features


def shown_card(frame_bgr: np.ndarray, deck: Sequence[ShownCard]) -> CardReading | None:
    """The card of a bought deck that lies there; None where none is found."""
    size = frame_bgr.shape[1], frame_bgr.shape[0]
    zoom = min(1.0, SEEN_PX / max(size))
    seen = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else frame_bgr
    places, features = features_of(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), FRAME_FEATURES)
    if len(features) < LEAST_INLIERS:
        return None
    placed = [(card, *agreeing(*alike_features(card, places, features))) for card in voted(deck, features)[:PLACED]]
    likely = sorted(placed, key=lambda match: -match[2])[:COMPARED]
    alike = sorted(
        ((likeness(card, seen, matrix), card, matrix) for card, matrix, count in likely if matrix is not None),
        key=lambda match: -match[0],
    )
    if not alike or alike[0][0] < ACCEPT_ALIKE / 2:
        return None
    best, card, matrix = alike[0]
    rest = alike[1][0] if len(alike) > 1 else 0.0
    sure = best >= ACCEPT_ALIKE and best - rest >= ACCEPT_APART
    width, height = card.size_px
    rim = np.array([[[0, 0]], [[width, 0]], [[width, height]], [[0, height]]], np.float32)
    corners = tuple((float(x), float(y)) for x, y in cv2.perspectiveTransform(rim, matrix).reshape(-1, 2) / zoom)
    confidence = 0.999 if sure else float(np.clip(0.5 + (best - rest) / ACCEPT_APART / 4, 0.3, 0.95))
    return CardReading(*size, card.number, card.name, confidence, sure, corners)


def voted(deck: Sequence[ShownCard], features: np.ndarray) -> list[ShownCard]:
    """The cards of a deck, likeliest first: some of the frame's features each vote for the card with the most alike.

    Comparing the features of every card with all of the frame would take five times as long, and finds no more.
    """
    matches = cv2.BFMatcher(cv2.NORM_HAMMING).match(features[::VOTER], np.vstack([card.features for card in deck]))
    owner = np.repeat(np.arange(len(deck)), [len(card.features) for card in deck])
    votes = np.zeros(len(deck))
    for match in matches:
        votes[owner[match.trainIdx]] += max(0.0, FAR_BITS - match.distance)
    return [deck[i] for i in np.argsort(-votes, kind="stable")]


def alike_features(card: ShownCard, places: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) on the card and in the frame of features that match each other and hardly any other."""
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(card.features, features, k=2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < UNLIKE * pair[1].distance]
    return card.places_px[[match.queryIdx for match in good]], places[[match.trainIdx for match in good]]


def agreeing(mine: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray | None, int]:
    """Where a card would lie (3, 3), from its pixels to the frame's, and how many features agree."""
    if len(mine) < LEAST_INLIERS:
        return None, len(mine)
    matrix, inside = cv2.findHomography(mine, theirs, cv2.RANSAC, OFF_PX)
    count = 0 if inside is None else int(inside.sum())
    return (matrix, count) if matrix is not None and count >= LEAST_INLIERS else (None, count)


def likeness(card: ShownCard, seen_bgr: np.ndarray, matrix: np.ndarray) -> float:
    """-1..1: how well what lies there is the card's picture, point by point."""
    width, height = card.size_px
    grow = np.diag([width / COMPARED_PX[0], height / COMPARED_PX[1], 1.0])
    upright = cv2.warpPerspective(seen_bgr, matrix @ grow, COMPARED_PX, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    mine, theirs = (cv2.GaussianBlur(each, (0, 0), 1.5).astype(np.float32) for each in (card.small, upright))
    mine, theirs = (each - cv2.blur(each, (61, 61)) for each in (mine, theirs))  # without uneven light
    return float((mine * theirs).sum() / (np.linalg.norm(mine) * np.linalg.norm(theirs) + 1e-6))


# what is a card but none that is known


def unknown_card(frame_bgr: np.ndarray) -> tuple[tuple[float, float], ...] | None:
    """The corners of something of a card's shape; None where there is nothing like it."""
    zoom = 480 / max(frame_bgr.shape[:2])
    if min(frame_bgr.shape[:2]) * zoom < 32:
        return None
    small = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    edges = cv2.dilate(cv2.Canny(cv2.GaussianBlur(small, (0, 0), 1.2), 30, 90), np.ones((3, 3)))
    outlines = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]
    area = small.shape[0] * small.shape[1]
    for outline in sorted(outlines, key=cv2.contourArea, reverse=True):
        if not QUAD_SHARE[0] * area < cv2.contourArea(outline) < QUAD_SHARE[1] * area:
            continue
        (_x, _y), (wide, tall), _turn = cv2.minAreaRect(outline)
        full = cv2.contourArea(outline) / max(wide * tall, 1.0)
        if full > 0.85 and QUAD_ASPECT[0] < max(wide, tall) / max(min(wide, tall), 1.0) < QUAD_ASPECT[1]:
            return tuple((float(x), float(y)) for x, y in cv2.boxPoints(cv2.minAreaRect(outline)) / zoom)
    return None
