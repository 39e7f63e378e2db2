"""Which names a list holds: a guess, with the rows that it was made from, so that a person can choose other columns."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from companion.name_lists.cells import USUAL, Rows, has_letter, rows_of, says_something
from companion.name_lists.headings import TOTALS, Kind, is_given_name, is_last_first, kind_of, plain

T = TypeVar("T")

HEADING_WITHIN = 6  # A title, a date and an empty line may stand above it.
LONGEST_CODE = 2  # Titles and sexes are so short, and no last name that is written in Latin letters.
REPEATED = 0.6  # Where fewer of the cells differ, they are clubs.
BESIDE = re.compile(r"\s*(?:\([^()]*\)|\s\d{3,4})$")  # A rating or a club.
TURNED_LINE = re.compile(r"^[^,;\t]+, [^,;\t]+$")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
SUFFIXES = frozenset({"jr", "sr", "jun", "sen", "junior", "senior", "ii", "iii", "iv"})
AND = re.compile(r"\s+(?:and|und|et|y|e|en|og|och|&|\+)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Columns:
    """Where the names stand.

    parts   the columns that make up each name, in this order
    skip    rows above the first name
    """

    parts: tuple[int, ...] = (0,)
    skip: int = 0


@dataclass(frozen=True)
class NameList:
    """What was understood of a list: its rows, where the names stand in them, and the names."""

    rows: tuple[tuple[str, ...], ...]
    columns: Columns
    names: tuple[str, ...]


def read_list(text: str, chosen: Columns | None = None) -> NameList:
    """The names in a text; `chosen` says where they stand, if a person has said so. Raises BadInput for no list."""
    rows = rows_of(text)
    if _is_row_of_names(rows):
        rows = [[name] for row in rows for cell in row for name in AND.split(cell) if name]
    is_turned = _share(text.splitlines(), TURNED_LINE.search) >= USUAL
    columns = chosen or columns_of(rows, is_turned=is_turned)
    return NameList(tuple(map(tuple, rows)), columns, tuple(names_at(rows, columns)))


def names_at(rows: Rows, columns: Columns) -> list[str]:
    """The names in these columns; where there is no such column there are none."""
    found = []
    heading = rows[columns.skip - 1] if 0 < columns.skip <= len(rows) else []
    leads = len(columns.parts) == 1 and any(map(is_last_first, heading[columns.parts[0] : columns.parts[0] + 1]))
    for row in rows[columns.skip :]:
        cells = [row[column] for column in columns.parts if column < len(row)]
        name = " ".join(_turned(cell, leads=leads) for cell in cells if says_something(cell))
        if name and not name.endswith(":"):  # Otherwise it is the heading of a group.
            found.append(name)
    if found and plain(found[-1]) in TOTALS:
        del found[-1]
    bare = [BESIDE.sub("", name) for name in found]
    if sum(map(str.__ne__, bare, found)) >= max(2, USUAL * len(found)) and len(set(bare)) == len(set(found)):
        found = bare
    return [name for name in found if has_letter(name)] or found


def columns_of(rows: Rows, *, is_turned: bool = False) -> Columns:
    """Where the names stand, as far as headings and cells tell; `is_turned` if a comma says that last names lead."""
    skip = _rows_above(rows)
    body, width = rows[skip:], len(rows[0]) if rows else 0
    kinds: list[Kind | None] = [kind_of(cell, is_sure=True) for cell in rows[skip - 1]] if skip else [None] * width
    at = {kind: kinds.index(kind) for kind in Kind if kind in kinds}
    order = [Kind.FIRST, Kind.MIDDLE, Kind.LAST, Kind.NAME]
    if Kind.LAST in at and Kind.FIRST not in at:
        order.insert(0, Kind.NAME)  # Beside a last name, “name” is the first one.
    named = list(dict.fromkeys(at[kind] for kind in order if kind in at))
    if Kind.NAME in at and len(named) > 1:
        name, beside = at[Kind.NAME], at.get(Kind.FIRST, at.get(Kind.LAST, at.get(Kind.MIDDLE, 0)))
        if _share(body, lambda row: row[beside] in row[name]) >= USUAL:
            named = [name]  # The whole name, and its parts once more.
        elif Kind.FIRST in at and Kind.LAST in at:
            named.remove(name)
    if Kind.LAST in at and at[Kind.LAST] in named and _share(_column(body, at[Kind.LAST]), _is_east_asian) >= USUAL:
        named.sort(key=lambda column: column != at[Kind.LAST])
    if named:
        return Columns(tuple(named), skip)
    unknown = [column for column in range(width) if kinds[column] is not Kind.OTHER]
    return Columns(_by_cells(body, unknown, is_turned=is_turned), skip)


def _by_cells(body: Rows, columns: Sequence[int], *, is_turned: bool) -> tuple[int, ...]:
    """The columns of the names, by what the cells look like."""
    cells = {column: _column(body, column) for column in columns}
    likely = [column for column in columns if _are_names(cells[column])]
    given = {column: _share(cells[column], lambda cell: is_given_name(cell.split()[0])) for column in likely}
    whole = [column for column in likely if _share(cells[column], _is_whole) >= USUAL]
    parts = [column for column in likely if column not in whole]
    known = max(parts, key=lambda column: given[column], default=None)
    if whole and not (known is not None and given[known] > max(given[column] for column in whole)):
        return (max(whole, key=lambda column: given[column]),)
    if known is not None and given[known] >= USUAL / 2:
        beside = next((column for column in (known - 1, known + 1) if column in likely), None)
        return (known,) if beside is None else (known, beside)
    for left, right in pairwise(parts):
        if right == left + 1:
            shouts = _shouts(cells[left]) - _shouts(cells[right])
            return (right, left) if shouts > 0 or (is_turned and not shouts) else (left, right)
    lettered = max(columns, key=lambda column: _share(cells[column], has_letter), default=0)
    return ((likely or [lettered])[0],)


def _rows_above(rows: Rows) -> int:
    """How many rows stand above the first name: the heading, and titles above it."""
    for number, row in enumerate(rows[:HEADING_WITHIN]):
        if _is_heading(rows, number):
            return number + 1
        if sum(map(bool, row)) > 1 or len(row) == 1:
            break  # This is no title.
    return 0


def _is_heading(rows: Rows, number: int) -> bool:
    """Whether a row is the heading of those below, by its words, or as its cells are unlike theirs."""
    row, body = [cell for cell in rows[number] if cell], rows[number + 1 :]
    kinds = [kind_of(cell) for cell in row]
    if any(kinds):  # Beside a heading, “Player 2” is one, too.
        kinds = [
            kind or (kind_of(cell, is_sure=True) if any(map(str.isdigit, cell)) else None)
            for cell, kind in zip(row, kinds, strict=True)
        ]
    known = [kind for kind in kinds if kind is not None]
    if not row or (len(rows[number]) > 1 and len(row) < 2 and len(body) > 1):
        return False
    if len(known) * 2 > len(row) or (kinds[0] not in (None, Kind.OTHER)):
        return True
    if len(row) == 1:
        has_year = YEAR.search(row[0]) is not None and not any(map(_is_figure, (cells[0] for cells in body)))
        return len(body) > 1 and (row[0].endswith(":") or has_year)
    return any(
        not _is_figure(cell) and len(below := _column(body, column)) > 1 and _share(below, _is_figure) == 1
        for column, cell in enumerate(rows[number])
        if cell
    )


def _is_row_of_names(rows: Rows) -> bool:
    """Whether names stand beside each other rather than below: in one line, or in a grid of first names."""
    cells = [cell for row in rows for cell in row]
    has_figures = 0 < _share(cells, _is_figure) < USUAL  # Where most have one, they are “Player 1” and the like.
    if not rows or len(rows[0]) < 2 or has_figures or not all(map(has_letter, cells)) or _is_heading(rows, 0):
        return False
    are_given = _share(cells, is_given_name) >= USUAL
    if len(rows) == 1:
        return len(cells) > 2 or are_given or all(_is_whole(cell) for cell in cells)
    return are_given and all(_share(_column(rows, column), is_given_name) >= USUAL for column in range(len(rows[0])))


def _turned(cell: str, *, leads: bool) -> str:
    """“Last, First” the other way round; with `leads` also “Last First”, as its heading says, of two words."""
    if leads and len(cell.split()) == 2 and "," not in cell:
        return " ".join(reversed(cell.split()))
    parts = [part.strip() for part in cell.split(",")]
    suffix = [parts.pop()] if plain(parts[-1]) in SUFFIXES else []
    return " ".join([*reversed(parts), *suffix]) if len(parts) <= 2 and all(parts) else cell


def _column(rows: Rows, column: int) -> list[str]:
    return [row[column] for row in rows if row[column]]


def _share(cells: Sequence[T], test: Callable[[T], object]) -> float:
    return sum(bool(test(cell)) for cell in cells) / len(cells) if cells else 0.0


def _are_names(cells: list[str]) -> bool:
    """Whether cells look like names or parts of names, and not like clubs, countries or figures."""
    if _share(cells, has_letter) < USUAL or _share(cells, _is_figure) > 1 - USUAL:
        return False
    if len(cells) > 2 and len(set(cells)) < REPEATED * len(cells) and not _share(cells, is_given_name):
        return False
    is_latin = all(cell.isascii() for cell in cells)
    return not is_latin or max(map(len, cells)) > LONGEST_CODE or _share(cells, is_given_name) >= USUAL


def _is_figure(cell: str) -> bool:
    """Whether a cell is a number, a date, an address or anything else that has more than letters."""
    return "@" in cell or any(character.isdigit() for character in cell) or not has_letter(cell)


def _is_east_asian(cell: str) -> bool:
    """Whether a name is written in characters of a language in which last names lead."""
    return unicodedata.name(cell[0], "").startswith(("CJK", "HANGUL", "HIRAGANA", "KATAKANA"))


def _is_whole(cell: str) -> bool:
    """Whether a cell may be a whole name."""
    return len(cell.split()) > 1 or "," in cell


def _shouts(cells: list[str]) -> float:
    """How many of the cells are in capitals, as last names often are."""
    return _share(cells, lambda cell: cell.isupper() and len(cell) > 1)
