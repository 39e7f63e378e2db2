"""What a broker hears: by a real Mosquitto, with a client of its own that listens."""

import contextlib
import datetime
import json
import queue
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest

from companion import periodic
from companion.app.service.mqtt import (
    HOLDS_US,
    RENEWED_US,
    Broker,
    Line,
    MqttPublisher,
    broker_of,
    discoveries,
    holds,
)
from companion.errors import BadInput
from companion.games.sack_stackers.events import Rolled
from companion.journal.events import Origin
from companion.letters.offer import veil_session
from tests.service import REAL, running

paho = pytest.importorskip("paho.mqtt.client", reason="requirements-hub.lock is not installed")
MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="no Mosquitto here: apt-get install mosquitto")
PATIENCE_S = 20


class Mosquitto:
    """A broker of our own, which can be stopped and started again; it forgets everything then."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.config = folder / "mosquitto.conf"
        self.config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen([MOSQUITTO, "-c", self.config], stderr=subprocess.DEVNULL)
        until(self.answers)

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_S)


class Subscriber:
    """A home automation: everything that the broker says, in order."""

    def __init__(self, port):
        self.messages = queue.Queue()
        subscribed = queue.Queue()
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        self.client.on_message = lambda _client, _data, message: self.messages.put(message)
        self.client.on_subscribe = lambda *_: subscribed.put(True)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        self.client.subscribe("#", qos=1)
        subscribed.get(timeout=PATIENCE_S)

    def until(self, topic, wanted=None):
        """The next payload of a topic that ends so; with `wanted` the next that is exactly that."""
        while True:
            message = self.messages.get(timeout=PATIENCE_S)
            payload = message.payload.decode()
            if message.topic.endswith(topic) and wanted in (None, payload):
                return payload

    def close(self):
        self.client.disconnect()
        self.client.loop_stop()


def until(condition):
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


@pytest.fixture
def broker(tmp_path):
    found = Mosquitto(tmp_path)
    yield found
    found.stop()


@pytest.fixture
def subscriber(broker):
    found = Subscriber(broker.port)
    yield found
    found.close()


@pytest.fixture
def tell(host, broker):
    tellers = []

    def started(**options):
        tellers.append(MqttPublisher(host, Broker("127.0.0.1", broker.port, secure=False), **options))
        tellers[-1].start()

    yield started
    host.live.close()
    for teller in tellers:
        teller.stop()


def roll(sack, *dice, event_id="roll"):
    sack.submit(Rolled(dice), Origin(event_id))


@needs_mosquitto
def test_a_home_hears_the_game_the_turn_and_the_roll(sack, subscriber, tell):
    tell()
    subscriber.until("/availability", "online")
    subscriber.until("/game", "Sack Stackers")
    roll(sack, 3, 5)
    happened = json.loads(subscriber.until("/event"))
    assert (happened["event_type"], happened["game"], happened["entry"]) == ("Rolled", "sack_stackers", 1)
    subscriber.until("/roll", "3 5")
    dice = json.loads(subscriber.until("/dice"))
    assert (dice["game"], dice["entry"], [each["value"] for each in dice["dice"]]) == ("sack_stackers", 1, [3, 5])


@needs_mosquitto
def test_a_home_hears_what_does_not_work(host, sack, subscriber, tell):
    tell()
    subscriber.until("/trouble", "None")
    host.status.set("power", "warn", "The machine is too hot.")
    host.status.set("watched", "warn", "Someone is setting up the camera.")
    subscriber.until("/trouble", "The machine is too hot.")
    until_s = time.monotonic() + PATIENCE_S
    while json.loads(subscriber.until("/table"))["health"].get("power") != "warn":
        assert time.monotonic() < until_s
    host.status.clear("power")
    subscriber.until("/trouble", "None")


@needs_mosquitto
def test_no_names_leave_unless_the_host_says_so(sack, subscriber, tell):
    roll(sack, 3, 5)
    tell()
    turn = subscriber.until("/turn")
    assert turn.startswith("seat ")
    assert not set(turn.replace(",", "").split()) & set(sack.names.values())


@needs_mosquitto
def test_names_where_the_host_says_so(sack, subscriber, tell):
    roll(sack, 3, 5)
    tell(names=True)
    assert set(subscriber.until("/turn").split(", ")) <= set(sack.names.values())


@needs_mosquitto
def test_who_comes_late_hears_what_is_so_and_not_what_happened(sack, broker, subscriber, tell):
    tell()
    subscriber.until("/game", "Sack Stackers")
    roll(sack, 3, 5)
    subscriber.until("/roll", "3 5")
    late = Subscriber(broker.port)
    try:
        retained = {}
        while not {"game", "state", "turn", "clock", "roll", "availability"} <= set(retained):
            message = late.messages.get(timeout=PATIENCE_S)
            assert message.retain, message.topic
            retained[message.topic.rsplit("/", 1)[1]] = message.payload.decode()
        assert retained["availability"] == "online"
    finally:
        late.close()


@needs_mosquitto
def test_one_retained_message_has_the_whole_table(sack, broker, subscriber, tell):
    tell()
    subscriber.until("/availability", "online")
    roll(sack, 3, 5)
    while (whole := json.loads(subscriber.until("/table")))["entry"] != 1:
        pass
    assert (whole["session"], whole["game"], whole["over"]) == (veil_session(sack.session.id), "sack_stackers", False)
    seats = [f"seat {number}" for number in range(1, len(sack.session.players) + 1)]
    # SS-45: every circle unmarked; everybody plays with the roll at the same time
    assert whole["seats"] == [{"player": seat, "points": 10, "turn": True} for seat in seats]
    assert (whole["asks"], whole["clock"], "signature" in whole) == (0, None, False)
    assert whole["health"]["camera"] == "off"
    late = Subscriber(broker.port)
    try:
        assert json.loads(late.until("/table"))["session"] == veil_session(sack.session.id)
    finally:
        late.close()


@needs_mosquitto
def test_the_whole_table_is_said_anew_before_it_no_longer_holds(host, sack, subscriber, tell):
    """Nothing happens at the table, and its clock goes on: first by less than is worth a message, then by more."""
    noon_us = 1_790_000_000_000_000
    now_us = [noon_us]
    tell(now_us=lambda: now_us[0])

    while json.loads(subscriber.until("/table"))["health"].get("mqtt") != "ok":  # the last that changes
        pass
    now_us[0] = noon_us + HOLDS_US - RENEWED_US
    anew = datetime.datetime.fromtimestamp((now_us[0] + HOLDS_US) / 1_000_000, datetime.UTC)
    host.live.publish("status")
    while datetime.datetime.fromisoformat(json.loads(subscriber.until("/table"))["until"]) != anew:
        pass


def test_a_clock_that_was_set_back_is_no_reason_to_be_silent():
    assert holds(HOLDS_US, 0)
    assert holds(HOLDS_US, HOLDS_US - RENEWED_US - 1)
    assert not holds(HOLDS_US, HOLDS_US - RENEWED_US)
    assert not holds(HOLDS_US, -1)


@needs_mosquitto
def test_home_assistant_is_told_what_there_is(subscriber, tell):
    """The keys that Home Assistant's MQTT discovery requires of a sensor and of an event."""
    tell()
    config = json.loads(subscriber.until("/clock/config"))
    assert config["device_class"] == "timestamp"
    assert {"state_topic", "unique_id", "availability_topic", "device"} <= set(config)
    assert "Toppled" in json.loads(subscriber.until("/event/config"))["event_types"]


@needs_mosquitto
def test_a_broker_that_comes_back_is_told_everything_anew(host, sack, broker, subscriber, tell):
    tell()
    subscriber.until("/game", "Sack Stackers")
    broker.stop()
    until(lambda: host.status.lines["mqtt"].state == "down")
    roll(sack, 3, 5)
    assert sack.seq == 1  # the table plays on meanwhile
    broker.start()
    until(lambda: host.status.lines["mqtt"].state == "ok")
    late = Subscriber(broker.port)
    late.until("/game", "Sack Stackers")
    late.close()


@needs_mosquitto
def test_a_game_that_cannot_be_told_ends_no_telling(host, sack, subscriber, tell, monkeypatch, caplog):
    opened = host.table

    def fails(_session):
        monkeypatch.setattr(host, "table", opened)
        raise ZeroDivisionError

    monkeypatch.setattr(host, "table", fails)
    tell()
    until(lambda: "ZeroDivisionError" in caplog.text)  # first: the broker may still tell of an earlier test's table
    subscriber.until("/game", "Sack Stackers")
    host.create("stack_dice", ["Cy", "Di"], {})
    subscriber.until("/game", "Stack")


@needs_mosquitto
def test_a_table_that_dies_is_said_to_be_gone(tmp_path, broker, subscriber):
    with running(tmp_path / "data", "--camera", "none", "--mqtt", f"mqtt://127.0.0.1:{broker.port}") as service:
        subscriber.until("/availability", "online")
        service.kill()
        subscriber.until("/availability", "offline")


@needs_mosquitto
def test_a_table_that_is_stopped_says_so(tmp_path, broker, subscriber):
    with running(tmp_path / "data", "--camera", "none", "--mqtt", f"mqtt://127.0.0.1:{broker.port}"):
        subscriber.until("/availability", "online")
    subscriber.until("/availability", "offline")


def test_a_line_that_is_stopped_while_it_connects_is_not_left_open(monkeypatch):
    monkeypatch.setattr(periodic, "STOP_S", 0.1)
    begun, may_connect = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as broker:
        client = paho.Client(paho.CallbackAPIVersion.VERSION2)
        line = Line("line", client, Broker(*broker.getsockname(), secure=False))
        connect = client._create_socket
        monkeypatch.setattr(
            client, "_create_socket", lambda: begun.set() or (may_connect.wait(PATIENCE_S) and connect())
        )
        line.start()
        assert begun.wait(PATIENCE_S)
        line.stop()
        may_connect.set()
        line.join(PATIENCE_S)
        broker.settimeout(PATIENCE_S)
        ours, _address = broker.accept()
        with ours:
            ours.settimeout(PATIENCE_S)
            while heard := ours.recv(100):
                last = heard
        assert last.endswith(b"\xe0\x00")  # It says goodbye, so its last will is not sent.
        assert client.socket() is None


def test_every_house_has_topics_of_its_own():
    assert {topic for topic, _ in discoveries("one")}.isdisjoint(topic for topic, _ in discoveries("two"))


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("mqtt://192.168.1.5", Broker("192.168.1.5", 1883, secure=False)),
        ("mqtts://home.example", Broker("home.example", 8883, secure=True)),
        ("mqtt://ann:p%40ss@[::1]:1999/", Broker("::1", 1999, secure=False, user="ann", password="p@ss")),
    ],
)
def test_the_address_of_a_broker(url, broker):
    assert broker_of(url) == broker


@pytest.mark.parametrize("url", ["192.168.1.5", "http://x", "mqtt://", "mqtt://x:99999", "mqtt://x/topic", "mqtt://["])
def test_anything_else_is_one_sentence(url):
    with pytest.raises(BadInput, match=r"mqtt://"):
        broker_of(url)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="only Linux lists a program's arguments there")
@pytest.mark.parametrize("option", [["--mqtt", "{}"], ["--mqtt={}"]], ids=["two words", "one word"])
def test_the_brokers_password_is_in_no_list_of_processes(tmp_path, option):
    url = "mqtt://table:word-of-the-broker@127.0.0.1:9"
    with running(tmp_path, "--camera", "none", *(each.format(url) for each in option), program=REAL) as service:
        listed = Path(f"/proc/{service.process.pid}/cmdline").read_bytes()
    assert b"--mqtt" in listed
    assert b"word-of-the-broker" not in listed
