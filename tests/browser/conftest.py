"""A real browser on the real program. Without a Chromium these tests are skipped, and what they show stays unshown."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.service import Service, running

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
TABLET = {"width": 1024, "height": 768}
WITHOUT_WORKER = {"service_workers": "block"}  # what goes through a page's worker, a route of the test does not see
WITHOUT_CAMERA = ("--camera", "none")  # for tests that look through none: it begins sooner and leaves them the machine

expect.set_options(timeout=20_000)  # a busy machine may be slow; what is there sooner is not waited for


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
