"""The sheets of every game, as people with little sight, large fingers or small screens meet them.

Each is opened once in English and once in German, whose words are longer, and asked everything there.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.house.status import StatusLine
from tests.browser.furnished import LONG_NAMES, NAMES, Furnished
from tests.browser.sound import LEAST_PX, PHONE, SMALL_PHONE, TABLET, UPRIGHT, assert_sound, cut_headings
from tests.browser.test_every_page import SHEETS

SMALL = ({"width": 320, "height": 568}, {"width": 568, "height": 320})
# what stays in reach of fingers and lies over a headline
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
IN_REACH = (
    ("lies over the headline", OVER_HEADLINE, SMALL, (0, 60)),
    ("cannot be tapped", UNDER_WHAT_CANNOT, (SMALL_PHONE, TABLET), (0, 100, 200)),
)


@pytest.fixture(scope="module")
def german(browser: Browser, house: Furnished) -> Iterator[Page]:
    with browser.new_context(base_url=house.url, locale="de-DE", reduced_motion="reduce") as context:
        yield context.new_page()


@pytest.mark.parametrize("moment", SHEETS)
def test_sheet(page, house, moment):
    page.goto(house.at(moment))
    assert_sound(page)


@pytest.mark.parametrize("moment", SHEETS)
def test_sheet_in_german(german, house, moment):
    german.goto(house.at(moment))
    found = [f"the heading {words!r} is cut" for words in cut_headings(german, (UPRIGHT, PHONE))]
    for fault, parts, sizes, places_px in IN_REACH:
        for size in sizes:
            german.set_viewport_size(size)
            for down_px in places_px:
                german.evaluate("down => window.scrollTo(0, down)", down_px)
                found += [f"{size}, {down_px} px down: {part} {fault}" for part in german.evaluate(parts)]
    assert found == []


def test_the_main_tap_comes_under_no_finger(browser, house):
    table = house.host.create("stack_dice", [*NAMES[:4]], {})
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE) as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}")
        page.locator("body[data-line=open]").wait_for()
        bar = page.locator(".last")
        before = bar.bounding_box()
        page.get_by_role("group", name=NAMES[2]).get_by_role("button", name="4").click()
        enter = page.get_by_role("button", name="Enter what is tapped")
        expect(enter).to_be_in_viewport()
        assert bar.bounding_box() == before  # its place was kept
        for each in page.locator(".face-tap").all():  # everything can be scrolled free of it
            each.evaluate("node => node.scrollIntoView({ block: 'center' })")
            each.click(trial=True)
        enter.click()
        expect(page.locator(".last")).to_contain_text(NAMES[2])


@pytest.mark.parametrize(
    "parts", [("camera", "box", "journal"), ("camera", "front camera", "box", "journal", "backups")]
)
def test_tabs_end_before_the_signs_of_camera_and_box(page, house, monkeypatch, parts):
    monkeypatch.setattr(house.host.status, "lines", {part: StatusLine("ok", "All is well.") for part in parts})
    names = [f"{LONG_NAMES[number % 3][:20]} {number}" for number in range(8)]
    table = house.host.create("stack_dice", names, {})
    page.set_viewport_size(TABLET)
    page.goto(f"/s/{table.session.id}")
    tabs, signs = page.locator(".seats-nav"), page.locator(".status li:not(.photo)")
    expect(signs).to_have_count(len(parts))
    boxes = [sign.bounding_box() for sign in page.locator(".status li").all()]
    first, top = min(box["x"] for box in boxes), min(box["y"] for box in boxes)

    def is_clear(part):
        """Whether it ends before the signs or, where a photo's button takes their line, above them."""
        box = part.bounding_box()
        return box["x"] + box["width"] <= first or box["y"] + box["height"] <= top

    assert is_clear(tabs)
    last = page.get_by_role("link", name=names[-1])
    last.scroll_into_view_if_needed()
    assert is_clear(last)


@pytest.mark.parametrize("players", [3, 4])
def test_everybodys_sheets_are_of_one_size_on_a_phone(browser, house, players):
    table = house.host.create("sack_stackers", [*NAMES[:players]], {})
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE) as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}")
        widths = page.locator(".grid-widget").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
        assert len(widths) == players
        assert max(widths) - min(widths) < 1


def test_a_table_of_figures_leaves_names_whole_on_a_phone(browser, house):
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE, locale="de-DE") as context:
        page = context.new_page()
        page.goto(house.at("late/sandpile_panic"))
        table = house.games["late/sandpile_panic"]
        names = page.locator(".figures th[scope=row]")
        assert names.all_inner_texts() == [table.names[player] for player in table.session.players]
        assert names.evaluate_all("cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length") == 0


def test_a_table_of_figures_beside_the_sheet_breaks_no_word_of_its_heads(page, house):
    page.set_viewport_size(TABLET)
    page.goto(house.at("midway/sandpile_panic"))
    heads = page.locator(".sheet-aside .figures th[scope=col]")
    lines = """cells => cells.map(cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        return lines.size <= cell.innerText.split(" ").length;
    })"""
    assert heads.evaluate_all(lines) == [True] * 3
    assert heads.evaluate_all("cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length") == 0


def test_a_board_with_many_spaces_comes_nearer_at_the_first_tap(page, house):
    page.set_viewport_size(PHONE)
    page.goto(house.at("widest/sandpile_panic"))
    space = page.get_by_role("button", name="row 9 column 9, empty")
    assert space.bounding_box()["width"] < LEAST_PX
    space.click()
    expect(space).to_be_in_viewport()
    assert min(space.bounding_box()["width"], space.bounding_box()["height"]) >= LEAST_PX
    expect(space).to_have_attribute("aria-pressed", "false")
    space.click()
    expect(page.get_by_role("button", name="row 9 column 9, empty")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Whole board").click()
    assert page.get_by_role("button", name="row 1 column 1, empty").bounding_box()["width"] < LEAST_PX
