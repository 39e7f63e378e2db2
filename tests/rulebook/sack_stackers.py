"""Worked cases of Sack Stackers."""

from dataclasses import replace
from typing import Any

from companion.errors import IllegalEvent
from companion.games.sack_stackers import groups
from companion.games.sack_stackers import rules as sack
from companion.games.sack_stackers.dice import altered, check_marks, placeable, uses_of
from companion.games.sack_stackers.events import Coal, Event, Mark, Placed, Unplaced, When
from companion.games.sack_stackers.options import BOXES, CIRCLES, COAL, COLUMNS, ROWS
from companion.games.sack_stackers.scoring import isolated_coal, score, scoring_groups
from companion.games.sack_stackers.state import Sheet, State
from tests.rulebook.cases import AnyOrder, Case, Kinds, listed, numbered, only_keys, options_of


def sack_state(case: Case, sheet: Sheet, dice: list[int] | None = None) -> State:
    start = sack.start(options_of(case, "sack_stackers"), ("A",))
    return State(start.options, ("A",), {"A": sheet}, dice=(dice[0], dice[1]) if dice else None)


def sack_of(case: Case) -> tuple[str, ...]:
    """Six columns of gifts and coal, however high; raises ValueError for anything else."""
    columns = tuple(column or "" for column in case["sack"])
    if len(columns) != COLUMNS or not set("".join(columns)) <= {*groups.TYPES, COAL}:
        raise ValueError(f"{case['sack']} is no sack")
    return columns


def sack_turn(case: Case) -> dict[str, Any]:
    move = case["move"]
    only_keys(move, {"gift_die", "gift", "column_die", "alter", "coal"})
    sheet = Sheet(sack_of(case), circles=case["circles_before"] or 0)
    state = sack_state(case, sheet, case["dice"])
    refused = {"legal": False, "section": None, "column": None, "sack": list(sheet.sack), "circles": sheet.circles}
    gift, which = move["gift"], (move.get("gift_die"), move.get("column_die"))
    if which not in ((1, 2), (2, 1)) and (gift is not None or which != (None, None)):
        return refused
    marks = tuple(
        Mark(die, 1 if change > 0 else -1)
        for die, change in numbered(move.get("alter")).items()
        for _ in range(min(abs(change or 0), CIRCLES + 1))  # one too many is as illegal as a million
    )
    coal = tuple(map(coal_of, listed(move.get("coal"))))
    section = column = None
    try:
        event: Event = Unplaced("A", marks, coal)
        if gift is not None:
            check_marks(sheet, marks)
            section, column = uses_of(altered(state, marks))[move["gift_die"] - 1]
            event = Placed("A", move["gift_die"], section, gift, gift, column, marks, coal)
        after = sack.apply(state, event).sheets["A"]
    except IllegalEvent:
        return refused
    return {"legal": True, "section": section, "column": column, "sack": list(after.sack), "circles": after.circles}


def coal_of(piece: Case) -> Coal:
    """A coal of a move; after the gift unless the case says otherwise."""
    only_keys(piece, {"column", "when"})
    return Coal(piece["column"], When(piece.get("when") or "after"))


def sack_able(case: Case) -> dict[str, Any]:
    filled = listed(case["full_columns"])
    columns = tuple("C" * ROWS if number in filled else "" for number in range(1, COLUMNS + 1))
    boxes = frozenset((section, box) for section in listed(case["empty_sections"]) for box in BOXES)
    sheet = Sheet(columns, boxes)
    found = placeable(sack_state(case, sheet).sheets["A"], tuple(case["dice"]))
    uses = AnyOrder({"section": section, "column": column} for section, column in found)
    return {"able": bool(found), "uses": uses, "coal": 0 if found or sheet.full else 1}  # SS-32, SS-35


def sack_score(case: Case) -> dict[str, Any]:
    sheet = Sheet(sack_of(case), circles=case["circles_used"] or 0)
    state = sack_state(case, sheet)
    flat = replace(state, options=replace(state.options, mirror=False))
    return {
        "groups": {kind: len(found) for kind, found in scoring_groups(state, "A").items()},
        "isolated_coal": isolated_coal(sheet.sack),
        "unused_circles": CIRCLES - sheet.circles,
        "total": score(state)["A"],
        "total_without_mirror": score(flat)["A"],
    }


KINDS: Kinds = {
    "sack_turn": ({"sack", "dice", "move", "circles_before"}, sack_turn),
    "sack_able": ({"full_columns", "empty_sections", "dice"}, sack_able),
    "sack_score": ({"sack", "circles_used"}, sack_score),
}
