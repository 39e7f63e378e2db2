"""Whole flows in a browser: from dice on the demo's table, by fingers and keyboard, to the sheet."""

import re
from random import Random

from playwright.sync_api import Locator, Page, expect

from companion.demo.table import DemoTable
from companion.house.host import Host
from companion.journal.store import Journal
from tests.browser.conftest import DEMO_FROM_ABOVE
from tests.browser.furnished import served
from tests.parts import connect
from tests.service import Service

SOON_MS = 15_000  # a busy machine may be slow; what must be quick is measured by the bench
FRAME_PX = 13  # of wood round the demo's mat
SERVICE = DEMO_FROM_ABOVE


def start(page: Page, title: str, *names: str) -> None:
    """Three taps start a game; names are typed where a test needs its own."""
    page.goto("/")
    page.get_by_role("link", name="New game").click()
    page.get_by_role("link", name=re.compile(f"^{title}")).click()
    expect(page.get_by_role("button", name=re.compile("^Start"))).to_be_visible()
    page.wait_for_load_state()  # all fields are there, and the script that may fill them has run
    for place, field in enumerate(page.get_by_placeholder("Empty place").all() if names else []):
        field.fill(names[place] if place < len(names) else "")  # the last game's players sit there
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(page.locator("body.on-session")).to_be_visible()
    page.wait_for_load_state()  # its scripts have run: a tap before that is none


def rolled(page: Page) -> list[int]:
    """What the sheet says was rolled."""
    dice = page.locator(".dice-row .die")
    return [int(dice.nth(index).get_attribute("aria-label") or "0") for index in range(dice.count())]


def test_a_roll_on_the_table_is_a_roll_on_the_sheet(device):
    sheet, table = device(), device()
    start(sheet, "Sack Stackers", "Ann", "Bob")
    expect(sheet.get_by_text("The camera sees the table.")).to_be_attached(timeout=SOON_MS)  # thrown before is no roll
    table.goto("/table")
    table.get_by_role("button", name="Roll", exact=True).click()
    expect(table.locator("#dice[data-resting=true] .mat-die")).to_have_count(2, timeout=SOON_MS)
    lying = [int(die.get_attribute("data-value") or "0") for die in table.locator(".mat-die").all()]
    asked = sheet.locator("[data-proposal]")
    expect(sheet.locator(".dice-row").or_(asked)).to_be_visible(timeout=SOON_MS)
    if asked.is_visible():  # the camera may ask; then a person looks at the table, as here
        answer_what_is_asked(sheet, lying)
    expect(sheet.locator(".dice-row .die")).to_have_count(2, timeout=SOON_MS)
    assert sorted(rolled(sheet)) == sorted(lying)


def answer_what_is_asked(sheet: Page, lying: list[int]) -> None:
    agree = sheet.locator("[data-agree]")
    if agree.is_visible():  # every die is read for sure, and the camera was too busy to see them in motion
        agree.click()
        return
    left = list(lying)
    for die in sheet.locator(".sure-dice .die").all():
        left.remove(int(die.get_attribute("aria-label") or "0"))
    for doubt, value in zip(sheet.locator(".doubt").all(), left, strict=True):
        tap = doubt.get_by_role("button", name=str(value), exact=True)
        if not tap.is_visible():
            doubt.get_by_role("button", name="None of these").click()
        tap.click()


def test_a_die_put_onto_another_by_the_keyboard_is_the_move_that_is_asked(device, service):
    sheet, table = device(), device()
    start(sheet, "^Stack", "Ann", "Bob")
    path = f"/api/sessions/{sheet.url.rsplit('/', 1)[1]}"
    ann, bob = (player["id"] for player in service.call(path)[1]["players"])
    rolls = {"kind": "StartRolled", "rolls": [[ann, 4], [bob, 3]]}
    assert service.call(f"{path}/events", {"event": rolls, "event_id": f"{ann}-roll", "seen_seq": 0})[0] < 300
    expect(sheet.get_by_text("The camera sees the table.")).to_be_attached(timeout=SOON_MS)  # dropped before is no drop
    table.goto("/table")
    table.get_by_role("button", name="Drop all dice").click()
    expect(table.locator("#dice[data-resting=true] .mat-die")).to_have_count(28, timeout=SOON_MS)
    expect(sheet.locator(".last")).to_contain_text("dropped", timeout=SOON_MS)
    red, blue = one_of_each_with_one_number(table)
    press_enter(table.get_by_role("button", name="Put onto another"))
    press_enter(table.locator(f'[data-key="{red}"]'))
    press_enter(table.locator(f'[data-key="{blue}"]'))
    expect(table.locator(f'[data-key="{red}"]')).to_have_attribute("aria-label", re.compile("red, on 1 other"))
    expect(sheet.locator("[data-proposal]")).to_be_visible(timeout=2 * SOON_MS)
    (proposal,) = service.call(f"{path}/proposals")[1]
    assert (proposal["event"]["kind"], proposal["event"]["player"]) == ("Stacked", ann)


def test_a_table_without_a_game_says_so_and_leads_to_one(browser, tmp_path):
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    with served(host) as url, browser.new_context(base_url=url) as context:
        table = context.new_page()
        table.goto("/table")
        expect(table.get_by_text("No game is running")).to_be_visible()
        table.get_by_role("link", name="Start a new game").click()
        expect(table.get_by_role("link", name=re.compile("^Sack Stackers"))).to_be_visible()


def test_a_table_that_stays_open_shows_who_sits_there_now(device):
    sheet, table = device(), device()
    start(sheet, "Sack Stackers", "Ann", "Bob")
    table.goto("/table")
    expect(table.locator("#seats-taken h3")).to_have_text([re.compile("Ann"), re.compile("Bob")])
    expect(table.get_by_role("button", name="Block", exact=True)).to_have_count(0)  # nothing is built in these games
    expect(table.get_by_role("button", name="Button of seat 2")).to_be_visible()
    expect(table.get_by_text("No game is running")).to_be_hidden()
    roll, nothing = (
        table.get_by_role("button", name="Roll", exact=True),
        table.get_by_text("The camera isn't looking for anything now"),
    )
    expect(roll).to_be_visible()
    expect(nothing).to_be_hidden()
    start(sheet, "Sandpile Panic", "Cid", "Dora", "Eve")
    expect(table.locator("#seats-taken h3")).to_have_text([re.compile(name) for name in ("Cid", "Dora", "Eve")])
    expect(table.locator(".thing-square")).to_have_count(25)
    start(sheet, "Pack & Stack", "Flo", "Gus", "Hedy")  # its first question is for nobody's eyes
    expect(table.locator(".thing-square")).to_have_count(0)
    expect(nothing).to_be_visible()
    mat = table.locator("#mat").bounding_box()
    assert nothing.bounding_box()["y"] > mat["y"] + mat["height"] + FRAME_PX
    expect(table.get_by_text("The camera above reads them")).to_be_hidden()
    expect(roll).to_be_hidden()  # no camera reads these dice, and the players were told that one does
    table.get_by_role("link", name="Scoreboard").click()
    assert table.url == sheet.url


LEAST_PX = 48  # for a finger


def trucks_on_the_table(service: Service) -> str:
    """Flo and Gus have the widest truck and one in steps before them, Hedy's has no place on the mat; the session."""
    _, session = service.call("/api/sessions", {"game": "pack_and_stack", "players": ["Flo", "Gus", "Hedy"]})
    flo, gus, hedy = (player["id"] for player in session["players"])
    rolls = [{"kind": "Rolled", "player": each, "dice": [2, 0, 1, 0, 0]} for each in (flo, gus, hedy)]
    takes = [(flo, 24, gus), (gus, 1, hedy), (hedy, 13, None)]
    taken = [{"kind": "Taken", "player": player, "card": card, "owner": owner} for player, card, owner in takes]
    for seq, event in enumerate(({"kind": "StarterNamed", "starter": flo}, *rolls, *taken)):
        body = {"event": event, "event_id": f"event-{seq}", "seen_seq": seq}
        assert service.call(f"/api/sessions/{session['id']}/events", body)[0] == 200
    return str(session["id"])


def test_the_line_of_the_camera_says_which_truck_belongs_where(device, service):
    sheet = device()
    sheet.goto(f"/s/{trucks_on_the_table(service)}")
    line = sheet.locator(".notices").get_by_text("Put trucks 24 and 1 on the mat, left to right.")
    expect(line).to_be_visible(timeout=SOON_MS)
    assert line.bounding_box()["width"] > 200  # what only says that all is well is for screen readers, one pixel wide


def test_the_squares_of_trucks_are_wide_enough_for_a_finger_and_take_boxes(device, service):
    trucks_on_the_table(service)
    table = device()
    table.goto("/table")
    expect(table.locator(".thing-square")).to_have_count(15 + 9)  # trucks 24 and 1
    for width, height in ((320, 640), (390, 844), (844, 390), (768, 1024), (1024, 768)):
        table.set_viewport_size({"width": width, "height": height})
        sides = [square.bounding_box() for square in table.locator(".thing-square").all()]
        assert min(min(side["width"], side["height"]) for side in sides) >= LEAST_PX, width
    table.locator("#deal input").nth(2).fill("1")
    table.get_by_role("button", name="Deal the boxes").click()
    table.get_by_role("button", name="Box 3").click()
    steps = table.get_by_role("group", name="Truck 1", exact=True)
    square = steps.get_by_role("button", name="Row 3, column 1")
    square.click()
    expect(steps.locator("rect.thing")).to_have_count(1)
    expect(steps.locator("rect.thing")).to_be_in_viewport()  # until it is loaded it lies out of sight
    expect(square).to_be_focused()  # what is drawn anew beneath a finger or the keyboard is lost to it
    box = steps.locator("rect.thing").bounding_box()
    first, last = (steps.get_by_role("button", name=f"Row 3, column {n}").bounding_box() for n in (1, 3))
    assert abs(box["x"] - first["x"]) < 2
    assert abs(box["x"] + box["width"] - last["x"] - last["width"]) < 2


def one_of_each_with_one_number(table: Page) -> tuple[str, str]:
    """The keys of a red and of a blue die that show the same."""
    faces = {
        die.get_attribute("data-key") or "": die.get_attribute("data-value") for die in table.locator(".mat-die").all()
    }
    return next(
        (one, other)
        for one in faces
        for other in faces
        if one.startswith("red") and other.startswith("blue") and faces[one] == faces[other]
    )


def press_enter(target: Locator) -> None:
    target.focus()
    target.press("Enter")
