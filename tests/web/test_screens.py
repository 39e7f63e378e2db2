"""The links for screens: they look on, and come to what they are to show."""

import html
import re
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from companion.cameras import sleep
from companion.game.widgets import Cell, Grid, ScoreLine, ScoreTable, Stack, Stacks, Standings
from companion.games.maxstax.events import Readied, Started
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Placed, Rolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from tests.web.test_access import addresses
from web.access import gate
from web.access.gate import NEEDS, Need
from web.app import create_app
from web.render.changed import with_changes


@pytest.mark.parametrize("screen", ["board", "overlay"])
def test_a_screens_link_lets_it_look_on_and_nothing_more(host, client, sack, screen):
    made = client.post("/house/link", data={"role": "host", "seat": f"/{screen}", "label": "Television"})
    link = re.search(rf'href="([^"]+to={screen})"', made.text)[1]
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.50"
    address = urlsplit(link)
    came = device.get(f"{address.path}?{address.query}")
    assert came.headers["Location"] == f"/{screen}"
    shown = device.get(f"/{screen}")
    assert "Ann" in shown.text
    assert "data-event" not in shown.text
    assert device.get("/house").status_code == 403
    assert (
        device.post(f"/api/sessions/{sack.session.id}/undo", json={"event_id": "x", "seen_seq": 0}).status_code == 403
    )


def test_a_link_leads_to_no_other_place(host, client):
    token = host.access.tickets.issue(Role.WATCHER)
    for elsewhere in ("//evil.example", "house", "screen.big_screen_page"):
        assert client.get(f"/join/{token}?to={elsewhere}").headers["Location"] == "/"


def test_a_screen_without_a_game_looks_again_by_itself(client):
    for page in ("/board", "/overlay"):
        assert '<meta http-equiv="refresh"' in client.get(page).text


def test_a_screen_says_that_the_house_sleeps_with_a_game_and_without(host, client, monkeypatch):
    said = "Nobody plays, so the cameras are off. A tablet or a button wakes the house."
    monkeypatch.setattr(sleep, "AFTER_S", 0)
    host.sleep.look()
    assert said in client.get("/board").text
    host.create("sack_stackers", ["Ann", "Bob"], {})
    host.sleep.look()
    assert said in client.get("/board/sheet").text
    host.sleep.stir()
    assert said not in client.get("/board/sheet").text


def test_a_screen_that_runs_no_script_looks_again_by_itself(host, client, sack):
    for page in ("/board", "/overlay"):
        shown = client.get(page).text
        assert '<noscript><meta http-equiv="refresh"' in shown
        assert "JavaScript is off" not in shown


def test_a_clock_is_drawn_with_the_time_that_is_left(host, client):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for player in table.session.players:
        table.submit(Readied(player), Origin(f"ready-{player}"))
    table.submit(Started(table.now_us()), Origin("start"))
    whole_us = table.due.at_us - table.now_us()
    host.clock.offset_us += whole_us - 47_500_000
    for path in ("/board", "/board/sheet", f"/s/{table.session.id}"):
        shown = client.get(path).text
        assert re.search(r"data-clock-face data-own>0:4[78]<", shown), path
        share = float(re.search(r'data-clock-bar data-own width="([\d.]+)"', shown)[1])
        assert share == pytest.approx(100 * 47.5 / 120, abs=2)


def test_the_leaders_come_first_on_the_big_screen(host, client):
    table = host.create("sack_stackers", ["Ann", "Bob", "Cy"], {})
    table.submit(Ruling(table.session.players[2], 5, "Best hat."), Origin("ruling"))
    names = re.findall(r'data-score="(\w+) ', client.get("/board/sheet").text)
    assert names == ["Cy", "Ann", "Bob"]


def test_an_end_has_a_podium_but_none_of_a_single_block(host, client):
    for names, points, has_podium in ((("Ann", "Bob"), 1, True), (("Ann", "Bob"), 0, False), (("Ann",), 0, False)):
        line = [ScoreLine(name, name, 0, winner=points == 0) for name in names]
        line[0] = ScoreLine(names[0], names[0], points, winner=True)
        assert Standings("", tuple(line)).is_podium is has_podium


# what the newest move changed is marked where it stands


def rows(*texts):
    return tuple(tuple(Cell(letter.strip()) for letter in text) for text in texts)


def marks_of(grid):
    return [[cell.mark for cell in row] for row in grid.rows]


def test_squares_that_changed_are_marked():
    before, after = Grid("Ann", rows("AB", "C ")), Grid("Ann", rows("AB", "CD"))
    (marked,) = with_changes((before,), (after,))
    assert marks_of(marked) == [["", ""], ["", "new"]]


def test_a_board_that_was_not_there_or_had_another_size_is_not_marked():
    after = Grid("Ann", rows("AB"))
    for before in ((), (Grid("Bob", rows("CD")),), (Grid("Ann", rows("C", "D")),)):
        assert with_changes(before, (after,)) == (after,)


def test_a_stack_that_changed_is_marked_and_one_of_two_equal_ones_that_came():
    single, double = Stack(3, ("red",)), Stack(3, ("red", "blue"))
    (marked,) = with_changes((Stacks("", (single, single)),), (Stacks("", (single, double, single, single)),))
    assert [stack.mark for stack in marked.stacks] == ["", "new", "", "new"]


def test_points_say_what_the_newest_move_gave():
    before = ScoreTable("", (ScoreLine("a", "Ann", 5), ScoreLine("b", "Bob", 7)))
    after = ScoreTable("now", (ScoreLine("a", "Ann", 9), ScoreLine("b", "Bob", 7), ScoreLine("c", "Cy", 1)))
    (marked,) = with_changes((before,), (after,))
    assert [line.gain for line in marked.lines] == [4, 0, 0]


def test_a_corrected_move_is_marked_only_while_nothing_came_after_it(host, client, sack):
    def placed(seat, section, column):
        return Placed(sack.session.players[seat], 1, section, "I", "I", column, (), ())

    host.active.hold(sack.session.id)
    sack.submit(Rolled((3, 5)), Origin("roll"))
    sack.submit(placed(0, 3, 5), Origin("first"))
    sack.amend(2, replace(placed(0, 5, 3), gift_die=2), Origin("corrected"))
    assert client.get("/board/sheet").text.count("m-new") == 1
    sack.submit(placed(1, 3, 5), Origin("second"))
    sack.amend(2, placed(0, 3, 5), Origin("again"))
    assert client.get("/board/sheet").text.count("m-new") == 0


@pytest.mark.parametrize(
    ("game", "words"),
    [("sack_stackers", "We roll again when everyone is done"), ("sandpile_panic", "On an empty space")],
)
def test_nobody_is_told_to_tap_on_a_screen_that_nobody_touches(host, client, game, words):
    table = host.create(game, ["Ann", "Bob"], {"opening": "none"} if game == "sandpile_panic" else {})
    if game == "sack_stackers":
        table.submit(Rolled((3, 5)), Origin("roll"))
    for screen in ("board", "overlay"):
        shown = client.get(f"/{screen}/sheet").text
        assert words in shown
        assert not re.search(r"\btap\b", shown, re.IGNORECASE)


# a screen in a frame of another site's page

IN_A_FRAME = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}  # and no cookie: a "Lax" one stays at home
DASHBOARD = "http://homeassistant.local:8123"
FRAMED = {
    "screen.big_screen_page", "screen.big_screen_fragment", "screen.overlay_page", "screen.overlay_fragment",
    "stream.session_stream", "api.clock",
}  # fmt: skip


def stranger(app):
    device = app.test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.50"
    return device


def address_for_a_frame(app, screen):
    """The address that the host's page gives out for a frame."""
    made = app.test_client().post("/house/link", data={"role": "host", "seat": f"/framed-{screen}"})
    address = urlsplit(html.unescape(re.search(r'class="house-link" href="([^"]+)"', made.text)[1]))
    return f"{address.path}?{address.query}"


def test_another_sites_frame_shows_a_drawn_face_and_no_photo(host, sack):
    ann = host.people.claim("Ann")
    app = create_app(host, frames=[DASHBOARD])
    path, device = address_for_a_frame(app, "board"), stranger(app)
    host.people.choose_face(ann.id, "fox")
    assert "faces/fox.svg" in device.get(path, headers=IN_A_FRAME).text
    host.people.keep_face_photo(ann.id, b"a photo")
    shown = device.get(path, headers=IN_A_FRAME).text
    assert "Ann" in shown
    assert 'class="face' not in shown
    assert 'class="face' in app.test_client().get("/board").text


@pytest.mark.parametrize("screen", ["board", "overlay"])
def test_another_sites_frame_shows_a_screen_by_the_ticket_in_its_address(host, sack, screen):
    app = create_app(host, frames=[DASHBOARD])
    path = address_for_a_frame(app, screen)
    device = stranger(app)
    assert device.get(f"/{screen}", headers=IN_A_FRAME).status_code == 403
    shown = device.get(path, headers=IN_A_FRAME)
    assert shown.status_code == 200
    assert "Ann" in shown.text
    assert "data-event" not in shown.text
    assert shown.headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in shown.headers
    assert device.get(f"/{screen}").status_code == 403  # it brought the ticket for itself only
    (ticket,) = host.access.tickets.all()
    assert f'value="{ticket.id}"' in app.test_client().get("/house").text
    host.access.tickets.revoke(ticket.id)
    assert device.get(path, headers=IN_A_FRAME).status_code == 403


def test_a_frames_ticket_opens_its_screens_and_nothing_else(host, sack):
    app = create_app(host, frames=[DASHBOARD])
    token = address_for_a_frame(app, "board").partition("ticket=")[2]
    device, tried = stranger(app), set()
    for endpoint, method, address in addresses(app, sack.session.id):
        if NEEDS.get(endpoint) is Need.NOTHING:
            continue
        answer = device.open(f"{address}?ticket={token}", method=method, headers=IN_A_FRAME)
        answer.close()
        assert (answer.status_code != 403) == (endpoint in FRAMED), (endpoint, method, answer.status_code)
        tried.add(endpoint)
    assert tried >= FRAMED
    for way in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"ticket={token}"}):
        assert device.get("/board", headers=way).status_code == 403
    assert device.post(f"/join/{token}").status_code == 403


def test_a_frames_ticket_counts_only_where_a_site_may_frame(host, sack):
    path = address_for_a_frame(create_app(host, frames=[DASHBOARD]), "board")
    closed = create_app(host)
    assert stranger(closed).get(path, headers=IN_A_FRAME).status_code == 403
    assert "framed-board" not in closed.test_client().get("/house").text
    refused = closed.test_client().post("/house/link", data={"role": "watcher", "seat": "/framed-board"})
    assert refused.status_code == 400
    assert "--allow-frame" in refused.text


@pytest.mark.parametrize("role", Role)
def test_a_devices_ticket_counts_for_nothing_in_an_address(host, sack, role):
    app = create_app(host, frames=[DASHBOARD])
    token = host.access.tickets.issue(role)
    for wrong in (token, "x", ""):
        assert stranger(app).get(f"/board?ticket={wrong}", headers=IN_A_FRAME).status_code == 403


def test_the_stream_of_a_framed_screen_ends_when_its_ticket_is_taken_back(host, sack):
    app = create_app(host, frames=[DASHBOARD])
    token = address_for_a_frame(app, "board").partition("ticket=")[2]
    asked = {"REMOTE_ADDR": "192.168.1.50", "QUERY_STRING": f"ticket={token}"}
    with app.test_request_context(f"/api/sessions/{sack.session.id}/stream", environ_overrides=asked):
        assert gate.check() is None
        is_still_in = gate.staying()
    assert is_still_in()
    (ticket,) = host.access.tickets.all()
    host.access.tickets.revoke(ticket.id)
    assert not is_still_in()
