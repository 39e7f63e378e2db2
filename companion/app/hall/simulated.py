"""Five simulated tables for `companion hub --demo`: they play random games, show themselves live, and send what ended.

They speak to the hub as tables do, over HTTP and MQTT, each with a key of its own. A small tournament goes on, and
people who sit nowhere else play for fun at a table that has no game of it.
"""

import contextlib
import json
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from random import Random
from typing import Any

from companion.app.bench.rules import NAMES, RandomGame, random_game
from companion.app.service.mqtt import PREFIX, Broker, Line, client_of
from companion.clock import wall_us
from companion.errors import IllegalEvent, StaleEvent
from companion.game.game import AnyGame
from companion.hub.hall import HOLDS_US
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from companion.journal.events import Entry, Posted
from companion.journal.record import Row, content_of, header_json
from companion.journal.rules_digest import rules_digest
from companion.journal.session import Session, canonical_json
from companion.letters.chain import pack, unpack
from companion.letters.counting import challenge_of
from companion.letters.envelope import Envelope, make_envelope, seal
from companion.letters.errand import ask, read_errand
from companion.letters.keys import Key
from companion.letters.live import sign_report
from companion.letters.offer import Doing, Offer, veil_session
from companion.letters.people import Person, seal_person
from companion.network import outgoing
from companion.periodic import PeriodicThread
from companion.shelf import GAMES

TABLES = ("Window", "Door", "Fireplace", "Bar", "Gallery")
# The entrants are bench's NAMES; these play for fun.
FOR_FUN = ("Ida", "Jon", "Kim", "Lea", "Max", "Nora", "Oda", "Pia", "Sam")
MOST_FOR_FUN = 3
CUP, CUP_SEATS, CUP_ROUNDS = "Demo Cup", 3, 3
LEAST_EVENTS = 20  # A shorter game is over before anybody has looked.
STEP_S = 0.2  # All tables together enter one event in this time: the first result comes after a minute.
ASK_CHANCE = 0.05
PATIENCE_S, MOST_ANSWER_BYTES = 10.0, 100_000


@dataclass
class SimulatedGame:
    """A game at a simulated table, and how far it is.

    players     their ids; names, how the board calls them
    """

    game: AnyGame
    play: RandomGame
    session: str
    players: tuple[str, ...]
    names: tuple[str, ...]
    step: int = 0

    @property
    def is_played_out(self) -> bool:
        return self.step >= len(self.play.events)


@dataclass
class Table:
    """One simulated table."""

    key: Key
    name: str
    asked: int = 0
    now: SimulatedGame | None = None
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
        self._cup = ""
        self._thread = PeriodicThread("simulated tables", self.go_round)

    def start(self) -> None:
        """Begins to play; returns at once."""
        if self._client:
            self._line.start()
        self._thread.start()

    def stop(self) -> None:
        self._thread.stop()
        if self._client:
            self._line.stop()

    def go_round(self) -> float:
        """One entry at one table; the first time, all tables are enrolled, and the tournament begins."""
        if not self._tables:
            self._tables = [self._enrol(name) for name in TABLES]
            self._cup = self._record.desk.begin(
                CUP, cup_game(), "printed", Form.ROUNDS, CUP_SEATS, CUP_ROUNDS, NAMES
            ).id
            self._lead()
        table = self._chance.choice(self._tables)
        offer = self._ask_errand(table)
        if table.now is None:
            table.now = self._next(table, offer)
        elif table.now.is_played_out:
            self._send(table, table.now)
            table.now = None
            self._lead()
        else:
            table.now.step += 1
        self._say(table)
        return STEP_S

    def _lead(self) -> None:
        """Seats the next round of the tournament once the one before is closed, or ends it."""
        state = self._record.desk.find(self._cup).state
        if state.is_ended or (state.rounds and not state.newest.is_closed):
            return
        with contextlib.suppress(IllegalEvent, StaleEvent):  # The people who look may tap as staff, too.
            if len(state.rounds) < CUP_ROUNDS:
                self._record.desk.pair(self._cup)
            else:
                self._record.desk.end(self._cup)

    def _enrol(self, name: str) -> Table:
        key, code = Key(secrets.token_bytes(32)), self._record.new_code()
        enrolment = {"code": code, "public": key.public.hex(), "signature": key.sign(code.encode()).hex(), "name": name}
        self._ask("POST", "/v1/tables", json.dumps(enrolment).encode())
        return Table(key, name)

    def _ask_errand(self, table: Table) -> Offer | None:
        """What the hub has for a table to play; each question is a sign of life, too."""
        now = table.now
        doing = Doing(session=now.session if now else None, over=bool(now and now.is_played_out), wall_us=wall_us())
        table.asked += 1
        challenge = challenge_of(table.asked)
        answer = self._ask("POST", "/v1/errands", ask(table.key, challenge, doing))
        return read_errand(answer, table.key.id, challenge, self._record.key.id).offer

    def _next(self, table: Table, offer: Offer | None) -> SimulatedGame | None:
        """The game that the tournament has for a table, else one for fun if enough people sit nowhere."""
        seed = self._chance.randrange(10**6)
        if offer:
            ids, names = (tuple(getattr(player, of) for player in offer.players) for of in ("id", "name"))
            game = GAMES[offer.game]
            return SimulatedGame(game, random_game(game, seed, ids), offer.session, ids, names)
        seated = {name for other in self._tables if other.now for name in other.now.names}
        free = [name for name in FOR_FUN if name not in seated][:MOST_FOR_FUN]
        fitting = lasting(len(free))
        if not fitting:
            return None
        game = self._chance.choice(fitting)
        for name in free:
            person = Person(key=table.key.id, person=name.lower(), name=name, players=(name,), at_us=wall_us())
            self._ask("PUT", f"/v1/people/{person.person}", seal_person(table.key, person))
        play = random_game(game, seed, tuple(free))
        return SimulatedGame(game, play, secrets.token_hex(8), tuple(free), tuple(free))

    def _send(self, table: Table, now: SimulatedGame) -> None:
        """Sends the game if it ended by its rules."""
        if not now.game.rules.is_over(now.play.states[-1]):
            return
        table.before, letter = finished_letter(now.game, now.play, now.session, table.key, table.before)
        self._ask("PUT", f"/v1/games/{now.session}/{table.before.head}", letter)

    def _say(self, table: Table) -> None:
        if not self._client:
            return
        now_us, now = wall_us(), table.now
        report: dict[str, Any] = {
            "session": None, "game": None, "entry": 0, "over": False, "seats": [], "asks": 0, "clock": None,
            "health": {"camera": "ok"}, "name": table.name, "sure": True, "at": iso(now_us),
            "until": iso(now_us + HOLDS_US),
        }  # fmt: skip
        if now:
            state, rules = now.play.states[now.step], now.game.rules
            points, awaited = rules.score(state), rules.awaiting(state)
            seats = [
                {"player": name, "points": points[player], "turn": player in awaited}
                for player, name in zip(now.players, now.names, strict=True)
            ]
            report |= {
                "session": veil_session(now.session), "game": rules.name, "entry": now.step, "seats": seats,
                "over": rules.is_over(state), "asks": int(self._chance.random() < ASK_CHANCE),
            }  # fmt: skip
        data = json.dumps(sign_report(table.key, report))
        self._client.publish(f"{PREFIX}/simulated-{table.name}/table", data, qos=1, retain=True)

    def _ask(self, method: str, path: str, body: bytes) -> bytes:
        url = f"http://127.0.0.1:{self._port}{path}"
        answer = outgoing.ask(method, url, body, within_s=PATIENCE_S, most_bytes=MOST_ANSWER_BYTES)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"the hub refused {path}: {answer.body.decode()}")
        return answer.body


def cup_game() -> str:
    """What the tournament plays: a game without a clock, as its table only enters events."""
    return next(game.rules.name for game in lasting(CUP_SEATS) if not game.rules.family)


@cache
def lasting(players: int) -> list[AnyGame]:
    """The games for so many that go on for a while."""
    fitting = (game for game in GAMES.values() if game.rules.seats[0] <= players <= game.rules.seats[1])
    return [game for game in fitting if len(random_game(game, 0, NAMES[:players]).events) >= LEAST_EVENTS]


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
