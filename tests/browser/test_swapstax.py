"""SWAPSTAX and the cards of SPEEDSTAX by taps, in a browser on the real program, where no camera looks."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_CAMERA, WITHOUT_WORKER, deliberate_tap, let_go
from tests.browser.test_table import start

SERVICE = WITHOUT_CAMERA

# what the next taps say of when they were made
AT = """when => document.addEventListener("click", (click) => {
    Object.defineProperty(click, "timeStamp", { value: when });
}, { capture: true })"""
SOONER, LATER = 0, 10**9
ENTER_AND_TYPE = """(field, next) => {
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    field.value = next;
    field.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def draw(page: Page, number: int) -> None:
    deliberate_tap(page.get_by_role("button", name=re.compile(f"^Card {number}:")))


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
    let_go(sheet, held)
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


def shown_numbers(page: Page) -> list[str]:
    """The numbers of the cards in view, those that cannot be chosen too."""
    return page.locator(".picture-taps > li:visible .drawing-corners b").all_inner_texts()


def test_a_card_is_chosen_by_its_number_by_keys_and_by_its_picture(device):
    sheet = device()
    start(sheet, "SWAPSTAX", "Ann", "Bob", "Cy")
    sheet.get_by_role("group", name="Shuffler").get_by_role("button", name="Bob").click()
    expect(sheet.get_by_role("heading", name="Bob draws")).to_be_visible()
    number = sheet.get_by_role("textbox", name="Number of Bob's card")
    every = [str(card) for card in range(1, 46)]
    assert shown_numbers(sheet) == every
    number.fill("1")
    assert shown_numbers(sheet) == ["1", *map(str, range(10, 20))]
    number.fill("12")
    assert shown_numbers(sheet) == ["12"]
    draw(sheet, 12)
    expect(sheet.locator(".last")).to_contain_text("Bob drew card 12")
    number = sheet.get_by_role("textbox", name="Number of Cy's card")
    expect(number).to_have_value("")
    assert shown_numbers(sheet) == every
    number.press_sequentially("77")
    expect(sheet.get_by_role("status").filter(has_text="No card has this number.")).to_be_visible()
    assert shown_numbers(sheet) == []
    number.press("Enter")
    number.fill("012")  # as somebody may write it
    number.press("Enter")
    expect(sheet.get_by_text("Card 12 was already drawn.")).to_be_visible()
    expect(sheet.get_by_text("No card has this number.")).to_have_count(0)
    number.fill("33")
    number.evaluate(ENTER_AND_TYPE, "4")
    expect(sheet.locator(".last")).to_contain_text("Cy drew card 33")
    number = sheet.get_by_role("textbox", name="Number of Ann's card")
    expect(number).to_be_focused()
    expect(number).to_have_value("4")  # the next number was typed before the page had changed
    assert shown_numbers(sheet) == ["4", *map(str, range(40, 46))]
    number.fill("")
    card = sheet.get_by_role("button", name="Card 3: Hammer, a stack of 3 blocks, 1 star", exact=True)
    deliberate_tap(card.locator("svg"))
    expect(sheet.locator(".last")).to_contain_text("Ann drew card 3")


def test_what_is_typed_before_the_last_card_was_answered_stays(device):
    """Others' pages hear of a card before the answer is here, and so does this one: the next number may be typed."""
    sheet, answered = device(), []
    start(sheet, "SPEEDSTAX", "Ann", "Bob")
    choice = sheet.locator("details.picture-choice")
    choice.locator("summary").click()
    number = sheet.get_by_role("textbox", name="Which card number?")
    sheet.route("**/events", lambda route: answered.append((route, route.fetch())))
    number.fill("1")
    number.press("Enter")
    expect(sheet.locator(".picture").first).to_contain_text("Card 1,")
    expect(choice).not_to_have_attribute("open", "")  # play goes on without it
    choice.locator("summary").click()
    expect(number).to_have_value("")
    number.fill("2")
    ((route, answer),) = answered
    with sheet.expect_response("**/sheet*") as fetched:  # once more, when the answer has come
        route.fulfill(response=answer)
    fetched.value.finished()
    sheet.evaluate("() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
    expect(number).to_have_value("2")
    assert shown_numbers(sheet) == ["2", *map(str, range(20, 30))]
