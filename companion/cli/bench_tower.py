"""`companion bench tower`: the reader of block stacks, judged on labelled pictures, and the watch for falls."""

from pathlib import Path

from companion.cli.figures import Figure
from companion.cli.labels import read_images

SHARED = Path(__file__).parents[3] / "shared" / "data" / "towers-rendered"
MINUTES, FALLS = 60.0, 120


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures; misses are drawn into `out`. With --labels the pictures alone, else an hour of video too."""
    from vision import tower_bench

    folder = labels or SHARED
    found = []
    if (folder / "labels.json").is_file():
        found = tower_bench.tower_figures(folder, read_images(folder, "tower"), out)
    return found if labels else [*found, *tower_bench.collapse_figures(MINUTES, FALLS)]
