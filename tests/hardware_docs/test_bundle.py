"""A bundle: made here, installed into a folder in the place of /, killed anywhere, brought up to date, and taken off.

The bundles are small ones: stand-ins for the companion and for what it needs, as the wheels of a Pi do not run here.
What signs, checks, installs and removes them is the real thing, and so is pip. Systemd, users and apt are stand-ins.
"""

import base64
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from companion.journal.store import Journal
from hardware.tools import bundle
from hardware.tools.wheels import SYSTEMS

ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.base_prefix) / "bin" / "python3"
PIP = next(iter(Path(sys.base_prefix).glob("lib/python3*/ensurepip/_bundled/pip-*.whl")), None)
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"
KILLS = 4

pytestmark = [
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed: nothing can be signed"),
    pytest.mark.skipif(PIP is None, reason="this Python has no pip of its own to put into a bundle"),
]

COMPANION = {  # of every version alike: what the installer starts to see whether it runs, and `companion backup`
    "companion/__init__.py": "",
    "companion/errors.py": "class CompanionError(Exception):\n    pass\n",
    "companion/service/__init__.py": "",
    "companion/service/assembly.py": "import cv2, dice, numpy\n",
    "companion/journal/__init__.py": "",
    "companion/journal/data_folder.py": (
        "import sqlite3\nfrom companion.errors import CompanionError\nfrom companion.knows import NEWEST\n\n\n"
        "def version_of(path):\n"
        "    (number,) = sqlite3.connect(path).execute('PRAGMA user_version').fetchone()\n"
        "    if number > NEWEST:\n        raise CompanionError('It is newer.')\n"
    ),
    "companion/__main__.py": (
        "import sqlite3, sys\nfrom companion.knows import VERSION\n\n\ndef main():\n"
        "    if sys.argv[1] == 'backup':\n"
        "        with sqlite3.connect(sys.argv[4] + '/journal.sqlite3') as journal:\n"
        "            journal.backup(sqlite3.connect(sys.argv[5]))\n"
        "    elif sys.argv[1] == '--version':\n        print(VERSION)\n"
    ),
    "firmware/__init__.py": "",
    "firmware/box.py": "",
    "vision/__init__.py": "",
    "vision/process/__init__.py": "",
    "vision/process/main.py": "",
    "vision/watch/__init__.py": "",
    "vision/watch/lookout.py": "def warm_up():\n    pass\n",
    "web/__init__.py": "",
    "web/app.py": "",
}


def wheel(folder, name, version, files, command=""):
    """A wheel of these modules."""
    about = f"{name}-{version}.dist-info"
    files = dict(files)
    files[f"{about}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files[f"{about}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if command:
        files[f"{about}/entry_points.txt"] = f"[console_scripts]\n{command}\n"
    listed = [
        f"{path},sha256={base64.urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}"
        for path, text in files.items()
    ]
    files[f"{about}/RECORD"] = "\n".join([*listed, f"{about}/RECORD,,"]) + "\n"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
    return path


def make_key(folder, name):
    """A maker's private key."""
    key = folder / f"{name}.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
    return key


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return make_key(tmp_path_factory.mktemp("maker"), "maker")


def make_bundle(folder, key, version, starts=True, newest=99):
    """A small bundle of a version, unpacked and signed; its folder."""
    made = folder / f"table-companion-{version}"
    wheels, locks = made / "wheels", made / "locks" / TAG
    for each in (wheels, locks, made / "checkout"):
        each.mkdir(parents=True)
    shutil.copy(PIP, wheels)
    modules = COMPANION | {"companion/knows.py": f"VERSION = {version!r}\nNEWEST = {newest}\n"}
    if not starts:
        modules["web/app.py"] = "import something_that_is_not_there\n"
    parts = {
        "run": wheel(wheels, "dice", "1.0", {"dice.py": ""}),
        "numpy": wheel(wheels, "numpy", "1.0", {"numpy.py": ""}),
        "opencv": wheel(wheels, "opencv", "1.0", {"cv2.py": ""}),
        "companion": wheel(wheels, "table_companion", version, modules, "companion = companion.__main__:main"),
    }
    for part, path in parts.items():
        name, number = path.name.split("-")[:2]
        (locks / f"{part}.txt").write_text(f"{name}=={number} --hash=sha256:{bundle.digest(path)}\n")
    for name in ("README.md", "requirements-pi.lock", "hardware/table.example.toml"):
        (made / "checkout" / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, made / "checkout" / name)
    for name in ("install.sh", "uninstall.sh", "install"):
        shutil.copy(ROOT / "hardware" / name, made / "checkout" / "hardware" / name)
    shutil.copytree(ROOT / "hardware" / "systemd", made / "checkout" / "hardware" / "systemd")
    shutil.copy(ROOT / "hardware" / "install", made)
    described = {"version": version, "commit": "0123abcd", "made": "2026-11-27", "pythons": ["3.11"]}
    (made / "bundle.json").write_text(json.dumps(described))
    bundle.sign(made, key)
    return made


STAND_INS = {
    "apt-get": 'echo "apt-get $*" >>"$CALLS"; exit 1',
    "dpkg": "echo amd64",
    "dpkg-query": "exit 1",
    "getent": "exit 0",
    "groupadd": "exit 0",
    "id": "echo 0",
    "runuser": 'shift 3; exec "$@"',
    "sync": "exit 0",
    "systemctl": (
        'echo "systemctl $*" >>"$CALLS"; [ "$1" = restart ] && [ -e "$CALLS.refuse" ] || exit 0\n'
        '[ "$("$TABLE_COMPANION_ROOT/usr/local/bin/companion" --version)" != "$(cat "$CALLS.refuse")" ]'
    ),
    "useradd": "exit 0",
    "userdel": "exit 0",
    "usermod": "exit 0",
}


class Machine:
    """A machine in a folder, with a game of its own and stand-ins for what would change the real one."""

    def __init__(self, folder):
        self.root, self.tools = folder / "root", folder / "tools"
        self.games = self.root / "var/lib/table-companion"
        self.opt = self.root / "opt/table-companion"
        self.calls = folder / "calls"
        self.tools.mkdir()
        for path in (self.games, self.root / "usr/local/bin", self.root / "run/systemd/system"):
            path.mkdir(parents=True)
        for name, script in STAND_INS.items():  # no bash: what counts the installer's commands does not count theirs
            (self.tools / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.tools / name).chmod(0o755)
        journal = Journal(self.games / "journal.sqlite3")
        journal.set_setting("a game", "that was played")
        journal.close()
        self.before = self.digest()

    def digest(self):
        return sha256((self.games / "journal.sqlite3").read_bytes()).hexdigest()

    def run(self, *command, **more):
        """Runs a script; an index that is asked would not answer."""
        environment = os.environ | {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "TABLE_COMPANION_ROOT": str(self.root),
            "TABLE_COMPANION_PYTHON": str(PYTHON),
            "PIP_INDEX_URL": "http://127.0.0.1:9/nothing",
            "CALLS": str(self.calls),
        }
        return subprocess.run(
            [str(word) for word in command],
            env=environment | {name: str(value) for name, value in more.items()},
            capture_output=True, text=True, timeout=600, start_new_session=True,
        )  # fmt: skip

    def installs(self, *command):
        result = self.run(*command)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def version(self):
        """What starts now; the way there is the one that a person takes."""
        return self.installs(self.root / "usr/local/bin/companion", "--version").strip()

    def systemctl(self):
        return [line.removeprefix("systemctl ") for line in self.calls.read_text().splitlines()]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory, key):
    """Two versions, unpacked."""
    folder = tmp_path_factory.mktemp("bundles")
    return {version: make_bundle(folder, key, version) for version in ("1.0", "2.0")}


def test_it_is_installed_without_a_network_brought_up_to_date_gone_back_from_and_removed(machine, bundles, tmp_path):
    said = machine.installs(bundles["1.0"] / "install")
    assert re.search(r"signed by the key [0-9a-f]{16}\. Ask its maker", said)
    assert machine.version() == "1.0"
    assert "apt-get" not in machine.calls.read_text()
    (limit,) = machine.root.glob("etc/systemd/journald.conf.d/*.conf")
    assert "SystemMaxUse=64M" in limit.read_text()
    for unit in ("table-camera", "table-wifi", "table-companion"):
        assert f"restart {unit}" in machine.systemctl()
        installed = machine.root / f"etc/systemd/system/{unit}.service"
        assert installed.read_bytes() == (ROOT / f"hardware/systemd/{unit}.service").read_bytes()
    assert json.loads((machine.opt / "current/bundle.json").read_text())["version"] == "1.0"

    file = tmp_path / "2.0.tar"
    bundle.pack(bundles["2.0"], file, 0)
    other = make_bundle(tmp_path, make_key(tmp_path, "other"), "6.6")
    assert "is not signed by the key" in refused(machine, other)
    assert machine.run(other / "install", "--dry-run", "--new-maker").returncode == 0
    said = machine.installs(machine.opt / "current/install", file)
    assert "Ask its maker" not in said  # the key is known now
    assert machine.version() == "2.0"
    copy = sqlite3.connect(machine.games / "before-upgrade.sqlite3")
    assert copy.execute("SELECT value FROM settings WHERE name = 'a game'").fetchall()

    machine.installs(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert machine.version() == "1.0"
    machine.installs(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert machine.version() == "2.0"

    assert "The games are kept" in machine.installs(machine.opt / "current/uninstall.sh")
    assert not machine.opt.exists()
    assert not list((machine.root / "etc/systemd/system").iterdir())
    assert not limit.exists()
    assert machine.digest() == machine.before


def test_going_back_to_a_version_without_a_wifi_of_its_own_takes_its_helper_along(machine, bundles, key, tmp_path):
    before = make_bundle(tmp_path, key, "0.5")
    for name in ("checkout/hardware/systemd/table-wifi.service", "MANIFEST", "MANIFEST.sig"):
        (before / name).unlink()
    bundle.sign(before, key)
    machine.installs(before / "install")
    helper = machine.root / "etc/systemd/system/table-wifi.service"
    assert not helper.exists()
    machine.installs(bundles["2.0"] / "install")
    assert helper.exists()
    machine.installs(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert (machine.version(), helper.exists()) == ("0.5", False)
    assert machine.systemctl()[-6:].count("stop table-wifi") == 1
    machine.installs(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert (machine.version(), helper.exists()) == ("2.0", True)


def commands_of(machine, script, *arguments):
    """How many commands a script runs from start to end, as `killed` counts them."""
    count = machine.root / "count"
    counting = machine.root / "counting.sh"
    counting.write_text(f"set -T\ntrap 'COUNT=$((COUNT + 1)); echo $COUNT >{count}' DEBUG\n")
    assert machine.run("bash", script, *arguments, BASH_ENV=counting).returncode == 0
    return int(count.read_text())


def killed(machine, at, script, *arguments):
    """Kills a script with all that it has started before its command number `at`."""
    killing = machine.root / "killing.sh"
    killing.write_text("set -T\ntrap 'COUNT=$((COUNT + 1)); [ $COUNT != $KILL_AT ] || kill -9 0' DEBUG\n")
    assert machine.run("bash", script, *arguments, BASH_ENV=killing, KILL_AT=at).returncode != 0


def test_killed_anywhere_there_is_one_whole_version_and_every_game(machine, bundles):
    machine.installs(bundles["1.0"] / "install")
    script, now = bundles["1.0"] / "checkout/hardware/install.sh", "2.0"
    most = commands_of(machine, script, "--bundle", bundles[now])
    for at in sorted(random.Random(1).sample(range(2, most), KILLS)):
        other = "1.0" if now == "2.0" else "2.0"
        killed(machine, at, script, "--bundle", bundles[other])
        now = machine.version()
        assert now in ("1.0", "2.0"), at
        assert machine.digest() == machine.before
    machine.installs(script, "--bundle", bundles["2.0"])
    assert machine.version() == "2.0"


def test_removing_that_is_killed_anywhere_keeps_every_game_and_goes_on(machine):
    def install():  # no more than what is to be removed
        for name in ("opt/table-companion/a/venv/bin/companion", "etc/systemd/system/table-companion.service"):
            (machine.root / name).parent.mkdir(parents=True, exist_ok=True)
            (machine.root / name).touch()

    uninstall = ROOT / "hardware/uninstall.sh"
    install()
    for at in range(2, commands_of(machine, uninstall)):
        install()
        killed(machine, at, uninstall)
        assert machine.digest() == machine.before
    machine.installs(uninstall)
    assert not machine.opt.exists()
    assert machine.digest() == machine.before


def test_what_does_not_start_gives_way_to_the_version_before(machine, bundles, key, tmp_path):
    machine.installs(bundles["1.0"] / "install")
    result = machine.run(make_bundle(tmp_path, key, "3.0", starts=False) / "install")
    assert (result.returncode, "what was installed before goes on" in result.stderr) == (1, True)
    assert machine.version() == "1.0"
    result = machine.run(bundles["1.0"] / "checkout/hardware/install.sh", "--back")
    assert result.stderr == "There is no version before this one to go back to.\n"  # half a version is none

    refuse = Path(f"{machine.calls}.refuse")
    refuse.write_text("2.0")
    result = machine.run(bundles["2.0"] / "install")  # it starts, and its service does not
    assert (result.returncode, machine.version()) == (1, "1.0")
    assert "the one before is back" in result.stderr


def test_going_back_is_refused_where_the_games_are_newer(machine, bundles, key, tmp_path):
    machine.installs(make_bundle(tmp_path, key, "0.9", newest=0) / "install")
    machine.installs(bundles["2.0"] / "install")
    result = machine.run(bundles["2.0"] / "checkout/hardware/install.sh", "--back")
    assert (result.returncode, machine.version()) == (1, "2.0")
    assert "before-upgrade.sqlite3" in result.stderr


# what is not as its maker signed it


def refused(machine, folder, *options):
    """The one sentence that a bundle is refused with."""
    result = machine.run(folder / "install", "--dry-run", *options)
    assert (result.returncode, result.stderr.count("\n"), result.stdout) == (1, 1, "")
    return result.stderr


@pytest.fixture
def copy(bundles, tmp_path):
    return Path(shutil.copytree(bundles["1.0"], tmp_path / "copy"))


def test_a_bundle_that_is_as_it_was_signed_is_taken(machine, copy):
    assert machine.run(copy / "install", "--dry-run").returncode == 0


def test_a_file_that_was_changed_is_named(machine, copy):
    with (copy / "checkout/hardware/uninstall.sh").open("a") as file:
        file.write("# and something else\n")
    assert "./checkout/hardware/uninstall.sh" in refused(machine, copy)


def test_a_file_that_is_missing_or_came_along_is_refused(machine, copy):
    (copy / "wheels/more-1.0-py3-none-any.whl").touch()
    assert "did not sign" in refused(machine, copy)
    (copy / "wheels/more-1.0-py3-none-any.whl").unlink()
    (copy / "link").symlink_to("/etc/passwd")
    assert "did not sign" in refused(machine, copy)
    (copy / "link").unlink()
    (copy / "bundle.json").unlink()
    assert "Not every file" in refused(machine, copy)


def test_a_list_that_was_changed_is_no_longer_signed(machine, copy):
    with (copy / "MANIFEST").open("a") as file:
        file.write("\n")
    assert "signature is wrong" in refused(machine, copy)


def test_a_file_that_is_no_bundle_is_one_sentence(machine, tmp_path):
    (tmp_path / "letter.tar").write_text("Dear all")
    assert "cannot be unpacked" in refused(machine, ROOT / "hardware", tmp_path / "letter.tar")


# making one


def test_every_part_of_a_bundle_is_in_the_locks():
    for python in SYSTEMS:
        for part in bundle.PARTS:
            lines = bundle.entries(python, part)
            assert lines, (python, part)
            assert all("--hash=sha256:" in line for line in lines)


def test_the_same_files_make_the_same_bytes(bundles, tmp_path):
    for name in ("one.tar", "two.tar"):
        bundle.pack(bundles["1.0"], tmp_path / name, 1_700_000_000)
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()


def test_without_a_key_it_is_said_how_to_make_one(tmp_path):
    command = [sys.executable, "-m", "hardware.tools.bundle", str(tmp_path / "no.pem")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (result.returncode, "openssl genpkey -algorithm ed25519" in result.stderr) == (1, True)
