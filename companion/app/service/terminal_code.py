"""A link as a QR code on a terminal, for a person who starts the table and holds a phone."""

import io
import shutil
from typing import TextIO

from segno import make as make_qr

BORDER_MODULES = 2  # With the usual four the code would not fit a screen of 24 lines.
WHITE_ON_BLACK, AS_BEFORE = "\x1b[97;40m", "\x1b[0m"  # A light terminal would show the code inverted.


def draw_code(link: str, terminal: TextIO) -> str:
    """The lines to print; "" if they do not fit or cannot be drawn."""
    blocks = io.StringIO()
    make_qr(link, micro=False).terminal(blocks, border=BORDER_MODULES, compact=True)
    lines = blocks.getvalue().splitlines()
    try:
        blocks.getvalue().encode(terminal.encoding or "ascii")
    except UnicodeEncodeError:
        return ""
    if len(lines[0]) > shutil.get_terminal_size().columns:
        return ""
    return "\n".join(f"{WHITE_ON_BLACK}{line}{AS_BEFORE}" for line in lines)
