"""Damage while the table is switched off: to any block of its files, or to a whole file.

A house is left as `kill -9` leaves it: with daily copies, entries after them, and a full log. Then one thing is
damaged, and the folder is opened as the service does. Either every entry must be there that journal, tail and newest
copy hold together; or the start is refused with one sentence, nothing has changed, and a restore of the newest copy
brings all entries back. `make damage` tries all blocks (some minutes); the everyday tests try a sample.
"""

import contextlib
import json
import random
import re
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from companion.errors import CompanionError
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.backup import DailyCopies
from companion.journal.data_folder import JOURNAL, claim
from companion.journal.events import Origin
from companion.journal.files import daily_copies
from companion.journal.record import Row, broken_link
from companion.journal.restore import restore
from companion.journal.store import Journal

BLOCK = 4096
FILES = (JOURNAL, f"{JOURNAL}-wal", "journal.tail")
HOWS = ("zeroed", "garbled", "cut")
FLIPPED = "flipped"  # two bits of a block, which often leave rows and lines that can still be read
GAMES, ROUNDS, COPIED_AFTER = 8, 25, (8, 13)  # rounds of all games after which the daily copy is made

Entries = dict[str, tuple[Row, ...]]
Damage = tuple[str, str, int]  # file, kind of damage, number of the block


def make_house(folder: Path, *, moved: bool) -> Entries:
    """Makes the folder of a killed service; returns the entries of its journal.

    moved   most of the log is in the journal as well, as after a checkpoint that did not empty the log
    """
    host, chance = Host(Journal(folder / "played" / JOURNAL)), random.Random(1)
    tables = [host.create("sack_stackers", ["Ann", "Bob"], {}) for _ in range(GAMES)]
    for number in range(ROUNDS):
        for table in tables:
            reading = {"seen": f"{chance.getrandbits(24_000):x}"} if chance.random() < 0.1 else None  # of several pages
            roll, undo = (f"{name}-{table.session.id}-{number}" for name in ("roll", "undo"))
            table.submit(Rolled((1, 4)), Origin(roll, source="camera"), reading=reading)
            table.undo(Origin(undo))
        if number in COPIED_AFTER:
            day = date(2026, 11, 21 + COPIED_AFTER.index(number))
            assert DailyCopies(host.journal, today=lambda day=day: day).look()
        if moved and number == ROUNDS - 4:
            with contextlib.closing(sqlite3.connect(host.journal.path)) as other:
                other.execute("PRAGMA wal_checkpoint")
    house = folder / "killed"
    shutil.copytree(folder / "played", house, ignore=shutil.ignore_patterns("*-shm"))
    there = {table.session.id: host.journal.rows(table.session.id) for table in tables}
    host.live.close()
    host.journal.close()
    assert sum(map(len, there.values())) == 2 * GAMES * ROUNDS
    return there


def every_damage(house: Path) -> Iterator[Damage]:
    """Every damage to try, of one file each."""
    for name in FILES:
        for block in range((house / name).stat().st_size // BLOCK + 1):
            yield from ((name, how, block) for how in (*HOWS, FLIPPED))
        yield name, "missing", 0
    yield JOURNAL, "empty", 0


def apply_damage(house: Path, damage: Damage) -> None:
    """Damages a house."""
    name, how, block = damage
    path, at = house / name, block * BLOCK
    content = bytearray(path.read_bytes())
    length = len(content[at : at + BLOCK])
    match how:
        case "zeroed":
            content[at : at + length] = bytes(length)
        case "garbled":
            content[at : at + length] = random.Random(f"{damage}").randbytes(length)
        case "cut":
            del content[at:]
        case how if how == FLIPPED:
            chance = random.Random(f"{damage}")
            for _ in range(min(2, length)):
                content[at + chance.randrange(length)] ^= 1 << chance.randrange(8)
        case "empty":
            content.clear()
        case "missing":
            path.unlink()
            return
    path.write_bytes(content)


def entries_after_start(house: Path) -> Entries:
    """The entries that a service finds when it starts; raises CompanionError when it refuses."""
    with claim(house):
        journal = Journal(house / JOURNAL)
        try:
            found = {}
            for header in journal.headers():
                session = json.loads(header)["session"]
                rows = journal.rows(session)
                broken_at = broken_link(header, rows)
                found[session] = rows if broken_at is None else rows[: broken_at - 1]  # what follows a break is lost
            return found
        finally:
            journal.close()


def contents(house: Path) -> dict[str, bytes]:
    """The content of every file, except the lock and SQLite's `-shm`, which reading makes."""
    files = (path for path in house.rglob("*") if path.is_file() and path.name != "in-use" and "-shm" not in path.name)
    return {str(path.relative_to(house)): path.read_bytes() for path in files}


def restore_copy(house: Path, copy: Path) -> None:
    """Restores a copy as the command does."""
    with claim(house):
        restore(copy, house / JOURNAL, "before")


def verdict(house: Path, there: Entries, scratch: Path, damage: Damage) -> str:
    """The result of a damage: "whole" or "refused"; any other text says what is wrong."""
    tried = scratch / "tried"
    shutil.rmtree(tried, ignore_errors=True)
    shutil.copytree(house, tried)
    apply_damage(tried, damage)
    before = contents(tried)
    try:
        found = entries_after_start(tried)
    except CompanionError as refusal:
        if "\n" in str(refusal) or not re.search(r"[.:] ", str(refusal)):
            return f"no sentence: {refusal}"
        left = contents(tried)
        if {name: text for name, text in before.items() if left.get(name) != text}:
            return f"changed though refused: {refusal}"
        return verdict_after_restore(tried, there, "refused")
    if found != there:
        return f"lost {sum(map(len, there.values())) - sum(map(len, found.values()))} without a word"
    (tried / JOURNAL).unlink()
    return verdict_after_restore(tried, there, "whole")


def verdict_after_restore(house: Path, there: Entries, so_far: str) -> str:
    """`so_far` if a restore of the newest copy brings every entry back, else what is wrong."""
    try:
        restore_copy(house, list(daily_copies(house / JOURNAL).values())[-1])
        found = entries_after_start(house)
    except CompanionError as refusal:
        return f"{so_far}, but nothing brings it back: {refusal}"
    return so_far if found == there else f"{so_far}, and lost after a restore"


def try_damages(chosen: Callable[[list[Damage]], list[Damage]]) -> tuple[Counter[str], list[str]]:
    """Tries the chosen damages on two houses; returns the counts of their results, and what was wrong."""
    found: Counter[str] = Counter()
    wrong = []
    for moved in (False, True):
        with tempfile.TemporaryDirectory(prefix="damage-") as name:
            folder = Path(name)
            there = make_house(folder, moved=moved)
            for damage in chosen(list(every_damage(folder / "killed"))):
                what = verdict(folder / "killed", there, folder, damage)
                found[what if what in ("whole", "refused") else "wrong"] += 1
                if what not in ("whole", "refused"):
                    wrong.append(f"{damage}: {what}")
    return found, wrong


def main() -> None:
    """Tries every damage, and kills a restore and a deletion after each of their changes."""
    from tests.torture.killed_restore import under_shim

    found, wrong = try_damages(lambda every: every)
    print("\n".join(wrong[:40]))
    print(f"{found.total()} damages: {found['whole']} whole, {found['refused']} refused, {found['wrong']} wrong")
    with tempfile.TemporaryDirectory(prefix="restore-") as folder:
        said = under_shim(Path(folder), 1)
    with tempfile.TemporaryDirectory(prefix="deletion-") as folder:
        deleted = under_shim(Path(folder), 1, "tests.torture.killed_deletion")
    print(said, deleted, sep="\n")
    are_whole = all(each.rstrip().endswith(", 0 wrong") for each in (said, deleted))
    sys.exit(0 if are_whole and not wrong else 1)


if __name__ == "__main__":
    main()
