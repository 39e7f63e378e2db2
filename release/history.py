"""What a commit is called: a subject of at most 72 characters that says what changes for whom, and merges with a name.

python -m release.history      # the commits since the rule began, and what is wrong with each
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SINCE = "2026-11-29T22:00:00+00:00"  # By time: a clone with few commits knows no older one by its name.
MOST = 72
PREFIX = re.compile(r"(?i)(?:feat|fix|chore|docs?|refactor|tests?|style|perf|ci|build|wip)(?:\([^)]*\))?!?: ")
MERGE = "Merge: "
LEAST_WORDS = 3


class Commit(NamedTuple):
    """A commit: its short hash, how many commits it joins, and its subject."""

    hash: str
    parents: int
    subject: str


def commits() -> list[Commit] | None:
    """Those since the rule began, newest first; None where there is no git, or no checkout of it."""
    command = ["git", "log", f"--since={SINCE}", "--format=%h%x00%p%x00%s"]
    try:
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    if said.returncode:
        return None
    rows = (line.split("\0") for line in said.stdout.splitlines())
    return [Commit(name, len(parents.split()), subject) for name, parents, subject in rows]


def complaints(commit: Commit) -> Iterator[str]:
    """What is wrong with how a commit is called, a sentence each."""
    said = f"{commit.hash} “{commit.subject}”"
    if len(commit.subject) > MOST:
        yield f"{said} has {len(commit.subject)} characters: say it in {MOST}."
    if PREFIX.match(commit.subject):
        yield f"{said} begins with a kind of change: say what changes for whom."
    words = commit.subject.removeprefix(MERGE).split()
    if commit.parents > 1 and not commit.subject.startswith(MERGE):
        yield f"{said} is a merge without a name: call it “{MERGE}…” and what it brings."
    elif len(words) < LEAST_WORDS:
        yield f"{said} says too little: say what changes for whom."


def main() -> int:
    known = commits()
    if known is None:
        print("SKIPPED: this is no checkout of git; how commits are called is not shown.")
        return 0
    found = [sentence for commit in known for sentence in complaints(commit)]
    print("\n".join(found) or f"{len(known)} commits are called as they should be.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
