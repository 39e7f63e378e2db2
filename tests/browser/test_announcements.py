"""What a screen reader hears of a sheet that changes by itself: whose turn it is, the score, the time that is left."""

from playwright.sync_api import Page

from tests.browser.conftest import WITHOUT_CAMERA
from tests.browser.test_screens import SOON_MS, new_game, post
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
    assert len(said) == 2
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
