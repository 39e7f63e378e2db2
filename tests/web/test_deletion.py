"""Deleting a game on its page: the host's, with one confirmation that says what goes."""

import html
import json
from pathlib import Path

import pytest

from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.letters.outbox import Outbox, State, Waiting
from web.app import create_app


@pytest.fixture
def game(host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {})
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table


def page(client, address):
    return html.unescape(client.get(address).text)


def test_the_sheet_and_the_list_lead_to_one_question_and_one_tap_deletes(host, client, game):
    address = f"/s/{game.session.id}/delete"
    assert address in client.get(f"/s/{game.session.id}").text
    assert address in client.get("/").text
    asked = page(client, address)
    assert "Delete this game?" in asked
    assert "every turn, its points, its photos and the names" in asked
    assert "doesn't count in a season" in asked
    assert "You can't undo this" in asked
    assert "Ann, Bob" in asked
    assert "hub" not in asked
    assert game.seq == 1  # looking at the question changes nothing
    assert [client.post(address).status_code for _ in range(2)] == [303, 303]
    assert host.sessions() == ()
    for gone in ("", "/history", "/result", "/delete", "/players"):
        answer = client.get(f"/s/{game.session.id}{gone}")
        assert (answer.status_code, "This game was deleted." in answer.text) == (404, True), gone
    tap = {"event_id": "late", "seen_seq": 1, "event": {"kind": "Rolled", "dice": [1, 1]}}
    late = client.post(f"/api/sessions/{game.session.id}/events", json=tap)
    assert (late.status_code, late.json["error"][:22]) == (404, "This game was deleted.")


def test_an_open_sheet_of_it_is_led_to_the_first_page(client, game):
    address = f"/s/{game.session.id}/sheet"
    assert client.get(address).status_code == 200
    client.post(f"/s/{game.session.id}/delete")
    assert client.get(address).location == "/"
    assert client.get("/s/never-was/sheet").status_code == 404


@pytest.mark.parametrize("role", [Role.PLAYER, Role.WATCHER])
def test_only_the_host_deletes_and_is_offered_to(host, game, role):
    guest = create_app(host).test_client()
    guest.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    guest.get(f"/join/{host.access.tickets.issue(role)}")
    assert [answer.status_code for answer in (guest.get(f"/s/{game.session.id}/delete"),
                                              guest.post(f"/s/{game.session.id}/delete"))] == [403, 403]  # fmt: skip
    for offered in ("/", f"/s/{game.session.id}"):
        assert "/delete" not in guest.get(offered).text
    assert host.sessions()


def test_a_game_that_a_hub_was_sent_is_said_to_stay_there(host, client, game):
    Outbox(host.journal).add(Waiting(1, game.session.id, "head", b"envelope\nsignature\ngame"))
    waits = page(client, f"/s/{game.session.id}/delete")
    assert "What waits for the hub stays here and is deleted too." in waits
    assert "The hub keeps" not in waits
    Outbox(host.journal).mark(1, State.UPLOADED)
    assert "The hub keeps what it was sent of this game." in page(client, f"/s/{game.session.id}/delete")


def test_a_game_that_cannot_be_read_here_can_be_deleted(host, client, game):
    session = game.session.id
    header = json.dumps({**json.loads(host.journal.header(session)), "game": "chess"})
    with host.journal.changing() as db:
        db.execute("UPDATE sessions SET header = ? WHERE id = ?", (header, session))
    host.tables.forget(session)
    assert f"/s/{session}/delete" in client.get("/").text
    assert "Ann, Bob" in page(client, f"/s/{session}/delete")
    assert client.post(f"/s/{session}/delete").status_code == 303
    assert host.games() == ()


def test_a_copy_that_could_not_be_changed_is_named(host, client, game):
    broken = Path(host.journal.path).parent / "backups" / "journal-2026-01-01.sqlite3"
    broken.parent.mkdir()
    broken.write_text("this is no database at all, only some text")
    answer = client.post(f"/s/{game.session.id}/delete")
    assert answer.status_code == 400
    assert "journal-2026-01-01.sqlite3" in answer.text
    assert host.sessions() == ()
