"""What the documents name is there: a file that was moved stays in sentences for long."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("hardware/*.md"), *ROOT.glob("vision/*/*.md")]
)
LINK = r"\]\((?!https?:|mailto:)([^)\s]+)\)"
OURS = r"(?<![\w/.])(?:companion|docs|firmware|hardware|tests|vision|web)/[\w./-]*\w"
THREADS = (
    r'Thread\(target=.*name="([^"]+)"',
    r'(?:PeriodicThread|super\(\).__init__)\("([^"]+)", self\._',
)  # companion.periodic
MADE_BY_READERS = ("companion/languages/fr/LC_MESSAGES",)  # who follows the sentence makes it


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
