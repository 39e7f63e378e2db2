"""The pages as an app that can be installed: a manifest, and a service worker that keeps the last state for when the
table is out of reach. Nothing depends on either: browsers allow a worker only over https.
"""

from flask import Blueprint, Response, current_app, jsonify, url_for

from companion.words import _
from web.render.static_files import FOLDER
from web.render.widgets import table_name

install = Blueprint("install", __name__)

ICONS = (("icon.svg", "any", "any"), ("icon-192.png", "192x192", "any"), ("icon-512.png", "512x512", "any"),
         ("icon-maskable-512.png", "512x512", "maskable"))  # fmt: skip
PAPER, RED = "#f4eee2", "#b93a20"  # foundation.css has the same.


@install.get("/app.webmanifest")
def manifest() -> Response:
    """The web app manifest, with which a device puts the table on its home screen."""
    name = table_name() or _("Table companion")
    types = {"svg": "image/svg+xml", "png": "image/png"}
    answer = jsonify(
        name=name,
        short_name=name[:12],
        start_url=url_for("pages.home"),
        scope=url_for("pages.home"),
        display="standalone",
        background_color=PAPER,
        theme_color=PAPER,
        icons=[
            {
                "src": url_for("static", filename=file),
                "sizes": sizes,
                "type": types[file.rpartition(".")[2]],
                "purpose": purpose,
            }
            for file, sizes, purpose in ICONS
        ],
    )
    answer.mimetype = "application/manifest+json"
    return answer


@install.get("/worker.js")
def worker() -> Response:
    """The service worker. Its address is at the root because its scope is only what lies below."""
    version = current_app.extensions["static files"].version
    source = (FOLDER / "worker.js").read_text()
    return Response(source.replace("STATIC_VERSION", version), mimetype="text/javascript")
