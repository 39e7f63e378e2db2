"""Pictures of every page at three sizes, light and dark, for those who judge how it looks, and all those of `docs`.

python -m tests.browser.screenshots build/screenshots
"""

import base64
import logging
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from companion.app.bench.dice import OWN_SCENES, labels_of
from companion.app.bench.dice_photos import draw_miss, in_scope, matches
from tests.browser.conftest import CHROMIUM
from tests.browser.furnished import Furnished, furnished
from tests.browser.test_every_page import AROUND, GAMES, HOUSE, SET_UPS, SHEETS
from vision.cameras.photos import load_photo
from vision.dice.reader import DiceReader

SIZES = {"phone": (390, 844), "tablet": (1024, 768), "television": (3840, 2160)}
SCHEMES = ("light", "dark")
LONGEST_PX = 4000
DOCUMENTS = Path(__file__).parents[2] / "docs/images"
DRAWINGS = sorted((Path(__file__).parent / "drawings").glob("*.svg"))
DRAWN_GAME = "late/stack_dice"
MISREAD = "dice-failures.png"
CROP_PX = 200  # around a die
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
    """Takes the pictures of the documents; how many there are."""
    page.emulate_media(color_scheme="light")
    for name, address in document_pages(house):
        (folder / f"{name}.png").write_bytes(first_screen(page, address, (WIDTH, HEIGHT)))
    sheet, active = house.at(DRAWN_GAME), house.host.active.session
    house.host.active.hold(house.games[DRAWN_GAME].session.id)
    devices = {
        "television": first_screen(page, "/board", (960, 540)),
        "tablet": first_screen(page, sheet, SIZES["tablet"]),
        "phone": first_screen(page, f"{sheet}/history", SIZES["phone"]),
    }
    house.host.active.hold(active)
    for drawing in DRAWINGS:
        draw(page, drawing, devices, folder / f"{drawing.stem}.png")
    cv2.imwrite(str(folder / MISREAD), misread_dice())
    return len(list(folder.iterdir()))


def first_screen(page: Page, address: str, size: tuple[int, int]) -> bytes:
    """What a device of that size shows first of a page, as a PNG."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    page.wait_for_function("document.fonts.status === 'loaded'")
    page.evaluate(DRAWN)
    return page.screenshot()


def draw(page: Page, drawing: Path, devices: dict[str, bytes], out: Path) -> None:
    """A drawing as a picture; its images called "tablet" and so on show the screens of these devices."""
    svg = drawing.read_text(encoding="utf-8")
    for device, screen in devices.items():
        svg = svg.replace(f'href="{device}"', f'href="data:image/png;base64,{base64.b64encode(screen).decode()}"')
    width, height = map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', svg)[0])
    page.set_viewport_size({"width": width, "height": height})
    page.goto("about:blank")  # Pages of the house allow no pictures from an address that holds them.
    page.set_content(f'<body style="margin:0">{svg}')
    page.screenshot(path=out)


def misread_dice() -> np.ndarray:
    """The dice of our own scenes that are read wrong or missed, as `companion bench scenes` marks them."""
    reader, crops = DiceReader(), []
    for entry in labels_of(OWN_SCENES):
        frame = load_photo(OWN_SCENES / entry["image"])
        reading = reader.read(frame, None)
        marked, pairs = draw_miss(frame, entry["dice"], reading), dict(matches(entry["dice"], reading.dice))
        for i, label in enumerate(entry["dice"]):
            if in_scope(label) and (i not in pairs or reading.dice[pairs[i]].value != label["value"]):
                x, y = (max(0, int(label[axis]) - CROP_PX // 2) for axis in ("cx", "cy"))
                crop = marked[y : y + CROP_PX, x : x + CROP_PX]
                crops.append(cv2.copyMakeBorder(crop, 0, CROP_PX - crop.shape[0], 0, CROP_PX - crop.shape[1], 0))
    return np.hstack(crops)


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
