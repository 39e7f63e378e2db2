"""Who may do what: every route against every role, forged tickets, guessed PINs, foreign names and sites."""

import html
import ipaddress
import json
import re
from random import Random

import pytest
from argon2 import PasswordHasher

from companion import periodic
from companion.access.access import Access
from companion.access.host_pin import FREE_TRIES, LONGEST_WAIT_US, MOST_TRIES, HostPin
from companion.access.tickets import DAY_US, LINK_MINUTES, TICKET_DAYS
from companion.clock import uptime_us, wall_us
from companion.errors import JournalUnusable, NotAllowed, TooManyTries
from companion.game.readings import Kind
from companion.games.sack_stackers.events import Rolled
from companion.house.outcomes import stored_outcome
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.settings import WRONG_PINS
from companion.journal.tickets import all_tickets
from companion.network.links import Interface
from companion.network.peers import Grounds
from companion.periodic import PeriodicThread
from tests.parts import connect
from web.access import gate
from web.access.gate import NEEDS, Need
from web.app import create_app

GUEST = "192.168.1.20"
POLICY = "Content-Security-Policy"
ROLES = (None, *Role)
ALLOWED = {
    Need.NOTHING: set(ROLES),
    Need.READ: {Role.WATCHER, Role.PLAYER, Role.HOST},
    Need.PLAY: {Role.PLAYER, Role.HOST},
    Need.CORRECT: {Role.PLAYER, Role.HOST},
    Need.WIFI: {Role.HOST},  # and whoever is in the table's own Wi-Fi: tests/web/test_wifi.py
    Need.HOST: {Role.HOST},
}


@pytest.fixture
def app(host):
    from companion.demo.table import DemoTable

    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    return create_app(host)


@pytest.fixture
def client(app):
    """The machine itself."""
    return app.test_client()


@pytest.fixture
def guest(app, host):
    """A device in the network, with the ticket of a role."""

    def device(role=None, **more):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = GUEST
        if role is not None:
            found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(role, **more)}"
        return found

    return device


def addresses(app, session, profile="x"):
    """Every route of the application: endpoint, method, an address that leads there."""
    values = {"session": session, "seq": "1", "name": "x", "proposal": "x", "picture": "x", "token": "x",
              "seat": "1", "die": "1", "profile": profile, "action": "build", "filename": "icon.svg",
              "version": "0", "cut": "x", "number": "1", "place": "above", "digest": "x"}  # fmt: skip
    for rule in app.url_map.iter_rules():
        address = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", lambda part: values[part[1]], rule.rule)
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"}):
            yield rule.endpoint, method, address


@pytest.mark.parametrize("role", ROLES, ids=str)
def test_every_route_lets_in_exactly_the_roles_it_names(app, guest, sack, role):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    device = guest(role)
    asked = 0
    for endpoint, method, address in addresses(app, sack.session.id):
        if endpoint.endswith("stream"):
            continue  # it never ends; the check before it is the same, see below
        answer = device.open(address, method=method)
        answer.close()
        allowed = role in ALLOWED[NEEDS.get(endpoint, Need.HOST)]
        if endpoint in ("devices.join", "devices.enter_pin"):
            continue  # a bad link and an empty PIN are refused for themselves
        assert (answer.status_code != 403) == allowed, (endpoint, method, address, answer.status_code)
        asked += 1
    assert asked > 40


def test_every_route_that_is_named_is_there_and_players_use_all_of_the_demos_table(app):
    there = {rule.endpoint for rule in app.url_map.iter_rules()}
    assert set(NEEDS) <= there
    assert {each for each in there if each.startswith("demo.") and NEEDS.get(each) is not Need.PLAY} == set()


def test_a_device_that_was_let_in_for_one_game_sees_no_picture_of_another(guest, host, sack):
    other = host.create("sack_stackers", ["Cleo"], {})
    theirs = host.journal.add_picture(b"theirs", wall_us(), other.session.id)
    own = host.journal.add_picture(b"own", wall_us(), sack.session.id)
    nobodys = host.journal.add_picture(b"nobody's", wall_us())
    device, pictures = guest(Role.PLAYER, session=sack.session.id), (own, theirs, nobodys)
    asked = [
        [one.get(f"/api/pictures/{name}.jpg").status_code for name in pictures] for one in (device, guest(Role.PLAYER))
    ]
    assert asked == [[200, 404, 404], [200, 200, 200]]
    assert device.get(f"/api/pictures/{theirs}.jpg", headers={"If-None-Match": f'"{theirs}"'}).status_code == 404


def test_a_ticket_given_over_https_is_never_sent_in_the_clear(app, host):
    device, https = app.test_client(), {"base_url": "https://localhost"}
    device.environ_base["REMOTE_ADDR"] = GUEST
    encrypted = device.get(f"/join/{host.access.tickets.issue(Role.PLAYER)}", **https).headers["Set-Cookie"]
    assert encrypted.startswith("__Host-ticket=")
    assert "Secure" in encrypted
    assert (device.get("/new", **https).status_code, device.get("/new").status_code) == (200, 403)
    in_the_clear = device.get(f"/join/{host.access.tickets.issue(Role.PLAYER)}").headers["Set-Cookie"]
    assert "Secure" not in in_the_clear
    assert device.get("/new").status_code == 200  # the same device by the other door


def test_what_a_referees_device_keeps_from_https_is_never_sent_in_the_clear(client, host):
    https = {"base_url": "https://localhost"}
    locked = {"game": "sack_stackers", "players": ["Ann", "Bob"], "preset": "tournament"}
    before = client.post("/api/sessions", json=locked).json["id"]  # before the house had a certificate
    begun = client.post("/api/sessions", json=locked, **https)
    now = begun.json["id"]
    kept, dropped = begun.headers.getlist("Set-Cookie")
    assert kept.startswith("__Host-referee=")
    assert "Secure" in kept
    assert all(key in kept for key in (f"{before}:", f"{now}:"))
    assert re.match("referee=;.*Max-Age=0", dropped)
    ruling = {"player": "nobody", "points": "1", "why": "late"}
    assert client.post(f"/s/{before}/referee", data=ruling, **https).status_code == 400  # asks for a player, no referee
    assert client.get_cookie("referee") is None


def test_streams_are_checked_like_every_route(guest, sack):
    assert guest().get(f"/api/sessions/{sack.session.id}/stream").status_code == 403
    assert guest(Role.WATCHER).get("/table/stream").status_code == 403


def test_the_first_page_and_the_health_check_need_no_ticket(guest):
    page = guest().get("/")
    assert page.status_code == 200
    assert "Scan the code" in page.text
    assert guest().get("/healthz").status_code == 200


def test_what_a_thread_failed_with_only_the_host_is_told(guest, client, monkeypatch):
    failed = PeriodicThread("looks", lambda: None, is_needed=True)
    failed._failed(ValueError())
    monkeypatch.setattr(periodic, "_begun", {failed: None})
    answers = [each.get("/healthz") for each in (client, guest(), guest(Role.PLAYER))]
    assert {answer.status_code for answer in answers} == {503}
    told = [answer.json["threads"] for answer in answers]
    assert [(life["restarts"], life["trouble"]) for (life,) in told] == [(1, "ValueError"), (1, ""), (1, "")]


def test_the_machine_itself_is_the_hosts_but_not_through_a_tunnel(client):
    assert client.get("/house").status_code == 200
    assert client.get("/house", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 403


@pytest.mark.parametrize(
    "name",
    ["Forwarded", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Real-IP", "Via", "CF-Ray", "CF-Connecting-IP",
     "X-Ingress-Path", "X-Script-Name", "True-Client-IP", "x-forwarded-for"],
)  # fmt: skip
def test_any_header_of_a_proxy_makes_a_stranger(client, name):
    assert client.get("/house", headers={name: ""}).status_code == 403


def test_a_program_of_this_machine_that_speaks_for_others_is_a_stranger(client):
    used_here = {Grounds.OWN, Grounds.SCREEN}
    for grounds in Grounds:
        expected = 200 if grounds in used_here else 403
        there = {gate.PEER: lambda grounds=grounds: grounds}
        assert client.get("/house", environ_overrides=there).status_code == expected
        assert client.post("/house/pin", environ_overrides=there).status_code == expected


def test_the_kernel_is_not_asked_who_shows_a_ticket_unless_it_gives_too_little(app, guest, host, sack):
    asked = []
    there = {gate.PEER: lambda: asked.append(1) or Grounds.OWN}
    device = app.test_client()
    for role, ticket in ((Role.PLAYER, {}), (Role.WATCHER, {"session": sack.session.id}), (Role.HOST, {})):
        shown = {"Authorization": f"Bearer {host.access.tickets.issue(role, **ticket)}"}
        for path in (f"/s/{sack.session.id}/sheet", "/api/clock"):
            assert device.get(path, headers=shown, environ_overrides=there).status_code == 200
    assert asked == []
    for ticket in ({}, {"session": sack.session.id}):  # The machine itself may do everything all the same.
        shown = {"Authorization": f"Bearer {host.access.tickets.issue(Role.WATCHER, **ticket)}"}
        assert device.get("/house", headers=shown, environ_overrides=there).status_code == 200
        assert device.get("/house", headers=shown | {"Via": "1.1 somebody"}).status_code == 403
    assert asked


def test_each_device_hears_whom_the_table_takes_it_for(client, guest):
    def told(device, **headers):
        return device.get("/api/seen", headers=headers, environ_overrides={"REMOTE_PORT": "51234"}).json

    assert told(client) == {"role": "host", "grounds": "own", "address": "127.0.0.1", "port": 51234}
    assert told(client, Via="1.1 somebody") == {
        "role": None, "grounds": "headers", "address": "127.0.0.1", "port": 51234,
    }  # fmt: skip
    assert told(guest()) == {"role": None, "grounds": "address", "address": GUEST, "port": 51234}
    assert told(guest(Role.PLAYER))["role"] == "player"


def test_a_forged_a_changed_and_a_revoked_ticket_count_for_nothing(app, guest, host, sack):
    token = host.access.tickets.issue(Role.PLAYER)
    path = f"/s/{sack.session.id}"
    device = guest()
    for wrong in ("", "x", token[:-1], token + "x", "." + token):
        assert device.get(path, headers={"Authorization": f"Bearer {wrong}"}).status_code == 403
    bearer = {"Authorization": f"Bearer {token}"}
    assert device.get(path, headers=bearer).status_code == 200
    host.access.tickets.revoke(host.access.tickets.ticket(token).id)
    assert device.get(path, headers=bearer).status_code == 403


def test_tickets_of_another_house_are_worth_nothing_here(tmp_path, host, guest, sack):
    from companion.journal.store import Journal

    elsewhere = Journal(tmp_path / "other.sqlite3")
    token = Access(elsewhere).tickets.issue(Role.HOST)
    elsewhere.close()
    assert guest().get("/house", headers={"Authorization": f"Bearer {token}"}).status_code == 403


def test_a_one_time_link_lets_one_device_in(guest, host):
    link = f"/join/{host.access.tickets.issue(Role.PLAYER, once=True)}"
    first, second, third = guest(), guest(), guest()
    assert [device.get(link).status_code for device in (first, second)] == [200, 200]
    assert first.post(link).status_code == 303
    assert first.get("/new").status_code == 200
    assert [second.post(link).status_code, third.get(link).status_code] == [403, 403]
    assert second.get("/new").status_code == 403


def test_the_page_that_used_a_one_time_link_may_do_so_again_and_no_other(guest, host):
    """A browser drops the answer to the first tap at a second one, and a line may lose it."""
    link = f"/join/{host.access.tickets.issue(Role.PLAYER, once=True)}"
    device, other = guest(), guest()
    mine, theirs = (re.search('name="opener" value="([^"]+)"', each.get(link).text)[1] for each in (device, other))
    assert mine != theirs
    assert device.post(link, data={"opener": mine}).status_code == 303
    device.delete_cookie("ticket")  # the answer was lost
    assert device.post(link, data={"opener": mine}).status_code == 303
    assert device.get("/new").status_code == 200
    for wrong in ({"opener": theirs}, {"opener": ""}, {}):
        assert other.post(link, data=wrong).status_code == 403
    (ticket,) = [
        one for one in host.access.tickets.all() if one.role is Role.PLAYER
    ]  # one device, though it came twice
    host.access.tickets.revoke(ticket.id)
    device.post(link, data={"opener": mine})
    assert device.get("/new").status_code == 403


def listed(client):
    """What stands under "Connected devices"."""
    return listed_in(client.get("/house").text)


def listed_in(page):
    return re.findall(r"<li><span><strong>(.*?)</strong>", page)


def test_a_device_that_is_called_by_its_role_is_called_so_once(client, host):
    for label in ("player", "Ann's phone"):
        host.access.tickets.issue(Role.PLAYER, label=label)
    called = re.findall(r'<strong>(.*?)</strong> <span class="small">(.*?) ·', client.get("/house").text)
    assert sorted(called) == [("Ann&#39;s phone", "player"), ("player", "")]


def test_the_page_of_the_house_begins_with_the_code_for_players_and_then_the_devices(client, host, guest):
    host.access.tickets.issue(Role.PLAYER, label="Ann's tablet")
    page = client.get("/house", headers={"Host": "192.168.1.5:8000"}).text
    assert page.count('class="house-card"') == 3
    code, devices = page.split("Connected devices")
    link = re.search(r"/join/[^\"<]+", code)[0]
    assert "Ann&#39;s tablet" in devices
    device = guest()
    assert device.get(link).status_code == 303
    assert [device.get(path).status_code for path in ("/new", "/house")] == [200, 403]


def test_a_start_takes_back_the_link_of_an_earlier_start_that_nobody_used(client, guest, host):
    used = host.access.links.start_link()
    assert guest().post(f"/join/{used}").status_code == 303
    first = host.access.links.start_link()
    guests = host.access.tickets.issue(Role.HOST, label="Ann's tablet", once=True)
    second = host.access.links.start_link()
    assert sorted(listed(client)) == ["Ann&#39;s tablet", "one-time link", "one-time link"]  # one of them is a device
    assert client.get("/house").text.count("link not used yet") == 2
    assert guest().get(f"/join/{first}").status_code == 403
    for link in (guests, second):
        assert guest().post(f"/join/{link}").status_code == 303


def test_a_link_that_nobody_used_disappears_when_its_time_is_over(client, host, monkeypatch):
    host.access.tickets.issue(Role.HOST, label="never used", once=True)
    host.access.tickets.issue(Role.PLAYER, label="stays")
    assert sorted(listed(client)) == ["never used", "stays"]
    later_us = wall_us() + (LINK_MINUTES * 60 + 1) * 1_000_000
    monkeypatch.setattr("companion.journal.calendar.wall_us", lambda: later_us)
    assert sorted(listed(client)) == ["code on the first page", "stays"]  # the page has shown the code
    host.access.links.start_link()
    assert "never used" not in {ticket.label for ticket in all_tickets(host.journal)}  # and its row with it


@pytest.mark.parametrize(
    ("has", "link", "then"),
    [
        ((Role.HOST, False), (Role.WATCHER, False), Role.HOST),
        ((Role.HOST, False), (Role.PLAYER, True), Role.HOST),
        ((Role.PLAYER, False), (Role.WATCHER, True), Role.PLAYER),
        ((Role.PLAYER, True), (Role.WATCHER, False), Role.PLAYER),
        ((Role.PLAYER, False), (Role.PLAYER, True), Role.PLAYER),
        ((Role.WATCHER, False), (Role.PLAYER, False), Role.PLAYER),
        ((Role.PLAYER, True), (Role.HOST, False), Role.HOST),
        ((None, False), (Role.WATCHER, False), Role.WATCHER),
    ],
)
def test_a_link_never_takes_away_what_a_device_may_do(app, host, sack, has, link, then):
    def token(role, for_this_game, once):
        return host.access.tickets.issue(role, session=sack.session.id if for_this_game else None, once=once)

    device = app.test_client()
    device.environ_base["REMOTE_ADDR"] = GUEST
    if has[0] is not None:
        device.set_cookie("ticket", token(*has, once=False))
    assert device.post(f"/join/{token(*link, once=True)}").status_code == 303
    kept = host.access.tickets.ticket(device.get_cookie("ticket").value)
    assert kept.role is then
    assert device.get(f"/s/{sack.session.id}").status_code == 200


def test_a_player_of_another_game_may_look_on_here(app, host, sack):
    """Keeping the old ticket would keep the device out of the game whose link it opened."""
    other = host.create("sack_stackers", ["Cleo"], {})
    device = app.test_client()
    device.environ_base["REMOTE_ADDR"] = GUEST
    device.set_cookie("ticket", host.access.tickets.issue(Role.PLAYER, session=other.session.id))
    device.get(f"/join/{host.access.tickets.issue(Role.WATCHER, session=sack.session.id)}")
    assert device.get(f"/s/{sack.session.id}").status_code == 200


def test_the_ticket_comes_along_from_a_link_in_another_program(guest, host):
    """RFC 6265bis: a "Strict" cookie is not sent on a navigation that another site began, nor on its redirects."""
    cookie = guest().get(f"/join/{host.access.tickets.issue(Role.PLAYER)}").headers["Set-Cookie"]
    assert "SameSite=Lax" in cookie
    assert "HttpOnly" in cookie


def test_a_ticket_for_one_seat_moves_no_other(guest, host, sack):
    ann, bob = sack.session.players
    sack.submit(Rolled((1, 4)), Origin("roll"))
    device = guest(Role.PLAYER, session=sack.session.id, player=ann)
    move = {"kind": "Placed", "gift_die": 1, "section": 1, "box": "I", "gift": "I", "column": 4}
    base = f"/api/sessions/{sack.session.id}/events"
    refused = device.post(base, json={"event": {**move, "player": bob}, "event_id": "b", "seen_seq": 1})
    assert refused.status_code == 403
    assert "another seat" in refused.json["error"]
    assert device.post(base, json={"event": {**move, "player": ann}, "event_id": "a", "seen_seq": 1}).status_code == 200
    other = host.create("sack_stackers", ["Cleo"], {})
    led = device.get(f"/s/{other.session.id}")
    assert (led.status_code, led.location) == (303, f"/s/{sack.session.id}?player={ann}")
    assert device.get(f"/api/sessions/{other.session.id}").status_code == 403
    assert device.get("/new").status_code == 403


@pytest.mark.parametrize("seated", [True, False])
@pytest.mark.parametrize("role", [Role.WATCHER, Role.PLAYER])
@pytest.mark.parametrize("page", ["/", "/s/{game}", "/s/{game}/result", "/s/{game}/history", "/s/{game}/dice"])
def test_a_device_is_offered_only_what_it_may_open(guest, host, sack, role, seated, page):
    host.create("sack_stackers", ["Cleo"], {})  # which has the camera
    sack.submit(Rolled((1, 4)), Origin("roll"))
    only = {"session": sack.session.id, "player": sack.session.players[0]} if seated else {}
    device = guest(role, **only)
    shown = device.get(page.format(game=sack.session.id))
    assert shown.status_code == 200
    assert ("Cleo" in shown.text) == (page == "/" and not seated)
    links = {html.unescape(link) for link in re.findall(r'<a\b[^>]*\bhref="(/[^"]*)"', shown.text)}
    assert [link for link in links if device.get(link).status_code == 403] == []


def test_the_first_page_of_a_device_for_one_game_leads_to_it_when_it_is_not_the_newest(guest, host, sack):
    ann = sack.session.players[0]
    for _ in range(2):
        host.create("sack_stackers", ["Cleo"], {})
    page = guest(Role.PLAYER, session=sack.session.id, player=ann).get("/").text
    assert f'class="continue" href="/s/{sack.session.id}?player={ann}"' in page
    assert "New game" not in page


def test_a_page_that_shows_one_game_works_out_no_other(guest, host, client, sack, monkeypatch):
    for _ in range(2):
        host.create("sack_stackers", ["Cleo"], {})
    device = guest(Role.PLAYER, session=sack.session.id)
    worked_out = []
    monkeypatch.setattr(
        "companion.house.outcomes.stored_outcome", lambda table: worked_out.append(table) or stored_outcome(table)
    )
    assert device.get("/").status_code == 200
    assert "Sack Stackers (Ann, Bob)" in client.get("/house").text
    assert worked_out == [sack, host.table(host.active.session)]  # the host's page offers the seats of the newest


def test_the_host_may_keep_corrections(guest, host, client, sack):
    sack.submit(Rolled((1, 4)), Origin("roll"))
    body = {"event_id": "u", "seen_seq": 1}
    client.post("/house/rules", data={"corrections": "host", "picture_days": "30"})
    refused = guest(Role.PLAYER).post(f"/api/sessions/{sack.session.id}/undo", json=body)
    assert refused.status_code == 403
    assert refused.json["error"] == "Only the host can correct. Ask the host."
    assert guest(Role.HOST).post(f"/api/sessions/{sack.session.id}/undo", json=body).status_code == 200


def test_a_watcher_sees_no_tap_that_does_anything(guest, sack):
    page = guest(Role.WATCHER).get(f"/s/{sack.session.id}").text
    assert "data-event" not in page
    assert "data-draft" not in page
    assert "data-undo" not in page


def test_the_code_on_the_first_page_lets_players_in_and_stays_the_same(client, guest, sack):
    first, second = (re.search(r'class="house-link" href="[^"]*(/join/[^"]+)"', client.get("/").text)[1] for _ in "12")
    assert first == second
    device = guest()
    assert device.get(first).status_code == 303
    assert device.get(f"/s/{sack.session.id}").status_code == 200
    assert device.get("/house").status_code == 403
    assert "/join/" not in device.get("/").text


def scanned(guest, code):
    """A device that scanned the code."""
    device = guest()
    assert device.get(f"/join/{code}").status_code == 303
    return device


def shown_out(client, label):
    """The host taps the button beside that name."""
    page = client.get("/house", headers={"Accept-Language": "en"}).text
    line = next(line for line in page.split("<li>") if f"<strong>{label}</strong>" in line)
    ticket = re.search(r'name="ticket" value="([^"]+)"', line)[1]
    assert client.post("/house/revoke", data={"ticket": ticket}).status_code == 303


def test_each_device_of_a_code_is_named_and_shown_out_alone_and_all_of_them_with_the_code(client, guest, host, sack):
    code = host.access.codes.standing(Role.PLAYER)
    first, second, third = (scanned(guest, code) for _ in range(3))
    second.post(
        f"/api/sessions/{sack.session.id}/events",
        json={"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "roll", "seen_seq": 0},
    )
    history = f"/s/{sack.session.id}/history"
    assert "(code on the first page, 2)" in client.get(history, headers={"Accept-Language": "en"}).text
    assert "(Code auf der Startseite, 2)" in client.get(history, headers={"Accept-Language": "de"}).text
    shown_out(client, "code on the first page, 2")
    assert [device.get("/new").status_code for device in (first, second, third)] == [200, 403, 200]
    assert scanned(guest, code).get("/new").status_code == 200
    shown_out(client, "code on the first page, 4")
    scanned(guest, code)
    assert "code on the first page, 5" in listed(client)  # a number that the history names is no other's
    shown_out(client, "code on the first page")
    assert [device.get("/new").status_code for device in (first, third)] == [403, 403]
    assert guest().get(f"/join/{code}").status_code == 403
    assert listed(client) == []


def test_codes_are_no_devices_and_say_which_game_they_are_of(client, guest, host, sack):
    other = host.create("sack_stackers", ["Cleo", "Di"], {})
    for table in (sack, other):
        client.get(f"/s/{table.session.id}/result")  # shows a code for this game
    page = client.get("/house").text
    devices, codes = page.split('<details class="house-codes">')
    assert listed_in(devices) == []
    assert "Only this computer." in devices
    assert listed_in(codes) == ["code of a game"] * 2
    assert "Sack Stackers (Ann, Bob)" in codes
    assert "Sack Stackers (Cleo, Di)" in codes
    assert codes.count("not scanned yet") == 2
    scanned(guest, host.access.codes.standing(Role.WATCHER, other.session.id))
    devices, codes = client.get("/house").text.split('<details class="house-codes">')
    assert listed_in(devices) == ["code of a game, 1"]
    assert "Sack Stackers (Cleo, Di)" in devices
    assert "1 device joined with it" in codes
    assert listed_in(codes) == [
        "code on the first page",
        "code of a game",
        "code of a game",
    ]  # the page shows the first
    assert codes.count("Remove") == 3


def test_a_device_that_scans_a_code_again_stays_what_it_is(client, guest, host):
    code = host.access.codes.standing(Role.PLAYER)
    device = scanned(guest, code)
    assert device.get(f"/join/{code}").status_code == 303
    assert sorted(listed(client)) == ["code on the first page", "code on the first page, 1"]


def test_a_flood_of_scans_drives_out_none_that_plays(client, guest, host, monkeypatch):
    monkeypatch.setattr("companion.access.wall_codes.MOST_DEVICES", 4)
    code = host.access.codes.standing(Role.PLAYER)
    playing = [scanned(guest, code) for _ in range(2)]
    assert [device.get("/new").status_code for device in playing] == [200, 200]
    for _ in range(9):
        guest().get(f"/join/{code}")
    newest = scanned(guest, code)
    assert [device.get("/new").status_code for device in (*playing, newest)] == [200, 200, 200]
    assert len(listed(client)) == 1 + 4


def test_one_guest_who_scans_and_shows_what_he_got_drives_out_none(client, guest, host, monkeypatch):
    monkeypatch.setattr("companion.access.wall_codes.MOST_DEVICES", 4)
    code = host.access.codes.standing(Role.PLAYER)
    devices = []
    for _ in range(2 + 9 + 1):  # two who play, the greedy one, one who comes late
        devices.append(scanned(guest, code))
        assert devices[-1].get("/new").status_code == 200
    assert {device.get("/new").status_code for device in devices} == {200}
    assert len(listed(client)) == 1 + 4
    shown_out(client, "code on the first page")
    assert {device.get("/new").status_code for device in devices} == {403}


def test_devices_whose_time_is_over_make_room(client, guest, host, monkeypatch):
    monkeypatch.setattr("companion.access.wall_codes.MOST_DEVICES", 2)
    start_us, days = wall_us(), 0.0
    monkeypatch.setattr("companion.journal.calendar.wall_us", lambda: start_us + int(days * DAY_US))
    for _ in range(2):
        assert scanned(guest, host.access.codes.standing(Role.PLAYER)).get("/new").status_code == 200
    days = TICKET_DAYS - 0.5
    code = host.access.codes.standing(Role.PLAYER)
    days = TICKET_DAYS + 0.5
    scanned(guest, code)
    assert sorted(listed(client)) == ["code on the first page", "code on the first page, 3"]


def test_a_code_that_was_replaced_and_its_devices_go_with_the_new_one(client, guest, host, monkeypatch):
    old, start_us = host.access.codes.standing(Role.PLAYER), wall_us()
    before = scanned(guest, old)
    monkeypatch.setattr("companion.journal.calendar.wall_us", lambda: start_us + int((TICKET_DAYS - 0.5) * DAY_US))
    new = host.access.codes.standing(Role.PLAYER)
    assert new != old
    late, fresh = scanned(guest, old), scanned(guest, new)  # the old one still hangs on a wall
    assert [device.get("/new").status_code for device in (before, late, fresh)] == [200, 200, 200]
    host.access.tickets.revoke(host.access.tickets.ticket(new).id)
    assert [device.get("/new").status_code for device in (before, late, fresh)] == [403, 403, 403]
    assert guest().get(f"/join/{old}").status_code == 403


def test_a_device_keeps_one_ticket_whatever_it_scans_and_types(client, guest, host, sack):
    device = scanned(guest, host.access.codes.standing(Role.WATCHER, sack.session.id))
    assert device.get(f"/join/{host.access.codes.standing(Role.PLAYER)}").status_code == 303
    codes = ["code of a game", "code on the first page"]
    assert sorted(listed(client)) == [*codes, "code on the first page, 2"]
    assert device.post("/pin", data={"pin": pin_of(host).renew()}).status_code == 303
    assert sorted(listed(client)) == ["PIN", *codes]


def test_asking_where_a_code_leads_lets_nobody_in(guest, host):
    code = host.access.codes.standing(Role.PLAYER)
    before = host.access.tickets.all()
    for asked in (guest().head(f"/join/{code}"), guest().get(f"/join/{code}", headers={"User-Agent": "WhatsApp/2.24"})):
        assert (asked.status_code, asked.headers.get("Set-Cookie")) == (303, None)
    assert host.access.tickets.all() == before
    assert guest().head("/join/nothing").status_code == 403
    cubot = {"User-Agent": "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/126 Mobile"}
    assert guest().get(f"/join/{code}", headers=cubot).headers.get("Set-Cookie")  # a telephone's name


@pytest.mark.parametrize("method", ["HEAD", "GET"])
@pytest.mark.parametrize(
    "agent",
    [
        "WhatsApp/2.24.3.78 A",
        "Mozilla/5.0 (Macintosh) AppleWebKit/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
        "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126 Mobile Safari/537.36",  # says nothing of itself
    ],
)
def test_a_program_that_looks_a_one_time_link_up_uses_nothing_up(guest, host, agent, method):
    link = f"/join/{host.access.tickets.issue(Role.HOST, once=True)}"
    before = host.access.tickets.all()
    program = guest()
    answer = program.open(link, method=method, headers={"User-Agent": agent})
    assert (answer.status_code, answer.headers.get("Set-Cookie")) == (200, None)
    assert host.access.tickets.all() == before
    assert program.get("/house").status_code == 403
    assert guest().post(link, headers={"User-Agent": agent}).headers.get("Set-Cookie")  # the tap of who holds it


def test_the_page_of_a_one_time_link_is_a_form_that_tells_nothing_and_stays_nowhere(guest, host, sack):
    ann = sack.session.players[0]
    token = host.access.tickets.issue(Role.HOST, session=sack.session.id, player=ann, label="Ann's tablet", once=True)
    page = guest().get(f"/join/{token}")
    assert re.findall('<form method="post".*?>', page.text) == ['<form method="post">']  # to its own address
    for secret in (token, "Ann", sack.session.id, Role.HOST):
        assert secret not in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "same-origin"


def test_another_site_cannot_tap_the_button_of_a_one_time_link(guest, host):
    link = f"/join/{host.access.tickets.issue(Role.HOST, once=True)}"
    assert guest().post(link, headers={"Origin": "https://evil.example"}).status_code == 403
    assert guest().post(link, headers={"Origin": "http://localhost"}).status_code == 303


def test_a_device_that_is_in_opens_a_lesser_one_time_link_and_leaves_it_whole(guest, host):
    link = f"/join/{host.access.tickets.issue(Role.WATCHER, once=True)}"
    assert guest(Role.PLAYER).get(link).headers["Location"] == "/"
    assert guest().get(link).status_code == 200


def test_a_browser_that_loads_a_code_in_advance_is_in(guest, host):
    browser, code = guest(), host.access.codes.standing(Role.PLAYER)
    in_advance = {"Purpose": "preview", "Sec-Purpose": "prefetch"}
    assert browser.get(f"/join/{code}", headers=in_advance).status_code == 303
    assert browser.get("/new").status_code == 200


def test_a_link_that_is_called_like_a_code_is_none(client, guest, host):
    link = host.access.tickets.issue(Role.PLAYER, label="code on the first page")
    scanned(guest, link)
    assert listed(client) == ["code on the first page"]


def test_a_disk_that_is_full_keeps_no_guest_out(guest, host, monkeypatch):
    code = host.access.codes.standing(Role.PLAYER)
    monkeypatch.setattr(host.journal, "changing", full)
    assert scanned(guest, code).get("/new").status_code == 200


def test_looking_goes_on_while_nothing_can_be_written(app, client, host, sack, monkeypatch):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    ann = host.people.add("Ann")
    monkeypatch.setattr(host.journal, "changing", full)
    looked = 0
    for endpoint, method, address in addresses(app, sack.session.id, ann.id):
        if method == "GET" and not endpoint.endswith("stream"):
            with client.get(address) as answer:
                assert b"cannot be written" not in answer.data, (endpoint, address)
                looked += answer.status_code == 200
    assert looked > 30


def full():
    raise JournalUnusable("The journal can't be written: the disk is full.")


# the PIN


class TypedPin(HostPin):
    """The PIN alone, without short codes beside it."""

    def enter(self, typed, address):
        with self.guess(address):
            return self.token_for(typed, address)


def pin_of(host, now_us=uptime_us):
    """The house's PIN at that uptime; a new one is as quick to check as argon2 can be, for its wrong ones are many."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    return TypedPin(host.journal, host.access.tickets, now_us, quick)


def test_who_has_no_ticket_may_send_little(guest):
    """A body that is read keeps a thread."""
    long = {"pin": 20_000 * "1"}
    assert guest().post("/pin", data=long).status_code == 413
    assert guest(Role.PLAYER).post("/pin", data=long).status_code == 403


def test_the_right_pin_makes_a_device_the_hosts(guest, host):
    pin = host.access.pin.renew()
    device = guest()
    assert device.post("/pin", data={"pin": "1234"}).status_code == 403
    assert device.post("/pin", data={"pin": pin}).status_code == 303
    assert device.get("/house").status_code == 200


def test_the_pin_is_kept_as_an_argon2id_hash_only(host):
    pin = host.access.pin.renew()
    assert host.journal.setting("pin", "").startswith("$argon2id$")
    assert pin not in host.journal.setting("pin", "")


def test_of_ten_thousand_guesses_a_day_few_are_looked_at(host, monkeypatch):
    import companion.access.host_pin as module

    now = [0]
    the_pin = pin_of(host, lambda: now[0])
    the_pin.renew()
    looked = []
    monkeypatch.setattr(module, "is_pin", lambda kept, pin: looked.append(pin))
    for number in range(10_000):
        now[0] += 8_640_000  # evenly over a day
        with pytest.raises((NotAllowed, TooManyTries)):
            the_pin.enter(f"{number:08d}", GUEST)
    assert len(looked) < 40  # five, then waits of 30 s, 1, 2, 4 … minutes up to an hour
    assert LONGEST_WAIT_US == 3_600_000_000


def test_many_addresses_guess_no_faster(host, monkeypatch):
    import companion.access.host_pin as module

    now = [0]
    the_pin = pin_of(host, lambda: now[0])
    looked = []
    monkeypatch.setattr(module, "is_pin", lambda kept, pin: looked.append(pin))
    for number in range(10_000):
        now[0] += 8_640_000
        with pytest.raises((NotAllowed, TooManyTries)):
            the_pin.enter("0", f"192.168.{number // 250}.{number % 250}")
    assert len(looked) < 80


def test_nobody_keeps_the_host_out_by_wrong_pins(host):
    now = [0]
    the_pin = pin_of(host, lambda: now[0])
    right = the_pin.renew()
    the_pin.enter(right, GUEST)
    for number in range(MOST_TRIES):
        with pytest.raises(NotAllowed):
            the_pin.enter("no", f"10.0.0.{number // FREE_TRIES}" if number % FREE_TRIES else f"10.0.1.{number}")
    with pytest.raises(TooManyTries):
        the_pin.enter(right, "192.168.1.99")  # where nobody has typed the right one yet
    for _ in range(FREE_TRIES):
        with pytest.raises(NotAllowed):
            the_pin.enter("no", GUEST)
    with pytest.raises(TooManyTries):
        the_pin.enter(right, GUEST)  # its own wrong ones
    now[0] += LONGEST_WAIT_US
    assert the_pin.enter(right, GUEST)


def test_a_restart_forgives_nothing(host, tmp_path):
    now = [1_000_000_000_000]
    the_pin = pin_of(host, lambda: now[0])
    the_pin.renew()
    for _ in range(FREE_TRIES):
        with pytest.raises(NotAllowed):
            the_pin.enter("no", GUEST)
    again = pin_of(host, lambda: now[0])
    with pytest.raises(TooManyTries, match="30 seconds"):
        again.enter("no", GUEST)
    now[0] += 29_000_000
    with pytest.raises(TooManyTries, match="in 1 second"):
        again.enter("no", GUEST)


def test_a_reboot_forgives_nothing(host, monkeypatch):
    """The kernel's uptime begins anew then; the wait does, too."""
    monkeypatch.setattr("companion.journal.calendar.boot_id", lambda: "first boot")
    the_pin = pin_of(host, lambda: 10**15)
    right = the_pin.renew()
    for _ in range(FREE_TRIES):
        with pytest.raises(NotAllowed):
            the_pin.enter("no", GUEST)
    monkeypatch.setattr("companion.journal.calendar.boot_id", lambda: "second boot")
    now = [20_000_000]
    again = pin_of(host, lambda: now[0])
    with pytest.raises(TooManyTries, match="30 seconds"):
        again.enter(right, GUEST)
    now[0] += 30_000_000
    with pytest.raises(NotAllowed):
        again.enter("no", GUEST)
    with pytest.raises(TooManyTries, match="60 seconds"):
        again.enter(right, GUEST)


def test_a_family_that_mistypes_something_each_week_never_waits(host, monkeypatch):
    """Whereas on one day, and the next, all that was wrong counts."""
    days = [20_000]
    monkeypatch.setattr("companion.access.host_pin.date_us", lambda _journal: days[0] * 86_400_000_000)

    def mistype(times, day):
        days[0] = day
        for _ in range(times):
            with pytest.raises(NotAllowed):
                pin_of(host, lambda: 0).enter("no", GUEST)

    for week in range(MOST_TRIES):
        mistype(FREE_TRIES - 1, 20_000 + 7 * week)
    mistype(1, days[0] + 1)
    with pytest.raises(TooManyTries, match="30 seconds"):
        pin_of(host, lambda: 0).enter("no", GUEST)


def test_wrong_pins_that_an_earlier_companion_counted_go_on_counting(host):
    WRONG_PINS.put(host.journal, json.dumps({GUEST: [FREE_TRIES, 1_790_000_000_000_000]}))
    with pytest.raises(TooManyTries, match="30 seconds"):
        pin_of(host, lambda: 0).enter("no", GUEST)


def test_a_page_says_how_long_to_wait(guest, host):
    pin_of(host).renew()
    device = guest()
    for _ in range(FREE_TRIES):
        assert device.post("/pin", data={"pin": "no"}).status_code == 403
    waiting = device.post("/pin", data={"pin": "no"})
    assert waiting.status_code == 429
    assert "Try again in 30 seconds" in waiting.text


# names, addresses, sites


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("localhost:8000", True),
        ("192.168.1.5:8000", True),
        ("[::1]:8000", True),
        ("table-2.local:8000", True),  # the one that it has claimed
        ("TABLE-2.local.", True),
        ("table.local", False),  # another table's, or a guest's
        ("table-7.local", False),
        ("table-.local", False),
        ("table-٢.local", False),
        ("games.example", True),
        ("evil.example", False),
        ("table.local.evil.example", False),
        ("192.168.1.5.evil.example", False),
        ("tablet-x.local", False),
    ],
)
def test_only_our_own_names_are_answered(host, name, known):
    """DNS rebinding: a page of evil.example whose name leads here asks under that name."""
    host.status.set_addresses(("http://table-2.local:8000", "http://192.168.1.5:8000"))
    device = create_app(host, allowed_hosts=["games.example"]).test_client()
    assert (device.get("/api/games", headers={"Host": name}).status_code == 200) == known


def test_tailscales_name_is_known_as_docs_odd_says(host, monkeypatch):
    """Its full name only where the host says so; its first word and its address anyway."""
    monkeypatch.setattr("socket.gethostname", lambda: "table")

    def status(name, **options):
        return create_app(host, **options).test_client().get("/healthz", headers={"Host": name}).status_code

    name = "table.tail1234.ts.net"
    assert [status(each) for each in (name, "table:8000", "100.101.102.103:8000")] == [404, 200, 200]
    assert status(name, allowed_hosts=[name]) == 200


def test_a_refused_name_is_told_the_flag_that_allows_it(host):
    """What can be no name is not repeated in the sentence."""
    device = create_app(host).test_client()
    by_its_address = "There's no table with this name here. Open it by its address"
    said = device.get("/api/games", headers={"Host": "Table.tail1234.ts.net:8000"}).json["error"]
    assert said == f"{by_its_address}, or start the table with --allow-host table.tail1234.ts.net."
    page = html.unescape(device.get("/", headers={"Host": "table.tail1234.ts.net"}).text)
    assert "--allow-host table.tail1234.ts.net." in page
    for nonsense in ("<b>", "a b", "table-٢.local", "-x", "x" * 300):
        said = device.get("/api/games", headers={"Host": nonsense}).json["error"]
        assert said in (f"{by_its_address}.", "This request can't be understood. Reload the page and try again.")


def test_a_name_that_a_guest_may_have_claimed_makes_nobody_the_host(host, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "RaspberryPi")
    device = create_app(host).test_client()

    def status(name, path="/house"):
        return device.get(path, headers={"Host": name}).status_code

    assert [status(name) for name in ("table.local", "table-7.local:8000")] == [404, 404]
    assert (status("raspberrypi.local"), status("raspberrypi.local", "/healthz")) == (403, 200)
    assert [status(name) for name in ("raspberrypi:8000", "127.0.0.1", "localhost:8000")] == [200, 200, 200]
    host.status.set_addresses(("http://table.local",))
    assert (status("table.local"), status("table-7.local")) == (200, 404)
    host.status.set_addresses(())  # it had to give the name back
    assert status("table.local") == 404


@pytest.mark.parametrize(
    ("address", "let_in"),
    [("100.64.0.1", True), ("100.127.255.254", True), ("fd00::7", True), ("fe80::1%eth0", True),
     ("::ffff:100.100.1.2", True), ("198.18.0.1", True), ("::ffff:8.8.8.8", False), ("100.128.0.1", False),
     ("2002:808:808::1", False), ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", False), ("64:ff9b::808:808", False),
     ("10.1.2.3", True), ("172.16.0.9", True), ("169.254.3.4", True), ("fe80::1", True), ("::ffff:192.168.0.7", True),
     ("8.8.8.8", False), ("2001:4860:4860::8888", False)],
)  # fmt: skip
def test_nobody_from_the_internet_comes_in_unless_the_host_says_so(host, address, let_in):
    token = host.access.tickets.issue(Role.HOST)
    for allowed in (False, True):
        device = create_app(host, allow_public=allowed).test_client()
        device.environ_base["REMOTE_ADDR"] = address
        assert device.get("/healthz").status_code == (200 if let_in or allowed else 403)
        answer = device.get("/api/games", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == (200 if let_in or allowed else 403)
        assert device.get("/api/games").status_code == 403  # without a ticket nobody


def test_a_public_address_of_ipv6_in_the_tables_own_network_is_a_neighbour(host, monkeypatch):
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "2a02:1::77"
    assert device.get("/healthz").status_code == 403
    own = (Interface(1, addresses=(ipaddress.ip_interface("2a02:1::5/64"),)),)
    monkeypatch.setattr("companion.network.addresses.interfaces", lambda: own)
    assert device.get("/healthz").status_code == 200
    assert device.get("/api/games").status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://other.localhost"},
    ],
)
def test_a_page_of_another_site_changes_nothing(client, sack, headers):
    body = {"event": {"kind": "Rolled", "dice": [1, 2]}, "event_id": "x", "seen_seq": 0}
    for path in (f"/api/sessions/{sack.session.id}/events", "/new", "/house/pin", "/entrants"):
        assert client.post(path, json=body, headers=headers).status_code == 403
    assert sack.seq == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://games.example"},  # the proxy sent its own Host
        {"Origin": "https://localhost"},  # https ended at the proxy, which kept the Host
    ],
)
def test_a_page_whose_https_ended_elsewhere_may_change_things(client, headers):
    added = client.post("/entrants", data={"name": "Ann"}, headers=headers)
    assert added.status_code != 403


def test_only_named_sites_show_the_screens_in_a_frame_and_nothing_else(host, sack):
    there = ["http://homeassistant.local:8123", "https://obs.example"]
    named, plain = create_app(host, frames=there).test_client(), create_app(host).test_client()
    for path in ("/board", "/overlay"):
        answer = named.get(path)
        assert "frame-ancestors http://homeassistant.local:8123 https://obs.example" in answer.headers[POLICY]
        assert "X-Frame-Options" not in answer.headers
    for device, path in ((named, "/house"), (named, "/"), (plain, "/board"), (plain, "/overlay")):
        answer = device.get(path)
        assert "frame-ancestors 'none'" in answer.headers[POLICY]
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_the_hosts_page_makes_codes_for_seats_and_shows_devices_out(client, guest, host, sack):
    ann = sack.session.players[0]
    made = client.post(
        "/house/link", data={"role": "player", "seat": f"{sack.session.id}/{ann}", "label": "Ann's phone"}
    )
    assert "<svg" in made.text
    link = re.search(r'class="house-link" href="[^"]+">([^<]+)<', made.text)[1]
    device = guest()
    answer = device.get("/join/" + link.rpartition("/join/")[2])
    assert answer.location.endswith(f"/s/{sack.session.id}?player={ann}")
    assert device.get(f"/s/{sack.session.id}").status_code == 200
    ticket = re.search(r'name="ticket" value="([^"]+)"', client.get("/house").text)[1]
    client.post("/house/revoke", data={"ticket": ticket})
    assert device.get(f"/s/{sack.session.id}").status_code == 403


@pytest.mark.parametrize(
    ("path", "data", "says"),
    [
        ("/house/link", {"role": "king"}, "Choose whether"),
        ("/house/link", {"role": "player", "seat": "nowhere/nobody"}, "no such game"),
        ("/house/rules", {"corrections": "cats", "picture_days": "3"}, "Choose who can correct"),
        ("/house/rules", {"corrections": "host", "picture_days": "-1"}, "whole number of days"),
    ],
)
def test_the_hosts_page_refuses_nonsense_with_a_sentence(client, path, data, says):
    refused = client.post(path, data=data)
    assert refused.status_code in (400, 404)
    assert says in refused.text


def test_the_house_says_whether_sure_dice_count_at_once_and_whether_the_box_sounds(client, host):
    heard = []
    connect(host, hush=heard.append)
    rules = {"corrections": "players", "picture_days": "30"}
    client.post("/house/rules", data=rules)
    assert (host.asking.accepts(Kind.DICE), host.silent, heard) == (False, False, [False])
    client.post("/house/rules", data={**rules, "auto_accept": "on", "auto_accept:board": "on", "silent": "on"})
    assert (host.asking.accepts(Kind.DICE), host.silent, heard) == (True, True, [False, True])
    assert [kind for kind in Kind if host.asking.accepts(kind)] == [Kind.DICE, Kind.BOARD]


# pictures


def test_pictures_go_after_the_days_the_house_keeps_them(client, host, sack):
    day_us = 24 * 60 * 60 * 1_000_000
    old = host.journal.add_picture(b"old", wall_us() - 8 * day_us)
    new = host.journal.add_picture(b"new", wall_us() - 6 * day_us)
    client.post("/house/rules", data={"corrections": "players", "picture_days": "7"})
    assert (host.journal.picture(old), host.journal.picture(new)) == (None, b"new")
    client.post("/house/pictures/delete")
    assert host.journal.picture(new) is None


def test_no_picture_leaves_with_a_game(client, host, sack):
    host.journal.add_picture(b"\xff\xd8 a face", 1)
    assert "a face" not in client.get(f"/api/sessions/{sack.session.id}/export").text


# paths and bombs


@pytest.mark.parametrize(
    "path",
    [
        "/api/pictures/../../etc/passwd.jpg",
        "/api/pictures/..%2f..%2fetc%2fpasswd.jpg",
        "/api/sessions/..%2f..%2fjournal.sqlite3/export",
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/s/%00/result",
    ],
)
def test_no_address_leads_out_of_the_house(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "body",
    [b"[" * 200_000, b'{"a":' * 100_000, b'{"event": ' + b"9" * 500_000 + b"}", b"\x1f\x8b" + b"\0" * 1000],
    ids=["nested lists", "nested objects", "a number of half a million digits", "a packed bomb"],
)
def test_a_bomb_is_refused_with_a_sentence(client, sack, body):
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = client.post(f"/api/sessions/{sack.session.id}/events", data=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json["error"].endswith(".")
    assert client.post("/api/import", data=body).status_code == 400
    assert sack.seq == 0
