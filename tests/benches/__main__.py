"""`make bench NAME=…`: one of the benches that need a checkout, reported as `companion bench` reports its own."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from companion.app.bench.command import report
from companion.app.bench.labels import read_dice
from companion.errors import BadInput, CompanionError
from tests.benches.labels import PICTURES, read_images

BENCHES = {
    name: f"tests.benches.{place}"
    for name, place in {
        "board": "readers:board_figures",
        "building": "tower:building_figures",
        "card": "readers:card_figures",
        "held": "watch:held_figures",
        "hub": "hub:figures",
        "load": "readers:load_figures",
        "mat": "mat:figures",
        "stacks": "readers:stack_figures",
        "thrown": "thrown:figures",
        "tower": "tower:figures",
        "tutorial": "tutorial:figures",
        "watch": "watch:figures",
    }.items()
}


NEED_NO_LABELS = ("building", "card", "hub", "watch")


def reading_of(name: str) -> Callable[[Path], object]:
    """What reads the labels of that bench: of one kind of picture, else those of dice."""
    return partial(read_images, kind=name) if name in PICTURES else read_dice


@click.command()
@click.argument("name", type=click.Choice(sorted(BENCHES)))
@click.option("--labels", type=click.Path(path_type=Path), help="A folder with labels.json, instead of the usual one.")
@click.option("--out", type=click.Path(path_type=Path), help="Where the misses are drawn; else build/bench-NAME.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def bench(name: str, labels: Path | None, out: Path | None, as_json: bool) -> None:
    """Measures NAME.

    board, card, load, mat, stacks and tower judge the readers. thrown makes each photograph of dice a throw onto a
    table where all but the dice lay before; tutorial judges the way that tutorials read dice. building judges stacks
    that are filmed while they are built. watch judges how soon and how rightly dice at rest are told, on simulated
    video, and what watching costs; held does the same for a camera in somebody's hand. hub plays a hall of 2, 20 and
    200 simulated tables.
    """
    try:
        if labels and name in NEED_NO_LABELS:
            raise BadInput(f"{name} looks at no labelled pictures: leave --labels away.")
        report([name], BENCHES, reading_of(name), labels, out, as_json)
    except CompanionError as refusal:
        sys.exit(str(refusal))


if __name__ == "__main__":
    bench()
