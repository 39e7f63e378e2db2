"""A table that looks five times a second for what its hub has to hear, as tests wait for each look."""

from companion.__main__ import main as companion
from companion.app.service import uploader

ROUND_S = 0.2


def main() -> None:
    """Runs the command of the companion."""
    uploader.ROUND_S = ROUND_S
    companion()
