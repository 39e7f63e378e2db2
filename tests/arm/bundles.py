"""Bundles of this checkout and of older ones, signed by one key, so that one may take the other's place."""

import shutil
import subprocess
import sys
from pathlib import Path

from hardware.tools import bundle
from tests.arm import machine

ROOT = Path(__file__).parents[2]
KEY = machine.BUILT / "maker-private.pem"
MADE = machine.BUILT / "dist"


def made(checkout: Path, key: Path = KEY, out: Path = MADE) -> Path:
    """The bundle of a checkout's newest commit, made by its own tools; without a key, by one that is made for it."""
    machine.BUILT.mkdir(parents=True, exist_ok=True)
    if key == KEY and not KEY.exists():
        bundle.openssl("genpkey", "-algorithm", "ed25519", "-out", KEY)
    subprocess.run([sys.executable, "-m", "hardware.tools.bundle", key, "--out", out], check=True, cwd=checkout)
    return max(out.glob("*.tar"), key=lambda path: path.stat().st_mtime)


def made_of(commit: str) -> Path:
    """The bundle of an older commit; raises CalledProcessError where this checkout does not know the commit."""
    name = git(ROOT, "rev-parse", "--short=10", commit)
    if there := [*MADE.glob(f"*-{name}.tar")]:
        return there[0]
    older = machine.BUILT / "before"
    shutil.rmtree(older, ignore_errors=True)
    git(ROOT, "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(older))
    git(older, "checkout", "--quiet", git(ROOT, "rev-parse", commit))
    (older / "build").mkdir()
    (older / "build" / bundle.FETCHED.name).symlink_to(bundle.FETCHED)  # what it has in common is fetched once
    out = made(older)
    shutil.rmtree(older)
    return out


def unpack(packed: Path, folder: Path) -> None:
    """A bundle's files in `folder`, which is not there yet."""
    beside = folder.parent / "unpacked"
    beside.mkdir()
    subprocess.run(["tar", "-x", "-f", packed, "-C", beside], check=True)
    next(beside.iterdir()).rename(folder)
    beside.rmdir()


def git(folder: Path, *words: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
