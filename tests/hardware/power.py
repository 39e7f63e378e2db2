"""`make power`: a game is played in the emulated machine on a disk whose every write is logged (the kernel's
`dm-log-writes`), and the power is cut at every flush and at random moments between. Prints what was left.

    python -m tests.hardware.power [--seed N]

Where the distribution's packages cannot be had it says in one sentence that it was skipped, and why.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from tests.hardware.emulated import BUILT, boot, cannot_be_had
from tests.hardware.power_cuts import COUNTED

REPORT = BUILT / "power"
BOOT_S = 3_600  # a limit, where the processors are shared with others
DISK_BYTES, LOG_BYTES = 32 << 20, 512 << 20


def main() -> int:
    """0 when nothing was lost, or when it was skipped; 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.hardware.power", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="chooses the moments between flushes (%(default)s)")
    seed = parser.parse_args().seed
    if why := cannot_be_had():
        print(f"power was skipped: {why}.")
        return 0
    disks = (BUILT / "played.img", BUILT / "log.img")
    for disk, size in zip(disks, (DISK_BYTES, LOG_BYTES), strict=True):
        with disk.open("wb") as image:
            image.truncate(size)
    began_s = time.monotonic()
    try:
        boot("power.sh", REPORT, BOOT_S, disks, f"companion.seed={seed}")
    finally:
        for disk in disks:
            disk.unlink()
    if not (REPORT / "power.json").exists():
        print("The emulated machine ended without a report.")
        for log in ("console.log", "tests.log"):
            if (REPORT / log).exists():
                print(f"--- {log}\n{(REPORT / log).read_text(errors='replace')[-4_000:]}")
        return 1
    return told(REPORT / "power.json", seed, time.monotonic() - began_s)


def told(report: Path, seed: int, took_s: float) -> int:
    """Prints the table."""
    found = json.loads(report.read_text())
    release = (BUILT / "release").read_text().strip()
    print(f"ext4 on dm-log-writes, Debian's kernel {release}, emulated; seed {seed}; {took_s:.0f} s")
    print(
        f"writes logged {found['writes']}, flushes among them {found['flushes']}, acknowledged {found['acknowledged']}"
    )

    print(f"{'the power is cut':<44}" + "".join(f"{column:>12}" for column in COUNTED))
    for kind, row in found["cuts"].items():
        print(f"{kind:<44}" + "".join(f"{row[column]:>12}" for column in COUNTED))
    for line in found["complaints"]:
        print(line)
    return int(any(row["lost"] or row["unopenable"] or row["bad copies"] for row in found["cuts"].values()))


if __name__ == "__main__":
    sys.exit(main())
