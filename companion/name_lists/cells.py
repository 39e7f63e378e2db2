"""The rows and cells of a list, whatever program wrote it.

Cells are the standard library's `csv`. Its `Sniffer` is not asked: it takes a space or a letter for the separator of
plain names, and none where lines differ.
"""

import csv
import io
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from companion.errors import BadInput
from companion.name_lists.headings import AND, NO, Kind, is_answer, is_given_name, kind_of, may_be_a_person, plain
from companion.name_lists.sources import unwrap
from companion.names import DIRECTIONS, MOST_CHARACTERS
from companion.words import _

Rows = list[list[str]]

SEPARATORS = "\t;|,；，،、"
NO_SEPARATOR = "\x1f"
MOST_ROWS, MOST_COLUMNS = 2_000, 1_000  # More than a tournament takes, also where all names stand on one line.
USUAL = 0.6  # So many of the lines are alike where a list has a shape; others are titles, totals and slips.
MARKED = 1 / 3  # So many have a bullet or “1.” where the others are titles, questions and slips.
LOOSE_SEPARATORS = (re.compile(r" {2,}"), re.compile(r" [-–—/+] "))
SAID = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # Excel's way to say the separator.
BULLET = re.compile(r"(?:[-*•–—·◦▪‣●○☐☑✓✔⬜🔲◻]\ufe0f?\s+(?:\[[ xX]?\]\s*)?|\[[ xX]?\]\s*)(?=\S)")
NUMBERING = re.compile(r"[(\[#]?\d{1,4} *(?:[.):\]、=]+ *|(?:[-–—]|st|nd|rd|th) +)(?=[^\d\s]|$)|#\d{1,4} +(?=\S)")
BARE_NUMBER = re.compile(r"(\d{1,4}) (?=[^\W\d])")
HOUR = r"\d{1,2}(?:[:.]\d\d| ?h| ?Uhr| ?[ap]m)"
HOURS = rf"(?:\d{{1,2}} ?[-–—] ?)?{HOUR}(?: ?[-–—] ?{HOUR})?(?: Uhr)?"
PHONE = r"\+?\d[\d /()-]{4,24}\d"
HOURS_OR_PHONE = re.compile(rf"(?:{HOURS}|{PHONE}):? +(?=[^\W\d]|[-–—]*$)", re.IGNORECASE)
TICKED = re.compile(r"(?:[-*•–—·] +)?(?:\[[xX✓✔]\]|[☑✓✔✅])")
EMPTY_BOX = re.compile(r"(?:[-*•–—·] +)?(?:\[ ?\]|[☐○⬜🔲◻])")
MAIL = re.compile(r"[<(]?[^\s@<(]{1,64}@[^\s@.]{1,64}\.[^\s@]{1,255}")
TWO_WITH_COMMA = re.compile(r"[^,;\t]+, [^,;\t]+")
ANSWERED = re.compile(r"([^:]+?)(?::| [-–—]) +(.+)")
ANSWERED_FIRST = re.compile(r"([^:,]+?)(?:[:,]| [-–—]) +(.+)")
CROSSES = "❌✗✘✖🚫👎"  # These say that somebody does not come.
TICKS = "✅✔☑✓👍🙋➕\ufe0f"
QUOTES = ('""', "''", "“”", "„“", "„”", "«»", "»«", "‘’", "「」")
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad"))


@dataclass(frozen=True)
class Table:
    """The cells of a list.

    rows                those that say anything, all of one length, without empty columns
    is_cut_by_commas    each line is two texts with a comma between, as “Last, First”
    left_out            lines that belong to no row
    """

    rows: Rows
    is_cut_by_commas: bool
    left_out: list[str]


def table_of(text: str) -> Table:
    """The cells of a list; raises BadInput for what is no list."""
    text, left_out = unwrap(text.translate(INVISIBLE))
    lines = [line.strip(" \u00a0") for line in text.splitlines()]
    said = SAID.fullmatch(lines[0]) if lines else None
    lines = [line for line in lines[1 if said else 0 :] if line.strip()][:MOST_ROWS]
    if not said:
        calls = list(filter(_is_call, lines))
        if len(calls) < len(lines):
            left_out, lines = [*left_out, *calls], [line for line in lines if not _is_call(line)]
        lines = _unnumbered(_unboxed([_without_answer(part) for line in lines for part in _members(line)]))
    is_cut = sum(TWO_WITH_COMMA.fullmatch(line) is not None for line in lines) >= max(1, USUAL * len(lines))
    try:
        rows = _parsed(lines, said[1]) if said else _best(lines)
    except csv.Error as error:
        raise BadInput(_("This file isn't a list of names. Save it as text or CSV in UTF-8.")) from error
    return Table(_shaped(rows), is_cut, left_out)


def _is_call(line: str) -> bool:
    """Whether a line is such as “Who is coming?” or “Please sign up!”."""
    return line.endswith(tuple("?!？！")) and " " in line and not any(separator in line for separator in "\t;|")


def _members(line: str) -> list[str]:
    """The title of a group and its members, as in “Team Red: Ann, Ben”, or two turned names, else the line."""
    title, _colon, rest = line.partition(": ")
    members = [member.strip() for member in rest.split(",")] if len(rest) > 1 else []
    kind = kind_of(title, is_sure=True) if len(title) <= MOST_CHARACTERS else Kind.NAME
    are_several = len(members) > 1 or AND.search(rest)
    are_persons = kind is None and not is_given_name(title) and all(is_given_name(AND.split(one)[0]) for one in members)
    if members and ((kind is Kind.OTHER and are_several) or are_persons):
        return [title + ":", *members]
    turned = AND.split(line)
    are_turned = all(TWO_WITH_COMMA.fullmatch(one) and not is_given_name(one.partition(",")[0]) for one in turned)
    return turned if are_turned else [line]


def _without_answer(line: str) -> str:
    """“Ann: yes” or “Yes, Ann” without what she answered; with a cross for “no”."""
    for pattern, of_name, of_answer in ((ANSWERED, 1, 2), (ANSWERED_FIRST, 2, 1)):
        answered = pattern.fullmatch(line) if len(line) <= MOST_CHARACTERS else None
        if answered and is_answer(answered[of_answer]) and not may_be_a_person(answered[of_answer]):
            return answered[of_name] + (f" {CROSSES[0]}" if plain(answered[of_answer]) in NO else "")
    return line


def _unboxed(lines: list[str]) -> list[str]:
    """The lines with a cross for each empty box, if other boxes are ticked."""
    if not any(map(TICKED.match, lines)):
        return lines
    return [line + f" {CROSSES[0]}" if EMPTY_BOX.match(line) else line for line in lines]


def _unnumbered(lines: list[str]) -> list[str]:
    """The lines without the numbers or bullets that so many of them begin with."""
    for pattern, least in ((BULLET, MARKED), (HOURS_OR_PHONE, USUAL), (NUMBERING, MARKED), (BARE_NUMBER, USUAL)):
        matches = [pattern.match(line) for line in lines]
        found = [match for match in matches if match]
        numbers = [int(match[1]) for match in found] if pattern is BARE_NUMBER else []
        is_list = len(found) >= least * len(lines) and numbers == sorted(numbers)
        if found and is_list and (len(set(numbers)) > 1 or pattern is not BARE_NUMBER):
            lines = [line[match.end() :] if match else line for line, match in zip(lines, matches, strict=True)]
    return lines


def _best(lines: list[str]) -> Rows:
    """The rows by the separator that gives the most of them one and the same number of cells."""
    best, best_share = _parsed(lines, NO_SEPARATOR), 0.0
    for separator in SEPARATORS:
        rows = _parsed(lines, separator)
        if _share(rows) > best_share:
            best, best_share = rows, _share(rows)
    for loose in LOOSE_SEPARATORS:
        rows = [loose.split(line) for line in lines]
        if not best_share and _share(rows):
            return rows
    return best


def _share(rows: Rows) -> float:
    """How many of the rows have the usual number of cells, more than one; 0 for too few of them."""
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
    return count / len(rows) if width > 1 and count >= USUAL * len(rows) else 0.0


def _parsed(lines: list[str], separator: str) -> Rows:
    whole = io.StringIO("\n".join(lines), newline="")
    try:
        return list(csv.reader(whole, delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error:  # A quote that does not end, or no quote at all: each line stands for itself.
        return [row for line in lines for row in csv.reader([line], delimiter=separator, skipinitialspace=True)]


def _shaped(rows: Rows) -> Rows:
    cleaned = [list(map(_cleaned, row[:MOST_COLUMNS])) for row in rows[:MOST_ROWS]]
    said = [row for row in cleaned if any(map(says_something, row))]
    width = max(map(len, said), default=0)
    padded = [row + [""] * (width - len(row)) for row in said]
    used = [column for column in range(width) if any(row[column] for row in padded)]
    return [[row[column] for column in used] for row in padded]


def _cleaned(cell: str) -> str:
    """A cell without what programs put round it: a formula, a second pair of quotes, a tick, marks of bold letters."""
    text = " ".join(cell[: MOST_CHARACTERS + 1].split()).strip(DIRECTIONS + " ")
    if text.startswith('="') and text.endswith('"'):
        text = text[1:]
    if len(text) > 2 and text[0] + text[-1] in QUOTES and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    if len(text) > 2 and text[0] == text[-1] and text[0] in "*_~`":
        text = text.strip(text[0])
    return MAIL.sub("", text).strip(TICKS + " ") or text.strip(TICKS + " ")


def says_something(cell: str) -> bool:
    """Whether a cell has a letter, a number or an emoji."""
    return has_letter(cell) or any(map(str.isnumeric, cell))


def has_letter(cell: str) -> bool:
    """Whether a cell has a letter or an emoji."""
    return any(character.isalpha() or unicodedata.category(character) in ("So", "Cn") for character in cell)
