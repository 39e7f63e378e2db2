"""What changes without its version fails, and the sentence says which version to raise."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion.game.parts.rules import Rules
from companion.journal import schema
from companion.shelf import GAMES, PACKAGES
from release import versions
from release.versions import Versions, complaints, fields_of, kept, now, without_words, write
from tests.recipes.ten_steps import GAME
from web.api.routes import describe

RELEASED = Versions(  # whatever the last release was
    program="1.0.0",
    api="1.0",
    contract=1,
    document="as it was",
    journal=["one", "two"],
    hub={"first": "one"},
    parts={"Sight": ["eyes", "glanced", "propose"], "Box": ["bind", "look"]},
    rules={"stack_dice": "one"},
)


def test_nothing_has_changed_since_the_release_without_its_version():
    assert list(complaints(kept(), now())) == []


def test_the_document_counts_all_that_has_a_version():
    text = (versions.ROOT / "docs/versions.md").read_text()
    numbers = dict(enumerate(("Five", "Six", "Seven"), 5))
    rows = re.findall(r"^\| the .+$", text, re.M)
    assert text.count(f"\n{numbers[len(rows)]} things have a version of their own") == 1
    for path in (versions.HUB, Path(schema.__file__)):
        assert f"`{path.relative_to(versions.ROOT)}`" in text


def test_a_game_that_others_bring_changes_no_version_of_ours(monkeypatch):
    before = now()
    monkeypatch.setitem(GAMES, "ten_steps", GAME)
    monkeypatch.setitem(PACKAGES, "ten_steps", "steps 1.2")
    assert now() == before


def told(**changed):
    return list(complaints(RELEASED, replace(RELEASED, **changed)))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"journal": ["other", *RELEASED.journal[1:]]}, "append another one to MIGRATIONS"),
        ({"journal": RELEASED.journal[:-1]}, "append another one to MIGRATIONS"),
        ({"hub": {**RELEASED.hub, "first": "other"}}, "put back first"),
        ({"document": "other"}, "raise API in web/api/openapi.py, to 1.1 where every call of before still works"),
        ({"parts": {**RELEASED.parts, "Sight": ["eyes"]}}, "Sight has lost glanced, propose: raise CONTRACT"),
        ({"parts": {**RELEASED.parts, "Box": ["bind", "look!"]}}, "Box now needs look!: raise CONTRACT"),
        ({"rules": {**RELEASED.rules, "stack_dice": "other"}}, "raise version in pyproject.toml to 1.1.0"),
        (
            {"rules": {**RELEASED.rules, "stack_dice": "other"}, "program": "1.0.1"},
            "The rules of stack_dice have changed since 1.0.0",
        ),
    ],
)
def test_a_change_without_its_version_is_told(changed, said):
    (sentence,) = told(**changed)
    assert said in sentence


@pytest.mark.parametrize(
    "changed",
    [
        {"journal": [*RELEASED.journal, "another"]},
        {"hub": {**RELEASED.hub, "another": "one"}},
        {"document": "other", "api": "1.1"},
        {"document": "other", "api": "2.0"},
        {"parts": {**RELEASED.parts, "Box": ["bind", "look", "ring"]}},
        {"parts": {**RELEASED.parts, "Box": ["bind"]}, "contract": 2},
        {"rules": {**RELEASED.rules, "stack_dice": "other"}, "program": "1.1.0"},
    ],
)
def test_a_change_with_its_version_is_none_to_complain_of(changed):
    assert told(**changed) == []


def test_a_column_more_is_seen(monkeypatch):
    before = now()
    *migrations, last = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*migrations, last + "ALTER TABLE people ADD COLUMN more TEXT;"))
    (sentence,) = complaints(before, now())
    assert sentence.startswith("A migration of the journal of")


def test_a_call_less_is_seen_and_a_better_word_is_not(monkeypatch):
    before, document = now(), describe(GAMES.values())
    paths = dict(document["paths"])
    call = dict(paths["/api/sessions"])
    call["get"] = {**call["get"], "summary": "Said otherwise"}
    monkeypatch.setattr(versions, "describe", lambda _games: {**document, "paths": {**paths, "/api/sessions": call}})
    assert list(complaints(before, now())) == []
    del paths["/api/sessions"]
    monkeypatch.setattr(versions, "describe", lambda _games: {**document, "paths": paths})
    (sentence,) = complaints(before, now())
    assert sentence.startswith("The API has changed")


def test_a_property_that_is_called_title_stays():
    assert without_words({"title": "Pig", "properties": {"title": {"type": "string"}}}) == {
        "properties": {"title": {"type": "string"}}
    }


def test_a_field_that_must_be_given_is_marked():
    assert fields_of(Rules)[:2] == ["name!", "seats!"]
    assert "options" in fields_of(Rules)


def test_a_release_is_written_down_once(tmp_path):
    path = tmp_path / "versions.toml"
    write(RELEASED, path, again=False)
    first = path.read_text()
    write(RELEASED, path, again=False)
    other = replace(RELEASED, document="other")
    with pytest.raises(SystemExit, match=r"1\.0\.0 is written down with another content"):
        write(other, path, again=False)
    assert path.read_text() == first
    write(other, path, again=True)
    assert 'document = "other"' in path.read_text()
    write(replace(other, program="1.1.0", document="third"), path, again=False)
    assert 'program = "1.1.0"' in path.read_text()
