"""Debouncing: presses and releases from the raw edges of a button. Pure functions.

Contacts of a push button bounce for 1.6 ms on average and 6.2 ms at worst, long wires catch spikes of microseconds, and
a contact held by a finger breaks for moments. So a change is decided SETTLE_US after its first edge, when the edges
since then confirm it, and has the stamp of that first edge.

Every change is decided equally long after its stamp. Reported in the order of their stamps, the presses of a whole
table are therefore in their true order, even if the kernel's messages have overtaken each other. Everything is decided
from stamps, so the result is the same however late it is worked out.
"""

from dataclasses import dataclass, replace

SETTLE_US = 20_000  # Less would decide before bounce and late messages are over, more would swallow a second tap.
BOUNCE_US = 8_000  # Edges further apart than this do not belong to one bounce.
LEAST_CLOSED_US = 1_000  # Less would take a spike on a long wire for a press, more would lose the lightest tap.
LOST_US = 300_000  # After so long without an edge the level is read, in case the kernel has lost an edge.
AGAIN_US = 100_000  # An edge may still be under way for so long when the level contradicts the edges.
TRACE_US = 250_000  # The trace of a change goes back so far.
TRACE_EDGES = 64  # Only the newest edges of a noisy line are kept.

Trace = tuple[tuple[bool, int], ...]


@dataclass(frozen=True)
class Change:
    """A press or a release. `trace` are the raw edges around it, as (pressed, table time in µs)."""

    pressed: bool
    at_us: int
    trace: Trace = ()


@dataclass(frozen=True)
class Contact:
    """The state of one button.

    pressed     the last decided state
    level       the level after its newest edge, at `level_us`
    began_us    time of the first edge of a change that is not decided yet
    closed_us   while a press is not decided: how long the contact was closed, up to its newest edge
    read_us     when to read the level, None when that is done
    missed_us   when the level was first found to contradict the edges
    """

    pressed: bool
    level: bool
    level_us: int = 0
    began_us: int | None = None
    closed_us: int = 0
    read_us: int | None = None
    missed_us: int | None = None
    trace: Trace = ()

    @property
    def decided_us(self) -> int | None:
        """When the change that has begun will be decided, unless more edges come."""
        if self.began_us is None:
            return None
        settled_us = self.began_us + SETTLE_US
        return max(settled_us, self.level_us + LEAST_CLOSED_US - self.closed_us) if self.level else settled_us

    @property
    def due_us(self) -> int | None:
        """When to `look` next, None to wait for an edge."""
        if self.missed_us is not None:
            return self.missed_us + AGAIN_US
        return min((at_us for at_us in (self.decided_us, self.read_us) if at_us is not None), default=None)


def at_rest(pressed: bool) -> Contact:
    """The state of a button when the box is opened; one that is down already counts only after it was released."""
    return Contact(pressed, pressed)


def edge(contact: Contact, pressed: bool, at_us: int) -> tuple[Contact, tuple[Change, ...]]:
    """(the state after an edge to `pressed`, the changes that were decided before it, oldest first)."""
    contact, changes = settle(contact, at_us)
    recent = tuple(sample for sample in contact.trace if at_us - sample[1] <= TRACE_US)
    contact = replace(contact, trace=(*recent[1 - TRACE_EDGES :], (pressed, at_us)))
    return _moved(contact, pressed, at_us), changes


def settle(contact: Contact, until_us: int) -> tuple[Contact, tuple[Change, ...]]:
    """(the state, the changes decided by `until_us`); every edge up to then must be known."""
    changes = []
    while (
        (began_us := contact.began_us) is not None and contact.decided_us is not None and contact.decided_us <= until_us
    ):
        if contact.pressed:
            changes.append(Change(False, began_us, contact.trace))
            contact = replace(contact, pressed=False, began_us=None, closed_us=0)
        elif contact.level or contact.closed_us >= LEAST_CLOSED_US:
            changes.append(Change(True, began_us, contact.trace))
            contact = replace(contact, pressed=True, began_us=None if contact.level else contact.level_us)
        else:
            contact = replace(contact, began_us=None, closed_us=0)
    return contact, tuple(changes)


def look(contact: Contact, pressed: bool, now_us: int, until_us: int) -> tuple[Contact, tuple[Change, ...]]:
    """(the state, the changes decided now) after the level was read because something was due.

    until_us    probably every edge up to then is known; the level shows whether that is true
    """
    if pressed == contact.level:
        read_us = None if contact.read_us is not None and contact.read_us <= until_us else contact.read_us
        return settle(replace(contact, read_us=read_us, missed_us=None), until_us)
    if contact.missed_us is None:
        return replace(contact, missed_us=now_us), ()
    if now_us - contact.missed_us < AGAIN_US:
        return contact, ()
    before_us = contact.missed_us if contact.decided_us is None else min(contact.missed_us, contact.decided_us - 1)
    return settle(_moved(contact, pressed, before_us), until_us)


def _moved(contact: Contact, pressed: bool, at_us: int) -> Contact:
    """The state after the contact closed or opened."""
    contact = replace(contact, read_us=at_us + LOST_US, missed_us=None)
    if pressed == contact.level:  # The edge between was lost.
        return contact
    if contact.pressed:
        # A release only counts once the contact has stayed open: it may break under a finger that holds on.
        return replace(contact, level=pressed, level_us=at_us, began_us=None if pressed else at_us)
    if not pressed:
        contact = replace(contact, closed_us=contact.closed_us + at_us - contact.level_us)
    elif contact.began_us is None or _was_a_spike(contact, at_us):
        contact = replace(contact, began_us=at_us, closed_us=0)
    return replace(contact, level=pressed, level_us=at_us)


def _was_a_spike(contact: Contact, at_us: int) -> bool:
    """Whether the change that has begun was over long before this edge, and too short for a finger."""
    return contact.closed_us < LEAST_CLOSED_US and at_us - contact.level_us > BOUNCE_US
