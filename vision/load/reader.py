"""Reads left-over boxes beside the trucks, and what covers the trucks' loading areas, from above.

One network finds the tops of boxes in the frame laid flat (`vision.load.flat`). Another reads a cut around each
(`vision.load.cuts`): whether it is a box beside the trucks, how long it is, and whether it lies or stands; it also
tells how high each square of a truck is covered. As all boxes of a size have one colour and no two sizes share one,
sizes and colours are then settled together (`vision.load.colours`).
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

import cv2
import numpy as np

from companion.errors import BadInput
from companion.game.readings import LeftReading, LoadReading, SquareReading, TruckReading
from companion.words import _, number
from vision.load.colours import SIZE_OF_KIND, SIZES, colour_features, settle_sizes
from vision.load.counts import BOX_CHANCE, Roll, count_boxes, heights_together
from vision.load.cuts import Cutter, cutter_of, reader_input
from vision.load.flat import Flat, finder_input, is_plain, lay_flat, seen_at
from vision.models.network import Network, load_network, softmax
from vision.scene.pose import Pose
from vision.scene.scene import Scene, Truck

STRIDE = 4  # The finder's answers are so many flat pixels apart.
KINDS = ((1, False), (2, False), (3, False), (4, False), (5, False), (2, True), (3, True), (4, True), (5, True))
# The scores are no box or its kind, a shift, and a level.
CLASSES, OFFSETS, LEVELS = slice(0, 10), slice(10, 12), slice(12, 17)
TOP_UNITS = np.array([length if standing else 1 for length, standing in KINDS])  # The top of each kind is so high.
MOST_LEVELS = 4  # The reader's highest level means this height or more.
LEAST_HEAT = 0.15  # A top with less heat gets no closer look.
MOST_TOPS = 64  # No game has as many boxes: if more are found, people are asked.
BATCH = 24  # More cuts at once take more memory and no less time.
SURE = 0.99  # A cut read more surely is not read again in the mirror.
HEAT_WEIGHT, READ_WEIGHT, HEAT_START = 1.6, 0.72, -1.4  # They weigh both networks' log odds, fitted on drawn loads.
SEEN_WEIGHT, COLOUR_WEIGHT, COLOUR_START = 0.87, 3.0, -1.45  # They weigh these odds and a shared colour, fitted alike.
SURE_ODDS = 2.5  # A box with these log odds counts by its colour for others.
# The looks of one paint spread so; with no other box known the likeness is the second.
SAME_PAINT, NO_PAINT = 0.15, 0.5
APART = 0.55  # Two tops so close, in units, are one.
CORE = 0.3  # A top's colour is measured within this half side, in units.
UNITS_UNLIKE = 1.3  # A truck's squares are as wide as the smallest box and a little play.
ACCEPT_OUTSIDE, ACCEPT_SQUARE = 0.96, 0.995  # Higher asks more and errs less.
ACCEPT_ROLLED = 0.93  # This holds for left-overs that agree with a roll and a truck in view.


class Tops(NamedTuple):
    """The finder's tops, the surest first.

    spots_mm  (n, 2), one box high
    heat      (n,) confidence of each, 0..1
    """

    spots_mm: np.ndarray
    heat: np.ndarray


@dataclass(frozen=True, eq=False)
class BoxLook:
    """A thing beside the trucks that looks like a box.

    likely   probability that it is a box
    chances  (9,) probabilities of KINDS if it is a box
    seen_mm  (2,) where its top appears, one box high
    """

    likely: float
    chances: np.ndarray
    seen_mm: np.ndarray


@dataclass(frozen=True, eq=False)
class Square:
    """A square of a loading area: probabilities of its levels (5,), and the middle of its top (3,) in mm."""

    chances: np.ndarray
    top_mm: np.ndarray


@cache
def load_finder() -> Network:
    return load_network("load-finder")


@cache
def load_reader() -> Network:
    return load_network("load-reader")


def read_load(frame_bgr: np.ndarray, scene: Scene | None) -> LoadReading:
    """Left-overs and trucks of a frame (h, w, 3) uint8; BadInput says what the scene lacks or contradicts."""
    scene = scene or Scene()
    unit_mm = unit_of(scene)
    pose = scene.pose(frame_bgr)
    flat = lay_flat(frame_bgr, pose, unit_mm)
    cutter = cutter_of(frame_bgr, pose, unit_mm, scene.trucks)
    tops = likely_tops(flat, scene.trucks, pose, unit_mm)
    squares = [square for truck in scene.trucks for square in squares_of(truck, square_levels(cutter, truck))]
    covered = [square for square in squares if square.chances[0] < 0.5]
    covered_rgb = colours_of(frame_bgr, pose, [square.top_mm for square in covered], unit_mm)
    things = drop_twins(look_closer(Tops(*(part[:MOST_TOPS] for part in tops)), cutter), APART * unit_mm)
    seen_rgb = colours_of(
        frame_bgr, pose, [top_of(box, int(box.chances.argmax()), pose, unit_mm) for box in things], unit_mm
    )
    things = weigh_by_colour(things, seen_rgb, covered_rgb)
    settled = settle_sizes(
        seen_rgb,
        np.array([box.chances for box in things]).reshape(-1, len(KINDS)),
        np.array([box.likely >= BOX_CHANCE for box in things], bool),
        covered_rgb,
        scene.colour_by_length,
    )
    beside = count_boxes(np.array([box.likely for box in things]), settled.chances, rolls_of(scene, squares))
    confidence = beside.confidence
    no_box_anywhere = not beside.outside.any() and not covered  # The table is another one, or boxes have another size.
    if len(tops.heat) > MOST_TOPS or is_plain(flat) or no_box_anywhere:
        confidence = 0.0
    colours_by_square = dict(zip(map(id, covered), settled.loaded, strict=True))
    readings = iter([square_reading(square, colours_by_square.get(id(square)), pose) for square in squares])
    trucks = tuple(
        TruckReading(
            tuple(tuple(next(readings) for _column in range(truck.columns)) for _row in range(truck.rows)), truck.number
        )
        for truck in scene.trucks
    )
    boxes = [(box, int(size)) for box, size in zip(things, beside.sizes, strict=True) if size]
    kinds = [kind_of(box, size) for box, size in boxes]
    places = [top_of(box, kind, pose, unit_mm) for (box, _size), kind in zip(boxes, kinds, strict=True)]
    return LoadReading(
        width=frame_bgr.shape[1],
        height=frame_bgr.shape[0],
        outside={int(size): int(count) for size, count in zip(SIZES, beside.outside, strict=True) if count},
        outside_confidence=confidence,
        outside_accepted=not beside.hidden
        and confidence >= (ACCEPT_ROLLED if scene.rolls and scene.trucks else ACCEPT_OUTSIDE),
        hidden=beside.hidden,
        trucks=trucks,
        boxes=tuple(
            LeftReading(size, KINDS[kind][1], *place)
            for (_box, size), kind, place in zip(boxes, kinds, pixels_of(pose, places), strict=True)
        ),
    )


def unit_of(scene: Scene) -> float:
    """Side of the smallest box in mm; raises BadInput if the scene lacks it or its trucks contradict it."""
    if scene.unit_mm is None:
        raise BadInput(_("The scene has no unit_mm. Measure the side of the smallest box and write it there."))
    for truck in scene.trucks:
        if not 1 / UNITS_UNLIKE < truck.cell_mm / scene.unit_mm < UNITS_UNLIKE:
            raise BadInput(
                _(
                    "The scene says the smallest box is {unit} mm wide and a truck square is {square} mm. "
                    "Measure both and write them there.",
                    unit=number(scene.unit_mm, 1),
                    square=number(truck.cell_mm, 1),
                )
            )
    return scene.unit_mm


def rolls_of(scene: Scene, squares: list[Square]) -> list[Roll]:
    """Each player's roll, with the heights of that player's truck where it is in view."""
    rest, heights = iter(squares), []
    for truck in scene.trucks:
        of_truck = [next(rest) for _square in range(truck.rows * truck.columns)]
        heights.append(heights_together(np.array([square.chances for square in of_truck])))
    boxes = [np.array([rolled.get(int(size), 0) for size in SIZES]) for rolled in scene.rolls]
    return [Roll(*of_one) for of_one in zip_longest(boxes, heights[: len(boxes)])]


def pixels_of(pose: Pose, places_mm: list[np.ndarray]) -> list[tuple[float, float]]:
    """The pixels of places (3,) in mm."""
    return [(float(x), float(y)) for x, y in pose.project(np.array(places_mm))] if places_mm else []


def square_reading(square: Square, colour: tuple[str | None, float] | None, pose: Pose) -> SquareReading:
    """The reading of one square; `colour` is the colour on it and its probability, None if it is empty."""
    (at,) = pixels_of(pose, [square.top_mm])
    empty = float(square.chances[0])
    if colour is None:
        return SquareReading(False, None, empty >= ACCEPT_SQUARE, *at)
    return SquareReading(True, colour[0], 1 - empty >= ACCEPT_SQUARE and colour[1] >= ACCEPT_SQUARE, *at)


def likely_tops(flat: Flat, trucks: tuple[Truck, ...], pose: Pose, unit_mm: float) -> Tops:
    """The tops that the finder sees."""
    answer = load_finder().run(finder_input(flat, trucks, pose, unit_mm))[0][0]
    heat = 1 / (1 + np.exp(-answer[0].astype(np.float64)))
    rows, columns = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3)))) & (heat > LEAST_HEAT))
    order = np.argsort(-heat[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    at = (np.stack([columns, rows], axis=1) + 0.5 + answer[1:3, rows, columns].T) * STRIDE - 0.5
    return Tops(at @ flat.to_mm[:, :2].T + flat.to_mm[:, 2], heat[rows, columns])


def look_closer(tops: Tops, cutter: Cutter) -> list[BoxLook]:
    """The reader's findings in a cut around each top."""
    if not len(tops.heat):
        return []
    looks = read_cuts(cutter, tops.spots_mm, CLASSES)
    places = cutter.places(tops.spots_mm, np.mean([look[:, OFFSETS] for look in looks], axis=0))
    chances = np.mean([softmax(look[:, CLASSES]) for look in looks], axis=0)
    kinds = chances[:, 1:] * beside_the_trucks(places, cutter)
    boxes = kinds.sum(axis=1)
    odds = HEAT_START + HEAT_WEIGHT * log_odds_of(tops.heat) + READ_WEIGHT * log_odds_of(boxes)
    likely = np.where(boxes > 0, 1 / (1 + np.exp(-odds)), 0)
    shares = kinds / np.maximum(boxes, 1e-9)[:, None]
    return [BoxLook(*of_one) for of_one in zip(likely.tolist(), shares, places, strict=True)]


def weigh_by_colour(boxes: list[BoxLook], boxes_rgb: np.ndarray, covered_rgb: np.ndarray) -> list[BoxLook]:
    """The boxes, likelier where another box or a loaded one has the same colour: a game has five paints.

    boxes_rgb    (n, 3) of the boxes
    covered_rgb  (m, 3) of the loaded ones
    """
    looks, loaded = colour_features(boxes_rgb), colour_features(covered_rgb)
    odds = [float(log_odds_of(np.array(box.likely))) for box in boxes]
    reweighed = []
    for i, box in enumerate(boxes):
        others = np.vstack([looks[[j != i and odd > SURE_ODDS for j, odd in enumerate(odds)]], loaded])
        off = np.linalg.norm(others - looks[i], axis=1).min() if len(others) else None
        alike = NO_PAINT if off is None else float(np.exp(-0.5 * (off / SAME_PAINT) ** 2))
        total = COLOUR_START + SEEN_WEIGHT * odds[i] + COLOUR_WEIGHT * alike
        reweighed.append(replace(box, likely=1 / (1 + float(np.exp(-total))) if box.likely > 0 else 0.0))
    return reweighed


def read_cuts(
    cutter: Cutter, spots_mm: np.ndarray, part: slice, squares: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 17) scores of the cuts around spots (n, 2), see `BoxReader`, and those of a second look.

    The second look is mirrored; it equals the first where that is sure of the part `wanted`.

    squares  (n, 4, 3) corners of the squares in question
    """
    first = scores_of(cutter, spots_mm, squares, mirrored=False)
    unsure = softmax(first[:, part]).max(axis=1) < SURE
    second = first.copy()
    if unsure.any():
        unsure_squares = None if squares is None else squares[unsure]
        second[unsure] = scores_of(cutter, spots_mm[unsure], unsure_squares, mirrored=True)
    return first, second


def scores_of(cutter: Cutter, spots_mm: np.ndarray, squares: np.ndarray | None, mirrored: bool) -> np.ndarray:
    """(n, 17) scores of one look at each spot."""
    answers = []
    for start in range(0, len(spots_mm), BATCH):
        batch = slice(start, start + BATCH)
        planes = reader_input(*cutter.cut(spots_mm[batch], None if squares is None else squares[batch]), cutter.nearer)
        planes_in = np.ascontiguousarray(planes[..., ::-1]) if mirrored else planes
        answers.append(load_reader().run(planes_in)[0].astype(np.float64).reshape(len(planes), -1))
    scores = np.concatenate(answers)
    if mirrored:
        scores[:, OFFSETS.start] *= -1
    return scores


def log_odds_of(chances: np.ndarray) -> np.ndarray:
    """The log odds of probabilities (n,), limited so that none is taken for certain."""
    return np.asarray(np.log((chances + 1e-3) / (1 - chances + 1e-3)))


def beside_the_trucks(places_mm: np.ndarray, cutter: Cutter) -> np.ndarray:
    """(n, 9) whether a box of each kind with its top seen at a place (n, 2) stands outside the loading areas."""
    flat_tops = np.column_stack([places_mm, np.full(len(places_mm), cutter.unit_mm)])
    beside = np.ones((len(places_mm), len(KINDS)), bool)
    for k, units in enumerate(TOP_UNITS):
        feet = seen_at(cutter.pose, flat_tops, cutter.unit_mm * units).astype(np.float32)
        for area in cutter.areas:
            outline = area[:, :2].astype(np.float32)
            beside[:, k] &= [cv2.pointPolygonTest(outline, (float(x), float(y)), False) < 0 for x, y in feet]
    return beside


def drop_twins(boxes: list[BoxLook], apart_mm: float) -> list[BoxLook]:
    """The boxes, likeliest first, without any that is nearer than `apart_mm` to a likelier one."""
    distinct: list[BoxLook] = []
    for box in sorted(boxes, key=lambda box: -box.likely):
        if all(np.linalg.norm(box.seen_mm - other.seen_mm) >= apart_mm for other in distinct):
            distinct.append(box)
    return distinct


def square_corners(truck: Truck) -> np.ndarray:
    """(rows·columns, 4, 3) corners in mm of all squares of a truck, row by row."""
    area = np.array(truck.corners_mm, np.float64)
    across = (np.arange(truck.columns + 1) / truck.columns)[:, None]
    far, near = area[0] + across * (area[1] - area[0]), area[3] + across * (area[2] - area[3])
    grid = far + (np.arange(truck.rows + 1) / truck.rows)[:, None, None] * (near - far)
    return np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2).reshape(-1, 4, 3)


def square_levels(cutter: Cutter, truck: Truck) -> np.ndarray:
    """(n, 5) probabilities of the levels 0 to 4 on the squares of `square_corners`.

    A closed square has level 0. A square that is not wholly in the picture may have any level.
    """
    corners = square_corners(truck)
    open_ = np.array(truck.area, bool).ravel()
    chances = np.tile(np.eye(MOST_LEVELS + 1)[0], (len(corners), 1))
    if open_.any():
        looks = read_cuts(cutter, corners[open_].mean(axis=1)[:, :2], LEVELS, corners[open_])
        allowed = np.arange(MOST_LEVELS + 1) <= truck.levels
        scores = [np.where(allowed, look[:, LEVELS], -50.0) for look in looks]
        chances[open_] = np.mean([softmax(rows) for rows in scores], axis=0)
        chances[open_ & ~cutter.in_view(corners)] = allowed / allowed.sum()
    return chances


def squares_of(truck: Truck, chances: np.ndarray) -> list[Square]:
    """All squares of a truck."""
    middles = square_corners(truck).mean(axis=1)
    return [
        Square(levels, middle + np.array([0, 0, levels.argmax() * truck.cell_mm]))
        for middle, levels in zip(middles, chances, strict=True)
    ]


def kind_of(box: BoxLook, size: int) -> int:
    """The likeliest of the KINDS with that size."""
    return int(np.where(size == SIZE_OF_KIND, box.chances, -1.0).argmax())


def top_of(box: BoxLook, kind: int, pose: Pose, unit_mm: float) -> np.ndarray:
    """(3,) middle in mm of the top of a box beside the trucks, if it is of that kind."""
    high = unit_mm * float(TOP_UNITS[kind])
    return np.array([*seen_at(pose, np.array([[*box.seen_mm, unit_mm]]), high)[0], high])


def colours_of(frame_bgr: np.ndarray, pose: Pose, tops_mm: list[np.ndarray], unit_mm: float) -> np.ndarray:
    """(n, 3) median red, green and blue in the middles of level tops."""
    if not tops_mm:
        return np.zeros((0, 3))
    steps = np.linspace(-CORE * unit_mm, CORE * unit_mm, 7)
    points = np.array(tops_mm)[:, None] + np.array([[x, y, 0.0] for x in steps for y in steps])
    pixels = np.round(pose.project(points)).astype(int).reshape(len(tops_mm), -1, 2)
    height, width = frame_bgr.shape[:2]
    pixels_bgr = frame_bgr[np.clip(pixels[..., 1], 0, height - 1), np.clip(pixels[..., 0], 0, width - 1)]
    return np.median(pixels_bgr, axis=1)[:, ::-1]
