"""The date by which tickets and pictures grow old, under wall clocks that leap."""

import pytest

from companion.access.host_pin import FREE_TRIES
from companion.access.tickets import DAY_US
from companion.errors import NotAllowed, TooManyTries
from companion.journal.backup import DailyCopies
from companion.journal.calendar import DOUBT_US, JUMP_US, believed, date_us, save_date
from companion.journal.devices import Role
from companion.journal.files import daily_copies
from companion.journal.settings import CALENDAR
from web.app import create_app

NOW_US = 1_790_000_000_000_000  # in 2026
HOUR_US = 3_600_000_000


class Clocks:
    """The wall clock and the kernel's, both set by hand."""

    def __init__(self, monkeypatch):
        self.wall_us, self.uptime_us, self.boot, self.sure = NOW_US, 10**9, "boot 1", True
        for name in ("wall_us", "uptime_us"):
            monkeypatch.setattr(f"companion.journal.calendar.{name}", lambda name=name: getattr(self, name))
        monkeypatch.setattr("companion.journal.calendar.boot_id", lambda: self.boot)
        monkeypatch.setattr("companion.journal.calendar.is_wall_sure", lambda: self.sure)

    def run(self, journal, passing_us, each_us=HOUR_US):
        """The table runs, and looks at the date now and then."""
        for _ in range(round(passing_us / each_us)):
            self.wall_us += each_us
            self.uptime_us += each_us
            save_date(journal)


@pytest.fixture
def clocks(monkeypatch, host):
    found = Clocks(monkeypatch)
    save_date(host.journal)
    return found


@pytest.mark.parametrize("leap_us", [40 * DAY_US, 74 * 365 * DAY_US, -30 * 365 * DAY_US])
def test_a_clock_that_leaps_and_comes_back_logs_nobody_out_and_deletes_nothing(host, clocks, leap_us):
    token, code = host.access.tickets.issue(Role.PLAYER), host.access.codes.standing(Role.PLAYER)
    unused = host.access.tickets.issue(Role.HOST, once=True)
    old = host.journal.add_picture(b"old", date_us(host.journal))
    phone = create_app(host).test_client()
    phone.environ_base |= {"REMOTE_ADDR": "192.168.1.21", "HTTP_AUTHORIZATION": f"Bearer {token}"}
    clocks.wall_us += leap_us
    for _ in range(3):  # as each ten minutes
        save_date(host.journal)
        host.pictures.tidy()
    assert phone.get("/new").status_code == 200
    late = host.access.tickets.issue(Role.WATCHER)
    new = host.journal.add_picture(b"new", date_us(host.journal))
    host.access.links.start_link()
    clocks.wall_us -= leap_us
    save_date(host.journal)
    host.pictures.tidy()
    assert phone.get("/new").status_code == 200
    assert host.access.codes.standing(Role.PLAYER) == code
    assert all(host.access.tickets.ticket(each) for each in (token, unused, late))
    assert host.journal.kept_pictures((old, new)) == {old, new}
    clocks.run(host.journal, 31 * DAY_US, 6 * HOUR_US)
    host.pictures.tidy()
    assert not any(host.access.tickets.ticket(each) for each in (token, unused, late))
    assert not host.journal.kept_pictures((old, new))


@pytest.mark.parametrize("leap_us", [10 * 365 * DAY_US, -10 * 365 * DAY_US])
def test_a_clock_that_leaps_for_an_evening_makes_no_copy_of_another_year(host, clocks, leap_us):
    """Its copies would push out the true ones, and one of a year to come would be the newest for good."""
    copies = DailyCopies(host.journal)
    for _ in range(8):
        copies.look()
        clocks.run(host.journal, DAY_US)
    before = set(daily_copies(host.journal.path))
    assert len(before) > 5  # so the days are the calendar's
    clocks.wall_us += leap_us
    copies.look()
    clocks.wall_us -= leap_us
    copies.look()
    after = daily_copies(host.journal.path)
    assert {day.year for day in after} == {2026}
    assert before - {min(before)} <= set(after)


def test_a_leap_is_no_way_round_the_wait_after_wrong_pins(host, clocks):
    for _ in range(FREE_TRIES):
        with pytest.raises(NotAllowed):
            host.access.enter("no", "192.168.1.21")
    clocks.wall_us += 40 * DAY_US
    with pytest.raises(TooManyTries):
        host.access.enter("no", "192.168.1.21")


@pytest.mark.parametrize("set_us", [DAY_US, -DAY_US, 2 * 60_000_000])
def test_a_clock_that_is_set_neither_shortens_nor_lengthens_that_wait(host, clocks, set_us):
    for _ in range(FREE_TRIES):
        with pytest.raises(NotAllowed):
            host.access.enter("no", "192.168.1.21")
    clocks.wall_us += set_us
    save_date(host.journal)
    with pytest.raises(TooManyTries, match=r"in (30|29|2[0-8]) seconds"):
        host.access.enter("no", "192.168.1.21")


def test_a_restart_while_the_clock_is_wrong_changes_nothing(host, clocks):
    token = host.access.tickets.issue(Role.PLAYER)
    for boot in range(5):
        clocks.boot, clocks.uptime_us = f"wrong {boot}", 0
        clocks.wall_us = NOW_US + 74 * 365 * DAY_US
        save_date(host.journal)
        assert host.access.tickets.ticket(token)


def test_a_table_of_every_week_grows_old_by_the_week(host, clocks):
    token = host.access.tickets.issue(Role.PLAYER)
    for week in range(5):
        assert host.access.tickets.ticket(token)
        clocks.boot, clocks.uptime_us = f"week {week}", 0
        clocks.wall_us += 7 * DAY_US
        clocks.run(host.journal, 4 * HOUR_US)
    assert not host.access.tickets.ticket(token)


def test_after_months_in_a_cupboard_the_old_goes_and_what_came_in_today_stays(host, clocks):
    clocks.run(host.journal, HOUR_US)
    clocks.wall_us, clocks.uptime_us = clocks.wall_us + HOUR_US // 2, clocks.uptime_us + HOUR_US // 2
    old, picture = host.access.tickets.issue(Role.PLAYER), host.journal.add_picture(b"old", date_us(host.journal))
    clocks.boot, clocks.uptime_us = "boot 2", 0
    clocks.wall_us += 90 * DAY_US
    save_date(host.journal)
    today, new = host.access.tickets.issue(Role.PLAYER), host.journal.add_picture(b"new", date_us(host.journal))
    clocks.run(host.journal, DOUBT_US + HOUR_US)
    host.pictures.tidy()
    assert date_us(host.journal) == clocks.wall_us
    assert (host.access.tickets.ticket(old), host.journal.kept_pictures((picture, new))) == (None, {new})
    assert host.access.tickets.ticket(today).expires_wall_us == clocks.wall_us + 30 * DAY_US - DOUBT_US - HOUR_US


def test_a_clock_that_nothing_has_set_is_never_believed_over_one_that_was(host, clocks):
    clocks.sure, clocks.boot, clocks.uptime_us = False, "boot 2", 0
    clocks.wall_us -= 2 * JUMP_US
    save_date(host.journal)
    before_us = date_us(host.journal)
    clocks.run(host.journal, 2 * DOUBT_US)
    assert date_us(host.journal) == before_us + 2 * DOUBT_US
    clocks.sure, clocks.wall_us = True, NOW_US + 2 * DOUBT_US
    save_date(host.journal)
    assert (date_us(host.journal), believed(host.journal).doubt_us) == (clocks.wall_us, 0)


GAP_US = 10 * 60_000_000  # from one look at the date to the next


def guest(host, token):
    """A phone with a ticket; the page that it opens is a player's."""
    phone = create_app(host).test_client()
    phone.environ_base |= {"REMOTE_ADDR": "192.168.1.21", "HTTP_AUTHORIZATION": f"Bearer {token}"}
    return phone


@pytest.mark.parametrize("sure_before", [True, False])
@pytest.mark.parametrize("days", [70, 400, 5, 1 / 24, -1 / 24, -5, -70, -400])
def test_a_clock_put_right_in_the_middle_of_a_game_changes_no_age(host, clocks, days, sure_before):
    clocks.sure = sure_before
    clocks.run(host.journal, HOUR_US, GAP_US)
    token, code = host.access.tickets.issue(Role.PLAYER), host.access.codes.standing(Role.PLAYER)
    picture = host.journal.add_picture(b"tonight", date_us(host.journal))
    clocks.run(host.journal, HOUR_US, GAP_US)
    link = host.access.links.start_link()
    phone = guest(host, token)
    clocks.run(host.journal, GAP_US, GAP_US // 2)
    clocks.wall_us, clocks.sure = clocks.wall_us + round(days * DAY_US), True
    for _ in range(3):
        assert host.access.tickets.ticket(link)  # of ten minutes ago, good for thirty
        save_date(host.journal)
    clocks.run(host.journal, 3 * GAP_US, GAP_US // 2)
    assert not host.access.tickets.ticket(link)
    for _ in range(2 * DOUBT_US // HOUR_US):
        host.pictures.tidy()
        assert phone.get("/new").status_code == 200
        assert host.access.codes.standing(Role.PLAYER) == code
        clocks.run(host.journal, HOUR_US, GAP_US)
    assert date_us(host.journal) == clocks.wall_us
    assert host.journal.kept_pictures((picture,)) == {picture}
    clocks.run(host.journal, 29 * DAY_US, 6 * HOUR_US)
    assert host.access.tickets.ticket(token)
    clocks.run(host.journal, DAY_US, 6 * HOUR_US)
    host.pictures.tidy()
    assert not host.access.tickets.ticket(token)
    assert not host.journal.kept_pictures((picture,))


@pytest.mark.parametrize("days", [70, 5])
def test_a_clock_that_was_behind_for_two_starts_and_is_put_right_shows_nobody_out(host, clocks, days):
    """A board without a clock chip starts where it was switched off. What it had from before that grows old."""
    before = host.access.tickets.issue(Role.PLAYER)
    clocks.run(host.journal, DAY_US)
    tokens = []
    for boot in ("first start in the hut", "second"):
        clocks.sure, clocks.boot, clocks.uptime_us = False, boot, 0
        save_date(host.journal)
        tokens.append(host.access.tickets.issue(Role.PLAYER))
        clocks.run(host.journal, HOUR_US, GAP_US)
    clocks.wall_us, clocks.sure = clocks.wall_us + days * DAY_US, True
    clocks.run(host.journal, 2 * DOUBT_US, GAP_US)
    assert date_us(host.journal) == clocks.wall_us
    assert [guest(host, each).get("/new").status_code for each in tokens] == [200, 200]
    ages_us = [clocks.wall_us - host.access.tickets.ticket(each).created_wall_us for each in tokens]
    assert ages_us == [2 * DOUBT_US + 2 * HOUR_US, 2 * DOUBT_US + HOUR_US]
    assert bool(host.access.tickets.ticket(before)) == (days < 30)


def test_a_clock_that_was_ahead_for_two_starts_and_is_set_back_lets_nobody_in_for_longer(host, clocks):
    token = host.access.tickets.issue(Role.PLAYER)
    clocks.run(host.journal, HOUR_US)
    clocks.boot, clocks.uptime_us = "boot 2", 0
    clocks.run(host.journal, HOUR_US)
    clocks.wall_us -= 70 * DAY_US
    clocks.run(host.journal, 2 * DOUBT_US)
    assert date_us(host.journal) == clocks.wall_us
    assert host.access.tickets.ticket(token).expires_wall_us <= clocks.wall_us + 30 * DAY_US - 2 * DOUBT_US


@pytest.mark.parametrize("boot", ["boot 1", "boot 2", ""])
def test_a_restart_while_a_clock_that_was_put_right_is_in_doubt_shows_nobody_out(host, clocks, monkeypatch, boot):
    """Of the program, of the machine, and of the program where a system has no id of its boot."""
    clocks.boot = boot and "boot 1"
    save_date(host.journal)
    token = host.access.tickets.issue(Role.PLAYER)
    clocks.run(host.journal, HOUR_US, GAP_US)
    clocks.wall_us += 70 * DAY_US
    clocks.run(host.journal, HOUR_US, GAP_US)
    clocks.boot, clocks.uptime_us = boot, 0 if boot == "boot 2" else clocks.uptime_us
    monkeypatch.setattr("companion.journal.calendar.THIS_RUN", "another run")
    clocks.run(host.journal, 2 * DOUBT_US, GAP_US)
    assert date_us(host.journal) == clocks.wall_us
    assert guest(host, token).get("/new").status_code == 200


def test_a_date_that_an_earlier_checkout_wrote_changes_no_age(host, clocks):
    """It measured without the time that the machine had slept: five days here."""
    token = host.access.tickets.issue(Role.PLAYER)
    CALENDAR.put(host.journal, f'[{clocks.wall_us},"boot 1",{clocks.uptime_us - 5 * DAY_US},0,0]')
    clocks.run(host.journal, HOUR_US, GAP_US)
    assert date_us(host.journal) == clocks.wall_us
    assert host.access.tickets.ticket(token).expires_wall_us == clocks.wall_us + 30 * DAY_US - HOUR_US


def test_a_laptop_that_sleeps_for_a_month_has_tickets_that_are_a_month_older(host, clocks):
    token = host.access.tickets.issue(Role.PLAYER)
    clocks.wall_us, clocks.uptime_us = clocks.wall_us + 31 * DAY_US, clocks.uptime_us + 31 * DAY_US
    assert not host.access.tickets.ticket(token)
