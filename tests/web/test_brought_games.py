"""Games brought from another table: how many, how long, and whether the disk has room for them."""

from io import BytesIO

import pytest

from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.house.transfer import HOUR_US, LONGEST_FILE, MOST_IMPORTS, MOST_OF_ALL, PERIOD_US
from companion.journal.devices import Role
from companion.journal.events import Entry, Posted, Undone
from companion.journal.record import MOST_LENGTH, MOST_PLAYED, Row, chained, content_of, header_json, length_of
from companion.journal.session import canonical_json, digest
from companion.journal.store import Journal
from web.app import create_app

NONSENSE = b"no game"


@pytest.fixture
def elsewhere(tmp_path):
    """Another house."""
    house = Host(Journal(tmp_path / "elsewhere" / "journal.sqlite3"))
    yield house
    house.journal.close()
    house.live.close()


@pytest.fixture
def player(client, host):
    """A device with a player's ticket; each call makes another."""

    def device():
        found = client.application.test_client()
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {host.access.tickets.issue(Role.PLAYER)}"
        return found

    return device


def brought(device, content=NONSENSE):
    return device.post("/api/import", data=content)


def chosen(device, content=NONSENSE):
    """The same through the page."""
    return device.post("/import", data={"file": (BytesIO(content), "game.jsonl")})


@pytest.mark.parametrize("bring", [brought, chosen])
def test_a_device_that_brings_too_many_games_hears_when_to_try_again(player, client, host, bring):
    device = player()
    for _ in range(MOST_IMPORTS):
        assert bring(device).status_code == 400
    refused = bring(device)
    assert (refused.status_code, "Try again in 24 hours" in refused.text) == (429, True)
    assert bring(player()).status_code == 400  # another device
    assert bring(client).status_code == 400  # the host
    host.clock.offset_us += PERIOD_US - HOUR_US
    assert "Try again in 1 hour" in bring(device).text
    host.clock.offset_us += HOUR_US
    assert bring(device).status_code == 400


def test_many_devices_bring_no_more_than_all_of_them_may(player, client):
    """Each address may bring half of what the others leave: of 40 they get 20, 10, 5, 2, 1 and 1."""
    counts = []
    for number in range(8):
        answers = []
        while not answers or answers[-1] == 400:
            device = player()  # a new ticket for each game, as whoever scans the wall's code again has
            device.environ_base["REMOTE_ADDR"] = f"192.168.7.{number}"
            answers.append(brought(device).status_code)
        counts.append(len(answers) - 1)
    assert counts == [MOST_OF_ALL // 2, 10, 5, 2, 1, 1, 0, 0]
    assert brought(client).status_code == 400


def test_a_device_with_many_addresses_of_one_network_is_one(player):
    answers = []
    for number in range(MOST_OF_ALL // 2 + 1):
        device = player()
        device.environ_base["REMOTE_ADDR"] = f"fd00:1:2:3::{number:x}"
        answers.append(brought(device).status_code)
    assert answers == [400] * (MOST_OF_ALL // 2) + [429]


def test_what_is_refused_for_the_number_is_not_read(player, monkeypatch):
    device = player()
    for _ in range(MOST_IMPORTS):
        brought(device)
    monkeypatch.setattr("companion.house.transfer.read_game_file", None)
    assert brought(device).status_code == 429


def filled(host, most):
    """A game in the journal, rolled and taken back until it is as long as `most`, to some 300 characters."""
    session = host.create("sack_stackers", ["Ann", "Bob"], {}, "a" * 24).session
    rows, before, length, seq = [], digest(canonical_json(header_json(session))), 0, 1
    while True:
        body = Posted(Rolled((1, 4))) if seq % 2 else Undone(seq - 1)
        entry = Entry(seq, f"entry-{seq}", body, 1, 1, "tablet", "")
        content = content_of(session.id, entry)
        length += length_of(content)
        if length > most and seq % 2:  # the dice lie free: another roll would be by the rules
            break
        before = chained(before, session.id, entry)
        rows.append(Row(seq, entry.id, content, before))
        seq += 1
    with host.journal.changing() as db:
        db.executemany(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
            [(session.id, row.seq, row.id, row.content, row.hash) for row in rows],
        )
    return session, len(rows)


@pytest.fixture
def reopened(host, tmp_path):
    """The house after a restart, so that its tables are folded from the journal."""
    again = []

    def start():
        host.journal.close()
        again.append(Host(Journal(tmp_path / "journal.sqlite3", is_mended=True)))
        return again[-1], create_app(again[-1]).test_client()

    yield start
    for house in again:
        house.journal.close()
        house.live.close()


def tapped(client, session, seen_seq):
    body = {"event": {"kind": "Rolled", "dice": [3, 5]}, "event_id": "e", "seen_seq": seen_seq}
    return client.post(f"/api/sessions/{session.id}/events", json=body)


def test_a_game_that_grew_as_long_as_it_may_is_taken_over_elsewhere(host, reopened, elsewhere):
    session, count = filled(host, MOST_LENGTH - 500)
    _house, client = reopened()
    refused = tapped(client, session, count)
    assert (refused.status_code, "This game is as long as a game can be" in refused.json["error"]) == (422, True)
    saved = client.get(f"/api/sessions/{session.id}/export").data
    assert len(saved) < LONGEST_FILE
    other = create_app(elsewhere).test_client()
    assert brought(other, saved).status_code == 201
    assert elsewhere.table(session.id).seq == count


def test_in_a_full_game_the_last_entries_are_taken_back_corrected_and_ruled_about(host, reopened, elsewhere):
    session, count = filled(host, MOST_PLAYED)
    house, client = reopened()
    assert tapped(client, session, count).status_code == 422
    table, address = house.table(session.id), f"/api/sessions/{session.id}"
    redo = {"event_id": "redo", "seen_seq": count, "seq": count}
    assert client.post(f"{address}/undo", json=redo).status_code == 200
    last = count - 1  # the roll, which counts again
    corrections = {
        "amend": {"seq": last, "event": {"kind": "Rolled", "dice": [2, 2]}},
        "events": {"event": {"kind": "Ruling", "player": session.players[0], "points": 1, "why": "tea"}},
        "strike": {"seq": last},
        "undo": {},
    }
    for what, body in corrections.items():
        answer = client.post(f"{address}/{what}", json={"event_id": what, "seen_seq": table.seq, **body})
        assert answer.status_code == 200, answer.json
    saved = client.get(f"{address}/export").data
    assert brought(create_app(elsewhere).test_client(), saved).status_code == 201


def test_a_game_that_was_longer_already_is_read_and_saved_and_goes_on_nowhere(host, reopened, elsewhere):
    session, count = filled(host, MOST_LENGTH + 1_000)
    _house, client = reopened()
    assert tapped(client, session, count).status_code == 422
    assert client.get(f"/s/{session.id}/result").status_code == 200
    saved = client.get(f"/api/sessions/{session.id}/export").data
    refused = brought(create_app(elsewhere).test_client(), saved)
    assert (refused.status_code, "This game is too long to be moved here" in refused.json["error"]) == (400, True)
    assert elsewhere.journal.count_sessions() == 0


def test_a_disk_without_room_for_copies_takes_no_game_over(host, sack, elsewhere, monkeypatch):
    saved = host.transfer.export(sack.session.id).encode()
    other = create_app(elsewhere).test_client()
    with monkeypatch.context() as patch:
        patch.setattr("companion.journal.files.LEAST_FREE", 10**15)
        refused = brought(other, saved)
    assert (refused.status_code, "no room for more games" in refused.json["error"]) == (400, True)
    assert elsewhere.journal.count_sessions() == 0
    assert brought(other, saved).status_code == 201


def test_a_game_of_more_players_than_it_seats_is_not_taken_over(host, client):
    session = host.create("stack_dice", ["Ann", "Bob"], {}).session
    header = {**header_json(session), "session": "too-many", "players": [f"player-{n}" for n in range(500)]}
    refused = brought(client, canonical_json(header) + "\n")
    assert (refused.status_code, "not 500" in refused.json["error"]) == (400, True)
