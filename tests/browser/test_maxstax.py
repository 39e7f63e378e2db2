"""SAMESTAX by the buttons of the box, SWAPSTAX by taps, in a browser on the real program."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_WORKER, deliberate_tap
from tests.browser.test_table import PHONE, SOON_MS, start

# what the next taps say of when they were made
AT = """when => document.addEventListener("click", (click) => {
    Object.defineProperty(click, "timeStamp", { value: when });
}, { capture: true })"""
SOONER, LATER = 0, 10**9


def draw(page: Page, number: int) -> None:
    deliberate_tap(page.locator(".cell-tap", has_text=re.compile(rf"^\s*{number}\s*$")))


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
    expect(sheet.get_by_role("heading", name="Does Ann's stack stand?")).to_be_visible(timeout=SOON_MS)
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
        deliberate_tap(asked.get_by_role("button", name="Dismiss"))
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
    expect(sheet.get_by_role("heading", name="Does Ann's stack stand?")).to_be_visible(timeout=SOON_MS)
    bob.click()
    expect(sheet.get_by_role("heading", name="Round 1 of 4: everyone's ready")).to_be_visible(timeout=SOON_MS)
    ann.click()
    wait_for_go(sheet)
    table.locator(".stack-place").nth(1).get_by_role("button", name="Finish", exact=True).click()
    bob.click()
    asked = sheet.get_by_role("region", name="The camera asks")
    expect(asked.get_by_text("The stack in space 2 stands and matches.")).to_be_visible(timeout=SOON_MS)


def test_swapstax_by_taps(device):
    sheet = device()
    start(sheet, "SWAPSTAX", "Ann", "Bob")
    sheet.get_by_role("group", name="Shuffler").get_by_role("button", name="Bob").click()
    expect(sheet.get_by_role("heading", name="Bob draws")).to_be_visible()
    draw(sheet, 45)
    expect(sheet.get_by_role("heading", name="Ann draws")).to_be_visible()
    stars = sheet.get_by_role("button", name="★★", exact=True)  # the table gives this card other stars
    stars.click()
    expect(stars).to_have_attribute("aria-pressed", "true")
    draw(sheet, 3)
    expect(sheet.locator(".last")).to_contain_text("Ann drew card 3 with 2 stars")
    expect(sheet.get_by_role("img", name="Big wheel, a stack of 11 blocks")).to_be_visible()
    expect(sheet.get_by_role("heading", name="Bob: swap or pass")).to_be_visible()
    deliberate_tap(sheet.get_by_role("button", name="Pass", exact=True))
    sheet.get_by_role("button", name=re.compile("^Swap with Bob")).click()
    expect(sheet.locator(".last")).to_contain_text("Ann swapped cards with Bob")
    expect(sheet.locator(".seat-card").nth(0)).to_contain_text("1 SWAP card")
    deliberate_tap(sheet.get_by_role("button", name="Pass", exact=True))
    deliberate_tap(sheet.get_by_role("button", name="Pass", exact=True))
    expect(sheet.get_by_role("button", name="Ready").first).to_be_visible()
    expect(sheet.locator(".picture").first).to_contain_text("Ann: card 45 ★★★★★")


def test_a_choice_counts_though_the_page_has_not_shown_it_yet(device):
    """A line that is slow brings the page with the stars late: what is entered meanwhile waits for it."""
    sheet, held = device(**WITHOUT_WORKER), []
    start(sheet, "SWAPSTAX", "Ann", "Bob")
    sheet.get_by_role("group", name="Shuffler").get_by_role("button", name="Bob").click()
    expect(sheet.get_by_role("heading", name="Bob draws")).to_be_visible()
    sheet.route("**/sheet*", lambda route: held.append(route))
    with sheet.expect_request("**/sheet*"):
        sheet.get_by_role("button", name="★★", exact=True).click()
    draw(sheet, 3)
    sheet.unroute("**/sheet*")  # what was held goes on
    expect(sheet.locator(".last")).to_contain_text("Bob drew card 3 with 2 stars")


@pytest.mark.parametrize("how", ["twice", "calmly", "by keys"])
def test_the_second_tap_of_a_double_tap_does_not_pass_for_the_next_player(device, how):
    """All three buttons of swapping stay in their places while it is another player's turn."""
    sheet = device()
    start(sheet, "SWAPSTAX", "Ann", "Bob", "Cy")
    sheet.get_by_role("group", name="Shuffler").get_by_role("button", name="Bob").click()
    for name, number in (("Bob", 1), ("Cy", 2), ("Ann", 3)):
        expect(sheet.get_by_role("heading", name=f"{name} draws")).to_be_visible()
        draw(sheet, number)
    expect(sheet.get_by_role("heading", name="Bob: swap or pass")).to_be_visible()
    box = sheet.get_by_role("button", name="Pass", exact=True).bounding_box()
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    sheet.mouse.click(*place)
    expect(sheet.get_by_role("heading", name="Cy: swap or pass")).to_be_visible()
    if how == "by keys":  # of which nobody presses one in place of another
        sheet.get_by_role("button", name="Pass", exact=True).press("Enter")
    if how == "twice":
        # this machine may have taken longer than a double tap until the page had changed: the tap says that it did not
        sheet.evaluate(AT, SOONER)
    if how == "calmly":
        sheet.evaluate(AT, LATER)
    if how != "by keys":
        sheet.mouse.click(*place)
    if how == "twice":
        expect(sheet.get_by_text("The page just changed")).to_be_visible()
        expect(sheet.get_by_role("heading", name="Cy: swap or pass")).to_be_visible()
    else:
        expect(sheet.get_by_role("heading", name="Ann: swap or pass")).to_be_visible()


def test_what_is_typed_before_the_last_number_was_answered_stays(device):
    """Others' pages hear of a card before the answer is here, and so does this one: the next number may be typed."""
    sheet, answered = device(), []
    start(sheet, "SPEEDSTAX", "Ann", "Bob")
    number = sheet.get_by_role("spinbutton")
    sheet.route("**/events", lambda route: answered.append((route, route.fetch())))
    number.fill("1")
    deliberate_tap(sheet.get_by_role("button", name="Show", exact=True))
    expect(sheet.locator(".picture").first).to_contain_text("Card 1,")
    number.fill("2")
    ((route, answer),) = answered
    with sheet.expect_response("**/sheet*") as fetched:  # once more, when the answer has come
        route.fulfill(response=answer)
    fetched.value.finished()
    sheet.evaluate("() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
    expect(number).to_have_value("2")
