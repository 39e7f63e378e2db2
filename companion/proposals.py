"""What stands between a reading and an event: a suggestion that a person may confirm or correct."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.codec import event_to_json
from companion.contract import Proposed
from companion.errors import BadInput
from companion.readings import DiceReading

LIKELY = 3  # values offered at once; the rest is one tap away
LEAST = 0.01  # a value less likely than this is not offered at once


@dataclass(frozen=True)
class Doubt:
    """One die the camera asks about: where its value stands in the event, the likely values, and its picture."""

    path: str
    alternatives: tuple[tuple[int, float], ...]
    picture: str | None


@dataclass(frozen=True)
class Proposal:
    """An event as a sensor read it, waiting for a tap.

    event       as JSON, with the likeliest values
    doubts      what has to be asked; empty when it only waits for a confirmation
    sure        (path, value) of the dice that are not asked
    reading     what goes into the journal beside the event
    """

    id: str
    session: str
    event: dict[str, Any]
    doubts: tuple[Doubt, ...]
    sure: tuple[tuple[str, int], ...]
    note: str
    picture: str | None
    created_us: int
    reading: dict[str, Any]


def proposal_of(
    session_id: str,
    proposed: Proposed,
    reading: DiceReading,
    pictures: tuple[str, ...],
    frame: str | None,
    created_us: int,
) -> Proposal:
    """The proposal that asks for exactly what the camera is not sure of.

    pictures    hash of the crop of each die, then of each unread box
    """
    doubts, sure = [], []
    for index, path in enumerate(proposed.paths):
        picture = pictures[index] if index < len(pictures) else None
        die = reading.dice[index] if index < len(reading.dice) else None
        if die is None:
            doubts.append(Doubt(path, (), picture))
        elif die.accepted:
            sure.append((path, die.value))
        else:
            likely = tuple(pair for pair in die.alternatives[:LIKELY] if pair[1] >= LEAST)
            doubts.append(Doubt(path, likely if len(likely) > 1 else die.alternatives[:2], picture))
    return Proposal(
        id=secrets.token_hex(8),
        session=session_id,
        event=event_to_json(proposed.event),
        doubts=tuple(doubts),
        sure=tuple(sure),
        note=proposed.note,
        picture=frame,
        created_us=created_us,
        reading=reading_json(reading, frame),
    )


def reading_json(reading: DiceReading, picture: str | None) -> dict[str, Any]:
    """What the journal keeps of a reading. Whole numbers only: floats have no one text to take a hash of."""
    return {
        "accepted": reading.accepted,
        "picture": picture,
        "dice": [
            {
                "value": die.value,
                "colour": die.colour,
                "confidence_ppm": round(die.confidence * 1e6),
                "accepted": die.accepted,
            }
            for die in reading.dice
        ],
        "unread": len(reading.unread),
    }


def corrected(proposal: Proposal, corrections: Mapping[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(event, reading) as JSON with the players' values in place; raises BadInput for a doubt left open."""
    known = {doubt.path for doubt in proposal.doubts} | {path for path, _ in proposal.sure}
    for path in corrections:
        if path not in known:
            raise BadInput(f"The picture has no die {path[:40]!r}: choose one that it shows.")
    for doubt in proposal.doubts:
        if doubt.path not in corrections:
            raise BadInput("One die is still not read: tap the value it shows.")
    event = proposal.event
    for path, value in corrections.items():
        event = _with(event, path.split("."), value)
    return event, {**proposal.reading, "said": dict(sorted(corrections.items()))}


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
