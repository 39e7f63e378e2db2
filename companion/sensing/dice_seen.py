"""The dice that the camera saw last, for people to say whose they are."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from companion.game.readings import DiceReading, DieReading, Settled, StacksReading
from companion.table.table import Table

STILL = 0.25  # of a die's width: two readings of a die differ by less; a larger value hides a die that was rolled again


@dataclass(frozen=True)
class DiceSeen:
    """The dice of one look.

    look    id of the look, unique across restarts; dice that were only read again keep it
    dice    from left to right when the look was new
    jpegs   the picture around each
    seq     the game's newest entry then
    """

    session: str
    look: str
    dice: tuple[DieReading, ...]
    jpegs: tuple[bytes, ...]
    seq: int


def dice_seen(table: Table, settled: Settled, before: DiceSeen | None) -> DiceSeen | None:
    """The dice of a look, single or on top of stacks, whose body colours are known; None when there are none."""
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
    """The index in `now` of each die of `before`; None unless all are the same dice, unmoved."""
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
