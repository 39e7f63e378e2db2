"""`companion new-game NAME`: a folder with a package that brings a game, and works as it is."""

import re
import shlex
import shutil
import sys
from pathlib import Path

import click

from companion.app.cli.options import written_into
from companion.errors import BadInput
from companion.packages import installer
from companion.shelf import GAMES, NAME

TEMPLATE = Path(__file__).parent / "template"
SUFFIX = ".txt"  # No tool takes the files of the template for ours.


@click.command("new-game")
@click.argument("name")
@click.option("--into", default=".", type=click.Path(path_type=Path), help="The folder beside which it is written.")
def new_game(name: str, into: Path) -> None:
    """Writes the package of a new game into the folder NAME: rules, their tests and a catalogue.

    Its pages are made from the rules.

    NAME is of small letters, digits and "_", and no other game here has it.
    """
    if not NAME.fullmatch(name):
        raise BadInput(f'"{name}" can be no game\'s name: use small letters, digits and "_", and begin with a letter.')
    if name in GAMES:
        raise BadInput(f"There is a game {name} already: choose another name.")
    folder = into / name
    if folder.exists():
        raise BadInput(f"{folder} is there already: choose another name, or remove it.")
    package = f"{name}_game"  # A game may be called as a package that others import: "chess".
    values = {"name": name, "package": package, "title": name.replace("_", " ").title()}
    for source in sorted(path for path in TEMPLATE.rglob(f"*{SUFFIX}")):
        place = source.relative_to(TEMPLATE).as_posix().removesuffix(SUFFIX)
        target = folder / re.sub(r"^game/", f"{package}/", place)
        with written_into(into):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(source.read_text(encoding="utf-8").format(**values), encoding="utf-8")
    click.echo(f"{folder} has the new game. Put it on the shelf, then try it:")
    click.echo(f"    {installer()} --editable {shlex.quote(str(folder.resolve()))}")
    click.echo(f"    {called()} check-game {name}")


def called() -> str:
    """How this program is called in a terminal: by its place, as in a checkout, where no PATH leads to it."""
    own = Path(sys.executable).with_name("companion")
    return shlex.quote(str(own)) if own.is_file() and shutil.which(own.name) is None else own.name
