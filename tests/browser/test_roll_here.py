"""“Roll here”: in view on a new sheet, and where a roll needs a tap before it, Pack & Stack's New Order (PS-62)."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.game.events import DRAWN
from companion.games.pack_and_stack.events import (
    Loaded,
    OrderRenewed,
    Reward,
    RewardDrawn,
    Rolled,
    RoundClosed,
    StarterNamed,
    Taken,
)
from companion.house.host import Host
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.table.table import Table
from tests.browser.conftest import TABLET
from tests.browser.furnished import served

ONE_BOX = (1, 0, 0, 0, 0)


def holding_new_order(host: Host) -> Table:
    """The second round, all loads rolled; Ann, who alone loaded perfectly in the first, holds New Order."""
    table = host.create("pack_and_stack", ["Ann", "Bob", "Cy"], {"reward_cards": True})
    ann, bob, cy = table.session.players
    for event in (
        StarterNamed(ann),
        Rolled(ann, (4, 1, 1, 0, 0)),
        Rolled(bob, ONE_BOX),
        Rolled(cy, ONE_BOX),
        Taken(ann, 1, bob),
        Taken(bob, 2, ann),
        Taken(cy, 3, None),
        *(Loaded(player, (0, 0, 0, 0, 0)) for player in (ann, bob, cy)),
        RewardDrawn(ann, Reward.NEW_ORDER),
        RoundClosed(),
        *(Rolled(player, ONE_BOX) for player in (bob, cy, ann)),
    ):
        table.submit(event, Origin(f"e{table.seq}"))
    return table


@pytest.fixture
def table(tmp_path) -> Iterator[tuple[Table, str]]:
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    table = holding_new_order(host)
    with served(host) as url:
        yield table, f"{url}/s/{table.session.id}"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport=TABLET, reduced_motion="reduce") as context:
        yield context.new_page()


def test_new_order_is_rolled_here_once_its_card_is_tapped(page, table):  # PS-62
    table, address = table
    page.goto(address)
    card = page.get_by_role("button", name="Ann: New Order")
    expect(card).to_be_visible()
    roll = page.get_by_role("button", name="Roll here")
    expect(roll).to_have_count(0)  # everybody has rolled
    card.click()
    expect(page.get_by_role("heading", name="Ann: New Order")).to_be_visible()
    roll.click()
    expect(page.locator(".last-text")).to_contain_text("Ann used New Order and rolled")
    expect(page.locator(".last-text")).to_contain_text(DRAWN)
    expect(roll).to_have_count(0)
    renewed = table.newest.body.event
    assert (type(renewed), renewed.player, table.newest.source) == (
        OrderRenewed,
        table.session.players[0],
        DRAWN,
    )
    assert table.state.current.dice[renewed.player] == renewed.dice


def test_it_is_in_view_on_a_new_sheet_of_four(page, tmp_path):
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    new = host.create("sack_stackers", ["Ann", "Bob", "Cy", "Di"], {})
    with served(host) as url:
        page.goto(f"{url}/s/{new.session.id}")
        for size in (TABLET, {"width": 390, "height": 844}):
            page.set_viewport_size(size)
            roll, bar = (page.locator(part).bounding_box() for part in ("[data-roll]", ".last"))
            assert roll["y"] + roll["height"] <= bar["y"], size
