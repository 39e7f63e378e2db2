"""The disk space that the house uses."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from companion.journal.files import opened, other_journals
from companion.journal.schema import has_table


@dataclass(frozen=True)
class DiskUse:
    """The size of each part in bytes.

    journal     with its write-ahead log and the pictures
    copies      the daily copies, and the journals that a restore put aside
    """

    journal: int
    pictures: int
    tail: int
    copies: int


def used_by(journal: Path) -> DiskUse:
    """The disk use of the house with this journal, which is only read; all zero if there is no journal."""
    return DiskUse(
        size_of((journal, journal.with_name(f"{journal.name}-wal"))),
        pictures_in(journal) if size_of([journal]) else 0,
        size_of(journal.parent.glob(f"{journal.stem}.tail*")),
        size_of(other_journals(journal)),
    )


def size_of(paths: Iterable[Path]) -> int:
    """The size of all these files in bytes; missing ones count as empty."""
    total = 0
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def pictures_in(journal: Path) -> int:
    """The size of all pictures in a journal in bytes, with the clips beside them."""
    with opened(journal, "ro") as db:
        (pictures,) = db.execute("SELECT coalesce(sum(length(jpeg)), 0) FROM pictures").fetchone()
        clips = 0
        if has_table(db, "clips"):
            (clips,) = db.execute("SELECT coalesce(sum(length(strip)), 0) FROM clips").fetchone()
        return int(pictures + clips)
