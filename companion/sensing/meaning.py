"""What a look means to a game as it stands now, and whether a question still means the same."""

from dataclasses import replace
from math import inf

from companion.errors import IllegalEvent
from companion.game.events import TABLE, affects, relies_on
from companion.game.game import Event
from companion.game.readings import Reading, Settled
from companion.game.seeing import Proposed, Remark
from companion.journal.codec import event_from_json, event_to_json
from companion.sensing.proposals import Proposal
from companion.sensing.questions import Questions, Snapshot
from companion.table.table import Table


def in_game_time(table: Table, settled: Settled) -> Settled:
    """The look as a game takes it, of a moment in its own time."""
    return replace(settled, rested_us=table.game_us(settled.rested_us))


def meant_at_rest(table: Table, reading: Reading, at_us: int) -> Proposed[Event] | Remark | None:
    """What a look means that nothing but the table's coming to rest asked for, or the fall of a stack."""
    return table.game.propose(table.state, reading) or table.game.late(table.state, reading, at_us)


def meant_when_asked(table: Table, asked_by: int, reading: Reading, at_us: int) -> Proposed[Event] | None:
    """What a look means that entry `asked_by` asked for; nothing once that does not count any more."""
    event = table.event(asked_by)
    meant = event and table.game.glanced(table.state, event, reading, at_us)
    return meant if isinstance(meant, Proposed) else None


def meant_in(table: Table, snapshot: Snapshot) -> Proposed[Event] | None:
    """What a snapshot means now."""
    seen = snapshot.settled
    return meant_when_asked(table, snapshot.asked_by, seen.reading, seen.rested_us)


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
            meant = meant_when_asked(table, proposal.asked_by, proposal.seen, proposal.looked_us)
        if not isinstance(meant, Proposed) or [meant.event, *(event for _label, event in meant.instead)] != answers:
            return None
    return replace(proposal, seq=seq)


def reconsidered(questions: Questions, table: Table) -> Questions:
    """Those of the game at this table as they stand now; see `still_asked`."""
    return questions.reconsidered(table.session.id, lambda asked: still_asked(table, asked))


def is_legal(table: Table, proposal: Proposal) -> bool:
    """Whether the rules allow it now, or one of the events it might be as well."""
    for event in (proposal.event, *(event for _label, event in proposal.instead)):
        try:
            table.game.apply(table.state, event_from_json(table.game, event))
        except IllegalEvent:
            continue
        return True
    return False


def answers_snapshot(table: Table, proposal: Proposal, snapshot: Snapshot) -> bool:
    """Whether who answers a question has answered what this snapshot would ask, too: one event was seen at two moments,
    a stack that lay there when its Creator was done and when the others began."""
    if snapshot.session != proposal.session:
        return False
    meant = meant_in(table, snapshot)
    return snapshot.asked_by == proposal.asked_by or (
        meant is not None and event_to_json(meant.event) == proposal.event
    )
