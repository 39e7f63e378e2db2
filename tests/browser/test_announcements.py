"""What a screen reader hears of a sheet that changes: what happened, what it gave, what to do, and the time left."""

import pytest
from playwright.sync_api import Page

from companion.house.host import Host
from companion.journal import codec
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.shelf import GAMES
from companion.table.table import Table
from tests.browser.conftest import WITHOUT_CAMERA, WITHOUT_WORKER, let_go
from tests.browser.furnished import HOURS_US, doubt, served
from tests.browser.furnished import post as enter
from tests.browser.heard_turns import TURNS, Said, Turn
from tests.browser.test_screens import SOON_MS, new_game, post
from tests.played import named
from tests.service import Service

SERVICE = WITHOUT_CAMERA
LISTEN = """() => {
    window.heard = [];
    const region = document.querySelector("[aria-live]");
    new MutationObserver((changes) => changes.forEach(({ addedNodes }) => {
        addedNodes.forEach((node) => window.heard.push(node.textContent));
    })).observe(region, { childList: true, subtree: true, characterData: true });
}"""
CLOCK = """await import(document.querySelector("[src$='companion.js']").src.replace("companion.js", "clock.js"))"""
# a clock of our own, beside the sheet: the table redraws that as it stands
LEAVE_LEFT = f"""async (seconds) => {{
    const {{ nowUs }} = {CLOCK};
    while (nowUs() === null) await new Promise(requestAnimationFrame); // until it has asked the table
    const clock = document.querySelector("#live [data-clock]").cloneNode(true);
    clock.id = "ours";
    document.getElementById("ours")?.remove();
    document.body.append(clock);
    clock.dataset.from = nowUs() - 1_000_000;
    clock.dataset.until = nowUs() + seconds * 1_000_000;
}}"""


def listening(page: Page, session: str) -> Page:
    page.goto(f"/s/{session}")
    page.wait_for_function("() => document.body.dataset.line === 'open'", timeout=SOON_MS)
    page.evaluate(LISTEN)
    return page


def hears(page: Page, part: str) -> None:
    page.wait_for_function("(part) => window.heard.some((each) => each.includes(part))", arg=part, timeout=SOON_MS)


def heard(page: Page) -> list[str]:
    found: list[str] = page.evaluate("() => window.heard")
    return found


def test_a_turn_is_said_once_and_the_score_with_it(device, service: Service):
    session = new_game(service, "sandpile_panic", "Ann", "Bob")
    _, shown = service.call(f"/api/sessions/{session}")
    ann, bob = (one["id"] for one in shown["players"])
    page = listening(device(), session)
    (begins,) = shown["awaiting"]
    _, legal = service.call(f"/api/sessions/{session}/legal?player={begins}")
    post(service, session, **legal["events"][0])
    after = "Bob" if begins == ann else "Ann"
    hears(page, "Score: ")
    hears(page, after)
    said = heard(page)
    headline = page.locator(".headline h2").inner_text()
    assert after in headline
    assert len([each for each in said if each.startswith(headline)]) == 1
    assert len([each for each in said if each.startswith("Score: ")]) == 1
    assert [each.split()[0].strip(",") for each in said] == ["Ann" if begins == ann else "Bob", "Score:", after]
    post(service, session, kind="Ruling", player=bob, points=-20, why="It rained on the board")
    hears(page, "Bob −")
    assert "Ann" not in heard(page)[-1]  # whose score is as it was is not read again


def test_the_clock_is_said_at_a_minute_at_ten_seconds_and_at_its_end(device, service: Service):
    session = new_game(service, "speedstax", "Ann", "Bob")
    page = listening(device(), session)
    sentences = ["1 minute left", "10 seconds left", "Time is up"]
    for seconds, sentence in zip((61.5, 11.5, 2.5), sentences, strict=True):  # the last: with two seconds to count
        page.evaluate(LEAVE_LEFT, seconds)
        hears(page, sentence)
    assert heard(page) == sentences


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A house in this process: its clock is set on, so that nobody waits for a race."""
    found = Host(Journal(tmp_path_factory.mktemp("heard") / "journal.sqlite3"))
    found.clock.offset_us += HOURS_US
    with served(found) as found.address:
        yield found


def caught_up(page: Page, table: Table) -> list[str]:
    """What was heard since the last call, once the page shows the newest entry."""
    page.wait_for_function(
        "(seq) => Number(document.querySelector('[data-seq]').dataset.seq) >= seq", arg=table.seq, timeout=SOON_MS
    )
    found: list[str] = page.evaluate("() => window.heard.splice(0)")
    return found


def is_heard(found: list[str], beginnings: tuple[str, ...]) -> bool:
    return len(found) == len(beginnings) and all(map(str.startswith, found, beginnings))


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_turn_is_heard_in_order_with_what_is_taken_back_and_corrected(browser, host, game):
    turn: Turn = TURNS[game]
    table = host.create(game, list(turn.players), turn.options)
    ids = dict(zip("ABC", table.session.players, strict=False))
    begun_us = host.clock.now_us()

    def of_now(said: Said) -> dict[str, object]:
        event: dict[str, object] = named(said.event, ids)
        if "at_us" in event:
            event["at_us"] = begun_us + said.event["at_us"]
            host.clock.offset_us += max(0, event["at_us"] - host.clock.now_us())
        return event

    with browser.new_context(base_url=host.address) as context:
        page = listening(context.new_page(), table.session.id)
        for said in turn.steps:
            enter(table, of_now(said))
            found = caught_up(page, table)
            assert is_heard(found, said.heard), (said.event, found)
        newest = table.newest.seq
        table.undo(Origin("undo", seen_seq=table.seq))
        assert is_heard(found := caught_up(page, table), turn.undone), found
        table.undo(Origin("redo", seen_seq=table.seq), table.redo.seq)
        assert is_heard(found := caught_up(page, table), turn.redone), found
        event = codec.event_from_json(GAMES[game], of_now(turn.corrected))
        table.amend(newest, event, Origin("correct", seen_seq=table.seq))
        assert is_heard(found := caught_up(page, table), turn.corrected.heard), found
        assert page.locator("#announcer").get_attribute("aria-live") == "polite"


def test_of_entries_that_come_at_once_the_newest_is_heard_and_how_many_came_before_it(browser, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    ann, bob = table.session.players
    gift = {"kind": "Placed", "gift_die": 1, "section": 3, "box": "T", "gift": "T", "column": 5}
    with browser.new_context(base_url=host.address, **WITHOUT_WORKER) as context:
        page, held = listening(context.new_page(), table.session.id), []
        page.route("**/sheet*", lambda route: held.append(route))
        with page.expect_request("**/sheet*"):
            enter(table, {"kind": "Rolled", "dice": [3, 5]})
        for player in (ann, bob):
            enter(table, {**gift, "player": player})
        let_go(page, held)
        assert caught_up(page, table)[:2] == [
            "2 other things happened first.",
            "Bob took the T gift from section 3 into column 5.",
        ]


def test_a_question_of_the_camera_is_heard(browser, host):
    table = host.create("sack_stackers", ["Ann"], {})
    with browser.new_context(base_url=host.address) as context:
        page = listening(context.new_page(), table.session.id)
        doubt(host)
        hears(page, "The camera asks: ")
        assert heard(page) == ["The camera asks: What do these 2 dice show?"]
