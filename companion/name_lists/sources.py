"""What a list is wrapped in: an address book, a chat, a page of the web, JSON, addresses of letters, Markdown.

Each pattern passes a text once, however it is nested.
"""

import csv
import html
import io
import quopri
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from companion.foreign import Unreadable, read_json
from companion.name_lists.headings import NO, plain

LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)?\)")
ENDS_LINE = re.compile(r"<(?:/(?:li|tr|p|div|h[1-6]|option|caption)|br)\b[^<>]*>", re.IGNORECASE)
ENDS_CELL = re.compile(r"</t[dh]\b[^<>]*>", re.IGNORECASE)
TAG = re.compile(r"</?[a-z!][^<>@]*>", re.IGNORECASE)
MAIL = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")
CLOCK = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? *\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[\s\u202f]?[AaPp]\.?[Mm]\.?)?"
SAID = re.compile(rf"(?:\[{CLOCK}\]|{CLOCK} [-–—]) (?:~ ?)?([^:]+): (.*)")
SAID_BEFORE_CLOCK = re.compile(rf"([^:\[]+), \[{CLOCK}\]:?(.*)")  # as Telegram copies
DATED = re.compile(rf"\[?{CLOCK}(?:\]| [-–—]) ")


def unwrap(text: str) -> tuple[str, list[str]]:
    """The text as plain lines or a table, and what was left out of it."""
    if "BEGIN:VCARD" in text.upper():
        return _table([name] for name in _names_on_cards(text)), []
    bare = text.strip()
    if bare[:1] in ("[", "{"):
        for wrapped in (bare, f"[{','.join(bare.splitlines())}]"):  # JSON, and JSON in lines
            with suppress(Unreadable):
                return _table(_rows_of_json(read_json(wrapped))), []
        text = bare[1:-1] if bare[0] + bare[-1] == "[]" and "\n" not in bare else text  # as Python writes a list
    if ENDS_LINE.search(text):
        lines = ENDS_LINE.sub("\n", " ".join(text.split()))
        text = html.unescape(TAG.sub("", ENDS_CELL.sub("\t", lines)))
    text = LINK.sub(r"\1", text)
    messages = [SAID.match(line) or SAID_BEFORE_CLOCK.match(line) for line in text.splitlines()]
    if sum(map(bool, messages)) > 1:
        return _senders(text.splitlines(), messages)
    return _unaddressed(text.splitlines())


def _table(rows: Iterable[list[str]]) -> str:
    table = io.StringIO()
    table.write("sep=\t\n")
    csv.writer(table, delimiter="\t", lineterminator="\n").writerows(
        [" ".join(cell.split()) for cell in row] for row in rows
    )
    return table.getvalue()


def _names_on_cards(text: str) -> list[str]:
    """The names on the cards of an address book (RFC 6350 and older ones)."""
    unfolded = re.sub(r"\r?\n[ \t]", "", re.sub(r"=\r?\n", "", text))
    names, full, parts = [], "", ""
    for line in unfolded.splitlines():
        key, _colon, value = line.partition(":")
        kind, *parameters = key.upper().rpartition(".")[2].split(";")
        if any("QUOTED-PRINTABLE" in parameter for parameter in parameters):
            value = quopri.decodestring(value.encode()).decode(errors="replace")
        value = value.replace("\\,", ",").strip()
        if kind == "FN":
            full = value
        elif kind == "N":
            last, first, *_more = [*value.split(";"), ""]
            parts = f"{first} {last}"
        elif kind == "END":
            names.append(full or parts)
            full = parts = ""
    return names


def _rows_of_json(value: Any) -> list[list[str]]:
    """The rows of an array, of names or of objects, which may stand in an object."""
    while isinstance(value, dict):
        inner = [part for part in value.values() if isinstance(part, list | dict)]
        if not inner and all(isinstance(part, int | float) for part in value.values()):
            return [[name, _cell(score)] for name, score in value.items()]
        value = max(inner, key=lambda part: (isinstance(part, list), len(part))) if inner else [value]
    if not isinstance(value, list):
        return [[_cell(value)]]
    keys = list(dict.fromkeys(key for one in value if isinstance(one, dict) for key in one))
    rows = [[_cell(one.get(key)) for key in keys] for one in value if isinstance(one, dict)]
    if rows:
        return [keys, *rows]
    return [[_cell(cell) for cell in one] if isinstance(one, list) else [_cell(one)] for one in value]


def _cell(value: Any) -> str:
    return "" if value is None or isinstance(value, bool | dict | list) else str(value)


def _senders(lines: list[str], messages: list[re.Match[str] | None]) -> tuple[str, list[str]]:
    """Who wrote in a chat anything but a question or “no”; beside them who did only that, and what nobody wrote."""
    said: list[list[str]] = []
    left_out = []
    for line, message in zip(lines, messages, strict=True):
        if message:
            said.append([message[1].strip(), message[2]])
        elif said and not DATED.match(line):
            said[-1][1] += " " + line
        elif line.strip():
            left_out.append(line)
    absent = {sender for sender, words in said if plain(words) in NO}
    senders = {sender: None for sender, words in said if sender not in absent and not words.rstrip().endswith("?")}
    left_out += [sender for sender in dict.fromkeys(sender for sender, _words in said) if sender not in senders]
    return _table([sender] for sender in senders), left_out


def _unaddressed(lines: list[str]) -> tuple[str, list[str]]:
    """The lines without the addresses of letters, and notes such as “Questions to <…>” among lines that have none."""
    names = {line: _without_mails(line) for line in lines if MAIL.search(line)}
    are_notes = len(names) * 2 < len(list(filter(str.strip, lines)))
    notes = {line: None for line, left in names.items() if are_notes and _leads_on(left[-1])}
    return "\n".join(name for line in lines if line not in notes for name in names.get(line, [line])), list(notes)


def _leads_on(words: str) -> bool:
    """Whether words lead to an address, as “Questions to” and “Contact: Ann” do."""
    return ":" in words or words.strip().rpartition(" ")[2].islower()


def _without_mails(line: str) -> list[str]:
    """The names between the addresses of a line; the line without its only one, unless there is nothing else in it."""
    mails = list(MAIL.finditer(line))
    ends = [0, *(mail.end() for mail in mails)]
    between = [line[end : mail.start()].strip(" \t,;") for end, mail in zip(ends, mails, strict=False)]
    rest = line[ends[-1] :]
    if len(mails) == 1 and (between[0] or rest.strip(" \t,;")):
        return [line[: mails[0].start()] + rest]
    names = [name or mail[0][1:].partition("@")[0] for name, mail in zip(between, mails, strict=True)]
    names += filter(None, [rest.strip(" \t,;")])
    return [part for name in names for part in (re.split(r"[,;]", name) if "@" in name else [name])]
