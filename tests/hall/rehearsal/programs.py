"""The hub and the tables of the rehearsal: the real programs with shorter waits, and a table's clock to be set."""

import sys
import time
from pathlib import Path

from companion.__main__ import main as companion
from companion.app.hall import command
from companion.app.service import uploader
from companion.hub import presence

SHORTER = 15
HUB, TABLE = f"{__name__}:hub", f"{__name__}:table"


def hub() -> None:
    """Runs `companion hub`."""
    presence.SILENT_S /= SHORTER
    presence.KEPT_S /= SHORTER
    command.COPY_S /= SHORTER
    companion()


def table() -> None:
    """Runs `companion run` by a wall clock that is as many seconds wrong as a file says, whose path comes first."""
    wrong, real_ns, real_s = Path(sys.argv.pop(1)), time.time_ns, time.time
    time.time_ns = lambda: real_ns() + int(wrong.read_text()) * 1_000_000_000
    time.time = lambda: real_s() + int(wrong.read_text())
    uploader.ROUND_S /= SHORTER
    uploader.LONGEST_WAIT_S /= SHORTER
    uploader.GREETED_S /= SHORTER
    companion()
