"""The clock's events: at the right instant of the monotonic clock, once, whatever befalls wall clock and service."""

import threading
import time
from dataclasses import replace

import pytest

from companion import clock as clocks
from companion.clock import Clock
from companion.game.box import Device, Signal
from companion.game.events import NOW_US
from companion.game.readings import DiceReading, DieReading, Settled
from companion.games.maxstax import play, timer
from companion.games.maxstax.events import Paused, Readied, Resumed, Shouted, Started, TimeRanOut
from companion.games.maxstax.timer import COUNTDOWN_US, STACKING_US, Round
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.codec import LARGEST
from companion.journal.events import Origin, Posted
from companion.journal.export import read_game_file
from companion.journal.store import Journal
from companion.table.due_events import due_of
from tests.parts import altered
from web.app import create_app

SOON_S = 20.0  # a limit, never a pause
MS_US = 1_000
HOUR_US = 3_600_000_000
SECOND_US = 1_000_000


class Kernel:
    """The machine's clocks, moved by the test: this boot's monotonic clock and the wall clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monotonic_us = 5 * HOUR_US
        self.wall_us = 1_790_000_000 * SECOND_US
        self.boot = "this boot"
        monkeypatch.setattr(clocks, "monotonic_us", lambda: self.monotonic_us)
        monkeypatch.setattr(clocks, "wall_us", lambda: self.wall_us)
        monkeypatch.setattr(clocks, "boot_id", lambda: self.boot)

    def pass_us(self, passed_us: int) -> None:
        """Time passes."""
        self.monotonic_us += passed_us
        self.wall_us += passed_us


@pytest.fixture
def kernel(monkeypatch):
    return Kernel(monkeypatch)


@pytest.fixture
def house(tmp_path):
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


def begun(host):
    """A round whose countdown has just begun; the table and when the timer starts."""
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for player in table.session.players:
        post(table, Readied(player))
    post(table, Started(host.clock.now_us()))
    return table, host.clock.now_us() + COUNTDOWN_US


def post(table, event):
    table.submit(event, Origin(f"event-{table.seq}"))


def due_us(table):
    return table.game.rules.due(table.state).at_us


def test_a_round_ends_exactly_two_minutes_after_the_go(kernel, house):
    table, go_us = begun(house())
    assert due_us(table) == go_us + 120 * SECOND_US


@pytest.mark.parametrize("limit_us", [60 * SECOND_US, 120 * SECOND_US])
def test_a_stack_off_ends_exactly_its_own_time_after_the_go(limit_us):
    both_ready = Round(("ann", "bob"), limit_us, True, ready=frozenset({"ann", "bob"}))
    stack_off = play.started(both_ready, 5, everyone=False, ruled=False)
    assert timer.due(stack_off).at_us == 5 + COUNTDOWN_US + limit_us
    assert timer.due(replace(stack_off, limit_us=None)) is None


def test_two_minutes_are_two_minutes_through_a_pause(kernel, house):
    host = house()
    table, go_us = begun(host)
    kernel.pass_us(go_us - host.clock.now_us() + 30 * SECOND_US)
    post(table, Paused(host.clock.now_us()))
    assert table.game.rules.due(table.state) is None
    kernel.pass_us(17 * SECOND_US + 123)
    post(table, Resumed(host.clock.now_us()))
    assert due_us(table) == go_us + STACKING_US + 17 * SECOND_US + 123


@pytest.mark.parametrize("jump_us", [HOUR_US, -HOUR_US, 37 * SECOND_US, -9 * 365 * 24 * HOUR_US])
def test_a_wall_clock_that_jumps_changes_nothing(kernel, house, jump_us):
    host = house()
    table, go_us = begun(host)
    kernel.wall_us += jump_us  # summer time, NTP, a clock that was never set
    kernel.pass_us(COUNTDOWN_US + STACKING_US // 2)
    assert host.clock.now_us() == go_us + STACKING_US // 2
    assert due_us(table) == go_us + STACKING_US


def test_a_restart_in_the_middle_goes_on_from_the_right_time(kernel, house):
    table, go_us = begun(house())
    kernel.pass_us(COUNTDOWN_US + 40 * SECOND_US)
    kernel.wall_us -= 3 * HOUR_US  # while it was away the wall clock was set
    again = house()
    kernel.pass_us(9 * SECOND_US)
    assert again.clock.now_us() == go_us + 49 * SECOND_US
    assert due_us(again.table(table.session.id)) == go_us + STACKING_US


def test_after_a_reboot_the_wall_clock_says_how_long_it_took(kernel, house):
    table, go_us = begun(house())
    kernel.boot, kernel.monotonic_us = "another boot", 12 * SECOND_US
    kernel.wall_us += 45 * SECOND_US
    again = house()
    assert again.clock.now_us() == go_us - COUNTDOWN_US + 45 * SECOND_US
    assert due_us(again.table(table.session.id)) == go_us + STACKING_US


def test_without_a_clock_chip_time_does_not_go_backwards(kernel, house):
    _, go_us = begun(house())
    kernel.boot, kernel.monotonic_us, kernel.wall_us = "another boot", 12 * SECOND_US, 0
    assert house().clock.now_us() >= go_us - COUNTDOWN_US


def test_what_fell_due_while_the_service_was_away_is_recorded_at_its_own_time(kernel, house):
    table, go_us = begun(house())
    kernel.pass_us(COUNTDOWN_US + STACKING_US + 5 * SECOND_US)
    again = house()
    again.active.resume()
    recorded = threading.Event()
    again.timers._fire = lambda table, due: Host._fire(again, table, due) and not recorded.set()
    again.timers.start()
    assert recorded.wait(SOON_S)
    (*_, last) = again.table(table.session.id).entries
    assert last.body == Posted(TimeRanOut(go_us + STACKING_US))
    assert last.source == "clock"


def test_a_game_whose_clock_cannot_be_read_holds_up_no_other(kernel, house, caplog):
    host = house()
    ill, (table, go_us) = host.create("speedstax", ["Cy", "Di"], {}), begun(host)

    def due(state):
        if state is ill.state:
            raise ZeroDivisionError
        return timer.due(state.current)

    for each in (ill, table):
        each.game = altered(each.game, due=due)
    kernel.pass_us(COUNTDOWN_US + STACKING_US)
    host.timers._fire_due()
    assert table.newest.body == Posted(TimeRanOut(go_us + STACKING_US))
    assert "ZeroDivisionError" in caplog.text


def test_what_fails_as_nobody_expected_is_tried_again(kernel, house, caplog):
    host = house()
    table, _ = begun(host)
    kernel.pass_us(COUNTDOWN_US + STACKING_US)
    submit = table.submit

    def fails(*_arguments, **_named):
        table.submit = submit
        raise ZeroDivisionError

    table.submit = fails
    host.timers.start()
    until_s, pause = time.monotonic() + SOON_S, threading.Event()
    while table.newest.source != "clock" and time.monotonic() < until_s:
        pause.wait(0.01)
    assert table.newest.source == "clock"
    assert "ZeroDivisionError" in caplog.text
    assert host.timers.is_alive()


def test_a_press_in_time_counts_although_it_is_told_after_the_end(kernel, house):
    host = house()
    table, go_us = begun(host)
    kernel.pass_us(COUNTDOWN_US + STACKING_US + 15 * MS_US)
    post(table, TimeRanOut(go_us + STACKING_US))
    host.presses.hear(Signal(Device.SEAT, True, go_us + STACKING_US - 1, 1))
    host.presses.hear(Signal(Device.SEAT, True, go_us + STACKING_US + 1, 2))
    assert tuple(table.state.current.shouts.values()) == (go_us + STACKING_US - 1,)


def test_the_end_of_a_real_round_is_recorded_once_at_its_instant(house, monkeypatch):
    """Real clock and thread, on a round whose time is nearly over when it is opened."""
    host = house()
    host.clock.offset_us += HOUR_US  # however short ago this machine was started
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for player in table.session.players:
        post(table, Readied(player))
    left_us = 300 * MS_US
    post(table, Started(host.clock.now_us() - COUNTDOWN_US - STACKING_US + left_us))
    deadline_us = due_us(table)
    told, reckoned_anew = threading.Event(), threading.Event()
    late_us = []

    def tables():
        if told.is_set():
            reckoned_anew.set()
        return (table,)

    def fire(table, due):
        late_us.append(host.clock.now_us() - due.at_us)
        done = Host._fire(host, table, due)
        told.set()
        return done

    monkeypatch.setattr(host.timers, "_fire", fire)
    monkeypatch.setattr(host.timers, "_tables", tables)
    host.timers.start()
    assert reckoned_anew.wait(SOON_S)
    host.timers.stop()  # once that round is over, in which nothing is to follow
    ends = [entry.body.event for entry in table.entries if entry.source == "clock"]
    assert ends == [TimeRanOut(deadline_us)]
    assert late_us[0] >= 0  # never early; how late depends on the machine, what is recorded does not


# a game from another house, whose clock is set otherwise


@pytest.fixture(params=[30 * 24 * HOUR_US, -4 * HOUR_US], ids=["of a clock ahead", "of a clock behind"])
def played(request, kernel, tmp_path):
    """A house whose clock differs from `house` by that, and a round that has begun in it."""
    elsewhere = Host(Journal(tmp_path / "elsewhere" / "journal.sqlite3"))
    elsewhere.clock.offset_us = request.param
    yield elsewhere, *begun(elsewhere)
    elsewhere.close()


def moved(played, house):
    """The game goes on here."""
    elsewhere, table, _go_us = played
    return house.transfer.take(elsewhere.transfer.export(table.session.id))


def test_a_round_from_another_house_goes_on_from_its_newest_entry(kernel, played, house):
    _, there, go_us = played
    kernel.pass_us(COUNTDOWN_US + 40 * SECOND_US)
    post(there, Shouted(there.session.players[0], NOW_US))
    host = house()
    table = moved(played, host)
    kernel.pass_us(9 * SECOND_US)
    post(table, Shouted(table.session.players[1], NOW_US))
    assert list(table.state.current.shouts.values()) == [go_us + 40 * SECOND_US, go_us + 49 * SECOND_US]
    assert table.newest.at_us == go_us + 49 * SECOND_US
    assert read_game_file(host.transfer.export(table.session.id)).broken_at is None


def test_a_pause_from_another_house_ends_here(kernel, played, house):
    _, there, go_us = played
    kernel.pass_us(COUNTDOWN_US + 30 * SECOND_US)
    post(there, Paused(there.now_us()))
    table = moved(played, house())
    kernel.pass_us(17 * SECOND_US)
    post(table, Resumed(NOW_US))
    assert due_us(table) == go_us + STACKING_US + 17 * SECOND_US


def test_a_round_from_another_house_ends_in_its_own_time_by_the_clock_of_this_one(kernel, played, house):
    host = house()
    table = moved(played, host)
    assert due_of(table).at_us == host.clock.now_us() + COUNTDOWN_US + STACKING_US
    kernel.pass_us(COUNTDOWN_US + STACKING_US)
    host._fire(table, due_of(table))
    assert table.newest.body == Posted(TimeRanOut(played[2] + STACKING_US))


def test_a_game_from_another_house_keeps_its_time_through_restarts(kernel, played, house):
    table = moved(played, house())
    kernel.boot, kernel.monotonic_us = "another boot", 12 * SECOND_US
    kernel.wall_us += 45 * SECOND_US
    again = house().table(table.session.id)
    assert again.now_us() == played[2] - COUNTDOWN_US + 45 * SECOND_US


def test_a_press_counts_in_the_time_of_the_game(kernel, played, house):
    host = house()
    table = moved(played, host)
    host.active.hold(table.session.id)
    kernel.pass_us(COUNTDOWN_US + 7)
    pressed_us = host.clock.now_us()
    host.presses.hear(Signal(Device.SEAT, True, pressed_us, 1, ((True, pressed_us),)))
    assert table.state.current.shouts == {table.session.players[0]: played[2] + 7}
    assert table.newest.reading["trace"] == [[1, played[2] + 7]]


def test_dice_that_were_rolled_after_a_game_was_moved_are_sure(kernel, played, house):
    elsewhere, *_ = played
    there = elsewhere.create("sack_stackers", ["Ann", "Bob"], {})
    post(there, Rolled((3, 5)))
    there.undo(Origin("undo"))
    host = house()
    table = host.transfer.take(elsewhere.transfer.export(there.session.id))
    host.active.hold(table.session.id)
    kernel.pass_us(SECOND_US)
    dice = tuple(DieReading(value, 50, 50, 40, 40, 0, "white", 0.99, True, ((value, 1.0),)) for value in (3, 5))
    host.on_reading(Settled(DiceReading(640, 480, dice), host.clock.now_us(), 2, b"frame", (b"a", b"b")))
    assert table.newest.source == "camera"


def test_pages_show_the_clock_of_a_game_from_another_house_by_the_clock_of_this_one(kernel, played, house):
    host = house()
    table = moved(played, host)
    client, until_us = create_app(host).test_client(), host.clock.now_us() + COUNTDOWN_US + STACKING_US
    assert f'data-until="{until_us}"' in client.get(f"/s/{table.session.id}").text
    session = client.get(f"/api/sessions/{table.session.id}").get_json()
    assert session["due"]["at_us"] - session["now_us"] == COUNTDOWN_US + STACKING_US
    assert "data-until" not in client.get(f"/s/{table.session.id}/correct/{table.seq}").text


def test_a_game_of_a_time_that_no_clock_reaches_can_be_opened_again(kernel, played, house):
    elsewhere, there, _ = played
    elsewhere.clock.offset_us = LARGEST - kernel.monotonic_us
    there.undo(Origin("late"))
    table = moved(played, house())
    kernel.pass_us(SECOND_US)
    post(table, Started(NOW_US))
    assert house().table(table.session.id).seq == there.seq + 1


def test_the_clock_runs_at_the_kernels_rate():
    clock = Clock(7)
    before_us, table_us, after_us = time.monotonic_ns() // 1_000, clock.now_us(), time.monotonic_ns() // 1_000
    assert before_us <= table_us - 7 <= after_us
    assert clock.from_kernel(1.000_001) == 1_000_008


def test_an_instant_remembers_what_the_next_boot_needs(kernel):
    clock = Clock(3 * HOUR_US)
    instant = clock.instant()
    kernel.pass_us(5)
    assert Clock.resume(instant).now_us() == clock.now_us()
    assert Clock.resume(replace(instant, boot_id="another boot")).now_us() == clock.now_us()
