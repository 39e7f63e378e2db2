"""Which names a list holds: a guess, with the rows that it was made from, so that a person can choose other columns."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from companion.name_lists.cells import CROSSES, USUAL, Rows, has_letter, says_something, table_of
from companion.name_lists.headings import (
    NO,
    TOTALS,
    Kind,
    is_answer,
    is_given_name,
    is_group,
    kind_of,
    may_be_a_person,
    plain,
    without_initials,
)
from companion.name_lists.writing import apart, first_names_first, joined, share, uncommaed, without_ratings
from companion.names import MOST_CHARACTERS

HEADING_WITHIN = 6  # A title, a date and an empty line may stand above it.
LONGEST_CODE = 2  # Titles, sexes and countries are so short, and in capitals or single letters.
REPEATED = 0.6  # Where fewer of the cells differ, they are clubs.
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


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
    """What was understood of a list: its rows, where the names stand in them, the names, and what was left out."""

    rows: tuple[tuple[str, ...], ...]
    columns: Columns
    names: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def read_list(text: str, chosen: Columns | None = None) -> NameList:
    """The names in a text; `chosen` says where they stand, if a person has said so. Raises BadInput for no list."""
    table = table_of(text)
    rows, left_out = table.rows, table.left_out
    if persons := _columns_of_persons(rows):
        skip = _rows_above(rows)
        beside = [cell for row in rows[skip:] for column, cell in enumerate(row) if column not in persons and cell]
        left_out = [*left_out, *(" ".join(filter(None, row)) for row in rows[:skip]), *beside]
        cells = [row[column] for row in rows[skip:] for column in persons if row[column]]
        rows = [[name] for cell in cells for name in ([cell] if all(map(_is_whole, cells)) else joined(cell))]
    columns = chosen or columns_of(rows, is_turned=table.is_cut_by_commas)
    names, others = names_at(rows, columns)
    aside = dict.fromkeys(line[:MOST_CHARACTERS] for line in (*left_out, *others))
    return NameList(tuple(map(tuple, rows)), columns, tuple(names), tuple(aside))


def names_at(rows: Rows, columns: Columns) -> tuple[list[str], list[str]]:
    """The names in these columns, and what was left out; where there is no such column there are no names."""
    body, is_single = rows[columns.skip :], len(columns.parts) == 1
    entries = [[row[column] for column in columns.parts if column < len(row) and row[column]] for row in body]
    above = rows[columns.skip - 1] if 0 < columns.skip <= len(rows) else []
    if is_single:
        heading = " ".join(above[columns.parts[0] :][:1])
        cells = iter(first_names_first([cell for cells in entries for cell in cells], heading))
        entries = [[next(cells)] if entry else [] for entry in entries]
    named = [
        " ".join(cell if is_single else uncommaed(cell) for cell in entry if says_something(cell)) for entry in entries
    ]
    is_sure = any(kind_of(cell, is_sure=True) for cell in above)  # It may be a person above a column of figures.
    told = {*columns.parts, *(column for column, cell in enumerate(above) if cell and is_sure)}
    answers = [at for at in range(len(rows[0]) if rows else 0) if at not in told and _are_answers(_column(body, at))]
    are_groups, are_numbers = share(named, is_group) >= USUAL, not any(map(has_letter, named))
    names: list[str] = []
    left_out = [" ".join(filter(None, row)) for row in rows[: columns.skip]]
    for name, row in zip(named, body, strict=True):
        beside = [cell for column, cell in enumerate(row) if cell and column not in told]
        said = [row[column] for column in answers if row[column]]
        is_absent = any(map(CROSSES.__contains__, name)) or (bool(said) and all(map(_is_no, said)))
        is_aside = is_absent or name.endswith(":") or (is_group(name) and not are_groups)
        is_said = has_letter(name) or (are_numbers and name)
        if is_aside or not is_said or (row is body[-1] and len(body) > 1 and _is_total(row)):
            left_out.append(_uncrossed(name) or " ".join(filter(None, row)))
        else:
            names += map(uncommaed, apart(name)) if is_single else [name]
        left_out += [cell for cell in beside if has_letter(cell) and cell not in CROSSES]
    bare = without_ratings(names)
    clubs = [name[len(short) :].strip(" ()") for name, short in zip(names, bare, strict=True)]
    return bare, left_out + list(filter(has_letter, clubs))


def _uncrossed(name: str) -> str:
    """A name without crosses."""
    return " ".join(name.translate(dict.fromkeys(map(ord, CROSSES), " ")).split())


def _is_no(cell: str) -> bool:
    """Whether an answer says that somebody does not come."""
    return cell[0] in CROSSES or plain(cell) in NO


def _are_answers(cells: list[str]) -> bool:
    """Whether a column holds answers: people have several of these words as names."""
    are_said = all(is_answer(cell) or cell[0] in CROSSES for cell in cells)
    return are_said and (len(set(cells)) < len(cells) or not any(map(may_be_a_person, cells)))


def _is_total(row: Sequence[str]) -> bool:
    """Whether the last row of a table is its total: it has cells or a number beside the word, or is “12 players”."""
    line = " ".join(row)
    words = plain(line).split()
    if line[:1].isdigit():
        return kind_of(" ".join(words)) is Kind.NAME
    return bool(words) and words[0] in TOTALS and (len(row) > 1 or any(map(_is_figure, row)))


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
        if share(body, lambda row: row[beside] in row[name]) >= USUAL:
            named = [name]  # The whole name, and its parts once more.
        elif Kind.FIRST in at and Kind.LAST in at:
            named.remove(name)
    if Kind.LAST in at and at[Kind.LAST] in named and share(_column(body, at[Kind.LAST]), _is_east_asian) >= USUAL:
        named.sort(key=lambda column: column != at[Kind.LAST])
    if named:
        return Columns(tuple(named), skip)
    unknown = [at for at in range(width) if kinds[at] is not Kind.OTHER and not _are_answers(_column(body, at))]
    return Columns(_by_cells(body, unknown, is_turned=is_turned), skip)


def _by_cells(body: Rows, columns: Sequence[int], *, is_turned: bool) -> tuple[int, ...]:
    """The columns of the names, by what the cells look like."""
    cells = {column: _column(body, column) for column in columns}
    likely = [column for column in columns if _are_names(cells[column])]
    likely = likely or [column for column in columns if share(cells[column], has_letter) == 1]
    given = {column: share(cells[column], lambda cell: is_given_name(cell.split()[0])) for column in likely}
    whole = [column for column in likely if share(cells[column], _is_whole) >= USUAL]
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
    lettered = max(columns, key=lambda column: share(cells[column], has_letter), default=0)
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
    if not body or (len(rows[number]) > 1 and len(row) < 2 and len(body) > 1):
        return False
    kinds = [kind_of(cell) for cell in row]
    if any(kinds):  # Beside a heading, “Player 2” is one, too.
        kinds = [
            kind or (kind_of(cell, is_sure=True) if any(map(str.isdigit, cell)) else None)
            for cell, kind in zip(row, kinds, strict=True)
        ]
    known = [cell for cell, kind in zip(row, kinds, strict=True) if kind is not None]
    is_like_names = share([cells[0] for cells in body if cells[0]], _is_whole) < USUAL or len(row) > 1
    if len(known) == 1 and may_be_a_person(known[0]) and is_like_names:
        return False
    if len(known) * 2 > len(row) or (kinds[0] not in (None, Kind.OTHER)):
        return True
    if len(row) == 1:
        has_year = YEAR.search(row[0]) is not None and not any(map(_is_figure, (cells[0] for cells in body)))
        return len(body) > 1 and (row[0].endswith(":") or has_year)
    if all(map(is_group, row)) and not any(map(is_group, body[0])):
        return True
    is_named = all(cells[0] for cells in body) and len(body) > 1
    if is_named and not rows[number][0] and all(map(_is_figure, row)):  # Only days stand above the columns of answers.
        return not any(map(_is_figure, (cell for cells in body[:-1] for cell in cells if cell)))
    return any(
        not _is_figure(cell) and len(below := _column(body, column)) > 1 and share(below, _is_figure) == 1
        for column, cell in enumerate(rows[number])
        if cell
    )


def _columns_of_persons(rows: Rows) -> list[int]:
    """The columns each cell of which is somebody, where there are several: in one line, in a grid, in teams."""
    skip = _rows_above(rows)
    body, columns = rows[skip:], range(len(rows[0]) if rows else 0)
    if skip:
        headings = [cell.rpartition(" ") for cell in rows[skip - 1]]
        alike = [column for column in columns if headings[column][0] and headings[column][0] == headings[-1][0]]
        is_of_persons = is_group(rows[skip - 1][-1]) or kind_of(headings[-1][0], is_sure=True) is Kind.NAME
        return alike if len(alike) > 1 and is_of_persons and _are_names(_column(body, alike[-1])) else []
    cells = [cell for row in body for cell in row if cell]
    has_figures = 0 < share(cells, _is_figure) < USUAL  # Where most have one, they are “Player 1” and the like.
    unanswered = [column for column in columns if not _are_answers(_column(body, column))]
    if len(unanswered) < 2 or has_figures or not all(map(has_letter, cells)):
        return []
    persons = [person for cell in cells for person in joined(cell)]
    is_row = len(persons) > 2 or share(persons, is_given_name) >= USUAL or all(map(_is_whole, cells))
    if len(body) == 1 and is_row and unanswered == list(columns):
        return unanswered
    given = [column for column in columns if share(_column(body, column), _are_given) >= USUAL]
    are_joined = share(_column(body, columns[-1]), lambda cell: len(joined(cell)) > 1) >= USUAL
    if are_joined and unanswered == list(columns):
        return unanswered
    are_teams = len(columns) > 2 and given == list(columns[1:])
    return given if len(body) > 1 and (len(given) == len(columns) or are_teams) else []


def _column(rows: Rows, column: int) -> list[str]:
    return [row[column] for row in rows if row[column]]


def _are_given(cell: str) -> bool:
    """Whether somebody in a cell has a usual first name."""
    return any(map(is_given_name, joined(cell)))


def _are_names(cells: list[str]) -> bool:
    """Whether cells look like names or parts of names, and not like clubs, countries or figures."""
    if share(cells, has_letter) < USUAL or share(cells, _is_figure) > 1 - USUAL:
        return False
    if len(cells) > 2 and len(set(cells)) < REPEATED * len(cells) and not share(cells, is_given_name):
        return False
    are_codes = all(len(cell) <= LONGEST_CODE and cell.isascii() and not cell[1:].islower() for cell in cells)
    return not are_codes or share(cells, is_given_name) >= USUAL


def _is_figure(cell: str) -> bool:
    """Whether a cell is a number, a date, an address or anything else that has more than letters."""
    return "@" in cell or any(character.isdigit() for character in cell) or not has_letter(cell)


def _is_east_asian(cell: str) -> bool:
    """Whether a name is written in characters of a language in which last names lead."""
    return unicodedata.name(cell[0], "").startswith(("CJK", "HANGUL", "HIRAGANA", "KATAKANA"))


def _is_whole(cell: str) -> bool:
    """Whether a cell may be a whole name."""
    return len(without_initials(cell)) > 1 or "," in cell


def _shouts(cells: list[str]) -> float:
    """How many of the cells are in capitals, as last names often are."""
    return share(cells, lambda cell: cell.isupper() and len(cell) > 1)
