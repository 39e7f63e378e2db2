"""`docs/shown.md`: what `make test-all` showed last, on which commit; and what has changed since."""

import re
import subprocess
from dataclasses import dataclass

from tests.rings.plan import ROOT, Part

SHOWN = ROOT / "docs/shown.md"
HEAD = """# What was shown, and when

`make test-all` writes this page. Each row is a part of [rings.toml](../tests/rings/rings.toml) that `make test` leaves
out; `make test` names the rows that are older than a file they depend on.

| part | what it shows | commit | date | result |
| --- | --- | --- | --- | --- |
"""
ROW = re.compile(r"^\| `(?P<name>[^`]+)` \| .* \| (?P<commit>[\w-]*) \| (?P<date>[\d-]*) \| (?P<result>.*) \|$")


@dataclass(frozen=True)
class Row:
    """What a part showed last; commit, date and result are "" before the first time."""

    commit: str = ""
    date: str = ""
    result: str = ""


def read() -> dict[str, Row]:
    """Part → what it showed last."""
    if not SHOWN.exists():
        return {}
    found = filter(None, map(ROW.match, SHOWN.read_text(encoding="utf-8").splitlines()))
    return {row["name"]: Row(row["commit"], row["date"], row["result"]) for row in found}


def write(parts: tuple[Part, ...], rows: dict[str, Row]) -> None:
    """Writes the page anew, with a row for each part."""
    lines = (
        f"| `{part.name}` | {part.shows} | {row.commit} | {row.date} | {row.result} |"
        for part in parts
        for row in [rows.get(part.name, Row())]
    )
    SHOWN.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def older(parts: tuple[Part, ...]) -> list[str]:
    """A sentence for each part that has changed since it was shown, was never shown, or failed."""
    rows, told = read(), []
    for part in parts:
        row = rows.get(part.name, Row())
        if not row.commit:
            told.append(f"{part.name} has not been shown yet: {part.shows}")
        elif not row.result.startswith("passed"):
            told.append(f"{part.name} was last seen on {row.commit} ({row.date}): {row.result}.")
        elif changed := changed_since(row.commit, (*part.depends, *part.tests)):
            told.append(f"{part.name} was shown on {row.commit} ({row.date}), before {', '.join(changed[:3])} changed.")
        elif "skipped" in row.result:
            told.append(f"{part.name} was not all shown on {row.commit} ({row.date}): {row.result}.")
    return told


def changed_since(commit: str, paths: tuple[str, ...]) -> list[str]:
    """The files among these that differ from that commit's; the paths themselves where git does not know it."""
    paths = tuple(path.partition("::")[0] for path in paths)
    commands = (["diff", "--name-only", commit.removesuffix("-dirty")], ["ls-files", "--others", "--exclude-standard"])
    done = [
        subprocess.run(["git", *command, "--", *paths], cwd=ROOT, capture_output=True, text=True)
        for command in commands
    ]
    return list(paths) if done[0].returncode else [line for each in done for line in each.stdout.split()]
