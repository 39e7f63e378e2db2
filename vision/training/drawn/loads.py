"""Draws pictures of boxes on truck cards and beside them, with labels; `load_nets` learns from them.

    python -m vision.training.drawn.loads render FOLDER COUNT SEED   COUNT pictures and labels.json

The labels have the fields of ../shared/data/loads-rendered.
"""

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose
from vision.training.drawn.tabletop import Canvas, lay_markers, linear, random_camera, random_light
from vision.training.labelled import Rng, write_labelled

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


def box_corners(spot: np.ndarray, yaw: float, size: np.ndarray) -> np.ndarray:
    """(8, 3) corners of an upright box on `spot` (3,), those of its foot first."""
    half = size[:2] / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    flat = half @ np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]]) + spot[:2]
    return np.vstack([np.hstack([flat, np.full((4, 1), z)]) for z in (spot[2], spot[2] + size[2])])


def draw_box(canvas: Canvas, box: dict[str, Any], look: dict[str, Any], shade: float) -> None:
    """Draws the visible faces of a box: sides, then the top with a bright worn edge."""
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
    """Draws a card with its loading area; returns its labels, and `to_world` from squares to mm."""
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
    """Random boxes stacked on the loading area, each on others or on the card."""
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


def scatter_boxes(
    rng: Rng, unit: float, paints: dict[int, Any], taken: list[np.ndarray], reach: np.ndarray
) -> list[dict[str, Any]]:
    """Random boxes beside the trucks: some alone, some in rows or touching, some standing."""
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
    """Draws all boxes, far and low ones first, with their shadows."""
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
    """Everything in one picture; flat things are already drawn on its canvas."""

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
    beside = scatter_boxes(rng, unit, paints, taken, reach)
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


if __name__ == "__main__":
    cv2.setNumThreads(1)
    what, *rest = sys.argv[1:]
    if what != "render":
        raise SystemExit(__doc__)
    write_labelled(Path(rest[0]), int(rest[1]), int(rest[2]), "load", render_load)
