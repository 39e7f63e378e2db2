"""Reads six-sided pip dice: find → look → count_pips → look again → look around it → accept or ask.

A small network finds dice on a reduced frame. A second one reads each at full resolution, twice: as found, and turned
upright and centred on the top face. The pips of that upright face are a cue of their own. A third network sees the few
dice that are still in doubt larger. A fourth sees what lies around a thing that may be no die. Where these disagree,
people are asked. Networks and limits: vision/models/README.md; figures: docs/vision/dice.md.
"""

from dataclasses import dataclass, replace
from functools import cache
from math import cos, radians, sin
from pathlib import Path

import numpy as np

from companion.foreign import read_json
from companion.game.readings import Box, DiceReading, DieReading
from vision.colour.bodies import bodies_bgr, name_colours, paints_in_use, shows_paints
from vision.dice.crops import CLOSE_PX, CROP_PX, KNOWN_CONTEXT, UPRIGHT_CONTEXT, Pyramid, crop_matrix, cut
from vision.dice.faces import CLASSES, NO_DIE, FacePrediction, FaceReader, candidate_matrix, upright_matrix
from vision.dice.finder import Candidate, DiceFinder, Trace, keep_strongest
from vision.dice.known import DieKnower
from vision.dice.pips import PIP_CROP_PX, count_pips
from vision.dice.sights import (
    FAINT_HEAT,
    SURE_HEAT,
    SURELY_NONE,
    Sight,
    ask_beside_dice,
    drop_inner,
    drop_same_face,
    mark_odd_sizes,
    may_hide_dice,
    split_sight,
    with_far,
)
from vision.models.network import MODELS, softmax
from vision.scene.markers import without_markers
from vision.scene.scene import Scene

READER_WORK, CLOSE_WORK = 11_463_648, 60_701_712  # A crop costs so many multiply-adds.

LEAST_SURE = 3  # So many dice must be surely read before doubtful places get a closer look: they tell the usual size.
CLOSER_LOOKS = 3  # One frame gets no more.
DETAIL_PX, DETAIL_DIE_PX = 192, 56  # A closer look shows this side, and the usual die that large.
SURELY_NONE_FAINT = 0.8  # It is SURELY_NONE for a faint candidate.
SURELY_READ = 0.97  # A face read so surely gets no second look when its pips say the same ...
SURELY_READ_ALONE = 0.99  # ... nor when no pattern of pips stands out.
BEYOND_DOUBT = 0.995  # A hot die read so surely is not asked about what lies around it.
LIKELY_DIE = 0.3  # With a smaller probability of having a value the third network does not look.
WELL_KNOWN = 0.8  # If the network that sees more around a thing is less sure of a die, its pips confirm no value ...
LEAST_KNOWN = 0.3  # ... and one less likely than that is asked in any case.
MOST_UNKNOWN = 24  # The network that knows dice is shown no more things of one look, the least sure first.
# The third network sees no more dice of one look, the likeliest first: each costs as much as five others.
MOST_DOUBTFUL = 8


@dataclass(frozen=True)
class Thresholds:
    """The scores' temperature and the limits of acceptance; written by vision.training.nets.thresholds.

    temperature     divides the scores
    accept          least probability to accept a value that the pip count confirms
    accept_alone    the same when the pip count says nothing or something else
    heat            least heat of an accepted die
    """

    temperature: float
    accept: float
    accept_alone: float
    heat: float


class DiceReader:
    """All networks for dice, loaded once. For one thread at a time: OpenCV's networks keep their working memory."""

    def __init__(self, models: Path = MODELS) -> None:
        self.finder = DiceFinder(models)
        self.reader = FaceReader("dice-reader", CROP_PX, READER_WORK, models)
        self.close_reader = FaceReader("dice-doubts", CLOSE_PX, CLOSE_WORK, models)
        self.knower = DieKnower(models)
        self.thresholds = Thresholds(**read_json((models / "dice.json").read_bytes()))
        self.reads = 0
        self._last: tuple[DiceReading | None, list[Sight]] = (None, [])
        """The last reading of a whole frame, and all in it that was not surely none."""

    @property
    def multiply_adds(self) -> int:
        """The multiply-adds of all reads together."""
        parts = (self.finder, self.reader, self.close_reader, self.knower)
        return sum(part.multiply_adds for part in parts)

    def read(self, frame_bgr: np.ndarray, scene: Scene | None = None, trace: Trace | None = None) -> DiceReading:
        """All dice of a frame (h, w, 3) uint8."""
        frame_bgr = without_markers(frame_bgr, scene) if scene else frame_bgr
        sights = self.sights(frame_bgr, trace)
        reading = self.reading(frame_bgr, scene, sights)
        self._last = reading, [sight for sight in sights if sight.chances[NO_DIE] < SURELY_NONE]
        return reading

    def read_again(self, frame_bgr: np.ndarray, scene: Scene | None, first: DiceReading) -> DiceReading:
        """The same table in another picture, as nothing moved since `first`: looks at the faces of what may be a die.

        What lies around them is known. Only the last reading can be followed so, after any other the frame is read.
        """
        last, before = self._last
        if last is not first:
            return self.read(frame_bgr, scene)
        self.reads += 1
        frame_bgr = without_markers(frame_bgr, scene) if scene else frame_bgr
        looks = self.judge(Pyramid(frame_bgr), [sight.candidate for sight in before])
        sights = [replace(look, known=sight.known) for look, sight in zip(looks, before, strict=True)]
        return self.reading(frame_bgr, scene, ask_beside_dice(sights))

    def reading(self, frame_bgr: np.ndarray, scene: Scene | None, sights: list[Sight]) -> DiceReading:
        """What the sights of a frame say together."""
        height, width = frame_bgr.shape[:2]
        sights = mark_odd_sizes(drop_same_face(drop_inner([sight for sight in sights if sight.is_die])))
        readable = [sight for sight in sights if sight.readable]
        bodies = bodies_bgr([sight.upright for sight in readable if sight.upright is not None], 1 / UPRIGHT_CONTEXT)
        paints = paints_in_use(scene.colour_rgb, scene.colours) if scene else {}
        can_tell_colours = not paints or shows_paints(frame_bgr, np.array(list(paints.values())))
        colours = name_colours(bodies, paints) if can_tell_colours else [None] * len(bodies)
        strictness = scene.strictness if scene else 1.0
        dice = tuple(
            reading_of(sight, colour, body, self.thresholds, strictness)
            for sight, colour, body in zip(readable, colours, bodies, strict=True)
        )
        unread = tuple(box_of(sight.candidate) for sight in sights if not sight.readable)
        return DiceReading(width, height, dice, unread)

    def sights(self, frame_bgr: np.ndarray, trace: Trace | None = None) -> list[Sight]:
        """Every candidate with all that is known about it, including those that are no dice."""
        self.reads += 1
        pyramid = Pyramid(frame_bgr)
        sights = self.judge(pyramid, self.finder.find(pyramid, trace))
        sides = [sight.candidate.side for sight in sights if sight.is_sure_die]
        if len(sides) < LEAST_SURE:  # Otherwise a die that fills the frame would be of an odd size.
            far = self.judge(pyramid, self.finder.find_far(pyramid, trace))
            return self.with_knower(pyramid, with_far(sights, far))
        usual = float(np.median(sides))
        for doubt in [sight for sight in sights if may_hide_dice(sight, usual)][:CLOSER_LOOKS]:
            sights = split_sight(sights, doubt, self.judge(pyramid, self.look_closer(pyramid, doubt.candidate, usual)))
        return self.with_knower(pyramid, sights)

    def look_closer(self, pyramid: Pyramid, place: Candidate, usual: float) -> list[Candidate]:
        """Candidates around a place, seen so close that touching dice come apart; `usual` is a die's side in px."""
        side = usual * DETAIL_PX / DETAIL_DIE_PX
        scale = DETAIL_PX / side
        detail_bgr = cut(pyramid, crop_matrix(place.cx, place.cy, side, 0.0), DETAIL_PX)
        left, top = place.cx - side / 2, place.cy - side / 2
        near = [replace(c, cx=c.cx + left, cy=c.cy + top) for c in self.finder.scan(detail_bgr, scale, "detail")]
        return keep_strongest([c for c in near if max(abs(c.cx - place.cx), abs(c.cy - place.cy)) < 0.3 * side])

    def judge(self, pyramid: Pyramid, candidates: list[Candidate]) -> list[Sight]:
        """The candidates with the answers of the networks and the pips."""
        temperature = self.thresholds.temperature
        looks = self.reader.look(pyramid, [candidate_matrix(candidate) for candidate in candidates])
        first = softmax(np.array([look.scores for look in looks]).reshape(-1, CLASSES) / temperature)
        upright = [
            cut(pyramid, upright_matrix(look), PIP_CROP_PX) if chances[NO_DIE] < SURELY_NONE else None
            for look, chances in zip(looks, first, strict=True)
        ]
        counts = iter(count_pips([crop for crop in upright if crop is not None]))
        pips = [None if crop is None else next(counts) for crop in upright]
        sights = [
            Sight(candidate, look.face, chances, True, count, crop)
            for candidate, look, chances, count, crop in zip(candidates, looks, first, pips, upright, strict=True)
        ]
        again = [i for i, c in enumerate(candidates) if needs_second_look(c, first[i], pips[i])]
        second = self.reader.look(pyramid, [upright_matrix(looks[i]) for i in again])
        votes = {i: [looks[i], look] for i, look in zip(again, second, strict=True)}
        for i in again:
            sights[i] = combine_looks(sights[i], votes[i], temperature)
        doubtful = most_doubtful({i: sights[i] for i in again}, self.thresholds)
        as_found = self.close_reader.look(pyramid, [candidate_matrix(candidates[i]) for i in doubtful])
        by_turning = self.close_reader.look(pyramid, [upright_matrix(looks[i]) for i in doubtful])
        for i, found_look, turned_look in zip(doubtful, as_found, by_turning, strict=True):
            votes[i] += [found_look, cap_no_die(turned_look, votes[i])]
            sights[i] = combine_looks(sights[i], votes[i], temperature)
        return sights

    def with_knower(self, pyramid: Pyramid, sights: list[Sight]) -> list[Sight]:
        """The sights with the word of the network that sees more around each thing that counts as a die."""
        unknown = most_unknown(sights, min(pyramid.frame_bgr.shape[:2]))
        chances = self.knower.chances(pyramid, [sights[i].candidate for i in unknown])
        chance_by = dict(zip(unknown, chances, strict=True))
        return ask_beside_dice(
            [replace(sight, known=chance_by[i]) if i in chance_by else sight for i, sight in enumerate(sights)]
        )


@cache
def default_reader() -> DiceReader:
    return DiceReader()


def read_dice(frame_bgr: np.ndarray, scene: Scene | None = None, trace: Trace | None = None) -> DiceReading:
    """All dice of a frame (h, w, 3) uint8, read with the networks in vision/models."""
    return default_reader().read(frame_bgr, scene, trace)


def read_dice_again(frame_bgr: np.ndarray, scene: Scene | None, first: DiceReading) -> DiceReading:
    """The dice of `first` in another picture of the same rest, see `DiceReader.read_again`."""
    return default_reader().read_again(frame_bgr, scene, first)


def needs_second_look(candidate: Candidate, chances: np.ndarray, pips: int | None) -> bool:
    """Whether the first look and the pips leave a doubt; a second look costs as much as the first."""
    likeliest = int(chances.argmax())
    if likeliest == NO_DIE:
        return float(chances[NO_DIE]) < (SURELY_NONE if candidate.heat >= FAINT_HEAT else SURELY_NONE_FAINT)
    if pips is None:
        return float(chances[likeliest]) < SURELY_READ_ALONE
    return likeliest != pips or float(chances[likeliest]) < SURELY_READ


def most_unknown(sights: list[Sight], shorter_px: int) -> list[int]:
    """The indices of the sights to ask about what lies around them, at most MOST_UNKNOWN.

    They are what counts as a die and is not read as surely as can be. Of what fills a frame of that shorter side,
    nothing around it is seen.
    """
    unknown = [
        i
        for i, sight in enumerate(sights)
        if sight.is_die
        and KNOWN_CONTEXT * sight.candidate.side <= shorter_px
        and (sight.confidence < BEYOND_DOUBT or sight.candidate.heat < SURE_HEAT)
    ]
    return sorted(sorted(unknown, key=lambda i: sights[i].confidence)[:MOST_UNKNOWN])


def most_doubtful(sights: dict[int, Sight], thresholds: Thresholds) -> list[int]:
    """The keys of the sights to see larger: likely dice that would be asked otherwise, at most MOST_DOUBTFUL."""
    doubts = {}
    for i, sight in sights.items():
        is_asked = not sight.agreed or sight.confidence < value_confidence_needed(sight, thresholds)
        if is_asked and sight.some_value > LIKELY_DIE:
            doubts[i] = sight.confidence
    return sorted(sorted(doubts, key=lambda i: -doubts[i])[:MOST_DOUBTFUL])


def cap_no_die(look: FacePrediction, others: list[FacePrediction]) -> FacePrediction:
    """The look, no surer of no die than the others are.

    Upright, the third network takes some large faces on a patterned cloth for print.
    """
    usual = float(np.mean([other.scores[NO_DIE] - other.scores[NO_DIE + 1 :].max() for other in others]))
    scores = look.scores.copy()
    scores[NO_DIE] = min(scores[NO_DIE], scores[NO_DIE + 1 :].max() + usual)
    return replace(look, scores=scores)


def combine_looks(sight: Sight, votes: list[FacePrediction], temperature: float) -> Sight:
    """The sight with the mean of all looks; it is agreed if most looks name the value that the mean names."""
    scores = np.array([vote.scores for vote in votes])
    chances = softmax(scores.sum(axis=0) / (len(votes) * temperature))
    alike = np.count_nonzero(scores.argmax(axis=1) == chances.argmax())
    return replace(sight, chances=chances, agreed=bool(alike > 0.7 * len(votes)))


def confidence_needed(sight: Sight, thresholds: Thresholds) -> float | None:
    """The least confidence at which the die is accepted, or None if it is asked in any case."""
    if not sight.agreed or sight.odd_size or sight.candidate.heat < thresholds.heat or sight.known < LEAST_KNOWN:
        return None
    return value_confidence_needed(sight, thresholds)


def value_confidence_needed(sight: Sight, thresholds: Thresholds) -> float:
    """The least confidence at which the value is accepted, if nothing else is in doubt."""
    confirmed = sight.pips == sight.value and sight.known >= WELL_KNOWN
    return thresholds.accept if confirmed else thresholds.accept_alone


def reading_of(
    sight: Sight, colour: str | None, body: np.ndarray, thresholds: Thresholds, strictness: float = 1.0
) -> DieReading:
    x, y, side, turn = sight.face
    spread = side * (abs(cos(radians(turn))) + abs(sin(radians(turn))))
    chances = [(value, round(chance, 4)) for value, chance in enumerate(sight.chances[1:7].tolist(), 1)]
    alternatives = tuple(sorted(((v, c) for v, c in chances if c > 0.001), key=lambda pair: -pair[1]))
    needed = confidence_needed(sight, thresholds)
    blue, green, red = (round(level, 1) for level in body.tolist())
    return DieReading(
        value=sight.value,
        cx=x,
        cy=y,
        w=spread,
        h=spread,
        angle_deg=turn,
        colour=colour,
        confidence=sight.confidence,
        accepted=needed is not None and 1 - sight.confidence <= (1 - needed) / strictness,
        alternatives=alternatives,
        needs=needed,
        body_rgb=(red, green, blue),
    )


def box_of(candidate: Candidate) -> Box:
    return Box(candidate.cx, candidate.cy, candidate.w, candidate.h)
