"""Every route of table and hub, attacked: whatever comes in, the answer is a sentence, and nothing is logged as failed.

The list of entrances is compared with those that exist, so that a new one has to be entered, and is attacked then.
"""

import logging
import re
from io import BytesIO
from itertools import product
from pathlib import Path
from random import Random
from typing import ClassVar
from urllib.parse import quote

import pytest
from werkzeug.datastructures import ImmutableMultiDict

from companion.changes import Live
from companion.demo.table import DemoTable
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.hub.staff_tickets import StaffRole
from companion.hub.tournament.events import Form
from tests.fuzz.entrances import ANSWERS, HUB, RIGHT, SOCKETS, TABLE
from tests.fuzz.odd import ADDRESSES, NESTED, NUMBERS, ROUNDS, TEXTS, bodies, is_a_sentence
from tests.parts import connect
from web.app import create_app
from web.hub.app import create_hub
from web.hub.here import Hub
from web.hub.here import hub as hub_of
from web.live.streams import STREAMS, Streams

ROOT = Path(__file__).parents[2]
PRODUCT = [path for room in ("companion", "vision", "web", "firmware") for path in (ROOT / room).rglob("*.py")]
KINDS = ("address", "json", "bytes", "form")
PAGES = "".join(path.read_text() for path in (ROOT / "web" / "templates").rglob("*.html"))
FIELD = re.compile(r'<(?:input|select|textarea|button)\b[^>]*?\bname="([\w-]+)"')
FILES = set(re.findall(r'type="file" name="(\w+)"', PAGES))
DECLARED = set(FIELD.findall(PAGES))  # Others are made by a program; each route is watched for what it asks.
LISTENS = re.compile(r"\.bind\((\(|str)|connection import .*Listener|create_server|(er|ing|socket_)\.listen\(")
ASKS = re.compile(r"urlopen\(|HTTPS?Connection|create_connection\(|line_to\(|\bClient\(|UNIX, socket.SOCK_STREAM")
HEADERS = (
    "Host", "Origin", "Referer", "Cookie", "Authorization", "Accept-Language", "Accept", "Accept-Encoding", "Range",
    "If-None-Match", "If-Modified-Since", "Sec-Fetch-Site", "X-Requested-With", "X-Forwarded-For", "X-Forwarded-Host",
    "X-Forwarded-Proto", "X-Forwarded-Prefix", "Forwarded", "X-Ingress-Path", "Content-Type", "User-Agent",
    "Last-Event-ID", "Connection",
)  # fmt: skip


def names_in(entrances):
    return {name for names in entrances.values() for name in names.split()}


class Watched(ImmutableMultiDict):
    """A form, a query or files: it notes which names anybody asks of it."""

    asked: ClassVar[set[str]] = set()

    def get(self, key, *more, **named):
        self.asked.add(key)
        return super().get(key, *more, **named)

    def getlist(self, key, *more, **named):
        self.asked.add(key)
        return super().getlist(key, *more, **named)

    def __getitem__(self, key):
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key):
        self.asked.add(key)
        return super().__contains__(key)


class Attacked:
    """An application, and what it may be asked."""

    def __init__(self, app, entrances, live):
        app.request_class = type("WatchedRequest", (app.request_class,), {"parameter_storage_class": Watched})
        self.app, self.client = app, app.test_client()
        self.entrances, self.streams = entrances, Streams(live)

    def rules(self, kind):
        """(rule, method) of each entrance of that kind."""
        meant = self.entrances[kind].split()
        for rule in self.app.url_map.iter_rules():
            if rule.endpoint in meant:
                yield rule, next(method for method in ("POST", "PUT", "GET") if method in rule.methods)

    def ask(self, method, path, **more):
        environ = {STREAMS: self.streams} | more.pop("environ", {})
        with self.client.open(path, method=method, environ_overrides=environ, **more) as answer:
            assert answer.status_code != 500, (method, path, more)
            if answer.status_code >= 400 and answer.is_json:
                assert is_a_sentence(answer.get_json()["error"]), (method, path, answer.text)
            return answer.status_code


@pytest.fixture
def table(host):
    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    return Attacked(create_app(host), TABLE, host.live)


@pytest.fixture
def hub(tmp_path):
    record, live = HubRecord(tmp_path), Live()
    seconds = iter(range(0, 10**9, 1_000))  # Nobody asks too often.
    cup = record.desk.begin("Cup", "sack_stackers", "quick", Form.ROUNDS, 2, 3, ["Ann", "Bob", "Cem", "Dan"])
    record.desk.pair(cup.id)
    attacked = Attacked(
        create_hub(Hub(record, Hall(record.public_of, live), live), now_s=lambda: next(seconds)), HUB, live
    )
    attacked.client.set_cookie("staff", record.staff.enter(record.staff.link(StaffRole.ORGANISER, "Olga")))
    yield attacked
    record.close()


@pytest.fixture
def attacked(request):
    return request.getfixturevalue(request.param)


on_both = pytest.mark.parametrize("attacked", ["table", "hub"], indirect=True)


@pytest.fixture(autouse=True)
def nothing_fails(caplog):
    yield
    assert not [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]


def tournament_of(app):
    """The id of the hub's first tournament, brought back if an attack has deleted it; of a table a number."""
    if "tournaments" not in app.blueprints:
        return "1"
    with app.app_context():
        desk = hub_of().record.desk
        for deleted in desk.deleted():
            desk.restore(deleted.id)
        return desk.all()[-1].id


def places_in(app):
    """The form's fields that rule a game of that tournament: each of its entrants is first."""
    if "tournaments" not in app.blueprints:
        return {}
    with app.app_context():
        return dict.fromkeys(hub_of().record.desk.all()[-1].state.entrants, "1")


def path_of(app, rule, host, odd=None):
    """The path of a rule about a game and a person that are there; or with an odd text in each place that takes any."""
    values = {
        "session": "none",
        "profile": "none",
        "player": "none",
        "filename": "session.css",
        "place": "above",
        "tournament": tournament_of(app),
    }
    if host is not None:
        game = host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann"])
        values |= {
            "session": game.session.id,
            "profile": host.people.everybody()[0].id,
            "player": game.session.players[0],
        }
    path = rule.rule
    for converter, name in re.findall(r"<(?:(\w+)[^:>]*:)?(\w+)>", rule.rule):
        usual = values.get(name, "1")
        put = quote(odd, safe="") if odd is not None and converter in ("", "id", "path") else usual
        path = re.sub(rf"<[^<>]*\b{name}>", lambda _found, put=put: put, path)
    return path, values["player"]


@on_both
def test_each_route_stands_in_the_list_and_each_of_the_list_exists(attacked):
    assert names_in(attacked.entrances) == {rule.endpoint for rule in attacked.app.url_map.iter_rules()}
    assert len(names_in(attacked.entrances)) == sum(len(names.split()) for names in attacked.entrances.values())
    assert set(attacked.entrances["json"].split()) <= RIGHT.keys()


def test_each_module_with_a_socket_stands_in_the_list():
    def found(pattern):
        return {str(path.relative_to(ROOT)) for path in PRODUCT if pattern.search(path.read_text())}

    assert found(LISTENS) == SOCKETS.keys()
    assert found(ASKS) == ANSWERS.keys()


@on_both
def test_odd_bodies_are_a_sentence(attacked, request, host):
    host = host if attacked.entrances is TABLE else None
    for seed, (rule, method) in enumerate(attacked.rules("json")):
        path, player = path_of(attacked.app, rule, host)
        right = {key: player if value == "PLAYER" else value for key, value in RIGHT[rule.endpoint].items()}
        for body in bodies(right, seed):
            attacked.ask(method, path, data=body, content_type="application/json")


@on_both
def test_odd_bytes_are_a_sentence(attacked, host):
    host = host if attacked.entrances is TABLE else None
    for seed, (rule, method) in enumerate(attacked.rules("bytes")):
        path, _player = path_of(attacked.app, rule, host)
        for body in bodies({"format": 1}, seed):
            attacked.ask(method, f"{path}?event_id=odd", data=body, content_type="application/octet-stream")


# What most forms take first; without it nothing asks for what stands behind it.
USUAL = {
    "title": "Cup", "game": "sack_stackers", "preset": "quick", "form": "rounds", "seats": "2", "rounds": "3",
    "event_id": "odd", "seen_seq": "0", "seen": "0", "source": "Ann;Lee", "part0": "1", "text": "Ann", "names": "Ann",
    "role": "player", "corrections": "host", "picture_days": "3", "name": "Ann", "what": "chime", "which": "both",
}  # fmt: skip
# Their routes want a camera, the Wi-Fi helper, a device without a seat or somebody who rests; or a query has them.
UNREACHED = {
    "alike", "along", "answer", "anyway", "camera", "choice", "cut", "device", "die", "from", "lens", "look", "number",
    "password", "ssid", "stars",
}  # fmt: skip
TAPS = ("sure", "add", "again")


def test_odd_forms_are_a_sentence_and_each_field_of_a_page_is_attacked(table, hub, host):
    asked = attack_forms(table, host) | attack_forms(hub, None)
    assert DECLARED - asked == UNREACHED


def attack_forms(attacked, host):
    """Sends odd forms to each route; the names of the fields that any of them asked for."""
    random, asked = Random(1), set()
    for rule, method in attacked.rules("form"):
        path, player = path_of(attacked.app, rule, host)
        usual = USUAL | {"player": [player, "Bob"], "absent": player} | places_in(attacked.app)
        for text in random.sample((*TEXTS, *NUMBERS, *ADDRESSES), min(3 * ROUNDS, 50)):
            attacked.ask(method, path, data={name: random.choice((text, [text, text])) for name in DECLARED})
        attacked.ask(method, path, data=random.randbytes(200), content_type="application/x-www-form-urlencoded")
        attacked.ask(method, path, data=random.randbytes(200), content_type="multipart/form-data; boundary=a")
        attacked.ask(method, path, data=b"--a\r\n", content_type="multipart/form-data; boundary=a")
        Watched.asked.clear()
        attacked.ask(method, path, data=usual)
        tried = set()
        while left := sorted(Watched.asked - tried):
            tried.add(name := left[0])
            taps = [{}, *({tap: "1"} for tap in TAPS if tap in Watched.asked)]
            for text, tapped in product((*NESTED, *random.sample((*TEXTS, *NUMBERS), ROUNDS)), taps):
                odd = (BytesIO(text.encode()), "odd.csv") if name in FILES else text
                attacked.ask(method, path, data=usual | tapped | {name: odd})
        asked |= tried
    return asked


@on_both
def test_odd_addresses_and_queries_are_a_sentence(attacked, host):
    host = host if attacked.entrances is TABLE else None
    random, texts = Random(2), [text for text in (*TEXTS, *NUMBERS, *ADDRESSES) if text not in ("", ".")]
    for kind in KINDS:
        for rule, method in attacked.rules(kind):
            for odd in random.sample(texts, min(2 * ROUNDS, 50)):
                path, _player = path_of(attacked.app, rule, None, odd)
                attacked.ask(method, path)
            if kind == "address":
                path, _player = path_of(attacked.app, rule, host)
                attacked.ask(method, path)
                for text in random.sample(texts, min(ROUNDS, 50)):
                    attacked.ask(method, path, query_string=dict.fromkeys(sorted(DECLARED), text))


PEERS = ("127.0.0.1", "192.168.1.20")
# Where a header is read as an address; these are asked with each of them, and every header with a few.
ADDRESSED = {
    "table": (("Host", "GET", "/who"), ("Host", "POST", "/house/link"), ("Origin", "POST", "/pin"),
              ("Referer", "POST", "/camera/above/answer")),
    "hub": (("Host", "GET", "/v1/hub"), ("Origin", "POST", "/staff/code")),
}  # fmt: skip


@on_both
def test_odd_headers_are_a_sentence(attacked):
    random, addressed = Random(3), ADDRESSED["table" if attacked.entrances is TABLE else "hub"]
    asked_with = [(header, method, path, text) for header, method, path in addressed for text in ADDRESSES]
    for _header, method, path in addressed:
        asked_with += [(header, method, path, text) for header in HEADERS for text in random.sample(TEXTS, 2)]
    for header, method, path, text in asked_with:
        key = "CONTENT_TYPE" if header == "Content-Type" else f"HTTP_{header.upper().replace('-', '_')}"
        if text.isprintable():  # h11 lets no other through; WSGI has headers as the bytes that came, each a letter.
            environ = {"REMOTE_ADDR": random.choice(PEERS), key: text.encode().decode("latin-1")}
            attacked.ask(
                method, path, environ=environ, **({"data": "label=odd&role=player"} if method == "POST" else {})
            )
