"""`.ci/run` writes down the commit on which all of it has passed, and no other."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.arm import __main__ as arm
from tests.hardware import __main__ as hardware
from tests.picamera import __main__ as picamera

ROOT = Path(__file__).parents[1]
GIT = ("git", "-c", "user.name=ci", "-c", "user.email=ci@localhost", "-c", "commit.gpgsign=false")
OURS = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}  # not a hook's


@pytest.fixture
def checkout(tmp_path):
    """A repository of one commit that holds `.ci/run`."""
    shutil.copytree(ROOT / ".ci", tmp_path / "project/.ci")
    (tmp_path / "project/.gitignore").write_text("build/\n")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "all"]):
        subprocess.run([*GIT, *command], cwd=tmp_path / "project", env=OURS, check=True)
    return tmp_path / "project"


def ran_with(make, checkout):
    """What `.ci/run` came to where `make` does that."""
    programs = checkout.parent / "programs"
    programs.mkdir()
    (programs / "make").write_text(f"#!/bin/sh\n{make}\n")
    (programs / "make").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run([checkout / ".ci/run"], env={**OURS, "PATH": path}, capture_output=True, text=True)


def run_with(make, checkout):
    """(exit status, content of build/ci-passed or "") after a run in which `make` does that."""
    ran = ran_with(make, checkout)
    passed = checkout / "build/ci-passed"
    return ran.returncode, passed.read_text().strip() if passed.exists() else ""


def newest(checkout):
    return subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=checkout, env=OURS, text=True).strip()


def test_the_commit_that_passed_is_written_down(checkout):
    assert run_with("exit 0", checkout) == (0, newest(checkout))


@pytest.mark.parametrize("target", ["test", "lint", "audit"])
def test_none_is_written_down_when_a_part_fails(checkout, target):
    assert run_with(f'[ "$1" != {target} ]', checkout) == (1, "")


def test_none_is_written_down_where_the_emulated_machine_fails(checkout):
    assert run_with('[ "$1" != test-gpio ]', checkout) == (0, "")


@pytest.mark.parametrize("commit", ["", "git -c user.name=ci -c user.email=ci@localhost commit --quiet -am later"])
def test_none_is_written_down_when_files_were_changed_meanwhile(checkout, commit):
    change = f'[ "$1" != lint ] || {{ echo "# later" >>.gitignore; {commit or "true"}; }}'
    assert run_with(change, checkout) == (0, "")


@pytest.mark.parametrize("target", ["audit", "test-gpio"])
@pytest.mark.parametrize("ends", ["exit 77", "echo 'make: *** [Makefile:7: it] Fehler 77'; exit 2"])
def test_what_showed_nothing_is_said_in_the_last_lines_and_fails_nothing(checkout, target, ends):
    ran = ran_with(f'[ "$1" != {target} ] || {{ echo "Skipped: why."; {ends}; }}', checkout)
    last = ran.stdout.splitlines()[-2:]
    assert ran.returncode == 0
    assert f"{target} showed nothing" in last
    assert sum(line.endswith("passed") for line in last) == 1
    assert "Skipped: why." in ran.stdout


@pytest.mark.parametrize("target", ["audit", "test-gpio"])
def test_what_failed_is_said_in_the_last_lines(checkout, target):
    ran = ran_with(f'[ "$1" != {target} ] || {{ echo "make: *** Error 1"; exit 2; }}', checkout)
    assert f"{target} FAILED" in ran.stdout.splitlines()[-2:]


def test_an_audit_without_its_tools_shows_nothing(checkout):
    ran = subprocess.run([checkout / ".ci/audit"], env={**OURS, "PYTHON": "false"}, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.startswith("SKIPPED: ")) == (77, True)


@pytest.mark.parametrize("laboratory", [hardware, arm, picamera])
def test_a_laboratory_that_cannot_be_had_shows_nothing(laboratory, capsys):
    assert laboratory.skipped("there is none") == 77
    assert "there is none" in capsys.readouterr().out
