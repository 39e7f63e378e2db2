"""Worked cases of Sack Stackers."""

from typing import Any

from companion.errors import IllegalEvent
from companion.games.sack_stackers import rules as sack
from tests.rulebook.cases import Case, Kinds, only_keys, options_of, plain


def sack_state(case: Case, sheet: sack.Sheet, dice: list[int] | None = None) -> sack.State:
    start = sack.start(options_of(case, "sack_stackers"), ("A",))
    return sack.State(start.options, ("A",), {"A": sheet}, dice=(dice[0], dice[1]) if dice else None)


def sack_turn(case: Case) -> dict[str, Any]:
    only_keys(case["move"], {"gift_die", "gift", "column_die", "alter", "coal"})
    move = case["move"]
    sheet = sack.Sheet(tuple(case["sack"]), circles=case["circles_before"])
    state = sack_state(case, sheet, case["dice"])
    if {move["gift_die"], move["column_die"]} != {1, 2}:
        return {"legal": False, "sack": case["sack"], "circles": sheet.circles}
    marks = tuple(
        sack.Mark(die, 1 if change > 0 else -1)
        for die, change in move.get("alter", {}).items()
        for _ in range(abs(change))
    )
    coal = tuple(sack.Coal(piece["column"], sack.When(piece["when"])) for piece in move.get("coal", []))
    gift = plain(move["gift"])
    section = column = None
    try:
        event: sack.Event = sack.Unplaced("A", marks, coal)
        if gift is not None:
            section, column = sack.uses(sack.altered(state, marks))[move["gift_die"] - 1]
            event = sack.Placed("A", move["gift_die"], section, gift, gift, column, marks, coal)
        after = sack.apply(state, event).sheets["A"]
    except IllegalEvent:
        return {"legal": False, "section": None, "column": None, "sack": case["sack"], "circles": sheet.circles}
    return {"legal": True, "section": section, "column": column, "sack": list(after.sack), "circles": after.circles}


def sack_able(case: Case) -> dict[str, Any]:
    columns = tuple("C" * sack.ROWS if number in case["full_columns"] else "" for number in range(1, sack.COLUMNS + 1))
    boxes = frozenset((section, box) for section in case["empty_sections"] for box in sack.BOXES)
    found = sack.placeable(sack.Sheet(columns, boxes), tuple(case["dice"]))
    uses = [{"section": section, "column": column} for section, column in found]
    return {"able": bool(found), "uses": plain(uses), "coal": 0 if found else 1}


def sack_score(case: Case) -> dict[str, Any]:
    sheet = sack.Sheet(tuple(case["sack"]), circles=case["circles_used"])
    state = sack_state(case, sheet)
    flat = sack_state({**case, "options": {**case.get("options", {}), "mirror": False}}, sheet)
    return {
        "groups": {kind: len(found) for kind, found in sack.found_groups(state, "A").items()},
        "isolated_coal": sack.isolated_coal(sheet.sack),
        "unused_circles": sack.CIRCLES - sheet.circles,
        "total": sack.score(state)["A"],
        "total_without_mirror": sack.score(flat)["A"],
    }


KINDS: Kinds = {
    "sack_turn": ({"sack", "dice", "move", "circles_before"}, sack_turn),
    "sack_able": ({"full_columns", "empty_sections", "dice"}, sack_able),
    "sack_score": ({"sack", "circles_used"}, sack_score),
}
