"""The words of headings, and usual first names, in the languages that clubs write their lists in."""

import re
import tomllib
import unicodedata
from enum import Enum
from pathlib import Path

from companion.names import alike


class Kind(Enum):
    """What a column of a list holds, by its heading. Many languages call a first and a whole name by one word."""

    FIRST = "first name"
    MIDDLE = "middle name"
    LAST = "last name"
    NAME = "name"
    OTHER = "other"


def _words(name: str) -> list[str]:
    """The words of that name in `words.toml`. A line may end within one of several words."""
    return [word.strip() for word in " ".join(WORDS[name].split()).split(",")]


WORDS: dict[str, str] = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
GLUE, TOTALS, ALSO_NAMES, HONORIFICS = map(frozenset, map(_words, ("glue", "totals", "also_names", "honorifics")))
LISTS = tuple(_words("lists"))
YES, NO = frozenset(_words("yes")), frozenset(_words("no"))
AND = re.compile(rf"\s?&\s?|\s(?:{'|'.join(map(re.escape, _words('joining')))})\s", re.IGNORECASE)
AND_OR_NAME = re.compile(rf"\s(?:{'|'.join(_words('joining_or_name'))})\s", re.IGNORECASE)
GIVEN_NAMES = frozenset(map(alike, _words("given_names")))
LONGEST_PHRASE = 4
COUNT = re.compile(r" ?\(\d{1,4}\)$")  # “Players (12)”
NUMBER_SIGNS = ("#", "№", "n°", "nº")


def plain(cell: str) -> str:
    """The words of a cell in small letters, with one space between them."""
    text = unicodedata.normalize("NFKC", cell).casefold()
    return " ".join(re.sub(r"[\W\d_]+", " ", unicodedata.normalize("NFC", text)).split())


KINDS = {plain(word): kind for kind in Kind for word in _words(kind.name.lower())}
TURNED = frozenset({Kind.LAST, Kind.NAME})
STEM, LONGEST_ENDING = 5, 3  # A word of headings may be declined: “uczestników” of “uczestnik”.
STEMS: dict[str, list[str]] = {}
for phrase in KINDS:
    if " " not in phrase and len(phrase) >= STEM:
        STEMS.setdefault(phrase[:STEM], []).append(phrase)


def _kinds_in(words: list[str], longest: int = LONGEST_PHRASE) -> list[Kind | None]:
    """What the longest phrases that are known among these words mean, glue left out; None for an unknown word."""
    kinds: list[Kind | None] = []
    while words:
        count = next((n for n in range(longest, 0, -1) if " ".join(words[:n]) in KINDS), 1)
        phrase = " ".join(words[:count])
        if phrase not in GLUE:
            kinds.append(KINDS.get(phrase))
        words = words[count:]
    return kinds


def _declined(word: str) -> str:
    """The word of headings of which a word is another form or the list, else the word itself."""
    word = next((word[: -len(end)] for end in LISTS if word.endswith(end) and word[:STEM] in STEMS), word)
    for known in STEMS.get(word[:STEM], ()):
        if word.startswith(known[: max(STEM, len(known) - 2)]) and len(word) <= len(known) + LONGEST_ENDING:
            return known
    return word


def is_last_first(cell: str) -> bool:
    """Whether a heading such as “Surname Firstname” says that the last name leads in each cell below."""
    words = plain(cell).split()
    kinds = _kinds_in(words, longest=min(LONGEST_PHRASE, len(words) - 1))
    return kinds in ([Kind.LAST, Kind.FIRST], [Kind.LAST, Kind.NAME], [Kind.NAME, Kind.FIRST])


def kind_of(cell: str, *, is_sure: bool = False) -> Kind | None:
    """What a heading says of its column; None for no word of headings.

    is_sure     the cell is known to be a heading: then one word that is known will do
    """
    if cell.casefold() in NUMBER_SIGNS:
        return Kind.OTHER
    cell = COUNT.sub("", cell)
    if not is_sure and any(character.isdigit() for character in cell):
        return None  # “Team 1” and “Player 2” play.
    if (text := plain(cell)) in KINDS:
        return KINDS[text]
    words = text.split()
    if len(words) > 1 or text.endswith(LISTS):  # A single word of another form may be a name.
        words = [word if word in KINDS or word in GLUE else _declined(word) for word in words]
    kinds = _kinds_in(words)
    if None in kinds and not is_sure:
        return None
    known = [kind for kind in kinds if kind is not None]
    if Kind.OTHER in known:
        return Kind.OTHER
    if Kind.FIRST in known and TURNED & set(known):
        return Kind.NAME
    return known[0] if known else None


def may_be_a_person(cell: str) -> bool:
    """Whether a word of headings is a name, too."""
    return alike(cell) in GIVEN_NAMES or plain(cell) in ALSO_NAMES


def is_answer(cell: str) -> bool:
    """Whether a cell is what somebody answered, such as “yes”."""
    return plain(cell) in YES | NO


def is_group(cell: str) -> bool:
    """Whether a cell is the title of a group, such as “Group B” or “Team: Bussard”."""
    group, colon, _name = cell.partition(":")
    words = cell.split()
    mark = words[-1] if len(words) > 1 else ""
    is_marked = mark.isdigit() or (len(mark) == 1 and mark.isupper())
    return kind_of(group if colon else " ".join(words[:-1])) is Kind.OTHER and bool(colon or is_marked)


def is_given_name(cell: str) -> bool:
    """Whether a cell is a usual first name, maybe with a second one."""
    words = without_initials(cell.replace("-", " "))
    return bool(words) and len(words) <= 2 and alike(words[0]) in GIVEN_NAMES


def without_initials(cell: str) -> list[str]:
    """The words of a cell but for such as “M.”."""
    return [word for word in cell.split() if len(word) > 2 or not word.endswith(".")]
