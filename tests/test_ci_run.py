"""`.ci/run` writes down the commit on which all of it has passed, and no other."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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


def run_with(make, checkout):
    """(exit status, content of build/ci-passed or "") after a run in which `make` does that."""
    programs = checkout.parent / "programs"
    programs.mkdir()
    (programs / "make").write_text(f"#!/bin/sh\n{make}\n")
    (programs / "make").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run([checkout / ".ci/run"], env={**OURS, "PATH": path}, capture_output=True)
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
