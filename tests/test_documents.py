"""What the documents name is there: a file that was moved stays in sentences for long."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("hardware/*.md"), *ROOT.glob("vision/*/*.md")]
)
LINK = r"\]\((?!https?:|mailto:)([^)\s]+)\)"
OURS = r"(?<![\w/.])(?:companion|docs|firmware|hardware|release|tests|vision|web)/[\w./-]*\w"
THREADS = (
    r'(?:PeriodicThread|super\(\).__init__|Line|Workers)\(\s*"([^"]+)", (?:self\.|THREADS)',
)  # companion.periodic
MADE_BY_READERS = ("companion/languages/nl/LC_MESSAGES",)  # who follows the sentence makes it


def name(document):
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_files_that_a_document_names_are_there(document):
    text = re.sub(r"/var/lib/\S+|table-companion/\S+", "", re.sub(LINK, "]", document.read_text()))
    text = re.sub(r"`[^`]*<\w+>[^`]*`", "", text)  # a path with a name to be filled in
    named = set(re.findall(OURS, text)) - set(MADE_BY_READERS)
    assert [one for one in named if not (ROOT / one).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_of_a_document_lead_to_a_file_and_a_heading_of_it(document):
    for link in re.findall(LINK, document.read_text()):
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not heading or heading in map(anchor, re.findall(r"^#+ (.+)$", target.read_text(), re.M)), link


def anchor(heading):
    """As GitHub names it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_threads_of_the_service_are_named_in_the_architecture():
    text, threads = (ROOT / "ARCHITECTURE.md").read_text(), set()
    for folder in ("companion", "firmware", "web"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.name != "camera_process.py":  # of processes that have a camera
                threads |= {name for pattern in THREADS for name in re.findall(pattern, path.read_text())}
    assert len(threads) > 9
    assert {name for name in threads if f"`{name}`" not in text} == set()


# promises


PROMISING = ("SECURITY.md", "docs/reliability.md")
MAKE = r"`make ([\w-]+)`"


def shown_by(cell):
    """The tests that a cell of a table names: files, folders and targets of make."""
    return re.findall(r"`(tests/[\w./-]+)`", cell), re.findall(MAKE, cell)


def promises(text):
    """(promise, tests) of each row of the tables that have a column for tests."""
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        head, _line, *rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
        if head[-1] == "test":
            yield from ((row[0], row[-1]) for row in rows)


@pytest.mark.parametrize("document", PROMISING)
def test_every_promise_names_a_test_that_there_is(document):
    made = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    found = list(promises((ROOT / document).read_text()))
    assert len(found) > 15
    for promise, cell in found:
        paths, targets = shown_by(cell)
        assert paths or targets, f"no test shows: {promise}"
        assert {*targets} <= made, promise
        for path in paths:
            there = ROOT / path
            files = [there] if there.is_file() else sorted(there.glob("test_*.py"))
            assert any(re.search(r"^ *def test_", file.read_text(), re.M) for file in files), f"{path}: {promise}"


def test_every_part_of_what_it_withstands_names_a_test():
    """But the parts that are figures of tests which another part names."""
    text = (ROOT / "docs" / "reliability.md").read_text()
    parts = re.split(r"^## ", text, flags=re.M)[1:]
    assert len(parts) > 4
    for part in parts:
        assert "`tests/" in part or "tests." in part, part.splitlines()[0]
