"""How houses, or hubs, share in one process what takes long to make: addresses, templates and checks."""

from collections.abc import Mapping
from copy import copy

from flask import Config, Flask


def of_its_own(shared: Flask, extensions: Mapping[str, object]) -> Flask:
    """An application like `shared` with these extensions besides; its extensions and settings are its own."""
    app = copy(shared)
    app.config = Config(shared.root_path, shared.config)
    app.extensions = {**shared.extensions, **extensions}
    return app
