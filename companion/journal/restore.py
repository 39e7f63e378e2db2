"""Restoring a copy: it takes the journal's place, and the entries recorded here after it are added.

If the program is killed at any moment, the old journal or the new one is there, whole. The new journal is made beside
the old one. One rename marks it as whole; whoever claims the folder after that finishes the restore.
"""

import contextlib
import hashlib
import logging
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.errors import BadInput
from companion.journal.backup import verified
from companion.journal.files import make_folder, make_private, opened, sync_folder, unused
from companion.journal.mending import HOUSE, Chains, deleted_games, has_played, house_in, house_of, own_copies
from companion.journal.schema import VERSION, migrate
from companion.journal.tail import Line, Tail
from companion.words import _, _n

WHOLE = "restored"  # A whole one is named journal.sqlite3.restored.<ending>.

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Restored:
    """The result of a restore.

    aside       path of the old journal now, None when there was none
    added       entries that were recorded here after the copy and were added to it
    left_out    entries that are known here but not in the new journal
    """

    aside: Path | None
    added: int
    left_out: int


class OtherHouse(BadInput):
    """A copy is of another house than the journal in whose place it would come."""


def restore(
    copy: Path,
    journal: Path,
    moved_to: str,
    *,
    exactly: bool = False,
    incomplete: bool = False,
    other_house: bool = False,
) -> Restored:
    """Puts a verified copy in the journal's place; raises BadInput and then leaves everything as it was.

    moved_to    ending for the names of the old files, with a number if it is taken; nothing is ever deleted
    exactly     leave out what was recorded here after the copy; else it is added from the daily copies, the present
                journal and its tail
    incomplete  go on even if some of that cannot be added
    other_house the copy may be of another house, which then is here, alone; else OtherHouse is raised

    The caller holds the folder's lock: no service runs on it.
    """
    verified(copy)
    here_house = house_in(journal) if journal.is_file() and has_played(journal) else ""
    house = house_in(copy) or here_house
    if is_other := here_house not in ("", house):
        if not other_house:
            raise OtherHouse(
                _(
                    "{copy} is a copy of another house, so nothing was changed. To put that house in this one's place,"
                    " which is kept aside, add --other-house.",
                    copy=copy,
                )
            )
        exactly = True  # Two houses in one journal would be none.
    make_folder(journal.parent)
    fresh = path_of_new(journal)
    copies = [path for path in own_copies(journal, "" if is_other else house) if not path.samefile(copy)]
    try:
        remove(fresh)  # It may be left over from an earlier try.
        make_private(fresh)
        with opened(copy, "ro") as source, opened(fresh, "rw") as target:
            source.backup(target)  # A copy of the file would not do: a write-ahead log may hold the newest entries.
            target.execute("PRAGMA journal_mode=DELETE")  # No other file belongs to it then.
            (version,) = target.execute("PRAGMA user_version").fetchone()
            for number in range(version, VERSION):  # An older copy may lack tables for what is added to it.
                target.execute("BEGIN")
                migrate(target, number)
                target.execute("COMMIT")
            if house and not house_of(target):  # The copy is from before houses had ids.
                target.execute("INSERT INTO settings VALUES (?, ?)", (HOUSE, house))
            here = [*copies, *([journal] if journal.is_file() and not journal.samefile(copy) else [])]
            added = 0 if exactly else add_later(target, here, Tail(journal))
            ahead, left_out = lacking(target, here, Tail(journal))
        if left_out and not (exactly or incomplete):
            raise BadInput(
                _n(
                    "{n} entry that was recorded here after the copy cannot be added to it, since some between are"
                    " missing: take a newer copy, or leave it out with --incomplete.",
                    "{n} entries that were recorded here after the copy cannot be added to it, since some between are"
                    " missing: take a newer copy, or leave them out with --incomplete.",
                    left_out,
                )
            )
        verified(fresh)
        moved_to = unused(journal, moved_to)
        for path in copies:
            if path in ahead:  # Else the newest copy would have more than the journal, which is refused.
                path.rename(path.with_name(f"{path.stem}.{moved_to}.sqlite3"))
                sync_folder(path.parent)
        fresh.rename(journal.with_name(f"{journal.name}.{WHOLE}.{moved_to}"))
        return Restored(finish(journal), added, left_out)
    except (OSError, sqlite3.Error) as error:
        raise BadInput(
            _(
                "{journal} can't be written ({strerror}). Make room, or choose another folder.",
                journal=journal,
                strerror=getattr(error, "strerror", None) or error,
            )
        ) from error
    finally:
        with contextlib.suppress(OSError):
            remove(fresh)


def add_later(target: sqlite3.Connection, here: Sequence[Path], tail: Tail) -> int:
    """Adds the entries that continue the games of the new journal; returns how many."""
    target.execute("BEGIN")
    chains = Chains(target)
    before = -1
    while chains.put_back > before:  # What one of them lacks another may have, and then it goes on in the first.
        before = chains.put_back
        for path in here:
            chains.take_from(path)
        chains.take_tail(tail, {})
    target.execute("COMMIT")
    return chains.put_back


def lacking(target: sqlite3.Connection, here: Iterable[Path], tail: Tail) -> tuple[set[Path], int]:
    """The journals with entries that the new one lacks, and the number of those entries, the tail's included.

    A damaged entry does not count where the new journal has the true one. Where it has none, whatever stood there
    counts: behind a gap nothing tells a damaged entry from a true one.
    """
    ahead = set()
    target.create_function("confirmed", 3, confirmed)
    before = (
        "SELECT hash FROM other.entries WHERE session = one.session AND seq = one.seq - 1 UNION ALL"
        " SELECT hash FROM other.sessions WHERE id = one.session AND one.seq = 1"
    )
    of_chain = f"confirmed(CAST(({before}) AS BLOB), CAST(one.content AS BLOB), CAST(one.hash AS BLOB))"
    there = "SELECT 1 FROM main.entries AS there WHERE there.session = one.session AND there.seq = one.seq"
    # The content of a row whose place was damaged still says where it stood.
    elsewhere = (
        "SELECT 1 FROM main.entries AS held WHERE held.content = one.content"
        " AND held.session = CASE WHEN json_valid(one.content) THEN json_extract(one.content, '$.session') END"
        " AND held.seq = CASE WHEN json_valid(one.content) THEN json_extract(one.content, '$.seq') END"
    )
    same_entry = "SELECT 1 FROM main.entries WHERE session = {0}.session AND seq = {0}.seq AND hash = {0}.hash"
    target.execute("CREATE TEMP TABLE absent (session, seq, hash, PRIMARY KEY (session, seq, hash))")
    for path in here:
        try:
            target.execute("ATTACH ? AS other", (f"{path.resolve().as_uri()}?mode=ro",))
        except sqlite3.Error as error:
            log.warning("%s cannot be read: %s", path, error)
            continue
        try:
            lacks = f"FROM other.entries AS one WHERE NOT EXISTS ({same_entry.format('one')})"
            lacks += f" AND (NOT EXISTS ({there}) OR {of_chain}) AND NOT EXISTS ({elsewhere})"
            if target.execute(f"SELECT EXISTS (SELECT 1 {lacks})").fetchone()[0]:
                ahead.add(path)
                target.execute(f"INSERT OR IGNORE INTO absent SELECT session, seq, hash {lacks}")
        except sqlite3.Error as error:
            log.warning("%s cannot be read whole: %s", path, error)
        target.execute("DETACH other")
    for line in tail.lines():
        if line.seq and not is_known(target, line):
            target.execute("INSERT OR IGNORE INTO absent VALUES (?, ?, ?)", (line.session, line.seq, line.hash))
    target.execute(f"DELETE FROM absent WHERE EXISTS ({same_entry.format('absent')})")
    target.executemany("DELETE FROM absent WHERE session = ?", [(game,) for game in deleted_games(target)])
    (number,) = target.execute("SELECT count(*) FROM absent").fetchone()
    return ahead, int(number)


def is_known(target: sqlite3.Connection, line: Line) -> bool:
    """Whether a line of the tail tells what the new journal has in that place; its hash alone may be damaged."""
    where = "WHERE session = ? AND seq = ? AND content = ?"
    values = (line.session, line.seq, line.content)
    return target.execute(f"SELECT 1 FROM main.entries {where}", values).fetchone() is not None


def confirmed(previous: bytes | None, content: bytes, hash_: bytes) -> bool:
    """Whether an entry's content matches its hash and the hash before it."""
    return previous is not None and hashlib.sha256(previous + content).hexdigest().encode() == hash_


def path_of_new(journal: Path) -> Path:
    """The path of the new journal while it is being made."""
    return journal.with_name(f"{journal.name}.restoring")


def finish(journal: Path) -> Path | None:
    """Puts a new journal that is whole in its place; returns the old one's new path, or None.

    The caller holds the folder's lock.
    """
    remove(path_of_new(journal))
    aside = None
    for whole in journal.parent.glob(f"{journal.name}.{WHOLE}.*"):
        moved_to = whole.name.removeprefix(f"{journal.name}.{WHOLE}.")
        sync_folder(journal.parent)
        Tail(journal).move_aside(moved_to)
        aside = Path(f"{journal}.{moved_to}")
        Path(f"{journal}-shm").unlink(missing_ok=True)  # It is only an index of the log.
        for part in ("-wal", ""):  # The log goes first: SQLite would use it with the new journal.
            old = Path(f"{journal}{part}")
            if part and old.exists() and not old.stat().st_size:  # SQLite made it when the journal was only read.
                old.unlink()
            if old.exists():
                old.rename(f"{aside}{part}")
        sync_folder(journal.parent)
        whole.rename(journal)
        sync_folder(journal.parent)
    return aside if aside and aside.exists() else None


def remove(database: Path) -> None:
    """Removes a database file, if it is there, and SQLite's files beside it."""
    for part in ("", "-journal", "-wal", "-shm"):
        Path(f"{database}{part}").unlink(missing_ok=True)
