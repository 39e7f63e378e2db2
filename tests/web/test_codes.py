"""A code is offered by name and by plain address: many Androids know no names that end in .local."""

import re

import pytest

from companion.ids import EVERY, is_id
from companion.journal.devices import Role
from companion.journal.schema import VERSION, migrate
from web.app import create_app

BY_NAME, BY_ADDRESS = "http://table.local:8000", "http://192.168.1.5:8000"
GUEST = "192.168.1.20"


@pytest.fixture
def app(host):
    host.status.set_addresses((BY_NAME, BY_ADDRESS))
    return create_app(host, allowed_hosts=["games.example"])


@pytest.fixture
def client(app):
    """The machine itself, under localhost."""
    return app.test_client()


@pytest.fixture
def phone(app):
    found = app.test_client()
    found.environ_base["REMOTE_ADDR"] = GUEST
    return found


def shown(page):
    """The links of a page with codes; each code has the link that stands beside it as its title."""
    links = re.findall(r'-link"[^>]*>(http[^<]+)<', page)
    assert re.findall(r"<svg[^>]*><title>([^<]+)</title>", page) == links
    return links


def bases(page):
    return [re.match(r"https?://[^/]+", link)[0] for link in shown(page)]


@pytest.fixture
def locked(client):
    """A tournament game, begun by the machine itself, which is its referee."""
    begun = {"game": "sack_stackers", "players": ["Ann", "Bob"], "preset": "tournament"}
    return client.post("/api/sessions", json=begun).json["id"]


def test_every_page_with_a_code_offers_the_same_link_by_plain_address(client, sack, locked):
    pages = [
        client.get("/"),
        client.post("/house/link", data={"role": "player"}),
        client.post("/house/hand-over"),
        client.get(f"/s/{sack.session.id}/result"),
        client.get(f"/s/{locked}/referee"),
    ]
    for page in pages:
        first, second = shown(page.text)
        assert (first, second) == (BY_NAME + first.removeprefix(BY_NAME), BY_ADDRESS + first.removeprefix(BY_NAME))
        assert page.text.index(first) < page.text.index("Doesn&#39;t open? Use this code") < page.text.index(second)


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        ("http://localhost:8000", [BY_NAME, BY_ADDRESS]),
        ("https://table.local:8443", ["https://table.local:8443", "https://192.168.1.5:8443"]),
        ("http://192.168.1.5:8000", [BY_ADDRESS, BY_NAME]),
        ("https://games.example", ["https://games.example"]),
        ("http://[fd12::5]:8000", ["http://[fd12::5]:8000", BY_NAME]),
        ("http://[fd12::5]", ["http://[fd12::5]", "http://table.local"]),
    ],
)
def test_the_hosts_own_way_leads(app, host, used, expected):
    device = app.test_client()
    device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.HOST)}"
    assert bases(device.get("/", base_url=used).text) == expected


@pytest.mark.parametrize("used", ["http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000"])
def test_where_no_other_device_reaches_the_table_there_is_a_sentence_and_no_code(app, host, monkeypatch, used):
    host.status.set_addresses(())
    monkeypatch.setattr("web.pages.codes.own_address", lambda: None)
    device = app.test_client()
    device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.HOST)}"
    for page in ("/", "/house"):
        text = device.get(page, base_url=used).text
        assert (shown(text), "There is no code" in text) == ([], True)


def test_an_address_of_one_cable_alone_stands_in_no_code(app, host):
    device = app.test_client()
    device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.HOST)}"
    assert bases(device.get("/", base_url="http://169.254.33.7:8000").text) == [BY_NAME, BY_ADDRESS]


def test_without_a_name_there_is_one_code(client, host):
    host.status.set_addresses((BY_ADDRESS,))
    page = client.get("/").text
    assert bases(page) == [BY_ADDRESS]
    assert "Use this code" not in page


def test_the_next_code_leads_with_the_way_that_the_last_guest_needed(client, phone):
    link = shown(client.get("/").text)[0]
    path = link.removeprefix(BY_NAME)
    client.get(path, base_url=BY_ADDRESS)  # the machine itself needs no code
    phone.head(path, base_url=BY_ADDRESS)  # nobody came in
    phone.get("/join/forged", base_url=BY_ADDRESS)
    assert bases(client.get("/").text) == [BY_NAME, BY_ADDRESS]
    phone.get(path, base_url=BY_ADDRESS)
    assert bases(client.get("/").text) == [BY_ADDRESS, BY_NAME]
    phone.delete_cookie("ticket")
    phone.get(path, base_url=BY_NAME)
    assert bases(client.get("/").text) == [BY_NAME, BY_ADDRESS]


@pytest.mark.parametrize("name", ["all", "none", "player", "0"])
def test_a_game_that_is_called_like_a_word_of_ours_has_a_code_of_its_own(host, name):
    host.create("sack_stackers", ["Ann", "Bob"], {}, name)  # as a game that was brought here may be
    of_the_house = host.access.codes.standing(Role.WATCHER)
    of_the_game = host.access.codes.standing(Role.WATCHER, name)
    assert of_the_house != of_the_game
    assert host.access.tickets.ticket(of_the_house).session is None
    assert host.access.tickets.ticket(of_the_game).session == name
    assert host.access.codes.standing(Role.WATCHER) == of_the_house
    assert not is_id(EVERY)  # what stands for all of them is no id


def test_the_codes_on_the_walls_of_an_older_house_stay(host):
    token = host.access.codes.standing(Role.PLAYER)
    with host.journal.changing() as db:
        db.execute("UPDATE settings SET name = 'code:player:all' WHERE name = 'code:player:*'")
        migrate(db, VERSION - 1)
    assert host.access.codes.standing(Role.PLAYER) == token


@pytest.mark.parametrize(("role", "sentence"), [("player", "a player"), ("watcher", "a spectator"), ("host", "a host")])
def test_a_new_code_says_in_one_sentence_what_it_is_for(app, role, sentence):
    page = app.test_client().post("/house/link", data={"role": role, "seat": ""}).text
    assert f"Scan to join as {sentence}." in page
