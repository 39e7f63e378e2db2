"""`companion backup FILE` and `companion restore FILE`: the journal as one verified file, and back."""

import sys
from datetime import datetime
from pathlib import Path

import click

from companion.app.cli.options import A_PATH, data_option
from companion.errors import BadInput


@click.command()
@click.argument("file", type=A_PATH)
@data_option()
@click.option("--no-pictures", is_flag=True, help="Leave the camera's pictures out.")
def backup(file: Path, data: Path, no_pictures: bool) -> None:
    """Copies every game into FILE, also while the table plays, and verifies each. Never overwrites a file."""
    from companion.journal import backup as copies
    from companion.journal.data_folder import JOURNAL

    contents = copies.backup(data / JOURNAL, file, pictures=not no_pictures)
    click.echo(f"{file}: {contents}; every hash chain holds.")


@click.command()
@click.argument("file", type=A_PATH)
@data_option()
@click.option("--exactly", is_flag=True, help="Leave out what was recorded in this folder after the copy.")
@click.option("--incomplete", is_flag=True, help="Go on though some of what was recorded after it cannot be added.")
@click.option("--other-house", is_flag=True, help="Put another house's copy in this one's place, without asking.")
def restore(file: Path, data: Path, exactly: bool, incomplete: bool, other_house: bool) -> None:
    """Puts the copy FILE in the journal's place, when it is verified and no companion runs.

    The journal that was there is moved aside, never deleted. What was recorded in this folder after the copy is added
    to it. Devices have to be let in anew. A copy of another house is asked about, and then stands here alone.
    """
    from companion.journal.backup import verified
    from companion.journal.data_folder import JOURNAL, claim
    from companion.journal.files import no_file
    from companion.journal.restore import OtherHouse, restore
    from companion.journal.store import Journal

    if not file.is_file():
        raise BadInput(f"{no_file(file)}: name a copy that companion backup made.")
    with claim(data):
        contents, ending = verified(file), f"before-{datetime.now():%Y%m%d-%H%M%S}"
        options = {"exactly": exactly, "incomplete": incomplete}
        try:
            outcome = restore(file, data / JOURNAL, ending, **options, other_house=other_house)
        except OtherHouse:
            if not sys.stdin.isatty():
                raise
            question = f"{file} is a copy of another house. Put it in this one's place, which is kept aside?"
            click.confirm(question, abort=True)
            outcome = restore(file, data / JOURNAL, ending, **options, other_house=True)
        Journal(data / JOURNAL).close()
    click.echo(f"{data}: {contents}; every hash chain holds. Start the companion now.")
    if outcome.added:
        click.echo(f"{outcome.added} entries that were recorded after the copy were added.")
    if outcome.left_out:
        click.echo(f"{outcome.left_out} entries that were recorded after the copy were left out, and are kept aside.")
    if outcome.aside:
        click.echo(f"The journal that was there is now {outcome.aside}.")
