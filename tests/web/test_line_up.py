"""Other players in the middle of an evening: the game ends here, and the same one begins with the new line-up."""

import html
import re

import pytest

from companion.games import GAMES
from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from web.app import create_app


@pytest.fixture
def game(host):
    host.people.add("Cy")
    table = host.create("sack_stackers", ["Ann", "Bob", "Cy"], {})
    table.submit(Rolled((3, 5)), event_id="roll", seen_seq=None, source="tablet")
    return table


def sent(client, table, rows, fresh="the-next-game"):
    """rows     (place, name, seat of the player who stays or None)"""
    data = {
        "new_session": fresh,
        "seat": [str(place) for place, _name, _seat in rows],
        "name": [name for _place, name, _seat in rows],
        "player": ["" if seat is None else table.session.players[seat] for _place, _name, seat in rows],
    }
    return client.post(f"/s/{table.session.id}/line-up", data=data)


def names(table):
    return [table.names[player] for player in table.session.players]


def test_the_form_says_why_and_has_who_plays_now_and_room_for_more(client, game):
    assert f"/s/{game.session.id}/line-up" in client.get(f"/s/{game.session.id}/players").text
    page = html.unescape(client.get(f"/s/{game.session.id}/line-up").text)
    assert "The rules let nobody join or leave in the middle." in page
    assert re.findall(r'name="name" value="(\w*)"', page)[:4] == ["Ann", "Bob", "Cy", ""]
    assert game.is_played  # looking at it changes nothing


def test_who_stays_keeps_colour_and_phone_in_the_new_order_and_the_old_game_has_ended(host, client, game):
    marks = dict(host.marks(game))
    ann, _bob, cy = game.session.players
    phone = host.access.tickets.issue(Role.PLAYER, session=game.session.id, player=cy)
    answer = sent(client, game, [(3, "Ann", 0), (9, "", 1), (2, "Cy", 2), (1, "Dora", None)])
    assert answer.location == "/s/the-next-game"
    table = host.table("the-next-game")
    assert names(table) == ["Dora", "Cy", "Ann"]
    assert (game.ended_early, table.seq, host.active.session) == (True, 0, "the-next-game")
    assert table.session.options == game.session.options
    _dora, new_cy, new_ann = table.session.players
    assert (host.marks(table)[new_cy], host.marks(table)[new_ann]) == (marks[cy], marks[ann])
    assert len(set(host.marks(table).values())) == 3
    ticket = host.access.tickets.ticket(phone)
    assert (ticket.session, ticket.player) == ("the-next-game", new_cy)
    assert host.people.seated()[new_cy].name == "Cy"


def test_whose_name_was_typed_over_does_not_stay(host, client, game):
    phone = host.access.tickets.issue(Role.PLAYER, session=game.session.id, player=game.session.players[0])
    sent(client, game, [(1, "Eve", 0), (2, "Bob", 1)])
    assert host.access.tickets.ticket(phone).session == game.session.id


def test_a_repeated_request_begins_one_game(host, client, game):
    rows = [(1, "Ann", 0), (2, "Bob", 1)]
    assert [sent(client, game, rows).status_code for _ in range(2)] == [303, 303]
    assert len(host.sessions()) == 2
    assert [type(entry.body).__name__ for entry in game.entries] == ["Posted", "EndedEarly"]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "is for 1 to 100 players, not 0"),
        ([(1, "Ann", 0), (2, "ann", None)], "Two players are called"),
        ([(1, "x" * 50, None)], "at most 40"),
    ],
)
def test_players_who_cannot_play_it_are_refused_with_a_sentence_and_nothing_ends(host, client, game, rows, why):
    refused = sent(client, game, rows)
    assert refused.status_code == 400
    assert why in html.unescape(refused.text)
    assert all(f'value="{name}"' in refused.text for _place, name, _seat in rows if len(name) < 40)
    assert (game.is_played, len(host.sessions())) == (True, 1)


def test_only_the_tablet_of_the_table_does_it(host, game):
    phone = create_app(host).test_client()
    phone.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    ticket = host.access.tickets.issue(Role.PLAYER, session=game.session.id, player=game.session.players[0])
    phone.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
    assert sent(phone, game, [(1, "Ann", 0)]).status_code == 403
    assert "line-up" not in phone.get(f"/s/{game.session.id}/players").text
    assert game.is_played


@pytest.mark.parametrize("name", GAMES)
def test_in_every_game_a_late_joiner_and_another_order_begin_the_next_game_and_the_points_stay(host, client, name):
    table = host.create(name, ["Ann", "Bob", "Cy"][: max(2, GAMES[name].seats[0])], {})
    ann, *_others = table.session.players
    table.submit(Ruling(ann, 3, "for the test"), event_id="points", seen_seq=None, source="tablet")
    before = table.game.score(table.state)
    staying = [(9 - seat, table.names[player], seat) for seat, player in enumerate(table.session.players)]
    link = f"/s/{table.session.id}/line-up"
    assert link in client.get(f"/s/{table.session.id}/players").text
    assert sent(client, table, [*staying, (10, "Dora", None)]).location == "/s/the-next-game"
    turned = [who for _place, who, _seat in sorted(staying)]
    assert names(host.table("the-next-game")) == [*turned, "Dora"]
    assert (table.ended_early, table.game.score(table.state)) == (True, before)
