"""The service where nothing can be written but its data folder, as on a read-only card with a data partition."""

import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.service import running

ROOT = Path(__file__).parents[2]
SOON_S = 60.0  # a limit, never a pause
OWN_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
# One folder stays as it is; every other place on the disk of the checkout can then be read alone.
ALL_ELSE_READ_ONLY = """
mount --bind "$1" "$1"
findmnt --noheadings --list --output TARGET | tac | while read -r mount; do
  case $mount in "$1" | /proc* | /sys* | /dev*) ;; *) mount -o remount,bind,ro "$mount" || exit 1 ;; esac
done
cd /
folder=$1
shift
touch "$CHECKOUT/written" 2>/dev/null && exit 1
TMPDIR=$folder/tmp exec "$@"
"""
AS_READ_ONLY = """
import os, sys
arguments = [sys.executable, "-m", "companion", *sys.argv[2:]]
os.environ |= {"CHECKOUT": %(root)r, "PYTHONPATH": %(root)r}
os.execvp("unshare", [*%(own)r, %(script)r, "sh", sys.argv[1], *arguments])
"""
ROLL = {"event": {"kind": "Rolled", "dice": [1, 4]}, "event_id": "roll", "seen_seq": 0}


def can_mount():
    tools = all(map(shutil.which, ("unshare", "findmnt", "mount")))
    return tools and not subprocess.run((*OWN_MOUNTS, "mount -t tmpfs t /mnt"), capture_output=True).returncode


def token(data):
    """A host's ticket: from within its own mounts the service does not see which program asks."""
    command = [sys.executable, "-m", "companion", "token", "--data", str(data), "create", "host"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def reads_pictures(service):
    """Waits until the virtual camera's process reads: its networks, too, have loaded with nowhere to write."""
    until_s = time.monotonic() + SOON_S
    asked = urllib.request.Request(f"{service.url}/metrics", headers={"Authorization": f"Bearer {service.token}"})
    while time.monotonic() < until_s:
        with urllib.request.urlopen(asked, timeout=SOON_S) as answer:
            if "companion_camera_up 1" in answer.read().decode():
                return
        time.sleep(0.2)
    pytest.fail("the camera never came up")


@pytest.mark.skipif(not can_mount(), reason="no mounts of its own can be had here: read-only disks are not shown")
def test_it_plays_and_starts_again_where_only_its_data_folder_can_be_written(tmp_path):
    data, script = tmp_path / "data", tmp_path / "as_read_only.py"
    (tmp_path / "tmp").mkdir()
    script.write_text(AS_READ_ONLY % {"root": str(ROOT), "own": OWN_MOUNTS, "script": ALL_ELSE_READ_ONLY})
    program = (str(script), str(tmp_path))
    with running(data, "--demo", program=program) as service:
        service.token = token(data)
        game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]
        assert service.call(f"/api/sessions/{game}/events", ROLL)[0] == 200
        mounted = Path(f"/proc/{service.process.pid}/mountinfo").read_text().splitlines()
        (of_root,) = [line for line in mounted if line.split()[4] == "/"]
        assert "ro" in of_root.split()[5].split(",")
        reads_pictures(service)
        service.kill()
    with running(data, "--demo", program=program) as service:
        service.token = token(data)
        assert service.call(f"/api/sessions/{game}")[1]["seq"] == 1
        assert service.call(f"/api/sessions/{game}/undo", {"event_id": "undo", "seen_seq": 1})[0] == 200
