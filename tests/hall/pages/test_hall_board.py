"""The hall's board: what it shows of each table, and who may look."""

import html
import json
import re

import pytest

from companion.changes import Live
from companion.hub.hall import HALL, HOLDS_US, Hall
from companion.hub.presence import SILENT_S
from companion.hub.record import HubRecord
from companion.hub.tournament.events import Form
from companion.letters.offer import veil_session
from companion.words import clock_face
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY
from tests.hall.test_live import iso, said
from tests.hall.test_record import enrol
from web.hub import board
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

NOW_US = 1_790_000_000_000_000
SECOND_US = 1_000_000
SECONDS = [0.0]  # The hub's uptime is the last of them.
GUEST = {"REMOTE_ADDR": "192.168.1.7"}
PAGES = ("/", "/board/tables", "/board/stream", "/v1/live")


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path, now_s=lambda: SECONDS[-1])
    yield record
    record.close()
    SECONDS[:] = [0.0]


@pytest.fixture
def live():
    return Live()


@pytest.fixture
def hall(record, live, monkeypatch):
    monkeypatch.setattr(board, "wall_us", lambda: NOW_US)
    return Hall(record.public_of, live, lambda: NOW_US, record.hear)


@pytest.fixture
def client(record, hall, live):
    return create_hub(Hub(record, hall, live)).test_client()


def hear(hall, **more):
    hall.hear("a1", json.dumps(said(NOW_US, **more)).encode(), is_retained=False)


def shown(client, path="/board/tables", **more):
    answer = client.get(path, **more)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def test_a_table_with_game_players_points_and_clock(client, record, hall):
    enrol(record)
    hear(hall, clock=iso(NOW_US + 30 * SECOND_US))
    page = shown(client)
    assert all(part in page for part in ("Table 1", "Sack Stackers", "Seat 1", "Seat 2", clock_face(30 * SECOND_US)))
    assert 'class="turn"' in page
    (line,) = client.get("/v1/live").json
    assert (line["id"], line["state"], line["game"]) == (KEY.id, "plays", "Sack Stackers")
    assert line["seats"] == [["Seat 1", 7, True], ["Seat 2", 4, False]]


def test_the_players_of_a_tournament_have_their_names(client, record, hall):
    """The table says "seat 1"; the hub seated them. Their names stay when the result is there, as people look at it."""
    enrol(record)
    cup = record.desk.begin("Cup", "stack_dice", "printed", Form.ROUNDS, 2, 0, ["Ann", "Ben"]).id
    record.desk.pair(cup)
    pairing = record.desk.find(cup).state.newest.plays[0].pairing
    hear(hall, session=pairing.session)
    names = [record.desk.find(cup).name_of(entrant) for entrant in pairing.seats]
    assert [seat[0] for seat in client.get("/v1/live").json[0]["seats"]] == names
    record.desk.rule(cup, 1, tuple((entrant,) for entrant in pairing.seats))
    assert not record.desk.find(cup).state.open
    hear(hall, session=pairing.session, over=True)
    (line,) = client.get("/v1/live").json
    assert (line["state"], [seat[0] for seat in line["seats"]]) == ("over", names)
    hear(hall, session="another")
    assert client.get("/v1/live").json[0]["seats"][0][0] == "Seat 1"


def test_a_name_stays_while_its_last_game_is_looked_at_though_the_tournament_was_ended(client, record, hall):
    """And one of another that has ended costs nothing: whose game no table shows is not read."""
    enrol(record)
    cups = [
        record.desk.begin(f"Cup {n}", "stack_dice", "printed", Form.ROUNDS, 2, 0, ["Ann", "Ben"]).id for n in (1, 2)
    ]
    for cup in cups:
        record.desk.pair(cup)
        record.desk.rule(cup, 1, tuple((entrant,) for entrant in record.desk.find(cup).state.entrants))
        record.desk.end(cup)
    session = record.desk.find(cups[0]).state.newest.plays[0].pairing.session
    hear(hall, session=veil_session(session), over=True)
    assert {seat[0] for seat in client.get("/v1/live").json[0]["seats"]} == {"Ann", "Ben"}
    entrant = record.desk.find(cups[0]).state.entrants[0]
    record.desk.forget(cups[0], entrant)
    assert {seat[0] for seat in client.get("/v1/live").json[0]["seats"]} == {"Entrant 1", "Ben"}


@pytest.mark.parametrize("path", ["/board/tables", "/tables/KEY", "/staff/floor"])
def test_a_table_says_who_sits_there_next(client, record, hall, live, path):
    """As soon as a game is called to it, also while it plays another one; and no more once that game has begun."""
    enrol(record)
    path = path.replace("KEY", KEY.id)
    hear(hall, session=None, game=None, seats=[])
    assert ("No game yet" in shown(client, path), client.get("/v1/live").json[0]["next"]) == (True, [])
    cup = record.desk.begin("Cup", "stack_dice", "printed", Form.ROUNDS, 2, 0, ["Ann", "Ben"]).id
    record.desk.pair(cup)
    pairing = record.desk.find(cup).state.newest.plays[0].pairing
    names = [record.desk.find(cup).name_of(entrant) for entrant in pairing.seats]
    live.publish(HALL)
    page = shown(client, path)
    assert ("Next here:" in page, "No game yet" in page) == (True, False)
    assert client.get("/v1/live").json[0]["next"] == names
    assert re.search(rf"Next here:.*{names[0]}.*{names[1]}", page, re.DOTALL)
    hear(hall, session="another", at=iso(NOW_US + SECOND_US))
    assert client.get("/v1/live").json[0]["next"] == names
    hear(hall, session=veil_session(pairing.session), at=iso(NOW_US + 2 * SECOND_US))
    assert client.get("/v1/live").json[0]["next"] == []
    assert "Next here:" not in shown(client, path)


@pytest.mark.parametrize(
    ("more", "state", "words"),
    [
        ({"asks": 1}, "asks", "The camera asks"),
        ({"over": True}, "over", "finished"),
        ({"session": None, "game": None, "seats": []}, "waits", "No game yet"),
        ({"left": True}, "silent", "Silent since"),
        # When it came counts by the hub's own uptime, whatever the table's clock says.
        ({"until": iso(NOW_US - SECOND_US)}, "plays", "Seat 1"),
    ],
)
def test_what_else_a_table_may_be(client, record, hall, more, state, words):
    enrol(record)
    hear(hall, **more)
    assert words in shown(client)
    assert [line["state"] for line in client.get("/v1/live").json] == [state]


def test_a_table_that_said_nothing_yet_is_there(client, record):
    enrol(record, name="")
    enrol(record, OTHER_KEY, "Window")
    assert [line["name"] for line in client.get("/v1/live").json] == ["Table 1", "Window"]
    assert shown(client).count("Not heard of yet") == 2


def test_a_table_that_nobody_enrolled_is_marked(client, hall):
    hear(hall, key=None)
    assert "Not enrolled" in shown(client)


def test_tables_stand_in_the_order_of_people(client, record):
    names = ("Table 10", "Table 9", "bar", "Table 1")
    assert sorted(names, key=board.name_order) == ["bar", "Table 1", "Table 9", "Table 10"]


def test_a_name_is_a_name_and_no_tag(client, record, hall):
    enrol(record, name="Table 1")
    hear(hall, name="<script>alert(1)</script>\u202e", seats=[{"player": "<b>Ann</b>", "points": 1}])
    text = client.get("/board/tables").text
    assert "<script>" not in text
    assert "<b>Ann" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    "why",
    [
        "No table is shown live, because the hub was started with --no-mqtt.",
        "The broker doesn't answer, so no table is shown live. Look whether it runs.",
    ],
)
def test_why_nothing_is_live_is_said_to_the_staff_alone(record, hall, live, why):
    """On the board, whoever looks first, and nowhere else where a guest may look."""
    client = create_hub(Hub(record, hall, live, is_public=True, trouble=lambda: why)).test_client()
    for path in ("/", "/board/tables"):
        assert why not in html.unescape(client.get(path, environ_base=GUEST).text)
        assert why in shown(client, path)
        assert why not in html.unescape(client.get(path, environ_base=GUEST).text)
    assert why in shown(client, "/staff/floor")
    for path in ("/tournaments", "/standings", "/healthz"):
        assert why not in html.unescape(client.get(path, environ_base=GUEST).text), path


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("public", [False, True])
def test_who_may_look(record, hall, live, path, public):
    client = create_hub(Hub(record, hall, live, is_public=public)).test_client()
    assert client.get(path).status_code == 200
    assert client.get(path, environ_base=GUEST).status_code == (200 if public else 403)
    assert client.get(path, headers={"Host": "evil.example"}).status_code == (404 if public else 403)
    assert client.get(path, headers={"X-Forwarded-For": "192.168.1.7"}).status_code == (200 if public else 403)


def test_a_guest_is_told_in_a_page_how_to_look(client):
    asked = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "User-Agent": "Browser"}
    answer = client.get("/", headers=asked, environ_base=GUEST)
    assert (answer.status_code, answer.mimetype) == (403, "text/html")
    assert "start the hub with --public" in html.unescape(answer.text)


def test_the_board_speaks_german(client, record):
    enrol(record)
    assert "Noch nichts gehört" in shown(client, headers={"Accept-Language": "de"})


def test_a_state_that_has_passed_is_drawn_anew(client, record, hall, live, monkeypatch):
    enrol(record)
    hear(hall)
    assert "Silent since" not in shown(client)
    monkeypatch.setattr(board, "wall_us", lambda: NOW_US + HOLDS_US + SECOND_US)
    SECONDS.append(SILENT_S + 1)
    assert "Silent since" in shown(client)
    monkeypatch.setattr(board, "wall_us", lambda: NOW_US)
    hear(hall, asks=2, at=iso(NOW_US + SECOND_US))
    assert [one["asks"] for one in client.get("/v1/live").json] == [2]


def test_nothing_on_the_board_comes_from_elsewhere(client, record, hall):
    enrol(record)
    hear(hall)
    page = client.get("/").text
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page
    assert "default-src 'none'" in client.get("/").headers["Content-Security-Policy"]


def test_the_stream_has_no_length(client):
    """More follows: a length would end it (RFC 9112, 6.3)."""
    answer = client.get("/board/stream")
    assert (answer.mimetype, "Content-Length" in answer.headers) == ("text/event-stream", False)
