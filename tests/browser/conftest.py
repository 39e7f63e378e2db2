"""A real browser on the real program. Without a Chromium these tests are skipped, and what they show stays unshown."""

import logging
import shutil
import time
from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect, sync_playwright

from tests.browser.furnished import Furnished, furnished
from tests.service import Service, running

# The first has no window and takes half of the processor that the others take.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
TABLET = {"width": 1024, "height": 768}
WITHOUT_WORKER = {"service_workers": "block"}  # what goes through a page's worker, a route of the test does not see
WITHOUT_CAMERA = ("--camera", "none")  # for tests that look through none: it begins sooner and leaves them the machine
DEMO_WITHOUT_CAMERAS = ("--demo", *WITHOUT_CAMERA, "--front", "none")  # its table and buttons, and nobody who looks

DOUBLE_TAP_S = 0.45  # a little more than the page takes for one
last_taps: WeakKeyDictionary[Page, float] = WeakKeyDictionary()

logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line a request, some after the test that would show it

expect.set_options(timeout=20_000)  # a busy machine may be slow; what is there sooner is not waited for


def deliberate_tap(target: Locator, **settings: float) -> None:
    """A tap that is not the second of a double tap: who means the button that came under the finger looks first."""
    page = target.page
    too_soon_s = last_taps.get(page, 0.0) + DOUBLE_TAP_S - time.monotonic()
    if too_soon_s > 0:
        page.wait_for_timeout(too_soon_s * 1000)
    target.click(**settings)
    last_taps[page] = time.monotonic()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium was found: that taps, pages and the table work together in a browser stays unshown")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def service(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """The program from the command line on: the demo with its virtual camera, or what a module says in SERVICE."""
    arguments = getattr(request.module, "SERVICE", ("--demo",))
    with running(tmp_path_factory.mktemp("house"), *arguments) as found:
        yield found


@pytest.fixture
def device(browser: Browser, service: Service) -> Iterator[Callable[..., Page]]:
    """Opens a page on a device of its own; fails when any of them complained."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def hear(said: ConsoleMessage) -> None:
        refused = said.text.startswith("Failed to load resource")  # a refusal, a lost line: the tests look
        if said.type == "error" and not refused:
            complaints.append(said.text)

    def opened(**settings: object) -> Page:
        context = browser.new_context(**{"base_url": service.url, "viewport": TABLET, **settings})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", hear)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    """Where every game has been played for a while, in this process."""
    with furnished(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser, house: Furnished) -> Iterator[Page]:
    context = browser.new_context(base_url=house.url, reduced_motion="reduce")
    yield context.new_page()
    context.close()
