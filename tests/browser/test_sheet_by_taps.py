"""A sheet by taps, in a browser on the real program: slow lines, corrections, undo, a lost line. No camera looks."""

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import WITHOUT_CAMERA, WITHOUT_WORKER, deliberate_tap, let_go
from tests.browser.sound import PHONE
from tests.browser.test_table import SOON_MS, rolled, start
from tests.service import Service, running

SERVICE = WITHOUT_CAMERA


def type_roll(page: Page, first: int, second: int) -> None:
    page.get_by_role("button", name=f"{first} · {second}", exact=True).click()


def start_roll(page: Page, name: str, face: int) -> Locator:
    return page.get_by_role("group", name=name).get_by_role("button", name=str(face), exact=True)


def test_the_main_button_enters_what_was_chosen_last_also_before_it_says_so(device):
    """The page with another gift comes late: a finger that is quick means the gift that it has just tapped."""
    sheet, held = device(**WITHOUT_WORKER), []
    start(sheet, "Sack Stackers", "Ann", "Bob")
    type_roll(sheet, 3, 5)
    gifts = sheet.get_by_role("region", name="Gifts")
    deliberate_tap(gifts.get_by_role("button", name="Section 3, I"))
    expect(sheet.locator("#main-tap")).to_contain_text("Drop the I in column 5")
    sheet.route("**/sheet*", lambda route: held.append(route))
    with sheet.expect_request("**/sheet*"):
        gifts.get_by_role("button", name="Section 5, O").click()
    deliberate_tap(sheet.locator("#main-tap button"))
    let_go(sheet, held)
    expect(sheet.locator(".last")).to_contain_text("Ann took the O gift from section 5 into column 3")


def test_a_second_die_that_is_tapped_before_the_page_shows_the_first_enters_the_roll(device):
    """On a slow line a quick finger is as quick as on a fast one."""
    sheet, held = device(**WITHOUT_WORKER), []
    start(sheet, "^Stack", "Ann", "Bob")
    sheet.route("**/sheet*", lambda route: held.append(route))
    with sheet.expect_request("**/sheet*"):
        start_roll(sheet, "Ann", 3).click()
    start_roll(sheet, "Bob", 6).click()
    let_go(sheet, held)
    expect(sheet.locator(".last")).to_contain_text("Bob starts (6 beats 3)")


def test_a_wrong_die_is_corrected_with_one_tap_to_reach_it_and_one_to_confirm(device):
    sheet, other = device(), device(viewport=PHONE)
    start(sheet, "Sack Stackers", "Ann", "Bob")
    other.goto(sheet.url)
    type_roll(sheet, 3, 5)
    expect(sheet.locator(".last")).to_contain_text("3 and 5")
    sheet.locator(".last").get_by_role("link", name="Correct").click()
    expect(sheet.locator("body.correcting")).to_be_visible()
    sheet.wait_for_load_state()
    type_roll(sheet, 5, 6)
    expect(sheet.get_by_role("dialog")).to_contain_text("5 and 6")
    expect(other.locator(".last")).to_contain_text("3 and 5")  # nothing has changed before the tap that agrees
    sheet.get_by_role("button", name="Correct it").click()
    for page in (sheet, other):
        expect(page.locator(".last")).to_contain_text("Corrected")
        expect(page.locator(".dice-row .die").last).to_have_attribute("aria-label", "6")


def test_a_correction_that_somebody_forestalled_is_shown_anew_with_the_reason_on_top(device, service):
    sheet = device(**WITHOUT_WORKER, viewport=PHONE)
    start(sheet, "^Stack", "Ann", "Bob")
    session = sheet.url.rsplit("/", 1)[1]
    first, second = (player["id"] for player in service.call(f"/api/sessions/{session}")[1]["players"])

    def post(what: str, **body: object) -> None:
        status, answer = service.call(f"/api/sessions/{session}/{what}", body)
        assert status < 300, answer

    events = [
        {"kind": "StartRolled", "rolls": [[first, 4], [second, 3]]},
        {"kind": "AllDropped", "dice": [[player, [6] * 14] for player in (first, second)]},
    ]
    for seq, event in enumerate(events):
        post("events", event=event, event_id=f"{session}-{seq}", seen_seq=seq)
    sheet.goto(f"/s/{session}/correct/1")
    sheet.wait_for_load_state()
    for name in ("Ann", "Bob"):
        start_roll(sheet, name, 5).click()
    deliberate_tap(sheet.get_by_role("button", name="Enter the roll"))
    dialog = sheet.get_by_role("dialog")
    expect(dialog).to_contain_text("1 later turn depends on this")
    post("undo", event_id=f"{session}-undo", seen_seq=2)
    agree = dialog.get_by_role("button", name="Delete it too")
    deliberate_tap(agree)
    expect(dialog.get_by_role("alert")).to_contain_text("Someone else corrected the game in between")
    expect(dialog).not_to_contain_text("depends on this")
    expect(agree).to_have_count(0)
    expect(sheet.locator("#toast.shown")).to_have_count(0)
    deliberate_tap(dialog.get_by_role("button", name="Correct it"))
    expect(sheet.locator(".last")).to_contain_text("Corrected")


def test_undo_takes_back_and_redo_brings_again(device):
    sheet = device()
    start(sheet, "Sack Stackers", "Ann")
    type_roll(sheet, 2, 4)
    expect(sheet.locator(".dice-row .die")).to_have_count(2)
    deliberate_tap(sheet.get_by_role("button", name="Undo", exact=True))
    expect(sheet.get_by_role("heading", name="Roll both dice")).to_be_visible()
    deliberate_tap(sheet.get_by_role("button", name="Redo"))
    expect(sheet.locator(".dice-row .die")).to_have_count(2)


def test_a_tap_that_comes_too_late_says_so_and_the_page_catches_up(device, service):
    sheet = device(**WITHOUT_WORKER)
    start(sheet, "Sack Stackers", "Ann")
    session = sheet.url.rsplit("/", 1)[1]

    def somebody_was_quicker(route: Route) -> None:
        event = {"kind": "Rolled", "dice": [1, 1]}
        service.call(f"/api/sessions/{session}/events", {"event": event, "event_id": "quicker", "seen_seq": 0})
        route.continue_()

    sheet.route("**/events", somebody_was_quicker)
    type_roll(sheet, 2, 4)
    expect(sheet.get_by_role("alert")).to_contain_text("moved on")
    expect(sheet.locator(".dice-row .die")).to_have_count(2)
    assert rolled(sheet) == [1, 1]


def test_a_lost_line_is_said_no_tap_is_swallowed_and_the_page_comes_back_by_itself(device, tmp_path):
    first = Service(tmp_path, *WITHOUT_CAMERA)
    sheet = device(base_url=first.url)
    start(sheet, "^Stack", "Ann", "Bob")
    start_roll(sheet, "Ann", 2).click()
    expect(start_roll(sheet, "Ann", 2)).to_have_attribute("aria-pressed", "true")
    first.kill()
    expect(sheet.locator(".line-lost").first).to_be_visible(timeout=SOON_MS)
    start_roll(sheet, "Bob", 4).click()
    expect(sheet.get_by_role("alert")).to_contain_text("Nothing was recorded")
    with running(tmp_path, *WITHOUT_CAMERA, "--port", first.url.rsplit(":", 1)[1]):
        expect(sheet.locator(".line-lost").first).to_be_hidden(timeout=SOON_MS)
        start_roll(sheet, "Bob", 4).click()
        expect(sheet.locator(".last")).to_contain_text("Bob starts (4 beats 2)")


def test_a_device_keeps_dark_or_light_as_chosen(device):
    page = device(color_scheme="light")
    page.goto("/")
    page.get_by_role("button", name="Dark or light").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
