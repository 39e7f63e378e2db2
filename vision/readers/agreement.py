"""Readings over time, for each kind: what two readings of one rest agree on, and what is new in a rest."""

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

SAME_PLACE = 0.25  # Less of a die's size reports the reader's own noise as moves, more misses a nudge.
DISAGREED = 0.5  # The confidence shrinks so when two readings of a die differ.

Place = DieReading | Box
# It takes a place in one picture to the same in another, in pixels.
Move = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True)
class InTime:
    """The functions that compare readings of one kind over time.

    agree       (a reading, another of the same rest) → the first, asking about everything that differs
    is_known    (last reported, reading of a new rest) → whether nothing is new
    is_empty    whether nothing lies there, which is not reported but ends the last report
    remember    (last reported, reading of a new rest with nothing new) → what to remember
    may_be_old  (reported earlier, reading to be reported) → whether it may only have been covered for a while
    places      the places that a question shows, one crop each
    dice        all dice
    date        (reading, for each place of `places` the time since when it looks like that) → the reading that says so
    later       (reading, µs) → the reading whose times are so much later, for another clock
    move        (reading, a move of places) → the reading of a camera elsewhere; None if no hand may hold the camera
    """

    agree: Callable[[Any, Any], Any]
    is_known: Callable[[Any, Any], bool]
    is_empty: Callable[[Any], bool] = lambda _reading: False
    remember: Callable[[Any, Any], Any] = lambda last, _reading: last
    may_be_old: Callable[[Any, Any], bool] = lambda _earlier, _reading: False
    places: Callable[[Any], tuple[Place, ...]] = lambda _reading: ()
    dice: Callable[[Any], tuple[DieReading, ...]] = lambda _reading: ()
    date: Callable[[Any, tuple[int, ...]], Any] | None = None
    later: Callable[[Any, int], Any] = lambda reading, _offset_us: reading
    move: Callable[[Any, Move], Any] | None = None


def agree_on_dice(reading: DiceReading, other: DiceReading) -> DiceReading:
    """`reading`, less sure where another picture of the same dice differs."""
    dice = tuple(confirm_die(die, die_at(die, other)) for die in reading.dice)
    return replace(reading, dice=dice, unread=add_missed(reading.dice, reading.unread, other.dice, other.unread))


def move_dice(reading: DiceReading, move: Move) -> DiceReading:
    """The same dice and unread places where another picture of them has them; their sizes stay."""
    dice = tuple(replace(die, cx=cx, cy=cy) for die in reading.dice for cx, cy in [move(die.cx, die.cy)])
    unread = tuple(replace(box, cx=cx, cy=cy) for box in reading.unread for cx, cy in [move(box.cx, box.cy)])
    return replace(reading, dice=dice, unread=unread)


def add_missed(
    dice: tuple[DieReading, ...], unread: tuple[Box, ...], other_dice: tuple[DieReading, ...], other: tuple[Box, ...]
) -> tuple[Box, ...]:
    """The unread places, and those where only the other picture showed a die or something that may be one."""
    places: tuple[Place, ...] = (*dice, *unread)
    others: tuple[Place, ...] = (*other_dice, *other)
    return unread + tuple(
        Box(place.cx, place.cy, place.w, place.h)
        for place in others
        if not any(is_near(near, place) for near in places)
    )


def confirm_die(die: DieReading, again: DieReading | None) -> DieReading:
    """A die after a second look at it, which is None if that saw no die there."""
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
    """Whether all dice lay there before; some may have been taken away."""
    if moved_together(before, after):
        return True
    places: tuple[Place, ...] = (*before.dice, *before.unread)
    return all(
        any(is_same_die(old, new) for old in before.dice) or any(is_near(old, new) for old in before.unread)
        for new in after.dice
    ) and all(any(is_near(old, new) for old in places) for new in after.unread)


def remember_dice(last: DiceReading, reading: DiceReading) -> DiceReading:
    """After a bump the dice in their new places, otherwise those last reported."""
    return reading if moved_together(last, reading) else last


def moved_together(before: DiceReading, after: DiceReading) -> bool:
    """Whether several dice kept their values and their places to each other, as when camera or table is bumped."""
    if not len(before.dice) == len(after.dice) > 1 or before.unread or after.unread:
        return False
    first = before.dice[0]
    shifts = [(die.cx - first.cx, die.cy - first.cy) for die in after.dice if die.value == first.value]
    shifted = ([replace(die, cx=die.cx + x, cy=die.cy + y) for die in before.dice] for x, y in shifts)
    return any(
        all(any(old.value == new.value and is_near(new, old) for new in after.dice) for old in dice) for dice in shifted
    )


def is_same_die(old: DieReading, new: DieReading) -> bool:
    """Whether two readings are one die: in the same place, with the same value unless the reader was unsure."""
    return is_near(old, new) and (old.value == new.value or not (old.accepted and new.accepted))


def die_at(place: DieReading, reading: DiceReading) -> DieReading | None:
    """The die of a reading in the same place, or None."""
    return next((die for die in reading.dice if is_near(die, place)), None)


def is_near(place: Place, other: Place) -> bool:
    """Whether both are in the same place, as well as a reader can tell."""
    reach_px = SAME_PLACE * max(other.w, other.h)
    return abs(place.cx - other.cx) <= reach_px and abs(place.cy - other.cy) <= reach_px


def agree_on_stacks(reading: StacksReading, other: StacksReading) -> StacksReading:
    """Each stack after a second look at it."""

    def confirm_stack(stack: StackReading) -> StackReading:
        again = next((near for near in other.stacks if is_near(near.top, stack.top)), None)
        sure = stack.height_accepted and again is not None and again.height == stack.height
        return replace(stack, top=confirm_die(stack.top, again.top if again else None), height_accepted=sure)

    tops, other_tops = (tuple(stack.top for stack in look.stacks) for look in (reading, other))
    return replace(
        reading,
        stacks=tuple(confirm_stack(stack) for stack in reading.stacks),
        unread=add_missed(tops, reading.unread, other_tops, other.unread),
    )


def no_new_stacks(before: StacksReading, after: StacksReading) -> bool:
    """Whether every stack stood there before with the same height."""
    return (
        len(before.stacks) == len(after.stacks)
        and all(
            any(is_same_die(old.top, new.top) and old.height == new.height for old in before.stacks)
            for new in after.stacks
        )
        and all(any(is_near(old, new) for old in before.unread) for new in after.unread)
    )


def agree_on_board(reading: BoardReading, other: BoardReading) -> BoardReading:
    """A space on which the two differ is asked about; a change counts if both show it."""
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
    """Whether every space has the same colour and known height, and no piece was put on its own colour since."""
    return not after.changed and all(
        cell.colour == again.colour and (None in (cell.height, again.height) or cell.height == again.height)
        for row, other_row in zip(before.cells, after.cells, strict=True)
        for cell, again in zip(row, other_row, strict=True)
    )


def agree_on_load(reading: LoadReading, other: LoadReading) -> LoadReading:
    """Left-overs and squares on which the two differ are asked about."""

    def agree_on_square(square: SquareReading, again: SquareReading) -> SquareReading:
        same = (square.filled, square.colour) == (again.filled, again.colour)
        return replace(square, accepted=square.accepted and again.accepted and same)

    def agree_on_truck(truck: TruckReading, again: TruckReading) -> TruckReading:
        rows = zip(truck.cells, again.cells, strict=True)
        return replace(truck, cells=tuple(tuple(map(agree_on_square, row, other_row)) for row, other_row in rows))

    return replace(
        reading,
        outside_accepted=reading.outside_accepted and other.outside_accepted and reading.outside == other.outside,
        trucks=tuple(agree_on_truck(truck, again) for truck, again in zip(reading.trucks, other.trucks, strict=True)),
    )


def same_load(before: LoadReading, after: LoadReading) -> bool:
    """Whether the same boxes lie beside the trucks and the same squares are covered."""
    covers, covers_after = (
        [[[(square.filled, square.colour) for square in row] for row in truck.cells] for truck in reading.trucks]
        for reading in (before, after)
    )
    return before.outside == after.outside and covers == covers_after


def agree_on_tower(reading: TowerReading, other: TowerReading) -> TowerReading:
    """A space on which the two differ is asked about."""
    return replace(
        reading,
        spaces=tuple(
            replace(
                space,
                accepted=space.accepted and again.accepted and space.status == again.status,
                match=agree_on_match(space.match, again.match),
            )
            for space, again in zip(reading.spaces, other.spaces, strict=True)
        ),
    )


def agree_on_match(match: MatchReading | None, other: MatchReading | None) -> MatchReading | None:
    """The comparison of a stack after a second look; None if the first look compared nothing."""
    if match is None:
        return None
    return replace(match, accepted=match.accepted and other is not None and other.accepted and match.same == other.same)


def same_tower(before: TowerReading, after: TowerReading) -> bool:
    """Whether every space has the same status and number of blocks."""
    return [(space.status, len(space.blocks)) for space in before.spaces] == [
        (space.status, len(space.blocks)) for space in after.spaces
    ]


def agree_on_card(reading: CardReading, other: CardReading) -> CardReading:
    """Both must name the same card; a card that only one of them saw is asked about."""
    named = reading if reading.card is not None or other.card is None else other
    return replace(named, accepted=reading.accepted and other.accepted and reading.card == other.card)


DICE = InTime(
    agree_on_dice,
    no_new_dice,
    lambda reading: not reading.dice and not reading.unread,
    remember_dice,
    no_new_dice,
    lambda reading: (*reading.dice, *reading.unread),
    dice=lambda reading: reading.dice,
    date=lambda reading, since_us: replace(reading, since_us=since_us),
    later=DiceReading.later,
    move=move_dice,
)
STACKS = InTime(
    agree_on_stacks,
    no_new_stacks,
    lambda reading: not reading.stacks and not reading.unread,
    places=lambda reading: (*(stack.top for stack in reading.stacks), *reading.unread),
    dice=lambda reading: tuple(stack.top for stack in reading.stacks),
)
BOARD = InTime(agree_on_board, same_board)
LOAD = InTime(agree_on_load, same_load)
TOWER = InTime(agree_on_tower, same_tower)
CARD = InTime(
    agree_on_card,
    lambda before, after: before.card == after.card,
    lambda reading: reading.card is None and reading.accepted,  # An unknown card is asked about.
)
