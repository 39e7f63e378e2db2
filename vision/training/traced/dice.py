"""Path-traced pictures of dice among other things on tables, with labels.

    python -m vision.training.traced.dice FOLDER COUNT SEED    writes COUNT JPEGs and labels-SEED.json

What lies where, the dice and their labels are as in `vision.training.drawn.scenes`; the light is that of
`vision.training.traced.rays`, and what lies about has heights: keys, bowls, trays, coins, pens, pawns, tiles.
"""

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose, turn_z
from vision.training.drawn.scenes import PinholeCamera, die_label, place_dice, random_material, random_view
from vision.training.drawn.tables import lay_table
from vision.training.labelled import Rng
from vision.training.traced.rays import (
    Glow,
    Lighting,
    Mesh,
    Solid,
    random_lighting,
    seen_through,
    sheet,
    through_camera,
    trace,
)
from vision.training.traced.scenes import pose_of
from vision.training.traced.things import THINGS, bowl, die_of, furniture, tray

SIZE_PX = (800, 608)
DIE_PX = (15.0, 190.0)
TABLE_PX = 1600
SAMPLES = 6  # rays a pixel: dice are small, and many pictures teach more than fine ones
EMPTY = 0.12  # share of pictures without a die


def trace_dice(rng: Rng, seed: int) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """A picture and its dice, labelled as in `vision.training.drawn.scenes`."""
    side = float(rng.uniform(12, 22))
    die_px = float(np.exp(rng.uniform(*np.log(DIE_PX))))
    most = max(1, int(min(40, 0.4 * SIZE_PX[0] * SIZE_PX[1] / (die_px * 1.5) ** 2)))
    count = 0 if rng.random() < EMPTY else 1 + int((most - 1) * rng.random() ** 1.6)
    view = random_view(rng, *SIZE_PX, die_px)
    pose = pose_of(rng, view, side)
    solids = [table_under(rng, view, side)]
    sizes = np.ones(count) if rng.random() < 0.7 else rng.uniform(0.75, 1.35, count)
    spots = place_dice(rng, view, count, sizes)
    taken = np.array(spots).reshape(-1, 2) * side
    is_free = np.ones(len(taken), bool)
    target = view.on_table(np.array([[SIZE_PX[0] / 2, SIZE_PX[1] / 2]]))[0] * side
    if rng.random() < 0.25:
        found, apart = (bowl if rng.random() < 0.5 else tray)(rng, side, target + rng.normal(0, 2 * side, 2))
        solids += found
        is_free = apart(taken) > 0.75 * sizes[: len(taken)] * side
    solids += clutter(rng, view, side, taken[is_free])
    lighting = random_room_light(rng, pose)
    materials = [random_material(rng) for _ in range(1 if rng.random() < 0.5 else 5)]
    alike = turn_z(rng.uniform(0, 6.283)) if rng.random() < 0.15 else None
    first, placed = len(solids), []
    for i in np.flatnonzero(is_free):
        material, name = materials[rng.integers(len(materials))]
        value, turn = int(rng.integers(1, 7)), turn_z(rng.uniform(0, 6.283)) if alike is None else alike
        size = float(sizes[i] * side)
        middle = np.array([*taken[i], size / 2])
        solids.append(die_of(rng, material, value, size).at(middle, turn))
        face = np.array([[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]) * size / 2 @ turn.T + middle
        placed.append((value, name, face, solids[-1].mesh))
    light, owner = trace(solids, lighting, pose, SIZE_PX, seed, SAMPLES)
    whose = seen_through(owner, pose, SIZE_PX)
    picture = through_camera(rng, light, pose, SIZE_PX, quality=int(rng.uniform(40, 96)))
    labels = [traced_label(pose, *each, whose == first + i) for i, each in enumerate(placed)]
    return picture, [label for label in labels if label]


def table_under(rng: Rng, view: PinholeCamera, side_mm: float) -> Solid:
    """The table top with its print and paint, as large as the view and mirrored beyond."""
    wide, tall = view.width, view.height
    corners = view.on_table(np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], float))
    low, extent = corners.min(axis=0), float(np.ptp(corners, axis=0).max())
    top = lay_table(rng, TABLE_PX, max(6.0, TABLE_PX / extent))[:, :, ::-1]
    far = np.array([[-1, 2, 0], [2, 2, 0], [2, -1, 0], [-1, -1, 0]], float)
    flat = (far * extent + [*low, 0]) * side_mm
    return Solid(sheet(flat, far[:, :2]), np.ascontiguousarray(top), rng.uniform(0.15, 0.9), rng.uniform(0, 0.6))


def clutter(rng: Rng, view: PinholeCamera, side_mm: float, taken_mm: np.ndarray) -> list[Solid]:
    """Random things in the view, clear of all places (n, 2) taken."""
    found: list[Solid] = []
    for _ in range(int(rng.choice([0, 0, 1, 2, 4, 7]))):
        make = THINGS[rng.integers(len(THINGS))]
        solids, reach = make(rng, side_mm)
        for _ in range(10):
            pixel = rng.uniform(-0.05, 1.05, (1, 2)) * [view.width, view.height]
            spot = view.on_table(pixel)[0] * side_mm
            if len(taken_mm) and reach and np.linalg.norm(taken_mm - spot, axis=1).min() < reach + 0.8 * side_mm:
                continue
            turn, at = turn_z(rng.uniform(0, 6.283)), np.array([*spot, 0.0])
            found += [solid.at(at, turn) for solid in solids]
            if reach:
                taken_mm = np.vstack([taken_mm.reshape(-1, 2), spot])
            break
    corners = view.on_table(np.array([[0, 0], [view.width, view.height]], float)) * side_mm
    return found + furniture(rng, taken_mm.reshape(-1, 2), np.abs(corners).max(axis=0))


def random_room_light(rng: Rng, pose: Pose) -> Lighting:
    """A room's lighting; one time in six with a lamp beside the camera, as on telephones."""
    lighting, _name = random_lighting(rng)
    if rng.random() < 1 / 6:
        eye = pose.eye_mm
        beside = eye + pose.rotation.T @ np.array([rng.uniform(-40, 40), rng.uniform(-40, 40), -15.0])
        half, far = rng.uniform(3, 25), float(np.linalg.norm(eye))
        right, down = pose.rotation[0], pose.rotation[1]
        radiance = rng.uniform(0.3, 1.2) * np.array([1.0, 0.98, 0.92]) * far**2 / (4 * half**2)
        flash = Glow(beside, right * half, down * half, radiance)
        lighting = Lighting(lighting.sky * rng.uniform(0.3, 1), (*lighting.glows, flash))
    return lighting


def traced_label(
    pose: Pose, value: int, name: str, face_mm: np.ndarray, mesh: Mesh, seen: np.ndarray
) -> dict[str, Any] | None:
    """The label of one die, or None if it is not in the picture; `seen` (h, w) marks the pixels that show it."""
    if not seen.any():
        return None
    outline = pose.project(mesh.corners)
    box = (*np.clip(outline.min(axis=0), 0, SIZE_PX), *np.clip(outline.max(axis=0), 0, SIZE_PX))
    return die_label(value, name, pose.project(face_mm), box, seen)


def write_pictures(folder: Path, count: int, seed: int) -> None:
    """Writes `count` pictures; picture i of a seed is always the same. Continues an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / f"labels-{seed}.json"
    labels = json.loads(listed.read_text()) if listed.exists() else []
    for index in range(len(labels), count):
        picture, dice = trace_dice(np.random.default_rng([seed, index]), seed * 100_000 + index * 10)
        name = f"{seed}-{index:05d}.jpg"
        cv2.imwrite(str(folder / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 93])
        labels.append({"image": name, "group": "traced", "dice": dice})
        if index % 10 == 9 or index == count - 1:
            beside = listed.with_suffix(".part")
            beside.write_text(json.dumps(labels))
            beside.replace(listed)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    write_pictures(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
