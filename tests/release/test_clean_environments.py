"""The wheel in environments of nothing else: it serves a table and a hall from there, by each Python that is here.

What people install is the newest that the index has, so that is tried, too; without an index nothing is shown.
"""

import contextlib
import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest

from hardware.tools import bundle
from web.api.openapi import API

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
PYTHONS = ("3.11", "3.12", "3.13")
OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "COMPANION_SEED")  # A clean environment knows none of these.
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


@functools.cache
def python_of(version):
    """The path of that Python, None where it is not on this machine: it is on the path, or pyenv has it."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}*/bin/python{version}")
    for place in (*sorted(kept), shutil.which(f"python{version}")):
        if place and subprocess.run([place, "-c", "import ensurepip, venv"], capture_output=True).returncode == 0:
            return str(place)
    return None


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return bundle.build_wheel(ROOT, tmp_path_factory.mktemp("wheel"), 1_795_000_000)


def run(*command, cwd, **environment):
    """A command that knows nothing of this checkout."""
    env = {name: value for name, value in os.environ.items() if name not in OURS} | environment
    return subprocess.run([*map(str, command)], cwd=cwd, env=env, capture_output=True, text=True, timeout=580)


def install(python, what, folder):
    """Installs into an environment; skips where the index cannot be reached."""
    installed = run(python, *PIP, "install", what, cwd=folder)
    if "No matching distribution" in installed.stderr or "Could not fetch" in installed.stderr:
        pytest.skip(f"the package index cannot be reached: {installed.stderr.strip().splitlines()[-1]}")
    assert installed.returncode == 0, installed.stderr


@contextlib.contextmanager
def served(*command, cwd):
    """The address of a service of an installed companion, which is ended after."""
    env = {name: value for name, value in os.environ.items() if name not in OURS}
    with subprocess.Popen(
        [*map(str, command)], cwd=cwd, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            said = []
            for line in process.stdout:
                said.append(line)
                if line.startswith("Ready at "):
                    break
            assert said[-1].startswith("Ready at "), "".join(said)
            yield said[-1].removeprefix("Ready at ").strip()
        finally:
            process.terminate()


def got(address, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read().decode()


@pytest.mark.parametrize("version", PYTHONS)
def test_a_clean_environment_serves_a_table_and_with_its_extra_a_hall(version, wheel, tmp_path):
    if not (newest := python_of(version)):
        pytest.skip(f"Python {version} is not on this machine")
    run(newest, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python, companion = (tmp_path / "venv/bin" / name for name in ("python", "companion"))
    install(python, wheel, tmp_path)
    assert run(companion, "--version", cwd=tmp_path).stdout == f"companion {VERSION}\n"
    where = run(python, "-c", "import companion, web; print(companion.__file__, web.__file__)", cwd=tmp_path).stdout
    assert [place for place in where.split() if not place.startswith(str(tmp_path / "venv"))] == []

    with served(companion, "run", "--demo", "--host", "127.0.0.1", "--port", 0, cwd=tmp_path) as address:
        begun = json.loads(got(f"{address}/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Ben"]}))
        assert "Ann" in got(f"{address}/s/{begun['id']}")
        assert "<title>" in got(f"{address}/table")
        assert json.loads(got(f"{address}/api/openapi.json"))["info"]["version"] == API
    assert (tmp_path / "instance/journal.sqlite3").is_file()

    assert run(companion, "init", cwd=tmp_path).returncode == 0
    assert run(companion, "wiring", "--table", "instance/table.toml", cwd=tmp_path).returncode == 0

    without = run(companion, "hub", "--port", 0, "--no-mqtt", cwd=tmp_path)
    assert without.returncode == 1
    assert f"{python} -m pip install 'table-companion[hub]'" in without.stderr
    assert len(without.stderr.strip().splitlines()) == 1
    install(python, f"{wheel}[hub,mqtt]", tmp_path)
    with served(companion, "hub", "--host", "127.0.0.1", "--port", 0, "--no-mqtt", "--demo", cwd=tmp_path) as address:
        assert "<title>" in got(f"{address}/healthz") or json.loads(got(f"{address}/healthz"))
    assert run(python, "-m", "pip", "check", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("tool", "settings"),
    [
        ("uv", {"UV_TOOL_DIR": "{here}/tools", "UV_TOOL_BIN_DIR": "{here}/bin", "UV_NO_CONFIG": "1"}),
        ("pipx", {"PIPX_HOME": "{here}/tools", "PIPX_BIN_DIR": "{here}/bin"}),
    ],
)
def test_installed_as_a_tool_the_command_is_there(tool, settings, wheel, tmp_path):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not on this machine")
    words = ("tool", "install") if tool == "uv" else ("install",)
    chosen = {name: value.format(here=tmp_path) for name, value in settings.items()}
    asked = ("--python", sys.executable)
    installed = run(tool, *words, *asked, wheel, cwd=tmp_path, **chosen)
    assert installed.returncode == 0, installed.stderr
    companion = tmp_path / "bin/companion"
    assert run(companion, "--version", cwd=tmp_path).stdout == f"companion {VERSION}\n"
    with served(companion, "run", "--camera", "none", "--host", "127.0.0.1", "--port", 0, cwd=tmp_path) as address:
        assert "<title>" in got(address)

    (said,) = run(companion, "hub", "--port", 0, "--no-mqtt", cwd=tmp_path).stderr.strip().splitlines()
    command = shlex.split(said.partition("Install them with ")[2])
    command[0] = shutil.which(command[0])  # The tool that a person has is the one on this machine.
    assert run(*command, cwd=tmp_path, **chosen).returncode == 0
    with served(companion, "hub", "--host", "127.0.0.1", "--port", 0, "--no-mqtt", "--demo", cwd=tmp_path) as address:
        assert got(f"{address}/healthz")
