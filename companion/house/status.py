"""The state of the table's parts (camera, box, journal …), for the line at the foot of every page."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from companion.changes import Live
from companion.words import _

NEWS_S = 60.0


@dataclass(frozen=True)
class StatusLine:
    """The state of a part of the table, and one sentence (made by `words`: `retold` when shown).

    state  "ok"; "note" if the sentence should be read all the same; "warn", "off" or "down"
    """

    state: str
    text: str


def is_trouble(part: str, state: str) -> bool:
    """Whether a line tells that a part does not work; what somebody does with a camera is none."""
    return state in ("warn", "down") and part != "watched" and not part.startswith("phone as ")


class Status:
    """How each part of the table is now. Every change is published under the topic "status".

    lines       part → its line; replaced as a whole, never changed
    addresses   of the pages, as guests type them; the first is the table's name
    """

    def __init__(self, live: Live) -> None:
        self._live = live
        self.lines: Mapping[str, StatusLine] = {
            "camera": StatusLine("off", _("No camera. Tap in your dice.")),
            "box": StatusLine("off", _("No button box. Tap on the tablet.")),
        }
        self.addresses: tuple[str, ...] = ()
        self._ends_s: dict[str, float] = {}
        """When news end, in monotonic seconds."""

    def news(self, part: str, text: str) -> None:
        """Sets a note that is taken away after a minute."""
        self.set(part, "note", text)
        self._ends_s[part] = time.monotonic() + NEWS_S

    def forget_old(self) -> None:
        """Takes away the news of a minute ago."""
        for part, end_s in tuple(self._ends_s.items()):
            if time.monotonic() >= end_s:
                self.clear(part)

    def troubles(self) -> tuple[str, ...]:
        """The sentences of the parts that do not work."""
        return tuple(line.text for part, line in self.lines.items() if is_trouble(part, line.state))

    def set(self, part: str, state: str, text: str) -> None:
        self._ends_s.pop(part, None)
        line = StatusLine(state, text)
        if self.lines.get(part) != line:
            self.lines = {**self.lines, part: line}
            self._live.publish("status")

    def clear(self, part: str) -> None:
        self._ends_s.pop(part, None)
        if part in self.lines:
            self.lines = {name: line for name, line in self.lines.items() if name != part}
            self._live.publish("status")

    def changed(self) -> None:
        """Tells the pages to look again: something beside the lines is new."""
        self._live.publish("status")

    def is_up(self, part: str) -> bool:
        """Whether a part is there and works, with or without a note."""
        return part in self.lines and self.lines[part].state in ("ok", "note")

    def set_addresses(self, addresses: tuple[str, ...]) -> None:
        if self.addresses != addresses:
            self.addresses = addresses
            self._live.publish("status")
