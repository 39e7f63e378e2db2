"""`make release KEY=maker-private.pem`: everything of a release, in dist/VERSION. Built again it is the same.

In it: the wheel, the source archive, with a key the bundle for a Pi, the list of all parts (CycloneDX), the notes of
CHANGELOG.md, `SHA256SUMS` of all these, and with a key its Ed25519 signature. Times are those of the newest commit.
"""

import argparse
import datetime
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hardware.tools import bundle
from hardware.tools.bundle import ROOT, digest, git, openssl
from release.versions import kept, now

NAME = "table-companion"
LOCKS = {"run": "", "vision": "", "hub": "hub", "fast": "fast", "solver": "solver"}  # lock → the extra that needs it
LOCKED = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.M)
FILES = {  # what comes along and is no package: pattern → type of CycloneDX, licence
    "web/static/fonts/*.woff2": ("file", "OFL-1.1"),
    "vision/models/*.onnx.xz": ("machine-learning-model", "Apache-2.0"),
}
SUMS, SIGNATURE, PUBLIC = "SHA256SUMS", "SHA256SUMS.sig", "maker.pem"
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
TO_CHECK = """\

## To check what you have

    sha256sum --check SHA256SUMS
"""
OF_THE_MAKER = f"\nUse the {PUBLIC} that its maker gave you before: the one that lies beside this proves nothing.\n"
SIGNED = f"    openssl pkeyutl -verify -pubin -inkey {PUBLIC} -rawin -in {SUMS} -sigfile {SIGNATURE}\n{OF_THE_MAKER}"
UNSIGNED = "\nThis build is not signed: nobody vouches for it.\n"
NOT_DATED = "CHANGELOG.md has no heading “## {version} (date)”: say there what people can do with it."
NOT_KEPT = "release/versions.toml is of another release: run make versions, read what has changed, and commit it."
CHANGED = "There are changes that are in no commit: commit them, or the release would not be what they are."


def notes(changelog: str, version: str, is_signed: bool) -> str:
    """What CHANGELOG.md says of a version, and how to check the files; "" where that has no dated heading."""
    heading = re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.M)
    if not heading:
        return ""
    said = LINK.sub(r"\1", changelog[heading.end() :].split("\n## ")[0].strip())
    return f"# {NAME} {version}\n\n{said}\n{TO_CHECK}{SIGNED if is_signed else UNSIGNED}"


def build_source(checkout: Path, folder: Path, made_s: int) -> None:
    """The source archive, from which the wheel can be built, with the time of the commit everywhere."""
    with tempfile.TemporaryDirectory() as scratch:
        source, made, unpacked = (Path(scratch) / name for name in ("source", "made", "unpacked"))
        bundle.copy_sources(checkout, source)
        build = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
        subprocess.run([sys.executable, "-c", build, str(made)], cwd=source, check=True, capture_output=True)
        (archive,) = made.glob("*.tar.gz")
        with tarfile.open(archive) as files:
            files.extractall(unpacked, filter="data")
        bundle.pack(next(unpacked.iterdir()), archive, made_s)
        with gzip.GzipFile("", "wb", fileobj=(folder / archive.name).open("wb"), mtime=made_s) as out:
            out.write(archive.read_bytes())


def parts_list(checkout: Path, version: str, commit: str, made_s: int) -> dict[str, Any]:
    """Every package, font and network of a release, as a CycloneDX document."""
    own = f"pkg:pypi/{NAME}@{version}"
    parts = [*packages(checkout), *files_along(checkout)]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own} {commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(made_s, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": NAME,
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": parts,
        "dependencies": [{"ref": own, "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def packages(checkout: Path) -> Iterator[dict[str, Any]]:
    """The packages of the locks; what only an extra brings is optional, and names it."""
    seen = set()
    for lock, extra in LOCKS.items():
        for name, version in LOCKED.findall((checkout / f"requirements-{lock}.lock").read_text(encoding="utf-8")):
            url = f"pkg:pypi/{name.lower()}@{version}"
            if url in seen:
                continue
            seen.add(url)
            part = {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}
            needed = {"properties": [{"name": "extra", "value": extra}]} if extra else {}
            yield {**part, "scope": "optional" if extra else "required", **needed}


def files_along(checkout: Path) -> Iterator[dict[str, Any]]:
    """The fonts and networks that lie in the wheel."""
    for pattern, (kind, licence) in FILES.items():
        for path in sorted(checkout.glob(pattern)):
            name = path.relative_to(checkout).as_posix()
            hashes = [{"alg": "SHA-256", "content": digest(path)}]
            licences = [{"license": {"id": licence}}]
            yield {"type": kind, "bom-ref": name, "name": name, "hashes": hashes, "licenses": licences}


def make(out: Path, key: Path | None, said: str) -> None:
    """Fills a new folder with everything of the newest commit's release."""
    commit, made = git("log", "-1", "--format=%H %ct").split()
    version, made_s = now().program, int(made)
    os.umask(0o022)  # The wheel keeps the rights of its files.
    with tempfile.TemporaryDirectory() as scratch:
        checkout = Path(scratch) / "checkout"
        checkout.mkdir()
        bundle.check_out(checkout)
        bundle.build_wheel(checkout, out, made_s)
        build_source(checkout, out, made_s)
        parts = json.dumps(parts_list(checkout, version, commit, made_s), indent=1) + "\n"
        (out / f"{NAME}-{version}.cdx.json").write_text(parts, encoding="utf-8")
    (out / "NOTES.md").write_text(said, encoding="utf-8")
    if key:
        bundle.build(key, out)
        openssl("pkey", "-in", key, "-pubout", "-out", out / PUBLIC)
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in sorted(out.iterdir()))
    (out / SUMS).write_text(sums, encoding="utf-8")
    if key:
        openssl("pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", out / SUMS, "-out", out / SIGNATURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("key", type=Path, nargs="?", help="the maker's private key; without one nothing is signed")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder for the release's folder")
    arguments = parser.parse_args()
    if git("status", "--porcelain"):
        sys.exit(CHANGED)
    today = now()
    said = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), today.program, bool(arguments.key))
    if not said:
        sys.exit(NOT_DATED.format(version=today.program))
    if kept() != today:
        sys.exit(NOT_KEPT)
    if arguments.key:
        bundle.check_key(arguments.key)
    arguments.out.mkdir(parents=True, exist_ok=True)
    folder = arguments.out / today.program
    with tempfile.TemporaryDirectory(dir=arguments.out) as half:  # Nothing half is ever called a release.
        make(Path(half), arguments.key, said)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(half, folder)
        folder.chmod(0o755)  # A temporary folder is its maker's alone.
    for path in sorted(folder.iterdir()):
        print(f"{path}: {path.stat().st_size:,} bytes")
    if not arguments.key:
        print("Not signed, and without the bundle for a Pi: name the maker's key, make release KEY=maker-private.pem.")


if __name__ == "__main__":
    main()
