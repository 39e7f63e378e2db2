"""`make lgpio`: builds lgpio for a 64-bit Pi from its source package, into a wheel for every Python from 3.11 on.

PyPI has no lgpio for Python 3.13, and plain Debian has none at all, so the wheel lies in `hardware/wheels`, and
`requirements-pi.lock` has its hash. Everything that builds it is pinned by a hash in `hardware/wheels/made-with.lock`:
the source, SWIG, and zig as a compiler for another machine. The same bytes come out each time, with one and the same
version of Python's own headers; this says whether they are the bytes that lie there.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
WHEELS = ROOT / "hardware" / "wheels"
MADE_WITH = WHEELS / "made-with.lock"
LOCK = ROOT / "requirements-pi.lock"
VERSION = "0.2.2.0"
OLDEST_GLIBC = "2.31"  # Debian 11's; Raspberry Pi OS 12 has 2.36
LIMITED_API = "0x030b0000"  # Python 3.11's stable interface: newer ones keep it
# lgpio's interface file names functions of Python 2, which SWIG no longer translates.
OLD_NAMES = {
    "PyInt_FromLong": "PyLong_FromLong",
    "PyInt_AsLong": "PyLong_AsLong",
    "PyInt_Check": "PyLong_Check",
    "PyString_FromString": "PyUnicode_FromString",
}
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first day of a zip file's calendar: no build differs by its date


def build(machine: str, tools: Path, folder: Path) -> Path:
    """The wheel for a machine ("aarch64", "x86_64"), in `folder`.

    tools   the unpacked wheels of SWIG and zig, and lgpio's source beside them, from `fetch`
    """
    source = tools / f"lgpio-{VERSION}"
    swig, zig = tools / "swig" / "data" / "bin" / "swig", tools / "ziglang" / "zig"
    built = folder / "built"
    built.mkdir()
    library, wrapper = next((tools / "swig" / "data" / "share" / "swig").iterdir()), built / "lgpio_wrap.c"
    run(swig, "-python", "-Isrc", "-outdir", built, "-o", wrapper, "lgpio.i", cwd=source, SWIG_LIB=library)
    sources = sorted(path.relative_to(source).as_posix() for path in (source / "src").glob("lg*.c"))
    run(
        *(zig, "cc", "-target", f"{machine}-linux-gnu.{OLDEST_GLIBC}", "-mcpu=baseline", "-O2", "-g0", "-w", "-s"),
        *("-shared", "-fPIC", "-pthread", "-fno-sanitize=undefined", f"-DPy_LIMITED_API={LIMITED_API}"),
        *(f"-D{old}={new}" for old, new in OLD_NAMES.items()),
        *("-Isrc", "-I", sysconfig.get_path("include"), *sources, "src/rgpiod.c", wrapper),
        *("-o", built / "_lgpio.abi3.so"),
        cwd=source,
        ZIG_GLOBAL_CACHE_DIR=folder / "cache",
        ZIG_LOCAL_CACHE_DIR=folder / "cache",
    )
    tag = f"cp311-abi3-manylinux_{OLDEST_GLIBC.replace('.', '_')}_{machine}"
    return pack(folder / f"lgpio-{VERSION}-{tag}.whl", tag, built, source)


def run(*words: str | Path, cwd: Path, **environment: Path) -> None:
    """Runs a program; says what it said when it fails."""
    more = {name: str(value) for name, value in environment.items()}
    result = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=os.environ | more, capture_output=True, text=True
    )
    if result.returncode:
        sys.exit(f"{words[0]} failed:\n{result.stderr[-2000:]}")


def pack(wheel: Path, tag: str, built: Path, source: Path) -> Path:
    """A wheel of what was built, the same byte by byte whenever the same was built."""
    about = f"lgpio-{VERSION}.dist-info"
    wheel_says = f"Wheel-Version: 1.0\nGenerator: table-companion\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {
        "_lgpio.abi3.so": (built / "_lgpio.abi3.so").read_bytes(),
        "lgpio.py": (built / "lgpio.py").read_bytes(),
        f"{about}/METADATA": (source / "PKG-INFO").read_bytes(),
        f"{about}/WHEEL": wheel_says.encode(),
        f"{about}/licenses/LICENSE": (source / "LICENSE").read_bytes(),
    }
    record = f"{about}/RECORD"
    lines = [f"{name},sha256={digest(content)},{len(content)}" for name, content in files.items()]
    files[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    with zipfile.ZipFile(wheel, "w") as archive:  # stored: what compresses may be another version next year
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return wheel


def digest(content: bytes) -> str:
    """The hash of a file as a wheel's list of files has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def fetch(folder: Path) -> Path:
    """Source and programs by their hashes, unpacked into a folder; raises CalledProcessError if they cannot be had."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    pip += ["--require-hashes", "--only-binary", "swig,ziglang", "--no-binary", "lgpio", "--no-build-isolation"]
    subprocess.run([*pip, "-d", str(folder), "-r", str(MADE_WITH)], check=True, timeout=900)
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    for program in (folder / "swig" / "data" / "bin" / "swig", folder / "ziglang" / "zig"):
        program.chmod(0o755)  # zipfile forgets what may be run
    with tarfile.open(folder / f"lgpio-{VERSION}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def main() -> None:
    (there,) = WHEELS.glob("*.whl")
    with tempfile.TemporaryDirectory() as scratch:
        tools, folder = Path(scratch, "tools"), Path(scratch, "built")
        tools.mkdir()
        folder.mkdir()
        try:
            fetch(tools)
        except subprocess.CalledProcessError:
            print("Skipped: the source of lgpio and the programs that build it cannot be had here.")
            return
        wheel = build("aarch64", tools, folder)
        if wheel.read_bytes() == there.read_bytes():
            print(f"{there.name}: the same bytes as those that lie in hardware/wheels.")
            return
        kept = ROOT / "build" / wheel.name
        kept.parent.mkdir(exist_ok=True)
        shutil.copy(wheel, kept)
    version = ".".join(map(str, sys.version_info[:3]))
    sys.exit(f"{kept} differs from the one in hardware/wheels (built here with the headers of Python {version}).")


if __name__ == "__main__":
    main()
