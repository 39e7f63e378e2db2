"""Draws pictures of block stacks from the front, with labels: builds, pairs, collapsed heaps, four spaces.

    python -m vision.training.drawn.towers FOLDER COUNT SEED           COUNT pictures (a pair is two) and labels.json
    python -m vision.training.drawn.towers FOLDER COUNT SEED arches    with gates, arches, cards of our own deck

The labels have the fields of ../shared/data/towers-rendered. Everything is drawn here, so the truth is exact.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.equipment.deck import EDGES, Way
from vision.scene.pose import Pose, turn_z
from vision.tower.blocks import Solid, draw_towers, window_of
from vision.training.drawn.tower_designs import (
    Design,
    Designer,
    Kit,
    Part,
    arched_design,
    change_design,
    random_design,
    random_kit,
)
from vision.training.drawn.tower_rooms import (
    HEIGHT,
    WIDTH,
    Room,
    draw_room,
    nudge_pose,
    photograph,
    random_pose,
    random_room,
)
from vision.training.labelled import LabelledScene, Rng, write_scenes

SPACE_MM = 135.0  # from one stacking space to the next


@dataclass
class Stack:
    """The stack or heap in a space."""

    space: int
    status: str
    design: Design = ()
    solids: list[Solid] = field(default_factory=list)
    parts: list[tuple[int, Part]] = field(default_factory=list)


def build_stack(rng: Rng, kit: Kit, design: Design, space: int, centre: tuple[float, float]) -> Stack:
    """The design as people build it: each block 1 to 3 mm and 1 to 4 degrees off its place."""
    shift = np.clip(rng.normal(0, 4, 2), -12, 12)
    whole = np.radians(np.clip(rng.normal(0, 1.2), -3, 3))
    stack, bottom = Stack(space, "standing", design), 0.0
    for number, level in enumerate(design):
        for part in level:
            _, tall, _ = kit.size(part)
            slip = np.clip(rng.normal(0, 1.6, 2), -3.2, 3.2)
            x = centre[0] + shift[0] + part.x_mm * np.cos(whole) + slip[0]
            y = centre[1] + shift[1] + part.x_mm * np.sin(whole) + slip[1]
            yaw = whole + np.radians(np.clip(rng.normal(0, 1.5), -4, 4))
            stack.solids.append(solid(rng, kit, part, np.array([x, y, bottom + tall / 2]), turn_z(yaw)))
            stack.parts.append((number, part))
        bottom += kit.height(level)
    return stack


def solid(rng: Rng, kit: Kit, part: Part, centre: np.ndarray, turn: np.ndarray) -> Solid:
    paint = tuple(float(c) for c in np.clip(kit.paint * (1 + rng.normal(0, 0.03)), 0, 1))
    seed = int(rng.integers(1 << 30))
    if part.way == "cylinder":
        assert kit.cylinder_mm
        half = np.array([kit.cylinder_mm[0], kit.cylinder_mm[0], kit.cylinder_mm[1]]) / 2
        return Solid(centre, turn, half, True, paint, seed)  # type: ignore[arg-type]
    own = np.zeros((3, 3))
    across, upright, away = EDGES[Way(part.way)]
    own[0, across], own[1, away], own[2, upright] = 1, 1, 1
    own[:, 0] *= np.linalg.det(own)
    return Solid(centre, turn @ own, np.array(kit.block_mm) / 2, False, paint, seed)  # type: ignore[arg-type]


def collapse_stack(rng: Rng, kit: Kit, design: Design, space: int, centre: tuple[float, float]) -> Stack:
    """The same blocks after a fall: some lower ones may still stand, the others lie about."""
    parts = [part for level in design for part in level]
    left = int(rng.integers(0, min(3, len(parts) - 1))) if rng.random() < 0.4 else 0
    standing = build_stack(rng, kit, design[: min(left, len(design) - 2)], space, centre) if left else Stack(space, "")
    stack = Stack(space, "collapsed", design, list(standing.solids), list(standing.parts))
    spread = rng.uniform(25, 70)
    for part in parts[len(stack.solids) :]:
        stack.solids.append(drop_block(rng, kit, part, stack.solids, centre, spread))
        stack.parts.append((0, part))
    return stack


def drop_block(
    rng: Rng, kit: Kit, part: Part, others: list[Solid], centre: tuple[float, float], spread: float
) -> Solid:
    """A block where it came to rest: on the table, on others, or leaning on one."""
    for attempt in range(40):
        way = part.way if part.way == "cylinder" else str(rng.choice(list(EDGES), p=[0.3, 0.3, 0.15, 0.15, 0.05, 0.05]))
        across, tall, away = kit.size(Part(way, 0))
        reach = spread * (1 + attempt / 20)
        x, y = np.array(centre) + np.clip(rng.normal(0, reach, 2), -90, 90) * [1, 0.8]
        turn = turn_z(rng.uniform(0, 6.283))
        radius = np.hypot(across, away) / 2
        near = [o for o in others if np.hypot(*(o.centre_mm[:2] - [x, y])) < 0.8 * (radius + np.sort(o.half_mm)[-1])]
        if way == "cylinder" and rng.random() < 0.7:  # rolled over
            over = turn @ np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
            if not near:
                return solid_at(rng, kit, Part(way, 0), np.array([x, y, across / 2]), over)
            continue
        if not near:
            return solid(rng, kit, Part(way, 0), np.array([x, y, tall / 2]), turn)
        if rng.random() < 0.35:
            top = max(float(o.corners_mm()[:, 2].max()) for o in near)
            if top > 80:
                continue
            lean = np.arctan2(top, across) * rng.uniform(0.5, 1)
            tilt = np.array([[np.cos(lean), 0, np.sin(lean)], [0, 1, 0], [-np.sin(lean), 0, np.cos(lean)]])
            height = (across * np.sin(lean) + tall * np.cos(lean)) / 2
            return solid(rng, kit, Part(way, 0), np.array([x, y, height]), turn @ tilt)
    top = max(float(o.corners_mm()[:, 2].max()) for o in near)
    return solid(rng, kit, Part(way, 0), np.array([x, y, top + tall / 2]), turn)


def solid_at(rng: Rng, kit: Kit, part: Part, centre: np.ndarray, turn: np.ndarray) -> Solid:
    return replace(solid(rng, kit, part, centre, np.eye(3)), rotation=turn)


def picture_of(rng: Rng, room: Room, pose: Pose, stacks: list[Stack]) -> np.ndarray:
    """The photograph, (960, 1280, 3) uint8."""
    canvas = draw_room(room, pose)
    open_sky = float((room.light.strength * np.maximum(room.light.towards[:, 2], 0)).sum()) + room.light.ambient
    canvas *= open_sky
    draw_towers([stack.solids for stack in stacks], pose, canvas, room.light)
    return photograph(rng, room, canvas)


Shoot = Callable[[Rng, Room, Pose, list[Stack]], np.ndarray]


def labels_of(
    name: str, pose: Pose, kit: Kit, centres: list[tuple[float, float]], stacks: list[Stack]
) -> dict[str, Any]:
    """One entry of labels.json."""
    camera = {
        "width": WIDTH, "height": HEIGHT, "fx": pose.intrinsics[0, 0], "fy": pose.intrinsics[1, 1],
        "cx": pose.intrinsics[0, 2], "cy": pose.intrinsics[1, 2], "dist": pose.distortion.tolist(),
        "R_world_to_cam": pose.rotation.tolist(), "t_mm": pose.shift_mm.tolist(),
    }  # fmt: skip
    return {
        "file": name,
        "camera": camera,
        "block_mm_long_mid_short": list(kit.block_mm),
        "cylinder_mm_diameter_height": None if kit.cylinder_mm is None else list(kit.cylinder_mm),
        "wood": kit.wood,
        "space_centres_mm": [list(centre) for centre in centres],
        "stacks": [stack_label(stack, pose) for stack in stacks],
    }


def stack_label(stack: Stack, pose: Pose) -> dict[str, Any]:
    window = window_of(stack.solids, pose, (HEIGHT, WIDTH)) if stack.solids else None
    return {
        "space": stack.space,
        "status": stack.status,
        "blocks_count": len(stack.solids),
        "levels_bottom_up": [
            [{"orientation": part.way, "x_mm": part.x_mm} for part in level]
            for level in (stack.design if stack.status == "standing" else ())
        ],
        "bbox_px": None if window is None else [int(v) for v in window],
        "blocks": [
            {
                "level": level,
                "orientation": part.way,
                "shape": "cylinder" if piece.cylinder else "block",
                "position_mm": np.round(piece.centre_mm, 2).tolist(),
                "rotation": np.round(piece.rotation, 5).tolist(),
                "hull_px": np.round(
                    cv2.convexHull(pose.project(piece.corners_mm()).astype(np.float32)).reshape(-1, 2), 1
                ).tolist(),
            }
            for (level, part), piece in zip(stack.parts, stack.solids, strict=True)
        ],
    }


def solids_of(kit_mm: list[float], round_mm: list[float] | None, blocks: list[dict[str, Any]]) -> list[Solid]:
    """The solids of labelled blocks, with rotations or, in ../shared/data, with quaternions."""
    found = []
    for block in blocks:
        if "rotation" in block:
            rotation = np.array(block["rotation"])
        else:
            w, *xyz = block["quaternion_wxyz"]
            rotation = cv2.Rodrigues(
                2 * np.arctan2(np.linalg.norm(xyz), w) * np.array(xyz) / max(np.linalg.norm(xyz), 1e-9)
            )[0]
        round_one = block["shape"] == "cylinder"
        assert not round_one or round_mm
        half = np.array([round_mm[0], round_mm[0], round_mm[1]]) / 2 if round_one and round_mm else np.array(kit_mm) / 2
        found.append(Solid(np.array(block["position_mm"]), rotation, half, round_one))
    return found


def render_pair(
    rng: Rng, name: str, designed: Designer, shoot: Shoot = picture_of
) -> tuple[list[tuple[str, np.ndarray, dict[str, Any]]], dict[str, Any]]:
    """Two pictures of one table with a stack each, and whether the stacks are meant to be the same."""
    kit, centres = random_kit(rng), [(0.0, 0.0)]
    room = random_room(rng, kit, centres)
    design = designed(rng, kit)
    same = bool(rng.random() < 0.5)
    other, difference = (design, None) if same else change_design(rng, kit, design)
    pose = random_pose(rng, wide=False)
    again = nudge_pose(rng, pose) if rng.random() < 0.6 else random_pose(rng, wide=False)
    shown = []
    for letter, view, levels in (("a", pose, design), ("b", again, other)):
        stack = build_stack(rng, kit, levels, 1, centres[0])
        file = f"{name}_{letter}.jpg"
        shown.append((file, shoot(rng, room, view, [stack]), labels_of(file, view, kit, centres, [stack])))
    return shown, {"a": shown[0][0], "b": shown[1][0], "same": same, "difference": difference}


def render_four(
    rng: Rng, name: str, designed: Designer = random_design, shoot: Shoot = picture_of
) -> tuple[str, np.ndarray, dict[str, Any]]:
    """Four spaces in one view: the first stack stands; the others are the same, different, fallen or missing."""
    kit = random_kit(rng)
    centres = [((i - 1.5) * SPACE_MM, 0.0) for i in range(4)]
    room = random_room(rng, kit, centres)
    design = designed(rng, kit)
    stacks, truths = [build_stack(rng, kit, design, 1, centres[0])], [True]
    for space in range(2, 5):
        centre, chance = centres[space - 1], rng.random()
        if chance < 0.3:
            stacks.append(build_stack(rng, kit, design, space, centre))
        elif chance < 0.6:
            stacks.append(build_stack(rng, kit, change_design(rng, kit, design)[0], space, centre))
        elif chance < 0.82:
            stacks.append(collapse_stack(rng, kit, design, space, centre))
        else:
            stacks.append(Stack(space, "empty"))
        truths.append(chance < 0.3)
    pose, file = random_pose(rng, wide=True), f"{name}_four.jpg"
    entry = labels_of(file, pose, kit, centres, stacks)
    for label, same in zip(entry["stacks"], truths, strict=True):
        label["same_as_space_1"] = same
    return file, shoot(rng, room, pose, stacks), entry


def write_towers(folder: Path, count: int, seed: int, designed: Designer = random_design) -> None:
    """Writes at least `count` pictures, half of them of four spaces, the others in pairs."""

    def draw(rng: Rng, name: str, index: int) -> LabelledScene:
        if index % 2 == 0:
            _file, picture, entry = render_four(rng, name, designed)
            return [(picture, entry)], []
        shown, pair = render_pair(rng, name, designed)
        return [(picture, entry) for _file, picture, entry in shown], [pair]

    write_scenes(folder, count, seed, "tower", draw, quality=90)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    designer = arched_design if sys.argv[4:] == ["arches"] else random_design
    write_towers(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), designer)
