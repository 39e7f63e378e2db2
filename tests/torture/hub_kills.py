"""`make torture-hub`: kills a hub with -9 while tables upload; no game that it has taken is lost, none counts twice.

The tables send as real ones do: a letter goes again and again until the hub has answered it, and of every third game a
correction follows. Some kills hit the hub while it starts. The last line says `N kills, N lost, N twice`; the exit
status is 1 when anything was wrong. The moments of the kills are by the seed, the threads' timing is not.
"""

import contextlib
import http.client
import itertools
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import click

from companion.app.bench.rules import Played
from companion.clock import wall_us
from companion.errors import NotFound
from companion.games import GAMES
from companion.hub.record import HubRecord, Standing
from companion.letters.keys import TableKey
from tests.benches.hub import finished, game_of

ROOT = Path(__file__).parents[2]
TABLES = 4  # each sends on a thread of its own
GAME = "sack_stackers"
CORRECTED = 3  # of every third game an earlier state comes before the whole one
WHILE_STARTING = 0.1  # share of the kills that hit a hub while it starts
MOST_TAKEN = 8  # letters that a hub may answer before it is killed, however slow the machine is
LONGEST_S = 0.05
PATIENCE_S, BREATH_S, READY_S = 10.0, 0.01, 120.0
TAKEN = (http.client.OK, http.client.CREATED)


@dataclass
class Ledger:
    """What the hub has said, and what is wrong. Threads only add."""

    taken: dict[tuple[str, str], int] = field(default_factory=dict)  # (session, head) → status of the answer that came
    ports: dict[tuple[str, str], int] = field(default_factory=dict)  # likewise → the port that it came from
    sent_again: int = 0
    wrong: list[str] = field(default_factory=list)


class Sender(threading.Thread):
    """One table: it makes letters and sends each until it is answered, to one of the ports after the other."""

    def __init__(self, key: TableKey, name: str, ports: Sequence[int], ledger: Ledger) -> None:
        super().__init__(name=name, daemon=True)
        self._key, self._ledger = key, ledger
        self._ports = itertools.cycle(ports)
        self.ending = threading.Event()
        self.sent: list[str] = []

    def run(self) -> None:
        """Sends until the end, and then what it has begun."""
        before, number = None, 0
        while not self.ending.is_set():
            session, whole = f"{self.name}-{number}", game_of(GAME, number % 3)
            parts, begun_us = [whole], wall_us()
            if number % CORRECTED == 0:
                cut = len(whole.events) // 2
                parts.insert(0, Played(whole.events[:cut], whole.states[: cut + 1]))
            for part in parts:
                before, letter = finished(GAMES[GAME], part, session, self._key, before, begun_us)
                self._send(before.session, before.head, letter)
            self.sent.append(session)
            number += 1

    def _send(self, session: str, head: str, letter: bytes) -> None:
        for attempt in range(10**6):
            port = next(self._ports)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
            try:
                with contextlib.closing(connection):
                    connection.request("PUT", f"/v1/games/{session}/{head}", letter)
                    answer = connection.getresponse()
                    said = answer.read()
            except (OSError, http.client.HTTPException):
                self._ledger.sent_again += attempt == 0
                time.sleep(BREATH_S)
                continue
            if answer.status == http.client.SERVICE_UNAVAILABLE:
                time.sleep(BREATH_S)
                continue
            if answer.status in TAKEN:
                self._ledger.ports[session, head] = port
                self._ledger.taken[session, head] = answer.status
            else:
                self._ledger.wrong.append(f"{session}: {answer.status} {said.decode(errors='replace')}")
            return


class Nursery:
    """Hubs at one port, one after the other."""

    def __init__(self, folder: Path, port: int, database: str) -> None:
        command = [sys.executable, "-m", "tests.torture.nursery", str(folder), str(port), database]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def begin(self, *, wait: bool = True) -> int:
        """Begins a hub, and waits until it takes requests; returns its process id."""
        assert self._process.stdin
        self._process.stdin.write("\n")
        pid = int(self._line())
        if wait and self._line() != "ready":
            raise RuntimeError("the hub did not come up")
        return pid

    def kill(self, pid: int) -> None:
        """Kills it with -9, and waits until it is gone."""
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself: how it did is said below
            os.kill(pid, signal.SIGKILL)
        while not (line := self._line()).startswith("gone"):
            pass  # it may have said that it is ready just before
        if line != f"gone {-signal.SIGKILL}":
            raise RuntimeError(f"the hub ended by itself: {line}")

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the nursery has ended")
        return line.strip()

    def close(self) -> None:
        """Ends it; no hub runs any more."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(READY_S)
        self._process.stdout.close()


def torture(folder: Path, kills: int, seed: int, database: str = "") -> tuple[Counter[str], Ledger]:
    """Kills a hub so often while tables send; returns what was found, and what was said."""
    chance, ledger = Random(seed), Ledger()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keys = [TableKey(secrets.token_bytes(32)) for _number in range(TABLES)]
    with contextlib.closing(HubRecord(folder, database=database)) as record:
        for key in keys:
            code = record.new_code()
            record.enrol(code, key.public, key.sign(code.encode()), "")
    senders = [Sender(key, f"t{number}", [port], ledger) for number, key in enumerate(keys)]
    nursery = Nursery(folder, port, database)
    for sender in senders:
        sender.start()
    for _kill in range(kills):
        starts = chance.random() < WHILE_STARTING
        pid = nursery.begin(wait=not starts)
        due, end_s = len(ledger.taken) + chance.randrange(MOST_TAKEN), time.monotonic() + READY_S
        while not starts and len(ledger.taken) < due and time.monotonic() < end_s:
            time.sleep(BREATH_S)
        time.sleep(chance.random() * LONGEST_S)  # so that it falls anywhere in the next letters
        nursery.kill(pid)
    pid = nursery.begin()
    for sender in senders:
        sender.ending.set()
    for sender in senders:
        sender.join()
    nursery.kill(pid)
    nursery.close()
    with contextlib.closing(HubRecord(folder, database=database)) as record:
        found = judged(record, ledger, [session for sender in senders for session in sender.sent])
    return found, ledger


def judged(record: HubRecord, ledger: Ledger, sessions: list[str]) -> Counter[str]:
    """What is lost and what is there twice, by what the hub had said and by all that was sent."""
    kept: Counter[tuple[str, str]] = Counter()
    counting: Counter[str] = Counter()
    for session in sessions:
        with contextlib.suppress(NotFound):  # then it is lost, and counted as that below
            for letter in record.letters(session):
                kept[session, letter["head"]] += 1
                counting[session] += letter["standing"] == Standing.COUNTS
    season = Counter(game.session for game in record.league.games())
    found = Counter(
        games=len(sessions),
        letters=len(ledger.taken),
        known=sum(status == http.client.OK for status in ledger.taken.values()),
        lost=sum(one not in kept for one in ledger.taken) + sum(season[session] == 0 for session in sessions),
        twice=sum(count > 1 for counts in (kept, counting, season) for count in counts.values()),
        missing=sum(table["missing"] for table in record.tables()),
    )
    found["lost"] += found["missing"]
    return found


@click.command()
@click.option("--kills", default=200, show_default=True, help="How often the hub is killed.")
@click.option("--seed", default=1, show_default=True, help="Of the moments of the kills.")
@click.option("--database", default="", help="A PostgreSQL database without tables, in place of SQLite.")
def main(kills: int, seed: int, database: str) -> None:
    """Kills a hub while tables upload, and checks whether anything was lost or counts twice."""
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="torture-hub-") as folder:
        found, ledger = torture(Path(folder), kills, seed, database)
    for line in ledger.wrong[:40]:
        print(line)
    print(
        f"{time.monotonic() - began_s:.0f} s, {TABLES} tables: {found['games']} games in {found['letters']} letters, "
        f"{ledger.sent_again} sent again, {found['known']} of them known already, {len(ledger.wrong)} refused"
    )
    print(f"{kills} kills, {found['lost']} lost, {found['twice']} twice")
    sys.exit(1 if ledger.wrong or found["lost"] or found["twice"] or not found["games"] else 0)


if __name__ == "__main__":
    main()
