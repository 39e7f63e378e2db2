"""The emulated machine: Debian 13 for x86-64 with its libcamera, picamera2 from PyPI, and a kernel with cameras."""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from hardware.tools.wheels import locked
from tests.arm import system
from tests.hardware.emulated import shared

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent / "machine"
BUILT = ROOT / "build" / "test-picamera"
LOCKS = ("requirements-run.lock", "requirements-dev.lock")
OWN_LOCK = Path(__file__).parent / "requirements.lock"
PYTHON = "3.13"
TOOLS = ("qemu-system-x86", "mmdebstrap", "e2fsprogs", "kmod", "xz-utils")
PACKAGES = (
    *("ca-certificates", "systemd-sysv", "udev", "kmod", "procps", "v4l-utils", "linux-image-amd64"),
    *("python3", "python3-numpy", "python3-opencv", "python3-libcamera", "libcamera-ipa"),
    # picamera2's own
    *("python3-av", "python3-jsonschema", "python3-libarchive-c", "python3-piexif", "python3-prctl", "python3-tqdm"),
    *("gcc", "libc6-dev", "make", "linux-headers-amd64"),  # for the driver
)
IMAGE_MB = 3584
BUILD_S = 3600  # a limit, where the processors are shared with others


def build() -> None:
    """The machine's disk, kernel and first files, once for each version of what makes them; raises CannotBeHadError."""
    on_disk = (HERE / "build.sh", HERE / "picamera-tests.service", HERE / "virtual.yaml")
    parts = (Path(__file__), *on_disk, OWN_LOCK, *(ROOT / lock for lock in LOCKS))
    version = sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()
    stamp = BUILT / "built-from"
    if stamp.exists() and stamp.read_text() == version and shutil.which("qemu-system-x86_64"):
        return
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    system.install_tools(TOOLS)
    print("Building the emulated machine's disk (once; a quarter of an hour)", flush=True)
    root = BUILT / "root"
    make_system(root)
    install_packages(root / "opt" / "packages")
    release = next((root / "usr/lib/modules").iterdir()).name
    shutil.copy(root / "boot" / f"vmlinuz-{release}", BUILT / "vmlinuz")
    shutil.copy(root / "boot" / f"initrd.img-{release}", BUILT / "initrd.img")
    system.image(root, BUILT / "system.img", IMAGE_MB)
    shutil.rmtree(root)
    (BUILT / "release").write_text(release + "\n")
    stamp.write_text(version)


def make_system(root: Path) -> None:
    """Debian in a folder, with the driver; raises CannotBeHadError."""
    command = ["mmdebstrap", "--mode=root", "--variant=minbase", "--format=directory", "--architectures=amd64"]
    command += [f"--keyring={system.KEYS}", f"--include={','.join(PACKAGES)}"]
    command += [f'--customize-hook={HERE / "build.sh"} "$1"', system.SUITE, str(root), system.debian()]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_S)
    except subprocess.TimeoutExpired as error:
        raise system.CannotBeHadError(f"its packages did not arrive within {BUILD_S} s") from error
    (BUILT / "mmdebstrap.log").write_text(done.stderr)
    if done.returncode:
        raise system.CannotBeHadError(f"mmdebstrap: {done.stderr.strip()[-600:]}")


def install_packages(folder: Path) -> None:
    """What the companion, its tests and picamera2 need from PyPI, with the hashes of their locks."""
    wanted = [line for lock in LOCKS for line in locked((ROOT / lock).read_text(), PYTHON)]
    wanted += locked(OWN_LOCK.read_text(), PYTHON)
    lock = BUILT / "packages.txt"
    lock.write_text("\n".join(wanted) + "\n")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--only-binary", ":all:", "--target", str(folder), "--implementation", "cp"]
    command += ["--python-version", PYTHON]
    for minor in range(17, 42):  # Debian 13 has glibc 2.41
        command += ["--platform", f"manylinux_2_{minor}_x86_64"]
    subprocess.run([*command, "--platform", "manylinux2014_x86_64", "-r", str(lock)], check=True)


def boot(report: Path, limit_s: int) -> bool:
    """Boots the machine, which runs its tests and switches itself off; False when it took `limit_s`.

    It has no network and one processor, as two have hung; what it writes to its disk is forgotten.
    """
    shutil.rmtree(report, ignore_errors=True)
    report.mkdir(parents=True)
    kernel = "console=ttyS0 root=/dev/vda rw quiet panic=-1 mitigations=off tsc=reliable systemd.show_status=no"
    command = ["timeout", "--kill-after=5", str(limit_s), "qemu-system-x86_64", "-machine", "q35", "-accel"]
    command += ["tcg,thread=multi", "-cpu", "Nehalem", "-smp", "1", "-m", "2048", "-nodefaults", "-nographic"]
    command += ["-no-reboot", "-serial", f"file:{report / 'console.log'}"]
    command += ["-drive", f"file={BUILT / 'system.img'},format=raw,if=virtio,snapshot=on"]
    command += ["-kernel", str(BUILT / "vmlinuz"), "-initrd", str(BUILT / "initrd.img"), "-append"]
    command += [f"{kernel} systemd.unit=picamera-tests.service"]
    command += [*shared("checkout", ROOT, "readonly=on"), *shared("report", report)]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0
