"""Reads the card that lies face up: one of our own deck by its marker, one of a bought deck by its picture.

Our markers carry the card's number and are read exactly or not at all. A bought card is found by its outline, or by its
features where the outline cannot be seen. It is laid upright and compared with the pictures of the deck pixel by pixel:
cards of one deck share frames and letters, so features alone would mistake one for another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from companion.cameras.bought_deck import number_and_stars
from companion.equipment.deck import OWN_DECK
from companion.errors import BadInput
from companion.game.readings import CardReading
from companion.words import _
from vision.cameras.photos import load_photo
from vision.card.outlines import NEAR, card_outlines, is_clear, on_edges
from vision.scene.scene import Scene

SHOWN_PX = 480  # A card's picture has this longer side when its features are taken.
LEAST_SHOWN_PX = 48  # Its shorter side is then no shorter.
SEEN_PX = 1280  # Features are searched in a frame with this longer side.
CARD_FEATURES, FRAME_FEATURES = 300, 1600
UNLIKE = 0.85  # A match hardly better than the second best one says nothing.
LEAST_INLIERS = 12  # So many features agree where the card lies.
OFF_PX = 4.0  # An agreeing feature may be so far off, in pixels of the frame.
VOTE_EVERY, FAR_BITS = 8, 64  # Every 8th feature of a frame votes, with more weight the fewer of its 256 bits are off.
MOST_PLACED = 3  # Features place no more cards.
RANSAC_TRIES = 700  # So many tries find features that agree.
COMPARED_PX = (60, 84)  # Upright cards are compared at this size.
LIGHT_PX = 31  # Wider changes of brightness are the lamp's light.
LEAST_ALIKE = 0.34  # One of 20 cluttered tables without a card reaches this correlation with a picture.
NAMED_ALIKE = 0.5  # Below that, the card is of another deck.
ACCEPT_ALIKE = 0.8  # Foreign cards with the same frame and letters reached 0.75.
ACCEPT_APART = 0.4  # The card is this far on the way from the next card (-1) to this one (1).
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
CARD_ASPECT = (1.2, 1.7)  # An unknown card is so many times as long as wide.


@dataclass(frozen=True, eq=False)
class LearnedCard:
    """One card of a bought deck, learned from its picture.

    places_px, features   (n, 2) in its picture of `size_px`, (n, 32)
    look                  (m,) of its upright picture, see `look_of`
    stars                 as a person entered them, or None
    """

    number: int
    name: str
    size_px: tuple[int, int]
    places_px: np.ndarray
    features: np.ndarray
    look: np.ndarray
    stars: int | None = None


@dataclass(frozen=True, eq=False)
class Match:
    """The card of a deck that looks most alike at a place in the frame.

    alike     -1..1, correlation with the card's picture
    apart     how clearly it is this card: 1 for its own picture, -1 for that of the next most alike card
    corners   (4, 2) in the frame, of the upright card from its upper left corner on
    alone     no other place shows a card of the deck
    """

    card: LearnedCard
    alike: float
    apart: float
    corners: np.ndarray
    alone: bool

    @property
    def is_sure(self) -> bool:
        return self.alike >= ACCEPT_ALIKE and self.apart >= ACCEPT_APART and self.alone


def read_card(
    frame_bgr: np.ndarray, scene: Scene | None = None, deck: Sequence[LearnedCard] = (), whole: bool = True
) -> CardReading:
    """The card in a frame (h, w, 3) uint8: of `deck` if given, else of our own deck.

    whole   False: `deck` lacks cards, so each card is asked, as cards of one deck can differ by a line
    """
    size = frame_bgr.shape[1], frame_bgr.shape[0]
    own = None if deck else own_card(frame_bgr)
    if own is not None:
        return own
    outlines = card_outlines(frame_bgr)
    match = match_of(frame_bgr, outlines, deck) if deck else None
    if match is not None and match.alike < NAMED_ALIKE:
        return CardReading(*size, None, _("unknown card"), 0.5, False, as_points(match.corners))
    if match is not None:
        is_sure = match.is_sure and whole
        confidence = 0.999 if is_sure else float(np.clip(0.5 + match.apart / 2, 0.3, 0.95))
        card, corners_px = match.card, as_points(match.corners)
        return CardReading(*size, card.number, card.name, confidence, is_sure, corners_px, card.stars)
    for outline in outlines:
        if card_like(outline, frame_bgr):
            return CardReading(*size, None, _("unknown card"), 0.5, False, as_points(outline))
    return CardReading(*size, None, "", 0.99, True)


def card_like(outline: np.ndarray, frame_bgr: np.ndarray) -> bool:
    """Whether an outline may be a card: its edges are sharp and it shows something, unlike a space printed on the
    mat."""
    if not (is_card_shaped(outline) and is_clear(outline, frame_bgr)):
        return False
    return is_recognisable(cut_out(frame_bgr, outline))


def is_card_shaped(outline: np.ndarray) -> bool:
    sides = np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1)
    across, along = sides[0] + sides[2], sides[1] + sides[3]
    return CARD_ASPECT[0] < max(across, along) / min(across, along) < CARD_ASPECT[1]


def as_points(corners: np.ndarray) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in corners)


def own_card(frame_bgr: np.ndarray) -> CardReading | None:
    """The card of our deck whose marker is seen, or None; if several are seen, the largest is asked about."""
    size = frame_bgr.shape[1], frame_bgr.shape[0]
    by_marker = {card.marker: card for card in OWN_DECK.cards.values()}
    exact = {number: corners for number, corners in card_markers(frame_bgr, 0.0).items() if number in by_marker}
    markers = exact or {n: corners for n, corners in card_markers(frame_bgr, 0.6).items() if n in by_marker}
    if not markers:
        return None
    largest = max(markers, key=lambda number: cv2.contourArea(markers[number].astype(np.float32)))
    card = by_marker[largest]
    sure = bool(exact) and len(markers) == 1
    return CardReading(
        *size, card.number, card.name, 0.999 if sure else 0.9 / len(markers), sure, as_points(markers[largest])
    )


def card_markers(frame_bgr: np.ndarray, forgive: float) -> dict[int, np.ndarray]:
    """Corners (4, 2) of our markers by number.

    forgive     share of the repairable modules that may be wrong
    """
    if not hasattr(cv2, "aruco"):
        raise BadInput(
            _("This OpenCV has no marker detector, which our printed cards need. Name your cards with --deck.")
        )
    tags = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, OWN_DECK.marker_dictionary))
    if hasattr(cv2.aruco, "ArucoDetector"):
        parameters = cv2.aruco.DetectorParameters()
        parameters.errorCorrectionRate = forgive
        corners, ids, _rejected = cv2.aruco.ArucoDetector(tags, parameters).detectMarkers(frame_bgr)
    else:
        parameters = cv2.aruco.DetectorParameters_create()  # type: ignore[attr-defined]  # before OpenCV 4.7
        parameters.errorCorrectionRate = forgive
        corners, ids, _rejected = cv2.aruco.detectMarkers(frame_bgr, tags, parameters=parameters)  # type: ignore[attr-defined]
    return {} if ids is None else {int(i): c.reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}


def load_deck(folder: Path) -> tuple[LearnedCard, ...]:
    """The cards of a folder with one picture each, in the order of their names; raises BadInput.

    If every name carries a number, as in a deck shown to a table's camera, cards have these numbers; else 1, 2, 3 …
    """
    if not folder.is_dir():
        raise BadInput(_("{folder} isn't a folder. Name one with a picture of each card.", folder=folder))
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not paths:
        raise BadInput(_("{folder} has no pictures. Put one of each card there.", folder=folder))
    numbered = [number_and_stars(path.stem) for path in paths]
    if None in numbered or len({number for number, _stars in filter(None, numbered)}) < len(numbered):
        numbered = [(number, None) for number in range(1, len(paths) + 1)]
    return tuple(
        learn_card(number, path.stem, load_photo(path), stars)
        for path, (number, stars) in zip(paths, filter(None, numbered), strict=True)
    )


def learn_card(number: int, name: str, picture_bgr: np.ndarray, stars: int | None = None) -> LearnedCard:
    """A card from its picture (h, w, 3), upright and cut to its edge; raises BadInput if that shows too little."""
    zoom = SHOWN_PX / max(picture_bgr.shape[:2])
    too_little = BadInput(_("The picture of the card {name} shows too little. Take it again from closer.", name=name))
    if min(picture_bgr.shape[:2]) * zoom < LEAST_SHOWN_PX:
        raise too_little  # It is a strip of something.
    small = cv2.resize(picture_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    places, features = features_of(grey, CARD_FEATURES)
    if len(places) < LEAST_INLIERS:
        raise too_little
    look = look_of(cv2.resize(picture_bgr, COMPARED_PX, interpolation=cv2.INTER_AREA))
    return LearnedCard(number, name, (grey.shape[1], grey.shape[0]), places, features, look, stars)


def is_recognisable(card_bgr: np.ndarray) -> bool:
    """Whether a card shows enough to be recognised again."""
    try:
        learn_card(0, "", card_bgr)
    except BadInput:
        return False
    return True


def cut_out(frame_bgr: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The card upright, its longer sides SHOWN_PX; the shorter side further up in the frame becomes its upper one."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    across, along = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    if across > along:
        corners, across, along = np.roll(corners, -1, axis=0), along, across
    if corners[:2, 1].mean() > corners[2:, 1].mean():
        corners = np.roll(corners, -2, axis=0)
    size = max(1, round(SHOWN_PX * across / along)), SHOWN_PX
    rim = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    to_card = cv2.getPerspectiveTransform(corners.astype(np.float32), rim)
    return cv2.warpPerspective(frame_bgr, to_card, size, flags=cv2.INTER_AREA)


def look_of(small_bgr: np.ndarray) -> np.ndarray:
    """(m,) float32 of length one: the details of an upright card of COMPARED_PX, without the light on it."""
    soft = cv2.GaussianBlur(small_bgr, (0, 0), 0.8).astype(np.float32)
    detail = (soft - cv2.blur(soft, (LIGHT_PX, LIGHT_PX))).ravel()
    return detail / (np.linalg.norm(detail) + 1e-6)


def features_of(grey: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) and features (n, 32) of a picture, n at most `most`."""
    points, features = cv2.ORB_create(most, fastThreshold=8).detectAndCompute(grey, None)  # type: ignore[attr-defined]
    if features is None:
        return np.zeros((0, 2), np.float32), np.zeros((0, 32), np.uint8)
    return np.array([point.pt for point in points], np.float32), features


def match_of(frame_bgr: np.ndarray, outlines: Sequence[np.ndarray], deck: Sequence[LearnedCard]) -> Match | None:
    """The card of a bought deck in the frame, or None. Features are used where outlines fail."""
    matches = [most_alike(frame_bgr, outlines, deck)]
    if matches[0] is None or not (matches[0].is_sure or is_seen_well(matches[0], frame_bgr)):
        matches.append(most_alike(frame_bgr, places_by_features(frame_bgr, deck), deck))
    likely = [match for match in matches if match is not None and match.alike >= LEAST_ALIKE]
    return max(likely, key=lambda match: match.alike, default=None)


def is_seen_well(match: Match, frame_bgr: np.ndarray) -> bool:
    """Whether features could only find the same place again: a similar card is seen with all its sides.

    This halves the time for a foreign card with the same frame, and accepts nothing more.
    """
    return match.alike >= NAMED_ALIKE and is_clear(match.corners, frame_bgr)


def most_alike(frame_bgr: np.ndarray, outlines: Sequence[np.ndarray], deck: Sequence[LearnedCard]) -> Match | None:
    """The card that is most alike at one of the places, in any of four turns; None without a place."""
    places = [np.roll(corners, -turn, axis=0) for corners in outlines for turn in range(2)]
    if not places:
        return None
    upright_looks = [look_of(upright(frame_bgr, corners)).reshape(-1, 3) for corners in places]
    both_ways = (look for card_look in upright_looks for look in (card_look, card_look[::-1]))
    seen_looks = np.stack([look.ravel() for look in both_ways])
    looks = np.stack([card.look for card in deck])
    alike = seen_looks @ looks.T
    place, index = np.unravel_index(alike.argmax(), alike.shape)
    corners = np.roll(places[place // 2], 2 * (place % 2), axis=0)
    rest = np.delete(np.arange(len(deck)), index)
    apart = 1.0
    if len(rest):
        next_one = rest[alike[place, rest].argmax()]
        ahead = alike[place, index] - alike[place, next_one]
        apart = float(ahead / max(1 - looks[index] @ looks[next_one], 1e-3))
    middles = np.repeat([place_px.mean(axis=0) for place_px in places], 2, axis=0)
    elsewhere = np.hypot(*(middles - corners.mean(axis=0)).T) > cv2.contourArea(corners) ** 0.5 / 2
    alone = not (alike[elsewhere] > NAMED_ALIKE).any()
    return Match(deck[index], float(alike[place, index]), min(1.0, apart), corners, alone)


def upright(frame_bgr: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The part of the frame between the corners (4, 2), upright and COMPARED_PX large, without aliases."""
    width, height = COMPARED_PX
    times = max(1, int((cv2.contourArea(corners) / (width * height)) ** 0.5))
    width, height = times * width, times * height
    rim = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    card_bgr = cv2.warpPerspective(frame_bgr, cv2.getPerspectiveTransform(corners, rim), (width, height))
    return cv2.resize(card_bgr, COMPARED_PX, interpolation=cv2.INTER_AREA)


def places_by_features(frame_bgr: np.ndarray, deck: Sequence[LearnedCard]) -> list[np.ndarray]:
    """Corners (4, 2) of where cards of the deck lie by their features, each also moved to the edges there."""
    zoom = min(1.0, SEEN_PX / max(frame_bgr.shape[:2]))
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    grey_small = cv2.resize(grey, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else grey
    places, features = features_of(grey_small, FRAME_FEATURES)
    if len(features) < LEAST_INLIERS:
        return []
    corners_found = []
    for card in rank_by_votes(deck, features)[:MOST_PLACED]:
        matrix = card_homography(*alike_features(card, places, features))
        if matrix is None:
            continue
        width, height = card.size_px
        rim = np.array([[[0, 0]], [[width, 0]], [[width, height]], [[0, height]]], np.float32)
        corners = (cv2.perspectiveTransform(rim, matrix).reshape(-1, 2) / zoom).astype(np.float32)
        if not is_in_view(corners, frame_bgr):
            continue
        moved, good = on_edges(corners[None], frame_bgr, NEAR)
        corners_found += [corners, *moved[good]]
    return corners_found


def is_in_view(corners: np.ndarray, frame_bgr: np.ndarray) -> bool:
    """Whether corners found by features are convex and mostly within the frame."""
    share = corners / frame_bgr.shape[1::-1]
    return cv2.isContourConvex(corners) and bool((share > -0.2).all() and (share < 1.2).all())


def rank_by_votes(deck: Sequence[LearnedCard], features: np.ndarray) -> list[LearnedCard]:
    """The cards of a deck, likeliest first: some of the frame's features vote for the card with the most similar one.

    Comparing the features of every card with all of the frame would take five times as long, and finds no more.
    """
    matches = cv2.BFMatcher(cv2.NORM_HAMMING).match(features[::VOTE_EVERY], np.vstack([card.features for card in deck]))
    owner = np.repeat(np.arange(len(deck)), [len(card.features) for card in deck])
    votes = np.zeros(len(deck))
    for match in matches:
        votes[owner[match.trainIdx]] += max(0.0, FAR_BITS - match.distance)
    return [deck[i] for i in np.argsort(-votes, kind="stable")]


def alike_features(card: LearnedCard, places: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) on the card and in the frame of features that match each other and hardly any other."""
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(card.features, features, k=2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < UNLIKE * pair[1].distance]
    return card.places_px[[match.queryIdx for match in good]], places[[match.trainIdx for match in good]]


def card_homography(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray | None:
    """The matrix (3, 3) from the card's pixels to the frame's, or None where too few features agree."""
    if len(mine) < LEAST_INLIERS:
        return None
    matrix, inside = cv2.findHomography(mine, theirs, cv2.RANSAC, OFF_PX, maxIters=RANSAC_TRIES)
    return matrix if inside is not None and inside.sum() >= LEAST_INLIERS else None
