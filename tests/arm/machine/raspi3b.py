"""In the emulated Pi 3B: brings the installed service's box to one look after the other.

It names each on the serial line, and goes on when a line comes from there.
"""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

UNIT, USER = "table-companion", "table-companion"
COMPANION = Path("/opt/table-companion/current/venv/bin/companion")
DATA = Path("/var/lib/table-companion")
SOON_S = 900.0  # a limit, never a pause


def say(what: str) -> None:
    """A line of its own, whatever the kernel says meanwhile."""
    print(f"\nraspi3b: {what}", flush=True)


def wait_at(moment: str) -> None:
    """Names the moment, until those outside have seen it."""
    say(moment)
    sys.stdin.readline()


def call(ticket: str, path: str, body: Any = None) -> Any:
    """What the service answers its host."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {ticket}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://localhost{path}", data, headers)
    with urllib.request.urlopen(request, timeout=SOON_S) as answer:
        return json.loads(answer.read())


def main() -> None:
    revision = Path("/proc/device-tree/system/linux,revision").read_bytes().hex()
    say(f"{Path('/proc/device-tree/model').read_text().rstrip(chr(0))}, revision {revision}")
    subprocess.run(["systemctl", "start", UNIT], check=True, timeout=SOON_S)  # returns when it has said it is ready
    wait_at("started")
    command = ["runuser", "-u", USER, "--", str(COMPANION), "token", "--data", str(DATA), "create", "host"]
    ticket = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SOON_S).stdout.strip()
    game = call(ticket, "/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})["id"]
    ann, bob = (player["id"] for player in call(ticket, f"/api/sessions/{game}")["players"])

    def enter(**event: Any) -> None:
        seq = call(ticket, f"/api/sessions/{game}")["seq"]
        call(ticket, f"/api/sessions/{game}/events", {"event_id": f"light-{seq:04}", "seen_seq": seq, "event": event})

    enter(kind="Readied", player=ann)
    wait_at("one is ready")
    enter(kind="Readied", player=bob)
    enter(kind="Started", at_us=-1)
    until_us = call(ticket, "/api/clock")["now_us"] + 4_000_000  # the countdown has three seconds
    while call(ticket, "/api/clock")["now_us"] < until_us:
        time.sleep(0.2)
    wait_at("running")
    subprocess.run(["systemctl", "stop", UNIT], check=True, timeout=SOON_S)
    wait_at("stopped")


try:
    main()
except (OSError, subprocess.SubprocessError, urllib.error.HTTPError) as error:
    print(error, flush=True)
    subprocess.run(["journalctl", "--no-pager", "-u", UNIT, "-n", "60"])
    say("failed")
