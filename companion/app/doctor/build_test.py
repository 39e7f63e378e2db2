"""`companion doctor --build-test`: walks who has built a box through each of its parts, and writes a sheet to keep.

The steps are those of the test sheet, so that paper and walk agree. The page "Set up the table" hears the presses and
lights what is held; a person alone can tell whether a lamp shines and a buzzer sounds.
"""

from datetime import date
from pathlib import Path

import click

from companion.app.cli.wiring import test_sheet
from companion.app.cli.wiring.test_sheet import Answer
from companion.app.doctor.checks import Table, is_there
from companion.app.doctor.service_checks import ask_parts
from companion.cameras.names import ABOVE
from companion.errors import BadInput
from companion.printing.sheets import save
from firmware.plan import BoxPlan, read_plan

REPLIES = {"y": Answer.YES, "n": Answer.NO, "s": Answer.NOT_TRIED}


def plan_of(table: Table) -> BoxPlan:
    """The pins of this table's box; raises BadInput where nothing names them."""
    toml = table.table_toml or table.data / "table.toml"
    if not toml.is_file():
        raise BadInput(f"There is no box to be tested: {toml} is no file. Write one with companion init.")
    return read_plan(toml)


def walk(table: Table, sheet: Path) -> bool:
    """Asks for each step in turn and writes the sheet; whether no step has failed.

    Raises BadInput when no pins are named or the sheet cannot be written.
    """
    plan = plan_of(table)
    has_camera = is_there(table.camera) or ask_parts(table.port).has(ABOVE)
    steps = tuple(test_sheet.steps(plan, has_camera))
    save([test_sheet.drawing(plan, steps)], sheet, ruler=False)  # Before anybody answers: no answer is lost then.
    answers: list[Answer] = []
    click.echo(f"\nBuild test: {len(steps)} steps. Answer y for yes, n for no, s to leave a step out.")
    try:
        for number, step in enumerate(steps, start=1):
            click.echo(f"\n{number}. {step.act}.\n   {step.expect}.")
            reply = click.prompt("   Is it so?", type=click.Choice(list(REPLIES)), show_choices=True)
            answers.append(REPLIES[reply])
    except click.Abort:  # What was answered until then is kept.
        click.echo("\nThe test ends here.")
    rest = [Answer.NOT_TRIED] * (len(steps) - len(answers))
    tested = f"{date.today():%Y-%m-%d}"
    for path in save([test_sheet.drawing(plan, steps, (*answers, *rest), tested)], sheet, ruler=False):
        click.echo(path)
    failed = [str(number) for number, answer in enumerate(answers, start=1) if answer is Answer.NO]
    if failed:
        click.echo(f"Not so: step {', '.join(failed)}. companion wiring draws which pin each part hangs on.")
    return not failed
