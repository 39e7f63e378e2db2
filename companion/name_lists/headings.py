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
GLUE, TOTALS = frozenset(_words("glue")), frozenset(_words("totals"))
GIVEN_NAMES = frozenset(map(alike, _words("given_names")))
LONGEST_PHRASE = 4
NUMBER_SIGNS = ("#", "№", "n°", "nº")


def plain(cell: str) -> str:
    """The words of a cell in small letters, with one space between them."""
    text = unicodedata.normalize("NFKC", cell).casefold()
    return " ".join(re.sub(r"[\W\d_]+", " ", unicodedata.normalize("NFC", text)).split())


KINDS = {plain(word): kind for kind in Kind for word in _words(kind.name.lower())}
TURNED = frozenset({Kind.LAST, Kind.NAME})


def is_last_first(cell: str) -> bool:
    """Whether a heading such as “Surname Firstname” says that the last name leads in each cell below."""
    words = plain(cell).split()
    kinds = [KINDS.get(" ".join(part)) for cut in range(1, len(words)) for part in (words[:cut], words[cut:])]
    return any(pair == (Kind.LAST, Kind.FIRST) for pair in zip(kinds[::2], kinds[1::2], strict=True))


def kind_of(cell: str, *, is_sure: bool = False) -> Kind | None:
    """What a heading says of its column; None for no word of headings.

    is_sure     the cell is known to be a heading: then one word that is known will do
    """
    if cell.casefold() in NUMBER_SIGNS:
        return Kind.OTHER
    if not is_sure and any(character.isdigit() for character in cell):
        return None  # “Team 1” and “Player 2” play.
    if (text := plain(cell)) in KINDS:
        return KINDS[text]
    kinds, words = [], text.split()
    while words:
        count = next((n for n in range(LONGEST_PHRASE, 0, -1) if " ".join(words[:n]) in KINDS), 0)
        if count:
            kinds.append(KINDS[" ".join(words[:count])])
        elif not (is_sure or words[0] in GLUE):
            return None
        del words[: count or 1]
    if Kind.OTHER in kinds:
        return Kind.OTHER
    if Kind.FIRST in kinds and TURNED & set(kinds):
        return Kind.NAME
    return kinds[0] if kinds else None


def is_given_name(cell: str) -> bool:
    """Whether a cell is a usual first name, maybe with a second one."""
    words = cell.replace("-", " ").split()
    return bool(words) and len(words) <= 2 and alike(words[0]) in GIVEN_NAMES
