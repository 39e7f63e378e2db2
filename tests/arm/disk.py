"""The disk of the emulated machine, its kernel and its first files: made once, for each version of what makes them."""

import lzma
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from tests.arm import machine, system
from tests.arm.machine import BUILT

TOOLS = ("qemu-system-arm", "e2fsprogs", "cpio", "kmod")
BUSYBOX = "usr/bin/busybox"
MODULES = ("virtio_blk", "crc32c_generic", "ext4")  # what finds the disk; the rest is on it
GPIO_SIM = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
VIMC = "drivers/media/test-drivers/vimc/"
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
    put_simulators(source, made(root / "usr/src"))
    shutil.copy(machine.HERE / "configure.sh", root / "configure.sh")
    gather_first_files(root, release, root / BUSYBOX, BUILT / "first")
    system.image(root, BUILT / "system.img")
    shutil.rmtree(root)
    shutil.rmtree(unpacked)
    configured = BUILT / "configured"
    ended = machine.boot(configured, CONFIGURE_S, [BUILT / "system.img"], keep=True, checks=False)
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


def put_simulators(source: Path, folder: Path) -> None:
    """Pins and a camera that Debian's kernel leaves out, of its own source, so that each can be built as a module."""
    gpio_sim, vimc, unpacked = made(folder / "gpio-sim"), made(folder / "vimc"), folder / "unpacked"
    system.dpkg_deb("-x", source, unpacked)
    with tarfile.open(next((unpacked / "usr/src").glob("linux-source-*.tar.xz"))) as files:
        for member in files:
            name = member.name.partition("/")[2]
            if name in GPIO_SIM or (name.startswith(VIMC) and name.endswith((".c", ".h"))):
                content = files.extractfile(member)
                assert content
                ((gpio_sim if name in GPIO_SIM else vimc) / Path(name).name).write_bytes(content.read())
    shutil.rmtree(unpacked)
    (gpio_sim / "gpio-sim.c").rename(gpio_sim / "gpio-sim-main.c")
    # The distribution's kernel has no simulated interrupts, so they are linked in; of the two functions that give an
    # interrupt's descriptor it exports only the other one.
    interrupts = gpio_sim / "irq_sim.c"
    interrupts.write_text(
        interrupts.read_text().replace("irq_to_desc(irqnum)", "irq_data_to_desc(irq_get_irq_data(irqnum))")
    )
    (gpio_sim / "Kbuild").write_text("obj-m := gpio-sim.o\ngpio-sim-y := gpio-sim-main.o irq_sim.o\n")
    # The camera paints its largest picture whole for each that it gives, which takes an emulated processor seconds.
    sizes = vimc / "vimc-common.h"
    for side, most in (("WIDTH", 480), ("HEIGHT", 270)):
        smaller, found = re.subn(rf"(VIMC_FRAME_MAX_{side}) \d+", rf"\1 {most}", sizes.read_text())
        assert found
        sizes.write_text(smaller)
    parts = " ".join(sorted(path.with_suffix(".o").name for path in vimc.glob("*.c")))
    (vimc / "Kbuild").write_text(f"obj-m := vimc.o\nvimc-y := {parts}\n")


def gather_first_files(root: Path, release: str, busybox: Path, folder: Path, wanted: Sequence[str] = MODULES) -> None:
    """What finds the disk: busybox, and the modules of the kernel below `root`, each after those that it needs."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("bin", "modules", "proc", "sys", "dev", "root"):
        (folder / name).mkdir(parents=True)
    shutil.copy(busybox, folder / "bin" / "busybox")
    subprocess.run([tool("depmod"), "-b", str(root / "usr"), release], check=True, capture_output=True)
    modules = root / "usr/lib/modules" / release
    files = dict.fromkeys(needed(modules, wanted))
    names = [path.name.removesuffix(".xz") for path in files]
    for name, path in zip(names, files, strict=True):
        content = path.read_bytes()
        (folder / "modules" / name).write_bytes(lzma.decompress(content) if path.suffix == ".xz" else content)
    (folder / "modules" / "order").write_text("".join(f"{name}\n" for name in names))


def needed(modules: Path, wanted: Sequence[str]) -> Iterator[Path]:
    """The files of modules, each after those that it needs; what is built into the kernel is left out.

    modules     the kernel's folder with `modules.dep` and `modules.builtin`
    wanted      names as their files have them; ValueError for one that the kernel does not have
    """
    listed, built_in = ((modules / name).read_text() for name in ("modules.dep", "modules.builtin"))
    for module in wanted:
        if found := re.search(rf"^(\S*/{module}\.ko\S*):(.*)$", listed, re.M):
            for path in [*reversed(found[2].split()), found[1]]:
                yield modules / path
        elif f"/{module}.ko\n" not in built_in:
            raise ValueError(f"the kernel has no module {module}")


def tool(name: str) -> str:
    """A program that an ordinary user's PATH may leave out."""
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin") or name
