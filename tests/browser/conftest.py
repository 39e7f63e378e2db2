"""Fixtures for a real browser on the real program. Without a Chromium these tests are skipped."""

import logging
import math
import re
import shutil
import time
from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Route, expect

from companion.house.host import Host
from companion.journal.store import Journal
from tests.browser.furnished import HOURS_US, Furnished, furnished
from tests.service import Service, running

# The first has no window, and needs half the processor time of the others.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
TABLET = {"width": 1024, "height": 768}
WITHOUT_WORKER = {"service_workers": "block"}  # Playwright's routes do not see requests of a service worker
WITHOUT_CAMERA = ("--camera", "none")  # for tests that need no camera: the service starts sooner and uses less
DEMO_FROM_ABOVE = ("--demo", "--front", "none")  # a camera that nobody looks through draws and watches all the same
DEMO_FROM_THE_FRONT = ("--demo", *WITHOUT_CAMERA)
DEMO_WITHOUT_CAMERAS = (*DEMO_FROM_ABOVE, *WITHOUT_CAMERA)  # the demo's table and buttons alone

DOUBLE_TAP_S, DOUBLE_TAP_PX = 0.45, 40.0  # a little more than DOUBLE_TAP_MS and DOUBLE_TAP_PX of live.js
last_taps: WeakKeyDictionary[Page, tuple[float, float, float]] = WeakKeyDictionary()  # when and where

logging.getLogger("werkzeug").setLevel(logging.WARNING)  # else it logs every request, some after the end of their test

expect.set_options(timeout=20_000)  # a limit, never a pause: a busy machine may be slow


def let_go(page: Page, held: list[Route]) -> None:
    """Lets the sheets go on that a test has held, and all later ones."""
    for route in held:
        route.continue_()
    page.unroute("**/sheet*")


def deliberate_tap(target: Locator, **settings: float) -> None:
    """Taps once that is not the second of a double tap: elsewhere than the last tap, or so long after it."""
    page = target.page
    target.scroll_into_view_if_needed()
    box = target.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    at_s, last_x, last_y = last_taps.get(page, (0.0, x, y))
    too_soon_s = at_s + DOUBLE_TAP_S - time.monotonic()
    if too_soon_s > 0 and math.hypot(x - last_x, y - last_y) < DOUBLE_TAP_PX:
        page.wait_for_timeout(too_soon_s * 1000)
    target.click(**settings)
    last_taps[page] = time.monotonic(), x, y


def open_menu(page: Page) -> None:
    """Opens the menu of a game, where everything is that is rare."""
    page.get_by_role("button", name=re.compile("^(Game|Spiel)$")).click()


def open_notices(page: Page) -> None:
    """Opens the line of notices, behind which their buttons are."""
    page.locator("details.notices > summary").click()


@pytest.fixture(scope="module")
def service(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The real service: the demo with its virtual camera, or with the arguments in a module's SERVICE."""
    arguments = getattr(request.module, "SERVICE", ("--demo",))
    with running(tmp_path_factory.mktemp("house"), *arguments) as found:
        yield found


@pytest.fixture
def device(browser: Browser, service: Service) -> Iterator[Callable[..., Page]]:
    """Opens a page on a device of its own; fails the test when a page had an error in its console."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def record(message: ConsoleMessage) -> None:
        is_refusal = message.text.startswith("Failed to load resource")  # or a lost connection; tests check for those
        if message.type == "error" and not is_refusal:
            complaints.append(message.text)

    def opened(**settings: object) -> Page:
        context = browser.new_context(**{"base_url": service.url, "viewport": TABLET, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", record)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def empty_house(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A house in this process in which nobody has played."""
    found = Host(Journal(tmp_path_factory.mktemp("house") / "journal.sqlite3"))
    found.clock.offset_us += HOURS_US
    return found


@pytest.fixture(scope="module")
def house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    """A house in this process in which every game has been played for a while."""
    with furnished(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser, house: Furnished) -> Iterator[Page]:
    context = browser.new_context(base_url=house.url, reduced_motion="reduce")
    yield context.new_page()
    context.close()
