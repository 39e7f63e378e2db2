"""A round of Pack & Stack by taps alone, from the youngest player to the next round."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_CAMERA, deliberate_tap

SERVICE = WITHOUT_CAMERA
SOON_MS = 15_000


def begun(page: Page) -> Page:
    page.goto("/new?game=pack_and_stack")
    for field, name in zip(page.get_by_placeholder("Empty place").all(), ("Ann", "Bob", "Cy"), strict=False):
        field.fill(name)
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(page.locator("body.on-session")).to_be_visible()
    page.wait_for_load_state()  # its scripts have run: a tap before that is none
    return page


def tap(page: Page, name: str) -> None:
    page.locator("#live").get_by_role("button", name=name, exact=True).click()


def roll(page: Page, player: str, *faces: str) -> None:
    expect(page.get_by_role("heading", name=f"{player} rolls all five dice")).to_be_visible(timeout=SOON_MS)
    for size, face in enumerate(faces, start=1):  # size 1, then 2 with 4, 3 with 5; the last one enters the roll
        page.get_by_role("group", name=re.compile(f"^Size {size}")).get_by_role("button", name=face, exact=True).click()


def grab(page: Page, player: str, place: str, card: int) -> None:
    expect(page.get_by_role("heading", name=f"Which one did {player} take?")).to_be_visible(timeout=SOON_MS)
    deliberate_tap(page.locator("#live").get_by_role("button", name=place, exact=True))
    deliberate_tap(page.get_by_role("button", name=re.compile(f"^Truck {card}:")))  # it may lie where the place lay
    expect(page.locator(".last")).to_contain_text(f"{player} took truck {card}", timeout=SOON_MS)


def test_a_round_by_taps(device):
    page = begun(device())
    tap(page, "Ann")
    roll(page, "Ann", "3", "2 · 0", "1 · 2")  # volume 20
    roll(page, "Bob", "1", "0 · 0", "0 · 0")
    roll(page, "Cy", "2", "0 · 0", "0 · 0")
    grab(page, "Ann", "In front of Bob", 24)  # 15 squares, 2 high: 30
    grab(page, "Bob", "In front of Cy", 1)  # 9 squares, 1 high
    expect(page.get_by_role("heading", name="Cy draws the top card")).to_be_visible(timeout=SOON_MS)
    assert page.locator("figure", has_text="Ann").get_by_role("img").get_attribute("aria-label") == (
        "Truck 24: 15 squares, 2 high, 3 rows, no gaps"
    )
    page.get_by_role("textbox", name="Number on the card").fill("13")
    page.get_by_role("textbox", name="Number on the card").press("Enter")  # 5 squares, 2 high: 10
    expect(page.get_by_role("heading", name="Ann, load your truck")).to_be_visible(timeout=SOON_MS)
    expect(page.get_by_role("button", name="Show the best load")).to_have_count(0)  # while somebody packs
    deliberate_tap(page.get_by_role("button", name="Load everything (loss 10)"))
    expect(page.locator(".last")).to_contain_text("Ann loaded everything and lost 10 points", timeout=SOON_MS)
    tap(page, "Cy")
    for player in ("Cy", "Bob"):  # the last one need not be tapped
        expect(page.get_by_role("heading", name=f"{player}, load your truck")).to_be_visible(timeout=SOON_MS)
        deliberate_tap(page.get_by_role("button", name="Load everything (loss 8)"))
    expect(page.get_by_role("heading", name="Bob and Cy: 10 points for the smallest loss")).to_be_visible()
    assert page.locator(".score-points").all_inner_texts() == ["65", "77", "77"]
    deliberate_tap(page.get_by_role("button", name="Clear the boxes and trucks. Bob starts."))
    expect(page.get_by_role("heading", name="Bob rolls all five dice")).to_be_visible(timeout=SOON_MS)
