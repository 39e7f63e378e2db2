"""`companion print cards|sheets`: what a table may want on paper, true to scale.

A deck is a function of the size of a unit square in millimetres that gives drawings; it joins by one line in DECKS.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import click

from companion.printing.sheets import Drawing, save

Deck = Callable[[float], Sequence[Drawing]]

# name → "module:function", imported only when it is printed
DECKS = {
    "manual-36": "companion.printing.trucks:manual_36",
    "classic-30": "companion.printing.trucks:classic_30",
    "maxstax": "companion.printing.stacker_cards:deck",
}
SHEETS = {"pack-and-stack": "companion.printing.trucks:score_sheet"}

UNIT_MM = 12.0


@click.group("print")
def print_() -> None:
    """Makes pages to print: SVG, or PDF where the file is named so."""


def _command(name: str, what: Mapping[str, str], help: str) -> click.Command:
    first = next(iter(what))

    @click.command(name, help=help)
    @click.option("--deck", type=click.Choice(list(what)), default=first, show_default=True, help="Which one.")
    @click.option(
        "--unit-mm",
        type=click.FloatRange(5, 40),
        default=UNIT_MM,
        show_default=True,
        help="Side of a unit square, where the cards have any: measure your smallest box.",
    )
    @click.option(
        "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="FILE.svg or FILE.pdf; the deck's PDF."
    )
    def command(deck: str, unit_mm: float, output: Path | None) -> None:
        module, _, function = what[deck].partition(":")
        draw: Deck = getattr(import_module(module), function)
        for path in save(draw(unit_mm), output or Path(f"{deck}.pdf")):
            click.echo(path)

    return command


print_.add_command(_command("cards", DECKS, "Cards of a deck, to cut out; a ruler on each page shows the scale."))
print_.add_command(_command("sheets", SHEETS, "Sheets to write on, for a table that likes paper."))
