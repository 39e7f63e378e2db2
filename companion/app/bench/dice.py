"""`companion bench dice` and `scenes`: the dice reader judged on labelled photographs, and on our own rendered scenes.

Beside a checkout `dice` finds photographs by itself, and `scenes` its pictures; elsewhere both need --labels.
"""

from pathlib import Path
from typing import Any

from companion.app.bench import dice_photos
from companion.app.bench.figures import Figure
from companion.app.bench.labels import read_dice
from companion.errors import BadInput

ROOT = Path(__file__).parents[3]
PHOTOGRAPHS = ROOT.parent / "shared" / "data" / "dice"
OWN_SCENES = ROOT / "tests" / "vision" / "fixtures" / "dice"


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures, on our own scenes if there are no photographs; our reader's misses are drawn into `out`."""
    return judge(labels or (PHOTOGRAPHS if PHOTOGRAPHS.is_dir() else OWN_SCENES), out)


def scene_figures(labels: Path | None, out: Path) -> list[Figure]:
    """The same on our own scenes."""
    return judge(labels or OWN_SCENES, out)


def judge(folder: Path, out: Path) -> list[Figure]:
    """All figures on a folder with a labels.json."""
    entries = labels_of(folder)
    return [photographs_of(folder, entries), *dice_photos.dice_figures(folder, entries, out)]


def labels_of(folder: Path) -> list[dict[str, Any]]:
    """The labels of a folder; raises BadInput if it has none."""
    if not (folder / "labels.json").is_file():
        raise BadInput("There are no labelled photographs here: name a folder with --labels FOLDER.")
    return read_dice(folder)


def photographs_of(folder: Path, entries: list[dict[str, Any]]) -> Figure:
    """The row that says which photographs were judged."""
    note = "own rendered scenes only: says nothing about photographs" if folder == OWN_SCENES else folder.name
    return Figure("photographs of", note, value=len(entries), unit="photos")
