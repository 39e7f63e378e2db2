"""`make torture-hub`: kills a hub with -9 while tables upload; no game that it has taken is lost, none counts twice.

The tables send as real ones do: a letter goes again and again until the hub has answered it, and of every third game a
correction follows. Some kills hit the hub while it starts. The last line says `N kills, N lost, N twice`; the exit
status is 1 when anything was wrong. The moments of the kills are by the seed, the threads' timing is not.
"""

import contextlib
import http.client
import itertools
import secrets
import signal
import socket
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

from companion.app.bench.rules import RandomGame
from companion.app.hall.simulated import finished_letter
from companion.changes import Live
from companion.clock import wall_us
from companion.errors import NotFound
from companion.hub.database import Standing
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.letters.keys import Key
from companion.shelf import GAMES
from tests.benches.hub import game_of
from tests.nursery import Nursling, nursery
from web.hub.app import create_hub
from web.hub.here import Hub
from web.live.streams import Streams
from web.serving.connections import Connections
from web.serving.front import Front
from web.serving.server import PageServer

OURSELVES = "tests.torture.hub_kills"
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

    def __init__(self, key: Key, name: str, ports: Sequence[int], ledger: Ledger) -> None:
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
                parts.insert(0, RandomGame(whole.events[:cut], whole.states[: cut + 1]))
            for part in parts:
                before, letter = finished_letter(GAMES[GAME], part, session, self._key, before, begun_us)
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


def serve() -> None:
    """The program of one hub in a folder, at a port, with a database ("" for SQLite), until it is killed."""
    folder, port, database = sys.argv[1:]
    record, live = HubRecord(Path(folder), database=database), Live()
    streams = Streams(live)
    streams.start()
    app = create_hub(Hub(record, Hall(record.public_of, live, on_sign=record.hear), live))
    ended = threading.Event()
    listener = socket.create_server(("127.0.0.1", int(port)))
    PageServer(Front(app, streams), Connections(), [listener], ended.set).start()
    print("ready", flush=True)
    ended.wait()


def begun(*arguments: str) -> Nursling:
    """A hub that begins."""
    return nursery(OURSELVES).begin(f"{OURSELVES}:serve", *arguments)


def wait_until_ready(hub: Nursling) -> None:
    """Waits until it takes requests."""
    if hub.stdout.readline() != "ready\n":
        raise RuntimeError("the hub did not come up")


def kill(hub: Nursling) -> None:
    """Kills it with -9, and waits until it is gone."""
    hub.kill()
    status = hub.wait()
    hub.stdout.close()
    if status != -signal.SIGKILL:
        raise RuntimeError(f"the hub ended by itself: {status}")


def torture(folder: Path, kills: int, seed: int, database: str = "") -> tuple[Counter[str], Ledger]:
    """Kills a hub so often while tables send; returns what was found, and what was said."""
    chance, ledger = Random(seed), Ledger()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keys = [Key(secrets.token_bytes(32)) for _number in range(TABLES)]
    with contextlib.closing(HubRecord(folder, database=database)) as record:
        for key in keys:
            code = record.new_code()
            record.enrol(code, key.public, key.sign(code.encode()), "")
    senders = [Sender(key, f"t{number}", [port], ledger) for number, key in enumerate(keys)]
    hub_here = (str(folder), str(port), database)
    for sender in senders:
        sender.start()
    for _kill in range(kills):
        starts = chance.random() < WHILE_STARTING
        hub = begun(*hub_here)
        if not starts:
            wait_until_ready(hub)
        due, end_s = len(ledger.taken) + chance.randrange(MOST_TAKEN), time.monotonic() + READY_S
        while not starts and len(ledger.taken) < due and time.monotonic() < end_s:
            time.sleep(BREATH_S)
        time.sleep(chance.random() * LONGEST_S)  # so that it falls anywhere in the next letters
        kill(hub)
    hub = begun(*hub_here)
    wait_until_ready(hub)
    for sender in senders:
        sender.ending.set()
    for sender in senders:
        sender.join()
    kill(hub)
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
