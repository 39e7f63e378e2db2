"""The packages that only a hub, or a table with one, needs: the extra `hub`."""

from importlib.util import find_spec

from companion.errors import BadInput
from companion.words import _

OF_A_TABLE = ("cryptography",)
OF_A_HUB = (*OF_A_TABLE, "sqlalchemy", "alembic")


def check_packages(*wanted: str) -> None:
    """Raises BadInput if one of these packages is not installed."""
    missing = [name for name in wanted if find_spec(name) is None]
    if missing:
        raise BadInput(_("A hub needs more packages. Install {names}, or start without it.", names=", ".join(missing)))
