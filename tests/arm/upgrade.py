"""In the emulated ARM machine: the version before, games that are played while it is brought up to date, the way back.

What the service has acknowledged is written into MARKS at once and through to the disk. So whoever reads the log of the
disk's writes, as `tests.arm.power` does, knows at each of them what was promised by then.
"""

import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any, Self

HOME = Path("/opt/table-companion")
DATA = Path("/var/lib/table-companion")
USER = "table-companion"
MARKS = Path("/marks")
URL = "http://localhost"
SOON_S = 600.0  # a limit, never a pause
PAUSE_S = 3.0  # between two turns: as people play, and so that the installer has a processor
GONE = (OSError, HTTPException, json.JSONDecodeError)  # of a request to a service that is being replaced


def mark(text: str) -> None:
    """Writes through to the disk what is true by now."""
    file = os.open(MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_DSYNC, 0o644)
    try:
        os.write(file, f"MARK {text}\n".encode())
    finally:
        os.close(file)


def commit() -> str:
    """The commit of the version in use."""
    return str(json.loads((HOME / "current" / "bundle.json").read_text())["commit"])


class Players:
    """Two at the table, who play on whatever is installed meanwhile. Opened with `with`.

    acknowledged    the ids of the game and of every entry that the service has answered for
    trouble         what a turn was refused with, "" as long as none was
    """

    def __init__(self, game: str) -> None:
        command = ["runuser", "-u", USER, "--", HOME / "current/venv/bin/companion", "token", "--data", DATA]
        made = subprocess.run([*command, "create", "host"], capture_output=True, text=True, check=True, timeout=SOON_S)
        self._ticket = made.stdout.strip()
        self._game = game
        self._turn = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._play_on)
        self.acknowledged: list[str] = []
        self.trouble = ""

    def begin(self) -> None:
        """Begins the game, with a first turn."""
        self._say("/api/sessions", {"game": "sack_stackers", "players": ["Ann"], "session_id": self._game}, self._game)
        self.play()

    def play(self) -> None:
        """One more turn, which is taken back: it is asked for again until it is answered."""
        name = f"{self._game}-{self._turn}"
        rolled = {"event_id": f"{name}-r", "seen_seq": 2 * self._turn, "event": {"kind": "Rolled", "dice": [1, 4]}}
        self._say(f"/api/sessions/{self._game}/events", rolled, f"{name}-r")
        undone = {"event_id": f"{name}-u", "seen_seq": 2 * self._turn + 1}
        self._say(f"/api/sessions/{self._game}/undo", undone, f"{name}-u")
        self._turn += 1

    def lost(self) -> int:
        """How many acknowledged entries the service does not have any more."""
        asked = urllib.request.Request(f"{URL}/api/sessions/{self._game}/export", headers=self._headers())
        with urllib.request.urlopen(asked, timeout=SOON_S) as answer:
            there = {json.loads(line).get("id") for line in answer.read().decode().splitlines()} | {self._game}
        return len(set(self.acknowledged) - there)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _play_on(self) -> None:
        try:
            while not self._ended.wait(PAUSE_S):
                self.play()
        except (urllib.error.HTTPError, TimeoutError) as error:
            self.trouble = str(error)

    def _headers(self) -> dict[str, str]:
        return {"Content-Type": "application/json", "Authorization": f"Bearer {self._ticket}"}

    def _say(self, path: str, body: Any, name: str) -> None:
        """Posts until it is answered; raises HTTPError when it is refused, TimeoutError when nobody answers."""
        until_s = time.monotonic() + SOON_S
        while time.monotonic() < until_s:
            request = urllib.request.Request(URL + path, json.dumps(body).encode(), self._headers())
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    answer.read()
            except urllib.error.HTTPError as refusal:
                if refusal.code < 500:
                    raise
            except GONE:
                pass
            else:
                self.acknowledged.append(name)
                return mark(name)
            time.sleep(0.5)
        raise TimeoutError(f"nobody answered {path}")
