"""The searches of Sandpile Panic against an independent brute force, which shares no code with the game.

The brute force keeps a board as a list of rows of lists of letters and tries everything again and again; SP-38 is what
both must show.
"""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import GAME, advice, islands, rules
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.events import Placed, Topple, Toppled, ToppledRest, Turned
from companion.games.sandpile_panic.islands import Scoring, Special
from companion.games.sandpile_panic.options import Opening, Options
from companion.games.sandpile_panic.outcomes import search
from companion.games.sandpile_panic.scoring import standing
from companion.games.sandpile_panic.state import on_turn

# the brute force


def brute_topple(rows, row, column, start):
    """A copy of the board after one topple; `start` 0 is north, then clockwise. Second: what fell off."""
    copy = [[list(pile) for pile in line] for line in rows]
    pile = copy[row][column]
    block = [pile.pop() for _ in range(4)][::-1]
    lost = []
    sides = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    for number, piece in enumerate(block):
        down, right = sides[(start + number) % 4]
        to_row, to_column = row + down, column + right
        if 0 <= to_row < len(copy) and 0 <= to_column < len(copy[0]):
            copy[to_row][to_column].append(piece)
        else:
            lost.append(piece)
    return copy, lost


def brute_unstable(rows):
    return [(r, c) for r, line in enumerate(rows) for c, pile in enumerate(line) if len(pile) >= 5]


def brute_ends(rows, lost=(), count=0):
    """Every (board as text, spilled pieces, number of topples) that some order and some sides lead to."""
    unstable = brute_unstable(rows)
    if not unstable:
        return {(brute_text(rows), "".join(sorted(lost)), count)}
    found = set()
    for row, column in unstable:
        for start in range(4):
            after, gone = brute_topple(rows, row, column, start)
            found |= brute_ends(after, [*lost, *gone], count + 1)
    return found


def brute_text(rows):
    return "/".join(",".join("".join(pile) for pile in line) for line in rows)


def brute_islands(tops, colours):
    """Sizes of the joined spaces whose letter is among `colours`, by growing one space at a time."""
    left = {(r, c) for r, line in enumerate(tops) for c, letter in enumerate(line) if letter in colours}
    found = []
    while left:
        island = {left.pop()}
        while True:
            more = {at for at in left if any(abs(at[0] - r) + abs(at[1] - c) == 1 for r, c in island)}
            if not more:
                break
            island |= more
            left -= more
        found.append(island)
    return found


# from one world to the other


def as_board(rows):
    return {
        boards.space(row, column): "".join(pile)
        for row, line in enumerate(rows, start=1)
        for column, pile in enumerate(line, start=1)
    }


def as_text(board):
    return "/".join(",".join(board[at] for at in line) for line in boards.rows(board))


def position(board, **options):
    """A game of two on this board, white to place; nothing else is asked."""
    options.setdefault("opening", Opening.NONE)
    return replace(rules.start(Options(**options), ("A", "B")), board=board, turns=2)


def grids(size, colours="WB", heights=(0, 1, 2, 3, 4, 4, 4)):
    pile = st.sampled_from(heights).flatmap(
        lambda height: st.lists(st.sampled_from(colours), min_size=height, max_size=height)
    )
    return st.lists(st.lists(pile, min_size=size, max_size=size), min_size=size, max_size=size)


def stop_after(rows, most):
    """How many topples it takes until all piles stand, None for more than `most`."""
    count = 0
    while unstable := brute_unstable(rows):
        rows, _ = brute_topple(rows, *unstable[0], 0)
        count += 1
        if count > most:
            return None
    return count


# outcomes


@given(rows=grids(4), row=st.integers(0, 3), column=st.integers(0, 3))
def test_the_outcomes_are_those_of_the_brute_force(rows, row, column):  # SP-33, SP-36, SP-38
    rows[row][column] = [*rows[row][column][:3], *"WWWW"][:4]
    rows[row][column][3] = "W"
    placed = [[list(pile) for pile in line] for line in rows]
    placed[row][column].append("W")
    topples = stop_after(placed, 4)
    if topples is None:
        return
    outcomes = advice.outcomes(position(as_board(rows)), Placed("A", boards.space(row + 1, column + 1)))
    assert outcomes.complete
    expected = brute_ends(placed)
    assert {count for _, _, count in expected} == {topples}
    assert len({len(lost) for _, lost, _ in expected}) == 1
    got = {
        (as_text(one.state.board), "".join(sorted(one.state.spilled)), len(one.event.topples))
        for one in outcomes.endings
    }
    assert got == expected
    assert len(outcomes.endings) == len(expected)


@given(rows=grids(5), data=st.data())
def test_an_outcome_is_reached_by_its_own_event(rows, data):
    state = position(as_board(rows))
    play = data.draw(st.sampled_from(rules.legal(state, "A")))
    outcomes = advice.outcomes(state, play, bound=200)
    for one in outcomes.endings[:20]:
        after = rules.apply(state, one.event)
        assert after.board == one.state.board
        assert sorted(after.spilled) == sorted(one.state.spilled)
        assert after.ended == one.state.ended


@given(rows=grids(5, "WBR"), data=st.data())
def test_heights_topples_and_spills_do_not_depend_on_any_choice(rows, data):  # SP-38
    rows[2][2] = list("WWWWW")
    fired = search.firings(as_board(rows))
    lost, topples = 0, {}
    while unstable := brute_unstable(rows):
        row, column = data.draw(st.sampled_from(unstable))
        rows, gone = brute_topple(rows, row, column, data.draw(st.integers(0, 3)))
        lost += len(gone)
        at = boards.space(row + 1, column + 1)
        topples[at] = topples.get(at, 0) + 1
    assert fired.topples == topples
    assert fired.spilled == lost
    assert fired.heights == {at: len(pile) for at, pile in as_board(rows).items()}


def test_an_honest_answer_beyond_the_bound():  # SP-38
    board = dict.fromkeys(boards.empty(8), "WBWB")
    outcomes = advice.outcomes(position({**board, "r4c4": "BWBW"}), Placed("A", "r4c4"), bound=2_000)
    assert not outcomes.complete
    assert outcomes.endings  # some are found all the same, and each can be played
    assert rules.apply(position({**board, "r4c4": "BWBW"}), outcomes.endings[0].event).ended


def test_piles_far_apart_are_tried_one_after_the_other():
    """Two, three and four ways that cannot meet: all their combinations, and far fewer positions than orders."""
    board = {**boards.empty(10), "r2c2": "WWBWB", "r2c8": "WWWBB", "r8c2": "WBBBW", "r8c8": "WWRUY"}
    state = replace(position(board), mover="A")
    outcomes = advice.outcomes(state, bound=2 + 4 + 8 + 2 * 4 + 2 * 4 * 4 + 2 * 4 * 4 * 4)
    assert outcomes.complete
    assert len(outcomes.endings) == 2 * 4 * 4 * 4


def test_one_outcome_is_known_without_trying_every_order():
    board = dict.fromkeys(boards.empty(5), "W")
    board |= {"r3c3": "WWWW", "r3c4": "WWWW", "r2c3": "WWWW"}
    state = rules.apply(position(board), Placed("A", "r3c3"))
    only = advice.only_outcome(state, 100)
    assert only is not None
    assert rules.apply(state, only.event).mover is None


def test_where_the_choice_matters_no_outcome_is_the_only_one():
    board = {**boards.empty(5), "r3c3": "WBWW"}
    state = rules.apply(position(board), Placed("A", "r3c3"))
    assert advice.only_outcome(state, 100) is None
    assert len(advice.outcomes(state).endings) == 4


def test_the_best_for_the_player_comes_first():
    """SP-E05 and SP-E06: the same chain, four choices; one leaves white with four joined spaces."""
    board = {**boards.empty(5), "r3c3": "WWWW", "r3c4": "BBBB"}
    outcomes = advice.outcomes(position(board), Placed("A", "r3c3"))
    best = advice.ranked(outcomes.endings, "A")
    assert [GAME.rules.score(one.state)["A"] for one in best] == [4, 2, 2, 1]
    assert best[0].event == Turned(
        "A", "r3c3", topples=(Topple("r3c3", boards.Side.NORTH), Topple("r3c4", boards.Side.NORTH))
    )


def worth_by_the_rules(state, player):
    """How good a board is, worked out from the whole board."""
    points, sizes = standing(state)
    won = GAME.rules.winners(state)
    lead = points[player] - max(points[rival] for rival in points if rival != player)
    return (bool(won) and (1 if won == (player,) else -1), lead, sizes[player])


@given(
    rows=grids(5, "WBRP"),
    special=st.sampled_from(Special),
    scoring=st.sampled_from(Scoring),
    fined=st.integers(-3, 3),
    data=st.data(),
)
def test_the_order_of_outcomes_is_that_of_their_whole_boards(rows, special, scoring, fined, data):
    """The ranking looks at a few spaces only; the rules at all of them (SP-41, SP-44, SP-45, SP-54, SP-55)."""
    state = rules.start(Options(board_size=5, scoring=scoring, special_piece=special), ("A", "B", "C"))
    state = replace(state, board=as_board(rows), turns=3, rulings=(Ruling("B", fined, "late"),))
    play = data.draw(st.sampled_from(rules.legal(state, on_turn(state))))
    if sum(search.firings(advice.begun(state, play).state.board).topples.values()) > 4:
        return
    for player in state.players:
        best = advice.ranked(advice.outcomes(state, play).endings, player)
        worth = [worth_by_the_rules(one.state, player) for one in best]
        assert worth == sorted(worth, reverse=True)


# counts of reachable positions


def brute_turns(rows, colour):
    """Every board after one turn of a colour, however it is played."""
    found = set()
    for row, line in enumerate(rows):
        for column, pile in enumerate(line):
            if pile and pile[-1] != colour:
                continue
            after = [[list(each) for each in other] for other in rows]
            after[row][column].append(colour)
            found |= {(text, lost) for text, lost, _ in brute_ends(after)}
    return found


def brute_counts(rows, turns):
    """How many distinct positions there are after each turn of white, black, white, …; none follows a spill."""
    reached, counts = {(brute_text(rows), "")}, []
    for turn in range(turns):
        after = set()
        for text, lost in reached:
            if not lost:
                after |= brute_turns(
                    [[list(pile) for pile in line.split(",")] for line in text.split("/")], "WB"[turn % 2]
                )
        reached = after
        counts.append(len(reached))
    return counts


def game_counts(state, turns):
    """The same through legal() and apply(), one event a time."""
    reached, counts = {as_text(state.board): state}, []
    for _ in range(turns):
        after = {}
        waiting = [one for one in reached.values() if not one.ended]
        seen = set()
        while waiting:
            one = waiting.pop()
            for event in rules.legal(one, next(iter(GAME.rules.awaiting(one)))):
                then = rules.apply(one, event)
                key = (as_text(then.board), "".join(sorted(then.spilled)))
                if key in seen:
                    continue
                seen.add(key)
                if then.mover is not None:
                    waiting.append(then)
                else:
                    after[key] = then
        reached = after
        counts.append(len(reached))
    return counts


COUNTED = {
    "empty": ([". . . .", ". . . .", ". . . .", ". . . ."], [16, 240, 1920]),
    "crowded": (["W BWBW . .", "BBWW WBW . .", ". WBBB BWWB .", ". . . WWB"], [19, 1499]),
    "chain": (["WBWW BWWB . .", "WWBB . . .", ". . . .", ". . . B"], [55, 1104, 7062]),
}


@pytest.mark.parametrize("name", COUNTED)
def test_as_many_positions_as_the_brute_force_reaches(name):
    lines, counts = COUNTED[name]
    rows = [[list(pile.replace(".", "")) for pile in line.split()] for line in lines]
    state = position(as_board(rows))
    assert brute_counts(rows, len(counts)) == counts
    assert game_counts(state, len(counts)) == counts


# the pink pieces


@given(tops=st.lists(st.lists(st.sampled_from(".WBPPW"), min_size=4, max_size=4), min_size=4, max_size=4))
def test_the_best_choice_of_pink_spaces(tops):  # SP-54, SP-55
    board = as_board(tops)
    letters = {at: "" if letter == "." else letter for at, letter in board.items()}
    pink = [(r, c) for r, line in enumerate(tops) for c, letter in enumerate(line) if letter == "P"]
    if len(pink) > 6:
        return
    for scoring in Scoring:
        best = ()
        for number in range(len(pink) + 1):
            for kept in combinations(pink, number):
                chosen = [
                    [("W" if (r, c) in kept else letter) for c, letter in enumerate(line)]
                    for r, line in enumerate(tops)
                ]
                sizes = tuple(sorted(map(len, brute_islands(chosen, "W")), reverse=True))
                points = {
                    Scoring.REGULAR: sizes[0] if sizes else 0,
                    Scoring.LANDGRAB: sum(size * size for size in sizes),
                    Scoring.NO_SMALL_ISLANDS: sum(size * size - 6 for size in sizes),
                }[scoring]
                best = max(best, (points, sizes))
        found = islands.counted(islands.joined(letters, "W", Special.WILDCARD), Special.WILDCARD, scoring)
        assert (islands.points(found, scoring), found) == best
    void = [island for island in brute_islands(tops, "WP") if not island & set(pink)]
    found = islands.counted(islands.joined(letters, "W", Special.PENALTY), Special.PENALTY, Scoring.LANDGRAB)
    assert found == tuple(sorted(map(len, void), reverse=True))


# from what is seen back to the play


@given(rows=grids(5), data=st.data())
def test_a_play_that_was_made_is_found_again(rows, data):  # SP-38
    state = position(as_board(rows))
    play = data.draw(st.sampled_from(rules.legal(state, "A")))
    after = rules.apply(state, play)
    while after.mover is not None:
        after = rules.apply(after, data.draw(st.sampled_from(rules.legal(after, "A"))))
        if len(after.spilled) > 6:
            return  # a long chain; those have a test of their own
    explained = advice.explanations(state, boards.tops(after.board))
    if not explained.complete:
        return
    for one in explained.plays:
        assert boards.tops(rules.apply(state, one.event).board) == boards.tops(after.board)
    if after.ended:
        assert any(one.event.at == play.at for one in explained.plays)
    else:
        assert after.board in [one.state.board for one in explained.plays]


@given(rows=grids(4), seed=st.integers(0, 3), data=st.data())
def test_every_explanation_is_found_and_no_other(rows, seed, data):  # SP-38
    """The tops that some play leads to, through the brute force: exactly the boards with these tops explain them."""
    ends = set()
    for r, line in enumerate(rows):
        for c, pile in enumerate(line):
            if pile and pile[-1] != "W":
                continue
            after = [[list(each) for each in other] for other in rows]
            after[r][c].append("W")
            if stop_after(after, 3) is None:
                return
            ends |= {(text, lost) for text, lost, _ in brute_ends(after)}
    wanted = data.draw(st.sampled_from(sorted(ends)))[0]
    seen = {at: pile[-1:] for at, pile in as_board([line.split(",") for line in wanted.split("/")]).items()}

    def looks(text):
        return {at: pile[-1:] for at, pile in as_board([line.split(",") for line in text.split("/")]).items()} == seen

    explained = advice.explanations(position(as_board(rows)), seen)
    assert explained.complete
    found = {(as_text(one.state.board), "".join(sorted(one.state.spilled))) for one in explained.plays}
    expected = {end for end in ends if looks(end[0])}
    assert found <= expected
    assert {end for end in expected if not end[1]} == {end for end in found if not end[1]}
    assert bool(found) == bool(expected)


BEFORE = {**boards.empty(5), "r1c2": "B", "r2c2": "BBWW", "r3c3": "WWWW", "r3c4": "BBBB", "r5c5": "W"}


def seen_as(*changes):
    tops = boards.tops(BEFORE)
    return {**tops, **dict(changes)}


def test_a_piece_on_an_own_pile_may_be_on_any_of_them():  # SP-38: nothing changes on top
    plays = advice.explanations(position(BEFORE), seen_as()).plays
    assert [one.event for one in plays] == [Turned("A", "r5c5")]
    more = {**BEFORE, "r4c1": "W"}
    plays = advice.explanations(position(more), boards.tops(more)).plays
    assert [one.event.at for one in plays] == ["r4c1", "r5c5"]


def test_one_piece_on_an_empty_space_explains_itself():
    plays = advice.explanations(position(BEFORE), seen_as(("r4c1", "W"))).plays
    assert [one.event for one in plays] == [Turned("A", "r4c1")]


def test_the_pink_piece_explains_a_pink_top():  # SP-51
    state = position(BEFORE, special_piece=Special.PENALTY)
    plays = advice.explanations(state, seen_as(("r4c1", "P"))).plays
    assert [one.event for one in plays] == [Turned("A", "r4c1", pink=True)]


def test_a_chain_is_explained_by_its_sides():  # SP-E06
    after = seen_as(
        ("r2c3", "W"), ("r3c2", "W"), ("r4c3", "W"), ("r3c3", "B"), ("r2c4", "W"), ("r3c5", "B"), ("r4c4", "B")
    )
    explained = advice.explanations(position(BEFORE), after)
    assert len(explained.plays) == 1
    assert explained.plays[0].event.topples[1] == Topple("r3c4", boards.Side.EAST)


def test_the_rest_of_a_turn_in_hand_is_explained_too():
    state = rules.apply(position(BEFORE), Placed("A", "r3c3"))
    state = rules.apply(state, Toppled("A", "r3c3", boards.Side.NORTH))
    after = {**boards.tops(state.board), "r2c4": "B", "r3c5": "B", "r4c4": "B", "r3c4": "B", "r3c3": "W"}
    plays = advice.explanations(state, after).plays
    assert [one.event for one in plays] == [ToppledRest("A", (Topple("r3c4", boards.Side.NORTH),))]


def test_what_is_known_besides_rules_plays_out():
    """On top nothing changes whichever own pile was played on; the space or a height tells."""
    state = position({**BEFORE, "r4c1": "W", "r4c3": "WW"})
    seen = boards.tops(state.board)
    assert len(advice.explanations(state, seen).plays) == 3
    assert [one.event.at for one in advice.explanations(state, seen, at="r4c3").plays] == ["r4c3"]
    assert [one.event.at for one in advice.explanations(state, seen, heights={"r4c1": 2}).plays] == ["r4c1"]
    assert advice.explanations(state, seen, at="r1c2").plays == ()  # No placement makes it black.


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([("r1c2", "W")], "top piece of row 1 column 2 is black"),  # SP-22
        ([("r4c1", "W"), ("r4c5", "W")], "not with row 4 column 5|not with row 4 column 1"),
        ([("r4c1", "B")], "The top piece of row 4 column 1 is black now"),  # SP-21: nobody takes another's piece.
        ([("r5c5", "")], "row 5 column 5"),
        ([("r2c3", "W"), ("r3c2", "W"), ("r4c3", "W"), ("r2c4", "W"), ("r3c5", "B")], "row 4 column 4"),
        (
            [("r2c3", "W"), ("r3c2", "W"), ("r4c3", "W"), ("r2c4", "W"), ("r3c5", "W"), ("r4c4", "W"), ("r3c3", "W")],
            "The closest is",
        ),
    ],
)
def test_what_no_play_leads_to_is_said_in_one_sentence(changes, why):
    explained = advice.explanations(position(BEFORE), seen_as(*changes))
    assert explained.plays == ()
    assert explained.complete
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(explained.why)
    assert explained.why.endswith(".")


def test_nothing_explains_a_board_when_nobody_may_place():
    over = replace(position(BEFORE), ended=True)
    assert advice.explanations(over, seen_as()).plays == ()


def test_a_grid_of_colour_names_becomes_tops():
    state = position({**boards.empty(4), "r1c1": "W"})
    grid = [["white", None, None, "black"], *[[None] * 4] * 3]
    tops = advice.tops_of_grid(state, grid)
    assert (tops["r1c1"], tops["r1c4"], tops["r4c4"]) == ("W", "B", "")
    with pytest.raises(IllegalEvent, match="3 × 3 squares, but this game"):
        advice.tops_of_grid(state, grid[:3])
    with pytest.raises(IllegalEvent, match="beige"):
        advice.tops_of_grid(state, [["beige", None, None, None], *grid[1:]])
