"""How houses, or hubs, share in one process what takes long to make: addresses, templates and checks."""

from collections.abc import Mapping
from copy import copy
from typing import Any

from flask import Config, Flask

from companion.foreign import HOST

NO_HOST = "-"  # Neither table nor hub has this name.


def of_its_own(shared: Flask, extensions: Mapping[str, object]) -> Flask:
    """An application like `shared` with these extensions besides; its extensions and settings are its own."""
    app = copy(shared)
    app.config = Config(shared.root_path, shared.config)
    app.extensions = {**shared.extensions, **extensions}
    answer: Any = app.wsgi_app
    app.wsgi_app = lambda environ, start: answer(with_possible_host(environ), start)  # type: ignore[assignment, method-assign]
    return app


def with_possible_host(environ: dict[str, Any]) -> dict[str, Any]:
    """The environment of a request, with NO_HOST in place of a host that there cannot be: Werkzeug fails on some."""
    if not HOST.fullmatch(environ.get("HTTP_HOST", NO_HOST)):
        environ["HTTP_HOST"] = NO_HOST
    return environ
