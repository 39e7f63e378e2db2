"""Small bundles, and a machine in a folder that they are installed into.

They are stand-ins for the companion and for what it needs, as the wheels of a Pi do not run here. What signs, checks,
installs and removes them is the real thing, and so is pip. Systemd, users and apt are stand-ins.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from companion.journal.store import Journal
from hardware.tools import bundle

ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.base_prefix) / "bin" / "python3"
PIP = next(iter(Path(sys.base_prefix).glob("lib/python3*/ensurepip/_bundled/pip-*.whl")), None)
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"

CAN_BE_MADE = [
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed: nothing can be signed"),
    pytest.mark.skipif(PIP is None, reason="this Python has no pip of its own to put into a bundle"),
]

COMPANION = {  # of every version alike: what the installer starts to see whether it runs, and `companion backup`
    "companion/__init__.py": "",
    "companion/errors.py": "class CompanionError(Exception):\n    pass\n",
    "companion/app/service/__init__.py": "",
    "companion/app/service/assembly.py": "import cv2, dice, numpy\n",
    "companion/journal/__init__.py": "",
    "companion/journal/data_folder.py": (
        "import sqlite3\nfrom companion.errors import CompanionError\nfrom companion.knows import NEWEST\n\n\n"
        "def version_of(path):\n"
        "    (number,) = sqlite3.connect(path).execute('PRAGMA user_version').fetchone()\n"
        "    if number > NEWEST:\n        raise CompanionError('It is newer.')\n"
    ),
    "companion/__main__.py": (
        "import os, sqlite3, sys\nfrom companion.knows import VERSION\n\n\ndef main():\n"
        "    if sys.argv[1] == 'backup':\n"
        "        with sqlite3.connect(sys.argv[4] + '/journal.sqlite3') as journal:\n"
        "            journal.backup(sqlite3.connect(sys.argv[5]))\n"
        "    elif sys.argv[1] == 'wiring':\n"
        "        if 'nonsense' in open(sys.argv[3]).read():\n            sys.exit('There is an unknown key.')\n"
        "    elif sys.argv[1] == '--version':\n        print(VERSION)\n"
        "    elif sys.argv[-1] == '--first' and not os.path.exists(sys.argv[3] + '/has-a-pin'):\n"
        "        open(sys.argv[3] + '/has-a-pin', 'x').close()\n        print('4711')\n"
    ),
    "companion/journal/store.py": (
        "class Journal:\n    def __init__(self, path):\n        open(path, 'x').close()\n\n"
        "    def close(self):\n        pass\n"
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


def make_bundle(folder, key, version, starts=True, newest=99, number=None):
    """A small bundle of a version, unpacked and signed; its folder. Without a number it is as they were before."""
    made = folder / f"table-companion-{version}"
    wheels, locks = made / "wheels", made / "locks" / TAG
    for each in (wheels, locks, made / "checkout/hardware"):
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
        name, release = path.name.split("-")[:2]
        (locks / f"{part}.txt").write_text(f"{name}=={release} --hash=sha256:{bundle.digest(path)}\n")
    for name in ("README.md", "requirements-pi.lock", "firmware/table.example.toml"):
        (made / "checkout" / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, made / "checkout" / name)
    for name in ("install.sh", "uninstall.sh", "install", "put-on-card"):
        shutil.copy(ROOT / "hardware" / name, made / "checkout" / "hardware" / name)
    for name in ("systemd", "card"):
        shutil.copytree(ROOT / "hardware" / name, made / "checkout" / "hardware" / name)
    for name in bundle.AT_THE_TOP:
        shutil.copy(ROOT / "hardware" / name, made)
    described = {"version": version, "commit": "0123abcd", "made": "2026-11-27", "pythons": ["3.11"]}
    if number is not None:
        described["number"] = number
    (made / "bundle.json").write_text(json.dumps(described))
    bundle.sign(made, key)
    return made


STAND_INS = {
    "apt-get": 'echo "apt-get $*" >>"$CALLS"; exit 1',
    "chown": 'echo "chown $*" >>"$CALLS"',
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
