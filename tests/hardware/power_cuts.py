"""In the emulated machine of `make power`: plays on a logged disk, then cuts the power at each flush and between.

python -m tests.hardware.power_cuts REPORT SEED
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from companion.errors import CompanionError
from companion.journal.backup import verified
from companion.journal.data_folder import JOURNAL
from companion.journal.files import daily_copies
from tests.torture.house import House
from tests.torture.power import surviving_ids
from tests.torture.write_log import Flag, Replay, Write, writes

PLAYED, LOG, LOGGED, MEMORY = Path("/dev/vda"), Path("/dev/vdb"), "logged", Path("/dev/ram0")
FORMATTED, ENDED = "formatted", "dm-log-writes-end"  # marks: ours, and the kernel's when the log is closed
# As Raspberry Pi OS makes and mounts it, but with all tables written at once: no write comes later by itself.
FORMAT = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0")
MOUNT = ("mount", "-t", "ext4", "-o", "noatime")
LIVES, ROLLS = 2, 12
BETWEEN = 200
EVERY_FLUSH, IN_ORDER, ANY_PART = (
    "at each flush",
    "between, all that was written",
    "between, any part of what was not flushed",
)

COUNTED = ("points", "looked for", "lost", "unopenable", "copies", "bad copies")


def run(*command: str | Path) -> None:
    """A command of the system, which must do what it is asked."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def mark(text: str) -> None:
    """Writes into the log what is true by now."""
    run("dmsetup", "message", LOGGED, "0", "mark", text)


def play(house: House) -> None:
    """Lives of the real service; whatever it has acknowledged is marked."""
    for life in range(LIVES):
        house.start()
        if not house.wait_until_ready():
            raise RuntimeError("\n".join(house.complaints))
        session = f"power-cut-{life}"
        begin = {"game": "sack_stackers", "players": ["Ann"], "session_id": session}
        acknowledged(house, "", begin, session)
        for number in range(ROLLS):
            seen, roll = 2 * number, {"kind": "Rolled", "dice": [1, 4]}
            for name, path, body in (
                (f"r{life}-{number}", "/events", {"seen_seq": seen, "event": roll}),
                (f"u{life}-{number}", "/undo", {"seen_seq": seen + 1}),
            ):
                acknowledged(house, f"/{session}{path}", body | {"event_id": name}, name)
        house.stop() if life else house.kill()


def acknowledged(house: House, path: str, body: dict[str, object], name: str) -> None:
    """Sends it, and marks that it was answered."""
    status, answer = house.call(f"/api/sessions{path}", body, timeout_s=60)
    if status not in (200, 201):
        raise RuntimeError(f"{name}: {status} {answer}")
    mark(name)


def log_of_a_game(folder: Path) -> list[Write]:
    """Plays, and gives what was written meanwhile, from an empty disk on."""
    sectors = subprocess.run(["blockdev", "--getsz", PLAYED], check=True, capture_output=True, text=True).stdout.strip()
    run("dmsetup", "create", LOGGED, "--table", f"0 {sectors} log-writes {PLAYED} {LOG}")
    logged = Path("/dev/mapper") / LOGGED
    run(*FORMAT, logged)
    mark(FORMATTED)
    run(*MOUNT, logged, folder)
    house = House(folder / "house", "--camera", "none")
    try:
        play(house)
    finally:
        house.stop()
        run("umount", folder)
        run("dmsetup", "remove", LOGGED)
    return list(writes(LOG))


def cuts(log: list[Write], random: Random) -> Iterator[tuple[str, int]]:
    """(kind, entries of the log that are done by then), in the log's order."""
    begin = next(number for number, write in enumerate(log) if write.mark == FORMATTED) + 1
    flushes = [number + 1 for number in range(begin, len(log)) if log[number].flags & Flag.FLUSH]
    others = sorted(set(range(begin, len(log))) - set(flushes))
    between = random.sample(others, min(BETWEEN, len(others)))
    kinds = {EVERY_FLUSH: flushes, IN_ORDER: between, ANY_PART: between}
    yield from sorted(((kind, number) for kind, numbers in kinds.items() for number in numbers), key=lambda cut: cut[1])


def looked(folder: Path, said: set[str]) -> Iterator[tuple[str, str]]:
    """(what is counted, what is wrong with it) of the data folder on the disk in memory, which is mounted."""
    try:
        run(*MOUNT, MEMORY, folder)
    except subprocess.CalledProcessError as error:
        yield "unopenable", str(error)
        return
    try:
        journal = folder / "house" / JOURNAL
        for copy in daily_copies(journal).values():
            yield "copies", ""
            try:
                verified(copy)
            except CompanionError as error:
                yield "bad copies", f"{copy.name}: {error}"
        try:
            there = surviving_ids(journal)
        except CompanionError as error:
            yield "unopenable", str(error)
            there = set()
        for name in sorted(said - there):
            yield "lost", name
    finally:
        run("umount", folder)


def main() -> None:
    """Writes the report."""
    report, seed = Path(sys.argv[1]), int(sys.argv[2])
    folder = Path(tempfile.mkdtemp())
    log = log_of_a_game(folder)
    print(f"{len(log)} entries in the log", flush=True)
    random = Random(seed)
    size = int(subprocess.run(["blockdev", "--getsize64", MEMORY], check=True, capture_output=True).stdout)
    replay = Replay(size, log)
    found = {kind: dict.fromkeys(COUNTED, 0) for kind in (EVERY_FLUSH, IN_ORDER, ANY_PART)}
    complaints = []
    for kind, number in cuts(log, random):
        with MEMORY.open("r+b") as memory:
            memory.write(replay.after(number, random if kind == ANY_PART else None))
        said = acknowledged_in(log[:number])
        counts = found[kind]
        counts["points"] += 1
        counts["looked for"] += len(said)
        for what, why in looked(folder, said):
            counts[what] += 1
            complaints += [f"{kind}, after {number} writes: {what}, {why}"] if why else []
        if not counts["points"] % 20:
            print(f"{kind}: {counts}", flush=True)
    totals = {
        "writes": len(log),
        "flushes": sum(bool(write.flags & Flag.FLUSH) for write in log),
        "acknowledged": len(acknowledged_in(log)),
    }
    report.write_text(json.dumps({**totals, "cuts": found, "complaints": complaints[:50]}))


def acknowledged_in(log: list[Write]) -> set[str]:
    """The ids of all games and entries that the service had answered for by then."""
    begin = next(number for number, write in enumerate(log) if write.mark == FORMATTED) + 1
    return {write.mark for write in log[begin:] if write.mark} - {ENDED}


if __name__ == "__main__":
    main()
