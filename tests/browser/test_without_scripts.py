"""A page whose scripts cannot run or have failed says so, and its forms still post."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import DEMO_WITHOUT_CAMERAS

SERVICE = DEMO_WITHOUT_CAMERAS
DO_NOT_RUN = "This page's scripts aren't running"


def begin(page: Page) -> None:
    page.goto("/new?game=stack_dice")
    page.locator("input[name=player]").nth(0).fill("Ann")
    page.locator("input[name=player]").nth(1).fill("Bob")
    page.get_by_role("button", name="Start ").first.click()
    expect(page.locator("body.on-session")).to_be_attached()


def test_scripts_that_are_switched_off(browser, service):
    context = browser.new_context(base_url=service.url, service_workers="block")
    page = context.new_page()
    page.route("**/*", in_a_box_without_scripts)
    page.goto("/")
    expect(page.locator("noscript .unready-now")).to_be_visible()
    begin(page)
    context.close()


def in_a_box_without_scripts(route: Route) -> None:
    """Playwright's own switch leaves `noscript` hidden."""
    if route.request.resource_type != "document" or route.request.method == "POST":
        route.continue_()
        return
    answer = route.fetch()
    boxed = {**answer.headers, "content-security-policy": "sandbox allow-forms allow-same-origin"}
    route.fulfill(response=answer, headers=boxed)


@pytest.mark.parametrize("body", ["not a script {", 'import "/static/away.js";'])
def test_scripts_that_fail(browser, service, body):
    context = browser.new_context(base_url=service.url, service_workers="block")
    page = context.new_page()
    page.route("**/companion.js*", lambda route: route.fulfill(body=body, content_type="text/javascript"))
    page.goto("/")
    expect(page.get_by_text(DO_NOT_RUN)).to_be_visible()
    begin(page)
    expect(page.get_by_text(DO_NOT_RUN)).to_be_visible()
    context.close()


def test_no_script_at_all_arrives(browser, service):
    context = browser.new_context(base_url=service.url, service_workers="block")
    page = context.new_page()
    page.route("**/*.js*", lambda route: route.abort())
    page.goto("/")
    expect(page.get_by_text(DO_NOT_RUN)).to_be_visible()
    context.close()


def test_scripts_that_run(device):
    page = device()
    page.goto("/")
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.get_by_text(DO_NOT_RUN)).to_be_hidden()
