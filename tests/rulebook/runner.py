"""Reads worked cases and asks the games' rules. An unknown kind, key or option is a failure, never passed over."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from companion import codec
from companion.errors import CompanionError, IllegalEvent
from companion.games import GAMES
from companion.games.sack_stackers import rules as sack
from companion.games.speedstax import rules as speed

Case = Mapping[str, Any]
COMMENTS = {"note", "reason"}
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Result:
    """How one case went: "passed", "failed" (and why) or "skipped"."""

    case: str
    outcome: str
    why: str = ""


def run_file(path: Path) -> list[Result]:
    """Every case of a YAML file or of the YAML blocks of a Markdown file."""
    try:
        text = path.read_text(encoding="utf-8")
        blocks = YAML_BLOCK.findall(text) if path.suffix == ".md" else [text]
        cases = [case for block in blocks for case in cases_of(yaml.safe_load(block))]
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError) as error:
        return [Result(str(path), "failed", f"the file cannot be read: {error}")]
    return [run_case(case) for case in cases]


def cases_of(data: Any) -> list[Case]:
    """The list of cases: the data itself, or what stands under `cases`."""
    if isinstance(data, dict) and set(data) == {"cases"}:
        data = data["cases"]
    if not isinstance(data, list) or not all(isinstance(case, dict) for case in data):
        raise ValueError("no list of cases")
    return data


def run_case(case: Case) -> Result:
    """One case: what the rules answer, compared with every key under `expect`."""
    name = str(case.get("id", "case without id"))
    kind = case.get("kind")
    if kind == "words":
        return Result(name, "skipped")
    if kind not in KINDS:
        return Result(name, "failed", f"unknown kind {kind!r}")
    given, answer = KINDS[kind]
    unknown = set(case) - given - {"id", "kind", "options", "expect"} - COMMENTS
    if unknown or "expect" not in case:
        return Result(name, "failed", f"unknown keys {sorted(unknown)}" if unknown else "nothing is expected")
    try:
        got = answer(case)
    except (CompanionError, KeyError, TypeError, ValueError, IndexError) as error:
        return Result(name, "failed", f"the case cannot be run: {error!r}")
    for key, wanted in case["expect"].items():
        if key in COMMENTS:
            continue
        if key not in got:
            return Result(name, "failed", f"unknown expectation {key!r}")
        if got[key] != plain(wanted):
            return Result(name, "failed", f"{key}: expected {wanted!r}, the rules say {got[key]!r}")
    return Result(name, "passed")


def plain(value: Any) -> Any:
    """`none` is nobody or nothing; lists of uses are compared whatever their order."""
    if value == "none":
        return None
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        return sorted((plain(part) for part in value), key=repr)
    return value


def options_of(case: Case, game: str) -> Any:
    """The options of a case; raises BadInput for one that the game does not know."""
    return codec.options_from_json(GAMES[game], case.get("options", {}))


# Sack Stackers


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


# MaxStax


def speed_round(case: Case) -> dict[str, Any]:
    players = tuple(case["times"])
    if len(players) != case["players"]:
        raise ValueError("the times do not fit the number of players")
    state = speed.start(options_of(case, "speedstax"), players)
    for player in players:
        state = speed.apply(state, speed.Readied(player))
    state = speed.apply(state, speed.Started(0))
    for player, seconds in case["times"].items():
        if plain(seconds) is None:
            continue
        try:
            state = speed.apply(state, speed.Shouted(player, speed.COUNTDOWN_US + round(seconds * 1_000_000)))
        except IllegalEvent:
            continue  # too late: an incomplete stack
    return {"points": speed.score(state)}


def only_keys(data: Mapping[str, Any], known: set[str]) -> None:
    """Raises ValueError for a key that the format does not know."""
    if set(data) - known:
        raise ValueError(f"unknown keys {sorted(set(data) - known)}")


KINDS: Mapping[str, tuple[set[str], Callable[[Case], dict[str, Any]]]] = {
    "sack_turn": ({"sack", "dice", "move", "circles_before"}, sack_turn),
    "sack_able": ({"full_columns", "empty_sections", "dice"}, sack_able),
    "sack_score": ({"sack", "circles_used"}, sack_score),
    "speed_round": ({"players", "times"}, speed_round),
}
