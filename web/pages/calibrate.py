"""Setting a camera up: what it sees of the mat, whether everything is good, and one button to save it.

Every page here is there twice: for the camera above the table, and below /front for the one at table height.
"""

from collections.abc import Callable
from typing import Any
from zlib import crc32

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.cameras.set_up import BLOCK_MM, CameraSetUp
from companion.errors import BadInput, CameraUnavailable, NotFound
from companion.game.readings.mat import MatSeen, Verdict
from companion.house.status import StatusLine
from companion.words import N_, _, retold
from web.api import requests
from web.house import host

calibrate = Blueprint("calibrate", __name__, url_prefix="/calibrate")
calibrate.add_app_template_filter(retold, "retold")  # The camera's process speaks English.

LENSES = {  # the names of vision.scene.lenses; the camera's process knows which is the default
    "module-3": N_("Camera Module 3"),
    "module-3-wide": N_("Camera Module 3 Wide"),
    "hq-6mm": N_("HQ Camera, 6 mm lens"),
    "webcam": N_("USB camera"),
}
COLOURS = ("white", "red", "yellow", "orange", "green", "blue", "purple", "pink", "black", "grey")
DIE_MM, SMALLEST_MM, LARGEST_MM = 16.0, 5.0, 60.0
EDGES = ("long", "middle", "short")  # The query names a block's edges by these.
LARGEST_BLOCK_MM = 100.0
THINNEST_MM = 1.0  # a coin may be a piece

View = Callable[..., Any]


def for_both(path: str, method: str = "GET") -> Callable[[View], View]:
    """Decorates a view for both cameras. It gets `front`: whether it is called for the camera at table height."""

    def register(view: View) -> View:
        for below, front in (("", False), ("/front", True)):
            calibrate.add_url_rule(below + path, view_func=view, methods=[method], defaults={"front": front})
        return view

    return register


@for_both("")
def page(front: bool) -> str:
    """The live picture with its checks, or a sentence if there is no camera."""
    house = host()
    return render_template(
        "calibrate.html",
        lenses=LENSES,
        colours=COLOURS,
        lengths={"die_mm": DIE_MM, **lengths_saved(house.outside.camera_set_up)},
        least=SMALLEST_MM,
        thinnest=THINNEST_MM,
        most=LARGEST_BLOCK_MM if front else LARGEST_MM,
        edges_mm=dict(zip(EDGES, block_mm_usual(house.outside.front_set_up), strict=True)),
        has_other=(house.outside.camera_set_up if front else house.outside.front_set_up) is not None,
        **parts(front),
    )


@for_both("/parts")
def parts_fragment(front: bool) -> str:
    """The part of the page that changes. While a page asks for it, the camera shows the live view and reads nothing."""
    return render_template("calibrate_parts.html", **parts(front))


def parts(front: bool) -> dict[str, Any]:
    """The values for the changing part: the newest view, and what is saved."""
    house = host()
    camera = house.outside.front_set_up if front else house.outside.camera_set_up
    view, refusal = None, ""
    if camera is not None:
        lengths, refusal = lengths_wanted(camera, front)
        view = camera.watch(lens_wanted(), **lengths)
    checks = view.checks if view else ()
    return {
        "front": front,
        "line": camera_line(front),
        "has_camera": camera is not None,
        "seen": view,
        "picture": crc32(view.jpeg) if view else None,  # Each picture has its own address.
        "checks": checks,
        "refusal": refusal,
        "good": bool(view and view.scene) and not refusal,
        "all_well": bool(checks) and all(check.verdict is Verdict.OK for check in checks),
        "board": view.scene.get("board") if view else None,
        "piece": view.scene.get("piece") if view else None,
        "unit_mm": view.scene.get("unit_mm") if view else None,
        "spaces": len(view.scene.get("space_centres_mm", ())) if view and front else 0,
        "paints": paints(camera, view),
        "saved": camera is not None and camera.is_set_up,
    }


def camera_line(front: bool) -> StatusLine:
    """The status line of that camera; the demo's camera at table height only starts when somebody looks."""
    if not front:
        return host().status.lines["camera"]
    sentence = "" if host().outside.front_set_up else no_front_camera()
    return host().status.lines.get("front camera", StatusLine("off", sentence))


def block_mm_usual(camera: CameraSetUp | None) -> tuple[float, ...]:
    """The saved edges of the blocks, longest first; else those of our own deck."""
    return tuple(camera.scene().get("block_mm_long_mid_short", BLOCK_MM)) if camera else BLOCK_MM


def block_mm_wanted(camera: CameraSetUp) -> tuple[float, float, float]:
    """The edges of the blocks as typed, in any order; returns them longest first."""
    usual = block_mm_usual(camera)
    typed = [millimetres(name, LARGEST_BLOCK_MM) or edge for name, edge in zip(EDGES, usual, strict=True)]
    long_mm, middle_mm, short_mm = sorted(typed, reverse=True)
    return long_mm, middle_mm, short_mm


def lengths_wanted(camera: CameraSetUp, front: bool) -> tuple[dict[str, Any], str]:
    """The lengths for `CameraSetUp.watch`, and a sentence if the typed ones are wrong.

    With wrong lengths the live view goes on with the saved ones: if it ended, a game would read what lies there.
    """
    saved = lengths_saved(camera)
    try:
        if front:
            return {"block_mm": block_mm_wanted(camera)}, ""
        typed = {
            "die_mm": millimetres("die"),
            "cell_mm": millimetres("cell"),
            "diameter_mm": millimetres("diameter"),
            "thickness_mm": millimetres("thickness", least=THINNEST_MM),
            "unit_mm": millimetres("unit"),
        }
        return {**saved, **{name: length for name, length in typed.items() if length is not None}}, ""
    except BadInput as error:
        return {"block_mm": block_mm_usual(camera)} if front else saved, error.sentence


def lengths_saved(camera: CameraSetUp | None) -> dict[str, float]:
    """The saved lengths of the things on the mat, named as in `LookAtMat`; values that are no numbers are left out."""
    scene = camera.scene() if camera else {}
    piece = scene.get("piece")
    lengths = {"die_mm": scene.get("die_size_mm"), "unit_mm": scene.get("unit_mm")}
    lengths |= {name: piece.get(name) for name in ("diameter_mm", "thickness_mm")} if isinstance(piece, dict) else {}
    return {name: float(length) for name, length in lengths.items() if isinstance(length, int | float)}


def lens_wanted() -> str:
    """The lens that was chosen, "" for the default."""
    lens = request.args.get("lens", "")
    return lens if lens in LENSES else ""


def millimetres(name: str, most: float = LARGEST_MM, least: float = SMALLEST_MM) -> float | None:
    """A length from the query, or None; raises BadInput when it is none or out of range."""
    typed = request.args.get(name, "").strip().replace(",", ".")
    if not typed:
        return None
    try:
        length = float(typed)
    except ValueError:
        length = 0.0
    if not least <= length <= most:
        raise BadInput(_("A length must be {least} to {most} mm. Measure again.", least=f"{least:g}", most=f"{most:g}"))
    return length


def paints(camera: CameraSetUp | None, view: MatSeen | None) -> dict[str, str]:
    """The known colours of the dice, name → "#rrggbb"."""
    colours = {**(camera.scene().get("colour_rgb", {}) if camera else {}), **(view.colours if view else {})}
    return {name: "#{:02x}{:02x}{:02x}".format(*(round(level) for level in rgb)) for name, rgb in colours.items()}


@for_both("/picture.jpg")
def picture(front: bool) -> Response:
    """The camera's newest picture, which is never stored."""
    view = set_up_here(front).newest()
    if view is None:
        raise NotFound(_("The camera hasn't looked yet. Wait a moment."))
    return Response(view.jpeg, mimetype="image/jpeg")


@for_both("/save", "POST")
def save(front: bool) -> AnyResponse:
    """Saves what is seen now."""
    set_up_here(front).save()
    return redirect(url_for("calibrate.page", front=front), 303)


@for_both("/forget", "POST")
def forget(front: bool) -> AnyResponse:
    """Deletes the camera's set-up."""
    set_up_here(front).forget()
    return redirect(url_for("calibrate.page", front=front), 303)


@calibrate.post("/forget-colours")
def forget_colours() -> AnyResponse:
    """Goes back to the usual colours of dice."""
    set_up_here(front=False).forget_colours()
    return redirect(url_for("calibrate.page"), 303)


@calibrate.post("/colour")
def colour() -> dict[str, str]:
    """Somebody touched a die in the picture: {"colour": …, "x": 0..1, "y": 0..1}."""
    touch = requests.body(requests.ColourTap)
    if touch.colour not in COLOURS:
        raise BadInput(_("Choose a colour, then touch a die or piece in the picture."))
    set_up_here(front=False).tap(touch.colour, touch.x, touch.y)
    return {}


def set_up_here(front: bool) -> CameraSetUp:
    """The set-up of that camera; raises CameraUnavailable if there is none."""
    set_up = host().outside.front_set_up if front else host().outside.camera_set_up
    if set_up is None and front:
        raise CameraUnavailable(no_front_camera())
    if set_up is None:
        raise CameraUnavailable(
            _("This table has no camera above it. To start it with one, see “companion run --help”.")
        )
    return set_up


def no_front_camera() -> str:
    """The sentence for a table without a camera at table height."""
    return _("This table has no camera at table height. To start it with one, see “companion run --help”.")
