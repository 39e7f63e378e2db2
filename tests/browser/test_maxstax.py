"""SAMESTAX by the buttons of the box and under the camera, in a browser on the real program."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import DEMO_FROM_THE_FRONT, deliberate_tap
from tests.browser.sound import PHONE
from tests.browser.test_table import SOON_MS, start

SERVICE = DEMO_FROM_THE_FRONT


def wait_for_go(page: Page) -> None:
    """The countdown was seen, and it is over: a press before that would be a false start."""
    expect(page.locator(".clock.counting")).to_be_visible(timeout=SOON_MS)
    expect(page.locator(".clock:not(.counting)[data-from]")).to_be_visible(timeout=SOON_MS)


def test_samestax_with_the_buttons_of_the_box(device):
    sheet, table = device(), device()
    start(sheet, "SAMESTAX", "Ann", "Bob")
    table.goto("/table")
    sheet.get_by_role("group", name="First Creator").get_by_role("button", name="Ann").click()
    expect(sheet.locator(".last")).to_contain_text("Ann is the first Creator")  # by now her button starts the round
    ann, bob = (table.get_by_role("button", name=f"Button of seat {seat}") for seat in (1, 2))
    ann.click()
    wait_for_go(sheet)
    ann.click()
    expect(sheet.get_by_role("heading", name="Who's ready?")).to_be_visible(timeout=SOON_MS)
    bob.click()
    expect(sheet.get_by_role("heading", name="Round 1 of 4: everyone's ready")).to_be_visible(timeout=SOON_MS)
    ann.click()
    wait_for_go(sheet)
    bob.click()
    expect(sheet.locator(".seat-card").nth(1).locator(".seat-state")).to_have_text("Copied", timeout=SOON_MS)
    # nobody built with the virtual blocks: the camera asks about either stack, and the table knows better
    asked = sheet.get_by_role("region", name="The camera asks")
    for _stack in range(2):
        nothing = asked.get_by_text(re.compile(r"I can't see a stack in space \d\."))
        expect(nothing).to_be_visible(timeout=SOON_MS)
        said = nothing.inner_text()
        deliberate_tap(asked.get_by_role("button", name="Enter nothing"))
        expect(asked.get_by_text(said)).to_be_hidden()
    expect(asked).to_be_hidden()
    table.get_by_role("button", name="Confirm", exact=True).click()
    expect(sheet.get_by_role("heading", name="Round 2 of 4: Bob creates")).to_be_visible(timeout=SOON_MS)
    assert [points.inner_text() for points in sheet.locator(".score-points").all()] == ["0", "1"]


def test_a_creator_builds_freely_by_finger_and_by_keyboard_and_the_camera_sees_it(device):
    sheet, table = device(), device(viewport=PHONE, has_touch=True)
    start(sheet, "SAMESTAX", "Ann", "Bob")
    table.goto("/table")
    own = table.locator(".stack-place").first
    drawing = own.locator("svg.stack")
    expect(own.locator(".sitter")).to_have_text("Ann")
    own.get_by_text("Build freely").press("Space")  # which elsewhere starts the round
    expect(own.locator("details")).to_have_attribute("open", "")
    own.get_by_role("radio", name="upright, narrow side in front").check(force=True)
    for count, share in enumerate((0.4, 0.6), start=1):
        box = drawing.bounding_box()
        table.touchscreen.tap(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
        expect(drawing).to_have_attribute("aria-label", re.compile(f": {count} block"))
    own.get_by_role("radio", name="flat, long side in front").focus()
    table.keyboard.press("Space")
    held = own.get_by_role("group", name="Where to put it").get_by_role("status")
    before = held.inner_text()
    own.get_by_role("button", name="Further left").press("Enter")
    expect(held).not_to_have_text(before)
    own.get_by_role("button", name="Further right").press("Enter")
    expect(held).to_have_text(before)
    own.get_by_role("button", name="Put", exact=True).press("Enter")
    expect(drawing).to_have_attribute("aria-label", re.compile(": 3 blocks"))
    own.get_by_role("button", name="Take one off").click()
    expect(drawing).to_have_attribute("aria-label", re.compile(": 2 blocks"))
    sheet.get_by_role("group", name="First Creator").get_by_role("button", name="Ann").click()
    expect(sheet.locator(".last")).to_contain_text("Ann is the first Creator")  # by now her button starts the round
    ann, bob = (table.get_by_role("button", name=f"Button of seat {seat}") for seat in (1, 2))
    ann.click()
    wait_for_go(sheet)
    ann.click()
    expect(sheet.get_by_role("heading", name="Who's ready?")).to_be_visible(timeout=SOON_MS)
    bob.click()
    expect(sheet.get_by_role("heading", name="Round 1 of 4: everyone's ready")).to_be_visible(timeout=SOON_MS)
    ann.click()
    wait_for_go(sheet)
    table.locator(".stack-place").nth(1).get_by_role("button", name="Finish", exact=True).click()
    bob.click()
    asked = sheet.get_by_role("region", name="The camera asks")
    expect(asked.get_by_text("The stack in space 2 stands and matches.")).to_be_visible(timeout=SOON_MS)
