"""Stopping before the rules end a game: it says so everywhere, counts in no season, and can go on."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from companion.app.cli.replay import replay
from companion.errors import IllegalEvent
from companion.game.box import BoxLook, Phase
from companion.game.events import NOW_US
from companion.game.readings import DiceReading, DieReading
from companion.games.maxstax.events import Readied, Started
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house import seasons
from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.sensing.meaning import meaning_at_rest
from companion.table.due_events import due_of
from web.app import create_app


@pytest.fixture
def sack(host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table


def posted(client, table, what):
    return client.post(f"/s/{table.session.id}/{what}").status_code


def test_a_game_that_was_ended_early_says_so_on_every_page_and_counts_in_no_season(host, client, sack):
    assert posted(client, sack, "end") == 303
    address = f"/s/{sack.session.id}"
    page = client.get(address).text
    assert "This game was ended early" in page
    assert "data-event=" not in page
    assert "data-roll=" not in page
    assert "The score so far" in page
    assert "places" not in page  # whose turn it would be
    assert "Resume this game" in page
    assert "Ended early. Score so far" in client.get(f"{address}/result").text
    drawing = ElementTree.fromstring(client.get(f"{address}/result.svg").text)
    assert "Ended early. Score so far" in "".join(drawing.itertext())
    assert "ended early" in client.get("/").text
    shown = client.get(f"/api/sessions/{sack.session.id}").json
    assert (shown["over"], shown["ended_early"]) == (False, True)
    (played,) = host.outcomes.all()
    assert (seasons.counts(played), seasons.undecided(played), seasons.standings([played], {})) == (False, False, ())


def test_nothing_is_played_in_it_until_it_goes_on(client, sack):
    state = sack.state
    posted(client, sack, "end")
    ann = sack.session.players[0]
    with pytest.raises(IllegalEvent, match="ended early"):
        sack.submit(Rolled((1, 1)), Origin("late", source="camera"))
    sack.submit(Ruling(ann, 2, "tea"), Origin("tea"))
    assert posted(client, sack, "go-on") == 303  # though the ruling came after the end
    assert (sack.ended_early, sack.is_played) == (False, True)
    assert "The game goes on." in client.get(f"/s/{sack.session.id}").text
    sack.undo(Origin("again"), seq=sack.seq)
    assert sack.ended_early  # an undo of going on ends it again
    posted(client, sack, "go-on")
    sack.strike(sack.entries[2].seq, Origin("strike"))
    assert sack.state == state


def test_a_second_tap_changes_nothing(client, sack):
    assert [posted(client, sack, what) for what in ("end", "end", "go-on", "go-on")] == [303] * 4
    assert [type(entry.body).__name__ for entry in sack.entries] == ["Posted", "EndedEarly", "Undone"]


def test_undo_takes_it_back_and_redo_ends_it_again(client, sack):
    posted(client, sack, "end")
    sack.undo(Origin("undo", seen_seq=sack.seq))
    assert sack.is_played
    sack.undo(Origin("redo", seen_seq=sack.seq), seq=sack.redo.seq)
    assert sack.ended_early


def test_it_is_so_after_a_restart_and_at_another_table_and_for_who_verifies(host, client, sack, tmp_path, capsys):
    posted(client, sack, "end")
    exported = host.transfer.export(sack.session.id)
    with pytest.raises(IllegalEvent):
        Host(host.journal).table(sack.session.id).end_early(Origin("twice"))
    other = Host(Journal(tmp_path / "elsewhere.sqlite3"))
    taken = other.transfer.take(exported, "device")
    assert (taken.ended_early, taken.fingerprint) == (True, sack.fingerprint)
    other.close()
    file = tmp_path / "game.jsonl"
    file.write_text(exported)
    replay.callback(file, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert (said["over"], said["ended_early"], said["hash_chain"]["ok"]) == (False, True, True)


def test_no_clock_runs_on_in_it(host):
    table = host.create("speedstax", ["Ann", "Bob"], {})
    for number, player in enumerate(table.session.players):
        table.submit(Readied(player), Origin(f"ready-{number}"))
    for event in table.game.rules.legal(table.state, table.session.players[0]):
        if isinstance(event, Started):
            table.submit(Started(NOW_US), Origin("start"))
    assert due_of(table) is not None
    table.end_early(Origin("end"))
    assert due_of(table) is None


def test_it_asks_for_nothing_more(host, client):
    """Neither by the API, nor at the box, nor of what the camera sees."""
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    roll = DiceReading(
        1280, 960, tuple(DieReading(value, 50, 50, 40, 40, 0, "white", 0.99, True, ((value, 1.0),)) for value in (3, 5))
    )
    assert meaning_at_rest(table, roll, 0) is not None
    table.end_early(Origin("end"))
    shown = client.get(f"/api/sessions/{table.session.id}").json
    assert (shown["awaiting"], shown["due"]) == ([], None)
    assert table.look(table.now_us()) == BoxLook(Phase.WAITING, ())
    assert meaning_at_rest(table, roll, 0) is None
    table.go_on(Origin("on"))
    assert meaning_at_rest(table, roll, 0) is not None


def test_a_phone_of_one_seat_ends_no_game_and_is_not_offered_to(host, sack):
    phone = create_app(host).test_client()
    phone.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    ticket = host.access.tickets.issue(Role.PLAYER, session=sack.session.id, player=sack.session.players[0])
    phone.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
    assert posted(phone, sack, "end") == 403
    assert sack.is_played
    assert "End this game early" not in phone.get(f"/s/{sack.session.id}").text


def test_the_page_offers_to_stop_without_scripts(client, sack):
    page = client.get(f"/s/{sack.session.id}").text
    assert "End this game early" in page
    assert "To pause for the evening, just stop" in page
