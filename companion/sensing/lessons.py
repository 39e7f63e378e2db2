"""The answers of people about dice at this table, with the pictures: one file in the data folder, and nowhere else.

The file is apart from the journal, so no chain, export or copy holds any of it. It is made when the house first wants
it, and deleting it leaves nothing.
"""

import contextlib
import io
import json
import sqlite3
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import JournalUnusable
from companion.journal.files import make_private
from companion.sensing.strictness import Answer, Evidence
from companion.words import _

FILE = "learned.sqlite3"
MOST_DICE = 2_000  # They take some 15 MB; older ones are deleted.
SCHEMA = """
    CREATE TABLE IF NOT EXISTS dice (
        session TEXT NOT NULL, seq INTEGER NOT NULL, path TEXT NOT NULL, jpeg BLOB NOT NULL,
        read INTEGER, said INTEGER NOT NULL, colour TEXT, doubt REAL NOT NULL, usual REAL, wall_us INTEGER NOT NULL,
        PRIMARY KEY (session, seq, path)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS rolls (
        session TEXT NOT NULL, seq INTEGER NOT NULL, accepted INTEGER NOT NULL, doubts REAL NOT NULL,
        PRIMARY KEY (session, seq)
    ) STRICT;
"""


@dataclass(frozen=True)
class SaidDie:
    """One die that people answered or corrected.

    path    path of its value in the event
    jpeg    the picture around it: the middle half or so is the die
    read    the value that the camera read, None if it could not
    said    the value that people say
    doubt   1 less the confidence
    usual   as in `strictness.Answer`; None if the die was asked about for another reason than its confidence
    """

    path: str
    jpeg: bytes
    read: int | None
    said: int
    colour: str | None
    doubt: float
    usual: float | None


@dataclass(frozen=True)
class Lesson:
    """One roll.

    said        the dice that people answered or corrected
    accepted    number of other dice that were entered without a question and never corrected
    doubts      the sum of their doubts
    """

    said: tuple[SaidDie, ...]
    accepted: int
    doubts: float


class Lessons:
    """The file at `path`. Thread-safe; raises JournalUnusable when it cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def keep(self, session: str, seq: int, lesson: Lesson, wall_us: int) -> None:
        """Stores the lesson of one roll, in place of an earlier one."""
        with self._open() as db:
            forget_rolls(db, session, seq)
            db.execute("INSERT INTO rolls VALUES (?, ?, ?, ?)", (session, seq, lesson.accepted, lesson.doubts))
            db.executemany(
                "INSERT INTO dice VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (session, seq, d.path, d.jpeg, d.read, d.said, d.colour, d.doubt, d.usual, wall_us)
                    for d in lesson.said
                ],
            )
            db.execute(
                "DELETE FROM dice WHERE rowid NOT IN (SELECT rowid FROM dice ORDER BY wall_us DESC LIMIT ?)",
                (MOST_DICE,),
            )

    def forget(self, session: str, seq: int | None = None) -> None:
        """Deletes the lesson of a roll, or of all rolls of a game."""
        if self.path.exists():
            with self._open() as db:
                forget_rolls(db, session, seq)

    def said_values(self, session: str) -> dict[int, dict[str, int]]:
        """Entry → path of a value in its event → the value that people said."""
        values_: dict[int, dict[str, int]] = {}
        for seq, path, value in self._rows("SELECT seq, path, said FROM dice WHERE session = ?", session):
            values_.setdefault(seq, {})[path] = value
        return values_

    def games(self) -> tuple[Evidence, ...]:
        """The evidence of each game, newest last."""
        answers: dict[str, list[Answer]] = {}
        query = "SELECT session, doubt, usual, read IS NOT said FROM dice WHERE usual IS NOT NULL"
        for session, doubt, usual, wrong in self._rows(query):
            answers.setdefault(session, []).append(Answer(doubt, usual, bool(wrong)))
        rolls = self._rows("SELECT session, sum(accepted), sum(doubts) FROM rolls GROUP BY session ORDER BY max(rowid)")
        return tuple(Evidence(tuple(answers.get(session, ())), accepted, doubts) for session, accepted, doubts in rolls)

    def __len__(self) -> int:
        ((count,),) = self._rows("SELECT count(*) FROM dice") or [(0,)]
        return int(count)

    def delete_all(self) -> None:
        """Deletes the file, after overwriting its content if it can be written.

        Raises JournalUnusable when it cannot be removed.
        """
        with contextlib.suppress(JournalUnusable), self._open() as db:  # A damaged file is removed as it is.
            db.execute("DELETE FROM dice")
            db.execute("DELETE FROM rolls")
        with self._lock:
            try:
                for name in (self.path, self.path.with_name(f"{self.path.name}-journal")):
                    name.unlink(missing_ok=True)
            except OSError as error:
                raise JournalUnusable(
                    _(
                        "What the camera learned can't be deleted ({why}). Delete {path} by hand.",
                        why=error.strerror or error,
                        path=self.path,
                    )
                ) from error

    def export(self) -> bytes:
        """A zip of all pictures, with a labels.json in the form of this project's photo sets."""
        archive_bytes = io.BytesIO()
        labels = []
        with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_STORED) as archive:
            for number, (jpeg, value_read, value_said, colour, doubt) in enumerate(
                self._rows("SELECT jpeg, read, said, colour, doubt FROM dice ORDER BY wall_us, session, seq, path"), 1
            ):
                name = f"images/die-{number:05d}.jpg"
                archive.writestr(name, jpeg)
                labels.append(
                    label_of(name, jpeg, value_said, colour) | {"read": value_read, "confidence": round(1 - doubt, 4)}
                )
            archive.writestr("labels.json", json.dumps(labels, indent=1))
        return archive_bytes.getvalue()

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A transaction. It opens the file anew, since somebody may delete the file at any time."""
        with self._lock:
            try:
                make_private(self.path)
                with contextlib.closing(sqlite3.connect(self.path)) as db, db:
                    db.execute("PRAGMA secure_delete=ON")
                    db.executescript(SCHEMA)
                    yield db
            except (OSError, sqlite3.Error) as error:
                raise JournalUnusable(
                    _(
                        "What the camera learned can't be read or written ({error}). Delete it on the house page.",
                        error=error,
                    )
                ) from error

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        if not self.path.exists():
            return []
        with self._open() as db:
            return db.execute(sql, values).fetchall()


def forget_rolls(db: sqlite3.Connection, session: str, seq: int | None) -> None:
    """Deletes one roll of a game, or all."""
    for table in ("dice", "rolls"):
        db.execute(f"DELETE FROM {table} WHERE session = ? AND (? IS NULL OR seq = ?)", (session, seq, seq))


DIE_SHARE = 1 / 1.7  # `vision.watch.watch` crops a picture this much wider than its die.


def label_of(name: str, jpeg: bytes, value: int, colour: str | None) -> dict[str, Any]:
    """The entry of labels.json for one picture, with a single die in the middle."""
    width, height = jpeg_size(jpeg)
    side = round(min(width, height) * DIE_SHARE, 1)
    die = {"value": value, "cx": width / 2, "cy": height / 2, "w": side, "h": side, "size_px": side, "colour": colour}
    return {
        "image": name,
        "source": "this table",
        "licence": "none stated",
        "width": width,
        "height": height,
        "view": "top",
        "tags": [],
        "labels": "said by the players",
        "dice": [die],
    }


def jpeg_size(jpeg: bytes) -> tuple[int, int]:
    """(width, height) from the picture's frame header; (0, 0) if it is no JPEG."""
    at = 2
    while at + 9 < len(jpeg) and jpeg[at] == 0xFF:
        kind, length = jpeg[at + 1], int.from_bytes(jpeg[at + 2 : at + 4])
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(jpeg[at + 7 : at + 9]), int.from_bytes(jpeg[at + 5 : at + 7])
        at += 2 + length
    return 0, 0
