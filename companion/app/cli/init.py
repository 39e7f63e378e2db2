"""`companion init`: a table.toml to be filled in, with a comment for each line."""

from pathlib import Path

import click

import firmware
from companion.app.cli.options import data_option, written_into
from companion.errors import BadInput

EXAMPLE = Path(firmware.__file__).parent / "table.example.toml"


@click.command()
@data_option()
def init(data: Path) -> None:
    """Writes table.toml, where the pins of buttons, lights and buzzer are named, beside the table's games.

    A table without a button box needs none.
    """
    file = data / "table.toml"
    if file.exists():
        raise BadInput(f"{file} is there already: change it, or move it away first.")
    with written_into(data):
        data.mkdir(parents=True, exist_ok=True)
        file.write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    click.echo(f"{file} has the pins of four seats: set yours, then run companion doctor.")
