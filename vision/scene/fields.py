"""The fields of a scene file for a table with a printed mat."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from companion.equipment.mat import DICTIONARY, Kind, Mat
from vision.scene.pose import Marker, Pose
from vision.scene.scene import RGB, SceneCamera


def markers_of(printed: Mat) -> tuple[Marker, ...]:
    """The mat's fiducials as markers of a scene."""
    return tuple(Marker(DICTIONARY, fiducial.id, fiducial.place.corners_mm) for fiducial in printed.fiducials)


def scene_fields(
    camera: SceneCamera,
    printed: Mat,
    pose: Pose,
    die_mm: float | None,
    colour_rgb: Mapping[str, RGB] | None = None,
    figures: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """The fields of the scene file for a table with this mat in this camera's view.

    die_mm      None if no dice are read
    figures     how well the mat was seen, for people who read the file
    """
    fields: dict[str, Any] = {
        "camera": camera_fields(camera, pose),
        "markers": [
            {
                "dictionary": DICTIONARY,
                "id": fiducial.id,
                "side_mm": fiducial.place.width_mm,
                "corners_mm_tl_tr_br_bl": as_lists(fiducial.place.corners_mm),
            }
            for fiducial in printed.fiducials
        ],
        "mat": {
            "name": printed.name,
            "outline_mm_tl_tr_br_bl": as_lists(printed.outline.corners_mm),
            **({"tall_mm": printed.tall_mm} if printed.tall_mm else {}),
        },
        "zones": [
            {"kind": str(zone.kind), "corners_mm_tl_tr_br_bl": as_lists(zone.place.corners_mm)}
            for zone in printed.zones
        ],
    }
    if die_mm is not None:
        fields["die_size_mm"] = die_mm
    if figures:
        fields["quality"] = {name: round(figure, 2) for name, figure in figures.items()}
    if printed.grid is not None:
        fields["board"] = {
            "n": printed.grid.n,
            "cell_mm": printed.grid.cell_mm,
            "grid_corners_mm_tl_tr_br_bl": as_lists(printed.grid.place.corners_mm),
        }
    if spaces := printed.zones_of(Kind.SPACE):
        fields["space_centres_mm"] = [list(space.middle_mm) for space in spaces]
    if colour_rgb:
        fields["colour_rgb"] = {name: list(rgb) for name, rgb in colour_rgb.items()}
    return fields


def camera_fields(camera: SceneCamera, pose: Pose) -> dict[str, Any]:
    """A camera and its pose as the scene's camera."""
    return {
        "width": camera.width,
        "height": camera.height,
        "fx": round(camera.focal[0], 3),
        "fy": round(camera.focal[1], 3),
        "cx": camera.centre[0],
        "cy": camera.centre[1],
        "dist": [round(part, 6) for part in camera.distortion or (0.0,) * 5],
        **pose_fields(pose),
    }


def pose_fields(pose: Pose) -> dict[str, Any]:
    """A pose as the fields of the scene's camera."""
    return {"R_world_to_cam": np.round(pose.rotation, 7).tolist(), "t_mm": np.round(pose.shift_mm, 3).tolist()}


def as_lists(corners_mm: tuple[tuple[float, ...], ...]) -> list[list[float]]:
    return [list(corner) for corner in corners_mm]
