"""Every tap counts, in order, without a pause between, over a line that takes 300 ms; what was tapped shows at once.

The taps of a case are made in one go, before the page can be drawn anew: no finger is as quick.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.house.host import Host
from companion.journal import codec
from companion.journal.store import Journal
from companion.shelf import GAMES
from companion.table.table import Table
from tests.browser.furnished import HOURS_US, post, running, served
from tests.browser.sound import PHONE

LINE_MS = 300
AT_ONCE_MS = 50
NAMES = ("Ann", "Bob", "Cy")
MAIN = "#main-tap button"
# Taps one after the other: which buttons did not change at once, and how long the slowest took.
TAP = """async (names) => {
    const find = ([within, name]) => {
        const groups = [...document.querySelectorAll("#live [aria-label]")];
        const group = within && groups.find(each => each.ariaLabel === within);
        const all = [...(group || document).querySelectorAll(name.startsWith("#") ? name : "#live button")];
        if (name.startsWith("#")) return all[0];
        return all.find(each => [each.ariaLabel, each.textContent.trim()].includes(name));
    };
    const face = (tap) => tap.getAttribute("aria-pressed") + tap.textContent;
    const taps = names.map(find);
    const missing = names.filter((name, index) => !taps[index]);
    if (missing.length) throw new Error(`no button ${missing}`);
    const dull = [];
    const ms = taps.map((tap) => {
        const before = face(tap);
        const from = performance.now();
        tap.click();
        const took = performance.now() - from;
        if (tap.dataset.draft && face(tap) === before) dull.push(tap.ariaLabel);
        return took;
    });
    return { ms: Math.max(0, ...ms), dull };
}"""

Event = dict[str, Any]


def roll(*dice: int) -> Event:
    return {"kind": "Rolled", "dice": list(dice)}


def nothing(_table: Table) -> list[Event]:
    return []


def stack_begun(table: Table) -> list[Event]:
    first, second = table.session.players
    return [{"kind": "StartRolled", "rolls": [[first, 4], [second, 3]]}]


def in_turn(table: Table) -> list[Event]:
    one, two = ([1, 2, 3, 4, 5, 6, 6] * 2 for _player in table.session.players)
    dice = [[player, values] for player, values in zip(table.session.players, (one, two), strict=True)]
    return [*stack_begun(table), {"kind": "AllDropped", "dice": dice}]


def pack_named(table: Table) -> list[Event]:
    return [{"kind": "StarterNamed", "starter": table.session.players[0]}]


def pack_taken(table: Table) -> list[Event]:
    players = table.session.players
    rolls = [{"kind": "Rolled", "player": player, "dice": [3, 2, 2, 1, 1]} for player in players]
    places = (None, players[0], None)
    cards = [
        {"kind": "Taken", "player": player, "card": card} | ({"owner": owner} if owner else {})
        for player, card, owner in zip(players, (36, 35, 34), places, strict=True)
    ]
    return [*pack_named(table), *rolls, *cards]


def creating(table: Table) -> list[Event]:
    return [{"kind": "CreatorChosen", "creator": table.session.players[0]}, {"kind": "Started", "at_us": -1}]


def shuffled(table: Table) -> list[Event]:
    return [{"kind": "ShufflerNamed", "shuffler": table.session.players[0]}]


def drawn(table: Table) -> list[Event]:
    players = table.session.players
    return [*shuffled(table), *({"kind": "Drew", "player": each, "card": card} for card, each in enumerate(players, 1))]


@dataclass(frozen=True)
class Case:
    """Taps in a game and what the table, or else the page, knows after them.

    seat        whose page is tapped, None: that of the whole table
    first       taps before, after which the page says `begun`
    entered     fields of the event that is the newest entry then
    says        what the page says
    """

    game: str
    players: int
    before: Callable[[Table], list[Event]]
    taps: tuple[str | tuple[str, str], ...]
    seat: int | None = None
    first: tuple[str, ...] = ()
    begun: str = ""
    entered: Mapping[str, Any] | None = None
    says: str = ""


def of_each(numbers: tuple[int, ...]) -> tuple[str, ...]:
    words = ("{n} die shows {face}", "{n} dice show {face}")
    return tuple(words[n != 1].format(n=n, face=face) for face, n in enumerate(numbers, 1))


DROP = [face for face, number in enumerate((3, 3, 3, 2, 2, 1), 1) for _die in range(number)]
SIZES = ("Size 1, white", "Size 2, grey · Size 4, turquoise", "Size 3, brown · Size 5, purple")
CASES = {
    "a start roll of both": Case(
        "stack_dice",
        2,
        nothing,
        (("Ann (red)", "4"), ("Bob (blue)", "3")),
        entered={"rolls": [["Ann", 4], ["Bob", 3]]},
    ),
    "a drop, the last row follows": Case(
        "stack_dice", 2, stack_begun, of_each((3, 3, 3, 2, 2)), 0, entered={"player": "Ann", "values": DROP}
    ),
    "a row of a drop, changed": Case(
        "stack_dice", 2, stack_begun, ("2 dice show 1", "5 dice show 1", "4 dice show 2"), says="5 to go."
    ),
    "the last column counts on": Case(
        "stack_dice", 2, stack_begun, ("6 dice show 1",) * 3 + ("1 die shows 2",), says="5 to go."
    ),
    "one die, then another": Case(
        "stack_dice", 2, in_turn, ("red 2, 2 places", "red 3, 2 places"), 0, says="Where does the 3 go?"
    ),
    "a space, and the main button": Case(
        "sandpile_panic", 2, nothing, ("row 1 column 2, empty", "row 2 column 2, empty", MAIN), entered={"at": "r2c2"}
    ),
    "colours of a real board": Case(
        "sandpile_panic",
        2,
        nothing,
        ("row 1 column 1, empty", "W white", "row 1 column 2, empty", "row 1 column 3, empty", "row 1 column 3, empty"),
        first=("I already moved the pieces",),
        begun="What does it look like now?",
        says="2 changed.",
    ),
    "circles": Case(
        "sack_stackers",
        1,
        lambda _t: [roll(2, 4)],
        ("First die +1", "First die +1", "Second die −1", "First die +1"),
        says="6 of 10 left",
    ),
    "more circles than there are": Case(
        "sack_stackers",
        1,
        lambda _t: [roll(2, 4)],
        ("First die +1", "First die −1") * 5 + ("First die +1",),
        says="Only 10 circles left. Change less.",
    ),
    "coal in two columns": Case(
        "sack_stackers",
        1,
        lambda _t: [roll(2, 4)],
        ("Coal into column 1", "Coal into column 6", "Section 2, I", MAIN),
        first=("First die +1", "First die −1") * 2,
        begun="6 of 10 left",
        entered={"coal": [{"column": 1, "when": "before"}, {"column": 6, "when": "before"}], "column": 4},
    ),
    "a gift, another, and the main button": Case(
        "sack_stackers",
        1,
        lambda _t: [roll(2, 4)],
        ("Section 2, I", "Section 4, L", MAIN),
        entered={"box": "L", "column": 2},
    ),
    "five dice": Case(
        "pack_and_stack",
        3,
        pack_named,
        ((SIZES[0], "5"), (SIZES[1], "2 · 0"), (SIZES[2], "3 · 1")),
        entered={"player": "Ann", "dice": [5, 2, 3, 0, 1]},
    ),
    "boxes left over, and the main button": Case(
        "pack_and_stack",
        3,
        pack_taken,
        ("Size 5: 1 of 1", "Size 1: 1 of 3", "Size 1: 3 of 3", MAIN),
        entered={"player": "Ann", "unloaded": [3, 0, 0, 0, 1]},
    ),
    "blocks": Case(
        "samestax",
        2,
        creating,
        ("Count one block more",) * 5 + ("Count one block less",),
        first=("Count one block more",),
        begun="Blocks used: 1 of 12",
        says="Blocks used: 5 of 12",
    ),
    "stars, and the card": Case(
        "swapstax",
        2,
        shuffled,
        (("Stars of the new card", "★★"), "Card 1: Doorway, a stack of 3 blocks, 1 star"),
        entered={"player": "Ann", "card": 1, "stars": 2},
    ),
    "keys of a number": Case("score_pad", 2, nothing, ("1", "2", "−", "0"), 0, says="Write −120 for Ann"),
    "dice of two colours": Case("dice_tray", 2, nothing, ("6", "red", "2", "5"), says="Colour of the next die: red"),
    "dice, and the main button": Case(
        "dice_tray",
        2,
        nothing,
        ("2", "5", MAIN),
        0,
        ("6",),
        "Enter the roll",
        entered={"player": "Ann", "dice": [{"value": value, "colour": ""} for value in (6, 2, 5)]},
    ),
    "stars, and a swap with the deck": Case(
        "swapstax", 2, drawn, (("Stars of the new card", "★"), "Swap with the deck"), says="new card number"
    ),
}


@pytest.fixture(scope="module")
def table_of(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Host, Page]]:
    host = Host(Journal(tmp_path_factory.mktemp("house") / "journal.sqlite3"))
    host.clock.offset_us += HOURS_US
    with served(host) as url:
        context = browser.new_context(base_url=url, viewport=PHONE, has_touch=True, service_workers="block")
        yield host, context.new_page()
        context.close()


def slow(page: Page) -> None:
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    sizes = {"downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", {"offline": False, "latency": LINE_MS, **sizes})


def taps_of(names: tuple[str | tuple[str, str], ...]) -> list[tuple[str, str]]:
    return [("", name) if isinstance(name, str) else name for name in names]


def test_every_game_with_a_draft_has_its_cases():
    drafts = {
        "stack_dice",
        "sandpile_panic",
        "sack_stackers",
        "pack_and_stack",
        "samestax",
        "swapstax",
        "score_pad",
        "dice_tray",
    }
    assert drafts == {case.game for case in CASES.values()}
    assert set(GAMES) - drafts == {"speedstax", "turn_clock"}  # The clock's draft only opens a field to type in.


@pytest.mark.parametrize("name", CASES)
def test_every_tap_counts(table_of, name):
    case, (host, page) = CASES[name], table_of
    table = host.create(case.game, list(NAMES[: case.players]), {})
    for event in case.before(table):
        post(table, event)
    if case.game == "samestax":
        host.clock.offset_us += 5_000_000  # the count-in
    players = table.session.players
    query = "" if case.seat is None else f"?player={players[case.seat]}"
    page.goto(f"/s/{table.session.id}{query}")
    expect(page.locator("body[data-line=open]")).to_be_visible()
    page.evaluate(TAP, taps_of(case.first))
    expect(page.locator("#live")).to_contain_text(case.begun)
    seq = table.seq
    slow(page)
    tapped = page.evaluate(TAP, taps_of(case.taps))
    if case.entered is not None:
        page.wait_for_function(
            "seq => Number(document.querySelector('#live [data-seq]').dataset.seq) > seq", arg=seq, timeout=5000
        )
        text = json.dumps(codec.event_to_json(table.event(table.seq)))
        for player in players:
            text = text.replace(player, table.names[player])
        found = json.loads(text)
        assert {key: found.get(key) for key in case.entered} == dict(case.entered)
        assert table.seq == seq + 1
    else:
        expect(page.locator("#live")).to_contain_text(case.says, timeout=5000)
        assert table.seq == seq
    expect(page.locator("#toast.shown")).to_have_count(0)
    assert tapped["dull"] == []
    assert tapped["ms"] <= AT_ONCE_MS


def test_a_tap_means_the_button_on_which_the_finger_went_down(table_of):
    """Something that comes in above moves the page between a finger's touch and its lifting."""
    host, page = table_of
    table = running(host)
    page.goto(f"/s/{table.session.id}")
    expect(page.locator("body[data-line=open]")).to_be_visible()
    fell = page.get_by_role("button", name="It fell").first
    fell.scroll_into_view_if_needed()
    box = fell.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate("document.querySelector('#live .sheet-main').style.transform = 'translateY(-200px)'")
    assert fell.bounding_box()["y"] < box["y"] - box["height"]
    page.mouse.up()
    expect(page.locator(".last")).to_contain_text("Ann's stack fell.")


def test_a_page_is_not_drawn_anew_under_a_finger(table_of):
    host, page = table_of
    table = running(host)
    page.goto(f"/s/{table.session.id}")
    expect(page.locator("body[data-line=open]")).to_be_visible()
    page.get_by_role("button", name="It fell").first.hover()
    page.mouse.down()
    with page.expect_response("**/sheet*"):
        post(table, {"kind": "Collapsed", "player": table.session.players[1]})
    seen = page.evaluate(
        "new Promise(requestAnimationFrame).then(() => document.querySelector('[data-seq]').dataset.seq)"
    )
    assert int(seen) == table.seq - 1
    page.mouse.up()
    expect(page.locator(".last")).to_contain_text("Ann's stack fell.")
    assert table.seq == int(seen) + 2
