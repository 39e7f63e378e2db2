"""Dice of the demo's table that stand on each other: what a hand can do with them, whatever game is played."""

from itertools import combinations, pairwise
from random import Random

import pytest

from companion.clock import Clock
from companion.demo import dice as virtual_dice
from companion.demo.hands import APART_MM
from companion.demo.table import DemoTable
from companion.demo.things import TableDie, VirtualTable, moved, stack_of
from companion.errors import BadInput
from companion.game.readings import Kind
from companion.game.seeing import Eyes

FOUR = ["red", "blue", "green", "purple"]


@pytest.fixture
def demo():
    return dropped(FOUR[:2])


def dropped(colours, seed=1):
    demo = DemoTable(Clock(0), random=Random(seed))
    demo.prepare(Eyes(above=Kind.DICE, knows={"players_colours": colours}))
    demo.dice.roll(each=virtual_dice.DICE_EACH)
    return demo


def row(count):
    return VirtualTable(tuple(TableDie(str(n), n, 50.0 * n, 100.0, 30.0 * n) for n in range(1, count + 1)))


def pile(*keys, count=6):
    table = row(count)
    for below, upper in pairwise(keys):
        table = virtual_dice.put(table, upper, below)
    return table


def keys(dice):
    return [die.key for die in dice]


@pytest.mark.parametrize("seed", range(10))
def test_the_dice_of_four_players_have_room(seed):
    dice = dropped(FOUR, seed).snapshot().dice
    assert [sum(die.colour == colour for die in dice) for colour in FOUR] == [14] * 4
    for one, other in combinations(dice, 2):
        assert (one.x_mm - other.x_mm) ** 2 + (one.y_mm - other.y_mm) ** 2 >= APART_MM**2


def test_more_dice_than_have_room_are_refused():
    with pytest.raises(BadInput, match="You can't roll 70 dice here"):
        dropped([*FOUR, "yellow"])


def test_dice_land_only_where_room_is_left(monkeypatch):
    monkeypatch.setattr("companion.demo.hands.APART_MM", 60.0)
    with pytest.raises(BadInput, match="There's no room for another die"):
        dropped(FOUR)


def test_only_players_with_dice_of_their_own_drop_them():
    with pytest.raises(BadInput, match="No player has dice in their own colour"):
        DemoTable(Clock(0), random=Random(1)).dice.roll(each=14)


def test_dice_stand_on_each_other_and_keep_number_and_turn():
    stack = stack_of(pile("2", "5", "1"), "2")
    assert keys(stack) == ["2", "5", "1"]
    assert [die.level for die in stack] == [0, 1, 2]
    assert {(die.x_mm, die.y_mm) for die in stack} == {(100.0, 100.0)}
    assert [(die.value, die.angle_deg) for die in stack] == [(2, 60.0), (5, 150.0), (1, 30.0)]


def test_a_stack_is_pushed_as_a_whole():
    stack = stack_of(moved(pile("2", "5"), "5", 200.0, 200.0), "2")
    assert [(die.key, die.x_mm, die.level) for die in stack] == [("2", 200.0, 0), ("5", 200.0, 1)]


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (lambda table: virtual_dice.put(table, "1", "5"), "There's another die on top"),
        (lambda table: virtual_dice.turned(table, "1"), "There's another die on top"),
        (lambda table: virtual_dice.put(table, "4", "1"), "That die is already there"),
        (lambda table: virtual_dice.put(table, "6", "4"), "would fall"),
    ],
)
def test_a_die_must_lie_as_wood_lies(act, why):
    with pytest.raises(BadInput, match=why):
        act(pile("1", "2", "3", "4"))


def test_a_die_is_turned_to_the_next_number():
    assert [stack_of(virtual_dice.turned(row(6), key), key)[0].value for key in ("5", "6")] == [6, 1]


def test_the_top_die_is_taken_down_again(demo):
    demo.dice.put_onto("red-1", "blue-1")
    lying = next(die for die in demo.snapshot().dice if die.key == "blue-2")
    with pytest.raises(BadInput, match="There's a die there already"):
        demo.dice.put_down("red-1", lying.x_mm, lying.y_mm)
    with pytest.raises(BadInput, match="There's another die on top"):
        demo.dice.put_down("blue-1", 5.0, 5.0)
    value = next(die.value for die in demo.snapshot().dice if die.key == "red-1")
    demo.dice.put_down("red-1", 0.0, 0.0)
    (die,) = stack_of(demo.snapshot(), "red-1")
    assert (die.value, die.level) == (value, 0)
    assert die.x_mm > 0
    assert keys(stack_of(demo.snapshot(), "blue-1")) == ["blue-1"]


def test_a_stack_goes_off_the_table():
    assert keys(virtual_dice.taken_off(pile("1", "2", count=3), "2").dice) == ["3"]


def test_a_stack_is_knocked_over_and_rebuilt(demo):
    demo.dice.put_onto("red-1", "blue-1")
    before = demo.snapshot()
    stood = stack_of(before, "red-1")
    demo.dice.collapse("blue-1")
    assert all(die.level == 0 for die in demo.snapshot().dice)
    assert {die for die in before.dice if die not in stood} < set(demo.snapshot().dice)
    demo.dice.rebuild()
    assert stack_of(demo.snapshot(), "blue-1") == stood
    with pytest.raises(BadInput, match="No stack of dice has fallen"):
        demo.dice.rebuild()


def test_what_stands_alone_cannot_be_knocked_over(demo):
    with pytest.raises(BadInput, match="This die isn't in a stack"):
        demo.dice.collapse("red-1")


def test_a_die_below_another_is_not_rolled(demo):
    demo.dice.put_onto("red-1", "blue-1")
    with pytest.raises(BadInput, match="There's another die on top"):
        demo.dice.roll(keys=["blue-1"])
    demo.dice.roll(keys=["red-1"])
    assert len(stack_of(demo.snapshot(), "blue-1")) == 1


def test_another_game_has_other_dice(demo):
    demo.prepare(Eyes(above=Kind.STACKS, knows={"players_colours": FOUR[:2]}))
    assert len(demo.snapshot().dice) == 28
    demo.prepare(Eyes())
    assert demo.snapshot() == VirtualTable()
