"""Sentences in the language of whoever reads, and numbers and moments as that language writes them."""

import json
import pickle
import threading
from collections.abc import Iterator
from datetime import datetime

import msgspec
import pytest

from companion import words
from companion.errors import IllegalEvent
from companion.words import _, _n, listed, plain, retold


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    words.speak(words.ENGLISH)


def test_english_where_nothing_was_chosen():
    assert _("Time left") == "Time left"


def test_german_with_what_is_filled_in():
    words.speak("de")
    assert _("{name} wins", name="Ann") == "Ann gewinnt"
    assert [
        _n("{n} turnip", "{n} turnips", 1),
        _n("{n} entry", "{n} entries", 1),
        _n("{n} entry", "{n} entries", 3),
    ] == [
        "1 turnip",  # not in the catalogue: English
        "1 Eintrag",
        "3 Einträge",
    ]


def test_an_unknown_language_is_english():
    words.speak("tlh")
    assert words.language() == "en"


def test_what_is_kept_is_told_in_the_language_of_its_reader():
    kept = _("{name} wins", name=_("somebody"))
    words.speak("de")
    assert retold(kept) == "jemand gewinnt"
    assert retold("typed by a person") == "typed by a person"


def test_a_refusal_can_be_told_again():
    refusal = IllegalEvent(_("The game is over. Start a new one."))
    words.speak("de")
    assert retold(refusal.sentence) == "Das Spiel ist aus. Beginnt ein neues."
    assert str(refusal) == "The game is over. Start a new one."


def test_an_error_inside_a_sentence_is_kept_as_text_alone():
    kept = _("{path} can't be written: {why}.", path="x", why=OSError("no room"))
    assert kept.recipe.values == {"path": "x", "why": "no room"}  # type: ignore[attr-defined]


def test_it_crosses_a_pipe_and_becomes_json():
    kept = pickle.loads(pickle.dumps(_("The camera sees the table.")))
    assert json.dumps(kept) == '"The camera sees the table."'
    assert msgspec.json.encode({"text": kept}, enc_hook=plain) == b'{"text":"The camera sees the table."}'
    words.speak("de")
    assert retold(kept) == "Die Kamera sieht den Tisch."


def test_threads_speak_for_themselves():
    words.speak("de")
    heard: list[str] = []
    thread = threading.Thread(target=lambda: heard.append(_("Time left")))
    thread.start()
    thread.join()
    assert heard == ["Time left"]


def test_numbers_and_moments():
    noon_us = round(datetime(2026, 11, 21, 14, 5, 9).astimezone().timestamp() * 1e6)
    english = [words.number(1234.5, 1), words.seconds(10_500_000), words.day(noon_us), words.date(noon_us)]
    words.speak("de")
    german = [words.number(1234.5, 1), words.seconds(10_500_000), words.day(noon_us), words.date(noon_us)]
    assert english == ["1,234.5", "10.5\u00a0s", "Sat 21 Nov, 14:05", "21 Nov 2026"]
    assert german == ["1.234,5", "10,5\N{NO-BREAK SPACE}s", "Sa 21. Nov., 14:05", "21. Nov. 2026"]


def test_a_duration_as_people_say_it():
    said = {
        17_000_000: "17.0\u00a0s",
        59_940_000: "59.9\u00a0s",
        59_960_000: "1:00.0",
        87_900_000: "1:27.9",
        605_250_000: "10:05.2",
    }
    assert {span_us: words.seconds(span_us) for span_us in said} == said
    words.speak("de")
    assert words.seconds(87_900_000) == "1:27,9"


@pytest.mark.parametrize("language", ["en", "de"])
def test_below_zero_with_a_true_minus_sign_in_every_language(language):
    words.speak(language)
    assert [words.number(-20), words.signed(-20), words.signed(20)] == ["−20", "−20", "+20"]
    assert words.number(-0.5, 1) in ("−0.5", "−0,5")
    sentence = _("Ruling for {name}, {points:+d} points: {why}.", name="Jean-Luc -1", points=-20, why="-")
    assert "−20" in sentence
    assert "Jean-Luc -1" in sentence  # what somebody typed stays as it was typed
    assert retold(sentence) == sentence


def test_a_name_from_right_to_left_turns_nothing_round_beside_it():
    """The marks are those of Unicode's annex 9 (FSI and PDI): a bare "علی: 3" is shown as "3 :علی"."""
    assert _("{name}: {points}", name="علی", points=3) == "\u2068علی\u2069: 3"
    assert _("{name}: {points}", name="Åsa", points=3) == "Åsa: 3"
    both = listed(["דנה", "Ann"])
    assert both == "\u2068דנה\u2069 and Ann"
    assert _("{name}: {points}", name=both, points=3) == f"{both}: 3"


def test_lists():
    assert [words.listed("a"), words.listed("ab"), words.listed("abc"), words.either("abc")] == [
        "a", "a and b", "a, b and c", "a, b or c",
    ]  # fmt: skip
    words.speak("de")
    assert words.listed("abc") == "a, b und c"
