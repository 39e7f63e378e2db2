"""Every page and every game's states, as people with little sight, large fingers or small screens meet them.

axe-core looks at each in light on a tablet and in dark on a phone; what it cannot see is measured: 48 px to tap,
nothing that scrolls sideways at 320 px or with text at twice its size.
"""

from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.house.host import StatusLine
from companion.journal.devices import Role
from companion.sensing.lessons import Lesson, SaidDie
from tests.browser.furnished import LONG_NAMES, LONGEST, MOMENTS, NAMES, PICTURE, Furnished, furnished, post

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RULES_OF_A_LOOK = ["color-contrast", "link-name", "button-name", "target-size", "scrollable-region-focusable"]
MEASURE = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")
TABLET, PHONE, NARROW = ({"width": w, "height": h} for w, h in ((1024, 768), (390, 844), (320, 640)))
SMALL_PHONE = {"width": 360, "height": 640}
UPRIGHT = {"width": 768, "height": 1024}
SMALL = ({"width": 320, "height": 568}, {"width": 568, "height": 320})
OVER_HEADLINE = """() => [...document.querySelectorAll(".headline")].flatMap(headline => {
    const below = headline.getBoundingClientRect().bottom;
    const sticks = each => getComputedStyle(each).position === "sticky" && headline.parentElement.contains(each);
    return [...headline.parentElement.querySelectorAll("*")]
        .filter(each => sticks(each) && each.getBoundingClientRect().top < below - 1).map(each => each.className);
})"""
# what can be tapped and lies under something that cannot
UNDER_WHAT_CANNOT = """() => [...document.querySelectorAll("#live button:not([aria-disabled])")].filter(each => {
    const { left, top, width, height } = each.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2)?.closest("button");
    return over && over !== each && over.ariaDisabled === "true";
}).map(each => each.ariaLabel)"""
# words that go on in the next line, though none has a hyphen
WORDS_CUT = """cells => cells.map(cell => cell.firstChild).filter(text => {
    const letters = document.createRange();
    letters.selectNodeContents(text);
    return letters.getClientRects().length > text.data.trim().split(/\\s+/).length;
}).map(text => text.data)"""
LEAST_PX = 48
LETTERS_PX = 6  # so far down may letters reach below their line; a line that is cut is higher

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
    "/season",
    "/board",
    "/overlay",
    "/cert",
    "/calibrate",
    "/calibrate/front",
    "/calibrate/deck",
    "/api/docs",
    "/lost",
)
GAMES = tuple(path.split("/")[0] for path in LONGEST)
SET_UPS = tuple(f"/new?game={game}" for game in GAMES)
SHEETS = (
    *(f"{moment}/{game}" for game in GAMES for moment in MOMENTS),
    "widest/sandpile_panic",
    "dropping/stack_dice",
    "running/speedstax",
    "swapping/swapstax",
    "asking/sack_stackers",
)
AROUND = ("history", "correct/2", "result", "dice", "referee")  # the other pages of a game
AROUND_GAMES = (
    *((around, "sack_stackers") for around in AROUND),
    *((around, game) for game in GAMES[2:] + GAMES[:1] for around in ("correct/2", "result")),  # drawn by the games
)


@pytest.fixture(scope="module")
def house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    with furnished(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser, house: Furnished) -> Iterator[Page]:
    context = browser.new_context(base_url=house.url, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def faults(page: Page) -> list[str]:
    """What is wrong with the page as it stands."""
    found = []
    for viewport, scheme, rules in ((TABLET, "light", RULES), (PHONE, "dark", RULES_OF_A_LOOK)):
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour halfway to another
        seen = f"{scheme}, {viewport['width']} px: "
        found += [seen + each for each in violations(page, rules)]
        measured = page.evaluate(MEASURE, LEAST_PX)
        found += [f"{seen}{each} is too small to tap" for each in measured["small"]]
        found += sideways(measured, seen)
    page.set_viewport_size(NARROW)
    found += sideways(page.evaluate(MEASURE, LEAST_PX), "320 px: ")
    page.set_viewport_size(TABLET)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    found += sideways(page.evaluate(MEASURE, LEAST_PX), "text at 200 %: ")
    page.evaluate("document.documentElement.style.fontSize = ''")
    return found


def violations(page: Page, rules: list[str]) -> list[str]:
    """What axe-core has against the page: by tags, or by the rules whose verdict hangs on size and colours."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    answer = page.evaluate("only => axe.run(document, { runOnly: only, resultTypes: ['violations'] })", rules)
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in answer["violations"]
        for node in rule["nodes"]
    ]


def sideways(measured: dict[str, object], seen: str) -> list[str]:
    over = measured["sideways"]
    return [f"{seen}scrolls {over} px sideways: {measured['wide']}"] if isinstance(over, int) and over > 0 else []


def assert_sound(page: Page) -> None:
    found = faults(page)
    assert not found, "\n".join(dict.fromkeys(found))


@pytest.mark.parametrize("path", [*HOUSE, *SET_UPS])
def test_page_of_the_house(page, path):
    page.goto(path)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert_sound(page)


@pytest.mark.parametrize("moment", SHEETS)
def test_sheet(page, house, moment):
    page.goto(house.at(moment))
    assert_sound(page)


@pytest.mark.parametrize("moment", SHEETS)
def test_what_stays_in_reach_never_lies_over_the_headline(browser, house, moment):
    with browser.new_context(base_url=house.url, locale="de-DE", reduced_motion="reduce") as context:
        page = context.new_page()
        for viewport in SMALL:
            page.set_viewport_size(viewport)
            page.goto(house.at(moment))
            for scrolled_px in (0, 60):
                page.evaluate("down => window.scrollTo(0, down)", scrolled_px)
                assert page.evaluate(OVER_HEADLINE) == [], (viewport, scrolled_px)


@pytest.mark.parametrize("moment", SHEETS)
def test_what_cannot_be_tapped_yet_lies_over_nothing_that_can(browser, house, moment):
    with browser.new_context(base_url=house.url, locale="de-DE", reduced_motion="reduce") as context:
        page = context.new_page()
        for viewport in (SMALL_PHONE, TABLET):
            page.set_viewport_size(viewport)
            page.goto(house.at(moment))
            for scrolled_px in (0, 100, 200):
                page.evaluate("down => window.scrollTo(0, down)", scrolled_px)
                assert page.evaluate(UNDER_WHAT_CANNOT) == [], (viewport, scrolled_px)


def test_the_button_that_comes_under_a_finger_does_not_take_its_second_tap(browser, house):
    table = house.host.create("stack_dice", [*NAMES[:4]], {})
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE) as context:
        page = context.new_page()
        page.goto(f"/s/{table.session.id}")
        page.locator("body[data-line=open]").wait_for()
        die = page.get_by_role("group", name=NAMES[2]).get_by_role("button", name="4")
        box = die.bounding_box()
        place = (box["x"] + box["width"] / 2, box["y"] + box["height"] - 2)
        page.mouse.click(*place)
        enter = page.get_by_role("button", name="Enter what was rolled")
        expect(enter).to_have_css("position", "static")
        expect(enter.locator("xpath=ancestor::section")).to_have_css("position", "sticky")
        page.mouse.click(*place)
        expect(page.get_by_text("under your finger")).to_be_visible()
        assert table.seq == 0
        for each in page.locator(".face-tap").all():  # it stays in reach now, and everything can be scrolled free of it
            each.evaluate("node => node.scrollIntoView({ block: 'center' })")
            each.click(trial=True)
        enter.click()
        expect(page.locator(".last")).to_contain_text(NAMES[2])


@pytest.mark.parametrize(
    "parts", [("camera", "box", "journal"), ("camera", "front camera", "box", "journal", "backups")]
)
def test_tabs_end_before_the_signs_of_camera_and_box(page, house, monkeypatch, parts):
    monkeypatch.setattr(house.host, "status", {part: StatusLine("ok", "All is well.") for part in parts})
    names = [f"{LONG_NAMES[number % 3][:20]} {number}" for number in range(8)]
    table = house.host.create("stack_dice", names, {})
    page.set_viewport_size(TABLET)
    page.goto(f"/s/{table.session.id}")
    tabs, signs = page.locator(".seats-nav"), page.locator(".status li")
    expect(signs).to_have_count(len(parts))
    first = min(sign.bounding_box()["x"] for sign in signs.all())
    assert tabs.bounding_box()["x"] + tabs.bounding_box()["width"] <= first
    last = page.get_by_role("link", name=names[-1])
    last.scroll_into_view_if_needed()
    assert last.bounding_box()["x"] + last.bounding_box()["width"] <= first


def test_page_of_a_person(page, house):
    page.goto(f"/people/{house.host.people.everybody()[0].id}")
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
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
    expect(page.get_by_text("1 picture of a die is kept.")).to_be_visible()
    assert_sound(page)


def test_what_a_correction_changes(page, house):
    page.goto(f"{house.at('late/sack_stackers')}/history")
    page.get_by_role("button", name="Strike").last.click()
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
        names = page.locator(".figures th[scope=row]")
        assert names.all_inner_texts() == [NAMES[0], NAMES[1]]
        assert names.evaluate_all("cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length") == 0


def test_what_a_correction_changes_is_read_from_its_top(browser, house):
    with browser.new_context(base_url=house.url, viewport=SMALL_PHONE) as context:
        page = context.new_page()
        page.goto(f"{house.at('late/sack_stackers')}/history")
        page.get_by_role("button", name="Strike").last.click()
        expect(page.get_by_role("heading", name="Strike entry")).to_be_in_viewport()


def test_a_stranger_and_a_watcher(browser, house):
    for token in ("", house.host.access.issue(Role.WATCHER)):
        context = browser.new_context(base_url=house.url, extra_http_headers={"X-Forwarded-For": "192.168.1.20"})
        page = context.new_page()
        page.goto(f"/join/{token}" if token else "/")
        assert_sound(page)
        if token:
            page.goto(house.at("midway/stack_dice"))
            assert_sound(page)
        context.close()


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_stamps_of_presses_fit_a_phone(browser, house, language):
    with browser.new_context(base_url=house.url, viewport=NARROW, locale=language) as context:
        page = context.new_page()
        page.goto(f"{house.at('raced/speedstax')}/result")
        expect(page.locator(".presses tbody tr")).to_have_count(4)
        assert sideways(page.evaluate(MEASURE, LEAST_PX), "") == []


@pytest.mark.parametrize("viewport", [PHONE, UPRIGHT])
@pytest.mark.parametrize("language", ["en", "de"])
def test_no_heading_is_cut_on_a_phone_or_a_tablet_held_upright(browser, house, language, viewport):
    context = browser.new_context(base_url=house.url, viewport=viewport, locale=language)
    page = context.new_page()
    cut = []
    colours = f"{house.at('lying/stack_dice')}/colours"
    around = [f"{house.at('late/sack_stackers')}/{around}" for around in AROUND]
    for path in (*HOUSE, *SET_UPS, *(house.at(f"begun/{game}") for game in GAMES), *around, colours):
        page.goto(path)
        cut += [
            f"{path}: {heading.inner_text()}"
            for heading in page.locator(".bar-title h1").all()
            if heading.evaluate(
                "({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => "
                f"scrollWidth > clientWidth || scrollHeight > clientHeight + {LETTERS_PX}"
            )
        ]
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


def test_a_board_with_many_spaces_comes_nearer_at_the_first_tap(page, house):
    page.set_viewport_size(PHONE)
    page.goto(house.at("widest/sandpile_panic"))
    space = page.get_by_role("button", name="r9c9, empty")
    assert space.bounding_box()["width"] < LEAST_PX
    space.click()
    expect(space).to_be_in_viewport()
    assert min(space.bounding_box()["width"], space.bounding_box()["height"]) >= LEAST_PX
    expect(space).to_have_attribute("aria-pressed", "false")
    space.click()
    expect(page.get_by_role("button", name="r9c9, empty")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Whole board").click()
    assert page.get_by_role("button", name="r1c1, empty").bounding_box()["width"] < LEAST_PX


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
