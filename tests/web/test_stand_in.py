"""Somebody plays for a player who left for a while: every sheet says so, and the seat counts for nobody at the end."""

import html
import json
from datetime import date

import pytest

from companion.errors import BadInput, IllegalEvent
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.house import seasons
from companion.house.host import Host
from companion.house.seasons import Outcome, Played
from companion.journal.backup import DailyCopies
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.export import read_game_file, steps_of
from companion.journal.store import Journal
from web.app import create_app


@pytest.fixture
def game(host):
    table = host.create("sack_stackers", ["Anna", "Cy"], {}, remember=["Anna", "Cy"])
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table


def page(client, table, what=""):
    return html.unescape(client.get(f"/s/{table.session.id}{what}").text)


def stands_in(client, table, who, seat=0):
    data = {"absent": table.session.players[seat], "who": who}
    return client.post(f"/s/{table.session.id}/stand-in", data=data).status_code


def test_every_sheet_says_who_plays_for_whom_until_one_tap(client, game):
    state, anna = game.state, game.session.players[0]
    assert "Who plays for Anna?" in page(client, game, "/players")
    assert stands_in(client, game, " Ben ") == 303
    for shown in ("", "/sheet", "/players", f"?player={game.session.players[1]}"):
        assert "Ben plays for Anna." in page(client, game, shown), shown
    assert (dict(game.stand_ins), game.state) == ({anna: "Ben"}, state)  # no rule knows of it
    assert "Anna is back" in page(client, game)
    assert [stands_in(client, game, "") for _ in range(2)] == [303, 303]
    assert "Anna plays again." in page(client, game)
    assert "Ben plays for Anna." not in page(client, game)
    assert (dict(game.stand_ins), game.seq) == ({}, 3)


def test_undo_takes_it_back_and_redo_says_it_again(client, game):
    stands_in(client, game, "Ben")
    game.undo(Origin("undo", seen_seq=game.seq))
    assert not game.stand_ins
    assert "Undone: Ben plays for Anna." in page(client, game)
    game.undo(Origin("redo", seen_seq=game.seq), seq=game.redo.seq)
    assert game.stand_ins
    assert "Ben plays for Anna." in page(client, game)


def test_the_history_has_a_line_for_it_with_the_way_to_change_it(client, game):
    stands_in(client, game, "Ben")
    shown = page(client, game, "/history")
    assert "Ben plays for Anna." in shown
    assert "<span>Change</span>" in shown
    line = client.get(f"/api/sessions/{game.session.id}/history").json[0]
    assert (line["seq"], line["sentence"], line["event"], line["status"]) == (2, "Ben plays for Anna.", None, "")
    game.undo(Origin("undo", seen_seq=game.seq))
    (line, roll) = client.get(f"/api/sessions/{game.session.id}/history").json
    assert (line["status"], roll["seq"]) == ("undone", 1)
    assert "<span>Change</span>" not in page(client, game, "/history")


def test_the_name_lies_outside_the_chain_and_goes_with_a_person_who_played(host, client, game):
    stands_in(client, game, "Benedikta Quux")
    stored = "".join(row.content for row in host.journal.rows(game.session.id))
    assert "Quux" not in stored
    exported = client.get(f"/api/sessions/{game.session.id}/export").text
    assert read_game_file(exported).broken_at is None
    again = Host(Journal(host.journal.path, is_mended=True))
    assert list(again.table(game.session.id).stand_ins.values()) == ["Benedikta Quux"]
    again.journal.close()
    (anna,) = [one for one in host.people.everybody() if one.name == "Anna"]
    host.erase_person(anna.id)
    assert "Somebody plays for somebody." in page(client, game)


def test_a_person_who_only_stood_in_goes_with_the_name_that_was_typed(host, client, game):
    other = host.create("sack_stackers", ["Benedikta", "Dora"], {}, remember=["Benedikta"])
    stands_in(client, game, "Benedikta")
    cy = game.session.players[1]
    game.submit(Ruling(cy, 2, "Benedikta's tea"), Origin("tea"))
    game.submit(Ruling(cy, 1, "Bene fell asleep"), Origin("bene"))
    DailyCopies(host.journal, today=lambda: date(2026, 11, 21)).look()
    (ben,) = [one for one in host.people.everybody() if one.name == "Benedikta"]
    assert host.erase_person(ben.id) == ()
    kept = page(client, game, "/history")
    assert "Somebody plays for Anna." in kept
    assert "Benedikta" not in kept
    assert "Bene fell asleep" in kept
    assert read_game_file(host.transfer.export(game.session.id)).broken_at is None
    assert other.session.players
    host.journal.close()
    kept_files = [path for path in host.journal.path.parent.rglob("*") if path.is_file()]
    assert [path.name for path in kept_files if b"Benedikta" in path.read_bytes()] == []


def test_another_table_takes_it_over(host, game, client, tmp_path):
    stands_in(client, game, "Ben")
    other = Host(Journal(tmp_path / "elsewhere.sqlite3"))
    taken = other.transfer.take(host.transfer.export(game.session.id))
    assert (dict(taken.stand_ins), taken.fingerprint) == (dict(game.stand_ins), game.fingerprint)
    other.journal.close()


def test_it_makes_no_tap_stale_that_was_on_its_way(client, game):
    seen = game.seq
    stands_in(client, game, "Ben")
    ruling = Ruling(game.session.players[1], 2, "tea")
    assert game.submit(ruling, Origin("tea", seen_seq=seen)).seq == 3


def test_a_seat_with_a_stand_in_at_the_end_counts_for_nobody_and_is_still_a_rival(host, client, game):
    stands_in(client, game, "Ben")
    anna, cy = game.session.players
    (played,) = host.outcomes.all()
    assert played.outcome.stood_in == (anna,)
    over = Outcome(True, {anna: 9, cy: 5}, (anna,), ((anna,), (cy,)), (anna,))
    (line,) = seasons.standings([Played("s", "sack_stackers", (anna, cy), 1, over)], {anna: "Anna", cy: "Cy"})
    assert (line.person, line.games, line.wins, line.points, line.place) == ("Cy", 1, 0, 0.0, 2.0)
    stands_in(client, game, "")
    (played,) = host.outcomes.all()
    assert played.outcome.stood_in == ()  # Anna is back: it counts for her as always


@pytest.mark.parametrize("name", ["x" * 41, "\u200b"])
def test_a_name_that_cannot_be_is_refused_and_changes_nothing(client, game, name):
    assert stands_in(client, game, name) == 400
    assert game.seq == 1


def test_nobody_stands_in_twice_nor_for_a_stranger(client, game):
    game.stand_in(game.session.players[0], "Ben", Origin("one"))
    with pytest.raises(IllegalEvent, match="so already"):
        game.stand_in(game.session.players[0], "Ben", Origin("two"))
    assert client.post(f"/s/{game.session.id}/stand-in", data={"absent": "x", "who": "Ben"}).status_code == 404
    with pytest.raises(BadInput):
        game.stand_in(game.session.players[0], "x" * 50, Origin("three"))
    assert game.seq == 2


def test_a_phone_of_one_seat_and_a_tournament_keep_their_rights(host, game):
    def device(ticket):
        found = create_app(host).test_client()
        found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
        found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
        return found

    phone = device(host.access.tickets.issue(Role.PLAYER, session=game.session.id, player=game.session.players[0]))
    assert [stands_in(phone, game, "Ben", seat) for seat in (1, 0)] == [403, 303]
    locked = host.create("sack_stackers", ["Anna", "Cy"], {}, preset="tournament")
    assert stands_in(device(host.access.tickets.issue(Role.PLAYER)), locked, "Ben") == 403


def test_a_file_with_nonsense_in_its_place_is_refused_with_a_sentence(host, client, game):
    stands_in(client, game, "Ben")
    lines = client.get(f"/api/sessions/{game.session.id}/export").text.splitlines()
    spoiled = [
        line.replace('"stood_in":"', '"stood_in":"' + "x" * 200) if "stood_in" in line else line for line in lines
    ]
    with pytest.raises(BadInput):
        steps_of(read_game_file("\n".join(spoiled)))
    assert json.loads(lines[0])
