"""Few taps where a camera reads: the demo's table lies beside one tablet, whose taps alone are counted."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import DEMO_FROM_ABOVE, deliberate_tap
from tests.browser.test_table import answer_what_is_asked, one_of_each_with_one_number, press_enter

SERVICE = DEMO_FROM_ABOVE

NAMES = ("Ann", "Bob", "Cy", "Dora")
SOON_MS = 60_000  # the camera's process may only just be starting, and looks when all lies still


def seq(sheet: Page) -> str | None:
    return sheet.locator("#live [data-seq]").first.get_attribute("data-seq")


def enter(sheet: Page, target: Locator) -> None:
    """Taps what enters an event, and waits until the page shows the table after it."""
    before = seq(sheet)
    deliberate_tap(target)
    expect(sheet.locator(f'#live [data-seq="{before}"]')).to_have_count(0)


def begun(sheet: Page, service: object, game: str, *names: str) -> None:
    status, made = service.call("/api/sessions", {"game": game, "players": list(names)})
    assert status == 201, made
    sheet.goto(f"/s/{made['id']}")
    expect(sheet.locator("body[data-line=open]")).to_be_visible(timeout=SOON_MS)
    expect(sheet.get_by_text("The camera sees the table.")).to_be_attached(timeout=SOON_MS)  # thrown before is no roll


def test_four_who_share_a_tablet_need_three_taps_each_at_most_and_each_ones_sheet_comes_by_itself(device, service):
    sheet, table = device(), device()
    begun(sheet, service, "sack_stackers", *NAMES)
    table.goto("/table")
    for turn in (1, 2):
        expect(sheet.get_by_role("heading", name="Roll both dice")).to_be_visible()
        roll(sheet, table)
        for name in NAMES:
            expect(sheet.locator(".headline h2")).to_have_text(re.compile(f"^{name}: "))
            assert placed(sheet) <= 3, (turn, name)
    expect(sheet.locator(".last")).to_contain_text("Dora")


def roll(sheet: Page, table: Page) -> None:
    """The dice are thrown on the demo's table, and read; if the camera asks, somebody looks at the table."""
    table.get_by_role("button", name="Roll", exact=True).click()
    expect(table.locator("#dice[data-resting=true] .mat-die")).to_have_count(2, timeout=SOON_MS)
    lying = [int(die.get_attribute("data-value") or "0") for die in table.locator(".mat-die").all()]
    asked = sheet.locator("[data-proposal]")
    expect(sheet.locator(".dice-row").or_(asked)).to_be_visible(timeout=SOON_MS)
    if asked.is_visible():
        answer_what_is_asked(sheet, lying)
    expect(sheet.locator(".dice-row .die")).to_have_count(2)


def placed(sheet: Page) -> int:
    """The taps with which the player in front takes a gift, or a piece of coal where none fits."""
    taps = 0
    main = sheet.locator("#main-tap button")
    gifts = sheet.get_by_role("region", name="Gifts").get_by_role("button")
    while main.get_attribute("aria-disabled") == "true":
        deliberate_tap(
            (gifts if gifts.count() else sheet.get_by_role("region", name="Sack").get_by_role("button")).first
        )
        taps += 1
        expect(sheet.locator("#live .busy")).to_have_count(0)
    enter(sheet, main)
    return taps + 1


def test_stack_needs_five_taps_at_most_from_the_first_page_to_the_end_of_the_first_turn(device):
    sheet, table = device(), device()
    assert sheet.request.post("/clear").ok  # the tests before have played; here everything begins
    sheet.goto("/")
    card = sheet.locator(".game-cards > li", has=sheet.get_by_text("Stack", exact=True))
    deliberate_tap(card.get_by_role("button", name="Start with 2 players", exact=True))
    taps = 2
    expect(sheet.locator("body.on-session[data-line=open]")).to_be_visible(timeout=SOON_MS)
    expect(sheet.get_by_text("The camera sees the table.")).to_be_attached(timeout=SOON_MS)
    table.goto("/table")
    while sheet.get_by_role(
        "heading", name=re.compile("^Roll (again )?for the start")
    ).is_visible():  # equal ones: again
        before = seq(sheet)
        table.get_by_role("button", name="One die each").click()
        expect(sheet.locator(f'#live [data-seq="{before}"]')).to_have_count(0, timeout=SOON_MS)
    table.get_by_role("button", name="Drop all dice").click()
    expect(table.locator("#dice[data-resting=true] .mat-die")).to_have_count(28, timeout=SOON_MS)
    expect(sheet.locator(".last")).to_contain_text("dropped", timeout=SOON_MS)
    red, blue = one_of_each_with_one_number(table)
    first, second = (red, blue) if "Player 1" in sheet.locator(".headline h2").inner_text() else (blue, red)
    press_enter(table.get_by_role("button", name="Put onto another"))
    press_enter(table.locator(f'[data-key="{first}"]'))
    press_enter(table.locator(f'[data-key="{second}"]'))
    asked = sheet.locator("[data-agree]")  # a move is asked; only sure dice count by themselves
    expect(asked).to_be_visible(timeout=SOON_MS)
    enter(sheet, asked)
    taps += 1
    expect(sheet.locator(".last")).to_contain_text("put the")
    assert taps <= 5


def test_a_tray_is_read_die_by_die_and_what_stays_is_kept(device, service):
    sheet, table = device(), device()
    options = {"dice": 5, "rolls": 3, "counts": "alike"}
    _, made = service.call("/api/sessions", {"game": "dice_tray", "players": ["Ann", "Bob"], "options": options})
    sheet.goto(f"/s/{made['id']}")
    expect(sheet.get_by_text("The camera sees the table.")).to_be_attached(timeout=SOON_MS)  # thrown before is no roll
    table.goto("/table")
    first = thrown(sheet, table, {"count": 5})
    expect(sheet.locator(".headline")).to_contain_text("Roll 2 of 3", timeout=SOON_MS)
    expect(sheet.locator(".dice-row .die")).to_have_count(5)
    assert sorted(on_the_sheet(sheet)) == sorted(first.values())
    again = list(first)[:2]
    second = thrown(sheet, table, {"keys": again})
    expect(sheet.locator(".headline")).to_contain_text("Roll 3 of 3", timeout=SOON_MS)
    assert sorted(on_the_sheet(sheet)) == sorted(second.values())
    newest = service.call(f"/api/sessions/{made['id']}/history")[1][0]["event"]
    assert sorted(die["value"] for die in newest["dice"]) == sorted(second[key] for key in again)
    assert len(newest["kept"]) == 3
    sheet.goto(f"/s/{made['id']}/history")
    expect(sheet.locator(".entry", has_text="rolled").locator(".entry-picture img")).to_have_count(2)


def thrown(sheet: Page, table: Page, dice: dict[str, object]) -> dict[str, int]:
    """Dice are thrown on the demo's table, and whoever is asked about one looks there; each die's key → its value."""
    before = seq(sheet)
    assert table.request.post("/table/roll", data=dice).ok
    expect(table.locator("#dice[data-resting=true] .mat-die")).to_have_count(5, timeout=SOON_MS)
    found = [
        (die.get_attribute("data-key"), die.get_attribute("data-value")) for die in table.locator(".mat-die").all()
    ]
    lying = {key or "": int(value or "0") for key, value in found}
    asked = sheet.locator("[data-proposal]")
    changed = sheet.locator(f'#live [data-seq]:not([data-seq="{before}"])').first
    expect(changed.or_(asked).first).to_be_attached(timeout=SOON_MS)
    if asked.is_visible():
        new = [value for key, value in lying.items() if key in dice.get("keys", lying)]
        answer_what_is_asked(sheet, new)
    return lying


def on_the_sheet(sheet: Page) -> list[int]:
    """The pips of each die of the roll."""
    return [die.locator("circle.pip").count() for die in sheet.locator(".dice-row .die").all()]
