"""A table's own truck cards, drawn in squares on the set-up page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_CAMERA

SERVICE = WITHOUT_CAMERA
TABLET = {"width": 1024, "height": 768}
PHONE = {"width": 390, "height": 844, "has_touch": True}
CARDS = "2 ###/###\n1 #####/##.##\n" + "3 ##/##\n" * 6


def opened(page: Page) -> Page:
    """The set-up page with its house rules open and eight cards typed."""
    page.goto("/new?game=pack_and_stack")
    page.get_by_text("House rules").click()
    page.get_by_role("button", name="Type the cards as text").click()
    field(page).fill(CARDS)
    field(page).dispatch_event("change")
    page.get_by_role("button", name="Draw the cards in squares").click()
    return page


def field(page: Page):
    return page.locator("textarea[data-grid-editor]")


def card(page: Page, number: int):
    return page.get_by_role("article", name=f"Card {number}", exact=True)


def test_cards_are_drawn_tapped_raised_added_and_removed(device):
    page = opened(device())
    expect(field(page)).to_be_hidden()
    expect(card(page, 2)).to_contain_text("9 squares, 1 high: 9")
    card(page, 2).get_by_role("button", name="row 2, column 3").click()
    card(page, 2).get_by_role("button", name="Higher").click()
    expect(card(page, 2)).to_contain_text("10 squares, 2 high: 20")
    card(page, 3).get_by_role("button", name="Remove card 3").click()
    page.get_by_role("button", name="Another card").click()
    last = card(page, 8)
    for column in range(1, 6):
        last.get_by_role("button", name=f"row 1, column {column}").click()
    lines = ["2 ###/###", "2 #####/#####", *["3 ##/##"] * 5, "1 #####/#####"]
    expect(field(page)).to_have_value("\n".join(lines))


def test_a_square_too_few_is_said_at_once(device):
    page = opened(device())
    card(page, 2).get_by_role("button", name="row 1, column 3").click()
    expect(card(page, 2)).to_contain_text("It's in more than one piece")
    for _ in range(4):
        card(page, 3).locator(".square[aria-pressed=true]").first.click()
    expect(card(page, 3)).to_contain_text("No squares yet")


def test_the_keys_reach_every_square(device):
    page = opened(device())
    grid = card(page, 1).get_by_role("group", name="Squares")
    grid.get_by_role("button", name="row 1, column 1").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "Space"):
        page.keyboard.press(key)
    expect(grid.get_by_role("button", name="row 3, column 2")).to_be_focused()
    expect(grid.get_by_role("button", name="row 3, column 2")).to_have_attribute("aria-pressed", "true")
    expect(field(page)).to_have_value(re.compile(r"^2 ###/###/\.#\.\n"))
    page.keyboard.press("Tab")
    expect(card(page, 1).get_by_role("button", name="Lower")).to_be_focused()


def test_what_is_no_card_is_kept_and_can_be_removed(device):
    page = opened(device())
    page.get_by_role("button", name="Type the cards as text").click()
    field(page).fill("two by three\n2 ###/###")
    field(page).dispatch_event("change")
    page.get_by_role("button", name="Draw the cards in squares").click()
    expect(card(page, 1)).to_contain_text("two by three")
    card(page, 2).get_by_role("button", name="Lower").click()
    expect(field(page)).to_have_value("two by three\n1 ###/###")
    card(page, 1).get_by_role("button", name="Remove card 1").click()
    expect(field(page)).to_have_value("1 ###/###")


@pytest.mark.parametrize("screen", [TABLET, PHONE], ids=["tablet", "phone"])
def test_a_game_is_begun_with_cards_drawn_by_touch(device, screen):
    touch = screen.get("has_touch", False)
    page = device(viewport={"width": screen["width"], "height": screen["height"]}, has_touch=touch)
    opened(page)
    add, own = page.get_by_role("button", name="Another card"), page.get_by_text("Our own cards", exact=True).first
    for tapped in (add, own):
        if touch:
            tapped.tap()
        else:
            tapped.click()
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(page.locator("body.on-session")).to_be_visible()
    page.wait_for_load_state()  # its scripts have run: a tap before that is none
    expect(page.locator("#content")).to_contain_text("Draw pile 9")
