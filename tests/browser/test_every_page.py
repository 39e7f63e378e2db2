"""Every page of the house and around a game, as people with little sight, large fingers or small screens meet them.

The sheets of the games are looked at in test_every_sheet.py.
"""

import threading

import pytest
from playwright.sync_api import expect

from companion.journal.devices import Role
from companion.sensing.lessons import Lesson, SaidDie
from companion.shelf import GAMES
from tests.browser.furnished import MOMENTS, NAMES, PICTURE, post
from tests.browser.sound import (
    LEAST_PX,
    MEASURE,
    NARROW,
    PHONE,
    SMALL_PHONE,
    UPRIGHT,
    assert_sound,
    cut_headings,
    sideways,
)

SOON_S = 10.0

# words that go on in the next line, though none has a hyphen
WORDS_CUT = """cells => cells.map(cell => cell.firstChild).filter(text => {
    const letters = document.createRange();
    letters.selectNodeContents(text);
    return letters.getClientRects().length > text.textContent.trim().split(/\\s+/).length;
}).map(text => text.textContent)"""

HOUSE = (
    "/",
    "/new",
    "/import",
    "/entrants",
    "/house",
    "/wizard",
    "/gallery",
    "/table",
    "/people",
    "/pin",
    "/season",
    "/board",
    "/overlay",
    "/camera",
    "/cert",
    "/wifi",
    "/wifi?ssid=416e6e",
    "/wifi?other=1",
    "/calibrate",
    "/calibrate/front",
    "/calibrate/deck",
    "/api/docs",
    "/lost",
)
SET_UPS = tuple(f"/new?game={game}" for game in GAMES)
SHEETS = (
    *(f"{moment}/{game}" for game in GAMES for moment in MOMENTS),
    "widest/sandpile_panic",
    "dropping/stack_dice",
    "running/speedstax",
    "drawing/swapstax",
    "swapping/swapstax",
    "asking/sack_stackers",
)
AROUND = (
    "history",
    "correct/2",
    "result",
    "dice",
    "referee",
    "players",
    "line-up",
    "delete",
)  # the other pages of a game
AROUND_GAMES = (
    *((around, "sack_stackers") for around in AROUND),
    *(
        (around, game)
        for game in GAMES
        for around in ("correct/2", "result")  # which the games draw
        if game != "sack_stackers"
    ),
)


@pytest.mark.parametrize("path", [*HOUSE, *SET_UPS])
def test_page_of_the_house(page, path):
    page.goto(path)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert_sound(page)


def test_page_of_a_person(page, house):
    page.goto(f"/people/{house.host.people.everybody()[0].id}")
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert_sound(page)
    page.get_by_role("link", name="Choose a face").click()
    expect(page.get_by_role("button", name="fox")).to_be_visible()
    assert_sound(page)


@pytest.mark.parametrize(("around", "game"), AROUND_GAMES)
def test_page_of_a_game(page, house, around, game):
    page.goto(f"{house.at(f'late/{game}')}/{around}")
    assert_sound(page)


def test_whose_dice_are_which_and_what_the_camera_learnt(page, house):
    page.goto(f"{house.at('lying/stack_dice')}/colours")
    expect(page.get_by_role("button", name="These dice are theirs")).to_be_disabled()
    page.get_by_role("checkbox", name="read as orange").first.check()
    page.get_by_role("radio").first.check()
    expect(page.get_by_role("button", name="These dice are theirs")).to_be_enabled()
    assert_sound(page)
    said = SaidDie("dice.0", PICTURE, 5, 6, "orange", 0.001, 0.03)
    house.host.learner.lessons.keep(house.games["lying/stack_dice"].session.id, 1, Lesson((said,), 0, 0.0), 1)
    page.goto("/house")
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    expect(page.get_by_text("1 photo of dice is kept.")).to_be_visible()
    assert_sound(page)


def test_what_a_correction_changes(page, house):
    page.goto(f"{house.at('late/sack_stackers')}/history")
    page.get_by_role("button", name="Delete").last.click()
    page.get_by_role("dialog").wait_for()
    assert_sound(page)


def test_both_ways_on_leave_names_whole_on_a_phone(browser, house):
    table = house.host.create("sack_stackers", [NAMES[1], NAMES[3]], {})
    post(table, {"kind": "Rolled", "dice": [4, 5]})
    placed = {"kind": "Placed", "gift_die": 1, "section": 4, "box": "I", "gift": "I", "column": 5}
    post(table, {**placed, "player": table.session.players[0]})
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE, locale="de-DE") as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}/history")
        page.get_by_role("button", name="Streichen").last.click()
        page.get_by_role("columnheader", name="behalten").wait_for()
        assert page.locator(".change th[scope=row]").evaluate_all(WORDS_CUT) == []
        assert sideways(page.evaluate(MEASURE, LEAST_PX), "") == []


def test_what_a_correction_changes_is_read_from_its_top(browser, house):
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE) as context:
        page = context.new_page()
        page.goto(f"{house.at('late/sack_stackers')}/history")
        page.get_by_role("button", name="Delete").last.click()
        expect(page.get_by_role("heading", name="Delete entry")).to_be_in_viewport()


def test_a_stranger_and_a_watcher(browser, house):
    for token in ("", house.host.access.tickets.issue(Role.WATCHER)):
        context = browser.new_context(base_url=house.url, extra_http_headers={"X-Forwarded-For": "192.168.1.20"})
        page = context.new_page()
        page.goto(f"/join/{token}" if token else "/")
        assert_sound(page)
        if token:
            page.goto(house.at("midway/stack_dice"))
            assert_sound(page)
        context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_one_time_link_is_used_up_by_its_button_with_scripts_and_without(browser, house, scripts):
    link = house.host.access.tickets.issue(Role.HOST, once=True)
    for device_comes_in in (True, False):
        network = {"X-Forwarded-For": "192.168.1.20"}
        with browser.new_context(
            base_url=house.url, viewport=SMALL_PHONE, extra_http_headers=network, java_script_enabled=scripts
        ) as context:
            page = context.new_page()
            page.goto(f"/join/{link}")
            if device_comes_in:
                if scripts:
                    assert_sound(page)
                page.get_by_role("button", name="Join with this device").click()
                expect(page).to_have_url(f"{house.url}/")
                assert page.goto("/house").status == 200
            else:
                expect(page.get_by_text("This link has expired. Scan the code at the table again.")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_second_tap_on_the_button_of_a_one_time_link_lets_the_device_in(browser, house, monkeypatch, scripts):
    """A browser gives up the answer to the first tap for that to the second."""
    link, redeemed = house.host.access.tickets.issue(Role.HOST, once=True), house.host.access.redeem
    was_tapped, goes_on = threading.Event(), threading.Event()

    def slow(*what: object) -> str:
        found = redeemed(*what)
        was_tapped.set()
        goes_on.wait(SOON_S)
        return found

    monkeypatch.setattr(house.host.access, "redeem", slow)
    network = {"X-Forwarded-For": "192.168.1.20"}
    with browser.new_context(base_url=house.url, extra_http_headers=network, java_script_enabled=scripts) as context:
        page = context.new_page()
        page.goto(f"/join/{link}")
        box = page.get_by_role("button", name="Join with this device").bounding_box()
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.click(*place)
        assert was_tapped.wait(SOON_S)
        page.mouse.click(*place)
        goes_on.set()
        expect(page).to_have_url(f"{house.url}/")  # wait_for_url fails with the answer that the browser gives up
        assert page.goto("/house").status == 200


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_stamps_of_presses_fit_a_phone(browser, house, language):
    with browser.new_context(base_url=house.url, viewport=NARROW, locale=language) as context:
        page = context.new_page()
        page.goto(f"{house.at('raced/speedstax')}/result")
        expect(page.locator(".presses tbody tr")).to_have_count(4)
        assert sideways(page.evaluate(MEASURE, LEAST_PX), "") == []


def test_no_heading_is_cut_in_german(browser, house):
    context = browser.new_context(base_url=house.url, locale="de-DE")
    page = context.new_page()
    cut = []
    colours = f"{house.at('lying/stack_dice')}/colours"
    around = [f"{house.at('late/sack_stackers')}/{around}" for around in AROUND]
    viewports = [PHONE, UPRIGHT]
    for path in (*HOUSE, *SET_UPS, *around, colours):
        page.goto(path)
        cut += [f"{path}: {words}" for words in cut_headings(page, viewports)]
        viewports.reverse()  # the next page is loaded in the size of this one
    assert cut == []
    context.close()


def test_what_cannot_be_tapped_yet_looks_so(page, house):
    page.goto(f"{house.at('lying/stack_dice')}/colours")
    button = page.get_by_role("button", name="These dice are theirs")
    look = "node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).borderStyle]"
    expect(button).to_be_disabled()
    waiting = button.evaluate(look)
    page.get_by_role("checkbox", name="read as orange").first.check()
    expect(button).to_be_enabled()
    expect(button).to_have_css("border-style", "solid")
    assert waiting[1] == "dashed"
    assert waiting[0] != button.evaluate(look)[0]


def test_no_page_is_left_out(house):
    """A page that is new stands above, or in the tests of whoever made it."""
    from web.app import create_app

    app = create_app(house.host)
    looked_at = {path.lstrip("/") for path in HOUSE}
    client = app.test_client()
    for rule in app.url_map.iter_rules():
        if "GET" not in rule.methods or "<" in rule.rule or rule.endpoint.endswith("stream"):
            continue
        answer = client.get(rule.rule)
        if answer.status_code == 200 and answer.mimetype == "text/html" and "<html" in answer.text:
            assert rule.rule.lstrip("/") in looked_at, f"{rule.rule} is looked at by no test"
        answer.close()
