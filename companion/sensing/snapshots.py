"""Snapshots: looks that an event (a shout) asked for. Each is asked about in turn, whatever is seen later."""

from collections.abc import Callable
from dataclasses import replace

from companion.changes import Live
from companion.game.events import wants_glance
from companion.game.game import Event
from companion.game.readings import Settled
from companion.game.seeing import Proposed
from companion.journal.events import Posted
from companion.sensing.asking import Asking, ShownBy
from companion.sensing.meaning import in_game_time, meaning_of, meaning_when_asked
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.proposals import Proposal
from companion.sensing.questions import Questions, Snapshot
from companion.sensing.remarks import Remarks
from companion.table.table import Table


class Snapshots:
    """Takes snapshots and asks about them. Thread-safe.

    count   number of snapshots so far
    """

    def __init__(self, asking: Asking, questions: OpenQuestions, remarks: Remarks, live: Live) -> None:
        self.count = 0
        self._asking = asking
        self._questions = questions
        self._remarks = remarks
        self._live = live

    def take(self, table: Table, asked_by: int, settled: Settled) -> None:
        """Keeps the look that entry `asked_by` asked for, to be asked about while it means something to the game.

        An undo may make it ask again; no later look replaces it.
        """
        self._keep(table, Snapshot(table.session.id, asked_by, in_game_time(table, settled)), Questions.with_snapshot)

    def take_by_hand(self, table: Table, settled: Settled, shown_by: ShownBy) -> Proposal | None:
        """Asks about a photo that somebody took of what waits for a verdict; None if nothing in it does.

        It stands for the moment that is to be judged. It replaces an earlier photo of it, and waits for a tap: things
        may have moved since. Raises NotAllowed, before anything has changed, when that sender may not enter the
        verdict.
        """
        for entry in table.entries:
            if not isinstance(entry.body, Posted) or not wants_glance(event := entry.body.event):
                continue
            moment = replace(in_game_time(table, settled), rested_us=event.at_us)
            meaning = meaning_when_asked(table, entry.seq, moment.reading, moment.rested_us)
            if meaning is None or not meaning.instead:  # A later photo can only show what a verdict is about.
                continue
            shown_by.allow(meaning.event)
            self._keep(table, Snapshot(table.session.id, entry.seq, moment), Questions.with_better_snapshot)
            self._questions.wait_for_a_tap(lambda question: question.session == table.session.id)
            return next(
                (question for question in self._questions.now.of(table.session.id) if question.asked_by is not None),
                None,
            )
        return None

    def _keep(self, table: Table, snapshot: Snapshot, add: Callable[[Questions, Snapshot], Questions]) -> None:
        """Keeps a snapshot, which `added` adds to the questions, and asks about the next one."""
        session_id = snapshot.session
        with self._asking.turn:  # Whoever forgets pictures finds this one in the journal and here, or nowhere.
            self._remarks.attempt(
                session_id,
                lambda: table.history.keep_evidence(snapshot.asked_by, snapshot.settled.frame_jpeg),
                "camera",
            )
            self.count += 1
            self._questions.change(lambda questions: add(questions, snapshot))
        self.ask_next(table)
        self._live.publish(f"session:{session_id}")

    def ask_next(self, table: Table) -> None:
        """Asks about the next snapshot, one at a time: the second shout comes after the first."""
        if self._next(table):
            with self._asking.turn:
                self._remarks.attempt(table.session.id, lambda: self._ask_next(table), "camera")

    def _ask_next(self, table: Table) -> None:
        seq, next_ = table.seq, self._next(table)
        if next_ is None:
            return  # Another thread asked, or pictures were forgotten, meanwhile.
        meaning, snapshot = next_
        self._asking.ask(
            table,
            replace(meaning, confirm=True),
            snapshot.settled,
            self._asking.keep(table, snapshot.settled),
            seq,
            # It may have been sent away, or its picture forgotten, meanwhile.
            lambda now, question: now.asking(question) if snapshot in now.snapshots else now,
            asked_by=snapshot.asked_by,
        )

    def _next(self, table: Table) -> tuple[Proposed[Event], Snapshot] | None:
        """The next snapshot to ask about, and its meaning; None while a snapshot is asked about."""
        session_id, questions = table.session.id, self._questions.now
        if any(question.asked_by is not None for question in questions.of(session_id)):
            return None
        for snapshot in questions.snapshots:
            if snapshot.session == session_id and (meaning := meaning_of(table, snapshot)):
                return meaning, snapshot
        return None
