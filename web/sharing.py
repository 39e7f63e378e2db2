"""How houses, or hubs, share in one process what takes long to make: addresses, templates and checks."""

from collections.abc import Mapping
from copy import copy
from typing import Any

from flask import Config, Flask, Request
from werkzeug.exceptions import RequestEntityTooLarge

from companion.foreign import HOST

NO_HOST = "-"  # Neither table nor hub has this name.


def of_its_own(shared: Flask, extensions: Mapping[str, object]) -> Flask:
    """An application like `shared` with these extensions besides; its extensions and settings are its own."""
    app = copy(shared)
    app.config = Config(shared.root_path, shared.config)
    app.extensions = {**shared.extensions, **extensions}
    app.request_class = WholeRequest
    answer: Any = app.wsgi_app
    app.wsgi_app = lambda environ, start: answer(with_possible_host(environ), start)  # type: ignore[assignment, method-assign]
    return app


class WholeRequest(Request):
    """A request that refuses a body above its limit, also one that comes without a length: Werkzeug cuts that off."""

    def get_data(self, *how: Any, **named: Any) -> Any:
        data = super().get_data(*how, **named)
        most = self.max_content_length
        if self.content_length is None and most is not None and len(data) >= most:
            raise RequestEntityTooLarge
        return data


def with_possible_host(environ: dict[str, Any]) -> dict[str, Any]:
    """The environment of a request, with NO_HOST in place of a host that there cannot be: Werkzeug fails on some."""
    if not HOST.fullmatch(environ.get("HTTP_HOST", NO_HOST)):
        environ["HTTP_HOST"] = NO_HOST
    return environ
