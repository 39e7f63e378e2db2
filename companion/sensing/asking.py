"""Making an event or a question of the meaning of a look: its pictures are kept, and the learner is told."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.clock import Clock
from companion.game.game import Event
from companion.game.readings import KINDS, Kind, Settled
from companion.game.seeing import Proposed
from companion.journal.calendar import date_us
from companion.journal.events import Origin
from companion.journal.settings import ACCEPT, ACCEPT_DICE, Setting
from companion.journal.store import Journal
from companion.logs import only_logged
from companion.sensing.feedback import Learner
from companion.sensing.meaning import reconsidered
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.proposals import Proposal, proposal_of, reading_json
from companion.sensing.questions import Questions
from companion.table.receipts import Receipt
from companion.table.table import Table


def accepting(kind: Kind) -> Setting[bool]:
    """Whether the house accepts readings of a kind without a tap."""
    return ACCEPT_DICE if kind is Kind.DICE else ACCEPT.for_key(kind)


@dataclass(frozen=True)
class ShownBy:
    """Who sent a photo to be read.

    origin  of the entry that the photo becomes
    allow   raises NotAllowed when this sender may not enter an event
    """

    origin: Origin
    allow: Callable[[Event], None]


class Asking:
    """Enters and asks what looks mean. Thread-safe.

    turn    lock of whoever keeps or forgets pictures, held while the disk is written; taken before a table's lock
    """

    def __init__(self, journal: Journal, clock: Clock, questions: OpenQuestions, learner: Learner) -> None:
        self.turn = threading.RLock()
        self._journal = journal
        self._clock = clock
        self._questions = questions
        self._learner = learner

    def accepts(self, kind: Kind) -> bool:
        """Whether a reading the camera is sure of becomes an event by itself: dice do unless the house says no."""
        return accepting(kind).of(self._journal)

    def set_accepts(self, kind: Kind, wanted: bool) -> None:
        """Sets whether readings of a kind are accepted; questions that were sent away may come again."""
        self._questions.change(lambda questions: questions.with_nothing_declined())
        accepting(kind).put(self._journal, wanted)
        if not wanted:
            self._questions.wait_for_a_tap(lambda asked: asked.kind is kind)

    def keep(self, table: Table, settled: Settled, *, crops: bool = True) -> tuple[str, ...]:
        """Stores the pictures of a look; returns the hash of the frame, then of each crop."""
        jpegs = (settled.frame_jpeg, *(settled.crops_jpeg if crops else ()))
        return self._journal.add_pictures(jpegs, date_us(self._journal), table.session.id)

    def enter(
        self,
        table: Table,
        proposed: Proposed[Event],
        settled: Settled,
        pictures: tuple[str, ...],
        seq: int,
        shown_by: ShownBy | None = None,
    ) -> Receipt:
        """Enters the event that a look means; raises as `Table.submit` does.

        pictures, seq   as in `ask`
        shown_by        who took the photo, None for a camera's look
        """
        look = self._questions.now.pending
        origin = shown_by.origin if shown_by else Origin(source="camera")
        read = reading_json(settled.reading, pictures[0])
        receipt = table.submit(proposed.event, replace(origin, seen_seq=seq), read)
        self._questions.change(lambda questions: questions.without_pending(look))
        with only_logged("learning"):
            self._learner.enter(table, receipt.seq, proposed.paths, settled)
        return receipt

    def ask(
        self,
        table: Table,
        proposed: Proposed[Event],
        settled: Settled,
        pictures: tuple[str, ...],
        seq: int,
        put: Callable[[Questions, Proposal], Questions],
        *,
        asked_by: int | None = None,
    ) -> Proposal | None:
        """Asks about what a look means, unless that has changed meanwhile; returns the question that now waits.

        pictures        as `keep` returns them
        seq, asked_by   as in `Proposal`
        put             adds the question to the others, or not if it is out of date
        """
        question = self._question(table, proposed, settled, pictures, seq, asked_by)

        # the game may have gone on meanwhile
        _before, after = self._questions.change(lambda questions: reconsidered(put(questions, question), table))
        if asked := after.same_as(question):
            self._learner.ask(asked.id, table, proposed.paths, settled)
        return asked

    def _question(
        self,
        table: Table,
        proposed: Proposed[Event],
        settled: Settled,
        pictures: tuple[str, ...],
        seq: int,
        asked_by: int | None,
    ) -> Proposal:
        session_id, (frame, *crops), now_us = table.session.id, pictures, self._clock.now_us()
        may_count = settled.surely_new and self.accepts(KINDS[type(settled.reading)])
        has_counted = asked_by is not None and (session_id, asked_by) in self._questions.now.counted
        if has_counted or not may_count:
            proposed = replace(proposed, patience_s=0)
        made = proposal_of(session_id, proposed, settled, tuple(crops), frame, now_us, seq, asked_by)
        return replace(made, before=self._picture_before(table, settled) if proposed.of_before else None)

    def _picture_before(self, table: Table, settled: Settled) -> str | None:
        """The hash of the last look's picture if it was of this kind and can be stored, else None."""
        last = self._questions.now.last_look
        if last is None or (last.session, last.kind) != (table.session.id, KINDS[type(settled.reading)]):
            return None
        with only_logged("the picture before is not kept"):  # the question is worth more than its picture
            return self._journal.add_pictures((last.frame_jpeg,), date_us(self._journal), table.session.id)[0]
        return None
