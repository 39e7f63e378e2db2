"""Reads left-over boxes beside the trucks and what covers their loading areas, from above.

The pose lays the frame flat as it would look one box high, at one scale, and says for every place how things lean away
from the camera. One network finds the middle of each box beside the trucks and how likely it is of each size, lying or
standing, and how high each square of a truck is covered. As all boxes of a size have one colour and no two sizes
share one, sizes and colours are then settled together (`vision.box_colours`).
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from companion.errors import BadInput
from companion.readings import LeftReading, LoadReading, SquareReading, TruckReading
from companion.words import _
from vision.box_colours import look, settle_sizes
from vision.box_shapes import cut_top, likeness, side_units, smooth_lab
from vision.dice import softmax
from vision.network import Network, load_network
from vision.pose import Pose
from vision.scene import Scene, Truck

UNIT_PX = 10  # side of the smallest box in the flat picture; as trained
STRIDE = 4  # of the network's answers, in flat pixels
SIDE_MULTIPLE = 32  # the flat picture's sides are multiples of it
MOST_PX = 768  # of the flat picture's sides: more table than any game needs
KINDS = ((1, False), (2, False), (3, False), (4, False), (5, False), (2, True), (3, True), (4, True), (5, True))
MOST_LEVELS = 4  # a square's answer for the highest load means so high or higher
LEAST_HEAT = 0.1  # of a middle that is looked at more closely
TRUSTED_FIT = 0.75  # of a top whose own middle is better known than the network's
FOUND = 0.5  # least probability of a box
HEAT_WEIGHT, FIT_WEIGHTS, FOUND_START = 2.52, (0.91, 6.08), -3.33  # of the odds that it is a box; fitted on drawn loads
STANDING_WEIGHT = 2.1  # of the network's idea that it stands: the side of a standing box spoils the fit of its top
KIN_WEIGHT, MOST_KIN = 2.24, 3  # of each that looks like it
KIN_FIT, KIN_LOOK = 0.85, 0.25  # least fit of tops that are compared; most difference in colour
SMALL_TOP, LEAST_UNITS = 0.6, 0.5  # fit of a top whose side is followed down; less of a side says nothing
UNITS_SPREAD, STRAY_UNITS = 0.3, 0.02  # of a followed side, and how often shadows or neighbours lead it astray
SHAPE_WEIGHT = 20.0  # of the fit of its top against the network's own idea of its size
APART = 0.75  # in units: two middles so close are one box
CORE = 0.3  # half side, in units, of the part of a top whose colour is taken
ACCEPT_OUTSIDE, ACCEPT_SQUARE = 0.95, 0.999  # least probabilities; higher asks more and errs less


class Measure(NamedTuple):
    """What a frame shows at a spot (2,) in mm; `smooth` is `box_shapes.smooth_lab` of it."""

    frame_bgr: np.ndarray
    smooth: np.ndarray
    pose: Pose
    unit: float

    def top(self, spot_mm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How well a top of each length fits (5,), and where its middle is (2,), in units off."""
        return likeness(cut_top(self.smooth, self.pose, self.unit, spot_mm, self.unit))

    def side_units(self, spot_mm: np.ndarray) -> float | None:
        """How high a small top stands."""
        return side_units(self.smooth, self.pose, self.unit, spot_mm)


@dataclass(frozen=True, eq=False)
class Flat:
    """The frame laid flat one box high.

    picture   (h, w, 3) uint8 BGR
    to_mm     (2, 3): from flat pixels to the table's x and y
    lean      (h, w, 2): where one unit more of height moves a thing, in units
    """

    picture: np.ndarray
    to_mm: np.ndarray
    lean: np.ndarray

    def of_mm(self, points_mm: np.ndarray) -> np.ndarray:
        """(n, 2) mm one box high → (n, 2) flat pixels."""
        back = cv2.invertAffineTransform(self.to_mm)
        return points_mm @ back[:, :2].T + back[:, 2]


@dataclass(frozen=True, eq=False)
class Found:
    """One thing that looks like a box beside the trucks.

    chances  (9,) of the KINDS
    heat     0..1, that it is a box at all
    spot_mm  its middle on the table
    look     (3,) of its top, as `box_colours.look` gives it
    """

    chances: np.ndarray
    heat: float
    spot_mm: np.ndarray
    look: np.ndarray


@dataclass(frozen=True, eq=False)
class Square:
    """One square of a loading area: probabilities of its levels (5,), and the middle (3,) of what is seen there."""

    chances: np.ndarray
    top_mm: np.ndarray


class Candidate(NamedTuple):
    """A place that may be a box: how well its top fits, as one of what length, and the odds (log) by itself."""

    box: Found
    fit: float
    length: int
    odds: float


@cache
def load_finder() -> Network:
    return load_network("load-finder")


def read_load(frame_bgr: np.ndarray, scene: Scene | None) -> LoadReading:
    """Left-overs and trucks of a frame (h, w, 3) uint8; BadInput says what the scene lacks: camera, unit_mm."""
    scene = scene or Scene()
    if scene.unit_mm is None:
        raise BadInput(_("The scene lacks unit_mm: measure the side of the smallest box and write it there."))
    pose, unit = scene.pose(frame_bgr), scene.unit_mm
    flat = lay_flat(frame_bgr, pose, unit)
    answer = ask_network(flat, scene.trucks, unit)
    hidden = truck_outlines(flat, scene.trucks, pose, unit)
    found, none_missed = find_boxes(answer, flat, hidden, Measure(frame_bgr, smooth_lab(frame_bgr), pose, unit))
    tops = [top_of(box, unit) for box in found]
    squares = [square for truck in scene.trucks for square in squares_of(truck, square_levels(answer, flat, truck))]
    covered = [square for square in squares if square.chances[0] < 0.5]
    settled = settle_sizes(
        colours_of(frame_bgr, pose, tops, unit),
        np.array([box.chances for box in found]).reshape(-1, len(KINDS)),
        colours_of(frame_bgr, pose, [square.top_mm for square in covered], unit),
        scene.colour_by_length,
    )
    named = dict(zip(map(id, covered), settled.loaded, strict=True))
    read = iter([square_reading(square, named.get(id(square)), pose) for square in squares])
    trucks = tuple(
        TruckReading(tuple(tuple(next(read) for _column in range(truck.columns)) for _row in range(truck.rows)))
        for truck in scene.trucks
    )
    sizes = [int(size) for size in settled.sizes]
    confidence = settled.confidence * none_missed
    return LoadReading(
        width=frame_bgr.shape[1],
        height=frame_bgr.shape[0],
        outside={size: sizes.count(size) for size in sorted(set(sizes))},
        outside_confidence=confidence,
        outside_accepted=confidence >= ACCEPT_OUTSIDE,
        trucks=trucks,
        boxes=tuple(
            LeftReading(size, KINDS[int(box.chances.argmax())][1], *place)
            for size, box, place in zip(sizes, found, pixels_of(pose, tops), strict=True)
        ),
    )


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


# from the frame to the flat picture


def lay_flat(frame_bgr: np.ndarray, pose: Pose, unit: float) -> Flat:
    """The part of the frame that shows the table, flat; BadInput when the camera does not look down on it."""
    height, width = frame_bgr.shape[:2]
    rim = np.array([(x, y) for x in (0, width / 2, width - 1) for y in (0, height / 2, height - 1)], np.float64)
    ground = np.array([pose.on_plane(corner, unit) for corner in rim])
    ahead = (ground - eye_of(pose)) @ pose.rotation[2]
    if not np.isfinite(ground).all() or (ahead <= 0).any():
        raise BadInput(_("The camera of the scene does not look down on the table: calibrate it again."))
    right = pose.rotation[0, :2] / max(float(np.linalg.norm(pose.rotation[0, :2])), 1e-9)
    axes = np.stack([right, [right[1], -right[0]]])  # flat x along the picture, flat y towards the viewer
    turned = ground[:, :2] @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    size = np.ceil((high - low) / unit * UNIT_PX / SIDE_MULTIPLE).astype(int) * SIDE_MULTIPLE
    size = np.clip(size, 4 * SIDE_MULTIPLE, MOST_PX)
    start = (low + high) / 2 - size / 2 * unit / UNIT_PX
    to_mm = np.hstack([axes.T * unit / UNIT_PX, (axes.T @ start)[:, None]])
    return flat_of(frame_bgr, pose, unit, to_mm, (int(size[0]), int(size[1])))


def eye_of(pose: Pose) -> np.ndarray:
    """(3,) where the camera stands, in mm."""
    return -pose.rotation.T @ pose.shift_mm


def flat_of(frame_bgr: np.ndarray, pose: Pose, unit: float, to_mm: np.ndarray, size_px: tuple[int, int]) -> Flat:
    """The flat picture of a given part of the table; places are worked out on a coarse grid, which is smooth enough."""
    step = 8
    columns, rows = np.arange(0, size_px[0] + step, step), np.arange(0, size_px[1] + step, step)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2).astype(np.float64)
    spots = grid @ to_mm[:, :2].T + to_mm[:, 2]
    pixels = pose.project(np.hstack([spots, np.full((len(spots), 1), unit)]))
    eye = eye_of(pose)
    leans = (spots - eye[:2]) / (eye[2] - unit)  # millimetres on the table for each millimetre of height
    leans = leans @ np.linalg.inv(to_mm[:, :2]).T * unit / UNIT_PX
    shape = (len(rows), len(columns))
    fine = np.meshgrid(np.arange(size_px[0], dtype=np.float32) / step, np.arange(size_px[1], dtype=np.float32) / step)
    map_x, map_y, lean_x, lean_y = (
        cv2.remap(values.reshape(shape).astype(np.float32), fine[0], fine[1], cv2.INTER_LINEAR)
        for values in (pixels[:, 0], pixels[:, 1], leans[:, 0], leans[:, 1])
    )
    middle = pixels.reshape(*shape, 2)[shape[0] // 2, shape[1] // 2 : shape[1] // 2 + 2]
    coarse = float(np.linalg.norm(middle[1] - middle[0])) / step  # frame pixels for each flat one
    zoom = min(1.0, 1.3 / max(coarse, 1e-6))
    zoom = max(zoom, 8 / min(frame_bgr.shape[:2]))
    small = cv2.resize(frame_bgr, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA) if zoom < 1 else frame_bgr
    real = small.shape[1] / frame_bgr.shape[1], small.shape[0] / frame_bgr.shape[0]
    picture = cv2.remap(
        small, (map_x + 0.5) * real[0] - 0.5, (map_y + 0.5) * real[1] - 0.5, cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return Flat(picture, to_mm, np.stack([lean_x, lean_y], axis=-1))


def network_input(flat: Flat, trucks: tuple[Truck, ...], unit: float) -> np.ndarray:
    """(1, 6, h, w) float: colours of mean 0 and deviation 1, lean, and where boxes may stand on trucks."""
    colours = flat.picture.astype(np.float32).transpose(2, 0, 1)
    colours = (colours - colours.mean()) / (colours.std() + 4)
    mask = np.zeros(flat.picture.shape[:2], np.uint8)
    for truck in trucks:
        outline = flat.of_mm(np.array(truck.corners_mm, np.float64)[:, :2]) + ground_shift(flat, truck, unit)
        cv2.fillConvexPoly(mask, np.round(outline * 16).astype(np.int32), 1, shift=4)
    planes = [colours, flat.lean.transpose(2, 0, 1), mask[None]]
    return np.ascontiguousarray(np.concatenate(planes)[None], np.float32)


def ground_shift(flat: Flat, truck: Truck, unit: float) -> np.ndarray:
    """(2,) flat pixels by which what lies on the card appears off its place: the flat picture is one box higher."""
    middle = flat.of_mm(np.array(truck.corners_mm, np.float64)[:, :2]).mean(axis=0).astype(int)
    height, width = flat.lean.shape[:2]
    lean = flat.lean[min(max(middle[1], 0), height - 1), min(max(middle[0], 0), width - 1)]
    return lean * UNIT_PX * (truck.corners_mm[0][2] / unit - 1)


def ask_network(flat: Flat, trucks: tuple[Truck, ...], unit: float) -> np.ndarray:
    """(17, h/4, w/4): heat, offset of the middle in cells, scores of the KINDS, scores of the levels of a square."""
    return load_finder().run(network_input(flat, trucks, unit))[0][0]


# from its answer to boxes and squares


def find_boxes(answer: np.ndarray, flat: Flat, hidden: list[np.ndarray], measure: Measure) -> tuple[list[Found], float]:
    """The boxes beside the trucks, and how likely none is missing or too many (0..1).

    hidden   outlines in flat pixels where loads may be: what lies there is not beside
    measure  what the frame itself shows at a spot
    """
    heat = 1 / (1 + np.exp(-answer[0].astype(np.float64)))
    rows, columns = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3)))) & (heat > LEAST_HEAT))
    candidates = []
    for row, column in zip(rows, columns, strict=True):
        at = (np.array([column, row]) + 0.5 + answer[1:3, row, column]) * STRIDE - 0.5
        if any(cv2.pointPolygonTest(rim, (float(at[0]), float(at[1])), False) >= 0 for rim in hidden):
            continue
        scores = answer[3 : 3 + len(KINDS), row, column]
        candidates.append(candidate_at(flat.to_mm @ [*at, 1], float(heat[row, column]), scores, measure))
    found: list[Found] = []
    sure = 1.0
    single = without_twins(candidates, APART * measure.unit)
    for candidate in single:
        odds = candidate.odds + KIN_WEIGHT * min(MOST_KIN, sum(kin(candidate, other) for other in single))
        likely = float(1 / (1 + np.exp(-odds)))
        sure *= max(likely, 1 - likely)
        if likely >= FOUND:
            found.append(candidate.box)
    return found, sure


def candidate_at(spot_mm: np.ndarray, heat: float, scores: np.ndarray, measure: Measure) -> Candidate:
    """What stands where the network sees a middle; `scores` (9,) are its own of the KINDS."""
    fits, off = measure.top(spot_mm)
    fit = float(fits.max())
    spot = spot_mm + off * measure.unit if fit > TRUSTED_FIT else spot_mm
    kinds = softmax(scores)
    standing = float(sum(chance for chance, (_length, upright) in zip(kinds, KINDS, strict=True) if upright))
    odds = FOUND_START + HEAT_WEIGHT * np.log(heat / (1 - heat + 1e-9)) + STANDING_WEIGHT * standing
    odds += FIT_WEIGHTS[0] * fit + FIT_WEIGHTS[1] * fit**6
    shape = np.log(kinds + 0.01)
    shape = shape + SHAPE_WEIGHT * np.array([fits[0 if upright else length - 1] for length, upright in KINDS])
    units = measure.side_units(spot) if fits[0] > SMALL_TOP else None
    if units is not None and units > LEAST_UNITS:
        heights = np.array([length if upright else 1 for length, upright in KINDS])
        shape = shape + np.log(np.exp(-0.5 * ((units - heights) / UNITS_SPREAD) ** 2) + STRAY_UNITS)
    rgb = patch_rgb(measure.frame_bgr, measure.pose, np.array([*spot, measure.unit]), CORE * measure.unit)
    return Candidate(Found(softmax(shape), heat, spot, look(rgb[None])[0]), fit, int(fits.argmax()) + 1, float(odds))


def without_twins(candidates: list[Candidate], apart_mm: float) -> list[Candidate]:
    """Of candidates for the same box the likeliest; likeliest first."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda candidate: -candidate.odds):
        if all(np.linalg.norm(candidate.box.spot_mm - other.box.spot_mm) >= apart_mm for other in kept):
            kept.append(candidate)
    return kept


def kin(one: Candidate, other: Candidate) -> bool:
    """Whether another candidate has as clear a top, of the same length and colour: two such are hardly both chance."""
    clear = min(one.fit, other.fit) > KIN_FIT and one.length == other.length and one is not other
    return clear and float(np.linalg.norm(one.box.look - other.box.look)) < KIN_LOOK


def truck_outlines(flat: Flat, trucks: tuple[Truck, ...], pose: Pose, unit: float) -> list[np.ndarray]:
    """(n, 2) flat pixels: what a full load of each truck may cover."""
    outlines = []
    for truck in trucks:
        corners = np.array(truck.corners_mm, np.float64)
        full = np.vstack([corners, corners + np.array([0, 0, truck.levels * truck.cell_mm])])
        eye = eye_of(pose)
        seen = eye + (full - eye) * ((unit - eye[2]) / (full[:, 2:] - eye[2]))  # where it hides the level of the flat
        outlines.append(cv2.convexHull(flat.of_mm(seen[:, :2]).astype(np.float32)))
    return outlines


def square_middles(truck: Truck) -> np.ndarray:
    """(rows·columns, 3) middles in mm of all squares of a truck, row by row."""
    corners = np.array(truck.corners_mm, np.float64)
    across, down = (
        share.ravel()[:, None]
        for share in np.meshgrid(
            (np.arange(truck.columns) + 0.5) / truck.columns, (np.arange(truck.rows) + 0.5) / truck.rows
        )
    )
    far = corners[0] + across * (corners[1] - corners[0])
    near = corners[3] + across * (corners[2] - corners[3])
    return far + down * (near - far)


def squares_of(truck: Truck, chances: np.ndarray) -> list[Square]:
    """All squares of a truck; on those where no box may stand there is none."""
    closed = np.eye(MOST_LEVELS + 1)[0]
    may = [may_stand for row in truck.area for may_stand in row]
    return [
        Square(seen := chance if open_ else closed, middle + np.array([0, 0, seen.argmax() * truck.cell_mm]))
        for open_, middle, chance in zip(may, square_middles(truck), chances, strict=True)
    ]


def square_levels(answer: np.ndarray, flat: Flat, truck: Truck) -> np.ndarray:
    """(n, 5) probabilities of the levels 0 to 4 on each square of `square_middles`."""
    scores = answer[3 + len(KINDS) :]
    places = (flat.of_mm(square_middles(truck)[:, :2]) + 0.5) / STRIDE - 0.5
    seen = cv2.remap(
        np.ascontiguousarray(scores.transpose(1, 2, 0)),
        places[:, 0].astype(np.float32)[None],
        places[:, 1].astype(np.float32)[None],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    allowed = np.arange(MOST_LEVELS + 1) <= truck.levels
    return np.array([softmax(np.where(allowed, each, -50.0)) for each in seen.reshape(len(places), -1)])


# the colours of tops


def top_of(box: Found, unit: float) -> np.ndarray:
    """(3,) middle of the top of a box beside the trucks, in mm."""
    length, standing = KINDS[int(box.chances.argmax())]
    return np.array([*box.spot_mm, unit * (length if standing else 1)])


def colours_of(frame_bgr: np.ndarray, pose: Pose, tops_mm: list[np.ndarray], unit: float) -> np.ndarray:
    """(n, 3) colours of level tops."""
    return np.array([patch_rgb(frame_bgr, pose, top, CORE * unit) for top in tops_mm]).reshape(-1, 3)


def patch_rgb(frame_bgr: np.ndarray, pose: Pose, middle_mm: np.ndarray, half_mm: float) -> np.ndarray:
    """Median red, green and blue of a level patch."""
    steps = np.linspace(-half_mm, half_mm, 7)
    points = np.array([[x, y, 0.0] for x in steps for y in steps]) + middle_mm
    pixels = np.round(pose.project(points)).astype(int)
    height, width = frame_bgr.shape[:2]
    seen = frame_bgr[np.clip(pixels[:, 1], 0, height - 1), np.clip(pixels[:, 0], 0, width - 1)]
    return np.median(seen, axis=0)[::-1]
