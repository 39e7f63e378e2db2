"""How to play: every game teaches itself, with the numbers of its rule sheet and of the table's options."""

import re
from dataclasses import fields, is_dataclass
from itertools import pairwise

import pytest

from companion.game.charts import Figures
from companion.game.widgets import Stacks, Tap, Variants
from companion.journal.codec import event_from_json, options_from_json
from companion.languages.messages import ROOT
from companion.shelf import GAMES
from companion.words import speak
from tests.played import FILES, read

EVERY = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
RULE_ID = re.compile(r"\b[A-Z]{2,3}-\d")


def how(name, **options):
    game = GAMES[name]
    return game.pages.how_to(options_from_json(game, options))


def topics(found):
    return found.goal, found.turn, found.scoring


def sentences(found):
    return [*(one for topic in topics(found) for one in topic.sentences), *found.set_up, *found.each_round, *found.end]


def text(part):
    return " ".join(part if isinstance(part, tuple) else part.sentences)


def drawing(topic, kind):
    return next(one for one in topic.drawings if isinstance(one, kind))


def parts(value):
    """A drawing and everything in it."""
    yield value
    if isinstance(value, tuple):
        for part in value:
            yield from parts(part)
    elif is_dataclass(value):
        for one in fields(value):
            yield from parts(getattr(value, one.name))


def spelled(variant):
    """A drawn board, a text a square."""
    return [[cell.text for cell in row] for row in variant.rows]


@EVERY
def test_a_game_says_its_goal_a_turn_the_scoring_the_set_up_and_the_end(game):
    found = game.pages.how_to(game.rules.options())
    for topic in topics(found):
        assert topic.sentences
        assert topic.drawings
        assert not [part for part in parts(topic.drawings) if isinstance(part, Tap)]  # it is only looked at
    assert found.set_up
    assert found.end


@EVERY
def test_what_is_taught_cites_no_rule_ids_and_leaves_no_placeholder(game):
    for preset in game.pages.presets:
        for sentence in sentences(game.pages.how_to(game.rules.options(**preset.options))):
            assert not RULE_ID.search(sentence)
            assert not set("{}") & set(sentence)
            assert sentence.endswith((".", "?"))


@EVERY
def test_what_is_taught_speaks_german(game):
    english = sentences(game.pages.how_to(game.rules.options()))
    speak("de")
    try:
        german = sentences(game.pages.how_to(game.rules.options()))
    finally:
        speak("en")
    assert len(german) == len(english)
    assert not set(german) & set(english)


@EVERY
def test_the_rule_sheet_is_cited_beside_what_is_taught(game):
    code = (ROOT / "companion/games" / game.rules.name / "how_to.py").read_text(encoding="utf-8")
    assert RULE_ID.search(code)


def test_sack_stackers_numbers():
    found = how("sack_stackers")
    assert "10 circles" in text(found.turn)  # SS-22
    assert "every 2 of them" in text(found.turn)  # SS-23
    assert "section, 1 to 6" in text(found.turn)  # SS-04
    assert "column, 1 to 6" in text(found.turn)  # SS-05
    assert "10 points for each shape" in text(found.scoring)  # SS-40
    assert "2 points for each coal" in text(found.scoring)  # SS-44
    assert "1 point for each circle" in text(found.scoring)  # SS-45


def test_sack_stackers_shapes_are_four_squares_each():  # SS-03, SS-40
    shapes = drawing(how("sack_stackers").goal, Variants).variants
    assert [sum(bool(square) for row in spelled(shape) for square in row) for shape in shapes] == [4] * 5
    assert spelled(shapes[0]) == [["I"] * 4]
    assert spelled(shapes[1]) == [["O", "O"], ["O", "O"]]


def test_sack_stackers_coals_that_touch_bring_nothing_and_corners_may_touch():  # SS-44
    coals = drawing(how("sack_stackers").scoring, Variants).variants
    assert [(spelled(one), one.title) for one in coals] == [
        ([["", ""], ["●", ""]], "+2"),
        ([["●", ""], ["●", ""]], "0"),
        ([["", "●"], ["●", ""]], "+4"),
    ]


@pytest.mark.parametrize(
    ("altered_range", "said"),
    [("out_of_range", "you take one coal"), ("strict", "between 1 and 6"), ("wrap", "One less than 1 is 6")],  # SS-24
)
def test_sack_stackers_switches(altered_range, said):
    assert said in text(how("sack_stackers", altered_range=altered_range).turn)
    assert "flip" in text(how("sack_stackers").scoring)  # SS-41
    assert "flip" not in text(how("sack_stackers", mirror=False).scoring)


def test_stack_numbers():
    found = how("stack_dice")
    assert "14 dice" in text(found.set_up)  # ST-01
    assert "4 high" in text(found.turn)  # ST-35
    assert "10 for a 1" in text(found.turn)  # ST-52
    assert "more than 200" in text(found.goal)  # ST-60
    assert "A 1 is worth 10" in text(found.scoring)  # ST-05
    assert "more than 50" in text(how("stack_dice", target=50).goal)


def test_stack_scores_the_top_number_alone():  # ST-05, ST-58, ST-84
    def drawn(**options):
        stacks = drawing(how("stack_dice", **options).scoring, Stacks).stacks
        return [(stack.value, stack.layers, stack.note) for stack in stacks]

    red_five, blue_one = (5, ("blue", "red")), (1, ("red", "blue", "red", "blue"))
    assert drawn() == [(*red_five, "red: 5"), (*blue_one, "blue: 10")]
    assert drawn(hr_double_four_high=True) == [(*red_five, "red: 5"), (*blue_one, "blue: 20")]


def test_stack_shows_where_a_die_may_go():  # ST-31, ST-32
    places = drawing(how("stack_dice").turn, Stacks).stacks
    for place in places:
        assert (place.note == "yes") == (place.value == 5 and place.layers[-1] != "red")


def test_sandpile_panic_sizes_are_those_of_the_sheet():  # SP-03
    sizes = how("sandpile_panic").set_up[0]
    assert "5 × 5 for 2 and 3 players; 7 × 7 for 4 players; 8 × 8 for 5, 6, 7 and 8 players" in sizes
    assert "4 × 4 for 2 players" in how("sandpile_panic", length="short").set_up[0]
    assert how("sandpile_panic", board_size=6).set_up[0] == "Take a board of 6 × 6 spaces."


def test_sandpile_panic_draws_a_topple():  # SP-31, SP-32, SP-35: the bottom piece goes first, clockwise from the north.
    before, after = drawing(how("sandpile_panic").turn, Variants).variants
    assert spelled(before) == [["", "", ""], ["", "W5", "B1"], ["", "", ""]]
    assert spelled(after) == [["", "B1", ""], ["W1", "W1", "W2"], ["", "W1", ""]]


@pytest.mark.parametrize(
    ("scoring", "white", "black"),
    [
        ("regular", "white: islands of 3 and 1", "black: islands of 2"),  # SP-41
        ("landgrab", "white: islands of 3 and 1, 10 points", "black: islands of 2, 4 points"),  # SP-44: 9 + 1, 4
        ("no_small_islands", "white: islands of 3 and 1, −2 points", "black: islands of 2, −2 points"),  # SP-45: 3 − 5
    ],
)
def test_sandpile_panic_counts_islands(scoring, white, black):
    (board,) = drawing(how("sandpile_panic", scoring=scoring).scoring, Variants).variants
    assert spelled(board) == [["W1", "W1", "B1", ""], ["", "W1", "B1", ""], [""] * 4, ["", "", "W1", ""]]
    assert board.lines == (white, black)


@pytest.mark.parametrize(
    ("opening", "said", "unsaid"),
    [
        (None, ["switch sides", "once backwards"], ["two turns after the first"]),  # SP-11, SP-14
        ("pie", ["switch sides"], ["once backwards"]),  # SP-12
        ("fair_share", ["two turns after the first", "once backwards"], ["switch sides"]),  # SP-13
        ("none", [], ["switch sides", "once backwards", "two turns after the first"]),
    ],
)
def test_sandpile_panic_openings(opening, said, unsaid):
    steps = text(how("sandpile_panic", opening=opening).set_up)
    assert all(words in steps for words in said)
    assert not any(words in steps for words in unsaid)


def test_pack_and_stack_numbers():
    found = how("pack_and_stack")
    assert "96 boxes" in text(found.set_up)  # PS-06
    assert "75 points" in text(found.set_up)  # PS-10
    assert "2 truck cards; with more than 4 players, only 1" in text(found.each_round)  # PS-30
    assert "10 points back" in text(found.scoring)  # PS-53
    assert "40 points" in text(how("pack_and_stack", start_points=40).set_up)
    assert "reward" not in " ".join(sentences(found))
    assert "3 reward cards" in text(how("pack_and_stack", reward_cards=True).set_up)  # PS-60


def test_pack_and_stack_works_out_a_loss():  # PS-50 … PS-52: 10 squares hold 2 each, 19 are rolled, 14 are loaded.
    rows = drawing(how("pack_and_stack").scoring, Figures).rows
    assert rows == (
        ("6 empty spaces", "−6"),
        ("1 box of size 5 left over", "−10"),
        ("lost this round", "−16"),  # capacity + 2T − 3L = 20 + 38 − 42
    )


def test_maxstax_numbers():
    for name in ("speedstax", "samestax", "swapstax"):
        assert "12 blocks and makes 3 piles of 4" in text(how(name).set_up)  # MX-02
    speed, same, swap = (how(name) for name in ("speedstax", "samestax", "swapstax"))
    assert "120 seconds" in text(speed.turn)  # MX-10
    assert "5 rounds" in text(speed.goal)  # SPD-02
    assert "up to 120 seconds" in text(speed.end)  # MX-32
    assert "up to" not in text(how("speedstax", stack_off_limit=None).end)
    assert "The Creator has 120 seconds" in text(same.turn)  # MX-11
    assert "You have 60 seconds" in text(same.turn)  # MX-11
    assert "from 1 to 12 blocks" in text(same.turn)  # SAM-03
    assert "Creator 2 times" in text(same.goal)  # SAM-01
    assert "2 SWAP cards" in text(swap.set_up)  # SWP-01
    assert "5 rounds" in text(swap.goal)  # SWP-02


def test_speedstax_points_of_each_place():  # SPD-03
    rows = drawing(how("speedstax").scoring, Figures).rows
    assert rows == (("2", "2", "1", "", ""), ("3", "3", "2", "1", ""), ("4", "4", "3", "2", "1"))


def test_swapstax_points_of_the_stars():  # SWP-40
    assert [row[1] for row in drawing(how("swapstax").scoring, Figures).rows] == ["1", "2", "3", "4", "5"]
    own = drawing(how("swapstax", star_points=(2, 4, 7)).scoring, Figures).rows
    assert [row[1] for row in own] == ["2", "4", "7", "4", "5"]


@pytest.mark.parametrize("name", ["samestax", "swapstax"])
def test_the_shout_is_taught_where_it_is_needed(name):  # MX-20
    assert "MAX STAX" in text(how(name).turn)
    assert "MAX STAX" not in text(how(name, shout_required=False).turn)


def times_due(game, played):
    """How often in a game the dealing falls due, and the state at its end."""
    state = game.rules.start(options_from_json(game, played.options), played.players)
    due = [False, game.pages.deal_due(state)]
    for step in played.steps:
        state = game.rules.apply(state, event_from_json(game, step.event))
        due.append(game.pages.deal_due(state))
    return sum(now and not before for before, now in pairwise(due)), state


@pytest.mark.parametrize("name", ["stack_dice", "pack_and_stack", "speedstax", "samestax", "swapstax"])
def test_dealing_is_due_once_a_round_and_no_more_when_the_game_is_over(name):
    game = GAMES[name]
    ended = [played for played in map(read, FILES) if played.game == name and played.winners is not None]
    assert ended
    for played in ended:
        times, state = times_due(game, played)
        assert not game.pages.deal_due(state)
        assert times == len(state.past), played


@pytest.mark.parametrize("name", ["sack_stackers", "sandpile_panic"])
def test_nothing_is_dealt_in_a_game_without_rounds(name):
    game = GAMES[name]
    assert how(name).each_round == ()
    assert not game.pages.deal_due(game.rules.start(game.rules.options(), ("A", "B")))
