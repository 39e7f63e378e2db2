"""What the headline asks for lies wholly above the bar, in each phase of each game and at six sizes; a notice or a
question of the camera pushes nothing; there is one main button at most; no sentence is cut and no word broken.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.cameras import sleep
from companion.cameras.phone import Phone
from companion.game.readings import CardReading, Settled
from companion.game.seeing import Proposed, Remark
from companion.games.rulings import Ruling
from companion.house.host import Host
from companion.house.status import StatusLine
from companion.journal.calendar import date_us
from companion.journal.events import Origin
from companion.sensing.proposals import Proposal, proposal_of
from companion.table.table import Table
from companion.words import _
from tests.browser.conftest import open_notices
from tests.browser.furnished import PICTURE, served
from tests.browser.phases import MAIN, PHASES
from tests.browser.sound import LETTERS_PX, SMALL_PHONE, resize
from tests.browser.test_still import PLACES
from web.pages import game

SIZES = tuple(
    {"width": width, "height": height}
    for width, height in ((1024, 768), (768, 1024), (390, 844), (360, 640), (844, 390), (1920, 1080))
)
# what of the task is not whole in the window as it lies unscrolled, or lies under something
HIDDEN = """task => {
    window.scrollTo(0, 0);
    const parts = [...document.querySelectorAll(task)];
    return parts.length === 0 ? ["nothing is asked for"] : parts.filter(part => {
        const { left, top, right, bottom, width, height } = part.getBoundingClientRect();
        if (!width || left < -.5 || top < -.5 || right > innerWidth + .5 || bottom > innerHeight + .5) return true;
        return ![.15, .5, .85].every(share => [
            [left + width * share, top + height / 2], [left + width / 2, top + height * share],
        ].every(([x, y]) => part.contains(document.elementFromPoint(x, y))));
    }).map(part => `${part.className} ${part.textContent.trim().slice(0, 20)}`);
}"""
MAIN_BUTTONS = (
    """() => [...document.querySelectorAll(".tap.t-primary")].filter(part => part.checkVisibility()).length"""
)
# names in seat cards and buttons that have more lines than words
TORN = """() => [...document.querySelectorAll(".seat-name bdi, .tap bdi")].filter(part => {
    const letters = document.createRange();
    letters.selectNodeContents(part);
    const boxes = [...letters.getClientRects()].filter(line => line.width > 2);
    const lines = new Set(boxes.map(line => Math.round(line.bottom)));
    return part.checkVisibility() && lines.size > part.textContent.trim().split(/[\\s-]+/).length;
}).map(part => `${part.parentElement.className} ${part.textContent.trim()}`)"""
CUT = """letters_px => [...document.querySelectorAll("body.on-sheet *")].filter(part => {
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = part;
    const says = [...part.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const isWhole = getComputedStyle(part).overflow === "visible" || !part.checkVisibility();
    if (!says || clientWidth < 2 || isWhole) return false;
    return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + letters_px;
}).map(part => part.textContent.trim().slice(0, 60))"""
# what is broken in the middle of a word; a name may be longer than its place
BROKEN = """() => {
    const broken = [], range = document.createRange();
    document.querySelectorAll("#live :is(.tap, summary, h3, th, .last-text)").forEach(part => {
        const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        while (part.checkVisibility() && texts.nextNode()) {
            const text = texts.currentNode;
            if (text.parentElement.closest("bdi") || text.parentElement.offsetWidth < 2) continue;
            [...text.data.matchAll(/\\p{L}+/gu)].forEach(word => {
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                if (new Set([...range.getClientRects()].map(line => line.top)).size > 1) broken.push(word[0]);
            });
        }
    });
    return broken;
}"""
NOTES = {
    "camera": StatusLine("down", "The camera is disconnected. Plug it in again."),
    "backups": StatusLine("warn", "No copy was made for 3 days."),
    "sleep": StatusLine("note", _("Nobody plays, so the cameras are off. Tap to go on.")),
}
NOTED = Counter({"sleep": 1, "asks": 1, "remark": 1, "hold-line": 1, "stand-in": 2, "status-down": 1, "status-warn": 1})
HINT = ".notices > * > span:has([data-hint]), .notices > * > [data-hint]"
FIRST = ".notices > .sleep > span:not(.count)"  # what wakes the house comes before all else
REMARK = Remark("I see 3 dice but need 2. Add or remove dice, or tap the numbers yourself.")
ASKED = "The stack in space 2 stands, but: the third block from below is red and not blue."
PLACING = "sack: gift"
WAITS = {
    PLACING: ".workshop-grids > .grid-widget:last-child .cell",
    "stack: die": ".stacks-widget:first-child",
    "sandpile: sides": ".grid-widget.large .cell",
    "pack: draw": ".pictures",
    "samestax: create": ".clock",
    "swapstax: swap": ".pictures .drawing",
}  # a phase in which somebody waits → the own board
PHONE_PX, SIDEWAYS_PX = 640, 480  # as in sheet.css: held sideways there is room for the board or for everybody's points
# how far line and headline reach below the height that is kept for them
PUSHED = """() => {
    const said = document.querySelector(".said");
    const kept = document.createElement("div");
    kept.style.height = "calc(var(--notice) + var(--head))";
    said.parentElement.append(kept);
    const { height } = kept.getBoundingClientRect();
    kept.remove();
    return Math.round(said.getBoundingClientRect().height - height);
}"""
LEAST_WORD_PX = 30  # a button without words is none
SPILL_PX = 12  # so far may a question reach below line and headline: less than the title of what comes next


@pytest.fixture(scope="module")
def url(empty_house: Host) -> Iterator[str]:
    with served(empty_house) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser: Browser, url: str) -> Iterator[Page]:
    with browser.new_context(base_url=url, viewport=SIZES[0], reduced_motion="reduce") as context:
        yield context.new_page()


@pytest.fixture(scope="module")
def german(browser: Browser, url: str) -> Iterator[Page]:
    with browser.new_context(base_url=url, viewport=SMALL_PHONE, locale="de-DE", reduced_motion="reduce") as context:
        yield context.new_page()


def question(empty_house: Host, table: Table) -> Proposal:
    """A question with a long note, a picture and three answers."""
    (frame,) = empty_house.journal.add_pictures((PICTURE,), date_us(empty_house.journal), table.session.id)
    event = Ruling(table.session.players[0], 1, "as agreed")
    others = (("It stands and matches", event),)
    proposed = Proposed(event, confirm=True, note=ASKED, instead=others, agree="It doesn't match")
    look = Settled(CardReading(640, 480, 7, "Card 7", 0.9, True), 1, 2, PICTURE, ())
    return proposal_of(table.session.id, proposed, look, (), frame, 0, 0, None)


def everything_said(empty_house: Host, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the table's pages say every notice at once: the camera is on another game and gone, players are away."""
    *_, away, resting = table.session.players
    empty_house.status.lines.update(NOTES)
    monkeypatch.setattr(empty_house.remarks, "of", lambda _session: REMARK)
    # who comes or goes makes an entry, which changes more than the notices
    monkeypatch.setattr(game, "resting", lambda _table: (resting,))
    monkeypatch.setattr(Table, "stand_ins", {away: "Dorothea"})
    asking = SimpleNamespace(asking=(Phone("a phone"),), allowed=None)
    monkeypatch.setattr(empty_house, "outside", replace(empty_house.outside, phones={"camera": asking}))
    empty_house.active.hold(empty_house.create("speedstax", ["Ann", "Bob"], {}).session.id)
    empty_house.live.publish(f"session:{table.session.id}")


def looked_at(page: Page, task: str) -> tuple[list[object], list[object], list[int]]:
    """(where everything lies, what of the task is hidden or broken, how many main buttons there are) at each size."""
    places, hidden, mains = [], [], []
    for size in SIZES:
        resize(page, size)
        places.append(page.evaluate(PLACES))
        assert page.evaluate(PUSHED) == 0, size
        hidden += [(size["width"], each) for each in page.evaluate(HIDDEN, task) + page.evaluate(TORN)]
        mains.append(page.evaluate(MAIN_BUTTONS))
    return places, hidden, mains


def in_german(page: Page, task: str) -> None:
    """Longer words hide nothing, push nothing, and are neither cut nor broken."""
    for size in (SIZES[0], SIZES[4], SMALL_PHONE):
        resize(page, size)
        assert page.evaluate(HIDDEN, task) == []
        assert page.evaluate(PUSHED) == 0
        assert page.evaluate(CUT, LETTERS_PX) == []
        assert page.evaluate(BROKEN) == page.evaluate(TORN) == []


@pytest.mark.parametrize("name", PHASES)
def test_what_is_asked_for_is_in_view_and_nothing_pushes_it(page, german, empty_house, monkeypatch, name):
    phase = PHASES[name]
    monkeypatch.setattr(empty_house.journal, "is_first", lambda *_game: True)  # so each phase has its hint
    table = phase.begin(empty_house)
    hints = table.game.pages.hint(table.state) is not None
    is_racing = name.endswith(("race", "race, shared", "create"))
    phase.open(page, empty_house, table)
    before, hidden, mains = looked_at(page, f"{phase.task}, {HINT}" if hints else phase.task)
    assert hidden == []
    assert is_racing or max(mains) <= 1
    phase.open(german, empty_house, table)
    in_german(german, f"{phase.task}, {HINT}" if hints else phase.task)

    everything_said(empty_house, table, monkeypatch)
    expect(page.locator(FIRST)).to_have_count(1)
    noted = page.locator(".note").evaluate_all("notes => notes.map(note => note.className.split(/[ ]note-| /)[1])")
    assert Counter(noted) >= NOTED, noted
    noticed, hidden, mains = looked_at(page, f"{phase.task}, {FIRST}")
    assert hidden == []
    assert noticed == before
    assert is_racing or max(mains) <= 1
    open_notices(page)
    expect(page.get_by_role("button", name="Allow")).to_be_visible()
    assert is_racing or page.evaluate(MAIN_BUTTONS) <= 1
    open_notices(page)

    expect(german.locator(FIRST)).to_have_count(1)
    in_german(german, f"{phase.task}, {FIRST}")
    resize(page, SMALL_PHONE)
    assert page.evaluate(CUT, LETTERS_PX) == []

    asked = question(empty_house, table)
    monkeypatch.setattr(empty_house.questions, "of", lambda _session: (asked, replace(asked, id="another")))
    empty_house.live.publish(f"session:{table.session.id}")
    strip = page.get_by_role("region", name="The camera asks")
    expect(strip).to_have_count(1)  # the other one waits
    task = ", ".join(part for part in phase.task.split(", ") if part != MAIN)
    asking, hidden, mains = looked_at(page, f"{task}, .question button" if task else ".question button")
    assert hidden == []
    assert asking == before
    assert is_racing or max(mains) <= 1
    for size in SIZES:
        resize(page, size)
        assert strip.bounding_box()["height"] <= page.locator(".said").bounding_box()["height"] + SPILL_PX, size
        assert strip.get_by_text("Enter nothing").bounding_box()["width"] >= LEAST_WORD_PX, size
        assert page.evaluate(CUT, LETTERS_PX) == [], size
    empty_house.status.lines.clear()


@pytest.mark.parametrize("name", WAITS)
def test_who_waits_sees_for_whom_the_own_score_and_board_and_the_last_move(page, empty_house, name):
    table = PHASES[name].begin(empty_house)
    if name == PLACING:
        first = table.session.players[0]
        table.submit(table.game.rules.legal(table.state, first)[0], Origin(f"first-{table.session.id}"))
    awaited = table.game.rules.awaiting(table.state)
    (waiting, *_) = (player for player in table.session.players if player not in awaited)
    page.goto(f"/s/{table.session.id}?player={waiting}")
    page.locator("body[data-line=open]").wait_for()
    expect(page.locator(".headline h2")).to_have_text(re.compile("^Waiting for "))
    score = f'.score-line[data-score^="{table.names[waiting]} "] :is(.score-name, .score-points)'
    hidden = []
    for size in SIZES:
        resize(page, size)
        task = [".headline h2", ".last-text" if size["width"] > PHONE_PX else ".last-now", WAITS[name]]
        task += [score] if size["height"] > SIDEWAYS_PX else []
        hidden += [(size["width"], each) for each in page.evaluate(HIDDEN, ", ".join(task))]
    assert hidden == []


def test_a_tap_on_any_page_of_a_game_wakes_a_house_that_sleeps(page, empty_house, monkeypatch):
    monkeypatch.setattr(empty_house.journal, "is_first", lambda *_game: False)
    phase = PHASES["speedstax: ready"]
    phase.open(page, empty_house, phase.begin(empty_house))
    expect(page.locator("[data-sound-offer]")).to_be_visible()
    with monkeypatch.context() as patched:
        patched.setattr(sleep, "AFTER_S", 0)
        empty_house.sleep.look()
    expect(page.locator(FIRST)).to_be_in_viewport()
    expect(page.locator("[data-sound-offer]")).to_be_hidden()
    page.locator(FIRST).click()
    expect(page.locator(FIRST)).to_have_count(0)
    assert not empty_house.sleep.is_on


def test_a_phone_shows_what_happened_with_undo_for_a_while_over_the_header(page, empty_house):
    phase = PHASES["sack: gift"]
    table = phase.begin(empty_house)
    resize(page, SIZES[2])
    page.clock.install()
    phase.open(page, empty_house, table)
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_hidden()
    page.get_by_role("button", name="What happened last").click()
    expect(undo).to_be_visible()
    undo.click()
    expect(page.locator(".last-said").get_by_text("Undone: Rolled 2 and 5.")).to_be_visible()
    redo = page.get_by_role("button", name="Redo")
    expect(redo).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")
    toast, said = page.locator(".last-said").bounding_box(), page.locator(".said").bounding_box()
    assert toast["y"] + toast["height"] <= said["y"] + 1
    page.clock.fast_forward(6000)
    expect(redo).to_be_hidden()
    expect(page.locator(".last-now")).to_have_text("Undone: Rolled 2 and 5.")  # for who has no main button it stays
    expect(page.locator(".last-now")).to_be_in_viewport()
