"""The clock's events: at the right instant of the monotonic clock, once, whatever befalls wall clock and service."""

import threading
import time
from dataclasses import replace

import pytest

from companion import clock as clocks
from companion.clock import Clock
from companion.contract import Device, Signal
from companion.events import Posted
from companion.games.maxstax import timer
from companion.games.maxstax.timer import (
    COUNTDOWN_US,
    STACKING_US,
    Paused,
    Readied,
    Resumed,
    Round,
    Started,
    TimeRanOut,
)
from companion.host import Host
from companion.journal import Journal

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
    table.submit(event, event_id=f"event-{table.seq}", seen_seq=None, source="tablet")


def due_us(table):
    return table.game.due(table.state).at_us


def test_a_round_ends_exactly_two_minutes_after_the_go(kernel, house):
    table, go_us = begun(house())
    assert due_us(table) == go_us + 120 * SECOND_US


@pytest.mark.parametrize("limit_us", [60 * SECOND_US, 120 * SECOND_US])
def test_a_stack_off_ends_exactly_its_own_time_after_the_go(limit_us):
    stack_off = timer.started(Round(("ann", "bob"), limit_us, True, ready=frozenset({"ann", "bob"})), 5, ruled=False)
    assert timer.due(stack_off).at_us == 5 + COUNTDOWN_US + limit_us
    assert timer.due(replace(stack_off, limit_us=None)) is None


def test_two_minutes_are_two_minutes_through_a_pause(kernel, house):
    host = house()
    table, go_us = begun(host)
    kernel.pass_us(go_us - host.clock.now_us() + 30 * SECOND_US)
    post(table, Paused(host.clock.now_us()))
    assert table.game.due(table.state) is None
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
    again.resume()
    recorded = threading.Event()
    again.timers._fire = lambda table, due: Host._fire(again, table, due) and not recorded.set()
    again.timers.start()
    assert recorded.wait(SOON_S)
    (*_, last) = again.table(table.session.id).entries
    assert last.body == Posted(TimeRanOut(go_us + STACKING_US))
    assert last.source == "clock"


def test_a_press_in_time_counts_although_it_is_told_after_the_end(kernel, house):
    host = house()
    table, go_us = begun(host)
    kernel.pass_us(COUNTDOWN_US + STACKING_US + 15 * MS_US)
    post(table, TimeRanOut(go_us + STACKING_US))
    host.on_signal(Signal(Device.SEAT, True, go_us + STACKING_US - 1, 1))
    host.on_signal(Signal(Device.SEAT, True, go_us + STACKING_US + 1, 2))
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
    told = threading.Event()
    late_us = []

    def fire(table, due):
        late_us.append(host.clock.now_us() - due.at_us)
        done = Host._fire(host, table, due)
        told.set()
        return done

    monkeypatch.setattr(host.timers, "_fire", fire)
    host.timers.start()
    assert told.wait(SOON_S)
    time.sleep(0.05)  # nothing is to follow
    ends = [entry.body.event for entry in table.entries if entry.source == "clock"]
    assert ends == [TimeRanOut(deadline_us)]
    assert late_us[0] >= 0  # never early; how late depends on the machine, what is recorded does not


def test_the_clock_runs_at_the_kernels_rate():
    clock = Clock(7)
    before_us, table_us, after_us = time.monotonic_ns() // 1_000, clock.now_us(), time.monotonic_ns() // 1_000
    assert before_us <= table_us - 7 <= after_us
    assert clock.from_kernel(1.000_001) == 1_000_008


def test_an_instant_remembers_what_the_next_boot_needs(kernel):
    clock = Clock(3 * HOUR_US)
    instant = clock.instant()
    kernel.pass_us(5)
    assert Clock.resumed(instant).now_us() == clock.now_us()
    assert Clock.resumed(replace(instant, boot_id="another boot")).now_us() == clock.now_us()
