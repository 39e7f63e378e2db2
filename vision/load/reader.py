"""Reads left-over boxes beside the trucks and what covers their loading areas, from above.

One network finds the tops of boxes in the frame laid flat (`vision.load.flat`), another reads a cut around each
(`vision.load.cuts`): whether it is a box beside the trucks, how long, lying or standing. The same one tells how high
each square of a truck is covered. As all boxes of a size have one colour and no two sizes share one, sizes and colours
are then settled together (`vision.load.colours`).
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
from vision.load.colours import SIZE_OF_KIND, SIZES, look, settle_sizes
from vision.load.counts import FOUND, Roll, counted, heights_together
from vision.load.cuts import Cutter, cutter_of, reader_input
from vision.load.flat import Flat, finder_input, is_plain, lay_flat, seen_at
from vision.models.network import Network, load_network, softmax
from vision.scene.pose import Pose
from vision.scene.scene import Scene, Truck

STRIDE = 4  # of the finder's answers, in flat pixels
KINDS = ((1, False), (2, False), (3, False), (4, False), (5, False), (2, True), (3, True), (4, True), (5, True))
WHAT, OFFSETS, LEVELS = slice(0, 10), slice(10, 12), slice(12, 17)  # of the reader's answer: no box or which kind, …
TOP_UNITS = np.array([length if standing else 1 for length, standing in KINDS])  # how high the top of each kind is
MOST_LEVELS = 4  # a square's answer for the highest load means so high or higher
LEAST_HEAT = 0.15  # of a top that is looked at more closely
MOST_TOPS = 64  # more than any game has boxes: a table that seems to show more is asked about
AT_ONCE = 24  # cuts read together: more takes more memory, and no less time
SURE = 0.99  # a first look that is so sure is not repeated in the mirror
HEAT_WEIGHT, READ_WEIGHT, FOUND_START = 1.6, 0.72, -1.4  # of both networks' odds; fitted on drawn loads
SEEN_WEIGHT, COLOUR_WEIGHT, COLOUR_START = 0.87, 3.0, -1.45  # of these odds, and of a box's own colour beside others
SURE_ODDS = 2.5  # of boxes that show how boxes of this table look
SAME_PAINT, NO_PAINT = 0.15, 0.5  # spread of looks of one paint; how alike a look is where no other is known
APART = 0.55  # in units: two tops so close are one
CORE = 0.3  # half side, in units, of the part of a top whose colour is taken
UNITS_UNLIKE = 1.3  # times: a truck's squares are as wide as the smallest box, but for play
ACCEPT_OUTSIDE, ACCEPT_SQUARE = 0.96, 0.995  # least probabilities; higher asks more and errs less
ACCEPT_ROLLED = 0.93  # the same of left-overs that a roll and a truck in view agree with


class Tops(NamedTuple):
    """The finder's tops, the surest first.

    spots_mm  (n, 2), one box high
    heat      (n,) how sure it is of each, 0..1
    """

    spots_mm: np.ndarray
    heat: np.ndarray


@dataclass(frozen=True, eq=False)
class Found:
    """One thing that looks like a box beside the trucks.

    likely   0..1, that it is one
    chances  (9,) of the KINDS if it is
    seen_mm  (2,) where its top is seen, one box high
    """

    likely: float
    chances: np.ndarray
    seen_mm: np.ndarray


@dataclass(frozen=True, eq=False)
class Square:
    """One square of a loading area: probabilities of its levels (5,), and the middle (3,) of what is seen there."""

    chances: np.ndarray
    top_mm: np.ndarray


@cache
def load_finder() -> Network:
    return load_network("load-finder")


@cache
def load_reader() -> Network:
    return load_network("load-reader")


def read_load(frame_bgr: np.ndarray, scene: Scene | None) -> LoadReading:
    """Left-overs and trucks of a frame (h, w, 3) uint8; BadInput says what the scene lacks or contradicts itself in."""
    scene = scene or Scene()
    unit = unit_of(scene)
    pose = scene.pose(frame_bgr)
    flat = lay_flat(frame_bgr, pose, unit)
    cutter = cutter_of(frame_bgr, pose, unit, scene.trucks)
    tops = likely_tops(flat, scene.trucks, pose, unit)
    squares = [square for truck in scene.trucks for square in squares_of(truck, square_levels(cutter, truck))]
    covered = [square for square in squares if square.chances[0] < 0.5]
    covered_rgb = colours_of(frame_bgr, pose, [square.top_mm for square in covered], unit)
    seen = without_twins(look_closer(Tops(*(part[:MOST_TOPS] for part in tops)), cutter), APART * unit)
    seen_rgb = colours_of(frame_bgr, pose, [top_of(box, int(box.chances.argmax()), pose, unit) for box in seen], unit)
    seen = weighed_by_colour(seen, seen_rgb, covered_rgb)
    settled = settle_sizes(
        seen_rgb,
        np.array([box.chances for box in seen]).reshape(-1, len(KINDS)),
        np.array([box.likely >= FOUND for box in seen], bool),
        covered_rgb,
        scene.colour_by_length,
    )
    beside = counted(np.array([box.likely for box in seen]), settled.chances, rolls_of(scene, squares))
    confidence = beside.confidence
    no_box_anywhere = not beside.outside.any() and not covered  # another table, or boxes of another size than it says
    if len(tops.heat) > MOST_TOPS or is_plain(flat) or no_box_anywhere:
        confidence = 0.0
    named = dict(zip(map(id, covered), settled.loaded, strict=True))
    read = iter([square_reading(square, named.get(id(square)), pose) for square in squares])
    trucks = tuple(
        TruckReading(
            tuple(tuple(next(read) for _column in range(truck.columns)) for _row in range(truck.rows)), truck.number
        )
        for truck in scene.trucks
    )
    boxes = [(box, int(size)) for box, size in zip(seen, beside.sizes, strict=True) if size]
    kinds = [kind_of(box, size) for box, size in boxes]
    places = [top_of(box, kind, pose, unit) for (box, _size), kind in zip(boxes, kinds, strict=True)]
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
    """Side of the smallest box in mm; by a wrong one nothing would be found and the table look cleared."""
    if scene.unit_mm is None:
        raise BadInput(_("The scene lacks unit_mm: measure the side of the smallest box and write it there."))
    for truck in scene.trucks:
        if not 1 / UNITS_UNLIKE < truck.cell_mm / scene.unit_mm < UNITS_UNLIKE:
            raise BadInput(
                _(
                    "By the scene the smallest box is {unit} mm wide and a square of a truck {square} mm: measure "
                    "both and write them there.",
                    unit=number(scene.unit_mm, 1),
                    square=number(truck.cell_mm, 1),
                )
            )
    return scene.unit_mm


def rolls_of(scene: Scene, squares: list[Square]) -> list[Roll]:
    """Each player's roll, and how high the squares of the player's truck, where it is in view, are covered."""
    rest, heights = iter(squares), []
    for truck in scene.trucks:
        of_truck = [next(rest) for _square in range(truck.rows * truck.columns)]
        heights.append(heights_together(np.array([square.chances for square in of_truck])))
    boxes = [np.array([rolled.get(int(size), 0) for size in SIZES]) for rolled in scene.rolls]
    return [Roll(*of_one) for of_one in zip_longest(boxes, heights[: len(boxes)])]


def pixels_of(pose: Pose, places_mm: list[np.ndarray]) -> list[tuple[float, float]]:
    """Where places (3,) appear in the frame."""
    return [(float(x), float(y)) for x, y in pose.project(np.array(places_mm))] if places_mm else []


def square_reading(square: Square, colour: tuple[str | None, float] | None, pose: Pose) -> SquareReading:
    """One square; `colour` is what covers it and how likely, None where nothing does."""
    (at,) = pixels_of(pose, [square.top_mm])
    empty = float(square.chances[0])
    if colour is None:
        return SquareReading(False, None, empty >= ACCEPT_SQUARE, *at)
    return SquareReading(True, colour[0], 1 - empty >= ACCEPT_SQUARE and colour[1] >= ACCEPT_SQUARE, *at)


# from the frame to boxes and squares


def likely_tops(flat: Flat, trucks: tuple[Truck, ...], pose: Pose, unit: float) -> Tops:
    """Where the finder sees tops."""
    answer = load_finder().run(finder_input(flat, trucks, pose, unit))[0][0]
    heat = 1 / (1 + np.exp(-answer[0].astype(np.float64)))
    rows, columns = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3)))) & (heat > LEAST_HEAT))
    order = np.argsort(-heat[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    at = (np.stack([columns, rows], axis=1) + 0.5 + answer[1:3, rows, columns].T) * STRIDE - 0.5
    return Tops(at @ flat.to_mm[:, :2].T + flat.to_mm[:, 2], heat[rows, columns])


def look_closer(tops: Tops, cutter: Cutter) -> list[Found]:
    """The reader's answer for a cut around each top."""
    if not len(tops.heat):
        return []
    looks = read_cuts(cutter, tops.spots_mm, WHAT)
    places = cutter.places(tops.spots_mm, np.mean([look[:, OFFSETS] for look in looks], axis=0))
    chances = np.mean([softmax(look[:, WHAT]) for look in looks], axis=0)
    kinds = chances[:, 1:] * beside_the_trucks(places, cutter)
    boxes = kinds.sum(axis=1)
    odds = FOUND_START + HEAT_WEIGHT * log_odds(tops.heat) + READ_WEIGHT * log_odds(boxes)
    likely = np.where(boxes > 0, 1 / (1 + np.exp(-odds)), 0)
    shares = kinds / np.maximum(boxes, 1e-9)[:, None]
    return [Found(*of_one) for of_one in zip(likely.tolist(), shares, places, strict=True)]


def weighed_by_colour(boxes: list[Found], boxes_rgb: np.ndarray, covered_rgb: np.ndarray) -> list[Found]:
    """The same, likelier where another or a loaded one has the same colour (n, 3), (m, 3): a game has five paints."""
    looks, loaded = look(boxes_rgb), look(covered_rgb)
    odds = [float(log_odds(np.array(box.likely))) for box in boxes]
    weighed = []
    for i, box in enumerate(boxes):
        others = np.vstack([looks[[j != i and odd > SURE_ODDS for j, odd in enumerate(odds)]], loaded])
        off = np.linalg.norm(others - looks[i], axis=1).min() if len(others) else None
        alike = NO_PAINT if off is None else float(np.exp(-0.5 * (off / SAME_PAINT) ** 2))
        total = COLOUR_START + SEEN_WEIGHT * odds[i] + COLOUR_WEIGHT * alike
        weighed.append(replace(box, likely=1 / (1 + float(np.exp(-total))) if box.likely > 0 else 0.0))
    return weighed


def read_cuts(
    cutter: Cutter, spots_mm: np.ndarray, wanted: slice, squares: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 17) scores of the cuts around spots (n, 2), see `BoxReader`, and the same of a second look, in the mirror,
    where the first is not sure of what is `wanted`.

    squares  (n, 4, 3) corners of the squares that are asked about
    """
    first = scores_of(cutter, spots_mm, squares, mirrored=False)
    unsure = softmax(first[:, wanted]).max(axis=1) < SURE
    second = first.copy()
    if unsure.any():
        asked = None if squares is None else squares[unsure]
        second[unsure] = scores_of(cutter, spots_mm[unsure], asked, mirrored=True)
    return first, second


def scores_of(cutter: Cutter, spots_mm: np.ndarray, squares: np.ndarray | None, mirrored: bool) -> np.ndarray:
    """(n, 17) scores of one look at each spot; many at once would overflow the processor's cache."""
    answers = []
    for start in range(0, len(spots_mm), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        planes = reader_input(*cutter.cut(spots_mm[some], None if squares is None else squares[some]), cutter.nearer)
        shown = np.ascontiguousarray(planes[..., ::-1]) if mirrored else planes
        answers.append(load_reader().run(shown)[0].astype(np.float64).reshape(len(planes), -1))
    scores = np.concatenate(answers)
    if mirrored:
        scores[:, OFFSETS.start] *= -1
    return scores


def log_odds(chances: np.ndarray) -> np.ndarray:
    """Of probabilities (n,), none of which is taken for quite sure."""
    return np.asarray(np.log((chances + 1e-3) / (1 - chances + 1e-3)))


def beside_the_trucks(places_mm: np.ndarray, cutter: Cutter) -> np.ndarray:
    """(n, 9) whether a box of each kind whose top is seen at a place (n, 2) would not stand on a loading area."""
    flat_tops = np.column_stack([places_mm, np.full(len(places_mm), cutter.unit)])
    beside = np.ones((len(places_mm), len(KINDS)), bool)
    for k, units in enumerate(TOP_UNITS):
        feet = seen_at(cutter.pose, flat_tops, cutter.unit * units).astype(np.float32)
        for area in cutter.areas:
            outline = area[:, :2].astype(np.float32)
            beside[:, k] &= [cv2.pointPolygonTest(outline, (float(x), float(y)), False) < 0 for x, y in feet]
    return beside


def without_twins(boxes: list[Found], apart_mm: float) -> list[Found]:
    """Of what is seen twice the likelier; likeliest first."""
    kept: list[Found] = []
    for box in sorted(boxes, key=lambda box: -box.likely):
        if all(np.linalg.norm(box.seen_mm - other.seen_mm) >= apart_mm for other in kept):
            kept.append(box)
    return kept


def square_corners(truck: Truck) -> np.ndarray:
    """(rows·columns, 4, 3) corners in mm of all squares of a truck, row by row."""
    area = np.array(truck.corners_mm, np.float64)
    across = (np.arange(truck.columns + 1) / truck.columns)[:, None]
    far, near = area[0] + across * (area[1] - area[0]), area[3] + across * (area[2] - area[3])
    grid = far + (np.arange(truck.rows + 1) / truck.rows)[:, None, None] * (near - far)
    return np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2).reshape(-1, 4, 3)


def square_levels(cutter: Cutter, truck: Truck) -> np.ndarray:
    """(n, 5) probabilities of the levels 0 to 4 on each square of `square_corners`; those that are closed have none.

    Of a square that is not wholly in the picture nothing is known.
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
    """All squares of a truck with what is seen there."""
    middles = square_corners(truck).mean(axis=1)
    return [
        Square(seen, middle + np.array([0, 0, seen.argmax() * truck.cell_mm]))
        for middle, seen in zip(middles, chances, strict=True)
    ]


# the colours of tops


def kind_of(box: Found, size: int) -> int:
    """The likeliest of the KINDS that have a size."""
    return int(np.where(size == SIZE_OF_KIND, box.chances, -1.0).argmax())


def top_of(box: Found, kind: int, pose: Pose, unit: float) -> np.ndarray:
    """(3,) middle of the top of a box beside the trucks, in mm, if it is of one of the KINDS."""
    high = unit * float(TOP_UNITS[kind])
    return np.array([*seen_at(pose, np.array([[*box.seen_mm, unit]]), high)[0], high])


def colours_of(frame_bgr: np.ndarray, pose: Pose, tops_mm: list[np.ndarray], unit: float) -> np.ndarray:
    """(n, 3) median red, green and blue of the middles of level tops."""
    if not tops_mm:
        return np.zeros((0, 3))
    steps = np.linspace(-CORE * unit, CORE * unit, 7)
    points = np.array(tops_mm)[:, None] + np.array([[x, y, 0.0] for x in steps for y in steps])
    pixels = np.round(pose.project(points)).astype(int).reshape(len(tops_mm), -1, 2)
    height, width = frame_bgr.shape[:2]
    seen = frame_bgr[np.clip(pixels[..., 1], 0, height - 1), np.clip(pixels[..., 0], 0, width - 1)]
    return np.median(seen, axis=1)[:, ::-1]
