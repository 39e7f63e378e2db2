"""`companion bench dice` and `companion bench scenes`: the dice reader and the tutorials' usual one, judged on the same
labelled photographs, or on rendered scenes of our own, the same on every machine.
"""

from pathlib import Path

from companion.cli.bench import dice_photos
from companion.cli.bench.figures import Figure
from companion.cli.bench.labels import read_dice
from companion.errors import BadInput

ROOT = Path(__file__).parents[3]
PHOTOGRAPHS = ROOT.parent / "shared" / "data" / "dice"
OWN_SCENES = ROOT / "tests" / "vision" / "fixtures" / "dice"


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures, on our own scenes if there are no photographs; our reader's misses are drawn into `out`."""
    return judged(labels or (PHOTOGRAPHS if PHOTOGRAPHS.is_dir() else OWN_SCENES), out)


def scene_figures(labels: Path | None, out: Path) -> list[Figure]:
    """The same on our own scenes."""
    return judged(labels or OWN_SCENES, out)


def judged(folder: Path, out: Path) -> list[Figure]:
    """All figures on a folder with a labels.json."""
    if not (folder / "labels.json").is_file():
        raise BadInput("There are no labelled photographs here: name a folder with --labels FOLDER.")
    entries = read_dice(folder)
    note = "own rendered scenes only: says nothing about photographs" if folder == OWN_SCENES else folder.name
    return [
        Figure("photographs of", note, value=len(entries), unit="photos"),
        *dice_photos.dice_figures(folder, entries, out),
    ]
