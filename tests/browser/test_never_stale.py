"""A page is up to date or says for how long it has not been: after a cut line, sleep, a new start of the table.

What needs a secure context is never needed.
"""

import contextlib
import re
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import CHROMIUM, WITHOUT_CAMERA, WITHOUT_WORKER, open_menu
from tests.service import Service, halt, running

SOON_MS = 20_000  # a busy machine may be slow
TOGETHER_MS = 50  # issue 6: how far apart two tablets may draw one countdown
UNSAFE_NAME = "table.test"  # neither https nor localhost, as table.local is to a tablet
SERVICE = (*WITHOUT_CAMERA, "--allow-host", UNSAFE_NAME)


@pytest.fixture(scope="module")
def elsewhere(browser: Browser) -> Iterator[Browser]:
    """A browser that reaches the table by a name for which browsers withhold their secure features."""
    rule = f"--host-resolver-rules=MAP {UNSAFE_NAME} 127.0.0.1"
    found = browser.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", rule])
    yield found
    found.close()


def new_game(service: Service, game: str, *names: str) -> str:
    _, made = service.call("/api/sessions", {"game": game, "players": list(names), "options": {}})
    return str(made["id"])


def post(service: Service, session: str, seen: int, **event: object) -> None:
    status, answer = service.call(
        f"/api/sessions/{session}/events", {"event": event, "event_id": f"by-hand-{seen}", "seen_seq": seen}
    )
    assert status < 300, answer


def roll(service: Service, session: str, seen: int, *dice: int) -> None:
    post(service, session, seen, kind="Rolled", dice=list(dice))


def opened(page: Page, session: str) -> Page:
    page.goto(f"/s/{session}")
    expect(page.locator("body[data-line=open]")).to_be_visible(timeout=SOON_MS)
    return page


def shown_dice(page: Page, *dice: int) -> None:
    for index, value in enumerate(dice):
        expect(page.locator(".dice-row .die").nth(index)).to_have_attribute("aria-label", str(value), timeout=SOON_MS)


def type_and_send(page: Page) -> None:
    page.get_by_role("button", name="1 · 4", exact=True).click()


class Air:
    """A Wi-Fi between tablet and table. Out of reach, nothing comes through, and nobody is told that the line is dead:
    what was open then stays silent for ever.
    """

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._reach = 0  # which time it is in reach; connections of an earlier one are dead
        self._away = False
        self._open: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://localhost:{self._door.getsockname()[1]}"
        self._keeper = threading.Thread(target=self._accept, daemon=True)
        self._keeper.start()

    def go_away(self) -> None:
        self._reach += 1
        self._away = True

    def come_back(self) -> None:
        self._away = False

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._keeper.join()
        for each in (self._door, *self._open):
            with contextlib.suppress(OSError):  # its other end was quicker
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                tablet, _ = self._door.accept()
                self._open.append(tablet)
                if self._away:
                    continue  # it waits for an answer that never comes
                table = socket.create_connection(self._to)
                self._open.append(table)
                for ends in ((tablet, table), (table, tablet)):
                    threading.Thread(target=self._carry, args=(*ends, self._reach), daemon=True).start()

    def _carry(self, here: socket.socket, there: socket.socket, reach: int) -> None:
        with contextlib.suppress(OSError):
            while (heard := here.recv(65536)) and reach == self._reach:
                there.sendall(heard)
            if reach == self._reach:
                there.shutdown(socket.SHUT_WR)


@pytest.fixture
def air(service: Service) -> Iterator[Air]:
    found = Air(int(service.url.rsplit(":", 1)[1]))
    yield found
    found.close()


def guests_way_in(page: Page, service: Service) -> str:
    """The path of the code on the first page, as the machine's own browser shows it."""
    own = page.context.browser.new_context(base_url=service.url)
    home = own.new_page()
    home.goto("/")
    link = home.locator(".house-link").get_attribute("href") or ""
    own.close()
    return link[link.index("/join/") :]


def test_out_of_reach_is_said_with_its_age_and_the_page_comes_back_by_itself(device, service, air):
    page = device(base_url=air.url)
    page.goto(guests_way_in(page, service))  # what comes through a forwarder is no host's
    session = page.request.post("/api/sessions", data={"game": "sack_stackers", "players": ["Ann", "Bob"]}).json()["id"]
    opened(page, session)
    air.go_away()
    expect(page.locator("#line")).to_have_text(re.compile(r"for [4-9]\ss"), timeout=SOON_MS)
    rolled = {"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "by-hand", "seen_seq": 0}
    assert page.request.post(f"{service.url}/api/sessions/{session}/events", data=rolled).ok
    air.come_back()  # each connection that the browser still keeps is dead, and has to be found out
    expect(page.locator(".dice-row .die").first).to_have_attribute("aria-label", "3", timeout=3 * SOON_MS)
    expect(page.locator("#line")).to_be_hidden()


def test_a_network_that_the_browser_knows_is_gone_is_no_other_case(device, service):
    session = new_game(service, "sack_stackers", "Ann", "Bob")
    page = opened(device(), session)
    page.context.set_offline(True)
    type_and_send(page)
    expect(page.get_by_role("alert")).to_contain_text("Your tap is kept and sent again")
    page.context.set_offline(False)
    shown_dice(page, 1, 4)


def test_a_page_that_slept_shows_what_happened_meanwhile(device, service):
    session = new_game(service, "sack_stackers", "Ann", "Bob")
    page = opened(device(), session)
    sleep = page.context.new_cdp_session(page)
    sleep.send("Page.setWebLifecycleState", {"state": "frozen"})
    roll(service, session, 0, 2, 6)
    sleep.send("Page.setWebLifecycleState", {"state": "active"})
    shown_dice(page, 2, 6)


def test_a_tap_whose_answer_got_lost_is_sent_again_and_counts_once(device, service):
    session = new_game(service, "sack_stackers", "Ann", "Bob")
    page = opened(device(**WITHOUT_WORKER), session)
    answers: list[int] = []

    def lose_the_first(route: Route) -> None:
        if answers:
            route.continue_()
        else:
            answers.append(route.fetch().status)
            route.abort()

    page.route("**/events", lose_the_first)
    with page.expect_response("**/events") as second:
        type_and_send(page)
    assert answers == [second.value.status]
    shown_dice(page, 1, 4)
    _, shown = service.call(f"/api/sessions/{session}")
    assert shown["seq"] == 1


def test_a_page_has_one_stream_and_a_hidden_one_none(device, service):
    session = new_game(service, "sack_stackers", "Ann")
    page = device()
    page.add_init_script("""
        delete window.SharedWorker; // as in Chrome on Android: the page's stream is its own
        window.streams = [];
        window.EventSource = class extends EventSource {
          constructor(url) { super(url); window.streams.push(this); }
        };
    """)
    opened(page, session)
    still_open = "() => streams.filter((each) => each.readyState !== EventSource.CLOSED).length"
    for seen in range(5):
        roll_or_undo = (roll, (3, 5)) if seen % 2 == 0 else (undo, ())
        roll_or_undo[0](service, session, seen, *roll_or_undo[1])
    assert page.evaluate(still_open) == 1
    page.evaluate("""() => {
        Object.defineProperty(document, 'hidden', { value: true, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }""")
    assert page.evaluate(still_open) == 0


def undo(service: Service, session: str, seen: int) -> None:
    service.call(f"/api/sessions/{session}/undo", {"event_id": f"undo-{seen}", "seen_seq": seen})


# the clock


DRAWN = """() => {
    const face = document.querySelector('[data-clock-face]');
    window.drawn = {};
    new MutationObserver(() => {
        window.drawn[face.textContent] ??= performance.timeOrigin + performance.now();
    }).observe(face, { childList: true, characterData: true, subtree: true });
}"""


def test_two_tablets_draw_one_countdown_together(device, service):
    session = new_game(service, "speedstax", "Ann", "Bob")
    pages = [opened(device(), session), opened(device(viewport={"width": 390, "height": 844}), session)]
    for page in pages:
        page.evaluate(DRAWN)
    _, shown = service.call(f"/api/sessions/{session}")
    for seen, player in enumerate(shown["players"]):
        post(service, session, seen, kind="Readied", player=player["id"])
    pages[0].get_by_role("button", name="Start", exact=True).click()
    expect(pages[0].locator("[data-clock-face]")).to_have_text("1:56", timeout=SOON_MS)
    expect(pages[1].locator("[data-clock-face]")).to_have_text("1:56", timeout=SOON_MS)
    first, second = (page.evaluate("() => window.drawn") for page in pages)
    apart = [abs(first[face] - second[face]) for face in ("3", "2", "1", "1:59", "1:58", "1:57") if face in first]
    assert len(apart) >= 5
    # a busy machine draws some late on one page alone; clocks that are apart are so each time
    assert sorted(apart)[1] <= TOGETHER_MS, apart


def test_a_clock_that_stood_still_in_a_sleep_is_right_as_soon_as_the_wifi_is_back(device, service):
    session = new_game(service, "speedstax", "Ann", "Bob")
    page = opened(device(), session)
    _, shown = service.call(f"/api/sessions/{session}")
    for seen, player in enumerate(shown["players"]):
        post(service, session, seen, kind="Readied", player=player["id"])
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("[data-clock-face]")).to_have_text("1:58", timeout=SOON_MS)
    page.route("**/api/clock*", lambda route: route.abort())
    with page.expect_event("requestfailed", lambda asked: "/api/clock" in asked.url):
        page.evaluate("""() => {
            const now = performance.now.bind(performance);
            performance.now = () => now() - 30_000;
            document.dispatchEvent(new Event('visibilitychange'));
        }""")
    with page.expect_event("requestfinished", lambda asked: "/api/clock" in asked.url, timeout=SOON_MS):
        page.unroute("**/api/clock*")
    expect(page.locator("[data-clock-face]")).to_have_text(re.compile("^1:[45]"), timeout=SOON_MS)


# without https


def test_everything_essential_works_over_plain_http(elsewhere, service):
    session = new_game(service, "sack_stackers", "Ann", "Bob")
    context = elsewhere.new_context(base_url=service.url.replace("localhost", UNSAFE_NAME))
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    opened(page, session)
    withheld = "() => [isSecureContext, 'serviceWorker' in navigator, 'wakeLock' in navigator, 'randomUUID' in crypto]"
    assert page.evaluate(withheld) == [False] * 4
    type_and_send(page)
    shown_dice(page, 1, 4)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("heading", name="Roll both dice")).to_be_visible()
    # the screen stays on all the same: a live picture plays
    expect(page.locator("body[data-awake=video]")).to_be_visible(timeout=SOON_MS)
    video = page.locator("video.wake-video")
    began = video.evaluate("(video) => video.currentTime")
    page.wait_for_function("(began) => document.querySelector('.wake-video').currentTime > began", arg=began)
    assert video.evaluate("(video) => [video.paused, video.loop, video.srcObject.getTracks().length]") == [
        False,
        False,
        2,
    ]
    # and does not where the device was told so
    open_menu(page)
    page.get_by_role("button", name="Sounds and screen on this device").click()
    page.get_by_text("Screen stays on").click()
    expect(page.locator("body[data-awake]")).to_have_count(0)
    assert video.evaluate("(video) => video.paused")
    context.close()
    assert troubles == []


def test_on_localhost_the_last_state_is_shown_without_the_table(device, tmp_path: Path):
    house = Service(tmp_path, "--camera", "none")
    session = new_game(house, "sack_stackers", "Ann", "Bob")
    page = opened(device(base_url=house.url), session)
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.reload()
    expect(page.locator("body[data-line=open]")).to_be_visible(timeout=SOON_MS)
    roll(house, session, 0, 6, 2)
    shown_dice(page, 6, 2)  # seen after the page was loaded: kept by its piece, not by its page
    house.kill()
    page.reload()
    shown_dice(page, 6, 2)
    expect(page.locator("#line")).to_contain_text("Showing the score from", timeout=SOON_MS)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was recorded")
    with running(tmp_path, "--camera", "none", "--port", house.url.rsplit(":", 1)[1]):
        expect(page.locator("#line")).to_be_hidden(timeout=SOON_MS)
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.get_by_role("heading", name="Roll both dice")).to_be_visible(timeout=SOON_MS)


# asks for a page that this browser has never seen; "waits" says that the table's silence lasted longer than the browser
# waits before it shows a page that it kept
ASK = """(path) => {
    window.answer = fetch(path).then((response) => String(response.status), () => "lost");
    return Promise.race([window.answer, new Promise((done) => setTimeout(done, 4500, "waits"))]);
}"""


def test_a_page_that_was_never_kept_is_waited_for(device, tmp_path: Path):
    with running(tmp_path, "--camera", "none") as house:
        seen, unseen = (new_game(house, "sack_stackers", "Ann", "Bob") for _ in range(2))
        page = opened(device(base_url=house.url), seen)
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        halt(house.process.pid)
        try:
            assert page.evaluate(ASK, f"/s/{unseen}") == "waits"
        finally:
            house.process.send_signal(signal.SIGCONT)
        assert page.evaluate("() => window.answer") == "200"


SIZE_OF = """async (address) => {
    const icon = Object.assign(new Image(), { src: address });
    await icon.decode();
    return `${icon.width}x${icon.height}`;
}"""


def test_the_manifest_names_icons_that_are_there(device, service):
    page = device()
    page.goto("/")
    manifest = page.request.get(page.locator('link[rel="manifest"]').get_attribute("href") or "").json()
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        answer = page.request.get(icon["src"])
        assert answer.headers["content-type"].startswith(icon["type"])
        if icon["sizes"] != "any":
            assert page.evaluate(SIZE_OF, icon["src"]) == icon["sizes"]


# sounds


def test_a_device_is_silent_until_it_is_told_otherwise(device, service):
    session = new_game(service, "sack_stackers", "Ann", "Bob")
    page = device()
    page.add_init_script("""
        window.tones = []; window.spoken = [];
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (when) {
          window.tones.push(this.frequency.value);
          return start.call(this, when);
        };
        speechSynthesis.speak = (said) => window.spoken.push([said.text, said.lang]);
    """)
    opened(page, session)
    roll(service, session, 0, 3, 5)
    shown_dice(page, 3, 5)
    assert page.evaluate("() => [tones, spoken]") == [[], []]
    open_menu(page)
    page.get_by_role("button", name="Sounds and screen on this device").click()
    page.get_by_text("Sounds", exact=True).click()
    page.get_by_text("Speech", exact=True).click()
    page.get_by_role("button", name="Done").click()
    page.evaluate("() => { tones.length = 0; spoken.length = 0; }")
    undo(service, session, 1)
    page.wait_for_function("() => tones.length > 0 && spoken.length > 0")
    text, lang = page.evaluate("() => spoken[0]")
    assert text.startswith("Roll both dice")
    assert lang == "en"
