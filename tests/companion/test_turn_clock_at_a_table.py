"""The turn clock at a real table: buttons, phones, pages, and a restart in the middle of a turn."""

import pytest

from companion import clock as clocks
from companion.errors import StaleEvent
from companion.game.box import Device, Light, Phase, Signal
from companion.game.events import NOW_US
from companion.games.turn_clock.events import Passed, Paused, Started, TimeRanOut
from companion.games.turn_clock.state import shown_us
from companion.house.host import Host
from companion.journal.events import Origin, Posted
from companion.journal.store import Journal
from companion.table.due_events import due_of
from web.app import create_app

S = 1_000_000


class Kernel:
    """The machine's clocks, moved by the test."""

    def __init__(self, monkeypatch):
        self.monotonic_us, self.wall_us = 5 * 3600 * S, 1_790_000_000 * S
        monkeypatch.setattr(clocks, "monotonic_us", lambda: self.monotonic_us)
        monkeypatch.setattr(clocks, "wall_us", lambda: self.wall_us)
        monkeypatch.setattr(clocks, "boot_id", lambda: "this boot")

    def pass_us(self, passed_us):
        self.monotonic_us += passed_us
        self.wall_us += passed_us


@pytest.fixture
def kernel(monkeypatch):
    return Kernel(monkeypatch)


@pytest.fixture
def house(tmp_path, kernel):
    """Opens the house of this folder, again after each restart."""
    opened = []

    def open_house():
        for each in opened:
            each.close()
        opened[:] = [Host(Journal(tmp_path / "journal.sqlite3"))]
        return opened[0]

    yield open_house
    for each in opened:
        each.close()


def post(table, event, seen_seq=None):
    table.submit(event, Origin(f"{type(event).__name__}-{table.seq}", seen_seq=seen_seq))


def begun(host, options=None, names=("Ann", "Bob")):
    table = host.create("turn_clock", list(names), options or {"minutes": 1, "bonus_s": 0})
    host.active.hold(table.session.id)
    return table, table.session.players


def press(host, seat, at_us):
    host.presses.hear(Signal(Device.SEAT, True, at_us, seat, ((True, at_us),)))


def test_buttons_start_the_clock_and_pass_on_by_their_stamps(kernel, house):  # TC-02, TC-10, TC-11
    host = house()
    table, (ann, bob) = begun(host)
    started_us = host.clock.now_us()
    kernel.pass_us(30 * S)  # Each press is told long after it was made.
    press(host, 2, started_us)
    press(host, 1, started_us + 7 * S + 1)
    assert table.state.thinking == (bob,)
    assert shown_us(table.state, ann, table.now_us()) == 53 * S - 1
    assert shown_us(table.state, bob, table.now_us()) == 60 * S - (23 * S - 1)
    assert table.newest.source == "button"


def test_a_press_in_time_counts_after_the_end_was_recorded(kernel, house):  # TC-13
    host = house()
    table, (_ann, bob) = begun(host)
    started_us = host.clock.now_us()
    press(host, 1, started_us)
    kernel.pass_us(60 * S + 15_000)
    assert host._fire(table, due_of(table))
    assert table.game.rules.winners(table.state) == (bob,)
    press(host, 1, started_us + 60 * S)
    assert (table.game.rules.is_over(table.state), table.state.thinking) == (False, (bob,))


def test_a_turn_goes_on_right_after_a_restart(kernel, house):
    table, (ann, _bob) = begun(house())
    post(table, Started(NOW_US))
    kernel.pass_us(20 * S)
    kernel.wall_us -= 3600 * S  # Meanwhile the wall clock was set.
    again = house()
    kernel.pass_us(9 * S + 5)
    table = again.table(table.session.id)
    assert shown_us(table.state, ann, table.now_us()) == 31 * S - 5
    assert due_of(table).at_us == again.clock.now_us() + 31 * S - 5


def test_what_ended_while_the_service_was_away_is_recorded_at_its_own_time(kernel, house):
    table, (ann, _bob) = begun(house())
    started_us = table.now_us()
    post(table, Started(NOW_US))
    kernel.pass_us(90 * S)
    again = house()
    again.active.resume()
    again.timers._fire_due()
    newest = again.table(table.session.id).newest
    assert (newest.body, newest.source) == (Posted(TimeRanOut(ann, started_us + 60 * S)), "clock")


def test_two_phones_that_press_at_once_stand_in_nobodys_way(house):  # TC-29
    table, (ann, bob) = begun(house(), {"minutes": 1, "bonus_s": 0, "together": True})
    post(table, Started(NOW_US))
    seen = table.seq
    post(table, Passed(ann, NOW_US), seen)
    post(table, Passed(bob, NOW_US), seen)
    assert table.state.lap == 2
    seen = table.seq
    post(table, Paused(NOW_US), seen)
    with pytest.raises(StaleEvent):
        post(table, Passed(ann, NOW_US), seen)


def test_the_box_says_whose_turn_it_is(kernel, house):  # TC-70
    table, _players = begun(house())
    look = table.game.box.look
    assert look(table.state, table.now_us()).lights == (Light.SLOW, Light.SLOW)
    post(table, Started(NOW_US))
    shown = look(table.state, table.now_us())
    assert (shown.lights, shown.phase) == ((Light.ON, Light.OFF), Phase.RUNNING)


@pytest.mark.parametrize("whose", [0, 1, None])
def test_a_page_has_one_field_to_press_and_a_clock_that_runs(kernel, house, whose):
    host = house()
    table, players = begun(host)
    client, session = create_app(host).test_client(), table.session.id
    post(table, Started(NOW_US))
    page = client.get(f"/s/{session}" + ("" if whose is None else f"?player={players[whose]}")).text
    assert page.count("&#34;kind&#34;:&#34;Passed&#34;") == (whose != 1)
    assert f'data-until="{host.clock.now_us() + 60 * S}"' in page
    assert ("Your turn" in page) == (whose == 0)


def test_a_clock_that_counts_up_is_drawn_from_its_beginning(kernel, house):  # TC-26
    host = house()
    table, (ann, bob) = begun(host, {"way": "up", "bonus_s": 0})
    post(table, Started(NOW_US))
    kernel.pass_us(20 * S)
    post(table, Passed(ann, NOW_US))
    post(table, Passed(bob, NOW_US))
    kernel.pass_us(3 * S)
    page = create_app(host).test_client().get(f"/s/{table.session.id}").text
    assert f'data-left="{23 * S}" data-from="{host.clock.now_us() - 23 * S}"' in page
    assert "data-until" not in page
    corrected = create_app(host).test_client().get(f"/s/{table.session.id}/correct/{table.seq}").text
    assert "data-from" not in corrected


def test_a_turn_that_goes_on_shows_how_long_its_time_has_been_up(kernel, house):  # TC-32
    host = house()
    table, _players = begun(host, {"minutes": 1, "bonus_s": 0, "zero": "goes on"})
    client, address = create_app(host).test_client(), f"/s/{table.session.id}"
    post(table, Started(NOW_US))
    kernel.pass_us(60 * S)
    assert host._fire(table, due_of(table))
    kernel.pass_us(5 * S)
    page = client.get(address).text
    assert f'data-left="{5 * S}" data-from="{host.clock.now_us() - 5 * S}"' in page
    assert "data-until" not in page
    assert "Over time" in page


def test_a_field_that_may_not_be_pressed_says_why(kernel, house):  # TC-12, TC-50
    host = house()
    table, (_ann, bob) = begun(host)
    client, address = create_app(host).test_client(), f"/s/{table.session.id}"
    post(table, Started(NOW_US))
    assert client.get(address).text.count("The green one does.") == 1
    post(table, Paused(NOW_US))
    assert client.get(address).text.count("Tap Resume first.") == 2
    assert "Tap Resume first." not in client.get(f"{address}?player={bob}").text
