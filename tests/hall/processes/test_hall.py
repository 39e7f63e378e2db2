"""A real hub with a real Mosquitto, and a real table: the board shows what happens there."""

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from companion.app.hall import mosquitto
from companion.clock import wall_us
from companion.network.certificate import HouseCertificate
from tests.hall.processes.test_hub import Hub, play, table, until
from tests.hall.test_live import said
from tests.processes.test_mqtt import MOSQUITTO, Mosquitto, Subscriber

pytest.importorskip("paho.mqtt.client", reason="requirements-hub.lock is not installed")
if MOSQUITTO is None:
    pytest.skip("no Mosquitto here, so that tables are shown live stays unshown: make broker", allow_module_level=True)


@contextlib.contextmanager
def started(folder, *arguments):
    hub = Hub(folder, *arguments)
    hub.start()
    try:
        yield hub
    finally:
        hub.stop()


def brokers(hub):
    """The processes of Mosquitto that the hub has as children, of whichever of its threads."""
    found = []
    for thread in Path(f"/proc/{hub.process.pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            with contextlib.suppress(FileNotFoundError):
                if Path(f"/proc/{child}/comm").read_text() == "mosquitto\n":
                    found.append(int(child))
    return found


def test_the_hubs_broker_listens_at_no_public_address_of_ipv6(tmp_path, monkeypatch):
    own = ["192.168.1.20", "fd12::20", "2a02:1::20"]
    monkeypatch.setattr(mosquitto, "own_addresses", lambda: own)
    assert mosquitto.listened_at("0.0.0.0") == ["0.0.0.0", "fd12::20"]
    assert mosquitto.listened_at("192.168.1.20") == ["192.168.1.20"]
    own[1:] = ["::1"]  # One that this machine has.
    broker = mosquitto.OwnBroker(tmp_path, "0.0.0.0")
    broker.start()
    try:
        assert sorted(listening(broker.port)) == ["0.0.0.0", "::1"]
    finally:
        broker.stop()


def test_the_hubs_broker_does_without_an_address_that_is_gone_and_listens_at_one_that_comes(tmp_path, monkeypatch):
    own = ["fd12::20"]  # This machine has it no more, or not yet.
    monkeypatch.setattr(mosquitto, "own_addresses", lambda: own)
    monkeypatch.setattr(mosquitto, "LOOK_S", 0.05)
    broker = mosquitto.OwnBroker(tmp_path, "0.0.0.0")
    broker.start()
    try:
        assert list(listening(broker.port)) == ["0.0.0.0"]
        own.append("::1")
        until(lambda: sorted(listening(broker.port)) == ["0.0.0.0", "::1"])
        first, own[:] = broker._process.pid, []
        assert mosquitto.listened_at("0.0.0.0") == ["0.0.0.0"]
        assert broker._look() == mosquitto.LOOK_S
        assert broker._process.pid == first  # The tables' lines live on.
    finally:
        broker.stop()


def listening(port):
    """The addresses at which somebody listens at that port here."""
    for family, name in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            address, at = line.split()[1].split(":")
            if line.split()[3] == "0A" and int(at, 16) == port:
                words = (int(address[begin : begin + 8], 16) for begin in range(0, len(address), 8))
                yield socket.inet_ntop(family, b"".join(word.to_bytes(4, sys.byteorder) for word in words))


def board(hub, state):
    """The line of the only table, once it is in that state."""

    def asked():
        lines = hub.ask("/v1/live")  # Until it signs what it says, a table has another line.
        return [line for line in lines if line["state"] == state and len(lines) == 1]

    (line,) = until(asked)
    return line


def test_a_table_shows_itself_by_the_hubs_own_broker(tmp_path):
    with started(tmp_path / "hub") as hub:
        assert len(brokers(hub)) == 1
        with table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()) as service:
            until(lambda: board(hub, "waits")["is_enrolled"])
            play(service)
            line = board(hub, "over")
            assert (line["game"], [seat[0] for seat in line["seats"]]) == ("Stack", ["Seat 1", "Seat 2", "Seat 3"])
        assert board(hub, "silent")["silent_us"] > 0


def test_a_hub_with_a_certificate_serves_https_and_its_tickets_stay_there(tmp_path):
    """A cookie that came over https is never sent unencrypted."""
    subprocess.run([sys.executable, "-m", "companion", "cert", "--data", str(tmp_path / "hub")], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with started(tmp_path / "hub", "--https-port", str(port)) as hub:
        context = ssl.create_default_context(cafile=HouseCertificate(tmp_path / "hub").authority)
        context.check_hostname = False  # It is named by the addresses of the network.
        cookies = urllib.request.HTTPCookieProcessor()
        opener = urllib.request.build_opener(cookies, urllib.request.HTTPSHandler(context=context))
        secure = f"https://127.0.0.1:{port}"
        opener.open(f"{secure}/join/{hub.link().rpartition('/')[2]}", b"", timeout=10).close()
        with opener.open(f"{secure}/staff", timeout=10) as page:
            assert "People of the staff" in page.read().decode()
        assert [cookie.secure for cookie in cookies.cookiejar] == [True]
        with urllib.request.urlopen(f"{hub.url}/cert") as page:  # what `companion cert` has told them to open
            text = page.read().decode()
        assert (HouseCertificate(tmp_path / "hub").fingerprint() in text, f":{port}</a>" in text) == (True, True)


def test_a_table_calls_the_staff_and_hears_that_they_come(tmp_path):
    with started(tmp_path / "hub") as hub, table(tmp_path / "t", "--hub", hub.url, "--enrol", hub.code()) as service:
        staff = hub.come_in()

        def says(sentence, url):
            with staff.open(url, timeout=10) as page:
                return sentence in page.read().decode()

        until(lambda: says("Call a referee", service.url))
        key = board(hub, "waits")["id"]  # only now: a table that is not enrolled yet has another
        urllib.request.urlopen(f"{service.url}/hall/call", b"", timeout=10).close()
        until(lambda: hub.ask("/v1/live")[0]["calls_us"])
        assert says("calls a referee", f"{hub.url}/staff")
        staff.open(f"{hub.url}/staff/tables/{key}/come", b"", timeout=10).close()
        until(lambda: says("Somebody of the staff is coming.", service.url))
        until(lambda: not hub.ask("/v1/live")[0]["calls_us"])


def test_a_broker_that_dies_is_started_again_and_hears_the_table_again(tmp_path):
    with started(tmp_path / "hub") as hub, table(tmp_path / "t", "--hub", hub.url, "--enrol", hub.code()) as service:
        board(hub, "waits")
        (old,) = brokers(hub)
        os.kill(old, signal.SIGKILL)
        until(lambda: brokers(hub) not in ([], [old]))
        play(service)
        assert board(hub, "over")


def test_a_hub_that_is_killed_leaves_no_broker_behind(tmp_path):
    hub = Hub(tmp_path / "hub")
    hub.start()
    (broker,) = brokers(hub)
    hub.kill()
    until(lambda: not Path(f"/proc/{broker}/cmdline").exists() or not Path(f"/proc/{broker}/cmdline").read_bytes())


def test_a_guest_at_the_hubs_broker_hears_nothing_and_sends_no_table_away(tmp_path):
    with started(tmp_path / "hub") as hub, table(tmp_path / "t", "--hub", hub.url, "--enrol", hub.code()) as service:
        key = board(hub, "waits")["id"]
        (port,) = {int(line) for line in re.findall(r"listener (\d+)", (tmp_path / "hub/mosquitto.conf").read_text())}
        guest = Subscriber(port)
        try:
            topic = f"table-companion/{topic_of(tmp_path / 't')}"
            for part, payload in (("availability", "offline"), ("table", json.dumps(said(wall_us(), key=None)))):
                guest.client.publish(f"{topic}/{part}", payload, qos=1, retain=True).wait_for_publish(10)
            play(service)
            assert board_of(hub, key, "over")["seats"]
            assert guest.messages.empty()  # What it says itself it does not hear either.
        finally:
            guest.close()


def topic_of(folder):
    """The name by which a table is known at brokers, as its journal keeps it."""
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite3")) as db:
        return db.execute("SELECT value FROM settings WHERE name = 'mqtt_id'").fetchone()[0]


def board_of(hub, key, state):
    """The line of a table, once it is in that state."""
    return until(lambda: next((one for one in hub.ask("/v1/live") if (one["id"], one["state"]) == (key, state)), None))


def test_a_broker_that_runs_already_is_used(tmp_path):
    broker = Mosquitto(tmp_path)
    try:
        with started(tmp_path / "hub", "--mqtt", f"mqtt://127.0.0.1:{broker.port}") as hub:
            assert brokers(hub) == []
            with table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code()):
                board(hub, "waits")
            assert hub.ask("/healthz")["status"] == "ok"
            broker.stop()  # It dies: the staff read it, and so does whoever watches over the hub.
            until(lambda: hub.ask("/healthz")["status"] == "trouble")
            lost = "The broker doesn't answer, so no table is shown live. Look whether it runs."
            assert hub.ask("/healthz")["troubles"] == [lost]
    finally:
        broker.stop()


def test_a_table_that_names_a_broker_itself_is_shown_with_all_its_topics(tmp_path):
    broker = Mosquitto(tmp_path)
    at = ("--mqtt", f"mqtt://127.0.0.1:{broker.port}")
    try:
        with started(tmp_path / "hub", *at) as hub, contextlib.ExitStack() as leaves:
            leaves.enter_context(table(tmp_path / "table", "--hub", hub.url, "--enrol", hub.code(), *at))
            until(lambda: [line["is_enrolled"] for line in hub.ask("/v1/live") if line["state"] == "waits"] == [True])
            leaves.close()
            until(lambda: [line["state"] for line in hub.ask("/v1/live") if line["is_enrolled"]] == ["silent"])
    finally:
        broker.stop()


def test_five_simulated_tables_play(tmp_path):
    with started(tmp_path / "hub", "--demo") as hub:
        until(lambda: len([line for line in hub.ask("/v1/live") if line["is_enrolled"] and line["seats"]]) == 5)
        before = hub.ask("/v1/live")
        until(lambda: [line["seats"] for line in hub.ask("/v1/live")] != [line["seats"] for line in before])
        assert all(table["name"] for table in hub.ask("/v1/tables"))
