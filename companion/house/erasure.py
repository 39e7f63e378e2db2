"""Deleting everything about a person: in the journal, and in the copies beside it."""

import contextlib
import logging
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

from companion.foreign import read_json
from companion.game.players import PlayerId
from companion.journal.devices import is_own_label
from companion.journal.files import COPIES, other_journals, sync_folder
from companion.journal.settings import ENTRANTS, FACE, FACE_PHOTO, KEPT_MARK
from companion.names import alike

NAMES_PLAYED = "SELECT name FROM players"
NAMES = f"{NAMES_PLAYED} UNION SELECT name FROM profiles"
"""The names of all who played, and of the people of the house."""

log = logging.getLogger(__name__)


def erase(db: sqlite3.Connection, profile: str, name: str, players: tuple[PlayerId, ...]) -> None:
    """Deletes a person's profile, face, names, tickets for their seats, senders, of their games the pictures and what
    was typed, which may name anybody, and what was typed with their name in other games: they may have stood in there.

    No entry changes. A ticket that only has their name in its label stays, labelled with its role.

    The caller has begun a transaction. Tables that an older copy lacks are skipped.
    """
    here = tables(db)
    names = [name_ for (name_,) in db.execute(NAMES if "profiles" in here else NAMES_PLAYED)]
    for picture in pictures_of_games(db, players):
        if "taken_in" in here:
            db.execute("DELETE FROM taken_in WHERE picture = ?", (picture,))
        if "clips" in here:
            db.execute("DELETE FROM clips WHERE picture = ?", (picture,))
        db.execute("DELETE FROM pictures WHERE hash = ?", (picture,))
    if "reasons" in here:
        db.executemany("DELETE FROM reasons WHERE session = ?", [(game,) for game in games_of(db, players)])
        reasons = db.execute("SELECT session, seq, text FROM reasons").fetchall()
        naming_reasons = [(session, seq) for session, seq, text in reasons if is_named(name, text, names)]
        db.executemany("DELETE FROM reasons WHERE session = ? AND seq = ?", naming_reasons)
    for player in players:
        db.execute("DELETE FROM players WHERE id = ?", (player,))
        db.execute("DELETE FROM settings WHERE name = ?", (KEPT_MARK.for_key(player).name,))
        if "tickets" in here:
            db.execute("DELETE FROM tickets WHERE player = ?", (player,))
    if "tickets" in here:
        for (label,) in db.execute("SELECT DISTINCT label FROM tickets").fetchall():
            if is_named(name, label, names):
                db.execute("UPDATE tickets SET label = role WHERE label = ?", (label,))
    if "senders" in here:
        for label, player in db.execute("SELECT DISTINCT label, player FROM senders").fetchall():
            if player in players or is_named(name, label, names):
                db.execute("DELETE FROM senders WHERE label = ? AND player IS ?", (label, player))
    erase_face(db, profile)
    if "profiles" in here:
        db.execute("DELETE FROM seats WHERE profile = ?", (profile,))
        db.execute("DELETE FROM profiles WHERE id = ?", (profile,))
    for (names,) in db.execute("SELECT value FROM settings WHERE name = ?", (ENTRANTS.name,)).fetchall():
        others = [name_ for name_ in names.splitlines() if alike(name_) != alike(name)]
        db.execute("UPDATE settings SET value = ? WHERE name = ?", ("\n".join(others), ENTRANTS.name))


def erase_face(db: sqlite3.Connection, profile: str) -> None:
    """Deletes a person's face, as a part of a transaction."""
    for setting in (FACE, FACE_PHOTO):
        db.execute("DELETE FROM settings WHERE name = ?", (setting.for_key(profile).name,))


def is_named(name: str, label: str, names: Iterable[str] = ()) -> bool:
    """Whether a device's label, or what somebody typed, contains a person's name as a whole word, in any case, or its
    genitive.

    "ANN's phone" and "Anns Handy" name Ann; "Table" does not name Al, and the house's own labels name nobody.

    names       everybody's names: if Andreas plays here too, "Andreas Handy" is his and not Andrea's
    """
    if is_own_label(label):
        return False
    text, whole_name = folded(label), folded(name)
    for other in sorted(map(folded, names), key=len, reverse=True):
        if len(other) > len(whole_name):
            text = word(other).sub(" ", text)
    return word(whole_name).search(text) is not None


def word(name: str) -> re.Pattern[str]:
    """A pattern for a folded name as a whole word or its genitive; "andreas'" is the genitive of Andreas only."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?:s(?!['’]))?(?!\w)")


def folded(text: str) -> str:
    """A text in NFKC and without case."""
    return unicodedata.normalize("NFKC", text.casefold())


def seats_in_copies(journal: Path, profile: str) -> frozenset[PlayerId]:
    """The players that a person was in any copy's games: after a restore the journal may lack some of them."""
    players: set[PlayerId] = set()
    for path in other_journals(journal):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            players.update(player for (player,) in db.execute("SELECT player FROM seats WHERE profile = ?", (profile,)))
    return frozenset(players)


def tables(db: sqlite3.Connection) -> set[str]:
    """The tables that a journal has; an older one has fewer."""
    return {table for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def games_of(db: sqlite3.Connection, players: Iterable[PlayerId]) -> frozenset[str]:
    """The sessions that any of these players sits in."""
    ids = set(players)
    sessions = db.execute("SELECT id, header FROM sessions")
    return frozenset(game for game, header in sessions if ids & set(read_json(header)["players"]))


def pictures_of_games(db: sqlite3.Connection, players: tuple[PlayerId, ...]) -> set[str]:
    """The hashes of all pictures taken in games of these players: a hand may be in any of them.

    Pictures whose game is unknown are included: older versions did not record it for questions.
    """
    games = games_of(db, players)
    if not games:
        return set()
    name = "json_extract(content, '$.reading.picture')"
    taken_in = db.execute(f"SELECT {name}, session FROM entries WHERE {name} IS NOT NULL").fetchall()
    if "taken_in" in tables(db):
        taken_in += db.execute("SELECT picture, session FROM taken_in")
    unknown = {picture for (picture,) in db.execute("SELECT hash FROM pictures")} - {picture for picture, _ in taken_in}
    return unknown | {picture for picture, game in taken_in if game in games}


def change_copies(journal: Path, delete: Callable[[sqlite3.Connection], None]) -> tuple[str, ...]:
    """Deletes something in the daily copies and in journals that a restore put aside, each in one transaction; returns
    the names of files that failed.

    The caller makes sure that no copy is being made.
    """
    refused, folder = [], journal.parent / COPIES
    for part in folder.glob("journal-*.sqlite3.part*"):  # A kill may have left one.
        try:
            part.unlink()
            sync_folder(folder)  # Otherwise a power cut could bring it back.
        except OSError as error:
            log.warning("%s still holds what was to be deleted: %s", part, error)
            refused.append(part.name)
    for path in other_journals(journal):
        try:
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("PRAGMA secure_delete=ON")
                db.execute("BEGIN IMMEDIATE")
                delete(db)
                db.execute("COMMIT")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            log.warning("%s still holds what was to be deleted: %s", path, error)
            refused.append(path.name)
    return tuple(refused)
