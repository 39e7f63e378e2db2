"""Pictures of dice in stacks with their truth, and the training of the networks that tell how high each stack is.

    python -m vision.training.stacks render FOLDER COUNT SEED   COUNT pictures and labels.json
    python -m vision.training.stacks crowd FOLDER COUNT SEED    the same with more stacks in each, to teach with
    python -m vision.training.stacks judge FOLDER               the figures of `companion bench stacks`, of FOLDER
    python -m vision.training.stacks fit FOLDER…                 the networks of vision/models, from FOLDER

The labels have the fields of ../shared/data/stacks-rendered; heights are known exactly, as everything is drawn here.
"""

import json
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from companion.cli.labels import read_images
from companion.readings import DieReading
from vision.dice import read_dice
from vision.scene import Scene
from vision.scene_file import scene_of
from vision.stacks import (
    OWN,
    SHARED,
    TALL_PX,
    TOP_Y_PX,
    WIDE_PX,
    Cut,
    cut_of,
    cut_stack,
    marked,
    network_input,
)
from vision.training.labelled import write_labelled
from vision.training.render import draw_die, face_values
from vision.training.samples import recolour
from vision.training.scenes import Rng, View, random_lamp, random_material, through_lens, turn_z
from vision.training.tables import lay_table

if TYPE_CHECKING:  # torch is only there where networks are taught
    from vision.training.networks import Course

MOST_LEVELS = 4
NUMBERS, CROWDED = (4, 26), (22, 46)  # of stacks in a picture: at least, and fewer than
MOST_TILT_DEG, STEEP_DEG = 25.0, 10.0  # of cameras: from straight above, heights are hardest to see
HEIGHT_SHARES = np.array([0.46, 0.22, 0.17, 0.15])
FINER, MARGIN_PX = 1.25, 12  # of the kept patches against the reader's crops
PATCH_PX = (int(WIDE_PX * FINER) + 2 * MARGIN_PX, int(TALL_PX * FINER) + 2 * MARGIN_PX)
STEEP_LEAN, STEEP_TIMES = 0.2, 3.0  # in sides a level: who leans less is shown so many times as often
CLEARLY_SEEN = 0.8  # least share of a top face to learn from
STEPS, BATCH, RATE = 6000, 64, 3e-3


def stack_view(rng: Rng, width: int, height: int, side_mm: float, most_tilt_deg: float = MOST_TILT_DEG) -> View:
    """A camera 60 to 90 cm above the table, tilted by 0 degrees or more; lengths in sides of a die."""
    tilt, roll = np.radians(rng.uniform(0, most_tilt_deg)), rng.normal(0, np.radians(4))
    far = rng.uniform(600, 900) / side_mm
    focal = width * far * side_mm / rng.uniform(470, 640)
    down = np.array([0, np.sin(tilt), -np.cos(tilt)])
    right = np.array([1.0, 0, 0])
    turn = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    rotation = turn @ np.stack([right, np.cross(down, right), down])
    return View(rotation, np.array([0, -far * np.sin(tilt), far * np.cos(tilt)]), focal, width, height)


def stack_places(rng: Rng, view: View, count: int) -> list[np.ndarray]:
    """Where the stacks stand: some close together, none in another."""
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


def cast(rng: Rng, canvas: np.ndarray, view: View, stacks: list[list[dict[str, Any]]], lamp: Any) -> None:
    """Shadows of whole stacks on the table, and the dark line around their feet."""
    shade, foot = (np.zeros(canvas.shape[:2], np.float32) for _ in range(2))
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


def random_stacks(rng: Rng, view: View, paints: int, numbers: tuple[int, int] = NUMBERS) -> list[list[dict[str, Any]]]:
    """Where each die lies, from below: its spot in sides, how it is turned, its paint and its value."""
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
    """The label of one stack, by its top face (4, 2)."""
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
    cast(rng, canvas, view, stacks, lamp)

    labels = []
    seen_by = np.full((height, width), -1, np.int16)
    order = sorted(range(len(stacks)), key=lambda i: -float(np.linalg.norm(stacks[i][0]["spot"] - view.position[:2])))
    for i in order:
        for level, die in enumerate(stacks[i]):
            top = np.array([*die["spot"], level + 1.0])
            scale = view.jacobian(top) / 2  # of the whole die: its top face must be as large as its height makes it
            drawn = draw_die(canvas, view.project(top) - scale[:, 2], scale, turn_z(die["yaw"]),
                             materials[die["paint"]][0], face_values(die["value"], rng), lamp, rng)  # fmt: skip
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


@dataclass(frozen=True, eq=False)
class Patch:
    """A stack, cut wider and finer than the reader does, to be jittered.

    cut     how the reader would cut it out of the patch
    height  0 where nothing is labelled: a side face, a lower die, a top face that is half hidden
    others  (n, 2) middles of the other faces of its picture that the reader takes for tops, in pixels of the patch
    """

    picture: np.ndarray
    cut: Cut
    height: int
    others: np.ndarray


def patches_of(folders: list[Path]) -> list[list[Patch]]:
    """All that the reader of dice takes for tops, by picture."""
    shown = []
    for folder in folders:
        for entry in json.loads((folder / "labels.json").read_text())["images"]:
            frame = cv2.imread(str(folder / entry["file"]))
            scene = scene_of(entry)
            dice = read_dice(frame, scene).dice
            if dice:
                shown.append(patches_in(frame, scene, entry["stacks"], dice))
    return shown


def patches_in(
    frame: np.ndarray, scene: Scene, labels: list[dict[str, Any]], dice: tuple[DieReading, ...]
) -> list[Patch]:
    """Those of one picture."""
    assert scene.die_size_mm is not None
    pose = scene.pose(frame)
    middles = np.array([[die.cx, die.cy] for die in dice])
    patches = []
    for number, die in enumerate(dice):
        cut = cut_of(pose, scene.die_size_mm, middles[number], die.angle_deg)
        wide = FINER * cut.matrix + np.array([[0, 0, MARGIN_PX], [0, 0, MARGIN_PX]])
        picture = cv2.warpAffine(frame, wide, PATCH_PX, borderMode=cv2.BORDER_REPLICATE)
        inside = np.array([[1 / FINER, 0, -MARGIN_PX / FINER], [0, 1 / FINER, -MARGIN_PX / FINER]])
        others = np.delete(middles, number, axis=0) @ wide[:, :2].T + wide[:, 2]
        patches.append(Patch(picture, replace(cut, matrix=inside), labelled_height(labels, middles[number]), others))
    return patches


def labelled_height(labels: list[dict[str, Any]], middle_px: np.ndarray) -> int:
    """Of the stack whose top face, clearly seen, is there; else 0."""
    for stack in labels:
        size = float(np.sqrt(cv2.contourArea(np.array(stack["top_face_px"], np.float32))))
        if np.linalg.norm(middle_px - stack["top_centre_px"]) < size / 2:
            return int(stack["height"]) if stack["top_visible"] >= CLEARLY_SEEN else 0
    return 0


def jittered(rng: Rng, patch: Patch, zoom: float) -> tuple[np.ndarray, np.ndarray]:
    """Crop and marks as the reader might cut them: a top face is found within a pixel or two. The mirror leans the
    same."""
    zoom *= float(np.exp(rng.normal(0, 0.003)))  # more would blur how large a face is, which tells its height
    turn = cv2.getRotationMatrix2D((WIDE_PX / 2, TOP_Y_PX), float(rng.normal(0, 2)), zoom)
    turn[:, 2] += rng.normal(0, 0.8, 2)
    matrix = turn[:, :2] @ patch.cut.matrix + np.array([[0, 0, 1], [0, 0, 1]]) * turn[:, 2:]
    cut = replace(patch.cut, matrix=matrix, turn_deg=patch.cut.turn_deg + rng.normal(0, 2))
    crop, marks = cut_stack(patch.picture, cut), marked(cut, patch.others)
    return (crop[:, ::-1], marks[:, ::-1]) if rng.random() < 0.5 else (crop, marks)


def shares_of(shown: list[list[Patch]]) -> np.ndarray:
    """How often to show each picture: more often where stacks hardly lean, as their heights are the hardest."""
    weights = np.array(
        [np.mean([STEEP_TIMES if p.cut.lean < STEEP_LEAN else 1.0 for p in patches]) for patches in shown]
    )
    return weights / weights.sum()


def sample(rng: Rng, shown: list[list[Patch]], shares: np.ndarray) -> tuple[np.ndarray, list[int], list[int]]:
    """A batch of whole pictures or of parts of them: the input, the heights, and how many stacks each picture has.

    All of one picture are seen in the same light, by the same camera, and with the same error in the size of a die.
    """
    crops, marks, cuts, heights, numbers = [], [], [], [], []
    while sum(numbers) < BATCH:
        patches = shown[rng.choice(len(shown), p=shares)]
        if rng.random() < 0.5:
            share = rng.uniform(0.3, 1)
            patches = [patches[i] for i in rng.permutation(len(patches))[: max(1, int(len(patches) * share))]]
        zoom, look = float(np.exp(rng.normal(0, 0.004))), int(rng.integers(2**62))
        for patch in patches:
            crop, mark = jittered(rng, patch, zoom)
            crops.append(recolour(np.random.default_rng(look), crop))
            marks.append(mark)
            cuts.append(patch.cut)
            heights.append(patch.height)
        numbers.append(len(patches))
    return network_input(np.stack(crops), np.stack(marks), cuts), heights, numbers


def fit(folders: list[Path], course: "Course | None" = None, steps: int = STEPS) -> None:
    """Fits both networks of the heights, from nothing unless there is a course; prints the loss and writes them as
    ONNX."""
    import torch
    from torch.nn import functional

    from vision.training.networks import Course, StackHeights, StackReader, committed, export

    torch.manual_seed(3)
    torch.set_num_threads(1)
    known = (OWN + SHARED, 1, 1)
    teller = committed(StackHeights(), "stack-heights", *known) if course else StackHeights()
    course = course or Course(StackReader().train(), steps, RATE)
    rng, shown = np.random.default_rng(course.seed), patches_of(folders)
    shares = shares_of(shown)
    both = torch.nn.ModuleList([course.network, teller])
    optimiser, schedule = replace(course, network=both).optimiser(weight_decay=5e-2)
    running = 0.0
    for step in range(1, course.steps + 1):
        batch, heights, numbers = sample(rng, shown, shares)
        seen = course.network(torch.from_numpy(batch))
        alike = [part.mean(0, keepdim=True).expand_as(part) for part in seen[:, OWN:].split(numbers)]
        scores = teller(torch.cat([seen[:, :OWN], torch.cat(alike)], dim=1))[:, :, 0, 0]
        truth = torch.tensor(heights)
        loss = functional.cross_entropy(scores[truth > 0], truth[truth > 0] - 1, label_smoothing=0.005)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(both.parameters(), 5)
        optimiser.step()
        schedule.step()
        running += (loss.item() - running) / min(step, 100)
        if step % 200 == 0:
            print(f"stacks {step}/{course.steps} of {len(shown)} pictures, loss {running:.4f}", flush=True)
    export(course.network, "stack-reader", *batch.shape[1:])
    export(teller, "stack-heights", *known)


def judge(folder: Path) -> None:
    """Prints the figures of `companion bench stacks` for a folder; misses are drawn into its `misses`."""
    from vision.table_bench import stack_figures

    for figure in stack_figures(folder, read_images(folder, "stacks")["images"], folder / "misses"):
        print(f"{figure.name:<32} {figure.words()}")


if __name__ == "__main__":
    cv2.setNumThreads(1)
    if sys.argv[1] in ("render", "crowd"):
        numbers = NUMBERS if sys.argv[1] == "render" else CROWDED
        write_pictures(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), numbers)
    elif sys.argv[1] == "judge":
        judge(Path(sys.argv[2]))
    else:
        fit([Path(folder) for folder in sys.argv[2:]])
