"""The emulated machine's disk: Debian 13 for arm64, put together here and configured by the machine itself.

Emulating the unpacking of 500 packages would take most of an hour. So their files and scripts are laid out here, as
dpkg would leave them, and only the scripts run in the machine: `dpkg --configure -a`.
"""

import io
import os
import platform
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

SUITE = "trixie"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
PACKAGES = (
    *("?essential", "systemd-sysv", "dbus", "udev", "kmod", "procps", "iproute2", "ca-certificates", "busybox-static"),
    *("python3", "python3-venv", "python3-numpy", "python3-opencv", "passwd", "gpiod", "sudo", "openssl", "git"),
    *("gcc", "libc6-dev", "make", "linux-headers-arm64"),  # for the simulators that Debian's kernel leaves out
    # for tests/picamera: libcamera, and what picamera2 needs
    *("python3-libcamera", "libcamera-ipa", "v4l-utils", "python3-av", "python3-jsonschema", "python3-libarchive-c"),
    *("python3-piexif", "python3-prctl", "python3-tqdm"),
    *("network-manager", "wpasupplicant", "dnsmasq-base", "nftables", "iw"),  # for `wifi`, as on Raspberry Pi OS
)
IMAGE_MB = 4096
WITH_SBIN = os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}  # an ordinary user's PATH may leave it out
MOUNTS = """\
/dev/vdb /checks ext4 noatime,nofail 0 0
report /run/report 9p trans=virtio,version=9p2000.L,msize=524288,nofail 0 0
"""


class CannotBeHadError(Exception):
    """Debian's packages cannot be had here; the message says which step failed."""


def what_is_missing() -> str:
    """Why no such machine can be put together here, "" when nothing is known against it."""
    if platform.machine() != "x86_64":
        return f"it needs a machine of x86-64, and this is {platform.machine()}"
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return "it needs Debian's packages, and there is no apt here"
    if os.geteuid() != 0:
        return "only root can put a system's disk together: start it with sudo"
    return ""


def install_tools(tools: Sequence[str]) -> None:
    """QEMU and what makes disks, from this machine's own distribution; raises CannotBeHadError."""
    asked = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Package}\n", *tools]
    there = subprocess.run(asked, capture_output=True, text=True).stdout.splitlines()
    missing = [tool for tool in tools if f"ii  {tool}" not in there]
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]) if missing else ():
        done = subprocess.run(["apt-get", *words], capture_output=True, text=True)
        if done.returncode:
            raise CannotBeHadError(f"apt-get {words[0]}: {done.stderr.strip()[-300:]}")


def apt(folder: Path, *words: str) -> str:
    """Runs apt for arm64 with a state of its own in `folder`; raises CannotBeHadError."""
    environment = os.environ | {"APT_CONFIG": str(folder / "apt.conf")}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise CannotBeHadError(f"{' '.join(words[:2])}: {(done.stderr.strip() or done.stdout.strip())[-300:]}")
    return done.stdout


def prepare_apt(folder: Path, components: str = "main") -> None:
    """An apt for another processor and another Debian than this machine's, from this machine's own source of Debian."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "apt.conf").write_text(
        f"""\
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
"""
    )
    (folder / "sources.list").write_text(f"deb [signed-by={KEYS}] {debian()} {SUITE} {components}\n")
    apt(folder, "apt-get", "update", "--error-on=any")


def debian() -> str:
    """Where this machine has its Debian from."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL)", "Identifier: Packages"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = [line.removesuffix(" Debian") for line in done.stdout.splitlines() if line.endswith(" Debian")]
    if not found:
        raise CannotBeHadError("this machine's apt knows no Debian")
    return found[0]


def fetch(folder: Path) -> tuple[list[Path], Path, Path]:
    """The packages of the disk, the kernel's own package and its source."""
    prepare_apt(folder)
    apt(folder, "apt-get", "install", "--yes", "--download-only", *PACKAGES)
    depends = apt(folder, "apt-cache", "depends", "linux-image-arm64")
    kernel = re.search(r"Depends: (linux-image-\S+)", depends)
    if not kernel:
        raise CannotBeHadError("Debian's kernel for arm64 has another name than expected")
    version = re.search(r"linux-image-(\d+\.\d+)", kernel[1])
    assert version
    source = f"linux-source-{version[1]}"
    apt(folder, "apt-get", "download", kernel[1], source)
    return (
        sorted((folder / "cache" / "archives").glob("*.deb")),
        next(folder.glob(f"{kernel[1]}_*.deb")),
        next(folder.glob(f"{source}_*.deb")),
    )


def dpkg_deb(*words: str | Path) -> str:
    """What dpkg-deb says."""
    return subprocess.run(["dpkg-deb", *map(str, words)], check=True, capture_output=True, text=True).stdout


def unpack(packages: list[Path], root: Path) -> None:
    """Lays the packages out below `root` as `dpkg --unpack` would have, without running any of their scripts."""
    database = root / "var" / "lib" / "dpkg"
    (database / "info").mkdir(parents=True)
    (database / "updates").mkdir()
    for name in ("available", "diversions", "statoverride"):
        (database / name).touch()
    packages = sorted(packages, key=lambda path: not path.name.startswith("base-files_"))  # it brings /bin → usr/bin
    for package in packages:
        dpkg_deb("-x", package, root)
    (database / "status").write_text("\n".join(stanza for package in packages for stanza in enter(package, database)))


def enter(package: Path, database: Path) -> Iterator[str]:
    """Enters a package's scripts and list of files; its stanza of the status file."""
    control = database / "one"
    dpkg_deb("-e", package, control)
    fields = (control / "control").read_text()
    name = re.search(r"^Package: (\S+)", fields, re.M)
    assert name
    same = re.search(r"^Multi-Arch: same", fields, re.M)
    stem = f"{name[1]}:arm64" if same else name[1]
    files = [f"/{line.removeprefix('./').rstrip('/')}" for line in members(package)]
    (database / "info" / f"{stem}.list").write_text("/.\n" + "\n".join(files[1:]) + "\n")
    conffiles = [
        line
        for line in ((control / "conffiles").read_text().splitlines() if (control / "conffiles").exists() else ())
        if not line.startswith("remove-on-upgrade")
    ]
    for path in control.iterdir():
        if path.name != "control":
            shutil.move(path, database / "info" / f"{stem}.{path.name}")
    shutil.rmtree(control)
    lines = fields.strip().splitlines()
    lines.insert(1, "Status: install ok unpacked")
    if conffiles:
        lines += ["Conffiles:", *(f" {conffile} newconffile" for conffile in conffiles)]
    yield "\n".join(lines) + "\n"


def members(package: Path) -> list[str]:
    """The names of a package's files, in its order."""
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        return files.getnames()


def lay_out(packages: list[Path], root: Path, mounts: str = MOUNTS) -> None:
    """A system below `root` that can configure itself."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    unpack(packages, root)
    for name in ("passwd", "group"):
        shutil.copy(root / "usr/share/base-passwd" / f"{name}.master", root / "etc" / name)
    (root / "usr/bin/awk").symlink_to("mawk")  # scripts of packages need one before it is configured
    (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # nothing is started while it is configured
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    (root / "etc/hostname").write_text("table\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost table\n")
    (root / "etc/fstab").write_text(mounts)


def image(root: Path, out: Path, size_mb: int = IMAGE_MB) -> None:
    """A disk image of a folder: ext4."""
    out.unlink(missing_ok=True)
    command = ["mke2fs", "-q", "-t", "ext4", "-d", str(root), "-L", "table", str(out), f"{size_mb}M"]
    subprocess.run(command, check=True, env=WITH_SBIN)


def mend(image: Path) -> None:
    """Puts in order what a system that was switched off at once has left half done; raises CannotBeHadError."""
    command = ["e2fsck", "-f", "-y", str(image)]
    found = subprocess.run(command, capture_output=True, text=True, env=WITH_SBIN)
    if found.returncode not in (0, 1):  # 1: there was something to mend
        raise CannotBeHadError(f"its disk cannot be put in order: {found.stdout[-300:].strip()}")
