"""The seating of a round by OR-tools' CP-SAT, if `make solver` has installed them."""

from collections import defaultdict
from typing import Any

from companion.hub.tournament.problem import Problem, Tables

EFFORT_S = 5.0  # OR-tools counts deterministic seconds, so every machine finds the same seating.
SEED = 1


def cp_sat(problem: Problem, beginning: Tables) -> Tables | None:
    """The best seating that is found, beginning at a known one; None without OR-tools or a seating."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        return None
    model: Any = cp_model.CpModel()
    numbers = range(len(problem.sizes))
    sits = [[model.new_bool_var("") for _table in numbers] for _player in problem.homes]
    for places in sits:
        model.add_exactly_one(places)
    for number, size in enumerate(problem.sizes):
        model.add(sum(places[number] for places in sits) == size)
    again: dict[int, list[Any]] = defaultdict(list)
    for (player, other), times in problem.meetings.items():
        meets = model.new_bool_var("")
        for number in numbers:
            model.add_bool_or(~sits[player][number], ~sits[other][number], meets)
        again[times].append(meets)
    far = sum(
        abs(home - number) * sits[player][number] for player, home in enumerate(problem.homes) for number in numbers
    )
    worst = len(problem.homes) * len(problem.sizes) + 1  # It is farther than all together can sit from home.
    model.minimize(worst * sum(times * sum(meets) for times, meets in again.items()) + far)
    for number, table in enumerate(beginning):
        for player in range(len(sits)):
            model.add_hint(sits[player][number], player in table)
    solver: Any = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = EFFORT_S
    solver.parameters.num_workers = 1  # One worker leaves processor time for the hall.
    solver.parameters.random_seed = SEED
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return tuple(
        tuple(player for player in range(len(sits)) if solver.value(sits[player][number])) for number in numbers
    )
