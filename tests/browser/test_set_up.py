"""Setting up a game, and a tournament with its referee, as people do it: in a browser, by tapping."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import WITHOUT_CAMERA, open_menu

SERVICE = WITHOUT_CAMERA


def test_a_preset_fills_in_the_house_rules_and_leaves_the_names(device):
    page = device()
    page.goto("/new?game=sack_stackers")
    page.get_by_placeholder("Empty place").first.fill("Ada")
    page.locator("#house-rules summary").click()
    strict = page.get_by_role("radio", name="Not allowed")
    expect(strict).not_to_be_checked()
    page.get_by_text("Fewer choices each turn").click()
    expect(strict).to_be_checked()  # as the preset "quick" says
    expect(page.get_by_placeholder("Empty place").first).to_have_value("Ada")
    page.get_by_role("button", name=re.compile("^Start")).click()
    expect(page.get_by_role("link", name="Ada")).to_be_visible()


def test_who_takes_the_colour_of_another_seat_gives_their_own_for_it(device):
    page = device()
    page.goto("/new?game=stack_dice")
    page.locator("#house-rules summary").click()
    menus = page.get_by_role("group", name="Colours of the dice").get_by_role("combobox")
    expect(menus.nth(0)).to_have_value("red")
    expect(menus.nth(2)).to_have_value("green")
    menus.nth(0).select_option("green")
    expect(menus.nth(2)).to_have_value("red")
    menus.nth(1).select_option("red")
    expect(menus.nth(2)).to_have_value("blue")
    page.reload()
    page.locator("#house-rules summary").click()
    expect(menus.nth(0)).to_have_value("green")
    expect(menus.nth(1)).to_have_value("red")
    expect(menus.nth(2)).to_have_value("blue")
    page.get_by_role("button", name=re.compile("^Start")).click()
    page.wait_for_url("**/s/*")
    die = page.get_by_role("group", name=re.compile(r"\(green\)$"))
    expect(die).to_be_visible()
    page.goto("/entrants")  # a page without a stream, so that the browser closes at once


def test_in_a_tournament_only_the_referees_tablet_takes_back_and_rules(device):
    referee = device()
    referee.goto("/new?game=sack_stackers&preset=tournament")
    expect(referee.locator("#house-rules")).to_contain_text("locked")
    referee.get_by_role("button", name=re.compile("^Start")).click()
    referee.wait_for_url("**/s/*")
    player = device()
    player.goto(referee.url)
    player.get_by_role("button", name="3 · 5", exact=True).click()
    expect(player.locator(".last-text")).to_contain_text("3 and 5")
    expect(player.get_by_role("button", name="Undo", exact=True)).to_have_count(0)
    expect(referee.get_by_role("button", name="Undo", exact=True)).to_be_visible()

    open_menu(referee)
    referee.get_by_role("link", name="Referee").click()
    referee.get_by_text("Player 2", exact=True).click()
    referee.get_by_label(re.compile("^Points")).fill("-4")
    referee.get_by_label("Why?").fill("Spoke to the dice")
    referee.get_by_role("button", name="Record the ruling").click()
    expect(player.locator(".last-text")).to_contain_text("Spoke to the dice")
    open_menu(referee)
    referee.get_by_role("link", name="Result sheet").click()
    expect(referee.locator(".result")).to_contain_text("Ruling for Player 2, −4 points")
    for page in (referee, player):
        page.goto("/entrants")  # a page without a stream, so that the browser closes at once
