"""People's answers to questions, and the entries they become."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from companion.errors import BadInput
from companion.game.game import AnyGame, Event
from companion.journal.codec import event_from_json, event_to_json
from companion.journal.events import Entry, Origin
from companion.sensing.proposals import Proposal
from companion.table.receipts import Receipt
from companion.table.table import Table
from companion.words import _

INSTEAD = "instead"  # This key of a stored answer has the index of the other event that the players say it was.


@dataclass(frozen=True)
class Answer:
    """An answer to the question with this id.

    tapped  paths in the event of the values that people tapped; None when they said that it was another event
    """

    question: str
    tapped: frozenset[str] | None


def apply_answer(
    game: AnyGame, proposal: Proposal, corrections: Mapping[str, int], instead: int | None = None
) -> tuple[Event, dict[str, Any]]:
    """(event, reading as JSON) with the players' values put in; raises BadInput if a doubt is left open.

    instead     index into `proposal.instead` of the event that the players say it was, or None
    """
    if instead is not None:
        if not 0 <= instead < len(proposal.instead):
            raise BadInput(_("The question has no such answer. Reload the page."))
        return proposal.instead[instead][1], {**proposal.reading, **answer_json(proposal.id, corrections, instead)}
    correctable = {doubt.path for doubt in proposal.doubts} | {path for path, _ in proposal.sure}
    for path in corrections:
        if path not in correctable:
            raise BadInput(
                _("There's nothing to correct at {path!r} in the picture. Choose something it shows.", path=path[:40])
            )
    for doubt in proposal.doubts:
        if doubt.path not in corrections:
            raise BadInput(_("One die still needs a value. Tap what it shows."))
    event = event_to_json(proposal.event)
    for path, value in corrections.items():
        event = _with(event, path.split("."), value)
    return event_from_json(game, event), {**proposal.reading, **answer_json(proposal.id, corrections, instead)}


def answer_json(question: str, corrections: Mapping[str, int], instead: int | None) -> dict[str, Any]:
    """The part of an entry's reading that records the answer; a repeated answer is recognised by it."""
    values = dict(sorted(corrections.items())) if instead is None else {INSTEAD: instead}
    return {"question": question, "said": values}


def answer_in(entry: Entry) -> Answer | None:
    """The answer that an entry gives to a question, or None."""
    reading = entry.reading or {}
    if "question" not in reading:
        return None
    values = reading["said"]
    return Answer(reading["question"], None if INSTEAD in values else frozenset(values))


def enter_answer(
    table: Table,
    proposal: Proposal,
    corrections: Mapping[str, int],
    instead: int | None,
    origin: Origin,
) -> Receipt:
    """Makes a proposal an event, with the values that the players tapped or the other event that they chose.

    corrections, instead    as in `apply_answer`
    """
    event, reading = apply_answer(table.game, proposal, corrections, instead)
    return table.submit(event, replace(origin, seen_seq=proposal.seq), reading)


def _with(value: Any, path: list[str], new: int) -> Any:
    """`value` with the part at `path` replaced."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, key: _with(value[key], rest, new)}
    parts = list(value)
    parts[int(key)] = _with(parts[int(key)], rest, new)
    return parts
