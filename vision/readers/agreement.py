"""Readings over time, one set of answers a kind: what two looks at one rest agree on, and what in a rest is new."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from companion.game.readings import (
    BoardReading,
    Box,
    CardReading,
    DiceReading,
    DieReading,
    LoadReading,
    MatchReading,
    SquareReading,
    StackReading,
    StacksReading,
    TowerReading,
    TruckReading,
)

SAME_PLACE = 0.25  # of a die; less reports what the reader's own unrest moves, more misses a nudge
DISAGREED = 0.5  # what is left of the confidence when two readings of the same die differ

Place = DieReading | Box


@dataclass(frozen=True)
class InTime:
    """How readings of one kind compare.

    agreed      (a reading, another of the same rest) → the first, asking about whatever the other says otherwise
    is_told     (what was told last, a reading of a new rest) → there is nothing to tell
    now         (what was told last, a reading of a new rest with nothing to tell) → what is remembered of it
    may_be_old  (what was told before the last or before nothing lay there, a reading to be told) → nobody may have
                touched it: it was covered for a while
    is_empty    nothing lies there, which is not told but forgets what was
    asked       what a question shows, one crop each
    dice        all dice that are seen
    """

    agreed: Callable[[Any, Any], Any]
    is_told: Callable[[Any, Any], bool]
    is_empty: Callable[[Any], bool] = lambda _reading: False
    now: Callable[[Any, Any], Any] = lambda told, _reading: told
    may_be_old: Callable[[Any, Any], bool] = lambda _earlier, _reading: False
    asked: Callable[[Any], tuple[Place, ...]] = lambda _reading: ()
    dice: Callable[[Any], tuple[DieReading, ...]] = lambda _reading: ()


def dice_agreed(reading: DiceReading, other: DiceReading) -> DiceReading:
    """`reading`, less sure where another picture of the same dice says otherwise."""
    dice = tuple(confirmed(die, die_at(die, other)) for die in reading.dice)
    return replace(reading, dice=dice, unread=with_missed(reading.dice, reading.unread, other.dice, other.unread))


def with_missed(
    dice: tuple[DieReading, ...], unread: tuple[Box, ...], other_dice: tuple[DieReading, ...], other: tuple[Box, ...]
) -> tuple[Box, ...]:
    """What is unread, and what only the other picture showed there, as a die or as something that may be one."""
    places: tuple[Place, ...] = (*dice, *unread)
    others: tuple[Place, ...] = (*other_dice, *other)
    return unread + tuple(
        Box(place.cx, place.cy, place.w, place.h)
        for place in others
        if not any(is_near(seen, place) for seen in places)
    )


def confirmed(die: DieReading, again: DieReading | None) -> DieReading:
    """One die after a second look at it; None when that saw no die there."""
    if again is None:
        return replace(die, confidence=die.confidence * DISAGREED, accepted=False, needs=None)
    if again.value == die.value:
        accepted = die.accepted and again.accepted
        needs = None if die.needs is None or again.needs is None else max(die.needs, again.needs)
        return replace(die, confidence=min(die.confidence, again.confidence), accepted=accepted, needs=needs)
    likeliest, other = sorted((die, again), key=lambda look: -look.confidence)
    mixed = dict(likeliest.alternatives) | {likeliest.value: likeliest.confidence}
    halved = {value: share * DISAGREED for value, share in mixed.items()}
    for value, share in (dict(other.alternatives) | {other.value: other.confidence}).items():
        halved[value] = halved.get(value, 0.0) + share * DISAGREED
    alternatives = tuple(sorted(halved.items(), key=lambda pair: -pair[1]))
    value, confidence = alternatives[0]
    return replace(die, value=value, confidence=confidence, accepted=False, alternatives=alternatives, needs=None)


def no_new_dice(before: DiceReading, after: DiceReading) -> bool:
    """All that lies there lay there before, whatever happened in between; some of it may have been taken away."""
    if moved_together(before, after):
        return True
    places: tuple[DieReading | Box, ...] = (*before.dice, *before.unread)
    return all(
        any(is_same_die(old, new) for old in before.dice) or any(is_near(old, new) for old in before.unread)
        for new in after.dice
    ) and all(any(is_near(old, new) for old in places) for new in after.unread)


def dice_now(told: DiceReading, reading: DiceReading) -> DiceReading:
    """After a bump the dice lie elsewhere; of those that were taken away it is kept that they lay there."""
    return reading if moved_together(told, reading) else told


def moved_together(before: DiceReading, after: DiceReading) -> bool:
    """Several dice lie to each other as they lay and show what they showed: the camera was bumped, or the table."""
    if not len(before.dice) == len(after.dice) > 1 or before.unread or after.unread:
        return False
    one, *others = before.dice
    return any(
        one.value == there.value
        and all(
            any(
                old.value == new.value and is_near(new, shifted(old, there.cx - one.cx, there.cy - one.cy))
                for new in after.dice
            )
            for old in others
        )
        for there in after.dice
    )


def shifted(die: DieReading, x_px: float, y_px: float) -> DieReading:
    """The die elsewhere in the picture."""
    return replace(die, cx=die.cx + x_px, cy=die.cy + y_px)


def is_same_die(old: DieReading, new: DieReading) -> bool:
    """One die read twice: in the same place, with the same value unless the reader was unsure of it."""
    return is_near(old, new) and (old.value == new.value or not (old.accepted and new.accepted))


def die_at(place: DieReading, reading: DiceReading) -> DieReading | None:
    """The die of a reading that lies where `place` does."""
    return next((die for die in reading.dice if is_near(die, place)), None)


def is_near(one: DieReading | Box, other: DieReading | Box) -> bool:
    """Both are in the same place, as well as a reader can tell."""
    reach_px = SAME_PLACE * max(other.w, other.h)
    return abs(one.cx - other.cx) <= reach_px and abs(one.cy - other.cy) <= reach_px


def stacks_agreed(reading: StacksReading, other: StacksReading) -> StacksReading:
    """Each stack after a second look at it."""

    def confirmed_stack(stack: StackReading) -> StackReading:
        again = next((each for each in other.stacks if is_near(each.top, stack.top)), None)
        sure = stack.height_accepted and again is not None and again.height == stack.height
        return replace(stack, top=confirmed(stack.top, again.top if again else None), height_accepted=sure)

    tops, other_tops = (tuple(stack.top for stack in each.stacks) for each in (reading, other))
    return replace(
        reading,
        stacks=tuple(confirmed_stack(stack) for stack in reading.stacks),
        unread=with_missed(tops, reading.unread, other_tops, other.unread),
    )


def no_new_stacks(before: StacksReading, after: StacksReading) -> bool:
    """Every stack stood there before, as high."""
    return (
        len(before.stacks) == len(after.stacks)
        and all(
            any(is_same_die(old.top, new.top) and old.height == new.height for old in before.stacks)
            for new in after.stacks
        )
        and all(any(is_near(old, new) for old in before.unread) for new in after.unread)
    )


def board_agreed(reading: BoardReading, other: BoardReading) -> BoardReading:
    """A space of which the two say different things is asked; what changed, both have to say."""
    return replace(
        reading,
        changed=tuple(cell for cell in reading.changed if cell in other.changed),
        cells=tuple(
            tuple(
                replace(cell, accepted=cell.accepted and again.accepted and cell.colour == again.colour)
                for cell, again in zip(row, other_row, strict=True)
            )
            for row, other_row in zip(reading.cells, other.cells, strict=True)
        ),
    )


def same_board(before: BoardReading, after: BoardReading) -> bool:
    """No space shows another colour, no pile another height where both times it could be told, and nothing was put on a
    piece of its own colour since."""
    return not after.changed and all(
        cell.colour == again.colour and (None in (cell.height, again.height) or cell.height == again.height)
        for row, other_row in zip(before.cells, after.cells, strict=True)
        for cell, again in zip(row, other_row, strict=True)
    )


def load_agreed(reading: LoadReading, other: LoadReading) -> LoadReading:
    """Left-overs and squares of which the two say different things are asked."""

    def square(one: SquareReading, again: SquareReading) -> SquareReading:
        same = (one.filled, one.colour) == (again.filled, again.colour)
        return replace(one, accepted=one.accepted and again.accepted and same)

    def truck(one: TruckReading, again: TruckReading) -> TruckReading:
        rows = zip(one.cells, again.cells, strict=True)
        return replace(one, cells=tuple(tuple(map(square, row, other_row)) for row, other_row in rows))

    return replace(
        reading,
        outside_accepted=reading.outside_accepted and other.outside_accepted and reading.outside == other.outside,
        trucks=tuple(truck(one, again) for one, again in zip(reading.trucks, other.trucks, strict=True)),
    )


def same_load(before: LoadReading, after: LoadReading) -> bool:
    """The same boxes beside the trucks, and the same squares covered."""
    return before.outside == after.outside and [
        [[(square.filled, square.colour) for square in row] for row in truck.cells] for truck in before.trucks
    ] == [[[(square.filled, square.colour) for square in row] for row in truck.cells] for truck in after.trucks]


def tower_agreed(reading: TowerReading, other: TowerReading) -> TowerReading:
    """A space of which the two say different things is asked."""
    return replace(
        reading,
        spaces=tuple(
            replace(
                one,
                accepted=one.accepted and again.accepted and one.status == again.status,
                match=verdict_agreed(one.match, again.match),
            )
            for one, again in zip(reading.spaces, other.spaces, strict=True)
        ),
    )


def verdict_agreed(match: MatchReading | None, other: MatchReading | None) -> MatchReading | None:
    """A verdict on a stack after a second look; None where the first look compared nothing."""
    if match is None:
        return None
    return replace(match, accepted=match.accepted and other is not None and other.accepted and match.same == other.same)


def same_tower(before: TowerReading, after: TowerReading) -> bool:
    """Every space has what it had, with as many blocks."""
    return [(space.status, len(space.blocks)) for space in before.spaces] == [
        (space.status, len(space.blocks)) for space in after.spaces
    ]


def card_agreed(reading: CardReading, other: CardReading) -> CardReading:
    """Two looks must name the same card; one that only one of them saw is asked for."""
    seen = reading if reading.card is not None or other.card is None else other
    return replace(seen, accepted=reading.accepted and other.accepted and reading.card == other.card)


DICE = InTime(
    dice_agreed,
    no_new_dice,
    lambda reading: not reading.dice and not reading.unread,
    dice_now,
    no_new_dice,
    lambda reading: (*reading.dice, *reading.unread),
    dice=lambda reading: reading.dice,
)
STACKS = InTime(
    stacks_agreed,
    no_new_stacks,
    lambda reading: not reading.stacks and not reading.unread,
    asked=lambda reading: (*(stack.top for stack in reading.stacks), *reading.unread),
    dice=lambda reading: tuple(stack.top for stack in reading.stacks),
)
BOARD = InTime(board_agreed, same_board)
LOAD = InTime(load_agreed, same_load)
TOWER = InTime(tower_agreed, same_tower)
CARD = InTime(
    card_agreed,
    lambda before, after: before.card == after.card,
    lambda reading: reading.card is None and reading.accepted,  # a card that nobody knows is asked for
)
