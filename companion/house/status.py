"""How the parts of the table are (camera, box, journal …), for the line at the foot of every page."""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.changes import Live
from companion.words import _


@dataclass(frozen=True)
class StatusLine:
    """How a part of the table is, and one sentence (of `words`: whoever shows it retells it).

    state  "ok"; "note" where the sentence is to be read all the same; "warn", "off" or "down"
    """

    state: str
    text: str


class Status:
    """The line of each part. Whoever listens to the topic "status" hears of every change.

    lines       part → its line; a value that is replaced, never changed
    addresses   of the pages, as guests type them; the first is the table's name
    """

    def __init__(self, live: Live) -> None:
        self._live = live
        self.lines: Mapping[str, StatusLine] = {
            "camera": StatusLine("off", _("No camera: tap the dice in.")),
            "box": StatusLine("off", _("No button box: tap on the tablet.")),
        }
        self.addresses: tuple[str, ...] = ()

    def set(self, part: str, state: str, text: str) -> None:
        """How a part of the table is from now on."""
        line = StatusLine(state, text)
        if self.lines.get(part) != line:
            self.lines = {**self.lines, part: line}
            self._live.publish("status")

    def clear(self, part: str) -> None:
        """There is nothing to say of a part any more."""
        if part in self.lines:
            self.lines = {name: line for name, line in self.lines.items() if name != part}
            self._live.publish("status")

    def is_up(self, part: str) -> bool:
        """Whether a part works, with or without a note."""
        return self.lines[part].state in ("ok", "note")

    def set_addresses(self, addresses: tuple[str, ...]) -> None:
        """Under which addresses guests reach the pages from now on."""
        if self.addresses != addresses:
            self.addresses = addresses
            self._live.publish("status")
