"""The one client for what the program asks of others: where it goes, for how long, and how much it takes."""

import contextlib
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

from companion.app.service import uploader
from companion.network import outgoing
from companion.network.outgoing import NotOutside, Unreadable, ask, connect, spread


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
    with serving(b"HTTP/1.1 200 OK\r\nX: ", *[b"X" * 65_536] * 100) as (port, _heard), pytest.raises(Unreadable):
        asked(port)


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH\r\n\r\n", b"", b"HTTP/1.1 two OK\r\n\r\n", b"\xff" * 100 + b"\r\n\r\n"]
)
def test_what_speaks_no_http_is_an_error_of_the_network(said):
    with serving(said) as (port, _heard), pytest.raises((Unreadable, TimeoutError)):
        asked(port, within_s=0.5)


HERE = ["127.0.0.1", "127.0.1.1", "169.254.1.2", "::1", "fe80::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "fe80::1%1"]


@pytest.mark.parametrize("address", HERE)
def test_a_name_leads_to_nothing_that_only_this_machine_has(address, monkeypatch):
    monkeypatch.setattr(outgoing, "addresses_of", lambda _name, _within_s: [address])
    with pytest.raises(NotOutside):
        connect(urlsplit("http://hub.example:8100"), 1.0)
    assert not uploader.may_be_broker("broker.example", "hub.example")
    assert uploader.may_be_broker("broker.example", "localhost")


def test_its_owner_may_name_this_machine():
    with serving(b"HTTP/1.1 200 OK\r\n\r\n") as (port, _heard):
        for host in ("127.0.0.1", "localhost"):
            assert ask("GET", f"http://{host}:{port}", within_s=5, most_bytes=10).status == 200
    assert outgoing.is_this_machine(socket.gethostname())


def test_a_look_up_that_hangs_ends_in_time(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_name, **_more: ended.wait(20) and [])
    with pytest.raises(TimeoutError):
        ask("GET", "http://hub.example", within_s=0.2, most_bytes=10)
    ended.set()


def test_waits_are_spread():
    waits = {spread(100.0) for _number in range(50)}
    assert len(waits) == 50
    assert 75 <= min(waits) < 95 < 105 < max(waits) <= 125
