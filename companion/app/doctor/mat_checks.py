"""Checks of `companion doctor`: were the cameras set up on their mats, and how well."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.app.doctor.checks import Light, Table, front_scene
from companion.cameras.set_up import SCENE, describes_camera


def check_mat(table: Table) -> tuple[Light, str]:
    """Checks whether the camera was set up on the mat, and how well."""
    path = table.data / SCENE
    fields = fields_of(path)
    if not describes_camera(fields):
        return Light.OFF, "The camera was not set up yet: print a mat, lay it under the camera, and open /calibrate."
    fit = quality(fields, "markers", "die_px", "tilt_deg", "off_mm")
    if not fit:
        return Light.GREEN, f"The camera is described by {path}, which says nothing of how well."
    return Light.GREEN, (
        f"The camera was set up: {fit['markers']:.0f} markers, off by {fit['off_mm']:.1f} mm; a die is "
        f"{fit['die_px']:.0f} pixels wide; {fit['tilt_deg']:.0f}° from straight."
    )


def check_front_mat(table: Table) -> tuple[Light, str]:
    """The same for the camera at table height."""
    path = front_scene(table)
    fields = fields_of(path)
    if not describes_camera(fields):
        return Light.OFF, (
            "The front camera was not set up yet: type companion print mat --layout front, lay that mat before the "
            "camera, and open /calibrate/front."
        )
    fit = quality(fields, "markers", "block_px", "aside_deg", "high_deg", "off_mm")
    if not fit:
        return Light.GREEN, f"The front camera is described by {path}, which says nothing of how well."
    return Light.GREEN, (
        f"The front camera was set up: {fit['markers']:.0f} markers, off by {fit['off_mm']:.1f} mm; a block's "
        f"middle edge is {fit['block_px']:.0f} pixels wide; {fit['aside_deg']:.0f}° aside, {fit['high_deg']:.0f}° "
        "above."
    )


def fields_of(path: Path) -> Mapping[str, Any]:
    """The fields of a scene file, empty if there is none; raises BadInput when the readers cannot use it."""
    if not path.exists():
        return {}
    from vision.scene.file import scene_fields, scene_of  # OpenCV takes seconds to load on a small Pi.

    fields = scene_fields(path)
    scene_of(fields)
    return fields


def quality(fields: Mapping[str, Any], *names: str) -> Mapping[str, float]:
    """These figures on how well a camera was set up; empty unless all are there."""
    fit = fields.get("quality")
    return fit if isinstance(fit, dict) and fit.keys() >= set(names) else {}
