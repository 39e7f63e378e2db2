"""For other programs: CSV that a spreadsheet opens and never runs, and moments as they write them."""

import csv
import io
import re
from collections.abc import Iterable
from datetime import datetime

from flask import Response

# A cell of words that begins so would be worked out as a formula; so would what follows where a spreadsheet of another
# language sees the next cell: after a semicolon, a tab or a line's end.
FORMULA = re.compile(r"((?:^|[;\t\r\n])[\s\"']*)(?=[=+@＝＋－＠-])|^(?=[\t\r])")


def csv_file(name: str, rows: Iterable[Iterable[str | float]]) -> Response:
    """Rows as a CSV file to keep, in UTF-8 with a mark at its beginning, by which spreadsheets know."""
    text = io.StringIO()
    csv.writer(text).writerows([harmless(cell) for cell in row] for row in rows)
    response = Response("\ufeff" + text.getvalue(), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def harmless(cell: str | float) -> str | float:
    """Words that look like a formula get an apostrophe before them; figures stay as they are."""
    return FORMULA.sub(r"\1'", cell) if isinstance(cell, str) else cell


def moment(wall_us: int) -> str:
    """A moment as programs write it."""
    return datetime.fromtimestamp(wall_us // 1_000_000).astimezone().isoformat()
