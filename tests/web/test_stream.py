"""The event stream: nothing is missed between two connections, and what it says is enough to look again."""

import contextlib
import http.client
import json
import re
import select
import sqlite3
import subprocess
import sys
import textwrap
import urllib.parse
from pathlib import Path
from random import Random

import pytest
from flask import g

from companion.demo.table import DemoTable
from companion.game.events import TABLE
from companion.games.dice_tray.lying import Die
from companion.games.dice_tray.rules import Rolled as DiceRolled
from companion.games.sack_stackers.events import Rolled
from companion.games.stack_dice.events import StartRolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from tests.parts import connect
from tests.service import running
from web.access import gate
from web.app import create_app
from web.live.stream import LOOK_AGAIN_S, RollsFeed, SessionFeed, WhileLetIn, changed_parts
from web.live.streams import STREAMS, Ended, Streams
from web.pages.demo import TableFeed


@pytest.fixture
def listen(client, sack):
    """Opens the stream and gives its messages as (id, event, data), beats and retry left out."""
    opened = []

    def messages(headers=None, query=""):
        response = client.get(f"/api/sessions/{sack.session.id}/stream{query}", headers=headers or {})
        opened.append(response)
        assert response.mimetype == "text/event-stream"
        for chunk in response.response:
            for text in chunk.decode().strip().split("\n\n"):
                fields = dict(line.split(": ", 1) for line in text.splitlines())
                if fields.get("event", "beat") != "beat":
                    yield fields.get("id"), fields["event"], json.loads(fields["data"])

    yield messages
    for response in opened:
        response.close()


@pytest.fixture
def roll(sack, fresh_id):
    return lambda *dice: sack.submit(Rolled(dice), Origin(fresh_id()))


def test_a_reconnect_resumes_after_the_last_event_id(listen, roll, sack, fresh_id):
    roll(3, 5)
    sack.undo(Origin(fresh_id(), 1))
    roll(1, 2)
    stream = listen({"Last-Event-ID": "1"})
    assert next(stream) == ("2", "entry", {"seq": 2, "affects": ["table"]})
    assert next(stream) == ("3", "entry", {"seq": 3, "affects": ["table"]})


def test_the_first_connection_says_since_when(listen, roll):
    roll(3, 5)
    assert next(listen(query="?since=0"))[2]["seq"] == 1


def test_who_saw_more_than_there_is_draws_anew_and_hears_what_comes(roll, sack):
    """An older copy of the journal was restored: the page knows of entries that are no more."""
    roll(3, 5)
    feed = SessionFeed(sack, 9999)
    assert feed.is_behind
    assert feed.news(None) == 'id: 1\nevent: change\ndata: {"topic": "session"}\n\n'
    assert feed.news(None) == 'event: beat\ndata: {"seq": 1}\n\n'
    sack.undo(Origin("undo", 1))
    assert feed.news("session:any").startswith("id: 2\nevent: entry\n")


def test_what_happens_while_one_listens_names_whose_part_it_changed(listen, roll, sack):
    roll(3, 5)
    stream = listen(query="?since=0")
    next(stream)
    player = sack.session.players[0]
    sack.submit(sack.game.rules.legal(sack.state, player)[0], Origin("move", 1))
    assert next(stream) == ("2", "entry", {"seq": 2, "affects": [player]})


def test_a_new_status_is_a_change(listen, roll, host):
    roll(3, 5)
    stream = listen(query="?since=0")
    next(stream)
    host.status.set("camera", "down", "The camera is gone.")
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


# under the real server


@contextlib.contextmanager
def connection(url, path, headers=None):
    """A tablet's connection, and the answer to its request for a stream."""
    there = urllib.parse.urlsplit(url)
    with contextlib.closing(http.client.HTTPConnection(there.hostname, there.port, timeout=10)) as made:
        made.request("GET", path, headers=headers or {})
        yield made.getresponse()


def companion(*arguments):
    """What another process of the machine prints."""
    command = [sys.executable, "-m", "companion", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def next_event(answer):
    """The next (event, id) that is not a beat."""
    fields = {}
    while True:
        line = answer.readline().decode()
        assert line, "the stream ended"
        if line.strip():
            name, _, value = line.strip().partition(": ")
            fields[name] = value
        elif fields.get("event", "beat") != "beat":
            return fields["event"], fields.get("id")
        else:
            fields = {}


def test_more_pages_than_threads_hear_the_real_service_and_it_still_answers(tmp_path):
    from web.serving.front import THREADS

    with running(tmp_path / "data", "--camera", "none") as service, contextlib.ExitStack() as stack:
        session = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]
        path = f"/api/sessions/{session}/stream?since=0"
        answers = [stack.enter_context(connection(service.url, path)) for _ in range(THREADS + 10)]
        body = {"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "one", "seen_seq": 0}
        assert service.call(f"/api/sessions/{session}/events", body)[0] == 200
        for answer in answers:
            assert answer.getheader("Content-Type").startswith("text/event-stream")
            assert next_event(answer) == ("entry", "1")
        assert service.call("/healthz")[0] == 200


@pytest.mark.parametrize("name", ["game", "table"])
@pytest.mark.parametrize("how", ["shown out", "expired", "host no longer", "in another game"])
def test_a_device_that_may_no_longer_hears_no_more(host, sack, name, how):
    """Its next request is refused; a stream that is open needs no next request, so it looks itself."""
    now_s = [0.0]
    connect(host, demo=DemoTable(host.clock, host.live, random=Random(1)))
    app, token = create_app(host), host.access.tickets.issue(Role.HOST)
    asked = {"REMOTE_ADDR": "192.168.1.20", "HTTP_AUTHORIZATION": f"Bearer {token}"}
    with app.test_request_context("/", environ_base=asked):
        g.visitor = gate.visitor()
        feed = SessionFeed(sack, 0) if name == "game" else TableFeed(host.outside.demo, host)
        guarded = WhileLetIn(feed, gate.staying(), lambda: now_s[0])
    assert "event: " in guarded.news(None)
    changes = {
        "shown out": ("DELETE FROM tickets", ()),
        "expired": ("UPDATE tickets SET expires_wall_us = ?", (1,)),
        "host no longer": ("UPDATE tickets SET role = ?", ("player",)),
        "in another game": ("UPDATE tickets SET session = ?", ("next",)),
    }
    with contextlib.closing(sqlite3.connect(host.journal.path)) as elsewhere, elsewhere:
        elsewhere.execute(*changes[how])
    now_s[0] += LOOK_AGAIN_S
    with pytest.raises(Ended):
        guarded.news(None)


def test_what_this_process_does_to_a_ticket_is_heard_at_once(host, sack):
    let_in = [True]
    feed = WhileLetIn(SessionFeed(sack, 0), lambda: let_in[0])
    assert feed.news("tickets") == ""
    let_in[0] = False
    with pytest.raises(Ended):
        feed.news("tickets")


def test_companion_token_revoke_ends_the_streams_of_a_running_service(tmp_path):
    with running(tmp_path / "data", "--camera", "none") as service:
        session = service.call("/api/sessions", {"game": "sack_stackers", "players": ["Ann", "Bob"]})[1]["id"]
        token = companion("token", "--data", tmp_path / "data", "create", "watcher").strip()
        headers = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "192.168.1.20"}  # not the machine itself
        with connection(service.url, f"/api/sessions/{session}/stream?since=0", headers) as answer:
            assert answer.status == 200
            assert answer.readline() == b"retry: 1000\n"
            companion("token", "--data", tmp_path / "data", "revoke", token.partition(".")[0])
            assert b"event: entry" not in answer.read()  # it ends, within the ten seconds that a connection waits
        with connection(service.url, f"/api/sessions/{session}/stream", headers) as refused:
            assert refused.status == 403


def test_too_many_pages_are_refused_with_a_sentence(host, sack, monkeypatch):
    monkeypatch.setattr("web.live.streams.MOST", 0)
    asked = create_app(host).test_client()
    refused = asked.get(f"/api/sessions/{sack.session.id}/stream", environ_overrides={STREAMS: Streams(host.live)})
    assert refused.status_code == 503
    assert "Close some" in refused.json["error"]


def test_a_long_game_is_told_in_parts(listen, sack, monkeypatch, roll, fresh_id):
    monkeypatch.setattr("web.live.stream.MOST_ENTRIES", 2)
    roll(3, 5)
    for seq in range(1, 8):
        sack.undo(Origin(fresh_id()), seq=seq)
    stream = listen(query="?since=0")
    assert [next(stream)[0] for _ in range(8)] == list("12345678")


def test_a_roll_of_several_clears_what_a_shared_page_has_chosen(
    host,
):  # the next roll, of those who are tied, may begin
    table = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, _bob = table.session.players
    table.submit(StartRolled(((ann, 3),)), Origin("roll", 0))
    assert TABLE in changed_parts(table.newest)


def told(feed, topic="active"):
    """(kind, data) of each message that a feed has now."""
    messages = [text.splitlines() for text in feed.news(topic).strip().split("\n\n") if text]
    return [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in messages]


def test_rolls_are_told_of_the_active_game_whichever_it_is_from_now_on(host):
    first = host.create("dice_tray", ["Ann", "Bob"], {})
    tapped(first, 0, 3)
    feed = RollsFeed(host)
    assert told(feed, None) == [("beat", {})]
    assert told(feed) == []
    second = host.create("dice_tray", ["Cy", "Di"], {})  # it becomes the active game
    tapped(second, 0, 6, 4)
    assert told(feed) == [about_a_roll(second, 1, "Cy", 6, 4)]
    assert told(feed) == []
    second.undo(Origin("undo", 1))
    assert told(feed) == [("change", {"session": second.session.id, "entry": 2})]
    host.active.hold(first.session.id)
    tapped(first, 1, 2)
    assert told(feed) == [about_a_roll(first, 2, "Bob", 2)]
    assert told(feed, None) == [("beat", {})]


def tapped(tray, seat, red, *others):
    dice = (Die(red, "red"), *map(Die, others))
    tray.submit(DiceRolled(tray.session.players[seat], dice), Origin(f"roll-{seat}", tray.seq))


def about_a_roll(tray, entry, name, red, *others):
    player = next(player for player, found in tray.names.items() if found == name)
    dice = [{"die": "red", "value": red}, *({"die": "die", "value": value} for value in others)]
    about = {"session": tray.session.id, "entry": entry, "game": "dice_tray"}
    return "roll", about | {"player": player, "name": name, "dice": dice}


def test_a_roll_wakes_who_follows_the_rolls(client, host, sack, roll):
    with client.get("/api/rolls/stream") as answer:
        assert answer.mimetype == "text/event-stream"
        chunks = (chunk.decode() for chunk in answer.response)
        assert next(chunks).startswith("retry:")
        assert next(chunks) == "event: beat\ndata: {}\n\n"
        before = host.live.counts["active"]
        roll(3, 5)
        assert host.live.counts["active"] == before + 1  # so it is told at once, not at the next beat
        heard = next(chunk for chunk in chunks if "beat" not in chunk)
        assert [each["value"] for each in json.loads(heard.splitlines()[1].removeprefix("data: "))["dice"]] == [3, 5]


@pytest.mark.parametrize(
    ("role", "one_game", "status"), [(None, False, 403), (Role.WATCHER, True, 403), (Role.WATCHER, False, 200)]
)
def test_who_may_watch_the_table_may_follow_its_rolls(host, sack, role, one_game, status):
    device = create_app(host).test_client()
    device.environ_base["REMOTE_ADDR"] = "192.168.1.50"
    if role:
        token = host.access.tickets.issue(role, **({"session": sack.session.id} if one_game else {}))
        device.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    with device.get("/api/rolls/stream") as answer:
        assert answer.status_code == status


def test_the_program_of_the_docs_prints_each_roll(tmp_path):
    text = (Path(__file__).parents[2] / "docs/rolls.md").read_text(encoding="utf-8")
    program = textwrap.dedent("\n".join(line for line in text.splitlines() if not line or line.startswith("    ")))
    assert len([line for line in program.splitlines() if line]) <= 20
    (tmp_path / "follow.py").write_text(program, encoding="utf-8")
    with running(tmp_path / "data", "--camera", "none") as service:
        made = service.call("/api/sessions", {"game": "dice_tray", "players": ["Ann", "Bob"]})[1]
        token = companion("token", "--data", tmp_path / "data", "create", "watcher").strip()
        followed = [sys.executable, tmp_path / "follow.py", service.url, token]
        with subprocess.Popen(followed, stdout=subprocess.PIPE, text=True) as follower:
            path, dice = f"/api/sessions/{made['id']}/events", [{"value": 6, "colour": "red"}, {"value": 4}]
            for number in range(100):  # until the program listens; what was rolled before is not told
                player = made["players"][number % 2]["id"]
                roll = {"kind": "Rolled", "player": player, "dice": dice}
                service.call(path, {"event": roll, "event_id": f"roll-{number}", "seen_seq": number})
                if select.select([follower.stdout], [], [], 0.2)[0]:
                    break
            said = follower.stdout.readline()
            follower.kill()
    assert re.fullmatch(r"(Ann|Bob): 6 \(red\), 4 \(die\)\n", said)
