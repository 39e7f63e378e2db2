"""Other players in the middle of an evening: the game ends here, and the same one begins with the new line-up."""

import html
import re

import pytest

from companion.games.rulings import Ruling
from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.shelf import GAMES
from web.app import create_app


@pytest.fixture
def game(host):
    host.people.add("Cy")
    table = host.create("sack_stackers", ["Ann", "Bob", "Cy"], {})
    table.submit(Rolled((3, 5)), Origin("roll"))
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
    assert "Seats are fixed during a game." in page
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


# somebody joins late, or two change places: the sheets let nobody, so the form comes filled in

WHY = {  # what stands on the sheets
    "sack_stackers": "a newcomer has missed some",  # SS-10: one roll for everybody
    "stack_dice": "turns go clockwise",  # ST-12
    "sandpile_panic": "The number of players decides the size of the board and the order of the turns.",  # SP-03, SP-14
    "pack_and_stack": "Everybody starts with the same points",  # PS-10
    "speedstax": "The points of a round depend on how many players race",  # SPD-03
    "samestax": "Everybody is Creator twice, clockwise",  # SAM-01
    "swapstax": "Everybody draws their SWAP cards for the whole game",  # SWP-01
    "score_pad": "Each column belongs to its player",  # PAD-01
    "dice_tray": "Everybody has a turn in each round",  # TR-01
    "turn_clock": "a newcomer has used nothing",  # TC-20: each clock has what its seat has not used
}


def filled_in(page):
    """The rows of the form that have a name, as `sent` takes them, without the seat of the player who stays."""
    rows = re.findall(
        r'name="player" value="([^"]*)".*?name="seat"[^>]*value="(\d+)".*?name="name" value="([^"]*)"', page, re.S
    )
    return [(player, int(place), name) for player, place, name in rows if name]


def begin_as_shown(client, table, page):
    rows = filled_in(page)
    return client.post(
        f"/s/{table.session.id}/line-up",
        data={
            "new_session": "the-next-game",
            "seat": [str(place) for _player, place, _name in rows],
            "name": [name for _player, _place, name in rows],
            "player": [player for player, _place, _name in rows],
        },
    )


def links(client, table):
    """Words → address of every link on the page of the players."""
    page = html.unescape(client.get(f"/s/{table.session.id}/players").text)
    found = re.findall(r'<a [^>]*href="([^"]*line-up[^"]*)">(.*?)</a>', page, re.S)
    return page, {re.sub("<.*?>", "", words).strip(): address for address, words in found}


@pytest.fixture(params=GAMES)
def running(request, host):
    """A game of each kind for three with one entry, so that it has something to keep."""
    table = host.create(request.param, ["Ann", "Bob", "Cy"], {})
    ruling = Ruling(table.session.players[0], 3, "counted wrong")
    table.submit(ruling, Origin("ruled"))
    return table


def test_no_sheet_lets_somebody_join_late_and_the_page_says_why_and_begins_anew_with_them(host, client, running):
    page, offered = links(client, running)
    assert WHY[running.game.rules.name] in page
    shown = html.unescape(client.get(offered["Add a player"]).text)
    assert [name for _player, _place, name in filled_in(shown)] == ["Ann", "Bob", "Cy", "Player 4"]
    assert running.is_played  # looking at it has ended nothing
    points = running.game.rules.score(running.state)
    assert begin_as_shown(client, running, shown).location == "/s/the-next-game"
    assert names(host.table("the-next-game")) == ["Ann", "Bob", "Cy", "Player 4"]
    assert (running.ended_early, running.game.rules.score(running.state)) == (True, points)
    assert "Ended early. Score so far" in client.get(f"/s/{running.session.id}/result").text


def test_no_sheet_lets_two_change_places_and_the_page_begins_anew_in_the_new_order(host, client, running):
    _page, offered = links(client, running)
    assert "Move Ann one seat earlier" not in offered  # she has the first seat
    shown = html.unescape(client.get(offered["Move Cy one seat earlier"]).text)
    assert begin_as_shown(client, running, shown).location == "/s/the-next-game"
    assert names(host.table("the-next-game")) == ["Ann", "Cy", "Bob"]
    assert running.ended_early


def test_a_row_moves_up_with_what_was_typed_and_nothing_ends(client, game):
    ann, bob, _cy = game.session.players
    shown = client.post(
        f"/s/{game.session.id}/line-up/order",
        data={
            "new_session": "the-next-game", "earlier": "2", "seat": ["1", "2", "3"],
            "name": ["Ann", "", "Dora"], "player": [ann, bob, ""],
        },
    )  # fmt: skip
    assert [(player, name) for player, _place, name in filled_in(shown.text)] == [("", "Dora"), (ann, "Ann")]
    assert game.is_played


@pytest.mark.parametrize("question", ["earlier=0", "earlier=9", "earlier=x", "earlier=-1", "more="])
def test_an_address_that_was_typed_wrongly_moves_nobody(client, game, question):
    shown = client.get(f"/s/{game.session.id}/line-up?{question}").text
    assert [name for _player, _place, name in filled_in(shown)][:3] == ["Ann", "Bob", "Cy"]


def test_a_full_table_offers_no_seat_more_and_a_typed_address_makes_none(host, client):
    table = host.create("speedstax", ["Ann", "Bob", "Cy", "Dora"], {})
    _page, offered = links(client, table)
    assert "Add a player" not in offered
    shown = client.get(f"/s/{table.session.id}/line-up?more=1").text
    assert [name for _player, _place, name in filled_in(shown)] == ["Ann", "Bob", "Cy", "Dora"]
