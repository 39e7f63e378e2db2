"""`companion bench tower`: the reader of block stacks, judged on labelled pictures, and the watch for falls."""

import json
from pathlib import Path

from companion.cli.figures import Figure
from companion.errors import BadInput

SHARED = Path(__file__).parents[3] / "shared" / "data" / "towers-rendered"
MINUTES, FALLS = 60.0, 120


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures; misses are drawn into `out`. With --labels the pictures alone, else an hour of video too."""
    from vision import tower_bench

    folder = labels or SHARED
    found = []
    if (folder / "labels.json").is_file():
        known = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        if not isinstance(known, dict) or not isinstance(known.get("images"), list):
            raise BadInput(f"The labels of {folder} are of another kind: an object with images is needed.")
        found = tower_bench.tower_figures(folder, known, out)
    return found if labels else [*found, *tower_bench.collapse_figures(MINUTES, FALLS)]
