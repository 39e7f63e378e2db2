"""One device cannot have all threads of the service."""

import contextlib
import socket
import urllib.parse
from collections import Counter
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

import web.live.worker
from tests.service import running
from web.live.worker import MOST_OF_ONE, Worker


@pytest.fixture
def worker(monkeypatch):
    """A worker without gunicorn around it: what it would hand to a thread is `taken`."""
    found = Worker.__new__(Worker)
    found.busy, found.encrypt, found.nr_conns, found.taken = Counter(), {}, 0, []
    monkeypatch.setattr(web.live.worker.ThreadWorker, "enqueue_req", lambda self, conn: self.taken.append(conn))
    monkeypatch.setattr(web.live.worker.ThreadWorker, "finish_request", lambda self, conn, fs: None)
    return found


def asks(worker, address):
    """A device asks for something; whether it was closed instead."""
    closed = []
    conn = SimpleNamespace(client=(address, 1), close=lambda: closed.append(True))
    worker.nr_conns += 1
    worker.enqueue_req(conn)
    return conn, bool(closed)


def test_one_device_has_a_few_requests_at_once_and_others_theirs(worker):
    first = [asks(worker, "192.168.1.20") for _ in range(MOST_OF_ONE)]
    assert not any(closed for _, closed in first)
    assert asks(worker, "192.168.1.20")[1]
    assert not asks(worker, "192.168.1.21")[1]
    worker.finish_request(first[0][0], Future())
    assert not asks(worker, "192.168.1.20")[1]
    assert len(worker.taken) == worker.nr_conns == MOST_OF_ONE + 2


def test_a_proxy_on_this_machine_speaks_for_many(worker):
    assert not any(asks(worker, "127.0.0.1")[1] for _ in range(3 * MOST_OF_ONE))


def test_nobody_is_remembered_who_asks_nothing(worker):
    conn, _ = asks(worker, "192.168.1.20")
    worker.finish_request(conn, Future())
    assert not worker.busy


def test_a_farewell_waits_on_the_thread_of_its_request_alone(worker, monkeypatch):
    """gunicorn gives a device two seconds to close its end, during which nobody else would be answered."""
    monkeypatch.setattr(web.live.worker.ThreadWorker, "handle", lambda self, conn: False)
    closings = []
    here, there = socket.socketpair()
    with here, there:
        conn = SimpleNamespace(
            client=("192.168.1.20", 1), server=("", 1), sock=here, close=lambda **how: closings.append(how)
        )
        worker.nr_conns = 1
        worker.enqueue_req(conn)
        assert worker.handle(conn) is False
        assert closings == [{"graceful": True}]
        monkeypatch.undo()
        worker.finish_request(conn, Future())
    assert (len(closings), worker.nr_conns) == (1, 0)


def test_a_request_that_never_ends_is_given_up(tmp_path, capfd):
    """The kernel's own patience, as the real service sets it; SLOW_S is short enough to wait for once."""
    with running(tmp_path / "data", "--camera", "none") as service:
        there = urllib.parse.urlsplit(service.url)
        with contextlib.closing(socket.create_connection((there.hostname, there.port), timeout=30)) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: local")
            assert slow.recv(1000) == b""
        assert service.call("/healthz")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("sent", [b"GET /join/secret HTTP/9.9\r\n\r\n", b"nonsense secret\r\n\r\n"])
def test_the_log_names_no_device_and_no_link(tmp_path, capfd, sent):
    with running(tmp_path / "data", "--camera", "none") as service:
        there = urllib.parse.urlsplit(service.url)
        with socket.create_connection((there.hostname, there.port), timeout=10) as line:
            line.sendall(sent)
            assert b" 400 " in line.recv(1_000)
    written = capfd.readouterr().err
    assert "no request of HTTP" in written
    assert "127.0.0.1" not in written
    assert "secret" not in written
