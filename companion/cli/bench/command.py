"""`companion bench [NAME]`: the project's own figures, one row each, with machine and versions.

A bench is a function here, `(labels, out) -> list[Figure]`; it joins by one line in BENCHES. A game brings its own
(`Game.benches`).
"""

import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module, metadata
from pathlib import Path

import click

from companion.cli.as_json import echo_json
from companion.cli.bench.figures import Figure
from companion.cli.bench.labels import check_labels, places_of
from companion.cli.bench.misses import clear_misses
from companion.errors import BadInput
from companion.games import GAMES
from vision.models.network import engine

BENCHES = {  # imported only when run: they are heavy
    "board": "readers:board_figures",
    "building": "tower:building_figures",
    "card": "readers:card_figures",
    "dice": "dice:figures",
    "held": "watch:held_figures",
    "hub": "hub:figures",
    "idle": "idle:figures",
    "load": "readers:load_figures",
    "mat": "mat:figures",
    "phone": "phone:figures",
    "photo": "photo:figures",
    "rules": "rules:figures",
    "scenes": "dice:scene_figures",
    "stacks": "readers:stack_figures",
    "thrown": "dice:thrown_figures",
    "tower": "tower:figures",
    "watch": "watch:figures",
    "web": "web:figures",
}
OF_GAMES = {name: measure for game in GAMES.values() for name, measure in game.pages.benches.items()}
NAMES = sorted({*BENCHES, *OF_GAMES})
# The benches that take --labels.
LABELLED = ("board", "dice", "held", "load", "mat", "scenes", "stacks", "thrown", "tower")

VERSIONS = ("table-companion", "opencv-python-headless", "numpy")


@click.command()
@click.argument("name", required=False, type=click.Choice(NAMES))
@click.option("--labels", type=click.Path(path_type=Path), help="A folder with labels.json, instead of the usual one.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="A folder, where the misses are drawn; build/bench-NAME if not said."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def bench(name: str | None, labels: Path | None, out: Path | None, as_json: bool) -> None:
    """Measures the project on this machine: NAME, or everything there is.

    board, card, dice, load, mat, scenes, stacks and tower judge the readers: dice on photographs where there are any,
    scenes on our own rendered pictures of dice, stacks of dice on pictures from above. thrown makes each photograph
    of dice a throw onto a table where all but the dice lay before. building judges stacks that are filmed while they
    are built. watch judges how soon and how rightly dice at rest are told, on simulated video, and what watching
    costs; held does the same for a camera in somebody's hand, on drawn tables, or with --labels on throws made of
    photographs. rules times the folding of long games, web the pages, photo the way of a phone's photo into the game,
    phone that of what it films as the camera; hub plays a hall of 2, 20 and 200 simulated tables; idle says what a
    demo takes of a core while nobody does anything. The others are the games' own, and time their helpers.
    """
    if labels and name not in LABELLED:
        raise BadInput(f"Labels are of one kind of pictures: name one of {', '.join(LABELLED)} before --labels.")
    if labels and not (labels / "labels.json").is_file():
        raise BadInput(f"{labels} holds no labels.json: name a folder of labelled photographs.")
    place = out or usual_out(name or "")
    if labels and place.resolve() in places_of(labels):
        raise BadInput(f"{place} holds the labelled pictures themselves: name another folder for the misses.")
    if labels and name:
        check_labels(labels, name)  # before the misses of the last run go
    if out:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{out} cannot hold the misses ({error.strerror}): name another folder.") from error
    report = {}
    for each in [name] if name else NAMES:
        if out is None:
            clear_misses(usual_out(each))
        report[each] = figures_of(each, labels, out or usual_out(each))
    if as_json:
        rows = {each: [figure.fields() for figure in figures] for each, figures in report.items()}
        echo_json({"machine": machine(), "benches": rows})
        return
    click.echo("  ".join(f"{what} {which}" for what, which in machine().items()))
    for each, figures in report.items():
        click.echo(f"\n{each}")
        for figure in figures:
            click.echo(f"  {figure.name:<46} {figure.group:<24} {figure.words()}")


def figures_of(name: str, labels: Path | None, out: Path) -> list[Figure]:
    """The rows of one bench; those of games use neither labels nor pictures."""
    if name in OF_GAMES:
        return [Figure(**asdict(row)) for row in OF_GAMES[name]()]
    module, _, function = BENCHES[name].partition(":")
    measure: Callable[[Path | None, Path], list[Figure]]
    measure = getattr(import_module(f"companion.cli.bench.{module}"), function)
    return measure(labels, out)


def usual_out(name: str) -> Path:
    """The default folder for the drawn misses of a bench."""
    return Path("build") / f"bench-{name}"


def machine() -> dict[str, str]:
    """The machine and the versions with which the figures were measured."""
    found = {"machine": platform.machine(), "cores": str(os.cpu_count()), "processor": processor()}
    found |= {"system": platform.system(), "python": platform.python_version()}
    for package in VERSIONS:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed as a package"
    return found | {"networks by": engine()}


def processor() -> str:
    """The processor's name, as far as Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    named = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return named[-1] if named else "unknown"
