"""The disk of the emulated machine, its kernel and its first files: made once, for each version of what makes them."""

import lzma
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tests.arm import machine, system
from tests.arm.machine import BUILT

TOOLS = ("qemu-system-arm", "e2fsprogs", "cpio", "kmod")
MODULES = ("virtio_blk", "crc32c_generic", "ext4")  # what finds the disk; the rest is on it
CONFIGURE_S = 3600  # a limit, where the processors are shared with others


def build() -> None:
    """The kernel, its initrd and the disk, once for each version of what makes them; raises CannotBeHadError."""
    parts = (Path(system.__file__), Path(__file__), machine.HERE / "configure.sh")
    version = sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    stamp = BUILT / "built-from"
    if stamp.exists() and stamp.read_text() == version and shutil.which("qemu-system-aarch64"):
        return
    stamp.unlink(missing_ok=True)
    BUILT.mkdir(parents=True, exist_ok=True)
    system.install_tools(TOOLS)
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
    shutil.copy(machine.HERE / "configure.sh", root / "configure.sh")
    gather_first_files(root, release)
    system.image(root, BUILT / "system.img")
    shutil.rmtree(root)
    shutil.rmtree(unpacked)
    configured = BUILT / "configured"
    ended = machine.boot(configured, CONFIGURE_S, [BUILT / "system.img"], keep=True)
    said = (configured / "console.log").read_text(errors="replace")
    if not ended or "ended with 0" not in said:
        raise system.CannotBeHadError(f"its packages could not be configured: {said[-300:].strip()}")
    system.mend(BUILT / "system.img")
    (BUILT / "release").write_text(release + "\n")
    stamp.write_text(version)


def made(folder: Path) -> Path:
    """The folder, which is there now."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder


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


def gather_first_files(root: Path, release: str) -> None:
    """What finds the disk: busybox, and the modules in the order in which they need each other."""
    folder = machine.FIRST
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "modules", "proc", "sys", "dev", "root"):
        (folder / name).mkdir(parents=True)
    shutil.copy(root / "usr/bin/busybox", folder / "bin" / "busybox")
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
