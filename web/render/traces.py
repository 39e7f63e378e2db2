"""The raw edges of a press as a drawing: contact open above, closed below, over the milliseconds around the stamp."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.journal.codec import LARGEST

WIDTH, HEIGHT = 300.0, 36.0
OPEN_Y, CLOSED_Y = 6.0, 30.0
MARGIN_US = 500  # It stands before the first edge and after the last.


@dataclass(frozen=True)
class Trace:
    """The edges around one press.

    edges       (closed, milliseconds after the stamp)
    path        of the contact, in a drawing of WIDTH × HEIGHT
    stamp_x     position of the stamp in it
    """

    button: str
    edges: tuple[tuple[bool, float], ...]
    path: str
    stamp_x: float


def trace_of(reading: dict[str, Any] | None, stamp_us: int) -> Trace | None:
    """The trace in an entry's reading, or None if there is none that can be drawn."""
    match reading:
        case {"button": str(button), "trace": [_first, *_rest] as edges} if all(map(is_edge, edges)):
            return drawn(button, [(bool(closed), at_us) for closed, at_us in edges], stamp_us)
    return None


def is_edge(value: object) -> bool:
    """Whether a value is an edge: an imported entry may hold anything."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, int) and abs(part) <= LARGEST for part in value)
    )


def drawn(button: str, edges: Sequence[tuple[bool, int]], stamp_us: int) -> Trace:
    times = [at_us for _closed, at_us in edges] + [stamp_us]
    begin, end = min(times) - MARGIN_US, max(times) + MARGIN_US

    def x(at_us: int) -> float:
        return WIDTH * (at_us - begin) / (end - begin)

    first_closed = edges[0][0]
    path = [f"M0 {OPEN_Y if first_closed else CLOSED_Y}"]  # before an edge the contact was the other way
    for closed, at_us in edges:
        path.append(f"H{x(at_us):.1f}V{CLOSED_Y if closed else OPEN_Y}")
    path.append(f"H{WIDTH}")
    return Trace(
        button,
        tuple((closed, (at_us - stamp_us) / 1000) for closed, at_us in edges),
        "".join(path),
        x(stamp_us),
    )
