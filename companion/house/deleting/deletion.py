"""Deleting a game: first in the journal, by one transaction; then in all that could put it back.

The journal remembers that the game is deleted before anything else changes. A kill in between leaves copies that still
have it; no start takes it from there, and the next one finishes the deletion.
"""

from companion.house.deleting.rows import EVERYWHERE, HERE, delete_game
from companion.house.erasure import change_copies
from companion.journal.mending import DELETED as DELETED_NAME
from companion.journal.settings import DELETED
from companion.journal.store import Journal
from companion.letters.outbox import Outbox
from companion.sensing.feedback import Learner


class Deletion:
    """Deletes games of one house."""

    def __init__(self, journal: Journal, learner: Learner) -> None:
        self._journal = journal
        self._learner = learner

    def delete(self, session_id: str) -> tuple[str, ...]:
        """Deletes a game here, in the copies beside the journal and in the tails; returns the names of files that could
        not be changed.
        """
        with self._journal.copying:  # else it would stay in a copy that is being made
            with self._journal.changing() as db:
                delete_game(db, session_id)
            self._journal.settle()
            return self._finish(session_id)

    def finish(self) -> tuple[str, ...]:
        """Finishes every deletion that was broken off; returns the names of files that could not be changed."""
        begun = self._journal.select(
            "SELECT name FROM settings WHERE name GLOB ? AND value = ?", (f"{DELETED_NAME}:*", HERE)
        )
        with self._journal.copying:
            left = [self._finish(name.removeprefix(f"{DELETED_NAME}:")) for (name,) in begun]
        return tuple(sorted({name for names in left for name in names}))

    def _finish(self, session_id: str) -> tuple[str, ...]:
        self._learner.forget_games([session_id])
        Outbox(self._journal).forget_deleted()
        tails = self._journal.tail.forget_game(session_id)
        copies = change_copies(self._journal.path, lambda db: delete_game(db, session_id))
        if not (tails or copies):
            DELETED.for_key(session_id).put(self._journal, EVERYWHERE)
        return *copies, *tails
