"""The presses of the button box: each becomes an answer, an undo, or an event of the active game."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.cameras.sleep import Sleep
from companion.clock import Clock
from companion.errors import NotAllowed
from companion.game.box import Device, Signal
from companion.house.active_game import ActiveGame
from companion.house.box_test import Trial
from companion.house.tables import Tables
from companion.journal.events import Origin
from companion.sensing.answers import enter_answer
from companion.sensing.follow_up import FollowUp
from companion.sensing.open_questions import OpenQuestions
from companion.sensing.proposals import Proposal
from companion.sensing.remarks import Remarks
from companion.table.table import Table
from companion.words import _

READING_TIME_US = 500_000  # Nobody can have read a question that is newer than this at the press.


@dataclass
class Presses:
    """Hears every signal of the box, on the box's own thread.

    answered_us     when a button last answered: the next question counts as asked then
    """

    tables: Tables
    active: ActiveGame
    questions: OpenQuestions
    follow_up: FollowUp
    remarks: Remarks
    trial: Trial
    clock: Clock
    sleep: Sleep
    answered_us: int = 0

    def hear(self, signal: Signal) -> None:
        """Takes a press or a release: an answer if there is a question, an undo, or else an event for the game.

        While somebody tries the box out, no press reaches a game.
        """
        self.sleep.stir()
        if self.trial.is_on(self.clock.now_us()):
            self.trial.hear(signal)
            self.active.refresh_look()
            return
        session_id = self.active.session
        if session_id is None:
            return
        self.remarks.attempt(session_id, lambda: self._press(self.tables.open(session_id), signal), "button")

    def _press(self, table: Table, signal: Signal) -> None:
        if signal.pressed and self._answers(table, signal):
            return
        if signal.device is Device.UNDO and signal.pressed:
            if table.session.locked:
                raise NotAllowed(_("In a tournament only the referee can undo. Call the referee."))
            table.undo(Origin(source="button"))
            return
        press = in_game_time(table, signal)
        if event := table.game.box.bind(table.state, press):
            table.submit(event, Origin(source="button"), evidence(press))

    def _answers(self, table: Table, signal: Signal) -> bool:
        """Answers an open question with Confirm (yes) or Undo (send away); returns whether the press was about one.

        Raises NotAllowed if the question has only just come. The press then means nothing else either: what Confirm and
        Undo otherwise mean, such as the end of a round, would remove the question unread.
        """
        question = box_question(self.questions.of(table.session.id))
        if question is None or signal.device not in (Device.CONFIRM, Device.UNDO):
            return False
        if signal.device is Device.CONFIRM and not question.takes_yes:
            return False
        if signal.at_us < max(question.created_us, self.answered_us) + READING_TIME_US:
            raise NotAllowed(_("The question just appeared. Look at it, then press again."))
        if signal.device is Device.CONFIRM:
            enter_answer(table, question, {}, None, Origin(source="button"))
        else:
            self.follow_up.dismiss(table, question.id)
        self.answered_us = self.clock.now_us()
        return True


def box_question(waiting: Sequence[Proposal]) -> Proposal | None:
    """The question that Confirm and Undo are about: the first that takes a yes, else the first, or None."""
    return next((question for question in waiting if question.takes_yes), next(iter(waiting), None))


def in_game_time(table: Table, signal: Signal) -> Signal:
    """The signal with its stamps in the game's own time."""
    trace = tuple((closed, table.game_us(at_us)) for closed, at_us in signal.trace)
    return replace(signal, at_us=table.game_us(signal.at_us), trace=trace)


def evidence(signal: Signal) -> dict[str, object]:
    """A press as the journal keeps it: the button, and the raw edges around it as [contact closed, game time in µs]."""
    name = str(signal.device) if signal.seat is None else f"{signal.device}-{signal.seat}"
    return {"button": name, "trace": [[int(closed), at_us] for closed, at_us in signal.trace]}
