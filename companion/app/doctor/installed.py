"""What `companion doctor` says of the installation: bundles, games, paper, and extras that help where they are."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from companion.app.doctor.checks import Light, Table
from companion.foreign import read_json
from companion.journal.data_folder import setting_in
from companion.journal.settings import PAPER
from companion.packages import FAST, SOLVER, install_command
from companion.printing.paper import paper_named
from companion.shelf import GAMES, PACKAGES, REFUSED

BUNDLE = "bundle.json"  # hardware/install.sh puts it beside the environment of a version.
COMPLETE = "complete"  # It comes beside the bundle once the version has proved that it starts.


def check_bundle(_table: Table) -> tuple[Light, str]:
    """Says which bundle is installed, and which version `--back` would bring back."""
    return of_slot(Path(sys.prefix).parent)


def of_slot(slot: Path) -> tuple[Light, str]:
    """What is said of the version in this folder; the other versions lie beside it."""
    if not (slot / BUNDLE).exists():
        return Light.OFF, "This companion was not installed from a bundle."
    earlier_versions = [other for other in slot.parent.glob(f"*/{COMPLETE}") if not other.parent.samefile(slot)]
    before_words = "; no version before it is kept"
    if earlier_versions:
        older = earlier_versions[0].parent
        name = bundle_name(older) if (older / BUNDLE).exists() else "one that came from no bundle"
        before_words = f"; the version before it is kept: {name}"
    return Light.GREEN, f"The bundle {bundle_name(slot)} is installed{before_words}."


def bundle_name(slot: Path) -> str:
    """The bundle in this folder, for people; raises Unreadable or KeyError for a damaged description."""
    description = read_json((slot / BUNDLE).read_bytes(), dict[str, object])
    return f"{description['version']} of {description['made']} ({description['commit']})"


def check_games(_table: Table) -> tuple[Light, str]:
    """Names the games that packages bring, and those that cannot be played."""
    if REFUSED:
        return Light.RED, " ".join(
            f"The game of the package {package} can't be played. {why}" for package, _, why in REFUSED
        )
    brought = [f"{GAMES[name].pages.title} ({package})" for name, package in PACKAGES.items()]
    others = f", of that {', '.join(brought)} by other packages" if brought else ""
    return Light.GREEN, f"{len(GAMES)} games can be played{others}."


def check_paper(table: Table) -> tuple[Light, str]:
    """Says which paper pages are printed on, and who set it."""
    name = setting_in(table.data, PAPER)
    paper = paper_named(name)
    by = "as set on /house" if name == paper.name else "as this system is set; /house can set another"
    return Light.GREEN, f"Pages are for {paper.title}, large mats for {paper.large_title}: {by}."


def check_fast(_table: Table) -> tuple[Light, str]:
    """Says what runs the networks that read pictures, and how to have the faster one."""
    from vision.models.network import WITHOUT_RUNTIME, engine, runtime_here

    if runtime_here() is not None:
        return Light.GREEN, f"Pictures are read by {engine()}, the fastest way."
    if os.environ.get(WITHOUT_RUNTIME):
        return Light.OFF, f"Pictures are read by {engine()}: unset {WITHOUT_RUNTIME} to read them sooner."
    return Light.OFF, (
        f"Pictures take a third to a half longer to read without ONNX Runtime. Install it with {install_command(FAST)}"
    )


def check_solver(_table: Table) -> tuple[Light, str]:
    """Says whether OR-tools help where our own searches for a load or a seating give up."""
    if find_spec("ortools") is not None:
        return Light.GREEN, "OR-tools help to pack a truck and to seat a round."
    return Light.OFF, (
        "Some trucks are packed, and large rounds seated, less well without OR-tools. "
        f"Install them with {install_command(SOLVER)}"
    )
