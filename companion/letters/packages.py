"""The packages that only a hub, a table with one, or MQTT needs, and how they are installed: as they are pinned."""

import sys
from importlib.util import find_spec
from pathlib import Path

from companion.errors import BadInput
from companion.words import _

LOCK = "requirements-hub.lock"
HUB, MQTT, POSTGRESQL = "hub", "mqtt", "postgresql"  # Extras of the package, all in that one lock.
OF_A_TABLE = ("cryptography",)
OF_A_HUB = (*OF_A_TABLE, "sqlalchemy", "alembic")


def check_packages(*wanted: str, extra: str = HUB) -> None:
    """Raises BadInput if one of these packages, which an extra brings, is not installed."""
    missing = [name for name in wanted if find_spec(name) is None]
    if missing:
        raise BadInput(
            _(
                "A hub needs more packages ({names}). Install them as they were tested, or start without it: {command}",
                names=", ".join(missing),
                command=install_command(extra),
            )
        )


def install_command(extra: str) -> str:
    """The one command that installs them: each only if it is what its hash says, where these are at hand."""
    places = (Path(__file__).parents[2], Path(sys.prefix).parent)  # A checkout, and an installed version.
    lock = next((place / LOCK for place in places if (place / LOCK).is_file()), None)
    wanted = f"--no-deps --require-hashes -r {lock}" if lock else f"'table-companion[{extra}]'"
    return f"{sys.executable} -m pip install {wanted}"
