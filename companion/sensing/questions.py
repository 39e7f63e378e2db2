"""What waits for an answer at the house's table, as one frozen value, and what changes it step by step.

A step takes the questions and gives those that are asked from then on. None knows a table, a clock or a disk: what a
question means to its game by now is handed in as a function (see `meaning`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from companion.game.events import affects
from companion.game.game import Event
from companion.game.readings import OF_FRONT, BoardReading, DiceReading, Kind, Settled, StacksReading
from companion.game.seeing import Proposed, Remark
from companion.sensing.proposals import Proposal, without_patience, without_pictures

KEPT_SNAPSHOTS = 16  # pictures in memory: more shouts than a round has; fewer and an undo may not bring a question back


@dataclass(frozen=True)
class Snapshot:
    """What was seen when entry `asked_by` asked for it."""

    session: str
    asked_by: int
    settled: Settled


@dataclass(frozen=True)
class LastLook:
    """The picture of the last look at a table at rest."""

    session: str
    kind: Kind
    frame_jpeg: bytes


@dataclass(frozen=True)
class PendingLook:
    """A look that may mean something, or something else, after an entry by hand.

    asked   whose dice the question was about, of whom one may be entered by hand; None where there was only a remark
    """

    session: str
    settled: Settled
    asked: frozenset[str] | None


def pending_look(session_id: str, settled: Settled, meant: Proposed[Event] | Remark | None) -> PendingLook | None:
    """A look at dice, or at a board or stacks that no single play explains, or not all of. Of a card, or boxes left
    over, who enters by hand what the camera asks about has said what they are."""
    match settled.reading, meant:
        case DiceReading(), Proposed(event):
            return PendingLook(session_id, settled, affects(event))
        case ((DiceReading() | BoardReading() | StacksReading()), (Remark() | Proposed(goes_on=True))):
            return PendingLook(session_id, settled, None)
    return None


@dataclass(frozen=True)
class Questions:
    """All questions of the house, and the looks that may lead to further ones.

    waiting     for an answer, the oldest first
    snapshots   to be asked about in turn; those that were answered stay for an undo
    counted     (session, entry that asked) of questions that counted by themselves: brought back by an undo, they wait
    pending     the newest look, until it has become an entry
    last_look   the newest one at rest, shown beside a question about how the table lay before
    declined    (session, event as JSON) of what nobody wants to hear of as things are
    """

    waiting: tuple[Proposal, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    counted: tuple[tuple[str, int | None], ...] = ()
    pending: PendingLook | None = None
    last_look: LastLook | None = None
    declined: tuple[tuple[str, dict[str, Any]], ...] = ()

    # what they are

    def of(self, session_id: str) -> tuple[Proposal, ...]:
        """Those of one game."""
        return tuple(each for each in self.waiting if each.session == session_id)

    def find(self, question_id: str) -> Proposal | None:
        """One of them, None when it waits no more."""
        return next((each for each in self.waiting if each.id == question_id), None)

    def same_as(self, question: Proposal) -> Proposal | None:
        """The one that waits and asks the same, None where none does."""
        return next((each for each in self.waiting if is_same(each, question)), None)

    def is_declined(self, session_id: str, kind: Kind, event: dict[str, Any]) -> bool:
        """Whether the players have sent this question away and nothing was entered since. Dice may fall alike twice."""
        return kind is not Kind.DICE and (session_id, event) in self.declined

    def pending_of(self, session_id: str) -> PendingLook | None:
        """The newest look, where it is this game's and nothing is asked about it."""
        look = self.pending
        if look is None or look.session != session_id:
            return None
        return None if any(each.asked_by is None for each in self.of(session_id)) else look

    # a camera has looked

    def asking(self, question: Proposal) -> "Questions":
        """One question more, or the newer form of one that waits."""
        if self.find(question.id) is None:
            return replace(self, waiting=(*self.waiting, question))
        return replace(self, waiting=tuple(question if each.id == question.id else each for each in self.waiting))

    def looked_at(self, session_id: str, kind: Kind, question: Proposal | None) -> "Questions":
        """A new look at rest replaces what the same camera asked before, but for what was seen when an event asked and
        for what no look can undo.

        The same question stays the one it was, so no tap on its way is lost; one that was sent away while its pictures
        were kept stays away.
        """

        def stays(asked: Proposal) -> bool:
            by_the_other = (asked.kind in OF_FRONT) != (kind in OF_FRONT)
            return asked.session != session_id or asked.asked_by is not None or asked.lasting or by_the_other

        left = replace(self, waiting=tuple(each for each in self.waiting if stays(each)))
        if question is None or self.is_declined(session_id, kind, question.event):
            return left
        before = self.same_as(question)
        return left.asking(replace(question, id=before.id, created_us=before.created_us) if before else question)

    def with_snapshot(self, snapshot: Snapshot) -> "Questions":
        """What was seen when an event asked; the oldest go when there are too many."""
        return replace(self, snapshots=(*self.snapshots, snapshot)[-KEPT_SNAPSHOTS:])

    # time passes, people say something

    def reconsidered(self, session_id: str, still: Callable[[Proposal], Proposal | None]) -> "Questions":
        """Those of a game that still mean the same; no tap on them is refused for what does not concern them.

        still   a question as it stands now, None when it means something else by now, or nothing
        """
        asked = (still(each) if each.session == session_id else each for each in self.waiting)
        return replace(self, waiting=tuple(each for each in asked if each is not None))

    def waiting_for_a_tap(self, concerned: Callable[[Proposal], bool]) -> "Questions":
        """These count by themselves no more."""
        return replace(self, waiting=tuple(without_patience(q) if concerned(q) else q for q in self.waiting))

    def due(self, now_us: int) -> tuple[Proposal, ...]:
        """Those that count by themselves now, as nobody has answered them in their time."""
        return tuple(each for each in self.waiting if each.counts_us is not None and each.counts_us <= now_us)

    def counting(self, now_us: int) -> "Questions":
        """Those that are due have counted: none does so twice."""
        due = self.due(now_us)
        counted = (*self.counted, *((each.session, each.asked_by) for each in due))
        return replace(self.waiting_for_a_tap(due.__contains__), counted=counted[-KEPT_SNAPSHOTS:])

    def sent_away(self, question_id: str, is_answered: Callable[[Snapshot], bool]) -> "Questions":
        """One of them is of no interest, nor is it when the camera sees the same again.

        is_answered     whether who answers it has answered what this snapshot would ask, too
        """
        asked = self.find(question_id)
        if asked is None:
            return self
        return replace(
            self,
            waiting=tuple(each for each in self.waiting if each is not asked),
            snapshots=tuple(each for each in self.snapshots if not is_answered(each)),
            pending=None if asked.asked_by is None else self.pending,
            declined=(*self.declined, (asked.session, asked.event)),
        )

    def with_pending(self, look: PendingLook) -> "Questions":
        """A look that shows more than what was entered waits on, unless a newer one does."""
        return replace(self, pending=self.pending or look)

    def without_pending(self, look: PendingLook | None) -> "Questions":
        """This look has become an entry; a newer one still waits."""
        return replace(self, pending=None) if self.pending is look else self

    def with_nothing_declined(self, session_id: str | None = None) -> "Questions":
        """What was sent away in this game, or in any, may come again."""
        left = () if session_id is None else tuple(each for each in self.declined if each[0] != session_id)
        return replace(self, declined=left)

    def without_pictures(self, is_theirs: Callable[[str], bool]) -> "Questions":
        """No picture of these games is in memory any more. Questions stay, without theirs.

        is_theirs   whether a session is one of these games
        """
        return replace(
            self,
            waiting=tuple(without_pictures(each) if is_theirs(each.session) else each for each in self.waiting),
            snapshots=tuple(each for each in self.snapshots if not is_theirs(each.session)),
            pending=None if self.pending and is_theirs(self.pending.session) else self.pending,
            last_look=None if self.last_look and is_theirs(self.last_look.session) else self.last_look,
        )


def is_same(old: Proposal, new: Proposal) -> bool:
    """Whether two questions ask the same. Dice may fall alike twice: who answers about one throw has said nothing of
    the next."""
    if old.id == new.id:
        return True
    if Kind.DICE in (old.kind, new.kind):
        return False
    return (old.session, old.kind, old.event, old.note, old.instead, old.asked_by) == (
        new.session, new.kind, new.event, new.note, new.instead, new.asked_by
    )  # fmt: skip
