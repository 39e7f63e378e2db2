"""A browser as old as Chrome 88 and Safari 14.1: a Chromium without what came later (newer.json).

It opens every page (test_older_pages.py), and plays every game (test_few_taps.py).
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import DEMO_WITHOUT_CAMERAS, WITHOUT_WORKER

SERVICE = DEMO_WITHOUT_CAMERAS
NEWER = json.loads((Path(__file__).parents[1] / "older_browsers" / "newer.json").read_text())
PHONE = {"width": 390, "height": 844}

# Playwright itself needs the arrays of big integers. Dialogs are taken away whole: their interface alone would leave
# the functions of each dialog. older_selectors.js asks by CSS.supports what the browser can do in selectors.
TAKE_AWAY = """
(newer) => {
  const dialog = HTMLDialogElement.prototype;
  for (const name of ["show", "showModal", "close", "open", "returnValue"]) delete dialog[name];
  for (const name of newer[""]) if (!name.startsWith("Big")) delete globalThis[name];
  delete newer[""];
  for (const [owner, names] of Object.entries(newer)) {
    const kind = globalThis[owner];
    for (const name of names) for (const place of [kind, kind?.prototype]) if (place) delete place[name];
  }
  CSS.supports = (...what) => !/selector/.test(what[0]);
}
"""
AS_OLD = f"({TAKE_AWAY})({json.dumps(NEWER)})"


@pytest.fixture
def tablet(device: Callable[..., Page]) -> Page:
    page = device()
    page.add_init_script(AS_OLD)
    return page


def start(page: Page, game: str) -> None:
    page.goto(f"/new?game={game}")
    for place, name in enumerate(("Ann", "Bob")):
        page.locator("input[name=player]").nth(place).fill(name)
    page.get_by_role("button", name="Start ").first.click()
    expect(page.locator("html[data-ready] body.on-session[data-line=open]")).to_be_attached()


def test_nothing_newer_is_there(tablet):
    tablet.goto("/")
    assert (
        tablet.evaluate("[typeof [].at, typeof Object.hasOwn, typeof structuredClone, typeof navigator.locks]")
        == ["undefined"] * 4
    )
    assert tablet.evaluate("'popover' in HTMLElement.prototype") is False


def test_a_dialog_opens_and_closes(tablet):
    tablet.goto("/")
    tablet.locator("[data-device-open]").click()
    done = tablet.locator("#device").get_by_role("button", name="Done")
    expect(tablet.locator("#device input").first).to_be_focused()
    tablet.get_by_role("link", name="First page").click(force=True, no_wait_after=True)
    expect(done).to_be_visible()  # what lies below is not to be reached
    done.click()
    expect(done).to_be_hidden()


def test_the_menu_of_a_phone_opens(device):
    phone = device(viewport=PHONE)
    phone.add_init_script(AS_OLD)
    phone.route("**/*.css", without_newer_selectors)
    phone.goto("/")
    entry = phone.locator("#bar-menu [data-theme-switch]")
    expect(entry).to_be_hidden()
    phone.locator(".bar-more").click()
    expect(entry).to_be_visible()


def without_newer_selectors(route: Route) -> None:
    """The browser's style sheets: it drops these rules, as it does not know their selectors. Scripts get the text."""
    answer = route.fetch()
    text = answer.text()
    if route.request.resource_type == "stylesheet":
        for known in (":has(", ":focus-visible", ":popover-open"):
            text = text.replace(known, known.replace(":", ":-unknown-"))
    route.fulfill(response=answer, body=text)


PLACES = """
[...document.querySelectorAll("main *")]
  .filter((one) => one.getClientRects().length && !one.matches(".unready"))
  .filter((one) => !one.parentElement.closest("details:not([open])") || one.closest("summary"))
  .map((one) => [one.className, Math.round(one.getBoundingClientRect().x), Math.round(one.clientWidth)].join(" "))
"""


@pytest.mark.parametrize("game", ["sandpile_panic", "pack_and_stack"])
def test_rules_that_it_does_not_know_hold_all_the_same(device, game):
    settings = {**WITHOUT_WORKER, "bypass_csp": True}  # Playwright waits for a value by `eval`
    today, tablet = device(**settings), device(**settings)
    start(today, game)
    tablet.add_init_script("CSS.supports = (...what) => !/selector/.test(what[0])")
    tablet.route("**/*.css", without_newer_selectors)
    tablet.goto(today.url)
    expect(tablet.locator("html[data-ready] body[data-line=open]")).to_be_attached()
    wanted = today.evaluate(PLACES)
    expect(tablet.locator("[data-has-0]").first).to_be_attached()
    assert tablet.evaluate(PLACES) == wanted
