"""Who waits for a turn gets it when it is theirs, whatever others ask for; and which addresses are one device."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from companion.network.addresses import device_of
from web.app import create_app
from web.serving.front import COSTLY
from web.serving.turns import Turns


def apart(work):
    """The result of a coroutine, on a thread of its own: this one's loop may be a browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def order_of(turns, devices):
    """The devices in the order in which they have their turns, each asked for at once."""
    order = []

    async def ask(device):
        async with turns.turn(device):
            order.append(device)
            await asyncio.sleep(0)

    await asyncio.gather(*map(ask, devices))
    return "".join(order)


def test_devices_take_turns_however_much_one_asks():
    assert apart(order_of(Turns(1), "aaaabcb")) == "abcabaa"


def test_one_device_has_a_few_turns_at_once_and_who_speaks_for_many_all_of_them():
    async def play():
        turns, most = Turns(4, 2), {"a": 0, "": 0}

        async def ask(device):
            async with turns.turn(device):
                held[device] += 1
                most[device] = max(most[device], held[device])
                await asyncio.sleep(0.001)
                held[device] -= 1

        for device in most:
            held = {device: 0}
            await asyncio.gather(*(ask(device) for _ in range(10)))
        return most

    assert apart(play()) == {"a": 2, "": 4}


def test_who_disconnects_or_gives_up_while_waiting_keeps_no_turn():
    async def play():
        lost = asyncio.get_running_loop().create_future()
        turns, has_turn = Turns(1), []

        async def ask(name, lost=None):
            async with turns.turn("b", lost):
                has_turn.append(name)

        async with turns.turn("a"):
            gone, cancelled, waiting = map(asyncio.create_task, (ask("gone", lost), ask("cancelled"), ask("waiting")))
            await asyncio.sleep(0)
            lost.set_result(None)
            cancelled.cancel()
            with pytest.raises(ConnectionResetError):
                await gone
        await waiting
        return has_turn

    assert apart(play()) == ["waiting"]


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
