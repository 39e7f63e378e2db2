"""The table's own network for people: its password, made once, and the card with which a phone joins."""

import io
import os
import secrets
from pathlib import Path

from segno import QRCode
from segno.helpers import make_wifi

from companion.network.wifi.values import ADDRESS, NAME

LETTERS = "abcdefghjkmnpqrstuvwxyz"  # None looks like another, or like a digit.
GROUPS, GROUP_LENGTH = 3, 4  # Three short words to type have 54 bits.


def password_in(folder: Path) -> str:
    """The password of the table's own network; made at the first call, kept in a file that its owner alone can read."""
    path = folder / "password"
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        password = "-".join("".join(secrets.choice(LETTERS) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"{password}\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    return password


def code_of(password: str) -> QRCode:
    """The code that a phone's camera joins by."""
    return make_wifi(ssid=NAME, password=password, security="WPA")


def card_text(password: str) -> str:
    """The card for a terminal or the screen before a login, with a code to scan."""
    blocks = io.StringIO()
    code_of(password).terminal(blocks, border=2, compact=True)
    return (
        f"{blocks.getvalue()}\nNo network yet? The table then opens a Wi-Fi of its own:\n"
        f"    name      {NAME}\n    password  {password}\n"
        f"Join it with a phone, open http://{ADDRESS}/wifi and choose the Wi-Fi of your house.\n"
    )


def issue_text(password: str) -> str:
    """The same for agetty(8), which puts the machine's address in the place of a backslash and a 4."""
    return card_text(password) + "In a network already? Open http://\\4 on a phone in the same one.\n\n"
