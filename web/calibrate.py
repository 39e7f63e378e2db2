"""Setting the camera up: what it sees of the mat, whether everything is good, and one button to save it."""

from typing import Any
from zlib import crc32

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.camera_set_up import CameraSetUp
from companion.errors import BadInput, CameraUnavailable, NotFound
from companion.readings.mat import MatSeen, Verdict
from companion.words import N_, _, retold
from web import wire
from web.drawing import host

calibrate = Blueprint("calibrate", __name__, url_prefix="/calibrate")
calibrate.add_app_template_filter(retold, "retold")  # what the camera's process said, in this device's language

LENSES = {  # as vision.lenses names them; the process that has the camera says which is the usual one
    "module-3": N_("Camera Module 3"),
    "module-3-wide": N_("Camera Module 3 Wide"),
    "hq-6mm": N_("HQ Camera, 6 mm lens"),
    "webcam": N_("USB camera"),
}
COLOURS = ("white", "red", "yellow", "orange", "green", "blue", "purple", "black", "grey")
DIE_MM, SMALLEST_MM, LARGEST_MM = 16.0, 5.0, 60.0


@calibrate.get("")
def page() -> str:
    """The live picture with its checks; where there is no camera, the sentence that says so."""
    return render_template(
        "calibrate.html", lenses=LENSES, colours=COLOURS, die_mm=DIE_MM, least=SMALLEST_MM, most=LARGEST_MM, **parts()
    )


@calibrate.get("/parts")
def parts_fragment() -> str:
    """What changes by itself. For as long as it is asked for, the camera is looked through and nothing is read."""
    return render_template("calibrate_parts.html", **parts())


def parts() -> dict[str, Any]:
    """What was seen last, and what is saved."""
    camera = host().camera_set_up
    die_mm, cell_mm = millimetres("die") or DIE_MM, millimetres("cell")
    seen = None if camera is None else camera.watch(lens_wanted(), die_mm, cell_mm)
    checks = seen.checks if seen else ()
    return {
        "has_camera": camera is not None,
        "seen": seen,
        "picture": crc32(seen.jpeg) if seen else None,  # another picture, another address
        "checks": checks,
        "good": bool(seen and seen.scene),
        "all_well": bool(checks) and all(check.verdict is Verdict.OK for check in checks),
        "board": seen.scene.get("board") if seen else None,
        "paints": paints(camera, seen),
        "saved": bool(camera and camera.scene()),
    }


def lens_wanted() -> str:
    """The kind of camera that somebody chose, "" for the usual one."""
    lens = request.args.get("lens", "")
    return lens if lens in LENSES else ""


def millimetres(name: str) -> float | None:
    """A length in the address, None where there is none; raises BadInput for what is no length."""
    typed = request.args.get(name, "").strip().replace(",", ".")
    if not typed:
        return None
    try:
        length = float(typed)
    except ValueError:
        length = 0.0
    if not SMALLEST_MM <= length <= LARGEST_MM:
        raise BadInput(
            _("A length must be {least} to {most} mm: measure again.", least=f"{SMALLEST_MM:g}", most=f"{LARGEST_MM:g}")
        )
    return length


def paints(camera: CameraSetUp | None, seen: MatSeen | None) -> dict[str, str]:
    """The dice's colours that are known, as the page draws them."""
    known = {**(camera.scene().get("colour_rgb", {}) if camera else {}), **(seen.colours if seen else {})}
    return {name: "#{:02x}{:02x}{:02x}".format(*(round(level) for level in rgb)) for name, rgb in known.items()}


@calibrate.get("/picture.jpg")
def picture() -> Response:
    """What the camera saw last; never kept."""
    seen = set_up_here().newest()
    if seen is None:
        raise NotFound(_("The camera has not looked yet: wait a moment."))
    return Response(seen.jpeg, mimetype="image/jpeg")


@calibrate.post("/save")
def save() -> AnyResponse:
    """Keeps what is seen now."""
    set_up_here().save()
    return redirect(url_for("calibrate.page"), 303)


@calibrate.post("/forget")
def forget() -> AnyResponse:
    """The camera is not set up any more."""
    set_up_here().forget()
    return redirect(url_for("calibrate.page"), 303)


@calibrate.post("/forget-colours")
def forget_colours() -> AnyResponse:
    """Dice are of the usual colours again."""
    set_up_here().forget_colours()
    return redirect(url_for("calibrate.page"), 303)


@calibrate.post("/colour")
def colour() -> dict[str, str]:
    """Somebody touched a die in the picture: {"colour": …, "x": 0..1, "y": 0..1}."""
    told = wire.body(wire.ColourTap)
    if told.colour not in COLOURS:
        raise BadInput(_("Choose a colour, then touch a die in the picture."))
    set_up_here().tap(told.colour, told.x, told.y)
    return {}


def set_up_here() -> CameraSetUp:
    """What sets the camera up; raises CameraUnavailable where there is none."""
    found = host().camera_set_up
    if found is None:
        raise CameraUnavailable(_("This table has no camera over it: start it with one, see “companion run --help”."))
    return found
