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
from vision.calibration.front_checks import check_row, look_from_the_front
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

FOUND_BGR, SPACE_BGR = (60, 170, 40), (200, 120, 20)
BlockMm = tuple[float, float, float]
VIEW_MARKERS = 6  # least number in a view that tells something about the lens


@dataclass(frozen=True, eq=False)
class MatFound:
    """The findings in one picture of the mat; `mat` and `pose` are None if no mat is seen."""

    seen: Mapping[int, np.ndarray]
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
) -> MatFound:
    """Finds the mat in a picture (h, w, 3) uint8 and makes all checks on it.

    camera      only its lens is used, not its pose
    cell_mm     side of a square of the board, None for the mat's usual one
    block_mm    edges of the blocks for a camera at table height, None for a camera above the table

    Raises BadInput when squares of that size do not fit on the mat.
    """
    found = detect_markers(frame_bgr, DICTIONARY)
    printed = mat_with(frozenset(found))
    if printed is None or bool(printed.row) is (block_mm is None):
        words = no_mat_words(printed, from_the_front=block_mm is not None)
        return MatFound({}, None, None, (MatCheck("markers", Verdict.BAD, words),), {})
    if cell_mm is not None and printed.grid is not None:
        printed = mat(printed.name, printed.grid.n, cell_mm)
    seen = {each.id: found[each.id] for each in printed.fiducials if each.id in found}
    if len(seen) < LEAST_MARKERS:
        few = check_row(printed, len(seen)) if printed.row else check_markers(printed, seen)
        return MatFound(seen, printed, None, (few,), {})
    pose = pose_from_corners(seen, markers_of(printed), *camera.lens(frame_bgr.shape[1]))
    if block_mm is not None:
        return MatFound(seen, printed, pose, *look_from_the_front(frame_bgr, printed, pose, seen, block_mm))
    return check_from_above(frame_bgr, printed, seen, pose, die_mm)


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
    frame_bgr: np.ndarray, printed: Mat, seen: dict[int, np.ndarray], pose: Pose, die_mm: float
) -> MatFound:
    """All checks from above once the camera's pose is known."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    edges = [found for corners in seen.values() if (found := edges_of(grey, corners))]
    del grey  # frees memory: it is as large as each of the two masks of check_glare
    width_px, tilt, off = die_px(pose, die_mm), tilt_deg(pose), off_mm(pose, printed, seen)
    checks = [check_markers(printed, seen), check_size(width_px), check_focus(edges, width_px)]
    checks += [check_light(edges)] if edges else []
    checks += [check_glare(frame_bgr, printed, pose), check_fit(off)]
    if any(zone.kind in (Kind.DICE, Kind.BOARD, Kind.BOXES) for zone in printed.zones):  # towers are seen from the side
        checks.insert(2, check_tilt(tilt))
    figures = {"markers": float(len(seen)), "die_px": width_px, "tilt_deg": tilt, "off_mm": off}
    return MatFound(seen, printed, pose, tuple(checks), figures)


class Calibration:
    """All that is learned about one camera while a person sets it up.

    usual_lens  the lens that this camera most likely has
    known       the camera itself, for a drawn one
    """

    def __init__(self, usual_lens: str, known: SceneCamera | None = None) -> None:
        self._usual_lens = usual_lens
        self._known = known
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
            found = look_at(frame_bgr, camera, wish.die_mm, wish.cell_mm, wish.block_mm)
        except BadInput as error:
            return MatSeen(draw_found(frame_bgr), lens.name, (MatCheck("board", Verdict.BAD, error.sentence),))
        self._learn(found, lens)
        if wish.tap is not None and wish.tap.token != self._tapped[0]:
            self._tapped = (wish.tap.token, self._name_colour(frame_bgr, wish.tap, found.pose))
        scene: dict[str, Any] = {}
        if found.is_good and found.mat is not None and found.pose is not None:
            die_mm = wish.die_mm if wish.block_mm is None else None
            scene = scene_fields(camera, found.mat, found.pose, die_mm, self._colours, found.figures)
            scene |= measured_fields(found.mat, wish)
        checks = (*found.checks, how) if found.pose is not None else found.checks
        return MatSeen(draw_found(frame_bgr, found), lens.name, checks, scene, dict(self._colours), self._tapped)

    def _camera(self, frame_bgr: np.ndarray, lens: Lens) -> tuple[SceneCamera, MatCheck]:
        """The camera to calculate with, and what the page says of its lens."""
        height, width = frame_bgr.shape[:2]
        if self._size != (width, height):
            self._size, self._views, self._measured = (width, height), Views(), None
        if self._known is not None:
            return self._known, MatCheck("lens", Verdict.OK, _("This camera's lens is known."))
        if self._measured is not None:
            return self._measured, MatCheck("lens", Verdict.OK, _("The lens was measured with the mat."))
        words = _("The lens should be that of a {title}.", title=_(lens.title))
        if lens.name != "module-3":
            advice = _("To measure it, lift each edge of the mat towards the camera, then put it flat again.")
            words = joined((words, advice), " ")
        return usual_camera(lens, width, height), MatCheck("lens", Verdict.OK, words)

    def _learn(self, found: MatFound, lens: Lens) -> None:
        """Learns about the lens from a new view of the mat."""
        if self._known is not None or found.pose is None or found.mat is None:
            return
        if len(found.seen) < min(VIEW_MARKERS, len(found.mat.fiducials)):
            return
        ids = [each for each in found.mat.fiducials if each.id in found.seen]
        points_mm = np.array([corner for each in ids for corner in each.place.corners_mm])
        points_px = np.concatenate([found.seen[each.id] for each in ids])
        if self._views.add(View(points_mm, points_px, found.pose.rotation[:, 2])):
            self._measured = self._views.camera(*self._size, lens)

    def _name_colour(self, frame_bgr: np.ndarray, tap: Tap, pose: Pose | None) -> str:
        """Learns the colour of the die or piece that was touched; returns "" or why that was not possible."""
        height, width = frame_bgr.shape[:2]
        x, y = tap.x * width, tap.y * height
        found = colour_at(frame_bgr, x, y)
        if found is None and pose is not None:
            found = piece_colour_at(frame_bgr, pose, x, y)
        if found is None:
            return _("I can't see a die or piece there. Touch the middle of one.")
        self._colours[tap.colour] = found
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


def draw_found(frame_bgr: np.ndarray, found: MatFound | None = None) -> bytes:
    """The picture with the markers that were found, as JPEG.

    For the front camera the calculated stacking spaces are drawn too: they should cover the printed ones.
    """
    picture = reduced(frame_bgr).copy()  # reduced() may return the frame itself
    scale = picture.shape[1] / frame_bgr.shape[1]
    outlines = [(corners, FOUND_BGR) for corners in found.seen.values()] if found else []
    if found and found.mat and found.pose and found.mat.row:
        spaces = found.mat.zones_of(Kind.SPACE)
        outlines += [(found.pose.project(np.array(space.corners_mm)), SPACE_BGR) for space in spaces]
    thick = max(2, picture.shape[1] // 480)
    for corners, colour_bgr in outlines:
        cv2.polylines(picture, [np.rint(corners * scale).astype(np.int32)], True, colour_bgr, thick, cv2.LINE_AA)
    return as_jpeg(picture)
