"""Screens that nobody touches: the big one follows the game that has the table, the overlay is clear.

How the big one fills a television is in test_television.py. What moves on any page is done in a moment.
"""

import re
import struct
import zlib

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DEMO_WITHOUT_CAMERAS
from tests.service import Service

SERVICE = DEMO_WITHOUT_CAMERAS
SOON_MS = 20_000
MOTION_MS = 300  # issue 6
# whether a screen shows everything: it cannot be scrolled
FITS = """() => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    return scrollHeight <= innerHeight && scrollWidth <= innerWidth;
}"""


def new_game(service: Service, game: str, *names: str) -> str:
    status, made = service.call("/api/sessions", {"game": game, "players": list(names), "options": {}})
    assert status < 300, made
    return str(made["id"])


def post(service: Service, session: str, **event: object) -> None:
    _, shown = service.call(f"/api/sessions/{session}")
    body = {"event": event, "event_id": f"{session}-{shown['seq']}", "seen_seq": shown["seq"]}
    status, answer = service.call(f"/api/sessions/{session}/events", body)
    assert status < 300, answer


LINES_ON_SCREEN = """() => [...document.querySelectorAll(".score-line")].filter((line) => {
    const { left, top, right, bottom, width } = line.getBoundingClientRect();
    return width > 0 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}).map((line) => line.dataset.score)"""


@pytest.mark.parametrize("path", ["/board", "/overlay"])
def test_of_a_hundred_players_the_leaders_are_shown_and_the_others_counted(device, service, path):
    session = new_game(service, "sack_stackers", *(f"Player {number}" for number in range(1, 101)))
    last = service.call(f"/api/sessions/{session}")[1]["players"][-1]["id"]
    post(service, session, kind="Ruling", player=last, points=90, why="A leader.")
    post(service, session, kind="Rolled", dice=[3, 5])
    screen = device(viewport={"width": 1920, "height": 1080})
    screen.goto(path)
    expect(screen.get_by_role("heading", name="Waiting for 100 of 100")).to_be_visible(timeout=SOON_MS)
    for size in ({"width": 1920, "height": 1080}, {"width": 1024, "height": 600}):
        screen.set_viewport_size(size)
        screen.wait_for_function(FITS, timeout=SOON_MS)
        screen.wait_for_function(
            f"""() => {{
                const more = Number(document.querySelector(".more-lines")?.textContent.match(/\\d+/) ?? 0);
                return ({LINES_ON_SCREEN})().length + more === 100;
            }}""",
            timeout=SOON_MS,
        )
        shown = screen.evaluate(LINES_ON_SCREEN)
        assert shown[:2] == ["Player 100 100", "Player 1 10"]
        assert len(shown) >= 12
    expect(screen.locator(".more-lines")).to_be_visible()


def test_the_big_screen_follows_the_game_that_has_the_table(device, service):
    first = new_game(service, "sack_stackers", "Ann", "Bob")
    board, overlay = device(), device()
    board.goto("/board")
    overlay.goto("/overlay")
    post(service, first, kind="Rolled", dice=[6, 2])
    expect(board.locator(".dice-row .die").first).to_have_attribute("aria-label", "6", timeout=SOON_MS)
    expect(board.locator("button")).to_have_count(0)
    second = new_game(service, "speedstax", "Cy", "Di")
    for page in (board, overlay):
        expect(page.get_by_role("heading", name="Turn up a card")).to_be_visible(timeout=SOON_MS)
    player = next(one for one in service.call("/api/sessions")[1] if one["id"] == second)["players"][0]["id"]
    post(service, second, kind="Readied", player=player)
    expect(board.locator(".seat-card").first).to_contain_text("Ready", timeout=SOON_MS)


def test_the_overlay_lets_the_picture_through(device, service):
    new_game(service, "sack_stackers", "Ann", "Bob")
    overlay = device(viewport={"width": 320, "height": 180}, color_scheme="dark")
    overlay.goto("/overlay")
    expect(overlay.get_by_text("Ann")).to_be_visible()
    assert opacity_of_the_first_pixel(overlay.screenshot(omit_background=True)) == 0


def opacity_of_the_first_pixel(png: bytes) -> int:
    """Of an RGBA picture. Whatever filter its first row has, its first pixel has no neighbours: it stands as it is."""
    assert png[25] == 6, "no opacity in the picture"
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return zlib.decompress(data)[4]


def test_what_moves_is_done_in_a_moment_and_nothing_does_for_those_who_want_it_calm(device, service):
    session = new_game(service, "sack_stackers", "Ann", "Bob")
    lively, calm = device(), device(reduced_motion="reduce")
    for page in (lively, calm):
        page.goto(f"/s/{session}")
        page.wait_for_function("() => document.body.dataset.line === 'open'")
        page.evaluate("""() => {
            window.moved = [];
            new MutationObserver(() => document.querySelectorAll('.die').forEach((die) => moved.push(
                ...die.getAnimations().map((each) => each.effect.getComputedTiming().endTime),
            ))).observe(document.getElementById('live'), { childList: true, subtree: true });
        }""")
    post(service, session, kind="Rolled", dice=[4, 5])
    for page in (lively, calm):
        expect(page.locator(".dice-row .die").first).to_have_attribute("aria-label", "4", timeout=SOON_MS)
    assert 0 < max(lively.evaluate("() => moved")) <= MOTION_MS
    assert calm.evaluate("() => moved") == []


def test_a_close_race_is_shown_with_its_margin(device, service):
    page, table = device(), device()
    session = new_game(service, "speedstax", "Ann", "Bob")
    page.goto(f"/s/{session}")
    table.goto("/table")
    for seat in (1, 2):
        table.get_by_role("button", name=f"Button of seat {seat}").click()
        expect(page.locator(".seat-card").nth(seat - 1)).to_contain_text("Ready", timeout=SOON_MS)
    table.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".clock:not(.counting)[data-from]")).to_be_visible(timeout=SOON_MS)
    for seat in (2, 1):
        table.locator(f'[data-seat="{seat}"]').get_by_role("button", name="Finish").click()
        table.get_by_role("button", name=f"Button of seat {seat}").click()
    finish = page.locator(".photo-finish .finish-line")
    expect(finish).to_have_count(2, timeout=SOON_MS)
    expect(finish.first).to_contain_text("Bob")
    expect(finish.nth(1).locator(".finish-margin")).to_have_text(re.compile(r"^[\d.]+\sm?s behind$"))
