"""Every rule is implemented, cited and tested, or a person is asked: docs/rules-coverage.md says which."""

import re
from pathlib import Path

import pytest

import companion.games
from tests.conftest import PHOTOS

ROOT = Path(__file__).parents[2]
SHEETS = PHOTOS.parent / "rules"
OURS = ROOT / "docs" / "games"  # the sheets of games that have no rulebook of their own
RULES = (ROOT / "tests" / "rulebook" / "rule_ids.txt").read_text().split()
ASKED = ROOT / "docs" / "rules-coverage.md"
FOLDERS = {
    "SS": ("sack_stackers",),
    "ST": ("stack_dice",),
    "SP": ("sandpile_panic",),
    "PS": ("pack_and_stack",),
    "MX": ("maxstax", "speedstax", "samestax", "swapstax"),
    "SPD": ("speedstax",),
    "SAM": ("samestax",),
    "SWP": ("swapstax",),
    "TC": ("turn_clock",),
    "PAD": ("score_pad",),
    "TR": ("dice_tray",),
}
ID = rf"({'|'.join(FOLDERS)})-(\d+)"
CITED = re.compile(rf"\b{ID}(?:\s*…\s*{ID})?")
LOOKS = ("interface.py", "pages.py", "standings.py", "wording.py", "answers.py")  # no rule is implemented there


def cited(text):
    """The ids in a text, "SS-40 … SS-43" as four of them."""
    found = set()
    for game, first, last_game, last in CITED.findall(text):
        assert last_game in ("", game), f"{game}-{first} … {last_game}-{last} is no range"
        for number in range(int(first), int(last or first) + 1):
            found.add(f"{game}-{number:02d}")
    return found


def implemented(game):
    folder = Path(companion.games.__file__).parent
    files = [path for name in FOLDERS[game] for path in (folder / name).glob("*.py") if path.name not in LOOKS]
    files += sorted((folder.parent / "equipment").glob("*.py"))
    return set().union(*(cited(path.read_text(encoding="utf-8")) for path in files))


def asked():
    """The ids in the first column of the page's tables."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", ASKED.read_text(encoding="utf-8"), re.MULTILINE)
    return {rule: (why, question) for first, why, question in rows for rule in cited(first)}


def with_a_test():
    """The ids that a test carries at the end of its first line, or a playthrough in a comment."""
    found = set()
    for path in (ROOT / "tests" / "games").glob("test_*.py"):
        for line in re.findall(r"^def test_.*$", path.read_text(encoding="utf-8"), re.MULTILINE):
            found |= cited(line)
    for path in (ROOT / "tests" / "playthroughs").glob("*/*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            found |= cited(line.partition("#")[2])
    return found


def test_the_list_of_rules_is_that_of_the_sheets():
    if not SHEETS.is_dir():
        pytest.skip("the rule sheets are not beside this checkout: not shown that tests/rulebook/rule_ids.txt is whole")
    in_sheets = [
        rule
        for path in sorted([*SHEETS.glob("*.md"), *OURS.glob("*.md")])
        for rule in re.findall(rf"^\| ({ID}) \|", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert {rule for rule, *_ in in_sheets} == set(RULES)


@pytest.mark.parametrize("game", FOLDERS)
def test_every_rule_is_implemented_and_cited_or_a_person_is_asked(game):
    rules = {rule for rule in RULES if rule.startswith(f"{game}-")}
    assert rules
    missing = rules - implemented(game) - set(asked())
    assert not missing, f"neither cited in the game's rules nor listed in {ASKED.name}: {sorted(missing)}"


@pytest.mark.parametrize("game", FOLDERS)
def test_every_implemented_rule_has_a_test_that_carries_it(game):
    rules = {rule for rule in RULES if rule.startswith(f"{game}-")} - set(asked())
    missing = rules - with_a_test()
    assert not missing, f"no test carries {sorted(missing)}"


def test_the_list_of_what_people_are_asked_is_short_and_says_why_and_what():
    found = asked()
    assert len(found) <= len(RULES) // 8
    assert set(found) <= set(RULES)
    for why, question in found.values():
        assert why.strip().endswith(".")
        assert question.strip()
