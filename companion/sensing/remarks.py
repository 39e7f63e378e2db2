"""Remarks: one sentence for the players on what camera, box or clock brought that became no event."""

import threading
from collections.abc import Callable
from dataclasses import replace

from companion.changes import Live
from companion.errors import CompanionError
from companion.game.seeing import Remark
from companion.words import retold


class Remarks:
    """The newest remark of each game, in memory only. Thread-safe."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._lock = threading.Lock()
        self._remarks: dict[str, Remark] = {}  # session → remark

    def attempt(self, session_id: str, act: Callable[[], object], source: str) -> bool:
        """Calls `act`, which no person waits for; returns whether it succeeded. A refusal becomes the game's remark.

        source  one of SOURCES
        """
        try:
            act()
        except CompanionError as why:
            self.put(session_id, Remark(why.sentence, source))
            self._live.publish(f"session:{session_id}")
            return False
        return True

    def put(self, session_id: str, remark: Remark) -> None:
        """Replaces the game's remark. The caller tells the tablets."""
        with self._lock:
            self._remarks[session_id] = remark

    def forget(self, session_id: str) -> None:
        with self._lock:
            self._remarks.pop(session_id, None)

    def of(self, session_id: str) -> Remark | None:
        """The game's remark in the reader's language, or None."""
        with self._lock:
            remark = self._remarks.get(session_id)
        return remark and replace(remark, text=retold(remark.text))
