"""The open questions of the house. Kept in memory only: after a restart the cameras look and ask again."""

import threading
from collections.abc import Callable
from dataclasses import replace

from companion.changes import Live
from companion.clock import Clock
from companion.errors import NotFound
from companion.game.readings import OF_FRONT
from companion.sensing.proposals import Proposal
from companion.sensing.questions import Questions
from companion.words import _, retold


class OpenQuestions:
    """Holds the current `Questions`. Thread-safe, and never waits for a disk or a game: every page needs it."""

    def __init__(self, clock: Clock, live: Live) -> None:
        self._clock = clock
        self._live = live
        self._lock = threading.Lock()
        self._now = Questions()

    def __len__(self) -> int:
        return len(self._now.waiting)

    @property
    def now(self) -> Questions:
        return self._now

    def change(self, step: Callable[[Questions], Questions]) -> tuple[Questions, Questions]:
        """Replaces the questions by `step` of them; returns them before and after.

        `step` is called again if another change came first, so it must be pure.
        """
        while True:
            before = self._now
            after = replace(step(before))  # By a new object a concurrent `change` notices.
            with self._lock:
                if self._now is before:
                    self._now = after
                    return before, after

    def of(self, session_id: str) -> tuple[Proposal, ...]:
        """The questions of a game, in the reader's language."""
        return tuple(
            replace(
                question,
                note=retold(question.note),
                instead=tuple((retold(label), event) for label, event in question.instead),
            )
            for question in self._now.of(session_id)
        )

    def find(self, question_id: str) -> Proposal:
        """One question; raises NotFound when it was answered already."""
        if question := self._now.find(question_id):
            return question
        raise NotFound(_("This question was already answered. Look at the roll."))

    def take_due(self) -> tuple[Proposal, ...]:
        """The questions that count by themselves now, since nobody has answered in time; each is returned once."""
        now_us = self._clock.now_us()
        before, _after = self.change(lambda questions: questions.counting(now_us))
        return before.due(now_us)

    def wait_after_move(self) -> None:
        """Stops questions of the camera above from counting by themselves: something has moved on the table since."""
        self.wait_for_a_tap(lambda question: question.kind not in OF_FRONT)

    def wait_for_a_tap(self, concerned: Callable[[Proposal], bool]) -> None:
        """Stops these questions from counting by themselves."""

        def is_patient(question: Proposal) -> bool:
            return question.counts_us is not None and concerned(question)

        before, _after = self.change(lambda questions: questions.waiting_for_a_tap(is_patient))
        for session in {question.session for question in before.waiting if is_patient(question)}:
            self._live.publish(f"session:{session}")
