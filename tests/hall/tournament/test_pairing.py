"""How rounds are seated: held against every seating of small fields, and by what must always be true of large ones."""

import itertools
import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import IllegalEvent
from companion.hub.tournament import solvers
from companion.hub.tournament.cp_sat import cp_sat
from companion.hub.tournament.events import CameBack, Entered, Form, Ruled, Withdrawn
from companion.hub.tournament.pairing import field_of, is_final, next_seating, table_sizes
from companion.hub.tournament.plain import plain as plain_and_whether
from companion.hub.tournament.problem import Problem, seated_by_rank, snake
from companion.hub.tournament.seats import balance, history_of
from companion.hub.tournament.standings import lines
from companion.hub.tournament.state import apply
from tests.hall.tournament.fields import begun, every_seating, paired, played, rematches

NO_ORTOOLS = "the extra `solver` is not installed: that OR-tools seat a round as well stays unshown"


def plain(problem):
    """A seating by our own search."""
    return plain_and_whether(problem)[0]


def by_chance(seed):
    chance = Random(seed)
    luck = {}
    return lambda one: luck.setdefault(one, chance.random())


@given(count=st.integers(2, 8), most=st.integers(2, 4), rounds=st.integers(1, 5), seed=st.integers(0, 999))
def test_nobody_meets_a_rival_again_while_that_can_be_helped(count, most, rounds, seed):
    """Every seating of the field, with everybody who had the fewest byes resting in turn."""
    state = begun(count, most)
    for number in range(rounds):
        before = state
        byes = Counter(one for round_ in state.rounds for one in round_.byes)
        state, seating = paired(state, plain)
        sizes, resting = table_sizes(count, 2, most)
        fewest = sorted(byes[one] for one in state.entrants)[:resting]
        assert sorted(byes[one] for one in seating.byes) == fewest
        least = min(
            rematches(before, tables)
            for rest in itertools.combinations(state.entrants, resting)
            if sorted(byes[one] for one in rest) == fewest
            for tables in every_seating([one for one in state.entrants if one not in rest], sizes)
        )
        assert rematches(before, seating.tables) == least
        state = played(state, by_chance(seed + number))


@given(
    count=st.integers(2, 30),
    most=st.integers(2, 8),
    least=st.integers(2, 3),
    rounds=st.integers(1, 4),
    form=st.sampled_from(Form),
    seed=st.integers(0, 999),
)
def test_every_entrant_sits_once_or_has_a_bye_and_tables_are_about_alike(count, most, least, rounds, form, seed):
    state = begun(max(count, least), max(most, least), form, least, through=max(1, most // 2 - 1))
    chance = Random(seed)
    for number in range(rounds):
        if number and form is Form.KNOCK_OUT and (is_final(state) or len(field_of(state)) < least):
            return
        state, seating = paired(state, plain)
        field = {line.entrant for line in lines(state) if line.is_in}
        assert sorted([one for table in seating.tables for one in table] + list(seating.byes)) == sorted(field)
        sizes = sorted(map(len, seating.tables))
        assert max(least, 2) <= sizes[0] <= sizes[-1] <= min(max(most, least), sizes[0] + 1)
        state = played(state, by_chance(seed + number))
        gone = chance.choice(state.present)
        state = apply(state, Withdrawn(entrant=gone))
        if form is not Form.KNOCK_OUT and chance.random() < 0.5:
            state = apply(state, CameBack(entrant=gone))
            state = apply(state, Entered(entrants=(f"e{count + 100 + number}",)))


@given(count=st.integers(2, 12))
def test_a_group_of_two_at_a_table_meets_once_each_in_as_few_rounds_as_can_be(count):
    state = begun(count, form=Form.GROUP)
    rounds = count - 1 if count % 2 == 0 else count
    for number in range(rounds):
        before = state
        state, seating = paired(state, plain)
        assert rematches(before, seating.tables) == 0
        state = played(state, by_chance(number))
    met = {frozenset(play.pairing.seats) for round_ in state.rounds for play in round_.plays}
    assert met == set(map(frozenset, itertools.combinations(state.entrants, 2)))


@given(
    table=st.integers(2, 5),
    before=st.lists(st.permutations(range(5)), max_size=6),
)
def test_seats_repeat_as_little_as_can_be(table, before):
    """Held against every order of the table."""
    players = tuple(f"e{number}" for number in range(table))
    history = history_of([[f"e{number}" for number in row if number < table] for row in before])
    order = balance(players, history)
    assert sorted(order) == sorted(players)

    def repeats(order):
        return sum(2 * history.get(player, {}).get(seat, 0) + 1 for seat, player in enumerate(order))

    assert repeats(order) == min(map(repeats, itertools.permutations(players)))


def test_the_first_seat_goes_round():
    """Twelve entrants, seven rounds, two at a table: nobody begins more than twice as often as not."""
    state, first = begun(12), Counter()
    for number in range(7):
        state, seating = paired(state, plain)
        first.update(table[0] for table in seating.tables)
        state = played(state, by_chance(number))
    assert max(first[one] for one in state.entrants) - min(first[one] for one in state.entrants) <= 2


def test_neighbours_in_rank_sit_together():
    state, seating = paired(begun(9, 3), plain)
    assert [sorted(table) for table in seating.tables] == [["e0", "e1", "e2"], ["e3", "e4", "e5"], ["e6", "e7", "e8"]]
    state, seating = paired(played(state), plain)
    assert {"e0", "e3", "e6"} in map(set, seating.tables)  # the three winners


@pytest.mark.parametrize(
    ("count", "least", "most", "sizes", "byes"),
    [
        (7, 2, 4, (4, 3), 0),
        (9, 2, 4, (3, 3, 3), 0),
        (5, 2, 2, (2, 2), 1),
        (5, 3, 4, (4,), 1),
        (7, 4, 4, (4,), 3),
        (8, 3, 3, (3, 3), 2),
        (2, 3, 4, (), 2),
        (500, 2, 8, (8,) * 59 + (7,) * 4, 0),
    ],
)
def test_tables_are_as_few_as_can_be(count, least, most, sizes, byes):
    assert table_sizes(count, least, most) == (sizes, byes)


def test_the_last_who_had_no_bye_has_one():
    state, seating = paired(begun(5), plain)
    assert seating.byes == ("e4",)
    state, seating = paired(played(state), plain)
    assert seating.byes != ("e4",)


def test_a_knock_out_comes_out_even_and_the_best_meet_last():
    """Eleven: the five best have a bye, then 8, 4, 2 and the better always wins."""
    state, fields = begun(11, form=Form.KNOCK_OUT), []
    while True:
        state, seating = paired(state, plain)
        fields.append((len(seating.tables), set(seating.byes)))
        state = played(state)
        if len(seating.tables) == 1 and not seating.byes:
            break
    assert fields == [(3, {"e0", "e1", "e2", "e3", "e4"}), (4, set()), (2, set()), (1, set())]
    assert set(seating.tables[0]) == {"e0", "e1"}
    with pytest.raises(IllegalEvent, match="final is played"):
        next_seating(state, plain, str)
    assert [(line.place, line.entrant) for line in lines(state)][:3] == [(1, "e0"), (2, "e1"), (3, "e2")]
    assert [line.place for line in lines(state)] == [1, 2, 3, 3, 5, 5, 5, 5, 9, 9, 9]


def test_two_of_four_go_on():
    state, seating = paired(begun(8, 4, Form.KNOCK_OUT, through=2), plain)
    assert sorted(map(sorted, seating.tables)) == [["e0", "e3", "e4", "e7"], ["e1", "e2", "e5", "e6"]]
    state, seating = paired(played(state), plain)
    assert sorted(seating.tables[0]) == ["e0", "e1", "e2", "e3"]


def test_a_tie_that_leaves_open_who_goes_on_is_ruled():
    state, seating = paired(begun(4, form=Form.KNOCK_OUT), plain)
    state = played(state)
    state = apply(state, Ruled(number=1, ranks=(tuple(seating.tables[0]),)))
    with pytest.raises(IllegalEvent, match="game 1 a tie"):
        next_seating(state, plain, str)
    state = apply(state, Ruled(number=1, ranks=tuple((one,) for one in sorted(seating.tables[0]))))
    assert len(next_seating(state, plain, str).tables) == 1


@pytest.mark.parametrize(
    ("through", "ranks", "expected"),
    [
        (1, (("a", "b"), ("c", "d")), {"a": (1, True), "b": (1, True), "c": (3, False), "d": (3, False)}),
        (2, (("a",), ("b", "c"), ("d",)), {"a": (1, True), "b": (2, True), "c": (2, True), "d": (4, False)}),
        (2, (("a", "b"), ("c", "d")), {"a": (1, True), "b": (1, True), "c": (3, False), "d": (3, False)}),
    ],
)
def test_a_tie_puts_nobody_out_whom_it_leaves_open(through, ranks, expected):
    """Those placed alike share the best of their places, and the next one stands behind them all."""
    state, seating = paired(begun(8, 4, Form.KNOCK_OUT, through=through), plain)
    sitting = dict(zip("abcd", seating.tables[0], strict=True))
    state = apply(played(state), Ruled(number=1, ranks=tuple(tuple(sitting[one] for one in group) for group in ranks)))
    shown = {line.entrant: (line.last, line.is_in) for line in lines(state)}
    assert {one: shown[entrant] for one, entrant in sitting.items()} == expected


def test_who_is_missing_is_said():
    state, seating = paired(begun(6), plain)
    state = apply(state, Ruled(number=2, ranks=tuple((one,) for one in seating.tables[1])))
    with pytest.raises(IllegalEvent, match=r"Missing: game 1 \(e., e.\) and game 3 \(e., e.\)\.") as refusal:
        next_seating(state, plain, str)
    assert "game 2" not in str(refusal.value)


def test_rounds_end_where_the_plan_says():
    state, _seating = paired(begun(4, rounds=1), plain)
    with pytest.raises(IllegalEvent, match="All rounds"):
        next_seating(played(state), plain, str)


def test_too_few_are_no_round():
    with pytest.raises(IllegalEvent, match="needs 3 entrants"):
        next_seating(begun(2, 4, least=3), plain, str)


def large(seed, count=160, most=4, rounds=4):
    """The problem of a late round of a large field, as numbers."""
    chance, sizes = Random(seed), table_sizes(count, 2, most)[0]
    met = Counter()
    for _round in range(rounds):
        order = sorted(range(count), key=lambda one: one + chance.gauss(0, most))
        for table in batched(order, most):
            met.update(itertools.combinations(sorted(table), 2))
    return Problem(sizes, seated_by_rank(sizes), met)


def batched(order, size):
    return [order[at : at + size] for at in range(0, len(order), size)]


@pytest.mark.parametrize("seed", range(3))
def test_a_large_field_meets_nobody_again(monkeypatch, seed):
    """Rivals were neighbours in rank for four rounds, the hardest case; seated in windows, by our own search."""
    monkeypatch.setattr(solvers, "cp_sat", lambda _problem, _known: None)
    problem = large(seed)
    assert problem.rematches(problem.at_home()) > 20
    tables = solvers.solve(problem)
    assert problem.rematches(tables) == 0
    assert sorted(one for table in tables for one in table) == list(range(160))
    assert tuple(map(len, tables)) == problem.sizes


def test_a_window_that_cannot_help_itself_is_no_reason_to_meet_again(monkeypatch):
    """The first 32 have all met: they are mixed with the others."""
    monkeypatch.setattr(solvers, "cp_sat", lambda _problem, _known: None)
    sizes = (2,) * 40
    problem = Problem(sizes, seated_by_rank(sizes), dict.fromkeys(itertools.combinations(range(32), 2), 1))
    assert problem.rematches(solvers.solve(problem)) == 0


def test_the_snake_spreads_the_best():
    assert snake((3, 3, 2)) == (0, 1, 2, 2, 1, 0, 0, 1)


@given(count=st.integers(2, 8), most=st.integers(2, 4), rounds=st.integers(0, 4), seed=st.integers(0, 99))
def test_or_tools_find_the_same_cost(count, most, rounds, seed):
    pytest.importorskip("ortools", reason=NO_ORTOOLS)
    chance, (sizes, byes) = Random(seed), table_sizes(count, 2, most)
    met = Counter()
    for _round in range(rounds):
        order = chance.sample(range(count - byes), count - byes)
        for table in batched(order, most):
            met.update(itertools.combinations(sorted(table), 2))
    problem = Problem(sizes, seated_by_rank(sizes), met)
    assert problem.cost(cp_sat(problem, problem.at_home())) == problem.cost(plain(problem))


def test_or_tools_seat_a_window():
    pytest.importorskip("ortools", reason=NO_ORTOOLS)
    problem = large(1).part(0, 8)
    assert problem.rematches(cp_sat(problem, problem.at_home())) <= problem.rematches(plain(problem)) == 0


def test_without_or_tools_our_own_search_seats(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    problem = large(1, count=12, rounds=2)
    assert cp_sat(problem, problem.at_home()) is None
    assert solvers.best(problem) == plain(problem)
