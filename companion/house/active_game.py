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


class ActiveGame:
    """Which game it is, and what cameras and box are told of it. Safe from several threads.

    session     of that game, None while there is none
    outside     whom it tells
    trial       of the box: while somebody tries it out, it shows what is pressed and no game
    on_active   hears of a table whose game has become the active one
    """

    def __init__(
        self,
        journal: Journal,
        tables: Tables,
        questions: OpenQuestions,
        outside: Outside,
        trial: Trial,
        on_active: Callable[[Table], None],
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
        self._go_on = on_active
        self._eyes_lock = threading.RLock()  # so that the cameras hear of the newest state last
        self._considered = ("", 0)  # session and its newest entry for which a glance was considered

    def hold(self, session_id: str) -> None:
        """This session has the table's camera and box from now on."""
        table = self._tables.open(session_id)
        with self._eyes_lock:  # of two at once the later has box and cameras, not one of them each
            HOLDER.put(self._journal, session_id)  # first: where that is refused, all stays as it was
            if self.session != session_id:
                self._let_pass(table)
                if self.outside.demo:
                    self.outside.demo.put_away()
            self.session = session_id
        self._status.clear("game")
        self._live.publish("status")
        self._go_on(table)

    def release(self) -> None:
        """No session has the table's camera and box from now on."""
        with self._eyes_lock:
            HOLDER.put(self._journal, "")  # first: where that is refused, all stays as it was
            self.session = None
        self._live.publish("status")
        self.refresh_look()

    def resume(self) -> None:
        """Opens the game that holds camera and box: its clock goes on before anybody looks, the cameras read for it.

        One that cannot be opened has them no more.
        """
        if self.session is not None:
            try:
                table = self._tables.open(self.session)
            except (NotFound, GameUnreadable) as why:
                self._status.set("game", "warn", _("No game has camera and box any more. {why}", why=why))
                self.release()
                return
            self._let_pass(table)
            self.refresh_eyes(table)

    def refresh_look(self) -> None:
        """Shows the box how the game that holds it looks at this moment; while it is tried out, what is pressed."""
        if self._trial.is_on(self._clock.now_us()):
            self.outside.show(self._trial.look(MOST_SEATS))
        elif self.session is None:
            self.outside.show(BoxLook(Phase.WAITING, ()))
        else:
            table = self._tables.open(self.session)
            look = table.game.look(table.state, table.now_us())
            self.outside.show(replace(look, phase=Phase.ASK) if self._questions.of(self.session) else look)

    def refresh_eyes(self, table: Table) -> None:
        """The cameras read what this game needs now, and look at once for each new event that wants that: of two that
        came at once neither is passed over."""
        with self._eyes_lock:
            session_id, seq = self._considered
            if session_id != table.session.id:
                return  # another game has the cameras by now
            self.outside.watch(table.game.eyes(table.state))
            fresh = table.entries_since(seq)
            self._considered = (session_id, seq + len(fresh))
            for entry in fresh:
                if isinstance(entry.body, Posted) and wants_glance(entry.body.event):
                    self.outside.glance(f"{session_id}:{entry.seq}")

    def _let_pass(self, table: Table) -> None:
        """The moment of what was entered so far has passed: no camera looks for it."""
        with self._eyes_lock:
            self._considered = (table.session.id, table.seq)
