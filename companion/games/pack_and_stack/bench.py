"""`companion bench loads`: the time to find and prove the best load, for real trucks and larger ones."""

import random
import time
from collections.abc import Callable, Sequence
from statistics import median

from companion.equipment.trucks import Truck, printed_decks
from companion.game.figures import Measured
from companion.games.pack_and_stack.advice import best_load
from companion.games.pack_and_stack.answers import ADVICE_SECONDS
from companion.games.pack_and_stack.loads import Counts, as_counts
from companion.games.pack_and_stack.options import BOXES, DICE_FACES

SEED = 15
ROLLS = 200
LARGER_ROLLS = 40  # Each of their proofs may take the whole time allowed.
LARGER = (Truck(("#####",) * 3, 4), Truck(("######",) * 4, 4), Truck(("########",) * 8, 4), Truck(("########",) * 8, 8))


def figures() -> list[Measured]:
    """All measurements: real rolls on real cards, then any boxes on larger trucks."""
    rows = []
    for name, trucks in printed_decks().items():
        by_size = sorted(trucks, key=lambda truck: truck.capacity)
        for what, truck in (("median", by_size[len(by_size) // 2]), ("largest", by_size[-1])):
            rows += measured(f"{name}, {what} ({truck.capacity})", truck, rolled, ROLLS)
        rows += measured(f"{name}, any card", trucks, rolled, ROLLS)
    for truck in LARGER:
        rows += measured(f"any boxes, {truck.capacity} spaces", truck, any_boxes, LARGER_ROLLS)
        holes = [with_holes(truck, random.Random(SEED + number)) for number in range(LARGER_ROLLS)]
        rows += measured(f"no ones, {truck.capacity} less holes", holes, no_ones, LARGER_ROLLS)
    return rows


def measured(
    group: str, trucks: Truck | Sequence[Truck], boxes: Callable[[random.Random], Counts], rolls: int
) -> list[Measured]:
    """The times and proofs of `rolls` loads; of several trucks, a random one each time."""
    chance = random.Random(SEED)
    times, proven = [], 0
    for _ in range(rolls):
        truck = trucks if isinstance(trucks, Truck) else chance.choice(trucks)
        counts = boxes(chance)
        began = time.perf_counter()
        until = began + ADVICE_SECONDS
        load = best_load(truck, counts, lambda until=until: time.perf_counter() > until)  # type: ignore[misc]
        times.append((time.perf_counter() - began) * 1000)
        proven += load.proven
    return [
        Measured("best load, median", group, value=median(times), unit="ms"),
        Measured("best load, longest", group, value=max(times), unit="ms"),
        Measured(f"proven within {ADVICE_SECONDS:g} s", group, count=proven, total=rolls),
    ]


def rolled(chance: random.Random) -> Counts:
    """A random roll of the five dice."""
    return as_counts(chance.choice(die) for die in DICE_FACES)


def any_boxes(chance: random.Random) -> Counts:
    """A random part of the whole supply."""
    return as_counts(chance.randint(0, number) for number in BOXES)


def no_ones(chance: random.Random) -> Counts:
    """A random part of the supply without boxes of size 1, which fill every gap: the hardest kind."""
    _ones, *larger = any_boxes(chance)
    return as_counts((0, *larger))


def with_holes(truck: Truck, chance: random.Random) -> Truck:
    """The truck without a random eighth of its squares."""
    rows = ("".join(square if chance.random() > 1 / 8 else "." for square in row) for row in truck.rows)
    return Truck(tuple(rows), truck.height)
