"""Pictures of boxes on truck cards and beside them with their truth, and the training of the networks that read them.

    python -m vision.training.loads render FOLDER COUNT SEED   COUNT pictures and labels.json
    python -m vision.training.loads finder FOLDER…              the networks of vision/models, from the pictures
    python -m vision.training.loads reader FOLDER…              of the folders

The labels have the fields of ../shared/data/loads-rendered.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from vision.box_cuts import CUT_PX, Cutter, cutter_of, reader_input
from vision.load import KINDS, MOST_LEVELS, STRIDE, likely_tops, square_corners
from vision.load_flat import Flat, finder_input, lay_flat, seen_at
from vision.pose import Pose
from vision.scene_file import scene_of
from vision.training.tabletop import Canvas, Rng, lay_markers, linear, random_camera, random_light

if TYPE_CHECKING:  # torch is only there where networks are taught
    from vision.training.networks import Course

UP = np.array([0, 0, 1.0])
LENGTHS = (1, 2, 3, 4, 5)
USUAL = {1: "white", 2: "grey", 3: "brown", 4: "turquoise", 5: "purple"}
PAINTS = {
    "white": (222, 218, 208), "grey": (105, 108, 115), "brown": (110, 62, 45), "turquoise": (25, 120, 125),
    "purple": (85, 45, 130), "yellow": (205, 175, 45), "natural": (205, 170, 125), "red": (170, 35, 40),
    "green": (45, 120, 60), "blue": (40, 80, 160), "orange": (215, 105, 35), "black": (40, 40, 43),
    "pink": (220, 130, 170),
}  # fmt: skip
CARD_MM = 1.2
WINDOW_PX = 224  # of the flat pictures, shown to the network at once
STEPS, BATCH, RATE = 6000, 8, 4e-3
READER_STEPS, READER_RATE, BOX_CUTS, SQUARE_CUTS = 20000, 3e-3, 48, 20
NEAR, NOT_NEAR = 0.45, 0.65  # units: a top nearer than the one is the cut's own, one farther than the other is not


def box_corners(spot: np.ndarray, yaw: float, size: np.ndarray) -> np.ndarray:
    """(8, 3) corners of an upright box on `spot` (3,), the four of its foot first."""
    half = size[:2] / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    flat = half @ np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]]) + spot[:2]
    return np.vstack([np.hstack([flat, np.full((4, 1), z)]) for z in (spot[2], spot[2] + size[2])])


def draw_box(canvas: Canvas, box: dict[str, Any], look: dict[str, Any], shade: float) -> None:
    """The faces of a box that the camera sees: sides, then top, with a bright worn edge."""
    corners, paint = box["corners"], box["paint"]
    middle = corners.mean(axis=0)
    top = corners[4:]
    faces = [np.array([corners[i], corners[(i + 1) % 4], corners[4 + (i + 1) % 4], corners[4 + i]]) for i in range(4)]
    hull = cv2.convexHull(canvas.pose.project(corners).astype(np.float32)).reshape(-1, 2)
    canvas.fill(hull, paint * canvas.light.on(middle, UP, shade) * np.float32(0.6))
    for face in faces:
        normal = np.cross(face[1] - face[0], face[3] - face[0])
        normal /= np.linalg.norm(normal)
        if normal @ (canvas.eye - face.mean(axis=0)) > 0:
            lit = paint * canvas.light.on(middle, normal, shade) * np.float32(look["side"])
            canvas.shape(face, lit, look["grain"])
    lit = paint * canvas.light.on(middle, UP, shade) + look["gloss"] * canvas.glare_at(middle, float(top[0, 2]))
    canvas.shape(top, (lit * np.float32(look["edge"])).astype(np.float32))
    inner = top.mean(axis=0) + (top - top.mean(axis=0)) * look["inner"]
    canvas.shape(inner, lit.astype(np.float32), look["grain"])


def overlap(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two feet (4, 2) overlap."""
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return float(area) > 0.2


def lay_truck(canvas: Canvas, rng: Rng, unit: float, middle: np.ndarray, yaw: float) -> dict[str, Any]:
    """A card with its loading area; labels of the truck, with `to_world` from squares to mm."""
    columns, rows = (5, 3) if rng.random() < 0.8 else (int(rng.integers(3, 7)), int(rng.integers(2, 5)))
    levels = int(rng.integers(1, 5))
    area = (rng.random((rows, columns)) > rng.choice([0.0, 0.1, 0.25])).astype(int)
    turn = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])

    def to_world(points: np.ndarray, z: float = CARD_MM) -> np.ndarray:
        flat = (np.asarray(points, float) - [columns / 2, rows / 2]) * [unit, -unit]
        return np.hstack([flat @ turn + middle, np.full((len(flat), 1), z)])

    lit = canvas.light.on(np.array([*middle, 0.0]), UP)
    left, right, aside = rng.uniform(0.4, 2.5), rng.uniform(0.4, 4), rng.uniform(0.3, 1)
    card = np.array(
        [[-left, -aside], [columns + right, -aside], [columns + right, rows + aside], [-left, rows + aside]]
    )
    hue = linear(np.clip(rng.uniform(30, 240) + rng.normal(0, 60, 3), 15, 245))
    canvas.picture *= 1 - canvas.shadow([to_world(card)], 0.3, 3)[..., None]
    canvas.shape(to_world(card), (lit * hue).astype(np.float32), rng.choice([0, 0.05]))
    dark = linear(np.clip(rng.uniform(20, 70) + rng.normal(0, 8, 3), 0, 255))
    rim = rng.uniform(0.02, 0.25)
    frame = np.array([[-rim, -rim], [columns + rim, -rim], [columns + rim, rows + rim], [-rim, rows + rim]])
    canvas.shape(to_world(frame), (lit * dark).astype(np.float32))
    for row, column in np.ndindex(rows, columns):
        gap = 0.02
        square = np.add([[gap, gap], [1 - gap, gap], [1 - gap, 1 - gap], [gap, 1 - gap]], [column, row])
        tone = rng.uniform(0.7, 0.85) if area[row, column] else rng.uniform(0.02, 0.15)
        canvas.shape(to_world(square), (lit * np.float32(tone)).astype(np.float32))
        if not area[row, column] and rng.random() < 0.7:
            stroke = np.array([[gap, gap], [gap + 0.06, gap], [1 - gap, 1 - gap], [1 - gap - 0.06, 1 - gap]])
            canvas.shape(to_world(np.add(stroke, [column, row])), (lit * np.float32(tone * 0.5)).astype(np.float32))
    if right > 1.5:
        cab = np.add([[0.4, 0.2], [right - 0.3, 0.2], [right - 0.3, rows - 0.2], [0.4, rows - 0.2]], [columns, 0])
        canvas.shape(to_world(cab), (lit * linear(rng.uniform(10, 245, 3))).astype(np.float32))
        glass = cab.mean(axis=0) + (cab - cab.mean(axis=0)) * [0.4, 0.8]
        canvas.shape(to_world(glass), (lit * linear(rng.uniform(10, 245, 3))).astype(np.float32))
    for x in rng.uniform(0, columns + right, rng.integers(0, 6)):
        ring = np.linspace(0, 2 * np.pi, 16)[:-1]
        wheel = np.stack([x + 0.28 * np.cos(ring), rng.choice([-0.5, 0.5]) * (rows + aside) + rows / 2 + 0.28 * np.sin(ring)], axis=1)  # fmt: skip  # noqa: E501
        canvas.shape(to_world(wheel), (lit * dark).astype(np.float32))
    corners = to_world(np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]]))
    return {
        "labels": {
            "columns": columns, "rows": rows, "levels": levels, "loading_area_row_col": area.tolist(),
            "cell_mm": unit, "area_corners_mm_tl_tr_br_bl": corners.round(3).tolist(),
        },
        "card": to_world(card)[:, :2], "to_world": to_world, "yaw": yaw, "area": area,
    }  # fmt: skip


def load_truck(rng: Rng, truck: dict[str, Any], unit: float, paints: dict[int, Any]) -> list[dict[str, Any]]:
    """Boxes stacked on the loading area, each on others or on the card."""
    area = truck["area"]
    rows, columns = area.shape
    heights = np.zeros_like(area)
    top: list[list[int | None]] = [[None] * columns for _ in range(rows)]
    boxes: list[dict[str, Any]] = []
    for _ in range(int(rng.integers(0, 16))):
        length = int(rng.integers(1, 6))
        axis = str(rng.choice(["x", "y", "z"], p=[0.6, 0.3, 0.1])) if length > 1 else "x"
        wide, deep, high = (length if axis == other else 1 for other in "xyz")
        places = [
            (row, column) for row in range(rows - deep + 1) for column in range(columns - wide + 1)
            if area[row : row + deep, column : column + wide].all()
            and np.ptp(heights[row : row + deep, column : column + wide]) == 0
            and heights[row, column] + high <= truck["labels"]["levels"]
        ]  # fmt: skip
        if not places:
            continue
        row, column = places[int(rng.integers(len(places)))]
        level = int(heights[row, column])
        heights[row : row + deep, column : column + wide] += high
        for r, c in np.ndindex(deep, wide):
            top[row + r][column + c] = length
        spot = truck["to_world"](np.array([[column + wide / 2, row + deep / 2]]))[0] + rng.normal(0, [0.3, 0.3, 0])
        spot[2] = CARD_MM + level * unit
        size = np.array([wide, deep, high]) * unit * 0.985
        boxes.append({"length": length, "size": size, "paint": paints[length], "where": "truck",
                      "corners": box_corners(spot, truck["yaw"] + rng.normal(0, 0.01), size)})  # fmt: skip
    truck["labels"]["height_map_row_col"] = heights.tolist()
    truck["labels"]["top_length_row_col"] = top
    return boxes


def strew(
    rng: Rng, unit: float, paints: dict[int, Any], taken: list[np.ndarray], reach: np.ndarray
) -> list[dict[str, Any]]:
    """Boxes beside the trucks: some alone, some in rows or touching, some standing."""
    boxes: list[dict[str, Any]] = []
    crowded = rng.random()
    for _ in range(int(rng.integers(0, 15))):
        length = int(rng.integers(1, 6))
        standing = length > 1 and rng.random() < 0.15
        size = np.array([1, 1, length] if standing else [length, 1, 1]) * unit * rng.uniform(0.97, 1.0)
        for _ in range(20):
            yaw = rng.choice([rng.normal(0, 0.1), np.pi / 2 + rng.normal(0, 0.1), rng.uniform(0, 3.1416)])
            spot = rng.uniform(-reach, reach)
            if boxes and rng.random() < 0.6 * crowded:
                near = boxes[int(rng.integers(len(boxes)))]
                yaw = near["yaw"] + rng.choice([0, np.pi / 2]) + rng.choice([0, 0, rng.normal(0, 0.2)])
                away = (near["size"][1] + size[1]) / 2 * rng.uniform(1.0, 1.6)
                along = rng.uniform(-0.5, 0.5) * near["size"][0]
                side = np.array([-np.sin(near["yaw"]), np.cos(near["yaw"])])
                ahead = np.array([np.cos(near["yaw"]), np.sin(near["yaw"])])
                spot = near["spot"] + side * away * rng.choice([-1, 1]) + ahead * along
            corners = box_corners(np.array([*spot, 0.0]), yaw, size)
            if np.abs(spot[0]) > reach[0] or np.abs(spot[1]) > reach[1]:
                continue
            if any(overlap(corners[:4, :2], other) for other in taken):
                continue
            taken.append(corners[:4, :2])
            boxes.append({"length": length, "size": size, "paint": paints[length], "where": "beside", "yaw": yaw,
                          "spot": spot, "standing": standing, "corners": corners})  # fmt: skip
            break
    return boxes


def draw_boxes(canvas: Canvas, boxes: list[dict[str, Any]], look: dict[str, Any]) -> None:
    """All boxes, far and low ones first, with their shadows."""
    deep = canvas.direct_share()
    px_mm = canvas.pose.intrinsics[0, 0] / float(canvas.eye[2])
    blur = 0.8 + canvas.light.softness * px_mm * 10
    low = [box for box in boxes if box["corners"][0, 2] < 2]
    thrown = [canvas.thrown(box["corners"][:4], float(box["size"][2])) for box in low]
    canvas.picture *= 1 - canvas.shadow(thrown, deep, blur)[..., None]
    feet = [box["corners"][:4] for box in low]
    canvas.picture *= 1 - canvas.shadow(feet, canvas.rng.uniform(0.2, 0.7), canvas.rng.uniform(2, 8))[..., None]

    def order(box: dict[str, Any]) -> tuple[float, float]:
        return (round(float(box["corners"][0, 2]), 1), -float(np.linalg.norm(box["corners"].mean(axis=0) - canvas.eye)))

    for box in sorted(boxes, key=order):
        above = [
            canvas.thrown(other["corners"][:4] * [1, 1, 0] + UP * box["corners"][4, 2], rest)
            for other in boxes
            if other is not box and (rest := float(other["corners"][4, 2] - box["corners"][4, 2])) > 1
        ]
        middle = box["corners"][4:].mean(axis=0)[:2].astype(np.float32)
        dark = any(
            cv2.pointPolygonTest(cv2.convexHull(hull[:, :2].astype(np.float32)), tuple(map(float, middle)), False) > 0
            for hull in above
        )
        worn = (box["paint"] * (1 + canvas.rng.normal(0, 0.06)) * (1 + canvas.rng.normal(0, 0.02, 3))).astype(
            np.float32
        )
        draw_box(canvas, {**box, "paint": worn}, look, 0.7 if dark else 0.0)


@dataclass(frozen=True, eq=False)
class Plan:
    """What lies where in one picture, all flat things drawn on its canvas already."""

    canvas: Canvas
    pose: Pose
    markers: list[dict[str, Any]]
    trucks: list[dict[str, Any]]
    boxes: list[dict[str, Any]]
    labels: dict[str, Any]


def plan_load(rng: Rng, canvas_of: Callable[[Pose, float], Canvas]) -> Plan:
    """A random load."""
    unit = float(rng.uniform(10, 14))
    names = USUAL if rng.random() < 0.55 else dict(zip(LENGTHS, rng.permutation(list(PAINTS)), strict=False))
    paints = {n: linear(np.clip(np.array(PAINTS[str(names[n])]) + rng.normal(0, 12, 3), 10, 245)) for n in LENGTHS}
    pose, camera = random_camera(rng, 35, rng.uniform(330, 460))
    canvas = canvas_of(pose, unit)
    markers = lay_markers(canvas, (155.0, 108.0), 24.0) if rng.random() < 0.5 else []
    taken = [np.array(m["corners_mm_tl_tr_br_bl"])[:, :2] for m in markers]
    trucks = []
    for index in range(int(rng.choice([1, 1, 2]))):
        middle = np.array([rng.uniform(-40, 40), 35 - 70 * index + rng.uniform(-8, 8)])
        truck = lay_truck(canvas, rng, unit, middle, rng.normal(0, 0.12))
        if any(overlap(truck["card"], other) for other in taken[len(markers) :]):
            continue
        trucks.append(truck)
        taken.append(truck["card"])
    boxes = [box for truck in trucks for box in load_truck(rng, truck, unit, paints)]
    corners = np.array([pose.on_plane(np.array(p, float), 0.0) for p in ((0, 0), (1280, 0), (1280, 960), (0, 960))])
    reach = np.minimum(np.abs(corners[:, :2]).min(axis=0) - 3.2 * unit, [150, 120])
    beside = strew(rng, unit, paints, taken, reach)
    counts = Counter(f"{box['length']}:{names[box['length']]}" for box in beside)
    return Plan(canvas, pose, markers, trucks, boxes + beside, {
        "camera": camera, "markers": markers, "unit_mm": unit,
        "colour_by_length": {str(n): str(name) for n, name in names.items()},
        "trucks": [truck["labels"] for truck in trucks],
        "beside_counts_length_colour": dict(counts),
        "boxes": [
            {"length": box["length"], "where": box["where"], "standing": box.get("standing", False),
             "position_mm": box["corners"].mean(axis=0).round(2).tolist(), "yaw": float(box.get("yaw", 0))}
            for box in boxes + beside
        ],
    })  # fmt: skip


def render_load(rng: Rng) -> tuple[np.ndarray, dict[str, Any]]:
    """One picture and its labels."""
    plan = plan_load(rng, lambda pose, unit: Canvas(rng, pose, random_light(rng), 620, 16))
    look = {
        "side": rng.uniform(0.75, 1.0), "edge": rng.uniform(0.85, 1.15), "inner": rng.uniform(0.9, 0.99),
        "grain": float(rng.choice([0, rng.uniform(0.03, 0.18)])), "gloss": rng.uniform(0, 0.7),
    }  # fmt: skip
    draw_boxes(plan.canvas, plan.boxes, look)
    return plan.canvas.done(), plan.labels


def write_pictures(folder: Path, count: int, seed: int) -> None:
    """Writes `count` pictures; picture i of a seed is always the same."""
    folder.mkdir(parents=True, exist_ok=True)
    images = []
    for index in range(count):
        picture, labels = render_load(np.random.default_rng([seed, index]))
        name = f"load-{seed}-{index:04d}.jpg"
        cv2.imwrite(str(folder / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
        images.append({"file": name, **labels})
        if index % 20 == 19 or index == count - 1:
            (folder / "labels.json").write_text(json.dumps({"images": images}))


@dataclass(frozen=True, eq=False)
class Sample:
    """A picture and its truth.

    flat     laid flat as the reader does
    mask     (h, w) of the flat picture: where trucks are
    cutter   of the frame
    tops     (n, 2) mm: where the camera sees the tops of the boxes beside, one box high
    kinds    (n,) of KINDS
    loaded   (m, 2) as `tops`: tops of what lies on trucks
    found    (f, 2) as `tops`: what the finder takes for tops
    squares  (k, 4, 3) mm: corners of those that may be covered
    levels   (k,) how high those are covered
    """

    flat: Flat
    mask: np.ndarray
    cutter: Cutter
    tops: np.ndarray
    kinds: np.ndarray
    loaded: np.ndarray
    found: np.ndarray
    squares: np.ndarray
    levels: np.ndarray


def sample_of(frame_bgr: np.ndarray, labels: dict[str, Any], with_found: bool) -> Sample:
    """What the networks are to learn from a picture."""
    scene = scene_of(labels)
    unit, pose = scene.unit_mm, scene.pose(frame_bgr)
    assert unit is not None
    beside = [box for box in labels["boxes"] if box["where"] == "beside"]
    high = [box["length"] if box["standing"] else 1 for box in beside]
    middles = np.array([[*box["position_mm"][:2], unit * up] for box, up in zip(beside, high, strict=True)]).reshape(
        -1, 3
    )
    squares, levels = [], []
    for truck, known in zip(scene.trucks, labels["trucks"], strict=True):
        for corners, level, may in zip(
            square_corners(truck), np.ravel(known["height_map_row_col"]), np.ravel(truck.area), strict=True
        ):
            if may:
                squares.append(corners)
                levels.append(min(int(level), MOST_LEVELS))
    corners = np.array(squares).reshape(-1, 4, 3)
    covered = corners.mean(axis=1) + np.array(levels).reshape(-1, 1) * UP * unit
    flat = lay_flat(frame_bgr, pose, unit)
    return Sample(
        flat,
        finder_input(flat, scene.trucks, pose, unit)[0, 5].astype(np.uint8),
        cutter_of(frame_bgr, pose, unit, scene.trucks),
        seen_at(pose, middles, unit),
        np.array([KINDS.index((box["length"], up > 1)) for box, up in zip(beside, high, strict=True)], int),
        seen_at(pose, covered[np.array(levels, int) > 0], unit),
        likely_tops(flat, scene.trucks, pose, unit)[0] if with_found else np.zeros((0, 2)),
        corners,
        np.array(levels, int),
    )


def samples_of(folders: list[Path], with_found: bool) -> list[Sample]:
    """Every picture of the folders; `with_found` asks the finder, which the reader learns from."""
    return [
        sample_of(cv2.imread(str(folder / entry["file"])), entry, with_found)
        for folder in folders
        for entry in json.loads((folder / "labels.json").read_text())["images"]
    ]


def window_of(rng: Rng, sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """A part of a flat picture, turned, mirrored and recoloured a little: (6, h, w) and the tops in it (n, 2)."""
    from vision.training.samples import recolour

    flat, moved = sample.flat, sample.flat.of_mm(sample.tops)
    height, width = flat.picture.shape[:2]
    middle = (rng.uniform(0, width), rng.uniform(0, height))
    if len(moved) and rng.random() < 0.6:
        middle = tuple(moved[rng.integers(len(moved))])
    matrix = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), float(rng.normal(0, 6)),
                                     float(np.exp(rng.normal(0, 0.03))))  # fmt: skip
    matrix[:, 2] += np.array([rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8)]) * WINDOW_PX - middle
    if rng.random() < 0.5:
        matrix[0] = np.array([0, 0, WINDOW_PX - 1]) - matrix[0]
    size = (WINDOW_PX, WINDOW_PX)
    picture = recolour(rng, cv2.warpAffine(flat.picture, matrix, size, borderMode=cv2.BORDER_REPLICATE))
    lean = cv2.warpAffine(flat.lean, matrix, size, borderMode=cv2.BORDER_REPLICATE) @ matrix[:, :2].T
    mask = cv2.warpAffine(sample.mask, matrix, size)
    colours = picture.astype(np.float32).transpose(2, 0, 1)
    colours = (colours - colours.mean()) / (colours.std() + 4)
    planes = np.concatenate([colours, lean.transpose(2, 0, 1), mask[None]]).astype(np.float32)
    moved = moved @ matrix[:, :2].T + matrix[:, 2]
    return planes, moved[((moved > 2) & (moved < WINDOW_PX - 3)).all(axis=1)]


def fit_finder(folders: list[Path], course: "Course | None" = None, steps: int = STEPS) -> None:
    """Fits the network that finds tops, from nothing unless there is a course; prints its loss, writes it as ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.networks import Course, LoadFinder, export

    torch.manual_seed(3)
    torch.set_num_threads(1)
    course = course or Course(LoadFinder().train(), steps, RATE)
    network, rng = course.network, np.random.default_rng(course.seed)
    samples = samples_of(folders, with_found=False)
    optimiser, schedule = course.optimiser(weight_decay=2e-2)
    cells = WINDOW_PX // STRIDE
    ys, xs = np.mgrid[0:cells, 0:cells]
    running = np.zeros(2)
    for step in range(1, course.steps + 1):
        pairs = [window_of(rng, samples[i]) for i in rng.integers(len(samples), size=BATCH)]
        answer = network(torch.from_numpy(np.stack([planes for planes, _ in pairs])))
        heat = np.zeros((BATCH, cells, cells), np.float32)
        at, offs = [], []
        for i, (_, tops) in enumerate(pairs):
            for top in (tops + 0.5) / STRIDE - 0.5:
                heat[i] = np.maximum(heat[i], np.exp(-((xs - top[0]) ** 2 + (ys - top[1]) ** 2) / (2 * 0.7**2)))
                column, row = np.round(top).astype(int)
                heat[i, row, column] = 1
                at.append((i, row, column))
                offs.append(top - [column, row])
        wanted = torch.from_numpy(heat)
        sure = torch.sigmoid(answer[:, 0]).clamp(1e-4, 1 - 1e-4)
        middle_loss = -((1 - sure) ** 2 * torch.log(sure))[wanted == 1].sum()
        rest_loss = -((1 - wanted) ** 4 * sure**2 * torch.log(1 - sure))[wanted < 1].sum()
        losses = [(middle_loss + rest_loss) / max(1, len(at))]
        if at:
            i, row, column = np.array(at).T
            off = answer[i, 1:3, row, column] - torch.from_numpy(np.array(offs, np.float32))
            losses.append(functional.smooth_l1_loss(off, torch.zeros_like(off), beta=0.1))
        optimiser.zero_grad()
        sum(losses).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimiser.step()
        schedule.step()
        if len(losses) == len(running):
            running += (np.array([loss.item() for loss in losses]) - running) / min(step, 100)
        if step % 100 == 0:
            print(f"load finder {step}/{course.steps}, middles offsets {running.round(4)}", flush=True)
    export(network, "load-finder", 6, 288, 384)


def spot_of(rng: Rng, sample: Sample) -> np.ndarray:
    """(2,) mm, one box high: mostly about a top or what the finder takes for one, else anywhere."""
    unit, draw = sample.cutter.unit, rng.random()
    for share, spots, far in (
        (0.35, sample.tops, 0.15), (0.48, sample.tops, 1.2), (0.85, sample.found, 0.12), (0.93, sample.loaded, 0.5),
    ):  # fmt: skip
        if draw < share and len(spots):
            return spots[rng.integers(len(spots))] + rng.normal(0, far, 2) * unit
    height, width = sample.flat.picture.shape[:2]
    return sample.flat.to_mm @ [rng.uniform(0, width), rng.uniform(0, height), 1]


def cut_of(rng: Rng, sample: Sample, square: bool) -> tuple[np.ndarray, int, np.ndarray, int]:
    """A cut, planes (6, 72, 72), with what it shows: class of box, offset of its top, level; -1 what is not asked."""
    from vision.training.samples import recolour

    cutter, kind, level, off = sample.cutter, -1, -1, np.zeros(2)
    turn, scale = rng.normal(0, 0.06), float(np.exp(rng.normal(0, 0.03)))
    mirrored = rng.random() < 0.5
    if square:
        i = rng.integers(len(sample.levels))
        corners = sample.squares[i]
        spot, level = corners.mean(axis=0)[:2] + rng.normal(0, 0.07, 2) * cutter.unit, int(sample.levels[i])
        picture, mask, lean = cutter.cut(spot[None], corners[None], turn, scale)
    else:
        spot = spot_of(rng, sample)
        picture, mask, lean = cutter.cut(spot[None], None, turn, scale)
        axes, _ = cutter.axes_at(spot[None], turn)
        away = (sample.tops - spot) @ axes[0].T / cutter.unit * scale
        far = np.linalg.norm(away, axis=1) if len(away) else np.array([np.inf])
        kind = 0
        if far.min() < NEAR:
            kind, off = 1 + int(sample.kinds[far.argmin()]), away[far.argmin()] * [-1 if mirrored else 1, 1]
        elif far.min() < NOT_NEAR:
            kind = -1
    if mirrored:
        picture, mask = picture[:, :, ::-1], mask[:, :, ::-1]
    planes = reader_input(recolour(rng, np.ascontiguousarray(picture[0]))[None], mask, lean, cutter.nearer)
    return planes[0], kind, off, level


def fit_reader(folders: list[Path], course: "Course | None" = None, steps: int = READER_STEPS) -> None:
    """Fits the network that reads cuts, from nothing unless there is a course; prints its loss, writes it as ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.networks import BoxReader, Course, export

    torch.manual_seed(4)
    torch.set_num_threads(1)
    course = course or Course(BoxReader().train(), steps, READER_RATE, seed=8)
    network, rng = course.network, np.random.default_rng(course.seed)
    samples = samples_of(folders, with_found=True)
    loaded = [sample for sample in samples if len(sample.levels)]
    optimiser, schedule = course.optimiser(weight_decay=2e-2)
    running = np.zeros(3)
    for step in range(1, course.steps + 1):
        drawn = [cut_of(rng, samples[i], False) for i in rng.integers(len(samples), size=BOX_CUTS)]
        drawn += [cut_of(rng, loaded[i], True) for i in rng.integers(len(loaded), size=SQUARE_CUTS)]
        planes, kinds, offs, levels = (np.array(part) for part in zip(*drawn, strict=True))
        answer = network(torch.from_numpy(planes))[:, :, 0, 0]
        boxes = torch.from_numpy(kinds > 0)
        losses = [
            functional.cross_entropy(answer[:, :10], torch.from_numpy(kinds), ignore_index=-1),
            functional.smooth_l1_loss(answer[boxes, 10:12], torch.from_numpy(offs.astype(np.float32))[boxes], beta=0.1),
            functional.cross_entropy(answer[:, 12:], torch.from_numpy(levels), ignore_index=-1),
        ]
        optimiser.zero_grad()
        sum(losses).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimiser.step()
        schedule.step()
        running += (np.array([loss.item() for loss in losses]) - running) / min(step, 100)
        if step % 100 == 0:
            print(f"load reader {step}/{course.steps}, kinds offsets levels {running.round(4)}", flush=True)
    export(network, "load-reader", 6, CUT_PX, CUT_PX)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    what, *rest = sys.argv[1:]
    if what == "render":
        write_pictures(Path(rest[0]), int(rest[1]), int(rest[2]))
    else:
        {"finder": fit_finder, "reader": fit_reader}[what]([Path(folder) for folder in rest])
