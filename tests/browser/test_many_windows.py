"""Eight windows of one browser on a game: a browser keeps six connections to a host, and they share one stream."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import WITHOUT_CAMERA
from tests.service import Service

SERVICE = WITHOUT_CAMERA
WINDOWS = 8

# Writes down when the page shows that entry.
WAIT_FOR = """(seq) => {
    const newest = () => Number(document.querySelector("#live [data-seq]").dataset.seq);
    const shown = () => { if (newest() >= seq) window.shownAt ??= Date.now(); };
    window.shownAt = undefined;
    const all = { subtree: true, childList: true, attributes: true };
    new MutationObserver(shown).observe(document.getElementById("live"), all);
    window.wasLost = false;
    new MutationObserver(() => { window.wasLost ||= document.body.classList.contains("lost"); })
      .observe(document.body, { attributes: true });
}"""


def new_game(service: Service) -> str:
    _, made = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"], "options": {}})
    return str(made["id"])


def windows(first: Page, session: str, count: int) -> list[Page]:
    pages = [first, *(first.context.new_page() for _ in range(count - 1))]
    for page in pages:
        page.goto(f"/s/{session}")
    for page in pages:
        expect(page.locator("body[data-line=open]")).to_be_attached()
    return pages


def entered(service: Service, session: str, seq: int) -> None:
    what = {"event": {"kind": "Rolled", "dice": [3, 5]}} if seq % 2 else {}
    call = "events" if seq % 2 else "undo"
    status, answer = service.call(
        f"/api/sessions/{session}/{call}", {**what, "event_id": f"{session}-{seq}", "seen_seq": seq - 1}
    )
    assert status < 300, answer


def reach_ms(service: Service, session: str, pages: list[Page], seq: int) -> int:
    """How long an event took from the first window that showed it to the last; no window may have lost its line."""
    for page in pages:
        page.evaluate(WAIT_FOR, seq)
    entered(service, session, seq)
    for page in pages:
        page.wait_for_function("() => window.shownAt")
    at = [page.evaluate("() => window.shownAt") for page in pages]
    assert not any(page.evaluate("() => window.wasLost") for page in pages)
    return max(at) - min(at)


def test_an_event_reaches_eight_windows_at_once_and_goes_on_without_the_first(device, service):
    session = new_game(service)
    pages = windows(device(), session, WINDOWS)
    took = [reach_ms(service, session, pages, 1), reach_ms(service, session, pages, 2)]
    pages[0].close()  # the window that opened the stream
    took += [reach_ms(service, session, pages[1:], 3), reach_ms(service, session, pages[1:], 4)]
    print("from the first window to the last:", took, "ms")  # a figure to report: a busy machine may be slow


def test_two_games_at_once_reach_only_their_own_windows(device, service):
    sessions = [new_game(service), new_game(service)]
    first = device()
    groups = [windows(first, sessions[0], 4), windows(first.context.new_page(), sessions[1], 4)]
    for session, pages in zip(sessions, groups, strict=True):
        reach_ms(service, session, pages, 1)
    reach_ms(service, sessions[1], groups[1], 2)
    assert {page.locator("#live [data-seq]").get_attribute("data-seq") for page in groups[0]} == {"1"}
    assert {page.locator("#live [data-seq]").get_attribute("data-seq") for page in groups[1]} == {"2"}


def test_a_window_that_is_opened_later_hears_what_comes_and_all_are_found_again_after_a_reload(device, service):
    session = new_game(service)
    pages = windows(device(), session, 2)
    reach_ms(service, session, pages, 1)
    pages += windows(pages[0].context.new_page(), session, 1)
    reach_ms(service, session, pages, 2)
    for page in pages:
        page.reload()
    for page in pages:
        expect(page.locator("body[data-line=open]")).to_be_attached()
    reach_ms(service, session, pages, 3)
