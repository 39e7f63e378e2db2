"""The players of a running game: other names, the same colours, whose phone it is, and a game that goes for good."""

import pytest

from companion.changes import news
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house.symbols import Mark
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.export import read_game_file
from web.app import create_app


@pytest.fixture
def sack(host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table


@pytest.fixture
def device(host):
    """A device in the network, with a ticket in its cookie."""
    app = create_app(host)

    def joined(link):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        found.get(f"/join/{link}")
        return found

    return joined


def names(table):
    return [table.names[player] for player in table.session.players]


def renamed(client, table, seat, name):
    data = {"player": table.session.players[seat], "name": name}
    return client.post(f"/s/{table.session.id}/players", data=data)


def test_another_name_is_on_every_page_and_in_no_entry(host, client, sack):
    ruling = Ruling(sack.session.players[0], 2, "tea")  # the history names its player
    sack.submit(ruling, Origin("tea"))
    before = (sack.fingerprint, sack.seq)
    page = client.get(f"/s/{sack.session.id}/players").text
    assert "Change the name" in page
    assert "end this game here and start again" in page
    assert renamed(client, sack, 0, "Anna ").status_code == 303
    assert (sack.fingerprint, sack.seq) == before
    session = sack.session.id
    for page in ("", "/history", "/result", "/result.svg", "/players"):
        text = client.get(f"/s/{session}{page}").text
        assert "Anna" in text, page
        assert "Ann " not in text, page
    assert "Anna" in client.get("/").text
    exported = client.get(f"/api/sessions/{session}/export").text
    assert read_game_file(exported).broken_at is None
    assert '"Anna"' in exported
    assert '"Ann"' not in exported


def test_open_pages_hear_of_another_name(host, client, sack):
    topic = f"session:{sack.session.id}"
    seen = host.live.counts
    renamed(client, sack, 1, "Bobby")
    assert news([topic], seen, host.live.counts) == [topic]


@pytest.mark.parametrize(
    ("name", "why"), [("", "Type a name"), ("bob", "Two players are called bob"), ("x" * 41, "at most 40")]
)
def test_a_name_that_cannot_be_is_refused_and_changes_nothing(client, sack, name, why):
    refused = renamed(client, sack, 0, name)
    assert refused.status_code == 400
    assert why in refused.text
    body = {"player": sack.session.players[0], "name": name}
    assert client.post(f"/api/sessions/{sack.session.id}/names", json=body).status_code == 400
    assert names(sack) == ["Ann", "Bob"]


def test_the_api_changes_a_name_and_knows_who_sits_there(client, sack):
    address = f"/api/sessions/{sack.session.id}/names"
    assert client.post(address, json={"player": sack.session.players[1], "name": "Cy"}).json == {"done": True}
    assert client.post(address, json={"player": "nobody", "name": "Cy"}).status_code == 404
    assert names(sack) == ["Ann", "Cy"]


def test_the_game_counts_for_the_person_of_the_new_name(host, client):
    host.people.add("Cy")
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann", "Bob"])
    renamed(client, table, 0, "Cy")
    renamed(client, table, 1, "Somebody new")
    seated = host.people.seated()
    assert seated[table.session.players[0]].name == "Cy"
    assert table.session.players[1] not in seated
    assert {one.name for one in host.people.everybody()} == {"Ann", "Bob", "Cy"}


def test_everybody_keeps_their_colour_to_the_end_of_the_game(host, client):
    """Whoever they turn out to be, and whatever they choose meanwhile; the next game has the new one."""
    cy = host.people.add("Cy")
    host.people.change(cy.id, "Cy", "moon", "pink")
    ann = host.people.add("Ann")
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    before = dict(host.marks(table))
    renamed(client, table, 1, "Cy")
    assert host.marks(table) == before
    changed = client.post(f"/people/{ann.id}", data={"name": "Ann", "symbol": "heart", "colour": "black"})
    assert changed.status_code == 303
    assert host.marks(table) == before
    (line,) = host.sessions()
    assert line.marks == tuple(before.values())
    following = host.create("sack_stackers", ["Ann", "Cy"], {})
    assert list(host.marks(following).values()) == [Mark("heart", "black"), Mark("moon", "pink")]


def test_who_is_deleted_leaves_no_mark(host, client):
    ann = host.people.add("Ann")
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    renamed(client, table, 1, "Cy")
    host.erase_person(ann.id)
    kept = host.journal.select("SELECT name FROM settings WHERE name GLOB 'kept_mark:*'")
    assert kept == [(f"kept_mark:{table.session.players[1]}",)]


def test_a_phone_of_one_seat_changes_only_its_own_name(host, device, sack):
    ticket = host.access.tickets.issue(Role.PLAYER, session=sack.session.id, player=sack.session.players[0])
    phone = device(ticket)
    assert phone.get(f"/s/{sack.session.id}/players").text.count('name="player"') == 1
    assert renamed(phone, sack, 1, "Bert").status_code == 403
    assert renamed(phone, sack, 0, "Anna").status_code == 303
    assert names(sack) == ["Anna", "Bob"]


def test_in_a_tournament_only_the_referee_changes_names(host, device):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, preset="tournament")
    assert renamed(device(host.access.tickets.issue(Role.PLAYER)), table, 0, "Anna").status_code == 403
    assert table.names[table.session.players[0]] == "Ann"


def test_who_plays_alone_is_offered_no_other_order(host, client):
    for names, is_offered in ((["Ann"], False), (["Ann", "Bob"], True)):
        game = host.create("sack_stackers", names, {}).session.id
        assert ("Sit in another order" in client.get(f"/s/{game}/players").text) is is_offered
