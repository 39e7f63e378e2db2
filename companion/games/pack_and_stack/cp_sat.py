"""The best load of a truck by OR-tools' CP-SAT, if `make solver` has installed them.

Our own search proves almost every load at once; this one runs only if that fails within its share of the time.
"""

from typing import Any

from companion.equipment.trucks import Truck
from companion.games.pack_and_stack.advice import BestLoad
from companion.games.pack_and_stack.loads import Box, Cell, Counts

ALONG_ROW, ALONG_COLUMN, UPRIGHT = (0, 1, 0), (1, 0, 0), (0, 0, 1)
WAYS = (ALONG_ROW, ALONG_COLUMN, UPRIGHT)


def cp_sat_load(truck: Truck, rolled: Counts, seconds: float) -> BestLoad | None:
    """The best load found within `seconds`, with a proven bound; None without OR-tools or a load."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        return None
    model: Any = cp_model.CpModel()
    places = {place: model.new_bool_var("") for place in places_in(truck, rolled)}
    covering: dict[Cell, list[Any]] = {}
    for (_, cells), used in places.items():
        for cell in cells:
            covering.setdefault(cell, []).append(used)
    for (row, column, level), boxes in covering.items():
        model.add_at_most_one(boxes)
        if level > 1:  # PS-43: no gap below a box
            model.add(sum(boxes) <= sum(covering.get((row, column, level - 1), [])))
    for size, number in enumerate(rolled, start=1):
        model.add(sum(used for (box_size, _), used in places.items() if box_size == size) <= number)
    model.maximize(sum(size * used for (size, _), used in places.items()))
    solver: Any = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1  # The table needs processor time too.
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    boxes_used = tuple(Box(size, cells) for (size, cells), used in places.items() if solver.value(used))
    by_height = sorted(boxes_used, key=lambda box: sorted((level, row, column) for row, column, level in box.cells))
    return BestLoad(tuple(by_height), int(solver.best_objective_bound + 0.5))


def places_in(truck: Truck, rolled: Counts) -> list[tuple[int, tuple[Cell, ...]]]:
    """Every (size, cells) that a box may fill (PS-41, PS-42, PS-44)."""
    places = []
    for row, column in sorted(truck.squares):
        for level in range(1, truck.height + 1):
            for size, number in enumerate(rolled, start=1):
                for down, right, up in WAYS if size > 1 else WAYS[:1]:
                    cells = tuple((row + down * n, column + right * n, level + up * n) for n in range(size))
                    inside = all((r, c) in truck.squares and h <= truck.height for r, c, h in cells)
                    if number and inside:
                        places.append((size, cells))
    return places
