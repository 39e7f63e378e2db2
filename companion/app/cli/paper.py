"""The paper that commands print on, `--paper`."""

from pathlib import Path

import click

from companion.app.cli.options import DATA, Command
from companion.journal.data_folder import setting_in
from companion.journal.settings import PAPER
from companion.printing.paper import NAMES, Paper, paper_named


def paper_option(command: Command) -> Command:
    """The option --paper, whose value is `paper`: the name of a kind of paper, or None."""
    return click.option(
        "--paper",
        type=click.Choice(list(NAMES), case_sensitive=False),
        default=None,
        help="a4 or a3: A4, and A3 for large mats. letter or tabloid: US Letter, and Tabloid for large mats. "
        "Without this the house's own, as set on /house.",
    )(command)


def paper_of(name: str | None, data: Path = DATA) -> Paper:
    """The paper of that name; for None that of the house in a data folder, or the system's where it has set none."""
    return paper_named(name or setting_in(data, PAPER))
