"""What a button's edges mean: the first one counts at once, then its chatter is ignored for a while. Pure.

Contacts of a push button bounce for 1.6 ms on average and 6.2 ms at worst. Everything is decided by the edges' stamps,
so the answer is the same however late they are looked at. After the chatter the level is read again, so that a release
that fell into it, or an edge that the kernel lost, is made up for. A spike counts as a press: telling it from one would
mean to wait, so long wires need a pull-up resistor of 1 to 4.7 kΩ rather than a longer pause here.
"""

from dataclasses import dataclass, replace

SETTLE_US = 8_000  # less lets bad contacts press twice, more would swallow a second tap, which takes a hand 50 ms
REREAD_US = 20_000  # after an edge the level is read again: late enough for every edge until then to have arrived


@dataclass(frozen=True)
class Change:
    """The button really went down or came up."""

    pressed: bool
    at_us: int


@dataclass(frozen=True)
class Contact:
    """One button as decided so far.

    pressed         what was last told
    level           what its newest edge showed, chatter included
    edge_us         when that was
    quiet_until_us  edges before this are chatter
    reread_us       when to read the level again, None when that has been done
    """

    pressed: bool
    level: bool
    edge_us: int = 0
    quiet_until_us: int = 0
    reread_us: int | None = None


def at_rest(pressed: bool) -> Contact:
    """A button as it is found; one that is held down already tells nothing until it is let go."""
    return Contact(pressed, pressed)


def edge(contact: Contact, pressed: bool, at_us: int) -> tuple[Contact, tuple[Change, ...]]:
    """After an edge to `pressed`; the changes are those that are certain now, oldest first."""
    contact, changes = caught_up(contact, at_us)
    contact = replace(contact, level=pressed, edge_us=at_us, reread_us=at_us + REREAD_US)
    if at_us < contact.quiet_until_us or pressed == contact.pressed:
        return contact, changes
    contact = replace(contact, pressed=pressed, quiet_until_us=at_us + SETTLE_US)
    return contact, (*changes, Change(pressed, at_us))


def reread(contact: Contact, pressed: bool, now_us: int) -> tuple[Contact, tuple[Change, ...]]:
    """After the level was read again: what the chatter hid, and what no edge has told."""
    contact, changes = caught_up(contact, now_us)
    contact = replace(contact, reread_us=None)
    if pressed == contact.pressed:
        return replace(contact, level=pressed), changes
    told = replace(contact, pressed=pressed, level=pressed, edge_us=now_us, quiet_until_us=now_us + SETTLE_US)
    return told, (*changes, Change(pressed, now_us))


def caught_up(contact: Contact, now_us: int) -> tuple[Contact, tuple[Change, ...]]:
    """Once the chatter is over, the level of its last edge counts, with that edge's stamp."""
    if now_us < contact.quiet_until_us or contact.level == contact.pressed:
        return contact, ()
    change = Change(contact.level, contact.edge_us)
    return replace(contact, pressed=contact.level, quiet_until_us=contact.edge_us + SETTLE_US), (change,)
