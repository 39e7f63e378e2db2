"""The journal: one SQLite file that holds every session, entry, name and picture.

An entry is committed (WAL, `synchronous=FULL`) before anyone is told of it. Each hash covers the hash of the entry
before, the first one the hash of the session's header, so a game can be verified anywhere. Names, the reasons of
rulings, pictures, the entries that asked for pictures, and the devices that entries came from are in tables of their
own, outside the chain: they can be deleted and every chain still holds.
"""

import itertools
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from companion.clock import Instant
from companion.errors import NotFound
from companion.journal.database import Database
from companion.journal.events import Entry, Reason, Sender
from companion.journal.mending import DELETED
from companion.journal.record import Row, content_of, digest_bytes, header_json, reason_of
from companion.journal.session import Player, Session, canonical_json, digest
from companion.journal.tail import Line
from companion.words import N_, _

MOST_PICTURE_BYTES = 500_000_000  # These are some thousands of pictures, more than a month of play takes.
ROWS_AT_ONCE = 200  # They are some 100 kB of a game that is read little by little.
AFTER_THE_END = 0  # the number in `evidence` of the picture that no entry asked for
BYTES_BETWEEN_TRIMS = 20_000_000  # A trim reads a page of each old picture from the disk.

GONE = N_("This game was deleted. Choose another from the list.")

Beside = Callable[[sqlite3.Connection], None]  # It is a part of a transaction.


class Journal(Database):
    """The journal's sessions, entries, names, pictures and settings.

    Modules that own other tables of the file use `select` and `changing`.
    """

    _added_picture_bytes = 0  # Since the old ones were counted; it is changed within `changing`.

    def add_session(self, session: Session, players: tuple[Player, ...], beside: Beside = lambda _db: None) -> None:
        """Records a new session and the names of its players; `beside` as in `import_session`."""
        self.import_session(session, players, (), beside=beside)

    def headers(self) -> tuple[str, ...]:
        """The headers of all sessions, newest first."""
        rows = self.select("SELECT header FROM sessions ORDER BY created_wall_us DESC, id")
        return tuple(header for (header,) in rows)

    def count_sessions(self) -> int:
        """The number of sessions."""
        return int(self.select("SELECT count(*) FROM sessions")[0][0])

    def header(self, session_id: str) -> str | None:
        """The header of one session, or None."""
        rows = self.select("SELECT header FROM sessions WHERE id = ?", (session_id,))
        return rows[0][0] if rows else None

    def is_first(self, session_id: str, game: str) -> bool:
        """Whether no session of this game is older than that one."""
        older = (
            "SELECT 1 FROM sessions WHERE created_wall_us < (SELECT created_wall_us FROM sessions WHERE id = ?)"
            " AND json_extract(header, '$.game') = ? LIMIT 1"
        )
        return not self.select(older, (session_id, game))

    def is_deleted(self, session_id: str) -> bool:
        """Whether there was such a game and somebody has deleted it."""
        return bool(self.select("SELECT 1 FROM settings WHERE name = ?", (f"{DELETED}:{session_id}",)))

    def append(self, session: Session, entry: Entry, instant: Instant, sender: Sender | None = None) -> None:
        """Commits an entry and the device it came from. Once this returns, it survives a power cut.

        Raises NotFound if the game was deleted.
        """
        content, reason = content_of(session.id, entry), reason_of(entry)
        with self.changing() as db:
            _require_session(db, session.id)
            db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (session.id, entry.seq, entry.id, content, entry.hash)
            )
            if sender is not None:
                db.execute(
                    "INSERT INTO senders VALUES (?, ?, ?, ?)", (session.id, entry.seq, sender.label, sender.player)
                )
            if reason is not None:
                _add_reason(db, session.id, entry.seq, reason)
            _keep_instant(db, instant)
        beside = (reason.salt, reason.text) if reason else ()
        self.tail.add([Line("", (), session.id, entry.seq, entry.id, content, entry.hash, *beside)])

    def import_session(
        self,
        session: Session,
        players: tuple[Player, ...],
        rows: tuple[Row, ...],
        header: str | None = None,
        instant: Instant | None = None,
        evidence: Mapping[int, str] = MappingProxyType({}),
        beside: Beside = lambda _db: None,
        reasons: Mapping[int, Reason] = MappingProxyType({}),
    ) -> None:
        """Records a whole verified game in one transaction; also one that was deleted here before.

        header      the text that its chain begins with, as another companion wrote it; None for a new session
        evidence    as `evidence` gives it
        instant     now, if the clock has to go on from here after a restart
        beside      records related rows in the same transaction
        reasons     as `reasons` gives it
        """
        header = header or canonical_json(header_json(session))
        with self.changing() as db:
            for player in players:
                db.execute(
                    "INSERT OR IGNORE INTO players VALUES (?, ?, ?)", (player.id, player.name, player.birth_year)
                )
            db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)",
                (session.id, header, digest(header), session.created_wall_us),
            )
            db.execute("DELETE FROM settings WHERE name = ?", (f"{DELETED}:{session.id}",))
            db.executemany(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
                [(session.id, row.seq, row.id, row.content, row.hash) for row in rows],
            )
            db.executemany(
                "INSERT INTO evidence VALUES (?, ?, ?)", [(session.id, *named) for named in evidence.items()]
            )
            for seq, reason in reasons.items():
                _add_reason(db, session.id, seq, reason)
            if instant is not None:
                _keep_instant(db, instant)
            beside(db)
        named = tuple((player.id, player.name, player.birth_year) for player in players)
        begun = Line(header, named, hash=digest(header))
        nothing = Reason("", "")
        typed = (reasons.get(row.seq, nothing) for row in rows)
        entries = (
            Line("", (), session.id, row.seq, row.id, row.content, row.hash, reason.salt, reason.text)
            for row, reason in zip(rows, typed, strict=True)
        )
        self.tail.add(itertools.chain([begun], entries))

    def rows(self, session_id: str) -> tuple[Row, ...]:
        """Every entry of a session as stored, in order."""
        return tuple(
            Row(*row)
            for row in self.select(
                "SELECT seq, id, content, hash FROM entries WHERE session = ? ORDER BY seq", (session_id,)
            )
        )

    def rows_in_pieces(self, session_id: str) -> Iterator[tuple[Row, ...]]:
        """The entries that a session has now, ROWS_AT_ONCE at a time; raises NotFound if it is deleted meanwhile."""
        newest = int(self.select("SELECT coalesce(max(seq), 0) FROM entries WHERE session = ?", (session_id,))[0][0])
        query = "SELECT seq, id, content, hash FROM entries WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq"
        for first in range(1, newest + 1, ROWS_AT_ONCE):
            last = min(newest, first + ROWS_AT_ONCE - 1)
            rows = self.select(query, (session_id, first, last))
            if not rows:
                raise NotFound(_(GONE))
            yield tuple(Row(*row) for row in rows)

    def senders(self, session_id: str) -> dict[int, Sender]:
        """Entry → the device it came from, if known here."""
        rows = self.select("SELECT seq, label, player FROM senders WHERE session = ?", (session_id,))
        return {seq: Sender(label, player) for seq, label, player in rows}

    def evidence(self, session_id: str) -> dict[int, str]:
        """Entry → hash of the picture that it asked for, whether or not the picture is still kept."""
        return dict(self.select("SELECT seq, picture FROM evidence WHERE session = ? AND seq > 0", (session_id,)))

    def reasons(self, session_id: str) -> dict[int, Reason]:
        """Entry → what was typed for it, unless it was deleted."""
        rows = self.select("SELECT seq, salt, text FROM reasons WHERE session = ?", (session_id,))
        return {seq: Reason(salt, text) for seq, salt, text in rows}

    def players(self, ids: tuple[str, ...]) -> tuple[Player, ...]:
        """The players with these ids; deleted ones are left out."""
        ids_json = msgspec.json.encode(ids).decode()  # It is one value, as SQL limits the number of placeholders.
        query = "SELECT id, name, birth_year FROM players WHERE id IN (SELECT value FROM json_each(?))"
        return tuple(Player(*row) for row in self.select(query, (ids_json,)))

    def add_picture(
        self, jpeg: bytes, taken_wall_us: int, session_id: str | None = None, asked_by: int | None = None
    ) -> str:
        """Stores a picture, with the game and the entry it was taken for, if any; returns its hash."""
        (name,) = self.add_pictures((jpeg,), taken_wall_us, session_id, asked_by)
        return name

    def add_pictures(
        self, jpegs: Sequence[bytes], taken_wall_us: int, session_id: str | None = None, asked_by: int | None = None
    ) -> tuple[str, ...]:
        """The same for several pictures, in one transaction. Now and then the oldest above MOST_PICTURE_BYTES go.

        Raises NotFound if the game was deleted.
        """
        names = tuple(map(digest_bytes, jpegs))
        with self.changing() as db:
            if session_id is not None:
                _require_session(db, session_id)
            if asked_by == AFTER_THE_END:
                db.execute("DELETE FROM evidence WHERE session = ? AND seq = ?", (session_id, AFTER_THE_END))
            for name, jpeg in zip(names, jpegs, strict=True):
                db.execute("INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)", (name, jpeg, taken_wall_us))
                if session_id is not None:
                    db.execute("INSERT OR IGNORE INTO taken_in VALUES (?, ?)", (name, session_id))
                if asked_by is not None:
                    db.execute("INSERT OR IGNORE INTO evidence VALUES (?, ?, ?)", (session_id, asked_by, name))
            self._added_picture_bytes += sum(map(len, jpegs))
            if self._added_picture_bytes > BYTES_BETWEEN_TRIMS:
                self._trim_pictures(db)
        return names

    def put_final_picture(self, jpeg: bytes, taken_wall_us: int, session_id: str) -> str:
        """Stores the picture of a game's table after its end in place of an earlier one; returns its hash."""
        return self.add_picture(jpeg, taken_wall_us, session_id, AFTER_THE_END)

    def final_picture(self, session_id: str) -> str | None:
        """The hash of that picture, None where there is none."""
        rows = self.select(
            "SELECT picture FROM evidence JOIN pictures ON picture = hash WHERE session = ? AND seq = ?",
            (session_id, AFTER_THE_END),
        )
        return rows[0][0] if rows else None

    def _trim_pictures(self, db: sqlite3.Connection) -> None:
        db.execute(
            "DELETE FROM pictures WHERE rowid IN (SELECT id FROM (SELECT rowid AS id,"
            " sum(length(jpeg) + coalesce((SELECT length(strip) FROM clips WHERE picture = hash), 0))"
            " OVER (ORDER BY rowid DESC) AS newer FROM pictures) WHERE newer > ?)",
            (MOST_PICTURE_BYTES,),
        )
        self._added_picture_bytes = 0

    def picture(self, name: str) -> bytes | None:
        """The JPEG of a picture by its hash, or None when it was never stored or has been deleted."""
        rows = self.select("SELECT jpeg FROM pictures WHERE hash = ?", (name,))
        return rows[0][0] if rows else None

    def kept_pictures(self, names: Iterable[str]) -> frozenset[str]:
        """The hashes among `names` whose picture is stored."""
        names_json = msgspec.json.encode(list(names)).decode()
        rows = self.select("SELECT hash FROM pictures WHERE hash IN (SELECT value FROM json_each(?))", (names_json,))
        return frozenset(name for (name,) in rows)

    def delete_pictures(self, before_wall_us: int | None = None) -> int:
        """Deletes every picture, or those taken before a moment; returns how many. No chain breaks by it.

        Of the others the oldest above MOST_PICTURE_BYTES go, too.
        """
        with self.changing() as db:
            done = db.execute(
                "DELETE FROM pictures WHERE ? IS NULL OR taken_wall_us < ?", (before_wall_us, before_wall_us)
            )
            self._trim_pictures(db)
            return done.rowcount

    def setting(self, name: str, default: str) -> str:
        """The text of a setting, or `default` if nobody has set it."""
        rows = self.select("SELECT value FROM settings WHERE name = ?", (name,))
        return rows[0][0] if rows else default

    def set_setting(self, name: str, value: str) -> None:
        """Changes a setting."""
        with self.changing() as db:
            insert_setting(db, name, value)

    def instant(self) -> Instant | None:
        """The newest moment that the journal knows, for the clock to go on from."""
        rows = self.select("SELECT boot_id, monotonic_us, wall_us, offset_us FROM instant")
        return Instant(*rows[0]) if rows else None


def insert_setting(db: sqlite3.Connection, name: str, value: str) -> None:
    """Changes a setting, as a part of a transaction."""
    db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


def _require_session(db: sqlite3.Connection, session_id: str) -> None:
    if not db.execute("SELECT 1 FROM sessions WHERE id = ?", (session_id,)).fetchone():
        raise NotFound(_(GONE))


def _add_reason(db: sqlite3.Connection, session_id: str, seq: int, reason: Reason) -> None:
    db.execute("INSERT INTO reasons VALUES (?, ?, ?, ?)", (session_id, seq, reason.salt, reason.text))


def _keep_instant(db: sqlite3.Connection, instant: Instant) -> None:
    db.execute(
        "INSERT OR REPLACE INTO instant VALUES (1, ?, ?, ?, ?)",
        (instant.boot_id, instant.monotonic_us, instant.wall_us, instant.offset_us),
    )
