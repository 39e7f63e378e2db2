"""A photo of the table that a page without scripts sends; a page with scripts posts it to the API."""

import secrets

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput
from companion.words import _
from web.api.photos import MOST_BYTES, place_for, shown
from web.house import host

photos = Blueprint("photos", __name__)


@photos.post("/s/<id:session>/photo")
def take(session: str) -> AnyResponse:
    """Reads the photo and shows the sheet again; what became of it stands there. A refusal is a page of its own."""
    table = host().table(session)
    request.max_content_length = MOST_BYTES
    with place_for(table):
        file = request.files.get("photo")
        if file is None or not file.filename:
            raise BadInput(_("No photo was chosen. Go back and take one."))
        shown(table, file.read(), secrets.token_hex(16))
    return redirect(url_for("pages.sheet_page", session=session), 303)
