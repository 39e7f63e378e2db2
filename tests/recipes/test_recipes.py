"""The recipes of CONTRIBUTING.md are true: a toy is added to a copy of the project, in the files that its recipe names.

A toy is a folder here: the files that it adds, each at its place, and `edits.toml`, what it changes in others.
"""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOYS = Path(__file__).parent
COPIED = ("companion", "docs", "firmware", "hardware", "vision", "web", "tests", "pyproject.toml")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "work")  # "work": what trainings left
ADDED = (".py", ".txt")
NAMED = re.compile(r"`((?:companion|firmware|hardware|tests|vision|web)/[\w<>*./-]+)`")
# toy → heading of its recipe, and the toy's own tests with those of the project that have to know it
RECIPES = {
    "coins": ("Add a reader", ("tests/vision/test_coins.py", "tests/test_every_reading.py")),
    "lamp": ("Add a device", ("tests/firmware/test_lamp.py", "tests/firmware/test_header.py")),
}


def section_of(heading):
    """The text of a recipe."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.split(f"## {heading}\n")[1].split("\n## ")[0]


def files_of_recipe(heading):
    """Patterns of the paths that a recipe names: "<kind>" stands for a name of one's own, a folder for all in it."""
    return [re.sub(r"<\w+>", "*", path) + "*" * path.endswith("/") for path in NAMED.findall(section_of(heading))]


def run(house, module, *arguments):
    """Runs a module of a copy of the project, which must succeed."""
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]


def add(toy, house):
    """Adds a toy to a copy of the project; gives every path that it touched."""
    edits = tomllib.loads((toy / "edits.toml").read_text(encoding="utf-8"))["edit"]
    for edit in edits:
        path = house / edit["file"]
        text = path.read_text(encoding="utf-8")
        assert text.count(edit["find"]) == 1, f"{edit['find']!r} stands {text.count(edit['find'])} times in {path}"
        path.write_text(text.replace(edit["find"], edit["put"]), encoding="utf-8")
    added = [path.relative_to(toy) for path in toy.rglob("*") if path.is_file() and path.suffix in ADDED]
    for path in added:
        (house / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(toy / path, house / path)
    return {edit["file"] for edit in edits} | {path.as_posix() for path in added}


def copy_project(house):
    """Copies what the recipes speak of."""
    for part in COPIED:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, house / part, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / part, house / part)


def files_of(house):
    """Path → content of every file that is no trace of a program's run."""
    paths = (path for path in house.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(house).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize("name", RECIPES)
def test_a_toy_is_added_in_the_files_that_its_recipe_names(name, tmp_path):
    heading, tests = RECIPES[name]
    copy_project(tmp_path)
    touched = add(TOYS / name, tmp_path)
    named = files_of_recipe(heading)
    unnamed = {path for path in touched if not any(fnmatch.fnmatch(path, pattern) for pattern in named)}
    assert unnamed == set(), f"“{heading}” names {named}"
    run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", *tests)


DUTCH = {"English": "Nederlands", "Your turn": "Jij bent aan de beurt", "Undo": "Ongedaan maken"}
MENU = """\
from companion.words import menu_name, speak, _
speak("nl")
print(menu_name("nl"), _("Your turn"), _("Redo"), sep="; ")
"""


def test_a_half_done_language_lands_by_its_recipe(tmp_path):
    heading = "Add a language"
    command = re.search(r"`make messages LANGUAGE=(\w+)`", section_of(heading))
    assert command, "the recipe begins a language"
    code = command[1]
    copy_project(tmp_path)
    before = files_of(tmp_path)
    run(tmp_path, "companion.languages.messages", code)
    path = tmp_path / f"companion/languages/{code}/LC_MESSAGES/companion.po"
    text = path.read_text(encoding="utf-8")
    for message, translation in DUTCH.items():
        assert text.count(f'\nmsgid "{message}"\nmsgstr ""\n') == 1, message
        text = text.replace(f'\nmsgid "{message}"\nmsgstr ""\n', f'\nmsgid "{message}"\nmsgstr "{translation}"\n')
    path.write_text(text, encoding="utf-8")
    run(tmp_path, "companion.languages.messages", code)

    after = files_of(tmp_path)
    touched = {name for name in after if after[name] != before.get(name)}
    named = files_of_recipe(heading)
    compiled = {name for name in touched if Path(name).suffix in (".mo", ".json") and f"/{code}/" in name}
    by_hand = touched - compiled
    assert {name for name in by_hand if not any(fnmatch.fnmatch(name, pattern) for pattern in named)} == set()
    said = subprocess.run(
        [sys.executable, "-c", MENU], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert said.stdout == "Nederlands · 0 %; Jij bent aan de beurt; Redo\n"
    run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "tests/languages/test_catalogues.py")
