"""The emulated ARM machine: a 64-bit one under QEMU, with Debian's kernel, and a disk that `system` puts together."""

import gzip
import lzma
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from tests.arm import system

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent / "machine"
BUILT = ROOT / "build" / "test-arm"
TOOLS = ("qemu-system-arm", "e2fsprogs", "cpio", "kmod")
MODULES = ("virtio_blk", "crc32c_generic", "ext4")  # what finds the disk; the rest is on it
CONFIGURE_S = 3600  # limits, where the processors are shared with others
KILLED = 124  # what timeout ends with


def build() -> None:
    """The kernel, its initrd and the disk, once for each version of what makes them; raises CannotBeHadError."""
    parts = (Path(system.__file__), Path(__file__), HERE / "init", HERE / "configure.sh", HERE / "arm-tests.service")
    version = sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    stamp = BUILT / "built-from"
    if stamp.exists() and stamp.read_text() == version and shutil.which("qemu-system-aarch64"):
        return
    stamp.unlink(missing_ok=True)
    BUILT.mkdir(parents=True, exist_ok=True)
    install_tools()
    print("Building the emulated machine's disk (once; a quarter of an hour)", flush=True)
    packages, kernel, source = system.fetch(made(BUILT / "apt"))
    root, unpacked = BUILT / "root", BUILT / "kernel"
    system.lay_out(packages, root)
    shutil.rmtree(unpacked, ignore_errors=True)
    system.dpkg_deb("-x", kernel, unpacked)
    release = next((unpacked / "usr/lib/modules").iterdir()).name
    modules = Path("usr/lib/modules") / release  # the headers have put a link into it
    shutil.copytree(unpacked / modules, root / modules, symlinks=True, dirs_exist_ok=True)
    shutil.copy(next((unpacked / "boot").glob("vmlinuz-*")), BUILT / "vmlinuz")
    put_gpio_sim(source, made(root / "usr/src/gpio-sim"))
    shutil.copy(HERE / "configure.sh", root / "configure.sh")
    shutil.copy(HERE / "arm-tests.service", root / "etc/systemd/system/arm-tests.service")
    wanted = made(root / "etc/systemd/system/multi-user.target.wants")
    (wanted / "arm-tests.service").symlink_to("../arm-tests.service")
    write_initrd(root, release)
    system.image(root, BUILT / "system.img")
    shutil.rmtree(root)
    shutil.rmtree(unpacked)
    configured = BUILT / "configured"
    ended = boot(configured, CONFIGURE_S, [BUILT / "system.img"], keep=True)
    said = (configured / "console.log").read_text(errors="replace")
    if not ended or "ended with 0" not in said:
        raise system.CannotBeHadError(f"its packages could not be configured: {said[-300:].strip()}")
    (BUILT / "release").write_text(release + "\n")
    stamp.write_text(version)


def made(folder: Path) -> Path:
    """The folder, which is there now."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def install_tools() -> None:
    """QEMU and what makes disks, from this machine's own distribution; raises CannotBeHadError."""
    asked = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package}\n", *TOOLS]
    there = subprocess.run(asked, capture_output=True, text=True).stdout
    missing = [tool for tool in TOOLS if f"ii  {tool}" not in there]
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]) if missing else ():
        done = subprocess.run(["apt-get", *words], capture_output=True, text=True)
        if done.returncode:
            raise system.CannotBeHadError(f"apt-get {words[0]}: {done.stderr.strip()[-300:]}")


def put_gpio_sim(source: Path, folder: Path) -> None:
    """The GPIO simulator's source out of the kernel's, so that it can be built as a module of its own."""
    unpacked = folder / "unpacked"
    system.dpkg_deb("-x", source, unpacked)
    archive = next((unpacked / "usr/src").glob("linux-source-*.tar.xz"))
    wanted = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
    with tarfile.open(archive) as files:
        left = set(wanted)
        for member in files:
            name = member.name.partition("/")[2]
            if name in left:
                left.remove(name)
                content = files.extractfile(member)
                assert content
                (folder / Path(name).name).write_bytes(content.read())
            if not left:
                break
    shutil.rmtree(unpacked)
    (folder / "gpio-sim.c").rename(folder / "gpio-sim-main.c")
    # The distribution's kernel has no simulated interrupts, so they are linked in; of the two functions that give an
    # interrupt's descriptor it exports only the other one.
    interrupts = folder / "irq_sim.c"
    interrupts.write_text(
        interrupts.read_text().replace("irq_to_desc(irqnum)", "irq_data_to_desc(irq_get_irq_data(irqnum))")
    )
    (folder / "Kbuild").write_text("obj-m := gpio-sim.o\ngpio-sim-y := gpio-sim-main.o irq_sim.o\n")


def write_initrd(root: Path, release: str) -> None:
    """The first file system: busybox, `init`, and the modules that find the disk, in the order they need each other."""
    folder = BUILT / "initrd"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "modules", "proc", "sys", "dev", "root"):
        (folder / name).mkdir(parents=True)
    shutil.copy(root / "usr/bin/busybox", folder / "bin" / "busybox")
    shutil.copy(HERE / "init", folder / "init")
    (folder / "init").chmod(0o755)
    modules = root / "usr/lib/modules" / release
    subprocess.run([tool("depmod"), "-b", str(root / "usr"), release], check=True, capture_output=True)
    order: list[str] = []
    for module in needed(modules):
        name = module.name.removesuffix(".xz")
        if name not in order:
            order.append(name)
            content = module.read_bytes()
            (folder / "modules" / name).write_bytes(lzma.decompress(content) if module.suffix == ".xz" else content)
    (folder / "modules" / "order").write_text("\n".join(order) + "\n")
    names = "\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*")))
    packed = subprocess.run(
        ["cpio", "-o", "-H", "newc", "--quiet"], input=names.encode(), cwd=folder, check=True, capture_output=True
    ).stdout
    (BUILT / "initrd.gz").write_bytes(gzip.compress(packed, 1))
    shutil.rmtree(folder)


def needed(modules: Path) -> Iterator[Path]:
    """The files of MODULES, each after those that it needs; what is built into the kernel is left out."""
    listed = (modules / "modules.dep").read_text()
    for module in MODULES:
        found = re.search(rf"^(\S*/{module}\.ko\S*):(.*)$", listed, re.M)
        for path in [*reversed(found[2].split()), found[1]] if found else []:
            yield modules / path


def tool(name: str) -> str:
    """A program that an ordinary user's PATH may leave out."""
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") or name


def boot(report: Path, limit_s: int, disks: Sequence[Path], *, keep: bool = False, memory_mb: int = 2048) -> bool:
    """Boots the machine, which does its work and switches itself off; it has no network.

    report     a folder that is emptied, and that the machine can write
    limit_s    seconds, after which it is killed
    disks      raw images that the machine has as /dev/vda, /dev/vdb, …
    keep       whether what it writes to them stays

    False when it took `limit_s`.
    """
    shutil.rmtree(report, ignore_errors=True)
    report.mkdir(parents=True)
    machine = ["-M", "virt", "-cpu", "cortex-a72", "-accel", "tcg,thread=multi", "-smp", "2", "-m", str(memory_mb)]
    snapshot = "off" if keep else "on"
    drives = [part for disk in disks for part in ("-drive", f"file={disk},format=raw,if=virtio,snapshot={snapshot}")]
    with (report / "console.log").open("wb") as console:
        ended = subprocess.run(
            [
                *("timeout", "--kill-after=5", str(limit_s), "qemu-system-aarch64", *machine, *drives),
                *("-nodefaults", "-nographic", "-no-reboot", "-serial", "stdio"),
                *(
                    "-kernel",
                    BUILT / "vmlinuz",
                    "-initrd",
                    BUILT / "initrd.gz",
                    "-append",
                    "console=ttyAMA0 quiet panic=-1",
                ),
                *("-fsdev", f"local,id=report,path={report},security_model=none"),
                *("-device", "virtio-9p-pci,fsdev=report,mount_tag=report"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
        )
    return ended.returncode == 0
