"""A sheet stands still under the finger: what is tapped keeps its place from one state of a turn to the next, and from
"go" on the clock and the own button are in view. Measured in a browser at five sizes.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest
from playwright.sync_api import Page, Route, expect

from companion.game.readings import CardReading, Settled
from companion.game.seeing import Proposed
from companion.games.maxstax.events import Collapsed
from companion.journal.events import Origin
from companion.sensing.proposals import proposal_of
from companion.shelf import GAMES
from companion.table.table import Table
from tests.browser.conftest import deliberate_tap
from tests.browser.furnished import LONGEST, NAMES, Furnished, played_so_far, post
from tests.played import named

SIZES = tuple(
    {"width": width, "height": height}
    for width, height in ((1024, 768), (768, 1024), (390, 844), (844, 390), (1920, 1080))
)
STEPS = 4  # events of a playthrough, some turns in every game
# the edges of what is named, as the page lies when it is not scrolled
PLACES = """() => {
    window.scrollTo(0, 0);
    const bar = ["undo", "redo", "correct", "main-tap"].map(id => [id, document.getElementById(id)]);
    const isAskedFirst = innerWidth <= 640 && document.querySelector("#live .asked"); // a phone has that board on top
    // Upright, who waits has everybody's points on top: the board moves with whose turn it is, and at no other time.
    const waits = innerWidth <= 896 && innerHeight > 480 && document.querySelector("#live .waits") ? " waiting" : "";
    const parts = [...document.querySelectorAll("#live .grid-widget, #live .dice-row, #live .pads")];
    if (isAskedFirst) parts.length = 0;
    const grids = parts.map(part => [(part.ariaLabel || part.className) + waits, part]);
    return Object.fromEntries([...bar, ...grids].map(([name, part]) => {
        const { left, top, width, height } = part.getBoundingClientRect();
        return [name, [left, top, width, height].map(Math.round)];
    }));
}"""
HIDDEN = """() => ["[data-clock]", "#main-tap button"].filter(part => document.querySelector(part)).filter(part => {
    window.scrollTo(0, 0);
    const { left, top, right, bottom, width, height } = document.querySelector(part).getBoundingClientRect();
    const inside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    const bare = [.05, .5, .95].every(share => [
        [left + width * share, top + height / 2], [left + width / 2, top + height * share],
    ].every(([x, y]) => document.elementFromPoint(x, y)?.closest(part)));
    return !inside || !bare;
})"""


def places(page: Page) -> list[dict[str, list[int]]]:
    """Where everything lies, at each size."""
    found = []
    for size in SIZES:
        page.set_viewport_size(size)
        found.append(page.evaluate(PLACES))
    return found


def moved(before: list[dict[str, list[int]]], after: list[dict[str, list[int]]]) -> list[tuple[object, ...]]:
    """What lies elsewhere than before: width of the window, name, place before and place after."""
    return [
        (size["width"], name, was[name], now[name])
        for size, was, now in zip(SIZES, before, after, strict=True)
        for name in was.keys() & now.keys()
        if was[name] != now[name] and any(was[name]) and any(now[name])  # a phone shows Undo for a while only
    ]


def shown(page: Page, seq: int) -> None:
    page.locator(f'[data-seq="{seq}"]').wait_for(state="attached")


@pytest.mark.parametrize("game", GAMES)
def test_undo_redo_and_the_main_tap_keep_their_places_in_a_turn(page, house, game):
    played = LONGEST[game]
    share = 0.3
    table = played_so_far(house.host, played, share)
    ids = dict(zip(played.players, table.session.players, strict=True))
    page.goto(f"{house.url}/s/{table.session.id}?player={table.session.players[0]}")
    page.locator("body[data-line=open]").wait_for()
    before = places(page)
    begun = round(share * len(played.steps))
    for step in played.steps[begun : begun + STEPS]:
        post(table, named(step.event, ids))
        shown(page, table.seq)
        after = places(page)
        assert moved(before, after) == [], step
        before = after


def test_gifts_and_sack_stand_still_from_the_roll_to_the_placed_gift(page, house):
    table = house.host.create("sack_stackers", [*NAMES[:2]], {})
    page.set_viewport_size(SIZES[0])
    page.goto(f"{house.url}/s/{table.session.id}?player={table.session.players[0]}")
    page.locator("body[data-line=open]").wait_for()
    at_first = places(page)
    assert {"Gifts", "Sack"} <= at_first[0].keys()

    deliberate_tap(page.get_by_role("button", name="2 · 5", exact=True))
    shown(page, 1)
    assert moved(at_first, places(page)) == []
    gift = page.get_by_role("region", name="Gifts").get_by_role("button").first
    deliberate_tap(gift)
    expect(gift).to_have_attribute("aria-pressed", "true")
    assert moved(at_first, places(page)) == []
    deliberate_tap(page.locator("#main-tap button"))
    shown(page, 2)
    assert moved(at_first, places(page)) == []


def test_the_board_of_sandpile_panic_keeps_its_place_from_the_first_placement_on(page, house):
    """On a phone held upright the list of what to set up is above it, and goes with the first placement."""
    table = house.host.create("sandpile_panic", [*NAMES[:2]], {})
    page.goto(f"{house.url}/s/{table.session.id}")
    page.locator("body[data-line=open]").wait_for()
    before = places(page)
    post(table, {"kind": "Placed", "player": table.session.players[0], "at": "r2c2", "pink": False})
    shown(page, 1)
    assert [line for line in moved(before, places(page)) if line[0] != 390] == []


PICKERS = """() => {
    window.scrollTo(0, 0);
    const parts = [...document.querySelectorAll("#live [role=group], #live .grid-widget, #main-tap, #undo, #redo")];
    return Object.fromEntries(parts.map((part, index) => {
        const { left, top, width, height } = part.getBoundingClientRect();
        return [index, [left, top, width, height].map(Math.round)];
    }));
}"""
# game, what happened before, the taps, and how many of them neither enter the roll nor bring up the next player's dice
HALF_CHOSEN = {
    "the start roll of Stack": ("stack_dice", [], "[role=group] button[aria-label='3']", 1),
    "the drop of Stack": (
        "stack_dice",
        [{"kind": "StartRolled", "rolls": [["0", 6], ["1", 5]]}],
        ".grid-widget button[aria-label^='2 dice']",
        4,
    ),
    "a roll of Pack & Stack": (
        "pack_and_stack",
        [{"kind": "StarterNamed", "starter": "0"}],
        "[role=group] button:first-of-type",
        2,
    ),
}


@pytest.mark.parametrize(("game", "events", "tap", "number"), HALF_CHOSEN.values(), ids=HALF_CHOSEN)
def test_a_half_chosen_roll_leaves_every_die_in_its_place(page, house, game, events, tap, number):
    table = house.host.create(game, [*NAMES[: max(2, GAMES[game].rules.seats[0])]], {})
    ids = {str(seat): player for seat, player in enumerate(table.session.players)}
    for event in events:
        post(table, named(event, ids))
    page.goto(f"{house.url}/s/{table.session.id}")
    page.locator("body[data-line=open]").wait_for()

    def pickers() -> list[dict[str, list[int]]]:
        found = []
        for size in SIZES:
            page.set_viewport_size(size)
            found.append(page.evaluate(PICKERS))
        return found

    before = pickers()
    taps = page.locator(f"#live {tap}")
    for each in range(number):
        deliberate_tap(taps.nth(each))
        expect(taps.nth(each)).to_have_attribute("aria-pressed", "true")
        assert moved(before, pickers()) == [], each


def test_when_a_column_of_the_sack_is_asked_for_it_is_in_view(page, house):
    table = house.host.create("sack_stackers", [*NAMES[:2]], {})
    post(table, {"kind": "Rolled", "dice": [1, 1]})
    for size in (SIZES[0], SIZES[4]):
        page.set_viewport_size(size)
        page.goto(f"{house.url}/s/{table.session.id}?player={table.session.players[0]}")
        for name in ("Gifts", "Sack"):
            grid, bar = page.get_by_role("region", name=name).bounding_box(), page.locator(".last").bounding_box()
            assert grid["y"] + grid["height"] <= bar["y"], (size, name)


@pytest.mark.parametrize("game", GAMES)
def test_two_taps_on_undo_are_two_undos_and_two_on_redo_bring_both_back(page, house, game):
    table = played_so_far(house.host, LONGEST[game], 0.3)
    page.set_viewport_size(SIZES[0])
    page.goto(f"{house.url}/s/{table.session.id}")
    page.locator("body[data-line=open]").wait_for()
    before = table.state
    for name, seq in (("Undo", table.seq + 2), ("Redo", table.seq + 4)):
        box = page.get_by_role("button", name=name).bounding_box()
        page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        shown(page, seq)
        assert (table.state == before) == (name == "Redo")


def test_a_second_tap_on_undo_counts_though_the_page_was_drawn_anew_meanwhile(page, house):
    """As a busy table's page is: the first undo is on its way, and somebody else's tap has changed the page."""
    table = played_so_far(house.host, LONGEST["sandpile_panic"], 0.3)
    page.goto(f"{house.url}/s/{table.session.id}")
    page.locator("body[data-line=open]").wait_for()
    held: list[Route] = []
    page.route("**/undo", lambda route: held.append(route))
    undo, seq = page.get_by_role("button", name="Undo"), table.seq
    undo.click()
    expect(undo).to_have_class(re.compile("busy"))
    with page.expect_response(re.compile("/sheet")):
        house.host.live.publish(f"session:{table.session.id}")
    expect(undo).not_to_have_class(re.compile("busy"))  # drawn anew
    undo.click()
    assert len(held) == 1  # the second waits for the first
    held[0].continue_()
    page.unroute("**/undo")
    shown(page, seq + 2)


def before_a_race(house: Furnished, game: str, options: Mapping[str, object] = MappingProxyType({})) -> Table:
    """A table of three at which everybody who races has yet to press Ready; in SAMESTAX the last one has created."""
    table = house.host.create(game, [*NAMES[:3]], dict(options))
    ann, bob, cy = table.session.players
    now_us = house.host.clock.now_us()
    match game:
        case "samestax":
            post(table, {"kind": "CreatorChosen", "creator": cy})
            post(table, {"kind": "Started", "at_us": now_us - 300_000_000}, "button")
            post(table, {"kind": "Shouted", "player": cy, "at_us": now_us - 290_000_000}, "button")
        case "swapstax":
            post(table, {"kind": "ShufflerNamed", "shuffler": ann})
            for card, player in enumerate((ann, bob, cy), start=1):
                post(table, {"kind": "Drew", "player": player, "card": card})
            for player in (ann, bob, cy):
                post(table, {"kind": "Passed", "player": player})
    return table


def test_two_taps_on_redo_are_no_undo_though_an_undo_is_still_drawn(browser, house):
    """As at a busy table: the page shows the undo, and fetches itself once more."""
    table = played_so_far(house.host, LONGEST["sandpile_panic"], 0.3)
    before = table.state
    table.undo(Origin("undo"))
    fetched: list[Route] = []

    def hold_the_second(route: Route) -> None:
        fetched.append(route)
        if len(fetched) != 2:
            route.continue_()

    with browser.new_context(viewport=SIZES[0], service_workers="block") as context:  # a worker's fetches pass no route
        page = context.new_page()
        page.goto(f"{house.url}/s/{table.session.id}")
        page.locator("body[data-line=open]").wait_for()
        page.route(re.compile(r"/sheet\?"), hold_the_second)
        seq = table.seq
        page.get_by_role("button", name="Undo").click()
        shown(page, seq + 1)
        with page.expect_response(re.compile("/undo$")):
            page.get_by_role("button", name="Redo").dblclick()
        assert len(fetched) == 2
        fetched[1].continue_()
        shown(page, seq + 3)
    assert table.state == before


@pytest.mark.parametrize("game", ["speedstax", "samestax", "swapstax"])
def test_from_go_on_clock_and_own_button_are_in_view(page, house, game):
    table = before_a_race(house, game)
    for player in sorted(table.game.rules.awaiting(table.state)):
        post(table, {"kind": "Readied", "player": player})
    page.goto(f"{house.url}/s/{table.session.id}?player={table.session.players[0]}")
    page.locator("body[data-line=open]").wait_for()
    post(table, {"kind": "Started", "at_us": -1})
    shown(page, table.seq)
    expect(page.locator(".clock.counting")).to_be_visible()
    states = page.locator(".seat-state")  # of everybody who races; who created watches
    assert states.all_inner_texts().count("Get ready") == (2 if game == "samestax" else 3)
    counting = [page.set_viewport_size(size) or page.evaluate(HIDDEN) for size in SIZES]
    expect(page.locator(".clock.counting")).to_have_count(0)
    expect(page.locator("#main-tap button")).to_have_text("MAX STAX")
    assert states.all_inner_texts().count("Building") == (2 if game == "samestax" else 3)
    running = [page.set_viewport_size(size) or page.evaluate(HIDDEN) for size in SIZES]
    assert [counting, running] == [[[]] * len(SIZES)] * 2


@pytest.mark.parametrize("shared", [False, True])
def test_a_question_in_a_race_is_one_line_that_moves_and_covers_nothing(page, house, monkeypatch, shared):
    table = house.host.create("speedstax", [*NAMES[:3]], {})
    ann, bob, _cy = table.session.players
    for player in table.session.players:
        post(table, {"kind": "Readied", "player": player})
    post(table, {"kind": "Started", "at_us": house.host.clock.now_us() - 20_000_000}, "button")
    page.set_viewport_size(SIZES[0])
    page.goto(f"{house.url}/s/{table.session.id}" + ("" if shared else f"?player={ann}"))
    page.locator("body[data-line=open]").wait_for()

    def clock() -> list[object]:
        return [page.set_viewport_size(size) or page.locator("[data-clock]").bounding_box() for size in SIZES]

    before, lay = clock(), places(page)
    look = Settled(CardReading(640, 480, 7, "Card 7", 0.9, True), 1, 2, b"frame", ())
    asked = proposal_of(table.session.id, Proposed(Collapsed(bob), confirm=True), look, (), None, 0, 0, None)
    monkeypatch.setattr(house.host.questions, "of", lambda _session: (asked, replace(asked, id="another")))
    post(table, {"kind": "Collapsed", "player": bob})
    expect(page.get_by_role("region", name="The camera asks")).to_have_count(1)  # the other one waits
    assert clock() == before
    assert moved(lay, places(page)) == []
    for size in SIZES:
        page.set_viewport_size(size)
        assert page.evaluate(HIDDEN) == []
