"""One entry of a tournament's journal as it is stored: canonical text, tied to the one before by its hash."""

from collections.abc import Iterable

import msgspec

from companion.errors import JournalUnusable
from companion.foreign import Unreadable, read_json
from companion.hub.tournament.events import Event
from companion.ids import Id
from companion.journal.session import canonical_json, digest
from companion.words import _


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What happened, as the number `seq` of its tournament; `wall_us` is when, by the hub's clock."""

    tournament: Id
    seq: int
    wall_us: int
    event: Event

    @property
    def text(self) -> str:
        """The text that the hash covers."""
        return canonical_json(msgspec.to_builtins(self))


def first_hash(tournament: str) -> str:
    return digest(tournament)


def hash_of(before: str, text: str) -> str:
    """The hash of an entry's text after that hash."""
    return digest(before + text)


def read_entries(tournament: str, rows: Iterable[tuple[str, str]]) -> tuple[Entry, ...]:
    """The entries of (text, hash), in their order; raises JournalUnusable where one is not as it was written."""
    entries, before = [], first_hash(tournament)
    for seq, (text, hash_) in enumerate(rows, start=1):
        try:
            entry = read_json(text, Entry)
        except Unreadable as error:
            raise damaged(seq) from error
        before = hash_of(before, text)
        if before != hash_ or (entry.tournament, entry.seq) != (tournament, seq):
            raise damaged(seq)
        entries.append(entry)
    return tuple(entries)


def damaged(seq: int) -> JournalUnusable:
    return JournalUnusable(
        _("Entry {seq} of this tournament is damaged. Put back the copy of the hub's folder, or begin anew.", seq=seq)
    )
