"""`make check`, `make test`, `make test-touched`, `make test-all`: one ring of the tests, and what it does not show."""

import ctypes
import datetime
import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

import click

from tests import costs
from tests.rings import plan, shown, touched
from tests.rings.chosen import OUTCOMES
from tests.rings.plan import ROOT, Part

MOST_WORKERS = 4  # more are no faster, since browsers take the cores
WAITING = 1  # worker more than there are cores: tests that start programs wait for them a seventh of the time
ORPHANS_COME_HERE = 36  # PR_SET_CHILD_SUBREAPER of prctl(2): what a browser leaves behind is counted, too
ENDED: dict[int, int] = {}  # process → its exit status
RAN = (0, 1)  # the exit statuses of pytest after which every test has ended


@click.group()
def rings() -> None:
    """Runs a ring of the tests."""


@rings.command()
def check() -> None:
    """Lint and types beside the rules, the core, the box and the pages."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build/lint.log").open("w+", encoding="utf-8") as log:
        lint = subprocess.Popen(
            ["make", "--no-print-directory", "lint"], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
        )
        status = pytest("--ring", "check")
        lint_status = end_of(lint)
        log.seek(0)
        click.echo(log.read())
    sys.exit(status or lint_status)


@rings.command()
def test() -> None:
    """What every change must pass; then what this ring does not show and has changed since it was shown."""
    status = pytest("--ring", "test")
    tell_older()
    sys.exit(status)


@rings.command(name="touched")
@click.option("--base", default="main", show_default=True, help="The branch that the change is compared with.")
@click.option("--list", "only_list", is_flag=True, help="Names the tests and runs none.")
def touched_(base: str, only_list: bool) -> None:
    """The tests that a change since main can reach. What `make test` leaves out is named and not run."""
    ring = plan.read()
    files = touched.reached(touched.changed(base))
    left = [part.name for part in ring.parts if any(plan.holds(named, file) for named in part.tests for file in files)]
    files = [file for file in files if ring.keeps(file, "test")]
    if only_list or not files:
        click.echo("\n".join(files) or f"Nothing has changed since {base}.")
        return
    status = pytest("--ring", "test", *files)
    if left:
        click.echo(f"Reached, and run by make test-all alone: {', '.join(left)}.")
    sys.exit(status)


@rings.command(name="long")
@click.option("--seed", default=1, show_default=True, help="Of the examples that the property tests draw.")
def long_(seed: int) -> None:
    """Every test, with 500 examples of each property in place of 15."""
    sys.exit(pytest("--hypothesis-profile", "long", "--hypothesis-seed", str(seed)))


@rings.command(name="all")
@click.argument("names", nargs=-1)
def all_(names: tuple[str, ...]) -> None:
    """Everything, with what each file costs, or the named parts alone; writes docs/shown.md."""
    ring = plan.read()
    if unknown := set(names) - {part.name for part in ring.parts}:
        raise click.UsageError(f"There is no part {', '.join(sorted(unknown))}: see tests/rings/rings.toml.")
    parts = [part for part in ring.parts if not names or part.name in names]
    tests = [test for part in parts for test in part.tests] if names else []
    tried = head()
    OUTCOMES.unlink(missing_ok=True)
    status = pytest("--ring", "all", "-p", "tests.costs", *tests)
    if status not in RAN:
        click.echo("The run was cut off, so docs/shown.md stays as it was.")
        sys.exit(status)
    above = costs.above(ring)
    click.echo("\n".join(above) or "Each file of tests keeps to its budget.")
    outcomes = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    rows = shown.read()
    for part in parts:
        result = tests_result(part, outcomes)
        rows[part.name] = shown.Row(tried, datetime.date.today().isoformat(), result)
        shown.write(ring.parts, rows)
        click.echo(f"{part.name}: {result}")
    failed = any(rows[part.name].result.startswith("failed") for part in parts)
    sys.exit(status or int(failed or bool(above)))


def pytest(*arguments: str) -> int:
    """Runs pytest with a worker a core; tells what it took. The exit status."""
    ctypes.CDLL(None).prctl(ORPHANS_COME_HERE, 1, 0, 0, 0)
    workers = min(MOST_WORKERS, len(os.sched_getaffinity(0)) + WAITING)
    # A file stays with one worker, as its tests share a house; files go out by name, which has the browser's first.
    command = [sys.executable, "-m", "pytest", "--numprocesses", str(workers), "--dist", "loadfile"]
    command += ["--no-loadscope-reorder", "--durations", "20", "--durations-min", "2", *arguments]
    began = time.monotonic()
    status = end_of(subprocess.Popen(command, cwd=ROOT))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken_min, processor_s = (time.monotonic() - began) / 60, used.ru_utime + used.ru_stime
    click.echo(f"Took {taken_min:.1f} minutes, and {processor_s:.0f} s of processors.")
    return status


def end_of(process: subprocess.Popen[Any]) -> int:
    """The exit status of a process, once it has ended. Orphans are let go meanwhile: some tests wait for their end."""
    while process.pid not in ENDED:
        pid, status = os.wait()
        ENDED[pid] = os.waitstatus_to_exitcode(status)
    process.returncode = ENDED.pop(process.pid)
    return process.returncode


def tell_older() -> None:
    """Names what this ring does not show and has changed since make test-all last showed it."""
    if older := shown.older(plan.read().parts):
        click.echo("\nNot shown here; make test-all shows it:")
        click.echo("\n".join(f"- {sentence}" for sentence in older))


def tests_result(part: Part, outcomes: dict[str, str]) -> str:
    """One line on the tests of a part: passed, failed or skipped, and how many."""
    ended = [outcome for test, outcome in outcomes.items() if any(plan.holds(named, test) for named in part.tests)]
    failed, skipped = ended.count("failed"), ended.count("skipped")
    if failed:
        return f"failed: {failed} of {len(ended)} tests"
    if skipped == len(ended):
        return f"skipped: all of {len(ended)} tests"
    return f"passed: {len(ended) - skipped} tests" + (f", {skipped} skipped" if skipped else "")


def head() -> str:
    """The newest commit, short; with "-dirty" where files differ from it."""
    described = ["git", "describe", "--always", "--dirty", "--exclude", "*", "--abbrev=8"]
    return subprocess.run(described, cwd=ROOT, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    rings(prog_name="make")
