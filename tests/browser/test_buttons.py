"""A race by the buttons of the box alone: no camera looks at the stacks, so nobody is asked about them."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import DEMO_WITHOUT_CAMERAS
from tests.browser.test_announcements import CLOCK
from tests.browser.test_maxstax import wait_for_go
from tests.browser.test_table import SOON_MS, start

SERVICE = DEMO_WITHOUT_CAMERAS
# whether the clock counts down as long as table time says so, a look each time the sheet is shown anew
LOOK = f"""async () => {{
    const {{ nowUs }} = {CLOCK};
    window.requestAnimationFrame = () => 0; // a tablet too busy for another frame
    window.looks = [];
    document.getElementById("live").addEventListener("shown", () => {{
        const clock = document.querySelector("[data-clock]");
        window.looks.push(clock.classList.contains("counting") === (nowUs() < Number(clock.dataset.from)));
    }});
}}"""


def all_ready_and_start(sheet: Page, table: Page) -> None:
    start(sheet, "SPEEDSTAX", "Ann", "Bob", "Cy", "Di")
    table.goto("/table")
    for seat in range(1, 5):
        table.get_by_role("button", name=f"Button of seat {seat}").click()
        expect(sheet.locator(".seat-card").nth(seat - 1).locator(".seat-state")).to_have_text("Ready", timeout=SOON_MS)
    table.get_by_role("button", name="Start", exact=True).click()


def test_four_buttons_play_a_round(device):
    sheet, table = device(), device()
    all_ready_and_start(sheet, table)
    wait_for_go(sheet)
    for place, seat in enumerate((3, 1, 4, 2)):
        table.locator(f'[data-seat="{seat}"]').get_by_role("button", name="Finish").click()
        table.get_by_role("button", name=f"Button of seat {seat}").click()
        state = sheet.locator(".seat-card").nth(seat - 1).locator(".seat-state")
        expect(state).to_have_text(("1st", "2nd", "3rd", "4th")[place], timeout=SOON_MS)
    table.get_by_role("button", name="Confirm", exact=True).click()
    expect(sheet.locator(".headline")).to_contain_text("Round 2 of 5", timeout=SOON_MS)
    assert [points.inner_text() for points in sheet.locator(".score-points").all()] == ["3", "1", "4", "2"]


def test_a_countdown_is_not_over_for_a_moment_when_the_sheet_changes(device):
    sheet, table = device(), device()
    all_ready_and_start(sheet, table)
    expect(sheet.locator(".clock.counting")).to_be_visible(timeout=SOON_MS)
    sheet.evaluate(LOOK)
    table.get_by_role("button", name="Button of seat 1").click()
    sheet.wait_for_function("() => window.looks.length > 0", timeout=SOON_MS, polling=50)
    assert all(sheet.evaluate("() => window.looks"))
