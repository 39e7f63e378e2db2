"""Names, reasons and labels full of HTML, on every page, in a real browser: they are text and never run."""

import pytest

from companion.shelf import GAMES
from tests.browser.conftest import DEMO_WITHOUT_CAMERAS

SERVICE = DEMO_WITHOUT_CAMERAS
EVIL = "<img src=x onerror=window.hacked=1>"
ALSO_EVIL = "\"><script>window.hacked=1</script>'{{7*7}}"


def test_evil_text_is_shown_and_never_runs(service, device):
    pages = ["/", "/new", "/house", "/entrants"]
    for number, game in enumerate(GAMES):
        names = [EVIL, ALSO_EVIL[:40], "Cleo"][: max(2, GAMES[game].rules.seats[0])]
        status, made = service.call("/api/sessions", {"game": game, "players": names})
        assert status == 201, made
        session, player = made["id"], made["players"][0]["id"]
        ruling = {"kind": "Ruling", "player": player, "points": 0, "why": EVIL + ALSO_EVIL}
        status, answer = service.call(
            f"/api/sessions/{session}/events", {"event": ruling, "event_id": f"r{number}", "seen_seq": 0}
        )
        assert status == 200, answer
        base = f"/s/{session}"
        pages += [base, f"{base}?player={player}", f"{base}/history", f"{base}/correct/1", f"{base}/result"]
        pages += [f"{base}/dice", f"{base}/referee", f"{base}/colours", f"/new?game={game}"]
    pages += [
        "/board",
        "/overlay",
        "/people",
        "/season",
        "/wizard",
        "/calibrate",
        "/calibrate/front",
        "/table",
        "/import",
        "/api/docs",
    ]
    page = device()
    page.on("dialog", lambda dialog: pytest.fail(f"a page opened a dialog: {dialog.message}"))
    for path in pages:
        page.goto(path)
        assert page.evaluate("window.hacked") is None, path
        assert page.locator("img[src=x]").count() == 0, path
    page.goto("/people")
    page.get_by_role("textbox", name="New player").fill(EVIL)
    page.get_by_role("textbox", name="New player").press("Enter")
    page.wait_for_url("**/people/*")  # that person's own page
    for path in (page.url, "/people", "/season", "/new"):
        page.goto(path)
        assert page.evaluate("window.hacked") is None, path
        assert page.locator("img[src=x]").count() == 0, path
    page.goto("/entrants")
    page.locator("textarea").fill(EVIL)
    page.get_by_role("button", name="Save list").click()
    assert page.evaluate("window.hacked") is None
    page.goto("/house")
    page.get_by_text("Another code").click()
    page.get_by_label("Device name").fill(EVIL)
    page.get_by_role("button", name="Show the code").click()
    assert EVIL in page.locator(".house-code").inner_text()
    assert page.evaluate("window.hacked") is None
