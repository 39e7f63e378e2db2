"""A device that the host removes hears so at once, on the page that it shows."""

from playwright.sync_api import Browser, expect

from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.store import Journal
from tests.browser.furnished import served

ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}  # so this machine's browser is no host


def test_a_device_that_was_removed_is_told_so(browser: Browser, tmp_path):
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    table = host.create("sandpile_panic", ["Ann", "Bob"], {})
    token = host.access.tickets.issue(Role.PLAYER, session=table.session.id, player=table.session.players[0])
    with served(host) as url, browser.new_context(base_url=url, extra_http_headers=ELSEWHERE) as context:
        context.add_init_script("delete window.SharedWorker")  # whose requests have no header of the context's
        page = context.new_page()
        page.goto(f"/join/{token}")
        expect(page.locator("body.on-session[data-line=open]")).to_be_visible()
        for ticket in host.access.tickets.all():
            host.access.tickets.revoke(ticket.id)
        expect(page.get_by_text("The host removed this device, or its code has expired.")).to_be_visible()
