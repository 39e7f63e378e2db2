"""The meaning of a look for a game as it is now, and whether a question still means the same."""

from dataclasses import replace
from math import inf

from companion.errors import IllegalEvent
from companion.game.events import TABLE, affects, relies_on, seats
from companion.game.game import Event, State
from companion.game.readings import DiceReading, Reading, Settled
from companion.game.seeing import Proposed, Remark
from companion.sensing.proposals import Proposal
from companion.sensing.questions import Questions, Snapshot
from companion.table.standing import thrown_us
from companion.table.table import Table


def in_game_time(table: Table, settled: Settled) -> Settled:
    """The look with its times converted to the game's own time."""
    rested_us, reading = table.game_us(settled.rested_us), settled.reading
    if isinstance(reading, DiceReading):
        reading = reading.later(rested_us - settled.rested_us)
    return replace(settled, reading=reading, rested_us=rested_us)


def without_old_dice(table: Table, settled: Settled) -> Settled:
    """The look without what lay there, unmoved, before the throw that the game waits for.

    Print, counters and a die that was set aside are then neither counted nor asked about. A throw that somebody typed
    in while this look was read says nothing of the dice in it: they are asked about.
    """
    reading = settled.reading
    if not isinstance(reading, DiceReading):
        return settled
    before_us = thrown_us(table, settled.rested_us)
    crops = zip(settled.crops_jpeg, reading.is_new(before_us), strict=False)
    return replace(
        settled, reading=reading.new_since(before_us), crops_jpeg=tuple(crop for crop, is_new in crops if is_new)
    )


def meaning_at_rest(table: Table, reading: Reading, at_us: int) -> Proposed[Event] | Remark | None:
    """The meaning of a look at rest, which no event asked for; this includes the fall of a stack.

    It means nothing to a game that was ended early: whoever rolls the dice then plays something else.
    """
    if table.ended_early:
        return None
    return table.game.sight.propose(table.state, reading) or table.game.sight.glanced(table.state, None, reading, at_us)


def meaning_when_asked(table: Table, asked_by: int, reading: Reading, at_us: int) -> Proposed[Event] | None:
    """The meaning of a look that entry `asked_by` asked for, or None if that entry no longer counts."""
    event = table.event(asked_by)
    meaning = event and table.game.sight.glanced(table.state, event, reading, at_us)
    return meaning if isinstance(meaning, Proposed) else None


def meaning_of(table: Table, snapshot: Snapshot) -> Proposed[Event] | None:
    """The meaning of a snapshot now."""
    look = snapshot.settled
    return meaning_when_asked(table, snapshot.asked_by, look.reading, look.rested_us)


def update_question(table: Table, proposal: Proposal) -> Proposal | None:
    """The question, updated to the newest entry; None when the same look means something else by now.

    Two taps for one move must not make two moves: whoever enters by hand what the camera asks about has answered it.
    """
    if not is_legal(table, proposal):
        return None
    seq = table.seq
    touched = table.touched_since(proposal.seq, clock_until_us=-inf, in_play=True)  # No ruling answers a question.
    answers = answers_of(proposal)
    if proposal.lasting and any((affects(event) - {TABLE}) & touched for event in answers):
        return None  # People have dealt with it otherwise, and no later look would remove it.
    if any(relies_on(event) & touched for event in answers):
        if proposal.asked_by is None:
            meaning = meaning_at_rest(table, proposal.seen, proposal.looked_us)
        else:
            meaning = meaning_when_asked(table, proposal.asked_by, proposal.seen, proposal.looked_us)
        if not isinstance(meaning, Proposed) or answers_of(meaning) != answers:
            return None
    return replace(proposal, seq=seq)


def reconsider(questions: Questions, table: Table) -> Questions:
    """The questions with those of this table's game updated or dropped; see `update_question`."""
    return questions.reconsider(table.session.id, lambda question: update_question(table, question))


def answers_of(asked: Proposal | Proposed[Event]) -> list[Event]:
    """The events that answer a question: the proposed one first."""
    return [asked.event, *(event for _label, event in asked.instead)]


def is_legal(table: Table, proposal: Proposal) -> bool:
    """Whether the rules allow the proposed event now, or one of its alternatives."""
    return any(_after(table, table.state, event) is not None for event in answers_of(proposal))


def answers_alike(proposal: Proposal, event: Event) -> bool:
    """Whether an event says of the same what the question asks."""
    return any(type(event) is type(answer) and seats(event) == seats(answer) for answer in answers_of(proposal))


def leaves_no_answer(table: Table, proposal: Proposal, event: Event) -> bool:
    """Whether the rules allow the question no answer after an event."""
    after = _after(table, table.state, event)
    return after is not None and all(_after(table, after, answer) is None for answer in answers_of(proposal))


def _after(table: Table, state: State, event: Event) -> State | None:
    """The state after an event, None where the rules refuse it."""
    try:
        return table.game.rules.apply(state, event)
    except IllegalEvent:
        return None


def answers_snapshot(table: Table, proposal: Proposal, snapshot: Snapshot) -> bool:
    """Whether an answer to the question also answers what this snapshot would ask.

    One event may be seen at two moments, as a stack that lay there when its Creator was done and when the others began.
    """
    if snapshot.session != proposal.session:
        return False
    meaning = meaning_of(table, snapshot)
    return snapshot.asked_by == proposal.asked_by or (meaning is not None and meaning.event == proposal.event)
