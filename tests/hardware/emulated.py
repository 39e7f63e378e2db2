"""The emulated machine: Debian's kernel under QEMU, with this machine's files under a layer in memory."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINE = Path(__file__).parent / "machine"
BUILT = ROOT / "build" / "test-gpio"
WHY_NOT_BUILT = {  # what build.sh ends with
    75: "the distribution's packages cannot be had here",
    76: "the GPIO simulator of this distribution's kernel does not build outside of it",
}
BUILD_S = 300
MEMORY_MB = 2048


def cannot_be_had() -> str:
    """Builds the machine unless it is there; why it cannot be had here, or "". Exits where the building fails."""
    if why := what_is_missing():
        return why
    built = build()
    if built and built not in WHY_NOT_BUILT:
        print("The emulated machine could not be built: see above.")
        sys.exit(1)
    return WHY_NOT_BUILT.get(built, "")


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


def boot(script: str, report: Path, limit_s: int, disks: Sequence[Path] = (), arguments: str = "") -> bool:
    """Boots the machine, which runs a script of `machine/`, leaves its report and switches itself off.

    report      a folder that is emptied, and that the machine can write
    disks       raw images that the machine has as /dev/vda, /dev/vdb, …
    arguments   for the kernel's command line, where the script reads them

    False when it took `limit_s`.
    """
    shutil.rmtree(report, ignore_errors=True)
    report.mkdir(parents=True)
    # Emulated even where there is hardware for it: a /dev/kvm may exist and still boot no stock kernel. One processor:
    # two have hung. No network.
    machine = ["-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "Nehalem", "-smp", "1", "-m", str(MEMORY_MB)]
    kernel = (
        "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable"
        f" companion.folder={ROOT} companion.script={script} {arguments}"
    )
    drives = [part for disk in disks for part in ("-drive", f"file={disk},format=raw,if=virtio,cache=writeback")]
    with (report / "console.log").open("wb") as console:
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]  # the machine's root reads every file of this one
        ended = subprocess.run(
            [
                *(*as_root, "timeout", "--kill-after=5", str(limit_s), "qemu-system-x86_64", *machine, *drives),
                *("-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"),
                *("-kernel", BUILT / "vmlinuz", "-initrd", BUILT / "initrd.gz", "-append", kernel),
                *shared("root", Path("/"), "readonly=on,multidevs=remap"),
                *shared("report", report),
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
