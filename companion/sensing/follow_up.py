"""Updating the questions of a game after a new entry, or after a question was sent away."""

from dataclasses import dataclass

from companion.changes import Live
from companion.game.events import DRAWN, wants_glance
from companion.journal.events import Entry, Posted
from companion.logs import only_logged
from companion.sensing.answers import answer_in
from companion.sensing.looks import Looks
from companion.sensing.meaning import answers_snapshot, reconsider
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.remarks import Remarks
from companion.sensing.snapshots import Snapshots
from companion.table.table import Table

BY_HAND = ("tablet", "button", DRAWN)


@dataclass
class FollowUp:
    """Updates questions, snapshots and remarks after each entry. Thread-safe."""

    questions: OpenQuestions
    looks: Looks
    snapshots: Snapshots
    remarks: Remarks
    live: Live

    def hear(self, table: Table, entry: Entry | None) -> None:
        """Closes the question that a new entry answers, and reconsiders the others.

        entry   None when nothing is new, but the game becomes the active one: its newest entry is used
        """
        before, answer = self.questions.now, entry and answer_in(entry)
        question = before.find(answer.question) if answer else None
        look = before.pending if question and question.asked_by is None else None
        if look is not None:  # It comes first, so that the answer does not ask about it again.
            self.questions.change(lambda questions: questions.without_pending(look))
        with only_logged("asking on"):
            self._go_on(table, entry or table.newest)
        with only_logged("what follows an answer"):
            if question is not None:
                self.dismiss(table, question.id)
            if look is not None and question is not None and question.goes_on:
                self.questions.change(lambda questions: questions.with_pending(look))
                self._look_again(table, entry)

    def _go_on(self, table: Table, newest: Entry | None) -> None:
        """Drops the remark and outdated questions, and asks about the newest look and the next snapshot.

        After an entry by hand, other than a shout, no question counts by itself: somebody is there to answer.

        newest  the game's newest entry, None before the first
        """
        session_id = table.session.id
        self.remarks.forget(session_id)
        self.questions.change(lambda questions: reconsider(questions.with_nothing_declined(session_id), table))
        self._look_again(table, newest)
        self.snapshots.ask_next(table)
        if newest is not None and newest.source in BY_HAND and not is_shout(newest):
            self.questions.wait_for_a_tap(lambda question: question.session == session_id)

    def dismiss(self, table: Table, question_id: str) -> None:
        """Sends a question away, also if the camera sees the same again."""
        question = self.questions.now.find(question_id)
        if question is None or question.session != table.session.id:
            return
        self.questions.change(
            lambda questions: questions.sent_away(
                question.id, lambda snapshot: answers_snapshot(table, question, snapshot)
            )
        )
        self.snapshots.ask_next(table)
        self.live.publish(f"session:{question.session}")

    def _look_again(self, table: Table, newest: Entry | None) -> None:
        """Asks about the newest look again after a new event by hand, but not after an undo or a correction."""
        if newest is not None and isinstance(newest.body, Posted) and newest.source in BY_HAND:
            self.looks.look_again(table)


def is_shout(entry: Entry) -> bool:
    """Whether an entry's event makes the camera look at once."""
    return isinstance(entry.body, Posted) and wants_glance(entry.body.event)
