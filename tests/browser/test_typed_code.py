"""A code typed at the table's address lets in what can scan nothing: an app on a home screen, a television."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.access.short_codes import CODE_MINUTES, ShortCodes
from companion.house.host import Host
from companion.journal.store import Journal
from tests.browser.furnished import served

ELSEWHERE = {"X-Forwarded-For": "192.168.1.20"}  # so this machine's browser is no host
PHONE, TELEVISION = {"width": 360, "height": 640}, {"width": 1920, "height": 1080}


@pytest.fixture
def uptime_us() -> list[int]:
    return [0]


@pytest.fixture
def table(browser: Browser, tmp_path: Path, uptime_us: list[int]):
    """The host's page, and a function that opens a page on a device without cookies."""
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    host.status.set_addresses(("http://table.local:8000",))
    host.access.short_codes = ShortCodes(lambda: uptime_us[0])
    host.active.hold(host.create("sack_stackers", ["Ann", "Bob"], {}).session.id)
    contexts = []

    def opened(viewport: dict[str, int] = PHONE, headers: dict[str, str] = ELSEWHERE, **settings: object) -> Page:
        context = browser.new_context(base_url=url, viewport=viewport, extra_http_headers=headers, **settings)
        context.add_init_script("delete window.SharedWorker")  # whose requests have no header of the context's
        contexts.append(context)
        return context.new_page()

    with served(host) as url:
        yield opened(headers={}), opened
        for context in contexts:
            context.close()


def shown_code(tablet: Page) -> str:
    """The code that the host has the first page show, as somebody reads it off the screen."""
    tablet.goto("/")
    tablet.get_by_text("Scan and play").click()
    tablet.get_by_role("button", name="Show a code to type").click()
    expect(tablet.get_by_text(re.compile("Type http://.+ into its browser, then this code:"))).to_be_visible()
    return tablet.locator("p.typed-code").inner_text()


def type_code(page: Page, code: str) -> None:
    field = page.get_by_role("textbox", name="Code, or the host's PIN")
    field.fill("")
    field.press_sequentially(code)
    page.get_by_role("button", name="Join").click()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_app_on_a_home_screen_comes_in_by_a_code_and_chooses_its_player(table, uptime_us, scripts):
    tablet, opened = table
    code, app = shown_code(tablet), opened(java_script_enabled=scripts)
    app.goto("/")
    type_code(app, "xxxxx")
    refusal = "Wrong PIN or code. A code ends after 10 minutes: ask the host for a new one."
    expect(app.get_by_role("alert").filter(has_text=refusal)).to_be_visible()
    type_code(app, code.lower())
    app.get_by_role("button", name="Ann").click()
    expect(app.get_by_role("heading", name="Sack Stackers")).to_be_visible()

    late = opened(java_script_enabled=scripts)
    late.goto("/")
    uptime_us[0] += CODE_MINUTES * 60_000_000
    type_code(late, code)
    expect(late.get_by_role("alert").filter(has_text=refusal)).to_be_visible()
    type_code(late, shown_code(tablet))
    expect(late.get_by_role("heading", name="Who are you?")).to_be_visible()


def test_a_television_comes_to_the_board_by_its_remote_alone(table):
    tablet, opened = table
    tablet.goto("/house")
    tablet.get_by_text("Another code").click()
    tablet.get_by_text("Spectator", exact=True).click()
    tablet.get_by_role("button", name="Show the code", exact=True).click()
    code = tablet.locator("p.typed-code").inner_text()
    television = opened(viewport=TELEVISION)
    television.goto("/board")
    expect(television.get_by_text("This device hasn't joined the table.")).to_be_visible()
    for _press in range(40):  # a remote has arrows and a key that chooses; browsers make them Tab and Enter
        television.keyboard.press("Tab")
        if television.evaluate("document.activeElement.name") == "pin":
            break
    television.keyboard.type(code)
    television.keyboard.press("Enter")
    expect(television.locator("body.on-board")).to_be_visible()
    assert television.url.endswith("/board")
