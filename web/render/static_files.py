"""The static files, read once and served from memory, compressed, under an address that changes with them.

All share one version in the path, so that a script's `import "./clock.js"` and a style sheet's font lead to the same
version without rewriting. A browser caches each file and never asks for it twice.
"""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

FOLDER = Path(__file__).parents[1] / "static"
VERSION_DIGITS = 12  # of a SHA-256: enough to tell the versions of one program apart
FOREVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"
WORTH_BYTES = 1000  # a smaller answer fits a packet anyway
TEXT = ("text/", "application/json", "application/manifest+json", "image/svg+xml")
GZIP_LEVEL = 4  # A page has a third of its bytes then, for a fraction of a millisecond.
mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("text/javascript", ".js")  # some systems' tables say otherwise, and browsers refuse such modules
mimetypes.add_type("font/woff2", ".woff2")


@dataclass(frozen=True)
class StaticFile:
    """One file as it is sent; `compressed` is None if that saves nothing."""

    plain: bytes
    compressed: bytes | None
    mimetype: str


class StaticFiles:
    """Every file of a folder, by its path in the folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.files = {
            str(path.relative_to(folder)): static_file(path) for path in sorted(folder.rglob("*")) if path.is_file()
        }
        digest = hashlib.sha256()
        for name, file in self.files.items():
            digest.update(f"{name}\0{len(file.plain)}\0".encode() + file.plain)
        self.version = digest.hexdigest()[:VERSION_DIGITS]

    def answer(self, filename: str, version: str) -> Response:
        """The response for a file. Under an old version it is today's file, which the browser may not cache."""
        if (file := self.files.get(filename)) is None:
            raise NotFound
        gzipped = file.compressed is not None and takes_gzip()
        response = Response(file.compressed if gzipped else file.plain, mimetype=file.mimetype)
        if gzipped:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = FOREVER if version == self.version else ASK_EACH_TIME
        response.set_etag(f"{self.version}{'-gzip' if gzipped else ''}")
        response.make_conditional(request)
        return response


def static_file(path: Path) -> StaticFile:
    """A file with its type, compressed if that saves anything."""
    plain, mimetype = path.read_bytes(), mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    compressed = gzip.compress(plain, mtime=0) if is_text(mimetype) else None
    return StaticFile(plain, compressed if compressed and len(compressed) < len(plain) else None, mimetype)


def serve(app: Flask) -> None:
    """Serves the files at `url_for("static", filename=…)`, and compresses all answers."""
    files = StaticFiles()

    @app.url_defaults
    def newest(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static":
            values.setdefault("version", files.version)

    @app.get("/static/<version>/<path:filename>", endpoint="static")
    def static(version: str, filename: str) -> Response:
        return files.answer(filename, version)

    app.extensions["static files"] = files
    app.after_request(compress)


def compress(response: Response) -> Response:
    """Compresses a page or an answer of the API if that is worth it; streams and files stay as they are."""
    is_whole = not response.is_streamed and not response.direct_passthrough
    if not is_whole or not is_text(response.mimetype or "") or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    if takes_gzip() and (response.content_length or 0) >= WORTH_BYTES:
        response.set_data(gzip.compress(response.get_data(), GZIP_LEVEL, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def takes_gzip() -> bool:
    """Whether the client accepts gzip."""
    return request.accept_encodings.quality("gzip") > 0


def is_text(mimetype: str) -> bool:
    """Whether a type is worth compressing. The event stream is not: it must be sent at once."""
    return mimetype.startswith(TEXT) and mimetype != "text/event-stream"
