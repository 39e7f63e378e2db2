"""A player rests and comes back: the others play on, every sheet says so, the season takes it as a stand-in."""

import html

import pytest

from companion.games.resting import Rested
from companion.games.sack_stackers.events import Rolled
from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.shelf import GAMES
from web.app import create_app


@pytest.fixture
def game(host):
    table = host.create("sack_stackers", ["Anna", "Ben"], {}, remember=["Anna", "Ben"])
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table


def page(client, table, what=""):
    return html.unescape(client.get(f"/s/{table.session.id}{what}").text)


def rests(client, table, seat=0, **fields):
    data = {"absent": table.session.players[seat], **fields}
    return client.post(f"/s/{table.session.id}/rest", data=data).status_code


def back(client, table, seat=0):
    return rests(client, table, seat, back="1")


def device(host, ticket):
    found = create_app(host).test_client()
    found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
    return found


def test_one_tap_lets_a_player_rest_and_one_brings_them_back(client, game):
    anna, ben = game.session.players
    assert "Anna takes a break" in page(client, game, "/players")
    assert "Anna takes a break" in page(client, game, f"?player={anna}")
    assert [rests(client, game) for _ in range(2)] == [303, 303]
    assert (game.awaiting, game.seq) == ({ben}, 2)
    for shown in ("", "/sheet", f"?player={ben}", f"?player={anna}"):
        assert "Anna takes a break." in page(client, game, shown), shown
        assert "Anna is back" in page(client, game, shown), shown
    assert "Anna takes a break." in page(client, game, "/history")
    assert [back(client, game) for _ in range(2)] == [303, 303]
    assert (game.awaiting, game.seq) == ({anna, ben}, 3)
    assert "Anna is back." in page(client, game, "/history")
    assert 'name="back"' not in page(client, game)


def test_undo_redo_and_a_correction_know_it(client, game):
    anna, ben = game.session.players
    rests(client, game)
    game.undo(Origin("undo", seen_seq=game.seq))
    assert (game.awaiting, "Undone: Anna takes a break." in page(client, game)) == ({anna, ben}, True)
    game.undo(Origin("redo", seen_seq=game.seq), seq=game.redo.seq)
    assert game.awaiting == {ben}
    shown = page(client, game, "/correct/2")
    assert "Who takes a break?" in shown
    game.amend(2, Rested(ben), Origin("amend", seen_seq=game.seq))
    assert game.awaiting == {anna}
    game.strike(2, Origin("strike", seen_seq=game.seq))
    assert game.awaiting == {anna, ben}


def test_an_earlier_turn_can_be_corrected_after_somebody_rested(client, game):
    ben = game.session.players[1]
    rests(client, game)
    game.submit(game.game.rules.legal(game.state, ben)[0], Origin("ben"))
    assert game.state.turn == 2
    game.amend(1, Rolled((2, 2)), Origin("amend", seen_seq=game.seq), ruled=(3,))
    assert (game.state.turn, game.awaiting) == (2, frozenset())


def test_it_survives_a_restart_and_goes_to_another_table(host, client, game, tmp_path):
    rests(client, game)
    again = Host(Journal(host.journal.path, is_mended=True))
    assert again.table(game.session.id).state == game.state
    again.journal.close()
    other = Host(Journal(tmp_path / "elsewhere.sqlite3"))
    taken = other.transfer.take(host.transfer.export(game.session.id))
    assert (taken.state.resting, taken.fingerprint) == (game.state.resting, game.fingerprint)
    other.journal.close()


def test_it_makes_no_tap_stale_that_was_on_its_way(client, game):
    seen = game.seq
    ben = game.session.players[1]
    rests(client, game)
    assert game.submit(game.game.rules.legal(game.state, ben)[0], Origin("on", seen_seq=seen)).seq == 3


def test_a_seat_that_rests_at_the_end_counts_for_nobody_and_one_that_came_back_does(host, client, game):
    anna = game.session.players[0]
    rests(client, game)
    (played,) = host.outcomes.all()
    assert played.outcome.stood_in == (anna,)
    back(client, game)
    (played,) = host.outcomes.all()
    assert played.outcome.stood_in == ()
    assert "Anna took a break and came back" in page(client, game, "/result")


def test_the_result_speaks_of_the_end_only_once_there_is_one(client, game):
    rests(client, game)
    running = page(client, game, "/result")
    assert "Anna takes a break." in running
    assert "at the end" not in running
    assert "doesn't count in a season" not in running
    game.end_early(Origin("end"))
    ended = page(client, game, "/result")
    assert "Anna was on a break at the end." in ended
    assert "That seat is ranked here, but it doesn't count in a season." in ended


def test_the_result_says_who_stands_in_while_the_game_goes_on(client, game):
    data = {"absent": game.session.players[0], "who": "Mia"}
    client.post(f"/s/{game.session.id}/stand-in", data=data)
    running = page(client, game, "/result")
    assert "Mia plays for Anna." in running
    assert "Mia played for Anna at the end." not in running
    game.end_early(Origin("end"))
    assert "Mia played for Anna at the end." in page(client, game, "/result")


def test_the_last_one_who_plays_cannot_rest(client, game):
    rests(client, game)
    answer = client.post(f"/s/{game.session.id}/rest", data={"absent": game.session.players[1]})
    assert (answer.status_code, game.seq) == (422, 2)
    assert "Somebody has to play on." in html.unescape(answer.text)


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.rules.why_no_rest])
def test_a_game_that_lets_nobody_rest_says_why_and_what_else_there_is(host, client, name):
    table = host.create(name, ["Anna", "Ben", "Cy"], {})
    anna = table.session.players[0]
    for shown in (page(client, table, "/players"), page(client, table, f"?player={anna}")):
        assert GAMES[name].rules.why_no_rest in shown
        assert "Anna takes a break" not in shown
    answer = client.post(f"/s/{table.session.id}/rest", data={"absent": anna})
    assert (answer.status_code, table.seq) == (422, 0)
    assert "Let somebody play for them, or end here" in html.unescape(answer.text)


def test_that_seat_the_shared_tablet_and_the_host_may_and_nobody_else(host, game):
    tickets, session = host.access.tickets, game.session
    seat = device(host, tickets.issue(Role.PLAYER, session=session.id, player=session.players[0]))
    assert [rests(seat, game, 1), rests(seat, game, 0), back(seat, game, 0)] == [403, 303, 303]
    shared = device(host, tickets.issue(Role.PLAYER))
    assert [rests(shared, game, 1), back(shared, game, 1)] == [303, 303]
    watcher = device(host, tickets.issue(Role.WATCHER))
    assert rests(watcher, game) == 403
    assert "Take a break" not in html.unescape(watcher.get(f"/s/{session.id}?player={session.players[0]}").text)


def test_in_a_tournament_only_the_referee_lets_a_seat_rest(host):
    locked = host.create("sack_stackers", ["Anna", "Ben"], {}, preset="tournament")
    assert rests(device(host, host.access.tickets.issue(Role.PLAYER)), locked) == 403


def test_a_stranger_and_a_wrong_seat_are_refused(client, game):
    assert client.post(f"/s/{game.session.id}/rest", data={"absent": "x"}).status_code == 404
    assert game.seq == 1
