"""Copies of the journal: made while the table plays, verified before they count, and kept for a while.

A copy is one SQLite file with every game, name and setting of one moment. It leaves out all credentials (the devices'
tickets, the secret that signs them, the PIN), so a copy on a stick lets nobody in. Daily copies leave out the pictures
too, so deleting a picture deletes it everywhere.
"""

import contextlib
import errno
import itertools
import logging
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from companion.errors import BadInput, CompanionError, JournalUnusable
from companion.journal.calendar import date_us
from companion.journal.files import COPIES, at_start, daily_copies, make_folder, opened, room_wanted, sync_folder
from companion.journal.mending import is_header
from companion.journal.record import Row, broken_link, digest_bytes
from companion.journal.schema import VERSION
from companion.journal.settings import SECRETS
from companion.journal.store import Journal
from companion.words import _

DAILY, WEEKLY = 7, 4  # So many copies stay.
NEVER_COPIED = ("tickets", "scanned", "outbox")  # An older outbox would give numbers a second time.
PICTURE_TABLES = ("pictures", "taken_in", "evidence", "clips")
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)  # FAT, exFAT and some network drives refuse hard links so.

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Contents:
    """The content of a copy, all of it verified."""

    games: int
    entries: int
    pictures: int

    def __str__(self) -> str:
        return f"{self.games} games, {self.entries} entries, {self.pictures} pictures"


def backup(journal: Path, target: Path, *, pictures: bool = True) -> Contents:
    """Copies the journal as it is at one moment, even while others write to it.

    The copy appears under its name only when it is whole, verified and on the disk. Raises BadInput or JournalUnusable,
    and then leaves no file.
    """
    if not journal.is_file():
        raise BadInput(_("There's no journal {journal}. Name the data folder with --data.", journal=journal))
    if target.exists():
        raise already_exists(target)
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)  # Names of people are in it.
        with opened(journal, "rw") as source, opened(part, "rw") as copy:
            copy_tables(source, copy, pictures)
        contents = verified(part)
        give_name(part, target)
        sync_folder(target.parent)
    except FileExistsError as error:
        raise already_exists(target) from error
    except sqlite3.Error as error:
        raise JournalUnusable(
            _("{target} can't be written: {at_start}", target=target, at_start=at_start(error, journal))
        ) from error
    except OSError as error:
        raise BadInput(
            _("{target} can't be written ({strerror}). Choose another place.", target=target, strerror=error.strerror)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return contents


def already_exists(target: Path) -> BadInput:
    """The refusal to overwrite a file."""
    return BadInput(_("{target} already exists and won't be overwritten. Choose another name.", target=target))


def give_name(part: Path, target: Path) -> None:
    """Renames a whole file to `target`; raises FileExistsError instead of replacing another file.

    On a disk without hard links, an empty file has the name for a moment.
    """
    try:
        os.link(part, target)  # Unlike a rename, a link never takes another file's place.
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))  # The name is ours from here on.
        try:
            part.replace(target)
        except OSError:
            target.unlink()
            raise


def copy_tables(source: sqlite3.Connection, copy: sqlite3.Connection, pictures: bool) -> None:
    """Copies every table that is not left out, as of one moment. A reader of a WAL file blocks no writer."""
    source.execute("BEGIN")
    (version,) = source.execute("PRAGMA user_version").fetchone()
    tables = source.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").fetchall()
    copy.execute("BEGIN")
    for name, sql in tables:
        copy.execute(sql)
        if name in NEVER_COPIED or (name in PICTURE_TABLES and not pictures):
            continue
        rows = source.execute(f"SELECT * FROM {name}")  # The names are those of the journal's own schema.
        values = ",".join("?" * len(rows.description))
        copy.executemany(f"INSERT INTO {name} VALUES ({values})", (row for row in rows if not is_secret(name, row)))
    copy.execute(f"PRAGMA user_version={version}")
    copy.execute("COMMIT")
    source.execute("COMMIT")


def is_secret(table: str, row: tuple[object, ...]) -> bool:
    """Whether a row is a setting that would let somebody in."""
    return table == "settings" and row[0] in SECRETS


def verified(copy: Path) -> Contents:
    """The content of a copy; raises BadInput unless the file is sound and every hash of a game or picture holds."""
    try:
        with opened(copy, "ro") as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise BadInput(_("{copy} was written by a newer companion. Update this one.", copy=copy))
            (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise BadInput(_("{copy} is damaged ({verdict}). Use another copy.", copy=copy, verdict=verdict))
            games = db.execute("SELECT id, header, hash FROM sessions").fetchall()
            entries = sum(verified_game(db, *game) for game in games)
            return Contents(len(games), entries, verified_pictures(db))
    except sqlite3.Error as error:
        raise BadInput(
            _("{copy} isn't a copy of a journal ({error}). Use another one.", copy=copy, error=error)
        ) from error


def verified_game(db: sqlite3.Connection, session: str, header: str, header_hash: str) -> int:
    """The number of entries of a game; raises BadInput when its chain does not hold."""
    rows = db.execute("SELECT seq, id, content, hash FROM entries WHERE session = ? ORDER BY seq", (session,))
    entries = tuple(Row(*row) for row in rows)
    broken = broken_link(header, entries) if is_header(session, header, header_hash) else 0
    if broken is not None:
        raise BadInput(
            _(
                "Game {session} was changed or damaged at entry {broken}. Use an older copy.",
                session=session,
                broken=broken,
            )
        )
    return len(entries)


def verified_pictures(db: sqlite3.Connection) -> int:
    """The number of pictures; raises BadInput when one does not match its hash."""
    count = 0
    for name, jpeg in db.execute("SELECT hash, jpeg FROM pictures"):
        if digest_bytes(jpeg) != name:
            raise BadInput(_("Picture {name} is damaged. Use an older copy.", name=name[:12]))
        count += 1
    return count


def days_to_keep(days: set[date], daily: int = DAILY, weekly: int = WEEKLY) -> set[date]:
    """The days whose copies stay: the newest `daily` ones, then the newest day of each of `weekly` weeks before."""
    newest = sorted(days, reverse=True)
    weeks: dict[tuple[int, int], date] = {}
    for day in newest[daily:]:
        weeks.setdefault(day.isocalendar()[:2], day)
    return set(newest[:daily]) | set(list(weeks.values())[:weekly])


class DailyCopies:
    """Copies the journal once a day and deletes old copies. It only reads the journal, so it blocks nobody.

    tell    called with (state, sentence) when a copy could not be made, and when one could again
    today   returns today's date; by default the journal's, which believes no clock that has just jumped
    """

    def __init__(
        self,
        journal: Journal,
        tell: Callable[[str, str], None] = lambda _state, _sentence: None,
        today: Callable[[], date] | None = None,
    ) -> None:
        self._journal = journal
        self._folder = journal.path.parent / COPIES
        self._tell = tell
        self._today = today or (lambda: date.fromtimestamp(date_us(journal) / 1_000_000))
        self._failed = False

    def look(self) -> Path | None:
        """Makes today's copy if there is none yet, and deletes old ones; returns the copy, or None if none was made.

        Every failure is reported through `tell`.
        """
        try:
            return self._look()
        except (CompanionError, OSError) as why:
            sentence = _("Today's copy of the journal couldn't be made. {why}", why=why)
        except Exception:  # Else the thread would end: there would be no more copies, and nobody would know.
            log.exception("the daily copy failed")
            sentence = _("Today's copy of the journal couldn't be made. Look in the companion's log.")
        self._failed = True
        self._tell("down", sentence)
        return None

    def _look(self) -> Path | None:
        today, copies = self._today(), daily_copies(self._journal.path)
        if today in copies:
            return None
        target = self._folder / f"journal-{today.isoformat()}.sqlite3"
        make_folder(self._folder)
        if wanted := room_wanted(self._journal.path):  # No copy may fill the disk.
            raise BadInput(_("The disk has no room for it. Free up {number} MB.", number=wanted))
        with self._journal.copying:  # Else a person erased meanwhile would stay in the new copy.
            with opened(self._journal.path, "rw") as db:
                db.execute("PRAGMA wal_checkpoint")  # This blocks nobody, and leaves little for `settle`.
            if self._journal.settle():  # Else only the log may hold an entry once the tail is gone.
                self._journal.tail.rotate()
            contents = backup(self._journal.path, target, pictures=False)
            self._journal.tail.forget_rotated()
            copies[today] = target
            for day in set(copies) - days_to_keep(set(copies)) - {today}:  # Today's stays when the clock is set back.
                copies[day].unlink(missing_ok=True)
        log.info("copied the journal: %s", contents)
        if self._failed:
            self._failed = False
            self._tell("ok", _("Today's copy of the journal was made."))
        return target


def copy_older(journal: Path, tell: Callable[[str], None]) -> Path | None:
    """The copy, without pictures as daily ones are; None where nothing will be changed or it cannot be made.

    tell    called with a sentence before anything happens, and when no copy could be made
    """
    if not 0 < written_by(journal) < VERSION:
        return None
    names = (f"before-{VERSION}-{number}.sqlite3" for number in itertools.count(1))
    copy = next(path for name in names if not (path := journal.parent / COPIES / name).exists())
    tell(
        f"An older companion kept these games, and it cannot open them once this one has. So they are copied first, to "
        f"{copy}: companion restore brings them back there."
    )
    try:
        if wanted := room_wanted(journal):
            tell(f"The disk has no room for that copy, so there is none. Free up {wanted} MB for the next time.")
            return None
        make_folder(copy.parent)
        backup(journal, copy, pictures=False)
    except (CompanionError, OSError) as why:
        tell(f"That copy could not be made, so there is none. {why}")
        return None
    return copy


def written_by(journal: Path) -> int:
    """The schema version of a journal, which is only read; 0 where there is none that can be read."""
    version = 0
    if journal.is_file():
        with contextlib.suppress(sqlite3.Error), opened(journal, "ro") as db:  # Who opens it says what is wrong.
            (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)
