"""Kills the deletion of a game after each change that it makes to the folder: the game must be gone, or whole.

Runs under `shim.c`, which does the killing. `python -m tests.torture.killed_deletion FOLDER EVERY` tries each EVERY-th
change; its last line says how many kills there were, and after how many something was wrong.
"""

import ctypes
import os
import shutil
import sys
from pathlib import Path

from companion.errors import CompanionError
from companion.house.host import Host
from companion.journal.data_folder import JOURNAL, claim
from companion.journal.files import other_journals
from companion.journal.store import Journal
from tests.torture.damage import Entries, entries_after_start, make_house
from tests.torture.killed_restore import entries_of


def delete(house: Path, session: str) -> None:
    """Deletes the game as the service does."""
    with claim(house):
        host = Host(Journal(house / JOURNAL))
        host.delete_game(session)
        host.journal.close()


def wrong_after(house: Path, session: str, there: Entries) -> str:
    """What is wrong after a kill, "" for nothing."""
    others = {name: entries for name, entries in there.items() if name != session}
    try:
        found = entries_after_start(house)
        if found not in (there, others):
            return f"{len(found.get(session, ()))} entries of the game, or other games have changed"
        with claim(house):
            host = Host(Journal(house / JOURNAL))
            left = host.deletion.finish()
            host.journal.close()
        if left:
            return f"not finished in {left}"
        again = entries_after_start(house)
    except CompanionError as refusal:
        return f"refused: {refusal}"
    if again != found:
        return "another house after the next start"
    if session in found:
        return ""
    if any(session in entries_of(path, house.parent) for path in other_journals(house / JOURNAL)):
        return "a copy still has it"
    tails = b"".join(path.read_bytes() for path in house.glob("journal.tail*"))
    return "a tail still has it" if session.encode() in tails else ""


def killed(folder: Path, session: str, there: Entries, number: int) -> tuple[str, bool]:
    """What was wrong after a kill at that change, and whether there were so many changes that it was killed."""
    house = folder / "tried"
    shutil.rmtree(house, ignore_errors=True)
    shutil.copytree(folder / "killed", house)
    child = os.fork()
    if not child:
        ctypes.CDLL(None).shim_kill_at(number)
        try:
            delete(house, session)
        finally:
            os._exit(0)
    _pid, status = os.waitpid(child, 0)
    return wrong_after(house, session, there), os.WIFSIGNALED(status)


def main(folder: Path, every: int) -> None:
    """Kills a deletion at each `every`-th change, and runs it once without a kill."""
    there = make_house(folder, moved=False)
    shutil.copyfile(folder / "killed" / JOURNAL, folder / "killed" / f"{JOURNAL}.before-noon")
    session = sorted(there)[0]
    kills = failures = 0
    number, goes_on = 1, True
    while goes_on:
        wrong, goes_on = killed(folder, session, there, number)
        kills += goes_on
        if wrong:
            failures += 1
            print(f"killed after change {number}: {wrong}")
        number += every
    assert session not in entries_after_start(folder / "tried"), "the last deletion was not killed"
    print(f"{kills} kills of a deletion, {failures} wrong")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
