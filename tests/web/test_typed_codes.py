"""Short codes: five letters, typed at the table's address, for devices that can scan nothing."""

import re

import pytest

from companion.access.host_pin import FREE_TRIES, MOST_TRIES
from companion.access.short_codes import CODE_MINUTES, LETTERS, MOST_CODES, ShortCodes, Way
from companion.journal.settings import WRONG_PINS
from tests.web.test_access import pin_of
from web.app import create_app

GUEST = "192.168.1.20"
TYPED = re.compile(r'<p class="typed-code"[^>]*>(\w+)</p>')
ENDED = "Wrong PIN or code. A code ends after 10 minutes: ask the host for a new one."
WATCHES, PLAYS, HOSTS = "/people", "/new", "/house"  # what a watcher, a player and the host may open


@pytest.fixture
def app(host):
    host.status.set_addresses(("http://table.local:8000",))
    return create_app(host)


@pytest.fixture
def client(app):
    """The machine itself."""
    return app.test_client()


@pytest.fixture
def stranger(app):
    """A device in the network without cookies, as an app on a home screen is at first; a number for its address."""

    def device(number=20):
        made = app.test_client()
        made.environ_base["REMOTE_ADDR"] = f"192.168.1.{number}"
        return made

    return device


def code_on(page):
    assert page.status_code == 200
    return TYPED.search(page.text)[1]


def typed(device, code, **more):
    return device.post("/pin", data={"pin": code, **more})


def may(device):
    return [device.get(page).status_code == 200 for page in (WATCHES, PLAYS, HOSTS)]


@pytest.mark.parametrize(
    ("form", "first", "rights"),
    [
        ({"role": "watcher"}, "/", [True, False, False]),
        ({"role": "watcher", "seat": "/board"}, "/board", [True, False, False]),
        ({"role": "player"}, "/", [True, True, False]),
        ({"role": "host", "once": "on"}, "/", [True, True, True]),
    ],
)
def test_a_code_gives_what_its_link_gives(client, stranger, form, first, rights):
    code, device = code_on(client.post("/house/link", data=form)), stranger()
    assert len(code) == 5
    assert set(code) <= set(LETTERS)
    assert may(device) == [False, False, False]
    assert typed(device, code).location == first
    assert may(device) == rights


def test_a_code_for_a_seat_plays_for_that_seat_alone(client, stranger, host, sack):
    ann = sack.session.players[0]
    code = code_on(client.post("/house/link", data={"role": "player", "seat": f"{sack.session.id}/{ann}"}))
    assert typed(stranger(), code).location == f"/s/{sack.session.id}?player={ann}"


def test_the_code_of_the_first_page_asks_each_device_who_it_is(client, stranger, host, sack):
    host.active.hold(sack.session.id)
    assert "Show a code to type" in client.get("/").text
    code = code_on(client.post("/house/code"))
    for number in (21, 22):
        assert typed(stranger(number), code).location == "/who"
    assert [ticket.label for ticket in host.access.tickets.all()].count("code on the first page, 2") == 1


@pytest.mark.parametrize("how", [str.lower, lambda code: f" {code[:2]}-{code[2:]} "])
def test_a_code_may_be_typed_in_small_letters_and_with_gaps(client, stranger, how):
    assert typed(stranger(), how(code_on(client.post("/house/code")))).status_code == 303


@pytest.mark.parametrize(("shown", "read"), [("2", "Z"), ("5", "S"), ("8", "B"), ("6", "G")])
def test_what_looks_like_another_letter_is_read_as_the_one_that_codes_have(monkeypatch, shown, read):
    monkeypatch.setattr("companion.access.short_codes.random_code", lambda: shown * 5)
    codes = ShortCodes()
    codes.new(Way("token"))
    assert codes.find(read * 5) == Way("token")
    assert not set("ZSBGOI01") & set(LETTERS)


def test_a_code_ends_by_itself_after_ten_minutes_of_uptime():
    now = [5]
    codes = ShortCodes(lambda: now[0])
    code = codes.new(Way("token", "board"))
    now[0] += CODE_MINUTES * 60_000_000 - 1
    assert codes.find(code) == Way("token", "board")
    now[0] += 1
    assert codes.find(code) is None


def test_a_wrong_or_ended_code_is_one_sentence_with_the_field_below(host, stranger, client):
    code = code_on(client.post("/house/code"))
    host.access.short_codes = ShortCodes()  # as after a restart
    for wrong in (code, "XXXXX", "1", ""):
        answer = typed(stranger(), wrong)
        assert answer.status_code == 403
        assert answer.text.count(ENDED) == 1
        assert 'name="pin"' in answer.text


def test_the_oldest_code_gives_way_so_that_memory_is_bounded():
    codes = ShortCodes()
    made = [codes.new(Way(str(number))) for number in range(MOST_CODES + 1)]
    assert len(set(made)) == MOST_CODES + 1
    assert [codes.find(code) is None for code in made] == [True] + MOST_CODES * [False]


def test_a_hosts_code_counts_once_and_there_is_none_for_a_link_of_many_hosts(client, stranger):
    assert not TYPED.search(client.post("/house/link", data={"role": "host"}).text)
    code = code_on(client.post("/house/hand-over"))
    first, second = stranger(21), stranger(22)
    assert typed(first, code).status_code == 303
    refused = typed(second, code)
    assert (refused.status_code, may(second)) == (403, [False, False, False])
    assert "This link has expired." in refused.text


def test_a_double_tap_on_join_answers_the_same_device_twice(client, stranger):
    code, device = code_on(client.post("/house/link", data={"role": "host", "once": "on"})), stranger()
    opener = re.search(r'name="opener" value="([^"]+)"', device.get("/").text)[1]
    typed(device, code, opener=opener)
    device.delete_cookie("ticket")  # The browser dropped the first answer.
    assert typed(device, code, opener=opener).status_code == 303
    assert may(device) == [True, True, True]


def test_a_code_ends_with_its_link(client, stranger, host):
    code = code_on(client.post("/house/link", data={"role": "player"}))
    host.access.tickets.revoke(host.access.tickets.all()[0].id)
    assert typed(stranger(), code).status_code == 403


def test_wrong_codes_and_wrong_pins_count_together_from_each_address_and_from_all(host, client, stranger):
    pin_of(host).renew()
    code = code_on(client.post("/house/code"))
    for wrong in ("XXXXX", "12345678", "XXXX2", "87654321", "X")[:FREE_TRIES]:
        assert typed(stranger(20), wrong).status_code == 403
    waits = typed(stranger(20), code)  # It is not even looked at.
    assert waits.status_code == 429
    assert "Too many wrong tries. Try again in 30 seconds." in waits.text
    for number in range(MOST_TRIES - FREE_TRIES):
        typed(stranger(30 + number // 4), "XXXXX")
    assert typed(stranger(99), code).status_code == 429


def test_a_right_code_forgives_no_wrong_pin(host, client, stranger):
    code, device = code_on(client.post("/house/code")), stranger()
    for _ in range(FREE_TRIES - 1):
        typed(device, "12345678")
        typed(stranger(), code)
    assert f'"{GUEST}":[{FREE_TRIES - 1},' in WRONG_PINS.of(host.journal)
    typed(device, "12345678")
    assert typed(device, code).status_code == 429


@pytest.mark.parametrize(("form", "path"), [({"role": "watcher"}, "/house/link"), ({}, "/house/code")])
def test_a_television_that_asks_for_the_board_types_a_code_and_sees_it(host, client, stranger, sack, form, path):
    """Also with the code on the first page, while a game is played: a television is nobody."""
    host.active.hold(sack.session.id)
    television = stranger()
    asked = television.get("/board")
    assert asked.status_code == 403
    assert "This device hasn&#39;t joined the table." in asked.text
    code = code_on(client.post(path, data=form))
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', asked.text))
    assert typed(television, code, **fields).location == "/board"
    assert television.get("/board").status_code == 200


def test_a_device_with_fewer_rights_finds_the_field_where_it_is_refused(client, stranger):
    device = stranger()
    typed(device, code_on(client.post("/house/link", data={"role": "watcher"})))
    refused = device.get(PLAYS)
    assert refused.status_code == 403
    assert 'href="/pin"' in refused.text
    assert 'name="pin"' in device.get("/pin").text
    typed(device, code_on(client.post("/house/code")))
    assert may(device) == [True, True, False]
    typed(device, code_on(client.post("/house/link", data={"role": "watcher"})))  # It keeps what it has.
    assert may(device) == [True, True, False]


def test_an_address_that_is_refused_is_shown_no_field(app):
    public = app.test_client()
    public.environ_base["REMOTE_ADDR"] = "93.184.216.34"
    answer = public.get("/board")
    assert answer.status_code == 403
    assert 'name="pin"' not in answer.text
