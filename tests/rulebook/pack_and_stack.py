"""Worked cases of Pack & Stack."""

import time
from collections.abc import Mapping
from typing import Any

from companion.equipment.trucks import Truck
from companion.errors import IllegalEvent
from companion.games.pack_and_stack import loads, rewards, scoring
from companion.games.pack_and_stack.advice import best_load
from companion.games.pack_and_stack.loads import SIZES, Box, Counts
from companion.games.pack_and_stack.options import Options, trucks
from tests.rulebook.cases import AnyOrder, Case, Kinds, listed, numbered, only_keys, options_of

GAME = "pack_and_stack"
MOST = 1000  # boxes of a size, levels of a truck: far more than any table has
PATIENCE_S = 120  # for trucks far larger than any that is printed


def checked_options(case: Case) -> Options:
    """The options of a case, the cards of its own deck looked at as well."""
    options: Options = options_of(case, GAME)
    trucks(options)
    return options


def pack_load(case: Case) -> dict[str, Any]:
    checked_options(case)
    truck, rolled = truck_of(case), counts_of(case["rolled"])
    unloaded = counts_of(case.get("unloaded"))
    loaded = loads.less(rolled, unloaded)
    return {
        "capacity": truck.capacity,
        "loaded": loads.volume(loaded),
        "empty": loads.empty(truck, loaded),
        "loss": loads.loss(truck, rolled, unloaded),
        "loss_with_voucher": loads.loss(truck, rolled, unloaded, voucher=True),
    }


def pack_fit(case: Case) -> dict[str, Any]:
    checked_options(case)
    truck, rolled = truck_of(case), counts_of(case["rolled"])
    until = time.monotonic() + PATIENCE_S
    found = best_load(truck, rolled, lambda: time.monotonic() > until)
    if not found.proven:
        raise ValueError(f"no proof within {PATIENCE_S} s: loaded {found.loaded}, at most {found.most}")
    loads.check_packed(truck, found.boxes)
    rest = loads.less(rolled, loads.counts_of(found.boxes))
    return {
        "capacity": truck.capacity,
        "best_loaded": found.loaded,
        "best_loss": loads.loss(truck, rolled, rest),
    }


def pack_legal(case: Case) -> dict[str, Any]:
    checked_options(case)
    truck, boxes = truck_of(case), []
    for box in listed(case["boxes"]):
        only_keys(box, {"size", "cells"})
        boxes.append(Box(box["size"], tuple((row, column, level) for row, column, level in box["cells"])))
    try:
        loads.check_packed(truck, boxes)
    except IllegalEvent:
        return {"legal": False, "empty": None}
    return {"legal": True, "empty": loads.empty(truck, loads.counts_of(boxes))}


def pack_round(case: Case) -> dict[str, Any]:
    options = checked_options(case)
    before = case["before"]
    vouchers = case.get("losses_after_vouchers")
    without = case.get("losses") or vouchers or {}
    lost = vouchers or without
    if not set(before) == set(without) == set(lost):
        raise ValueError("the losses are not those of the same players")
    bonus = scoring.smallest(lost)
    after = {
        player: scoring.points_after(before[player], lost[player], player in bonus, options.floor_at_zero)
        for player in before
    }
    over = scoring.ends(after)
    return {
        "after": after,
        "bonus": AnyOrder(bonus),
        "game_over": over,
        "winners": AnyOrder(scoring.highest(after) if over else ()),
        "reward": rewards.only_perfect(without) if options.reward_cards else None,
    }


def truck_of(case: Case) -> Truck:
    only_keys(case["truck"], {"footprint", "height"})
    if not 0 <= case["truck"]["height"] <= MOST:
        raise ValueError(f"no truck is {case['truck']['height']} high")
    return Truck(tuple(case["truck"]["footprint"]), case["truck"]["height"])


def counts_of(boxes: Mapping[Any, int] | None) -> Counts:
    """Boxes by size, none of those not named; raises ValueError for a size or a number that cannot be."""
    named = {size: number or 0 for size, number in numbered(boxes).items()}
    only_keys({str(size): 0 for size in named}, {str(size) for size in SIZES})
    if any(
        isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MOST for number in named.values()
    ):
        raise ValueError(f"a number of boxes is 0 to {MOST}")
    one, two, three, four, five = (named.get(size, 0) for size in SIZES)
    return one, two, three, four, five


KINDS: Kinds = {
    "pack_load": ({"truck", "rolled", "unloaded"}, pack_load),
    "pack_fit": ({"truck", "rolled"}, pack_fit),
    "pack_legal": ({"truck", "boxes"}, pack_legal),
    "pack_round": ({"before", "losses", "losses_after_vouchers"}, pack_round),
}
