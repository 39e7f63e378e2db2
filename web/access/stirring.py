"""Tells the house that somebody is there: a tap, or a page that was opened."""

from flask import request

from web.house import host

BY_ITSELF = ("camera.", "api.seen")  # Pages send these without anybody's doing.


def tell() -> None:
    """Wakes the house, if this request is a person's as far as it tells."""
    opens = request.method == "GET" and request.accept_mimetypes.best == "text/html"
    if (opens or request.method == "POST") and not str(request.endpoint).startswith(BY_ITSELF):
        host().sleep.stir()
