"""Who waits for a turn gets it when it is theirs, whatever others ask for; and which addresses are one device."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from web.app import create_app
from web.serving.connections import device_of
from web.serving.front import COSTLY
from web.serving.parsing import Reading
from web.serving.turns import Turns


def apart(work):
    """The result of a coroutine, on a thread of its own: this one's loop may be a browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def test_devices_take_turns_however_much_one_asks():
    async def play():
        turns, order, lost = Turns(1), [], asyncio.get_running_loop().create_future()

        async def ask(device):
            async with turns.turn(device, lost) as has_turn:
                assert has_turn
                order.append(device)
                await asyncio.sleep(0)

        await asyncio.gather(*map(ask, "aaaabcb"))
        assert turns.is_idle
        return order

    assert apart(play()) == list("a" + "abc" + "ab" + "a")


def test_who_disconnects_while_waiting_keeps_no_turn():
    async def play():
        loop = asyncio.get_running_loop()
        turns, lost, here = Turns(1), loop.create_future(), loop.create_future()

        async def ask(lost):
            async with turns.turn("b", lost) as has_turn:
                return has_turn

        async with turns.turn("a", here):
            gone, cancelled, waiting = (asyncio.create_task(ask(one)) for one in (lost, here, here))
            await asyncio.sleep(0)
            lost.set_result(None)
            cancelled.cancel()
            assert not await gone
            assert not waiting.done()
        assert await waiting
        assert turns.is_idle

    apart(play())


class Sender:
    """A connection from which so many pieces have arrived; each takes as long to read."""

    def __init__(self, device, pieces, takes_s, order):
        self.device, self._pieces, self._takes_s, self._order = device, pieces, takes_s, order

    def read_piece(self):
        time.sleep(self._takes_s)
        self._order.append(self.device)
        self._pieces -= 1
        return self._pieces > 0


def test_who_sends_little_is_read_before_those_who_send_a_lot():
    async def play():
        reading, order = Reading(), []
        for device in 10 * "a" + 10 * "b":
            reading.add(Sender(device, 100, 0.01, order))
        while len(order) < 6:
            await asyncio.sleep(0)
        reading.add(Sender("c", 2, 0.0, order))
        while order.count("c") < 2:
            await asyncio.sleep(0)
        return order

    order = apart(play())
    assert set(order[:2]) == {"a", "b"}
    assert order[6:8] == ["c", "c"]


@pytest.mark.parametrize(
    ("address", "device"),
    [
        ("127.0.0.1", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        ("192.168.1.20", "192.168.1.20"),
        ("::ffff:192.168.1.20", "192.168.1.20"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1", "fe80::1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
    ],
)
def test_a_network_of_ipv6_is_one_device(address, device):
    assert device_of(address) == device


def test_what_takes_long_is_made_one_at_a_time(host, sack):
    """What grows with a game, and what is searched for; a page of the game shows its state alone."""
    adapter = create_app(host).url_map.bind("localhost")
    session = sack.session.id
    long, searched = COSTLY
    for path in ("history", "history/list", "result", "result.csv", "result.svg", "dice"):
        assert long.fullmatch(f"/s/{session}/{path}")
        adapter.match(f"/s/{session}/{path}")  # there is such a page
    for path in ("export", "history"):
        assert long.fullmatch(f"/api/sessions/{session}/{path}")
        adapter.match(f"/api/sessions/{session}/{path}")
    for path in ("advice/best", "correct/1/advice/best"):
        assert searched.fullmatch(f"/s/{session}/{path}")
        adapter.match(f"/s/{session}/{path}")
    assert not any(paths.fullmatch(path) for paths in COSTLY for path in (f"/s/{session}", "/healthz", "/"))
