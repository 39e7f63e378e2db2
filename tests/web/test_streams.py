"""Many streams, none with a thread: each hears what is new, none holds up another, and who sleeps holds no memory."""

import socket
import time

import pytest

import web.live.streams
from companion import periodic
from companion.changes import Live
from web.live.streams import OFFER, Ended, Offer, Streams
from web.serving.connections import Connections
from web.serving.front import Front
from web.serving.server import PageServer

ETHERNET = 1460  # bytes of a segment; those of loopback are larger than a page's send buffer, so each waits for its ACK


class Counter:
    """A feed that says how often its topic has changed."""

    pause_s = 60.0
    is_behind = False

    def __init__(self, topic="a", text="{}\n"):
        self.topics = (topic,)
        self.text, self.asked = text, 0

    def news(self, topic):
        self.asked += 1
        return self.text.format(self.asked)


@pytest.fixture
def live():
    found = Live()
    yield found
    found.close()


@pytest.fixture
def streams(live):
    found = Streams(live)
    found.start()
    yield found
    live.close()
    found.join()


@pytest.fixture
def page(streams):
    """Opens a stream at a real server, and gives the page's end of it."""
    ends, offers = [], []

    def pages(environ, start):
        environ[OFFER] = offers[int(environ["PATH_INFO"].strip("/"))]
        start("200 OK", [("Content-Type", "text/event-stream")])
        return [b"first\n"]

    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()
    server = PageServer(Front(pages, streams), Connections(), [listener], lambda: None)
    server.start()

    def opened(feed, device="", version="1.0"):
        """HTTP/1.0 has no chunks: its body can be read as it is."""
        end = socket.socket()
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, ETHERNET)
        end.settimeout(5)
        end.connect(address)
        ends.append(end)
        offers.append(Offer(feed, device))
        end.sendall(f"GET /{len(offers) - 1} HTTP/{version}\r\nHost: localhost\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += end.recv(1)
        until(lambda: feed.asked)
        return end

    yield opened
    for end in ends:
        end.close()
    assert server.stop()


def heard(end, wanted):
    """Reads until a page has heard this, and gives all of it."""
    text = b""
    while not text.endswith(wanted):
        more = end.recv(65_536)
        assert more, f"the stream ended after {text[-200:]!r}"
        text += more
    return text


def until(condition):
    deadline_s = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


def test_every_page_hears_what_its_topic_brings_and_nothing_else(live, page):
    pages = [page(Counter("a")) for _ in range(3)]
    other = page(Counter("b"))
    live.publish("a")
    for end in pages:
        assert heard(end, b"2\n") == b"first\n1\n2\n"
    live.publish("b")
    assert heard(other, b"2\n") == b"first\n1\n2\n"


def test_a_chunked_body_is_framed_and_ended_as_http_wants_it(live, streams, page):
    """RFC 9112, 7.1: the length in hexadecimal, the data, and a last chunk of length 0."""
    end = page(Counter(text="sixteen letters!"), version="1.1")
    assert heard(end, b"!\r\n") == b"6\r\nfirst\n\r\n10\r\nsixteen letters!\r\n"
    live.publish("a")
    assert heard(end, b"!\r\n") == b"10\r\nsixteen letters!\r\n"
    live.close()
    assert heard(end, b"\r\n\r\n") == b"0\r\n\r\n"
    assert end.recv(10) == b""


def test_a_page_that_sleeps_is_asked_nothing_more_and_holds_up_nobody(live, page, monkeypatch):
    sleepy = Counter(text="x" * 8_000_000)  # more than the kernel takes
    page(sleepy)
    awake = page(Counter())
    heard(awake, b"1\n")
    for number in range(2, 20):
        live.publish("a")
        heard(awake, b"%d\n" % number)
    assert sleepy.asked == 1


def test_a_page_that_wakes_hears_what_it_missed(live, page):
    class Growing(Counter):
        def news(self, topic):
            return super().news(topic) + "x" * 8_000_000 + "\n"  # more than the kernel takes

    feed = Growing()
    end = page(feed)
    until(lambda: feed.asked == 1)
    live.publish("a")
    wanted = 2 * (len("1\n") + 8_000_001) + len("first\n")
    got = 0
    while got < wanted:
        more = end.recv(1_000_000)
        assert more, f"the stream ended after {got} bytes"
        got += len(more)
    assert got == wanted


def test_a_page_that_sleeps_too_long_is_let_go(live, streams, page, monkeypatch):
    monkeypatch.setattr(web.live.streams, "PATIENCE_S", 0.05)
    sleepy = Counter(text="x" * 4_000_000)
    page(sleepy)
    until(lambda: sleepy.asked == 1 and len(streams) == 0)


def test_a_page_that_leaves_is_forgotten(streams, page):
    end = page(Counter())
    until(lambda: len(streams) == 1)
    end.close()
    until(lambda: len(streams) == 0)


def test_a_pause_is_over_without_anything_new(page):
    feed = Counter()
    feed.pause_s = 0.02
    heard(page(feed), b"3\n")


def test_who_is_behind_is_told_on_without_a_pause(page):
    class Behind(Counter):
        @property
        def is_behind(self):
            return self.asked < 50

    assert heard(page(Behind()), b"50\n").count(b"\n") == 51


def test_a_feed_that_fails_or_ends_closes_its_own_stream_alone(live, streams, page, caplog):
    class Broken(Counter):
        def news(self, topic):
            if topic:
                raise RuntimeError("a bug")
            return super().news(topic)

    class Over(Counter):
        def news(self, topic):
            if topic:
                raise Ended
            return super().news(topic)

    broken, over, sound = page(Broken()), page(Over()), page(Counter())
    live.publish("a")
    heard(sound, b"2\n")
    for end in (broken, over):
        assert heard(end, b"1\n") == b"first\n1\n"
        assert end.recv(10) == b""
    assert "a stream failed and is closed" in caplog.text
    until(lambda: len(streams) == 1)


def test_of_one_device_the_oldest_stream_makes_room(streams, page, monkeypatch):
    monkeypatch.setattr(web.live.streams, "MOST_OF_ONE", 2)
    first = page(Counter(), device="192.168.1.20")
    heard(first, b"1\n")
    for _ in range(2):
        page(Counter(), device="192.168.1.20")
    assert first.recv(10) == b""
    page(Counter(), device="192.168.1.21")
    until(lambda: len(streams) == 3)


def test_there_is_an_end_to_how_many_there_may_be(streams, page, monkeypatch):
    monkeypatch.setattr(web.live.streams, "MOST", 1)
    page(Counter())
    until(streams.is_full)


def test_a_page_that_goes_at_once_silences_nobody(live, streams, page):
    for _ in range(20):
        page(Counter()).close()
    end = page(Counter())
    live.publish("a")
    assert heard(end, b"2\n") == b"first\n1\n2\n"
    until(lambda: len(streams) == 1)


def test_a_round_that_fails_is_logged_and_the_next_one_comes(live, streams, page, monkeypatch, caplog):
    streams._pause_s = 0.01
    end = page(Counter())
    heard(end, b"1\n")
    failures = [RuntimeError("a house in an odd state")]
    news = web.live.streams.news

    def failing(*asked):
        if failures:
            raise failures.pop()
        return news(*asked)

    monkeypatch.setattr(web.live.streams, "news", failing)
    live.publish("a")
    assert heard(end, b"2\n")
    assert streams.is_alive()
    assert "streams: a round failed" in caplog.text


def test_streams_that_only_fail_are_not_alive(live, streams, page, monkeypatch):
    streams._pause_s = 0.001
    page(Counter())

    def failing(*_asked):
        raise RuntimeError("a house in an odd state")

    monkeypatch.setattr(web.live.streams, "news", failing)
    live.publish("a")
    until(lambda: not streams.is_alive())


def test_a_stream_that_begins_when_the_house_closes_ends_too(live, streams, page):
    live.close()
    streams.join()
    late = Counter()
    late.asked = 1  # nobody will
    end = page(late, version="1.1")
    assert heard(end, b"0\r\n\r\n") == b"6\r\nfirst\n\r\n0\r\n\r\n"
    assert end.recv(10) == b""


def test_pages_wait_no_longer_than_a_moment_after_any_fault():
    streams = Streams(Live())
    assert max(streams._failed(ZeroDivisionError()) for _ in range(9)) <= periodic.PAUSE_S * (1 + periodic.SPREAD)
