"""Copies of the journal: made while the table plays, verified before they count, and kept for a while.

A copy is one SQLite file with every game, name and setting of one moment. What opens doors is left out (the devices'
tickets, the secret that signs them, the PIN), so a copy on a stick lets nobody in, and the daily ones leave out the
pictures too: whoever deletes those has deleted them.
"""

import contextlib
import errno
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from companion.errors import BadInput, CompanionError, JournalUnusable
from companion.journal.files import COPIES, at_start, daily_copies, make_folder, opened, sync_folder
from companion.journal.record import Row, broken_link, digest_bytes
from companion.journal.schema import VERSION
from companion.journal.session import digest
from companion.journal.settings import SECRETS
from companion.journal.store import Journal
from companion.words import _

DAILY, WEEKLY = 7, 4  # copies that are kept
LEAST_FREE = 3  # times the journal's size: the copy, the journal's own growth, and room to go on
NEVER = ("tickets", "scanned")
PICTURES = ("pictures", "taken_in", "evidence")
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)  # what FAT, exFAT and some network drives say of a link

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Contents:
    """The content of a copy, all of it verified."""

    games: int
    entries: int
    pictures: int

    def __str__(self) -> str:
        return f"{self.games} games, {self.entries} entries, {self.pictures} pictures"


# making and verifying one


def backup(journal: Path, target: Path, *, pictures: bool = True) -> Contents:
    """Copies the journal as it is at one moment, whoever is writing to it; raises one sentence and leaves no file then.

    The copy appears under its name only when it is whole, verified and on the disk.
    """
    if not journal.is_file():
        raise BadInput(_("There is no journal {journal}: name the data folder with --data.", journal=journal))
    if target.exists():
        raise BadInput(_("{target} exists already and is not overwritten: choose another name.", target=target))
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)  # names of people are in it
        with opened(journal, "rw") as source, opened(part, "rw") as copy:
            copy_tables(source, copy, pictures)
        contents = verified(part)
        name_anew(part, target)
        sync_folder(target.parent)
    except FileExistsError as error:
        raise BadInput(
            _("{target} exists already and is not overwritten: choose another name.", target=target)
        ) from error
    except sqlite3.Error as error:
        raise JournalUnusable(
            _("{target} cannot be written: {at_start}", target=target, at_start=at_start(error, journal))
        ) from error
    except OSError as error:
        raise BadInput(
            _("{target} cannot be written ({strerror}): choose another place.", target=target, strerror=error.strerror)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return contents


def name_anew(part: Path, target: Path) -> None:
    """Gives a whole file its name, which no other file loses by it; raises FileExistsError.

    Where a disk knows no links, an empty file has the name for a moment.
    """
    try:
        os.link(part, target)  # unlike a rename it never takes the place of another file
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))  # the name is ours from here on
        try:
            part.replace(target)
        except OSError:
            target.unlink()
            raise


def copy_tables(source: sqlite3.Connection, copy: sqlite3.Connection, pictures: bool) -> None:
    """Every table but those left out, as they were at one moment: a reader of a WAL file holds up no writer."""
    source.execute("BEGIN")
    (version,) = source.execute("PRAGMA user_version").fetchone()
    tables = source.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").fetchall()
    copy.execute("BEGIN")
    for name, sql in tables:
        copy.execute(sql)
        if name in NEVER or (name in PICTURES and not pictures):
            continue
        rows = source.execute(f"SELECT * FROM {name}")  # the names are those of the journal's own schema
        marks = ",".join("?" * len(rows.description))
        copy.executemany(f"INSERT INTO {name} VALUES ({marks})", (row for row in rows if not is_secret(name, row)))
    copy.execute(f"PRAGMA user_version={version}")
    copy.execute("COMMIT")
    source.execute("COMMIT")


def is_secret(table: str, row: tuple[object, ...]) -> bool:
    """A setting that would let somebody in."""
    return table == "settings" and row[0] in SECRETS


def verified(copy: Path) -> Contents:
    """The content of a copy; raises one sentence unless the file is sound and every game and picture is as it was."""
    try:
        with opened(copy, "ro") as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise BadInput(_("{copy} was written by a newer companion: update this one.", copy=copy))
            (verdict,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise BadInput(_("{copy} is damaged ({verdict}): take another copy.", copy=copy, verdict=verdict))
            games = db.execute("SELECT id, header, hash FROM sessions").fetchall()
            entries = sum(verified_game(db, *game) for game in games)
            return Contents(len(games), entries, verified_pictures(db))
    except sqlite3.Error as error:
        raise BadInput(
            _("{copy} is no copy of a journal ({error}): take another one.", copy=copy, error=error)
        ) from error


def verified_game(db: sqlite3.Connection, session: str, header: str, header_hash: str) -> int:
    """How many entries the game has, when its chain holds."""
    rows = db.execute("SELECT seq, id, content, hash FROM entries WHERE session = ? ORDER BY seq", (session,))
    entries = tuple(Row(*row) for row in rows)
    broken = 0 if digest(header) != header_hash else broken_link(header, entries)
    if broken is not None:
        raise BadInput(
            _(
                "Game {session} was changed or damaged at entry {broken}: take an older copy.",
                session=session,
                broken=broken,
            )
        )
    return len(entries)


def verified_pictures(db: sqlite3.Connection) -> int:
    """How many pictures there are, when each is what its name says."""
    count = 0
    for name, jpeg in db.execute("SELECT hash, jpeg FROM pictures"):
        if digest_bytes(jpeg) != name:
            raise BadInput(_("Picture {name} is damaged: take an older copy.", name=name[:12]))
        count += 1
    return count


# the daily ones


def kept(days: set[date], daily: int = DAILY, weekly: int = WEEKLY) -> set[date]:
    """Of the days that have a copy those whose copies stay: the newest ones, then the newest of each week before."""
    newest = sorted(days, reverse=True)
    weeks: dict[tuple[int, int], date] = {}
    for day in newest[daily:]:
        weeks.setdefault(day.isocalendar()[:2], day)
    return set(newest[:daily]) | set(list(weeks.values())[:weekly])


class DailyCopies:
    """Copies the journal once a day and lets old copies go. It holds up nobody: it only reads.

    tell    hears (state, sentence) when a copy could not be made, and when one could again
    today   the clock
    """

    def __init__(
        self,
        journal: Journal,
        tell: Callable[[str, str], None] = lambda _state, _sentence: None,
        today: Callable[[], date] = date.today,
    ) -> None:
        self._journal = journal
        self._folder = journal.path.parent / COPIES
        self._tell = tell
        self._today = today
        self._failed = False

    def look(self) -> Path | None:
        """Makes today's copy if there is none yet and lets old ones go; the copy, None when there was nothing to do.

        Whatever goes wrong is said.
        """
        try:
            return self._look()
        except (CompanionError, OSError) as why:
            said = _("Today's copy of the journal could not be made. {why}", why=why)
        except Exception:  # without this there would be no more copies, and nobody would know
            log.exception("the daily copy failed")
            said = _("Today's copy of the journal could not be made: look into the companion's log.")
        self._failed = True
        self._tell("down", said)
        return None

    def _look(self) -> Path | None:
        today, copies = self._today(), daily_copies(self._journal.path)
        if today in copies:
            return None
        target = self._folder / f"journal-{today.isoformat()}.sqlite3"
        make_folder(self._folder)
        self._check_room()
        with self._journal.copying:  # whoever is erased meanwhile would be in the copy that gets its name afterwards
            with opened(self._journal.path, "rw") as db:
                db.execute("PRAGMA wal_checkpoint")  # which holds nobody up; what is left to settle is little
            if self._journal.settle():  # else the log may be all that holds an entry by the time the tail is gone
                self._journal.tail.turn()
            contents = backup(self._journal.path, target, pictures=False)
            self._journal.tail.forget_turned()
            copies[today] = target
            for day in set(copies) - kept(set(copies)) - {today}:  # also where the clock says that it is long past
                copies[day].unlink(missing_ok=True)
        log.info("copied the journal: %s", contents)
        if self._failed:
            self._failed = False
            self._tell("ok", _("Today's copy of the journal is made."))
        return target

    def _check_room(self) -> None:
        """A copy must never be what fills the disk."""
        wanted = LEAST_FREE * self._journal.path.stat().st_size
        if shutil.disk_usage(self._folder).free < wanted:
            raise BadInput(_("The disk has no room for it: free {number} MB.", number=wanted // 1000000 + 1))
