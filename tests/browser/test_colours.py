"""Whose dice are which, said with fingers: the demo's dice lie there, one is touched, and all are read anew."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DEMO_FROM_ABOVE
from tests.browser.test_injection import ALSO_EVIL, EVIL

SOON_MS = 60_000  # the camera's process may only just be starting
SERVICE = DEMO_FROM_ABOVE


def begun(service, *names: str) -> str:
    """Stack, in which the demo's white dice are nobody's; the address of its sheet."""
    status, made = service.call("/api/sessions", {"game": "stack_dice", "players": names})
    assert status == 201, made
    return f"/s/{made['id']}"


@pytest.fixture
def game(service) -> str:
    return begun(service, "Ann", "Bob")


def rolled(page: Page, service, game: str) -> None:
    """Two dice have come to rest and the camera has looked; the page asks whose they are."""
    page.goto(game)
    expect(page.get_by_text("The camera sees the table.").first).to_be_attached(timeout=SOON_MS)
    assert service.call("/table/roll", {"count": 2})[0] == 200
    page.locator(".question").get_by_role("link", name="Whose dice are which?").click(timeout=SOON_MS)
    expect(page.get_by_role("checkbox")).to_have_count(2)


def read_anew(page: Page, colour: str) -> None:
    """The page shows the dice of the newest look once it is loaded again."""
    both = "async (words) => (await (await fetch(location.pathname)).text()).split(words).length === 3"
    page.wait_for_function(both, arg=f"read as {colour}<", polling=300, timeout=SOON_MS)


def test_a_die_is_touched_and_what_lies_there_is_read_anew(device, service, game):
    page = device(viewport={"width": 390, "height": 844})
    rolled(page, service, game)
    say = page.get_by_role("button", name="These dice are theirs")
    expect(say).to_be_disabled()
    page.get_by_text("Ann, red").click()
    expect(say).to_be_disabled()
    page.locator(".seen-die").first.click()
    say.click()
    expect(page.get_by_role("status")).to_have_text("Dice like these are red from now on.")
    read_anew(page, "red")
    page.get_by_role("button", name="Undo the last answer about red").click()
    expect(page.get_by_role("status")).to_have_text("Taken back: red.")
    read_anew(page, "white")


def test_without_script_the_page_says_what_is_missing_and_keeps_the_choice(device, service, game):
    with_script = device()
    rolled(with_script, service, game)
    page, alert = device(java_script_enabled=False), ""
    for _ in range(5):  # a look that came while the page was open is another one, and the page says so
        page.goto(f"{game}/colours")
        page.get_by_text("Bob, blue").click()
        page.get_by_role("button", name="These dice are theirs").click()
        alert = page.locator(".notice[role=alert]").inner_text()
        if "has looked again" not in alert:
            break
    assert "Touch the dice first" in alert
    expect(page.get_by_role("radio", name="Bob, blue")).to_be_checked()
    expect(page.get_by_role("link", name="Back to the game")).to_be_visible()


def test_evil_names_beside_the_dice_are_shown_and_never_run(device, service):
    page, names = device(), (EVIL, ALSO_EVIL[:40])
    rolled(page, service, begun(service, *names))
    for name in names:
        expect(page.get_by_text(name)).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img[src=x]").count() == 0
