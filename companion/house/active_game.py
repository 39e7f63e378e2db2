"""The active game: the one that has the table's cameras and its button box."""

import threading
from collections.abc import Callable
from dataclasses import replace

from companion.errors import GameUnreadable, NotFound
from companion.game.box import BoxLook, Phase
from companion.game.events import wants_glance
from companion.house.box_test import MOST_SEATS, Trial
from companion.house.outside import Outside
from companion.house.tables import Tables
from companion.journal.events import Posted
from companion.journal.settings import HOLDER
from companion.journal.store import Journal
from companion.sensing.open_questions import OpenQuestions
from companion.table.table import Table
from companion.words import _

LIVELY_US = 10_000_000  # A count to go, or a wrong shout that is shown, ends within this after an entry.


class ActiveGame:
    """Holds which game is active, and tells cameras and box about it. Thread-safe.

    session     id of the active game, None while there is none
    outside     the cameras and the box
    trial       while somebody tries the box out, it shows what is pressed instead of a game
    on_active   called with the table of a game that has become the active one
    is_asleep   whether the house sleeps
    """

    def __init__(
        self,
        journal: Journal,
        tables: Tables,
        questions: OpenQuestions,
        outside: Outside,
        trial: Trial,
        on_active: Callable[[Table], None],
        is_asleep: Callable[[], bool],
    ) -> None:
        self.session: str | None = HOLDER.of(journal) or None
        self.outside = outside
        self._journal = journal
        self._tables = tables
        self._questions = questions
        self._status = outside.status
        self._clock = outside.clock
        self._live = outside.live
        self._trial = trial
        self._on_active = on_active
        self._is_asleep = is_asleep
        self._eyes_lock = threading.RLock()  # The cameras must be told of the newest state last.
        self._considered = ("", 0)
        """The session, and its newest entry for which a glance was considered."""
        self._newest = ("", 0)
        """The session that was shown last, and its newest entry then."""
        self._lively_until_us = 0

    def hold(self, session_id: str) -> None:
        with self._eyes_lock:  # Of two calls at once the later gets both box and cameras.
            table = self._tables.open(session_id)
            HOLDER.put(self._journal, session_id)  # It comes first: if it fails, nothing has changed.
            if self.session != session_id:
                self._mark_considered(table)
                if self.outside.demo:
                    self.outside.demo.put_away()
            self.session = session_id
        self._status.clear("game")
        self._live.publish("status")
        self._on_active(table)

    def release(self) -> None:
        with self._eyes_lock:
            HOLDER.put(self._journal, "")  # It comes first: if it fails, nothing has changed.
            self.session = None
        self._live.publish("status")
        self.refresh_look()

    def let_go(self, session_id: str) -> None:
        with self._eyes_lock:
            if self.session == session_id:
                self.release()

    def resume(self) -> None:
        """Opens the active game at the start, so that its clock runs and the cameras read for it before anybody looks.

        A game that cannot be opened is active no longer.
        """
        if self.session is not None:
            try:
                table = self._tables.open(self.session)
            except (NotFound, GameUnreadable) as why:
                self._status.set("game", "warn", _("No game is using the camera and buttons now. {why}", why=why))
                self.release()
                return
            self._mark_considered(table)
            self.refresh_eyes(table)

    def is_lively(self) -> bool:
        """Whether what the box shows may change at any moment, by the clock alone."""
        session_id, now_us = self.session, self._clock.now_us()
        if self._trial.is_on(now_us):
            return True
        if session_id is None:
            return False
        table = self._tables.open(session_id)
        if self._newest != (session_id, table.seq):
            self._newest, self._lively_until_us = (session_id, table.seq), now_us + LIVELY_US
        return now_us < self._lively_until_us or table.due is not None or bool(self._questions.of(session_id))

    def refresh_look(self) -> None:
        """Shows the active game on the box, or what is pressed while somebody tries the box out."""
        session_id = self.session  # It is read once, as another thread may let the game go.
        if self._trial.is_on(self._clock.now_us()):
            self.outside.show(self._trial.look(MOST_SEATS))
        elif self._is_asleep():
            self.outside.show(BoxLook(Phase.ASLEEP, ()))
        elif session_id is None:
            self.outside.show(BoxLook(Phase.WAITING, ()))
        else:
            table = self._tables.open(session_id)
            look, question = table.look(table.now_us()), table.is_played and self._questions.of(session_id)
            self.outside.show(replace(look, phase=Phase.ASK) if question else look)

    def refresh_eyes(self, table: Table) -> None:
        """Tells the cameras what this game needs now, and to look at once for each new event that wants a glance."""
        with self._eyes_lock:
            session_id, seq = self._considered
            if session_id != table.session.id:
                return  # Another game has the cameras by now.
            self.outside.watch(table.game.sight.eyes(table.state))
            entries = table.entries_since(seq)
            self._considered = (session_id, seq + len(entries))
            for entry in entries:
                if isinstance(entry.body, Posted) and wants_glance(entry.body.event):
                    self.outside.glance(f"{session_id}:{entry.seq}")

    def _mark_considered(self, table: Table) -> None:
        """Marks the entries so far as considered, so that no camera looks for them."""
        with self._eyes_lock:
            self._considered = (table.session.id, table.seq)
