"""Judges from the journal's file and the service's answers whether anything was lost or happened twice."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from companion.errors import CompanionError
from companion.journal.codec import state_to_json
from companion.journal.export import read_game_file, replayed, steps_of
from companion.journal.record import Row, broken_link
from tests.torture.house import House
from tests.torture.load import Ledger

SOURCES = {source: f'"source":"{source}"' for source in ("tablet", "camera", "button", "clock")}
LIMITS = {"camera": "thrown", "button": "pressed"}
TRIES = 20  # to get export and state of the same entry while clocks add entries


def judge_file(journal: Path, ledger: Ledger) -> Counter[str]:
    """Compares the journal with the ledger; returns the counts of what is "lost", "twice" and "broken".

    broken  the file is damaged, or a hash chain does not hold
    lost    an acknowledged entry, a session or an entry seen earlier is missing, or is in another place
    twice   an event id is in two entries, a refused event is there, or there are more entries than throws or presses
    """
    found: Counter[str] = Counter()
    with ledger.lock:  # copied before the journal is read, which may then have more but never less
        acknowledged, seen, sessions = dict(ledger.acknowledged), dict(ledger.seen), list(ledger.sessions)
    with copied(journal) as copy, contextlib.closing(sqlite3.connect(copy)) as db:
        (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
        (begun,) = db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'entries'").fetchone()
        if not begun:  # killed before it had made its tables, so nothing may have been acknowledged
            db.execute("CREATE TABLE sessions (id, header)")
            db.execute("CREATE TABLE entries (session, seq, id, content, hash)")
        headers = dict(db.execute("SELECT id, header FROM sessions"))
        rows: dict[str, list[Row]] = {session: [] for session in headers}
        for session, *row in db.execute("SELECT session, seq, id, content, hash FROM entries ORDER BY session, seq"):
            rows[session].append(Row(*row))
    if verdict != "ok":
        ledger.report(f"broken: {verdict}")
        found["broken"] += 1
    for session, entries in rows.items():
        at = broken_link(headers[session], tuple(entries))
        if at is not None:
            ledger.report(f"broken: the chain of {session} at {at}")
            found["broken"] += 1
    place = {row.id: (session, row.seq) for session, entries in rows.items() for row in entries}
    doubled = Counter(row.id for entries in rows.values() for row in entries if not row.id.startswith("due-"))
    hashes = {(session, row.seq): row.hash for session, entries in rows.items() for row in entries}
    missing = [event_id for event_id, where in acknowledged.items() if place.get(event_id) != where]
    missing += [session for session in sessions if session not in headers]
    missing += [f"{where}" for where, known in seen.items() if hashes.get(where) != known]
    sources = Counter(
        word for entries in rows.values() for row in entries for word, text in SOURCES.items() if text in row.content
    )
    with ledger.lock:
        twice = [event_id for event_id, count in doubled.items() if count > 1]
        twice += [event_id for event_id in ledger.refused & place.keys() if event_id not in ledger.acknowledged]
        twice += [word for word, limit in LIMITS.items() if sources[word] > ledger.counts[limit]]
        ledger.wrong.extend(f"lost: {what}" for what in missing)
        ledger.wrong.extend(f"twice: {what}" for what in twice)
        ledger.seen = hashes  # to compare with at the next kill
        ledger.counts.update({f"by {word}": number - ledger.counts[f"by {word}"] for word, number in sources.items()})
    found.update(lost=len(missing), twice=len(twice))
    return found


def judge_states(house: House, sessions: list[str], ledger: Ledger) -> int:
    """The number of sessions whose state in the API differs from the fold of their export."""
    return sum(not same_state(house, session, ledger) for session in sessions)


def same_state(house: House, session: str, ledger: Ledger) -> bool:
    """Whether the API's state is the fold of the exported game, both at the same entry."""
    for _ in range(TRIES):
        status, info = house.call(f"/api/sessions/{session}")
        _, text = house.text(f"/api/sessions/{session}/export")
        if status != 200:
            ledger.report(f"lost: {session} cannot be opened: {info}")
            return False
        if len(text.splitlines()) - 2 == info["seq"]:
            break
    try:
        game_file = read_game_file(text)
        folded = state_to_json(replayed(game_file, steps_of(game_file)))
    except CompanionError as why:
        ledger.report(f"broken: the export of {session}: {why}")
        return False
    same = folded == info["state"] and game_file.broken_at is None
    if not same:
        ledger.report(f"broken: the state of {session} is not the fold of its {info['seq']} entries")
    return same


@contextlib.contextmanager
def copied(journal: Path) -> Iterator[Path]:
    """A copy of the journal's files: SQLite would recover the originals on opening, which is the service's task."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / journal.name
        for part in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{journal}{part}", f"{copy}{part}")
        yield copy
