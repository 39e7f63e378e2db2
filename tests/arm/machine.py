"""The emulated ARM machine: a 64-bit one under QEMU, with Debian's kernel, and the disk that `disk` makes.

What it does once it is up stands in `machine/`, beside this file. It goes along with the first files at each boot, so
that a change there needs no new disk.
"""

import gzip
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent / "machine"
BUILT = ROOT / "build" / "test-arm"
BEGINS = "begin.sh"  # on the second disk: what is run once the machine is up
AT_EACH_BOOT = ("init", "arm-tests.sh", "arm-tests.service")
STARTS_S = 900  # it is up within half a minute of its own processors; this one is shared with others
LOOK_S = 5.0
# Kinds of machine. The clock of the last two counts the instructions of one processor, each a nanosecond; the last is
# as small as a Pi Zero 2.
USUAL = ("-accel", "tcg,thread=multi", "-smp", "2", "-m", "2048")
COUNTING = ("-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-smp", "1", "-m", "2048")
SMALLEST = (*COUNTING[:-1], "512")
LOG_BYTES = 16 << 30
PI_3B = "a02082"  # the revision that a Raspberry Pi 3B's own firmware tells the kernel
TREE_3B = "bcm2837-rpi-3-b.dtb"


def be_a_pi_3b(tree: Path) -> None:
    """Writes into a Pi's device tree what its firmware would add, which QEMU does not have."""
    subprocess.run(["fdtput", "-c", tree, "/system"], check=True)
    subprocess.run(["fdtput", "-t", "x", tree, "/system", "linux,revision", PI_3B], check=True)


def pack_first_files(built: Path) -> Path:
    """The first file system, packed anew: what was gathered of the disk, and today's `machine/`."""
    first = built / "first"  # busybox and the modules that find the disk
    for name in AT_EACH_BOOT:
        shutil.copy(HERE / name, first / name)
        (first / name).chmod(0o755)
    return pack(first, built / "initrd.gz")


def pack(folder: Path, out: Path) -> Path:
    """A folder as the first file system of a kernel."""
    names = "\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))
    command = ["cpio", "-o", "-H", "newc", "--quiet"]
    packed = subprocess.run(command, input=names.encode(), cwd=folder, check=True, capture_output=True).stdout
    out.write_bytes(gzip.compress(packed, 1))
    return out


def boot(
    report: Path,
    limit_s: int,
    disks: Sequence[Path],
    *,
    keep: bool = False,
    log: Path | None = None,
    checks: bool = True,
    kind: Sequence[str] = USUAL,
    built: Path = BUILT,
) -> bool:
    """Boots the machine, which does its work and switches itself off; it has no network.

    report     a folder that is emptied, and that the machine can write; `console.log` in it is what it says meanwhile
    limit_s    seconds, after which it is killed
    disks      raw images that the machine has as /dev/vda, /dev/vdb, …
    keep       whether what it writes to them stays
    log        gets every write to the first disk, in the form of the kernel's `dm-log-writes`
    checks     whether it is to check; otherwise it configures its disk
    kind       USUAL, COUNTING or SMALLEST
    built      has its kernel and its first files

    False when it took `limit_s`, or when it is to check and had not begun after STARTS_S.
    """
    shutil.rmtree(report, ignore_errors=True)
    report.mkdir(parents=True)
    machine = ["-M", "virt", "-cpu", "cortex-a72", *kind]
    drives = [part for number, disk in enumerate(disks) for part in drive(disk, keep, None if number else log)]
    kernel = ["-kernel", str(built / "vmlinuz"), "-initrd", str(pack_first_files(built))]
    kernel += ["-append", "console=ttyAMA0 panic=-1 systemd.getty_auto=no"]
    shared = ["-fsdev", f"local,id=report,path={report},security_model=none"]
    shared += ["-device", "virtio-9p-pci,fsdev=report,mount_tag=report"]
    screen = ["-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"]
    command = ["timeout", "--kill-after=5", str(limit_s), "qemu-system-aarch64"]
    command += [*machine, *drives, *screen, *kernel, *shared]
    began_s = time.monotonic()
    with (report / "console.log").open("wb") as console:
        running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT)
        try:
            while True:
                try:
                    return running.wait(LOOK_S) == 0
                except subprocess.TimeoutExpired:
                    has_begun = not checks or (report / "guest.log").exists()
                    if not has_begun and time.monotonic() - began_s > STARTS_S:
                        return False
        finally:
            running.terminate()  # timeout passes it on to QEMU
            running.wait()


def drive(disk: Path, keep: bool, log: Path | None) -> list[str]:
    """QEMU's words for a disk. One that is logged is a copy, as what is written to it stays there."""
    if log is None:
        return ["-drive", f"file={disk},format=raw,if=virtio,snapshot={'off' if keep else 'on'}"]
    copy = log.with_suffix(".img")
    subprocess.run(["cp", "--sparse=always", disk, copy], check=True)
    with log.open("wb") as new:
        new.truncate(LOG_BYTES)  # as large as it may get; what is not written takes no room
    options = f"driver=blklogwrites,node-name=logged,file.driver=file,file.filename={copy}"
    options += f",log.driver=file,log.filename={log},log-sector-size=512"
    return ["-blockdev", options, "-device", "virtio-blk-pci,drive=logged"]
