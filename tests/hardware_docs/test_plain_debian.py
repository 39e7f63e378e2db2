"""A Pi with plain Debian: what its system lacks comes along, or is said in one sentence; nothing stops for it.

Debian has neither lgpio nor picamera2, and PyPI has no lgpio for Debian 13's Python.
"""

import os
import re
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from hardware.tools import lgpio_wheel

ROOT = Path(__file__).parents[2]
WHEEL = next((ROOT / "hardware" / "wheels").glob("*.whl"))
NO_RIBBON = "This system has no python3-picamera2, so a camera on a ribbon cable cannot be used"
EM_AARCH64 = 183  # elf(5), e_machine


# what the distribution lacks


@pytest.fixture
def system(tmp_path):
    """Makes a folder of stand-ins for apt and dpkg: (what is installed, what can be had) → its path."""

    def make(installed=(), to_be_had=()):
        there, offered = f'" {" ".join(installed)} "', f'" {" ".join(to_be_had)} "'
        for name, script in {
            "dpkg": "echo arm64",
            "dpkg-query": f'case {there} in *" ${{!#}} "*) echo "install ok installed" ;; *) exit 1 ;; esac',
            "apt-cache": f'case {offered} in *" $2 "*) ;; *) exit 100 ;; esac',
            "apt-get": f'echo "$@" >>{tmp_path}/asked-for',
        }.items():
            (tmp_path / name).write_text(f"#!/bin/bash\n{script}\n")
            (tmp_path / name).chmod(0o755)
        return {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    return make


def asked_for(tmp_path):
    path = tmp_path / "asked-for"
    return re.findall(r"python3-\S+", path.read_text()) if path.exists() else []


def make_says(environment):
    result = subprocess.run(
        ["make", "-s", "packages-of-a-pi"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_make_goes_on_without_what_debian_has_not(system, tmp_path):
    said = make_says(system())
    assert (said.startswith(NO_RIBBON), said.count("\n"), asked_for(tmp_path)) == (True, 1, [])


@pytest.mark.skipif(os.geteuid() != 0, reason="installing packages asks for root before it asks apt")
def test_make_takes_from_raspberry_pi_os_what_it_has(system, tmp_path):
    make_says(system(to_be_had=("python3-lgpio", "python3-picamera2")))
    assert asked_for(tmp_path) == ["python3-lgpio", "python3-picamera2"]


def test_make_says_nothing_where_all_is_there(system, tmp_path):
    assert (make_says(system(installed=("python3-lgpio", "python3-picamera2"))), asked_for(tmp_path)) == ("", [])


def installer_says(environment):
    result = subprocess.run(
        ["bash", str(ROOT / "hardware/install.sh"), "--dry-run"],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_the_installer_goes_on_and_says_which_cameras_can_be_used(system):
    said = installer_says(system())
    assert said.count(NO_RIBBON) == 1
    (way_out,) = [line for line in said.splitlines() if "python3-picamera2" in line and NO_RIBBON not in line]
    assert "take the full Raspberry Pi OS" in way_out
    assert "sudo apt install python3-picamera2 python3-opencv, then install again" in way_out
    assert "would" not in way_out
    assert "Nothing was changed." in said
    of_a_pi = ("python3-lgpio", "python3-picamera2")
    assert "python3-picamera2" not in installer_says(system(installed=of_a_pi))
    assert "install -qq -y --no-install-recommends python3-venv python3-numpy python3-opencv python3-lgpio" in (
        installer_says(system(to_be_had=of_a_pi))
    )


# lgpio's wheel


def test_the_wheel_is_the_one_of_the_lock():
    assert re.findall("--hash=sha256:(.*)", (ROOT / "requirements-pi.lock").read_text()) == [
        sha256(WHEEL.read_bytes()).hexdigest()
    ]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_pip_takes_the_wheel_on_a_pi_and_nothing_from_elsewhere(tmp_path, python):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-index", "--find-links", str(ROOT / "hardware/wheels"), "--only-binary", ":all:"]
    command += ["--platform", "manylinux_2_31_aarch64", "--python-version", python, "--require-hashes"]
    subprocess.run([*command, "-r", str(ROOT / "requirements-pi.lock"), "-d", str(tmp_path)], check=True, timeout=300)
    assert [path.name for path in tmp_path.iterdir()] == [WHEEL.name]


def test_what_is_in_the_wheel_runs_on_a_64_bit_pi_with_an_old_system():
    with zipfile.ZipFile(WHEEL) as archive:
        library = archive.read("_lgpio.abi3.so")
        assert "licenses/LICENSE" in " ".join(archive.namelist())
    assert library[:5] == b"\x7fELF\x02"
    assert int.from_bytes(library[18:20], "little") == EM_AARCH64
    wanted = {tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)\0", library)}
    assert max(wanted) <= tuple(map(int, lgpio_wheel.OLDEST_GLIBC.split(".")))


def test_the_source_is_the_one_that_the_lock_names():
    pins = dict(re.findall(r"^(\w+)==\S+ --hash=sha256:(\w{64})$", lgpio_wheel.MADE_WITH.read_text(), re.M))
    assert pins.keys() == {"lgpio", "swig", "ziglang"}
    assert pins["lgpio"] in (ROOT / "requirements-run.lock").read_text()


def test_a_wheel_has_the_same_bytes_whenever_it_is_packed(tmp_path):
    for name in ("built", "source"):
        (tmp_path / name).mkdir()
    for name in ("built/_lgpio.abi3.so", "built/lgpio.py", "source/PKG-INFO", "source/LICENSE"):
        (tmp_path / name).write_text(name)
    packed = [
        lgpio_wheel.pack(tmp_path / name, "cp311-abi3-any", tmp_path / "built", tmp_path / "source").read_bytes()
        for name in ("one.whl", "two.whl")
    ]
    assert packed[0] == packed[1]


@pytest.mark.parametrize(("there", "comes"), [(True, False), (False, True)])
def test_the_installer_adds_lgpio_only_where_the_system_has_none(system, tmp_path, there, comes):
    slot = tmp_path / "slot"
    (slot / "venv/bin").mkdir(parents=True)
    python = slot / "venv/bin/python"  # it has lgpio or has not, and tells what pip is asked for
    python.write_text(f'#!/bin/bash\n[ "$1" != -c ] || exit {int(not there)}\necho "$@" >>{tmp_path}/pip\n')
    python.chmod(0o755)
    text = (ROOT / "hardware/install.sh").read_text()
    add_lgpio = re.search(r"^add_lgpio\(\).*?^}$", text, re.DOTALL | re.MULTILINE).group()
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f'{add_lgpio}\nadd_lgpio "{slot}"'],
        env={**system(), "SOURCE": str(ROOT), "SCRATCH": str(tmp_path), "BUNDLE": ""},
        check=True,
    )
    asked = (tmp_path / "pip").read_text() if (tmp_path / "pip").exists() else ""
    assert ("--no-index" in asked and "--require-hashes -r" in asked and "requirements-pi.lock" in asked) is comes


# the machine that only pretends to be a Pi


def test_pretending_to_be_a_pi_keeps_the_lines_of_the_processors():
    text = (ROOT / "tests/hardware/machine/guest.sh").read_text()
    like_a_pi = re.search(r"^like_a_pi\(\).*?^}$", text, re.DOTALL | re.MULTILINE).group()
    assert "like_a_pi </proc/cpuinfo >/run/cpuinfo" in text
    processors = "processor\t: 0\nmodel name\t: any\n\nprocessor\t: 1\nmodel name\t: any\n\n"
    said = subprocess.run(
        ["bash", "-euc", f"PI_4B=c03115\n{like_a_pi}\nlike_a_pi"], input=processors, capture_output=True, text=True
    ).stdout
    assert said.startswith(processors)
    assert re.search(r"^Revision\t: c03115$", said[len(processors) :], re.M)
