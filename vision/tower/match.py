"""Tells whether two stacks are the same, by comparing two builds and trying each on the picture of the other.

Stacks are the same when the other's design explains the picture about as well as its own best design, and no piece is
further from its place than hands may put it. Whole stacks may be shifted. People are asked about doubtful cases.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from companion.equipment.deck import Card
from companion.game.readings import MatchReading
from companion.words import _
from vision.scene.scene import Scene
from vision.tower.crop import Front
from vision.tower.evidence import Evidence
from vision.tower.fit import MOST_BESIDE, Build, Placed, SizedWay, best_placed, place_pieces
from vision.tower.maps import Maps

MEASURED_MM = 1.0  # A place read from a picture has this standard deviation.
MEANT_MM = {8.0: 1 / 3, -8.0: 1 / 3, 16.0: 1 / 6, -16.0: 1 / 6}  # Shifts made on purpose are so common.
NAMED_MM = 6.0  # A sentence names no smaller shift.
SLACK_MM = 6.0  # A piece of the other's design is searched so far around its place.
SHIFTS_MM, LOOSE_MM = np.arange(-20, 20.1, 4.0), 2.0  # Shifts of whole stacks are tried, then of pieces.
ALIKE_MM = 3.0  # Two pieces of one kind are the same if their feet are closer in height.
# The log odds of another stack are fitted to our own pictures (seeds 401 to 403; `vision/training/LOG.md`).
# For equal pieces: a constant (less asks less) and the weight of `moved_odds` (seeds 401, 402).
BY_SHIFT = (-1.5, 0.85)
# For others: a constant, and weights of log evidence lost and of the log number of pieces.
BY_EVIDENCE = (-33.8, 4.42, -1.04)
EVIDENCE_NOISE = 2000.0  # A design may lose this evidence by chance.
SEAM_WEIGHT = 4.0  # Where designs differ, few pixels of seams say more than many of fronts.
LEFT_OVER = 0.05  # A build that leaves over a larger share of the visible fronts is incomplete.
HOLLOW = 0.25  # If more of a piece's front is not seen, it is mostly another, lower piece.
MOST_DOUBT = 2.0  # An incomplete build has no larger log odds, so that people are always asked.
ACCEPT_MATCH = 0.98


@dataclass(frozen=True, eq=False)
class Side:
    """One of two stacks: its best build, its maps (none for a card), and whether its picture shows all of it."""

    build: Build
    front: Front | None = None
    maps: Maps | None = None
    in_view: bool = True


def compare(photo: Side, reference: Side, misplaced_mm: float = Scene.misplaced_mm) -> MatchReading:
    """Whether the stack of a photo is the same as the reference's.

    misplaced_mm  how far from its place a hand may put a block, in each build: two standard deviations
    """
    lost, slips = difference(photo, reference)
    hands = 1 if reference.maps is None else 2  # Nobody built the stack on a card.
    doubt = BY_SHIFT[0] + BY_SHIFT[1] * moved_odds(slips, hands, misplaced_mm)
    if not alike(photo.build, reference.build):
        pieces = max(len(photo.build.pieces), len(reference.build.pieces))
        by_evidence = BY_EVIDENCE[0] + BY_EVIDENCE[1] * np.log(lost + EVIDENCE_NOISE) + BY_EVIDENCE[2] * np.log(pieces)
        doubt = max(doubt, float(by_evidence))
    if not (is_complete(photo.build) and is_complete(reference.build)):
        doubt = float(np.clip(doubt, -MOST_DOUBT, MOST_DOUBT))
    other = float(1 / (1 + np.exp(-np.clip(doubt, -30, 30))))
    same, confidence = other < 0.5, max(other, 1 - other)
    words = () if same else differences_in_words(photo.build, reference.build, slips)
    return MatchReading(same, confidence, confidence >= ACCEPT_MATCH, words)


def is_complete(build: Build) -> bool:
    """Whether a build is all that stands there: nothing is left over, and no level mixes heights or is too wide.

    `best_build` finds levels of up to MOST_BESIDE equally high pieces. It leaves out further ones, and mistakes a lower
    one for one as high as its neighbours.
    """
    plain = (len({piece.way.upright_mm for piece in level}) == 1 <= len(level) <= MOST_BESIDE for level in build.levels)
    return all(plain) and build.left_over < LEFT_OVER and build.hollow < HOLLOW


def moved_odds(slips_mm: Sequence[float], hands: int, misplaced_mm: float) -> float:
    """The log odds that one piece was moved on purpose, rather than all placed so by hands alone: Bayes' factor.

    slips_mm  distance of each piece from its place, signed; the whole stack may stand elsewhere

    Every piece and every shift of it that is meant is weighed, so that pieces which stand exactly speak, too.
    """
    count = len(slips_mm)
    if not count:
        return 0.0
    variance = hands * ((misplaced_mm / 2) ** 2 + MEASURED_MM**2)
    beside = np.asarray(slips_mm) - np.mean(slips_mm)
    odds = [
        np.log(share / count) + (shift * beside - shift**2 / 2 * (count - 1) / count) / variance
        for shift, share in MEANT_MM.items()
    ]
    return float(np.logaddexp.reduce(odds, axis=None))


def difference(photo: Side, reference: Side) -> tuple[float, list[float]]:
    """The loss of evidence when one's design explains the other's picture, and the shift of each piece in mm.

    Both ways are tried; the better one counts.
    """
    tries = []
    for here, there in ((photo, reference), (reference, photo)):
        if here.maps is not None and here.front is not None:
            tries.append(try_design(here, there.build))
    if alike(photo.build, reference.build):  # Then each picture's own places are the most exact.
        shifts = [a.x_mm - b.x_mm for a, b in zip(in_order(photo.build), in_order(reference.build), strict=True)]
        return 0.0, list(np.array(shifts) - np.median(shifts))
    return min(tries, key=lambda attempt: attempt[0])


def in_order(build: Build) -> list[Placed]:
    """The pieces from the bottom up, each level from the left."""
    return [piece for level in build.levels for piece in level]


def alike(build: Build, other: Build) -> bool:
    """Whether two builds have the same pieces on the same levels."""
    return [(p.level, p.way) for p in in_order(build)] == [(p.level, p.way) for p in in_order(other)]


def try_design(here: Side, design: Build) -> tuple[float, list[float]]:
    """The evidence that a design loses against the best build here, and the distance in mm of each piece from it."""
    assert here.maps is not None
    assert here.front is not None
    if not design.pieces or not here.build.pieces:
        return (0.0 if design.pieces == here.build.pieces else np.inf), []
    evidence = Evidence(here.maps, edge_weight=SEAM_WEIGHT)
    moved = shift_build(design, best_shift(evidence, here.front, design, here.build))
    depths = here.build.depth_mm + np.array([-4.0, 0, 4])
    fitted = best_placed(evidence, here.front, moved, depths, SLACK_MM)
    own = best_placed(evidence, here.front, here.build, np.array([here.build.depth_mm]))
    slips = np.array([a.x_mm - b.x_mm for a, b in zip(fitted.pieces, design.pieces, strict=True)])
    return max(0.0, own.evidence - fitted.evidence), list(slips - np.median(slips))


def best_shift(evidence: Evidence, front: Front, design: Build, build: Build) -> float:
    """The shift of a design: that of the pieces common to both, or the one that fits best if these are few."""
    alike = [
        mine.x_mm - other.x_mm
        for other in design.pieces
        for mine in build.pieces
        if mine.way == other.way and abs(mine.bottom_mm - other.bottom_mm) < ALIKE_MM
    ]
    if len(alike) >= max(2, len(design.pieces) // 2):
        return float(np.median(alike))
    depths = np.full(len(SHIFTS_MM), build.depth_mm)
    gains, _places = place_pieces(evidence, front, design, depths, LOOSE_MM, SHIFTS_MM)
    return float(SHIFTS_MM[int(gains.argmax())])


def shift_build(design: Build, shift_mm: float) -> Build:
    """The design, shifted to the right."""
    return replace(design, pieces=tuple(replace(piece, x_mm=piece.x_mm + shift_mm) for piece in design.pieces))


def card_build(card: Card, ways: Sequence[SizedWay]) -> Build:
    """The build of a card made of a table's own blocks, with its middle at 0."""
    by_name = {way.name: way for way in ways}
    first = card.blocks[0]
    larger = by_name[first.way.value].across_mm / first.width_mm
    feet = sorted({block.bottom_mm for block in card.blocks})
    middle = card.left_mm + card.width_mm / 2
    return Build(
        tuple(
            Placed(
                by_name[block.way.value],
                (block.left_mm + block.width_mm / 2 - middle) * larger,
                block.bottom_mm * larger,
                feet.index(block.bottom_mm),
            )
            for block in card.blocks
        ),
        0.0,
        0.0,
    )


def differences_in_words(build: Build, reference: Build, slips: Sequence[float]) -> tuple[str, ...]:
    """The differences in sentences for people, level by level from the bottom."""
    mine, other = ([tuple(piece.way.name for piece in level) for level in stack.levels] for stack in (build, reference))
    differences: list[str] = []
    for kind, start, end, there, until in SequenceMatcher(None, other, mine, autojunk=False).get_opcodes():
        if kind == "delete":
            differences += [_("level {level} is missing", level=level + 1) for level in range(start, end)]
        elif kind == "insert":
            differences += [_("level {level} shouldn't be there", level=level + 1) for level in range(there, until)]
        elif kind == "replace":
            differences += [_("level {level} is placed differently", level=level + 1) for level in range(there, until)]
    if not differences:
        differences = [
            _("level {level} is {mm} mm too far left", level=piece.level + 1, mm=round(-slip))
            if slip < 0
            else _("level {level} is {mm} mm too far right", level=piece.level + 1, mm=round(slip))
            for piece, slip in zip(reference.pieces, slips, strict=False)
            if abs(slip) > NAMED_MM
        ]
    return tuple(differences or [_("it looks different")])
