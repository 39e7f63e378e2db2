"""Rolls that the program draws: by a button, where no camera looks, and said beside the roll and in exports."""

from collections import Counter

import pytest

from companion.game.dice import D6
from companion.game.events import DRAWN
from companion.game.players import Viewer
from companion.games.pack_and_stack.events import (
    Loaded,
    OrderRenewed,
    Reward,
    RewardDrawn,
    RoundClosed,
    StarterNamed,
    Taken,
)
from companion.games.pack_and_stack.events import Rolled as LoadRolled
from companion.games.sack_stackers.events import Rolled as BothRolled
from companion.games.stack_dice.events import AllDropped, PickedUp, Rolled, StartRolled
from companion.games.stack_dice.stacks import unstacked
from companion.house.host import Host
from companion.journal.devices import Role
from companion.journal.events import Origin
from companion.journal.store import Journal
from companion.table import rolls
from web.app import create_app

ONE_BOX = (1, 0, 0, 0, 0)


@pytest.fixture
def sack(host):
    return host.create("sack_stackers", ["Ann", "Bob"], {})


def enter(table, *events):
    for event in events:
        table.submit(event, Origin(f"e{table.seq}"))


def rolled(client, table, event_id="roll", **query):
    body = {"event_id": event_id, "seen_seq": table.seq}
    return client.post(f"/api/sessions/{table.session.id}/roll", json=body, query_string=query)


def test_a_roll_that_is_drawn_says_so_beside_it_and_in_every_export(client, sack):
    address = f"/s/{sack.session.id}"
    assert "data-roll=" in client.get(address).text
    assert rolled(client, sack).json == {"event_id": "roll", "seq": 1}
    assert sack.newest.source == DRAWN == "drawn by the program"
    assert isinstance(sack.newest.body.event, BothRolled)
    page = client.get(address).text
    assert "drawn by the program" in page.split('class="last-text"')[1].split("</p>")[0]
    assert "data-roll=" not in page  # the dice of this turn are rolled
    assert "drawn by the program" in client.get(f"{address}/history").text
    assert ",drawn by the program," in client.get(f"{address}/result.csv").text.replace(";", ",")
    exported = client.get(f"/api/sessions/{sack.session.id}/export").text
    assert '"source":"drawn by the program"' in exported.replace(": ", ":").replace("\\", "")


def test_a_game_with_a_drawn_roll_is_taken_over_elsewhere(client, sack, tmp_path):
    rolled(client, sack)
    other = Host(Journal(tmp_path / "elsewhere.sqlite3"))
    taken = other.transfer.take(client.get(f"/api/sessions/{sack.session.id}/export").text, "device")
    assert (taken.newest.source, taken.state) == (DRAWN, sack.state)
    other.close()


def test_the_same_request_draws_no_other_dice(client, sack):
    first = rolled(client, sack).json
    drawn = sack.newest.body
    assert rolled(client, sack).json == first
    assert (sack.seq, sack.newest.body) == (1, drawn)


def test_nothing_is_drawn_where_no_dice_are_wanted(client, sack):
    rolled(client, sack)
    refused = rolled(client, sack, "again")
    assert (refused.status_code, sack.seq) == (422, 1)
    assert "No dice are rolled here now" in refused.json["error"]


def test_no_camera_that_looks_is_passed_over(host, client, sack):
    host.status.set("camera", "ok", "")
    assert "data-roll=" not in client.get(f"/s/{sack.session.id}").text
    host.status.set("camera", "off", "")
    assert "data-roll=" in client.get(f"/s/{sack.session.id}").text


def test_a_seats_phone_rolls_for_its_player_alone(host):
    stack = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = stack.session.players
    phone = create_app(host).test_client()
    phone.environ_base["REMOTE_ADDR"] = "192.168.1.20"
    ticket = host.access.tickets.issue(Role.PLAYER, session=stack.session.id, player=ann)
    phone.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {ticket}"
    assert rolled(phone, stack, "bob", player=bob).status_code == 403
    assert rolled(phone, stack, "ann", player=ann).status_code == 200
    ((player, value),) = stack.newest.body.event.rolls
    assert (player, value in D6) == (ann, True)


def test_stack_draws_start_drop_and_the_die_in_hand(host):  # ST-10, ST-20, ST-36
    stack = host.create("stack_dice", ["Ann", "Bob"], {})
    ann, bob = stack.session.players
    whole = Viewer(None, stack.names)
    assert len(stack.game.rules.dice.throw(stack.state, whole).dice) == 2
    stack.submit(StartRolled(((ann, 6), (bob, 2))), Origin("start"))
    own = stack.game.rules.dice.throw(stack.state, Viewer(bob, stack.names))
    assert own.event((1,) * 14) == AllDropped(((bob, (1,) * 14),))
    drop = rolls.drawn(stack.game.rules.dice.throw(stack.state, whole))
    assert [(player, len(values)) for player, values in drop.dice] == [(ann, 14), (bob, 14)]
    stack.submit(drop, Origin("drop", source=DRAWN))
    die = unstacked(stack.state.layout, ann)[1]
    assert stack.game.rules.dice.throw(stack.state, whole) is None  # no die is chosen yet
    assert stack.game.rules.dice.throw(stack.state, Viewer(None, stack.names, {"die": die})).event((4,)) == Rolled(
        ann, die, 4
    )
    stack.submit(PickedUp(ann, die), Origin("up"))
    assert stack.game.rules.dice.throw(stack.state, whole).event((4,)) == Rolled(ann, die, 4)
    assert stack.game.rules.dice.throw(stack.state, Viewer(bob, stack.names)) is None


def test_pack_and_stack_draws_the_faces_of_its_own_dice(host):  # PS-20: each size has a die of its own
    table = host.create("pack_and_stack", ["Ann", "Bob", "Cy"], {})
    viewer = Viewer(None, table.names)
    assert table.game.rules.dice.throw(table.state, viewer) is None  # nobody is the youngest yet
    table.submit(StarterNamed(table.session.players[1]), Origin("young"))
    throw = table.game.rules.dice.throw(table.state, viewer)
    assert throw.dice == table.session.options.dice_faces
    drawn = rolls.drawn(throw)
    assert drawn.player == table.session.players[1]
    assert all(value in faces for value, faces in zip(drawn.dice, throw.dice, strict=True))


def test_a_new_order_is_drawn_once_its_card_is_tapped_and_says_so(host, client):  # PS-62
    table = host.create("pack_and_stack", ["Ann", "Bob", "Cy"], {"reward_cards": True})
    ann, bob, cy = table.session.players

    enter(table, StarterNamed(ann), LoadRolled(ann, (4, 1, 1, 0, 0)), LoadRolled(bob, ONE_BOX), LoadRolled(cy, ONE_BOX))
    enter(table, Taken(ann, 1, bob), Taken(bob, 2, ann), Taken(cy, 3, None))
    enter(table, *(Loaded(player, (0, 0, 0, 0, 0)) for player in (ann, bob, cy)))
    enter(table, RewardDrawn(ann, Reward.NEW_ORDER), RoundClosed())
    enter(table, LoadRolled(bob, ONE_BOX), LoadRolled(cy, ONE_BOX))
    tapped = {"d.card": "New Order"}
    assert rolled(client, table, "own", player=bob, **tapped).status_code == 422  # it is Ann's card, and she is to roll
    enter(table, LoadRolled(ann, (5, 4, 3, 2, 2)))
    assert rolled(client, table, "untapped").status_code == 422
    assert rolled(client, table, "of-another", player=bob, **tapped).status_code == 422
    seq = table.seq
    assert rolled(client, table, "again", **tapped).json == {"event_id": "again", "seq": seq + 1}
    renewed = table.newest.body.event
    assert (type(renewed), renewed.player, table.newest.source) == (OrderRenewed, ann, DRAWN)
    assert all(value in faces for value, faces in zip(renewed.dice, table.session.options.dice_faces, strict=True))
    assert table.state.current.dice[ann] == renewed.dice
    assert "drawn by the program" in client.get(f"/s/{table.session.id}/history").text
    assert rolled(client, table, "twice", **tapped).status_code == 422  # the card is gone


def test_every_face_comes_as_often_as_the_others(host, sack):
    """Pearson's chi-square of 6,000 drawn faces: above 35.9 once in a million runs (5 degrees of freedom)."""
    throw = sack.game.rules.dice.throw(sack.state, Viewer(None, {}))
    counts = Counter(face for _ in range(3000) for face in rolls.drawn(throw).dice)
    assert sum((counts[face] - 1000) ** 2 / 1000 for face in D6) < 35.9
