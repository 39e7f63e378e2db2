"""`make bundle KEY=maker-private.pem`: one file with everything for a 64-bit Pi, which needs no network then.

In it: the checkout of the newest commit; the wheels of the locks for the Pythons of Raspberry Pi OS and Debian, 12 and
13, and pip itself; `bundle.json` with a number that rises from commit to commit; a list of every file with its SHA-256,
and the maker's Ed25519 signature of that list. `hardware/install` says what it checks.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from hardware.tools.wheels import PLATFORMS, SYSTEMS, locked

ROOT = Path(__file__).parents[2]
FETCHED = ROOT / "build" / "wheels-for-a-pi"  # kept, so that the next bundle needs no network
# What a version is put together from: a name, and the lock or one package of it. Only what a system lacks of numpy and
# OpenCV is taken.
PARTS = {
    "run": ("requirements-run.lock", ""),
    "hub": ("requirements-hub.lock", ""),
    "numpy": ("requirements-vision.lock", "numpy"),
    "opencv": ("requirements-vision.lock", "opencv-python-headless"),
    "fast": ("requirements-fast.lock", ""),
    "pip": ("requirements-audit.lock", "pip"),
}
AT_THE_TOP = ("install", "put-on-card")  # what people call; both also lie in the checkout
NO_KEY = """\
There is no key {key}: a bundle is signed by its maker. Make a key once, keep it to yourself, and name it:
    openssl genpkey -algorithm ed25519 -out maker-private.pem
    make bundle KEY=maker-private.pem"""
OF_ANOTHER_USER = """\
The folder {folder} belongs to another user, as after sudo make test-arm. Take it over:
    sudo chown -R "$USER" {folder}"""
MISSING = "The bundle lacks a wheel for Python {python}, as the package index cannot be reached or has none: {wheel}"
LACKED = re.compile(r"No matching distribution found for (\S+)")
HASH = re.compile(r"--hash=sha256:(\w+)")
TRACKED = "{key} is one of the files that git tracks, so every bundle would publish it: make another, in no commit."


def tag(python: str) -> str:
    """ "cp313" for "3.13"."""
    return f"cp{python.replace('.', '')}"


def entries(python: str, part: str) -> list[str]:
    """The lines of a part's locks for a Pi with that Python."""
    lock, only = PARTS[part]
    lines = locked((ROOT / lock).read_text(), python)
    return [line for line in lines if not only or line.partition("==")[0] == only]


def fetch(folder: Path) -> None:
    """The wheels of every part, into an empty folder, by the locks' hashes; ends the program where one is missing.

    Of those that were fetched before only what the locks still name is taken.
    """
    wanted = {python: "\n".join(line for part in PARTS for line in entries(python, part)) for python in SYSTEMS}
    known = {found for lines in wanted.values() for found in HASH.findall(lines)}
    with tempfile.TemporaryDirectory() as scratch:
        for wheel in FETCHED.glob("*.whl"):
            if digest(wheel) in known:
                (Path(scratch) / wheel.name).symlink_to(wheel.resolve())
        for python, lines in wanted.items():
            lock = Path(scratch) / f"{tag(python)}.txt"
            lock.write_text(lines + "\n")
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary", ":all:", "--require-hashes", "--implementation", "cp"]
            command += ["--python-version", python, "--find-links", scratch, "--dest", str(folder), "-r", str(lock)]
            for platform in PLATFORMS:
                command += ["--platform", platform]
            fetched = subprocess.run(command, capture_output=True, text=True, timeout=1800)
            if fetched.returncode:
                lacked = LACKED.search(fetched.stderr)
                why = lacked[1] if lacked else fetched.stderr.strip().splitlines()[-1]
                sys.exit(MISSING.format(python=python, wheel=why))
    for wheel in folder.glob("*.whl"):
        shutil.copy(wheel, FETCHED)


def write_locks(folder: Path, wheel: Path) -> None:
    """The lines of each part, one file each, in a folder for each Python; the companion's own wheel is a part, too."""
    for python in SYSTEMS:
        locks = folder / tag(python)
        locks.mkdir(parents=True)
        for part in PARTS.keys() - {"pip"}:
            (locks / f"{part}.txt").write_text("\n".join(entries(python, part)) + "\n")
        version = wheel.name.split("-")[1]
        (locks / "companion.txt").write_text(f"table-companion=={version} --hash=sha256:{digest(wheel)}\n")


def check_out(folder: Path) -> None:
    """The newest commit's files, in an empty folder."""
    with tempfile.TemporaryFile() as archive:
        subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=archive, check=True)
        archive.seek(0)
        with tarfile.open(fileobj=archive) as files:
            files.extractall(folder, filter="data")


def copy_sources(checkout: Path, source: Path) -> None:
    """What the wheel is built from, into a new folder: setuptools leaves folders beside what it builds."""
    source.mkdir()
    for name in ("companion", "firmware", "vision", "web", "pyproject.toml", "README.md", "LICENSE"):
        place = shutil.copytree if (checkout / name).is_dir() else shutil.copy
        place(checkout / name, source / name)


def build_wheel(checkout: Path, folder: Path, made_s: int) -> Path:
    """The companion's own wheel, built by the locked setuptools; every file in it has that time, whoever builds it."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "source"
        copy_sources(checkout, source)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--no-build-isolation", "--wheel-dir", str(folder), str(source)]
        dated = {**os.environ, "SOURCE_DATE_EPOCH": str(made_s)}
        subprocess.run(command, check=True, timeout=600, env=dated)
    return next(folder.glob("table_companion-*.whl"))


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def sign(folder: Path, key: Path) -> None:
    """Lists every file of a folder with its hash, and signs the list; the public key is one of the files."""
    openssl("pkey", "-in", key, "-pubout", "-out", folder / "maker.pem")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = "".join(f"{digest(path)}  ./{path.relative_to(folder).as_posix()}\n" for path in files)
    (folder / "MANIFEST").write_text(manifest, encoding="utf-8")
    openssl("pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", folder / "MANIFEST", "-out", folder / "MANIFEST.sig")


def openssl(*words: str | Path) -> None:
    """Runs openssl; says what it said when it refuses."""
    result = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"The key cannot be used (openssl: {result.stderr.strip().splitlines()[-1]}).")


def pack(folder: Path, out: Path, made_s: int) -> None:
    """A tar file of a folder; whoever packs it whenever, the bytes are the same. Nothing half is ever called `out`."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = made_s
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    half = out.with_name(out.name + ".half")
    with tarfile.open(half, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in [folder, *sorted(folder.rglob("*"))]:
            archive.add(path, arcname=path.relative_to(folder.parent).as_posix(), recursive=False, filter=plain)
    half.replace(out)


def make(key: Path, wheels: Iterable[Path], out_folder: Path) -> Path:
    """The bundle of the newest commit, in a folder; `wheels` are those that the Pi needs."""
    commit, made_s, made = git("log", "-1", "--format=%h %ct %cs", "--abbrev=10").split()
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert version
    name = f"table-companion-{version[1]}-{commit}"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / name
        (folder / "wheels").mkdir(parents=True)
        (folder / "checkout").mkdir()
        for wheel in wheels:
            shutil.copy(wheel, folder / "wheels")
        check_out(folder / "checkout")
        write_locks(folder / "locks", build_wheel(folder / "checkout", folder / "wheels", int(made_s)))
        for script in AT_THE_TOP:
            shutil.copy(folder / "checkout" / "hardware" / script, folder / script)
        description = {"version": version[1], "number": number(), "commit": commit, "made": made}
        description["pythons"] = list(SYSTEMS)
        (folder / "bundle.json").write_text(json.dumps(description) + "\n")
        sign(folder, key)
        out_folder.mkdir(parents=True, exist_ok=True)
        pack(folder, out_folder / f"{name}.tar", int(made_s))
    return out_folder / f"{name}.tar"


def number() -> int:
    """How many commits lead to the newest one: no clock can set it back, and `hardware/install` refuses a lower one."""
    return int(git("rev-list", "--count", "HEAD"))


def git(*words: str) -> str:
    """What git says of the checkout."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def is_tracked(key: Path) -> bool:
    """Whether a file is one of the checkout's, all of which lie in every bundle."""
    command = ["git", "ls-files", "--error-unmatch", "--", str(key.resolve())]
    return subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("key", type=Path, help="the maker's private key")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder for the bundle")
    arguments = parser.parse_args()
    check_key(arguments.key)
    if git("status", "--porcelain"):
        sys.exit("There are changes that are in no commit: commit them, or the bundle would not be what they are.")
    out = build(arguments.key, arguments.out)
    print(f"{out}: {out.stat().st_size // 1_000_000} MB, SHA-256 {digest(out)}")


def check_key(key: Path) -> None:
    """Ends the program where the key is none of a maker's own."""
    if not key.is_file():
        sys.exit(NO_KEY.format(key=key))
    if is_tracked(key):
        sys.exit(TRACKED.format(key=key))


def build(key: Path, out_folder: Path) -> Path:
    """The bundle of the newest commit, in a folder, with the wheels of the package index; ends the program without."""
    if git("rev-parse", "--is-shallow-repository") == "true":
        sys.exit(
            "This checkout lacks its older commits, so the bundle's number would be too low: git fetch --unshallow."
        )
    try:
        FETCHED.mkdir(parents=True, exist_ok=True)
    except PermissionError:
        sys.exit(OF_ANOTHER_USER.format(folder=FETCHED.parent))
    if not os.access(FETCHED, os.W_OK):
        sys.exit(OF_ANOTHER_USER.format(folder=FETCHED))
    with tempfile.TemporaryDirectory() as scratch:
        fetch(Path(scratch))
        return make(key, Path(scratch).glob("*.whl"), out_folder)


if __name__ == "__main__":
    main()
