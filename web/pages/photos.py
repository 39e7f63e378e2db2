"""What a phone does for a table that no camera sees: the page that says so, and a photo from a page without scripts.

A page with scripts posts its photo to the API.
"""

import secrets

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput
from companion.game.readings import PhotoUse
from companion.words import _
from web.access import gate
from web.api.photos import photo_taken, place_for
from web.house import host
from web.live.camera import camera, is_secure, phone_cameras, secure_link
from web.pages.codes import codes_of
from web.pages.devices import guests_path

photos = Blueprint("photos", __name__)


@photos.post("/s/<id:session>/photo")
def take(session: str) -> AnyResponse:
    """Reads the photo and shows the sheet again; what became of it stands there. A refusal is a page of its own."""
    table = host().table(session)
    with place_for(table):
        file = request.files.get("photo")
        if file is None or not file.filename:
            raise BadInput(_("No photo was chosen. Go back and take one."))
        photo_taken(table, file.read(), secrets.token_hex(16))
    return redirect(url_for("pages.sheet_page", session=session), 303)


@photos.post("/s/<id:session>/final-photo")
def keep_final(session: str) -> AnyResponse:
    """Keeps a photo of the table after the game's end, or what the camera sees of it, and shows the result."""
    table = host().table(session)
    with place_for(table):
        if not table.game.rules.is_over(table.state):
            raise BadInput(_("This game still goes on. Take the photo of the final table once it is over."))
        file = request.files.get("photo")
        if file is not None and file.filename:
            host().pictures.keep_final(session, host().outside.encode_photo(file.read(), PhotoUse.TABLE))
        elif "camera" in request.form:
            host().pictures.keep_final(session, None)
        else:
            raise BadInput(_("No photo was chosen. Go back and take one."))
    return redirect(url_for("results.result_page", session=session), 303)


@camera.get("")
def page() -> str:
    """The page: how to take photos, and the buttons that make this device a camera where its browser allows."""
    return render_template(
        "camera.html",
        cameras=phone_cameras(),
        is_secure=is_secure(),
        secure_link=secure_link(),
        shown=codes_of(guests_path(to="camera")) if gate.may(gate.Need.HOST) else (),
    )
