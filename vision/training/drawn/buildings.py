"""Films stacks while they are built: block by block, still looks between, and an arm while a block is put.

The rooms, blocks, designs and slips of hands are those of `vision.training.drawn.towers`. A block may be nudged when a
later one is put, taken off and put again, or pushed into its place afterwards; two may come while the arm stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np

from vision.scene.pose import Pose
from vision.tower.blocks import Layer, Solid, layer_of, shade_table
from vision.training.drawn.falls import draw_line, sleeve_of
from vision.training.drawn.tower_designs import Kit, change_design, random_design, random_kit
from vision.training.drawn.tower_rooms import HEIGHT, WIDTH, Room, draw_room, random_pose, random_room
from vision.training.drawn.towers import SPACE_MM, Stack, build_stack, labels_of
from vision.training.labelled import Rng, through_jpeg

STILLS = 2  # still looks after a step
STAYS = 0.08  # chance that the arm stays until the next step is done, too
HELD = 0.2  # chance that an arm is held still for two looks
AGAIN, AGAIN_MM = 0.06, 2.3  # chance that a block is taken off and put again, and how far from there it was, one sigma
PUSHED, PUSHED_MM = 0.02, 8.0  # chance that a block is put elsewhere and then pushed into its place, and from how far
BUMPED, BUMP_MM = 0.3, 1.0  # chance that a step nudges what stands from some block up, and by how much at most
GRAINS = 3  # pictures of noise, of which each frame shows one, shifted

Standing = tuple[Solid, ...]


@dataclass(frozen=True, eq=False)
class Look:
    """One frame, (960, 1280, 3) uint8, whether no arm is in it, and what stands in each space."""

    frame_bgr: np.ndarray
    still: bool
    standing: Mapping[int, Standing]


@dataclass(eq=False)
class Film:
    """The stacks of one table as they are built; space 1 holds the model.

    stacks  their places are those of the last frame once `looks` has come to its end
    same    for each other space whether its stack is meant to be the same as the model
    """

    rng: Rng
    kit: Kit
    room: Room
    pose: Pose
    centres: list[tuple[float, float]]
    stacks: list[Stack]
    same: dict[int, bool]
    _grains: list[np.ndarray] = field(default_factory=list)
    _quality: int = 0
    _layers: dict[int, Layer | None] = field(default_factory=dict)

    def entry(self, name: str) -> dict[str, Any]:
        """The labels of the last frame, as those of one picture in labels.json."""
        entry = labels_of(name, self.pose, self.kit, self.centres, self.stacks)
        for label in entry["stacks"]:
            label["same_as_space_1"] = self.same.get(label["space"], True)
        return entry

    def looks(self) -> Iterator[Look]:
        """All frames: the empty table, then for each step one with an arm, and still ones unless the arm stays."""
        room, rng = self.room, self.rng
        empty = draw_room(room, self.pose)
        empty *= float((room.light.strength * np.maximum(room.light.towards[:, 2], 0)).sum()) + room.light.ambient
        self._grains = [rng.normal(0, room.noise, empty.shape).astype(np.float32) for _ in range(GRAINS)]
        self._quality = int(rng.integers(72, 92))
        steps = self._steps()
        standing: dict[int, Standing] = {stack.space: () for stack in self.stacks}
        shown = self._tone(empty, standing)
        yield from (self._look(shown, standing) for _ in range(STILLS))
        for number, (space, solids) in enumerate(steps):
            with_arm = self._with_arm(shown, space)
            for _ in range(1 + int(rng.random() < HELD)):
                yield self._look(with_arm, standing, still=False)
            standing[space] = solids
            self._layers.pop(space, None)
            if rng.random() >= STAYS or number == len(steps) - 1:
                shown = self._tone(empty, standing)
                yield from (self._look(shown, standing) for _ in range(STILLS))
        for stack in self.stacks:
            stack.solids = list(standing[stack.space])

    def _steps(self) -> list[tuple[int, Standing]]:
        """What stands at a space after each step, the spaces in any order."""
        waiting = {stack.space: course_of(self.rng, stack.solids) for stack in self.stacks}
        steps = []
        while waiting:
            space = int(self.rng.choice(list(waiting)))
            steps.append((space, waiting[space].pop(0)))
            if not waiting[space]:
                del waiting[space]
        return steps

    def _tone(self, empty: np.ndarray, standing: dict[int, Standing]) -> np.ndarray:
        """What the sensor gets, float32 0..1, before its noise."""
        canvas, room = empty.copy(), self.room
        shade_table([solid for solids in standing.values() for solid in solids], self.pose, canvas, room.light)
        for space, solids in standing.items():  # spaces lie side by side: none hides another
            if solids and space not in self._layers:
                self._layers[space] = layer_of(solids, self.pose, canvas.shape, room.light)
            layer = self._layers.get(space)
            if layer is not None:
                layer.lay_on(canvas)
        canvas *= room.cast.astype(np.float32) * np.float32(room.exposure)
        if room.blur_px > 0.25:
            canvas = cv2.GaussianBlur(canvas, (0, 0), room.blur_px)
        return np.asarray(np.clip(canvas, 0, 1) ** np.float32(room.gamma))

    def _with_arm(self, shown: np.ndarray, space: int) -> np.ndarray:
        """The picture with an arm that reaches to a space from below, from a side or from above."""
        rng, picture = self.rng, shown * np.float32(255)
        x, y = self.centres[space - 1]
        place = self.pose.project(np.array([[x, y, rng.uniform(20, 250)]]))[0] + rng.normal(0, 25, 2)
        across, down = rng.uniform(0, WIDTH), rng.uniform(0, HEIGHT)
        starts = ((across, HEIGHT + 80), (-80, down), (WIDTH + 80, down), (across, -80))
        start = np.array(starts[rng.integers(4)])
        light, wide = rng.uniform(40, 220), float(rng.uniform(90, 190))
        skin = (0.72 * light, 0.86 * light, 1.15 * light)
        wrist = place - (place - start) / max(1.0, float(np.linalg.norm(place - start))) * 1.5 * wide
        draw_line(picture, start, wrist, skin if rng.random() < 0.4 else sleeve_of(rng), wide * 1.2)
        draw_line(picture, wrist, place, skin, wide)
        return np.asarray(picture / np.float32(255))

    def _look(self, shown: np.ndarray, standing: dict[int, Standing], *, still: bool = True) -> Look:
        return Look(self._taken(shown), still, dict(standing))

    def _taken(self, shown: np.ndarray) -> np.ndarray:
        """A frame of it as the camera sends it: with noise and compressed."""
        rng = self.rng
        grain = np.roll(self._grains[rng.integers(GRAINS)], tuple(rng.integers(0, 900, 2)), axis=(0, 1))
        return through_jpeg((np.clip(shown + grain, 0, 1) * 255).astype(np.uint8), self._quality)


def course_of(rng: Rng, solids: Sequence[Solid]) -> list[Standing]:
    """What stands after each step of building a stack, whose blocks are given from the bottom up."""
    course: list[Standing] = []
    standing: list[Solid] = []
    for solid in solids:
        if standing and rng.random() < BUMPED:
            first = int(rng.integers(len(standing)))
            far = np.array([*rng.uniform(-BUMP_MM, BUMP_MM, 2), 0.0])
            standing[first:] = [moved(other, far) for other in standing[first:]]
        if rng.random() < AGAIN:
            course += [(*standing, moved(solid, np.array([*rng.normal(0, AGAIN_MM, 2), 0.0]))), tuple(standing)]
        if rng.random() < PUSHED:
            course.append((*standing, moved(solid, np.array([PUSHED_MM * rng.choice([-1, 1]), 0.0, 0.0]))))
        standing.append(solid)
        course.append(tuple(standing))
    return course


def moved(solid: Solid, far_mm: np.ndarray) -> Solid:
    """The solid elsewhere."""
    return replace(solid, centre_mm=solid.centre_mm + far_mm)


def random_film(seed: int, index: int) -> Film:
    """Film `index` of a seed, always the same: four spaces in view when it is even, else two, seen from closer."""
    rng = np.random.default_rng([seed, index])
    count = 4 if index % 2 == 0 else 2
    kit = random_kit(rng)
    centres = [((i - (count - 1) / 2) * SPACE_MM, 0.0) for i in range(count)]
    room = random_room(rng, kit, centres)
    design = random_design(rng, kit)
    stacks, same = [build_stack(rng, kit, design, 1, centres[0])], {}
    for space in range(2, count + 1):
        same[space] = bool(rng.random() < 0.5)
        other = design if same[space] else change_design(rng, kit, design)[0]
        stacks.append(build_stack(rng, kit, other, space, centres[space - 1]))
    return Film(rng, kit, room, random_pose(rng, wide=count > 2), centres, stacks, same)
