"""Is it the same stack? Two builds compared, each also tried on the picture of the other.

A stack is the same when the other one's design explains its picture about as well as its own best design does, and no
piece sits beside its place by more than hands may miss. Whole stacks may be shifted. What lies between is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import numpy as np

from companion.games.maxstax.deck import Card
from companion.readings import MatchReading
from companion.words import _
from vision.tower_crop import Front
from vision.tower_fit import Build, Evidence, Placed, Way, placed
from vision.tower_maps import Maps

MISPLACED_MM = 3.0  # what a hand may miss, in each of two builds
MEANT_MM = 8.0  # the smallest shift that is meant
SLACK_MM = 6.0  # a piece of the other's design is looked for within so much of its place
SHIFTS_MM = np.arange(-20, 20.1, 4.0)  # of whole stacks
ALIKE_MM = 3.0  # pieces of one kind whose feet are so close in height are the same piece
LESS_EVIDENCE = 600.0  # by so much the other's design may explain a picture worse before it is another stack
UNREADABLE = 0.6  # of the evidence for a build; who loses more shares hardly a block with the other
SHIFT_STEEP, EVIDENCE_STEEP = 1.0, 1.7  # how fast doubt ends, per mm and per e-fold of evidence; set on own pictures
MOST_BY_SHIFT = 2.0  # a shift alone is always asked: a seam taken for another looks like one
ACCEPT_MATCH = 0.98


@dataclass(frozen=True, eq=False)
class Side:
    """One of two stacks: its best build, and the picture where there is one (a card has none)."""

    build: Build
    front: Front | None = None
    maps: Maps | None = None


def compared(photo: Side, reference: Side, misplaced_mm: float = MISPLACED_MM) -> MatchReading:
    """Whether the stack of a photo is the reference's."""
    lost, slips = difference(photo, reference)
    limit_mm = (2 * misplaced_mm + MEANT_MM) / 2 - 1  # two hands may each miss; what is meant moves one block alone
    worst = max((abs(slip) for slip in slips), default=0.0)
    by_shift = min(SHIFT_STEEP * (worst - limit_mm), MOST_BY_SHIFT)
    by_evidence = EVIDENCE_STEEP * float(np.log((lost + 5) / LESS_EVIDENCE))
    if lost > UNREADABLE * max(photo.build.evidence, reference.build.evidence):
        by_evidence = min(by_evidence, MOST_BY_SHIFT)  # one of the pictures was misread rather than built otherwise
    doubt = max(by_shift, by_evidence)
    other = float(1 / (1 + np.exp(-np.clip(doubt, -30, 30))))
    same, confidence = other < 0.5, max(other, 1 - other)
    words = () if same else in_words(photo.build, reference.build, slips, limit_mm)
    return MatchReading(same, confidence, confidence >= ACCEPT_MATCH, words)


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
    evidence = Evidence(here.maps)
    moved = shifted(design, best_shift(evidence, here.front, design, here.build))
    depths = here.build.depth_mm + np.array([-4.0, 0, 4])
    fitted = max(
        (placed(evidence, here.front, moved, float(depth), SLACK_MM) for depth in depths), key=lambda b: b.evidence
    )
    own = placed(evidence, here.front, here.build, here.build.depth_mm)
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
    tries = [placed(evidence, front, shifted(design, shift), build.depth_mm, 2.0).evidence for shift in SHIFTS_MM]
    return float(SHIFTS_MM[int(np.argmax(tries))])


def shifted(design: Build, shift_mm: float) -> Build:
    """The design, so much further right."""
    return replace(design, pieces=tuple(replace(piece, x_mm=piece.x_mm + shift_mm) for piece in design.pieces))


def card_build(card: Card, ways: Sequence[Way]) -> Build:
    """What a card shows, built of a table's own blocks, its middle at 0."""
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


def in_words(build: Build, wanted: Build, slips: Sequence[float], limit_mm: float) -> tuple[str, ...]:
    """What is different, level by level from the bottom, in sentences for people."""
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
            if abs(slip) > limit_mm
        ]
    return tuple(found or [_("it looks different")])
