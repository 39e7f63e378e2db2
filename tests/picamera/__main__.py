"""`make test-picamera`: builds the emulated machine, boots it, and prints what its tests found and measured.

Where Debian's packages cannot be had it says in one sentence that it was skipped, and why.
"""

import sys
import time
import xml.etree.ElementTree as ElementTree

from tests.arm import system
from tests.arm.__main__ import counted, last_lines
from tests.picamera.machine import BUILT, boot, build

REPORT = BUILT / "report"
LIMIT_S = 2700  # a limit, where the processors are shared with others


def main() -> int:
    """0 when every test passed, or when it was skipped; 1 otherwise."""
    if why := system.what_is_missing():
        return skipped(why)
    began_s = time.monotonic()
    try:
        build()
    except system.CannotBeHadError as error:
        return skipped(str(error))
    built_s = time.monotonic() - began_s
    in_time = boot(REPORT, LIMIT_S)
    junit = REPORT / "junit.xml"
    if not junit.exists():
        print("The emulated machine " + ("ended without a report." if in_time else f"took more than {LIMIT_S} s."))
        print("\n".join(last_lines(REPORT / "console.log")))
        return 1
    print(f"On an emulated machine with Debian's kernel {(BUILT / 'release').read_text().strip()}, one processor:")
    print(counted(junit))
    took_s = time.monotonic() - began_s - built_s
    print(f"Built in {built_s:.0f} s, booted and tested in {took_s:.0f} s. Logs: {REPORT}")
    cases = list(ElementTree.parse(junit).iter("testcase"))
    return 0 if cases and not any(case.find(kind) is not None for case in cases for kind in ("failure", "error")) else 1


def skipped(why: str) -> int:
    """Not here: that is no failure."""
    print(f"test-picamera was skipped: {why}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
