"""`make test-gpio`: builds the emulated machine, boots it once, and prints what its tests found and measured.

Where the distribution's packages cannot be had it says in one sentence that it was skipped, and why.
"""

import sys
import time
import xml.etree.ElementTree as ElementTree

from tests.hardware.emulated import BUILT, boot, cannot_be_had

REPORT = BUILT / "report"
BOOT_S = 540  # a hard limit, where the processors are shared with others; less alone
NOTHING_SHOWN = 77
TRIES = 2  # an emulated machine hangs now and then, and one processor that is late may fail a test of times


def main() -> int:
    """0 when every test passed, NOTHING_SHOWN when it was skipped; 1 otherwise."""
    began_s = time.monotonic()
    if why := cannot_be_had():
        return skipped(why)
    built_s = time.monotonic() - began_s
    failed = False
    for attempt in range(1, TRIES + 1):
        in_time = boot("guest.sh", REPORT, BOOT_S)
        if not (REPORT / "junit.xml").exists():
            how = "ended without a report" if in_time else f"did not report within {BOOT_S} s"
            print(f"Try {attempt} of {TRIES}: the emulated machine {how}.")
            failed = failed or in_time
            continue
        status = told(ElementTree.parse(REPORT / "junit.xml"), built_s, time.monotonic() - began_s)
        failed = status == 1
        if not failed:
            return status
        print(f"Try {attempt} of {TRIES} failed.")
    for log in ("console.log", "tests.log", "service.log"):
        if (REPORT / log).exists():
            print(f"--- {log}\n{(REPORT / log).read_text(errors='replace')[-2_000:]}")
    return 1 if failed else skipped(f"the emulated machine was too slow to report within {BOOT_S} s, {TRIES} times")


def skipped(why: str) -> int:
    """Not here: that is no failure, and shows nothing."""
    print(f"test-gpio was skipped: {why}.")
    return NOTHING_SHOWN


def told(report: ElementTree.ElementTree, built_s: float, took_s: float) -> int:
    """Prints what failed and what was measured, and the counts at the end; returns the exit status."""
    cases = list(report.iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    for case in failed:
        for part in (*case.findall("failure"), *case.findall("error")):
            print(f"{case.get('classname')}::{case.get('name')}\n{part.text}\n")
    figures = [(item.get("name", ""), item.get("value", "")) for case in cases for item in case.iter("property")]
    width = max((len(name) for name, _ in figures), default=0)
    print(f"On an emulated machine with Debian's kernel {(BUILT / 'release').read_text().strip()}, one processor:")
    for name, value in figures:
        print(f"  {name:<{width}}  {value}")
    print(f"Built in {built_s:.0f} s, booted and tested in {took_s - built_s:.0f} s.")
    skipped = sum(case.find("skipped") is not None for case in cases)
    passed = len(cases) - len(failed) - skipped
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    if failed or not cases:
        return 1
    return 0 if passed else NOTHING_SHOWN


if __name__ == "__main__":
    sys.exit(main())
