"""The big screen on televisions: the board fills most of the height, names are read from four metres, and the first
picture is right without a script.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.shelf import GAMES
from companion.table.table import Table
from tests.browser.furnished import LONG_NAMES, Furnished, fullness, played_so_far, post
from tests.played import FILES, named, read

LYING = ((1920, 1080), (1280, 720), (3840, 2160))
STANDING = (1080, 1920)
SIZES = (*LYING, STANDING)
MOMENTS = (0.0, 0.3, 0.55, 0.85, 1.0)
FOUR_METRES = 1 / 22  # of the height of a 55 inch screen are 31 mm
LOW_LINES = 1 / 27  # of the width: a pair of Stack on a screen that stands, below two notices; twelve players there
BOARD_SHARE = 0.6  # of the height
SQUARE_STANDING = 0.5  # A square is no higher than the picture is wide.
SHOWN_MS = 20_000
NAMES = ("Ann", "Bartholomew", "Cy", "Dorothea")
MORE_NAMES = ("Maximilian", "Friederike", "Wilhelmine", "Hana", "Ivo", "Konstantin", "Kim", "Lea")
(THIRTEEN,) = (dict(preset.options) for preset in GAMES["score_pad"].pages.presets if preset.name == "thirteen")
LETTERS = "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
LINES = """all => all.map(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getClientRects().length;
})"""
SOME = {  # of each game the fullest playthrough of two to four players
    game: max((one for one in map(read, FILES) if one.game == game and 2 <= len(one.players) <= 4), key=fullness)
    for game in GAMES
}

SQUARE_BOARD_SHARE = 0.75  # where one board is all there is to see
MEASURE = (Path(__file__).parent / "television.js").read_text()

# The place of everything that a screen shows, but of what follows the time.
PLACES = """() => [...document.querySelectorAll(".board *")].filter((each) => !each.closest("[data-clock]"))
    .map((each) => {
        const { left, top, width, height } = each.getBoundingClientRect();
        return [each.tagName, ...[left, top, width, height].map(Math.round)].join(" ");
    })"""


@pytest.fixture(scope="module")
def watched(house: Furnished) -> dict[tuple[str, float], Table]:
    """Every game of two to four players at each moment."""
    return {
        (game, moment): played_so_far(house.host, played, moment, NAMES)
        for game, played in SOME.items()
        for moment in MOMENTS
    }


def shown(page: Page, house: Furnished, table: Table) -> Page:
    """The big screen with this game, its letters loaded."""
    house.host.active.hold(table.session.id)
    page.goto("/board")
    page.evaluate("() => document.fonts.ready")
    return page


def resized(page: Page, size: tuple[int, int]) -> dict:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    return page.evaluate(MEASURE)


@pytest.mark.parametrize("game", GAMES)
def test_the_board_fills_the_picture_and_names_are_read_from_afar(page, house, watched, game):
    for moment in MOMENTS:
        shown(page, house, watched[game, moment])
        for size in SIZES:
            now, where = resized(page, size), (moment, size)
            assert now["cut"] == now["over"] == now["broken"] == [], (where, now)
            assert not now["scrolls"], where
            assert now["headline"] == 1, where
            is_square = game == "sandpile_panic" and moment < 1 and size == STANDING
            assert now["down"] >= (SQUARE_STANDING if is_square else BOARD_SHARE), (where, now)
            if game == "sandpile_panic" and moment < 1 and size != STANDING:
                assert now["down"] >= SQUARE_BOARD_SHARE, (where, now)
            least = LOW_LINES if game == "stack_dice" and moment > 0 and size == STANDING else FOUR_METRES
            assert now["letters"] * size[1] >= least * min(size), (where, now)


@pytest.mark.parametrize("game", GAMES)
def test_the_first_picture_is_right_without_a_script(browser, page, house, watched, game):
    with browser.new_context(base_url=house.url, reduced_motion="reduce", java_script_enabled=False) as context:
        still = context.new_page()
        for moment in MOMENTS[1:]:
            for screen in (page, still):
                screen.set_viewport_size({"width": 1280, "height": 720})
                shown(screen, house, watched[game, moment])
            page.wait_for_function("() => document.body.dataset.line === 'open'")
            assert page.evaluate(PLACES) == still.evaluate(PLACES), moment


@pytest.mark.parametrize(
    ("game", "names"),
    [
        *((game, [*LONG_NAMES, "Friederike-Wilhelmine Auguste von Preuße"]) for game in GAMES),
        *((game, [f"Player {n}" for n in range(1, 13)]) for game in GAMES if GAMES[game].rules.seats[1] >= 12),
        ("pack_and_stack", [f"Player {n}" for n in range(1, 7)]),
    ],
)
def test_long_names_and_many_players_are_whole(page, house, game, names):
    table = house.host.create(game, names[: GAMES[game].rules.seats[1]], {})
    if game == "sack_stackers":
        post(table, {"kind": "Rolled", "dice": [3, 5]})
    shown(page, house, table)
    for size in (*SIZES, (390, 844), (1024, 600)):
        now = resized(page, size)
        assert now["cut"] == now["over"] == [], (size, now)
        assert not now["scrolls"], size


@pytest.mark.parametrize(("game", "options"), [("turn_clock", {}), ("score_pad", THIRTEEN)])
def test_what_many_have_is_read_from_afar_and_no_name_is_broken(page, house, game, options):
    table = house.host.create(game, [*NAMES, *MORE_NAMES][: GAMES[game].rules.seats[1]], options)
    shown(page, house, table)
    for size in SIZES:
        now = resized(page, size)
        assert now["cut"] == now["over"] == [], (size, now)
        if game == "score_pad":
            least = LOW_LINES if size == STANDING else FOUR_METRES
            assert now["letters"] * size[1] >= least * min(size), (size, now)
        details = page.locator(".seat-detail").evaluate_all(LETTERS)
        assert all(letters >= min(size) / 26 for letters in details), (size, details)
        heads = page.locator(".written thead bdi").evaluate_all(LINES)
        assert set(heads) <= {1}, (size, heads)


def test_what_happens_is_said_large_for_some_seconds_and_marked_where_it_fell(page, house):
    table = house.host.create("sack_stackers", ["Ann", "Bob"], {})
    post(table, {"kind": "Rolled", "dice": [4, 5]})
    shown(page, house, table)
    page.wait_for_function("() => document.body.dataset.line === 'open'")
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator("#live.fresh")).to_have_count(0)
    placed = {"kind": "Placed", "gift_die": 1, "section": 4, "box": "I", "gift": "I", "column": 5}
    post(table, {**placed, "player": table.session.players[0]})
    fresh = page.locator("#live.fresh .board-last")
    expect(fresh).to_be_visible(timeout=SHOWN_MS)
    place = fresh.evaluate("(e) => [parseFloat(getComputedStyle(e).fontSize), e.getBoundingClientRect().bottom]")
    board_top = page.locator(".board-game").evaluate("(e) => e.getBoundingClientRect().top")
    assert place[0] >= 1080 * FOUR_METRES
    assert place[1] <= board_top + 1
    new = page.locator(".cell.m-new")
    expect(new).to_have_count(1)
    assert new.evaluate("(e) => [e.cellIndex + 1, e.parentElement.matches(':last-child')]") == [5, True]
    expect(page.locator("#live.fresh")).to_have_count(0, timeout=SHOWN_MS)


@pytest.mark.parametrize("size", [(1024, 768), (390, 844), (844, 390), (1920, 1080)])
def test_who_won_stays_in_view_wherever_the_page_was_at_the_end(page, house, watched, size):
    """On the tablets and phones: here the last entries come soon after each other, on a page scrolled to its foot."""
    played = SOME["speedstax"]
    table = played_so_far(house.host, played, (len(played.steps) - 2) / len(played.steps), NAMES)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"/s/{table.session.id}")
    page.wait_for_function("() => document.body.dataset.line === 'open'")
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    post(table, named(played.steps[-2].event, dict(zip(played.players, table.session.players, strict=True))))
    expect(page.locator("#live.fresh")).to_be_attached(timeout=SHOWN_MS)
    post(table, {"kind": "RoundClosed"})
    line = page.locator(".winner-line")
    expect(line).to_be_in_viewport(ratio=1, timeout=SHOWN_MS)
    column = page.locator(".sheet-column").evaluate("(e) => e.getBoundingClientRect().bottom + scrollY")
    page.evaluate("(end) => scrollTo(0, end - innerHeight)", column)
    expect(line).to_be_in_viewport(ratio=1)
    top = "(e) => { const { left, top, width, height } = e.getBoundingClientRect();"
    assert line.evaluate(f"{top} return document.elementFromPoint(left + width / 2, top + height / 2) === e; }}")
