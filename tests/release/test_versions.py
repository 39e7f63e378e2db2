"""What changes without its version fails, and the sentence says which version to raise."""

from dataclasses import replace

import pytest

from companion.game.parts.rules import Rules
from companion.journal import schema
from release import versions
from release.versions import complaints, fields_of, kept, now, without_words, write

RELEASED = kept()


def test_nothing_has_changed_since_the_release_without_its_version():
    assert list(complaints(RELEASED, now())) == []


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
    *before, last = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (*before, last + "ALTER TABLE people ADD COLUMN more TEXT;"))
    (sentence,) = complaints(RELEASED, now())
    assert sentence.startswith("A migration of the journal of")


def test_a_call_less_is_seen_and_a_better_word_is_not(monkeypatch):
    released, document = now(), versions.described()
    paths = dict(document["paths"])
    call = dict(paths["/api/sessions"])
    call["get"] = {**call["get"], "summary": "Said otherwise"}
    monkeypatch.setattr(versions, "described", lambda: {**document, "paths": {**paths, "/api/sessions": call}})
    assert list(complaints(released, now())) == []
    del paths["/api/sessions"]
    monkeypatch.setattr(versions, "described", lambda: {**document, "paths": paths})
    (sentence,) = complaints(released, now())
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
