"""What the kernel's files say of this machine: its voltage, its heat, whether it slows itself down, its disk.

Too little voltage and too much heat are the usual causes of cameras that stop and cards that break.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from companion.words import N_, _, joined

SYS, PROC = Path("/sys"), Path("/proc")
CARD = re.compile(r"mmcblk\d+")
FIRMWARE = ("devices/platform/soc*/*firmware/get_throttled", "devices/platform/*firmware/get_throttled")
LOW, CAPPED, SLOWED, WARM = 0x1, 0x2, 0x4, 0x8  # bits of `get_throttled`; WAS_LOW and above tell of the time since
WAS_LOW, WAS_HOT = 0x10000, 0x80000  # the start
HOT_C, HOT_PC_C = 80.0, 95.0  # A Pi slows itself down then.
POSSIBLE_C = range(1, 151)  # A sensor that is not there says something else.
SLOW_MS = 500.0  # A usual card takes 5 to 50 ms.
HANGS_MS = 5_000

SENTENCES = {
    "low": N_("The machine gets too little voltage: use its own power supply and a short cable."),
    "hot": N_("The machine is too hot: give it air, a heat sink or a fan."),
    "slowed": N_("The machine has slowed itself down: give it air, and its own power supply."),
    "card": N_("The disk or card is slow or about to fail: save a copy of the games, then use another one."),
    "was low": N_("The machine had too little voltage earlier: use its own power supply and a short cable."),
    "was hot": N_("The machine was too hot earlier: give it air, a heat sink or a fan."),
}
PAST = frozenset({"was low", "was hot"})
SENSES = {"low": "its voltage", "hot": "its heat", "card": "the times of its disk"}  # in words for a terminal


@dataclass(frozen=True)
class Writes:
    """What a disk has written since the start.

    ms, busy_ms     the time that all writes took, and during which it was at work
    waiting         how many are under way
    """

    count: int
    ms: int
    waiting: int
    busy_ms: int


@dataclass(frozen=True)
class Look:
    """How the machine is at a moment.

    troubles    keys of SENTENCES
    seen        what could be seen at all, keys of SENSES
    heat_c      of the hottest part
    """

    troubles: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    heat_c: float | None = None
    writes: Writes | None = field(default=None, compare=False)

    def told(self) -> str:
        """Its present troubles in whole sentences, "" without any."""
        return joined((_(SENTENCES[name]) for name in SENTENCES if name in self.troubles), " ")

    @property
    def senses(self) -> tuple[str, ...]:
        return tuple(name for key, name in SENSES.items() if key in self.seen)

    @property
    def unseen(self) -> tuple[str, ...]:
        return tuple(name for key, name in SENSES.items() if key not in self.seen)


def look(data: Path, before: Look | None = None) -> Look:
    """How the machine is now; its disk is the one that `data` lies on, and is judged by what it did since `before`."""
    troubles, seen = set(), set()
    flags, alarm = _flags(), _alarm()
    if flags is not None or alarm is not None:
        seen.add("low")
    flags = flags or 0
    if alarm or flags & LOW:
        troubles.add("low")
    elif flags & SLOWED or (flags & CAPPED and not flags & WARM):
        troubles.add("slowed")
    if flags & WAS_LOW and "low" not in troubles:
        troubles.add("was low")
    heats = dict(_heats())
    if heats or flags:
        seen.add("hot")
    if flags & WARM or any(heat_c >= (HOT_PC_C if name.startswith("x86") else HOT_C) for name, heat_c in heats.items()):
        troubles.add("hot")
        troubles.discard("slowed")
    elif flags & WAS_HOT:
        troubles.add("was hot")
    if before is not None and "was low" in troubles - before.troubles and "low" not in before.troubles:
        troubles |= {"low"}  # It was between the two looks.
    writes = _writes(data)
    if writes is not None:
        seen.add("card")
        if before is not None and before.writes is not None and _is_slow(before.writes, writes):
            troubles.add("card")
    return Look(frozenset(troubles), frozenset(seen), max(heats.values(), default=None), writes)


def _flags() -> int | None:
    """What the Pi's firmware says, as `vcgencmd get_throttled` does."""
    for pattern in FIRMWARE:
        for path in SYS.glob(pattern):
            with contextlib.suppress(OSError, ValueError):
                return int(path.read_text().rpartition("=")[2], 16)
    return None


def _alarm() -> bool | None:
    """Whether the driver of the Pi's voltage raises its alarm."""
    for path in SYS.glob("class/hwmon/hwmon*/in0_lcrit_alarm"):
        with contextlib.suppress(OSError, ValueError):
            if (path.parent / "name").read_text().strip() == "rpi_volt":
                return int(path.read_text()) != 0
    return None


def _heats() -> Iterator[tuple[str, float]]:
    """(kind and zone, degrees) of each place whose heat the kernel knows."""
    for path in SYS.glob("class/thermal/thermal_zone*/temp"):
        with contextlib.suppress(OSError, ValueError):
            heat_c = int(path.read_text()) / 1000
            kind = ""
            with contextlib.suppress(OSError):
                kind = (path.parent / "type").read_text().strip()
            if int(heat_c) in POSSIBLE_C:
                yield f"{kind} {path.parent.name}", heat_c


def _writes(data: Path) -> Writes | None:
    """What the disk under `data` has written; the card where a file system hides its disk, None where nothing tells."""
    try:
        device = os.stat(data).st_dev
        disks = [line.split() for line in (PROC / "diskstats").read_text().splitlines()]
        own = [disk for disk in disks if disk[:2] == [str(os.major(device)), str(os.minor(device))]]
        cards = [disk for disk in disks if CARD.fullmatch(disk[2])]
        for disk in (*own, *cards):
            return Writes(*(int(disk[at]) for at in (7, 10, 11, 12)))
    except (OSError, ValueError, IndexError):
        pass
    return None


def _is_slow(before: Writes, now: Writes) -> bool:
    """Whether writes took long on average, or none ended although some waited all the time."""
    count = now.count - before.count
    if count > 0:
        return (now.ms - before.ms) / count >= SLOW_MS
    return bool(before.waiting and now.waiting) and now.busy_ms - before.busy_ms >= HANGS_MS
