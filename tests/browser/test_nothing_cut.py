"""No sentence is cut by its box on a small phone, in German and in a language whose messages are 40 percent longer."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.furnished import Furnished, furnished
from tests.browser.sound import LETTERS_PX, SMALL_PHONE
from tests.browser.test_every_page import HOUSE, SET_UPS, SHEETS
from tests.languages.conftest import spoken
from tests.languages.pseudo import CODE

GROWTH = 0.4
# words in a box that hides what is too much for it; a box of a pixel is for screen readers, a drawing has no sentences
CUT = """letters_px => [...document.querySelectorAll("body *")].filter(box => {
    if (!box.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    if (box.closest("svg, .mat, [data-scrolls]")) return false;
    const look = getComputedStyle(box);
    const hides = [look.overflowX, look.overflowY].some(way => way === "hidden" || way === "clip");
    if (!hides || look.clipPath !== "none" || box.clientWidth < 2 || !box.innerText?.trim()) return false;
    return box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + letters_px;
}).map(box => `${box.tagName}.${box.className}: ${box.innerText.trim().slice(0, 90)}`)"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    with spoken(tmp_path_factory.mktemp("languages"), GROWTH), furnished(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture(scope="module", params=["de", CODE])
def page(browser: Browser, house: Furnished, request: pytest.FixtureRequest) -> Iterator[Page]:
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE, reduced_motion="reduce") as context:
        context.add_cookies([{"name": "language", "value": request.param, "url": house.url}])
        yield context.new_page()


@pytest.mark.parametrize("moment", SHEETS)
def test_no_sentence_of_a_sheet_is_cut(page, house, moment):
    page.goto(house.at(moment))
    assert page.evaluate(CUT, LETTERS_PX) == []


def test_no_sentence_of_another_page_is_cut(page, house):
    found = {}
    for path in (*HOUSE, *SET_UPS):
        page.goto(path)
        if cut := page.evaluate(CUT, LETTERS_PX):
            found[path] = cut
    assert found == {}
