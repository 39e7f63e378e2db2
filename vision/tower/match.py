"""Is it the same stack? Two builds compared, each also tried on the picture of the other.

A stack is the same when the other one's design explains its picture about as well as its own best design does, and no
piece sits beside its place by more than hands may miss. Whole stacks may be shifted. What lies between is asked.
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
from vision.tower.fit import MOST_BESIDE, Build, Placed, Way, best_placed, placed
from vision.tower.maps import Maps

MEASURED_MM = 1.0  # one standard deviation of a place that is read off a picture
MEANT_MM = 8.0  # the smallest shift that is meant
NAMED_MM = 6.0  # a shift that is worth a sentence
SLACK_MM = 6.0  # a piece of the other's design is looked for within so much of its place
SHIFTS_MM, LOOSE_MM = np.arange(-20, 20.1, 4.0), 2.0  # of whole stacks, and how far pieces may sit beside each
ALIKE_MM = 3.0  # pieces of one kind whose feet are so close in height are the same piece
# log odds of another stack, fitted to comparisons of our own pictures (seeds 401 to 403; `vision/training/LOG.md`)
BY_SHIFT = (-3.0, 0.68)  # where pieces are alike: at none, and by each e-fold of `moved_odds`
BY_EVIDENCE = (-33.8, 4.42, -1.04)  # where they are not: at none, by log evidence lost, by log number of pieces
EVIDENCE_NOISE = 2000.0  # so much evidence a design may lose by chance
SEAM_WEIGHT = 4.0  # of edges against fronts: where designs differ, seams say more than so many more pixels of fronts
LEFT_OVER = 0.05  # of the fronts that are seen; a build that explains less is not all that stands there
HOLLOW = 0.25  # of a piece's front; one of which less is seen is mostly another, lower piece
MOST_DOUBT = 2.0  # log odds where a build is not all that stands there: always asked
ACCEPT_MATCH = 0.98


@dataclass(frozen=True, eq=False)
class Side:
    """One of two stacks: its best build, and the picture where there is one (a card has none) and shows all of it."""

    build: Build
    front: Front | None = None
    maps: Maps | None = None
    in_view: bool = True


def compared(photo: Side, reference: Side, misplaced_mm: float = Scene.misplaced_mm) -> MatchReading:
    """Whether the stack of a photo is the reference's.

    misplaced_mm  how far beside its place a hand may put a block, in each of two builds: two standard deviations
    """
    lost, slips = difference(photo, reference)
    hands = 1 if reference.maps is None else 2  # a card was built by nobody
    doubt = BY_SHIFT[0] + BY_SHIFT[1] * moved_odds(slips, hands, misplaced_mm)
    if not alike(photo.build, reference.build):
        pieces = max(len(photo.build.pieces), len(reference.build.pieces))
        by_evidence = BY_EVIDENCE[0] + BY_EVIDENCE[1] * np.log(lost + EVIDENCE_NOISE) + BY_EVIDENCE[2] * np.log(pieces)
        doubt = max(doubt, float(by_evidence))
    if not (is_told(photo.build) and is_told(reference.build)):
        doubt = float(np.clip(doubt, -MOST_DOUBT, MOST_DOUBT))
    other = float(1 / (1 + np.exp(-np.clip(doubt, -30, 30))))
    same, confidence = other < 0.5, max(other, 1 - other)
    words = () if same else in_words(photo.build, reference.build, slips)
    return MatchReading(same, confidence, confidence >= ACCEPT_MATCH, words)


def is_told(build: Build) -> bool:
    """Whether a build is all that stands there: `best_build` finds levels of up to MOST_BESIDE equally high pieces; it
    leaves further ones over, and takes a lower one for one as high as its neighbours."""
    plain = (len({piece.way.upright_mm for piece in level}) == 1 <= len(level) <= MOST_BESIDE for level in build.levels)
    return all(plain) and build.left_over < LEFT_OVER and build.hollow < HOLLOW


def moved_odds(slips_mm: Sequence[float], hands: int, misplaced_mm: float) -> float:
    """By how many e-folds a piece that was meant to be moved explains the places better than hands alone do.

    slips_mm  how far each piece sits beside its place; shifts of the whole stack are taken off here
    """
    count = len(slips_mm)
    if count < 2:
        return 0.0
    variance = hands * ((misplaced_mm / 2) ** 2 + MEASURED_MM**2)
    slips = np.asarray(slips_mm)
    beside = np.abs(slips - slips.mean()) * count / (count - 1)  # each against the mean of the others
    unexplained = np.maximum(MEANT_MM - beside, 0)
    return float((beside**2 - unexplained**2).max()) * (count - 1) / count / (2 * variance)


def difference(photo: Side, reference: Side) -> tuple[float, list[float]]:
    """How much worse one's design explains the other's picture, and the shift of each piece in mm; the better way."""
    tries = []
    for here, there in ((photo, reference), (reference, photo)):
        if here.maps is not None and here.front is not None:
            tries.append(tried(here, there.build))
    if alike(photo.build, reference.build):  # then what each picture says of its own pieces is the best to go by
        shifts = [a.x_mm - b.x_mm for a, b in zip(in_order(photo.build), in_order(reference.build), strict=True)]
        return 0.0, list(np.array(shifts) - np.median(shifts))
    return min(tries, key=lambda found: found[0])


def in_order(build: Build) -> list[Placed]:
    """The pieces from the bottom up, from the left in each level."""
    return [piece for level in build.levels for piece in level]


def alike(one: Build, other: Build) -> bool:
    """Whether two builds have the same pieces on the same levels."""
    return [(p.level, p.way) for p in in_order(one)] == [(p.level, p.way) for p in in_order(other)]


def tried(here: Side, design: Build) -> tuple[float, list[float]]:
    """A design tried on a picture: evidence lost against its best build, how far each piece sits beside the design."""
    assert here.maps is not None
    assert here.front is not None
    if not design.pieces or not here.build.pieces:
        return (0.0 if design.pieces == here.build.pieces else np.inf), []
    evidence = Evidence(here.maps, edge_weight=SEAM_WEIGHT)
    moved = shifted(design, best_shift(evidence, here.front, design, here.build))
    depths = here.build.depth_mm + np.array([-4.0, 0, 4])
    fitted = best_placed(evidence, here.front, moved, depths, SLACK_MM)
    own = best_placed(evidence, here.front, here.build, np.array([here.build.depth_mm]))
    slips = np.array([a.x_mm - b.x_mm for a, b in zip(fitted.pieces, design.pieces, strict=True)])
    return max(0.0, own.evidence - fitted.evidence), list(slips - np.median(slips))


def best_shift(evidence: Evidence, front: Front, design: Build, build: Build) -> float:
    """By how much a design has to be shifted: as pieces that stand alike in both say, else where it fits best."""
    alike = [
        mine.x_mm - other.x_mm
        for other in design.pieces
        for mine in build.pieces
        if mine.way == other.way and abs(mine.bottom_mm - other.bottom_mm) < ALIKE_MM
    ]
    if len(alike) >= max(2, len(design.pieces) // 2):
        return float(np.median(alike))
    depths = np.full(len(SHIFTS_MM), build.depth_mm)
    gains, _places = placed(evidence, front, design, depths, LOOSE_MM, SHIFTS_MM)
    return float(SHIFTS_MM[int(gains.argmax())])


def shifted(design: Build, shift_mm: float) -> Build:
    """The design, so much further right."""
    return replace(design, pieces=tuple(replace(piece, x_mm=piece.x_mm + shift_mm) for piece in design.pieces))


def card_build(card: Card, ways: Sequence[Way]) -> Build:
    """The build of a card, of a table's own blocks, its middle at 0."""
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


def in_words(build: Build, wanted: Build, slips: Sequence[float]) -> tuple[str, ...]:
    """The differences, level by level from the bottom, in sentences for people."""
    mine, other = ([tuple(piece.way.name for piece in level) for level in each.levels] for each in (build, wanted))
    found: list[str] = []
    for kind, start, end, there, until in SequenceMatcher(None, other, mine, autojunk=False).get_opcodes():
        if kind == "delete":
            found += [_("level {level} is missing", level=level + 1) for level in range(start, end)]
        elif kind == "insert":
            found += [_("level {level} is one too many", level=level + 1) for level in range(there, until)]
        elif kind == "replace":
            found += [_("level {level} lies differently", level=level + 1) for level in range(there, until)]
    if not found:
        found = [
            _("level {level} is {mm} mm too far left", level=piece.level + 1, mm=round(-slip))
            if slip < 0
            else _("level {level} is {mm} mm too far right", level=piece.level + 1, mm=round(slip))
            for piece, slip in zip(wanted.pieces, slips, strict=False)
            if abs(slip) > NAMED_MM
        ]
    return tuple(found or [_("it looks different")])
