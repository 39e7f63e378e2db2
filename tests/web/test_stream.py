"""The event stream: nothing is missed between two connections, and what it says is enough to look again."""

import json

import pytest

from companion.games.sack_stackers.rules import Rolled


@pytest.fixture
def listen(client, sack):
    """Opens the stream and gives its messages as (id, event, data), comments and retry left out."""
    opened = []

    def messages(headers=None, query=""):
        response = client.get(f"/api/sessions/{sack.session.id}/stream{query}", headers=headers or {})
        opened.append(response)
        assert response.mimetype == "text/event-stream"
        for chunk in response.response:
            fields = dict(line.split(": ", 1) for line in chunk.decode().strip().splitlines())
            if "event" in fields:
                yield fields.get("id"), fields["event"], json.loads(fields["data"])

    yield messages
    for response in opened:
        response.close()


@pytest.fixture
def roll(sack, fresh_id):
    return lambda *dice: sack.submit(Rolled(dice), event_id=fresh_id(), seen_seq=None, source="tablet")


def test_a_reconnect_resumes_after_the_last_event_id(listen, roll, sack, fresh_id):
    roll(3, 5)
    sack.undo(event_id=fresh_id(), seen_seq=1, source="tablet")
    roll(1, 2)
    stream = listen({"Last-Event-ID": "1"})
    assert next(stream) == ("2", "entry", {"seq": 2, "affects": ["table"]})
    assert next(stream) == ("3", "entry", {"seq": 3, "affects": ["table"]})


def test_the_first_connection_says_since_when(listen, roll):
    roll(3, 5)
    assert next(listen(query="?since=0"))[2]["seq"] == 1


def test_what_happens_while_one_listens_names_whose_part_it_changed(listen, roll, sack):
    roll(3, 5)
    stream = listen(query="?since=0")
    next(stream)
    player = sack.session.players[0]
    sack.submit(sack.game.legal(sack.state, player)[0], event_id="move", seen_seq=1, source="tablet")
    assert next(stream) == ("2", "entry", {"seq": 2, "affects": [player]})


def test_a_new_status_is_a_change(listen, roll, host):
    roll(3, 5)
    stream = listen(query="?since=0")
    next(stream)
    host.set_status("camera", "down", "The camera is gone.")
    assert next(stream) == (None, "change", {"topic": "status"})


def test_a_stream_ends_with_the_house(listen, roll, host):
    roll(3, 5)
    stream = listen(query="?since=0")
    next(stream)
    host.live.close()
    assert list(stream) == []


@pytest.mark.parametrize("wrong", ["x", "-1", "1e9", "9" * 40, ""])
def test_a_wrong_last_event_id_is_400(client, sack, wrong):
    refused = client.get(f"/api/sessions/{sack.session.id}/stream", headers={"Last-Event-ID": wrong})
    assert refused.status_code == 400
    assert client.get(f"/api/sessions/{sack.session.id}/stream?since={wrong}").status_code == 400
