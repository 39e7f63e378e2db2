"""`companion bench dice`: the dice reader and the usual tutorial's way, judged on the same labelled photographs."""

from pathlib import Path

from companion.cli.figures import Figure
from companion.cli.labels import read_dice
from companion.errors import BadInput

ROOT = Path(__file__).parents[2]
PHOTOGRAPHS = ROOT.parent / "shared" / "data" / "dice"
OWN_SCENES = ROOT / "tests" / "vision" / "fixtures" / "dice"


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures, of our own scenes where there are no photographs; misses of our reader are drawn into `out`."""
    return judged(labels or (PHOTOGRAPHS if PHOTOGRAPHS.is_dir() else OWN_SCENES), out)


def judged(folder: Path, out: Path) -> list[Figure]:
    """All figures of a folder with a labels.json."""
    from vision import bench

    if not (folder / "labels.json").is_file():
        raise BadInput("There are no labelled photographs here: name a folder with --labels FOLDER.")
    entries = read_dice(folder)
    note = "own rendered scenes only: says nothing about photographs" if folder == OWN_SCENES else folder.name
    return [
        Figure("photographs of", note, value=len(entries), unit="photos"),
        *bench.dice_figures(folder, entries, out),
    ]
