"""Access to the house that this application serves."""

from typing import cast

from flask import current_app

from companion.house.host import Host


def host() -> Host:
    """The host that this application serves."""
    return cast(Host, current_app.extensions["host"])
