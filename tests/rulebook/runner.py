"""Reads worked cases and asks the games' rules. An unknown kind, key or option is a failure, never passed over."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from companion.errors import CompanionError
from tests.rulebook import maxstax, pack_and_stack, sack_stackers, sandpile_panic, stack_dice
from tests.rulebook.cases import Case, Kinds, plain

KINDS: Kinds = {
    **sack_stackers.KINDS,
    **maxstax.KINDS,
    **sandpile_panic.KINDS,
    **pack_and_stack.KINDS,
    **stack_dice.KINDS,
}
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
