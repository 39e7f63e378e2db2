"""Draws pictures of dice in stacks, with labels; `stack_nets` learn from them.

    python -m vision.training.drawn.stacks render FOLDER COUNT SEED   COUNT pictures and labels.json
    python -m vision.training.drawn.stacks crowd FOLDER COUNT SEED    the same with more stacks in each, to teach with

The labels have the fields of ../shared/data/stacks-rendered; heights are known exactly, as everything is drawn here.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import turn_z
from vision.training.drawn.render import PipDie, draw_solid, face_values
from vision.training.drawn.scenes import PinholeCamera, random_lamp, random_material, through_lens
from vision.training.drawn.tables import lay_table
from vision.training.labelled import Rng, write_labelled

MOST_LEVELS = 4
NUMBERS, CROWDED = (4, 26), (22, 46)  # stacks in a picture: least, and one more than most
MOST_TILT_DEG, STEEP_DEG = 25.0, 10.0  # of cameras: from straight above, heights are hardest to see
HEIGHT_SHARES = np.array([0.46, 0.22, 0.17, 0.15])


def stack_view(
    rng: Rng, width: int, height: int, side_mm: float, most_tilt_deg: float = MOST_TILT_DEG
) -> PinholeCamera:
    """A camera 60 to 90 cm above the table, tilted by up to `most_tilt_deg`; lengths in sides of a die."""
    tilt, roll = np.radians(rng.uniform(0, most_tilt_deg)), rng.normal(0, np.radians(4))
    far = rng.uniform(600, 900) / side_mm
    focal = width * far * side_mm / rng.uniform(470, 640)
    down = np.array([0, np.sin(tilt), -np.cos(tilt)])
    right = np.array([1.0, 0, 0])
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rotation = turn @ np.stack([right, np.cross(down, right), down])
    return PinholeCamera(rotation, np.array([0, -far * np.sin(tilt), far * np.cos(tilt)]), focal, width, height)


def stack_places(rng: Rng, view: PinholeCamera, count: int) -> list[np.ndarray]:
    """The places of stacks: some close together, none overlapping."""
    corners = view.on_table(np.array([[60, 60], [view.width - 60, view.height - 60]], float))
    low, high = corners.min(axis=0), corners.max(axis=0)
    places: list[np.ndarray] = []
    for _ in range(count * 8):
        spot = rng.uniform(low, high)
        if places and rng.random() < 0.35:
            angle = rng.uniform(0, 6.283)
            spot = places[rng.integers(len(places))] + rng.uniform(1.45, 2.2) * np.array([np.cos(angle), np.sin(angle)])
        pixel = view.project(np.array([*spot, 2.0]))
        inside = 30 < pixel[0] < view.width - 30 and 30 < pixel[1] < view.height - 30
        if inside and all(np.linalg.norm(spot - other) > 1.42 for other in places) and len(places) < count:
            places.append(spot)
    return places


def cast_shadows(
    rng: Rng, canvas: np.ndarray, view: PinholeCamera, stacks: list[list[dict[str, Any]]], lamp: Any
) -> None:
    """Draws the shadows of whole stacks on the table, and the dark line around their feet."""
    shade: np.ndarray = np.zeros(canvas.shape[:2], np.float32)
    foot = shade.copy()
    reach = lamp.direction[:2] / max(lamp.direction[2], 0.3)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    for stack in stacks:
        square = stack[0]["spot"] + corners @ turn_z(stack[0]["yaw"])[:2, :2].T
        ground = np.hstack([np.vstack([square, square - reach * len(stack)]), np.zeros((8, 1))])
        cv2.fillConvexPoly(shade, cv2.convexHull(view.project(ground).astype(np.float32)).astype(np.int32), 1.0)
        cv2.fillConvexPoly(foot, view.project(ground[:4]).astype(np.int32), 1.0)
    shade = cv2.GaussianBlur(shade, (0, 0), rng.uniform(0.6, 8))
    foot = cv2.GaussianBlur(foot, (0, 0), rng.uniform(1, 5))
    canvas *= 1 - rng.uniform(0.05, 0.7) * shade[..., None]
    canvas *= 1 - rng.uniform(0.1, 0.5) * foot[..., None]


def random_stacks(
    rng: Rng, view: PinholeCamera, paints: int, numbers: tuple[int, int] = NUMBERS
) -> list[list[dict[str, Any]]]:
    """The dice of each stack from below: place in sides, yaw, paint and value."""
    stacks = []
    for spot in stack_places(rng, view, int(rng.integers(*numbers))):
        level_spot, yaw = spot, rng.uniform(0, 6.283)
        dice = []
        for _ in range(1 + rng.choice(MOST_LEVELS, p=HEIGHT_SHARES)):
            dice.append({"spot": level_spot, "yaw": yaw, "paint": int(rng.integers(paints)),
                         "value": int(rng.integers(1, 7))})  # fmt: skip
            level_spot = level_spot + rng.normal(0, 0.05, 2)
            yaw = yaw + (rng.normal(0, 0.08) if rng.random() < 0.7 else rng.uniform(-0.8, 0.8))
        stacks.append(dice)
    return stacks


def stack_label(number: int, dice: list[dict[str, Any]], face_px: np.ndarray, visible: float) -> dict[str, Any]:
    """The label of one stack with its top face (4, 2)."""
    return {
        "id": number,
        "height": len(dice),
        "top_value": dice[-1]["value"],
        "top_colour": f"paint{dice[-1]['paint']}",
        "top_face_px": np.round(face_px, 1).tolist(),
        "top_centre_px": np.round(face_px.mean(axis=0), 1).tolist(),
        "top_visible": round(visible, 3),
    }


def render_stacks(
    rng: Rng, width: int = 1280, height: int = 960, numbers: tuple[int, int] = NUMBERS
) -> tuple[np.ndarray, dict[str, Any]]:
    """One picture and its labels."""
    side_mm = float(rng.uniform(12, 18))
    view = stack_view(rng, width, height, side_mm)
    corners = view.on_table(np.array([[0, 0], [width, 0], [width, height], [0, height]], float))
    west, north, extent = corners[:, 0].min(), corners[:, 1].max(), float(np.ptp(corners, axis=0).max())
    table = lay_table(rng, 1100, max(6.0, 1100 / extent))
    to_table = cv2.getPerspectiveTransform(
        ((corners - [west, north]) * [1, -1] / extent * 1100).astype(np.float32),
        np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32),
    )
    canvas = cv2.warpPerspective(table, to_table, (width, height), borderMode=cv2.BORDER_REFLECT) / np.float32(255)
    lamp = random_lamp(rng)
    canvas = canvas * (lamp.ambient + lamp.diffuse * lamp.direction[2])

    materials = [random_material(rng) for _ in range(rng.integers(2, 5))]
    stacks = random_stacks(rng, view, len(materials), numbers)
    cast_shadows(rng, canvas, view, stacks, lamp)

    labels = []
    seen_by = np.full((height, width), -1, np.int16)
    order = sorted(range(len(stacks)), key=lambda i: -float(np.linalg.norm(stacks[i][0]["spot"] - view.position[:2])))
    for i in order:
        for level, die in enumerate(stacks[i]):
            top = np.array([*die["spot"], level + 1.0])
            scale = view.jacobian(top) / 2  # of the whole die, so that its top face is as large as its height makes it
            solid = PipDie(materials[die["paint"]][0], face_values(die["value"], rng))
            drawn = draw_solid(canvas, view.project(top) - scale[:, 2], scale, turn_z(die["yaw"]), solid, lamp, rng)
            if drawn is not None:
                seen_by[drawn[0], drawn[1]][drawn[2] > 0.5] = i * MOST_LEVELS + level
    for i, dice in enumerate(stacks):
        top = np.array([*dice[-1]["spot"], len(dice)])
        square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) / 2 @ turn_z(dice[-1]["yaw"]).T
        face = view.project(top + square)
        mask = np.zeros((height, width), np.uint8)
        cv2.fillConvexPoly(mask, np.round(face).astype(np.int32), 1)
        own = (seen_by == i * MOST_LEVELS + len(dice) - 1) & (mask > 0)
        labels.append(stack_label(i, dice, face, float(own.sum() / max(1, mask.sum()))))
    picture = through_lens(rng, canvas, float(np.linalg.norm(view.jacobian(np.zeros(3)), 2)))
    colour_rgb = {
        f"paint{i}": (material.body[::-1] * 255).round(1).tolist() for i, (material, _) in enumerate(materials)
    }
    camera = {
        "width": width, "height": height, "fx": view.focal_px, "fy": view.focal_px,
        "cx": width / 2, "cy": height / 2, "dist": [0, 0, 0, 0, 0],
        "R_world_to_cam": view.rotation.tolist(), "t_mm": (-view.rotation @ view.position * side_mm).tolist(),
    }  # fmt: skip
    return picture, {"camera": camera, "die_size_mm": side_mm, "colour_rgb": colour_rgb, "stacks": labels}


def write_pictures(folder: Path, count: int, seed: int, numbers: tuple[int, int] = NUMBERS) -> None:
    """Writes `count` pictures; picture i of a seed is always the same."""
    write_labelled(folder, count, seed, "stacks", partial(render_stacks, numbers=numbers))


if __name__ == "__main__":
    cv2.setNumThreads(1)
    what, *rest = sys.argv[1:]
    if what not in ("render", "crowd"):
        raise SystemExit(__doc__)
    write_pictures(Path(rest[0]), int(rest[1]), int(rest[2]), NUMBERS if what == "render" else CROWDED)
