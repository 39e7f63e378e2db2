"""How requests come in: nobody who is slow, greedy or talks nonsense keeps others from being answered."""

import contextlib
import re
import shutil
import socket
import ssl
import threading
import time
import urllib.parse

import pytest
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request, Response

import web.serving.body
import web.serving.connections
import web.serving.front
from companion.changes import Live
from companion.errors import NotFound
from companion.network.certificate import HouseCertificate
from companion.network.https import Https
from tests.service import running
from web.live.streams import Streams
from web.serving.connections import Connections
from web.serving.front import Front
from web.serving.server import PageServer
from web.serving.workers import Workers

HERE, TABLET, PHONE = "127.0.0.1", "127.0.0.2", "127.0.0.3"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
LONG = 6_000_000  # bytes: more than the kernel takes for somebody
LONG_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n" + 20_000 * b"x"  # and no end
PIECES, SMALL_PIECES = 60, 600  # of an answer, each a tenth of that, or a hundredth


def test_work_is_done_once_the_system_allows_threads_again(monkeypatch):
    workers, start = Workers("requests", 2), threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda _thread: (_ for _ in ()).throw(RuntimeError("no more")))
    for _each in range(3):
        with pytest.raises(RuntimeError):
            workers.submit(int)
    monkeypatch.setattr(threading.Thread, "start", start)
    assert [workers.submit(abs, -number).result(timeout=20) for number in range(3)] == [0, 1, 2]
    workers.shutdown()


class Pages:
    """An application that answers when it may, and writes down what it was sent."""

    def __init__(self):
        self.go_on, self.asked, self.read = threading.Event(), 0, []
        self.made = self.closed = 0  # pieces, and answers in pieces that are over
        self.go_on.set()

    def pieces(self, path):
        """An answer in pieces, which takes more than the kernel does for somebody."""
        try:
            for number in range(SMALL_PIECES if "small" in path else PIECES):
                if "deleted" in path and number == 3:
                    raise NotFound("deleted meanwhile")
                self.made += 1
                yield b"x" * (LONG // (100 if "small" in path else 10))
        finally:
            self.closed += 1

    def __call__(self, environ, start):
        self.asked += 1
        request = Request(environ)
        if request.path == "/broken":
            raise ValueError("broken")
        if request.path == "/wait" or "/history" in request.path:
            assert self.go_on.wait(10)
        if request.path.endswith("/result.csv"):
            return Response(self.pieces(request.path))(environ, start)
        if request.path == "/long":
            return Response(b"x" * LONG)(environ, start)
        request.max_content_length = 1_000 if request.path == "/short" else None
        try:
            self.read.append(request.get_data())
        except HTTPException as why:
            self.read.append(why.code)
            return why.get_response()(environ, start)
        return Response(f"{request.method} {request.full_path} {request.remote_addr}")(environ, start)


@pytest.fixture
def pages():
    return Pages()


@pytest.fixture
def served(pages, monkeypatch, tmp_path):
    """The ports, plain and encrypted, of a server of these pages to which addresses of this machine are devices."""
    monkeypatch.setattr(web.serving.front, "THREADS", 2 * web.serving.front.MOST_OF_ONE)
    monkeypatch.setattr(web.serving.front, "MOST_SENDING", web.serving.front.MOST_OF_ONE)
    monkeypatch.setattr(web.serving.connections, "device_of", lambda address: "" if address == HERE else address)
    tls = None
    if shutil.which("openssl"):
        house = HouseCertificate(tmp_path)
        house.make([])
        tls = Https(house, list).context
    live = Live()
    sockets = [socket.create_server((HERE, 0)), socket.create_server((HERE, 0))]
    ports = [each.getsockname()[1] for each in sockets]
    server = PageServer(Front(pages, Streams(live)), Connections(ports[1], tls), sockets, lambda: None)
    server.start()
    yield ports
    pages.go_on.set()
    assert server.stop()


@pytest.fixture
def line(served):
    """Opens connections."""
    with contextlib.ExitStack() as opened:
        yield lambda device=HERE, port=served[0]: opened.enter_context(
            socket.create_connection((HERE, port), timeout=10, source_address=(device, 0))
        )


def answer(line, wanted=1):
    """The statuses of the next answers, each with a length."""
    said, statuses = b"", []
    while len(statuses) < wanted:
        head, found, rest = said.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head.lower())
        if found and (b" 100 " in head or (length and len(rest) >= int(length[1]))):
            statuses.append(int(head.split()[1]))
            said = rest[int(length[1]) :] if length else rest
            continue
        more = line.recv(65_536)
        assert more, f"the connection was closed after {said[-200:]!r}"
        said += more
    return statuses


def taken(line):
    """The bytes that come until the connection is closed."""
    count = 0
    with contextlib.suppress(ConnectionResetError):
        while more := line.recv(65_536):
            count += len(more)
    return count


def until(condition):
    deadline_s = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


def test_one_device_has_a_few_requests_at_once_and_others_theirs(pages, line):
    pages.go_on.clear()
    most = web.serving.front.MOST_OF_ONE
    waiting = [line(TABLET) for _ in range(most)]
    for each in waiting:
        each.sendall(GET.replace(b"/ ", b"/wait ", 1))
    until(lambda: pages.asked == most)
    too_many, other = line(TABLET), line(PHONE)
    too_many.sendall(GET)
    other.sendall(GET)
    assert answer(other) == [200]
    assert pages.asked == most + 1  # one more waits, and is not cut
    pages.go_on.set()
    assert [answer(each) for each in (*waiting, too_many)] == (most + 1) * [[200]]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
@pytest.mark.parametrize("is_encrypted", [False, True])
def test_large_answers_of_the_house_are_made_one_after_the_other(pages, line, served, tmp_path, is_encrypted):
    """And none for a device that has gone, which over https says farewell first."""
    pages.go_on.clear()
    first, second, gone, other = line(TABLET), line(TABLET), line(TABLET, served[is_encrypted]), line(PHONE)
    if is_encrypted:
        trusting = ssl.create_default_context(cafile=str(HouseCertificate(tmp_path).authority))
        gone = trusting.wrap_socket(gone, server_hostname="table.local")
    first.sendall(GET.replace(b"/ ", b"/s/game/history ", 1))
    until(lambda: pages.asked)
    for each in (second, gone):
        each.sendall(GET.replace(b"/ ", b"/api/sessions/game/export ", 1))
    if is_encrypted:
        gone.setblocking(False)
        with contextlib.suppress(ssl.SSLWantReadError):  # It waits for no answer to its farewell.
            gone.unwrap()
    gone.close()
    other.sendall(GET)
    assert answer(other) == [200]
    assert pages.asked == 2
    pages.go_on.set()
    assert [answer(first), answer(second)] == [[200], [200]]
    until(lambda: pages.asked == 3)
    third = line(TABLET)
    third.sendall(GET.replace(b"/ ", b"/s/game/history ", 1))
    assert answer(third) == [200]
    assert pages.asked == 4  # The export of the device that has gone was not among them.


def test_a_fault_of_the_pages_is_answered_and_logged(line, caplog):
    broken = line(TABLET)
    broken.sendall(GET.replace(b"/ ", b"/broken ", 1))
    assert answer(broken) == [500]
    assert broken.recv(1) == b""
    assert [record.getMessage() for record in caplog.records] == ["A request was not answered."]


def test_a_proxy_on_this_machine_speaks_for_many(pages, line):
    pages.go_on.clear()
    many = [line() for _ in range(2 * web.serving.front.MOST_OF_ONE)]
    for each in many:
        each.sendall(GET.replace(b"/ ", b"/wait ", 1))
    until(lambda: pages.asked == len(many))
    pages.go_on.set()
    assert [answer(each) for each in many] == len(many) * [[200]]


@pytest.mark.parametrize("first", [b"", b"GET / HTTP/1.1\r\nHost: local", GET], ids=["nothing", "half a head", "one"])
def test_who_does_not_ask_in_good_time_is_given_up(line, monkeypatch, first):
    """A whole head, not its next byte: one that drips is given up, too."""
    monkeypatch.setattr(web.serving.connections, "WAIT_S", 0.3)
    slow = line()
    slow.sendall(first)
    with contextlib.suppress(OSError):
        for _ in range(200):
            slow.sendall(b"x" if first else b"")
            time.sleep(0.01)
    slow.settimeout(5)
    with contextlib.suppress(ConnectionResetError):
        while slow.recv(1000):
            pass


def test_a_body_that_drips_has_no_thread_and_is_refused_in_time(pages, line, monkeypatch):
    monkeypatch.setattr(web.serving.body, "BODY_S", 0.3)
    slow, began_s = line(), time.monotonic()
    slow.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n")
    for _ in range(10):
        slow.sendall(b"x")
        assert not pages.asked or time.monotonic() - began_s > 0.3  # then it has been refused
        time.sleep(0.01)
    assert answer(slow) == [408]
    assert pages.read == [408]


def test_a_long_body_is_read_as_it_comes_and_may_take_as_long_as_it_is(pages, line, monkeypatch):
    monkeypatch.setattr(web.serving.body, "BODY_S", 0.5)
    sending = line()
    sending.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000\r\n\r\n" + 200_000 * b"a")
    until(lambda: pages.asked)
    time.sleep(0.6)
    sending.sendall(200_000 * b"b")
    assert answer(sending) == [200]
    assert pages.read == [200_000 * b"a" + 200_000 * b"b"]


def test_a_body_that_breaks_off_reaches_nobody_as_whole(pages, line):
    gone = line()
    gone.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
    gone.shutdown(socket.SHUT_WR)
    assert gone.recv(100) == b""
    sending = line()
    sending.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000\r\n\r\n" + 200_000 * b"a")
    until(lambda: pages.asked)
    sending.shutdown(socket.SHUT_WR)
    until(lambda: pages.read)
    assert pages.read == [400]


TOO_LARGE = b"POST /short HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6000000\r\n\r\n"
ENDED = TOO_LARGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


@pytest.mark.parametrize("head", [TOO_LARGE, ENDED])
@pytest.mark.parametrize("port", [0, 1])
def test_who_sends_too_much_reads_why(served, line, tmp_path, head, port):
    """Also one that reads nothing before it has sent everything, as most programs do."""
    device = line(TABLET, served[port])
    if port:
        trusting = ssl.create_default_context(cafile=str(HouseCertificate(tmp_path).authority))
        device = trusting.wrap_socket(device, server_hostname="table.local")
    with device:
        device.sendall(head + LONG * b"x")
        assert answer(device) == [413]
        if head == ENDED:
            assert device.recv(100) == b""
        else:
            device.sendall(GET)
            assert answer(device) == [200]


def test_who_sends_too_much_reads_why_at_once(line):
    device = line(TABLET)
    device.settimeout(web.serving.body.BODY_S / 2)
    device.sendall(TOO_LARGE + 20_000 * b"x")
    assert answer(device) == [413]


def test_who_never_stops_sending_too_much_is_cut_off(line, monkeypatch):
    monkeypatch.setattr(web.serving.body, "MOST_LEFT_BYTES", LONG // 2)
    monkeypatch.setattr(web.serving.connections, "WAIT_S", 0.2)
    device = line(TABLET)
    device.sendall(TOO_LARGE.replace(b"6000000", b"600000000"))
    with pytest.raises(ConnectionError):
        device.sendall(100 * LONG * b"x")


def test_an_end_waits_for_nobody_who_is_slow(tmp_path, capfd):
    """Silent ones, halves of heads and bodies, long bodies that stop, and streams."""
    with running(tmp_path / "data", "--camera", "none") as service, contextlib.ExitStack() as opened:
        _, game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann"]})
        there = urllib.parse.urlsplit(service.url)
        form = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 90000\r\n\r\npin="
        for sent in (
            b"",
            b"GET / HT",
            b"POST /pin HTTP/1.1\r\nHost: localhost\r\n" + form,
            b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n" + form + 80_000 * b"x",
            f"GET /api/sessions/{game['id']}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        ):
            line = opened.enter_context(socket.create_connection((there.hostname, there.port), timeout=10))
            line.sendall(sent)
        assert line.recv(100)
        service.process.terminate()
        assert service.process.wait(10) == 0
    assert capfd.readouterr().err == ""


def test_who_reads_slowly_keeps_no_thread(pages, line, monkeypatch):
    """More of them than there are threads."""
    monkeypatch.setattr(web.serving.connections, "MOST_UNSENT", 1_000 * LONG)
    slow = [line() for _ in range(web.serving.front.THREADS + 1)]
    for each in slow:
        each.sendall(GET.replace(b"/ ", b"/long ", 1))
    until(lambda: pages.asked == len(slow))
    quick = line()
    quick.sendall(GET)
    assert answer(quick) == [200]
    assert answer(slow[0]) == [200]  # all of it


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
@pytest.mark.parametrize("is_encrypted", [False, True])
def test_who_takes_a_long_answer_steadily_gets_all_of_it(line, served, tmp_path, monkeypatch, is_encrypted):
    """Also when the connection ends with it, which over https takes a farewell."""
    monkeypatch.setattr(web.serving.connections, "WAIT_S", 2.0)
    steady, got = line(port=served[is_encrypted]), 0
    steady.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 100_000)
    if is_encrypted:
        trusting = ssl.create_default_context(cafile=str(HouseCertificate(tmp_path).authority))
        steady = trusting.wrap_socket(steady, server_hostname="table.local")
    with steady:
        steady.sendall(LAST.replace(b"/ ", b"/long ", 1))
        began_s = time.monotonic()
        while got < LONG:
            more = steady.recv(100_000)
            assert more
            got += len(more)
            time.sleep(0.5e-6 * len(more))
    assert time.monotonic() - began_s > 1.4 * web.serving.connections.WAIT_S


def test_who_asks_ahead_is_answered_as_they_take(pages, line):
    ahead, quick = line(TABLET), line(PHONE)
    ahead.sendall(2 * GET.replace(b"/ ", b"/long ", 1))
    until(lambda: pages.asked)
    quick.sendall(GET + GET)
    assert answer(quick, 2) == [200, 200]
    assert pages.asked == 3
    assert answer(ahead, 2) == [200, 200]


def test_answers_that_nobody_takes_fill_no_memory(pages, line, monkeypatch):
    """Whoever lets most of them wait loses some, and nobody else."""
    monkeypatch.setattr(web.serving.connections, "MOST_UNSENT", 2 * LONG)
    other, greedy = line(PHONE), [line(TABLET) for _ in range(10)]
    for each in (other, *greedy):
        each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 100_000)
        each.sendall(LAST.replace(b"/ ", b"/long ", 1))
    until(lambda: pages.asked == 11)
    pause = line()
    pause.sendall(GET)
    assert answer(pause) == [200]
    assert taken(other) > LONG
    lengths = [taken(each) for each in greedy]
    assert min(lengths) < LONG < max(lengths)


@pytest.mark.parametrize("first", [b"", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\nx"])
def test_where_there_are_too_many_connections_the_oldest_that_waits_goes(pages, line, monkeypatch, first):
    """One whose request is not whole waits, too: else slow ones with halves of bodies could leave no room."""
    monkeypatch.setattr(web.serving.connections, "MOST_OF_ONE", 3)
    pages.go_on.clear()
    busy, idle = line(TABLET), line(TABLET)
    busy.sendall(GET.replace(b"/ ", b"/wait ", 1))
    until(lambda: pages.asked)
    idle.sendall(first)
    line(TABLET), line(TABLET)
    with contextlib.suppress(ConnectionResetError):
        assert idle.recv(10) == b""
    pages.go_on.set()
    assert answer(busy) == [200]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
@pytest.mark.parametrize("first_words", [b"", b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n"])
def test_a_handshake_that_does_not_end_is_given_up(line, served, monkeypatch, first_words, capfd, caplog):
    monkeypatch.setattr(web.serving.connections, "WAIT_S", 0.3)
    slow = line(port=served[1])
    slow.sendall(first_words)
    with contextlib.suppress(ConnectionResetError):
        assert b"200" not in slow.recv(100)
    assert (caplog.text, capfd.readouterr().err) == ("", "")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
def test_words_that_come_with_the_end_of_the_handshake_are_heard(line, served, tmp_path):
    trusting = ssl.create_default_context(cafile=str(HouseCertificate(tmp_path).authority))
    for _ in range(20):
        with trusting.wrap_socket(line(port=served[1]), server_hostname="table.local") as encrypted:
            encrypted.sendall(GET + GET)
            assert answer(encrypted, 2) == [200, 200]


# HTTP as RFC 9112 has it


@pytest.mark.parametrize(
    ("sent", "statuses", "read"),
    [
        (GET + GET, [200, 200], [b"", b""]),
        (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", [200], [b""]),
        (b"GET / HTTP/1.0\r\n\r\n", [200], [b""]),
        (
            b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
            [200],
            [b"hello"],
        ),
        (
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
            [100, 200],
            [b"hello"],
        ),
    ],
    ids=["two at once", "a whole address", "1.0", "chunked", "expecting"],
)
def test_requests(pages, line, sent, statuses, read):
    asking = line()
    asking.sendall(sent)
    assert answer(asking, len(statuses)) == statuses
    assert pages.read == read


def test_who_asks_whether_to_go_on_is_told(pages, line):
    asking = line()
    asking.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    assert answer(asking) == [100]
    asking.sendall(b"hello")
    assert answer(asking) == [200]


def test_head_has_a_length_and_no_body(line):
    asking = line()
    asking.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    said = b"".join(iter(lambda: asking.recv(1000), b""))
    assert said.lower().count(b"content-length: ") == 1
    assert said.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /join/secret HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"nonsense secret\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /join/secret HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    ],
)
def test_nonsense_is_refused_with_a_sentence_and_fills_no_log(tmp_path, capfd, sent):
    with running(tmp_path / "data", "--camera", "none") as service:
        there = urllib.parse.urlsplit(service.url)
        with socket.create_connection((there.hostname, there.port), timeout=10) as line:
            line.sendall(sent)
            said = b"".join(iter(lambda: line.recv(1_000), b""))
            assert said.startswith(b"HTTP/1.1 400 ")
            assert b"Invalid HTTP request received." in said
        assert service.call("/healthz")[0] == 200
    assert capfd.readouterr().err == ""


def begin_in_pieces(line, device, path=b"/s/one/result.csv"):
    """A connection on which an answer in pieces has begun to come."""
    begun = line(device)
    begun.sendall(GET.replace(b"/ ", path + b" ", 1))
    assert b"chunked" in begun.recv(1_000).lower()
    return begun


def test_an_answer_in_pieces_is_made_no_faster_than_it_is_taken_and_keeps_no_turn(pages, line):
    slow = begin_in_pieces(line, TABLET)
    other = line(PHONE)
    other.sendall(GET.replace(b"/ ", b"/s/one/history ", 1))  # it needs the house's one turn
    assert answer(other) == [200]
    assert pages.made < PIECES  # the rest of it waits for the tablet, in no memory
    slow.sendall(LAST)
    assert taken(slow) > (PIECES - 1) * LONG // 10  # the head was taken with some of the first
    assert (pages.made, pages.closed) == (PIECES, 1)


def test_one_device_has_a_few_unfinished_answers_and_others_theirs(pages, line):
    most = web.serving.front.MOST_UNFINISHED
    slow = [begin_in_pieces(line, TABLET) for _ in range(most)]
    too_many = line(TABLET)
    too_many.sendall(GET.replace(b"/ ", b"/s/one/result.csv ", 1))
    begin_in_pieces(line, PHONE).close()
    until(lambda: pages.closed == 1)
    assert pages.asked == most + 1
    slow[0].close()  # nobody takes the rest of that one: it is over, too
    assert b"chunked" in too_many.recv(1_000).lower()
    assert pages.asked == most + 2


def test_an_answer_of_which_no_more_can_be_made_is_broken_off(pages, line, caplog):
    broken = begin_in_pieces(line, TABLET, b"/s/deleted/result.csv")
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while more := broken.recv(65_536):
            said += more
    assert not said.endswith(b"0\r\n\r\n")  # what ends an answer: so the device knows that this one is not whole
    assert [each.getMessage() for each in caplog.records] == ["An answer was broken off: deleted meanwhile"]
    assert pages.closed == 1
    plain = line(TABLET)
    plain.sendall(GET)
    assert answer(plain) == [200]


def test_no_more_of_an_answer_is_made_for_a_device_that_has_gone(pages, line):
    for _ in range(3):
        begin_in_pieces(line, TABLET).close()
    until(lambda: pages.closed == 3)
    assert pages.made < PIECES / 2


def test_half_an_answer_is_taken_for_a_whole_one_by_no_program_of_http_1_0(pages, line):
    """There the end of a connection is the end of an answer, but not its reset. nginx asks so by itself."""
    broken = line(TABLET)
    broken.sendall(b"GET /s/deleted/result.csv HTTP/1.0\r\n\r\n")
    with pytest.raises(ConnectionResetError):
        list(iter(lambda: broken.recv(65_536), b""))


def test_devices_that_take_no_more_of_an_answer_fill_no_memory(pages, line, monkeypatch):
    """However many they are: what waits to be made of an answer counts, too."""
    monkeypatch.setattr(web.serving.connections, "MOST_UNSENT", 12 * web.serving.front.KEPT_BYTES)
    for number in range(20):
        begun = line(f"127.0.1.{number % 5}")
        begun.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 10_000)
        begun.sendall(GET.replace(b"/ ", b"/s/small/result.csv ", 1))
        assert b"chunked" in begun.recv(1_000).lower()
    until(lambda: pages.closed >= 8)
    assert pages.closed < 16
    plain = line(PHONE)
    plain.sendall(GET)
    assert answer(plain) == [200]


def test_who_sends_long_bodies_slowly_keeps_the_houses_turn_from_nobody(pages, line):
    """As many as one device may have, each with a body that does not end, and one that takes long."""
    slow = [line(TABLET) for _ in range(web.serving.front.MOST_OF_ONE)]
    for each in slow:
        each.sendall(LONG_BODY)
    until(lambda: pages.asked == web.serving.front.MOST_SENDING_OF_ONE)
    waiting, other = line(TABLET), line(PHONE)
    waiting.sendall(GET.replace(b"/ ", b"/s/game/history ", 1))
    for path in (b"/ ", b"/ ", b"/s/game/history "):
        other.sendall(GET.replace(b"/ ", path, 1))
        assert answer(other) == [200]
    assert answer(waiting) == [200]


def test_who_sends_long_bodies_slowly_from_many_addresses_keeps_a_thread_from_nobody(pages, line):
    slow = [line(f"127.0.2.{number % 16}") for number in range(2 * web.serving.front.THREADS)]
    for each in slow:
        each.sendall(LONG_BODY)
    until(lambda: pages.asked == web.serving.front.MOST_SENDING)
    other = line(PHONE)
    other.sendall(GET)
    assert answer(other) == [200]


def test_a_body_that_waits_for_its_turn_has_its_time_afterwards(pages, line, monkeypatch):
    monkeypatch.setattr(web.serving.body, "BODY_S", 0.5)
    slow = [line(TABLET) for _ in range(web.serving.front.MOST_SENDING_OF_ONE + 1)]
    for each in slow:
        each.sendall(LONG_BODY)
    until(lambda: pages.asked == web.serving.front.MOST_SENDING_OF_ONE)
    until(lambda: pages.asked == len(slow))  # the others were too slow
    statuses = pages.read[: len(slow) - 1]
    assert statuses == [408] * len(statuses)
