"""What of `make test-arm` can be tried without its emulated machine; the whole takes most of an hour, outside CI."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.arm import __main__ as arm
from tests.arm import guest, machine

ROOT = Path(__file__).parents[1]


def program(path: Path, script: str) -> Path:
    """A program that stands for another one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_each_part_that_is_offered_runs_in_the_machine() -> None:
    assert tuple(guest.PARTS) == arm.PARTS


def test_each_part_that_a_document_names_is_there() -> None:
    documents = [
        ROOT / "Makefile",
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "hardware").glob("*.md"),
    ]
    named = {
        part
        for document in documents
        for parts in re.findall(r'make test-arm PARTS="?([a-z_ ]+)', document.read_text())
        for part in parts.split()
    }
    assert named, "no document says how to try one part alone"
    assert named <= set(arm.PARTS)


def test_a_kind_that_cannot_be_read_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin" / "companion", '[ "$2" = dice ] && echo "[]" || { echo "No scene." >&2; exit 3; }')
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "words.json").write_text(json.dumps({"dice": ["a.jpg"], "card": ["b.png"]}))
    monkeypatch.setattr(guest, "VENV", tmp_path / "bin")
    monkeypatch.setattr(guest, "CHECKS", tmp_path)
    monkeypatch.setattr(guest, "REPORT", tmp_path)
    found = guest.readings()
    assert not found["ok"]
    assert found["status"] == {"card": 3}
    assert (tmp_path / "readings.log").read_text() == "No scene.\n"


@pytest.mark.parametrize("broken", ["/run/report", "/checks"])
def test_a_folder_that_cannot_be_mounted_ends_the_checks_and_is_named(tmp_path: Path, broken: str) -> None:
    program(tmp_path / "mkdir", "exit 0")
    program(tmp_path / "mount", f'case "$*" in *" {broken}") exit 32 ;; esac')
    program(tmp_path / "python3", "echo it began; exit 0")
    path = f"{tmp_path}:{os.environ['PATH']}"
    script = machine.HERE / "arm-tests.sh"
    done = subprocess.run(["bash", script], env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "cannot be mounted, so nothing was checked." in done.stdout
    assert "began" not in done.stdout


def test_the_machine_goes_off_however_its_checks_ended() -> None:
    unit = (machine.HERE / "arm-tests.service").read_text()
    assert {"SuccessAction=poweroff-immediate", "FailureAction=poweroff-immediate"} <= set(unit.splitlines())
    # A unit that waits for a mount never begins where the mount fails, and never ends either: the script mounts.
    assert "Requires" not in unit


def test_a_part_that_did_not_report_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert not arm.told("install", None)
    assert capsys.readouterr().out == "  install     did not report\n"


def test_the_consoles_last_lines_are_told_without_its_colours(tmp_path: Path) -> None:
    console = tmp_path / "console.log"
    lines = [f"\x1b[[0;32m  OK  \x1b[0m Started part {number}.\r" for number in range(50)]
    console.write_text("\n".join(["\x1b[!p\x1b]104\x07\x1b[?7h", *lines, "", "  "]))
    said = arm.last_lines(console)
    assert len(said) == arm.LAST_LINES
    assert said[-1].endswith("Started part 49.")
    assert not any("\x1b" in line for line in said)
    assert arm.last_lines(tmp_path / "none") == []
