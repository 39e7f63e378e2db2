"""Reads worked cases and asks the games' rules. An unknown kind, key or option is a failure, never passed over.

Whatever is wrong with a case is that case's failure, in one line; the other cases are run all the same.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.rulebook import maxstax, pack_and_stack, sack_stackers, sandpile_panic, stack_dice
from tests.rulebook.cases import Case, Kinds, matches, plain
from tests.rulebook.reading import blocks, cases_of, key_twice

KINDS: Kinds = {
    **sack_stackers.KINDS,
    **maxstax.KINDS,
    **sandpile_panic.KINDS,
    **pack_and_stack.KINDS,
    **stack_dice.KINDS,
}
COMMENTS = {"note", "reason"}
LONGEST_LINE = 600


@dataclass(frozen=True)
class Result:
    """How one case went: "passed", "failed" (and why) or "skipped"."""

    case: str
    outcome: str
    why: str = ""


def failure(case: object, why: object) -> Result:
    """A case that failed, in one line that every terminal can show."""
    return Result(one_line(case), "failed", one_line(why))


def one_line(value: object) -> str:
    """A value as a line of text, however long or strange it is."""
    text = " ".join(str(value).split()).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…"


def run_file(path: Path) -> list[Result]:
    """Every case of a YAML file or of the YAML blocks of a Markdown file; none only of Markdown without any block."""
    results: list[Result] = []
    try:
        for block in blocks(path):
            results += run_block(path, block)
    except (OSError, ValueError) as error:
        results.append(failure(path, f"the file cannot be read: {error}"))
    return results


def run_block(path: Path, text: str) -> list[Result]:
    """Every case of a YAML text; one that cannot be read is one failure."""
    try:
        cases = cases_of(text)
    except Exception as error:  # a case file is anybody's text: nothing in it may stop the others
        return [failure(path, f"the cases cannot be read: {type(error).__name__}: {error}")]
    return [run_case(case) for case in cases] or [failure(path, "the list of cases is empty")]


def run_case(case: Case) -> Result:
    """One case: what the rules answer, compared with every key under `expect`."""
    name = case.get("id", "case without id")
    try:
        if case.get("kind") == "words":
            return Result(one_line(name), "skipped")
        why = complaint(case) or difference(case)
    except Exception as error:  # whatever a case of odd shape leads to is wrong with the case
        return failure(name, f"the case cannot be run: {type(error).__name__}: {error}")
    return failure(name, why) if why else Result(one_line(name), "passed")


def complaint(case: Case) -> str:
    """What is wrong with the form of a case, "" for nothing."""
    kind, expected = case.get("kind"), case.get("expect")
    if not isinstance(kind, str) or kind not in KINDS:
        return f"unknown kind {kind!r}"
    if twice := key_twice(dict(case)):
        return f"the key {twice.key!r} stands twice"
    given, _ = KINDS[kind]
    if unknown := set(case) - given - {"id", "kind", "options", "expect"} - COMMENTS:
        return f"unknown keys {sorted(map(str, unknown))}"
    if expected is not None and not isinstance(expected, dict):
        return f"what is expected is no mapping: {expected!r}"
    return "" if set(expected or ()) - COMMENTS else "nothing is expected"


def difference(case: Case) -> str:
    """The first expectation that the rules do not meet, "" when they meet all."""
    _, answer = KINDS[case["kind"]]
    got = answer(read(case))
    for key, wanted in case["expect"].items():
        if key in COMMENTS:
            continue
        if key not in got:
            return f"unknown expectation {key!r}"
        if not matches(got[key], wanted):
            return f"{key}: expected {wanted!r}, the rules say {got[key]!r}"
    return ""


def read(case: Case) -> dict[str, Any]:
    """The case with None for `none`, except in the options, where some have a value of that name."""
    return {key: value if key == "options" else plain(value) for key, value in case.items()}
