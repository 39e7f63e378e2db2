"""Both codes of a page are read as a phone's camera would: off the screen, the second one after one tap."""

from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, Locator, expect

from companion.house.host import Host
from companion.journal.store import Journal
from tests.browser.furnished import served


def read(code: Locator) -> str:
    expect(code).to_be_visible()
    code.scroll_into_view_if_needed()
    seen = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    return cv2.QRCodeDetectorAruco().detectAndDecode(seen)[0]  # the other detector misses one sharp code in twenty


def test_both_codes_of_the_first_page_lead_to_the_link_beside_them(browser: Browser, tmp_path: Path):
    host = Host(Journal(tmp_path / "journal.sqlite3"))
    host.status.set_addresses(("http://table.local:8000", "http://192.168.1.5:8000"))
    with served(host) as url:
        context = browser.new_context(
            base_url=url, viewport={"width": 390, "height": 844}, reduced_motion="reduce", device_scale_factor=3
        )
        page = context.new_page()
        page.goto("/")
        page.get_by_text("Scan and play").click()
        codes = page.locator(".guests .qr svg")
        expect(codes.nth(1)).to_be_hidden()
        first = read(codes.nth(0))
        page.get_by_text("Doesn't open? Use this code").click()
        second = read(codes.nth(1))
        beside = (page.locator(".house-link").inner_text(), page.locator(".other-link").inner_text())
        context.close()
    assert (first, second) == beside
    assert first.startswith("http://table.local:8000/join/")
    assert second == first.replace("table.local", "192.168.1.5")
