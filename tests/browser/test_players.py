"""Players and games in the middle of an evening, in a real browser: deleting a game, and who plays on which device."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WITHOUT_CAMERA, open_menu, open_notices

SERVICE = WITHOUT_CAMERA
PHONE = {"width": 390, "height": 844}
NETWORK = {"extra_http_headers": {"X-Forwarded-For": "192.168.1.20"}}


@pytest.fixture
def sack(service):
    """A game of Anna and Ben, made anew for each test; its id."""
    status, begun = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Anna", "Ben"]})
    assert status == 201
    return begun["id"]


def test_two_phones_say_who_they_are_and_each_plays_for_one_seat(device, service, sack):
    """By the code of the first page; the second wants the same player, is told, and takes the other one."""
    tablet = device()
    tablet.goto("/")
    code = tablet.locator(".house-link").get_attribute("href") or ""
    phones = [device(viewport=PHONE, **NETWORK) for _ in range(2)]
    for phone in phones:
        phone.goto(code[code.index("/join/") :])
        expect(phone.get_by_role("heading", name="Who are you?")).to_be_visible()
    first, second = phones
    first.get_by_role("button", name="Anna").click()
    expect(first.locator(".seats-nav [aria-current=page]")).to_contain_text("Anna")
    second.reload()
    second.get_by_role("button", name="Anna").click()
    expect(second.get_by_role("alert").first).to_contain_text("Another device already plays for Anna.")
    expect(second.get_by_role("button", name="Play for Anna here too")).to_be_visible()
    second.get_by_role("button", name="Ben").click()
    expect(second.locator(".seats-nav [aria-current=page]")).to_contain_text("Ben")
    second.get_by_role("link", name="Not you?").click()
    second.get_by_role("button", name="Just watching").click()
    expect(second.locator(".seats-nav [aria-current=page]")).to_contain_text("Everybody")
    expect(first.locator("body[data-line=open]")).to_be_visible()  # nobody's choice puts another device out


def test_somebody_stands_in_and_one_tap_ends_it_on_every_page(device, service, sack):
    page, other = device(), device(viewport=PHONE)
    other.goto(f"/s/{sack}")
    expect(other.locator("body[data-line=open]")).to_be_visible()
    page.goto(f"/s/{sack}/players")
    page.get_by_label("Who plays for Anna?").fill("Cleo")
    page.get_by_role("button", name="Add a stand-in").first.click()
    for each in (page, other):
        expect(each.locator(".stand-in")).to_contain_text("Cleo plays for Anna.")
    open_notices(other)
    other.get_by_role("button", name="Anna is back").click()
    for each in (page, other):
        expect(each.locator(".stand-in")).to_have_count(0)
        expect(each.locator(".last-text")).to_contain_text("Anna plays again.")


def test_a_player_rests_the_next_roll_comes_without_them_and_one_tap_brings_them_back(device, service, sack):
    anna, _ben = service.call(f"/api/sessions/{sack}")[1]["players"]
    page, phone = device(), device(viewport=PHONE)
    phone.goto(f"/s/{sack}")
    expect(phone.locator("body[data-line=open]")).to_be_visible()
    service.call(
        f"/api/sessions/{sack}/events", {"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "r", "seen_seq": 0}
    )
    placed = service.call(f"/api/sessions/{sack}/legal?player={anna['id']}")[1]["events"][0]
    service.call(f"/api/sessions/{sack}/events", {"event": placed, "event_id": "p", "seen_seq": 1})
    expect(phone.locator(".headline-place")).to_contain_text("Ben")
    page.goto(f"/s/{sack}/players")
    page.get_by_role("button", name="Ben takes a break").click()
    for each in (page, phone):
        expect(each.locator(".stand-in")).to_contain_text("Ben rests.")
        expect(each.locator(".headline-place")).to_contain_text("Roll both dice")  # nobody waits for Ben
    open_notices(phone)
    phone.get_by_role("button", name="Ben is back").click()
    for each in (page, phone):
        expect(each.locator(".stand-in")).to_have_count(0)
        expect(each.locator(".last-text")).to_contain_text("Ben is back.")
    open_menu(page)
    page.get_by_role("link", name="History").click()
    expect(page.locator(".history")).to_contain_text("Ben rests.")
    expect(page.locator(".entry").first.get_by_role("link", name="Correct")).to_be_visible()


def test_a_game_ends_here_and_starts_again_with_somebody_more(device, service, sack):
    page, other = device(), device(viewport=PHONE)
    other.goto(f"/s/{sack}")
    page.goto(f"/s/{sack}/players")
    page.get_by_role("link", name="End here and start again with other players").click()
    page.get_by_label("New player").first.fill("Cleo")
    page.get_by_role("button", name="End here and start again").click()
    expect(page.locator(".seats-nav")).to_contain_text("Cleo")
    assert sack not in page.url
    assert [name.inner_text().strip() for name in page.locator(".seats-nav a").all()] == [
        "Everybody", "Anna", "Ben", "Cleo"
    ]  # fmt: skip
    expect(other.locator(".headline-place")).to_contain_text("This game was ended early")


LATE = {  # what the page says of it, by the sheets
    "sack_stackers": "a newcomer has missed some",
    "sandpile_panic": "The number of players decides the size of the board and the order of the turns.",
}


@pytest.mark.parametrize("game", LATE)
@pytest.mark.parametrize(
    ("link", "after"),
    [("Add a player", ["Anna", "Ben", "Cleo", "Player 4"]), ("Move Cleo one seat earlier", ["Anna", "Cleo", "Ben"])],
)
def test_three_taps_from_the_sheet_begin_anew_with_somebody_more_or_in_another_order(
    device, service, game, link, after
):
    status, begun = service.call("/api/sessions", {"game": game, "players": ["Anna", "Ben", "Cleo"]})
    assert status == 201
    page = device(viewport=PHONE)
    page.goto(f"/s/{begun['id']}")
    open_menu(page)
    page.get_by_role("link", name="Players", exact=True).click()  # one
    expect(page.get_by_text(LATE[game])).to_be_visible()
    page.get_by_role("link", name=link).click()  # two
    page.get_by_role("button", name="End here and start again").click()  # three
    expect(page.locator("body.on-session")).to_be_visible()
    assert begun["id"] not in page.url
    shown = [name.inner_text().strip() for name in page.locator(".seats-nav a").all()]
    assert shown == ["Everybody", *after]
    assert service.call(f"/api/sessions/{begun['id']}")[1]["ended_early"]


def test_the_order_changes_by_tap_on_the_form_too(device, service, sack):
    page = device(viewport=PHONE)
    page.goto(f"/s/{sack}/line-up")
    page.get_by_label("New player").first.fill("Cleo")
    page.get_by_role("button", name="Move Ben one seat earlier").click()
    expect(page.get_by_role("textbox", name="Name").first).to_have_value("Ben")
    page.get_by_role("button", name="Move Cleo one seat earlier").click()
    page.get_by_role("button", name="End here and start again").click()
    expect(page.locator("body.on-session")).to_be_visible()
    assert [name.inner_text().strip() for name in page.locator(".seats-nav a").all()] == [
        "Everybody", "Ben", "Cleo", "Anna"
    ]  # fmt: skip


def test_the_enter_key_in_a_name_begins_and_moves_nobody(device, service, sack):
    page = device()
    page.goto(f"/s/{sack}/line-up")
    name = page.get_by_role("textbox", name="Name")
    expect(page.get_by_role("button", name="Move Ben one seat earlier")).to_be_visible()
    name.last.fill("Benno")
    name.last.press("Enter")
    expect(page.locator("body.on-session")).to_be_visible()
    assert [name.inner_text().strip() for name in page.locator(".seats-nav a").all()] == ["Everybody", "Anna", "Benno"]


def test_a_game_is_deleted_by_one_tap_more_than_asked_and_every_open_page_leaves_it(device, service, sack):
    page, other = device(), device()
    other.goto(f"/s/{sack}")
    expect(other.locator("body[data-line=open]")).to_be_visible()
    page.goto(f"/s/{sack}")
    open_menu(page)
    page.get_by_role("link", name="Delete this game").click()
    page.get_by_role("link", name="Keep it").click()
    expect(page.locator("body.on-session")).to_be_visible()
    page.goto("/")
    page.locator(f'a.game-delete[href="/s/{sack}/delete"]').click()
    expect(page.get_by_text("You can't undo this.")).to_be_visible()
    page.get_by_role("button", name="Yes, delete this game").click()
    for each in (page, other):
        expect(each.locator(".hero")).to_be_visible()
        expect(each.locator(f'a[href*="{sack}"]')).to_have_count(0)
    assert service.call(f"/api/sessions/{sack}")[0] == 404
