"""What camera, box or clock last brought to a game that is no event now: one sentence for its players."""

import threading
from collections.abc import Callable
from dataclasses import replace

from companion.changes import Live
from companion.errors import CompanionError
from companion.game.seeing import Remark
from companion.words import retold


class Remarks:
    """The newest remark of each game, in memory alone. Safe from several threads."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._lock = threading.Lock()
        self._remarks: dict[str, Remark] = {}  # by session

    def attempt(self, session_id: str, act: Callable[[], object], source: str) -> bool:
        """Does something that no person waits for; whether it was done. The tablets are told why it was refused.

        source  who brought it, one of SOURCES
        """
        try:
            act()
        except CompanionError as why:
            self.put(session_id, Remark(why.sentence, source))
            self._live.publish(f"session:{session_id}")
            return False
        return True

    def put(self, session_id: str, remark: Remark) -> None:
        """Takes the place of the one before. The tablets hear of it from the caller."""
        with self._lock:
            self._remarks[session_id] = remark

    def forget(self, session_id: str) -> None:
        """A remark is about the moment, and that has passed."""
        with self._lock:
            self._remarks.pop(session_id, None)

    def of(self, session_id: str) -> Remark | None:
        """The newest one of this game, in the reader's language."""
        with self._lock:
            remark = self._remarks.get(session_id)
        return remark and replace(remark, text=retold(remark.text))
