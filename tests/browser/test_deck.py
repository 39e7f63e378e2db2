"""A bought deck: shown to the demo's camera on its page, then known in a game, in a browser on the real program."""

from playwright.sync_api import expect

from tests.browser.conftest import DEMO_FROM_ABOVE, deliberate_tap
from tests.browser.test_table import SOON_MS

SERVICE = DEMO_FROM_ABOVE

NEW = "Is this the whole card and nothing else?"


def show(page, service, number, stars):
    """Lays a card on the demo's card spot and keeps what the page shows of it."""
    assert service.call("/table/card", {"number": number})[0] == 200
    expect(page.get_by_text(NEW)).to_be_visible(timeout=SOON_MS)
    page.get_by_label("Number of this card").fill(str(number))
    page.get_by_label("Its stars").fill(str(stars))
    page.get_by_role("button", name="Keep this card").click()
    expect(page.get_by_label("Number of this card")).to_have_value(str(number + 1))
    expect(page.get_by_text(f"This looks like card {number}, which was shown before.")).to_be_visible(timeout=SOON_MS)


def wait_for_a_look(page):
    """The camera has looked once since nobody sets it up any more: what it saw then is nothing new."""
    expect(page.get_by_text("Someone is setting up the camera")).to_have_count(0, timeout=SOON_MS)
    page.goto("/wizard")
    page.get_by_role("button", name="Show what it sees").click()
    expect(page.get_by_alt_text("What the camera sees")).to_be_visible(timeout=SOON_MS)
    page.go_back()


def test_cards_that_were_shown_are_known_in_a_game_with_their_stars(device, service):
    page = device()
    page.goto("/house")
    page.get_by_role("link", name="Show the camera a bought deck").click()
    expect(page.get_by_text("Put one card flat under the camera")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Keep this card")).to_be_disabled()
    for number, stars in ((12, 4), (30, 2)):
        show(page, service, number, stars)
    expect(page.get_by_role("heading", name="Shown so far: 2 of 45")).to_be_visible()
    page.get_by_label("Number of this card").evaluate("field => { field.max = 99 }")
    page.get_by_label("Number of this card").fill("46")
    page.get_by_role("button", name="Keep this card").click()
    expect(page.get_by_role("alert")).to_contain_text("1 to 45")
    expect(page.get_by_label("Number of this card")).to_have_value("46")
    page.close()
    options = {"deck": "bought", "deck_subset": [12, 30, *range(1, 12), *range(13, 22)]}
    _, game = service.call("/api/sessions", {"game": "swapstax", "players": ["Ann", "Bob"], "options": options})
    sheet = device()
    sheet.goto(f"/s/{game['id']}")
    sheet.get_by_role("group", name="Shuffler").get_by_role("button", name="Ann").click()
    expect(sheet.get_by_text("The camera knows 2 of 22 cards")).to_be_visible(timeout=SOON_MS)
    wait_for_a_look(sheet)
    service.call("/table/card", {"number": 12})
    asked = sheet.get_by_role("region", name="The camera asks")
    expect(asked.get_by_text("is this card 12?")).to_be_visible(timeout=SOON_MS)
    deliberate_tap(asked.locator("[data-agree]"))
    expect(sheet.get_by_text("Ann drew card 12 with 4 stars.").first).to_be_visible(timeout=SOON_MS)
