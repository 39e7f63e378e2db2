"""How to play, in a browser: over a sheet that keeps its draft, without scripts, on small screens and on paper."""

import re

import pytest
from playwright.sync_api import expect

from companion.journal.settings import PAPER
from companion.shelf import GAMES
from tests.browser.conftest import deliberate_tap
from tests.browser.sound import SMALL_PHONE, assert_sound

MARGINS = dict.fromkeys(("top", "right", "bottom", "left"), "10mm")  # as browsers print; the page itself asks for none
PAGE_OF_PDF = re.compile(rb"/Type\s*/Page\b")


def papers(page, paper):
    """The number of sheets of paper that a page takes."""
    return len(PAGE_OF_PDF.findall(page.pdf(format=paper, print_background=True, margin=MARGINS)))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_taught_on_every_screen(page, game):
    page.goto(f"/how/{game}")
    expect(page.get_by_role("heading", level=2)).to_contain_text(["Goal", "Set up the table"])
    assert_sound(page)


@pytest.mark.parametrize("language", ["en", "de"])
def test_what_is_taught_fits_one_page_of_paper(browser, house, language):
    with browser.new_context(base_url=house.url, locale=language, color_scheme="dark") as context:
        page = context.new_page()
        for game in GAMES:
            page.goto(f"/how/{game}")
            assert {paper: papers(page, paper) for paper in ("A4", "Letter")} == {"A4": 1, "Letter": 1}, game


@pytest.mark.parametrize(("paper", "points"), [("a4", (594.95, 841.89)), ("letter", (612, 792))])
def test_a_page_is_printed_on_the_houses_paper(page, house, paper, points):
    PAPER.put(house.host.journal, paper)
    for path in ("/how/sack_stackers", f"{house.at('end/sack_stackers')}/result", "/season"):
        page.goto(path)
        printed = page.pdf(prefer_css_page_size=True, margin=MARGINS)
        boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
        assert boxes
        for box in boxes:
            assert tuple(map(float, box)) == pytest.approx(points, abs=1), path


def test_it_opens_over_a_sheet_that_keeps_what_was_chosen(browser, house):
    table = house.host.create("stack_dice", ["Ann", "Bob"], {}, preset="quick")
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE) as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}")
        page.locator("body[data-line=open]").wait_for()
        die = page.get_by_role("group", name="Ann").get_by_role("button", name="4")
        deliberate_tap(die)
        expect(die).to_have_attribute("aria-pressed", "true")
        deliberate_tap(page.get_by_role("button", name="Game"))
        deliberate_tap(page.locator("#bar-menu").get_by_role("link", name="How to play"))
        dialog = page.get_by_role("dialog", name="How to play Stack")
        expect(dialog.get_by_text("more than 50").first).to_be_in_viewport()
        expect(page).to_have_url(f"{house.url}/s/{table.session.id}")
        assert_sound(page)
        page.set_viewport_size(SMALL_PHONE)
        deliberate_tap(dialog.get_by_role("link", name="Back to the game"))
        expect(dialog).to_have_count(0)
        expect(page).to_have_url(f"{house.url}/s/{table.session.id}")
        expect(die).to_have_attribute("aria-pressed", "true")


def test_it_opens_over_names_that_were_typed_and_closes_by_key(browser, house):
    with browser.new_context(base_url=house.url) as context:
        page = context.new_page()
        page.goto("/new?game=sack_stackers")
        page.locator("html[data-ready]").wait_for()
        name = page.locator("input[name=player]").first
        name.fill("Zoe")
        page.get_by_role("link", name="How to play").click()
        dialog = page.get_by_role("dialog", name="How to play Sack Stackers")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(name).to_have_value("Zoe")


def test_without_scripts_it_is_a_page_of_its_own_with_a_way_back(browser, house):
    table = house.host.create("sandpile_panic", ["Ann", "Bob"], {})
    with browser.new_context(base_url=house.url, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}")
        page.get_by_role("banner").get_by_role("link", name="How to play").click()
        expect(page).to_have_url(f"{house.url}/s/{table.session.id}/how")
        page.get_by_role("link", name="Back to the game").click()
        expect(page).to_have_url(f"{house.url}/s/{table.session.id}")


def test_a_table_that_does_not_answer_leaves_the_sheet_as_it_is(browser, house):
    table = house.host.create("sack_stackers", ["Ann"], {})
    with browser.new_context(base_url=house.url, service_workers="block") as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}")
        page.locator("html[data-ready]").wait_for()
        page.route("**/how", lambda route: route.abort())
        page.get_by_role("banner").get_by_role("link", name="How to play").click()
        expect(page.get_by_role("alert")).to_contain_text("can't be reached")
        expect(page).to_have_url(f"{house.url}/s/{table.session.id}")
