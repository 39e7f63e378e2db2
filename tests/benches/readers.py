"""`make bench NAME=board|load|card|stacks`: the readers of boards, loads, cards and stacks of dice, judged on labelled
pictures.

Without --labels they read ../shared/data where it is, else pictures drawn on the spot, each the same on every machine.
"""

from pathlib import Path

from companion.app.bench.figures import Figure
from companion.app.bench.labels import read_labels
from tests.benches import reader_photos
from tests.benches.labels import read_images

SHARED = Path(__file__).parents[3] / "shared" / "data"
JUDGED_SEEDS = {"board": 22, "load": 42, "card": 62, "stacks": 30}  # no network or threshold was made with them
DRAWN = {"board": 12, "load": 12, "card": 180, "stacks": 12}


def board_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Boards and, where the labels name moves, plays, and photographs of boards; misses are drawn into `out`."""
    folder = labels or SHARED / "boards-rendered"
    if labels is None and not folder.is_dir():
        return reader_photos.drawn_boards(JUDGED_SEEDS["board"], DRAWN["board"], out)
    known = read_images(folder, "board")
    rows = reader_photos.board_figures(folder, known["images"], known.get("moves", []), out)
    photos = SHARED / "boards" / "go-photos"
    if labels is None and photos.is_dir():
        rows += reader_photos.photograph_figures(photos, read_labels(photos)["images"], out)
    strange = SHARED / "boards-strange"
    if labels is None and strange.is_dir():
        rows += reader_photos.strange_figures(strange, read_labels(strange)["images"], out)
    return rows


def load_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Left-overs and trucks; misses are drawn into `out`."""
    folder = labels or SHARED / "loads-rendered"
    if labels is None and not folder.is_dir():
        return reader_photos.drawn_loads(JUDGED_SEEDS["load"], DRAWN["load"], out)
    return reader_photos.load_figures(folder, read_images(folder, "load")["images"], out)


def card_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Our deck by marker and a deck by picture, on cards drawn on the spot; `labels` is not used."""
    return reader_photos.card_figures(JUDGED_SEEDS["card"], DRAWN["card"], out)


def stack_figures(labels: Path | None, out: Path) -> list[Figure]:
    """Stacks of dice seen from above; misses are drawn into `out`."""
    folder = labels or SHARED / "stacks-rendered"
    if labels is None and not folder.is_dir():
        return reader_photos.drawn_stacks(JUDGED_SEEDS["stacks"], DRAWN["stacks"], out)
    return reader_photos.stack_figures(folder, read_images(folder, "stacks")["images"], out)
