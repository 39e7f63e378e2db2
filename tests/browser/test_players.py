"""Players and games in the middle of an evening, in a real browser: deleting a game, and who plays on which device."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WITHOUT_CAMERA

SERVICE = WITHOUT_CAMERA


@pytest.fixture
def sack(service):
    """A game of Anna and Ben, made anew for each test; its id."""
    status, begun = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Anna", "Ben"]})
    assert status == 201
    return begun["id"]


def test_a_game_is_deleted_by_one_tap_more_than_asked_and_every_open_page_leaves_it(device, service, sack):
    page, other = device(), device()
    other.goto(f"/s/{sack}")
    expect(other.locator("body[data-line=open]")).to_be_visible()
    page.goto(f"/s/{sack}")
    page.get_by_role("link", name="Delete this game").click()
    page.get_by_role("link", name="Keep it").click()
    expect(page.locator("body.on-session")).to_be_visible()
    page.goto("/")
    page.locator(f'a.game-delete[href="/s/{sack}/delete"]').click()
    expect(page.get_by_text("You can't undo this.")).to_be_visible()
    page.get_by_role("button", name="Yes, delete this game").click()
    for each in (page, other):
        expect(each.locator(".hero")).to_be_visible()
        expect(each.locator(f'a[href*="{sack}"]')).to_have_count(0)
    assert service.call(f"/api/sessions/{sack}")[0] == 404
