"""Setting up the table, the first time or again: its name, a test of the buttons, the camera's view."""

from typing import Any
from zlib import crc32

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import CameraUnavailable, NotFound
from companion.game.box import label_of
from companion.journal.settings import SET_UP, TABLE_NAME
from companion.names import NAME_LENGTH, shortened
from companion.words import _, retold
from web.house import host
from web.render.widgets import table_name

wizard = Blueprint("wizard", __name__, url_prefix="/wizard")


@wizard.get("")
def page() -> str:
    """The page with all steps, which are optional and in any order."""
    return render_template("wizard.html", table_name=table_name(), name_length=NAME_LENGTH, **parts())


@wizard.get("/parts")
def parts_fragment() -> str:
    """The part of the page that changes. While a page asks for it, no press reaches a game."""
    return render_template("wizard_parts.html", **parts())


def parts() -> dict[str, Any]:
    """The values for the changing part: the buttons with their presses, and the camera's last photo."""
    house = host()
    tried = house.trial.watch(house.clock.now_us(), house.outside.buttons)
    buttons = [
        {"label": label_of(*button), "count": tried.counts.get(button, 0), "held": button in tried.down}
        for button in house.outside.buttons
    ]
    return {
        "buttons": buttons,
        "asked": label_of(*tried.asked) if tried.asked else None,
        "instead": label_of(*tried.instead) if tried.instead else None,
        "missing": [button["label"] for button in buttons if not button["count"]],
        "photo": None if house.photo is None else crc32(house.photo),  # Each photo has its own address.
        "has_camera": house.status.lines["camera"].state != "off",
        "has_front": house.outside.front_set_up is not None,
    }


@wizard.post("/name")
def name() -> AnyResponse:
    """Sets the table's name; an empty one restores the usual name."""
    typed = shortened(request.form.get("name", ""))
    TABLE_NAME.put(host().journal, typed)
    return redirect(url_for("wizard.page"), 303)


@wizard.post("/photo")
def take_photo() -> AnyResponse:
    """Asks the camera for a photo, which comes a moment later."""
    if host().status.lines["camera"].state not in ("ok", "note", "warn"):
        raise CameraUnavailable(retold(host().status.lines["camera"].text))
    host().outside.photograph()
    return redirect(url_for("wizard.page"), 303)


@wizard.get("/photo.jpg")
def photo() -> Response:
    """The photo that the camera took when last asked."""
    jpeg = host().photo
    if jpeg is None:
        raise NotFound(_("There's no photo from the camera yet. Tap the button to take one."))
    return Response(jpeg, mimetype="image/jpeg")


@wizard.post("/done")
def done() -> AnyResponse:
    """Ends the set-up: the box is the game's again."""
    SET_UP.put(host().journal, True)
    host().trial.end()
    return redirect(url_for("pages.home"), 303)
