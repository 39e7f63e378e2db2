"""How much of the disk the house takes."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from companion.journal.files import opened, other_journals


@dataclass(frozen=True)
class DiskUse:
    """Bytes of each part.

    journal     with what stands in the log beside it, and the pictures
    copies      the daily ones, and what a restore put aside
    """

    journal: int
    pictures: int
    tail: int
    copies: int


def used_by(journal: Path) -> DiskUse:
    """What the house of this journal takes, which is only read; nothing where there is none."""
    return DiskUse(
        size_of((journal, journal.with_name(f"{journal.name}-wal"))),
        pictures_in(journal) if size_of([journal]) else 0,
        size_of(journal.parent.glob(f"{journal.stem}.tail*")),
        size_of(other_journals(journal)),
    )


def size_of(paths: Iterable[Path]) -> int:
    """Bytes of those files that are there."""
    found = 0
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            found += path.stat().st_size
    return found


def pictures_in(journal: Path) -> int:
    """Bytes of all pictures in a journal."""
    with opened(journal, "ro") as db:
        return int(db.execute("SELECT coalesce(sum(length(jpeg)), 0) FROM pictures").fetchone()[0])
