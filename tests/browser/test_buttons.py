"""A race by the buttons of the box alone: no camera looks at the stacks, so nobody is asked about them."""

from playwright.sync_api import expect

from tests.browser.conftest import WITHOUT_CAMERA
from tests.browser.test_maxstax import wait_for_go
from tests.browser.test_table import SOON_MS, start

SERVICE = ("--demo", *WITHOUT_CAMERA)


def test_four_buttons_play_a_round(device):
    sheet, table = device(), device()
    start(sheet, "SPEEDSTAX", "Ann", "Bob", "Cy", "Di")
    table.goto("/table")
    for seat in range(1, 5):
        table.get_by_role("button", name=f"Button of seat {seat}").click()
        expect(sheet.locator(".seat-card").nth(seat - 1).locator(".seat-state")).to_have_text("Ready", timeout=SOON_MS)
    table.get_by_role("button", name="Start", exact=True).click()
    wait_for_go(sheet)
    for place, seat in enumerate((3, 1, 4, 2)):
        table.locator(f'[data-seat="{seat}"]').get_by_role("button", name="Finish").click()
        table.get_by_role("button", name=f"Button of seat {seat}").click()
        state = sheet.locator(".seat-card").nth(seat - 1).locator(".seat-state")
        expect(state).to_have_text(("1st", "2nd", "3rd", "4th")[place], timeout=SOON_MS)
    table.get_by_role("button", name="Confirm", exact=True).click()
    expect(sheet.get_by_role("heading", name="Round 2 of 5")).to_be_visible(timeout=SOON_MS)
    assert [points.inner_text() for points in sheet.locator(".score-points").all()] == ["3", "1", "4", "2"]
