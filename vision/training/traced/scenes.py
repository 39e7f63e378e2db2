"""Path-traced pictures of stacks of dice, of boards, loads and towers, with labels.

    python -m vision.training.traced.scenes stacks|crowds|steep|boards|loads|towers FOLDER COUNT SEED

What lies where and how it is labelled comes from the makers of the drawn pictures (`stacks`, `boards`, `loads`,
`towers` beside this); only the light is another: see `traced.rays`. So a reader taught on the drawn ones
can be judged on pictures that it was not made for, and taught on both.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose, turn_z
from vision.training.drawn import boards, loads, stacks, tower_designs, tower_rooms, towers
from vision.training.drawn.render import Material
from vision.training.drawn.scenes import PinholeCamera, random_material
from vision.training.drawn.tabletop import TABLE_PX, Canvas, RoomLight, linear, surface
from vision.training.labelled import LabelledScene, Rng, write_scenes
from vision.training.traced.rays import (
    Glow,
    Lighting,
    Solid,
    prism,
    random_lighting,
    rounded_box,
    seen_through,
    sheet,
    through_camera,
    trace,
)
from vision.training.traced.things import die_of, furniture

SIZE_PX = (1280, 960)
SHEET_PX_MM = 3.2  # of prints and flat things on the table
EVEN = RoomLight(np.ones(3, np.float32), np.zeros(3, np.float32), np.array([0.0, 0, 1e6]), 0.1, 0.0, 50.0, 0.0)


class FlatPose:
    """Projects the table straight down to a picture of it."""

    def __init__(self, half_mm: float) -> None:
        self.half_mm = half_mm

    def project(self, points_mm: np.ndarray) -> np.ndarray:
        return (np.asarray(points_mm, float)[..., :2] * [1, -1] + self.half_mm) * SHEET_PX_MM


class FlatCanvas(Canvas):
    """The flat things on the table, painted without light; what stands on it is collected for the tracer."""

    def __init__(self, rng: Rng, half_mm: float, unit_mm: float) -> None:
        side = int(2 * half_mm * SHEET_PX_MM)
        top = surface(rng, unit_mm * TABLE_PX / (2 * half_mm))
        self.rng, self.light, self.half_mm = rng, EVEN, half_mm
        self.pose = FlatPose(half_mm)  # type: ignore[assignment]
        self.eye = np.array([0.0, 0.0, 1e6])
        self.fall = np.ones((side, side), np.float32)
        self.picture = linear(cv2.resize(top, (side, side), interpolation=cv2.INTER_CUBIC)[:, :, ::-1])
        self.solids: list[Solid] = []

    def shadow(self, outlines_mm: list[np.ndarray], deep: float, blur_px: float) -> np.ndarray:
        return np.zeros(self.picture.shape[:2], np.float32)

    def raise_part(self, corners_mm: np.ndarray) -> None:
        """Adds a card: the part of the sheet under its corners (4, 3), lifted to their height."""
        corners = np.asarray(corners_mm, float)
        self.solids.append(Solid(sheet(corners, self.uv(corners)), self.printed, 0.7, 0.2))
        for i in range(4):
            a, b = corners[i], corners[(i + 1) % 4]
            self.solids.append(Solid(sheet(np.array([a, b, b * [1, 1, 0], a * [1, 1, 0]])), np.full(3, 0.6)))

    def uv(self, corners_mm: np.ndarray) -> np.ndarray:
        return corners_mm[:, :2] / (2 * self.half_mm) + 0.5

    @property
    def printed(self) -> np.ndarray:
        """The sheet as a picture, sRGB, red first."""
        return (np.clip(self.picture, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)

    def table(self, rng: Rng) -> Solid:
        reach = 4 * self.half_mm
        corners = np.array([[-reach, reach, 0], [reach, reach, 0], [reach, -reach, 0], [-reach, -reach, 0]])
        return Solid(sheet(corners, self.uv(corners)), self.printed, rng.uniform(0.25, 0.9), rng.uniform(0, 0.5))


# Stacks of dice


def trace_stacks(
    rng: Rng, seed: int, numbers: tuple[int, int] = stacks.NUMBERS, most_tilt_deg: float = stacks.MOST_TILT_DEG
) -> tuple[np.ndarray, dict[str, Any]]:
    """A picture of dice in stacks, and its labels."""
    side = float(rng.uniform(12, 18))
    view = stacks.stack_view(rng, *SIZE_PX, side, most_tilt_deg)
    pose = pose_of(rng, view, side)
    flat = FlatCanvas(rng, 420.0, side)
    materials = [random_material(rng)[0] for _ in range(rng.integers(2, 5))]
    if rng.random() < 0.6:  # dice of one set differ only in their paints
        one = np.full(3, rng.uniform(0.85, 1), np.float32)
        materials = [plain_of(each, one) for each in materials]
    designs = stacks.random_stacks(rng, view, len(materials), numbers)
    lighting, light_name = random_lighting(rng)
    solids, stack_of = [flat.table(rng)], [-1]
    for number, dice in enumerate(designs):
        for level, die in enumerate(dice):
            middle = np.array([*die["spot"], level + 0.5]) * side
            stack_of.append(number)
            solids.append(die_of(rng, materials[die["paint"]], die["value"], side).at(middle, turn_z(die["yaw"])))
    taken = np.array([dice[0]["spot"] for dice in designs]) * side
    corners = view.on_table(np.array([[0, 0], [SIZE_PX[0], SIZE_PX[1]]], float)) * side
    solids += furniture(rng, taken, np.abs(corners).max(axis=0))
    light, owner = trace(solids, lighting, pose, SIZE_PX, seed)
    whose = np.array([*stack_of, *[-1] * (len(solids) - len(stack_of)), -1])[seen_through(owner, pose, SIZE_PX)]
    labels = []
    for number, dice in enumerate(designs):
        square = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) / 2 @ turn_z(dice[-1]["yaw"]).T
        face = pose.project((np.array([*dice[-1]["spot"], len(dice)]) + square) * side)
        mask = np.zeros(whose.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(face).astype(np.int32), 1)
        hidden = (whose[mask > 0] >= 0) & (whose[mask > 0] != number)
        seen = 1 - float(hidden.mean()) if hidden.size else 0.0
        labels.append(stacks.stack_label(number, dice, face, seen))
    colour_rgb = {
        f"paint{i}": ((each.body + each.veins / 2 * (each.vein - each.body))[::-1] * 255).round(1).tolist()
        for i, each in enumerate(materials)
    }
    return through_camera(rng, light, pose, SIZE_PX), {
        "camera": camera_block(pose), "light": light_name, "die_size_mm": side, "colour_rgb": colour_rgb,
        "stacks": labels,
    }  # fmt: skip


def plain_of(material: Material, pip: np.ndarray) -> Material:
    """A die of one paint with plain pips, for a set in which only the paints differ."""
    light = material.body @ np.array([0.11, 0.59, 0.3]) > 0.42
    body = material.body
    pip = np.full(3, 0.05, np.float32) if light else pip
    return replace(material, body=body, veins=0, pip=pip, ace=pip, ace_radius=1, pip_spread=0.5, pip_radius=0.19,
                   rounding=0.22, ball=1.5, gloss=0.4, dish=0.3, opacity=1, grain=0, emblem=False, disc=0, rim=0,
                   foil=0, swirl=0, close_two=0, four=None)  # fmt: skip


def pose_of(rng: Rng, view: PinholeCamera, unit_mm: float) -> Pose:
    """The pose of a view whose lengths are in units, with a little distortion."""
    shift = -view.rotation @ view.position * unit_mm
    intrinsics = np.array(
        [[view.focal_px, 0, (view.width - 1) / 2], [0, view.focal_px, (view.height - 1) / 2], [0, 0, 1]]
    )
    return Pose(intrinsics, np.array([rng.normal(0, 0.025), 0, 0, 0, 0]), view.rotation, shift)


def camera_block(pose: Pose) -> dict[str, Any]:
    return {
        "width": SIZE_PX[0], "height": SIZE_PX[1], "fx": pose.intrinsics[0, 0], "fy": pose.intrinsics[1, 1],
        "cx": pose.intrinsics[0, 2], "cy": pose.intrinsics[1, 2], "dist": pose.distortion.tolist(),
        "R_world_to_cam": pose.rotation.tolist(), "t_mm": pose.shift_mm.tolist(),
    }  # fmt: skip


# Boards


def trace_board(rng: Rng, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """A picture of piles on a board, and its labels."""
    plan = boards.plan_board(rng, lambda pose, table, piece: FlatCanvas(rng, 420.0, piece))
    flat, pose, high = plan.canvas, plan.pose, float(plan.edge_mm[0, 2])
    assert isinstance(flat, FlatCanvas)
    lighting, light_name = random_lighting(rng)
    flat.raise_part(plan.edge_mm)
    solids = [flat.table(rng), *flat.solids]
    rough, gloss, bevel = rng.uniform(0.15, 0.9), rng.uniform(0, 0.7), plan.thick_mm * rng.uniform(0.04, 0.25)
    mesh = prism(plan.radius_mm, 0.0, plan.thick_mm, bevel)
    pieces = plan.rngs[0]
    for pile, base in [(pile, 0.0) for pile in plan.spare] + [(pile, high) for pile in plan.piles]:
        for level, (name, spot) in enumerate(zip(pile["colours"], pile["spots"], strict=True)):
            foot = np.array([*spot, base + level * plan.thick_mm])
            skin = piece_picture(pieces, plan.paints[name] * (1 + pieces.normal(0, 0.02, 3)), plan.look)
            solids.append(Solid(mesh.at(foot, turn_z(pieces.uniform(0, 6.283))), skin, rough, gloss))
    feet = [pile["spots"][0] for pile in (*plan.piles, *plan.spare)]
    feet += [np.array(marker["corners_mm_tl_tr_br_bl"])[:, :2].mean(axis=0) for marker in plan.labels["markers"]]
    around = plan.edge_mm[:, :2]
    feet += [around[i] + share * (around[i - 1] - around[i]) for i in range(4) for share in np.arange(0, 1, 0.1)]
    corners = np.array([pose.on_plane(np.array(p, float), 0.0) for p in ((0, 0), (1280, 960))])
    solids += furniture(rng, np.array(feet), np.abs(corners[:, :2]).max(axis=0))
    light, _owner = trace(solids, lighting, pose, SIZE_PX, seed)
    return through_camera(plan.rngs[1], light, pose, SIZE_PX), {**plan.labels, "light": light_name}


def piece_picture(rng: Rng, paint: np.ndarray, look: dict[str, Any]) -> np.ndarray:
    """A round piece's top and side in the layout of `prism`, sRGB, red first."""
    cell = 64
    ys, xs = (np.mgrid[0:cell, 0:cell] + 0.5) / cell
    off = np.hypot((xs - 0.5) / 0.48, (ys - 0.5) / 0.98)  # the top is an ellipse in its half of the picture
    top = np.where(off > look["inner"], look["rim"], 1.0)
    if look["dish"]:
        top[off < look["inner"] - 0.1] = look["dish"]
    if look["grain"]:
        lines = rng.normal(0, look["grain"], (cell, 3)).astype(np.float32)
        top = top * (1 + cv2.resize(lines, (cell, cell), interpolation=cv2.INTER_CUBIC))
    shown = paint * np.hstack([top, np.full((cell, cell), look["side"])])[..., None]
    return (np.clip(shown, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


# Loads


def trace_load(rng: Rng, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
    """A picture of boxes and trucks, and its labels."""
    plan = loads.plan_load(rng, lambda pose, unit: FlatCanvas(rng, 420.0, 16))
    flat, pose = plan.canvas, plan.pose
    assert isinstance(flat, FlatCanvas)
    lighting, light_name = random_lighting(rng)
    for truck in plan.trucks:
        flat.raise_part(np.hstack([truck["card"], np.full((4, 1), loads.CARD_MM)]))
    solids = [flat.table(rng), *flat.solids]
    bevel, rough, gloss = rng.uniform(0.2, 0.9), rng.uniform(0.25, 0.9), rng.uniform(0, 0.6)
    grain = float(rng.choice([0.0, rng.uniform(0.03, 0.2)]))
    for box in plan.boxes:
        size, corners = box["size"], box["corners"]
        along = corners[1] - corners[0]
        yaw = float(np.arctan2(along[1], along[0]))
        paint = box["paint"] * np.exp(rng.normal(0, 0.05)) * (1 + rng.normal(0, 0.02, 3))
        solids.append(Solid(rounded_box(size / 2, bevel).at(corners.mean(axis=0), turn_z(yaw)),
                            grained_paint(rng, paint, size, grain), rough, gloss))  # fmt: skip
    feet = [box["corners"][:4, :2] for box in plan.boxes] + [truck["card"] for truck in plan.trucks]
    feet += [np.array(marker["corners_mm_tl_tr_br_bl"])[:, :2] for marker in plan.markers]
    taken = np.vstack([*feet, np.zeros((1, 2))])
    corners = np.array([pose.on_plane(np.array(p, float), 0.0) for p in ((0, 0), (1280, 960))])
    solids += furniture(rng, taken, np.abs(corners[:, :2]).max(axis=0))
    light, _owner = trace(solids, lighting, pose, SIZE_PX, seed)
    return through_camera(rng, light, pose, SIZE_PX), {**plan.labels, "light": light_name}


def grained_paint(rng: Rng, paint: np.ndarray, size_mm: np.ndarray, deep: float) -> np.ndarray:
    """A box's six faces in one paint (linear), streaked along its longest edge."""
    if deep == 0:
        return np.asarray(paint, np.float32)
    cell, long = 64, int(np.argmax(size_mm))
    shown = np.zeros((2 * cell, 3 * cell, 3), np.float32)
    for axis in range(3):
        across = [i for i in range(3) if i != axis]
        for row in range(2):
            shape = (cell, 3) if long == across[0] else (3, cell) if long == across[1] else (12, 12)
            lines = cv2.resize(rng.normal(0, 1, shape).astype(np.float32), (cell, cell), interpolation=cv2.INTER_CUBIC)
            shown[row * cell : (row + 1) * cell, axis * cell : (axis + 1) * cell] = paint * (
                1 + deep * lines[..., None]
            )
    return (np.clip(shown, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


# Towers


def tower_room(rng: Rng, room: tower_rooms.Room) -> tuple[list[Solid], Lighting, str]:
    """The table, the wall with a few books in front of it, their lighting, and its name."""
    half, front = tower_rooms.TABLE_MM / 2, 0.6 * tower_rooms.TABLE_MM
    wide = np.array(
        [[-3 * half, room.back_mm, 0], [3 * half, room.back_mm, 0], [3 * half, -2500, 0], [-3 * half, -2500, 0]]
    )
    place = np.stack([wide[:, 0] + half, wide[:, 1] - (front - 2 * half)], axis=1) / (2 * half)
    top = Solid(sheet(wide, place), room.table[:, :, ::-1], rng.uniform(0.3, 0.9), rng.uniform(0, 0.5))
    tall, across = room.wall.shape[:2]
    reach = 1800.0
    wall = np.array([[-reach, room.back_mm, tall - 30.0], [reach, room.back_mm, tall - 30.0],
                     [reach, room.back_mm, -30.0], [-reach, room.back_mm, -30.0]])  # fmt: skip
    wall_uv = np.array([[-reach / across + 0.5, 1], [reach / across + 0.5, 1], [reach / across + 0.5, 0],
                        [-reach / across + 0.5, 0]])  # fmt: skip
    backdrop = room.wall[:, :, ::-1]
    if room.far_blur_px > 0.3:
        backdrop = cv2.GaussianBlur(backdrop, (0, 0), room.far_blur_px * 0.5)
    found = [top, Solid(sheet(wall, wall_uv), np.ascontiguousarray(backdrop), 0.9, 0.05)]
    x = rng.uniform(-700, -200)
    while x < 700 and rng.random() < 0.9:
        size = np.array([rng.uniform(6, 28), rng.uniform(50, 75), rng.uniform(60, 140)])
        if rng.random() < 0.5:
            middle = np.array([x + size[0], room.back_mm - size[1] - rng.uniform(0, 20), size[2]])
            found.append(Solid(rounded_box(size, 1.0).at(middle), linear(rng.uniform(8, 235, 3)), 0.6, 0.3))
            x += 2 * size[0] + rng.uniform(0, 15)
        else:
            x += rng.uniform(40, 300)
    lighting, name = random_lighting(rng)
    # the wall blocks light from behind: windows are at the sides or behind the camera, lamps in front of the wall
    glows = tuple(glow if glow.middle[1] < room.back_mm - 100 else mirror_glow(glow) for glow in lighting.glows)
    return found, Lighting(lighting.sky, glows), name


def mirror_glow(glow: Glow) -> Glow:
    """The same glow on the camera's side of the table."""
    flip = np.array([1.0, -1.0, 1.0])
    return Glow(glow.middle * flip, -glow.right * flip, glow.up * flip, glow.radiance)


def trace_tower(rng: Rng, furniture: tuple[list[Solid], Lighting, str], pose: Pose, stands: list[towers.Stack],
                seed: int) -> np.ndarray:  # fmt: skip
    """The photograph of some stacks in a room."""
    room, lighting, _name = furniture
    solids = list(room)
    for stack in stands:
        for piece in stack.solids:
            paint = np.array(piece.paint[::-1]) ** 2.2
            grain = np.random.default_rng(piece.seed)
            skin = wooden(grain, paint, piece.half_mm * 2)
            if piece.cylinder:
                mesh = prism(float(piece.half_mm[0]), -float(piece.half_mm[2]), float(piece.half_mm[2]), 0.7)
                skin = cv2.rotate(skin, cv2.ROTATE_90_CLOCKWISE)
            else:
                mesh = rounded_box(piece.half_mm, 0.8)
            solids.append(Solid(mesh.at(piece.centre_mm, piece.rotation), skin, 0.6, 0.25))
    light, _owner = trace(solids, lighting, pose, SIZE_PX, seed)
    return through_camera(rng, light, pose, SIZE_PX)


def wooden(rng: Rng, paint: np.ndarray, size_mm: np.ndarray) -> np.ndarray:
    """A block's six faces: year lines along its long edge, rings or fibres at its ends."""
    cell, deep, long = 96, rng.uniform(0.03, 0.22), int(np.argmax(size_mm))
    shown = np.zeros((2 * cell, 3 * cell, 3), np.float32)
    for axis in range(3):
        across = [i for i in range(3) if i != axis]
        for row in range(2):
            ys, xs = np.mgrid[0:cell, 0:cell] / cell
            if long == axis:
                far = np.hypot(xs - rng.uniform(-2, 2), ys - rng.uniform(-2, 2))
                lines = np.sin(far * rng.uniform(30, 90))
            else:
                u, v = (ys, xs) if long == across[0] else (xs, ys)
                bend = 0.05 * np.sin(v * rng.uniform(2, 6) + rng.uniform(0, 6)) + rng.uniform(-0.1, 0.1) * v
                lines = np.sin((u + bend) * rng.uniform(8, 60) + 2 * np.sin(u * rng.uniform(3, 9)))
            speck = cv2.resize(rng.normal(0, 1, (cell, 5) if long == across[0] else (5, cell)).astype(np.float32), (cell, cell))  # fmt: skip  # noqa: E501
            tone = 1 + deep * lines + 0.3 * deep * speck
            tint = 1 - 0.3 * deep * (lines < 0)
            shown[row * cell : (row + 1) * cell, axis * cell : (axis + 1) * cell] = paint * np.stack(
                [tone, tone * tint, tone * tint**2], axis=-1
            )
    return (np.clip(shown, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


def trace_towers(rng: Rng, name: str, four: bool, seed: int) -> LabelledScene:
    """The pictures of one table with their labels, and the label of the pair they make, if any."""
    rooms: list[Any] = []

    def shoot(view_rng: Rng, room: tower_rooms.Room, pose: Pose, stands: list[towers.Stack]) -> np.ndarray:
        if not rooms:
            rooms.append(tower_room(np.random.default_rng([seed, 7]), room))
        return trace_tower(view_rng, rooms[0], pose, stands, seed + len(rooms))

    designed = tower_designs.arched_design if rng.random() < 0.25 else tower_designs.random_design
    if four:
        _file, picture, entry = towers.render_four(rng, name, designed, shoot)
        return [(picture, entry)], []
    shown, pair = towers.render_pair(rng, name, designed, shoot)
    return [(picture, entry) for _file, picture, entry in shown], [pair]


# Files

MAKERS: dict[str, Callable[[Rng, int], tuple[np.ndarray, dict[str, Any]]]] = {
    "stacks": trace_stacks,
    "crowds": partial(trace_stacks, numbers=stacks.CROWDED),  # for training: more stacks in the time of a picture
    "steep": partial(trace_stacks, numbers=stacks.CROWDED, most_tilt_deg=stacks.STEEP_DEG),
    "boards": trace_board,
    "loads": trace_load,
}


def write_pictures(what: str, folder: Path, count: int, seed: int) -> None:
    """Writes at least `count` pictures. Continues an earlier run."""

    def draw(rng: Rng, name: str, index: int) -> LabelledScene:
        number = seed * 100_000 + index * 10
        if what == "towers":
            return trace_towers(rng, name, index % 3 == 0, number)
        return [MAKERS[what](rng, number)], []

    write_scenes(folder, count, seed, "tower" if what == "towers" else what, draw, quality=93, goes_on=True)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    write_pictures(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
