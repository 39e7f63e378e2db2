"""The shelf takes the games of any package, and names what it cannot take."""

import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest

from companion import words
from companion.game.game import CONTRACT
from companion.shelf import GAMES, GROUP, PACKAGES, REFUSED, fill
from companion.words import _, _n, speak
from tests.recipes.ten_steps import GAME

ROOT = Path(__file__).parents[2]
GIVES = "from dataclasses import replace\nfrom tests.recipes.ten_steps import GAME as TEN\n"


@pytest.fixture
def brought(tmp_path, monkeypatch):
    """(name of a package, the source of its module) → the shelf with its game; its version is 1.2."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(words, "_brought", {})
    before = set(sys.modules)

    def bring(packages, languages=None):
        for package, source in packages.items():
            folder = tmp_path / package
            folder.mkdir()
            (folder / "__init__.py").write_text(source)
            about = tmp_path / f"{package}-1.2.dist-info"
            about.mkdir()
            (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
            (about / "entry_points.txt").write_text(f"[{GROUP}]\n{package} = {package}:GAME\n")
            if languages is not None:
                (folder / "languages").mkdir()
                (folder / "languages" / "de.json").write_text(languages)
        found = distributions(path=[str(tmp_path)])
        return fill(point for each in found for point in each.entry_points.select(group=GROUP))

    yield bring
    words._catalogue.cache_clear()
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_our_games_come_by_the_door():
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][GROUP]
    assert set(GAMES) == set(ours)
    assert (PACKAGES, REFUSED) == ({}, ())


def test_a_package_brings_a_game_and_its_version_is_known(brought):
    shelf = brought({"steps": f"{GIVES}GAME = TEN"})
    assert shelf == ({"ten_steps": GAME}, {"ten_steps": "steps 1.2"}, ())


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import no_such_module", "It can't be opened (ModuleNotFoundError: No module named 'no_such_module')."),
        ("1 / 0", "It can't be opened (ZeroDivisionError: division by zero)."),
        ("raise SystemExit(3)", "It can't be opened (SystemExit: 3)."),
        ("OTHER = 1", "It can't be opened (AttributeError: "),
        ("GAME = 7", "Its entry point names no game."),
        (f"{GIVES}GAME = replace(TEN, contract={CONTRACT + 1})", f"contract {CONTRACT + 1} of games, and this program"),
        (f"{GIVES}GAME = replace(TEN, rules=replace(TEN.rules, name='Ten Steps'))", "Its name needs to be of small"),
    ],
)
def test_a_package_that_cannot_be_taken_is_named_and_the_others_are_played(brought, source, says):
    shelf = brought({"a_bad_one": source, "steps": f"{GIVES}GAME = TEN"})
    assert list(shelf.games) == ["ten_steps"]
    ((package, entry, why),) = shelf.refused
    assert (package, entry) == ("a_bad_one", "a_bad_one")
    assert says in why


def test_a_name_is_taken_by_one_package_alone(brought):
    shelf = brought({"second": f"{GIVES}GAME = TEN", "first": f"{GIVES}GAME = TEN"})
    assert shelf.packages == {"ten_steps": "first 1.2"}
    assert shelf.refused[0][0] == "second"
    assert "the same name" in shelf.refused[0][2]


def test_a_game_speaks_other_languages_and_falls_back_to_english_sentence_by_sentence(brought):
    says = '{"Walk to the gate.": "Lauft zum Tor.", "{n} gate": ["{n} Tor", "{n} Tore"], "Undo": "Nein"}'
    brought({"steps": f"{GIVES}GAME = TEN"}, says)
    speak("de")
    try:
        assert [_("Walk to the gate."), _("Walk on.")] == ["Lauft zum Tor.", "Walk on."]
        assert [_n("{n} gate", "{n} gates", count) for count in (1, 2)] == ["1 Tor", "2 Tore"]
        assert _("Undo") == "Rückgängig"  # It is ours.
    finally:
        speak("en")


def test_sentences_that_are_no_json_are_a_reason_to_refuse_a_game(brought):
    shelf = brought({"steps": f"{GIVES}GAME = TEN"}, "{")
    assert (dict(shelf.games), shelf.refused[0][0]) == ({}, "steps")
