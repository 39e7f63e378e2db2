"""The first game of a kind in a house has one hint a phase, once on each device, in the line of notices."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_CAMERA
from tests.browser.sound import SMALL_PHONE
from tests.browser.test_screens import new_game, post

SERVICE = WITHOUT_CAMERA
ROLL, CHOOSE = "Roll both dice, then tap what they show.", "Tap a gift. The big button then drops it into your sack."


def hint(page: Page) -> str:
    shown = page.locator("[data-hint]")
    return shown.first.inner_text() if shown.count() else ""


def test_each_phase_has_one_hint_once_on_a_device_and_only_in_the_first_game(device, service):
    first = new_game(service, "sack_stackers", "Ann")
    (ann,) = (player["id"] for player in service.call(f"/api/sessions/{first}")[1]["players"])
    page, other = device(viewport=SMALL_PHONE), device()
    page.goto(f"/s/{first}")
    page.locator("body[data-line=open]").wait_for()
    assert hint(page) == ROLL  # beside what the table is set up with
    expect(page.locator(".notices > .steps-due [data-hint]")).to_be_in_viewport()
    post(service, first, kind="Rolled", dice=[3, 5])
    expect(page.locator("[data-hint]")).to_have_text(CHOOSE)
    page.locator(".notices > summary").click()
    page.get_by_role("button", name="Got it").click()  # dismissed, while its phase goes on
    expect(page.locator("[data-hint]")).to_have_count(0)
    post(service, first, kind="Placed", player=ann, gift_die=1, section=3, box="T", gift="T", column=5)
    expect(page.locator(".headline h2")).to_have_text("Roll both dice")
    assert hint(page) == ""  # the phase comes again, its hint does not
    post(service, first, kind="Rolled", dice=[1, 1])
    expect(page.locator(".headline h2")).to_have_text("Ann: Choose a gift")
    page.reload()
    assert hint(page) == ""
    other.goto(f"/s/{first}")
    assert hint(other) == CHOOSE  # another device has seen none
    other.locator("body[data-line=open]").wait_for()
    post(service, first, kind="Placed", player=ann, gift_die=1, section=1, box="I", gift="I", column=1)
    expect(other.locator("[data-hint]")).to_have_text(ROLL)
    expect(other.locator("[data-hint]")).to_be_in_viewport()
    other.goto(f"/s/{new_game(service, 'sack_stackers', 'Ann')}")
    assert hint(other) == ""


def test_a_tournament_has_no_hints(device, service):
    body = {"game": "sandpile_panic", "players": ["Ann", "Bob"], "preset": "tournament"}
    status, made = service.call("/api/sessions", body)
    assert status < 300, made
    page = device()
    page.goto(f"/s/{made['id']}")
    expect(page.locator(".headline")).to_be_visible()
    assert hint(page) == ""
