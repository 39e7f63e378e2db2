"""What was recorded last, once more: a plain file beside the journal, for disks that damage what they have kept.

SQLite notices a damaged page but cannot mend it, and of a write-ahead log it leaves out, without a word, whatever
stands behind the damaged place. So each entry is also added to `journal.tail`, one JSON line each. When the journal is
opened, what is missing in it is put back from there, checked against the hash chain; so an older copy that was restored
gets back what was recorded after it. The daily copy begins a new tail.

The tail is not synced with each tap: the journal is what survives a power cut, the tail what survives a damaged page.
"""

import contextlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from companion.clock import wall_us
from companion.journal.session import digest

FRESH_US = 2 * 24 * 60 * 60 * 1_000_000  # a session younger than two days may be in no copy yet

Line = dict[str, Any]

log = logging.getLogger(__name__)


def session_line(header: str, players: Iterable[Sequence[object]]) -> Line:
    """A session begins: its header's text and (id, name, year of birth) of its players."""
    return {"header": header, "players": [list(player) for player in players]}


def entry_line(session: str, seq: int, id_: str, content: str, hash_: str) -> Line:
    """An entry as it is stored."""
    return {"session": session, "seq": seq, "id": id_, "content": content, "hash": hash_}


class Tail:
    """The file, and the one before the last turn, which goes when a copy holds all that is in it."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_suffix(".tail")
        self._turned = journal.with_suffix(".tail.1")
        self._lock = threading.Lock()

    def add(self, lines: Iterable[Line]) -> None:
        """Adds lines. What fails here fails nobody: the journal has them, and at the next start they are added."""
        text = "".join("\n" + json.dumps(line) for line in lines).encode()  # ends a line that a kill broke off
        with self._lock, contextlib.suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, text)
            finally:
                os.close(file)

    def turn(self) -> None:
        """A copy is about to be made: what is here by now will be in it."""
        with self._lock:
            if self._path.exists() and not self._turned.exists():
                self._path.rename(self._turned)

    def forget_turned(self) -> None:
        """The copy has been made."""
        self._turned.unlink(missing_ok=True)

    def move_aside(self, moved_to: str) -> None:
        """Nothing is taken from here any more; the files stay under another name."""
        for path in (self._turned, self._path):
            if path.exists():
                path.rename(f"{path}.{moved_to}")

    def forget_players(self, players: frozenset[str]) -> tuple[str, ...]:
        """Takes the names of these players out, so that nothing puts them back, and out of tails that were put aside.

        The names of files that refuse.
        """
        refused = []
        with self._lock:
            for path in (self._path, *self._path.parent.glob(f"{self._path.name}.*")):
                try:
                    forget_in(path, players)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    log.warning("%s still holds what was to be deleted: %s", path, error)
                    refused.append(path.name)
        return tuple(refused)

    def lines(self) -> list[Line]:
        """Every line that can still be read, older ones first."""
        return [line for path in (self._turned, self._path) for line in lines_of(path)]

    def agree_with(self, db: sqlite3.Connection) -> int:
        """Puts back into the journal what only the tail has, and adds here what only the journal has.

        The caller has begun a transaction. How many entries were put back.
        """
        lines = self.lines()
        count = put_back(db, lines)
        self.add(missing_here(db, lines))
        if count:
            log.warning("%d entries were missing at the end of the journal and were put back", count)
        return count


def lines_of(path: Path) -> list[Line]:
    """Every line of a tail that can still be read."""
    with contextlib.suppress(OSError):
        return lines_in(path.read_bytes())
    return []


def lines_in(text: bytes) -> list[Line]:
    """Every line of a tail's text that is whole."""
    found = []
    for part in text.splitlines():
        with contextlib.suppress(ValueError):
            line = json.loads(part)
            if isinstance(line, dict):
                found.append(line)
    return found


def forget_in(path: Path, players: frozenset[str]) -> None:
    """Writes one tail anew without the names of these players; a file that cannot be read stays as it is."""
    kept = [without(line, players) for line in lines_in(path.read_bytes())]
    fresh = path.with_name(path.name + ".new")
    fresh.touch(mode=0o600)
    fresh.write_text("".join("\n" + json.dumps(line) for line in kept))
    fresh.replace(path)


def without(line: Line, players: frozenset[str]) -> Line:
    """A session's line without the names of some of its players; any other line as it is."""
    match line:
        case {"header": str(), "players": list(named)}:
            return {**line, "players": [one for one in named if str(one[0]) not in players]}
    return line


def put_back(db: sqlite3.Connection, lines: list[Line]) -> int:
    """Inserts what continues the journal's chains; how many entries."""
    for line in lines:
        match line:
            case {"header": str(header), "players": list(players)}:
                add_session(db, header, players)
    count = 0
    for session, entries in by_session(lines).items():
        end = end_of(db, session)
        if end is None:
            continue
        seq, last_hash = end
        for number in sorted(number for number in entries if number > seq):
            line = entries[number]
            if number != seq + 1 or digest(last_hash + line["content"]) != line["hash"]:
                break
            values = (session, number, line["id"], line["content"], line["hash"])
            db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", values)
            seq, last_hash, count = number, line["hash"], count + 1
    return count


def add_session(db: sqlite3.Connection, header: str, players: list[Any]) -> None:
    """Inserts a session that is not there, with the names of its players."""
    with contextlib.suppress(ValueError, KeyError, TypeError, sqlite3.Error):
        fields = json.loads(header)
        values = (fields["session"], header, digest(header), fields["created_wall_us"])
        if db.execute("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?, ?)", values).rowcount:
            db.executemany("INSERT OR IGNORE INTO players VALUES (?, ?, ?)", players)


def by_session(lines: list[Line]) -> dict[str, dict[int, Line]]:
    """The entries of the tail: session → number → line."""
    found: dict[str, dict[int, Line]] = {}
    for line in lines:
        match line:
            case {"session": str(session), "seq": int(seq), "id": str(), "content": str(), "hash": str()}:
                found.setdefault(session, {})[seq] = line
    return found


def end_of(db: sqlite3.Connection, session: str) -> tuple[int, str] | None:
    """Number and hash of a session's newest entry, its header's hash where it has none; None for no session."""
    newest = "SELECT seq, hash FROM entries WHERE session = ? ORDER BY seq DESC LIMIT 1"
    row = db.execute(newest, (session,)).fetchone()
    if row is None:
        row = db.execute("SELECT 0, hash FROM sessions WHERE id = ?", (session,)).fetchone()
    return None if row is None else (int(row[0]), str(row[1]))


def missing_here(db: sqlite3.Connection, lines: list[Line]) -> list[Line]:
    """What the journal has of the last days and the tail has not: a kill came between the one and the other."""
    known, headers = by_session(lines), {line.get("header") for line in lines}
    found = []
    fresh = db.execute("SELECT id, header FROM sessions WHERE created_wall_us > ?", (wall_us() - FRESH_US,)).fetchall()
    for session, header in fresh:
        if header not in headers:
            marks = ",".join("?" * len(json.loads(header)["players"]))
            names = db.execute(f"SELECT * FROM players WHERE id IN ({marks})", json.loads(header)["players"])
            found.append(session_line(header, names))
        known.setdefault(session, {})
    for session, entries in known.items():
        first = min(entries, default=1)
        rows = db.execute(
            "SELECT session, seq, id, content, hash FROM entries WHERE session = ? AND seq >= ? ORDER BY seq",
            (session, first),
        )
        found += [entry_line(*row) for row in rows if row[1] not in entries]
    return found
