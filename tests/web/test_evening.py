"""From one game to the next, from one group to the next, from one host to the next."""

import pytest

from companion.changes import news
from companion.games.sack_stackers.events import Rolled
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.shelf import GAMES
from web.app import create_app

GUEST = "192.168.1.20"


@pytest.fixture
def device(host):
    """A device in the network that holds a token."""
    app = create_app(host)

    def made(token):
        found = app.test_client()
        found.environ_base["REMOTE_ADDR"] = GUEST
        found.set_cookie("ticket", token, domain="localhost")
        return found

    return made


def again(client, table, game=None):
    return client.post(f"/s/{table.session.id}/again", data={"game": game or table.game.rules.name})


def next_game(host, answer):
    """The game that an answer leads to."""
    assert answer.status_code == 303
    return host.table(answer.location.rpartition("/s/")[2])


def names(table):
    return [table.names[player] for player in table.session.players]


def test_pages_are_told_once_the_devices_of_its_seats_have_moved_along(client, host, sack, monkeypatch):
    """A page that asks earlier is told where its seat was, and would hear of nothing more."""
    tickets, at_the_move = host.access.tickets, {}

    def move(*words):
        type(tickets).move(tickets, *words)
        at_the_move.update(host.live.counts)

    monkeypatch.setattr(tickets, "move", move)
    next_game(host, again(client, sack))
    assert news(("status",), at_the_move, host.live.counts) == ["status"]


def test_a_rematch_is_one_tap_everybody_in_the_same_seat_with_the_same_switches(client, host):
    table = host.create("sack_stackers", ["Ann", "Bob", "Cy"], {"mirror": False})
    assert 'action="/s/' + table.session.id + '/again"' in client.get(f"/s/{table.session.id}/result").text
    rematch = next_game(host, again(client, table))
    assert names(rematch) == ["Ann", "Bob", "Cy"]
    assert rematch.session.options == table.session.options
    assert rematch.session.preset == table.session.preset
    assert host.active.session == rematch.session.id
    assert next_game(host, again(client, table)) is rematch
    assert len(host.sessions()) == 2  # a second tap makes no second game
    other = host.create("sack_stackers", ["Di"], {})
    assert next_game(host, again(client, table)) is rematch
    assert (
        host.active.session == other.session.id
    )  # a late tap on a tablet that lay aside takes nothing from who plays now


def test_the_next_seat_begins_a_rematch_of_sandpile_panic_and_the_page_says_so(client, host):  # SP-10
    table = host.create("sandpile_panic", ["Ann", "Bob", "Cy"], {})
    for first in ("Bob", "Cy", "Ann", "Bob"):
        table = next_game(host, again(client, table))
        assert names(table) == ["Ann", "Bob", "Cy"]
        assert table.game.rules.awaiting(table.state) == {table.session.players[["Ann", "Bob", "Cy"].index(first)]}
        assert f"{first} begins. Seat" in client.get(f"/s/{table.session.id}").text


def test_two_tablets_that_tap_at_once_begin_one_game_with_one_referee(client, host, device):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, preset="tournament")
    phone = device(host.access.tickets.issue(Role.PLAYER))
    shown = [one.get(f"/s/{table.session.id}/result").text for one in (client, phone)]
    assert all("/again" in page for page in shown)
    first, second = again(client, table), again(phone, table)
    assert first.location == second.location
    assert len(host.sessions()) == 2
    cookie = f"{next_game(host, first).session.id}:"
    assert cookie in first.headers.get("Set-Cookie", "")
    assert cookie not in second.headers.get("Set-Cookie", "")


def test_a_game_that_was_corrected_has_another_next_one(client, host, sack):
    roll = sack.submit(Rolled((3, 5)), Origin("roll"))
    wrong = next_game(host, again(client, sack))
    assert client.post(f"/s/{sack.session.id}/continue").status_code == 303
    sack.amend(roll.seq, Rolled((3, 6)), Origin("right"))
    right = next_game(host, again(client, sack))
    assert right is not wrong
    assert host.active.session == right.session.id
    assert next_game(host, again(client, sack)) is right


def test_players_come_back_to_an_old_game_and_play_from_there_once_more(client, host, sack):
    rematch = next_game(host, again(client, sack))
    client.post("/clear")
    later = next_game(host, again(client, sack))  # the rematch was put aside half-played
    assert later is not rematch
    assert next_game(host, again(client, sack)) is later
    rolls = iter(range(1000))
    while not later.game.rules.is_over(later.state):
        events = [event for player in later.session.players for event in later.game.rules.legal(later.state, player)]
        later.submit(events[-1], Origin(f"any-{next(rolls)}"))
    last = next_game(host, again(client, sack))
    assert last not in (rematch, later)
    assert next_game(host, again(client, sack)) is last


@pytest.mark.parametrize("preset", ["quick", "tournament"])
def test_a_rematch_keeps_its_preset_and_a_locked_one_its_referee(client, host, preset):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, preset=preset)
    answer = again(client, table)
    rematch = next_game(host, answer)
    assert (rematch.session.preset, rematch.session.locked) == (table.session.preset, table.session.locked)
    assert (f"referee={rematch.session.id}:" in answer.headers.get("Set-Cookie", "")) is table.session.locked


def test_whoever_was_deleted_plays_the_next_game_as_nobody(client, host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, remember={"Bob"})
    host.people.erase(host.people.everybody()[0].id)
    host.tables.update_names()
    assert names(next_game(host, again(client, table))) == ["Ann", "Player 1"]


def test_players_change_between_games_of_a_family_by_one_tap(client, host):
    families = {game.rules.family for game in GAMES.values() if game.rules.family}
    assert families
    for family in families:
        first, *others = (game for game in GAMES.values() if game.rules.family == family)
        table = host.create(first.rules.name, ["Ann", "Bob"], {})
        page = client.get(f"/s/{table.session.id}").text
        for other in others:
            assert f'name="game" value="{other.rules.name}"' in page
            after = next_game(host, again(client, table, other.rules.name))
            assert names(after) == ["Ann", "Bob"]
            assert after.game is other
            back = next_game(host, again(client, after, first.rules.name))
            assert back.game is first
            assert next_game(host, again(client, back, other.rules.name)) not in (table, after, back)


def test_another_family_needs_a_new_game(client, host, sack):
    refused = again(client, sack, "speedstax")
    assert refused.status_code == 400
    assert "These players can only change to a game of the same family" in refused.text
    assert len(host.sessions()) == 1


def test_a_phone_of_one_seat_moves_along_with_its_player(client, host, sack, device):
    ann = sack.session.players[0]
    phone = device(host.access.tickets.issue(Role.PLAYER, session=sack.session.id, player=ann))
    assert again(phone, sack).status_code == 403
    rematch = next_game(host, again(client, sack))
    assert phone.get(f"/s/{rematch.session.id}").status_code == 200
    (ticket,) = (one for one in host.access.tickets.all() if one.player)
    assert rematch.names[ticket.player] == "Ann"


def test_a_phone_of_one_seat_moves_along_with_the_second_tap_where_the_first_met_a_full_disk(client, host, sack):
    ann = sack.session.players[0]
    phone = host.access.tickets.issue(Role.PLAYER, session=sack.session.id, player=ann)
    with host.journal.changing() as db:
        db.execute("CREATE TRIGGER full BEFORE UPDATE ON tickets BEGIN SELECT RAISE(ABORT, 'full'); END")
    assert again(client, sack).status_code == 503
    with host.journal.changing() as db:
        db.execute("DROP TRIGGER full")
    rematch = next_game(host, again(client, sack))
    assert host.access.tickets.ticket(phone).session == rematch.session.id


def test_a_phone_of_one_seat_is_led_to_it_from_wherever_it_still_stands(client, host, sack, device):
    ann = sack.session.players[0]
    token = host.access.tickets.issue(Role.PLAYER, session=sack.session.id, player=ann)
    phone, old = device(token), f"/s/{sack.session.id}"
    assert phone.get(old).status_code == 200
    rematch = next_game(host, again(client, sack))
    seat = f"/s/{rematch.session.id}?player={host.access.tickets.ticket(token).player}"
    for page in (old, f"{old}?player={ann}", f"{old}/sheet?player={ann}", f"{old}/result", f"{old}/history"):
        led = phone.get(page)
        assert (led.status_code, led.location) == (303, seat), page
    assert f'class="continue" href="{seat}"' in phone.get("/").text
    assert phone.get(f"/api/sessions/{sack.session.id}").status_code == 403


def test_who_looks_on_in_one_game_is_led_nowhere(client, host, sack, device):
    guest = device(host.access.tickets.issue(Role.WATCHER, session=sack.session.id))
    rematch = next_game(host, again(client, sack))
    assert guest.get(f"/s/{rematch.session.id}").status_code == 403
    assert guest.get(f"/s/{sack.session.id}").status_code == 200


def test_a_cleared_table_is_the_next_groups_and_the_game_goes_on_next_week(client, host, sack, device):
    sack.submit(Rolled((3, 5)), Origin("roll"))
    player, watcher, other_host = (
        device(host.access.tickets.issue(role)) for role in (Role.PLAYER, Role.WATCHER, Role.HOST)
    )
    code = host.access.codes.standing(Role.PLAYER)
    assert client.post("/clear").status_code == 303
    assert host.active.session is None
    assert [one.get("/new").status_code for one in (player, watcher, other_host)] == [403, 403, 200]
    assert device(code).get("/new").status_code == 403
    assert host.access.codes.standing(Role.PLAYER) != code
    page = client.get("/").text
    assert "Your table is waiting" not in page
    assert "Paused games" in page
    assert 'value="Ann"' not in client.get("/new?game=sack_stackers").text
    assert client.post(f"/s/{sack.session.id}/continue").status_code == 303
    assert host.active.session == sack.session.id
    assert "Your table is waiting" in client.get("/").text
    assert sack.state.dice == (3, 5)


def test_the_host_hands_over_and_plays_on(host, device):
    giver_token = host.access.tickets.issue(Role.HOST)
    giver = device(giver_token)
    page = giver.post("/house/hand-over").text
    token = page.split("/join/")[1].split('"')[0].split("<")[0]
    assert giver.get("/house").status_code == 200  # until somebody has taken it
    taker = device("")
    assert taker.post(f"/join/{token}").status_code == 303
    assert taker.get("/house").status_code == 200
    assert giver.get("/house").status_code == 403
    assert giver.get("/new").status_code == 200
    assert host.access.tickets.ticket(giver_token).role is Role.PLAYER


@pytest.mark.parametrize("write", ["INSERT", "UPDATE"])
def test_a_disk_that_fills_up_in_the_middle_leaves_the_house_its_host(host, device, write):
    giver_token = host.access.tickets.issue(Role.HOST)
    token = host.access.links.hand_over(host.access.tickets.ticket(giver_token))
    with host.journal.changing() as db:
        db.execute(f"CREATE TRIGGER full BEFORE {write} ON tickets BEGIN SELECT RAISE(ABORT, 'full'); END")
    assert device("").post(f"/join/{token}").status_code == 503
    assert host.access.tickets.ticket(giver_token).role is Role.HOST
    with host.journal.changing() as db:
        db.execute("DROP TRIGGER full")
    taker = device("")
    assert taker.post(f"/join/{token}").status_code == 303
    assert taker.get("/house").status_code == 200
    assert host.access.tickets.ticket(giver_token).role is Role.PLAYER


def test_the_machine_itself_stays_the_hosts(client, host, device):
    token = client.post("/house/hand-over").text.split("/join/")[1].split('"')[0].split("<")[0]
    taker = device("")
    taker.post(f"/join/{token}")
    assert taker.get("/house").status_code == 200
    assert client.get("/house").status_code == 200
