"""The rings of tests name what is there, and what a change reaches is run."""

import subprocess

import pytest

from tests.rings import plan, shown, touched
from tests.rings.__main__ import end_of
from tests.rings.plan import ROOT, Part

RING = plan.read()
NAMED = [
    *RING.check,
    *RING.always,
    *RING.dearer,
    *(name for part in RING.parts for name in (*part.tests, *part.depends)),
]


@pytest.mark.parametrize("name", NAMED)
def test_what_the_plan_names_is_there(name):
    assert (ROOT / name.partition("::")[0]).exists()


def test_what_a_part_names_is_left_to_make_test_all():
    part = Part("x", "It holds.", (), ("tests/a.py", "tests/b", "tests/c.py::test_one"))
    ring = plan.Plan(("tests/a.py", "tests/d"), (), (part,), 1, {})
    tests = ["tests/a.py::test_one", "tests/b/c.py::test_one", "tests/c.py::test_one[2]", "tests/c.py::test_two"]
    assert [ring.keeps(test, "all") for test in tests] == [True] * 4
    assert [ring.keeps(test, "test") for test in tests] == [False, False, False, True]
    assert ring.keeps("tests/d/e.py", "check")
    assert not ring.keeps("tests/c.py", "check")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository with one commit; what git says there, and the page of what was shown."""
    monkeypatch.setattr(shown, "ROOT", tmp_path)
    monkeypatch.setattr(shown, "SHOWN", tmp_path / "shown.md")

    def git(*arguments):
        settings = ("-c", "user.name=ci", "-c", "user.email=ci@localhost", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", *settings, *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)

    git("init", "--quiet")
    for name in ("journal.py", "page.py"):
        (tmp_path / name).write_text("was = 1\n")
    git("add", ".")
    git("commit", "--quiet", "--message", "all")
    return tmp_path, git("rev-parse", "--short=8", "HEAD").stdout.strip()


KILLS = Part("kills", "Nothing is lost.", ("journal.py",), ("tests/kills.py",))


def test_what_was_shown_is_old_once_a_file_that_it_depends_on_has_changed(project):
    folder, commit = project
    shown.write((KILLS,), {"kills": shown.Row(commit, "2026-11-29", "passed: 3 tests")})
    (folder / "page.py").write_text("was = 2\n")
    assert shown.older((KILLS,)) == []
    (folder / "journal.py").write_text("was = 2\n")
    assert shown.older((KILLS,)) == [f"kills was shown on {commit} (2026-11-29), before journal.py changed."]


@pytest.mark.parametrize(
    ("commit", "result", "sentence"),
    [
        ("", "", "kills has not been shown yet: Nothing is lost."),
        ("{here}", "passed, 1 skipped", "kills was not all shown on {here} (2026-11-29): passed, 1 skipped."),
        ("{here}", "failed: 1 of 3", "kills was last seen on {here} (2026-11-29): failed: 1 of 3."),
        ("0", "passed: 3", "kills was shown on 0 (2026-11-29), before journal.py, tests/kills.py changed."),
    ],
    ids=["never", "skipped", "failed", "on a commit that git does not know"],
)
def test_what_was_not_shown_is_told(project, commit, result, sentence):
    _folder, here = project
    shown.write((KILLS,), {"kills": shown.Row(commit.format(here=here), "2026-11-29", result)})
    assert shown.older((KILLS,)) == [sentence.format(here=here)]


def test_processes_are_waited_for_in_any_order():
    first, second = (subprocess.Popen(["sh", "-c", f"exit {status}"]) for status in (3, 4))
    assert [end_of(second), end_of(first)] == [4, 3]


REACHED = {
    "companion/games/stack_dice/rules.py": ["tests/games/test_stack_dice.py", "tests/test_playthroughs.py"],
    "companion/journal/store.py": ["tests/companion/test_journal.py", "tests/torture/test_kills.py"],
    "companion/letters/envelope.py": ["tests/hall/test_envelope.py", "tests/companion/test_outbox.py"],
    "companion/app/cli/print_.py": ["tests/companion/test_printing.py"],
    "vision/tower/match.py": ["tests/vision/test_tower.py"],
    "vision/process/main.py": ["tests/processes/test_photos.py", "tests/browser/test_clips.py"],
    "vision/models/dice-knower.onnx.xz": ["tests/vision/test_dice.py"],
    "firmware/debounce.py": ["tests/firmware/test_debounce.py"],
    "web/access/gate.py": ["tests/web/test_access.py", "tests/browser/test_evening.py"],
    "web/static/live.js": ["tests/browser/test_never_stale.py", "tests/web/test_pages.py"],
    "hardware/install.sh": ["tests/hardware_docs/test_install.py"],
    "tests/web/slow_devices.py": ["tests/web/test_slow_devices.py"],
    "companion/languages/de/LC_MESSAGES/companion.po": ["tests/languages/test_catalogues.py"],
    "tests/playthroughs/stack_dice/penalties.txt": ["tests/test_playthroughs.py"],
    "tests/vision/fixtures/dice/labels.json": ["tests/vision/test_dice.py"],
    "hardware/tools/bundle.py": ["tests/hardware_docs/test_bundle.py"],
    "tests/hall/conftest.py": ["tests/hall/test_database.py"],
    "companion/hub/migrations/versions/chimes.py": ["tests/hall/test_database.py"],
    "release/api_page.py": ["tests/release/test_examples.py", "tests/release/test_site.py"],
    "companion/games/stack_dice/turns.py": ["tests/release/test_versions.py"],
    "Makefile": ["tests/firmware/test_debounce.py"],
}


@pytest.mark.parametrize(("file", "tests"), REACHED.items())
def test_a_change_reaches_the_tests_of_its_room_and_of_all_that_stands_on_it(file, tests):
    assert (ROOT / file).exists()
    assert {*tests, "tests/test_imports.py"} <= set(touched.reached([file]))


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("vision/tower/match.py", "tests/firmware/test_debounce.py"),
        ("web/static/live.js", "tests/games/test_stack_dice.py"),
        ("companion/hub/record.py", "tests/web/test_people.py"),
        ("companion/app/cli/print_.py", "tests/vision/test_dice.py"),
        ("docs/web.md", "tests/web/test_pages.py"),
    ],
)
def test_a_change_does_not_reach_what_stands_elsewhere(file, test):
    assert test not in touched.reached([file])
