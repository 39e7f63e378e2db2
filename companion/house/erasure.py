"""Deleting everything of a person: in the journal, and in the copies that stand beside it."""

import contextlib
import json
import logging
import re
import sqlite3
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from companion.game.players import PlayerId
from companion.journal.devices import is_own_label
from companion.journal.files import COPIES, other_journals
from companion.journal.session import alike
from companion.journal.settings import ENTRANTS

NAMES_PLAYED = "SELECT name FROM players"
NAMES = f"{NAMES_PLAYED} UNION SELECT name FROM profiles"  # everybody's, also of those who are nobody of the house

log = logging.getLogger(__name__)


def erase(db: sqlite3.Connection, profile: str, name: str, players: tuple[PlayerId, ...]) -> None:
    """Deletes profile, names, tickets for their seats, whose device sent what, and the pictures of their games.

    No entry changes. A ticket that only names them lives on under the name of its role.

    The caller has begun a transaction. Tables that an older copy does not have yet are passed over.
    """
    here = tables(db)
    names = [one for (one,) in db.execute(NAMES if "profiles" in here else NAMES_PLAYED)]
    for picture in pictures_of_games(db, players):
        if "taken_in" in here:
            db.execute("DELETE FROM taken_in WHERE picture = ?", (picture,))
        db.execute("DELETE FROM pictures WHERE hash = ?", (picture,))
    for player in players:
        db.execute("DELETE FROM players WHERE id = ?", (player,))
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
    if "profiles" in here:
        db.execute("DELETE FROM seats WHERE profile = ?", (profile,))
        db.execute("DELETE FROM profiles WHERE id = ?", (profile,))
    for (names,) in db.execute("SELECT value FROM settings WHERE name = ?", (ENTRANTS.name,)).fetchall():
        left = [one for one in names.splitlines() if alike(one) != alike(name)]
        db.execute("UPDATE settings SET value = ? WHERE name = ?", ("\n".join(left), ENTRANTS.name))


def is_named(name: str, label: str, names: Iterable[str] = ()) -> bool:
    """Whether the label of a device names a person: the name as a whole word, in whatever case, or its genitive.

    "ANN's phone" and "Anns Handy" name Ann; "Table" does not name Al, and what the house calls a device names nobody.

    names       everybody's: where Andreas plays here too, "Andreas Handy" is his and not Andrea's
    """
    if is_own_label(label):
        return False
    left, wanted = folded(label), folded(name)
    for other in sorted(map(folded, names), key=len, reverse=True):
        if len(other) > len(wanted):
            left = word(other).sub(" ", left)
    return word(wanted).search(left) is not None


def word(name: str) -> re.Pattern[str]:
    """A folded name as a whole word or its genitive; "andreas'" is the genitive of Andreas alone."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?:s(?!['’]))?(?!\w)")


def folded(text: str) -> str:
    """A text without case, and with one way to write each accented letter."""
    return unicodedata.normalize("NFKC", text.casefold())


def seats_in_copies(journal: Path, profile: str) -> frozenset[PlayerId]:
    """The players that a person was in games of which only copies know: a restored journal has fewer than the old."""
    found: set[PlayerId] = set()
    for path in other_journals(journal):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            found.update(player for (player,) in db.execute("SELECT player FROM seats WHERE profile = ?", (profile,)))
    return frozenset(found)


def tables(db: sqlite3.Connection) -> set[str]:
    """The tables that a journal has; an older one has fewer."""
    return {table for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def pictures_of_games(db: sqlite3.Connection, players: tuple[PlayerId, ...]) -> set[str]:
    """Hashes of the pictures that were taken in games of these players: a hand may be in any of them.

    A picture of which no game is known may be of theirs, too: of a question, from before that was written down.
    """
    wanted = set(players)
    sessions = db.execute("SELECT id, header FROM sessions")
    games = {game for game, header in sessions if wanted & set(json.loads(header)["players"])}
    if not games:
        return set()
    named = "json_extract(content, '$.reading.picture')"
    taken = db.execute(f"SELECT {named}, session FROM entries WHERE {named} IS NOT NULL").fetchall()
    if "taken_in" in tables(db):
        taken += db.execute("SELECT picture, session FROM taken_in")
    unknown = {picture for (picture,) in db.execute("SELECT hash FROM pictures")} - {picture for picture, _ in taken}
    return unknown | {picture for picture, game in taken if game in games}


def erase_in_copies(journal: Path, profile: str, name: str, players: tuple[PlayerId, ...]) -> tuple[str, ...]:
    """The same in the daily copies and in journals that a restore put aside; the names of those that refuse.

    The caller sees to it that no copy is being made.
    """
    refused = []
    for part in (journal.parent / COPIES).glob("journal-*.sqlite3.part*"):  # a kill has left it
        try:
            part.unlink()
        except OSError as error:
            log.warning("%s still holds what was to be deleted: %s", part, error)
            refused.append(part.name)
    for path in other_journals(journal):
        try:
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
                db.execute("PRAGMA secure_delete=ON")
                db.execute("BEGIN IMMEDIATE")
                erase(db, profile, name, players)
                db.execute("COMMIT")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            log.warning("%s still holds what was to be deleted: %s", path, error)
            refused.append(path.name)
    return tuple(refused)
