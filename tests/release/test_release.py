"""A release: built in two folders it is the same to the byte, and signature, list of parts and notes are true."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement

from hardware.tools import bundle
from release import make, versions
from tests.hardware_docs.small_bundles import make_key

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
NOW = {"GIT_AUTHOR_DATE": "2026-11-29T12:00:00Z", "GIT_COMMITTER_DATE": "2026-11-29T12:00:00Z"}
GIT = ("git", "-c", "user.name=maker", "-c", "user.email=maker@localhost", "-c", "commit.gpgsign=false")
# The bundle without its 190 MB of wheels for a Pi: tests/hardware_docs/test_bundle.py shows which of them are taken.
RELEASE = """\
import os, sys
os.umask(int(sys.argv.pop(1), 8))
from hardware.tools import bundle
bundle.fetch = lambda folder: None
from release.make import main
main()
"""

pytestmark = [
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed: nothing can be signed"),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout of git, and a release is of a commit"),
]


def copy_of_the_checkout(folder):
    """A repository of one commit with the files of this checkout, ready to be released."""
    files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(files, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
            (folder / name).chmod((ROOT / name).stat().st_mode & 0o100 | 0o644)
    changes = folder / "CHANGELOG.md"  # The next version has no date and is not written down before it is released.
    changes.write_text(re.sub(rf"^## {re.escape(VERSION)}$", r"\g<0> (2026-11-29)", changes.read_text(), flags=re.M))
    versions.write(versions.now(), folder / "release/versions.toml", again=True)
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "All of it"]):
        subprocess.run([*GIT, *words], cwd=folder, env={**os.environ, **NOW}, check=True)


def release_of(checkout, out, key, umask, **environment):
    """The folder of a release that is built in that checkout."""
    command = [sys.executable, "-c", RELEASE, umask, str(key), "--out", str(out)]
    env = {**os.environ, "PYTHONPATH": str(checkout), **environment}
    built = subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return out / VERSION


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Two releases of one commit, from two checkouts at other places, by other people at other places."""
    folder = tmp_path_factory.mktemp("release")
    key = make_key(folder, "maker")
    for name in ("one", "a longer name"):
        (folder / name).mkdir()
        copy_of_the_checkout(folder / name)
    return (
        release_of(folder / "one", folder / "dist-1", key, "022", TZ="UTC", PYTHONHASHSEED="1"),
        release_of(folder / "a longer name", folder / "dist-2", key, "077", TZ="Asia/Tokyo", PYTHONHASHSEED="2"),
    )


def test_built_twice_it_is_the_same_to_the_byte(built):
    assert {folder.stat().st_mode & 0o777 for folder in built} == {0o755}
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in built)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    (bundled,) = (name for name in first if name.endswith(".tar"))
    with tarfile.open(built[0] / bundled) as files:
        about = json.load(files.extractfile(f"{bundled.removesuffix('.tar')}/bundle.json"))
    commit = about["commit"]
    assert (about["version"], about["number"]) == (VERSION, 1)
    assert set(first) == {
        f"table_companion-{VERSION}-py3-none-any.whl",
        f"table_companion-{VERSION}.tar.gz",
        f"table-companion-{VERSION}.cdx.json",
        f"table-companion-{VERSION}-{commit}.tar",
        "NOTES.md",
        "maker.pem",
        "SHA256SUMS",
        "SHA256SUMS.sig",
    }


def test_the_commands_of_the_notes_verify_it_and_find_a_changed_byte(built, tmp_path):
    folder = shutil.copytree(built[0], tmp_path / "release")
    commands = re.findall(r"^    (.+)$", (folder / "NOTES.md").read_text(), re.M)
    assert [subprocess.run(command, shell=True, cwd=folder).returncode for command in commands] == [0, 0]
    notes = folder / "NOTES.md"
    notes.write_bytes(notes.read_bytes().replace(b"#", b"*", 1))
    assert subprocess.run(commands[0], shell=True, cwd=folder).returncode != 0
    with (folder / "SHA256SUMS").open("a") as sums:
        sums.write("\n")
    assert subprocess.run(commands[1], shell=True, cwd=folder).returncode != 0


def test_the_list_of_parts_is_cyclonedx_and_has_every_package(built):
    text = next(built[0].glob("*.cdx.json")).read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    parts = {part["name"].lower(): part for part in json.loads(text)["components"]}
    with zipfile.ZipFile(next(built[0].glob("*.whl"))) as wheel:
        (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        needs = [Requirement(text) for text in message_from_bytes(wheel.read(about)).get_all("Requires-Dist")]
    always = {need.name for need in needs if need.marker is None}
    assert len(always) > 10
    assert {name for name in always if parts[name]["scope"] != "required"} == set()
    assert all(need.specifier.contains(parts[need.name]["version"]) for need in needs if need.name in always)
    assert parts["sqlalchemy"]["scope"] == "optional"
    locked = re.search(r"^flask==(\S+)", (ROOT / "requirements-run.lock").read_text(), re.M)
    assert parts["flask"]["purl"] == f"pkg:pypi/flask@{locked[1]}"
    assert {part["type"] for part in parts.values()} == {"library", "file", "machine-learning-model"}


def test_the_wheel_has_all_that_runs_and_nothing_of_tests_or_training(built):
    with zipfile.ZipFile(next(built[0].glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"companion", "firmware", "vision", "web", f"table_companion-{VERSION}.dist-info"}
    assert [name for name in names if name.startswith("vision/training")] == []
    ran = {
        path.relative_to(ROOT).as_posix()
        for top in ("companion", "firmware", "vision", "web")
        for path in (ROOT / top).rglob("*.py")
    }
    assert {name for name in ran - names if not name.startswith("vision/training/")} == set()
    for name in ("companion/py.typed", "firmware/table.example.toml", "companion/languages/translated.json"):
        assert name in names
    assert {path.name for path in (ROOT / "vision/models").glob("*.onnx.xz")} <= {Path(name).name for name in names}


def test_the_wheel_is_built_from_the_source_archive_again(built, tmp_path):
    wheel, archive = next(built[0].glob("*.whl")), next(built[0].glob("*.tar.gz"))
    with gzip.open(archive) as plain, tarfile.open(fileobj=plain) as files:
        made_s = {member.mtime for member in files.getmembers()}
        files.extractall(tmp_path / "source", filter="data")
    assert len(made_s) == 1
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--wheel-dir", str(tmp_path), str(next((tmp_path / "source").iterdir()))]
    dated = {**os.environ, "SOURCE_DATE_EPOCH": str(made_s.pop())}
    subprocess.run(command, check=True, env=dated, umask=0o022)
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(tmp_path / wheel.name) as second:
        assert {i.filename: i.CRC for i in first.infolist()} == {i.filename: i.CRC for i in second.infolist()}


def test_without_a_key_it_says_that_nobody_vouches_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "build_wheel", lambda checkout, out, made_s: (out / "a.whl").write_bytes(b"a"))
    monkeypatch.setattr(make, "build_source", lambda checkout, out, made_s: None)
    umask = os.umask(0o022)
    try:
        make.make(tmp_path, None, make.notes(CHANGES, "1.0.0", is_signed=False))
    finally:
        os.umask(umask)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"a.whl", f"table-companion-{VERSION}.cdx.json", "NOTES.md", "SHA256SUMS"}
    assert "This build is not signed" in (tmp_path / "NOTES.md").read_text()


CHANGES = """\
# Changelog

## 1.1.0

- More.

## 1.0.0 (2026-11-29)

- It [reads](docs/vision.md) dice.

## 0.9.0 (2026-01-01)
"""


def test_notes_are_cut_from_the_changelog():
    said = make.notes(CHANGES, "1.0.0", is_signed=True)
    assert "- It reads dice." in said
    assert "More" not in said
    assert "0.9.0" not in said


def test_a_version_without_a_date_is_not_released():
    assert make.notes(CHANGES, "1.1.0", is_signed=True) == ""
    assert make.notes(CHANGES, "1.0", is_signed=True) == ""


def test_the_changelog_of_each_release_is_short():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## (\S+) \(", changelog, re.M)
    assert released
    for version in released:
        assert 0 < len(make.notes(changelog, version, is_signed=True).splitlines()) <= 150
