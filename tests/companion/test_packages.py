"""What is missing is named with the one command that brings it, by what the environment has: locks, pip, uv or apt."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion import packages
from companion.errors import BadInput
from companion.packages import FAST, HEIC, HUB, MQTT, PI, POSTGRESQL, SOLVER, check_packages, install_command

ROOT = Path(__file__).parents[2]
OF_A_CHECKOUT = {"dev", "train", "trace"}


def test_the_readme_says_what_each_extra_is_for():
    (installing,) = re.findall(r"^Or from a wheel.*?^!\[", (ROOT / "README.md").read_text(), re.M | re.S)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {extra for extra in set(extras) - OF_A_CHECKOUT if f"`{extra}` " not in installing} == set()
    (named,) = re.findall(r"\.whl[^)]*\)\[([\w,]+)\]", installing)
    assert set(named.split(",")) <= set(extras)


def test_the_commands_of_the_readme_take_one_wheel_the_newest_where_two_versions_lie(tmp_path):
    for number, version in enumerate(("1.0.0", "1.10.0", "1.9.0")):
        wheel = tmp_path / "dist" / version / f"table_companion-{version}-py3-none-any.whl"
        wheel.parent.mkdir(parents=True)
        wheel.touch()
        os.utime(wheel, (number, number))
    commands = re.findall(r'pipx (install "[^`\n]*?whl[^`\n]*?")', (ROOT / "README.md").read_text())
    for command, extras in zip(commands, ("", "[hub,heic]"), strict=True):
        shell = f'pipx() {{ printf "%s\\n" "$@"; }}; pipx {command}'
        told = subprocess.run(["sh", "-c", shell], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        assert told.splitlines() == ["install", f"dist/1.9.0/table_companion-1.9.0-py3-none-any.whl{extras}"]


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """An environment without a checkout: `environment(pip=False)` has no pip."""
    monkeypatch.setattr(packages, "CHECKOUT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))

    def made(*, pip=True, lets_system_in=False, python=(3, 12)):
        finder = SimpleNamespace(find_spec=lambda name: name if pip else None)
        monkeypatch.setattr(packages, "PathFinder", finder)
        (tmp_path / "pyvenv.cfg").write_text(f"include-system-site-packages = {str(lets_system_in).lower()}\n")
        monkeypatch.setattr(sys, "version_info", python)

    return made


@pytest.mark.parametrize("extra", [HUB, MQTT, POSTGRESQL, HEIC, PI, FAST, SOLVER])
def test_an_extra_is_installed_by_pip_and_by_uv_where_there_is_no_pip(environment, extra):
    environment()
    assert install_command(extra) == f"{sys.executable} -m pip install 'table-companion[{extra}]'"
    environment(pip=False)  # as `uv tool install` leaves it
    assert install_command(extra) == f"uv pip install --python {sys.executable} 'table-companion[{extra}]'"


@pytest.mark.parametrize(
    ("settings", "python"), [({"lets_system_in": True}, (3, 11)), ({}, (3, 13)), ({"pip": False}, (3, 14))]
)
def test_the_pins_come_from_the_system_where_it_is_let_in_and_where_pypi_has_no_wheel(environment, settings, python):
    environment(python=python, **settings)
    assert install_command(PI) == "sudo apt-get install python3-lgpio"


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (HUB, "--no-deps --require-hashes -r {here}/requirements-hub.lock"),
        (FAST, "--no-deps --require-hashes -r {here}/requirements-fast.lock"),
        (SOLVER, "--no-deps --require-hashes -r {here}/requirements-solver.lock"),
        (PI, "--find-links {here}/hardware/wheels --no-deps --require-hashes -r {here}/requirements-pi.lock"),
    ],
)
def test_in_a_checkout_only_what_is_locked_is_installed(extra, words):
    assert install_command(extra).endswith(words.format(here=packages.CHECKOUT))
    assert (packages.CHECKOUT / "hardware/wheels").is_dir()


def test_the_sentence_ends_with_the_command(environment):
    environment()
    with pytest.raises(BadInput) as refused:
        check_packages("sys", "no_such_package")
    command = f"{sys.executable} -m pip install 'table-companion[hub]'"
    assert str(refused.value) == f"A hub needs more packages (no_such_package). Install them with {command}"
