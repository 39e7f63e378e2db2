"""The service where nothing can be written but its data folder, as on a read-only card with a data partition."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service import running

ROOT = Path(__file__).parents[2]
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
ROLL = {"event": {"kind": "Rolled", "dice": [1, 4]}, "event_id": "roll", "seen_seq": None}


def can_mount():
    tools = all(map(shutil.which, ("unshare", "findmnt", "mount")))
    return tools and not subprocess.run((*OWN_MOUNTS, "mount -t tmpfs t /mnt"), capture_output=True).returncode


@pytest.mark.skipif(not can_mount(), reason="no mounts of its own can be had here: read-only disks are not shown")
def test_it_plays_and_starts_again_where_only_its_data_folder_can_be_written(tmp_path):
    data, script = tmp_path / "data", tmp_path / "as_read_only.py"
    (tmp_path / "tmp").mkdir()
    script.write_text(AS_READ_ONLY % {"root": str(ROOT), "own": OWN_MOUNTS, "script": ALL_ELSE_READ_ONLY})
    program = (str(script), str(tmp_path))
    with running(data, "--demo", program=program) as service:
        game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]
        assert service.call(f"/api/sessions/{game}/events", ROLL)[0] == 200
        mounted = Path(f"/proc/{service.process.pid}/mountinfo").read_text().splitlines()
        (of_root,) = [line for line in mounted if line.split()[4] == "/"]
        assert "ro" in of_root.split()[5].split(",")
        service.kill()
    with running(data, "--demo", program=program) as service:
        assert service.call(f"/api/sessions/{game}")[1]["seq"] == 1
        assert service.call(f"/api/sessions/{game}/undo", {"event_id": "undo", "seen_seq": 1})[0] == 200
