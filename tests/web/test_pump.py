"""Many streams on one thread: each hears what is new, none holds up another, and who sleeps holds no memory."""

import socket
import time

import pytest

import web.live.pump
from companion.changes import Live
from web.live.pump import Ended, HandedOver, Pump


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
def pump(live):
    found = Pump(live)
    found.start()
    yield found
    live.close()
    found.join()


@pytest.fixture
def page(pump):
    """Opens a stream as gunicorn's worker does, and gives the page's end of it."""
    ends = []

    def opened(feed, device="", chunked=False):
        mine, theirs = socket.socketpair()
        mine.settimeout(5)
        ends.append(mine)
        body = pump.body(feed, "first\n", device, chunked=chunked)
        theirs.sendall(next(body).encode())
        with pytest.raises(HandedOver) as handed:
            next(body)
        handed.value.take(theirs)
        until(lambda: feed.asked)
        return mine

    yield opened
    for end in ends:
        end.close()


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


def test_a_chunked_body_is_framed_and_ended_as_http_wants_it(live, pump, page):
    """RFC 9112, 7.1: the length in hexadecimal, the data, and a last chunk of length 0."""
    end = page(Counter(text="sixteen letters!"), chunked=True)
    assert heard(end, b"!\r\n") == b"first\n10\r\nsixteen letters!\r\n"
    live.publish("a")
    assert heard(end, b"!\r\n") == b"10\r\nsixteen letters!\r\n"
    live.close()
    assert heard(end, b"\r\n\r\n") == b"0\r\n\r\n"
    assert end.recv(10) == b""


def test_a_page_that_sleeps_is_asked_nothing_more_and_holds_up_nobody(live, page, monkeypatch):
    sleepy = Counter(text="x" * 4_000_000)  # more than the kernel takes
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
            return super().news(topic) + "x" * 4_000_000 + "\n"  # more than the kernel takes

    feed = Growing()
    end = page(feed)
    until(lambda: feed.asked == 1)
    live.publish("a")
    wanted = 2 * (len("1\n") + 4_000_001) + len("first\n")
    got = 0
    while got < wanted:
        got += len(end.recv(1_000_000))
    assert got == wanted


def test_a_page_that_sleeps_too_long_is_let_go(live, pump, page, monkeypatch):
    monkeypatch.setattr(web.live.pump, "PATIENCE_S", 0.05)
    sleepy = Counter(text="x" * 4_000_000)
    page(sleepy)
    until(lambda: sleepy.asked == 1 and len(pump) == 0)


def test_a_page_that_leaves_is_forgotten(pump, page):
    end = page(Counter())
    until(lambda: len(pump) == 1)
    end.close()
    until(lambda: len(pump) == 0)


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


def test_a_feed_that_fails_or_ends_closes_its_own_stream_alone(live, pump, page, caplog):
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
    assert len(pump) == 1


def test_of_one_device_the_oldest_stream_makes_room(pump, page, monkeypatch):
    monkeypatch.setattr(web.live.pump, "MOST_OF_ONE", 2)
    first = page(Counter(), device="192.168.1.20")
    heard(first, b"1\n")
    for _ in range(2):
        page(Counter(), device="192.168.1.20")
    assert first.recv(10) == b""
    page(Counter(), device="192.168.1.21")
    until(lambda: len(pump) == 3)


def test_there_is_an_end_to_how_many_there_may_be(pump, page, monkeypatch):
    monkeypatch.setattr(web.live.pump, "MOST", 1)
    page(Counter())
    until(pump.is_full)


def test_a_connection_that_closed_on_its_way_here_silences_nobody(live, pump, page, monkeypatch):
    mine, theirs = socket.socketpair()
    body = pump.body(Counter(), "first\n", "", chunked=False)
    next(body)
    with pytest.raises(HandedOver) as handed:
        next(body)
    with monkeypatch.context() as patched:
        patched.setattr(pump, "_wake", lambda: None)
        handed.value.take(theirs)
        theirs.close()
    end = page(Counter())
    live.publish("a")
    assert heard(end, b"2\n") == b"first\n1\n2\n"
    mine.close()


def test_a_round_that_fails_is_logged_and_the_next_one_comes(live, pump, page, monkeypatch, caplog):
    monkeypatch.setattr(web.live.pump, "PAUSE_S", 0.01)
    end = page(Counter())
    heard(end, b"1\n")
    failures = [RuntimeError("a socket in an odd state")]
    welcome = pump._welcome

    def failing():
        if failures:
            raise failures.pop()
        welcome()

    monkeypatch.setattr(pump, "_welcome", failing)
    live.publish("a")
    assert heard(end, b"2\n")
    assert pump.is_alive()
    assert "a round of the streams failed" in caplog.text


def test_a_connection_that_fails_again_and_again_is_closed_and_silences_nobody(live, pump, page, monkeypatch):
    end = page(Counter("b"))
    heard(end, b"1\n")
    look_after = pump._look_after

    def failing(listener, now_s):
        if listener.feed.topics == ("a",):
            raise RuntimeError("a connection in an odd state")
        look_after(listener, now_s)

    monkeypatch.setattr(pump, "_look_after", failing)
    mine, theirs = socket.socketpair()
    mine.settimeout(5)
    body = pump.body(Counter("a"), "first\n", "", chunked=False)
    next(body)
    with pytest.raises(HandedOver) as handed:
        next(body)
    handed.value.take(theirs)
    assert mine.recv(10) == b""  # closed
    live.publish("b")
    assert heard(end, b"2\n")
    assert pump.is_alive()
    mine.close()


def test_a_pump_that_only_fails_is_not_alive(live, pump, monkeypatch):
    monkeypatch.setattr(web.live.pump, "PAUSE_S", 0.001)

    def failing():
        raise RuntimeError("a selector in an odd state")

    monkeypatch.setattr(pump, "_welcome", failing)
    live.publish("a")
    until(lambda: not pump.is_alive())
