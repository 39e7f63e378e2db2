"""A half-done language lands: what it lacks is said in English, and the menu says how much is there."""

import json
import shutil

import pytest
from babel.messages.pofile import read_po

from companion import words
from companion.languages import messages
from companion.words import DOMAIN, TABLET, Translation, _n, menu_name, speak, tablet_words, translated
from companion.words import _ as say
from tests.languages.conftest import forget
from web.app import create_app

DUTCH = {"Undo": "Ongedaan maken", "Round {number}": "Ronde {number}", "Remove": "Weghalen"}


@pytest.fixture
def dutch(tmp_path, monkeypatch):
    """Dutch as `make messages LANGUAGE=nl` begins it, with three sentences, and one of two forms of a plural."""
    shutil.copytree(words.FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    monkeypatch.setattr(messages, "FOLDER", tmp_path)
    messages.main(["nl"])
    for domain in (DOMAIN, TABLET):
        path = messages.path_of("nl", domain)
        text = path.read_text()
        for message, translation in DUTCH.items():
            text = text.replace(f'msgid "{message}"\nmsgstr ""', f'msgid "{message}"\nmsgstr "{translation}"')
        one = 'msgid_plural "{n} games"\nmsgstr[0] "'
        path.write_text(text.replace(f'{one}"', f'{one}{{n}} spel"'))
    messages.main(["nl"])
    forget()
    yield tmp_path
    monkeypatch.undo()
    forget()
    speak(words.ENGLISH)


def test_what_is_there_is_said_and_the_rest_in_english(dutch):
    speak("nl")
    assert say("Undo") == "Ongedaan maken"
    assert say("Round {number}", number=3) == "Ronde 3"
    assert say("Redo") == "Redo"
    assert [_n("{n} entry", "{n} entries", n) for n in (1, 2)] == ["1 entry", "2 entries"]
    assert [_n("{n} game", "{n} games", n) for n in (1, 2)] == ["1 game", "2 games"]  # half a plural is none
    assert tablet_words() == {"Remove": "Weghalen"}


def test_no_sentence_is_in_two_languages():
    speak("fr")
    red = say("red")
    assert red == "rouge"
    assert say("{die} is {colour}, and nobody has said that in French", die="A", colour=red).startswith("A is red")
    assert words.listed([red, say("blue")]) == "rouge et bleu"
    assert words.joined([red, say("blue")]) == "rouge, bleu"
    assert say("{n} and nobody has said that", n=0.5) == "0.5 and nobody has said that"
    assert words.number(0.5, 1) == "0,5"
    speak("de")
    said = say("{colour}, and nobody has said that", colour=say("red"))
    assert said == "rot, and nobody has said that"  # In a finished language a test finds it.
    speak(words.ENGLISH)


def test_its_share_is_counted_and_nobody_has_read_it(dutch):
    assert translated("nl") == Translation(percent=0, is_reviewed=False)
    assert translated("de") == Translation(percent=100, is_reviewed=True)
    assert menu_name("de") == "Deutsch"
    assert menu_name("nl") == "English · 0 %"  # its own name is a sentence as any other
    path = dutch / words.TRANSLATED
    path.write_text(json.dumps({**json.loads(path.read_text()), "nl": {"percent": 34, "is_reviewed": True}}))
    forget()
    assert menu_name("nl") == "English · 34 %"
    messages.main(["nl"])
    forget()
    assert translated("nl") == Translation(percent=0, is_reviewed=True)  # counting again keeps who has read it


def test_nothing_of_what_was_translated_is_lost_by_counting(dutch):
    with messages.path_of("nl", DOMAIN).open("rb") as file:
        kept = read_po(file, locale="nl")
    assert kept.get("Undo").string == "Ongedaan maken"
    assert kept.get("Redo").string == ""
    assert kept.get("{n} game").string == ("{n} spel", "")


def test_pages_speak_it_once_it_is_chosen(dutch, host):
    client = create_app(host).test_client()
    browser = {"Accept-Language": "nl"}
    assert 'lang="en"' in client.get("/", headers=browser).text  # less than half of it is there
    client.set_cookie("language", "nl")
    text = client.get("/house", headers=browser).text
    assert '<html lang="nl"' in text
    assert "English · 0 %, read by nobody yet" in text
    assert ">Deutsch</option>" in text


def test_french_is_in_the_menu_with_its_share():
    assert menu_name("fr") == f"Français · {translated('fr').percent} %"
    assert not translated("fr").is_reviewed
    speak("fr")
    try:
        assert say("Your turn") == "À vous de jouer"
        assert [_n("{n} game", "{n} games", n) for n in (0, 1, 2)] == ["0 partie", "1 partie", "2 parties"]
        assert words.number(12345.5, 1) == "12\u202f345,5"
    finally:
        speak(words.ENGLISH)
