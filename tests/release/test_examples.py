"""The examples of the documents are true: those in Python run, those of the API are as its schemas say."""

import doctest
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from jsonschema import Draft202012Validator

from hardware.tools import screenshot
from release import site
from release.api_page import example, page
from tests.browser import screenshots
from web.api.routes import described

ROOT = Path(__file__).parents[2]
DOCUMENT = described()
BODIES = [
    (f"{method.upper()} {path}", part["content"]["application/json"]["schema"])
    for path, methods in DOCUMENT["paths"].items()
    for method, call in methods.items()
    for part in (call.get("requestBody"), next(iter(call["responses"].values())))
    if part and "application/json" in part["content"]
]


@pytest.mark.parametrize(("document", "least"), [(ROOT / "docs/games.md", 12), (site.CONTRACT, 50)])
def test_the_examples_of_a_document_run(document, least):
    ran = doctest.testfile(str(document), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert ran.attempted > least
    assert ran.failed == 0


def test_every_part_of_the_contract_has_an_example():
    sections = site.CONTRACT.read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(sections) == 7
    assert [section.splitlines()[0] for section in sections if ">>> " not in section or "\n::: " not in section] == []


@pytest.mark.parametrize(("call", "schema"), BODIES, ids=[call for call, _schema in BODIES])
def test_an_example_of_the_api_is_as_its_schema_says(call, schema):
    whole = {**schema, "components": DOCUMENT["components"]}
    Draft202012Validator(whole).validate(example(schema, DOCUMENT))


def test_the_page_of_the_api_has_every_call_with_an_example():
    text = page()
    for path, methods in DOCUMENT["paths"].items():
        for method, call in methods.items():
            part = text.split(f"\n## {method.upper()} {path}\n")[1].split("\n## ")[0]
            assert call["summary"] in part
            assert "```sh\ncurl" in part
    bodies = re.findall(r" -d '(.+)' http://table\.local", text)
    assert len(bodies) > 15
    assert all(isinstance(json.loads(body), dict) for body in bodies)


def test_every_command_has_its_help():
    text = "\n".join(site.command_lines(site.cli, "companion"))
    for name in ("run", "hub", "hub code", "print mat", "doctor", "new-game", "check-game", "init", "report"):
        assert f"\n## companion {name}\n" in text


def test_every_picture_of_the_documents_is_taken_by_make_screenshots_and_shown():
    house = SimpleNamespace(at=str)
    taken = {f"{name}.png" for name, _address in screenshots.document_pages(house)} | {screenshots.MISREAD}
    taken |= {f"{drawing.stem}.png" for drawing in screenshots.DRAWINGS}
    assert {path.name for path in screenshots.DOCUMENTS.iterdir()} == taken
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))]
    assert {name for name in taken if not any(f"images/{name})" in text for text in texts)} == set()


def test_the_picture_of_the_set_up_page_is_taken_by_make_screenshots_and_shown():
    folder = screenshot.PICTURE.parents[1]
    assert f"]({screenshot.PICTURE.relative_to(folder)})" in (folder / "README.md").read_text(encoding="utf-8")
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nscreenshots:")[1].split("\n\n")[0]
    assert f"python -m {screenshot.__name__}\n" in f"{recipe}\n"
    assert screenshot.CHROMIUM == screenshots.CHROMIUM


def test_a_link_to_nothing_ends_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "OUT", tmp_path / "out")
    (tmp_path / "docs").mkdir()
    (tmp_path / "Makefile").touch()
    (tmp_path / "a.png").touch()
    document = tmp_path / "docs/a.md"
    document.write_text("[make](../Makefile) ![a](../a.png) [away](https://example.org) [b](#b)")
    assert site.with_links(document) == "make ![a](../a.png) [away](https://example.org) [b](#b)"
    assert (tmp_path / "out/a.png").is_file()
    document.write_text("[b](b.md)")
    with pytest.raises(SystemExit, match=r"docs/a\.md leads to b\.md, which is not there"):
        site.with_links(document)
