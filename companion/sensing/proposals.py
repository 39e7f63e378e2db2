"""Proposals: events as a sensor has read them, for a person to confirm or correct."""

import secrets
from dataclasses import asdict, dataclass, replace
from typing import Any

from companion.game.game import Event
from companion.game.readings import KINDS, Kind, Reading, Settled
from companion.game.readings.dice import INNER, DiceReading
from companion.game.seeing import Proposed

MOST_OFFERED = 3  # The other values are one tap away.
LEAST_LIKELY = 0.01  # A value less likely than this is not offered at once.


@dataclass(frozen=True)
class Doubt:
    """One die that the camera asks about.

    path            path of its value in the event
    alternatives    likely values with their probabilities
    picture         hash of its picture
    """

    path: str
    alternatives: tuple[tuple[int, float], ...]
    picture: str | None


@dataclass(frozen=True)
class Proposal:
    """An event as a sensor read it, waiting for a tap.

    kind        kind of the reading
    event       with the likeliest values
    instead     alternatives: (label, event)
    doubts      the dice to ask about; empty when it only waits for a confirmation
    sure        (path, value) of the other dice
    reading     the reading as the journal keeps it, beside the event
    which       True: a bare yes is no answer, since one of `instead` may be right
    lasting     True: no later look removes it
    seen        the reading itself, to work out its meaning again after later entries
    seq         the game's newest entry when it was asked, or when it was last found to mean the same
    asked_by    number of the entry whose event asked for the look, None for any other look
    looked_us   when the picture was taken, in the time of the game
    goes_on     True: once it is entered, the same look is asked about again
    patience_s  seconds after which it counts by itself; 0: it waits for a tap
    counts_us   when it counts by itself, in table time; None for never
    agree       the event in words short enough for a button; "" for those of the history
    before      hash of the picture of the look before, if the question is about the table as it was then
    """

    id: str
    session: str
    kind: Kind
    event: Event
    instead: tuple[tuple[str, Event], ...]
    doubts: tuple[Doubt, ...]
    sure: tuple[tuple[str, int], ...]
    note: str
    picture: str | None
    created_us: int
    reading: dict[str, Any]
    which: bool
    lasting: bool
    seen: Reading
    seq: int
    asked_by: int | None
    looked_us: int
    goes_on: bool = False
    patience_s: int = 0
    counts_us: int | None = None
    before: str | None = None
    agree: str = ""

    @property
    def takes_yes(self) -> bool:
        """Whether a bare yes answers it."""
        return not self.doubts and not self.which


def proposal_of(
    session_id: str,
    proposed: Proposed[Event],
    settled: Settled,
    pictures: tuple[str, ...],
    frame: str | None,
    created_us: int,
    seq: int,
    asked_by: int | None,
) -> Proposal:
    """The proposal that asks about exactly those dice that the camera is not sure of.

    pictures    hashes of the crops: of each die, then of each unread box
    seq, asked_by   as in `Proposal`
    """
    reading: Reading = settled.reading
    doubts, sure = [], []
    dice = reading.dice if isinstance(reading, DiceReading) else ()
    for index, path in enumerate(proposed.paths):
        if not path:
            continue
        picture = pictures[index] if index < len(pictures) else None
        die = dice[index] if index < len(dice) else None
        if die is None:
            doubts.append(Doubt(path, (), picture))
        elif die.accepted:
            sure.append((path, die.value))
        else:
            likely = tuple(pair for pair in die.alternatives[:MOST_OFFERED] if pair[1] >= LEAST_LIKELY)
            doubts.append(Doubt(path, likely if len(likely) > 1 else die.alternatives[:2], picture))
    return Proposal(
        id=secrets.token_hex(8),
        session=session_id,
        kind=KINDS[type(reading)],
        event=proposed.event,
        instead=proposed.instead,
        doubts=tuple(doubts),
        sure=tuple(sure),
        note=proposed.note,
        picture=frame,
        created_us=created_us,
        reading=reading_json(reading, frame),
        which=proposed.which,
        lasting=proposed.lasting,
        seen=reading,
        seq=seq,
        asked_by=asked_by,
        looked_us=settled.rested_us,
        goes_on=proposed.goes_on,
        patience_s=proposed.patience_s,
        counts_us=created_us + proposed.patience_s * 1_000_000 if proposed.patience_s else None,
        agree=proposed.agree,
    )


def without_patience(proposal: Proposal) -> Proposal:
    """The same question, but it waits for a tap."""
    return replace(proposal, patience_s=0, counts_us=None)


def without_pictures(proposal: Proposal) -> Proposal:
    """The same question without its pictures, which were deleted; its reading names none either."""
    return replace(
        proposal,
        picture=None,
        before=None,
        doubts=tuple(replace(doubt, picture=None) for doubt in proposal.doubts),
        reading={**proposal.reading, "picture": None},
    )


def reading_json(reading: Reading, picture: str | None) -> dict[str, Any]:
    """A reading as the journal keeps it. Whole numbers only: a float has no canonical text for hashing."""
    common = {"accepted": reading.accepted, "picture": picture}
    if not isinstance(reading, DiceReading):
        return {**common, "kind": str(KINDS[type(reading)]), "read": in_whole_numbers(asdict(reading))}
    return {
        **common,
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


def in_whole_numbers(value: Any) -> Any:
    """A reading's fields as JSON: confidences in millionths under a name with "_ppm", lengths rounded to px or mm."""
    match value:
        case dict():
            return {
                f"{key}_ppm" if str(key).endswith("confidence") else str(key): (
                    round(part * 1e6) if str(key).endswith("confidence") else in_whole_numbers(part)
                )
                for key, part in value.items()
                if key not in INNER
            }
        case list() | tuple():
            return [in_whole_numbers(part) for part in value]
        case float():
            return round(value)
    return value
