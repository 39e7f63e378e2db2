"""A hub that copies its record ten times a second and calls a table silent after five, as tests wait for either."""

from companion.__main__ import main as companion
from companion.app.hall import command
from companion.hub import presence

COPY_S, SILENT_S = 0.1, 5.0


def main() -> None:
    """Runs the command of the companion."""
    command.COPY_S, presence.SILENT_S = COPY_S, SILENT_S
    companion()
