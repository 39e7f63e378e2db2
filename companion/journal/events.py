"""Entries of the journal: game events, and the entries that undo, strike and amend them.

The journal only grows. Which events count, in which order, is worked out from it by `timeline`.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from companion.game.game import Event
from companion.game.players import PlayerId


@dataclass(frozen=True)
class Posted:
    """An event of the game."""

    event: Event


@dataclass(frozen=True)
class Undone:
    """Entry `seq` no longer counts, whatever it was. The clock's entries `also`, which followed from it, go with it."""

    seq: int
    also: tuple[int, ...] = ()


@dataclass(frozen=True)
class Struck:
    """An earlier event is taken out, and `also` with it. `ruled` stay though they no longer fit: the table says so."""

    seq: int
    also: tuple[int, ...] = ()
    ruled: tuple[int, ...] = ()


@dataclass(frozen=True)
class Amended:
    """`event` takes the place of entry `seq`. `also` and `ruled` as in `Struck`."""

    seq: int
    event: Event
    also: tuple[int, ...] = ()
    ruled: tuple[int, ...] = ()


@dataclass(frozen=True)
class EndedEarly:
    """The players stopped before the rules end the game. Taking this entry back lets the game go on."""


@dataclass(frozen=True)
class StoodIn:
    """Somebody plays for a player from here on; with `who` "" the player plays again. No rule and no points know of it.

    who     the name that was typed, outside the chain as the reason of a ruling is; its digest if it was deleted
    """

    player: PlayerId
    who: str

    typed: ClassVar = "who"


Body = Posted | Undone | Struck | Amended | EndedEarly | StoodIn


@dataclass(frozen=True)
class Entry:
    """One line of a session's journal.

    seq         1, 2, 3 …, never reused
    id          globally unique, made by whoever sent it
    at_us       table time of the commit
    wall_us     wall time of the commit, for people
    wall_sure   whether the wall clock could be believed then
    source      one of `companion.game.events.SOURCES`
    reading     the camera's reading that the event came from, if any
    hash        SHA-256 over this entry and the hash before it
    salt        of the digest that the chain has in place of a typed text; "" if nothing was typed, if the chain has the
                text itself, as older versions wrote it, or if the text was deleted
    """

    seq: int
    id: str
    body: Body
    at_us: int
    wall_us: int
    source: str
    hash: str
    reading: dict[str, Any] | None = field(default=None)
    wall_sure: bool = True
    salt: str = ""


@dataclass(frozen=True)
class Reason:
    """What somebody typed for an entry, as the reason of a ruling. It is stored outside the chain, as names are; the
    chain has SHA-256 of salt and text. Without the salt nobody can find a short text by trying all of them.
    """

    salt: str
    text: str


@dataclass(frozen=True)
class Sender:
    """The device that an entry came from. Stored outside the chain, as names are: it may be deleted, and is never
    exported.

    label       the house's name for the device
    player      the only seat it acts for, None for all of them
    """

    label: str
    player: PlayerId | None = None


@dataclass(frozen=True)
class Origin:
    """Where an entry comes from.

    id          made by whoever sends it: the same id gets the same answer, however often it is sent
    seen_seq    the newest entry that the sender knew of, None for whoever goes by time stamps or needs to know of none
    source      as in `Entry`
    sender      the device it came from, None for a sensor
    """

    id: str = field(default_factory=lambda: secrets.token_hex(16))
    seen_seq: int | None = None
    source: str = "tablet"
    sender: Sender | None = None


@dataclass(frozen=True)
class Step:
    """One event that counts, the entry it belongs to, and whether the table said so against the rules."""

    seq: int
    event: Event
    ruled: bool = False


def cancelled(entries: Sequence[Entry]) -> frozenset[int]:
    """The sequence numbers that undos took back. An undone undo takes nothing back."""
    gone: set[int] = set()
    for entry in reversed(entries):
        if entry.seq not in gone and isinstance(entry.body, Undone):
            gone |= {target for target in (entry.body.seq, *entry.body.also) if target < entry.seq}
    return frozenset(gone)


def early_end(entries: Sequence[Entry]) -> int | None:
    """The number of the newest entry that ended the game early and counts, or None."""
    ends = [entry.seq for entry in entries if isinstance(entry.body, EndedEarly)]
    gone = cancelled(entries) if ends else frozenset()
    return max((seq for seq in ends if seq not in gone), default=None)


def stand_ins(entries: Sequence[Entry]) -> dict[PlayerId, str]:
    """Player → who plays for them now, by the entries that count."""
    bodies = [(entry.seq, entry.body) for entry in entries if isinstance(entry.body, StoodIn)]
    gone = cancelled(entries) if bodies else frozenset()
    now = {body.player: body.who for seq, body in bodies if seq not in gone}
    return {player: who for player, who in now.items() if who}


def misdirected(entries: Sequence[Entry]) -> int | None:
    """The number of the first entry with an impossible target, or None.

    An undo may only name earlier entries, and a strike or an amendment only earlier events.
    """
    events: set[int] = set()
    for entry in entries:
        match entry.body:
            case Posted():
                events.add(entry.seq)
            case Undone(seq, also):
                if not all(1 <= target < entry.seq for target in (seq, *also)):
                    return entry.seq
            case Struck(seq, also, ruled) | Amended(seq, _, also, ruled):
                if not events.issuperset((seq, *also, *ruled)):
                    return entry.seq
    return None


def timeline(entries: Sequence[Entry]) -> tuple[Step, ...]:
    """The events that count, in order. A correction only affects entries before it."""
    gone = cancelled(entries)
    events: dict[int, Event] = {}
    struck: set[int] = set()
    ruled: set[int] = set()
    for entry in entries:
        if entry.seq in gone:
            continue
        match entry.body:
            case Posted(event):
                events[entry.seq] = event
            case Struck(seq, also, kept):
                struck |= {target for target in (seq, *also) if target in events}
                ruled |= {target for target in kept if target in events}
            case Amended(seq, event, also, kept) if seq in events:
                events[seq] = event
                struck |= {target for target in also if target in events}
                ruled |= {target for target in kept if target in events}
    return tuple(Step(seq, event, seq in ruled) for seq, event in sorted(events.items()) if seq not in struck)


def earliest_line(entries: Sequence[Entry], body: Body) -> int:
    """The number of the earliest entry whose line in the history `body` changes, in its wording if not in effect."""
    earliest, due, visited = len(entries) + 1, [body], set[int]()
    while due:
        about = due.pop()
        if isinstance(about, Posted | EndedEarly | StoodIn):
            continue
        targets = {seq for seq in (about.seq, *about.also) if 1 <= seq <= len(entries)} - visited
        visited |= targets
        earliest = min(earliest, *targets, earliest)
        due += [entries[seq - 1].body for seq in targets]  # An undo of a correction brings back what that said.
    return earliest


def counting_newest_first(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries that no undo took back, as in `cancelled`, looked at only as far back as is needed."""
    gone: set[int] = set()
    for entry in reversed(entries):
        if entry.seq not in gone:
            if isinstance(entry.body, Undone):
                gone |= {entry.body.seq, *entry.body.also}
            yield entry


def undo_target(entries: Sequence[Entry]) -> Undone | None:
    """The undo of the newest entry that counts and was made by a person, camera or button; None if there is none.

    Entries of the clock after it go with it, since they followed from it; the clock brings them again if still due.
    """
    also: list[int] = []
    for entry in counting_newest_first(entries):
        if isinstance(entry.body, Undone):
            continue
        if entry.source != "clock":
            return Undone(entry.seq, tuple(sorted(also)))
        also.append(entry.seq)
    return None


def redo_target(entries: Sequence[Entry]) -> Undone | None:
    """The redo of the newest undo that counts; None if anything but the clock and redoes came after it.

    A redo is an undo of an undo. Entries of the clock since that undo go with it.
    """
    also: list[int] = []
    for entry in counting_newest_first(entries):
        if isinstance(entry.body, Undone):
            if not isinstance(taken_back(entries, entry).body, Undone):
                return Undone(entry.seq, tuple(sorted(also)))
        elif entry.source == "clock":
            also.append(entry.seq)
        else:
            return None
    return None


def newest_undo_target(entries: Sequence[Entry]) -> Undone | None:
    """The undo of the newest undo or redo and the clock's entries since; None if anything else came after it."""
    also: list[int] = []
    for entry in reversed(entries):
        if entry.source != "clock":
            return Undone(entry.seq, tuple(sorted(also))) if isinstance(entry.body, Undone) else None
        also.append(entry.seq)
    return None


def taken_back(entries: Sequence[Entry], undo: Entry) -> Entry:
    """The entry that an undo took back; the undo itself if it names no earlier entry, as only damaged files do."""
    if not isinstance(undo.body, Undone) or not 1 <= undo.body.seq < undo.seq:
        return undo
    return entries[undo.body.seq - 1]  # Entries are numbered from 1 without gaps.


def meant(entries: Sequence[Entry], undo: Entry) -> tuple[Entry, bool]:
    """The entry that a chain of undos of undos is about in the end, and whether it counts again after `undo`."""
    entry, again = undo, True
    while isinstance(entry.body, Undone) and (earlier := taken_back(entries, entry)) is not entry:
        entry, again = earlier, not again
    return entry, again
