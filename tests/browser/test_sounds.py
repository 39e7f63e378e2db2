"""Sounds: offered before the first race on a device, silent without a yes, remembered, and at the right instants."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_CAMERA, open_menu
from tests.browser.test_announcements import LEAVE_LEFT
from tests.browser.test_screens import new_game, post

SERVICE = WITHOUT_CAMERA
# the tones that this page plays: their height in hertz, and when they begin, in seconds of the page
LISTEN = """() => {
    window.tones = [];
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (at) {
        window.tones.push([this.frequency.value, performance.now() / 1000 + at - this.context.currentTime]);
        return start.call(this, at);
    };
}"""
COUNT_HZ, GO_HZ, TICK_HZ, END_HZ = 520, 1040, 780, 260
SOON_MS = 30_000
NEAR_S = 0.25  # so much later may a busy machine begin a tone that was ordered in time


def offer(page: Page):
    return page.locator("[data-sound-offer]")


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_function("() => document.documentElement.dataset.ready !== undefined")
    page.evaluate(LISTEN)
    return page


@pytest.mark.parametrize("game", ["speedstax", "samestax", "swapstax"])
def test_offered_before_the_first_race_and_never_again_once_answered(device, service, game):
    page = opened(device(), f"/s/{new_game(service, game, 'Ann', 'Bob', 'Cy')}")
    expect(offer(page)).to_be_visible()
    page.get_by_role("button", name="Stay silent").click()
    expect(offer(page)).to_be_hidden()
    assert page.evaluate("window.tones") == []
    page.reload()
    page.wait_for_function("() => document.documentElement.dataset.ready !== undefined")
    expect(offer(page)).to_be_hidden()


def test_a_yes_is_heard_and_remembered(device, service):
    page = opened(device(), f"/s/{new_game(service, 'speedstax', 'Ann', 'Bob')}")
    page.get_by_role("button", name="Turn on sounds").click()
    page.wait_for_function("() => window.tones.length === 1")
    expect(offer(page)).to_be_hidden()
    open_menu(page)
    page.get_by_role("button", name="Sounds and screen on this device").click()
    expect(page.locator("[data-device=sound]")).to_be_checked()
    page.reload()
    expect(page.locator("[data-device=sound]")).to_be_checked()


def test_not_offered_where_nothing_is_raced_or_a_race_runs(device, service):
    page = opened(device(), f"/s/{new_game(service, 'stack_dice', 'Ann', 'Bob')}")
    expect(offer(page)).to_be_hidden()
    session = new_game(service, "speedstax", "Ann", "Bob")
    page = opened(page, f"/s/{session}")
    expect(offer(page)).to_be_visible()
    _, shown = service.call(f"/api/sessions/{session}")
    for player in shown["players"]:
        post(service, session, kind="Readied", player=player["id"])
    post(service, session, kind="Started", at_us=-1)
    page.locator("[data-clock][data-from]").wait_for(timeout=SOON_MS)
    expect(offer(page)).to_be_hidden()


def test_the_last_ten_seconds_tick_and_the_end_sounds(device, service):
    page = opened(device(), f"/s/{new_game(service, 'speedstax', 'Ann', 'Bob')}")
    page.get_by_role("button", name="Turn on sounds").click()
    page.wait_for_function("() => window.tones.length === 1")
    page.evaluate(LEAVE_LEFT, 11.0)
    page.wait_for_function(f"() => window.tones.some(([hz]) => hz === {END_HZ})", timeout=SOON_MS)
    tones = page.evaluate("window.tones")
    ticks = [at for hz, at in tones if hz == TICK_HZ]
    (end,) = (at for hz, at in tones if hz == END_HZ)
    assert len(ticks) == 10
    assert [round(end - at) for at in ticks] == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert all(abs(end - at - round(end - at)) < NEAR_S for at in ticks)
