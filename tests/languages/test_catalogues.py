"""A finished language's catalogues say all that the code says; in any, the same places are filled in."""

import ast
import re
import string
from gettext import GNUTranslations

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from companion.languages.messages import KEYWORDS, PYTHON, ROOT, extract, forms, path_of
from companion.words import DOMAIN, ENGLISH, FOLDER, TABLET, languages, speak, tablet_words, translated

MEND = "run make messages, then translate what is new in companion/languages"
OTHERS = [code for code in languages() if code != ENGLISH]
RULE_ID = re.compile(r"\b(?:SS|ST|SP|PS|MX|SPD|SAM|SWP)-\d")
EVERY = [(code, domain) for code in OTHERS for domain in (DOMAIN, TABLET)]
FINISHED = [(code, domain) for code, domain in EVERY if translated(code).percent == 100]


def kept(code: str, domain: str) -> Catalog:
    with path_of(code, domain).open("rb") as file:
        return read_po(file, locale=code, domain=domain)


def said(catalogue: Catalog) -> dict[tuple, tuple[str, ...]]:
    """(context, message) → its translations."""
    return {(each.context, forms(each.id)): forms(each.string) for each in catalogue if each.id}


def places(text: str) -> set[str]:
    """What is to be filled in, with how it is written: "{points:+d}"."""
    return {f"{name}!{how}:{spec}" for _, name, spec, how in string.Formatter().parse(text) if name is not None}


def test_german_is_there_whole_and_was_read():
    assert "de" in OTHERS
    assert translated("de") == (100, True)


@pytest.mark.parametrize(("code", "domain"), FINISHED)
def test_every_message_of_the_code_is_translated(code, domain):
    wanted = {(each.context, forms(each.id)) for each in extract(domain) if each.id}
    have = said(kept(code, domain))
    missing = [message for message in wanted if not all(have.get(message, ("",)))]
    assert missing == [], MEND
    assert set(have) - wanted == set(), f"no longer in the code: {MEND}"


def test_no_message_stands_inside_an_f_string():
    """Babel finds none there before Python 3.12: it would stay English."""
    sources = [path for pattern in PYTHON for path in sorted(ROOT.glob(pattern))]
    assert len(sources) > 100
    assert [f"{path}: {message}" for path in sources for message in inside_f_strings(path.read_text())] == []
    assert inside_f_strings("f'{a} {_(b)} {_(\"Undo\")}'") == ["Undo"]


def inside_f_strings(source: str) -> list[str]:
    outer = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.JoinedStr)]
    calls = [each for one in outer for each in ast.walk(one) if isinstance(each, ast.Call)]
    named = [each for each in calls if isinstance(each.func, ast.Name) and each.func.id in KEYWORDS]
    return [first.value for each in named for first in each.args[:1] if isinstance(first, ast.Constant)]


@pytest.mark.parametrize("code", OTHERS)
def test_the_share_in_the_menu_is_true(code):
    wanted = [{(each.context, forms(each.id)) for each in extract(domain) if each.id} for domain in (DOMAIN, TABLET)]
    have = [{key for key, texts in said(kept(code, domain)).items() if all(texts)} for domain in (DOMAIN, TABLET)]
    done = sum(len(some & all_) for some, all_ in zip(have, wanted, strict=True))
    percent = 100 * done / sum(map(len, wanted))
    assert abs(translated(code).percent - percent) < 1.5, MEND  # A sentence more or less changes no menu.


@pytest.mark.parametrize(("code", "domain"), EVERY)
def test_nothing_is_guessed(code, domain):
    assert [each.id for each in kept(code, domain) if each.fuzzy and each.id] == []


@pytest.mark.parametrize(("code", "domain"), EVERY)
def test_the_same_places_are_filled_in(code, domain):
    for (_context, message), translations in said(kept(code, domain)).items():
        assert len(message) == 1 or len(translations) > 1, message
        for translation in filter(None, translations):  # what is missing is said in English
            one, many = places(message[0]), places(message[-1])
            if len(message) == 1:
                assert places(translation) == one, message
            else:
                assert places(translation) <= one | many, message
                assert places(translation) | {"n!None:"} >= one & many, message  # the number may be left out: "one"


@pytest.mark.parametrize("code", OTHERS)
def test_what_the_program_reads_is_what_people_translated(code):
    with path_of(code, DOMAIN).with_suffix(".mo").open("rb") as file:
        compiled = GNUTranslations(file)
    wrong = [
        (context, message)
        for (context, message), texts in said(kept(code, DOMAIN)).items()
        if told(compiled, context, message) != (texts if all(texts) else message)[0]
    ]
    assert wrong == [], MEND


@pytest.mark.parametrize("code", OTHERS)
def test_what_the_scripts_of_the_pages_read_is_what_people_translated(code):
    whole = {message[0]: list(texts) for (_, message), texts in said(kept(code, TABLET)).items() if all(texts)}
    speak(code)
    try:
        words = {message: list(forms(text)) for message, text in tablet_words().items()}
    finally:
        speak(ENGLISH)
    assert words == whole, MEND


def told(compiled: GNUTranslations, context: str | None, message: tuple[str, ...]) -> str:
    """What the program says for one of a thing."""
    if len(message) > 1:
        return compiled.ngettext(*message, 1)
    return compiled.pgettext(context, message[0]) if context else compiled.gettext(message[0])


def test_a_catalogue_is_all_that_a_language_needs():
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == set(OTHERS)


@pytest.mark.parametrize(("code", "domain"), EVERY)
def test_no_message_names_a_rule_by_its_number(code, domain):
    texts = [text for (_, message), translated in said(kept(code, domain)).items() for text in (*message, *translated)]
    assert [text for text in texts if RULE_ID.search(text)] == []


def test_commands_stay_english():
    marked = {path.name for path in (FOLDER.parent / "cli").glob("*.py") if "companion.words" in path.read_text()}
    assert marked == set()
