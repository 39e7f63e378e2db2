"""`companion bench scenes`: the dice reader on rendered scenes of our own, the same on every machine."""

from pathlib import Path

from companion.cli.bench_dice import OWN_SCENES, judged
from companion.cli.figures import Figure


def figures(labels: Path | None, out: Path) -> list[Figure]:
    """All figures, those of `bench dice`; misses of our reader are drawn into `out`."""
    return judged(labels or OWN_SCENES, out)
