"""Puts back missing entries of a journal from the newest copy and the tail, as far as the hash chains confirm them.

A damaged or deleted write-ahead log sets the journal back to an earlier moment, and SQLite reports nothing. So opening
a journal checks every chain, compares the lengths of games with the newest copy, and reads the tail once. A journal
that still lacks entries then is not opened: nobody plays on from less than was there.
"""

import contextlib
import logging
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from companion.errors import JournalUnusable
from companion.foreign import Unreadable, read_json
from companion.journal.files import daily_copies, opened, other_journals, sync_folder, unused
from companion.journal.schema import has_table
from companion.journal.session import agrees, digest, named_in
from companion.journal.tail import Line, Tail
from companion.words import _, _n

HOUSE = "house_id"  # Every copy carries it: see `companion.journal.settings`.
DELETED = "deleted"  # Each deleted game has such a setting: see `companion.journal.settings`.
HOUSE_BYTES = 16
ANOTHER = "another-house"  # Ending of the names of copies that are not this house's.
ENTRIES = "SELECT session, seq, id, content, hash FROM entries"
WITH_REASONS = (
    "SELECT entries.*, ifnull(salt, ''), ifnull(text, '') FROM entries"
    " LEFT JOIN reasons ON reasons.session = entries.session AND reasons.seq = entries.seq"
)

log = logging.getLogger(__name__)


def deleted_games(db: sqlite3.Connection) -> frozenset[str]:
    """The games that were deleted here. A copy or a tail may still have them, and nothing puts them back."""
    names = db.execute("SELECT name FROM settings WHERE name GLOB ?", (f"{DELETED}:*",))
    return frozenset(name.removeprefix(f"{DELETED}:") for (name,) in names)


def house_of(db: sqlite3.Connection) -> str:
    """The id of the house whose journal this is, "" where it has none yet or cannot be read."""
    try:
        row = db.execute("SELECT value FROM settings WHERE name = ?", (HOUSE,)).fetchone()
    except sqlite3.Error:
        return ""
    return str(row[0]) if row else ""


def house_in(path: Path) -> str:
    """The same of a file."""
    try:
        with opened(path, "ro") as db:
            return house_of(db)
    except sqlite3.Error:
        return ""


def has_games(db: sqlite3.Connection) -> bool:
    """Whether a house has played; one that has only been started is no house yet that would be lost."""
    return has_table(db, "sessions") and bool(db.execute("SELECT EXISTS (SELECT 1 FROM sessions)").fetchone()[0])


def has_played(journal: Path) -> bool:
    """Whether this is a journal with games; one that cannot be read has none to lose."""
    with contextlib.suppress(sqlite3.Error), opened(journal, "ro") as db:
        return has_games(db)
    return False


def own_copies(journal: Path, house: str) -> list[Path]:
    """The daily copies of this house, oldest first. One from before houses had ids is taken for its own."""
    return [path for path in daily_copies(journal).values() if not house or house_in(path) in ("", house)]


def set_others_aside(journal: Path, house: str) -> list[Path]:
    """Renames daily copies of other houses: nothing is taken from them, and none of them is deleted when it is old.

    Returns this house's own.
    """
    own = own_copies(journal, house)
    for path in daily_copies(journal).values():
        if path not in own:
            aside = path.with_name(f"{path.stem}.{unused(journal, ANOTHER)}.sqlite3")
            log.warning("%s is a copy of another house: it is %s now, and nothing is taken from it", path, aside.name)
            path.rename(aside)
            sync_folder(path.parent)
    return own


def name_house(db: sqlite3.Connection, journal: Path) -> str:
    """The id of this house, made where it has none.

    A house without an id, after a restore from an older copy, or without games, on a new card, is that of its copies.
    """
    house = house_of(db)
    if not house or not has_games(db):
        of_copies = (house_in(path) for path in reversed(daily_copies(journal).values()) if has_played(path))
        house = next(filter(None, of_copies), house) or secrets.token_hex(HOUSE_BYTES)
        db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (HOUSE, house))
    return house


def refuse_new_house(journal: Path) -> None:
    """Raises JournalUnusable if there are copies of the journal: it is missing or empty, and would be begun anew."""
    others = other_journals(journal)
    if others:
        newest = next(reversed(daily_copies(journal).values()), others[-1])
        raise JournalUnusable(
            _(
                "The journal {path} is missing or empty, but there are copies of it. Bring the newest back "
                "with companion restore {newest}, or move the copies away to start fresh.",
                path=journal,
                newest=newest,
            )
        )


class Chains:
    """How far the chain of each game holds in a journal that is open in a transaction. Missing entries can be added.

    ends        session → number and hash of the last entry that the chain confirms
    deleted     sessions of which nothing is added
    put_back    number of entries added that were missing or damaged
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.put_back = 0
        self.deleted = deleted_games(db)
        db.text_factory = readable
        headers = db.execute("SELECT id, header, hash FROM sessions").fetchall()
        self.ends = {session: (0, hash_) for session, header, hash_ in headers if is_header(session, header, hash_)}
        self._damaged = {session: header for session, header, _hash in headers if session not in self.ends}
        for row in db.execute(f"{ENTRIES} ORDER BY session, seq"):
            self._follow(*row)
        db.text_factory = str

    def without_header(self) -> int:
        """How many entries belong to games whose header is damaged and was not put back; such a game counts as one.

        A header that stands under another id than its own, beside its true game, is taken away.
        """
        count = 0
        for session, header in self._damaged.items():
            if session in self.ends:
                continue
            (entries,) = self._db.execute("SELECT count(*) FROM entries WHERE session = ?", (session,)).fetchone()
            if not entries and named_in(header) in self.ends:
                self._db.execute("DELETE FROM sessions WHERE id = ?", (session,))
            else:
                count += max(1, entries)
        return count

    def _follow(self, session: str, seq: int, id_: str, content: str, hash_: str) -> bool:
        end = self.ends.get(session)
        if end is None or seq != end[0] + 1 or digest(end[1] + content) != hash_:
            return False
        if not agrees(content, session, seq, id_):
            return False
        self.ends[session] = (seq, hash_)
        return True

    def take(self, line: Line) -> bool:
        """Adds a game or an entry if it is missing; returns False for an entry whose predecessor is missing."""
        if line.header:
            self._begin(line)
        elif line.session in self.deleted:
            return True
        elif line.seq and line.seq > self.ends.get(line.session, (0, ""))[0]:
            if not self._follow(line.session, line.seq, line.id, line.content, line.hash):
                return False
            self.put_back += self._db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?) ON CONFLICT (session, seq) DO UPDATE"
                " SET id = excluded.id, content = excluded.content, hash = excluded.hash"
                " WHERE (id, content, hash) IS NOT (excluded.id, excluded.content, excluded.hash)",
                (line.session, line.seq, line.id, line.content, line.hash),
            ).rowcount
            if line.salt:
                values = (line.session, line.seq, line.salt, line.text)
                self._db.execute("INSERT OR REPLACE INTO reasons VALUES (?, ?, ?, ?)", values)
        return True

    def _holds(self, line: Line) -> bool:
        """Whether the journal has this very entry: one flipped bit in the tail's must not count as the entry."""
        where = "WHERE session = ? AND seq = ? AND id = ? AND content = ? AND hash = ?"
        values = (line.session, line.seq, line.id, line.content, line.hash)
        return bool(self._db.execute(f"SELECT 1 FROM entries {where}", values).fetchone())

    def _begin(self, line: Line) -> None:
        try:
            fields = read_json(line.header)
            values = (fields["session"], line.header, digest(line.header), fields["created_wall_us"])
            if values[0] in self.ends or values[0] in self.deleted:
                return
            self._db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
                " SET header = excluded.header, hash = excluded.hash, created_wall_us = excluded.created_wall_us",
                values,
            )
        except (Unreadable, KeyError, TypeError, sqlite3.DatabaseError):
            return
        self.put_back += values[0] in self._damaged
        self.ends[values[0]] = (0, values[2])
        self._db.executemany("INSERT OR IGNORE INTO players VALUES (?, ?, ?)", line.players)
        for row in self._db.execute(f"{ENTRIES} WHERE session = ? ORDER BY seq", values[:1]).fetchall():
            self._follow(*row)

    def take_from(self, copy: Path) -> dict[str, int]:
        """Adds what another journal has and this one lacks; returns session → number of its newest entry there.

        From a damaged copy it takes what can be read.
        """
        lengths: dict[str, int] = {}
        try:
            with opened(copy, "ro") as db:
                db.text_factory = readable
                newest = (
                    "SELECT id, ifnull((SELECT max(seq) FROM entries WHERE session = sessions.id), 0) FROM sessions"
                )
                for session, seq in db.execute(newest):
                    if session in self.deleted:
                        continue
                    end = self.ends.get(session, (-1, ""))[0]
                    if seq > end:
                        for line in lines_from(db, session, end, seq):
                            self.take(line)
                    lengths[session] = seq
        except sqlite3.DatabaseError as error:
            log.warning("%s cannot be read whole: %s", copy, error)
        return lengths

    def take_tail(self, tail: Tail, lengths: dict[str, int]) -> tuple[set[tuple[str, int]], dict[str, int]]:
        """Adds what the tail has and this journal lacks.

        lengths session → number of the newest entry that the newest copy has, so that the tail need not have it

        Returns the (session, number) of entries whose predecessor is missing, and session → first entry that the tail
        lacks.
        """
        while True:
            before, absent, following = self.put_back, set(), {session: seq + 1 for session, seq in lengths.items()}
            for line in tail.lines():
                if not self.take(line):
                    absent.add((line.session, line.seq))
                if line.header:
                    following.setdefault(named_in(line.header), 1)
                elif following.get(line.session) == line.seq and self._holds(line):
                    following[line.session] += 1
            if not absent or self.put_back == before:  # Else a predecessor may be there now.
                break
        first = {session: following.get(session, 0) for session, (seq, _) in self.ends.items()}
        return absent, {session: seq for session, seq in first.items() if seq <= self.ends[session][0]}


def readable(text: bytes) -> str:
    """A text of a database that may be damaged; what cannot be decoded matches no hash then."""
    return text.decode(errors="replace")


def is_header(session: str, header: str, hash_: str) -> bool:
    """Whether a header is the one of that session, and the one that was hashed."""
    return digest(header) == hash_ and named_in(header) == session


def lines_from(db: sqlite3.Connection, session: str, after: int, upto: int) -> Iterator[Line]:
    """The entries of a session after number `after` up to `upto`. If `after` is -1, its sound header comes first."""
    if after < 0:
        for header, hash_ in db.execute("SELECT header, hash FROM sessions WHERE id = ?", (session,)).fetchall():
            if is_header(session, header, hash_):
                named = (
                    "SELECT id, name, birth_year FROM players WHERE id IN (SELECT value FROM json_each(?, '$.players'))"
                )
                yield Line(header, tuple(db.execute(named, (header,)).fetchall()), hash=hash_)
    which = "WHERE entries.session = ? AND entries.seq > ? AND entries.seq <= ? ORDER BY entries.seq"
    entries = WITH_REASONS if has_table(db, "reasons") else ENTRIES
    for row in db.execute(f"{entries} {which}", (session, after, upto)):
        yield Line("", (), *row)


def mend(db: sqlite3.Connection, journal: Path, tail: Tail) -> int:
    """Puts back what the journal lacks, then adds to the tail what that lacks; returns how many entries were put back.

    The caller has begun a transaction. Raises JournalUnusable when entries are still missing.
    """
    chains = Chains(db)
    newest = next(reversed(set_others_aside(journal, name_house(db, journal))), None)
    lengths = chains.take_from(newest) if newest else {}
    absent, tail_lacks = chains.take_tail(tail, lengths)
    shorter = {session: seq for session, seq in lengths.items() if seq > chains.ends.get(session, (0, ""))[0]}
    missing = (
        chains.without_header()
        + len(absent)
        + sum(seq - chains.ends.get(session, (0, ""))[0] for session, seq in shorter.items())
    )
    if missing:
        raise JournalUnusable(
            _n(
                "The journal {path} lacks {n} entry that its tail or newest copy knows of, and what comes before it is"
                " damaged: it was left untouched; bring the newest sound copy back with companion restore.",
                "The journal {path} lacks {n} entries that its tail or newest copy knows of, and what comes before them"
                " is damaged: it was left untouched; bring the newest sound copy back with companion restore.",
                missing,
                path=journal,
            )
        )
    tail.add(
        line
        for session, first in tail_lacks.items()
        for line in lines_from(db, session, first - 1, chains.ends[session][0])
    )
    if chains.put_back:
        log.warning("%d entries of the journal were missing or damaged and were put back", chains.put_back)
    return chains.put_back
