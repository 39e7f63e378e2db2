"""Phones: what to set up is in view on a new sheet, and one held sideways shows, unscrolled, the main button and what
it acts on, in every game. The board of Sandpile Panic stays where it is from turn to turn.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from companion.house.host import Host
from companion.shelf import GAMES
from companion.table.table import Table
from tests.browser.conftest import TABLET, deliberate_tap
from tests.browser.furnished import post, served
from tests.browser.sound import LEAST_PX

UPRIGHT, SIDEWAYS = {"width": 390, "height": 844}, {"width": 844, "height": 390}
# whether all of a part lies in the window, and nothing over its middle
IN_VIEW = """part => {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && part.contains(above);
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, empty_house: Host) -> Iterator[Page]:
    with served(empty_house) as url:
        context = browser.new_context(base_url=url, viewport=SIDEWAYS, reduced_motion="reduce")
        yield context.new_page()
        context.close()


def begun(empty_house: Host, game: str) -> Table:
    fewest, _most = GAMES[game].rules.seats
    return empty_house.create(game, [f"Player {seat}" for seat in range(1, max(2, fewest) + 1)], {})


def opened(page: Page, table: Table, seat: int) -> None:
    page.goto(f"/s/{table.session.id}?player={table.session.players[seat] if seat >= 0 else ''}")
    page.locator("body[data-line=open]").wait_for()
    page.wait_for_function("document.fonts.status === 'loaded'")


def seen(part: Locator) -> bool:
    return bool(part.evaluate(IN_VIEW))


@pytest.mark.parametrize("seat", [0, -1])
@pytest.mark.parametrize("game", GAMES)
def test_the_steps_of_the_set_up_are_one_tap_away_on_a_new_sheet(page, empty_house, game, seat):
    """They lie over the task, which stays where it is; on a tablet all of them are above the bar."""
    opened(page, begun(empty_house, game), seat)
    silent = page.get_by_role("button", name="Stay silent")  # asked once on each device
    if silent.is_visible():
        silent.click()
    steps = page.get_by_text("Set up the table")
    for size in (UPRIGHT, SIDEWAYS, TABLET):
        page.set_viewport_size(size)
        assert seen(steps), size
        steps.click()
        found = page.locator(".steps li").all()
        hidden = [step.inner_text() for step in found if not seen(step)]
        assert found, size
        assert seen(found[0]), size
        assert hidden == [] or size != TABLET
        steps.click()
        expect(page.locator(".steps")).to_be_hidden()


def after(table: Table, events: list[dict[str, object]]) -> Table:
    for event in events:
        post(table, event)
    return table


def turns(empty_house: Host) -> dict[str, tuple[Table, int, str]]:
    """Game → (a table in the middle of a turn, the seat whose page is looked at, what its main button acts on)."""
    tables = {game: begun(empty_house, game) for game in GAMES}
    seats = {game: table.session.players for game, table in tables.items()}
    stack, pack, same, swap = (seats[game] for game in ("stack_dice", "pack_and_stack", "samestax", "swapstax"))
    dice = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6]
    go_us = empty_house.clock.now_us() - 20_000_000
    after(tables["sack_stackers"], [{"kind": "Rolled", "dice": [3, 5]}])
    drop = [{"kind": "StartRolled", "rolls": [[stack[0], 4], [stack[1], 3]]}]
    after(tables["stack_dice"], [*drop, {"kind": "AllDropped", "dice": [[each, dice] for each in stack]}])
    after(tables["pack_and_stack"], [{"kind": "StarterNamed", "starter": pack[0]}])
    after(tables["speedstax"], [{"kind": "Started", "at_us": go_us, "everyone": True}])
    after(tables["samestax"], [{"kind": "CreatorChosen", "creator": same[0]}, {"kind": "Started", "at_us": go_us}])
    drawn = [{"kind": "Drew", "player": each, "card": card} for card, each in enumerate(swap, start=1)]
    after(tables["swapstax"], [{"kind": "ShufflerNamed", "shuffler": swap[0]}, *drawn])
    gifts = ".workshop-grids .grid-widget:first-child tbody tr:last-child .cell"
    return {
        "sack_stackers": (tables["sack_stackers"], 0, f"#main-tap button, {gifts}"),
        "stack_dice": (tables["stack_dice"], 0, ".die-place button"),
        "sandpile_panic": (tables["sandpile_panic"], 0, "#main-tap button, .cell-tap"),
        "pack_and_stack": (tables["pack_and_stack"], 0, "#main-tap button, .choice[role=group] button"),
        "speedstax": (tables["speedstax"], 0, "#main-tap button, .clock-face"),
        "samestax": (tables["samestax"], 0, ".clock-face, .seat-card:first-child .tap.t-primary, #main-tap button"),
        "swapstax": (tables["swapstax"], 0, "#main-tap button, .sheet-main .choice .tap:not(.t-dim), .seat-card"),
    }


def test_held_sideways_the_main_button_and_what_it_acts_on_are_in_view(page, empty_house):
    page.set_viewport_size(SIDEWAYS)
    for game, (table, seat, parts) in turns(empty_house).items():
        opened(page, table, seat)
        found = page.locator(parts).all()
        assert found, game
        hidden = [part.evaluate("part => part.outerHTML.slice(0, 120)") for part in found if not seen(part)]
        assert hidden == [], game


def choosing_cards(empty_house: Host) -> Iterator[tuple[str, Table, int]]:
    """(game, a table at which a card is asked for, how many cards there are)."""
    swap, pack = begun(empty_house, "swapstax"), begun(empty_house, "pack_and_stack")
    yield "swapstax", after(swap, [{"kind": "ShufflerNamed", "shuffler": swap.session.players[0]}]), 45
    ann, bob, cy = pack.session.players
    rolls = [{"kind": "Rolled", "player": each, "dice": [2, 2, 2, 0, 2]} for each in (ann, bob, cy)]
    grabs = [{"kind": "Taken", "player": player, "card": card, "owner": None} for card, player in ((3, ann), (4, bob))]
    yield "pack_and_stack", after(pack, [{"kind": "StarterNamed", "starter": ann}, *rolls, *grabs]), 36


def test_held_sideways_every_card_is_in_view(page, empty_house):
    page.set_viewport_size(SIDEWAYS)
    for game, table, count in choosing_cards(empty_house):
        opened(page, table, -1)
        silent = page.get_by_role("button", name="Stay silent")  # asked once on each device
        if silent.is_visible():
            deliberate_tap(silent)
        cards = page.locator(".picture-tap").all()
        assert len(cards) == count, game
        assert [card.get_attribute("aria-label") for card in cards if not seen(card)] == [], game
        assert min(min(card.bounding_box()[side] for side in ("width", "height")) for card in cards) >= LEAST_PX, game


def test_held_sideways_the_board_stays_where_it_is(page, empty_house):
    page.set_viewport_size(SIDEWAYS)
    table = begun(empty_house, "sandpile_panic")
    white, black = table.session.players
    opened(page, table, -1)
    board = page.locator(".grid-widget.large")
    places = [board.bounding_box()]
    deliberate_tap(page.locator(".cell-tap").first)
    page.locator("[aria-pressed=true]").wait_for()
    places.append(board.bounding_box())
    for event in (
        {"kind": "Placed", "player": white, "at": "r3c3"},
        {"kind": "Left", "player": black},
        {"kind": "Placed", "player": black, "at": "r1c1"},
    ):
        post(table, event)
        page.locator(f'[data-seq="{table.seq}"]').wait_for(state="attached")
        places.append(board.bounding_box())
    assert places == [places[0]] * len(places)
