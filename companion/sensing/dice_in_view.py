"""The dice that the camera saw last, for people to say whose they are."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from companion.game.readings import DiceReading, DieReading, Settled, StacksReading
from companion.table.table import Table

MOST_SHIFT = 0.25  # In widths of a die; with a larger value a die that was rolled again would pass as unmoved.


@dataclass(frozen=True)
class DiceInView:
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


def dice_in_view(table: Table, settled: Settled, before: DiceInView | None) -> DiceInView | None:
    """The dice of a look, single or on top of stacks, whose body colours are known; None when there are none."""
    match settled.reading:
        case DiceReading(dice=dice):
            dice_read = dice
        case StacksReading(stacks=stacks):
            dice_read = tuple(stack.top for stack in stacks)
        case _:
            return None
    pairs = [pair for pair in zip(dice_read, settled.crops_jpeg, strict=False) if pair[0].body_rgb is not None]
    if not pairs:
        return None
    coloured = [die for die, _jpeg in pairs]
    if before and before.session == table.session.id and (places := places_of(before.dice, coloured)):
        look = before.look
    else:
        look, places = secrets.token_hex(8), sorted(range(len(coloured)), key=lambda place: coloured[place].cx)
    dice, jpegs = zip(*(pairs[place] for place in places), strict=True)
    return DiceInView(table.session.id, look, dice, jpegs, table.seq)


def places_of(before: Sequence[DieReading], now: Sequence[DieReading]) -> Sequence[int] | None:
    """The index in `now` of each die of `before`; None unless all are the same dice, unmoved."""
    if len(before) != len(now):
        return None
    places = []
    for die in before:
        away_px = [hypot(die.cx - other.cx, die.cy - other.cy) for other in now]
        nearest = min(range(len(now)), key=away_px.__getitem__)
        if nearest in places or away_px[nearest] >= MOST_SHIFT * min(die.w, die.h):
            return None
        places.append(nearest)
    return places
