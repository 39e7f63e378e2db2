"""How names are written in a list: with “Mr” or a rating, or with the last name first."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from companion.name_lists.cells import USUAL
from companion.name_lists.headings import (
    AND,
    AND_OR_NAME,
    HONORIFICS,
    Kind,
    is_given_name,
    is_last_first,
    kind_of,
    plain,
)

T = TypeVar("T")

BESIDE = re.compile(r"\s*(?:\([^()]*\)|\s\+?\d[\d /-]{2,})$")  # A rating, a club or a telephone.
SUFFIXES = frozenset({"jr", "sr", "jun", "sen", "junior", "senior", "ii", "iii", "iv"})


def share(cells: Sequence[T], test: Callable[[T], object]) -> float:
    """How many of the cells pass, from 0 to 1."""
    return sum(bool(test(cell)) for cell in cells) / len(cells) if cells else 0.0


def first_names_first(cells: list[str], heading: str) -> list[str]:
    """The whole names of a column without “Mr” and “Mrs”, as people say them."""
    words = [cell.split() for cell in cells]
    if share(words, _has_honorific) >= USUAL:
        words = [parts[1:] if _has_honorific(parts) else parts for parts in words]
    counts = [0] * len(words)
    if share(words, _shouted) >= USUAL:
        counts = list(map(_shouted, words))
    elif is_last_first(heading) and share(words, lambda parts: is_given_name(parts[0])) <= share(
        words, lambda parts: is_given_name(parts[-1])
    ):
        counts = [int(len(parts) == 2) for parts in words]
    return [
        " ".join(parts if "," in cell else parts[count:] + parts[:count])
        for cell, parts, count in zip(cells, words, counts, strict=True)
    ]


def _has_honorific(words: list[str]) -> bool:
    return len(words) > 1 and plain(words[0]) in HONORIFICS


def _shouted(words: list[str]) -> int:
    """How many words in capitals lead, as in “WEBER Max”; 0 where all are so."""
    count = next((n for n, word in enumerate(words) if not (word.isupper() and len(word) > 1 and "." not in word)), 0)
    return 0 if words[count : count + 1] == [word.upper() for word in words[count : count + 1]] else count


def apart(cell: str) -> list[str]:
    """The persons in a cell: “Ann, Ben and Cleo”, and “Ann and Ben Lee” with the last name of both."""
    persons = joined(cell)
    if plain(persons[0]) in HONORIFICS:  # “Mr and Mrs Lee”
        return [cell]
    if "," in cell or ";" in cell:
        several = [person.strip() for part in re.split("[,;]", cell) for person in joined(part) if person.strip()]
        return several if len(persons) > 1 or share(several, is_given_name) >= USUAL else [cell]
    if len(persons) == 2 and is_given_name(persons[0]) and " " not in persons[0]:
        persons[0] = " ".join([persons[0], *persons[1].split()[1:]])
    return persons


def joined(cell: str) -> list[str]:
    """The persons between whom “and” stands in a cell."""
    persons = [person.strip() for person in AND.split(cell) if person.strip()]
    for person in persons:
        others = AND_OR_NAME.split(person)
        if len(others) > 1 and all(is_given_name(other.split()[0]) for other in others):
            at = persons.index(person)
            persons[at : at + 1] = others
    return persons


def uncommaed(cell: str) -> str:
    """“Last, First” the other way round, and “Name: Ann” without its key."""
    key, colon, value = cell.partition(": ")
    is_place = any(map(str.isdigit, key))  # “Seat 1: Ann”
    if colon and (kind := kind_of(key, is_sure=is_place)) and (is_place or kind in (Kind.NAME, Kind.FIRST)):
        cell = value
    parts = [part.strip() for part in cell.split(",")]
    suffix = [parts.pop()] if plain(parts[-1]) in SUFFIXES else []
    return " ".join([*reversed(parts), *suffix]) if len(parts) <= 2 and all(parts) else cell


def without_ratings(names: list[str]) -> list[str]:
    """The names without what stands behind most of them, a rating or a club, if they differ without it, too."""
    bare = [BESIDE.sub("", name) for name in names]
    is_usual = sum(map(str.__ne__, bare, names)) >= max(2, USUAL * len(names))
    return bare if is_usual and len(set(bare)) == len(set(names)) else names
