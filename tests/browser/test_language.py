"""The language switched on one tablet in the middle of a game; the other tablet stays as it is."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_WORKER


def begun(service) -> str:
    """SPEEDSTAX with its clock running; the address of its sheet."""
    status, session = service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob"]})
    assert status == 201
    for number, player in enumerate(session["players"], start=1):
        post(service, session["id"], {"kind": "Readied", "player": player["id"]}, number - 1)
    post(service, session["id"], {"kind": "Started", "at_us": -1}, 2)
    return f"/s/{session['id']}"


def post(service, session: str, event: dict, seen_seq: int) -> None:
    body = {"event": event, "event_id": f"event-{seen_seq}", "seen_seq": seen_seq}
    assert service.call(f"/api/sessions/{session}/events", body)[0] in (200, 201)


def switch(page: Page, language: str) -> None:
    more = page.get_by_role("button", name=re.compile("More|Mehr"))
    if more.is_visible():
        more.click()
    page.locator("[data-languages]").select_option(label=language)


def test_switched_in_the_middle_of_a_game(device, service):
    address = begun(service)
    mine, other = device(), device()
    for page in (mine, other):
        page.goto(address)
        expect(page.get_by_role("timer", name="Time left")).to_be_visible()

    switch(mine, "Deutsch")
    expect(mine.locator("html")).to_have_attribute("lang", "de")
    expect(mine.get_by_role("timer", name="Restzeit")).to_be_visible()
    expect(mine.locator("#live")).to_contain_text("Hau auf deinen Taster")
    expect(mine.locator(".last")).to_contain_text("Runde 1 von 5 wurde gestartet.")

    mine.get_by_role("button", name="Umgefallen").first.click()  # while the countdown runs, too: the table records it
    expect(mine.locator(".last")).to_contain_text("Der Stapel von Ann ist gefallen.")
    expect(other.locator(".last")).to_contain_text("Ann's stack fell.")
    expect(other.get_by_role("timer", name="Time left")).to_be_visible()

    mine.goto(f"{address}/history")
    expect(mine.locator(".history")).to_contain_text("Der Stapel von Ann ist gefallen.")
    expect(mine.locator(".history")).to_contain_text("Ann ist bereit.")

    mine.goto("/table")
    expect(mine.get_by_role("heading", name="Der Tisch")).to_be_visible()
    mine.goto(address)
    switch(mine, "English")
    expect(mine.get_by_role("timer", name="Time left")).to_be_visible()


def test_a_toast_speaks_the_browsers_language(device, service):
    address = begun(service)
    page = device(locale="de-DE", **WITHOUT_WORKER)  # the browser asks for it: nothing has to be chosen
    page.goto(address)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.route("**/events", lambda route: route.abort())
    page.get_by_role("button", name="Umgefallen").first.click()
    expect(page.locator("#toast")).to_contain_text("Der Tisch hat noch nicht geantwortet")
    page.unroute("**/events")
    expect(page.locator(".last")).to_contain_text("ist gefallen.")
