"""`make figures BASE=main NAMES="rules web idle"`: whether this checkout is slower or heavier than another version.

Both are measured in turn, so that what else this machine does touches both. Ends with 1 where a row of time or memory
is more than MOST times that of BASE, unless a commit since then says why: `Dearer: NAME: why`.
"""

import json
import math
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click

ROOT = Path(__file__).parents[2]
MOST = 1.2
UNITS = ("µs", "ms", "s", "kB", "MB", "% of one core")  # of what costs; of the others more is better, or says nothing
DEARER = re.compile(r"^Dearer: (?P<name>[^\s:]+): \S.*$", re.MULTILINE)

Key = tuple[str, str, str]  # name, group and unit of a row
Run = Mapping[Key, float]


@dataclass(frozen=True)
class Ratio:
    """One row of a bench, measured at BASE and here."""

    bench: str
    key: Key
    base: float
    here: float

    @property
    def times(self) -> float:
        """So many times as much here; of nothing, infinitely many."""
        if self.here <= 0:
            return 0.0 if self.base > 0 else 1.0
        return self.here / self.base if self.base > 0 else math.inf

    def words(self) -> str:
        name, group, unit = self.key
        mark = "  dearer" if self.times > MOST else ""
        return f"  {name:<60} {group:<24} {self.base:>9.4g} → {self.here:>9.4g} {unit:<13} × {self.times:.2f}{mark}"


def rows_of(told: str, bench: str) -> dict[Key, float]:
    """The rows that cost, of what `companion bench NAME --json` told."""
    rows: list[dict[str, Any]] = json.loads(told)["benches"][bench]
    return {(row["name"], row["group"], row["unit"]): row["value"] for row in rows if row.get("unit") in UNITS}


def compared(bench: str, base: Sequence[Run], here: Sequence[Run]) -> list[Ratio]:
    """The ratios of the medians, for the rows that every run has."""
    common = [key for key in here[0] if all(key in run for run in (*base, *here))]
    return [Ratio(bench, key, *(median(run[key] for run in runs) for runs in (base, here))) for key in common]


def left_out(base: Sequence[Run], here: Sequence[Run]) -> list[str]:
    """The names of rows that some run lacks, so that nothing compares them."""
    runs = (*base, *here)
    return sorted({key[0] for run in runs for key in run if not all(key in each for each in runs)})


def unexplained(ratios: Iterable[Ratio], messages: str) -> list[str]:
    """A sentence for each bench that has become dearer, without a commit that says why."""
    said = {match["name"] for match in DEARER.finditer(messages)}
    worst: dict[str, list[float]] = defaultdict(list)
    for ratio in ratios:
        if ratio.times > MOST and ratio.bench not in said:
            worst[ratio.bench].append(ratio.times)
    return [
        f"{bench}: {len(times)} rows are above {MOST:g} times, up to {max(times):.2f}. "
        f"Make it cheaper, or say why in a commit: Dearer: {bench}: …"
        for bench, times in worst.items()
    ]


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"git could not do that: {done.stderr.strip()}")
    return done.stdout


@contextmanager
def checkout_of(base: str) -> Iterator[Path]:
    """A checkout of that version, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="figures-") as folder:
        place = Path(folder) / "base"
        git("worktree", "add", "--detach", str(place), base)
        try:
            yield place
        finally:
            git("worktree", "remove", "--force", str(place))


def measured(checkout: Path, bench: str) -> dict[Key, float]:
    """One run of a bench in that checkout, with this one's Python."""
    command = [sys.executable, "-m", "companion", "bench", bench, "--json"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{bench} could not be measured in {checkout}: {done.stderr.strip().rpartition(chr(10))[2]}")
    return rows_of(done.stdout, bench)


@click.command()
@click.argument("names", nargs=-1, required=True)
@click.option("--base", default="main", help="The version to compare with.")
@click.option("--times", default=3, type=click.IntRange(min=1), help="How often each is measured.")
def figures(names: tuple[str, ...], base: str, times: int) -> None:
    """Measures NAMES in turn at BASE and here, and tells the ratios."""
    ratios: list[Ratio] = []
    with checkout_of(base) as there:
        for bench in names:
            runs: tuple[list[Run], list[Run]] = ([], [])
            for _time in range(times):
                for checkout, of_one in zip((there, ROOT), runs, strict=True):
                    of_one.append(measured(checkout, bench))
            click.echo(f"\n{bench}: medians of {times} at {base} → here")
            found = compared(bench, *runs)
            for ratio in found:
                click.echo(ratio.words())
            if missing := left_out(*runs):
                click.echo(f"  Not compared, as not every run has them: {'; '.join(missing)}.")
            ratios += found
    if sentences := unexplained(ratios, git("log", "--format=%B", f"{base}..HEAD")):
        sys.exit("\n" + "\n".join(sentences))


if __name__ == "__main__":
    figures()
