"""The first full turn of every game by tap alone, from the first page on: each tap is counted, on a phone of today and
on a tablet as old as Chrome 88 and Safari 14.1.

No key is pressed: the names are those of the seats, and the numbers of dice, cards and boxes are tapped.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from companion.house.host import Host
from companion.journal.store import Journal
from companion.shelf import GAMES
from companion.table import rolls as table_rolls
from companion.table.table import Table
from tests.browser.conftest import deliberate_tap
from tests.browser.furnished import HOURS_US, served
from tests.browser.sound import PHONE
from tests.browser.test_older_pages import Device, Old

COUNT_IN_US = 4_000_000  # more than 3-2-1
NO_KEYS = "addEventListener('keydown', () => { window.keys = (window.keys ?? 0) + 1; }, true);"


class Finger:
    """One finger on one page, which counts its taps."""

    def __init__(self, page: Page, host: Host) -> None:
        self.page, self.host, self.taps = page, host, 0

    def tap(self, target: Locator) -> None:
        deliberate_tap(target)
        self.taps += 1

    def named(self, name: str, within: str = "") -> Locator:
        place = self.page.get_by_role("group", name=within, exact=True) if within else self.page.locator("#live")
        return place.get_by_role("button", name=name, exact=True).first

    def choose(self, target: Locator) -> None:
        """Taps what changes nothing but this page, and waits until the page shows it."""
        before = self.page.locator("#live").inner_html()
        self.tap(target)
        self.page.wait_for_function("before => document.getElementById('live').innerHTML !== before", arg=before)
        expect(self.page.locator("#live .busy")).to_have_count(0)

    def enter(self, target: Locator) -> None:
        """Taps what enters an event, and waits until the page shows the table after it."""
        before = self.seq()
        self.tap(target)
        self.page.wait_for_function(
            "seq => Number(document.querySelector('#live [data-seq]').dataset.seq) > seq", arg=before
        )

    def seq(self) -> int:
        return int(self.page.locator("#live [data-seq]").first.get_attribute("data-seq") or "0")

    @property
    def main(self) -> Locator:
        return self.page.locator("#main-tap button")

    def begin(self, title: str, players: int) -> Table:
        """From the first page of a house that knows no names to the sheet, with the names of the seats."""
        self.page.goto("/")
        card = self.page.locator(".game-cards > li", has=self.page.get_by_text(title, exact=True))
        self.tap(card.get_by_role("button", name=f"Start with {players} players", exact=True))
        expect(self.page.locator("body.on-session[data-line=open]")).to_be_visible()
        table = self.host.table(self.page.url.rsplit("/", 1)[1].split("?")[0])
        names = [table.names[player] for player in table.session.players]
        assert names == [f"Player {seat}" for seat in range(1, players + 1)]
        return table

    def passes(self, micros: int) -> None:
        """So much table time passes, as if the players had waited or built for so long."""
        self.host.clock.offset_us += micros


@pytest.fixture(params=["old tablet", "phone"])
def finger(request: pytest.FixtureRequest, browser: Browser, tmp_path: Path) -> Iterator[Finger]:
    """On the first page of a house in which nobody has played."""
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    host.clock.offset_us += HOURS_US
    with served(host) as url:
        device = Old(browser, url) if request.param == "old tablet" else Device(browser, url, PHONE)
        device.context.add_init_script(NO_KEYS)
        yield Finger(device.page, host)
        assert device.page.evaluate("window.keys ?? 0") == 0
        assert device.complaints == []
        device.context.close()


def test_every_game_has_its_turn():
    assert [game for game in GAMES if not any(name.startswith(f"test_{game}") for name in globals())] == []


def test_sack_stackers_by_typed_dice(finger):
    table = finger.begin("Sack Stackers", 2)
    finger.enter(finger.named("2 · 5"))
    both_place(finger, table)
    assert finger.taps <= 6


def test_sack_stackers_by_dice_rolled_here(finger):
    table = finger.begin("Sack Stackers", 2)
    finger.enter(finger.page.get_by_role("button", name="Roll here"))
    both_place(finger, table)
    assert finger.taps <= 6


def both_place(finger: Finger, table: Table) -> None:
    """Two players place a gift each on the tablet that both share: each one's sheet is in front by itself."""
    for name in ("Player 1", "Player 2"):
        expect(finger.page.locator(".headline h2")).to_contain_text(f"{name}: ")
        finger.choose(finger.page.get_by_role("region", name="Gifts").get_by_role("button").first)
        finger.enter(finger.main)
    assert table.state.turn == 2


def test_stack_dice_with_all_28_typed(finger):
    table = finger.begin("Stack", 2)
    finger.choose(finger.named("4", "Player 1 (red)"))
    finger.enter(finger.named("3", "Player 2 (blue)"))
    for name in ("Player 1", "Player 2"):
        counting = finger.page.get_by_role("region", name=f"{name} (", exact=False)
        for face, number in enumerate((3, 3, 3, 2, 2), start=1):
            words = f"{number} dice show {face}"
            is_last = (name, face) == ("Player 2", 5)
            (finger.enter if is_last else finger.choose)(counting.get_by_role("button", name=words, exact=True))
    finger.enter(finger.page.locator(".stack-tap").first)
    assert table.state.turn == table.session.players[1]
    assert finger.taps <= 14


def test_score_pad(finger):
    table = finger.begin("Score Pad", 2)
    finger.choose(finger.named("7"))
    finger.enter(finger.main)
    assert list(GAMES["score_pad"].rules.score(table.state).values()) == [7, 0]
    assert finger.taps <= 4


@pytest.mark.parametrize(
    ("preset", "taps"), [("Point by point", ("+1",)), ("Five dice, thirteen rows", ("Sixes", "18"))]
)
def test_score_pad_of_another_kind(finger, preset, taps):
    finger.page.goto("/")
    finger.tap(finger.page.locator(".game-cards > li", has_text="Score Pad").get_by_role("link").first)
    finger.tap(finger.page.locator("label.preset", has_text=preset))
    finger.tap(finger.page.get_by_role("button", name="Start Score Pad"))
    expect(finger.page.locator("body.on-session[data-line=open]")).to_be_visible()
    *first, last = taps
    for tap in first:
        finger.choose(finger.named(tap))
    finger.enter(finger.named(last))
    assert finger.taps <= 3 + len(taps)


def test_dice_tray(finger):
    table = finger.begin("Dice Tray", 2)
    finger.choose(finger.named("6"))
    finger.choose(finger.named("4"))
    finger.enter(finger.main)
    assert list(GAMES["dice_tray"].rules.score(table.state).values()) == [10, 0]
    assert table.state.turn == table.session.players[1]
    assert finger.taps <= 4


def test_turn_clock(finger):
    table = finger.begin("Turn Clock", 2)
    finger.enter(finger.named("Player 1"))
    finger.passes(7_000_000)
    finger.enter(finger.named("Player 1"))
    first, second = table.session.players
    assert table.state.thinking == (second,)
    assert table.state.seats[first].turns == 1
    assert finger.taps <= 3


def test_sandpile_panic(finger):
    table = finger.begin("Sandpile Panic", 2)
    finger.choose(finger.page.locator(".cell-tap").first)
    finger.enter(finger.main)
    finger.enter(finger.named("Stay black"))
    assert table.state.turns == 1
    assert finger.taps <= 4


@pytest.mark.parametrize(("rolls", "most"), [("typed", 20), ("here", 14)])
def test_pack_and_stack(finger, monkeypatch, rolls, most):
    monkeypatch.setattr(table_rolls, "CHANCE", Random(1))
    table = finger.begin("Pack & Stack", 3)
    finger.enter(finger.named("Player 1"))
    for player in table.session.players:
        if rolls == "here":
            finger.enter(finger.page.get_by_role("button", name="Roll here"))
        else:
            *others, last = finger.page.locator(".choice[role=group]").all()
            for row in others:
                finger.choose(row.get_by_role("button").first)
            finger.enter(last.get_by_role("button").first)
        if player == table.session.players[0]:
            assert finger.taps <= 5
    assert finger.taps <= 11
    for card, place in ((36, "Draw pile"), (35, "In front of Player 1"), (34, "")):  # the largest trucks
        if place:
            finger.choose(finger.named(place))
        finger.enter(finger.page.get_by_role("button", name=re.compile(f"^Truck {card}:")))
    while table.state.past == ():  # everything is in for each, then the round is closed
        finger.enter(finger.main)
    assert finger.taps <= most


def test_speedstax(finger):
    table = finger.begin("SPEEDSTAX", 3)
    finger.enter(finger.main)
    finger.passes(COUNT_IN_US)
    for _player in table.session.players:
        finger.enter(finger.named("MAX STAX"))
    finger.enter(finger.main)
    assert len(table.state.past) == 1
    assert finger.taps <= 6


def test_samestax(finger):
    table = finger.begin("SAMESTAX", 3)
    finger.enter(finger.named("Player 1"))
    finger.enter(finger.main)
    finger.passes(COUNT_IN_US)
    finger.enter(finger.named("Finished"))
    finger.enter(finger.main)
    finger.passes(COUNT_IN_US)
    for _copied in range(2):
        finger.enter(finger.named("MAX STAX"))
    finger.enter(finger.main)
    assert len(table.state.past) == 1
    assert finger.taps <= 8


def test_swapstax(finger):
    table = finger.begin("SWAPSTAX", 3)
    finger.enter(finger.named("Player 1"))
    for _player in table.session.players:
        finger.enter(finger.page.locator(".picture-tap:not([aria-disabled])").first)
    for _player in table.session.players:
        finger.enter(finger.named("Pass"))
    finger.enter(finger.main)
    finger.passes(COUNT_IN_US)
    for _player in table.session.players:
        finger.enter(finger.named("MAX STAX"))
    finger.enter(finger.main)
    assert len(table.state.past) == 1
    assert finger.taps <= 13
