"""`make bench NAME=mat`: how well the camera's place is found, by the markers of a scene and by the printed mat."""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.app.bench.figures import Figure
from companion.app.bench.misses import save_miss
from companion.equipment.mat import DEPTH_MM, WIDTH_MM, mat
from companion.errors import BadInput
from tests.benches.labels import label_of, read_images
from vision.calibration.look_at_mat import look_at
from vision.cameras.photos import load_photo
from vision.scene.file import camera_of, markers_of
from vision.scene.pose import LEAST_MARKERS, Pose, pose_from_markers
from vision.scene.scene import SceneCamera
from vision.training.drawn.mats import write_mats

SHARED = Path(__file__).parents[3] / "shared" / "data"
FOLDERS = ("stacks-rendered", "boards-rendered", "loads-rendered", "towers-rendered")
DRAWN, CHECK_SEED = 24, 3  # pictures of our own if nobody names a folder
SILENT_MM = 2.0  # a larger error needs a warning: a die's value is safe then, the cell of a board is not
DIE_MM = 16.0


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Figures on the named folder; else on the rendered scenes beside the project, if any, and on a few drawn mats."""
    if labels is not None:
        return figures_of(labels, out)
    found = [row for name in FOLDERS if (SHARED / name).is_dir() for row in figures_of(SHARED / name, out)]
    with tempfile.TemporaryDirectory() as folder:
        write_mats(Path(folder), DRAWN, CHECK_SEED)
        return found + figures_of(Path(folder), out)


@dataclass(frozen=True)
class Judged:
    """The verdict on one picture: how far off the found pose is, None if none was found.

    off_mm      on the table, the mean over the mat
    off_deg     between the true and the found direction of the camera
    expected    a place can be found: enough markers are wholly in view
    warned      a check said that something is wrong
    named       the right mat was recognised; True where none was found
    """

    group: str
    off_mm: float | None
    off_deg: float | None
    expected: bool
    warned: bool = False
    named: bool = True
    spent_ms: float = 0.0


def figures_of(folder: Path, out: Path) -> list[Figure]:
    """Counts and figures of one folder with a labels.json; misses are drawn into `out`."""
    judged = [result for label in read_images(folder, "mat")["images"] for result in judge(folder, label, out)]
    return [figure for group in sorted({each.group for each in judged}) for figure in rows(group, judged)]


def judge(folder: Path, label: dict[str, Any], out: Path) -> Iterator[Judged]:
    """The verdict on one picture, if its label says enough."""
    with label_of(label["file"]):
        truth = camera_of(label["camera"])
    frame_bgr = load_photo(folder / label["file"])
    blind = replace(truth, rotation=None, shift_mm=None)
    if "mat" in label:
        yield judged_mat(frame_bgr, label, truth, blind, out)
    elif label.get("markers"):
        with label_of(label["file"]):
            markers = markers_of(label["markers"])
        whole = sum(in_view(marker["corners_px"], truth) for marker in label["markers"])
        began = time.perf_counter()
        try:
            intrinsics = blind.intrinsics(frame_bgr.shape[1])
            pose = pose_from_markers(frame_bgr, markers, intrinsics, np.array(blind.distortion))
        except BadInput:
            yield Judged(folder.name, None, None, whole >= LEAST_MARKERS)
            return
        spent_ms = (time.perf_counter() - began) * 1000
        yield Judged(folder.name, *off(pose, true_pose(truth)), whole >= LEAST_MARKERS, spent_ms=spent_ms)


def judged_mat(
    frame_bgr: np.ndarray, label: dict[str, Any], truth: SceneCamera, blind: SceneCamera, out: Path
) -> Judged:
    wanted = mat(label["mat"]["name"], label["mat"]["n"] or 6)
    whole = len(wanted.fiducials) - len(label["hidden"])
    is_recognisable = any(each.id in wanted.ids and each.id not in label["hidden"] for each in wanted.fiducials)
    began = time.perf_counter()
    found = look_at(frame_bgr, blind, DIE_MM)
    spent_ms = (time.perf_counter() - began) * 1000
    warned = any(check.verdict != "ok" for check in found.checks)
    if found.pose is None or found.mat is None:
        save_miss(out, label["file"], frame_bgr)
        return Judged("mat", None, None, whole >= LEAST_MARKERS and is_recognisable, warned, True, spent_ms)
    off_mm, off_deg = off(found.pose, true_pose(truth))
    if off_mm > SILENT_MM:
        save_miss(out, label["file"], frame_bgr)
    return Judged("mat", off_mm, off_deg, whole >= LEAST_MARKERS, warned, found.mat.name == wanted.name, spent_ms)


def in_view(corners_px: list[list[float]], camera: SceneCamera) -> bool:
    corners = np.array(corners_px)
    return bool((corners >= 0).all() and (corners < (camera.width, camera.height)).all())


def true_pose(camera: SceneCamera) -> Pose:
    return Pose(
        camera.intrinsics(camera.width),
        np.array(camera.distortion),
        np.array(camera.rotation).reshape(3, 3),
        np.array(camera.shift_mm),
    )


def off(found: Pose, true: Pose) -> tuple[float, float]:
    """The mean error in mm over a sheet as large as the mat, and the angle in degrees between the directions."""
    xs, ys = np.meshgrid(np.linspace(-0.5, 0.5, 5) * WIDTH_MM, np.linspace(-0.5, 0.5, 5) * DEPTH_MM)
    points = np.stack([xs.ravel(), ys.ravel(), np.zeros(25)], axis=1)
    again = np.array([found.on_plane(pixel, 0.0) for pixel in true.project(points)])
    turn, _ = cv2.Rodrigues(found.rotation @ true.rotation.T)
    return float(np.linalg.norm(again - points, axis=1).mean()), float(np.degrees(np.linalg.norm(turn)))


def rows(group: str, judged: list[Judged]) -> list[Figure]:
    """The figures of one group."""
    of_group = [each for each in judged if each.group == group]
    expected = [each for each in of_group if each.expected]
    found = [each for each in of_group if each.off_mm is not None]
    silent = [each for each in found if each.off_mm is not None and each.off_mm > SILENT_MM and not each.warned]
    figures = [
        Figure(
            "place found, enough markers in view", group, sum(e.off_mm is not None for e in expected), len(expected)
        ),
        Figure(f"off by more than {SILENT_MM:g} mm and no warning", group, len(silent), len(found)),
    ]
    if group == "mat":
        figures.append(Figure("right mat told", group, sum(each.named for each in found), len(found)))
    for name, values, unit in (
        ("off on the table", [each.off_mm for each in found if each.off_mm is not None], "mm"),
        ("direction off", [each.off_deg for each in found if each.off_deg is not None], "deg"),
        ("time", [each.spent_ms for each in found], "ms"),
    ):
        for share in (50, 95, 100) if values else ():
            label = {50: "median", 95: "95 %", 100: "most"}[share]
            figures.append(Figure(f"{name}, {label}", group, value=float(np.percentile(values, share)), unit=unit))
    return figures
