"""`companion print mat|cards|sheets|qr`: pages for the table, true to scale.

A deck is a function from the side of a unit square in millimetres to drawings; DECKS has a line for each.
"""

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from companion.access.access import Access
from companion.app.cli.groups import Sentences
from companion.app.cli.options import data_option, output_option
from companion.app.cli.paper import paper_of, paper_option
from companion.equipment.mat import SIZES, USUAL_BOARD, mat, mats
from companion.errors import BadInput
from companion.foreign import read_address
from companion.game.game import AnyGame
from companion.game.sheets import BoardSheet, ScoreSheet
from companion.journal.devices import PRINTED_CODE, Role
from companion.network.addresses import in_url, leads_elsewhere, own_address
from companion.printing.board_sheets import board_sheet
from companion.printing.score_sheets import score_sheet
from companion.printing.sheets import Drawing, save, write
from companion.shelf import GAMES

Deck = Callable[[float], Sequence[Drawing]]


def deck_at(place: str) -> Deck:
    """The deck "module:function", imported only when it is printed."""

    def draw(unit_mm: float) -> Sequence[Drawing]:
        module, _, function = place.partition(":")
        deck: Deck = getattr(import_module(module), function)
        return deck(unit_mm)

    return draw


def sheet_of(game: AnyGame, sheet: ScoreSheet | BoardSheet) -> Deck:
    """A game's sheet to write on, or two of them where each player has an own one; they have no unit squares."""
    if isinstance(sheet, BoardSheet):
        return lambda _unit_mm: [board_sheet(game.pages.title, sheet)] * 2
    return lambda _unit_mm: [score_sheet(game.pages.title, game.rules.seats[1], sheet)]


DECKS = {
    "manual-36": deck_at("companion.printing.truck_cards:manual_36"),
    "classic-30": deck_at("companion.printing.truck_cards:classic_30"),
    "maxstax": deck_at("companion.printing.stacker_cards:deck"),
}
SHEETS = {
    game.rules.name.replace("_", "-"): sheet_of(game, game.pages.sheet) for game in GAMES.values() if game.pages.sheet
}

UNIT_MM = 12.0
MDNS_NAME = "table.local"
MOST_ADDRESS = 500  # With a ticket behind them so many letters fit into a QR code, even at four bytes each.


class Millimetres(click.FloatRange):
    """A length within bounds. Click's own range lets "nan" pass, which is neither too small nor too large."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        length_mm = super().convert(value, param, ctx)
        if not math.isfinite(length_mm):
            self.fail(f"{value!r} is not a length.", param, ctx)
        return length_mm


@click.group("print", cls=Sentences)
def print_() -> None:
    """Makes pages to print: SVG, or PDF where the file is named so."""


def _command(name: str, decks: Mapping[str, Deck], help: str) -> click.Command:
    first = next(iter(decks))

    @click.command(name, help=help)
    @click.option("--deck", type=click.Choice(list(decks)), default=first, show_default=True, help="Which one.")
    @click.option(
        "--unit-mm",
        type=Millimetres(5, 40),
        default=UNIT_MM,
        show_default=True,
        help="Side of a unit square, where the cards have any: measure your smallest box.",
    )
    @click.option(
        "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="FILE.svg or FILE.pdf; the deck's PDF."
    )
    @paper_option
    def command(deck: str, unit_mm: float, output: Path | None, paper: str | None) -> None:
        for path in save(decks[deck](unit_mm), output or Path(f"{deck}.pdf"), paper=paper_of(paper)):
            click.echo(path)

    return command


print_.add_command(_command("cards", DECKS, "Cards of a deck, to cut out; a ruler on each page shows the scale."))
print_.add_command(_command("sheets", SHEETS, "Sheets to write on, for a table that likes paper."))


@print_.command("mat")
@click.option(
    "--layout", type=click.Choice(list(mats())), default=None, help="What is to lie on it; everything without this."
)
@click.option(
    "--board",
    "board_n",
    type=click.IntRange(SIZES[0], SIZES[-1]),
    default=None,
    help=f"Squares along one side of the board, {USUAL_BOARD} without this. Take as many as the board on your game's "
    "page has. Without --layout a mat that is all board.",
)
@click.option(
    "--cell",
    "cell_mm",
    type=Millimetres(0, min_open=True),
    default=None,
    help="Side of a square in mm; as large as fits.",
)
@click.option(
    "--tiled",
    is_flag=True,
    help="On two sheets of A4 (or Letter) to glue together, not on A3 (or Tabloid); so are mats for the front camera.",
)
@paper_option
@output_option("mat.pdf")
def mat_(
    layout: str | None, board_n: int | None, cell_mm: float | None, tiled: bool, output: Path, paper: str | None
) -> None:
    """The mat that a camera finds its way by: markers, places for dice, board, trucks, card and stacks.

    The camera reads a game whose board has as many squares as the mat's: --board says how many.
    """
    from companion.printing.mat_pages import printed

    layout_mat = mat(layout or ("all" if board_n is None else "board"), board_n or USUAL_BOARD, cell_mm)
    if layout_mat.grid is None and (board_n or cell_mm):
        raise BadInput(f"The mat {layout_mat.name} has no board: take the layout board, or all.")
    pages, page_mm = printed(layout_mat, tiled=tiled, paper=paper_of(paper))
    for path in write(pages, output, page_mm):
        click.echo(path)


@print_.command("qr")
@click.option(
    "--role", type=click.Choice([Role.PLAYER.value, Role.WATCHER.value]), help="Lets in whoever scans it; keep it safe."
)
@click.option("--address", default=None, help="Of the table, all of it, such as http://table.local:8000.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Of the table.")
@data_option("The games.")
@paper_option
@output_option("qr.pdf")
def qr(role: str | None, address: str | None, port: int, data: Path, output: Path, paper: str | None) -> None:
    """A card with a code that leads to the table; with --role it lets in whoever scans it, as /house can revoke.

    Some phones do not know names that end in .local: the card then has a second code, by name or by plain address.
    """
    from companion.journal.data_folder import journal_in
    from companion.printing.code_cards import code_card

    if address is not None and not (len(address) <= MOST_ADDRESS and address.isprintable()):
        raise BadInput(
            f"An address for a code has at most {MOST_ADDRESS} printable letters: take one such as "
            "http://table.local:8000."
        )
    if address is not None and not is_web_address(address):
        raise BadInput(f"{address!r} is no address of the web: write all of it, such as http://table.local:8000.")
    if address is not None and not leads_elsewhere(read_address(address).hostname or ""):
        raise BadInput(f"No other device reaches {address}: write the table's own, such as http://table.local:8000.")
    ways, path = ways_in(address, port), "/"
    words = "Scan to see the table"
    if role is not None:
        with contextlib.closing(journal_in(data)) as journal:
            path = f"/join/{Access(journal).tickets.issue(Role(role), label=PRINTED_CODE)}"
        words = "Scan to play" if role == Role.PLAYER else "Scan to look on"
    card = code_card(ways[0] + path, words, *(way + path for way in ways[1:]))
    for file in save([card], output, paper=paper_of(paper, data)):
        click.echo(file)


def ways_in(address: str | None, port: int) -> tuple[str, ...]:
    """The address to print, and the other way in where one of the two is a name that ends in .local."""
    plain = own_address()
    if address is None:
        by_name = f"http://{MDNS_NAME}:{port}"
        return (f"http://{in_url(plain)}:{port}", by_name) if plain else (by_name,)
    named, parts = address.rstrip("/"), read_address(address)
    name = parts.hostname or ""
    if plain is None or not name.endswith(".local"):
        return (named,)
    return (named, parts._replace(netloc=parts.netloc.lower().replace(name, in_url(plain))).geturl().rstrip("/"))


def is_web_address(address: str) -> bool:
    """Whether a link has a host, and a path may be added to it."""
    parts = read_address(address)
    has_host = parts.hostname and parts.port != 0
    return bool(has_host and parts.scheme in ("http", "https")) and not set(address) & set(" ?#\\")
