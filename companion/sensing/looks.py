"""Looks at a table that has come to rest: each becomes an event, a question or a remark."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from companion.changes import Live
from companion.errors import CompanionError
from companion.game.events import affects
from companion.game.game import Event
from companion.game.readings import KINDS, OF_FRONT, DiceReading, Kind, Settled
from companion.game.seeing import Proposed, Remark
from companion.sensing.asking import Asking, ShownBy
from companion.sensing.dice_seen import DiceSeen, dice_seen
from companion.sensing.meaning import in_game_time, meant_at_rest, reconsidered, thrown
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.proposals import Proposal
from companion.sensing.questions import LastLook, pending_look
from companion.sensing.remarks import Remarks
from companion.table.receipts import Receipt
from companion.table.table import Table
from companion.words import _


@dataclass(frozen=True)
class Taken:
    """What a look has led to: an entry, a question or a sentence; nothing of these if it means nothing new."""

    receipt: Receipt | None = None
    question: Proposal | None = None
    remark: Remark | None = None


class Looks:
    """Takes looks, one after the other, under `Asking.turn`. Thread-safe.

    taken   number of looks so far
    """

    def __init__(self, asking: Asking, questions: OpenQuestions, remarks: Remarks, live: Live) -> None:
        self.taken = 0
        self._asking = asking
        self._questions = questions
        self._remarks = remarks
        self._live = live
        self._dice_seen: DiceSeen | None = None  # in the last look that showed any

    def take(self, table: Table, settled: Settled, shown_by: ShownBy | None = None) -> Taken:
        """Takes a look at rest: it becomes an event if the camera is sure and the house wants that, else a question.

        shown_by    who took the photo, None for a camera's look

        Raises NotAllowed, before anything has changed, when that sender may not enter what the photo shows.
        """
        session_id, kind = table.session.id, KINDS[type(settled.reading)]
        seq = table.seq if shown_by is None else min(table.seq, shown_by.origin.seen_seq or 0)
        whole = in_game_time(table, settled)
        settled = thrown(table, whole)
        meant = meant_at_rest(table, settled.reading, settled.rested_us)
        if shown_by is not None and isinstance(meant, Proposed):
            shown_by.allow(meant.event)
        with self._asking.turn:
            self.taken += 1
            self._dice_seen = dice_seen(table, whole, self._dice_seen)
            if kind not in OF_FRONT:
                look = pending_look(session_id, settled, meant)
                self._questions.change(lambda questions: replace(questions, pending=look))
            if isinstance(meant, Proposed):
                taken = self._enter_or_ask(table, meant, settled, seq, shown_by)
            else:
                taken = self._ask_nothing(table, settled, meant)
            if not (isinstance(meant, Proposed) and meant.of_before):  # else a second look has the same picture before
                last = LastLook(session_id, kind, settled.frame_jpeg)
                self._questions.change(lambda questions: replace(questions, last_look=last))
        self._live.publish(f"session:{session_id}")
        return taken

    def _enter_or_ask(
        self, table: Table, proposed: Proposed[Event], settled: Settled, seq: int, shown_by: ShownBy | None
    ) -> Taken:
        """Enters an event if the camera is sure, else asks.

        seq     the game's newest entry when the look was taken
        """
        session_id, kind = table.session.id, KINDS[type(settled.reading)]
        if shown_by is None and self._questions.now.is_declined(session_id, kind, proposed.event):
            return self._ask_nothing(table, settled)
        asked = proposed.confirm or proposed.which  # if a bare yes is no answer, silence is none either
        sure = settled.reading.accepted and settled.surely_new and not asked and self._asking.accepts(kind)
        try:
            pictures = self._asking.keep(table, settled, crops=not sure)
            # dice entered since may be those that lie there, and would count a second time, for the next player; all
            # other readings are compared with the table as it is now
            entered = kind is Kind.DICE and table.entered_since(settled.rested_us, proposed.event)
            if sure and entered:
                pictures = self._asking.keep(table, settled)
        except CompanionError as why:
            return self._ask_nothing(table, settled, Remark(why.sentence))
        if sure and not entered:
            self._ask_nothing(table, settled)
            receipts: list[Receipt] = []
            self._remarks.attempt(
                session_id,
                lambda: receipts.append(self._asking.enter(table, proposed, settled, pictures, seq, shown_by)),
                "camera",
            )
            return Taken(receipts[0]) if receipts else Taken(remark=self._remarks.of(session_id))
        if not settled.surely_new or entered:
            note = proposed.note or (_("Was it rolled?") if kind is Kind.DICE else "")
            proposed = replace(proposed, confirm=True, note=note)
        self._remarks.forget(session_id)
        question = self._asking.ask(
            table, proposed, settled, pictures, seq, lambda now, question: now.looked_at(session_id, kind, question)
        )
        return Taken(question=question)

    def _ask_nothing(self, table: Table, settled: Settled, remark: Remark | None = None) -> Taken:
        """Drops the questions that this look replaces, and shows `remark` instead."""
        session_id, kind = table.session.id, KINDS[type(settled.reading)]
        self._remarks.forget(session_id)
        self._questions.change(lambda questions: reconsidered(questions.looked_at(session_id, kind, None), table))
        if remark is not None:
            self._remarks.put(session_id, remark)
        return Taken(remark=remark)

    # after an entry by hand

    def look_again(self, table: Table) -> None:
        """Asks about the newest look again after an entry by hand, which may change its meaning.

        No camera looks again while nothing moves.
        """
        if self._questions.now.pending_of(table.session.id):  # first: most entries need not wait for a disk
            with self._asking.turn:
                self._remarks.attempt(table.session.id, lambda: self._look_again(table), "camera")

    def _look_again(self, table: Table) -> None:
        seq, look = table.seq, self._questions.now.pending_of(table.session.id)
        if look is None:
            return  # another has come to rest, or was answered, meanwhile
        settled = look.settled
        meant = meant_at_rest(table, settled.reading, settled.rested_us)
        if not isinstance(meant, Proposed) or not (look.asked is None or affects(meant.event) < look.asked):
            return
        is_dice = isinstance(settled.reading, DiceReading)
        if is_dice and table.was_entered_since(settled.rested_us, meant.event):
            return  # these are the dice that somebody has typed in
        pictures = self._asking.keep(table, settled)
        note = meant.note or (_("Was it rolled?") if is_dice else "")
        self._asking.ask(
            table,
            replace(meant, confirm=True, note=note),
            settled,
            pictures,
            seq,
            # unless pictures were forgotten or somebody answered meanwhile
            lambda now, question: now.asking(question) if now.pending is look else now,
        )

    # pictures in memory

    def dice_seen(self, session_id: str) -> DiceSeen | None:
        """The dice of the last look at a game's table, or None if it showed none. Kept in memory only."""
        seen = self._dice_seen
        return seen if seen and seen.session == session_id else None

    def forget_pictures(self, sessions: Collection[str] | None = None) -> None:
        """Forgets every picture of these games, or of all. Open questions stay, without pictures."""

        def is_theirs(session: str) -> bool:
            return sessions is None or session in sessions

        with self._asking.turn:
            if self._dice_seen and is_theirs(self._dice_seen.session):
                self._dice_seen = None
            _before, after = self._questions.change(lambda questions: questions.without_pictures(is_theirs))
        for session in {question.session for question in after.waiting if is_theirs(question.session)}:
            self._live.publish(f"session:{session}")
