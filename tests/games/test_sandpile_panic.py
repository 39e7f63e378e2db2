"""Sandpile Panic against its rule sheet; the ids stand beside each test."""

from dataclasses import replace

import pytest

from companion.errors import IllegalEvent
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import islands
from companion.games.sandpile_panic.board import Side
from companion.games.sandpile_panic.events import Left, Placed, TakenOver, Topple, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.islands import Scoring, Special
from companion.games.sandpile_panic.options import FIRST_TIME_SIZE, Opening, Options
from companion.games.sandpile_panic.rules import apply, legal, start
from companion.games.sandpile_panic.scoring import explain, is_over, ranked, ranking, score, sizes, winners
from companion.games.sandpile_panic.state import Stage, State, awaiting, on_turn, seat, stage

N, E, S, W = Side


def piles(*rows: str) -> dict[str, str]:
    """A board as the sheet writes it."""
    return {
        boards.space(row, column): pile.replace(".", "")
        for row, line in enumerate(rows, start=1)
        for column, pile in enumerate(line.split(), start=1)
    }


def game(*players: str, board=(), turns=0, **options) -> State:
    """A game at turn number `turns`, white to begin, without the pie rule unless it is asked for."""
    players = players or ("A", "B")
    if len(players) == 2:
        options.setdefault("opening", Opening.NONE)
    state = start(Options(**options), players)
    return replace(state, board=piles(*board) if board else state.board, turns=turns)


def play(state: State, *events) -> State:
    for event in events:
        state = apply(state, event)
    return state


def shown(state: State) -> list[str]:
    return [" ".join(state.board[at] or "." for at in row) for row in boards.rows(state.board)]


EMPTY = (". . . .",) * 4

# what is needed


def test_the_first_player_is_white_and_the_second_black():  # SP-01
    assert start(Options(), ("A", "B")).colours == {"A": "W", "B": "B"}
    assert len(set(start(Options(), tuple("ABCDEFGH")).colours.values())) == 8


@pytest.mark.parametrize(("players", "size"), FIRST_TIME_SIZE.items())
def test_the_board_is_the_one_for_first_time_players(players, size):  # SP-02, SP-03
    assert len(start(Options(), tuple("ABCDEFGH"[:players])).board) == size**2


def test_sizes_marked_for_first_time_players():  # SP-03
    assert [FIRST_TIME_SIZE[players] for players in range(2, 9)] == [5, 5, 7, 8, 8, 8, 8]


@pytest.mark.parametrize("size", [4, 10])
def test_boards_from_four_to_ten(size):  # SP-03
    assert len(start(Options(board_size=size), ("A", "B")).board) == size**2


@pytest.mark.parametrize("size", [-1, 0, 3, 11, 10**9])
def test_no_other_boards(size):  # SP-03
    with pytest.raises(IllegalEvent, match="4 to 10"):
        start(Options(board_size=size), ("A", "B"))


def test_the_top_piece_owns_the_space():  # SP-04
    state = game(board=("WB . . .", *EMPTY[1:]))
    assert score(state) == {"A": 0, "B": 1}


def test_pieces_never_run_out_unless_the_table_says_so():  # SP-05
    board = ("WWWW WWWW . .", "WWWW . . .", ". . . .", ". . . B")
    assert Placed("A", "r4c1") in legal(game(board=board), "A")
    short = game(board=board, piece_supply=12)
    assert legal(short, "A") == ()
    with pytest.raises(IllegalEvent, match="All 12 pieces"):
        apply(short, Placed("A", "r4c1"))
    with pytest.raises(IllegalEvent, match="All 12 pieces"):
        apply(short, Placed("A", "r4c1"), ruled=True)  # no ruling makes pieces


@pytest.mark.parametrize("supply", [0, -3, 10**9])
def test_a_supply_is_a_sensible_number(supply):  # SP-05
    with pytest.raises(IllegalEvent, match="1 to 999"):
        start(Options(piece_supply=supply), ("A", "B"))


# the order of turns


def order(players: int, turns: int, opening: Opening) -> list[int]:
    return [seat(turn, players, opening) + 1 for turn in range(turns)]


def test_white_begins():  # SP-10
    assert awaiting(start(Options(), ("A", "B"))) == {"A"}


def test_two_players_choose_how_the_first_move_is_made_up_for():  # SP-11
    assert stage(play(start(Options(), ("A", "B")), Placed("A", "r1c1"))) is Stage.PIE
    shared = start(Options(opening=Opening.FAIR_SHARE), ("A", "B"))
    assert stage(play(shared, Placed("A", "r1c1"))) is Stage.PLACING


def test_taking_over_swaps_colours_and_leaves_the_turn_to_black():  # SP-12, SP-E17
    opened = play(start(Options(), ("A", "B")), Placed("A", "r3c3"))
    assert awaiting(opened) == {"B"}
    state = play(opened, TakenOver("B"))
    assert state.colours == {"B": "W", "A": "B"}
    assert awaiting(state) == {"A"}
    assert score(state) == {"A": 0, "B": 1}
    state = play(state, Placed("A", "r1c1"))
    assert state.board["r1c1"] == "B"
    assert awaiting(state) == {"B"}


def test_leaving_the_opening_makes_player_two_black():  # SP-12
    state = play(start(Options(), ("A", "B")), Placed("A", "r3c3"), Left("B"))
    assert state.colours == {"A": "W", "B": "B"}
    assert awaiting(state) == {"B"}
    assert awaiting(play(state, Placed("B", "r1c1"))) == {"A"}


def test_the_opening_is_answered_once_by_player_two_before_anything_else():  # SP-12
    opened = play(start(Options(), ("A", "B")), Placed("A", "r3c3"))
    assert set(legal(opened, "B")) == {TakenOver("B"), Left("B")}
    assert legal(opened, "A") == ()
    for event in (TakenOver("A"), Left("A")):
        with pytest.raises(IllegalEvent, match="second player"):
            apply(opened, event)
    with pytest.raises(IllegalEvent, match="First the second player decides"):
        apply(opened, Placed("B", "r1c1"))
    with pytest.raises(IllegalEvent, match="second player"):
        apply(play(opened, Left("B")), TakenOver("B"))
    with pytest.raises(IllegalEvent, match="Only two players can switch sides"):
        apply(game("A", "B", "C"), TakenOver("B"), ruled=True)


def test_the_opening_is_a_white_piece():  # SP-12
    state = start(Options(special_piece=Special.WILDCARD), ("A", "B"))
    assert not any(event.pink for event in legal(state, "A"))
    with pytest.raises(IllegalEvent, match="white piece"):
        apply(state, Placed("A", "r1c1", pink=True))


def test_two_players_share_fairly_with_one_extra_turn():  # SP-13, SP-E16
    assert order(2, 8, Opening.FAIR_SHARE) == [1, 2, 2, 1, 2, 1, 2, 1]


def test_more_players_share_fairly_with_a_round_backwards():  # SP-14, SP-E13, SP-E14
    assert order(3, 12, Opening.FAIR_SHARE) == [1, 2, 3, 3, 2, 1, 1, 2, 3, 1, 2, 3]
    assert order(4, 16, Opening.FAIR_SHARE) == [1, 2, 3, 4, 4, 3, 2, 1, 1, 2, 3, 4, 1, 2, 3, 4]


@pytest.mark.parametrize("opening", [Opening.PIE, Opening.NONE])
def test_three_players_must_share_fairly(opening):  # SP-14
    with pytest.raises(IllegalEvent, match="Three or more players use the fair share opening"):
        start(Options(opening=opening), ("A", "B", "C"))
    assert start(Options(opening=Opening.FAIR_SHARE), ("A", "B", "C"))


def test_the_order_is_played_and_others_wait():  # SP-13, SP-15
    state = game(opening=Opening.FAIR_SHARE)
    for player, at in zip("ABBABA", ("r1c1", "r1c2", "r1c3", "r1c4", "r1c5", "r2c1"), strict=True):
        assert awaiting(state) == {player}
        with pytest.raises(IllegalEvent, match="another player's turn"):
            apply(state, Placed("AB"["BA".index(player)], at))
        state = play(state, Placed(player, at))


def test_who_has_no_space_is_skipped():  # SP-15
    board = ("W W W W", "W W W W", "W W W W", "W W W .")
    state = play(game("A", "B", "C", board=board, turns=6), Placed("A", "r4c4"))
    assert state.skipped == ("B", "C")
    assert awaiting(state) == {"A"}
    assert play(state, Placed("A", "r1c1")).skipped == ("B", "C")


def test_a_pink_top_saves_from_being_skipped():  # SP-15, SP-52
    board = ("P W W W", "W W W W", "W W W W", "W W W .")
    state = play(game(board=board, turns=2, special_piece=Special.WILDCARD), Placed("A", "r4c4"))
    assert awaiting(state) == {"B"}


def test_where_nobody_has_a_piece_left_the_game_ends_as_it_stands():  # SP-15 (our reading: SP-05 with a supply)
    state = play(game(piece_supply=2), Placed("A", "r1c1"), Placed("B", "r3c3"), Placed("A", "r1c2"))
    assert not is_over(state)
    state = play(state, Placed("B", "r5c5"))
    assert is_over(state)
    assert winners(state) == ("A",)


def test_the_pink_piece_is_no_part_of_the_supply():  # SP-05, SP-51
    state = game(board=("WW . . .", *EMPTY[1:]), piece_supply=2, special_piece=Special.PENALTY, turns=2)
    assert all(event.pink for event in legal(state, "A"))
    assert play(state, Placed("A", "r1c1", pink=True)).board["r1c1"] == "WWP"


# placing


def test_on_an_empty_space_or_the_own_colour():  # SP-20, SP-21
    state = game(board=("W B . .", "BW . . .", ". . . .", ". . . ."))
    places = {event.at for event in legal(state, "A")}
    assert {"r1c1", "r2c1", "r1c3"} <= places
    assert "r1c2" not in places
    assert shown(play(state, Placed("A", "r2c1")))[1] == "BWW . . ."


def test_never_on_another_colour():  # SP-22
    with pytest.raises(IllegalEvent, match="Choose an empty space"):
        apply(game(board=("W B . .", *EMPTY[1:])), Placed("A", "r1c2"))


def test_four_stand_and_may_be_played_on():  # SP-23
    state = game(board=("WWWW . . .", *EMPTY[1:]))
    assert boards.ready(state.board) == ()
    with pytest.raises(IllegalEvent, match="Place one first"):
        apply(state, Toppled("A", "r1c1", N))
    state = play(state, Placed("A", "r1c1"))
    assert boards.ready(state.board) == ("r1c1",)


def test_a_stable_pile_does_not_topple_in_mid_turn():  # SP-23, SP-24
    state = play(game(board=("WWWW WWWW . .", *EMPTY[1:])), Placed("A", "r1c1"))
    with pytest.raises(IllegalEvent, match="has only 4 pieces"):
        apply(state, Toppled("A", "r1c2", N))


def test_pieces_move_by_toppling_only():  # SP-24
    before = game(board=("WB B . .", ". W . .", ". . . .", ". . . ."))
    after = play(before, Placed("A", "r4c4"))
    assert {at for at in after.board if after.board[at] != before.board[at]} == {"r4c4"}


# toppling


def test_five_must_topple_before_the_turn_ends():  # SP-30
    state = play(game(board=("WWWW . . .", *EMPTY[1:])), Placed("A", "r1c1"))
    assert stage(state) is Stage.TOPPLING
    assert awaiting(state) == {"A"}
    with pytest.raises(IllegalEvent, match="row 1 column 1 is ready to topple"):
        apply(state, Placed("A", "r4c4"))
    with pytest.raises(IllegalEvent, match="Only the player whose turn"):
        apply(state, Toppled("B", "r1c1", N))


def test_a_foreign_pile_pushed_to_five_is_toppled_by_the_active_player():  # SP-30
    state = play(game(board=(". . . .", ". WWWW BBBB .", *EMPTY[2:])), Placed("A", "r2c2"), Toppled("A", "r2c2", N))
    assert state.board["r2c3"] == "BBBBW"
    assert {event.at for event in legal(state, "A")} == {"r2c3"}


@pytest.mark.parametrize(
    ("pile", "stays"), [("RWBWB", "R"), ("RRWBWB", "RR"), ("WWWWRRRR", "WWWW"), ("W" * 9, "WWWWW")]
)
def test_the_top_four_go_and_the_rest_stays(pile, stays):  # SP-31
    board, _ = boards.toppled(piles(". . .", f". {pile} .", ". . ."), "r2c2", N)
    assert board["r2c2"] == stays


def test_nine_topple_twice():  # SP-31
    state = play(game(board=(". . . .", ". WWWWWWWW . .", *EMPTY[2:])), Placed("A", "r2c2"), Toppled("A", "r2c2", N))
    assert boards.ready(state.board) == ("r2c2",)


@pytest.mark.parametrize(
    ("start_side", "north", "east", "south", "west"),
    [(N, "R", "U", "Y", "G"), (E, "G", "R", "U", "Y"), (S, "Y", "G", "R", "U"), (W, "U", "Y", "G", "R")],
)
def test_the_bottom_piece_goes_first_then_clockwise(start_side, north, east, south, west):  # SP-32, SP-33
    board, spilled = boards.toppled(piles(". . .", ". WRUYG .", ". . ."), "r2c2", start_side)
    assert [board[at] for at in ("r1c2", "r2c3", "r3c2", "r2c1")] == [north, east, south, west]
    assert spilled == ""


def test_every_side_may_be_chosen_for_every_topple():  # SP-33
    state = play(game(board=("WWWW . . .", *EMPTY[1:])), Placed("A", "r1c1"))
    assert {event.start for event in legal(state, "A")} == {N, E, S, W}


def test_an_edge_spills_one_and_a_corner_two():  # SP-34
    assert boards.toppled(piles(". WRUYG .", ". . ."), "r1c2", N)[1] == "R"
    assert sorted(boards.toppled(piles("WRUYG .", ". ."), "r1c1", S)[1]) == ["U", "Y"]


def test_pieces_land_on_whatever_is_there():  # SP-35
    board, _ = boards.toppled(piles(". B .", ". WWWWW .", ". . ."), "r2c2", N)
    assert board["r1c2"] == "BW"


def test_the_active_player_chooses_the_order():  # SP-36
    board = ("WWWW WWWW WWWW .", *EMPTY[1:])
    state = play(game(board=board), Placed("A", "r1c2"), Toppled("A", "r1c2", N))
    assert {event.at for event in legal(state, "A")} == {"r1c1", "r1c3"}
    assert play(state, Toppled("A", "r1c3", S)).mover == "A"  # all must be toppled


def test_the_game_ends_after_all_toppling_of_the_turn():  # SP-37
    state = play(game(board=("WWWW WWWW . .", *EMPTY[1:])), Placed("A", "r1c1"), Toppled("A", "r1c1", N))
    assert state.spilled == "WW"
    assert not is_over(state)
    assert awaiting(state) == {"A"}
    state = play(state, Toppled("A", "r1c2", N))
    assert is_over(state)
    assert awaiting(state) == frozenset()
    assert legal(state, "B") == ()  # no equalising turn
    with pytest.raises(IllegalEvent, match="over"):
        apply(state, Placed("B", "r4c4"))


def test_without_a_spill_the_next_player_plays():  # SP-37
    state = play(game(board=(". . . .", ". WWWW . .", *EMPTY[2:])), Placed("A", "r2c2"), Toppled("A", "r2c2", N))
    assert awaiting(state) == {"B"}


def test_a_pile_above_eight_is_no_mistake():  # SP-39, SP-E09
    full = game(board=("WWWW WWWW WWWW WWWW WWWW",) * 5)
    state = play(full, Placed("A", "r3c3"))
    topples = 0
    while others := [at for at in boards.ready(state.board) if at != "r2c2"]:
        state = play(state, Toppled("A", others[0], N))
        topples += 1
    assert (topples, len(state.spilled), len(state.board["r2c2"]), state.highest) == (33, 20, 10, 10)


# a whole turn at once


CORNERS = ("WWWW WWWW . .", *EMPTY[1:])


def test_a_whole_turn_is_its_steps_one_after_the_other():  # SP-30, SP-36
    topples = (Topple("r1c1", N), Topple("r1c2", E))
    steps = play(game(board=CORNERS), Placed("A", "r1c1"), *(Toppled("A", one.at, one.start) for one in topples))
    whole = play(game(board=CORNERS), Turned("A", "r1c1", topples=topples))
    assert replace(whole, changed=()) == replace(steps, changed=())
    rest = play(game(board=CORNERS), Placed("A", "r1c1"), ToppledRest("A", topples))
    assert replace(rest, changed=()) == replace(steps, changed=())


def test_a_whole_turn_topples_everything_and_nothing_else():  # SP-30, SP-E12
    with pytest.raises(IllegalEvent, match="r1c1 still has 5"):
        apply(game(board=CORNERS), Turned("A", "r1c1"))
    with pytest.raises(IllegalEvent, match="r1c2 still has 5"):
        apply(game(board=CORNERS), Turned("A", "r1c1", topples=(Topple("r1c1", N),)))
    with pytest.raises(IllegalEvent, match="1 pieces"):
        apply(game(board=CORNERS), Turned("A", "r1c1", topples=(Topple("r1c1", N), Topple("r1c1", N))))


# scoring


def scored(*tops: str, scoring=Scoring.REGULAR, **options) -> State:
    board = tuple(" ".join(line) for line in tops)
    return replace(game(board=board, scoring=scoring, **options), ended=True)


def test_islands_join_through_sides_and_only_tops_count():  # SP-40
    state = game(board=("WWW BW .", ". . W", "B . ."))
    assert sizes(state, "A") == (2, 1)  # r2c3 touches r1c2 at a corner only.


def test_the_largest_island_wins():  # SP-41
    assert winners(scored("WW.", "..B", "B..")) == ("A",)


def test_a_tie_goes_to_the_next_island_and_a_missing_one_counts_nothing():  # SP-41, SP-E19, SP-E20
    assert winners(
        scored("WW.BB", ".....", "W...."),
    ) == ("A",)
    assert winners(scored("WW.BB", ".....", "W.BB.")) == ("B",)


def test_nobody_has_won_before_the_end():  # SP-37
    assert winners(replace(scored("WW.", "..B", "B.."), ended=False)) == ()


def test_a_complete_tie_has_no_winner():  # SP-42
    state = scored("WW.BB", ".....", "B...W")
    assert is_over(state)
    assert winners(state) == ()


def test_regular_scoring_names_the_first_only():  # SP-43
    board = ("W W . .", "B B . .", "R . . .", ". . . .")
    state = replace(game("A", "B", "C", board=board), ended=True)
    assert winners(state) == ()
    assert ranking(state) == (("A", "B"), ("C",))


THREE = ("W W W . .", "B B . R .", "B . . . .", ". . . . .", "B . R . .")  # A has 3; B has 3 and 1; C has 1 and 1.


def test_the_regular_game_places_the_winner_first_and_all_others_alike():  # SP-43
    state = replace(game("A", "B", "C", board=THREE), ended=True)
    assert ranking(state) == (("B",), ("A",), ("C",))
    assert ranked(state) == (("B",), ("A", "C"))
    assert ranked(replace(state, options=replace(state.options, scoring=Scoring.NO_SMALL_ISLANDS))) == (
        ("A",),  # A has 3, B 3 − 5, C −10 (SP-45).
        ("B", "C"),
    )


def test_landgrab_places_everybody_and_the_regular_comparison_parts_those_with_equal_points():  # SP-43, SP-44
    landgrab = Options(scoring=Scoring.LANDGRAB)
    assert ranked(replace(game("A", "B", "C", board=THREE), options=landgrab, ended=True)) == (("B",), ("A",), ("C",))
    # A 9; B and C have 5 each: B by 2 and 1, C by five single spaces
    board = ("W W W . R", "B B . R .", ". . R . R", "B . . R .", ". . . . .")
    state = replace(game("A", "B", "C", board=board), options=landgrab, ended=True)
    assert score(state) == {"A": 9, "B": 5, "C": 5}
    assert ranked(state) == (("A",), ("B",), ("C",))


@pytest.mark.parametrize("scoring", Scoring)
def test_a_complete_tie_ranks_nobody(scoring):  # SP-42
    board = ("W W . .", "B B . .", "R . . .", ". . . .")
    assert ranked(replace(game("A", "B", "C", board=board, scoring=scoring), ended=True)) == ()


def test_landgrab_adds_the_squares():  # SP-44
    state = scored("WW.B.", "W.BB.", "WWB.B", ".WB..", "..WWB", scoring=Scoring.LANDGRAB)
    assert score(state) == {"A": 40, "B": 27}
    assert explain(state, "A") == (("1 island of 6 (6²)", 36, "SP-44"), ("1 island of 2 (2²)", 4, "SP-44"))


def test_equal_landgrab_goes_to_the_larger_island():  # SP-44
    assert islands.winner(islands.ranking({"A": 18, "B": 18}, {"A": (3, 3), "B": (4, 1, 1)})) == "B"


@pytest.mark.parametrize(("size", "points"), [(1, -5), (2, -2), (3, 3), (4, 10), (5, 19)])
def test_small_islands_cost_points(size, points):  # SP-45
    assert islands.points((size,), Scoring.NO_SMALL_ISLANDS) == points


def test_six_is_subtracted_for_every_island():  # SP-45
    state = scored("W.W", "...", "BBB", scoring=Scoring.NO_SMALL_ISLANDS)
    assert score(state) == {"A": -10, "B": 3}


def test_the_scorings_disagree():  # SP-41, SP-44, SP-45, SP-E22
    lists = {"A": (4, 2, 2, 1), "B": (3, 3, 3)}
    won = {}
    for scoring in Scoring:
        points = {player: islands.points(sizes, scoring) for player, sizes in lists.items()}
        won[scoring] = islands.winner(islands.ranking(points, lists))
    assert won == {Scoring.REGULAR: "A", Scoring.LANDGRAB: "B", Scoring.NO_SMALL_ISLANDS: "B"}


# the pink piece


def test_no_pink_piece_unless_chosen():  # SP-50
    with pytest.raises(IllegalEvent, match="There's no pink piece in this game"):
        apply(game(), Placed("A", "r1c1", pink=True))


def test_every_player_has_one_pink_piece():  # SP-50, SP-51
    state = game(special_piece=Special.WILDCARD)
    state = play(state, Placed("A", "r1c1", pink=True), Placed("B", "r2c2", pink=True))
    assert not any(event.pink for event in legal(state, "A"))
    with pytest.raises(IllegalEvent, match="already placed your pink piece"):
        apply(state, Placed("A", "r3c3", pink=True))


def test_the_pink_piece_goes_where_an_own_one_could():  # SP-51
    state = game(board=("W B . .", *EMPTY[1:]), special_piece=Special.PENALTY)
    places = {event.at for event in legal(state, "A") if event.pink}
    assert places == {event.at for event in legal(state, "A") if not event.pink}
    assert "r1c2" not in places


def test_everybody_may_place_on_pink():  # SP-52
    state = game(board=("BP . . .", *EMPTY[1:]), special_piece=Special.WILDCARD)
    assert play(state, Placed("A", "r1c1")).board["r1c1"] == "BPW"
    assert play(state, Placed("A", "r1c1", pink=True)).board["r1c1"] == "BPP"


def test_pink_topples_like_any_piece():  # SP-53
    state = game(board=(". . . .", ". WPWW . .", *EMPTY[2:]), special_piece=Special.WILDCARD)
    state = play(state, Placed("A", "r2c2"), Toppled("A", "r2c2", N))
    assert [state.board[at] for at in ("r1c2", "r2c3", "r3c2", "r2c1")] == ["P", "W", "W", "W"]


def test_a_wildcard_helps_several_players():  # SP-54
    state = scored("WPB", scoring=Scoring.LANDGRAB, special_piece=Special.WILDCARD)
    assert score(state) == {"A": 4, "B": 4}


def test_a_wildcard_that_would_cost_points_is_left_out():  # SP-54, SP-E23
    state = scored("WWPB", "..BB", "WP..", ".W..", scoring=Scoring.NO_SMALL_ISLANDS, special_piece=Special.WILDCARD)
    assert score(state) == {"A": 6, "B": 10}
    assert ("1 island of only pink spaces, left out", 0, "SP-54") in explain(state, "B")


def test_an_island_of_pink_alone_is_everybodys():  # SP-54 (reading 11)
    tops = ("PPP", "...", "W.B")
    assert score(scored(*tops, special_piece=Special.WILDCARD)) == {"A": 3, "B": 3}
    no_small = scored(*tops, scoring=Scoring.NO_SMALL_ISLANDS, special_piece=Special.WILDCARD)
    assert score(no_small) == {"A": -2, "B": -2}  # The pink island brings 3² − 6, the piece alone −5.
    assert score(scored(*tops, special_piece=Special.PENALTY)) == {"A": 1, "B": 1}


def test_an_island_with_a_penalty_scores_nothing_for_anybody():  # SP-55, SP-E24
    tops = ("WWPB.", "..BB.", "WP..B", ".W..B", "...WB")
    state = scored(*tops, scoring=Scoring.NO_SMALL_ISLANDS, special_piece=Special.PENALTY)
    assert score(state) == {"A": -5, "B": 3}  # 0 for the void ones, not −6
    assert sizes(state, "A") == (1,)
    assert ("2 islands with a pink space", 0, "SP-55") in explain(state, "A")


# what a referee and a correction may do


def test_a_ruling_counts_in_score_and_result():
    state = scored("WW.", "..B", "B..")
    ruled = play(state, Ruling("B", 2, "A moved a pile by hand."))
    assert score(ruled) == {"A": 2, "B": 3}
    assert winners(ruled) == ("B",)
    assert sum(points for _, points, _ in explain(ruled, "B")) == 3


def test_when_the_table_says_so_only_pieces_must_be_possible():
    state = game(board=("W B . .", *EMPTY[1:]))
    after = apply(state, Placed("B", "r1c1"), ruled=True)  # out of turn, on white
    assert after.board["r1c1"] == "WB"
    assert on_turn(after) == "A"
    toppled = apply(game(board=("WWWW . . .", *EMPTY[1:])), Toppled("A", "r1c1", E), ruled=True)
    assert toppled.board["r1c2"] == "W"
    with pytest.raises(IllegalEvent, match="a block has 4"):
        apply(state, Toppled("A", "r1c1", E), ruled=True)


LONG = (Topple("r1c1", N),) * 50_000


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize(
    "event",
    [
        Placed("nobody", "r1c1"),
        Placed("A", ""),
        Placed("A", "r0c1"),
        Placed("A", "r11c1"),
        Placed("A", "r01c1"),
        Placed("A", "R1C1" * 10_000),
        Placed("A", "r1c1", pink=True),
        Toppled("A", "r2c2", N),
        Toppled("A", "r-1c-1", N),
        Toppled("A", "r1c1", "up"),
        ToppledRest("A", (Topple("nowhere", N),)),
        Turned("A", "r1c1", topples=LONG),
        Turned("A", "r1c1", topples=(Topple("r1c1", "up"),)),
        TakenOver("nobody"),
        Ruling("nobody", 1, "Why?"),
        Ruling("A", 10**9, "Why?"),
        Ruling("A", 1, ""),
        object(),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(event, ruled):
    state = game(board=("WWWW . . .", *EMPTY[1:]))
    with pytest.raises(IllegalEvent, match=r": |\."):
        apply(state, event, ruled=ruled)


def test_topples_that_are_none_are_refused_at_any_time():  # SP-30
    toppling = apply(game(board=CORNERS), Placed("A", "r1c1"))
    pie = apply(game(), Placed("A", "r1c1"))
    over = replace(game(), ended=True)
    for state, player in ((toppling, "A"), (toppling, "B"), (game(), "A"), (pie, "A"), (pie, "B"), (over, "A")):
        for ruled in (False, True):
            with pytest.raises(IllegalEvent, match="No topple was entered"):
                apply(state, ToppledRest(player, ()), ruled=ruled)
