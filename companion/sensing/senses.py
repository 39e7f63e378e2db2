"""What the cameras bring to a table: questions that wait for a tap, remarks, and what was seen at a glance."""

import secrets
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from math import hypot, inf
from typing import Any

from companion.changes import Live
from companion.clock import Clock, wall_us
from companion.errors import CompanionError, IllegalEvent, NotFound
from companion.game.events import TABLE, affects, relies_on, wants_glance
from companion.game.readings import (
    KINDS,
    OF_FRONT,
    BoardReading,
    DiceReading,
    DieReading,
    Kind,
    Reading,
    Settled,
    StacksReading,
)
from companion.game.seeing import Proposed, Remark
from companion.journal.codec import event_from_json, event_to_json
from companion.journal.events import Entry, Posted, Sender
from companion.journal.settings import ACCEPT, ACCEPT_DICE, Setting
from companion.journal.store import Journal
from companion.logs import only_logged
from companion.sensing.feedback import Learner
from companion.sensing.proposals import (
    Proposal,
    corrected,
    proposal_of,
    reading_json,
    without_patience,
    without_pictures,
)
from companion.sensing.remarks import Remarks
from companion.table.table import Receipt, Table
from companion.words import _, retold

KEPT_GLANCES = 16  # pictures in memory: more shouts than a round has; fewer and an undo may not bring a question back
BY_HAND = ("tablet", "button")
STILL = 0.25  # of a die's width: less is what reading it twice differs by, more hides a die that was rolled again


class Senses:
    """Safe from several threads. Nothing here is written down: a restart asks anew by looking anew."""

    def __init__(self, journal: Journal, clock: Clock, live: Live, learner: Learner, remarks: Remarks) -> None:
        self.taken = 0  # readings so far
        self._learner = learner
        self._dice_seen: DiceSeen | None = None  # in the last look that showed any
        self._journal = journal
        self._clock = clock
        self._live = live
        self._remarks = remarks
        self._turn = threading.RLock()  # of who keeps pictures, or forgets them: held while the disk is written
        self._lock = threading.RLock()  # of what is below; every page needs it, so nobody holds it for a disk
        self._proposals: dict[str, Proposal] = {}
        # (session, entry that asked, what was seen then), to be asked about in turn; those answered stay for an undo
        self._glances: deque[tuple[str, int, Settled]] = deque(maxlen=KEPT_GLANCES)
        # (session, entry that asked) of glances that counted by themselves: brought back by an undo, they wait
        self._counted: deque[tuple[str, int | None]] = deque(maxlen=KEPT_GLANCES)
        self._open_look: OpenLook | None = None  # the newest, until it has become an entry
        self._answering: OpenLook | None = None  # the one that is just becoming one
        self._looked_like: tuple[str, Kind, bytes] | None = None  # session, kind and picture of the last look at rest
        self._declined: dict[str, list[dict[str, Any]]] = {}  # session → events nobody wants to hear of as things are

    def __len__(self) -> int:
        return len(self._proposals)

    # which readings become events by themselves

    def accepts(self, kind: Kind) -> bool:
        """Whether a reading the camera is sure of becomes an event by itself: dice do unless the house says no."""
        return accepting(kind).of(self._journal)

    def set_accepts(self, kind: Kind, wanted: bool) -> None:
        """How it is from now on; what was sent away before may come again."""
        self._declined.clear()
        accepting(kind).put(self._journal, wanted)
        if not wanted:
            self._wait_for_a_tap(lambda asked: asked.kind is kind)

    # readings

    def take(self, table: Table, settled: Settled) -> None:
        """The table has come to rest: an event when the camera is sure and the house wants that, else a question."""
        session_id, seq, settled = table.session.id, table.seq, in_game_time(table, settled)
        meant = meant_at_rest(table, settled.reading, settled.rested_us)
        with self._turn:
            with self._lock:
                self.taken += 1
                self._dice_seen = dice_seen(table, settled, self._dice_seen)
                if KINDS[type(settled.reading)] not in OF_FRONT:
                    self._open_look = open_look(session_id, settled, meant)
            if isinstance(meant, Proposed):
                self._propose(table, meant, settled, seq)
            else:
                self._replace(table, meant, settled)
            if not (isinstance(meant, Proposed) and meant.of_before):  # else a second look at it has the same before
                with self._lock:
                    self._looked_like = (session_id, KINDS[type(settled.reading)], settled.frame_jpeg)
        self._live.publish(f"session:{session_id}")

    def _is_declined(self, session_id: str, kind: Kind, event: dict[str, Any]) -> bool:
        """Whether the players have sent this question away and nothing was entered since. Dice may fall alike twice."""
        with self._lock:
            return kind is not Kind.DICE and event in self._declined.get(session_id, ())

    def keep_glance(self, table: Table, asked_by: int, settled: Settled) -> None:
        """What was seen when entry `asked_by` asked for it stays to be asked about as long as the game means something
        by it, again after an undo too; no later look has a say in it."""
        settled = in_game_time(table, settled)
        session_id = table.session.id
        with self._turn:  # to the end: whoever forgets pictures finds this one in the journal and here, or in neither
            self._remarks.attempt(  # answered or not
                session_id, lambda: table.keep_evidence(asked_by, settled.frame_jpeg), "camera"
            )
            with self._lock:
                self.taken += 1
                self._glances.append((session_id, asked_by, settled))
        self._ask_about_glances(table)
        self._live.publish(f"session:{session_id}")

    def _propose(self, table: Table, proposed: Proposed, settled: Settled, seq: int) -> None:
        """Enters it or asks.

        seq     the game's newest entry when the reading was looked at
        """
        session_id, kind = table.session.id, KINDS[type(settled.reading)]
        if self._is_declined(session_id, kind, event_to_json(proposed.event)):
            self._replace(table, None, settled)
            return
        asked = proposed.confirm or proposed.which  # where a bare yes is no answer, silence is none either
        sure = settled.reading.accepted and settled.surely_new and not asked and self.accepts(kind)
        try:
            pictures = self._keep(table, settled, crops=not sure)
            # dice that were entered since may be those that lie there: they would count once more, for whoever comes
            # next; whatever else is read is compared with how the table stands now
            entered = kind is Kind.DICE and table.entered_since(settled.rested_us, proposed.event)
            if sure and entered:
                pictures = self._keep(table, settled)
        except CompanionError as why:
            self._replace(table, Remark(why.sentence), settled)
            return
        if sure and not entered:
            self._replace(table, None, settled)
            self._remarks.attempt(session_id, lambda: self._enter(table, proposed, settled, seq, pictures[0]), "camera")
            return
        if not settled.surely_new or entered:
            note = proposed.note or (_("Was it rolled?") if kind is Kind.DICE else "")
            proposed = replace(proposed, confirm=True, note=note)
        if question := self._replace(table, self._question(table, proposed, settled, pictures, seq), settled):
            self._learner.ask(question.id, table, proposed.paths, settled)

    def _keep(self, table: Table, settled: Settled, *, crops: bool = True) -> tuple[str, ...]:
        """Keeps the pictures of a look; the hash of the frame, then of each crop."""
        jpegs = (settled.frame_jpeg, *(settled.crops_jpeg if crops else ()))
        return self._journal.add_pictures(jpegs, wall_us(), table.session.id)

    def _enter(self, table: Table, proposed: Proposed, settled: Settled, seq: int, frame: str) -> None:
        with self._answering_look():
            receipt = table.submit(
                proposed.event,
                event_id=secrets.token_hex(16),
                seen_seq=seq,
                source="camera",
                reading=reading_json(settled.reading, frame),
            )
        with only_logged("learning"):
            self._learner.enter(table, receipt.seq, proposed.paths, settled)

    def _question(
        self,
        table: Table,
        proposed: Proposed,
        settled: Settled,
        pictures: tuple[str, ...],
        seq: int,
        asked_by: int | None = None,
    ) -> Proposal:
        frame, *crops = pictures
        now_us = self._clock.now_us()
        may_count = settled.surely_new and self.accepts(KINDS[type(settled.reading)])
        if not may_count or (asked_by is not None and (table.session.id, asked_by) in self._counted):
            proposed = replace(proposed, patience_s=0)
        made = proposal_of(table.session.id, proposed, settled, tuple(crops), frame, now_us, seq, asked_by)
        return replace(made, before=self._picture_before(table, settled) if proposed.of_before else None)

    def _picture_before(self, table: Table, settled: Settled) -> str | None:
        """The hash of the picture of the last look of this kind, None where there was none or it cannot be kept."""
        with self._lock:
            last = self._looked_like
        if last is None or last[:2] != (table.session.id, KINDS[type(settled.reading)]):
            return None
        with only_logged("the picture before is not kept"):  # the question is worth more than its picture
            return self._journal.add_pictures((last[2],), wall_us(), table.session.id)[0]
        return None

    def _replace(self, table: Table, found: Proposal | Remark | None, seen: Settled) -> Proposal | None:
        """A new look of a camera replaces what its last one asked, but for what was seen when an event asked and for
        what no look can undo; the question as it is asked now.

        The same question stays the one it was, so no tap on its way is lost; one that was sent away while its pictures
        were kept stays away.
        """
        session_id, asked = table.session.id, None
        from_front = KINDS[type(seen.reading)] in OF_FRONT
        self._remarks.forget(session_id)
        with self._lock:
            before = [each for each in self._proposals.values() if each.session == session_id]
            for proposal in before:
                if proposal.asked_by is None and not proposal.lasting and (proposal.kind in OF_FRONT) == from_front:
                    del self._proposals[proposal.id]
            if isinstance(found, Remark):
                self._remarks.put(session_id, found)
            elif found and not self._is_declined(session_id, found.kind, found.event):
                asked = next((again(old, found) for old in before if is_same_question(old, found)), found)
                self._proposals[asked.id] = asked
            self._ask_on(table)  # the game may have gone on while the reading was looked at
            return asked

    def stirred(self) -> None:
        """The table may not lie any more as the camera above it saw it last: no question about that counts by itself,
        until it is seen anew. What was seen at a glance stays as it was."""
        self._wait_for_a_tap(lambda asked: asked.kind not in OF_FRONT)

    def _wait_for_a_tap(self, concerned: Callable[[Proposal], bool]) -> None:
        """These questions count by themselves no more."""
        with self._lock:
            due = [each for each in self._proposals.values() if each.counts_us is not None and concerned(each)]
            self._proposals.update({each.id: without_patience(each) for each in due})
        for session in {each.session for each in due}:
            self._live.publish(f"session:{session}")

    def go_on(self, table: Table, entry: Entry | None) -> None:
        """A remark is about the moment; a question that means something else by now, or nothing, is none.

        entry   the new one; of a game that takes the table its newest, None where there is none

        Whoever enters something by hand is there to answer: nothing counts by itself, but for shouts, which come one
        after the other.
        """
        session_id = table.session.id
        self._remarks.forget(session_id)
        with self._lock:
            self._declined.pop(session_id, None)
            self._ask_on(table)
        self._ask_about_open_look(table, entry)
        self._ask_about_glances(table)
        is_shout = entry is not None and isinstance(entry.body, Posted) and wants_glance(entry.body.event)
        if entry is not None and entry.source in BY_HAND and not is_shout:
            self._wait_for_a_tap(lambda asked: asked.session == session_id)

    def _ask_on(self, table: Table) -> None:
        """Keeps the questions that still mean the same; no tap on them is refused for what does not concern them."""
        for proposal in [each for each in self._proposals.values() if each.session == table.session.id]:
            still = still_asked(table, proposal)
            if still is None:
                del self._proposals[proposal.id]
            else:
                self._proposals[proposal.id] = still

    @contextmanager
    def _answering_look(self) -> Iterator[None]:
        """What is entered here answers the newest look: the entry does not have it asked about again, unless it is
        refused."""
        with self._lock:
            look = self._answering = self._open_look
        try:
            yield
            with self._lock:
                if self._open_look is look:  # and no newer one came meanwhile
                    self._open_look = None
        finally:
            with self._lock:
                self._answering = None

    def _ask_about_open_look(self, table: Table, entry: Entry | None) -> None:
        """What was entered by hand may explain a part of what lies there, or be what the rest waited for. No camera
        looks again while nothing moves, so it is asked what the newest look means now."""
        if entry is None or not isinstance(entry.body, Posted) or entry.source not in BY_HAND:
            return
        if self._look_to_ask_about(table):  # first: most entries wait for nobody's disk
            with self._turn:
                self._remarks.attempt(table.session.id, lambda: self._look_again(table), "camera")

    def _look_to_ask_about(self, table: Table) -> "OpenLook | None":
        """The newest look, where it is this table's and nothing is asked about it."""
        with self._lock:
            look, waiting = self._open_look, tuple(self._proposals.values())
            answering = look is self._answering
        asked = any(each.asked_by is None and each.session == table.session.id for each in waiting)
        return None if look is None or answering or asked or look.session != table.session.id else look

    def _look_again(self, table: Table) -> None:
        seq, look = table.seq, self._look_to_ask_about(table)
        if look is None:
            return  # another has come to rest, or was answered, meanwhile
        settled = look.settled
        meant = meant_at_rest(table, settled.reading, settled.rested_us)
        if not isinstance(meant, Proposed) or not (look.asked is None or affects(meant.event) < look.asked):
            return
        is_dice = isinstance(settled.reading, DiceReading)
        if is_dice and table.said_since(settled.rested_us, meant.event):
            return  # those that somebody has typed in lie there still
        pictures = self._keep(table, settled)
        note = meant.note or (_("Was it rolled?") if is_dice else "")
        question = self._question(table, replace(meant, confirm=True, note=note), settled, pictures, seq)
        with self._lock:
            if self._open_look is not look:
                return  # the table has come to rest anew, or pictures were forgotten, meanwhile
            self._proposals[question.id] = question
            self._ask_on(table)
        self._learner.ask(question.id, table, meant.paths, settled)

    def _ask_about_glances(self, table: Table) -> None:
        """The next question about what was seen at a glance, one at a time: the second shout comes after the first."""
        if self._next_glance(table):
            with self._turn:
                self._remarks.attempt(table.session.id, lambda: self._ask_about_next_glance(table), "camera")

    def _ask_about_next_glance(self, table: Table) -> None:
        session_id, seq = table.session.id, table.seq
        found = self._next_glance(table)  # another may have asked, or pictures may have been forgotten, meanwhile
        if found is None:
            return
        meant, asked_by, settled = found
        pictures = self._keep(table, settled)
        question = self._question(table, replace(meant, confirm=True), settled, pictures, seq, asked_by)
        with self._lock:
            if (session_id, asked_by, settled) not in self._glances:
                return  # sent away, or its picture was, meanwhile
            self._proposals[question.id] = question
            self._ask_on(table)
        self._learner.ask(question.id, table, meant.paths, settled)

    def _next_glance(self, table: Table) -> tuple[Proposed, int, Settled] | None:
        """What to ask about next, the entry that asked for that look, and the look; None while another is asked."""
        session_id = table.session.id
        if any(proposal.asked_by is not None for proposal in self.proposals(session_id)):
            return None
        with self._lock:
            glances = [(by, seen) for session, by, seen in self._glances if session == session_id]
        for asked_by, settled in glances:
            if meant := meant_at_glance(table, asked_by, settled.reading, settled.rested_us):
                return meant, asked_by, settled
        return None

    def _keep_glances(self, wanted: Callable[[str, int], bool]) -> None:
        """Forgets the others; `wanted` is asked of the session and the entry that asked."""
        kept = [glance for glance in self._glances if wanted(*glance[:2])]
        self._glances = deque(kept, maxlen=KEPT_GLANCES)

    # whose dice are which

    def dice_seen(self, session_id: str) -> "DiceSeen | None":
        """The dice of the last look at a game's table, None when it showed none. In memory alone."""
        with self._lock:
            seen = self._dice_seen
        return seen if seen and seen.session == session_id else None

    # pictures

    def forget_pictures(self, sessions: Collection[str] | None = None) -> None:
        """No picture of these games, or of any, is in memory any more. Open questions stay, without theirs."""

        def is_theirs(session: str) -> bool:
            return sessions is None or session in sessions

        with self._turn, self._lock:
            if self._dice_seen and is_theirs(self._dice_seen.session):
                self._dice_seen = None
            if self._open_look and is_theirs(self._open_look.session):
                self._open_look = None
            if self._looked_like and is_theirs(self._looked_like[0]):
                self._looked_like = None
            self._keep_glances(lambda session, _by: not is_theirs(session))
            bare = [without_pictures(each) for each in self._proposals.values() if is_theirs(each.session)]
            self._proposals.update({proposal.id: proposal for proposal in bare})
        for proposal in bare:
            self._live.publish(f"session:{proposal.session}")

    # questions

    def proposals(self, session_id: str) -> tuple[Proposal, ...]:
        """What waits for a tap."""
        with self._lock:
            waiting = [proposal for proposal in self._proposals.values() if proposal.session == session_id]
        return tuple(
            replace(
                proposal,
                note=retold(proposal.note),
                instead=tuple((retold(label), event) for label, event in proposal.instead),
            )
            for proposal in waiting
        )

    def proposal(self, proposal_id: str) -> Proposal:
        """One of them; raises NotFound when it was answered already."""
        with self._lock:
            found = self._proposals.get(proposal_id)
        if found is None:
            raise NotFound(_("This question was answered already: look at the roll."))
        return found

    def take_due(self) -> tuple[Proposal, ...]:
        """The questions that count by themselves now, as nobody has answered them in their time; each is told once."""
        now_us = self._clock.now_us()
        with self._lock:
            due = [each for each in self._proposals.values() if each.counts_us is not None and each.counts_us <= now_us]
            self._proposals.update({each.id: without_patience(each) for each in due})
            self._counted.extend((each.session, each.asked_by) for each in due)
        return tuple(due)

    def confirm(
        self,
        table: Table,
        proposal: Proposal,
        corrections: Mapping[str, int],
        instead: int | None,
        *,
        event_id: str,
        source: str,
        sender: Sender | None = None,
    ) -> Receipt:
        """Makes a proposal an event, with the values the players tapped or another event that it might be as well."""
        event_data, reading = corrected(proposal, corrections, instead)
        event = event_from_json(table.game, event_data)
        with self._lock:
            look = self._open_look if proposal.goes_on else None
        with self._answering_look() if proposal.asked_by is None else nullcontext():
            receipt = table.submit(
                event, event_id=event_id, seen_seq=proposal.seq, source=source, reading=reading, sender=sender
            )
        with only_logged("what follows an answer"):  # which is recorded by now
            self.dismiss(table, proposal.id)
            if instead is None:
                self._learner.answer(proposal.id, table, receipt.seq, corrections.keys())
            if look is not None:
                with self._lock:
                    self._open_look = self._open_look or look
                self._ask_about_open_look(table, table.newest)
        return receipt

    def dismiss(self, table: Table, proposal_id: str) -> None:
        """What the camera asked is of no interest, nor is it when the camera sees the same again."""
        with self._lock:
            proposal = self._proposals.get(proposal_id)
            if proposal is None or proposal.session != table.session.id:
                return
            del self._proposals[proposal_id]
            if proposal.asked_by is None:
                self._open_look = None
            self._glances = deque((g for g in self._glances if not answers_glance(table, proposal, *g)), KEPT_GLANCES)
            self._declined.setdefault(proposal.session, []).append(proposal.event)
        self._ask_about_glances(table)
        self._live.publish(f"session:{proposal.session}")


def answers_glance(table: Table, proposal: Proposal, session_id: str, asked_by: int, seen: Settled) -> bool:
    """Whether who answers a question has answered what this glance would ask, too: one event was seen at two moments,
    a stack that lay there when its Creator was done and when the others began."""
    if session_id != proposal.session:
        return False
    meant = meant_at_glance(table, asked_by, seen.reading, seen.rested_us)
    return asked_by == proposal.asked_by or (meant is not None and event_to_json(meant.event) == proposal.event)


@dataclass(frozen=True)
class OpenLook:
    """A look that may mean something, or something else, after an entry by hand.

    asked   whose dice the question was about, of whom one may be entered by hand; None where there was only a remark
    """

    session: str
    settled: Settled
    asked: frozenset[str] | None


def open_look(session_id: str, settled: Settled, meant: Proposed | Remark | None) -> OpenLook | None:
    """A look at dice, or at a board or stacks that no single play explains, or not all of. Of a card, or boxes left
    over, who enters by hand what the camera asks about has said what they are."""
    match settled.reading, meant:
        case DiceReading(), Proposed(event):
            return OpenLook(session_id, settled, affects(event))
        case ((DiceReading() | BoardReading() | StacksReading()), (Remark() | Proposed(goes_on=True))):
            return OpenLook(session_id, settled, None)
    return None


def in_game_time(table: Table, settled: Settled) -> Settled:
    """The look as a game takes it, of a moment in its own time."""
    return replace(settled, rested_us=table.game_us(settled.rested_us))


def is_same_question(old: Proposal, new: Proposal) -> bool:
    """Dice may fall alike twice: an answer about one throw is none about the next."""
    if Kind.DICE in (old.kind, new.kind):
        return False
    return (old.kind, old.event, old.note, old.instead, old.asked_by) == (
        new.kind, new.event, new.note, new.instead, new.asked_by
    )  # fmt: skip


def again(old: Proposal, new: Proposal) -> Proposal:
    """The old question with what was seen since."""
    return replace(new, id=old.id, created_us=old.created_us)


@dataclass(frozen=True)
class DiceSeen:
    """The dice of one look.

    look    tells it from others, before a restart too; dice that lie as they lay were only read again: the same look
    dice    from left to right when the look was new
    jpegs   the picture around each
    seq     the game's newest entry then: with a newer one the look has become an event, or the game went on
    """

    session: str
    look: str
    dice: tuple[DieReading, ...]
    jpegs: tuple[bytes, ...]
    seq: int


def dice_seen(table: Table, settled: Settled, before: DiceSeen | None) -> DiceSeen | None:
    """The dice of a look, single or on top of stacks, as far as their bodies can be told; None when there are none."""
    match settled.reading:
        case DiceReading(dice=dice):
            found = dice
        case StacksReading(stacks=stacks):
            found = tuple(stack.top for stack in stacks)
        case _:
            return None
    pairs = [pair for pair in zip(found, settled.crops_jpeg, strict=False) if pair[0].body_rgb is not None]
    if not pairs:
        return None
    seen = [die for die, _jpeg in pairs]
    if before and before.session == table.session.id and (places := places_now(before.dice, seen)):
        look = before.look
    else:
        look, places = secrets.token_hex(8), sorted(range(len(seen)), key=lambda place: seen[place].cx)
    dice, jpegs = zip(*(pairs[place] for place in places), strict=True)
    return DiceSeen(table.session.id, look, dice, jpegs, table.seq)


def places_now(before: Sequence[DieReading], now: Sequence[DieReading]) -> Sequence[int] | None:
    """Where each die of `before` stands in `now`; None unless these are the same dice, and nobody has moved one."""
    if len(before) != len(now):
        return None
    places = []
    for one in before:
        away_px = [hypot(one.cx - other.cx, one.cy - other.cy) for other in now]
        nearest = min(range(len(now)), key=away_px.__getitem__)
        if nearest in places or away_px[nearest] >= STILL * min(one.w, one.h):
            return None
        places.append(nearest)
    return places


def accepting(kind: Kind) -> Setting[bool]:
    """Whether the house accepts readings of a kind without a tap."""
    return ACCEPT_DICE if kind is Kind.DICE else ACCEPT.each(kind)


def still_asked(table: Table, proposal: Proposal) -> Proposal | None:
    """The question as it stands after what was entered since; None when the same look means something else by now.

    Two taps for one move must not make two moves: who enters by hand what the camera asks about has answered it.
    """
    if not is_legal(table, proposal):
        return None
    seq = table.seq
    touched = table.touched_since(proposal.seq, clock_until_us=-inf, in_play=True)  # no ruling answers a question
    others = [event for _label, event in proposal.instead]
    answers = [event_from_json(table.game, event) for event in (proposal.event, *others)]
    if proposal.lasting and any((affects(event) - {TABLE}) & touched for event in answers):
        return None  # people have dealt with it otherwise, and no look will take it away
    if any(relies_on(event) & touched for event in answers):
        if proposal.asked_by is None:
            meant = meant_at_rest(table, proposal.seen, proposal.looked_us)
        else:
            meant = meant_at_glance(table, proposal.asked_by, proposal.seen, proposal.looked_us)
        if not isinstance(meant, Proposed) or [meant.event, *(event for _label, event in meant.instead)] != answers:
            return None
    return replace(proposal, seq=seq)


def meant_at_rest(table: Table, reading: Reading, at_us: int) -> Proposed | Remark | None:
    """What a look means that nothing but the table's coming to rest asked for, or the fall of a stack."""
    return table.game.propose(table.state, reading) or table.game.late(table.state, reading, at_us)


def meant_at_glance(table: Table, asked_by: int, reading: Reading, at_us: int) -> Proposed | None:
    """What a look means that entry `asked_by` asked for; nothing once that does not count any more."""
    event = table.event(asked_by)
    meant = event and table.game.glanced(table.state, event, reading, at_us)
    return meant if isinstance(meant, Proposed) else None


def is_legal(table: Table, proposal: Proposal) -> bool:
    """Whether the rules allow it now, or one of the events it might be as well."""
    for event in (proposal.event, *(event for _label, event in proposal.instead)):
        try:
            table.game.apply(table.state, event_from_json(table.game, event))
        except IllegalEvent:
            continue
        return True
    return False
