"""Names of all the world: what is let in, how people count its letters, and what is refused."""

import pytest

from companion.errors import BadInput
from companion.names import NAME_LENGTH, alike, check_name, check_names, letters_of, names_as_written, shortened

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
NAMES = {  # as people write them
    "Ann": 3,
    "José": 4,
    "علی\u200cرضا": 6,  # Persian: a non-joiner between two parts
    "ශ්\u200dරී": 2,  # Sinhala: a joiner within one letter and its marks
    "नरेंद्र": 4,
    "Nguyễn Thị Ánh": 14,
    "שָׁלוֹם": 4,
    "김민수": 3,
    "毛利小五郎": 5,
    FAMILY: 1,
    "\U0001f44d\U0001f3fe": 1,  # a thumb with a colour of skin
    "\U0001f1e9\U0001f1ea": 1,  # a country's flag
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": 1,  # England's
    "❤\ufe0f Mia": 5,
    "O’Brien-Łuczak Jr.": 18,
    "7": 1,
    "അനില\u0d4d\u200d": 3,  # Malayalam: a joiner at the end makes the last letter one without a vowel
    "മോഹന\u0d4d\u200d ലാല\u0d4d\u200d": 6,  # and before a space
    "শরত\u09cd\u200d": 3,  # Bengali
    "ᠠᠨ\u180eᠠ": 3,  # Mongolian: the last vowel stands apart
    "شه\u200d": 2,  # Arabic: the form that goes on
    "خانه\u200c": 4,  # Persian: a non-joiner at the end of a word
    "मह\u094d\u200c": 2,  # Hindi: the mark that takes the vowel away is shown
    "\u1019\u103b\u103e\u1031\u102c\u1037": 1,  # Burmese: five marks on a letter, three of them beside it
    "葛\U000e0100城": 2,  # Japanese: another form of the same character
    "1\ufe0f\u20e3 Tom": 5,  # a keycap
    "\U0001f642\u200d\u2194\ufe0f": 1,  # a head that shakes: joined to an arrow
    "\U0001f426\u200d\u2b1b": 1,  # a black bird
    "\U0001fae9": 1,  # an emoji that is newer than this Python
    "\U0001f9d1\u200d\U0001fac8": 1,  # and joined to another
    "李\U0002ebf0": 2,  # a character of Chinese names that is newer, too
}


@pytest.mark.parametrize(("name", "letters"), NAMES.items())
def test_a_name_people_have_is_let_in_and_counted_as_people_count(name, letters):
    assert check_name(name) == name
    assert len(letters_of(name)) == letters


def test_forty_letters_are_enough_whatever_they_are_made_of():
    assert check_name(NAME_LENGTH // 4 * FAMILY) == NAME_LENGTH // 4 * FAMILY
    assert check_name(NAME_LENGTH * "\U0001f44d\U0001f3fe")
    with pytest.raises(BadInput, match="41 letters"):
        check_name((NAME_LENGTH + 1) * "\U0001f44d\U0001f3fe")


@pytest.mark.parametrize(
    "name",
    [
        "\u200d",
        "\u200b\u200b",
        "\u3164",  # Hangul filler: a letter of which nothing can be seen
        "\u2800\u2800",  # braille without a dot
        "\u200dAnn",
        "Ann\u200c",
        "A \u200d n",
        "A\u200d\u200dn",
        "\u202eAnn",  # turns round what follows
        "Ann\u2066",
        "a\x00b",
        "A\u00adnn",  # soft hyphen
        "\U000e0041nn",  # a tag without a flag
        "\u0301Ann",
        "Z" + 5 * "\u0321",  # marks in heaps
        "Z\u0336\u0310\u0342\u0357\u0321lgo",
        "க" + 5 * "ா",  # beside it, too
        "A" + 5 * "\u20dd",  # rings
        "\ue000",  # private use
        "\U0002ffff",  # no character, for ever
        "\U0001d159",  # a note without a head
        "\ufffc",  # the place of an object that was not copied along
        "\ufffc \u3164",
        "A\u180en",  # Mongolian's, in another script
        "ᠠᠨ\u180e",
        "\u180eᠠᠨ",
        "A \u200d",
        "A\u200en",  # a mark of direction within
    ],
)
def test_what_cannot_be_told_from_others_or_harms_its_neighbours_is_refused(name):
    with pytest.raises(BadInput):
        check_name(name)


@pytest.mark.parametrize("pasted", ["\u200eAnn\u200e", "\u200f Ann", "Ann \u200f\u200e ", "\u061cAnn"])
def test_marks_of_direction_at_the_ends_are_taken_off(pasted):
    assert check_name(pasted) == "Ann"
    assert check_names([pasted, "Ben"]) == names_as_written([pasted, "Ben"]) == ("Ann", "Ben")
    with pytest.raises(BadInput, match=r"Type a name\."):
        check_name(pasted.replace("Ann", ""))


def test_two_who_look_alike_are_one_name():
    assert alike("Ann") == alike("ANN")
    assert alike("علی\u200cرضا") == alike("علیرضا")
    assert alike("Ann\u3164") == alike("A\u034fnn") == alike("Ann\ufe00") == alike("Ann")
    assert alike("葛\U000e0100") == alike("葛")
    with pytest.raises(BadInput, match="Two players"):
        check_names(["❤ Mia", "❤\ufe0f MIA"])


@pytest.mark.parametrize("typed", ["", " ", "x" * 10_000, "a\u202eb"])
def test_a_refusal_is_one_short_sentence(typed):
    with pytest.raises(BadInput) as refused:
        check_name(typed)
    assert "\n" not in refused.value.sentence
    assert len(refused.value.sentence) < 100


def test_a_label_is_cut_between_letters():
    assert shortened(50 * FAMILY) == 40 * FAMILY
    assert shortened(" Ann's \u202e phone ") == "Ann's phone"
