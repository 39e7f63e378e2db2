"""The place of a phone above a board without a mat, by the board's four corners as a person tapped them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from companion.errors import BadInput
from companion.words import _
from vision.scene.fields import as_lists, camera_fields
from vision.scene.lenses import Lens, usual_camera
from vision.scene.pose import solve_pose

CELL_MM = 35.0  # Nobody has measured the board, but all that is read from it is a share of its squares.
LEAST_SIDE = 0.08  # A board that takes less of the picture's longer side has no readable pieces.


def board_fields(corners_px: np.ndarray, width: int, height: int, n: int, focals: Iterable[float]) -> dict[str, Any]:
    """The fields of a scene file for a board of n × n squares in a picture of that size.

    corners_px  (4, 2) the corner at row 1, column 1, then clockwise as seen from above
    focals      lenses that a phone may have, as shares of the picture's longer side

    Raises BadInput for corners between which no board can lie.
    """
    reach = n * CELL_MM / 2
    corners_mm = np.array([(-reach, reach, 0.0), (reach, reach, 0.0), (reach, -reach, 0.0), (-reach, -reach, 0.0)])
    sides_px = np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1)
    if sides_px.min() < LEAST_SIDE * max(width, height) or not is_clockwise(corners_px):
        raise BadInput(_("A board can't lie like that. Tap its four corners clockwise, beginning at row 1, column 1."))
    best: tuple[float, dict[str, Any]] | None = None
    for focal in focals:
        camera = usual_camera(Lens("phone", "", focal * max(width, height) / width), width, height)
        pose = solve_pose(corners_mm, corners_px.astype(np.float64), *camera.lens(width))
        if pose is None:
            continue
        off_px = float(np.linalg.norm(pose.project(corners_mm) - corners_px, axis=1).max())
        if best is None or off_px < best[0]:
            best = off_px, camera_fields(camera, pose)
    if best is None:
        raise BadInput(_("A board can't lie like that. Tap its four corners clockwise, beginning at row 1, column 1."))
    corners = as_lists(corners_mm.tolist())
    return {
        "camera": best[1],
        "mat": {"name": "tapped", "outline_mm_tl_tr_br_bl": corners},
        "board": {"n": n, "cell_mm": CELL_MM, "grid_corners_mm_tl_tr_br_bl": corners},
    }


def is_clockwise(corners_px: np.ndarray) -> bool:
    """Whether four corners (4, 2) in px go round a convex shape, clockwise in the picture."""
    along = np.roll(corners_px, -1, axis=0) - corners_px
    after = np.roll(along, -1, axis=0)
    return bool((along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0] > 0).all())
