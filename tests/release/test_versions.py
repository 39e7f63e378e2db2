"""What changes without its version fails, and the sentence says which version to raise."""

from dataclasses import replace

import pytest

from companion.game.parts.rules import Rules
from companion.journal import schema
from release import versions
from release.versions import complaints, fields_of, kept, now, without_words, write

RELEASED = kept()
PROGRAM = tuple(map(int, RELEASED.program.split(".")))
NEXT_PROGRAM, MENDED = f"{PROGRAM[0]}.{PROGRAM[1] + 1}.0", f"{PROGRAM[0]}.{PROGRAM[1]}.{PROGRAM[2] + 1}"
API = tuple(map(int, RELEASED.api.split(".")))
NEXT_API, NEW_API = f"{API[0]}.{API[1] + 1}", f"{API[0] + 1}.0"


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
        ({"document": "other"}, f"raise API in web/api/openapi.py, to {NEXT_API} where every call"),
        ({"parts": {**RELEASED.parts, "Sight": ["eyes"]}}, "Sight has lost glanced, propose: raise CONTRACT"),
        ({"parts": {**RELEASED.parts, "Box": ["bind", "look!"]}}, "Box now needs look!: raise CONTRACT"),
        ({"rules": {**RELEASED.rules, "stack_dice": "other"}}, f"raise version in pyproject.toml to {NEXT_PROGRAM}"),
        (
            {"rules": {**RELEASED.rules, "stack_dice": "other"}, "program": MENDED},
            f"The rules of stack_dice have changed since {RELEASED.program}",
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
        {"document": "other", "api": NEXT_API},
        {"document": "other", "api": NEW_API},
        {"parts": {**RELEASED.parts, "Box": ["bind", "look", "ring"]}},
        {"parts": {**RELEASED.parts, "Box": ["bind"]}, "contract": 2},
        {"rules": {**RELEASED.rules, "stack_dice": "other"}, "program": NEXT_PROGRAM},
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
    document, today = versions.described(), now()
    released = replace(RELEASED, document=today.document, api=today.api)
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
    with pytest.raises(SystemExit, match=f"{RELEASED.program} is written down with another content"):
        write(other, path, again=False)
    assert path.read_text() == first
    write(other, path, again=True)
    assert 'document = "other"' in path.read_text()
    write(replace(other, program=NEXT_PROGRAM, document="third"), path, again=False)
    assert f'program = "{NEXT_PROGRAM}"' in path.read_text()
