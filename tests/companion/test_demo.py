"""The demo's physical table: dice that fall by chance and never on each other, stacks, and a panel to press."""

from itertools import combinations
from random import Random

import pytest

from companion.changes import Live
from companion.clock import Clock
from companion.demo.button_box import BoxState
from companion.demo.hands import APART_MM, MOST_DICE
from companion.demo.stacks import BLOCK_MM, EMPTY, HIGHEST_MM, SPACES
from companion.demo.table import DemoTable
from companion.demo.things import DIE_MM, HEIGHT_MM, WIDTH_MM, VirtualTable
from companion.equipment.deck import OWN_DECK
from companion.errors import BadInput
from companion.game.readings import Kind
from companion.game.seeing import Eyes


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
    table.dice.roll(count=6)
    snapshot = table.snapshot()
    assert [die.key for die in snapshot.dice] == [f"die-{n}" for n in range(1, 7)]
    assert (snapshot.throw.started_us, snapshot.throw.origin) == (1_000_000, ())
    assert snapshot.throw.rests_us > snapshot.throw.started_us


@pytest.mark.parametrize("seed", range(20))
def test_dice_land_inside_the_table_and_never_on_each_other(seed):
    table = DemoTable(StandingClock(), random=Random(seed))
    table.dice.roll(count=MOST_DICE)
    dice = table.snapshot().dice
    for one, other in combinations(dice, 2):
        assert (one.x_mm - other.x_mm) ** 2 + (one.y_mm - other.y_mm) ** 2 >= APART_MM**2
    assert all(DIE_MM / 2 < die.x_mm < WIDTH_MM - DIE_MM / 2 for die in dice)
    assert all(DIE_MM / 2 < die.y_mm < HEIGHT_MM - DIE_MM / 2 for die in dice)


def test_every_face_comes_up_about_as_often_as_any_other():
    table = DemoTable(StandingClock(), random=Random(1))
    faces = []
    for _ in range(100):
        table.dice.roll(count=12)
        faces += [die.value for die in table.snapshot().dice]
    assert all(150 < faces.count(face) < 250 for face in range(1, 7))


def test_some_dice_are_thrown_again_and_the_others_lie_still(table):
    table.dice.roll(count=6)
    before = by_key(table)
    table.dice.roll(keys=["die-2", "die-5"])
    after = by_key(table)
    assert [key for key in before if before[key] != after[key]] == ["die-2", "die-5"]
    assert list(before) == list(after)
    assert table.snapshot().throw.origin == tuple(before.values())


def test_all_that_lie_there_are_thrown_again(table):
    table.dice.roll(count=3)
    before = by_key(table)
    table.dice.roll()
    assert all(before[key] != die for key, die in by_key(table).items())


def test_a_smaller_roll_leaves_no_dice_behind(table):
    table.dice.roll(count=6)
    table.dice.roll(count=2)
    assert list(by_key(table)) == ["die-1", "die-2"]


@pytest.mark.parametrize("count", [0, -1, MOST_DICE + 1])
def test_too_many_or_no_dice_are_refused(table, count):
    with pytest.raises(BadInput, match="You can't roll"):
        table.dice.roll(count=count)
    assert table.snapshot() == VirtualTable()


def test_dice_that_do_not_lie_there_are_refused(table):
    with pytest.raises(BadInput, match="There are no dice on the table"):
        table.dice.roll()
    with pytest.raises(BadInput, match="There's no die called 'die-9' on the table"):
        table.dice.roll(keys=["die-9"])
    with pytest.raises(BadInput, match="There's no die called 'die-9' on the table"):
        table.dice.move("die-9", 10, 10)


def test_a_die_is_pushed_elsewhere_and_kept_on_the_table(table):
    table.dice.roll(count=1)
    table.dice.move("die-1", 120, 80)
    assert (at(table, "die-1").x_mm, at(table, "die-1").y_mm) == (120, 80)
    table.dice.move("die-1", -50, 9_999)
    assert 0 < at(table, "die-1").x_mm < at(table, "die-1").y_mm < HEIGHT_MM
    assert table.snapshot().throw is None


def test_a_die_cannot_be_pushed_onto_another(table):
    table.dice.roll(count=2)
    before = table.snapshot()
    table.dice.move("die-1", at(table, "die-2").x_mm + 3, at(table, "die-2").y_mm)
    assert table.snapshot() == before


def test_dice_are_taken_away(table):
    table.dice.roll(count=4)
    table.dice.clear()
    assert table.snapshot() == VirtualTable()


def test_every_change_is_told(table):
    heard = []
    table.top.on_change = heard.append
    table.dice.roll(count=2)
    table.dice.move("die-1", 200, 20)
    table.dice.clear()
    assert [len(snapshot.dice) for snapshot in heard] == [2, 2, 0]


def test_pages_that_listen_hear_of_dice_and_stacks():
    live = Live()
    table = DemoTable(StandingClock(), live, random=Random(1))
    changes = live.changes(["table"], heartbeat_s=0.001)
    assert next(changes) is None
    table.dice.roll(count=1)
    assert next(changes) == "table"
    table.blocks.build(1)
    assert next(changes) == "table"


def told(references):
    """What a game that looks at stacks has said of them."""
    return Eyes(above=None, front=Kind.TOWER, knows={"references": references})


def test_a_stack_grows_block_by_block_into_what_the_card_shows(table):
    table.prepare(told({"2": {"card": 7}}))
    counts = []
    for _ in range(6):
        table.blocks.build(2)
        counts.append(len(table.blocks.stack(2).blocks))
    assert counts == [1, 2, 3, 4, 4, 4]  # card 7 has four blocks
    shown = OWN_DECK.cards[7].blocks
    assert [block.foot_mm for block in table.blocks.stack(2).blocks] == [block.bottom_mm for block in shown]
    assert [block.across_mm for block in table.blocks.stack(2).blocks] == [block.width_mm for block in shown]
    assert all(
        sorted((block.across_mm, block.upright_mm, block.away_mm)) == sorted(BLOCK_MM)
        for block in table.blocks.stack(2).blocks
    )
    assert table.blocks.stack(1) == EMPTY


def test_a_copy_is_built_like_the_stack_of_its_space(table):
    table.prepare(told({"2": {"space": 1}}))
    with pytest.raises(BadInput, match="There's no stack in space 1 to copy"):
        table.blocks.finish(2)
    table.blocks.finish(1)
    table.blocks.finish(2)
    assert table.blocks.stack(2) == table.blocks.stack(1) != EMPTY


@pytest.mark.parametrize("seed", range(8))
def test_one_block_wrong_is_the_last_one_turned_or_a_centimetre_beside_its_place(seed):
    table = DemoTable(StandingClock(), random=Random(seed))
    with pytest.raises(BadInput, match="Build one first"):
        table.blocks.build_wrong(1)
    table.blocks.finish(1)
    right = table.blocks.stack(1).blocks
    table.blocks.build_wrong(1)
    *below, last = table.blocks.stack(1).blocks
    assert tuple(below) == right[:-1]
    turned = (last.across_mm, last.away_mm) == (right[-1].away_mm, right[-1].across_mm)
    assert turned != (abs(last.x_mm - right[-1].x_mm) == 10)


def test_a_stack_is_finished_falls_and_is_taken_apart(table):
    table.blocks.finish(3)
    whole = table.blocks.stack(3)
    table.blocks.knock_over(3)
    assert len(table.blocks.stack(3).blocks) == len(whole.blocks)
    assert not table.blocks.stack(3).standing
    with pytest.raises(BadInput, match="Take it apart first"):
        table.blocks.build(3)
    table.blocks.take_apart(3)
    assert table.blocks.stack(3) == EMPTY


def put(table, seat, *design):
    """What stands there after so many blocks, each "how it lies, its middle"."""
    for part in design:
        way, middle = part.split()
        table.blocks.put_block(seat, way, float(middle))
    return table.blocks.stack(seat)


def test_a_block_put_freely_comes_to_rest_on_the_highest_below_it(table):
    stack = put(table, 1, "up_y -15", "flat_y 30", "up_y 25", "flat_y 25", "edge_y -65")
    assert [(block.x_mm, block.foot_mm) for block in stack.blocks] == [(-15, 0), (30, 0), (25, 15), (25, 60), (-65, 0)]
    assert stack.standing


@pytest.mark.parametrize("card", OWN_DECK.cards.values(), ids=lambda card: card.name)
def test_every_card_can_be_built_freely_and_stands(table, card):
    table.prepare(told({"1": {"card": card.number}}))
    table.blocks.finish(1)
    middle_mm = card.left_mm + card.width_mm / 2
    for block in card.blocks:
        table.blocks.put_block(2, block.way, block.left_mm + block.width_mm / 2 - middle_mm)
    assert table.blocks.stack(2) == table.blocks.stack(1)


def test_a_block_falls_with_its_stack_when_its_middle_is_beyond_what_it_rests_on(table):
    assert put(table, 1, "flat_x 0", "flat_x 22.5").standing
    fell = put(table, 2, "flat_x 0", "flat_x 25")
    assert (len(fell.blocks), fell.standing) == (2, False)


def test_a_block_far_out_is_held_by_another_on_its_near_end_and_tips_its_stack_without(table):
    assert put(table, 1, "up_y 0", "flat_x 5", "up_y -10", "flat_y 25").standing
    assert not put(table, 2, "up_y 0", "flat_x 5", "flat_y 25").standing


def test_what_lies_on_a_fallen_stack_is_taken_apart_first(table):
    put(table, 1, "up_y 0", "flat_x 20")
    for act in (lambda: table.blocks.put_block(1, "flat_x", 0.0), lambda: table.blocks.take_block_off(1)):
        with pytest.raises(BadInput, match="Take it apart first"):
            act()


def test_the_last_block_is_taken_back_off(table):
    with pytest.raises(BadInput, match="Build one first"):
        table.blocks.take_block_off(1)
    one = put(table, 1, "flat_x 0")
    put(table, 1, "edge_x 2.5")
    table.blocks.take_block_off(1)
    assert table.blocks.stack(1) == one
    table.blocks.take_block_off(1)
    assert table.blocks.stack(1) == EMPTY


@pytest.mark.parametrize("x_mm", [50.1, -50.1, 1e9, float("nan"), float("inf")])
def test_a_block_stays_in_its_space(table, x_mm):
    put(table, 1, "flat_x 50")
    with pytest.raises(BadInput, match=r"Put it at most 50\.0 mm from the middle"):
        table.blocks.put_block(1, "flat_x", x_mm)
    assert len(table.blocks.stack(1).blocks) == 1


def test_a_block_lies_in_one_of_six_ways(table):
    with pytest.raises(BadInput, match="Choose one of flat_x"):
        table.blocks.put_block(1, "leaning", 0.0)


def test_a_stack_is_as_high_as_the_highest_card_at_most(table):
    stack = put(table, 1, *["up_x 0"] * 6)
    assert stack.blocks[-1].foot_mm + stack.blocks[-1].upright_mm == HIGHEST_MM
    with pytest.raises(BadInput, match="A stack here can be 270 mm high at most"):
        table.blocks.put_block(1, "flat_x", 0.0)
    put(table, 1, "flat_x 40")  # where it is lower


def test_there_are_twelve_blocks(table):
    put(table, 1, *["flat_x 0"] * 12)
    with pytest.raises(BadInput, match="All 12 blocks"):
        table.blocks.put_block(1, "flat_x", 50.0)


def test_the_next_block_of_a_card_comes_to_rest_on_what_was_built_otherwise(table):
    table.prepare(told({"1": {"card": 1}}))  # a doorway: two posts, then a beam
    put(table, 1, "flat_x 0", "flat_x 0")
    table.blocks.build(1)
    *_below, beam = table.blocks.stack(1).blocks
    assert (beam.across_mm, beam.x_mm, beam.foot_mm) == (45, 0, 30)
    table.blocks.build(1)
    assert len(table.blocks.stack(1).blocks) == 3


def test_a_freely_built_stack_is_copied(table):
    table.prepare(told({"2": {"space": 1}}))
    freely = put(table, 1, "edge_y 30", "flat_x 30", "edge_y 30")
    for _ in freely.blocks:
        table.blocks.build(2)
    assert table.blocks.stack(2) == freely
    assert freely.standing


def test_the_front_camera_hears_of_the_stacks_it_can_see(table):
    heard = []
    table.top.on_change = heard.append
    table.blocks.finish(SPACES)
    table.blocks.finish(SPACES + 1)
    assert [len(snapshot.stacks) for snapshot in heard] == [SPACES]
    assert heard[0].stacks[-1] == table.blocks.stack(SPACES)


def test_another_mat_leaves_the_stacks_alone(table):
    table.blocks.finish(1)
    table.prepare(Eyes(above=Kind.BOARD))
    assert table.snapshot().stacks[0] == table.blocks.stack(1) != EMPTY


@pytest.mark.parametrize("act", ["build", "finish", "build_wrong", "knock_over", "take_apart", "stack"])
def test_only_the_tables_seats_have_stacks(table, act):
    with pytest.raises(BadInput, match="no seat 9"):
        getattr(table.blocks, act)(9)


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
    table = DemoTable(StandingClock(), panel=panel, random=Random(1))
    table.buttons.press("seat-1")
    table.buttons.release("seat-1")
    assert panel.done == [("press", "seat-1"), ("release", "seat-1")]
    assert table.buttons.box_state() == panel.state()


def test_without_a_simulated_box_there_is_nothing_to_press(table):
    with pytest.raises(BadInput, match="This table has no virtual button box"):
        table.buttons.press("seat-1")
