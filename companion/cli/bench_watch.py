"""`companion bench watch`: how soon and rightly dice at rest are told, on simulated video, and what watching costs."""

from pathlib import Path

from companion.cli.figures import Figure

SIZES_PX = ((640, 480), (1280, 720), (1920, 1080))
ROUNDS, THROWS = 30, 10
GROWTH = (1, 10, 60)  # dice
SEED = 51


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures; nothing is labelled here or drawn."""
    from vision.watch_bench import watch_figures

    return watch_figures(SIZES_PX, ROUNDS, GROWTH, THROWS, SEED)
