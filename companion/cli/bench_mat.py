"""`companion bench mat`: how well the camera's place is found by markers, on labelled pictures and drawn mats."""

import tempfile
from pathlib import Path

from companion.cli.figures import Figure

SHARED = Path(__file__).parents[3] / "shared" / "data"
FOLDERS = ("stacks-rendered", "boards-rendered", "loads-rendered", "towers-rendered")
DRAWN, CHECK_SEED = 24, 3  # pictures of our own where nobody names a folder


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """Of the folder named; else of the rendered scenes beside the project, where they are, and a few drawn mats."""
    from vision.mat_bench import figures_of
    from vision.training.mats import write

    if labels is not None:
        return figures_of(labels, out)
    found = [row for name in FOLDERS if (SHARED / name).is_dir() for row in figures_of(SHARED / name, out)]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), DRAWN, CHECK_SEED)
        return found + figures_of(Path(folder), out)
