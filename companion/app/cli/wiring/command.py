"""`companion wiring`: draws how this table is wired, from the same table.toml that the firmware reads."""

from pathlib import Path

import click

from companion.app.cli.options import data_option, output_option, table_option
from companion.app.cli.paper import paper_of, paper_option
from companion.errors import BadInput


@click.command()
@table_option
@data_option("Where table.toml is.")
@output_option("wiring.svg")
@click.option("--test-sheet", is_flag=True, help="Also a page to tick off: what to press, what lights then.")
@paper_option
def wiring(table_toml: Path | None, data: Path, output: Path, test_sheet: bool, paper: str | None) -> None:
    """Draws the wiring of this table's box: each device, its pin, its wire's colour and its parts.

    Without a table.toml it draws the usual wiring for four seats.
    """
    from companion.app.cli.wiring import drawing as wiring_drawing
    from companion.app.cli.wiring import test_sheet as sheet
    from companion.printing.sheets import save
    from firmware.box import SIMULATED_SEATS
    from firmware.plan import overlay_warning, read_plan, usual_plan

    own = table_toml or data / "table.toml"
    if table_toml is not None and not own.is_file():
        raise BadInput(f"{own} is no file: write one with companion init and set your pins.")
    plan = read_plan(own) if own.is_file() else usual_plan(SIMULATED_SEATS)
    drawings = [wiring_drawing.drawing(plan)]
    if test_sheet:
        drawings.append(sheet.drawing(plan))
    for path in save(drawings, output, ruler=False, paper=paper_of(paper, data)):
        click.echo(path)
    if warning := overlay_warning(plan):
        click.echo(warning, err=True)
