"""Reads the stacks of a table that was watched while they were built.

A space that was not watched from the first block on, or whose last change is not explained, is read from the one
picture alone, as `vision.tower.reader` does.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from companion.game.readings import Status, TowerReading
from vision.scene.scene import Scene
from vision.tower.building import Building
from vision.tower.crop import front_of
from vision.tower.fit import ways_of
from vision.tower.reader import SpaceSeen, find_stacks, reading_like

LEAST_LEAD = 600.0  # evidence by which a course has to lead the next one of other pieces
MOVED_PX = 2.0  # of a space in the picture; then somebody bumped the camera


class TowerSince:
    """Reads pictures of a table, and remembers what came while `look` was called.

    scene_in    the scene of a picture, its camera where that picture was taken
    """

    def __init__(self, scene_in: Callable[[np.ndarray], Scene]) -> None:
        self._scene_in = scene_in
        self._buildings: list[Building] = []
        self._feet_px = np.zeros((0, 2))  # where the spaces are in the pictures

    def __call__(self, frame_bgr: np.ndarray) -> TowerReading:
        scene = self._scene_in(frame_bgr)
        seen = find_stacks(frame_bgr, scene)
        self._look(frame_bgr, scene)
        if len(seen) == len(self._buildings):
            seen = [with_watched(space, each) for space, each in zip(seen, self._buildings, strict=True)]
        return reading_like(frame_bgr, scene, scene.references, seen)

    def look(self, frame_bgr: np.ndarray) -> None:
        """Looks at one more frame, which may have hands in it."""
        self._look(frame_bgr, self._scene_in(frame_bgr))

    def _look(self, frame_bgr: np.ndarray, scene: Scene) -> None:
        if scene.block_mm is None or not scene.spaces_mm:
            return
        pose = scene.pose(frame_bgr)
        feet_px = pose.project(np.array([[x, y, z] for x, y in scene.spaces_mm for z in (0.0, 100.0)]))
        if feet_px.shape != self._feet_px.shape or np.abs(feet_px - self._feet_px).max() > MOVED_PX:
            self._feet_px = feet_px
            reach_mm = reach_of([x for x, _y in scene.spaces_mm])
            fronts = [front_of(pose, centre, sorted(scene.block_mm)[1]) for centre in scene.spaces_mm]
            self._buildings = [
                Building(front, ways_of(scene.block_mm, scene.cylinder_mm), reach_mm) for front in fronts
            ]
        for building in self._buildings:
            building.look(building.front.cut(frame_bgr))


def reach_of(places_mm: Sequence[float]) -> float:
    """Half of the least gap between spaces."""
    gaps_mm = np.diff(np.sort(places_mm))
    return float(gaps_mm.min()) / 2 if len(gaps_mm) else np.inf


def with_watched(space: SpaceSeen, building: Building) -> SpaceSeen:
    """The space with the build as it was watched, if a stack stands there and its course is sure."""
    found = building.result()
    if found is None or space.status is not Status.STANDING:
        return space
    course, lead = found
    if lead < LEAST_LEAD or not course.came or any(came.spot is None for came in course.came):
        return space
    return replace(space, watched=course.watched, sigmas_mm=tuple(came.sigma_mm for came in course.came))
