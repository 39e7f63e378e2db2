"""From a picture of the printed mat to the scene: which mat it is, where the camera stands, and whether that is enough.

`look_at` is a pure function of one picture; `Calibration` remembers what several pictures tell about the lens and the
players' colours while a person sets the camera up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from companion.equipment.mat import DICTIONARY, Kind, Mat, mat, mat_with
from companion.errors import BadInput
from companion.game.readings.mat import LookAtMat, MatCheck, MatSeen, Tap, Verdict
from companion.words import _, joined
from vision.calibration.colour_lesson import colour_at, piece_colour_at
from vision.calibration.front_checks import check_from_the_front, check_row
from vision.calibration.mat_checks import (
    check_fit,
    check_focus,
    check_glare,
    check_light,
    check_markers,
    check_size,
    check_tilt,
    die_px,
    edges_of,
    off_mm,
    tilt_deg,
)
from vision.cameras.pictures import as_jpeg, reduced
from vision.scene.fields import markers_of, scene_fields
from vision.scene.lenses import LENSES, Lens, View, Views, usual_camera
from vision.scene.pose import LEAST_MARKERS, Pose, detect_markers, pose_from_corners
from vision.scene.scene import RGB, SceneCamera, usual_piece
from vision.scene.trucks import USUAL_UNIT_MM

MARKER_BGR, SPACE_BGR = (60, 170, 40), (200, 120, 20)
BlockMm = tuple[float, float, float]
VIEW_MARKERS = 6  # A view of fewer markers tells nothing about the lens.


@dataclass(frozen=True, eq=False)
class MatLook:
    """One look at the mat, with markers' corners (4, 2) by id; `mat` and `pose` are None if no mat is there."""

    corners_px: Mapping[int, np.ndarray]
    mat: Mat | None
    pose: Pose | None
    checks: tuple[MatCheck, ...]
    figures: Mapping[str, float]

    @property
    def is_good(self) -> bool:
        """Whether the table can be used like this."""
        return self.pose is not None and all(check.verdict is not Verdict.BAD for check in self.checks)


def look_at(
    frame_bgr: np.ndarray,
    camera: SceneCamera,
    die_mm: float,
    cell_mm: float | None = None,
    block_mm: BlockMm | None = None,
) -> MatLook:
    """Finds the mat in a picture (h, w, 3) uint8 and makes all checks on it.

    camera      only its lens is used, not its pose
    cell_mm     side of a square of the board, None for the mat's usual one
    block_mm    edges of the blocks for a camera at table height, None for a camera above the table

    Raises BadInput when squares of that size do not fit on the mat.
    """
    all_px = detect_markers(frame_bgr, DICTIONARY)
    printed = mat_with(frozenset(all_px))
    if printed is None or bool(printed.row) is (block_mm is None):
        words = no_mat_words(printed, from_the_front=block_mm is not None)
        return MatLook({}, None, None, (MatCheck("markers", Verdict.BAD, words),), {})
    if cell_mm is not None and printed.grid is not None:
        printed = mat(printed.name, printed.grid.n, cell_mm)
    corners_px = {fiducial.id: all_px[fiducial.id] for fiducial in printed.fiducials if fiducial.id in all_px}
    if len(corners_px) < LEAST_MARKERS:
        few = check_row(printed, len(corners_px)) if printed.row else check_markers(printed, len(corners_px))
        return MatLook(corners_px, printed, None, (few,), {})
    pose = pose_from_corners(corners_px, markers_of(printed), *camera.lens(frame_bgr.shape[1]))
    if block_mm is not None:
        return MatLook(corners_px, printed, pose, *check_from_the_front(frame_bgr, printed, pose, corners_px, block_mm))
    return MatLook(corners_px, printed, pose, *check_from_above(frame_bgr, printed, pose, corners_px, die_mm))


def no_mat_words(printed: Mat | None, *, from_the_front: bool) -> str:
    """The sentence on what to do when no mat is in view, or one for the other camera is."""
    if printed is not None:
        return (
            _("This mat is for the camera above the table. Print one with “companion print mat --layout front”.")
            if from_the_front
            else _("This mat is for the camera at table height. Print another with “companion print mat”.")
        )
    if from_the_front:
        return _(
            "I can't see a mat. Print one with “companion print mat --layout front”. Put it in front of the "
            "camera in good light, with the markers closer to the camera than the stacks."
        )
    return _(
        "I can't see a mat. Print one with “companion print mat”. Put it flat under the camera in good light, "
        "and check that the picture is sharp."
    )


def check_from_above(
    frame_bgr: np.ndarray, printed: Mat, pose: Pose, corners_px: Mapping[int, np.ndarray], die_mm: float
) -> tuple[tuple[MatCheck, ...], Mapping[str, float]]:
    """All checks from above once the camera's pose is known, and the figures behind them."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    edges = [marker for corners in corners_px.values() if (marker := edges_of(grey, corners))]
    del grey  # It is as large as each of the two masks of check_glare.
    width_px, tilt, off = die_px(pose, die_mm), tilt_deg(pose), off_mm(pose, printed, corners_px)
    checks = [check_markers(printed, len(corners_px)), check_size(width_px, frame_bgr.shape[1::-1])]
    checks += [check_focus(edges, width_px), *([check_light(edges)] if edges else [])]
    checks += [check_glare(frame_bgr, printed, pose), check_fit(off)]
    # Towers are seen from the side.
    if any(zone.kind in (Kind.DICE, Kind.BOARD, Kind.BOXES) for zone in printed.zones):
        checks.insert(2, check_tilt(tilt))
    figures = {"markers": float(len(corners_px)), "die_px": width_px, "tilt_deg": tilt, "off_mm": off}
    return tuple(checks), figures


class Calibration:
    """All that is learned about one camera while a person sets it up.

    usual_lens  the lens that this camera most likely has
    drawn       the camera itself if it is drawn
    """

    def __init__(self, usual_lens: str, drawn: SceneCamera | None = None) -> None:
        self._usual_lens = usual_lens
        self._drawn = drawn
        self._views = Views()
        self._size = (0, 0)
        self._colours: dict[str, RGB] = {}
        self._tapped = ("", "")
        self._measured: SceneCamera | None = None

    def look(self, frame_bgr: np.ndarray, wish: LookAtMat) -> MatSeen:
        """The page's answer for one picture."""
        lens = LENSES[wish.lens if wish.lens in LENSES else self._usual_lens]
        camera, how = self._camera(frame_bgr, lens)
        try:
            view = look_at(frame_bgr, camera, wish.die_mm, wish.cell_mm, wish.block_mm)
        except BadInput as error:
            return MatSeen(draw_view(frame_bgr), lens.name, (MatCheck("board", Verdict.BAD, error.sentence),))
        self._learn(view, lens)
        if wish.tap is not None and wish.tap.token != self._tapped[0]:
            self._tapped = (wish.tap.token, self._name_colour(frame_bgr, wish.tap, view.pose))
        scene: dict[str, Any] = {}
        if view.is_good and view.mat is not None and view.pose is not None:
            die_mm = wish.die_mm if wish.block_mm is None else None
            scene = scene_fields(camera, view.mat, view.pose, die_mm, self._colours, view.figures)
            scene |= measured_fields(view.mat, wish)
        checks = (*view.checks, how) if view.pose is not None else view.checks
        return MatSeen(draw_view(frame_bgr, view), lens.name, checks, scene, dict(self._colours), self._tapped)

    def _camera(self, frame_bgr: np.ndarray, lens: Lens) -> tuple[SceneCamera, MatCheck]:
        """The camera to calculate with, and what the page says of its lens."""
        height, width = frame_bgr.shape[:2]
        if self._size != (width, height):
            self._size, self._views, self._measured = (width, height), Views(), None
        if self._drawn is not None:
            return self._drawn, MatCheck("lens", Verdict.OK, _("This camera's lens is known."))
        if self._measured is not None:
            return self._measured, MatCheck("lens", Verdict.OK, _("The lens was measured with the mat."))
        words = _("The lens should be that of a {title}.", title=_(lens.title))
        if lens.name != "module-3":
            advice = _("To measure it, lift each edge of the mat towards the camera, then put it flat again.")
            words = joined((words, advice), " ")
        return usual_camera(lens, width, height), MatCheck("lens", Verdict.OK, words)

    def _learn(self, view: MatLook, lens: Lens) -> None:
        """Learns about the lens from a new view of the mat."""
        if self._drawn is not None or view.pose is None or view.mat is None:
            return
        if len(view.corners_px) < min(VIEW_MARKERS, len(view.mat.fiducials)):
            return
        in_view = [fiducial for fiducial in view.mat.fiducials if fiducial.id in view.corners_px]
        points_mm = np.array([corner for fiducial in in_view for corner in fiducial.place.corners_mm])
        points_px = np.concatenate([view.corners_px[fiducial.id] for fiducial in in_view])
        if self._views.add(View(points_mm, points_px, view.pose.rotation[:, 2])):
            self._measured = self._views.camera(*self._size, lens)

    def _name_colour(self, frame_bgr: np.ndarray, tap: Tap, pose: Pose | None) -> str:
        """Learns the colour of the die or piece that was touched; returns "" or why that was not possible."""
        height, width = frame_bgr.shape[:2]
        x, y = tap.x * width, tap.y * height
        colour = colour_at(frame_bgr, x, y)
        if colour is None and pose is not None:
            colour = piece_colour_at(frame_bgr, pose, x, y)
        if colour is None:
            return _("I can't see a die or piece there. Touch the middle of one.")
        self._colours[tap.colour] = colour
        return ""


def measured_fields(printed: Mat, wish: LookAtMat) -> dict[str, Any]:
    """Scene fields of the things that belong on a mat, as measured or else as usual."""
    fields: dict[str, Any] = {}
    if printed.grid is not None:
        usual = usual_piece(printed.grid.cell_mm)
        fields["piece"] = {
            "diameter_mm": wish.diameter_mm or usual.diameter_mm,
            "thickness_mm": wish.thickness_mm or usual.thickness_mm,
        }
    if printed.zones_of(Kind.TRUCK):
        fields["unit_mm"] = wish.unit_mm or USUAL_UNIT_MM
    if wish.block_mm is not None:
        fields["block_mm_long_mid_short"] = list(wish.block_mm)
    return fields


def draw_view(frame_bgr: np.ndarray, view: MatLook | None = None) -> bytes:
    """The picture with the markers that were found, as JPEG.

    For the front camera the calculated stacking spaces are drawn too: they should cover the printed ones.
    """
    picture = reduced(frame_bgr).copy()  # It may be the frame itself.
    scale = picture.shape[1] / frame_bgr.shape[1]
    outlines = [(corners, MARKER_BGR) for corners in view.corners_px.values()] if view else []
    if view and view.mat and view.pose and view.mat.row:
        spaces = view.mat.zones_of(Kind.SPACE)
        outlines += [(view.pose.project(np.array(space.corners_mm)), SPACE_BGR) for space in spaces]
    thick = max(2, picture.shape[1] // 480)
    for corners, colour_bgr in outlines:
        cv2.polylines(picture, [np.rint(corners * scale).astype(np.int32)], True, colour_bgr, thick, cv2.LINE_AA)
    return as_jpeg(picture)
