"""`make test-gpio`: builds the emulated machine, boots it once, and prints what its tests found and measured.

Where the distribution's packages cannot be had it says in one sentence that it was skipped, and why.
"""

import os
import platform
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINE = Path(__file__).parent / "machine"
BUILT = ROOT / "build" / "test-gpio"
REPORT = BUILT / "report"
WHY_NOT_BUILT = {  # what build.sh ends with
    75: "the distribution's packages cannot be had here",
    76: "the GPIO simulator of this distribution's kernel does not build outside of it",
}
BUILD_S = 300
BOOT_S = 540  # a hard limit, where the processors are shared with others; less alone
TRIES = 2  # an emulated machine hangs now and then, and one processor that is late may fail a test of times
MEMORY_MB = 2048


def main() -> int:
    """0 when every test passed, or when it was skipped; 1 otherwise."""
    began_s = time.monotonic()
    if why := what_is_missing():
        return skipped(why)
    built = build()
    if built in WHY_NOT_BUILT:
        return skipped(WHY_NOT_BUILT[built])
    if built:
        print("The emulated machine could not be built: see above.")
        return 1
    built_s = time.monotonic() - began_s
    failed = False
    for attempt in range(1, TRIES + 1):
        in_time = boot()
        if not (REPORT / "junit.xml").exists():
            how = "ended without a report" if in_time else f"did not report within {BOOT_S} s"
            print(f"Try {attempt} of {TRIES}: the emulated machine {how}.")
            failed = failed or in_time
            continue
        failed = bool(told(ElementTree.parse(REPORT / "junit.xml"), built_s, time.monotonic() - began_s))
        if not failed:
            return 0
        print(f"Try {attempt} of {TRIES} failed.")
    for log in ("console.log", "tests.log", "service.log"):
        if (REPORT / log).exists():
            print(f"--- {log}\n{(REPORT / log).read_text(errors='replace')[-2_000:]}")
    return 1 if failed else skipped(f"the emulated machine was too slow to report within {BOOT_S} s, {TRIES} times")


def skipped(why: str) -> int:
    """Not here: that is no failure."""
    print(f"test-gpio was skipped: {why}.")
    return 0


def what_is_missing() -> str:
    """Why it cannot run here, "" when nothing is known against it."""
    if platform.machine() != "x86_64":
        return f"the emulated machine is one for x86-64, not {platform.machine()}"
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return "it needs Debian's kernel and tools, and there is no apt here"
    if not Path("/lib/systemd/systemd").exists():
        return "the emulated machine borrows this system's systemd, and there is none"
    if set(" ,") & set(str(ROOT)):
        return f"the kernel cannot be told of a folder with a space or a comma in its name ({ROOT})"
    if os.geteuid() != 0 and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode:
        return "packages can only be installed by root or with sudo"
    if not (spec := find_spec("lgpio")) or not spec.origin or find_spec("_lgpio") is None:
        return "lgpio has no wheel for this Python: use 3.11 or 3.12"
    return ""


def build() -> int:
    """The machine's kernel and initrd, once for each version of what makes them; build.sh's exit status."""
    version = sha256(b"".join(path.read_bytes() for path in (MACHINE / "build.sh", MACHINE / "init"))).hexdigest()
    stamp = BUILT / "built-from"
    if stamp.exists() and stamp.read_text() == version and shutil.which("qemu-system-x86_64"):
        return 0
    print("Building the emulated machine (once; a minute or two)", flush=True)
    try:
        status = subprocess.run([MACHINE / "build.sh", BUILT], timeout=BUILD_S).returncode
    except subprocess.TimeoutExpired:
        print(f"Its packages did not arrive within {BUILD_S} s.")
        return next(iter(WHY_NOT_BUILT))
    if not status:
        stamp.write_text(version)
    return status


def boot() -> bool:
    """Boots the machine, which runs the tests, leaves its report and switches itself off; False when it took BOOT_S."""
    shutil.rmtree(REPORT, ignore_errors=True)
    REPORT.mkdir(parents=True)
    # Emulated even where there is hardware for it: a /dev/kvm may exist and still boot no stock kernel. One processor:
    # two have hung. No network.
    machine = ["-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "Nehalem", "-smp", "1", "-m", str(MEMORY_MB)]
    kernel = f"console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable companion.folder={ROOT}"
    with (REPORT / "console.log").open("wb") as console:
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]  # the machine's root reads every file of this one
        ended = subprocess.run(
            [
                *(*as_root, "timeout", "--kill-after=5", str(BOOT_S), "qemu-system-x86_64", *machine),
                *("-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"),
                *("-kernel", BUILT / "vmlinuz", "-initrd", BUILT / "initrd.gz", "-append", kernel),
                *shared("root", Path("/"), "readonly=on,multidevs=remap"),
                *shared("report", REPORT),
            ],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
        )
    return ended.returncode == 0


def shared(name: str, folder: Path, options: str = "") -> list[str]:
    """A folder that the machine can mount."""
    source = ",".join(filter(None, (f"local,id={name},path={folder},security_model=none", options)))
    return ["-fsdev", source, "-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}"]


def told(report: ElementTree.ElementTree, built_s: float, took_s: float) -> int:
    """Prints what failed and what was measured, and the counts at the end."""
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
    print(f"{len(cases) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
