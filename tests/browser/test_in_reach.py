"""Sheets on small screens: what stays in reach of fingers lies over nothing that is to be read or tapped."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.furnished import Furnished
from tests.browser.sound import SMALL_PHONE, TABLET
from tests.browser.test_every_page import SHEETS

SMALL = ({"width": 320, "height": 568}, {"width": 568, "height": 320})
OVER_HEADLINE = """() => [...document.querySelectorAll(".headline")].flatMap(headline => {
    const below = headline.getBoundingClientRect().bottom;
    const sticks = each => getComputedStyle(each).position === "sticky" && headline.parentElement.contains(each);
    return [...headline.parentElement.querySelectorAll("*")]
        .filter(each => sticks(each) && each.getBoundingClientRect().top < below - 1).map(each => each.className);
})"""
# what can be tapped and lies under something that cannot; the sheet scrolls free of the bar at the bottom
UNDER_WHAT_CANNOT = """() => [...document.querySelectorAll("#live button:not([aria-disabled])")].filter(each => {
    const { left, top, width, height } = each.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2)?.closest("button");
    return over && over !== each && over.ariaDisabled === "true" && !over.closest(".last");
}).map(each => each.ariaLabel)"""


@pytest.fixture(scope="module")
def page(browser: Browser, house: Furnished) -> Iterator[Page]:
    """In German, whose words are longer."""
    with browser.new_context(base_url=house.url, locale="de-DE", reduced_motion="reduce") as context:
        yield context.new_page()


@pytest.mark.parametrize("moment", SHEETS)
def test_what_stays_in_reach_lies_over_no_headline_and_over_nothing_that_can_be_tapped(page, house, moment):
    page.goto(house.at(moment))
    for viewports, places_px, over in (
        (SMALL, (0, 60), OVER_HEADLINE),
        ((SMALL_PHONE, TABLET), (0, 100, 200), UNDER_WHAT_CANNOT),
    ):
        for viewport in viewports:
            page.set_viewport_size(viewport)
            for scrolled_px in places_px:
                page.evaluate("down => window.scrollTo(0, down)", scrolled_px)
                assert page.evaluate(over) == [], (viewport, scrolled_px)
