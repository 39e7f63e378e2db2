"""The API for people who come and go: rest, stand in, who am I, an early end, another line-up, deletion."""

import pytest

from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from web.app import create_app


@pytest.fixture
def game(host):
    table = host.create("sack_stackers", ["Anna", "Ben"], {})
    table.submit(Rolled((3, 5)), Origin("roll"))
    return table


def device(host, ticket):
    found = create_app(host).test_client()
    found.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
    return found


@pytest.fixture
def seat(host, game):
    return device(host, host.access.tickets.issue(Role.PLAYER, session=game.session.id, player=game.session.players[0]))


def sent(client, game, what, event_id="tap", **body):
    asked = {"event_id": event_id, "seen_seq": game.seq, **body}
    answer = client.post(f"/api/sessions/{game.session.id}/{what}", json=asked)
    if answer.status_code >= 400:
        assert answer.json["error"].endswith((".", "?"))
    return answer


def test_a_player_rests_and_is_back_once_for_each_id(client, game):
    anna, ben = game.session.players
    first = sent(client, game, "rest", player=anna)
    assert (first.status_code, first.json) == (200, {"event_id": "tap", "seq": 2})
    assert sent(client, game, "rest", player=anna).json == first.json
    assert sent(client, game, "rest", "again", player=anna).status_code == 422
    assert game.awaiting == {ben}
    assert sent(client, game, "return", "back", player=anna).json["seq"] == 3
    assert sent(client, game, "return", "late", player=anna).status_code == 422
    assert (game.awaiting, game.seq) == ({anna, ben}, 3)


def test_a_game_that_lets_nobody_rest_says_so(host, client):
    stack = host.create("stack_dice", ["Anna", "Ben"], {})
    answer = sent(client, stack, "rest", player=stack.session.players[0])
    assert (answer.status_code, stack.seq) == (422, 0)
    assert "Nobody passes in Stack" in answer.json["error"]


def test_a_stand_in_plays_until_the_player_is_back(client, game):
    anna = game.session.players[0]
    assert sent(client, game, "stand-in", player=anna, who=" Cy ").json["seq"] == 2
    assert game.stand_ins == {anna: "Cy"}
    stale = client.post(
        f"/api/sessions/{game.session.id}/stand-in",
        json={"event_id": "late", "seen_seq": 1, "player": anna, "who": "Dora"},
    )
    assert (stale.status_code, game.stand_ins) == (409, {anna: "Cy"})
    assert sent(client, game, "stand-in", "long", player=anna, who="x" * 41).status_code == 400
    assert sent(client, game, "stand-in", "back", player=anna).json["seq"] == 3
    assert not game.stand_ins
    assert sent(client, game, "stand-in", "twice", player=anna).status_code == 422
    assert sent(client, game, "stand-in", "who", player="x", who="Cy").status_code == 404


def test_a_phone_of_one_seat_moves_no_other_and_ends_nothing(game, seat):
    anna, ben = game.session.players
    asked = {"players": [{"name": "Cy"}], "session_id": "a-new-session"}
    for what, body in (
        ("rest", {"player": ben}), ("return", {"player": ben}), ("stand-in", {"player": ben, "who": "Cy"}),
        ("end", {}), ("go-on", {}), ("line-up", asked),
    ):  # fmt: skip
        assert sent(seat, game, what, **body).status_code == 403, what
    deleted = seat.post(f"/api/sessions/{game.session.id}/delete", json={"really": game.session.id})
    assert (deleted.status_code, game.seq) == (403, 1)
    assert sent(seat, game, "rest", player=anna).status_code == 200


def test_a_game_ends_early_and_goes_on(client, game):
    assert sent(client, game, "end").json["seq"] == 2
    assert game.ended_early
    assert sent(client, game, "end").json["seq"] == 2
    assert sent(client, game, "end", "twice").status_code == 422
    assert sent(client, game, "go-on", "on").json["seq"] == 3
    assert game.is_played
    assert sent(client, game, "go-on", "twice-on").status_code == 422
    asked = {"event_id": "x", "seen_seq": 99}
    assert client.post(f"/api/sessions/{game.session.id}/end", json=asked).status_code == 400


def test_other_players_start_again_and_a_repeated_request_starts_one_game(host, client, game):
    anna = game.session.players[0]
    rows = [{"name": "Cy"}, {"name": "Anna", "player": anna}]
    first = sent(client, game, "line-up", players=rows, session_id="the-next-one")
    assert (first.status_code, first.json["id"]) == (201, "the-next-one")
    assert [player["name"] for player in first.json["players"]] == ["Cy", "Anna"]
    assert (game.ended_early, game.seq) == (True, 2)
    again = sent(client, game, "line-up", players=rows, session_id="the-next-one")
    assert (again.status_code, game.seq, len(host.sessions(9))) == (201, 2, 2)


def test_players_who_cannot_play_it_change_nothing(client, game):
    same = [{"name": "Cy"}, {"name": "Cy"}]
    answer = sent(client, game, "line-up", players=same, session_id="the-next-one")
    assert (answer.status_code, game.is_played, game.seq) == (400, True, 1)


def test_a_device_says_whom_it_plays_for(host, game):
    anna = game.session.players[0]
    link = host.access.codes.standing(Role.PLAYER)
    phone = create_app(host).test_client()
    phone.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    phone.get(f"/join/{link}")
    address = f"/api/sessions/{game.session.id}/who"
    assert phone.get(address).json == {"role": "player", "player": None, "may_choose": True, "taken": {}, "token": ""}
    chosen = phone.post(address, json={"choice": anna}).json
    assert (chosen["player"], bool(chosen["token"])) == (anna, True)
    assert phone.get(address).json["player"] == anna
    script = device(host, chosen["token"])
    assert script.get(address).json["player"] == anna
    other = create_app(host).test_client()
    other.environ_base["REMOTE_ADDR"] = "192.168.1.21"
    other.get(f"/join/{link}")
    taken = other.post(address, json={"choice": anna})
    assert (taken.status_code, "Another device" in taken.json["error"]) == (409, True)
    assert other.post(address, json={"choice": anna, "anyway": True}).json["player"] == anna
    assert other.post(address, json={"choice": "nobody"}).json["role"] == "watcher"
    assert other.post(address, json={"choice": "everybody"}).json["player"] is None
    assert other.post(address, json={"choice": "x"}).status_code == 404


def test_the_host_has_no_seat_to_choose(client, game):
    address = f"/api/sessions/{game.session.id}/who"
    assert client.get(address).json["role"] == "host"
    assert client.post(address, json={"choice": "everybody"}).status_code == 400


def test_the_host_deletes_a_game_and_repeats_its_id_for_it(host, client, game):
    address = f"/api/sessions/{game.session.id}/delete"
    assert client.post(address, json={"really": "yes"}).status_code == 400
    assert client.get(f"/api/sessions/{game.session.id}").status_code == 200
    assert [client.post(address, json={"really": game.session.id}).json for _ in range(2)] == [{"done": True}] * 2
    assert client.get(f"/api/sessions/{game.session.id}").status_code == 404
