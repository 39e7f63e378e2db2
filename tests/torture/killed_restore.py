"""Kills a restore after each change that it makes to the folder: the old house or the new one must be there, whole.

Runs under `shim.c`, which does the killing. `python -m tests.torture.killed_restore FOLDER EVERY` tries each EVERY-th
change; its last line says how many kills there were, and after how many something was wrong.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.errors import CompanionError
from companion.journal.data_folder import JOURNAL, claim
from companion.journal.files import daily_copies, other_journals
from companion.journal.restore import restore
from companion.journal.store import Journal
from tests.torture.damage import BLOCK, Entries, entries_after_start, make_house
from tests.torture.power import shim, shim_environment


@dataclass(frozen=True)
class Trial:
    """A restore to try.

    copy    number of the daily copy, 0 for the oldest
    before  what is done to the journal first
    """

    name: str
    copy: int
    exactly: bool = False
    before: Callable[[Path], None] | None = None


def damaged(journal: Path) -> None:
    """Zeroes the journal's second block, which SQLite notices."""
    content = bytearray(journal.read_bytes())
    content[BLOCK : 2 * BLOCK] = bytes(BLOCK)
    journal.write_bytes(content)


TRIALS = (
    Trial("an old copy, all added", 0),
    Trial("an old copy, exactly", 0, exactly=True),
    Trial("the newest copy over a damaged journal", 1, before=damaged),
    Trial("the newest copy where the journal is missing", 1, before=Path.unlink),
)


def run(house: Path, trial: Trial) -> None:
    """Restores as the command does."""
    copy = house.parent / "copies" / f"{trial.copy}.sqlite3"
    with claim(house):
        restore(copy, house / JOURNAL, "before", exactly=trial.exactly)


def wrong_after(house: Path, trial: Trial, there: Entries) -> str:
    """What is wrong after a kill, "" for nothing."""
    try:
        found = entries_after_start(house)
    except CompanionError as refusal:
        if not trial.before:  # the old house was sound
            return f"refused: {refusal}"
        run(house, trial)
        found = entries_after_start(house)
    if found == there:
        return ""
    if not trial.exactly:
        return f"{sum(map(len, found.values()))} of {sum(map(len, there.values()))} entries"
    if found != entries_of(house.parent / "copies" / f"{trial.copy}.sqlite3", house.parent):
        return "neither the old house nor the copy"
    if not any(entries_of(path, house.parent) == there for path in other_journals(house / JOURNAL)):
        return "what was left out is nowhere kept"
    return ""


def entries_of(path: Path, scratch: Path) -> Entries:
    """The entries of a journal at any path; a copy of it is opened."""
    beside = scratch / "looked at"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    for part in ("", "-wal"):
        if Path(f"{path}{part}").exists():
            shutil.copyfile(f"{path}{part}", beside / f"{JOURNAL}{part}")
    journal = Journal(beside / JOURNAL)
    try:
        return {session: journal.rows(session) for (session,) in journal.select("SELECT id FROM sessions")}
    finally:
        journal.close()


def killed(folder: Path, trial: Trial, there: Entries, number: int) -> tuple[str, bool]:
    """What was wrong after a kill at that change, and whether there were so many changes that it was killed."""
    house = folder / "tried"
    shutil.rmtree(house, ignore_errors=True)
    shutil.copytree(folder / "killed", house)
    if trial.before:
        trial.before(house / JOURNAL)
    child = os.fork()
    if not child:
        ctypes.CDLL(None).shim_kill_at(number)
        try:
            run(house, trial)
        finally:
            os._exit(0)
    _pid, status = os.waitpid(child, 0)
    return wrong_after(house, trial, there), os.WIFSIGNALED(status)


def main(folder: Path, every: int) -> None:
    """Kills each trial at each `every`-th change, and runs it once without a kill."""
    there = make_house(folder, moved=False)
    (folder / "copies").mkdir()
    for number, path in enumerate(daily_copies(folder / "killed" / JOURNAL).values()):
        shutil.copyfile(path, folder / "copies" / f"{number}.sqlite3")
    kills = failures = 0
    for trial in TRIALS:
        number, goes_on = 1, True
        while goes_on:
            wrong, goes_on = killed(folder, trial, there, number)
            kills += goes_on
            if wrong:
                failures += 1
                print(f"{trial.name}, killed after change {number}: {wrong}")
            number += every
    print(f"{kills} kills of a restore, {failures} wrong")


def under_shim(folder: Path, every: int, module: str = "tests.torture.killed_restore") -> str:
    """The output of a module's `main` in a process of its own under the shim."""
    done = subprocess.run(
        (sys.executable, "-m", module, str(folder), str(every)),
        env={**os.environ, **shim_environment(shim(folder), "tried/")},
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    return done.stdout + "\n".join(line for line in done.stderr.splitlines() if "put back" not in line)[-2000:]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
