"""The board in a frame of another site's page: real sites by name, one that may show it and one that may not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.browser.conftest import CHROMIUM, TABLET, WITHOUT_CAMERA
from tests.service import Service, running

STRANGER = {"X-Forwarded-For": "192.168.1.20"}  # else a browser of this machine is the host's
TABLE, DASHBOARD, EVIL = "table.example", "dashboard.example", "evil.example"
SIZES = {"tablet": TABLET, "phone": {"width": 390, "height": 844}, "sideways": {"width": 844, "height": 390}}


# A site whose page shows in a frame whatever address it is asked to. It is a program of its own: one that listens is
# not the host's, and this one asks the table as the host.
OTHER_SITE = """
import http.server
from urllib.parse import parse_qs, urlsplit
class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = parse_qs(urlsplit(self.path).query).get("show", ["about:blank"])[0]
        page = f'<!doctype html><title>Home</title><iframe src="{asked}" width="900" height="600"></iframe>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture(scope="module")
def other_port() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", OTHER_SITE], stdout=subprocess.PIPE, text=True) as site:
        assert site.stdout
        yield int(site.stdout.readline())
        site.kill()


@pytest.fixture(scope="module")
def service(other_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    allowed = ("--allow-host", TABLE, "--allow-frame", f"http://{DASHBOARD}:{other_port}")
    with running(tmp_path_factory.mktemp("framed"), *WITHOUT_CAMERA, *allowed) as found:
        yield found


@pytest.fixture(scope="module")
def sites(browser: Browser) -> Iterator[Browser]:
    """A browser to which all three names are this machine."""
    rules = ", ".join(f"MAP {name} 127.0.0.1" for name in (TABLE, DASHBOARD, EVIL))
    found = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", f"--host-resolver-rules={rules}"]
    )
    yield found
    found.close()


@contextmanager
def opened(sites: Browser, url: str, headers: dict[str, str] | None = None) -> Iterator[Page]:
    """A page in a browser of its own."""
    context = sites.new_context(viewport=TABLET, extra_http_headers=headers)
    page = context.new_page()
    page.goto(url)
    yield page
    context.close()


@pytest.fixture(scope="module")
def session(service: Service) -> str:
    _, made = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"], "options": {}})
    return str(made["id"])


@pytest.fixture(scope="module")
def framed(sites: Browser, service: Service, session: str) -> str:
    """The board's address for a frame, as the host makes it by taps on /house, under the table's name."""
    pictures = os.environ.get("FRAMED_PICTURES")
    with opened(sites, f"{service.url}/house") as page:
        page.get_by_text("Another code").click()
        page.locator("select[name=seat]").select_option(label="TV screen in another site's page")
        page.get_by_role("button", name="Show the code").click()
        link = page.locator(".house-link").first
        expect(link).to_be_visible()
        for name, size in SIZES.items() if pictures else ():
            page.set_viewport_size(size)
            page.screenshot(path=f"{pictures}/framed-house-{name}.png")
        address = urlsplit(link.get_attribute("href") or "")
    assert address.query.startswith("ticket=")
    return f"http://{TABLE}:{urlsplit(service.url).port}{address.path}?{address.query}"


def test_an_allowed_site_shows_the_board_and_it_follows_the_game(sites, service, session, framed, other_port):
    with opened(sites, f"http://{DASHBOARD}:{other_port}/?show={framed}", STRANGER) as page:
        board = page.frame_locator("iframe")
        expect(board.locator("html[data-ready]")).to_be_attached()
        expect(board.get_by_text("Ann").first).to_be_visible()
        expect(board.locator("[data-event]")).to_have_count(0)
        assert page.context.cookies() == []
        status, said = service.call(
            f"/api/sessions/{session}/events",
            {"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "a-roll", "seen_seq": 0},
        )
        assert status < 300, said
        expect(board.locator("[data-seq='1']").first).to_be_attached()
        if pictures := os.environ.get("FRAMED_PICTURES"):
            page.screenshot(path=f"{pictures}/framed-board.png")


def is_blocked(sites: Browser, site: str, address: str) -> bool:
    """Whether the browser refuses to show an address in a frame of that site, and says why."""
    context = sites.new_context(viewport=TABLET)
    page = context.new_page()

    def says_so(message: ConsoleMessage) -> bool:
        return "frame-ancestors" in message.text or "X-Frame-Options" in message.text

    with page.expect_console_message(says_so):
        page.goto(f"{site}/?show={address}")
    shown = page.frames[1].url
    context.close()
    return shown.startswith("chrome-error:")


def test_no_other_site_can_show_it(sites, framed, other_port):
    assert is_blocked(sites, f"http://{EVIL}:{other_port}", framed)


@pytest.mark.parametrize("path", ["/", "/house", "/new", "/healthz"])
def test_the_allowed_site_can_show_nothing_else(sites, service, session, other_port, path):
    table = f"http://{TABLE}:{urlsplit(service.url).port}"
    assert is_blocked(sites, f"http://{DASHBOARD}:{other_port}", f"{table}{path}")


def test_without_the_ticket_the_frame_shows_a_refusal_alone(sites, service, session, other_port):
    board = f"http://{TABLE}:{urlsplit(service.url).port}/board"
    with opened(sites, f"http://{DASHBOARD}:{other_port}/?show={board}", STRANGER) as page:
        expect(page.frame_locator("iframe").get_by_text("This device hasn't joined the table.")).to_be_visible()
        expect(page.frame_locator("iframe").get_by_text("Ann")).to_have_count(0)
