"""The pages of a tournament: what the staff tap, what everybody reads, and a refusal on the page that was tapped."""

import html
import io
import json
import re

import pytest

from companion.changes import Live
from companion.clock import wall_us
from companion.hub.hall import Hall
from companion.hub.record import HubRecord
from tests.hall.databases import on_both
from tests.hall.letters import KEY
from tests.hall.test_live import said
from tests.hall.test_record import enrol
from tests.hall.tournament.test_tournament_desk import ruled_all, send
from tests.shown_forms import fields_of
from web.hub.app import create_hub
from web.hub.here import Hub

pytestmark = on_both

GUEST = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}
ASKED = {"title": "Autumn Cup", "game": "stack_dice", "preset": "printed", "form": "rounds", "seats": "3",
         "rounds": "", "names": "Ann\nBen\nCleo\nDan\nEve\nFlo", "sure": "1"}  # fmt: skip


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path)
    yield record
    record.close()


@pytest.fixture
def hall(record):
    return Hall(record.public_of, Live(), on_sign=record.hear)


@pytest.fixture
def client(record, hall):
    return create_hub(Hub(record, hall, Live(), is_public=True)).test_client()


@pytest.fixture
def cup(client):
    """The page of a tournament of six."""
    answer = client.post("/tournaments", data=ASKED)
    assert answer.status_code == 303
    return answer.location


def text_of(answer):
    return html.unescape(re.sub(r"\s+", " ", answer.text))


def names_of(record, cup):
    one = record.desk.find(cup.rpartition("/")[2])
    return {one.name_of(entrant): entrant for entrant in one.state.entrants}


def test_a_tournament_is_begun_from_a_pasted_list(client, cup, record):
    page = text_of(client.get(cup))
    assert "6 entrants. No round yet." in page
    assert "Seat round 1" in page
    assert list(names_of(record, cup)) == ASKED["names"].splitlines()
    assert "Autumn Cup" in text_of(client.get("/tournaments", **GUEST))


def test_a_tournament_is_begun_from_a_csv_file(client, record):
    file = (io.BytesIO("\ufeffNr;Name, Vorname\n1;Öberg, Åsa\n2;Ek, Björn\n".encode()), "list.csv")
    asked = {name: text for name, text in ASKED.items() if name not in ("names", "sure")} | {"seats": "2"}
    shown = client.post("/tournaments", data={**asked, "names": "", "file": file})
    assert (shown.status_code, "2 names were understood." in text_of(shown)) == (200, True)
    assert record.desk.all() == []
    sent = fields_of(shown.text)
    assert {name: sent[name] for name in asked} == asked
    answer = client.post("/tournaments", data=sent | {"sure": "1"})
    assert list(names_of(record, answer.location)) == ["Åsa Öberg", "Björn Ek"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"title": " "}, "Type a name."),
        ({"seats": "x"}, "A number is missing"),
        ({"seats": "9"}, "is played by"),
        ({"form": "chess"}, "Choose how the tournament goes"),
        ({"names": "Ann\nann"}, "Two players are called"),
        ({"names": "Ann\nann", "sure": None}, "Two players are called"),
        ({"rounds": "200"}, "100 rounds at most"),
        ({"file": b"\xff\xfe\x00"}, "isn't a list of names"),
    ],
)
def test_what_cannot_be_begun_is_said_over_the_form_as_it_was_typed(client, record, change, sentence):
    if "file" in change:
        change = {"file": (io.BytesIO(change["file"]), "list.csv"), "sure": None}
    answer = client.post(
        "/tournaments", data={name: sent for name, sent in (ASKED | change).items() if sent is not None}
    )
    assert (answer.status_code, sentence in text_of(answer)) == (422, True)
    assert "Autumn Cup" in text_of(answer) or "title" in change
    assert record.desk.all() == []


def test_a_round_is_seated_played_and_closed(client, cup, record, hall):
    enrol(record)
    assert client.post(f"{cup}/pair", data={"seen": "2"}).status_code == 303
    page = text_of(client.get(cup))
    assert "Round 1: games 1 and 2 are missing." in page
    assert ("waits for a free table" in page, "called" in page) == (True, True)
    offer = record.desk.offer_for(KEY.id)
    hall.hear("a1", json.dumps(said(wall_us(), session=offer.session)).encode(), is_retained=False)
    assert "is played" in text_of(client.get(cup))
    send(record, offer)
    assert "Round 1: game 2 is missing." in text_of(client.get(cup))
    refused = client.post(f"{cup}/pair", data={"seen": str(seq_of(record, cup))})
    assert refused.status_code == 422
    assert re.search(r"Round 1 isn't closed yet\. Missing: game 2 \(\w+, \w+, \w+\)\.", text_of(refused))


def seq_of(record, cup):
    return record.desk.find(cup.rpartition("/")[2]).seq


def test_the_seating_says_who_sits_where(client, cup, record):
    enrol(record, name="Window")
    client.post(f"{cup}/pair", data={"seen": "2"})
    for path in (f"{cup}/seating", f"{cup}/seating/tables"):
        page = text_of(client.get(path, **GUEST))
        assert "Window" in page
        assert "Wait for a free table" in page
        for name in names_of(record, cup):
            assert page.count(name) == 2  # at a table, and in the list for paper


def test_the_staff_rule_and_take_it_back(client, cup, record):
    client.post(f"{cup}/pair", data={"seen": "2"})
    play = record.desk.find(cup.rpartition("/")[2]).state.newest.plays[0]
    places = dict(zip(play.pairing.seats, ("2", "1", "2"), strict=True))
    assert client.post(f"{cup}/games/1/rule", data={**places, "seen": "3"}).status_code == 303
    ranks = record.desk.find(cup.rpartition("/")[2]).state.newest.plays[0].ruled
    assert ranks == ((play.pairing.seats[1],), (play.pairing.seats[0], play.pairing.seats[2]))
    assert "ruled" in text_of(client.get(cup))
    assert client.post(f"{cup}/games/1/unrule").status_code == 303
    assert "games 1 and 2 are missing" in text_of(client.get(cup))
    stale = client.post(f"{cup}/games/1/rule", data={**places, "seen": "3"})
    assert (stale.status_code, "moved on" in text_of(stale)) == (422, True)
    assert client.post(f"{cup}/games/1/rule", data={"seen": "5"}).status_code == 422
    assert client.post(f"{cup}/games/9/rule", data={"seen": "5"}).status_code == 422


def test_seats_change_late_entries_and_withdrawals(client, cup, record):
    client.post(f"{cup}/pair", data={"seen": "2"})
    names = names_of(record, cup)
    swap = {"first": names["Ann"], "second": names["Flo"], "seen": "3"}
    assert client.post(f"{cup}/swap", data=swap).status_code == 303
    shown = client.post(f"{cup}/enter", data={"names": "Holm, Gus"})
    assert (shown.status_code, "Gus Holm" in names_of(record, cup)) == (200, False)
    assert client.post(f"{cup}/enter", data=fields_of(shown.text) | {"sure": "1"}).status_code == 303
    entrant = names_of(record, cup)["Gus Holm"]
    assert client.post(f"{cup}/rename", data={"entrant": entrant, "name": " Gus "}).status_code == 303
    assert client.post(f"{cup}/withdraw", data={"entrant": names["Ben"]}).status_code == 303
    assert "withdrawn" in text_of(client.get(cup))
    assert client.post(f"{cup}/back", data={"entrant": names["Ben"]}).status_code == 303
    assert client.post(f"{cup}/back", data={"entrant": names["Ben"]}).status_code == 422
    assert client.post(f"{cup}/forget", data={"entrant": names["Ben"]}).status_code == 303
    page = text_of(client.get(cup))
    assert ("Entrant 2" in page, "Ben" in page, "Gus" in page) == (True, False, True)


def test_a_tournament_ends(client, cup, record):
    client.post(f"{cup}/pair", data={"seen": "2"})
    assert client.post(f"{cup}/end").status_code == 422
    ruled_all(record, cup.rpartition("/")[2])
    assert client.post(f"{cup}/end").status_code == 303
    page = text_of(client.get(cup))
    assert "The tournament is over." in page
    assert "Seat round" not in page
    assert client.post(f"{cup}/enter", data={"names": "Gus", "sure": "1"}).status_code == 422


def test_a_guest_reads_and_is_offered_no_tap_of_the_staff(client, cup):
    client.post(f"{cup}/pair", data={"seen": "2"})
    for path in ("/tournaments", cup, f"{cup}/seating"):
        answer = client.get(path, **GUEST)
        assert answer.status_code == 200
        assert "<form" not in answer.text


def test_programs_read_the_journal(client, cup):
    client.post(f"{cup}/pair", data={"seen": "2"})
    (row,) = client.get("/v1/tournaments", **GUEST).json
    assert (row["title"], row["entrants"], row["round"], row["open"]) == ("Autumn Cup", 6, 1, 2)
    entries = client.get(f"/v1{cup}", **GUEST).json
    assert [(entry["id"], entry["event"]["what"]) for entry in entries] == [
        ("1", "begun"),
        ("2", "entered"),
        ("3", "round paired"),
    ]


def test_a_guest_learns_no_id_of_a_game_that_is_open(client, cup, record):
    """Whoever has it could send a result under it."""
    enrol(record)
    client.post(f"{cup}/pair", data={"seen": "2"})
    plays = record.desk.all()[0].state.newest.plays
    first, second = (play.pairing.seats[0] for play in plays)
    client.post(f"{cup}/swap", data={"seen": "3", "first": first, "second": second})
    client.post(f"{cup}/games/2/call", data={"table": KEY.id})
    sessions = {play.pairing.session for play in (*plays, *record.desk.all()[0].state.newest.plays)}
    for path in (f"/v1{cup}", cup, f"{cup}/seating", "/v1/live", "/"):
        said = client.get(path, **GUEST).text
        assert not [session for session in sessions if session in said]
    assert all(session in client.get(f"/v1{cup}").text for session in sessions)
    (call,) = [entry for entry in client.get(f"/v1{cup}", **GUEST).json if entry["event"]["what"] == "swapped"]
    assert [number for number, _veiled in call["event"]["sessions"]] == [1, 2]


def test_a_tournament_that_is_not_there_is_not_found(client):
    for path in ("/tournaments/x", "/tournaments/x/seating", "/v1/tournaments/x"):
        assert client.get(path).status_code == 404
    assert client.post("/tournaments/x/pair", data={"seen": "1"}).status_code == 404
