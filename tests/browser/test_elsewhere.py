"""A game below a path at which a real proxy serves the table: every page, script, stream and post finds its way."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DEMO_WITHOUT_CAMERAS, TABLET, deliberate_tap
from tests.processes.test_passed_on import NGINX, nginx
from tests.service import Service

pytestmark = pytest.mark.skipif(not NGINX, reason="nginx is not installed: make packages")

SERVICE = (*DEMO_WITHOUT_CAMERAS, "--proxy", "127.0.0.1")
BELOW = (
    "proxy_buffering off; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; "
    "proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $http_host; "
    "proxy_set_header X-Forwarded-Prefix /table;"
)


@pytest.fixture(scope="module")
def outside(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address at which nginx serves the table."""
    with nginx(tmp_path_factory.mktemp("nginx"), service, "root", "location /table/", BELOW) as url:
        yield f"{url}/table"


def test_a_game_is_begun_and_played_below_a_path(browser, service, outside):
    complaints: list[str] = []
    paths: set[str] = set()
    own = browser.new_page(base_url=service.url)  # the machine itself, beside the proxy
    own.goto("/house")
    own.get_by_text("Another code").click()
    own.get_by_role("button", name="Show the code").click()
    code = urlsplit(own.locator(".house-link").get_attribute("href") or "").path
    own.context.close()

    context = browser.new_context(viewport=TABLET)
    context.on("request", lambda request: paths.add(urlsplit(request.url).path))
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(outside + code)
    page.wait_for_url(f"{outside}/")
    assert {cookie["path"] for cookie in context.cookies()} == {"/table/"}
    page.goto(f"{outside}/new?game=sack_stackers")
    page.get_by_placeholder("Empty place").first.fill("Ada")
    page.get_by_role("button", name=re.compile("^Start")).click()
    page.wait_for_url(f"{outside}/s/*")
    expect(page.locator("body[data-line=open]")).to_be_visible()
    deliberate_tap(page.get_by_role("button", name="3", exact=True).first)
    deliberate_tap(page.get_by_role("button", name="5", exact=True).last)
    expect(page.locator(".last-text")).to_contain_text("3 and 5")
    deliberate_tap(page.get_by_role("button", name="Undo", exact=True).first)
    expect(page.get_by_role("button", name="Redo").first).to_be_visible()
    assert page.evaluate("navigator.serviceWorker.ready.then((found) => found.scope)") == f"{outside}/"
    assert page.evaluate("document.fonts.ready.then((all) => [...all].some((one) => one.status === 'loaded'))")
    page.goto(f"{outside}/table")
    with page.expect_response(f"{outside}/table/roll") as rolled:
        page.locator("#roll").click()
    assert rolled.value.ok
    context.close()

    assert [path for path in paths if not path.startswith("/table/")] == []
    # the stream is its worker's, whose requests are not seen here: that the line is open shows it
    assert complaints == []


def test_a_proxy_that_hides_the_path_is_told_which_line_it_lacks(browser, service, tmp_path):
    """`location /table/ { proxy_pass http://…/; }` and nothing else: no link could be right."""
    with nginx(tmp_path, service, "root", "location /table/") as url:
        page = browser.new_page(viewport=TABLET)
        page.goto(f"{url}/table/")
        said = page.get_by_text("If this page looks bare")
        expect(said).to_be_visible()
        expect(said).to_contain_text("proxy_set_header X-Forwarded-Prefix /table;")
        expect(said).to_contain_text("--proxy 127.0.0.1")
        page.context.close()


def test_a_proxy_that_hides_nothing_is_told_nothing(browser, service, tmp_path):
    with nginx(tmp_path, service, "root") as url:
        page = browser.new_page(viewport=TABLET)
        page.goto(f"{url}/")
        expect(page.locator("html[data-ready]")).to_be_attached()
        expect(page.get_by_text("If this page looks bare")).to_be_hidden()
        page.context.close()
