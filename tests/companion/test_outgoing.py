"""The one client for what the program asks of others: where it goes, for how long, and how much it takes."""

import contextlib
import ipaddress
import socket
import threading
import time

import pytest

from companion.app.service.mqtt import Broker, HallPublisher
from companion.network import addresses, outgoing
from companion.network.links import Interface
from companion.network.outgoing import NoHttp, NotOutside, ask, line_to, spread


@contextlib.contextmanager
def serving(*pieces, pause_s=0.0):
    """A server that answers each connection with these pieces; yields its port and what it was sent."""
    heard, ended = [], threading.Event()

    def answer(line):
        with line, contextlib.suppress(OSError):
            heard.append(line.recv(65_536))
            for piece in pieces:
                line.sendall(piece)
                if ended.wait(pause_s):
                    return

    def serve():
        while not ended.is_set():
            with contextlib.suppress(OSError):
                line, _address = door.accept()
                threading.Thread(target=answer, args=(line,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=serve, daemon=True).start()
        yield door.getsockname()[1], heard
        ended.set()


def asked(port, path="/", within_s=5.0, most_bytes=1_000):
    return ask("GET", f"http://127.0.0.1:{port}{path}", within_s=within_s, most_bytes=most_bytes)


def test_an_answer_comes_with_its_status_whatever_its_form():
    for pieces in (
        [b"HTTP/1.1 503 Away\r\nContent-Length: 5\r\n\r\nLater"],
        [b"HTTP/1.1 503 Away\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nLat\r\n2\r\ner\r\n0\r\n\r\n"],
        [b"HTTP/1.0 503 Away\r\n\r\nLat", b"er"],
        [b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Away\r\nContent-Length: 5\r\n\r\nLater"],
    ):
        with serving(*pieces) as (port, heard):
            reply = asked(port, "/v1/hub?challenge=1")
        assert (reply.status, reply.body) == (503, b"Later")
        assert heard[0].startswith(b"GET /v1/hub?challenge=1 HTTP/1.1\r\n")
        assert b"Host: 127.0.0.1:%d\r\n" % port in heard[0]


def test_a_redirect_leads_nowhere():
    with (
        serving() as (port, led),
        serving(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/\r\n\r\n" % port) as (
            door,
            _heard,
        ),
    ):
        assert asked(door).status == 302
        assert led == []


@pytest.mark.parametrize(
    "pieces",
    [
        [b"HTTP/1.1 200 OK\r\n", *[b"X"] * 1_000],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", *[b"X"] * 1_000],
    ],
)
def test_bytes_that_drip_do_not_make_the_time_longer(pieces):
    began_s = time.monotonic()
    with serving(*pieces, pause_s=0.05) as (port, _heard), pytest.raises(TimeoutError):
        asked(port, within_s=0.5)
    assert time.monotonic() - began_s < 2


def test_a_line_that_is_never_answered_ends_in_time():
    with socket.create_server(("127.0.0.1", 0)) as door, pytest.raises(TimeoutError):
        asked(door.getsockname()[1], within_s=0.3)


def test_what_is_too_long_is_left_unread():
    with serving(b"HTTP/1.1 200 OK\r\n\r\n", *[b"X" * 65_536] * 100) as (port, _heard):
        assert asked(port, most_bytes=70_000).body == b"X" * 70_000
    with serving(b"HTTP/1.1 200 OK\r\nX: ", *[b"X" * 65_536] * 100) as (port, _heard), pytest.raises(NoHttp):
        asked(port)


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH\r\n\r\n", b"", b"HTTP/1.1 two OK\r\n\r\n", b"\xff" * 100 + b"\r\n\r\n"]
)
def test_what_speaks_no_http_is_an_error_of_the_network(said):
    with serving(said) as (port, _heard), pytest.raises(NoHttp):
        asked(port, within_s=30)


HERE = [
    *(
        "127.0.0.1",
        "127.0.1.1",
        "169.254.1.2",
        "::1",
        "fe80::1",
        "0.0.0.0",
        "::",
        "fe80::1%1",
        "224.0.0.251",
        "ff02::1",
    ),
    *("::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a9fe:102", "172.17.0.1"),
    *("2002:7f00:1::", "2001:0:7f00:1::1", "2001:0:102:304:0:0:80ff:fffe", "64:ff9b::ac11:2", "172.17.0.2", "fd17::2"),
]
OUTSIDE = ["203.0.113.9", "2001:db8::9", "64:ff9b::cb00:7109", "2002:cb00:7109::1", "172.18.0.1"]


def own(index, kind, *its, **more):
    return Interface(index, f"i{index}", kind, addresses=tuple(map(ipaddress.ip_interface, its)), **more)


@pytest.fixture
def tried(monkeypatch):
    """The addresses to which a line was tried, on a machine with a card and Docker's bridge."""
    mine = own(1, "", "192.168.1.20/24", "fe80::2/64"), own(2, "bridge", "172.17.0.1/16", "fd17::1/64", "fe80::3/64")
    monkeypatch.setattr(addresses, "interfaces", lambda: mine)
    tried = []

    def is_tried(address, _within_s):
        tried.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", is_tried)
    return tried


def leads_to(monkeypatch, *found):
    monkeypatch.setattr(outgoing, "addresses_of", lambda _name, _within_s: list(found))


@pytest.mark.parametrize("here", HERE)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_name_leads_to_nothing_that_only_this_machine_has(here, place, tried, monkeypatch):
    mix = ["203.0.113.9", "192.168.1.5"]
    mix.insert(place, here)
    leads_to(monkeypatch, *mix)
    with pytest.raises(ConnectionRefusedError):
        line_to("hub.example", 8100, 1.0)
    assert tried == ["203.0.113.9", "192.168.1.5"]
    with pytest.raises(NotOutside):  # A hub that names a broker so is not believed at all.
        line_to("broker.example", 1883, 1.0, is_owners=False)
    leads_to(monkeypatch, here)
    with pytest.raises(NotOutside):
        line_to("hub.example", 8100, 1.0)
    assert tried == ["203.0.113.9", "192.168.1.5"]


@pytest.mark.parametrize("outside", OUTSIDE)
def test_any_other_address_is_gone_to_whoever_names_it(outside, tried, monkeypatch):
    leads_to(monkeypatch, outside)
    for host, is_owners in (("hub.example", True), ("broker.example", False), (outside, True), (outside, False)):
        with pytest.raises(ConnectionRefusedError):
            line_to(host, 8100, 1.0, is_owners=is_owners)
    assert tried == [outside] * 4


@pytest.mark.parametrize("written", ["127.0.0.1", "::1", "fe80::1", "172.17.0.1", "localhost", socket.gethostname()])
def test_a_hub_names_nothing_that_only_this_machine_has(written, tried, monkeypatch):
    leads_to(monkeypatch, "127.0.0.1")
    with pytest.raises(NotOutside):
        line_to(written, 1883, 1.0, is_owners=False)
    assert tried == []
    with pytest.raises(ConnectionRefusedError):
        line_to(written, 1883, 1.0)
    assert len(tried) == 1


@pytest.mark.parametrize("near", ["169.254.7.7", "fe80::7%1"])
def test_a_name_of_the_cable_leads_along_the_cable(near, tried, monkeypatch):
    leads_to(monkeypatch, "127.0.0.1", near)
    with pytest.raises(ConnectionRefusedError):
        line_to("Hub.local.", 8100, 1.0)
    leads_to(monkeypatch, near)
    with pytest.raises(ConnectionRefusedError):
        line_to("broker.local", 1883, 1.0, is_owners=False)
    assert tried == [near, near]


@pytest.mark.parametrize("found", [["127.0.0.1"], ["203.0.113.9", "127.0.0.1"], ["::ffff:127.0.0.1"]])
@pytest.mark.parametrize("is_owners", [True, False])
def test_a_tables_line_to_its_hubs_broker_is_one_of_this_client(host, found, is_owners, tried, monkeypatch):
    leads_to(monkeypatch, *found)
    publisher = HallPublisher(host, Broker("broker.example", 1883, secure=False, is_owners=is_owners))
    with pytest.raises(ConnectionRefusedError if is_owners and found[1:] else NotOutside):
        publisher._client.reconnect()  # It looks the name up each time.
    assert tried == (found[:-1] if is_owners else [])
    publisher.start()
    until_s = time.monotonic() + 30
    while "hall" not in host.status.lines and time.monotonic() < until_s:
        time.sleep(0.01)
    publisher.stop()
    assert "doesn't hear this table" in host.status.lines["hall"].text


@pytest.mark.parametrize(
    ("path", "said"),
    [("/zähler", b"GET /z%C3%A4hler HTTP/1.1\r\n"), ("/a b?c=ä#d", b"GET /a%20b?c=%C3%A4 HTTP/1.1\r\n")],
)
def test_names_and_paths_with_umlauts_are_asked_as_http_spells_them(path, said, monkeypatch):
    with serving(b"HTTP/1.1 200 OK\r\n\r\n") as (port, heard):
        leads_to(monkeypatch, "127.0.0.1")
        monkeypatch.setattr(outgoing, "only_here", lambda _address: False)
        assert ask("GET", f"http://Hüb.example:{port}{path}", within_s=5, most_bytes=10).status == 200
    assert heard[0].startswith(said)
    assert b"Host: xn--hb-xka.example:%d\r\n" % port in heard[0]


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("http://a..b/", {}),
        (f"http://{'ä' * 70}.example/", {}),
        ("http://127.0.0.1:1/", {"Name": "Jürgen"}),
        ("http://127.0.0.1:1/", {"Na me": "x"}),
        ("http://127.0.0.1:1/", {"Name": "x\r\ny: z"}),
    ],
)
def test_what_http_cannot_say_is_an_error_of_the_network(url, headers):
    with pytest.raises(NoHttp):
        ask("GET", url, headers=headers, within_s=5, most_bytes=10)


def test_its_owner_may_name_this_machine():
    with serving(b"HTTP/1.1 200 OK\r\n\r\n") as (port, _heard):
        for host in ("127.0.0.1", "localhost"):
            assert ask("GET", f"http://{host}:{port}", within_s=5, most_bytes=10).status == 200
    assert outgoing.is_this_machine(socket.gethostname())


@pytest.mark.parametrize("name", ["hub.example", "localhost", socket.gethostname()])
def test_a_look_up_that_hangs_ends_in_time(name, monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_name, **_more: ended.wait(20) and [])
    began_s = time.monotonic()
    with pytest.raises(TimeoutError):
        ask("GET", f"http://{name}", within_s=0.2, most_bytes=10)
    assert time.monotonic() - began_s < 10
    ended.set()


def test_waits_are_spread():
    waits = {spread(100.0) for _number in range(50)}
    assert len(waits) == 50
    assert 75 <= min(waits) < 95 < 105 < max(waits) <= 125
