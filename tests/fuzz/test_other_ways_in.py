"""The ways in beside pages and API: MQTT, sockets, a hub's answers, letters, files and addresses that people type.

Whatever comes, it is a value, a sentence or silence, and whoever listens hears the next message, too.
"""

import contextlib
import json
import socket
import struct
import subprocess
import sys
import threading
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest

import companion.app.service.mqtt as mqtt
import companion.network.wifi.door as wifi_door
from companion.app.cli.print_ import is_web_address, ways_in
from companion.app.doctor.host_checks import ask
from companion.app.doctor.installed import BUNDLE, bundle_name
from companion.app.hall.listener import HallListener
from companion.app.service.uploader import LONGEST_WAIT_S, ROUND_S, Uploader, sentence_of
from companion.cameras.in_network import parts_of, without_secrets
from companion.cameras.set_up import CameraSetUp
from companion.changes import Live
from companion.clock import Clock
from companion.errors import BadInput, CompanionError, HardwareUnavailable
from companion.foreign import DEEPEST, NO_ADDRESS, Unreadable, read_address, read_json, read_value
from companion.hub.hall import Hall
from companion.journal.session import canonical_json
from companion.journal.tail import lines_of
from companion.letters.envelope import open_letter
from companion.letters.errand import PURPOSE_ASK, read_errand, read_order_answer, read_question
from companion.letters.greeting import read_greeting
from companion.letters.keys import SIGNATURE_BYTES
from companion.letters.live import Report, read_report
from companion.letters.outbox import Outbox, check_hub
from companion.letters.people import PURPOSE as PURPOSE_PERSON
from companion.letters.people import open_person
from companion.network.wifi.door import Do, Door, Wifi
from companion.network.wifi.values import Mode, State
from tests.fuzz.entrances import TOPICS
from tests.fuzz.odd import ADDRESSES, DEPTHS, ROUNDS, TEXTS, bodies, nested
from tests.hall.letters import KEY, NOON_US, public_of
from tests.hall.test_live import as_bytes, said
from vision.cameras.http_source import follow_redirect
from vision.cameras.sources import NoSource
from vision.scene.file import load_scene

ROOT = Path(__file__).parents[2]
PATIENCE_S = 10.0
STATE = {name: value for name, value in said(key=None).items() if name != "signature"}


def until(is_so):
    until_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until_s
        time.sleep(0.01)


# the room itself


@pytest.mark.parametrize("seed", range(3 * ROUNDS))
def test_a_text_is_a_value_that_can_be_written_again_or_unreadable(seed):
    for content in bodies(STATE, seed):
        with contextlib.suppress(Unreadable):
            value = read_json(content)
            assert json.loads(canonical_json(value)) == value
            assert read_json(msgspec.json.encode(value)) == value
            hash(repr(value))
        with contextlib.suppress(Unreadable):
            read_json(content.decode("utf-8", "surrogatepass"), Report) if content.isascii() else None


def test_nesting_is_refused_beyond_its_limit_and_no_bracket_within_a_string_counts():
    for depth in (1, DEEPEST - 1, DEEPEST):
        assert read_json(nested(depth)) == json.loads(nested(depth))
    for text in (nested(DEEPEST + 1), nested(300, whole=False), b"[" * 10**6, b'{"a":' * 10**5, b'"\\"' * 10**5):
        with pytest.raises(Unreadable):
            read_json(text)
    for part in ("[", "]", [], {"a": []}, '\\"[', "{\\", "\n["):
        wide = [part] * 200
        assert read_json(json.dumps(wide)) == wide
    masked = ",".join(['["]"'] * 200) + ',"["' * 200 + "]" * 200
    with pytest.raises(Unreadable):
        read_json(f"[{masked}]")


def test_what_is_no_text_is_unreadable():
    for text in ("\ud800", '"\ud800"', b'"\\ud800"', b'{"\\udfff": 1}', b"\xff", b"", "NaN", "1e999", "9" * 5_000):
        with pytest.raises(Unreadable):
            read_json(text)


def test_a_value_is_of_its_kind_or_unreadable():
    for value in (10**400, float("nan"), "\ud800", [[]], {1: 2}, object(), b"", None, {"a": object()}):
        with contextlib.suppress(Unreadable):
            read_value(value, Report)


@pytest.mark.parametrize("text", [*ADDRESSES, *TEXTS, "\ud800", "http://\ud800"])
def test_an_address_is_its_parts_or_none_and_each_part_can_be_asked_for(text):
    for parts in (read_address(text), read_address(text, "http://camera.example/a"), read_address("/b", text)):
        assert parts is NO_ADDRESS or (parts.port or 0) < 2**16
        assert (parts.hostname, parts.username, parts.password, parts.geturl()) is not None


def test_the_lint_refuses_every_other_reader():
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    banned = lint["flake8-tidy-imports"]["banned-api"]
    assert {f"urllib.parse.{name}" for name in ("urlsplit", "urlparse", "urljoin")} <= banned.keys()
    assert {"json.loads", "json.load", "msgspec.json.decode", "msgspec.convert"} <= banned.keys()
    modules = {name.rpartition(".")[0] for name in banned}
    source = "\n".join((*(f"import {module}" for module in sorted(modules)), *(f"print({name})" for name in banned)))
    command = [sys.executable, "-m", "ruff", "check", "--select=TID251", "--output-format=json", "--stdin-filename"]
    for room, expected in (("companion/hub", len(banned)), ("web/api", len(banned)), ("tests/hall", 0)):
        asked = [*command, f"{room}/anything.py", "-"]
        checked = subprocess.run(asked, input=source, capture_output=True, text=True, cwd=ROOT, check=False)
        assert len(json.loads(checked.stdout)) == expected, checked.stderr


# MQTT


def deep_states():
    """States of a table that are nested deeply where nobody looks, signed by nobody."""
    for depth in (*DEPTHS[:4], *range(900, 1_000, 5)):  # Some can be read just so, and not written again.
        text = json.dumps(STATE | {"key": KEY.id, "signature": "0" * 2 * SIGNATURE_BYTES})
        yield text[:-1].encode() + b', "x": ' + nested(depth) + b"}"


class Message:
    retain = False

    def __init__(self, topic, payload):
        self.topic, self.payload = topic, payload


def listener_of(hall, port=1):
    pytest.importorskip("paho.mqtt.client", reason="MQTT is an extra: pip install paho-mqtt")
    return HallListener(hall, mqtt.Broker("127.0.0.1", port, secure=False))


def test_the_topics_that_are_heard_stand_in_the_list(host):
    class Client:
        is_failure = False

        def __init__(self):
            self.topics = []

        def subscribe(self, topics):
            self.topics += [topic for topic, _quality in topics]

        def publish(self, *_what, **_how):
            pass

    for name, heard in TOPICS.items():
        client = Client()
        makers = {
            "HallListener": lambda: listener_of(Hall(public_of, Live())),
            "MqttPublisher": lambda: mqtt.MqttPublisher(host, mqtt.Broker("a", 1, secure=False)),
        }
        one = makers[name]()
        one._on_connect(client, None, None, client, None)
        assert tuple(client.topics) == heard
    subscribing = [path.name for path in (ROOT / "companion").rglob("*.py") if ".subscribe(" in path.read_text()]
    assert subscribing == ["listener.py"]


def test_the_halls_ear_hears_the_next_message_whatever_came(caplog):
    hall = Hall(public_of, Live())
    listener = listener_of(hall)
    deep = [Message("table-companion/a0/table", payload) for payload in deep_states()]
    ear = threading.Thread(target=lambda: [listener._hear(None, None, message) for message in deep])
    ear.start()
    ear.join()
    assert not caplog.records  # Such a state is refused; nothing failed.
    odd = [*(body for seed in range(2 * ROUNDS) for body in bodies(STATE, seed))]
    topics = [f"table-companion/a{number}/table" for number in range(3)]
    topics += ["", "table", "a/b", "a/b/c/d", "table-companion//table", "table-companion/\x00/table", "☃/☃/table"]
    for number, payload in enumerate(odd):
        listener._hear(None, None, Message(topics[number % len(topics)], payload))
    for broken in (None, 1, "text"):
        listener._hear(None, None, Message(topics[0], broken))
    listener._hear(None, None, Message(topics[0], as_bytes(said())))
    assert KEY.id in hall.all()
    assert not [record for record in caplog.records if record.exc_info]


class OddBroker:
    """A broker that sends packets which none may send, to each client another one, and is right from then on."""

    PACKETS = (b"\x30\x04\xff\xffab", b"\x30\x00", b"\x20\x00", b"\x90\x01\x00", b"\x34\x02\x00\x00", b"\xff" * 9)

    def __init__(self, payload):
        self.payload, self.is_done = payload, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_error):
        self.is_done.set()
        self.thread.join(PATIENCE_S)
        self.listener.close()

    def _serve(self):
        for packet in (*self.PACKETS, None):
            line, _address = self.listener.accept()
            with line, contextlib.suppress(OSError):
                line.recv(1_000)
                line.sendall(b"\x20\x02\x00\x00")
                asked = line.recv(1_000)
                if packet is not None:
                    line.sendall(packet)
                    line.settimeout(0.1)
                    line.recv(1_000)
                    continue
                line.sendall(b"\x90\x04" + asked[2:4] + b"\x01\x01")
                for topic in (b"\xff\xfe", b"table-companion/a1/table"):
                    body = struct.pack("!H", len(topic)) + topic + self.payload
                    line.sendall(b"\x30" + bytes((len(body) % 128 + 128, len(body) // 128)) + body)
                self.is_done.wait(PATIENCE_S)


def test_the_halls_ear_outlives_a_broker_that_sends_no_mqtt():
    hall = Hall(public_of, Live())
    with OddBroker(as_bytes(said())) as broker:
        listener = listener_of(hall, broker.port)
        listener._line._retry_s = 0.0
        listener.start()
        try:
            until(lambda: KEY.id in hall.all())
        finally:
            listener.stop()


# the Wi-Fi helper


class Keeper:
    state = State(Mode.SETUP, "abcd-efgh-jkmn")

    def visit(self):
        raise LookupError("whatever it is")

    def wish_for(self, _wish):
        return self.state

    def security_of(self, _ssid, _password):
        raise KeyError("whatever it is")


@pytest.fixture
def door(tmp_path):
    opened = Door(tmp_path / "socket", Keeper())
    opened.start()
    yield tmp_path / "socket"
    opened.stop()


def line_to(path):
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(PATIENCE_S)
    line.connect(str(path))
    return line


def test_the_door_of_the_wifi_helper_stays_open_whatever_it_is_asked(door):
    right = {"do": "join", "ssid": "SG9tZQ==", "password": "long enough"}
    deep = b'{"do":"tell","x":' + nested(150) + b"}"
    for asked in (deep, b'{"do":"visit"}', b"\n\n\n", *bodies(right, 1), b'{"do":"tell","x":' + b"[" * 1_900):
        with line_to(door) as line, contextlib.suppress(OSError):
            line.sendall(asked[:3_000] + b"\n")
            assert line.recv(1_000)[:1] in (b"", b"{")
        assert replace(Wifi(door).ask(Do.TELL), threads=()) == Keeper.state
    with line_to(door) as line:
        line.sendall(b'{"do":')  # half of it, and gone
    assert replace(Wifi(door).ask(Do.TELL), threads=()) == Keeper.state


def test_who_asks_the_helper_a_byte_at_a_time_keeps_others_out_for_a_moment_only(door, monkeypatch):
    monkeypatch.setattr(wifi_door, "PATIENCE_S", 0.3)
    with line_to(door) as slow:
        is_cut_off = threading.Event()

        def drip():
            with contextlib.suppress(OSError):
                while True:
                    slow.sendall(b"[")
                    time.sleep(0.05)
            is_cut_off.set()

        threading.Thread(target=drip, daemon=True).start()
        assert is_cut_off.wait(PATIENCE_S)
    assert replace(Wifi(door).ask(Do.TELL), threads=()) == Keeper.state


def test_an_odd_answer_of_the_helper_is_a_sentence(tmp_path):
    path, answers = tmp_path / "socket", list(bodies({"mode": "setup", "password": "a", "networks": []}, 2))

    def answer_all():
        for answer in answers:
            line, _address = listener.accept()
            with line, contextlib.suppress(OSError):
                line.recv(1_000)
                line.sendall(answer + b"\n")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        threading.Thread(target=answer_all, daemon=True).start()
        for _answer in answers:
            with contextlib.suppress(HardwareUnavailable):
                Wifi(path).ask(Do.TELL)


# a hub's answers, and those at the table's own port


def unread(read):
    """Reads what is odd: a value or one of our refusals."""
    with contextlib.suppress(CompanionError):
        read()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_odd_answers_of_a_hub_are_a_sentence(seed):
    greeting = [{"id": KEY.id, "public": KEY.public.hex(), "mqtt_host": "", "mqtt_port": 1883, "signature": "00"}]
    errand = {"errand": "{}", "public": KEY.public.hex(), "signature": "00"}
    for answer in (
        *bodies({"error": "No."}, seed),
        *bodies(greeting, seed),
        *bodies(greeting[0], seed),
        *bodies(errand, seed),
    ):
        assert sentence_of(answer)
        for content in (answer, b"[" + answer + b"]"):
            unread(lambda content=content: read_greeting(content, "00", KEY.id))
            unread(lambda content=content: read_errand(content, KEY.id, "00", KEY.id))


class Odd(Uploader):
    """An uploader whose hub answers everything alike, or whose way there fails in an unforeseen way."""

    def __init__(self, host, status, answer):
        outbox = Outbox(host.journal)
        outbox.remember("http://hub.example:8100", "CODE1")
        self.seconds, self.asked_s, self.said = 0.0, [], (status, answer)
        super().__init__(host, outbox, lambda: self.seconds)

    def _fetch(self, method, path, body=None):
        self.asked_s.append(self.seconds)
        if isinstance(self.said[1], Exception):
            raise self.said[1]
        return self.said


@pytest.mark.parametrize("status", [302, 503])
@pytest.mark.parametrize(
    "answer", [nested(100_000), nested(990, whole=False), b"\xff", RecursionError("deep"), KeyError(1)]
)
def test_after_any_failure_the_table_asks_its_hub_ever_less_often(host, status, answer):
    uploader = Odd(host, status, answer)
    while uploader.seconds < 4 * LONGEST_WAIT_S:
        with contextlib.suppress(RecursionError, KeyError):
            uploader.go_round()
        uploader.seconds += ROUND_S
    waits_s = [after - before for before, after in zip(uploader.asked_s, uploader.asked_s[1:], strict=False)]
    assert waits_s[0] >= 2 * ROUND_S
    assert waits_s == sorted(waits_s)
    assert waits_s[-1] >= LONGEST_WAIT_S
    assert host.status.lines["hub"].state == "down"


def test_an_odd_answer_at_the_tables_port_is_one_line_of_the_doctor():
    answers = [b"", nested(100_000), b'{"role": []}', b"\xff" * 100_000, b"[]", b"null", *bodies({"role": "host"}, 1)]

    def answer_all():
        for answer in answers:
            line, _address = listener.accept()
            with line, contextlib.suppress(OSError):
                line.recv(10_000)
                line.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer_all, daemon=True).start()
        for _answer in answers:
            assert isinstance(ask("127.0.0.1", listener.getsockname()[1])[1], str)


# letters: what is signed may be as odd as what is not


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_odd_letters_are_a_sentence(seed):
    random = Random(seed)
    right = {"key": KEY.id, "person": "ann-1", "name": "Ann", "players": ["p0"], "at_us": NOON_US}
    for text in bodies(right, seed):
        for purpose, read in ((PURPOSE_PERSON, open_person), (b"", open_letter)):
            signature = KEY.sign(purpose + text).hex().encode()
            unread(lambda read=read, signature=signature, text=text: read(text + b"\n" + signature, public_of))
        unread(
            lambda text=text: open_letter(
                text + b"\n" + KEY.sign(text).hex().encode() + b"\n" + random.randbytes(99), public_of
            )
        )
        unread(lambda text=text: read_order_answer(text, public_of))
    asked = {"key": KEY.id, "challenge": "0" * 32, "signature": KEY.sign(PURPOSE_ASK + b"0" * 32).hex()}
    for text in bodies(asked, seed):
        unread(lambda text=text: read_question(text, public_of))
    for text in (*bodies(STATE, seed), *deep_states()):
        unread(lambda text=text: read_report(text, public_of))
    for text in bodies(said(), seed):
        unread(lambda text=text: read_report(text, public_of))


# files


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_odd_files_are_a_sentence_or_silence(tmp_path, seed):
    path = tmp_path / BUNDLE
    for content in bodies({"version": "1", "made": "2026", "commit": "a", "colour_rgb": {"red": [1, 2, 3]}}, seed):
        path.write_bytes(content)
        unread(lambda: load_scene(path))
        with contextlib.suppress(KeyError):  # the doctor says that the description is damaged
            unread(lambda: bundle_name(tmp_path))
        assert isinstance(CameraSetUp(path, print, Clock(), print).scene(), dict)
        assert isinstance(list(lines_of(path)), list)


# addresses that people type, or that a camera redirects to


@pytest.mark.parametrize("text", [*ADDRESSES, *TEXTS])
def test_odd_addresses_are_a_sentence(text):
    for read in (
        check_hub,
        mqtt.broker_of,
        parts_of,
        without_secrets,
        lambda text: ways_in(text, 8000),
        is_web_address,
    ):
        with contextlib.suppress(BadInput):
            read(text)
    with contextlib.suppress(NoSource):
        follow_redirect("http://me:secret@camera.example/a", text)
