"""Five simulated tables for `companion hub --demo`: they play random games, show themselves live, and send what ended.

They speak to the hub as tables do, over HTTP and MQTT, each with a key of its own.
"""

import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from random import Random
from typing import Any

from companion.app.bench.rules import NAMES, RandomGame, random_game
from companion.app.service.mqtt import PREFIX, Broker, Line, client_of
from companion.clock import wall_us
from companion.game.game import AnyGame
from companion.hub.hall import HOLDS_US
from companion.hub.record import HubRecord
from companion.journal.events import Entry, Posted
from companion.journal.record import Row, content_of, header_json
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Session, canonical_json
from companion.letters.chain import pack, unpack
from companion.letters.envelope import Envelope, make_envelope, seal
from companion.letters.keys import Key
from companion.letters.live import sign_report
from companion.letters.people import Person, seal_person
from companion.network import outgoing
from companion.periodic import PeriodicThread
from companion.shelf import GAMES

TABLES = {"Window": 3, "Door": 2, "Fireplace": 4, "Bar": 3, "Gallery": 2}  # name → how many play there
STEP_S = 1.0  # All tables together enter one event in this time.
ASK_CHANCE = 0.05
PATIENCE_S, MOST_ANSWER_BYTES = 10.0, 100_000


@dataclass
class Table:
    """One simulated table, and how far its game is."""

    key: Key
    name: str
    players: tuple[str, ...]
    game: AnyGame
    play: RandomGame
    session: str
    step: int = 0
    before: Envelope | None = None


class SimulatedHall:
    """Plays from `start` to `stop`.

    port    of the hub on this machine
    mqtt    address and port of its broker; port 0 for none: nothing is shown live then
    """

    def __init__(self, record: HubRecord, port: int, mqtt: tuple[str, int], seed: str | None = None) -> None:
        self._record, self._port, self._chance = record, port, Random(seed)
        self._client: Any = None
        if mqtt[1]:
            broker = Broker(mqtt[0] or "127.0.0.1", mqtt[1], secure=False)
            self._client = client_of(broker)
            self._line = Line("line of the simulated tables", self._client, broker)
        self._tables: list[Table] = []
        self._thread = PeriodicThread("simulated tables", self._round)

    def start(self) -> None:
        """Begins to play; returns at once."""
        if self._client:
            self._line.start()
        self._thread.start()

    def stop(self) -> None:
        self._thread.stop()
        if self._client:
            self._line.stop()

    def _round(self) -> float:
        """One entry at one table; the first time, all tables are enrolled."""
        if not self._tables:
            self._tables = [self._enrol(name, count) for name, count in TABLES.items()]
            for table in self._tables:
                self._say(table)
        table = self._chance.choice(self._tables)
        if table.step < len(table.play.events):
            table.step += 1
        else:
            self._send(table)
            table.game, table.play, table.session, table.step = *self._next(table.players), secrets.token_hex(8), 0
        self._say(table)
        return STEP_S

    def _enrol(self, name: str, count: int) -> Table:
        key, code = Key(secrets.token_bytes(32)), self._record.new_code()
        enrolment = {"code": code, "public": key.public.hex(), "signature": key.sign(code.encode()).hex(), "name": name}
        self._ask("POST", "/v1/tables", json.dumps(enrolment).encode())
        players = tuple(self._chance.sample(NAMES, count))
        for player in players:
            person = Person(key=key.id, person=player.lower(), name=player, players=(player,), at_us=wall_us())
            self._ask("PUT", f"/v1/people/{person.person}", seal_person(key, person))
        return Table(key, name, players, *self._next(players), secrets.token_hex(8))

    def _next(self, players: tuple[str, ...]) -> tuple[AnyGame, RandomGame]:
        """Another game, for as many players."""
        fitting = [game for game in GAMES.values() if game.rules.seats[0] <= len(players) <= game.rules.seats[1]]
        game = self._chance.choice(fitting)
        return game, random_game(game, self._chance.randrange(10**6), players)

    def _send(self, table: Table) -> None:
        """Sends the game if it ended by its rules."""
        if not table.game.rules.is_over(table.play.states[-1]):
            return
        table.before, letter = finished_letter(table.game, table.play, table.session, table.key, table.before)
        self._ask("PUT", f"/v1/games/{table.session}/{table.before.head}", letter)

    def _say(self, table: Table) -> None:
        if not self._client:
            return
        state, now_us = table.play.states[table.step], wall_us()
        points, awaited = table.game.rules.score(state), table.game.rules.awaiting(state)
        seats = [{"player": player, "points": points[player], "turn": player in awaited} for player in table.players]
        report = {
            "session": table.session, "game": table.game.rules.name, "entry": table.step,
            "over": table.game.rules.is_over(state), "seats": seats, "asks": int(self._chance.random() < ASK_CHANCE),
            "clock": None, "health": {"camera": "ok"}, "name": table.name, "sure": True, "at": iso(now_us),
            "until": iso(now_us + HOLDS_US),
        }  # fmt: skip
        data = json.dumps(sign_report(table.key, report))
        self._client.publish(f"{PREFIX}/simulated-{table.name}/table", data, qos=1, retain=True)

    def _ask(self, method: str, path: str, body: bytes) -> None:
        url = f"http://127.0.0.1:{self._port}{path}"
        answer = outgoing.ask(method, url, body, within_s=PATIENCE_S, most_bytes=MOST_ANSWER_BYTES)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"the hub refused {path}: {answer.body.decode()}")


def finished_letter(
    game: AnyGame, play: RandomGame, session: str, key: Key, before: Envelope | None, begun_us: int = 0
) -> tuple[Envelope, bytes]:
    """A letter with a game of this kind that has ended, under this id; `begun_us` is when it was begun, 0 for now."""
    now_us = begun_us or wall_us()
    header = Session(
        session,
        game.rules.name,
        game.rules.options(),
        play.states[0].players,
        now_us,
        rules=rules_digest(game.rules.name),
    )
    rows = [
        Row(seq, "", content_of(session, Entry(seq, f"e{seq}", Posted(event), seq, now_us + seq, "tablet", "")), "")
        for seq, event in enumerate(play.events, start=1)
    ]
    chain = unpack(pack(canonical_json(header_json(header)), rows))
    envelope = make_envelope(key, chain, before, game.rules.ranking(play.states[-1]), {}, now_us, wall_sure=True)
    return envelope, seal(key, envelope, chain)


def iso(at_us: int) -> str:
    """A wall time in ISO 8601, UTC."""
    return datetime.fromtimestamp(at_us / 1e6, UTC).isoformat(timespec="milliseconds")
