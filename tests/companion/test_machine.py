"""Voltage, heat and disk, from a stand-in of the kernel's files."""

import pytest

from companion import machine
from companion.app.service import machine_watch
from companion.app.service.machine_watch import MachineWatch
from companion.changes import Live
from companion.house.status import Status, StatusLine
from tests.parts import Kernel

NOTHING = frozenset()
TOO_LITTLE = machine.SENTENCES["low"]


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    return Kernel(tmp_path, monkeypatch)


def test_a_machine_that_tells_nothing_has_nothing_and_says_what_could_not_be_seen(kernel, tmp_path):
    look = machine.look(tmp_path)
    assert (look.troubles, look.told(), look.heat_c) == (NOTHING, "", None)
    assert look.unseen == ("its voltage", "its heat", "the times of its disk")


@pytest.mark.parametrize(
    ("flags", "troubles"),
    [
        ("0", ()),
        ("0x0", ()),
        ("throttled=0x50005", ("low",)),
        ("50000", ("was low",)),
        ("1", ("low",)),
        ("4", ("slowed",)),
        ("2", ("slowed",)),
        ("8", ("hot",)),
        ("e", ("hot",)),
        ("80000", ("was hot",)),
    ],
)
def test_the_firmwares_flags(kernel, tmp_path, flags, troubles):
    kernel.firmware(flags)
    assert machine.look(tmp_path).troubles == set(troubles)


@pytest.mark.parametrize("text", ["", "no number", "\0\0", "throttled="])
def test_flags_that_are_none_are_not_seen(kernel, tmp_path, text):
    kernel.firmware(text)
    assert "low" not in machine.look(tmp_path).seen


def test_the_drivers_alarm_counts_and_another_chips_does_not(kernel, tmp_path):
    kernel.alarm(True, name="nct6775")
    assert machine.look(tmp_path).troubles == NOTHING
    kernel.alarm(False)
    assert (machine.look(tmp_path).troubles, "low" in machine.look(tmp_path).seen) == (NOTHING, True)
    kernel.alarm(True)
    assert machine.look(tmp_path).told() == TOO_LITTLE


def test_the_hottest_part_counts_and_sensors_that_are_not_there_do_not(kernel, tmp_path):
    kernel.heat(79.9, -273, 999)
    assert (machine.look(tmp_path).troubles, machine.look(tmp_path).heat_c) == (NOTHING, 79.9)
    kernel.heat(60, 81)
    assert (machine.look(tmp_path).troubles, machine.look(tmp_path).heat_c) == ({"hot"}, 81)
    kernel.heat(90, kind="x86_pkg_temp")  # It is usual there.
    assert machine.look(tmp_path).troubles == NOTHING


@pytest.mark.parametrize(
    ("before", "now", "is_slow"),
    [
        ((100, 4_000, 0, 3_000), (110, 4_200, 0, 3_100), False),
        ((100, 4_000, 0, 3_000), (110, 9_000, 0, 8_000), True),
        ((100, 4_000, 1, 3_000), (100, 4_000, 1, 13_000), True),  # It hangs.
        ((100, 4_000, 0, 3_000), (100, 4_000, 0, 3_000), False),
    ],
)
def test_a_card_that_slows(kernel, tmp_path, before, now, is_slow):
    kernel.disk(*before)
    first = machine.look(tmp_path)
    kernel.disk(*now)
    assert ("card" in machine.look(tmp_path, first).troubles) == is_slow


def test_where_a_file_system_hides_its_disk_the_card_counts(kernel, tmp_path):
    kernel.disk(5, 10, 0, 10, number=(179, 0), name="mmcblk0")
    assert machine.look(tmp_path).writes == machine.Writes(5, 10, 0, 10)


@pytest.fixture
def watched(kernel, tmp_path, monkeypatch):
    """A watch, its status, and what it called."""
    status, calls, now_s = Status(Live()), [], [0.0]
    monkeypatch.setattr(machine_watch.time, "monotonic", lambda: now_s[0])
    return MachineWatch(tmp_path, status, lambda: calls.append(1)), status, calls, now_s


def test_a_trouble_is_told_for_a_minute_and_logged_once(kernel, watched, caplog):
    watch, status, calls, now_s = watched
    kernel.alarm(False)
    watch._look_again()
    assert ("power" in status.lines, calls, caplog.messages) == (False, [], [])
    kernel.alarm(True)
    watch._look_again()
    kernel.alarm(False)
    now_s[0] += 50
    watch._look_again()
    assert (status.lines["power"], len(calls)) == (StatusLine("warn", TOO_LITTLE), 1)
    assert watch.cause() == TOO_LITTLE
    now_s[0] += 20
    watch._look_again()
    assert ("power" in status.lines, watch.cause()) == (False, "")
    assert caplog.messages == [f"power: {TOO_LITTLE}", "power: all is well again"]


def test_a_dip_between_two_looks_is_told_by_the_firmwares_memory(kernel, watched):
    watch, status, *_ = watched
    kernel.firmware("0")
    watch._look_again()
    kernel.firmware("10000")
    watch._look_again()
    assert status.lines["power"] == StatusLine("warn", TOO_LITTLE)


def test_what_was_before_the_table_started_is_a_note(kernel, watched):
    watch, status, calls, _ = watched
    kernel.firmware("10000")
    watch._look_again()
    assert (status.lines["power"].state, calls) == ("note", [])
