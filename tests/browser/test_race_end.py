"""The end of a race with a question of the camera open: to the last second clock and own button are in view; then the
question, and nothing that contradicts its answers; after it the verdicts, the photo finish and the step to the next
round can all be reached. At five sizes.
"""

import pytest
from playwright.sync_api import Page, expect

from companion.game.events import NOW_US
from companion.game.readings import CardReading, Settled
from companion.game.seeing import Proposed
from companion.games.maxstax.events import Collapsed, Judged, ShoutRejected, Witnessed
from companion.journal.events import Origin
from companion.sensing.proposals import proposal_of
from companion.table.table import Table
from tests.browser.furnished import NAMES, Furnished, post
from tests.browser.sound import LEAST_PX, MEASURE, resize
from tests.browser.test_still import HIDDEN, SIZES, before_a_race, shown

LEFT_US = 20_000_000  # so much time is left when the race is looked at
# what cannot be brought into view whole, or lies under something there
OUT_OF_REACH = """wanted => [...document.querySelectorAll(wanted)].filter(part => {
    if (part.closest(".last") && !part.checkVisibility()) return false; // a phone opens these by another button
    part.scrollIntoView({ block: "center" });
    const { left, top, right, bottom, width, height } = part.getBoundingClientRect();
    if (!width || left < 0 || right > innerWidth + 1 || top < 0 || bottom > innerHeight) return true;
    return ![.1, .5, .9].every(share => [
        [left + width * share, top + height / 2], [left + width / 2, top + height * share],
    ].every(([x, y]) => document.elementFromPoint(x, y)?.closest(wanted)));
}).map(part => `${part.tagName}.${part.className} ${part.textContent.trim().slice(0, 30)}`)"""
AT_THE_END = (
    ".seat-card .tap",
    ".finish-line",
    "#main-tap button",
    ".last-taps > *, .last-open",
)


def racing(house: Furnished, game: str, options: dict[str, object]) -> tuple[Table, str]:
    """A race of three with LEFT_US to go, and one who builds in it."""
    table = before_a_race(house, game, options)
    ann, now_us = table.session.players[0], house.host.clock.now_us()
    for player in sorted(table.game.rules.awaiting(table.state)):
        post(table, {"kind": "Readied", "player": player})
    limit_us = 60_000_000 if game == "samestax" else 120_000_000
    post(table, {"kind": "Started", "at_us": now_us - limit_us + LEFT_US - 3_000_000}, "button")
    return table, ann


def ask(table: Table, proposed: Proposed[object], house: Furnished, monkeypatch: pytest.MonkeyPatch) -> None:
    """The camera asks that."""
    look = Settled(CardReading(640, 480, 7, "Card 7", 0.9, True), 1, 2, b"frame", ())
    asked = proposal_of(table.session.id, proposed, look, (), None, 0, 0, None)
    monkeypatch.setattr(house.host.questions, "of", lambda _session: (asked,))
    house.host.live.publish(f"session:{table.session.id}")


def verdict(no: object, yes: object) -> Proposed[object]:
    """A question about a stack of which the camera sees nothing."""
    return Proposed(no, confirm=True, agree="No stack there", instead=(("It stands and matches", yes),))


def only_the_question_answers(page: Page, table: Table, house: Furnished, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it stands, nothing else says whether the second stack counts; once it is away, all can be reached."""
    ann, bob = (page.get_by_role("article").filter(has_text=name) for name in NAMES[:2])
    strip = page.get_by_role("region", name="The camera asks")
    expect(strip.get_by_role("button", name="No stack there")).to_be_visible()
    for closed in (page.locator("#main-tap button:not([data-refused])"), *bob.locator(".tap").all()):
        expect(closed).to_be_hidden()
    expect(ann.locator(".tap").first).to_be_visible()
    found = everywhere(page, ".question button, .question a")
    monkeypatch.setattr(house.host.questions, "of", lambda _session: ())
    house.host.live.publish(f"session:{table.session.id}")
    expect(strip).to_have_count(0)
    found += [wrong for wanted in AT_THE_END for wrong in everywhere(page, wanted)]
    assert found == []


def everywhere(page: Page, wanted: str) -> list[object]:
    found: list[object] = []
    for size in SIZES:
        resize(page, size)
        found += [(size["width"], each) for each in page.evaluate(OUT_OF_REACH, wanted)]
        over = page.evaluate(MEASURE, LEAST_PX)
        if over["sideways"] > 0:
            found.append((size["width"], over["wide"]))
    return found


@pytest.mark.parametrize("own", [True, False], ids=["own page", "shared tablet"])
@pytest.mark.parametrize("game", ["speedstax", "samestax", "swapstax"])
def test_from_the_last_seconds_to_the_photo_finish(page, house, monkeypatch, game, own):
    table, ann = racing(house, game, {})
    bob = table.session.players[1]
    ask(table, Proposed(Collapsed(bob), confirm=True), house, monkeypatch)
    page.goto(f"{house.url}/s/{table.session.id}" + (f"?player={ann}" if own else ""))
    page.locator("body[data-line=open]").wait_for()
    expect(page.get_by_role("region", name="The camera asks")).to_be_visible()
    expect(page.locator("[data-clock][data-from]")).to_be_visible()
    hidden = []
    for size in SIZES:
        resize(page, size)
        hidden += [(size["width"], size["height"], each) for each in page.evaluate(HIDDEN)]
    assert hidden == []
    if own:
        expect(page.locator("#main-tap button")).to_have_text("MAX STAX")
    else:  # What the question asks no card answers, while all race on.
        cards = page.get_by_role("article")
        expect(cards.filter(has_text=NAMES[1]).get_by_role("button", name="It fell")).to_be_hidden()
        expect(cards.filter(has_text=NAMES[0]).locator(".tap").first).to_be_visible()
    over_us = house.host.clock.now_us()
    for number, player in enumerate((ann, bob)):  # two shouts, then the time is up
        post(table, {"kind": "Shouted", "player": player, "at_us": over_us - 1_000_000 + number * 3_000}, "button")
    if not table.game.rules.awaiting(table.state) - {ann, bob}:
        assert game == "samestax"  # the Creator builds no copy: all are done
    post_time_up(table, house)
    shown(page, table.seq)
    expect(page.locator("[data-clock]")).to_have_count(0)
    expect(page.locator(".finish-line")).to_have_count(2)
    ask(table, verdict(ShoutRejected(bob, NOW_US), Witnessed(bob)), house, monkeypatch)
    only_the_question_answers(page, table, house, monkeypatch)


def post_time_up(table: Table, house: Furnished) -> None:
    """The end of the time, where it is still running: at its deadline, as the timer says it."""
    due = table.game.rules.due(table.state)
    if due is not None:
        house.host.clock.offset_us += max(0, due.at_us - house.host.clock.now_us())
        table.submit(due.event, Origin(f"e{len(table.entries)}", source="clock"))


@pytest.mark.parametrize("game", ["samestax", "swapstax"])
def test_every_verdict_can_be_reached_where_no_shout_says_it(page, house, monkeypatch, game):
    table, _ann = racing(house, game, {"shout_required": False})
    bob = table.session.players[1]
    page.goto(f"{house.url}/s/{table.session.id}")
    page.locator("body[data-line=open]").wait_for()
    post_time_up(table, house)
    shown(page, table.seq)
    expect(page.locator("[data-clock]")).to_have_count(0)
    assert page.locator(".seat-card .tap").count() >= 4  # yes and no for each copy
    ask(table, verdict(Judged(bob, False), Judged(bob, True)), house, monkeypatch)
    only_the_question_answers(page, table, house, monkeypatch)
