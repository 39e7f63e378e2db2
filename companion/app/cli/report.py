"""`companion report`: what whoever mends a fault needs to know of a table, in one file without names or tickets."""

import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import click

from companion.app.cli.options import A_PATH, data_option
from companion.errors import BadInput
from companion.journal.data_folder import JOURNAL
from companion.journal.files import opened
from companion.printing.sheets import not_written
from companion.shelf import GAMES, PACKAGES, REFUSED

PACKAGE = "table-companion"
UNITS = ("table-companion", "table-camera", "table-wifi")
LOG_LINES = 400
UNREAD = (
    "No journal was read in {data}: name the table's folder with --data. Names may still stand in the log. "
    "Look before you send it."
)
DOCTOR_S = 300
# Everything that a person has typed and that a log might repeat.
NAMES = "SELECT name FROM players UNION SELECT name FROM profiles UNION SELECT label FROM tickets"
TOKEN = re.compile(r"\b(?=[\w-]*\d)[\w-]{28,}(?:\.[\w.-]+)?")  # Ids have 24 letters and digits.
LOGIN = re.compile(r"(://)[^/\s@]+@")
HIDDEN = "…"


@click.command()
@data_option()
@click.option("--log", type=A_PATH, help="A file with the table's log, where no systemd keeps it.")
@click.option("-o", "--output", default=Path("table-report.txt"), show_default=True, type=A_PATH)
@click.option("--yes", is_flag=True, help="Writes it without asking.")
def report(data: Path, log: Path | None, output: Path, yes: bool) -> None:
    """Gathers what a bug report needs: versions, doctor's lines, and the newest log. It is shown before it is written.

    Names of people and devices, tickets and passwords are left out.
    """
    if output.exists():
        raise BadInput(f"{output} is there already: name another file with --output.")
    if log is not None and not log.is_file():
        raise BadInput(f"{log} is no file: name the table's log.")
    names = names_in(data)
    told = without_names("\n".join((*doctor_lines(data), "", *log_lines(log), "")), names or ())
    text = "\n".join((*versions(), *((UNREAD.format(data=data),) if names is None else ()), "", told))
    click.echo(text)
    if not yes and not click.confirm(f"Write this into {output}?"):
        raise BadInput("Nothing was written.")
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(not_written(output, error)) from error
    click.echo(f"{output} is written: add it to your report of what went wrong.")


def versions() -> Iterator[str]:
    """Lines on the program, the packages that it runs with, and the machine."""
    yield f"Table companion {version(PACKAGE)}, Python {platform.python_version()}, {platform.platform()}"
    model = Path("/proc/device-tree/model")
    if model.is_file():
        yield model.read_text(encoding="utf-8").rstrip("\0")
    wanted = [line for line in requires(PACKAGE) or () if 'extra == "dev"' not in line]
    for name in sorted({re.split(r"[^\w.-]", line)[0] for line in wanted}):
        try:
            yield f"  {name} {version(name)}"
        except PackageNotFoundError:
            continue
    yield f"Games: {', '.join(PACKAGES.get(game, game) for game in GAMES)}"
    yield from (f"Not played: {package}: {why}" for package, _entry, why in REFUSED)


def doctor_lines(data: Path) -> Iterator[str]:
    """What `companion doctor` says of this table, in a program of its own: a driver may hang it."""
    command = [sys.executable, "-m", "companion", "doctor", "--data", str(data)]
    yield "companion doctor"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DOCTOR_S)
    except subprocess.TimeoutExpired:
        yield f"  It did not end within {DOCTOR_S} s."
        return
    yield from (f"  {line}" for line in (done.stdout + done.stderr).splitlines())


def log_lines(log: Path | None) -> Iterator[str]:
    """The newest lines of the table's log: of a file, else of the service's journal."""
    yield "Log"
    if log is not None:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    elif shutil.which("journalctl"):
        units = [word for unit in UNITS for word in ("--unit", unit)]
        command = ["journalctl", *units, "--lines", str(LOG_LINES), "--no-pager", "--output", "short-iso"]
        done = subprocess.run(command, capture_output=True, text=True)
        lines = (done.stdout or done.stderr).splitlines()
    else:
        lines = ["No systemd keeps one here: start the table with 2> table.log, and name that file with --log."]
    yield from (f"  {line}" for line in lines[-LOG_LINES:])


def names_in(data: Path) -> tuple[str, ...] | None:
    """The names of people and devices in the journal, which is only read; None where it cannot be read."""
    journal = data / JOURNAL
    if not journal.is_file():
        return None
    try:
        with opened(journal, "ro") as db:
            return tuple(name for (name,) in db.execute(NAMES))
    except sqlite3.Error:
        return None


def without_names(text: str, names: Iterable[str]) -> str:
    """The text without these names, tickets and passwords."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", HIDDEN, text, flags=re.IGNORECASE)
    return TOKEN.sub(HIDDEN, LOGIN.sub(rf"\1{HIDDEN}@", text))
