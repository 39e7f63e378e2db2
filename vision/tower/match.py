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
from vision.tower.crop import Front
from vision.tower.evidence import Evidence
from vision.tower.fit import MOST_BESIDE, Build, Placed, SizedWay, best_placed, place_pieces
from vision.tower.maps import Maps
from vision.tower.offsets import Offset, offsets_of

MEASURED_MM = 1.0  # A place read from a picture has this standard deviation.
MEANT_MM = {8.0: 1 / 3, -8.0: 1 / 3, 16.0: 1 / 6, -16.0: 1 / 6}  # Shifts made on purpose are so common.
NAMED_MM = 6.0  # A sentence names no smaller shift.
SLACK_MM = 13.0  # A piece of the other's design is searched so far around its place; blocks rest on up to 45 mm.
SHIFTS_MM, LOOSE_MM = np.arange(-20, 20.1, 4.0), 2.0  # Shifts of whole stacks are tried, then of pieces.
ALIKE_MM = 3.0  # Two pieces of one kind are the same if their feet are closer in height.
# The log odds of another stack are fitted to our own pictures (`vision/training/LOG.md`).
# For equal pieces: what an offset is worth by the millimetre beyond its limit, and the millimetres that are no news.
OFFSET_MM, BY_CHANCE_MM = 0.6, 0.2  # seeds 701 to 706
MOST_ODDS = 30.0
# For equal pieces to the millimetre: a constant (less asks less) and the weight of `moved_odds` (seeds 401, 402).
BY_SHIFT = (-1.5, 0.85)
# For others: a constant, and the weight of the log evidence lost (seeds 701 to 706).
BY_EVIDENCE = (-28.8, 3.69)
EVIDENCE_NOISE = 500.0  # A design may lose this evidence by chance,
LEFT_OUT = 2.0  # and so many times more if a build is incomplete.
SEAM_WEIGHT = 4.0  # Where designs differ, few pixels of seams say more than many of fronts.
LEFT_OVER = 0.05  # A build that leaves over a larger share of the visible fronts is incomplete.
HOLLOW = 0.25  # If more of a piece's front is not seen, it is mostly another, lower piece.
MOST_DOUBT = 2.0  # The places of an incomplete build have no larger log odds, so that people are always asked.
ACCEPT_MATCH = 0.98


@dataclass(frozen=True, eq=False)
class Side:
    """One of two stacks: its best build, its maps (none for a card), and whether its picture shows all of it."""

    build: Build
    front: Front | None = None
    maps: Maps | None = None
    in_view: bool = True


def compare(photo: Side, reference: Side, misplaced_mm: float | None = None) -> MatchReading:
    """Whether the stack of a photo is the same as the reference's.

    misplaced_mm  how far from its place a hand may put a block, in each build: two standard deviations; None where an
                  offset counts from a third of what carries the block
    """
    lost, mine, other = difference(photo, reference)
    offsets = offsets_of(mine, other)
    if misplaced_mm is None:
        doubt = offset_odds(offsets)
    else:
        hands = 1 if reference.maps is None else 2  # Nobody built the stack on a card.
        doubt = BY_SHIFT[0] + BY_SHIFT[1] * moved_odds(slips_of(mine, other), hands, misplaced_mm)
    complete = is_complete(photo.build) and is_complete(reference.build)
    if not complete:
        doubt = float(np.clip(doubt, -MOST_DOUBT, MOST_DOUBT))
    if not alike(photo.build, reference.build):
        by_chance = lost if complete else lost / LEFT_OUT
        doubt = max(doubt, BY_EVIDENCE[0] + BY_EVIDENCE[1] * float(np.log(by_chance + EVIDENCE_NOISE)))
    different = float(1 / (1 + np.exp(-np.clip(doubt, -30, 30))))
    same, confidence = different < 0.5, max(different, 1 - different)
    beside = [offset for offset in offsets if counts(offset, misplaced_mm)]
    words = () if same else differences_in_words(photo.build, reference.build, beside)
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


def difference(photo: Side, reference: Side) -> tuple[float, Build, Build]:
    """The loss of evidence when one's design explains the other's picture, and that design as it lies in both.

    Both ways are tried; the better one counts. The first build is the photo's.
    """
    if alike(photo.build, reference.build):  # Then each picture's own places are the most exact.
        return 0.0, photo.build, reference.build
    lost, mine, other = try_design(photo, reference.build)
    if reference.maps is not None:
        lost_there, there, here = try_design(reference, photo.build)
        if lost_there < lost:
            return lost_there, here, there
    return lost, mine, other


def counts(offset: Offset, misplaced_mm: float | None) -> bool:
    """Whether an offset is named as a difference."""
    return offset.beyond_mm > 0 if misplaced_mm is None else abs(offset.aside_mm) > NAMED_MM


def slips_of(build: Build, other: Build) -> list[float]:
    """The distance in mm of each piece from its place in the other build; the whole stack may stand elsewhere."""
    slips = np.array([a.x_mm - b.x_mm for a, b in zip(in_order(build), in_order(other), strict=True)])
    return list(slips - np.median(slips)) if len(slips) else []


def offset_odds(offsets: Sequence[Offset]) -> float:
    """The log odds that one of the offsets, as they were measured, counts."""
    return float(
        np.logaddexp.reduce([(offset.beyond_mm - BY_CHANCE_MM) / OFFSET_MM for offset in offsets], initial=-MOST_ODDS)
    )


def in_order(build: Build) -> list[Placed]:
    """The pieces from the bottom up, each level from the left."""
    return [piece for level in build.levels for piece in level]


def alike(build: Build, other: Build) -> bool:
    """Whether two builds have the same pieces on the same levels."""
    return [(p.level, p.way) for p in in_order(build)] == [(p.level, p.way) for p in in_order(other)]


def try_design(here: Side, design: Build) -> tuple[float, Build, Build]:
    """The evidence that a design loses against the best build here, the design as it fits best here, and itself."""
    assert here.maps is not None
    assert here.front is not None
    if not design.pieces or not here.build.pieces:
        return (0.0 if design.pieces == here.build.pieces else np.inf), design, design
    evidence = Evidence(here.maps, edge_weight=SEAM_WEIGHT)
    moved = shift_build(design, best_shift(evidence, here.front, design, here.build))
    depths = here.build.depth_mm + np.array([-4.0, 0, 4])
    fitted = best_placed(evidence, here.front, moved, depths, SLACK_MM)
    own = best_placed(evidence, here.front, here.build, np.array([here.build.depth_mm]))
    return max(0.0, own.evidence - fitted.evidence), fitted, design


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


def differences_in_words(build: Build, reference: Build, beside: Sequence[Offset]) -> tuple[str, ...]:
    """The differences in sentences for people, level by level from the bottom.

    beside  the pieces that count as moved
    """
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
        differences = [offset.in_words() for offset in beside]
    return tuple(differences or [_("it looks different")])
