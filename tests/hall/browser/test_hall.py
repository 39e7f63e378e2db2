"""The hall's board in a browser: it follows what tables say, turns its pages, and says when it may be old."""

import json
import re
import socket
import threading

import pytest
from playwright.sync_api import expect

from companion.changes import Live
from companion.clock import wall_us
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from companion.hub.series import Worth
from companion.hub.tournament.events import Form
from companion.letters.keys import Key
from tests.hall import test_doubles as doubles
from tests.hall import test_stories as stories
from tests.hall.conftest import staff_token
from tests.hall.letters import KEY, QUICK, chain_of, ranks_of
from tests.hall.processes.test_hub import table
from tests.hall.test_doubles import game_of
from tests.hall.test_live import iso, said
from tests.hall.test_record import enrol, forked, take
from web.hub.app import create_hub
from web.hub.here import Hub
from web.live.streams import Streams
from web.serving.connections import Connections
from web.serving.front import Front
from web.serving.server import PageServer

PROJECTOR, PHONE = {"width": 1920, "height": 1080}, {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}


class Running:
    """A hub's pages in this process, with a hall that tests speak to."""

    def __init__(self, folder):
        self.record, self.live = HubRecord(folder), Live()
        self.hall = Hall(self.record.public_of, self.live, on_sign=self.record.hear)
        listener = socket.create_server(("127.0.0.1", 0))
        streams = Streams(self.live)
        streams.start()
        self.ended = threading.Event()
        self.app = create_hub(Hub(self.record, self.hall, self.live))
        front = Front(self.app, streams)
        self.pages = PageServer(front, Connections(), [listener], self.ended.set)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.pages.start()

    def say(self, key=KEY, **more):
        self.hall.hear(key.id[:8], json.dumps(said(wall_us(), key=key, **more)).encode(), is_retained=False)

    def stop(self):
        self.live.close()
        self.pages.stop()


@pytest.fixture
def hub(tmp_path):
    hub = Running(tmp_path)
    yield hub
    hub.stop()
    hub.record.close()


@pytest.fixture
def look(browser, hub):
    contexts, complaints = [], []

    def opened(size, path="/"):
        context = browser.new_context(base_url=hub.url, viewport=size)
        contexts.append(context)
        context.add_cookies([{"name": "staff", "value": staff_token(hub.record), "url": hub.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def test_the_board_follows_and_its_clock_runs(hub, look, caplog):
    enrol(hub.record)
    page = look(PROJECTOR)
    table = page.locator(".hall-table")
    expect(table).to_contain_text("Not heard of yet")
    hub.say(clock=iso(wall_us() + 100_000_000))
    expect(table).to_contain_text("Sack Stackers")
    clock = table.locator(".hall-clock")
    first = clock.text_content()
    assert re.fullmatch(r"1:[34]\d", first)
    expect(clock).not_to_have_text(first)
    hub.say(asks=1, seats=[{"player": "seat 1", "points": 8}])
    expect(table).to_contain_text("The camera asks")
    expect(table.locator(".hall-seats b")).to_have_text("8")
    assert "stream failed" not in caplog.text


def test_few_tables_are_shown_in_larger_letters(hub, look):
    enrol(hub.record)
    hub.say()
    page = look(PROJECTOR)
    expect(page.locator(".hall-seats")).to_be_visible()
    expect(page.locator("html")).to_have_css("font-size", re.compile(r"^([4-9]\d|\d{3})(\.\d+)?px$"))  # 40 px or more
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.set_viewport_size(PHONE)
    expect(page.locator("html")).to_have_css("font-size", re.compile(r"^1?\d(\.\d+)?px$"))  # less than 20 px


def test_a_projector_turns_pages_and_shows_each_table_whole(hub, look):
    seats = [{"player": f"seat {number}", "points": number} for number in range(1, 7)]
    for number in range(40):
        key = Key(bytes([number + 1]) * 32)
        enrol(hub.record, key, f"Table {number + 1}")
        hub.say(key, name="", seats=seats)
    page = look(PROJECTOR)
    expect(page.locator("[data-pages]")).to_contain_text("Page 1 of")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    shown = page.locator(".hall-table:visible")
    assert 0 < shown.count() < 40
    bottoms = page.evaluate(
        "[...document.querySelectorAll('.hall-table')].filter((one) => one.offsetHeight)"
        ".map((one) => one.getBoundingClientRect().bottom)"
    )
    assert max(bottoms) <= PROJECTOR["height"]
    expect(page.locator("[data-pages]")).to_contain_text("Page 2 of")
    page.set_viewport_size(PHONE)
    expect(shown).to_have_count(40)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_seating_follows_and_fits_and_prints_who_sits_where(hub, look):
    enrol(hub.record, name="Window")
    desk = hub.record.desk
    names = ["Ann", "Björn", "Cleo", "Dan", "Eve"]
    cup = desk.begin("Autumn Cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, names).id
    desk.pair(cup)
    page = look(PROJECTOR, f"/tournaments/{cup}/seating")
    tables = page.locator(".hall-table")
    expect(tables).to_have_count(2)
    expect(tables.nth(0)).to_contain_text("Window")
    expect(tables.nth(1)).to_contain_text("Wait for a free table")
    pairing = desk.find(cup).state.newest.plays[0].pairing
    desk.rule(cup, 1, tuple((one,) for one in pairing.seats))
    expect(tables.nth(0)).to_contain_text("finished")
    expect(tables.nth(1)).to_contain_text("Window")  # the free table gets the next game
    for size in (PROJECTOR, TABLET, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".hall-roll")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(".hall-roll li")).to_have_text([re.compile(name) for name in names])
    expect(page.locator("[data-print]")).to_be_hidden()


def test_the_staffs_page_of_a_tournament_is_tapped_in_a_browser(hub, look):
    page = look(TABLET, "/tournaments")
    page.get_by_label("Name of the tournament").fill("Autumn Cup")
    hub.record.desk.begin("Spring Cup", "stack_dice", "printed", Form.ROUNDS, 2, 0, [])
    expect(page.locator("#hall")).to_contain_text("Spring Cup")  # The list follows, and what is typed stays.
    page.get_by_label("Game").select_option(label="Sack Stackers")
    page.get_by_label("Players at a table, at most").fill("2")
    page.get_by_label("Entrants", exact=False).fill("Nr;Wer;Wo\n1;Ann;North\n2;Björn;South")
    page.get_by_role("button", name="Begin the tournament").click()
    expect(page.get_by_label("Names")).to_have_value("Ann\nBjörn")
    page.get_by_text("Not right? Choose the columns").click()
    page.get_by_label("A name begins with").select_option(label="Column 3: Wo, North, South")
    for size in (PROJECTOR, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Read the list again").click()
    expect(page.get_by_label("Names")).to_have_value("North\nSouth")
    page.get_by_label("Names").fill("Ann\nBjörn")
    page.get_by_role("button", name="Begin the tournament").click()
    page.get_by_role("button", name="Seat round 1").click()
    page.get_by_text("Decide game 1").click()
    for name, place in (("Ann", "Place 1"), ("Björn", "Place 2")):
        page.locator(f"label:has(bdi:text-is('{name}')) select").select_option(label=place)
    page.get_by_role("button", name="Rule these places").click()
    expect(page.locator("main")).to_contain_text("Round 1 is closed.")
    expect(page.get_by_role("row").nth(1)).to_contain_text("Ann")
    for size in (PROJECTOR, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")


def test_a_tournaments_page_follows_and_keeps_what_is_chosen(hub, look):
    """A result elsewhere changes the page, not the ruling that is being typed; a refusal loses nothing."""
    desk = hub.record.desk
    names = ["Ann", "Björn", "Cleo", "Dan", "Eve", "Flo"]
    cup = desk.begin("Autumn Cup", "stack_dice", "printed", Form.ROUNDS, 2, 0, names).id
    desk.pair(cup)
    other, one, third = desk.find(cup).state.newest.plays
    page = look(PHONE, f"/tournaments/{cup}")
    page.get_by_text("Decide game 2").click()
    first, second = (page.locator(f"select[name='{entrant}']") for entrant in one.pairing.seats)
    first.select_option("2")
    page.get_by_text("Have two change seats").click()
    swapped, sits = page.locator("select[name='first']"), f"{third.pairing.seats[1]} {third.pairing.session}"
    swapped.select_option(sits)
    desk.rule(cup, other.pairing.number, tuple((each,) for each in other.pairing.seats))
    expect(page.locator("#hall")).to_contain_text("games 2 and 3 are missing")
    expect(first).to_have_value("2")
    expect(swapped).to_have_value(sits)  # though there is less to choose from before it
    page.get_by_text("Somebody comes late").click()
    late = page.locator("form[action$='late']")
    late.get_by_label("Name").fill("ann")
    late.get_by_label("Where to").select_option("0")
    late.get_by_role("button").click()
    expect(page.locator("#said")).to_have_text("Two players are called ann. Add a letter to one of them.")
    expect(late.get_by_label("Name")).to_have_value("ann")
    expect(first).to_have_value("2")
    second.select_option("1")
    page.locator(".hall-decide[open]").get_by_role("button", name="Rule these places").click()
    expect(page.locator("#hall")).to_contain_text("game 3 is missing")
    assert desk.find(cup).state.newest.plays[1].ruled == ((one.pairing.seats[1],), (one.pairing.seats[0],))
    expect(page.locator("#said")).to_be_hidden()
    page.get_by_text("What was done").click()
    page.get_by_role("button", name="Take this back").first.click()
    expect(page.locator("#hall")).to_contain_text("games 2 and 3 are missing")
    page.get_by_role("link", name="Standings", exact=True).last.click()
    standings = page.locator("#standings")
    expect(standings).to_be_in_viewport()
    standings.get_by_role("link", name="Ann").click()
    expect(page.locator("h1")).to_have_text("Ann")
    expect(page.locator("main")).to_contain_text("Autumn Cup")


def test_players_agree_on_their_phones_and_staff_take_what_they_dispute(hub, look):
    """Without a table of ours: each page follows what the others say, and nobody leaves it."""
    desk = hub.record.desk
    cup = desk.begin("Autumn Cup", "stack_dice", "printed", Form.ROUNDS, 3, 0, ["Ann", "Björn", "Cleo"], minutes=40).id
    desk.pair(cup)
    seats = desk.find(cup).state.newest.plays[0].pairing.seats
    links = hub.record.links.of(cup)
    one, two = (look(PHONE, f"/me/{links[seat]}") for seat in seats[:2])
    expect(one.locator(".hall-clock")).to_have_text(re.compile(r"^(40:00|39:[45]\d)$"))
    first = one.locator(".hall-clock").text_content()
    expect(one.locator(".hall-clock")).not_to_have_text(first)
    two.locator(f"select[name='{seats[0]}']").select_option("3")  # half of something else
    for place, seat in enumerate(seats, start=1):
        one.locator(f"select[name='{seat}']").select_option(str(place))
    one.get_by_role("button", name="Suggest these places").click()
    expect(one.locator("#hall")).to_contain_text("You say so, too.")
    expect(two.get_by_role("button", name="Yes, that's right")).to_be_visible()
    expect(two.locator(f"select[name='{seats[0]}']")).to_have_value("3")
    for place, seat in enumerate(reversed(seats), start=1):
        two.locator(f"select[name='{seat}']").select_option(str(place))
    two.get_by_role("button", name="Suggest these places").click()
    for page in (one, two):
        expect(page.locator("#hall")).to_contain_text("You don't agree.")
        page.set_viewport_size({"width": 320, "height": 640})
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    staff = look(TABLET, "/staff")
    expect(staff.locator("#hall")).to_contain_text("The players of game 1 don't agree")
    staff.get_by_role("button", name="Take this result").first.click()
    expect(staff.locator("#hall")).not_to_contain_text("don't agree")
    expect(one.locator("#hall")).to_contain_text("Round 1 is closed.")
    assert desk.find(cup).state.newest.plays[0].ruled == tuple((seat,) for seat in seats)


def test_a_series_fits_on_every_screen(hub, look):
    hub.record.series.make("ab" * 8, "Club of the long evenings", Worth.PLACES, 2)
    desk = hub.record.desk
    for number in range(4):
        names = ["Bartholomäus-Maximilian Oberhuber-Grafen", "Ann", "Björn", f"Guest {number}"]
        title = f"Evening number {number} of the autumn"
        cup = desk.begin(title, "stack_dice", "printed", Form.ROUNDS, 4, 0, names, series="ab" * 8).id
        desk.pair(cup)
        desk.rule(cup, 1, tuple((seat,) for seat in desk.find(cup).state.newest.plays[0].pairing.seats))
    page = look(TABLET, f"/series/{'ab' * 8}")
    expect(page.get_by_role("row")).to_have_count(8)
    page.get_by_text("As a table").click()
    for size in (PROJECTOR, TABLET, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")


def test_the_staffs_page_follows_who_calls_and_keeps_what_is_chosen(hub, look):
    enrol(hub.record)
    page = look(TABLET, "/staff")
    page.evaluate("window.stays = true")
    page.get_by_label("Five minutes left.").check()
    hub.say(calls=iso(wall_us()))
    expect(page.locator("#hall")).to_contain_text("Table 1 calls a referee")
    expect(page).to_have_title("(1) Staff")
    expect(page.get_by_label("Five minutes left.")).to_be_checked()
    page.get_by_role("button", name="Say that somebody is coming").click()
    expect(page.locator("#hall")).to_contain_text("It was told that somebody is coming.")
    expect(page).to_have_title("Staff")
    expect(page.get_by_label("Five minutes left.")).to_be_checked()
    page.get_by_role("button", name="Get a code").click()
    shown = page.locator(".hall-code").text_content()
    expect(page.get_by_label("Five minutes left.")).to_be_checked()
    for number in (2, 3):
        enrol(hub.record, Key(bytes([number]) * 32), f"Table {number}")
    page.get_by_text("Only at some tables").click()
    page.get_by_label("Table 2").check()  # It was not there when the page was opened.
    page.locator(".game-line", has_text="Table 3").get_by_text("Take the key away").click()
    _one, other = forked(hub.record)
    expect(page.locator("#hall")).to_contain_text("Stack: two courses of one game")
    doubles.take(hub.record, *game_of("first"))
    doubles.take(hub.record, *game_of("copy", ("eve", "mal")), Key(bytes([2]) * 32))
    expect(page.locator("#hall")).to_contain_text("one game looks like another")
    stories.send(hub.record, stories.letter(5), stories.letter(6))
    expect(page.locator("#hall")).to_contain_text("one key tells two stories")
    page.locator("section", has_text="one key tells two stories").get_by_role("button", name="Leave both").click()
    expect(page.locator("#hall")).not_to_contain_text("two stories")
    hub.record.decide("game-1", other.head)
    expect(page.locator("#hall")).not_to_contain_text("two courses of one game")
    hub.record.revoke(KEY.id)  # What is chosen stays with its table, though there is less before it.
    expect(page.locator("#hall")).to_contain_text("Key taken away")
    expect(page.get_by_label("Table 2")).to_be_checked()
    expect(page.get_by_label("Table 3")).not_to_be_checked()
    expect(page.get_by_label("Five minutes left.")).to_be_checked()
    expect(page.get_by_role("button", name="Shut out this key")).to_have_count(1)  # It is open still.
    expect(page.locator(".hall-code")).to_have_text(shown)
    for size in (PROJECTOR, PHONE):
        page.set_viewport_size(size)
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    told = page.locator("[data-keep=rung] li")
    page.get_by_role("button", name="Ring at these tables").click()
    expect(told).to_have_text([re.compile("Table 2 · Five minutes left.")])
    page.get_by_label("One minute left.").check()
    page.get_by_role("button", name="Ring at all tables").click()
    for number in (2, 3):
        expect(told.filter(has_text=f"Table {number} · One minute left.")).to_have_count(1)
    page.get_by_role("button", name="Let both count").click()
    expect(page.locator("#hall")).not_to_contain_text("one game looks like another")
    assert page.evaluate("window.stays") is True


def test_the_pages_of_a_table_and_of_the_staff_follow_and_keep_what_is_chosen(hub, look):
    enrol(hub.record)
    chain = chain_of(QUICK)
    take(hub.record, chain, ranks_of(chain, QUICK))
    page = look(TABLET, f"/tables/{KEY.id}")
    page.evaluate("window.stays = true")
    page.get_by_text("Correct it at the table").click()
    page.get_by_label("Player").select_option(label="Seat 2")
    points = page.get_by_label("Points, with a minus to deduct")
    points.fill("many")
    page.get_by_label("Why?").fill("A slip")
    hub.say()
    expect(page.locator(".hall-table")).to_contain_text("Sack Stackers")
    page.get_by_role("button", name="Enter this ruling").click()
    expect(page.locator("#said")).to_contain_text("Points must be a whole number")
    hub.say(calls=iso(wall_us()))
    expect(page.locator(".hall-table")).to_contain_text("Calls a referee")
    assert [field.input_value() for field in (points, page.get_by_label("Why?"))] == ["many", "A slip"]
    points.fill("-5")
    page.get_by_role("button", name="Enter this ruling").click()
    expect(page.locator("#hall")).to_contain_text("A ruling of −5 waits for the table.")
    expect(page.locator("#said")).to_be_hidden()
    (order,) = hub.record.orders.of_table(KEY.id)["game-1"]
    assert (order.order.player, order.order.points) == (hub.record.league.games_of(KEY.id, 1)[0].players[1], -5)
    assert page.evaluate("window.stays") is True
    page.goto("/staff/people")
    page.evaluate("window.stays = true")
    page.get_by_label("Name").fill("Rita")
    page.get_by_label("Organiser: everything").check()
    staff_token(hub.record, "referee")  # Somebody else comes in.
    expect(page.locator(".game-line")).to_have_count(2)
    assert page.get_by_label("Name").input_value() == "Rita"
    expect(page.get_by_label("Organiser: everything")).to_be_checked()
    page.get_by_role("button", name="Make a link").click()
    letters = page.locator(".hall-code")
    expect(letters).to_have_text(re.compile(r"\w{5}"))
    shown = letters.text_content()
    rita = page.locator(".game-line", has_text="Rita")
    expect(rita).to_contain_text("a link that nobody has opened")
    page.get_by_label("Name").fill("x" * 50)
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator("#said")).to_be_visible()
    assert page.get_by_label("Name").input_value() == "x" * 50
    rita.get_by_role("button", name="Let this one in no more").click()
    expect(rita).to_have_count(0)
    expect(letters).to_have_text(shown)
    assert page.evaluate("window.stays") is True


def test_a_tables_first_page_says_what_the_hall_has_without_being_loaded_anew(hub, browser, tmp_path):
    arguments = ("--hub", hub.url, "--enrol", hub.record.new_code())
    with table(tmp_path / "table", *arguments) as service:
        context = browser.new_context(viewport=TABLET)
        page = context.new_page()
        page.goto(service.url)
        expect(page.locator(".status")).to_contain_text("The hub has every finished game.")
        page.reload()
        page.evaluate("window.still = true")
        cup = hub.record.desk.begin("Autumn Cup", "stack_dice", "printed", Form.ROUNDS, 2, 0, ["Ann", "Björn"]).id
        hub.record.desk.pair(cup)
        expect(page.get_by_role("button", name="Begin this game")).to_be_visible(timeout=15_000)
        (key,) = (one["id"] for one in hub.record.enrolled())
        hub.record.chimes.ring([key], "begins")
        expect(page.locator("#toast")).to_have_text("The round begins.", timeout=15_000)
        assert page.evaluate("window.still")
        page.get_by_role("button", name="Begin this game").click()
        expect(page.locator("#live")).to_be_visible()
        hub.record.chimes.ring([key], "five minutes")
        expect(page.locator("#toast")).to_have_text("Five minutes left.", timeout=15_000)
        context.close()


def test_a_hub_that_is_gone_is_said(hub, look):
    enrol(hub.record)
    page = look(PHONE)
    expect(page.locator("#line")).to_be_hidden()
    hub.stop()
    expect(page.locator("#line")).to_be_visible()
    expect(page.locator("#line")).to_contain_text("This board may be old")
