"""The open questions of the house as one frozen value, and the pure steps that change it.

Each step returns the questions after it. None knows a table, a clock or a disk: the present meaning of a question is
handed in as a function (see `meaning`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from companion.game.events import affects
from companion.game.game import Event
from companion.game.readings import OF_FRONT, BoardReading, DiceReading, Kind, Settled, StacksReading
from companion.game.seeing import Proposed, Remark
from companion.sensing.proposals import Proposal, without_patience, without_pictures

MOST_SNAPSHOTS = 16  # With fewer than a round has shouts an undo could lose a question.


@dataclass(frozen=True)
class Snapshot:
    """The look that entry `asked_by` asked for."""

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
    """A look whose meaning may change after an entry by hand.

    asked   the players whose dice the question was about, or None if there was only a remark
    """

    session: str
    settled: Settled
    asked: frozenset[str] | None


def pending_look(session_id: str, settled: Settled, meaning: Proposed[Event] | Remark | None) -> PendingLook | None:
    """The pending look for a look at dice, or at a board or stacks that a single play does not wholly explain; else
    None.

    A question about a card or leftover boxes is answered by an entry by hand, so such a look never waits.
    """
    match settled.reading, meaning:
        case DiceReading(), Proposed(event):
            return PendingLook(session_id, settled, affects(event))
        case ((DiceReading() | BoardReading() | StacksReading()), (Remark() | Proposed(goes_on=True))):
            return PendingLook(session_id, settled, None)
    return None


@dataclass(frozen=True)
class Questions:
    """All questions of the house, and the looks that may lead to further ones.

    waiting     questions that wait for an answer, oldest first
    snapshots   to be asked about in turn; answered ones stay, for an undo
    counted     (session, entry that asked) of questions that counted by themselves; after an undo they wait for a tap
    pending     the newest look, until it has become an entry
    last_look   the newest look at rest, shown beside a question about the table as it was before
    declined    (session, event) of questions that were sent away since the last entry
    """

    waiting: tuple[Proposal, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    counted: tuple[tuple[str, int | None], ...] = ()
    pending: PendingLook | None = None
    last_look: LastLook | None = None
    declined: tuple[tuple[str, Event], ...] = ()

    def of(self, session_id: str) -> tuple[Proposal, ...]:
        return tuple(question for question in self.waiting if question.session == session_id)

    def find(self, question_id: str) -> Proposal | None:
        """A question by its id, or None when it no longer waits."""
        return next((question for question in self.waiting if question.id == question_id), None)

    def same_as(self, question: Proposal) -> Proposal | None:
        """The waiting question that asks the same, or None."""
        return next((other for other in self.waiting if is_same(other, question)), None)

    def is_declined(self, session_id: str, kind: Kind, event: Event) -> bool:
        """Whether the players have sent this question away since the last entry. Never for dice: they may fall alike
        twice.
        """
        return kind is not Kind.DICE and (session_id, event) in self.declined

    def pending_of(self, session_id: str) -> PendingLook | None:
        """The newest look if it is this game's and no question at rest waits; else None."""
        look = self.pending
        if look is None or look.session != session_id:
            return None
        return None if any(question.asked_by is None for question in self.of(session_id)) else look

    def asking(self, question: Proposal) -> "Questions":
        """With one more question, or with the new form of a waiting one."""
        if self.find(question.id) is None:
            return replace(self, waiting=(*self.waiting, question))
        return replace(self, waiting=tuple(question if other.id == question.id else other for other in self.waiting))

    def looked_at(self, session_id: str, kind: Kind, question: Proposal | None) -> "Questions":
        """After a new look at rest, which replaces the same camera's questions, except lasting ones and those about
        snapshots.

        A question that stays the same keeps its id, so no tap on its way is lost. One that was sent away while its
        pictures were being stored stays away.
        """

        def stays(proposal: Proposal) -> bool:
            is_other_camera = (proposal.kind in OF_FRONT) != (kind in OF_FRONT)
            return (
                proposal.session != session_id or proposal.asked_by is not None or proposal.lasting or is_other_camera
            )

        remaining = replace(self, waiting=tuple(filter(stays, self.waiting)))
        if question is None or self.is_declined(session_id, kind, question.event):
            return remaining
        earlier = self.same_as(question)
        return remaining.asking(
            replace(question, id=earlier.id, created_us=earlier.created_us) if earlier else question
        )

    def with_snapshot(self, snapshot: Snapshot) -> "Questions":
        """With one more snapshot; the oldest go when there are too many."""
        return replace(self, snapshots=(*self.snapshots, snapshot)[-MOST_SNAPSHOTS:])

    def with_better_snapshot(self, snapshot: Snapshot) -> "Questions":
        """With a snapshot in place of those of the same moment, and without the question about them."""

        def is_other(proposal: Proposal | Snapshot) -> bool:
            return (proposal.session, proposal.asked_by) != (snapshot.session, snapshot.asked_by)

        return replace(
            self,
            waiting=tuple(filter(is_other, self.waiting)),
            snapshots=tuple(filter(is_other, self.snapshots)),
        ).with_snapshot(snapshot)

    def reconsider(self, session_id: str, update: Callable[[Proposal], Proposal | None]) -> "Questions":
        """With the questions of a game updated or dropped, so that no tap is refused because of an unrelated entry.

        update  gives the question updated to now, or None when it no longer means the same
        """
        updated = (update(question) if question.session == session_id else question for question in self.waiting)
        return replace(self, waiting=tuple(filter(None, updated)))

    def waiting_for_a_tap(self, concerned: Callable[[Proposal], bool]) -> "Questions":
        """Without these questions counting by themselves."""
        return replace(self, waiting=tuple(without_patience(q) if concerned(q) else q for q in self.waiting))

    def due(self, now_us: int) -> tuple[Proposal, ...]:
        """The questions that count by themselves now, since nobody has answered in time."""
        return tuple(
            question for question in self.waiting if question.counts_us is not None and question.counts_us <= now_us
        )

    def counting(self, now_us: int) -> "Questions":
        """After the due questions have counted: none counts twice."""
        due = self.due(now_us)
        counted = (*self.counted, *((question.session, question.asked_by) for question in due))
        return replace(self.waiting_for_a_tap(due.__contains__), counted=counted[-MOST_SNAPSHOTS:])

    def sent_away(self, question_id: str, is_answered: Callable[[Snapshot], bool]) -> "Questions":
        """Without a question that the players sent away, also if the camera sees the same again.

        is_answered     whether a snapshot would ask the same
        """
        proposal = self.find(question_id)
        if proposal is None:
            return self
        return replace(
            self,
            waiting=tuple(question for question in self.waiting if question is not proposal),
            snapshots=tuple(snapshot for snapshot in self.snapshots if not is_answered(snapshot)),
            pending=None if proposal.asked_by is None else self.pending,
            declined=(*self.declined, (proposal.session, proposal.event)),
        )

    def with_pending(self, look: PendingLook) -> "Questions":
        """With this look pending again, unless a newer one is: it shows more than was entered."""
        return replace(self, pending=self.pending or look)

    def without_pending(self, look: PendingLook | None) -> "Questions":
        """Without this pending look, which has become an entry; a newer one stays."""
        return replace(self, pending=None) if self.pending is look else self

    def with_nothing_declined(self, session_id: str | None = None) -> "Questions":
        """With questions that were sent away in this game, or in any, allowed again."""
        declined = () if session_id is None else tuple(pair for pair in self.declined if pair[0] != session_id)
        return replace(self, declined=declined)

    def without(self, session_id: str) -> "Questions":
        """Without anything of a game that was deleted."""
        remaining = self.without_pictures(lambda session: session == session_id).with_nothing_declined(session_id)
        waiting = tuple(question for question in self.waiting if question.session != session_id)
        return replace(
            remaining, waiting=waiting, counted=tuple(pair for pair in self.counted if pair[0] != session_id)
        )

    def without_pictures(self, is_theirs: Callable[[str], bool]) -> "Questions":
        """Without any picture of these games. Questions stay, without pictures.

        is_theirs   whether a session is one of these games
        """
        return replace(
            self,
            waiting=tuple(
                without_pictures(question) if is_theirs(question.session) else question for question in self.waiting
            ),
            snapshots=tuple(snapshot for snapshot in self.snapshots if not is_theirs(snapshot.session)),
            pending=None if self.pending and is_theirs(self.pending.session) else self.pending,
            last_look=None if self.last_look and is_theirs(self.last_look.session) else self.last_look,
        )


def is_same(old: Proposal, new: Proposal) -> bool:
    """Whether two questions ask the same. Never for dice, unless the ids agree: two throws may fall alike."""
    if old.id == new.id:
        return True
    if Kind.DICE in (old.kind, new.kind):
        return False
    return (old.session, old.kind, old.event, old.note, old.instead, old.asked_by) == (
        new.session, new.kind, new.event, new.note, new.instead, new.asked_by
    )  # fmt: skip
