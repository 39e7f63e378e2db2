"""Few taps: from opening to the first roll, from one game to the next, and a result as a picture, in a real browser."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from companion.shelf import GAMES
from tests.browser.conftest import WITHOUT_CAMERA, WITHOUT_WORKER, open_menu
from tests.service import Service

SERVICE = WITHOUT_CAMERA
GUEST = {"X-Forwarded-For": "192.168.1.20"}  # no device of the house
MOST_TAPS = 6  # from the first page to the first roll


class Counted:
    """A finger that counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps = page, 0

    def tap(self, role: str, name: str, **more: object) -> None:
        self.taps += 1
        self.page.get_by_role(role, name=re.compile(name), **more).first.click()


def names(page: Page) -> list[str]:
    return [name.inner_text() for name in page.locator(".score-name, .seat-name").all()]


@pytest.fixture
def played(service: Service) -> None:
    """Two people played here before."""
    status, _game = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
    assert status == 201


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_few_taps_lead_from_the_first_page_to_the_first_roll_with_those_who_played_last(device, played, game):
    finger = Counted(device())
    finger.page.goto("/")
    finger.tap("link", "New game")
    finger.tap("link", f"^{re.escape(game.pages.title)}")
    finger.tap("button", "^Start")
    expect(finger.page.locator("body.on-session")).to_be_visible()
    sheet = finger.page.locator(".sheet")
    expect(sheet).to_contain_text("Ann")
    expect(sheet).to_contain_text("Bob")
    # now the table rolls, or the button box starts: what is left of the six is for a roll tapped in
    assert finger.taps <= MOST_TAPS - 3


def test_a_roll_is_tapped_in_within_six_taps_of_the_first_page(device, played):
    finger = Counted(device())
    finger.page.goto("/")
    finger.tap("link", "New game")
    finger.tap("link", "^Sack Stackers")
    finger.tap("button", "^Start")
    expect(finger.page.locator("body.on-session")).to_be_visible()
    finger.page.wait_for_load_state()
    finger.tap("button", "^3 · 5$")
    expect(finger.page.locator(".dice-row .die")).to_have_count(2)
    assert finger.taps <= MOST_TAPS


def test_a_rematch_and_a_game_of_the_family_are_one_tap_each(device, service):
    _status, begun = service.call("/api/sessions", {"game": "speedstax", "players": ["Ann", "Bob", "Cy"]})
    page = device()
    page.goto(f"/s/{begun['id']}/result")
    page.get_by_role("button", name="Play again").click()
    expect(page.locator("body.on-session")).to_be_visible()
    assert [re.sub(r"^\d", "", name).strip() for name in names(page)][:3] == ["Ann", "Bob", "Cy"]
    for title in ("SAMESTAX", "SWAPSTAX", "SPEEDSTAX"):
        open_menu(page)
        page.get_by_text("Another game, same players").click()
        page.get_by_role("button", name=title).click()
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        assert [re.sub(r"^\d", "", name).strip() for name in names(page)][:3] == ["Ann", "Bob", "Cy"]


def test_people_are_seated_by_a_tap_each(device, service):
    page = device()
    for name in ("Zoe", "Yann"):
        page.goto("/people")
        page.get_by_label("New player").fill(name)
        page.get_by_role("button", name="Remember", exact=True).click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    page.goto("/new?game=sack_stackers")
    before = [place.input_value() for place in page.locator("input[name=player]").all()]
    page.get_by_role("button", name="Zoe", exact=True).click()
    page.get_by_role("button", name="Yann", exact=True).click()
    seated = [place.input_value() for place in page.locator("input[name=player]").all()]
    assert {"Zoe", "Yann"} <= set(seated)
    page.get_by_role("button", name="Zoe", exact=True).click()
    page.get_by_role("button", name="Yann", exact=True).click()
    after = [place.input_value() for place in page.locator("input[name=player]").all()]
    assert not {"Zoe", "Yann"} & set(after)
    assert len(after) >= len(before)


def test_the_result_is_kept_as_a_png(device, service):
    _status, begun = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})
    page = device()
    page.goto(f"/s/{begun['id']}/result")
    with page.expect_download() as kept:
        page.get_by_role("link", name="Share").click()
    content = kept.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    assert (int.from_bytes(content[16:20]), int.from_bytes(content[20:24])) == (1080, 1350)
    assert kept.value.suggested_filename == "sack_stackers.png"


def seated(tablet: Page, phone: Page, game: dict[str, Any]) -> None:
    """The phone comes in by the code of the game's first seat, and stands on its sheet."""
    tablet.goto("/house")
    tablet.get_by_text("Another code").click()
    tablet.get_by_label("Which seat?").select_option(f"{game['id']}/{game['players'][0]['id']}")
    tablet.get_by_role("button", name="Show the code").click()
    phone.goto("/join/" + (tablet.locator(".house-link").get_attribute("href") or "").rsplit("/", 1)[1])
    expect(phone.locator("body[data-line=open]")).to_be_visible()


def goes_along(tablet: Page, phone: Page, game: dict[str, Any]) -> None:
    """The tablet begins the next game; nobody touches the phone."""
    tablet.goto(f"/s/{game['id']}/result")
    tablet.get_by_role("button", name="Play again").click()
    tablet.wait_for_url(re.compile(rf"/s/(?!{game['id']})"))
    phone.wait_for_url(re.compile(rf"{re.escape(tablet.url)}\?player="))
    expect(phone.locator(".seats-nav [aria-current=page]")).to_contain_text("Ann")
    expect(phone.locator("body[data-line=open]")).to_be_visible()


@pytest.fixture
def game(service: Service) -> dict[str, Any]:
    return service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]


def test_a_phone_of_one_seat_goes_along_to_the_next_game(device, game):
    tablet, phone = device(), device(extra_http_headers=GUEST)
    seated(tablet, phone, game)
    goes_along(tablet, phone, game)


@pytest.mark.parametrize("is_kept", [False, True], ids=["no answer", "what the browser kept"])
def test_a_phone_goes_along_where_the_table_is_too_busy_to_answer_at_once(device, game, is_kept):
    tablet, phone = device(), device(extra_http_headers=GUEST, **WITHOUT_WORKER)
    seated(tablet, phone, game)
    kept = phone.evaluate("() => document.querySelector('[data-seq]').outerHTML")
    unanswered = iter(range(2))

    def answer(route: Route) -> None:
        """The table does not answer the first questions of the phone where its game is."""
        if next(unanswered, None) is None:
            route.continue_()
        elif is_kept:
            route.fulfill(body=kept, content_type="text/html", headers={"X-Kept-At": "1"})
        else:
            route.abort()

    phone.route(f"**/s/{game['id']}/sheet**", answer)
    goes_along(tablet, phone, game)
    assert list(unanswered) == []
