"""Takes the picture of the set-up page for hardware/README.md, from the demo's own table, by `make screenshots`."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.service import running

PICTURE = Path(__file__).parents[1] / "pictures" / "set-up.jpg"


def main() -> None:
    if CHROMIUM is None:
        sys.exit("No Chromium was found: install it with: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory() as data, running(Path(data), "--demo") as service, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 820, "height": 1200})
        page.goto(f"{service.url}/wizard")
        page.get_by_text("The camera sees the table.").wait_for()
        service.call("/table/roll", {"count": 5})
        for button in ("seat-1", "seat-2"):
            service.call("/table/press", {"button": button})
            page.get_by_text("pressed now").wait_for()
            service.call("/table/release", {"button": button})
            page.get_by_text("pressed now").wait_for(state="detached")
        service.call("/table/press", {"button": "seat-3"})
        page.get_by_text("Press “Seat 4” now.").wait_for()
        page.locator("[data-photo]").click()
        page.locator(".wizard-photo").wait_for()
        page.wait_for_function("document.querySelector('.wizard-photo').complete")
        page.screenshot(path=PICTURE, type="jpeg", quality=78)
        browser.close()


if __name__ == "__main__":
    main()
