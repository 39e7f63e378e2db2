"""What a table has learnt reaches its reader: how strict it is, and the colours that people name in the game."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.clock import monotonic_us
from companion.demo import board as virtual_board
from companion.demo.things import TableDie, VirtualTable, thrown
from companion.game.readings import DiceReading, DieReading, Photo, Photograph, Settled, Watching
from companion.game.readings.kinds import Kind
from companion.game.readings.mat import UseScene
from tests.vision.test_watch_process import Service
from vision.cameras.camera import Frame
from vision.cameras.photos import load_photo
from vision.colour.bodies import NOMINAL_RGB, paints_in_use
from vision.dice.reader import read_dice
from vision.readers.agreement import confirm_die
from vision.scene.scene import Scene
from vision.virtual.camera import virtual_scene
from vision.watch.known_table import KnownTable
from vision.watch.lookout import Lookout, reader_for

FIXTURES = Path(__file__).parent / "fixtures" / "dice"
FRAME_US = 33_333
NOT_ON_A_MAT = ("piece", "colour_rgb")
BY_ITS_MAT = {name: field for name, field in virtual_scene("board", 6).items() if name not in NOT_ON_A_MAT}


@pytest.fixture(scope="module")
def readings():
    """The rendered scenes as read at tables of different strictness."""
    names = [entry["image"] for entry in json.loads((FIXTURES / "labels.json").read_text())][:6]
    frames = [load_photo(FIXTURES / name) for name in names]
    return {
        times: [die for frame in frames for die in read_dice(frame, Scene(strictness=times)).dice]
        for times in (0.5, 1.0, 8.0)
    }


def test_a_stricter_table_accepts_only_what_it_is_surer_of(readings):
    usual = readings[1.0]
    for times, dice in readings.items():
        assert [replace(die, accepted=True) for die in dice] == [replace(die, accepted=True) for die in usual]
        for die in dice:
            sure = die.needs is not None and 1 - die.confidence <= (1 - die.needs) / times
            assert die.accepted == sure
    accepted = [sum(die.accepted for die in readings[times]) for times in (8.0, 1.0, 0.5)]
    assert accepted == sorted(accepted)
    assert accepted[0] < accepted[1]


def test_nothing_makes_a_table_accept_a_die_that_is_asked_for_another_reason(readings):
    at_odds = [die for die in readings[0.5] if die.needs is None]
    assert at_odds
    assert not any(die.accepted for die in at_odds)


def test_two_looks_that_differ_leave_no_confidence_that_would_do():
    die = DieReading(5, 10, 10, 40, 40, 0, "red", 0.99, True, ((5, 0.99),), 0.97, (180.0, 30.0, 40.0))
    assert confirm_die(die, replace(die, value=4)).needs is None
    assert confirm_die(die, None).needs is None
    assert confirm_die(die, die) == die


def test_colours_in_use_that_the_scene_lacks_look_as_usual():
    red = (170.0, 60.0, 50.0)
    assert paints_in_use({}, ("red", "blue")) == {}  # nothing taught: plain names
    assert paints_in_use({"red": red}, ("red",)) == {"red": red}
    assert paints_in_use({"red": red}, ("red", "blue")) == {
        "white": NOMINAL_RGB["white"],
        "blue": NOMINAL_RGB["blue"],
        "red": red,
    }


def resting(lookout, frames=30):
    """What is told while one die lies there."""
    frame_bgr = np.full((240, 320, 3), 120, np.uint8)
    told = []
    for number in range(frames):
        lookout.want(Watching(Kind.DICE), 0)
        settled = lookout.feed(Frame(frame_bgr, number * FRAME_US, number), lambda frame: frame)
        told += [settled] if settled else []
    return told


def one_die(_watching):
    die = DieReading(4, 100.0, 100.0, 40.0, 40.0, 0.0, "white", 0.99, True, ((4, 0.99),))
    return lambda frame_bgr: DiceReading(frame_bgr.shape[1], frame_bgr.shape[0], (die,))


def test_what_lies_there_is_told_again_only_where_that_is_wanted():
    lookout = Lookout(one_die, KnownTable(), live=True)
    lookout.restart(report=True)
    assert resting(lookout) == []  # a process that has just begun knows of nothing to tell again
    lookout.restart()
    assert resting(lookout) == []
    lookout.restart(report=True)
    assert len(resting(lookout)) == 1
    lookout.restart()
    assert resting(lookout) == []


@pytest.mark.parametrize("hand", [0, 4])
def test_what_rests_first_while_somebody_moves_may_have_lain_there_before(hand):
    """A process that was started again cannot know whether the dice under a hand were told already."""
    lookout = Lookout(one_die, KnownTable(), live=True)
    lookout.want(Watching(Kind.DICE), 0)
    told = []
    for number in range(50):
        frame_bgr = np.full((240, 320, 3), 120, np.uint8)
        if number < hand or 20 <= number < 24:
            frame_bgr[: 60 + 20 * (number % 5), 200:260] = (110, 150, 205)
        if number >= 24:
            frame_bgr[150:190, 60:100] = 230  # something was put down
        settled = lookout.feed(Frame(frame_bgr, number * FRAME_US, number), lambda frame: frame)
        told += [settled.surely_new] if settled else []
    assert told == ([False] if hand else [])


def test_a_drawn_table_keeps_the_colours_that_were_taught():
    table = KnownTable({"colour_rgb": {"red": [190, 30, 40]}})
    table.use_drawn({"die_size_mm": 16.0})
    assert table.scene({}).die_size_mm == 16.0
    assert table.scene({}).colour_rgb == {"red": (190, 30, 40)}


def test_another_mat_is_laid_on_a_drawn_table_and_the_colours_that_were_taught_stay():
    saved = {**virtual_scene("board", 6), "colour_rgb": {"red": [190, 30, 40], "white": [99, 99, 99]}}
    taught = {**saved, "colour_rgb": {"red": [170, 60, 50]}}
    table = KnownTable(saved)
    for said in (saved, taught):  # a lesson in the middle of a game saves the whole scene again
        table.use(said)
        for mat, n in (("dice", 6), ("board", 5), ("board", 6)):
            drawn = virtual_scene(mat, n)
            table.use_drawn(drawn)
            scene = table.scene({})
            assert [marker.id for marker in scene.markers] == [marker["id"] for marker in drawn["markers"]]
            assert (scene.board and scene.board.n) == (drawn["board"]["n"] if "board" in drawn else None)
            colours = {**said["colour_rgb"], **drawn.get("colour_rgb", {})}  # the drawing knows its pieces best
            assert scene.colour_rgb == {name: tuple(rgb) for name, rgb in colours.items()}


def test_what_was_measured_of_the_mat_that_is_drawn_goes_before_the_drawing():
    drawn = virtual_scene("dice")
    table = KnownTable({**drawn, "die_size_mm": 12.0})
    table.use_drawn(drawn)
    assert table.scene({}).die_size_mm == 12.0


def test_a_drawn_tables_pieces_and_boxes_are_as_drawn_whatever_the_page_takes_as_usual():
    drawn = virtual_scene("board", 5) | {"unit_mm": 13.0}
    table = KnownTable({**drawn, "unit_mm": 12.0, "piece": {"diameter_mm": 9.0, "thickness_mm": 2.0}})
    table.use_drawn(drawn)
    assert (table.scene({}).unit_mm, table.scene({}).piece.thickness_mm) == (13.0, 6.0)


def test_what_was_saved_of_a_drawn_table_goes_before_and_the_drawing_says_the_rest():
    table = KnownTable({"die_size_mm": 12.0})
    drawn = {"die_size_mm": 16.0, "piece": {"diameter_mm": 20.0, "thickness_mm": 4.0}}
    table.use_drawn(drawn)
    assert (table.scene({}).die_size_mm, table.scene({}).piece.diameter_mm) == (12.0, 20.0)
    table.use({})  # everything is forgotten
    table.use_drawn(drawn)
    assert table.scene({}).die_size_mm == 16.0


@pytest.mark.parametrize("said", [{}, BY_ITS_MAT], ids=["forgotten", "set up by its mat"])
def test_the_board_of_the_demo_is_read_whatever_is_saved_or_forgotten_of_it(said):
    """A board that was set up by its mat lacks its pieces, one that is forgotten lacks all: the drawing has both."""
    laid = virtual_board.put(VirtualTable(mat="board", board_n=6), 2, 3, "black")
    commands = (laid, Watching(Kind.BOARD, {"colours": ["white", "black"]}), UseScene(virtual_scene("board", 6)))
    with Service("virtual", load_reader=reader_for, commands=commands) as service:
        assert service.next().state == "ok"
        service.ours.send(Photograph())
        assert isinstance(service.next(), Photo)  # by now it watches the board
        service.ours.send(UseScene(said, anew=True))
        settled = service.next()
        assert isinstance(settled, Settled), settled
        assert settled.reading.cells[2][3].colour == "black"


def test_a_colour_named_in_the_game_names_the_dice_that_lie_there():
    def load(table, watching):
        return reader_for(table, watching)

    with Service("virtual", load_reader=load, commands=(VirtualTable(),)) as service:
        assert service.next().state == "ok"
        service.ours.send(thrown(VirtualTable(), (TableDie("die-1", 4, 200.0, 150.0, 0.0),), monotonic_us()))
        first = service.next()
        assert isinstance(first, Settled)
        (die,) = first.reading.dice
        service.ours.send(UseScene({"colour_rgb": {"green": list(die.body_rgb), "red": [190, 30, 40]}}, anew=True))
        again = service.next()
        assert isinstance(again, Settled)
        assert [(die.value, die.colour) for die in again.reading.dice] == [(die.value, "green")]
        assert die.colour != "green"
