"""A list of names that a page sends. What was understood of it is shown first; it counts when it is sent once more."""

from dataclasses import dataclass

from flask import request

from companion.errors import BadInput
from companion.name_lists.files import decode
from companion.name_lists.reader import HEADING_WITHIN, Columns, NameList, read_list
from companion.names import check_list
from companion.words import _, retold

LONGEST_LIST = 400_000
MOST_PARTS = 3  # First name, what stands between, last name.
SAMPLES = 6  # Rows that show what a column holds.


@dataclass(frozen=True)
class SentList:
    """A list as it was sent.

    names       one after the other, as they will count
    is_sure     somebody has seen these names; a list without any needs no look
    source      its text, to be read again by other columns
    read        what was understood; None if it was sent as it was shown
    refusal     why these names cannot count as they are, "" if they can
    """

    names: tuple[str, ...]
    is_sure: bool = False
    source: str = ""
    read: NameList | None = None
    refusal: str = ""

    @property
    def left_out(self) -> list[str]:
        """What the list holds beside the names: headings, totals, questions."""
        return [line for line in (self.read.left_out if self.read else ()) if line not in self.names]

    @property
    def columns(self) -> list[str]:
        """What stands in each column, in a few words."""
        rows = self.read.rows[:SAMPLES] if self.read else ()
        return [", ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]

    @property
    def first_rows(self) -> list[str]:
        """The first rows, any of which may hold the first name."""
        return [" · ".join(filter(None, row)) for row in self.read.rows[: HEADING_WITHIN + 2]] if self.read else []


def list_sent(field: str) -> SentList:
    """The list in that field of the form, or in its file; raises BadInput for what is no list at all."""
    form, file = request.form, request.files.get("file")
    is_shown = any(tap in form for tap in ("sure", "add", "again"))
    if is_shown:
        source = form.get("source", "")
    elif file is not None and file.filename:
        source = decode(file.read(LONGEST_LIST + 1))
    else:
        source = form.get(field, "")
    if len(source) > LONGEST_LIST:
        raise BadInput(_("This list is too long. Send it in two parts."))
    if is_shown and "again" not in form:
        names = filter(str.strip, [*form.get(field, "").splitlines(), form.get("add", "")])
        return _checked(SentList(tuple(names), "sure" in form, source))
    read = read_list(source, _columns_chosen() if is_shown else None)
    return _checked(SentList(read.names, False, source, read)) if source.strip() else SentList((), True)


def _checked(sent: SentList) -> SentList:
    """The list with its names as they will be stored, or with why they cannot be."""
    refusal, names = "", sent.names
    try:
        names = check_list(list(names))
        if not names and not sent.is_sure:
            refusal = _("No names were found in this list. Choose the columns, or type them.")
    except BadInput as error:
        refusal = retold(error.sentence)
    is_shown = bool(refusal) or not sent.is_sure
    read = sent.read or (read_list(sent.source, _columns_chosen()) if is_shown and sent.source else None)
    return SentList(names, sent.is_sure and not refusal, sent.source, read, refusal)


def _columns_chosen() -> Columns:
    """The columns that were chosen. What is no number counts as not chosen."""
    parts = (part for number in range(MOST_PARTS) if (part := _number(f"part{number}")) is not None)
    return Columns(tuple(dict.fromkeys(parts)) or (0,), _number("skip") or 0)


def _number(name: str) -> int | None:
    text = request.form.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None
