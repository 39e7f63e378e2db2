"""Where the questions of the house are kept while it runs: in memory alone, a restart asks anew by looking anew."""

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
    """Safe from several threads. Every page needs them, so nobody waits here for a disk or for a game that thinks."""

    def __init__(self, clock: Clock, live: Live) -> None:
        self._clock = clock
        self._live = live
        self._lock = threading.Lock()  # of a moment, in `change`
        self._now = Questions()

    def __len__(self) -> int:
        return len(self._now.waiting)

    @property
    def now(self) -> Questions:
        """As they are at this moment."""
        return self._now

    def change(self, step: Callable[[Questions], Questions]) -> tuple[Questions, Questions]:
        """Makes of them what `step` says; how they were, and how they are then.

        `step` is worked out again where another change came first, so it may do nothing but answer.
        """
        while True:
            before = self._now
            after = replace(step(before))  # never the same value twice: who worked with that one sees the change
            with self._lock:
                if self._now is before:
                    self._now = after
                    return before, after

    def of(self, session_id: str) -> tuple[Proposal, ...]:
        """What waits for a tap in a game, in the reader's language."""
        return tuple(
            replace(
                question,
                note=retold(question.note),
                instead=tuple((retold(label), event) for label, event in question.instead),
            )
            for question in self._now.of(session_id)
        )

    def one(self, question_id: str) -> Proposal:
        """One of them; raises NotFound when it was answered already."""
        if found := self._now.find(question_id):
            return found
        raise NotFound(_("This question was answered already: look at the roll."))

    def take_due(self) -> tuple[Proposal, ...]:
        """Those that count by themselves now, as nobody has answered them in their time; each is told once."""
        now_us = self._clock.now_us()
        before, _after = self.change(lambda questions: questions.counting(now_us))
        return before.due(now_us)

    def stirred(self) -> None:
        """The table may not lie any more as the camera above it saw it last: no question about that counts by itself,
        until it is seen anew. What was seen when an event asked stays as it was."""
        self.wait_for_a_tap(lambda asked: asked.kind not in OF_FRONT)

    def wait_for_a_tap(self, concerned: Callable[[Proposal], bool]) -> None:
        """These questions count by themselves no more."""

        def is_patient(asked: Proposal) -> bool:
            return asked.counts_us is not None and concerned(asked)

        before, _after = self.change(lambda questions: questions.waiting_for_a_tap(is_patient))
        for session in {each.session for each in before.waiting if is_patient(each)}:
            self._live.publish(f"session:{session}")
