"""A card for a Pi: Debian's packages, configured in the emulated machine, and a bundle on the boot partition.

It lies here and not beside `hardware/tools/bundle.py` because the machine of `make test-arm` configures it. What is the
product's own of it, `put-on-card` and the first start, lies in `hardware`.
"""

import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

from tests.arm import disk, machine, system

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "image"
PACKAGES = (
    *("?essential", "systemd-sysv", "systemd-timesyncd", "dbus", "udev", "kmod", "procps", "iproute2", "passwd"),
    *("linux-image-arm64", "initramfs-tools", "zstd", "busybox-static", "raspi-firmware", "e2fsprogs", "dosfstools"),
    *("network-manager", "wpasupplicant", "firmware-brcm80211", "wireless-regdb"),
    *("python3", "python3-venv", "openssl", "ca-certificates", "sudo", "kbd", "less", "nano"),
)
TOOLS = (*disk.TOOLS, "dosfstools", "mtools", "fdisk", "device-tree-compiler")
COMPONENTS = "main non-free-firmware"  # the Pi's firmware, and that of its radio
ROOT_LABEL, BOOT_LABEL = "table", "TABLEBOOT"
MOUNTS = f"""\
LABEL={ROOT_LABEL} / ext4 noatime,errors=remount-ro 0 1
LABEL={BOOT_LABEL} /boot/firmware vfat noatime 0 2
"""
SECTOR, MEGABYTE = 512, 1 << 20
BOOT_AT_MB, BOOT_MB, ROOT_MB = 4, 512, 3072
CARD_MB = 4096  # a power of two, as QEMU wants a card to be


def build_system() -> None:
    """`root.img` and `boot.img`, once for each version of what makes them; raises CannotBeHadError."""
    script = machine.HERE / "configure-card.sh"
    made_by = (Path(__file__), Path(system.__file__), Path(disk.__file__), script)
    version = sha256(b"".join(path.read_bytes() for path in made_by)).hexdigest()
    stamp = BUILT / "built-from"
    if stamp.exists() and stamp.read_text() == version:
        return
    stamp.unlink(missing_ok=True)
    system.install_tools(TOOLS)
    print("Building the card's system (once; half an hour)", flush=True)
    root = BUILT / "root"
    lay_out(root)
    release = next((root / "usr/lib/modules").iterdir()).name
    shutil.copy(root / f"boot/vmlinuz-{release}", BUILT / "vmlinuz")
    disk.gather_first_files(root, release, root / disk.BUSYBOX, BUILT / "first")
    shutil.copy(script, root / "configure.sh")
    system.image(root, BUILT / "root.img", ROOT_MB)
    shutil.rmtree(root)
    make_fat(BUILT / "boot.img")
    configured = BUILT / "configured"
    ended = machine.boot(
        configured, disk.CONFIGURE_S, [BUILT / "root.img", BUILT / "boot.img"], keep=True, checks=False, built=BUILT
    )
    said = (configured / "console.log").read_text(errors="replace")
    if not ended or "ended with 0" not in said:
        raise system.CannotBeHadError(f"its packages could not be configured: {said[-300:].strip()}")
    system.mend(BUILT / "root.img")
    stamp.write_text(version)


def lay_out(root: Path) -> None:
    """The card's packages below `root`, not configured yet."""
    apt = disk.made(BUILT / "apt")
    system.prepare_apt(apt, COMPONENTS)
    system.apt(apt, "apt-get", "install", "--yes", "--download-only", *PACKAGES)
    system.lay_out(sorted((apt / "cache" / "archives").glob("*.deb")), root, MOUNTS)
    (root / "boot/firmware").mkdir(exist_ok=True)
    (root / "etc/default/raspi-firmware").write_text(f"ROOTPART=LABEL={ROOT_LABEL}\n")


def make_fat(out: Path) -> None:
    """An empty boot partition."""
    out.unlink(missing_ok=True)
    run("mkfs.vfat", "-C", "-F", "32", "-n", BOOT_LABEL, out, BOOT_MB * 1024)


def make_card(bundle: Path, out: Path) -> Path:
    """The card: the system that was built, with a bundle on its boot partition."""
    folder, boot = BUILT / "bootfs", BUILT / "bootfs.img"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run("mcopy", "-s", "-i", BUILT / "boot.img", "::*", folder)
    run("sh", ROOT / "hardware" / "put-on-card", bundle, folder)
    make_fat(boot)
    run("mcopy", "-s", "-i", boot, *folder.iterdir(), "::/")
    half = out.with_name(out.name + ".half")
    with half.open("wb") as card:
        card.truncate(CARD_MB * MEGABYTE)
    first, then = (at * MEGABYTE // SECTOR for at in (BOOT_AT_MB, BOOT_AT_MB + BOOT_MB))
    table = f"label: dos\nstart={first}, size={then - first}, type=c, bootable\nstart={then}, type=83\n"
    run("sfdisk", "--quiet", half, input=table)
    for part, at in ((boot, BOOT_AT_MB), (BUILT / "root.img", BOOT_AT_MB + BOOT_MB)):
        run("dd", f"if={part}", f"of={half}", "bs=1M", f"seek={at}", "conv=notrunc,sparse", "status=none")
    half.replace(out)
    return out


def run(*words: str | int | Path, input: str | None = None) -> None:
    """Runs a program; raises CalledProcessError."""
    subprocess.run([*map(str, words)], check=True, text=True, input=input, env=system.WITH_SBIN)
