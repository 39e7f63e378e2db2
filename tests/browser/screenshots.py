"""Pictures of every page at three sizes, light and dark, for those who judge how it looks, and those of the documents.

python -m tests.browser.screenshots build/screenshots
"""

import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.browser.furnished import Furnished, furnished
from tests.browser.test_every_page import AROUND, GAMES, HOUSE, SET_UPS, SHEETS

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "television": (3840, 2160)}
SCHEMES = ("light", "dark")
LONGEST_PX = 4000
DOCUMENTS = Path(__file__).parents[2] / "docs/images"
WIDTH, HEIGHT = 1024, 768  # of a picture in a document
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"  # letters fit the window then


def pages(house: Furnished) -> Iterator[tuple[str, str]]:
    """(name of the picture, address) of every page."""
    for path in (*HOUSE, *SET_UPS):
        yield path.lstrip("/").replace("?", "-").replace("/", "-") or "first", path
    for moment in SHEETS:
        yield moment.replace("/", "-"), house.at(moment)
    for game in GAMES:
        for around in AROUND:
            yield f"{game}-{around.split('/')[0]}", f"{house.at(f'late/{game}')}/{around}"
    yield "stack_dice-colours", f"{house.at('lying/stack_dice')}/colours"


def taken(page: Page, house: Furnished, folder: Path) -> int:
    """Takes every picture; how many there are."""
    count = 0
    for name, address in pages(house):
        page.goto(address)
        page.wait_for_function("document.fonts.status === 'loaded'")
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(DRAWN)
            if size != "television":  # the whole page; what sticks to the edge of the window sticks to its own
                long = page.evaluate("document.documentElement.scrollHeight")
                page.set_viewport_size({"width": width, "height": min(LONGEST_PX, max(height, long))})
                page.evaluate(DRAWN)
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
                count += 1
    return count


def document_pages(house: Furnished) -> Iterator[tuple[str, str]]:
    """(name of the picture, address) of the pages that documents show."""
    yield "new-game", "/new?game=stack_dice"
    yield "sheet", house.at("midway/sack_stackers")
    yield "question", house.at("asking/sack_stackers")
    yield "finish", f"{house.at('end/speedstax')}/result"


def take_for_documents(page: Page, house: Furnished, folder: Path) -> int:
    """Takes the pictures of the documents, each the first screen of a tablet; how many there are."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.emulate_media(color_scheme="light")
    names = dict(document_pages(house))
    for name, address in names.items():
        page.goto(address)
        page.wait_for_function("document.fonts.status === 'loaded'")
        page.evaluate(DRAWN)
        page.screenshot(path=folder / f"{name}.png")
    return len(names)


def take(browser: Browser, folder: Path) -> int:
    """Furnishes a house and takes every picture of it into `folder`; how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, furnished(Path(data)) as house:
        context = browser.new_context(base_url=house.url, reduced_motion="reduce")
        count = take_for_documents(context.new_page(), house, DOCUMENTS) + taken(context.new_page(), house, folder)
        context.close()
    return count


def main() -> None:
    if CHROMIUM is None:
        sys.exit("No Chromium was found: install it with: sudo apt-get install chromium")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each request says nothing here
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        print(f"{take(browser, folder)} pictures in {folder}")
        browser.close()


if __name__ == "__main__":
    main()
