"""The game that the hall has for this table: shown on the first page, and begun by one tap with its players."""

import html

import pytest

from companion.journal.devices import Role
from companion.letters.offer import Offer, Player
from web.app import create_app

NAMES = ("Ann", "Björn", "O'Neil")


@pytest.fixture
def offer(host):
    players = tuple(Player(id=f"p{number}", name=name) for number, name in enumerate(NAMES))
    host.offered = Offer(
        session="cup-1", title="Autumn Cup", round=2, number=3, game="stack_dice", preset="printed", players=players
    )
    return host.offered


def test_one_tap_begins_the_game_with_its_players(client, host, offer):
    page = html.unescape(client.get("/").text)
    for words in ("Autumn Cup", "Round 2, game 3", "Begin this game", *NAMES):
        assert words in page
    answer = client.post("/offered/cup-1")
    assert (answer.status_code, "cup-1" in answer.location) == (303, True)
    table = host.table("cup-1")
    assert table.session.players == ("p0", "p1", "p2")
    assert [table.names[player] for player in table.session.players] == list(NAMES)
    assert (table.session.preset, host.active.session) == ("printed", "cup-1")


def test_a_second_tap_leads_to_the_same_game(client, host, offer):
    first, second = client.post("/offered/cup-1"), client.post("/offered/cup-1")
    assert first.location == second.location
    assert len(host.games()) == 1
    assert "Begin this game" not in client.get("/").text


def test_another_game_than_the_hall_has_is_not_begun(client, host, offer):
    answer = client.post("/offered/cup-2")
    assert (answer.status_code, "no such game" in html.unescape(answer.text)) == (404, True)
    host.offered = None
    assert client.post("/offered/cup-1").status_code == 404
    assert host.games() == ()


@pytest.mark.parametrize("change", [{"game": "chess"}, {"preset": "mine"}])
def test_a_game_that_this_table_does_not_have_is_one_sentence(client, host, offer, change):
    host.offered = Offer(**{name: getattr(offer, name) for name in offer.__struct_fields__} | change)
    answer = client.post("/offered/cup-1")
    assert 400 <= answer.status_code < 500
    assert host.games() == ()


def test_a_game_that_was_deleted_is_not_offered_again(client, host, offer):
    client.post("/offered/cup-1")
    host.delete_game("cup-1")
    assert "Begin this game" not in client.get("/").text
    assert client.post("/offered/cup-1").status_code == 404


@pytest.mark.parametrize(("role", "status"), [(Role.WATCHER, 403), (Role.PLAYER, 303), (None, 403)])
def test_who_may_begin_it(host, offer, role, status):
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    if role:
        device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(role)}"
    assert ("Begin this game" in device.get("/").text) == (status == 303)
    assert device.post("/offered/cup-1").status_code == status


def test_a_locked_game_has_the_device_that_begins_it_as_its_referee(client, host, offer):
    host.offered = Offer(**{name: getattr(offer, name) for name in offer.__struct_fields__} | {"preset": "tournament"})
    answer = client.post("/offered/cup-1")
    assert host.table("cup-1").session.locked
    assert "referee" in answer.headers["Set-Cookie"]
