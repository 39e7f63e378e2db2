"""Short codes: each stands in place of a link for ten minutes, for devices that can scan nothing.

A code is no way in of its own: whoever types it gets what its link gives, and it ends with its link. Codes are in
memory alone, so a restart ends them, too.
"""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

from companion.clock import uptime_us

# No two of these look alike, on a television across the room either: of 2 and Z, 5 and S, 8 and B, 6 and G one is left.
LETTERS = "23456789ACDEFHJKLMNPRTWXY"
READ_AS = str.maketrans("ZSBG", "2586", " -")
CODE_LENGTH = 5  # Of its ten million codes a guesser tries fewer than a hundred a day; see `HostPin.guess`.
CODE_MINUTES = 10
MOST_CODES = 64  # at a time; for one more the oldest ends


@dataclass(frozen=True)
class Way:
    """A way in.

    token   of a link, or already a device's own
    to      the name of the page that it leads to, "" for the usual one
    """

    token: str
    to: str = ""


class ShortCodes:
    """The short codes of one house. Thread-safe."""

    def __init__(self, now_us: Callable[[], int] = uptime_us) -> None:
        """now_us      the kernel's uptime: somebody who sets the clock lengthens no code"""
        self._now_us = now_us
        self._lock = threading.Lock()
        self._ways: dict[str, tuple[Way, int]] = {}  # code → its way and the uptime at which it ends, oldest first

    def new(self, way: Way) -> str:
        """A new code for a way."""
        with self._lock:
            self._forget_ended()
            if len(self._ways) >= MOST_CODES:
                del self._ways[next(iter(self._ways))]
            code = next(code for code in iter(random_code, "") if code not in self._ways)
            self._ways[code] = (way, self._now_us() + CODE_MINUTES * 60_000_000)
        return code

    def find(self, typed: str) -> Way | None:
        """The way that somebody typed the code of, in large or small letters; None if no such code counts now."""
        with self._lock:
            self._forget_ended()
            way, _until_us = self._ways.get(typed.upper().translate(READ_AS), (None, 0))
        return way

    def _forget_ended(self) -> None:
        now_us = self._now_us()
        self._ways = {code: (way, until_us) for code, (way, until_us) in self._ways.items() if until_us > now_us}


def random_code() -> str:
    return "".join(secrets.choice(LETTERS) for _letter in range(CODE_LENGTH))
