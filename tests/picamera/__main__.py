"""`make test-picamera`: boots the emulated ARM machine of `tests/arm` and prints what its tests found and measured.

Where Debian's packages cannot be had it says in one sentence that it was skipped, and why.
"""

import shutil
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from hardware.tools import bundle
from tests.arm import disk, machine, system
from tests.arm.__main__ import CHECKS_MB, NOTHING_SHOWN, counted, install_packages, last_lines

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "build" / "test-picamera"
LOCKS = (ROOT / "requirements-run.lock", ROOT / "requirements-dev.lock", Path(__file__).parent / "requirements.lock")
LIMIT_S = 2700  # a limit, where the processors are shared with others


def main() -> int:
    """0 when every test passed, or when it was skipped; 1 otherwise."""
    if why := system.what_is_missing():
        return skipped(why)
    began_s = time.monotonic()
    try:
        disk.build()
    except system.CannotBeHadError as error:
        return skipped(str(error))
    built_s = time.monotonic() - began_s
    in_time = machine.boot(REPORT, LIMIT_S, [machine.BUILT / "system.img", write_checks()], kind=machine.COUNTING)
    junit = REPORT / "junit.xml"
    if not junit.exists():
        print("The emulated machine " + ("ended without a report." if in_time else f"took more than {LIMIT_S} s."))
        print("\n".join(last_lines(REPORT / "console.log")))
        return 1
    print(f"On an emulated 64-bit ARM machine with Debian's kernel {(machine.BUILT / 'release').read_text().strip()}:")
    print(counted(junit))
    took_s = time.monotonic() - began_s - built_s
    print(f"Disk built in {built_s:.0f} s; packed, booted and tested in {took_s:.0f} s. Logs: {REPORT}")
    cases = list(ElementTree.parse(junit).iter("testcase"))
    return 0 if cases and not any(case.find(kind) is not None for case in cases for kind in ("failure", "error")) else 1


def skipped(why: str) -> int:
    """Not here: that is no failure, and shows nothing."""
    print(f"test-picamera was skipped: {why}.")
    return NOTHING_SHOWN


def write_checks() -> Path:
    """The second disk: the newest commit, what it, its tests and picamera2 need of PyPI, and what begins the tests."""
    folder = machine.BUILT / "checks"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "checkout").mkdir(parents=True)
    bundle.check_out(folder / "checkout")
    install_packages(folder / "packages", *LOCKS)
    shutil.copy(Path(__file__).parent / "machine" / "guest.sh", folder / machine.BEGINS)
    system.image(folder, machine.BUILT / "picamera.img", CHECKS_MB)
    shutil.rmtree(folder)
    return machine.BUILT / "picamera.img"


if __name__ == "__main__":
    sys.exit(main())
