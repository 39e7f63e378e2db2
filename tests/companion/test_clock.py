"""The wall clock of a board without a clock chip is not believed before something has set it."""

import ctypes
from pathlib import Path

import pytest

import companion.clock as clock
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.events import Origin
from companion.journal.export import read_game_file
from companion.journal.store import Journal
from web.app import create_app


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A board as its files describe it, and what its kernel answers to adjtimex(2)."""

    def made(*, model=True, chip=False, flag=False, kernel=clock.TIME_ERROR):
        (tmp_path / "rtc").mkdir()
        for wanted, name in ((model, "model"), (chip, "rtc/rtc0"), (flag, "synchronized")):
            if wanted:
                (tmp_path / name).touch()
        for name, path in (("BOARD", "model"), ("CHIPS", "rtc"), ("SYNCHRONISED", "synchronized")):
            monkeypatch.setattr(clock, name, tmp_path / path)
        answers = type("Kernel", (), {"adjtimex": staticmethod(lambda _timex: kernel)})
        monkeypatch.setattr(ctypes, "CDLL", lambda _name: answers)

    return made


@pytest.mark.parametrize(
    ("facts", "sure"),
    [
        ({}, False),
        ({"kernel": -1}, False),  # a hardened unit may not even ask
        ({"chip": True}, True),
        ({"flag": True}, True),
        ({"kernel": 0}, True),
        ({"model": False}, True),
    ],
)
def test_when_the_wall_clock_is_believed(board, facts, sure):
    board(**facts)
    assert clock.is_wall_sure() is sure


def test_an_unsure_time_is_kept_told_and_leaves_with_the_game(host, sack, monkeypatch):
    monkeypatch.setattr("companion.table.table.is_wall_sure", lambda: False)
    sack.submit(Rolled((3, 5)), Origin("unsure"))
    page = create_app(host).test_client().get(f"/s/{sack.session.id}/history").text
    assert "time of day unsure" in page
    exported = host.transfer.export(sack.session.id)
    assert read_game_file(exported).broken_at is None
    assert '"wall_sure":false' in exported


def test_of_a_time_that_is_sure_nothing_is_said(host, sack):
    sack.submit(Rolled((3, 5)), Origin("sure"))
    assert "not sure" not in create_app(host).test_client().get(f"/s/{sack.session.id}/history").text
    assert "wall_sure" not in host.transfer.export(sack.session.id)


@pytest.fixture
def elsewhere(tmp_path):
    """Another installation."""
    other = Host(Journal(tmp_path / "elsewhere" / "journal.sqlite3"))
    yield other
    other.close()


def test_an_unsure_time_is_still_unsure_in_another_house(host, sack, elsewhere, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("companion.table.table.is_wall_sure", lambda: False)
        sack.submit(Rolled((3, 5)), Origin("unsure"))
    exported = host.transfer.export(sack.session.id)
    table = elsewhere.transfer.take(exported)
    assert [entry.wall_sure for entry in table.entries] == [False]
    assert elsewhere.transfer.export(table.session.id) == exported
    table.undo(Origin("there", 1))
    assert read_game_file(elsewhere.transfer.export(table.session.id)).broken_at is None


def test_whether_a_time_was_sure_cannot_be_changed_afterwards(host, sack, monkeypatch):
    monkeypatch.setattr("companion.table.table.is_wall_sure", lambda: False)
    sack.submit(Rolled((3, 5)), Origin("unsure"))
    exported = host.transfer.export(sack.session.id)
    for other in ('"wall_sure":true', '"wall_sure":null'):
        forged = exported.replace('"wall_sure":false', other)
        assert read_game_file(forged).broken_at == 1


def test_a_game_from_before_times_were_marked_is_taken_as_it_is(elsewhere):
    exported = (Path(__file__).parents[1] / "games/recorded-speedstax.jsonl").read_text()
    assert "wall_sure" not in exported
    table = elsewhere.transfer.take(exported)
    assert all(entry.wall_sure for entry in table.entries)
    assert elsewhere.transfer.export(table.session.id) == exported


@pytest.mark.skipif(not Path("/proc/uptime").exists(), reason="the kernel says it there")
def test_uptime_is_the_kernels_own_which_counts_sleep():
    """proc(5): /proc/uptime holds the uptime of the system, including time spent in suspend."""
    before_us = clock.uptime_us()
    kernels_us = float(Path("/proc/uptime").read_text().split()[0]) * 1_000_000
    assert before_us - 10_000 <= kernels_us <= clock.uptime_us()  # it is cut off after two digits
