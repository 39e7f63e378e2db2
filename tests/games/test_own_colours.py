"""A table's own dice and pieces: sheets, questions and the camera speak of their colours (ST-01, ST-02, SP-01)."""

import pytest

from companion.errors import IllegalEvent
from companion.game.players import Viewer
from companion.game.readings import DiceReading, DieReading
from companion.games.sandpile_panic import GAME, pages, wording
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import camera as board_camera
from companion.games.sandpile_panic.events import Left, Placed, TakenOver
from companion.games.sandpile_panic.options import Options as SandpileOptions
from companion.games.sandpile_panic.rules import apply, start
from companion.games.stack_dice import camera as dice_camera
from companion.games.stack_dice import rules as stack
from companion.games.stack_dice.events import StartRolled
from companion.games.stack_dice.options import Options as StackOptions
from companion.games.stack_dice.state import colour

OWN = ("green", "black", "white", "red", "blue", "orange", "purple", "yellow")
PIECES = ("red", "yellow", "green", "white", "black", "blue", "orange", "purple")
NAMES = Viewer(None, {"A": "Ann", "B": "Bo"})


def rolled(*dice):
    """A reading of dice, each (colour, value)."""
    return DiceReading(
        1280,
        960,
        tuple(
            DieReading(value, 50.0 * number, 50, 20, 20, 0, body, 0.99, True, ((value, 0.99),))
            for number, (body, value) in enumerate(dice, start=1)
        ),
    )


def test_the_players_of_stack_have_the_dice_that_they_chose_and_the_camera_knows():  # ST-01
    state = stack.start(StackOptions(dice_colours=OWN), ("A", "B"))
    assert [colour(state, player) for player in state.players] == ["green", "black"]
    assert dice_camera.eyes(state).knows == {"players_colours": ["green", "black"]}
    proposed = dice_camera.propose(state, rolled(("black", 4), ("green", 2)))
    assert proposed.event == StartRolled((("B", 4), ("A", 2)))


def test_borrowed_dice_are_those_whose_colour_no_player_chose():
    white_played = StackOptions(dice_colours=("white", "black"))
    assert dice_camera.is_nobodys(stack.start(StackOptions(), ("A", "B")), "white")
    assert not dice_camera.is_nobodys(stack.start(white_played, ("A", "B")), "white")


@pytest.mark.parametrize(
    ("colours", "says"),
    [
        (("red", "blue", "red"), "Colours 1 and 3 are both red"),
        (("red", "blue", "chequered"), "doesn't know the colour chequered"),
        (("red", "blue"), "Choose a colour for each"),
    ],
)
def test_colours_that_cannot_be_told_apart_are_refused(colours, says):
    with pytest.raises(IllegalEvent, match=says):
        stack.start(StackOptions(dice_colours=colours), ("A", "B", "C"))
    with pytest.raises(IllegalEvent, match=says):
        start(SandpileOptions(piece_colours=colours), ("A", "B", "C"))


def test_the_same_colour_in_a_seat_that_nobody_takes_is_no_fault():
    stack.start(StackOptions(dice_colours=("red", "blue", "red")), ("A", "B"))


def test_whoever_begins_sandpile_panic_has_the_first_of_the_chosen_colours():  # SP-01, SP-10
    state = start(SandpileOptions(piece_colours=PIECES, first_seat=2), ("A", "B"))
    state = apply(state, Placed("B", "r1c1"))
    assert boards.NAMES[state.board["r1c1"]] == "red"
    assert board_camera.eyes(state).knows["colours"] == ["red", "yellow"]


def test_the_pie_rule_speaks_of_the_chosen_colours():  # SP-12
    state = start(SandpileOptions(piece_colours=PIECES), ("A", "B"))
    assert wording.opening_words(state, NAMES) == (
        "Ann begins. Seat 1 plays red in this game.",
        "After that Bo may switch sides and play red.",
    )
    state = apply(state, Placed("A", "r1c1"))
    question, _board, answers, *_ = pages.view(state, NAMES)
    assert question.detail == "You'd play red and own this piece. Either way, yellow is next."
    assert [tap.label for tap in answers.taps] == ["Switch and play red", "Stay yellow"]
    assert wording.describe(state, Left("B"), NAMES) == "Bo stayed yellow."
    taken = apply(state, TakenOver("B"))
    assert wording.describe(taken, TakenOver("B"), NAMES) == "Bo switched sides and plays red."
    assert boards.NAMES[taken.colours["B"]] == "red"


def test_what_is_drawn_for_newcomers_has_the_chosen_colours():
    taught = GAME.pages.how_to(SandpileOptions(piece_colours=PIECES))
    assert "The first player takes red." in " ".join(taught.set_up)
    assert "white" not in repr(taught).lower()
