"""“Who are you?”: asked of whoever scans a player's code, answered by a ticket of its own, and changed by one tap."""

import html
import re

import pytest

from companion.games.sack_stackers.events import Placed, Rolled
from companion.journal import codec
from companion.journal.devices import Role
from companion.journal.events import Origin
from tests.web.conftest import client_of
from web.app import create_app


@pytest.fixture
def guest(host):
    """Makes devices in the network, without a ticket."""
    app = create_app(host)

    def made():
        device = client_of(app)
        device.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        return device

    return made


@pytest.fixture
def code(host):
    return host.access.codes.standing(Role.PLAYER)


def scanned(guest, code):
    device = guest()
    answer = device.get(f"/join/{code}")
    assert answer.status_code == 303
    return device, answer.location


def page(device, address="/who"):
    return html.unescape(device.get(address).text)


def chose(device, choice, **more):
    return device.post("/who", data={"choice": choice, **more})


def ticket_of(host, device):
    return host.access.tickets.ticket(device.get_cookie("ticket").value)


def places(device, table, seat):
    """The answer to an event of one seat."""
    event = codec.event_to_json(Placed(table.session.players[seat], 1, 1, "I", "I", 4))
    body = {"event": event, "event_id": f"place-{seat}", "seen_seq": table.seq}
    return device.post(f"/api/sessions/{table.session.id}/events", json=body).status_code


def test_whoever_scans_the_code_is_asked_and_plays_for_the_seat_that_was_tapped(host, guest, code, sack):
    device, location = scanned(guest, code)
    assert location == "/who"
    asked = page(device)
    assert all(words in asked for words in ("Who are you?", "Ann", "Bob", "The tablet for everyone", "Just watching"))
    assert asked.count('class="mark"') == 2
    ann = sack.session.players[0]
    assert chose(device, ann).location == f"/s/{sack.session.id}?player={ann}"
    sack.submit(Rolled((1, 4)), Origin("roll"))
    assert (places(device, sack, 1), places(device, sack, 0)) == (403, 200)
    ticket = ticket_of(host, device)
    assert (ticket.role, ticket.session, ticket.player) == (Role.PLAYER, sack.session.id, ann)
    assert "Not you?" in page(device, f"/s/{sack.session.id}")


def test_each_choice_is_a_ticket_of_its_own_and_no_other_device_of_the_link_is_touched(host, guest, sack):
    """A link that serves many devices is never narrowed."""
    link = host.access.tickets.issue(Role.PLAYER, label="the club's link")
    (first, asked), (second, _asked) = scanned(guest, link), scanned(guest, link)
    assert asked == "/who"
    chose(first, sack.session.players[0])
    assert ticket_of(host, first).player == sack.session.players[0]
    assert (host.access.tickets.ticket(link).player, ticket_of(host, second).player) == (None, None)
    assert second.get("/new").status_code == 200
    host.access.tickets.revoke(host.access.tickets.id_of(link))
    assert [device.get(f"/s/{sack.session.id}").status_code for device in (first, second)] == [403, 403]


def test_the_choice_is_changed_by_one_tap_and_leaves_no_ticket_behind(host, guest, code, sack):
    device, _location = scanned(guest, code)
    ann, bob = sack.session.players
    before = len(host.access.tickets.all())
    for choice in (ann, bob, "nobody", "everybody", ann):
        assert chose(device, choice).status_code == 303
        assert len(host.access.tickets.all()) == before
        assert 'aria-current="true"' in page(device)
    assert ticket_of(host, device).player == ann
    assert ticket_of(host, device).label == "code on the first page, 1"


def test_who_just_watches_changes_nothing_and_may_play_later(host, guest, code, sack):
    device, _location = scanned(guest, code)
    chose(device, "nobody")
    assert places(device, sack, 0) == 403
    assert device.get(f"/s/{sack.session.id}").status_code == 200
    assert chose(device, sack.session.players[1]).status_code == 303
    assert ticket_of(host, device).player == sack.session.players[1]


def test_the_second_device_for_a_player_is_told_and_may_take_the_seat_anyway(host, guest, code, sack):
    (first, _), (second, _) = scanned(guest, code), scanned(guest, code)
    ann = sack.session.players[0]
    chose(first, ann)
    first.get(f"/s/{sack.session.id}")
    assert "another device plays here" in page(second)
    told = chose(second, ann)
    assert told.status_code == 409
    assert "Another device already plays for Ann." in told.text
    assert ticket_of(host, second).player is None
    assert chose(second, ann, anyway="yes").status_code == 303
    assert [ticket_of(host, device).player for device in (first, second)] == [ann, ann]


def test_a_code_for_one_game_chooses_in_that_game_alone(host, guest, sack):
    other = host.create("sack_stackers", ["Cleo", "Di"], {})
    link = host.access.tickets.issue(Role.PLAYER, session=sack.session.id)
    device, location = scanned(guest, link)
    assert location == "/who"
    assert "Ann" in page(device)
    assert "Cleo" not in page(device, f"/who?game={other.session.id}")
    assert chose(device, other.session.players[0], game=other.session.id).status_code == 404
    assert ticket_of(host, device).player is None


def test_in_the_next_game_that_seat_is_chosen_anew_without_a_new_scan(host, guest, code, sack):
    device, _location = scanned(guest, code)
    chose(device, sack.session.players[0])
    sack.end_early(Origin("end"))
    other = host.create("sack_stackers", ["Cleo", "Di"], {})
    assert "Cleo" in page(device, f"/who?game={sack.session.id}")
    assert chose(device, other.session.players[1]).location.startswith(f"/s/{other.session.id}")


def test_nobody_is_asked_where_no_game_is_played_or_who_came_otherwise(host, guest, code, client, sack):
    single = host.access.tickets.issue(Role.PLAYER, once=True)
    once = guest()
    assert once.post(f"/join/{single}").location == "/"
    seat = host.access.tickets.issue(Role.PLAYER, session=sack.session.id, player=sack.session.players[0])
    assert "player=" in scanned(guest, seat)[1]
    for role in (Role.WATCHER, Role.HOST):
        device, location = scanned(guest, host.access.tickets.issue(role))
        assert location == "/"
        assert device.get("/who").status_code == 400
    assert "can't choose a seat" in page(client)
    assert "Not you?" not in client.get(f"/s/{sack.session.id}").text
    sack.end_early(Origin("end"))
    device, location = scanned(guest, code)
    assert location == "/"
    assert device.get("/who").location == "/"


def test_whoever_came_before_the_game_is_asked_when_they_open_it_and_only_once(host, guest, code):
    device, location = scanned(guest, code)
    assert location == "/"
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    asks = f'class="continue" href="/who?game={table.session.id}"'
    assert asks in page(device, "/")
    assert "Who are you?" in page(device, f"/who?game={table.session.id}")
    assert asks not in page(device, "/")


def test_whoever_scans_again_is_not_asked_again(guest, code, sack):
    device, location = scanned(guest, code)
    assert (location, device.get(f"/join/{code}").location) == ("/who", "/")


def test_a_link_has_no_more_devices_than_a_code(host, guest, sack, monkeypatch):
    monkeypatch.setattr("companion.access.wall_codes.MOST_DEVICES", 2)
    link = host.access.tickets.issue(Role.PLAYER)
    devices = [scanned(guest, link)[0] for _ in range(3)]
    answers = [chose(device, sack.session.players[0], anyway="yes") for device in devices]
    assert [answer.status_code for answer in answers] == [303, 303, 503]
    assert re.search("Too many devices use this link", answers[-1].text)
    assert chose(devices[0], sack.session.players[1]).status_code == 303  # its own place is free for it
