"""The rows of one game in a journal, or in a copy of one that may be older: deleting them all."""

import sqlite3

from companion.house.erasure import tables
from companion.journal.devices import Role
from companion.journal.settings import AHEAD_US, CODE, DELETED, HOLDER, KEPT_MARK, MAKER, REFEREE

HERE, EVERYWHERE = "here", "all"  # how far a deletion has come

# What only this game has: a player of it may also sit in another one that somebody has made up and imported.
ITS_PLAYERS = """
    SELECT value FROM json_each((SELECT header FROM sessions WHERE id = ?1), '$.players')
    EXCEPT SELECT value FROM sessions, json_each(header, '$.players') WHERE sessions.id <> ?1
"""
NAMED = "SELECT json_extract(content, '$.reading.picture') AS picture FROM entries WHERE session {} ?1"
# Of each table: the rows that belong to a game. Those that others refer to come last.
ROWS = {
    "reasons": "session = ?1",
    "evidence": "session = ?1",
    "senders": "session = ?1",
    "outcomes": "session = ?1",
    "entries": "session = ?1",
    "tickets": "session = ?1",
    "seats": f"player IN ({ITS_PLAYERS})",
    "players": f"id IN ({ITS_PLAYERS})",
    "taken_in": "session = ?1",
    "sessions": "id = ?1",
}


def delete_game(db: sqlite3.Connection, session: str) -> None:
    """Deletes a game with its pictures, names, tickets and settings; what it had is then known to be deleted.

    Nothing happens where there is no such game. The caller has begun a transaction. Tables that an older copy lacks
    are skipped.
    """
    if not db.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone():
        return
    here = tables(db)
    delete_pictures(db, session, here)
    names = [KEPT_MARK.for_key(player).name for (player,) in db.execute(ITS_PLAYERS, (session,))]
    names += [setting.for_key(session).name for setting in (AHEAD_US, MAKER, REFEREE)]
    names += [CODE.for_key(f"{role}:{session}").name for role in Role]
    db.executemany("DELETE FROM settings WHERE name = ?", [(name,) for name in names])
    db.execute("DELETE FROM settings WHERE name = ? AND value = ?", (HOLDER.name, session))
    for table, which in ROWS.items():
        if table in here:
            db.execute(f"DELETE FROM {table} WHERE {which}", (session,))
    DELETED.for_key(session).insert(db, HERE)


def delete_pictures(db: sqlite3.Connection, session: str, here: set[str]) -> None:
    """Deletes the pictures that were taken in this game and in no other."""
    own, others = [NAMED.format("=")], [NAMED.format("<>")]
    for table in ("taken_in", "evidence"):
        if table in here:
            own.append(f"SELECT picture FROM {table} WHERE session = ?1")
            others.append(f"SELECT picture FROM {table} WHERE session <> ?1")
    found = db.execute(f"{' UNION '.join(own)} EXCEPT SELECT * FROM ({' UNION '.join(others)})", (session,)).fetchall()
    for (picture,) in found:
        for table in ("taken_in", "clips"):  # a copy's connection does not follow references
            if table in here:
                db.execute(f"DELETE FROM {table} WHERE picture = ?", (picture,))
        db.execute("DELETE FROM pictures WHERE hash = ?", (picture,))
