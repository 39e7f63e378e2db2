"""The REST API: what it takes, what it refuses with which status, and that repeating never counts twice."""

import io
import json
from contextlib import closing
from urllib.parse import quote

import pytest
from werkzeug.exceptions import ClientDisconnected

from companion.errors import BadInput
from companion.game.readings import DiceReading, DieReading, Settled
from companion.games.maxstax.timer import COUNTDOWN_US, STACKING_US
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.events import Origin
from companion.journal.store import Journal

ROLLED = {"kind": "Rolled", "dice": [3, 5]}


@pytest.fixture
def url(sack):
    return f"/api/sessions/{sack.session.id}"


def posted(client, url, event=ROLLED, event_id="tap-1", seen_seq=0):
    return client.post(f"{url}/events", json={"event": event, "event_id": event_id, "seen_seq": seen_seq})


def die(value, accepted=True, alternatives=((1, 1.0),)):
    return DieReading(value, 50, 50, 40, 40, 0, "white", 0.99, accepted, alternatives)


def doubtful():
    dice = (die(3), die(5, False, ((5, 0.6), (6, 0.4))))
    return Settled(DiceReading(640, 480, dice), 1, 2, b"frame", (b"first", b"second"))


def test_a_session_is_created_listed_shown_exported_and_imported_elsewhere(client, host):
    created = client.post("/api/sessions", json={"game": "sack_stackers", "players": ["Ann", "Bob"]})
    assert created.status_code == 201
    session = created.json["id"]
    assert [one["id"] for one in client.get("/api/sessions").json] == [session]
    shown = client.get(f"/api/sessions/{session}").json
    assert (shown["seq"], shown["over"], shown["holds_table"]) == (0, False, True)
    assert [player["name"] for player in shown["players"]] == ["Ann", "Bob"]
    text = client.get(f"/api/sessions/{session}/export")
    assert text.mimetype == "application/x-ndjson"
    assert client.post("/api/import", data=text.data).status_code == 422  # it is here already


def test_the_sender_may_name_the_session_so_that_a_repeated_request_makes_one(client):
    body = {"game": "sack_stackers", "players": ["Ann"], "session_id": "made-by-the-tablet"}
    assert [client.post("/api/sessions", json=body).json["id"] for _ in range(2)] == ["made-by-the-tablet"] * 2
    assert len(client.get("/api/sessions").json) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"game": "stack_dice", "players": ["Ann", "Bob"]},
        {"players": ["Bob"]},
        {"players": ["Ann", "Bob"]},
        {"options": {"voluntary_coal": True}},
        {"preset": "tournament"},
    ],
)
def test_a_session_id_that_was_used_for_another_game_is_400_with_a_sentence(client, host, other):
    body = {"game": "sack_stackers", "players": ["Ann"], "session_id": "made-by-the-tablet"}
    client.post("/api/sessions", json=body)
    refused = client.post("/api/sessions", json={**body, **other})
    assert (refused.status_code, "another game" in refused.json["error"]) == (400, True)
    assert client.post("/api/sessions", json=body).status_code == 201
    again = Host(Journal(host.journal.path))  # after a restart
    with pytest.raises(BadInput, match="another game"):
        again.create("sack_stackers", ["Eve"], {}, "made-by-the-tablet")
    assert again.create("sack_stackers", ["Ann"], {}, "made-by-the-tablet").seq == 0
    again.journal.close()


def test_a_game_whose_players_were_deleted_is_still_the_one_that_was_made(client, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, "made-by-the-tablet")
    table.history.rename({table.session.players[0]: "Ann"})
    assert host.create("sack_stackers", ["Ann", "Bob"], {}, "made-by-the-tablet") is table


NO_IDS = ("", ".", "..", "a.bcdefgh", "abcdefgh\n", "abcdefgh\r", "a/bcdefgh", "äbcdefgh", "abcdefg١", "a" * 65)


@pytest.mark.parametrize("bad", NO_IDS)
def test_what_is_no_id_is_refused_at_every_door(client, url, sack, bad):
    assert (
        client.post("/api/sessions", json={"game": "sack_stackers", "players": ["Ann"], "session_id": bad}).status_code
        == 400
    )
    assert posted(client, url, event_id=bad).status_code == 400
    with pytest.raises(BadInput, match="An event id"):
        sack.submit(Rolled((3, 5)), Origin(bad))
    for address in ("/s/{}", "/s/{}/result.csv", "/api/sessions/{}", "/people/{}.json", "/api/pictures/{}.jpg"):
        if bad:
            answer = client.get(address.format(quote(bad, safe="")))
            assert answer.status_code in (404, 308), address
    assert sack.seq == 0


def test_the_same_event_id_gives_the_same_answer_and_counts_once(client, url, sack):
    assert posted(client, url).json == posted(client, url).json == {"event_id": "tap-1", "seq": 1}
    assert sack.seq == 1


def test_a_tap_on_a_stale_page_is_409_with_a_sentence(client, url, sack):
    posted(client, url)
    stale = posted(client, url, event_id="tap-2")
    assert stale.status_code == 409
    assert stale.json["error"].endswith(".")
    assert sack.seq == 1


def test_an_event_that_the_rules_forbid_is_422_with_a_sentence(client, url, sack):
    refused = posted(client, url, {"kind": "Rolled", "dice": [3, 7]})
    assert refused.status_code == 422
    assert "1 to 6" in refused.json["error"]
    assert sack.seq == 0


def test_undo_and_redo(client, url, sack):
    posted(client, url)
    undone = client.post(f"{url}/undo", json={"event_id": "undo", "seen_seq": 1})
    assert (undone.status_code, sack.state.dice) == (200, None)
    redone = client.post(f"{url}/undo", json={"event_id": "redo", "seen_seq": 2, "seq": 2})
    assert (redone.status_code, sack.state.dice) == (200, (3, 5))


def test_an_undo_of_another_entry_under_the_same_id_is_400_with_a_sentence(client, url, host, sack):
    posted(client, url)
    body = {"event_id": "undo", "seen_seq": 1, "seq": 1}
    first = client.post(f"{url}/undo", json=body)
    other = client.post(f"{url}/undo", json={**body, "seen_seq": 2, "seq": 2})
    assert (other.status_code, "another event" in other.json["error"]) == (400, True)
    for seq in (1, None):  # who names none means the one that it was
        assert client.post(f"{url}/undo", json={**body, "seq": seq}).json == first.json
    with closing(Journal(host.journal.path)) as journal:  # after a restart
        again = Host(journal).table(sack.session.id)
        with pytest.raises(BadInput, match="another event"):
            again.undo(Origin("undo", 2), seq=2)
        assert again.undo(Origin("undo", 1), seq=1).seq == 2


def test_amend_shows_what_changes_before_it_does(client, url, sack):
    posted(client, url)
    body = {"seq": 1, "event": {"kind": "Rolled", "dice": [6, 6]}, "event_id": "fix", "seen_seq": 1}
    preview = client.post(f"{url}/amend", json={**body, "preview": True})
    assert (preview.status_code, preview.json["misfits"], sack.seq) == (200, [], 1)
    assert client.post(f"{url}/amend", json=body).json["seq"] == 2
    assert sack.state.dice == (6, 6)


def test_strike_names_what_no_longer_fits(client, url, sack):
    posted(client, url)
    player = sack.session.players[0]
    move = next(e for e in client.get(f"{url}/legal?player={player}").json["events"] if e["kind"] == "Placed")
    assert posted(client, url, move, "tap-2", 1).status_code == 200
    body = {"seq": 1, "event_id": "strike", "seen_seq": 2}
    (misfit,) = client.post(f"{url}/strike", json={**body, "preview": True}).json["misfits"]
    assert misfit["seq"] == 2
    assert client.post(f"{url}/strike", json=body).status_code == 422
    assert client.post(f"{url}/strike", json={**body, "event_id": "both", "also": [2]}).status_code == 200
    assert sack.state.dice is None


@pytest.mark.parametrize("game", ["speedstax", "samestax", "swapstax"])
def test_what_a_player_may_do_now_is_accepted_now(client, host, fresh_id, game):  # MX-13, MX-15, MX-17
    table = host.create(game, ["Ann", "Bob"], {})
    url = f"/api/sessions/{table.session.id}"

    def offered():
        asked = (client.get(f"{url}/legal?player={player}").json["events"] for player in table.session.players)
        return {event["kind"]: event for events in asked for event in events}

    def done(kind):
        assert posted(client, url, offered()[kind], fresh_id(), table.seq).status_code == 200

    while "Started" not in offered():
        before = ("Drew", "Passed", "Readied", "CreatorChosen", "ShufflerNamed")
        done(next(kind for kind in before if kind in offered()))
    done("Started")
    assert not {"Shouted", "Paused"} & offered().keys()  # the countdown
    host.clock.offset_us += COUNTDOWN_US
    assert "Shouted" in offered()
    done("Paused")
    assert "Shouted" not in offered()
    done("Resumed")
    host.clock.offset_us += STACKING_US  # time is up, and the clock has not said so yet
    assert not {"Shouted", "Paused"} & offered().keys()


def test_a_doubtful_die_is_asked_and_answered_once(client, url, host, sack):
    host.on_reading(doubtful())
    (proposal,) = client.get(f"{url}/proposals").json
    (doubt,) = proposal["doubts"]
    assert proposal["sure"] == [["dice.0", 3]]
    assert client.get(f"/api/pictures/{doubt['picture']}.jpg").data == b"second"
    here = f"{url}/proposals/{proposal['id']}"
    assert client.post(f"{here}/confirm", json={"event_id": "yes"}).status_code == 400
    answer = {"event_id": "six", "corrections": {doubt["path"]: 6}}
    first, again = (client.post(f"{here}/correct", json=answer) for _ in range(2))
    assert (first.status_code, first.json) == (again.status_code, again.json)
    assert sack.state.dice == (3, 6)
    late = client.post(f"{here}/correct", json={**answer, "event_id": "late"})
    assert late.status_code == 404


def test_another_answer_under_the_same_id_is_400_with_a_sentence(client, url, host, sack):
    def other(answer, question):
        refused = client.post(f"{url}/proposals/{question}/correct", json=answer)
        return refused.status_code, "another event" in refused.json["error"]

    host.on_reading(doubtful())
    (proposal,) = client.get(f"{url}/proposals").json
    answer = {"event_id": "six", "corrections": {proposal["doubts"][0]["path"]: 6}}
    first = client.post(f"{url}/proposals/{proposal['id']}/correct", json=answer)
    assert other({**answer, "corrections": {**answer["corrections"], "dice.0": 1}}, proposal["id"]) == (400, True)
    sack.undo(Origin("undo"))
    host.on_reading(doubtful())
    (new,) = client.get(f"{url}/proposals").json
    assert other(answer, new["id"]) == (400, True)
    assert client.get(f"{url}/proposals").json == [new]  # still asked
    again = client.post(f"{url}/proposals/{proposal['id']}/correct", json=answer)
    assert (again.status_code, again.json) == (200, first.json)


def test_a_question_may_be_dismissed(client, url, host):
    host.on_reading(doubtful())
    (proposal,) = client.get(f"{url}/proposals").json
    assert client.post(f"{url}/proposals/{proposal['id']}/dismiss").status_code == 200
    assert client.get(f"{url}/proposals").json == []


BROKEN = {
    "no JSON": b"{",
    "no UTF-8": b'{"event": "\xff"}',
    "a lone surrogate": b'{"event": {"kind": "\\ud800"}, "event_id": "a", "seen_seq": 0}',
    "no object": b"[]",
    "nothing": b"",
    "nested deeply": b"[" * 100_000,
    "an unknown field": json.dumps({"event": ROLLED, "event_id": "a", "seen_seq": 0, "more": 1}).encode(),
    "a field missing": json.dumps({"event": ROLLED, "event_id": "a"}).encode(),
    "a huge number": b'{"event": {"kind": "Rolled"}, "event_id": "a", "seen_seq": 1' + b"0" * 400 + b"}",
    "an unknown kind": json.dumps({"event": {"kind": "x"}, "event_id": "a", "seen_seq": 0}).encode(),
    "no kind": json.dumps({"event": {}, "event_id": "a", "seen_seq": 0}).encode(),
    "an id with NUL": json.dumps({"event": ROLLED, "event_id": "a\0", "seen_seq": 0}).encode(),
    "an id too long": json.dumps({"event": ROLLED, "event_id": "a" * 65, "seen_seq": 0}).encode(),
    "a future page": json.dumps({"event": ROLLED, "event_id": "a", "seen_seq": 77}).encode(),
    "a text for a number": json.dumps({"event": ROLLED, "event_id": "a", "seen_seq": "0"}).encode(),
    "dice of text": json.dumps({"event": {**ROLLED, "dice": "ab"}, "event_id": "a", "seen_seq": 0}).encode(),
    "a field too many": json.dumps({"event": {**ROLLED, "x": [[]]}, "event_id": "a", "seen_seq": 0}).encode(),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_what_cannot_be_understood_is_400_with_one_sentence(client, url, sack, broken):
    refused = client.post(f"{url}/events", data=broken, content_type="application/json")
    assert refused.status_code == 400
    assert set(refused.json) == {"error"}
    assert "Traceback" not in refused.json["error"]
    assert sack.seq == 0


@pytest.mark.parametrize("value", [10**18, 10**40, -1, 3.5, None, True, [[3]], "\0"])
def test_no_value_of_a_die_is_an_error_of_the_service(client, url, sack, value):
    refused = posted(client, url, {"kind": "Rolled", "dice": [3, value]})
    assert refused.status_code in (400, 422)
    assert sack.seq == 0


def test_another_content_type_is_415_and_too_much_is_413(client, url):
    assert client.post(f"{url}/events", data="{}").status_code == 415
    large = client.post(f"{url}/events", data=b"[" + b" " * 1_000_001, content_type="application/json")
    assert large.status_code == 413
    assert large.json["error"]


def test_an_import_may_be_larger_than_other_bodies_and_is_still_refused_kindly(client):
    refused = client.post("/api/import", data=b"x" * 1_500_000)
    assert refused.status_code == 400
    assert client.post("/api/import", data=b"\xff").status_code == 400
    assert client.post("/api/import", data=b"x" * 16_000_001).status_code == 413


@pytest.mark.parametrize(
    "path",
    ["/api/sessions/nothing", "/api/sessions/a%00b", "/api/pictures/00.jpg", "/api/nothing", "/api/sessions/%ff"],
)
def test_what_is_not_there_is_404_with_a_sentence(client, path):
    missing = client.get(path)
    assert missing.status_code == 404
    assert missing.json["error"].endswith(".")


@pytest.mark.parametrize(
    ("names", "word"),
    [
        (["x" * 10_000], "10000"),
        ([""], "no name"),
        (["a\0b"], "Player 1's name has characters that can't be shown"),
        (["Ann", "ann"], "Two"),
        ([], ""),
        (["Zoë", "Zoe\u0308"], "Two players are called Zoë"),
        (["Zoe\u0308", "ZOË"], "Two"),
    ],
)
def test_a_name_that_cannot_be_is_refused_with_a_sentence(client, names, word):
    refused = client.post("/api/sessions", json={"game": "sack_stackers", "players": names})
    assert refused.status_code == 400
    assert word in refused.json["error"]
    assert len(refused.json["error"]) < 200


def test_another_site_may_not_post(client, url, sack):
    body = {"event": ROLLED, "event_id": "a", "seen_seq": 0}
    refused = client.post(f"{url}/events", json=body, headers={"Origin": "http://evil.example"})
    assert refused.status_code == 403
    assert client.post(f"{url}/events", json=body, headers={"Origin": "http://localhost"}).status_code == 200
    assert sack.seq == 1


def test_a_wrong_method_is_405_and_says_which_are_right(client):
    refused = client.delete("/api/sessions")
    assert refused.status_code == 405
    assert set(refused.headers["Allow"].split(", ")) >= {"GET", "POST"}


def test_what_nobody_foresaw_is_one_sentence_and_stands_in_the_log(client, host, monkeypatch, caplog):
    def fails(_newest=None):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(host, "games", fails)
    for path in ("/api/sessions", "/"):
        broken = client.get(path)
        assert broken.status_code == 500
        assert "secret" not in broken.text
        assert "Traceback" not in broken.text
    assert "ZeroDivisionError" in caplog.text


def test_a_body_that_breaks_off_is_refused_and_fills_no_log(client, caplog):
    class NoChunk(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, _buffer):
            raise ClientDisconnected

    answer = client.post(
        "/api/sessions",
        content_type="application/json",
        environ_overrides={"wsgi.input": NoChunk(), "wsgi.input_terminated": True},
    )
    assert (answer.status_code, caplog.records) == (400, [])
    assert "can't be understood" in answer.json["error"]


def test_how_each_part_is_now(client, host):
    host.status.set("buttons", "warn", "“Seat 1” is down all the time.")
    parts = {one["part"]: one for one in client.get("/api/parts").json}
    told = {"part": "buttons", "state": "warn", "text": "“Seat 1” is down all the time."}
    assert parts["buttons"] == told
    assert parts["camera"]["state"] == "off"
    assert client.get("/api/parts", environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code in (401, 403)


def test_health_metrics_clock_and_games(client, host):
    assert client.get("/healthz").json["status"] == "ok"
    host.looks.count = 1_234_567
    figures = client.get("/metrics").text.splitlines()
    assert {"companion_sessions 0", "companion_readings_total 1234567"} <= set(figures)  # to the last reading
    before = host.clock.now_us()
    assert before <= client.get("/api/clock").json["now_us"] <= host.clock.now_us()
    assert all(game["options"] and game["fewest"] <= game["most"] for game in client.get("/api/games").json)


def test_one_session_at_a_time_has_camera_and_box(client, host, sack):
    other = host.create("sack_stackers", ["Cy"], {})
    assert host.active.session == other.session.id
    assert client.post(f"/api/sessions/{sack.session.id}/hold").status_code == 200
    assert host.active.session == sack.session.id
