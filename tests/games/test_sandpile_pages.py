"""The pages of Sandpile Panic: what they say and what their taps do."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent
from companion.game.box import Light, Phase
from companion.game.charts import Figures
from companion.game.players import Viewer
from companion.game.widgets import Choice, Consult, Grid, Headline, Notice, ScoreTable, Standings, Variants, after_taps
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import GAME, answers, interface
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.board import Side
from companion.games.sandpile_panic.entry import drafted_tops
from companion.games.sandpile_panic.events import Left, Placed, TakenOver, Topple, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.islands import Scoring, Special
from companion.games.sandpile_panic.options import Length, Opening, Options
from companion.games.sandpile_panic.rules import apply, legal, start
from companion.games.sandpile_panic.scoring import is_over
from companion.games.sandpile_panic.state import State, awaiting
from companion.games.sandpile_panic.wording import opening_words

NAMES = {"A": "Ada", "B": "Grace"}


def game(board=None, **options) -> State:
    """A game of Ada (white, to place) and Grace (black), past the opening."""
    state = start(Options(**{"opening": Opening.NONE, **options}), ("A", "B"))
    return replace(state, board={**state.board, **(board or {})}, turns=2)


def page(state: State, player=None, **draft):
    return GAME.pages.view(state, Viewer(player, NAMES, draft))


def of(kind, widgets):
    return [widget for widget in widgets if isinstance(widget, kind)]


def taps(widgets):
    """What can be tapped on a page: label → tap."""
    found = {tap.label: tap for choice in of(Choice, widgets) for tap in choice.taps}
    found |= {cell.tap.label: cell.tap for grid in of(Grid, widgets) for row in grid.rows for cell in row if cell.tap}
    return found | {variant.tap.label: variant.tap for each in of(Variants, widgets) for variant in each.variants}


def cell(widgets, at):
    place = boards.NAME.fullmatch(at)
    return of(Grid, widgets)[0].rows[int(place[1]) - 1][int(place[2]) - 1]


CHAIN = {"r3c3": "WWWW", "r3c4": "BBBB"}


def test_the_page_says_whose_turn_it_is_before_anything_else():
    assert page(game())[0].title == "Ada places white"
    assert page(apply(game(), Placed("A", "r1c1")))[0].title == "Grace places black"
    assert isinstance(page(game())[0], Headline)


def test_two_taps_make_a_turn():
    state = game()
    widgets = page(state)
    assert taps(widgets)["Choose a space"].refused
    draft = taps(widgets)["row 2 column 2, empty"].draft
    assert taps(page(state, **draft))["Place on row 2 column 2"].event == Placed("A", "r2c2")


def test_only_legal_spaces_can_be_tapped():  # SP-20, SP-21, SP-22
    widgets = page(game(CHAIN))
    assert cell(widgets, "r3c3").tap
    assert cell(widgets, "r3c4").tap is None
    assert len([tap for tap in taps(widgets) if tap.startswith("r")]) == 24


def test_a_pile_shows_its_top_its_height_and_every_piece():  # SP-04
    shown = cell(page(game({"r1c1": "WBBWB"})), "r1c1")
    assert (shown.text, shown.colour) == ("B5", "black")
    assert shown.layers == ("white", "black", "black", "white", "black")


def test_before_the_tap_the_page_says_what_must_follow():  # SP-38
    assert "Place on row 3 column 3 · 2 topples" in taps(page(game(CHAIN), at="r3c3"))
    edge = page(game({"r1c1": "WWWW"}), at="r1c1")
    assert "Place on row 1 column 1 · 1 topple · 2 spilled, the game ends" in taps(edge)
    rebuild = Consult("Rebuild the board, layer by layer", "rebuild")
    assert of(Consult, edge) == [Consult("All outcomes", "outcomes"), rebuild]
    assert of(Consult, page(game({}), at="r1c1")) == []


def test_somebody_elses_page_shows_the_board_without_taps():
    widgets = page(game(CHAIN), "B", at="r3c3")
    assert taps(widgets) == {}
    assert widgets[0].title == "Ada places white"
    toppling = apply(game(CHAIN), Placed("A", "r3c3"))
    assert taps(page(toppling, "B")) == {}
    assert cell(page(toppling, "B"), "r3c3").mark == "target"


def test_the_pink_piece_can_be_chosen_once():  # SP-51
    state = game(special_piece=Special.WILDCARD)
    draft = taps(page(state))["Hot pink"].draft
    chosen = page(state, at="r1c1", **draft)
    event = taps(chosen)["Place pink on row 1 column 1"].event
    assert event == Placed("A", "r1c1", pink=True)
    after = apply(apply(state, event), Placed("B", "r5c5"))
    assert "Hot pink" not in taps(page(after))


def test_the_pie_rule_asks_player_two():  # SP-12
    state = apply(start(Options(), ("A", "B")), Placed("A", "r3c3"))
    offered = taps(page(state, "B"))
    assert offered["Switch and play white"].event == TakenOver("B")
    assert offered["Stay black"].event == Left("B")
    assert taps(page(state, "A")) == {}
    taken = apply(state, TakenOver("B"))
    assert page(taken)[0].title == "Ada places black"


def test_piles_to_topple_are_tapped_then_the_side():  # SP-33, SP-36
    board = {"r2c2": "WWWWB", "r3c4": "WBWWB"}
    state = replace(game(board), mover="A")
    widgets = page(state)
    assert widgets[0].title == "2 piles have to topple"
    assert {label for label in taps(widgets) if label.startswith("Topple")} == {
        "Topple row 2 column 2",
        "Topple row 3 column 4",
    }
    sides = taps(page(state, pile="r3c4"))
    assert sides["Begin east"].event == Toppled("A", "r3c4", Side.EAST)


def test_only_sides_that_make_a_difference_are_offered():  # SP-33
    state = replace(game({"r3c3": "WWBWB"}), mover="A")  # the block is W B W B
    assert [variant.tap.label for variant in of(Variants, page(state))[0].variants] == [
        "Begin north or south",
        "Begin east or west",
    ]


def test_where_all_sides_are_the_same_one_tap_topples():
    state = apply(game({"r3c3": "WWWW"}), Placed("A", "r3c3"))
    tap = taps(page(state))["Topple it (direction doesn't matter)"]
    assert apply(state, tap.event).board["r2c3"] == "W"
    assert of(Variants, page(state)) == []


def test_where_every_way_ends_the_same_one_tap_does_it_all():
    state = apply(game({"r3c3": "WWWW", "r3c4": "WWWW"}), Placed("A", "r3c3"))
    tap = taps(page(state))["Topple everything (order doesn't matter)"]
    assert isinstance(tap.event, ToppledRest)
    assert apply(state, tap.event).mover is None


def test_nobody_topples_the_rest_where_results_differ():
    state = apply(game(CHAIN), Placed("A", "r3c3"))
    assert not any(label.startswith("Topple everything") for label in taps(page(state)))


def test_what_is_spilled_at_an_edge_is_shown_beside_it():  # SP-34
    state = replace(game({"r1c3": "WBWWB"}), mover="A")
    first = of(Variants, page(state))[0].variants[0]
    assert (first.rows[0][1].text, first.rows[0][1].mark) == ("B", "crossed")  # north gets the bottom of B W W B
    assert first.lines == ("Spills 1 black",)


def test_a_very_high_pile_is_noted_and_nothing_is_refused():  # SP-39, SP-E09
    high = page(replace(game({"r3c3": "WBWBWBWBWB"}), mover="A", highest=10))
    assert any("10 high" in notice.text for notice in of(Notice, high))
    assert "Begin east or west" in taps(high)
    eight = page(replace(game({"r3c3": "WBWBWBWB"}), mover="A", highest=8))
    assert not any("high" in notice.text for notice in of(Notice, eight))


def test_who_is_skipped_is_announced():  # SP-15
    notices = of(Notice, page(replace(game(), skipped=("B",))))
    assert [notice.text for notice in notices] == ["Grace couldn't place a piece and was skipped."]


def test_the_islands_stand_there_under_every_scoring():  # SP-41, SP-44, SP-45
    widgets = page(game({"r1c1": "W", "r1c2": "W", "r3c3": "W", "r5c5": "B"}))
    assert of(Figures, widgets)[0].rows == (("Ada", "2, 1", "5", "−7"), ("Grace", "1", "1", "−5"))
    assert of(ScoreTable, widgets)[0].lines[0].points == 2


def test_the_result_names_the_winner_or_sends_to_another_game():  # SP-37, SP-42
    won = replace(game({"r1c1": "W", "r1c2": "W", "r3c3": "B"}), ended=True, spilled="WB")
    assert page(won)[0].title == "Ada wins"
    assert [line.winner for line in page(won)[0].lines] == [True, False]
    tie = replace(game({"r1c1": "W", "r3c3": "B"}), ended=True, spilled="W")
    assert isinstance(page(tie)[0], Standings)
    assert page(tie)[0].title == "A complete tie. Nobody wins: play another game"
    assert taps(page(won)) == {}


# what is worked out when asked for


def test_the_outcomes_of_the_chosen_space_come_best_first_and_can_be_played():  # SP-E05
    state = game(CHAIN)
    (answer,) = answers.all_outcomes(state, Viewer("A", NAMES, {"at": "r3c3"}))
    assert answer.title == "4 outcomes, the best for Ada first"
    assert answer.variants[0].title == "row 3 column 3, row 3 column 3 north, row 3 column 4 north"
    assert answer.variants[0].lines[0] == "Ada: 4 · landgrab 16 · no small islands 10"
    for variant in answer.variants:
        assert apply(state, variant.tap.event).mover is None


def test_the_outcomes_in_mid_turn_are_those_of_what_is_left():
    state = apply(apply(game(CHAIN), Placed("A", "r3c3")), Toppled("A", "r3c3", Side.NORTH))
    (answer,) = answers.all_outcomes(state, Viewer(None, NAMES))
    assert len(answer.variants) == 4
    assert {type(variant.tap.event) for variant in answer.variants} == {ToppledRest}


@pytest.mark.parametrize("draft", [{}, {"at": "r3c4"}, {"at": "nowhere"}])
def test_outcomes_need_a_space_of_ones_own(draft):
    (answer,) = answers.all_outcomes(game(CHAIN), Viewer("A", NAMES, draft))
    assert isinstance(answer, Notice)
    (answer,) = answers.all_outcomes(game(CHAIN), Viewer("B", NAMES, {"at": "r3c3"}))
    assert isinstance(answer, Notice)


def test_a_turn_played_on_the_board_is_found_by_its_colours():  # SP-38
    state = game(CHAIN)
    draft = dict(taps(page(state))["I already moved the pieces"].draft)
    for letter, places in {"W": ("r2c3", "r3c2", "r4c3"), "B": ("r2c4", "r3c5", "r4c4")}.items():
        seen = page(state, **draft)  # all these taps come before the page is drawn anew
        names = (letter + " ", *(f"{boards.spot(at)}," for at in places))
        chosen = (next(tap for label, tap in taps(seen).items() if label.startswith(name)) for name in names)
        draft = after_taps(draft, *chosen)
    (answer,) = answers.find_play(state, Viewer("A", NAMES, draft))
    assert answer.title == "This is my move"
    event = answer.variants[0].tap.event
    assert event == Turned("A", "r3c3", topples=(Topple("r3c3", Side.NORTH), Topple("r3c4", Side.NORTH)))


def test_a_second_tap_takes_a_colour_back():
    state = game(CHAIN)
    start_of = taps(page(state))["I already moved the pieces"].draft

    def first(draft):
        return next((tap for label, tap in taps(page(state, **draft)).items() if label.startswith("row 1 column 1,")))

    once = after_taps(start_of, first(start_of))
    twice = after_taps(once, first(once))
    assert [drafted_tops(state, Viewer("A", NAMES, draft))["r1c1"] for draft in (once, twice)] == ["W", ""]


def test_colours_that_no_play_explains_are_answered_with_a_sentence():
    state = game(CHAIN)
    draft = {"seen": "B" * 25}
    (answer,) = answers.find_play(state, Viewer("A", NAMES, draft))
    assert isinstance(answer, Notice)
    assert answer.text.startswith("No move leads to this board")


@pytest.mark.parametrize("seen", ["", "x" * 25, "W" * 24, "P" * 25, "W" * 5000])
def test_a_board_that_makes_no_sense_is_the_board_as_it_stood(seen):
    widgets = page(game(CHAIN), seen=seen)
    assert cell(widgets, "r3c4").text in ("B", "B4")
    assert "0 changed" in widgets[0].detail or widgets[0].title == "Ada places white"


def test_the_way_back_from_the_colours_clears_them():
    back = taps(page(game(CHAIN), seen="." * 25))["Back to the turn"]
    assert back.draft == {"seen": "", "brush": ""}


# whole games by tapping


@pytest.mark.parametrize("seed", range(24))
def test_every_tap_of_a_whole_game_is_accepted_whatever_the_options(seed):
    chance = random.Random(seed)
    players = tuple("ABCDEFGH"[: chance.choice((2, 2, 3, 4, 8))])
    options = Options(
        board_size=chance.choice((4, 5)),
        opening=chance.choice(tuple(Opening)) if len(players) == 2 else None,
        scoring=chance.choice(tuple(Scoring)),
        special_piece=chance.choice(tuple(Special)),
        piece_supply=chance.choice((None, 3, 12)),
    )
    state = start(options, players)
    for _ in range(600):
        if is_over(state):
            break
        events = []
        for at in (None, *chance.sample(sorted(state.board), 6)):
            draft = {"at": at, "pile": at, "pink": chance.choice(("", "1"))} if at else {}
            events += [tap.event for tap in taps(page(state, None, **draft)).values() if tap.event and not tap.refused]
        (player,) = awaiting(state)
        event = chance.choice(events or list(legal(state, player)))
        state = apply(state, event)
    assert is_over(state)
    assert page(state)[0].title.endswith(("wins", "another game"))


@given(
    draft=st.dictionaries(
        st.sampled_from(["at", "pink", "pile", "seen", "brush"]),
        st.text(max_size=30) | st.sampled_from(["r1c1", "r3c3", "1", ".", "P", "W" * 25, "." * 25]),
    )
)
def test_a_draft_of_nonsense_breaks_no_page_and_no_answer(draft):
    toppling = apply(game(CHAIN), Placed("A", "r3c3"))
    opened = apply(start(Options(), ("A", "B")), Placed("A", "r3c3"))
    for state in (game(CHAIN), game(special_piece=Special.PENALTY), toppling, opened, replace(toppling, ended=True)):
        assert page(state, None, **draft)
        assert answers.all_outcomes(state, Viewer(None, NAMES, draft))
        assert answers.find_play(state, Viewer(None, NAMES, draft))


# history and lights


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Placed("A", "r1c1"), "Ada placed white on row 1 column 1."),
        (Placed("B", "r1c1", pink=True), "Grace placed pink on row 1 column 1."),
        (Toppled("A", "r1c1", Side.EAST), "Ada toppled row 1 column 1, beginning east."),
        (Turned("A", "r1c1"), "Ada placed white on row 1 column 1."),
        (
            Turned("A", "r1c1", topples=(Topple("r1c1", Side.WEST), Topple("r1c2", Side.NORTH))),
            "Ada placed white on row 1 column 1 and toppled row 1 column 1 west, row 1 column 2 north.",
        ),
        (
            ToppledRest("B", (Topple("r1c1", Side.WEST),) * 8),
            "Grace toppled " + "row 1 column 1 west, " * 5 + "row 1 column 1 west and 2 more.",
        ),
        (TakenOver("B"), "Grace switched sides and plays white."),
        (Left("B"), "Grace stayed black."),
        (
            Ruling("A", 0, "A pile fell and was set up again"),
            "Ruling for Ada, no points: A pile fell and was set up again.",
        ),
        (Placed("gone", "nowhere"), "somebody placed a piece on nowhere."),
    ],
)
def test_the_history_says_what_happened(event, sentence):
    assert GAME.pages.describe(game(), event, Viewer(None, NAMES)) == sentence


def test_the_light_of_the_mover_blinks():
    assert interface.look(game(), 0).lights == (Light.SLOW, Light.OFF)
    toppling = apply(game({"r1c1": "WWWW"}), Placed("A", "r1c1"))
    assert interface.look(toppling, 0).lights == (Light.FAST, Light.OFF)
    over = apply(toppling, Toppled("A", "r1c1", Side.NORTH))
    assert interface.look(over, 0).phase is Phase.OVER


@pytest.mark.parametrize(
    ("players", "opening", "first", "twice"),
    [
        ("AB", Opening.PIE, "After that Bo may switch sides and play white.", {}),
        ("AB", Opening.FAIR_SHARE, "After that Bo has two turns in a row.", {1: "Next: Bo again."}),
        (
            "ABC",
            Opening.FAIR_SHARE,
            "The second round goes backwards, starting with Cy.",
            {2: "Next: Cy again.", 5: "Next: Al again."},
        ),
    ],
)
def test_what_the_opening_brings_is_said_before_it_happens(players, opening, first, twice):  # SP-12 … SP-14
    called = {"A": "Al", "B": "Bo", "C": "Cy"}
    state = start(Options(opening=opening), tuple(players))
    viewer = Viewer(None, called)
    turns = {turn: replace(state, turns=turn, decided=True) for turn in range(9)}
    said = {turn: opening_words(at, viewer) for turn, at in turns.items()}
    assert said.pop(0) == ("Al begins. Seat 1 plays white in this game.", first)
    assert not any(said.values())
    under = {turn: of(Headline, GAME.pages.view(at, viewer))[0].detail for turn, at in turns.items()}
    assert {turn: text[text.index("Next") :] for turn, text in under.items() if "again" in text} == twice


def test_the_seat_that_begins_has_white_and_the_others_follow_clockwise():  # SP-01, SP-10
    state = start(Options(first_seat=2), ("A", "B", "C"))
    assert (state.players, state.order) == (("A", "B", "C"), ("B", "C", "A"))
    assert state.colours["B"] == "W"
    with pytest.raises(IllegalEvent, match="seat from 1 to 3"):
        start(Options(first_seat=4), ("A", "B", "C"))


@pytest.mark.parametrize(
    ("players", "short", "long"),
    [(2, 4, 5), (3, 5, 6), (4, 6, 7), (5, 7, 8), (6, 7, 8), (7, 8, 9), (8, 8, 10)],
)
def test_the_sheets_boards_for_a_short_and_a_long_game(players, short, long):  # SP-03
    def spaces(**options):
        return len(start(Options(**options), tuple("ABCDEFGH"[:players])).board)

    assert (spaces(length=Length.SHORT), spaces(length=Length.LONG)) == (short**2, long**2)
    assert spaces(length=Length.LONG, board_size=6) == 36  # a size that was chosen counts


def test_the_page_says_who_comes_next():  # SP-10, SP-13, SP-14
    def following(state):
        return of(Headline, GAME.pages.view(state, Viewer(None, {**NAMES, "C": "Hedy"})))[0].detail.rpartition(
            "Next: "
        )[2]

    assert following(game()) == "Grace."
    three = start(Options(), ("A", "B", "C"))  # once around, then once backwards: two turns in a row for the last one
    assert [following(replace(three, turns=turns)) for turns in range(6)] == [
        *("Grace.", "Hedy.", "Hedy again."),
        *("Grace.", "Ada.", "Ada again."),
    ]


def test_nobody_is_said_to_come_next_before_the_answer_to_the_opening():  # SP-12
    assert "Next" not in of(Headline, page(start(Options(), ("A", "B"))))[0].detail
