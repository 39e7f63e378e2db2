"""A message of one word that stands in two places says which meaning it has, as other languages have a word for each.

It has a context (`_p`), unless all its places mean the same: then it stands below, with what it means.
"""

from collections import Counter

import pytest

from companion import words
from companion.languages.messages import messages
from companion.words import COLOURS, DOMAIN, TABLET, _p

ONE_MEANING = {
    "pieces, and those who use them": ("Board", "Card", "Circles", "Dice", "die", "Stacks", "Teams"),
    "a page, or the part of one that it names": (
        *("Camera", "Certificate", "Entrants", "Hall", "History", "Overlay", "Pages", "People", "Players"),
        *("Season", "Series", "Staff", "Standings", "Tournaments"),
    ),
    "the head of a column": (
        "Best",
        "Entry",
        "Evenings",
        "Game",
        "Games",
        "Name",
        "Place",
        "Points",
        "Round",
        "Sum",
        "Turns",
        "Wins",
    ),
    "a verb on a button": (
        *("Choose", "Correct", "Join", "Print", "Remember", "Resume", "Roll", "Save", "Show", "Start", "Undo"),
    ),
    "somebody says that they are done": ("Done",),
    "takes an entry out of the history": ("Delete", "deleted"),
    "the first and the last day": ("From", "To"),
    "further choices": ("More",),
    "what somebody does now": ("Building", "Ready", "Watching"),
    "somebody's part": ("Creator", "Player", "Referee", "Somebody", "somebody"),
    "has come to its end": ("done", "finished"),
    "decided by the staff": ("ruled",),
    "how a game's points come about": ("Scoring",),
    "the piece of furniture": ("Table",),
    "a set of rules": ("Quick", "Tournament"),
    "answers": ("no", "yes"),
    "at this moment": ("now",),
    "asks for a reason": ("Why?",),
    "a program has to send it": ("needed",),
    "a colour": COLOURS,
}


@pytest.mark.parametrize("domain", [DOMAIN, TABLET])
def test_a_word_with_two_places_has_a_context_or_one_meaning(domain):
    found = words_without_context(domain)
    reviewed = {word for kind in ONE_MEANING.values() for word in kind}
    assert {word for word, places in found.items() if places > 1} - reviewed == set(), "give each place its context"


def test_every_reviewed_word_is_still_one_of_several_places():
    found = words_without_context(DOMAIN)
    assert [word for kind in ONE_MEANING.values() for word in kind if word not in COLOURS and found[word] < 2] == []


def words_without_context(domain: str) -> Counter[str]:
    """Word → in how many places it stands."""
    found = Counter()
    for _path, (_line, message, _comments, context) in messages(domain):
        if context is None and isinstance(message, str) and len(message.split()) == 1:
            found[message] += 1
    return found


def test_german_has_a_word_for_each_meaning():
    words.speak("de")
    try:
        meanings = [_p("not wrong", "right"), _p("direction", "right"), _p("a game", "Delete"), words._("Delete")]
    finally:
        words.speak(words.ENGLISH)
    assert meanings == ["richtig", "rechts", "Löschen", "Streichen"]
