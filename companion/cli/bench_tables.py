"""`companion bench board|load|card|stacks`: the readers of boards, loads, cards and stacks of dice, judged on labelled
pictures.

Without --labels they read ../shared/data where it is, else pictures drawn on the spot, each the same on every machine.
"""

from pathlib import Path

from companion.cli.figures import Figure
from companion.cli.labels import read_images, read_labels

SHARED = Path(__file__).parents[3] / "shared" / "data"
JUDGED_SEEDS = {"board": 22, "load": 42, "card": 62, "stacks": 30}  # none that a network or a threshold has seen
DRAWN = {"board": 12, "load": 12, "card": 180, "stacks": 12}


def board_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Boards and, where the labels name moves, plays, and photographs of Go boards; misses are drawn into `out`."""
    from vision import table_bench

    folder = labels or SHARED / "boards-rendered"
    if labels is None and not folder.is_dir():
        return table_bench.drawn_boards(JUDGED_SEEDS["board"], DRAWN["board"], out)
    known = read_images(folder, "board")
    figures = table_bench.board_figures(folder, known["images"], known.get("moves", []), out)
    photos = SHARED / "boards" / "go-photos"
    if labels is None and photos.is_dir():
        figures += table_bench.photograph_figures(photos, read_labels(photos)["images"], out)
    return figures


def load_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Left-overs and trucks; misses are drawn into `out`."""
    from vision import table_bench

    folder = labels or SHARED / "loads-rendered"
    if labels is None and not folder.is_dir():
        return table_bench.drawn_loads(JUDGED_SEEDS["load"], DRAWN["load"], out)
    return table_bench.load_figures(folder, read_images(folder, "load")["images"], out)


def card_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Our deck by marker and a deck by picture, on cards drawn on the spot; `labels` say nothing about cards."""
    from vision import table_bench

    return table_bench.card_figures(JUDGED_SEEDS["card"], DRAWN["card"], out)


def stack_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Stacks of dice seen from above; misses are drawn into `out`."""
    from vision import table_bench

    folder = labels or SHARED / "stacks-rendered"
    if labels is None and not folder.is_dir():
        return table_bench.drawn_stacks(JUDGED_SEEDS["stacks"], DRAWN["stacks"], out)
    return table_bench.stack_figures(folder, read_images(folder, "stacks")["images"], out)
