"""Every game from its set-up page to its result, on two tablets and a phone at once.

The table's tablet and a player's phone tap the first events of a playthrough worked out by hand, the rest comes as
other tablets would send it, and a second tablet looks on. All three show the score that the playthrough says.
"""

import html
import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, expect

from companion.game.widgets import Tap, after_taps
from companion.house.host import Host
from companion.journal import codec
from companion.journal.events import Origin
from companion.table.table import Table
from companion.words import number
from tests.browser.conftest import deliberate_tap
from tests.browser.furnished import NAMES, post, served
from tests.played import FOLDER, Playthrough, Step, named, read
from web.app import create_app

SOON_MS = 15_000
UNFOLD = "part => part.closest('details:not([open])')?.querySelector('summary').click()"
NETWORK = {"X-Forwarded-For": "192.168.1.20"}  # not the table's own machine: a device that needs a ticket
GAMES = {
    "pack_and_stack/no-points-left": {"start_points": "14"},
    "sack_stackers/double-threes": {},
    "samestax/two-players": {},
    "sandpile_panic/complete-tie": {"board_size": "4"},
    "speedstax/two-players-straight": {},
    "stack_dice/going-out": {"target": "30"},
    "swapstax/nobody-swaps": {},
}
TAPPED = 6  # events by tap; a search for each costs time
DEEPEST, MOST_LOOKS = 2, 100  # choices before the tap that posts, and sheets looked at to find them


@dataclass(frozen=True)
class Devices:
    """The table's tablet, a player's phone, and a tablet that looks on."""

    tablet: Page
    phone: Page
    watcher: Page

    @property
    def all(self) -> tuple[Page, ...]:
        return self.tablet, self.phone, self.watcher


@pytest.fixture(scope="module")
def devices(browser: Browser, empty_house: Host) -> Iterator[Devices]:
    """Phone and second tablet come in by the codes that the host's page shows."""
    with served(empty_house) as url:
        tablet = browser.new_context(base_url=url, viewport={"width": 1024, "height": 768}).new_page()
        phone = browser.new_context(
            base_url=url, viewport={"width": 390, "height": 844}, has_touch=True, extra_http_headers=NETWORK
        ).new_page()
        watcher = browser.new_context(
            base_url=url, viewport={"width": 768, "height": 1024}, extra_http_headers=NETWORK
        ).new_page()
        for page, role in ((phone, "Player"), (watcher, "Spectator")):
            tablet.goto("/house")
            tablet.get_by_text("Another code").click()
            tablet.get_by_text(role, exact=True).click()
            tablet.get_by_role("button", name="Show the code").click()
            page.goto("/join/" + (tablet.locator(".house-link").get_attribute("href") or "").rsplit("/", 1)[1])
        yield Devices(tablet, phone, watcher)
        for page in (tablet, phone, watcher):
            page.context.close()


@pytest.mark.parametrize("path", GAMES)
def test_a_whole_game_on_three_devices(devices, empty_house, path):
    played = read(FOLDER / f"{path}.txt")
    table = set_up(devices.tablet, empty_house, played, GAMES[path])
    ids = dict(zip(played.players, table.session.players, strict=True))
    devices.phone.goto(f"/s/{table.session.id}?player={table.session.players[-1]}")
    devices.watcher.goto(f"/s/{table.session.id}")
    client, tapped = create_app(empty_house).test_client(), 0
    untappable = set()  # kinds of events that the sheet asks for with more than a few taps
    begun_us = empty_house.clock.now_us()
    for step in played.steps:
        event = named(step.event, ids)
        if "at_us" in event:
            event["at_us"] += begun_us
            empty_house.clock.offset_us += max(0, event["at_us"] - empty_house.clock.now_us())
        mine = event.get("player") == table.session.players[-1]
        taps = None
        if tapped < TAPPED and event["kind"] not in untappable:
            taps = taps_to(client, table, event, table.session.players[-1] if mine else "")
        if taps is None:
            untappable.add(event["kind"])
            post(table, event)
            continue
        assert event["kind"] != "Rolled" or len(taps) <= 3, "a roll takes more than three taps"
        tap(devices.phone if mine else devices.tablet, table, taps)
        begun_us = shifted(table, step, begun_us)
        tapped += 1
        for page in devices.all:
            shows(page, table, ids, step)
    assert tapped >= 3, "hardly anything could be tapped"
    for page in devices.all:
        shows(page, table, ids, played.steps[-1])
        won = {names(table)[ids[player]] for player in played.winners or ()}
        assert {one.inner_text() for one in page.locator(".standing.winner .standing-name").all()} == won
    result_is_shown(devices, table, ids, played)


def set_up(page: Page, empty_house: Host, played: Playthrough, options: Mapping[str, str]) -> Table:
    """The set-up page filled in by hand."""
    page.goto(f"/new?game={played.game}")
    for place, name in enumerate(NAMES[: len(played.players)], start=1):
        if place > page.get_by_label(re.compile(r"^Player \d+|^\d+ Player \d+")).count():
            page.get_by_role("button", name="Another player").click()
        page.locator("[name=player]").nth(place - 1).fill(name)
    for field in page.locator("[name=player]").all()[len(played.players) :]:
        field.fill("")
    if options:
        page.locator("#house-rules > summary").click()
    for name, value in options.items():
        field = page.locator(f'#house-rules [name$="{name}"]').first
        if field.get_attribute("type") == "radio":
            page.locator(f'#house-rules label:has([name$="{name}"][value="{value}"])').click()
        else:
            field.fill(value)
    page.get_by_role("button", name=re.compile("^Start")).click()
    page.wait_for_url("**/s/*")
    page.wait_for_load_state()
    return empty_house.table(page.url.rsplit("/", 1)[1].split("?")[0])


def taps_to(client: FlaskClient, table: Table, event: dict[str, object], player: str) -> list[str] | None:
    """Selectors to tap one after the other until the event is posted; None where the sheet asks for more than taps."""
    wanted = without_time(whole(table, event))
    waiting = deque[tuple[dict[str, str], list[str]]]([({}, [])])
    seen = set()
    for _look in range(MOST_LOOKS):
        if not waiting:
            return None
        draft, taps = waiting.popleft()
        query = {"player": player, **{f"d.{name}": value for name, value in draft.items()}}
        sheet = client.get(f"/s/{table.session.id}/sheet", query_string=query).text
        at_once = "data-at-once" in sheet
        for text in attributes(sheet, "data-event"):
            if without_time(json.loads(text)) == wanted:
                return taps if at_once and taps else [*taps, selector(**{"data-event": text})]
        for button in re.findall("<button [^>]*data-draft=[^>]*>", sheet) if len(taps) < DEEPEST else ():
            changes = {name: text for name in ("data-draft", "data-adds") for text in attributes(button, name)}
            sets, adds = (json.loads(changes.get(name, "{}")) for name in ("data-draft", "data-adds"))
            chosen = after_taps(draft, Tap("", draft=sets, adds=adds))
            if (key := json.dumps(chosen, sort_keys=True)) not in seen:
                seen.add(key)
                waiting.append((chosen, [*taps, selector(**changes)]))
    return None


def whole(table: Table, event: dict[str, object]) -> dict[str, object]:
    """The event as a page posts it: with the fields that a playthrough leaves out."""
    return codec.event_to_json(codec.event_from_json(table.game, event))


def attributes(sheet: str, name: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(f'{name}="([^"]*)"', sheet)]


def selector(**attributes: str) -> str:
    return "#live " + "".join(f"[{name}='{text}']" for name, text in attributes.items())


def without_time(event: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in event.items() if name != "at_us"}


def tap(page: Page, table: Table, taps: list[str]) -> None:
    caught_up(page, table)
    before = table.seq
    *choices, last = taps
    for one in choices:
        page.locator(one).first.click(timeout=SOON_MS)
    page.locator(last).first.evaluate(UNFOLD, timeout=SOON_MS)
    deliberate_tap(page.locator(last).first, timeout=SOON_MS)
    page.wait_for_function(
        "seq => Number(document.querySelector('#live [data-seq]').dataset.seq) > seq", arg=before, timeout=SOON_MS
    )


def shifted(table: Table, step: Step, begun_us: int) -> int:
    """When the playthrough began, so that what comes next keeps its distance to what was just tapped."""
    if "at_us" not in step.event:
        return begun_us
    return int(table.entries[-1].body.event.at_us) - int(step.event["at_us"])


def caught_up(page: Page, table: Table) -> None:
    page.wait_for_function(
        "seq => Number(document.querySelector('#live [data-seq]').dataset.seq) >= seq", arg=table.seq, timeout=SOON_MS
    )


def shows(page: Page, table: Table, ids: Mapping[str, str], step: Step) -> None:
    """Whether a page has come to show the score after a step."""
    expected = {names(table)[ids[player]]: number(points) for player, points in step.score.items()}
    caught_up(page, table)
    page.wait_for_function(
        """expected => {
          const lines = [...document.querySelectorAll("#live .score-head, #live .standing")];
          const shown = lines.map((line) => [
            line.querySelector(".score-name, .standing-name").textContent.trim(),
            line.querySelector(".score-points, .standing-points").textContent]);
          return shown.length > 0 && shown.every(([name, points]) => expected[name] === points);
        }""",
        arg=expected,
        timeout=SOON_MS,
    )


def names(table: Table) -> Mapping[str, str]:
    return table.names


def result_is_shown(devices: Devices, table: Table, ids: Mapping[str, str], played: Playthrough) -> None:
    for page in devices.all:
        page.goto(f"/s/{table.session.id}/result")
        for player, points in played.steps[-1].score.items():
            line = page.locator(".result-place", has_text=names(table)[ids[player]])
            expect(line).to_contain_text(number(points))


def test_a_watcher_sees_everything_and_moves_nothing(devices, empty_house):
    table = empty_house.create("sack_stackers", ["Ann", "Bob"], {})
    page = devices.watcher
    page.goto(f"/s/{table.session.id}")
    expect(page.get_by_role("heading", name="Roll both dice")).to_be_visible()
    expect(page.locator("#live .sheet button")).to_have_count(0)
    for path in ("events", "undo"):
        answer = page.request.post(f"/api/sessions/{table.session.id}/{path}", data={"event_id": "x", "seen_seq": 0})
        assert answer.status == 403
    expect(page.get_by_role("link", name="House")).to_have_count(0)
    assert page.request.get("/house").status == 403
    assert table.seq == 0


def test_what_one_corrects_all_see_and_who_it_was(devices, empty_house):
    table = empty_house.create("sack_stackers", ["Ann", "Bob"], {})
    post(table, {"kind": "Rolled", "dice": [3, 5]})
    for page in devices.all:
        page.goto(f"/s/{table.session.id}/history")
    devices.phone.get_by_role("button", name="Delete").click()
    expect(devices.phone.get_by_role("dialog")).to_contain_text("3 and 5")
    expect(devices.watcher.locator(".entry-struck")).to_have_count(0)  # nothing before somebody agrees
    devices.phone.get_by_role("dialog").get_by_role("button", name="Delete").click()
    for page in devices.all:
        expect(page.locator(".entry-struck")).to_contain_text("3 and 5", timeout=SOON_MS)
    for _again in range(3):
        deliberate_tap(devices.tablet.get_by_role("button", name="Undo", exact=True))
        expect(devices.watcher.locator(".entry-struck")).to_have_count(0, timeout=SOON_MS)
        deliberate_tap(devices.tablet.get_by_role("button", name="Redo"))
        expect(devices.watcher.locator(".entry-struck")).to_have_count(1, timeout=SOON_MS)


def about_to_strike(page, empty_house):
    """A game with one roll, and the dialog that asks whether to strike it."""
    table = empty_house.create("sack_stackers", ["Ann", "Bob"], {})
    post(table, {"kind": "Rolled", "dice": [3, 5]})
    page.goto(f"/s/{table.session.id}/history")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("3 and 5")
    return table


def test_what_somebody_undid_while_another_was_about_to_strike_it_is_asked_about_no_more(devices, empty_house):
    page = devices.phone
    table = about_to_strike(page, empty_house)
    table.undo(Origin("another"))
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("#toast.shown")).not_to_be_empty(timeout=SOON_MS)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_what_is_said_of_a_tap_is_read_above_the_dialog_it_was_made_in(devices, empty_house):
    page = devices.phone
    about_to_strike(page, empty_house)
    page.context.set_offline(True)
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("#toast.shown")).not_to_be_empty(timeout=SOON_MS)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.locator("#toast").evaluate("place => Promise.all(place.getAnimations().map(each => each.finished))")
    paint = page.locator("#toast").evaluate("(place) => getComputedStyle(place).backgroundColor")
    box = page.locator("#toast").bounding_box()
    shot = cv2.imdecode(np.frombuffer(page.screenshot(scale="css"), np.uint8), cv2.IMREAD_COLOR)
    blue, green, red = shot[round(box["y"] + box["height"] / 2), round(box["x"] + 8)]
    assert f"rgb({red}, {green}, {blue})" == paint  # a dialog dims what is below it
    page.context.set_offline(False)


def test_max_stax_in_the_count_in_is_answered(devices, empty_house):
    table = empty_house.create("speedstax", ["Ann", "Bob"], {})
    for player in table.session.players:
        post(table, {"kind": "Readied", "player": player})
    page = devices.phone
    page.goto(f"/s/{table.session.id}?player={table.session.players[0]}")
    post(table, {"kind": "Started", "at_us": -1})
    page.get_by_role("button", name="MAX STAX").first.tap(timeout=SOON_MS)
    expect(page.locator("#toast.shown")).not_to_be_empty()
