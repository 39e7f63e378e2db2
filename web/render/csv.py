"""CSV files that a spreadsheet opens without running formulas, and times in ISO 8601."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from flask import Response

from web.render.pieces import batches, in_pieces

# A cell of text that begins so would be run as a formula. So would the part after a semicolon, a tab or a line end,
# where a spreadsheet of another language sees the next cell.
FORMULA = re.compile(r"((?:^|[;\t\r\n])[\s\"']*)(?=[=+@＝＋－＠-])|^(?=[\t\r])")


def csv_file(name: str, rows: Iterable[Iterable[str | float]]) -> Response:
    """Rows as a CSV file to download (`in_pieces`), in UTF-8 with a byte order mark, which spreadsheets need."""
    response = in_pieces(_pieces(rows), "text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _pieces(rows: Iterable[Iterable[str | float]]) -> Iterator[bytes]:
    yield codecs.BOM_UTF8
    for some in batches(rows):
        text = io.StringIO()
        csv.writer(text).writerows([harmless(cell) for cell in row] for row in some)
        yield text.getvalue().encode()


def harmless(cell: str | float) -> str | float:
    """The cell with an apostrophe before any formula in a text; numbers stay as they are."""
    return FORMULA.sub(r"\1'", cell) if isinstance(cell, str) else cell


def moment(wall_us: int) -> str:
    """A wall time in ISO 8601."""
    return datetime.fromtimestamp(wall_us // 1_000_000).astimezone().isoformat()
