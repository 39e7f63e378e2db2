"""`companion bench [NAME]`: what this machine achieves, one row a figure, with machine and versions.

A bench is a function, `(labels, out) -> list[Figure]`; it joins by one line in BENCHES. A game brings its own
(`Pages.benches`). What needs the project's own pictures or a hall of simulated tables is in `tests/benches`.
"""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from pkgutil import resolve_name

import click

from companion.app.as_json import echo_json
from companion.app.bench.figures import Figure
from companion.app.bench.labels import places_of, read_dice
from companion.app.bench.misses import clear_misses
from companion.errors import BadInput
from companion.shelf import GAMES
from vision.models.network import engine

BENCHES = {  # They are heavy, so only a run imports them.
    name: f"companion.app.bench.{place}"
    for name, place in {
        "dice": "dice:figures",
        "idle": "idle:figures",
        "phone": "phone:figures",
        "photo": "photo:figures",
        "rules": "rules:figures",
        "scenes": "dice:scene_figures",
        "web": "web:figures",
    }.items()
}
WITH_LABELS = ("dice", "scenes")
OF_GAMES = {name: measure for game in GAMES.values() for name, measure in game.pages.benches.items()}
NAMES = sorted({*BENCHES, *OF_GAMES})

VERSIONS = ("table-companion", "opencv-python-headless", "numpy")


@click.command()
@click.argument("name", required=False, type=click.Choice(NAMES))
@click.option("--labels", type=click.Path(path_type=Path), help="A folder with labels.json, instead of the usual one.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="A folder, where the misses are drawn; build/bench-NAME if not said."
)
@click.option("--camera", is_flag=True, help="Of idle alone: a table with a webcam instead of a demo.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def bench(name: str | None, labels: Path | None, out: Path | None, camera: bool, as_json: bool) -> None:
    """Measures the companion on this machine: NAME, or everything there is.

    dice judges the reader on your own labelled photographs, or on those beside the project; scenes on our rendered
    pictures. rules times the folding of long games, web the pages, photo the way of a phone's photo into the game,
    phone that of what it films as the camera; idle says what a demo takes of a core while nobody does anything. The
    others are the games' own, and time their helpers.
    """
    if labels and name not in WITH_LABELS:
        raise BadInput(f"Labels are of one kind of pictures: name one of {', '.join(WITH_LABELS)} before --labels.")
    if camera and name != "idle":
        raise BadInput("A webcam is measured while nobody plays: say companion bench idle --camera.")
    benches = BENCHES | ({"idle": "companion.app.bench.idle:camera_figures"} if camera else {})
    report([name] if name else NAMES, benches, read_dice, labels, out, as_json)


def report(
    names: Sequence[str],
    benches: Mapping[str, str],
    check_labels: Callable[[Path], object],
    labels: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Runs the benches and prints their rows.

    benches         name → module:function, for those that are no game's
    check_labels    raises BadInput for labels of another kind than the benches read
    """
    if labels and not (labels / "labels.json").is_file():
        raise BadInput(f"{labels} holds no labels.json: name a folder of labelled photographs.")
    place = out or usual_out(names[0])
    if labels and place.resolve() in places_of(labels):
        raise BadInput(f"{place} holds the labelled pictures themselves: name another folder for the misses.")
    if labels:
        check_labels(labels)  # It comes before the misses of the last run go.
    if out:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{out} cannot hold the misses ({error.strerror}): name another folder.") from error
    rows = {}
    for name in names:
        if out is None:
            clear_misses(usual_out(name))
        rows[name] = figures_of(name, benches, labels, out or usual_out(name))
    if as_json:
        fields = {name: [figure.fields() for figure in figures] for name, figures in rows.items()}
        echo_json({"machine": machine(), "benches": fields})
        return
    click.echo("  ".join(f"{what} {which}" for what, which in machine().items()))
    for name, figures in rows.items():
        click.echo(f"\n{name}")
        for figure in figures:
            click.echo(f"  {figure.name:<46} {figure.group:<24} {figure.words()}")


def figures_of(name: str, benches: Mapping[str, str], labels: Path | None, out: Path) -> list[Figure]:
    """The rows of one bench; those of games use neither labels nor pictures."""
    if name in OF_GAMES:
        return [Figure(**asdict(row)) for row in OF_GAMES[name]()]
    measure: Callable[[Path | None, Path], list[Figure]] = resolve_name(benches[name])
    return measure(labels, out)


def usual_out(name: str) -> Path:
    """The default folder for the drawn misses of a bench."""
    return Path("build") / f"bench-{name}"


def machine() -> dict[str, str]:
    """The machine and the versions with which the figures were measured."""
    facts = {"machine": platform.machine(), "cores": str(os.cpu_count()), "processor": processor()}
    facts |= {"system": platform.system(), "python": platform.python_version()}
    for package in VERSIONS:
        try:
            facts[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            facts[package] = "not installed as a package"
    return facts | {"networks by": engine()}


def processor() -> str:
    """The processor's name, as far as Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return names[-1] if names else "unknown"
