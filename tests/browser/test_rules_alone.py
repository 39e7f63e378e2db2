"""A game that says its rules and nothing else is set up, played, corrected, taught and shown, all in a browser."""

from unittest import mock

import pytest
from playwright.sync_api import expect

from companion.house.host import Host
from companion.journal.store import Journal
from companion.shelf import GAMES
from tests.browser.conftest import TABLET, deliberate_tap, open_menu
from tests.browser.furnished import served
from tests.browser.sound import assert_sound
from tests.recipes.ten_steps import GAME


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The first page of a house that knows the game, too."""
    host = Host(Journal(tmp_path_factory.mktemp("house") / "journal.sqlite3"))
    with (
        mock.patch.dict(GAMES, {GAME.rules.name: GAME}),
        served(host) as url,
        browser.new_context(base_url=url, viewport=TABLET, reduced_motion="reduce") as context,
    ):
        yield context.new_page()


def tap_walk(page, whose, steps):
    deliberate_tap(
        page.get_by_role("group", name=f"What did {whose} do?").get_by_role("button", name=f"Walked {steps}")
    )


def expect_points(page, **points):
    for name, number in points.items():
        expect(page.locator(f'[data-score="{name} {number}"]')).to_be_visible()


def test_a_game_of_its_rules_alone_from_its_set_up_to_the_television(page):
    page.goto("/new")
    page.get_by_role("link", name="Ten Steps").first.click()
    expect(page.get_by_text("Walk towards ten, one to three steps a turn.")).to_be_visible()
    for place, name in enumerate(("Ann", "Bob")):
        page.locator("[name=player]").nth(place).fill(name)
    page.get_by_role("button", name="Start Ten Steps").click()
    page.wait_for_url("**/s/*")
    sheet = page.url
    for turn, steps in enumerate((3, 3, 2, 2, 3, 3)):  # Bob lands on Ann with the first walk, she on him with the third
        whose = ("Ann", "Bob")[turn % 2]
        expect(page.get_by_role("heading", name=f"{whose} to play")).to_be_visible()
        tap_walk(page, whose, steps)
    expect_points(page, Ann=5, Bob=3)
    assert_sound(page)

    page.goto(f"{sheet}/history")  # Ann walked one step at first: so nobody landed on her
    page.locator("li", has_text="Ann walked 3.").last.get_by_role("link", name="Correct").click()
    tap_walk(page, "you", 1)
    expect(page.get_by_role("dialog")).to_contain_text("Ann walked 1.")
    assert_sound(page)
    deliberate_tap(page.get_by_role("button", name="Correct it"))
    page.wait_for_url(sheet)
    expect_points(page, Ann=6, Bob=5)

    page.get_by_role("link", name="Bob").click()
    open_menu(page)
    page.get_by_text("Take a break").click()
    expect(page.get_by_text("This game waits for all its players.")).to_be_visible()
    page.get_by_role("link", name="Everybody").click()
    for whose, steps in (("Ann", 3), ("Bob", 3), ("Ann", 1)):
        tap_walk(page, whose, steps)
    expect(page.get_by_role("heading", name="Ann wins")).to_be_visible()
    expect_points(page, Ann=10, Bob=8)
    assert_sound(page)
    page.goto("/board")
    expect(page.get_by_role("heading", name="Ann wins")).to_be_visible()
    expect_points(page, Ann=10, Bob=8)
    page.goto(f"{sheet}/result")
    expect(page.locator(".result-place", has_text="Ann")).to_contain_text("10")


def test_the_rules_docstrings_teach_the_game(page):
    page.goto("/how/ten_steps")
    for heading, sentence in {
        "Goal": "Land on a rival, and they start again.",
        "Your turn": "On your turn you walk one, two or three steps.",
        "Scoring": "Each step from the start is a point.",
        "Set up the table": "For 2 to 4 players.",
        "The end": "Whoever has the most points then wins.",
    }.items():
        card = page.locator(".how-card", has=page.get_by_role("heading", name=heading))
        expect(card).to_contain_text(sentence)
        expect(card).not_to_contain_text("referee")  # a ruling is no turn
    assert_sound(page)
