"""What the board seen from above means to Sandpile Panic (SP-38), with readings made by hand."""

from dataclasses import replace

import pytest

from companion.game.readings import BoardReading, CellReading, DiceReading, Kind
from companion.game.seeing import Proposed, Remark
from companion.games.sandpile_panic import advice, camera, rules
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.answers import layers
from companion.games.sandpile_panic.events import Placed, Topple, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.islands import Special
from companion.games.sandpile_panic.options import Opening, Options

BEFORE = {**boards.empty(5), "r1c2": "B", "r2c2": "BBWW", "r3c3": "WWWW", "r3c4": "BBBB", "r5c5": "W"}


def position(board, **options):
    """A game of two on this board, white to place."""
    start = rules.start(Options(board_size=5, opening=Opening.NONE, **options), ("A", "Z"))
    return replace(start, board=board, turns=2)


def seen(board, *changes, unsure=(), heights=None, changed=()):
    """A reading of a board, some of its spaces otherwise or unsure; those `changed` look otherwise than at the last
    rest."""
    tops = {**boards.tops(board), **dict(changes)}

    def cell(at):
        return CellReading(boards.NAMES.get(tops[at]), (heights or {}).get(at), 0.99, at not in unsure)

    lines = boards.rows(board)
    differs = tuple((row, line.index(at)) for at in changed for row, line in enumerate(lines) if at in line)
    return BoardReading(640, 480, tuple(tuple(map(cell, line)) for line in lines), differs)


def test_the_camera_is_told_which_colours_are_played():
    assert camera.eyes(position(BEFORE)).above is Kind.BOARD
    assert camera.eyes(position(BEFORE)).knows == {"colours": ["white", "black"], "board_n": 5}
    assert camera.eyes(position(BEFORE, special_piece=Special.PENALTY)).knows["colours"][-1] == "pink"  # SP-50
    assert camera.eyes(replace(position(BEFORE), ended=True)).above is None


def test_a_board_as_it_stood_and_dice_mean_nothing():
    assert camera.propose(position(BEFORE), seen(BEFORE)) is None
    assert camera.propose(position(BEFORE), DiceReading(640, 480, ())) is None


def test_a_piece_that_was_put_down_is_the_turn():  # SP-20
    proposed = camera.propose(position(BEFORE), seen(BEFORE, ("r4c1", "W")))
    assert proposed == Proposed(Turned("A", "r4c1"))


def test_what_the_camera_is_not_sure_of_is_named_and_never_taken_by_itself():
    reading = seen(BEFORE, ("r4c1", "W"), unsure=("r4c1", "r1c2"))
    assert not reading.accepted
    proposed = camera.propose(position(BEFORE), reading)
    assert proposed.event == Turned("A", "r4c1")
    assert "row 1 column 2" in proposed.note
    assert "row 4 column 1" in proposed.note


def test_a_piece_whose_pile_must_still_topple_is_placed_and_the_pile_named():  # SP-23, SP-30
    state = position(BEFORE)
    proposed = camera.propose(state, seen({**BEFORE, "r3c3": "WWWWW"}, heights={"r3c3": 5}))
    assert proposed.event == Placed("A", "r3c3")
    assert proposed.confirm  # a height is a hint


def test_a_pile_with_a_pink_top_grows_by_a_pink_piece_and_by_no_other():  # SP-52
    pink = {**BEFORE, "r1c1": "WP"}
    state = position(pink, special_piece=Special.WILDCARD)
    higher = {"r1c1": 3}
    assert camera.propose(state, seen(pink, heights=higher)).event == Placed("A", "r1c1", pink=True)
    used = rules.apply(state, Placed("A", "r4c1", pink=True))
    used = rules.apply(used, Placed("Z", "r4c2"))
    assert camera.propose(used, seen(used.board, heights=higher)) is None  # SP-51: white has no pink piece any more


def test_a_piece_on_ones_own_colour_shows_by_the_look_of_its_pile_and_is_asked():  # SP-21
    proposed = camera.propose(position(BEFORE), seen(BEFORE, changed=("r5c5",)))
    assert proposed.event == Placed("A", "r5c5")
    assert proposed.confirm
    assert "row 5 column 5" in proposed.note


def test_the_fifth_piece_of_a_pile_is_asked_and_what_has_to_topple_is_named():  # SP-23, SP-30
    proposed = camera.propose(position(BEFORE), seen(BEFORE, changed=("r3c3",)))
    assert proposed.event == Placed("A", "r3c3")
    assert "topple: row 3 column 3" in proposed.note


@pytest.mark.parametrize("changed", [("r1c2",), ("r1c1",), ("r5c5", "r2c2"), ()])
def test_what_no_player_may_have_done_is_no_play_however_it_looks(changed):  # SP-20 to SP-22
    assert camera.propose(position(BEFORE), seen(BEFORE, changed=changed)) is None


@pytest.mark.parametrize("unsure", [(), ("r5c5",)])
def test_who_plays_after_a_piece_that_nobody_entered_is_not_told_to_take_theirs_back(unsure):  # SP-21
    board = {**boards.empty(5), "r1c2": "B", "r5c5": "W"}
    proposed = camera.propose(position(board), seen(board, ("r4c1", "B"), unsure=unsure))
    assert proposed.event == Placed("A", "r5c5")
    assert proposed.confirm


def test_one_of_two_topples_is_taken_as_a_step():  # SP-E06: the first topple makes the second pile ready
    state = rules.apply(position(BEFORE), Placed("A", "r3c3"))
    after = rules.apply(state, Toppled("A", "r3c3", boards.Side.NORTH))
    proposed = camera.propose(state, seen(after.board))
    assert proposed.event == Toppled("A", "r3c3", boards.Side.NORTH)
    assert "row 3 column 4" in proposed.note
    done = {**boards.tops(after.board), "r2c4": "B", "r3c5": "B", "r4c4": "B", "r3c4": "B", "r3c3": "W"}
    rest = camera.propose(after, seen(after.board, *done.items()))
    assert rest.event == ToppledRest("A", (Topple("r3c4", boards.Side.NORTH),))


def test_several_plays_that_look_alike_are_asked_about():  # SP-38
    board = {**BEFORE, "r3c2": "W", "r3c4": "", "r2c3": "W", "r4c3": "W"}
    state = position(board)
    plays = [
        outcome
        for outcome in advice.outcomes(state, Placed("A", "r3c3")).endings
        if boards.tops(outcome.state.board) == {**boards.tops(board), "r3c3": "W", "r3c4": "W"}
    ]
    proposed = camera.propose(state, seen(board, ("r3c4", "W")))
    if len(plays) > 1:
        assert proposed.confirm
        assert proposed.instead
    for event in (proposed.event, *(event for _, event in proposed.instead)):
        assert boards.tops(rules.apply(state, event).board)["r3c4"] == "W"


def test_a_play_found_before_every_way_was_tried_is_asked_about(monkeypatch):  # SP-38
    state = position(BEFORE)
    first = advice.outcomes(state, Placed("A", "r3c3")).endings[0]
    reading = seen(first.state.board)
    assert not camera.propose(state, reading).confirm
    monkeypatch.setattr(camera, "SOON_POSITIONS", 1)
    asked = camera.propose(state, reading)
    assert boards.tops(rules.apply(state, asked.event).board) == boards.tops(first.state.board)
    assert asked.confirm
    assert asked.which  # a bare yes is no answer: what was not tried may look the same
    assert asked.note == "Not every way could be tried. Was it played just like this?"


def test_a_step_found_before_every_way_was_tried_is_asked_about(monkeypatch):  # SP-30, SP-38
    state = rules.apply(position({**boards.empty(5), "r3c3": "WWWW"}), Placed("A", "r3c3"))
    only = Toppled("A", "r3c3", boards.Side.NORTH)
    reading = seen(rules.apply(state, only).board)
    assert not camera.propose(state, reading).confirm
    monkeypatch.setattr(camera, "SOON_POSITIONS", 0)
    asked = camera.propose(state, reading)
    assert asked.event == only
    assert asked.confirm  # a whole turn that was not tried may look the same


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([("r1c2", "W")], "top piece of row 1 column 2 is black"),  # SP-22
        ([("r4c1", "W"), ("r4c5", "W")], "No move leads to this board"),
    ],
)
def test_what_was_put_down_wrongly_is_said(changes, words):
    remark = camera.propose(position(BEFORE), seen(BEFORE, *changes))
    assert isinstance(remark, Remark)
    assert words in remark.text


def test_where_nothing_fits_and_the_camera_is_unsure_it_asks_to_look_again():
    remark = camera.propose(position(BEFORE), seen(BEFORE, ("r5c5", ""), unsure=("r5c5",)))
    assert "The camera isn't sure of row 5 column 5" in remark.text


def test_a_misread_space_that_is_not_sure_hides_no_play():  # SP-20
    state = position(BEFORE)
    proposed = camera.propose(state, seen(BEFORE, ("r4c1", "W"), ("r1c2", "W"), unsure=("r1c2",)))
    assert proposed.event == Turned("A", "r4c1")
    assert proposed.confirm
    assert "row 1 column 2" in proposed.note


def test_a_space_that_is_not_sure_hides_no_topple():  # SP-32, SP-38
    state = position(BEFORE)
    after = advice.outcomes(state, Placed("A", "r3c3")).endings[0].state.board
    wrong = next(at for at, top in boards.tops(after).items() if top == "W")
    proposed = camera.propose(state, seen(after, (wrong, "B"), unsure=(wrong,)))
    assert proposed.confirm
    offered = [proposed.event, *(event for _, event in proposed.instead)]
    assert all(event.at == "r3c3" for event in offered)
    for event in offered:
        shown = boards.tops(rules.apply(state, event).board)
        assert {at for at in shown if shown[at] != boards.tops(after)[at]} <= {wrong}


def test_what_is_surely_seen_is_never_explained_away():  # SP-22
    remark = camera.propose(position(BEFORE), seen(BEFORE, ("r4c1", "W"), ("r4c5", "W"), unsure=("r1c2",)))
    assert isinstance(remark, Remark)


def test_doubt_alone_is_no_play():
    assert isinstance(
        camera.propose(position(BEFORE), seen(BEFORE, ("r4c1", "W"), ("r4c5", "W"), unsure=("r4c1", "r4c5"))), Remark
    )


def test_a_board_that_is_mostly_covered_is_no_play():
    covered = tuple(boards.rows(BEFORE)[0]) + tuple(boards.rows(BEFORE)[1])
    reading = seen(BEFORE, ("r4c1", "W"), *((at, "") for at in covered), unsure=covered)
    assert isinstance(camera.propose(position(BEFORE), reading), Remark)


def test_a_turn_that_is_half_toppled_is_begun_and_the_next_pile_named():  # SP-23, SP-30
    state = position(BEFORE)
    placed = rules.apply(state, Placed("A", "r3c3"))
    half = rules.apply(placed, Toppled("A", "r3c3", boards.Side.NORTH))
    proposed = camera.propose(state, seen(half.board))
    assert proposed.event == Placed("A", "r3c3")
    assert proposed.confirm
    assert "row 3 column 4" in proposed.note


def test_a_turn_that_may_not_be_over_is_asked_about():  # SP-30: the corner's pieces made the pile beside it ready
    state = position({**boards.empty(5), "r5c5": "WWWW", "r4c5": "WWWW"})
    half = rules.apply(rules.apply(state, Placed("A", "r5c5")), Toppled("A", "r5c5", boards.Side.NORTH))
    assert boards.ready(half.board) == ("r4c5",)
    proposed = camera.propose(state, seen(half.board))
    assert proposed.event == Turned("A", "r5c4")  # as if that were all
    assert proposed.confirm
    assert proposed.which
    assert [event for _, event in proposed.instead] == [Placed("A", "r5c5")]
    assert "more has to topple" in proposed.instead[0][0]


def test_two_topples_that_look_alike_are_asked_about():  # SP-36: the second makes the pile between them topple, too
    white = dict.fromkeys(boards.empty(5), "W")
    state = replace(position({**white, "r3c2": "WWWWW", "r3c3": "BBBB", "r3c4": "WWWWW"}), mover="A")
    proposed = camera.propose(state, seen(rules.apply(state, Toppled("A", "r3c4", boards.Side.NORTH)).board))
    assert proposed.confirm
    assert proposed.which
    offered = [proposed.event, *(event for _, event in proposed.instead)]
    assert [event.at for event in offered] == ["r3c2", "r3c4"]
    assert proposed.instead[0][0] == "row 3 column 4 north"


def test_a_space_that_is_not_sure_is_not_said_to_be_wrong():
    state = position(BEFORE)
    after = advice.outcomes(state, Placed("A", "r3c3")).endings[0].state.board
    unsure, wrong = (at for at in ("r3c5", "r3c2") if after[at])
    changes = [(at, "B" if boards.top(after[at]) == "W" else "W") for at in (unsure, wrong)]
    remark = camera.propose(state, seen(after, *changes, unsure=(unsure,)))
    assert boards.spot(wrong) in remark.text
    assert boards.spot(unsure) not in remark.text


def test_what_is_surely_wrong_is_said_though_another_space_is_unsure():  # SP-22
    remark = camera.propose(position(BEFORE), seen(BEFORE, ("r1c2", "W"), unsure=("r5c4", "r5c3")))
    assert "top piece of row 1 column 2 is black" in remark.text


def test_the_space_that_is_played_on_is_the_first_of_the_unsure_ones():
    reading = seen(BEFORE, ("r5c2", "W"), unsure=("r1c1", "r3c5", "r4c3", "r4c4", "r5c2"))
    assert camera.propose(position(BEFORE), reading).note.startswith("Not sure: row 5 column 2")


def test_a_board_of_another_size_is_said():
    assert (
        "6 × 6 squares, but this game needs 5 × 5"
        in camera.propose(position(BEFORE), seen(boards.empty(6), ("r1c1", "W"))).text
    )


def test_the_board_can_be_set_up_again_layer_by_layer():
    grids = layers(position(BEFORE), None)
    texts = [[cell.text for row in grid.rows for cell in row if cell.text] for grid in grids]
    assert texts == [["B", "B", "W", "B", "W"], ["B", "W", "B"], ["W", "W", "B"], ["W", "W", "B"]]
    assert grids[0].title == "Layer 1: 5 pieces"
