"""The extras of the package: what only some tables and halls need, and the one command that installs it."""

import shlex
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from companion.errors import BadInput
from companion.words import _

HUB, MQTT, POSTGRESQL, PI, HEIC = "hub", "mqtt", "postgresql", "pi", "heic"
FAST, SOLVER = "fast", "solver"
LOCKS = dict.fromkeys((HUB, MQTT, POSTGRESQL), "requirements-hub.lock") | {
    extra: f"requirements-{extra}.lock" for extra in (PI, FAST, SOLVER)
}
CHECKOUT = Path(__file__).parents[1]  # In an installed version nothing lies there but packages.
OF_A_TABLE = ("cryptography",)
OF_A_HUB = (*OF_A_TABLE, "sqlalchemy", "alembic")
NO_WHEEL_SINCE = (3, 13)  # PyPI has lgpio for the Pythons before.
OF_THE_SYSTEM = "sudo apt-get install"


def check_packages(*wanted: str, extra: str = HUB) -> None:
    """Raises BadInput if one of these packages, which an extra brings, is not installed."""
    missing = [name for name in wanted if find_spec(name) is None]
    if missing:
        raise BadInput(
            _(
                "A hub needs more packages ({names}). Install them with {command}",
                names=", ".join(missing),
                command=install_command(extra),
            )
        )


def install_command(extra: str) -> str:
    """The one command that installs an extra: in a checkout each package only if it is what its hash says."""
    lock = CHECKOUT / LOCKS.get(extra, "")
    wanted = (
        f"--no-deps --require-hashes -r {shlex.quote(str(lock))}" if lock.is_file() else f"'table-companion[{extra}]'"
    )
    if extra == PI and lock.is_file():  # The checkout brings the wheel.
        wanted = f"--no-index --find-links {shlex.quote(str(CHECKOUT / 'hardware/wheels'))} {wanted}"
    elif extra == PI and (sees_the_system() or sys.version_info >= NO_WHEEL_SINCE):
        return f"{OF_THE_SYSTEM} python3-lgpio"
    return f"{installer()} {wanted}"


def installer() -> str:
    """What installs packages where this program is installed, as it is typed before them."""
    # An environment of `uv tool` has no pip, and one of pipx may have none. `find_spec` would wake setuptools' finder.
    if PathFinder.find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(sys.executable)}"
    return f"{shlex.quote(sys.executable)} -m pip install"


def sees_the_system() -> bool:
    """Whether the distribution's packages are seen from here: outside of environments, or in one that lets them in."""
    settings = Path(sys.prefix) / "pyvenv.cfg"
    return not settings.is_file() or "include-system-site-packages = true" in settings.read_text(encoding="utf-8")
