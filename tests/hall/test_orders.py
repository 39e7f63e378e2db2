"""Corrections by the staff: the hub keeps them until the table has answered, and the table enters each one once."""

import pytest

from companion.app.service import staff_orders
from companion.errors import BadInput, NotAllowed, NotFound
from companion.hub.record import HubRecord
from companion.letters.errand import answer_order, read_order_answer
from companion.letters.offer import MOST_ORDERS, Order
from tests.hall.databases import on_both
from tests.hall.letters import KEY, OTHER_KEY, QUICK, chain_of, public_of, ranks_of
from tests.hall.test_record import enrol, take

pytestmark = on_both

WHY = "Came late to the second round"


@pytest.fixture
def sent(tmp_path):
    """A record with a game of one table."""
    record = HubRecord(tmp_path / "hub")
    enrol(record)
    chain = chain_of(QUICK)
    take(record, chain, ranks_of(chain, QUICK))
    yield record
    record.close()


def test_an_order_waits_until_its_table_has_answered(sent):
    order = sent.orders.give(KEY.id, "game-1", "p1", -5, WHY)
    assert sent.orders.waiting(KEY.id) == (order,)
    assert sent.orders.waiting(OTHER_KEY.id) == ()
    with pytest.raises(NotFound):
        sent.orders.answer(OTHER_KEY.id, order.id, "")
    sent.orders.answer(KEY.id, order.id, "")
    sent.orders.answer(KEY.id, order.id, "Refused after all.")
    assert sent.orders.waiting(KEY.id) == ()
    (given,) = sent.orders.of_table(KEY.id)["game-1"]
    assert (given.is_answered, given.refusal, given.order.why) == (True, "", "")


def test_the_hubs_own_copy_never_changes(sent):
    before = (sent.games(), sent.letters("game-1"))
    sent.orders.give(KEY.id, "game-1", "p1", 5, WHY)
    assert (sent.games(), sent.letters("game-1")) == before


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((KEY.id, "game-2", "p1", 5, WHY), "no such game"),
        ((OTHER_KEY.id, "game-1", "p1", 5, WHY), "no such game"),
        ((KEY.id, "game-1", "p9", 5, WHY), "somebody at this table"),
        ((KEY.id, "game-1", "p1", 1001, WHY), "1000 points at most"),
        ((KEY.id, "game-1", "p1", 5, "  "), "needs a reason"),
        ((KEY.id, "game-1", "p1", 5, "x" * 201), "needs a reason"),
    ],
)
def test_an_order_that_no_table_can_enter(sent, asked, said):
    with pytest.raises((BadInput, NotFound), match=said):
        sent.orders.give(*asked)
    assert sent.orders.waiting(KEY.id) == ()


def test_not_too_many_wait(sent):
    for _number in range(MOST_ORDERS):
        sent.orders.give(KEY.id, "game-1", "p1", 1, WHY)
    with pytest.raises(BadInput, match="wait for this table already"):
        sent.orders.give(KEY.id, "game-1", "p1", 1, WHY)


def test_a_table_signs_what_it_says_of_an_order():
    said = read_order_answer(answer_order(KEY, "o1", ""), public_of)
    assert (said.key, said.order, said.said) == (KEY.id, "o1", "")
    with pytest.raises(NotAllowed, match="Enrol"):
        read_order_answer(answer_order(OTHER_KEY, "o1", ""), public_of)
    with pytest.raises(NotAllowed, match="signature"):
        read_order_answer(answer_order(KEY, "o1", "").replace(b"o1", b"o2"), public_of)
    with pytest.raises(BadInput):
        read_order_answer(b"[]", public_of)


def order_for(table, **more):
    return Order(**{"id": "o1", "session": table.session.id, "player": table.session.players[0], "points": -3,
                    "why": WHY} | more)  # fmt: skip


def test_the_table_enters_it_once_as_a_referees_ruling(host, sack):
    player = sack.session.players[0]
    before = sack.game.rules.score(sack.state)[player]
    for _time in range(2):  # the answer got lost
        assert staff_orders.enter_order(host, order_for(sack)) == ""
    assert sack.game.rules.score(sack.state)[player] == before - 3
    (line,) = [line for line in sack.history.lines() if line.device]
    assert (line.device, WHY in line.sentence) == ("Staff of the hall", True)


def test_in_a_locked_game_too(host):
    table = host.create("sack_stackers", ["Ann", "Bob"], {}, preset="tournament")
    assert staff_orders.enter_order(host, order_for(table)) == ""
    assert table.seq == 1


@pytest.mark.parametrize("change", [{"session": "nothing"}, {"player": "nobody"}, {"why": ""}])
def test_what_the_table_cannot_enter_is_said(host, sack, change):
    said = staff_orders.enter_order(host, order_for(sack, **change))
    assert said.endswith(".")
    assert sack.seq == 0
