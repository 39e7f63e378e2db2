"""The demo's physical table: dice that fall by chance and never on each other, stacks, and a panel to press."""

from itertools import combinations
from random import Random

import pytest

from companion.clock import Clock
from companion.contract import Eyes
from companion.demo import APART_MM, MOST_DICE, BoxState, DemoTable
from companion.errors import BadInput
from companion.games.maxstax.deck import OWN_DECK
from companion.live import Live
from companion.readings import Kind
from companion.virtual_stacks import BLOCK_MM, EMPTY, SPACES
from companion.virtual_table import DIE_MM, HEIGHT_MM, WIDTH_MM, VirtualTable


class StandingClock(Clock):
    """Table time that stands still."""

    def now_us(self) -> int:
        return 1_000_000


@pytest.fixture
def table():
    return DemoTable(StandingClock(), random=Random(1))


def at(table, key):
    return next(die for die in table.snapshot().dice if die.key == key)


def by_key(table):
    return {die.key: die for die in table.snapshot().dice}


def test_a_roll_throws_so_many_dice(table):
    table.roll(count=6)
    snapshot = table.snapshot()
    assert [die.key for die in snapshot.dice] == [f"die-{n}" for n in range(1, 7)]
    assert (snapshot.throw.started_us, snapshot.throw.origin) == (1_000_000, ())
    assert snapshot.throw.rests_us > snapshot.throw.started_us


@pytest.mark.parametrize("seed", range(20))
def test_dice_land_inside_the_table_and_never_on_each_other(seed):
    table = DemoTable(StandingClock(), random=Random(seed))
    table.roll(count=MOST_DICE)
    dice = table.snapshot().dice
    for one, other in combinations(dice, 2):
        assert (one.x_mm - other.x_mm) ** 2 + (one.y_mm - other.y_mm) ** 2 >= APART_MM**2
    assert all(DIE_MM / 2 < die.x_mm < WIDTH_MM - DIE_MM / 2 for die in dice)
    assert all(DIE_MM / 2 < die.y_mm < HEIGHT_MM - DIE_MM / 2 for die in dice)


def test_every_face_comes_up_about_as_often_as_any_other():
    table = DemoTable(StandingClock(), random=Random(1))
    faces = []
    for _ in range(100):
        table.roll(count=12)
        faces += [die.value for die in table.snapshot().dice]
    assert all(150 < faces.count(face) < 250 for face in range(1, 7))


def test_some_dice_are_thrown_again_and_the_others_lie_still(table):
    table.roll(count=6)
    before = by_key(table)
    table.roll(keys=["die-2", "die-5"])
    after = by_key(table)
    assert [key for key in before if before[key] != after[key]] == ["die-2", "die-5"]
    assert list(before) == list(after)
    assert table.snapshot().throw.origin == tuple(before.values())


def test_all_that_lie_there_are_thrown_again(table):
    table.roll(count=3)
    before = by_key(table)
    table.roll()
    assert all(before[key] != die for key, die in by_key(table).items())


def test_a_smaller_roll_leaves_no_dice_behind(table):
    table.roll(count=6)
    table.roll(count=2)
    assert list(by_key(table)) == ["die-1", "die-2"]


@pytest.mark.parametrize("count", [0, -1, MOST_DICE + 1])
def test_too_many_or_no_dice_are_refused(table, count):
    with pytest.raises(BadInput, match="cannot be rolled here"):
        table.roll(count=count)
    assert table.snapshot() == VirtualTable()


def test_dice_that_do_not_lie_there_are_refused(table):
    with pytest.raises(BadInput, match="No dice lie on the table"):
        table.roll()
    with pytest.raises(BadInput, match="No die called 'die-9'"):
        table.roll(keys=["die-9"])
    with pytest.raises(BadInput, match="No die called 'die-9'"):
        table.move("die-9", 10, 10)


def test_a_die_is_pushed_elsewhere_and_kept_on_the_table(table):
    table.roll(count=1)
    table.move("die-1", 120, 80)
    assert (at(table, "die-1").x_mm, at(table, "die-1").y_mm) == (120, 80)
    table.move("die-1", -50, 9_999)
    assert 0 < at(table, "die-1").x_mm < at(table, "die-1").y_mm < HEIGHT_MM
    assert table.snapshot().throw is None


def test_a_die_cannot_be_pushed_onto_another(table):
    table.roll(count=2)
    before = table.snapshot()
    table.move("die-1", at(table, "die-2").x_mm + 3, at(table, "die-2").y_mm)
    assert table.snapshot() == before


def test_dice_are_taken_away(table):
    table.roll(count=4)
    table.clear()
    assert table.snapshot() == VirtualTable()


def test_every_change_is_told(table):
    heard = []
    table.on_change = heard.append
    table.roll(count=2)
    table.move("die-1", 200, 20)
    table.clear()
    assert [len(snapshot.dice) for snapshot in heard] == [2, 2, 0]


def test_pages_that_listen_hear_of_dice_and_stacks():
    live = Live()
    table = DemoTable(StandingClock(), live, random=Random(1))
    changes = live.changes(["table"], heartbeat_s=0.001)
    assert next(changes) is None
    table.roll(count=1)
    assert next(changes) == "table"
    table.build(1)
    assert next(changes) == "table"


def told(references):
    """What a game that looks at stacks has said of them."""
    return Eyes(above=None, front=Kind.TOWER, knows={"references": references})


def test_a_stack_grows_block_by_block_into_what_the_card_shows(table):
    table.prepare(told({"2": {"card": 7}}))
    counts = []
    for _ in range(6):
        table.build(2)
        counts.append(len(table.stack(2).blocks))
    assert counts == [1, 2, 3, 4, 4, 4]  # card 7 has four blocks
    shown = OWN_DECK.cards[7].blocks
    assert [block.foot_mm for block in table.stack(2).blocks] == [block.bottom_mm for block in shown]
    assert [block.across_mm for block in table.stack(2).blocks] == [block.width_mm for block in shown]
    assert all(
        sorted((block.across_mm, block.upright_mm, block.away_mm)) == sorted(BLOCK_MM)
        for block in table.stack(2).blocks
    )
    assert table.stack(1) == EMPTY


def test_a_copy_is_built_like_the_stack_of_its_space(table):
    table.prepare(told({"2": {"space": 1}}))
    with pytest.raises(BadInput, match="No stack stands in space 1"):
        table.finish(2)
    table.finish(1)
    table.finish(2)
    assert table.stack(2) == table.stack(1) != EMPTY


@pytest.mark.parametrize("seed", range(8))
def test_one_block_wrong_is_the_last_one_turned_or_a_centimetre_beside_its_place(seed):
    table = DemoTable(StandingClock(), random=Random(seed))
    with pytest.raises(BadInput, match="build one first"):
        table.build_wrong(1)
    table.finish(1)
    right = table.stack(1).blocks
    table.build_wrong(1)
    *below, last = table.stack(1).blocks
    assert tuple(below) == right[:-1]
    turned = (last.across_mm, last.away_mm) == (right[-1].away_mm, right[-1].across_mm)
    assert turned != (abs(last.x_mm - right[-1].x_mm) == 10)


def test_a_stack_is_finished_falls_and_is_taken_apart(table):
    table.finish(3)
    whole = table.stack(3)
    table.knock_over(3)
    assert len(table.stack(3).blocks) == len(whole.blocks)
    assert not table.stack(3).standing
    with pytest.raises(BadInput, match="take it apart first"):
        table.build(3)
    table.take_apart(3)
    assert table.stack(3) == EMPTY


def test_the_front_camera_hears_of_the_stacks_it_can_see(table):
    heard = []
    table.on_change = heard.append
    table.finish(SPACES)
    table.finish(SPACES + 1)
    assert [len(snapshot.stacks) for snapshot in heard] == [SPACES]
    assert heard[0].stacks[-1] == table.stack(SPACES)


def test_another_mat_leaves_the_stacks_alone(table):
    table.finish(1)
    table.prepare(Eyes(above=Kind.BOARD))
    assert table.snapshot().stacks[0] == table.stack(1) != EMPTY


@pytest.mark.parametrize("act", ["build", "finish", "build_wrong", "knock_over", "take_apart", "stack"])
def test_only_the_tables_seats_have_stacks(table, act):
    with pytest.raises(BadInput, match="no seat 9"):
        getattr(table, act)(9)


class StandInPanel:
    """A panel that remembers what was done to it."""

    def __init__(self):
        self.done = []

    def press(self, name):
        self.done.append(("press", name))

    def release(self, name):
        self.done.append(("release", name))

    def state(self):
        return BoxState((("seat-1", 1.0, False),), None, ("seat-1",))


def test_fingers_reach_the_panel():
    panel = StandInPanel()
    table = DemoTable(StandingClock(), panel=panel)
    table.press("seat-1")
    table.release("seat-1")
    assert panel.done == [("press", "seat-1"), ("release", "seat-1")]
    assert table.box_state() == panel.state()


def test_without_a_simulated_box_there_is_nothing_to_press(table):
    with pytest.raises(BadInput, match="no simulated button box"):
        table.press("seat-1")
