"""`python -m tests.rulebook FILE.yaml|FILE.md …`: worked cases of the rule sheets, through the games' own rules."""

import sys
from pathlib import Path

from tests.rulebook.runner import Result, run_file


def main(paths: list[str]) -> int:
    """Runs every case of every file; 0 when none failed, 1 when one did or there was none, 2 on wrong usage.

    A Markdown file without cases among others is a text that goes with them, and only named.
    """
    if not paths:
        print("usage: python -m tests.rulebook FILE.yaml|FILE.md …", file=sys.stderr)
        return 2
    results: list[Result] = []
    for path in paths:
        found = run_file(Path(path))
        results += found
        if not found:
            print(f"{path}: no cases", file=sys.stderr)
    for result in results:
        if result.outcome == "failed":
            print(f"{result.case}: {result.why}")
    count = {
        outcome: sum(result.outcome == outcome for result in results) for outcome in ("passed", "failed", "skipped")
    }
    print(", ".join(f"{number} {outcome}" for outcome, number in count.items()))
    return 1 if count["failed"] or not results else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
