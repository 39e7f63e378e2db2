"""Series: the table of a club's evenings, held against a reckoning of its own by plain lists and fractions."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadInput, IllegalEvent, NotFound
from companion.hub.record import HubRecord
from companion.hub.series import Series, Worth, table_of
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.events import Begun, Entered, Form, Pairing, RoundPaired, Ruled
from companion.hub.tournament.state import apply
from tests.hall.databases import on_both
from tests.hall.letters import NOON_US
from tests.hall.tournament.test_tournament_desk import begun, ruled_all
from web.render.charts import figure

NAMES = ["Ann", "Ben", "Cleo", "Dan", "Eve", "Flo"]


def evening(number, results, absent=()):
    """A tournament of one game at one table: groups of names by place; who is absent was entered and never came."""
    seated = [name for group in results for name in group]
    entrants = [*seated, *absent]
    ids = {name: f"e{place}" for place, name in enumerate(entrants)}
    plan = Begun(game="stack_dice", preset="printed", form=Form.ROUNDS, least=2, most=8, rounds=0, through=1)
    state = apply(apply(None, plan), Entered(entrants=tuple(ids.values())))
    seats = tuple(ids[name] for name in seated)
    pairing = Pairing(number=1, table="", session=f"s{number}", seats=seats)
    state = apply(state, RoundPaired(round=1, pairings=(pairing,), byes=()))
    ranks = tuple(tuple(ids[name] for name in group) for group in results)
    state = apply(state, Ruled(number=1, ranks=ranks, round=1))
    names = {entrant: name for name, entrant in ids.items()}
    return Tournament(f"t{number}", f"Evening {number}", number, 1, state, names, series="club")


@st.composite
def results(draw):
    """The places of two to six people at one table, with ties."""
    people = draw(st.permutations(NAMES).flatmap(lambda all_: st.integers(2, 6).map(lambda count: all_[:count])))
    groups = [[people[0]]]
    for name in people[1:]:
        if draw(st.booleans()):
            groups.append([name])
        else:
            groups[-1].append(name)
    return groups


def reckoned(evenings, best, worth):
    """Name → sum, by pairs of people: a point for each whom one has beaten, half of one for a tie."""
    gained = {}
    for groups in evenings:
        place = {name: number for number, group in enumerate(groups) for name in group}
        for one in place:
            others = [other for other in place if other != one]
            points = sum(
                Fraction(1) if place[one] < place[other] else Fraction(place[one] == place[other], 2)
                for other in others
            )
            gained.setdefault(one, []).append(points if worth is Worth.PLACES else points / len(others))
    totals = {}
    for name, points in gained.items():
        points = list(points)
        while best and len(points) > best:
            points.remove(min(points))
        totals[name] = sum(points, Fraction())
    return totals


@given(
    evenings=st.lists(results(), max_size=6), best=st.integers(0, 4), worth=st.sampled_from(Worth), order=st.randoms()
)
def test_the_table_is_what_pairs_of_people_reckon(evenings, best, worth, order):
    tournaments = [evening(number, groups) for number, groups in enumerate(evenings)]
    order.shuffle(tournaments)
    table = table_of(Series("club", "Club", worth, best, 0), tournaments)
    expected = reckoned(evenings, best, worth)
    assert {line.name: line.points for line in table.regulars} == expected
    for line in table.regulars:
        assert line.place == 1 + sum(points > line.points for points in expected.values())
        attended = [name in [one for group in groups for one in group] for groups in evenings for name in [line.name]]
        assert [points is not None for points in line.gained] == attended
        counted = [points for points, counts in zip(line.gained, line.counts, strict=True) if counts]
        assert sum(counted, Fraction()) == line.points
        assert len(counted) == min(sum(attended), best or len(evenings))
        assert list(line.course) == [
            reckoned(evenings[:count], best, worth).get(line.name, 0) for count in range(len(evenings) + 1)
        ]
    assert [line.place for line in table.regulars] == sorted(line.place for line in table.regulars)


@given(evenings=st.lists(results(), min_size=2, max_size=6), worth=st.sampled_from(Worth))
def test_points_print_alike_only_where_they_are_equal(evenings, worth):
    tournaments = [evening(number, groups) for number, groups in enumerate(evenings)]
    lines = table_of(Series("club", "Club", worth, 0, 0), tournaments).regulars
    for one in lines:
        for other in lines:
            is_equal = one.points == other.points
            assert (figure(one.points) == figure(other.points)) == is_equal
            assert (round(float(one.points), 6) == round(float(other.points), 6)) == is_equal
            assert (one.place == other.place) == is_equal


def test_who_never_came_was_not_there_and_a_deleted_name_is_a_rival_of_the_others():
    one = evening(1, [["Ann"], ["Ben"], ["Cleo"]], absent=["Dan"])
    table = table_of(Series("club", "Club", Worth.PLACES, 0, 0), [one])
    assert [(line.name, line.points) for line in table.regulars] == [("Ann", 2), ("Ben", 1), ("Cleo", 0)]
    one.names[one.state.entrants[1]] = ""
    table = table_of(Series("club", "Club", Worth.PLACES, 0, 0), [one])
    assert [(line.name, line.points) for line in table.regulars] == [("Ann", 2), ("Cleo", 0)]


def test_a_regular_is_one_person_however_the_name_is_typed():
    first, second = evening(1, [["Ann"], ["Ben"]]), evening(2, [["ANN"], ["Cleo"]])
    table = table_of(Series("club", "Club", Worth.PLACES, 0, 0), [second, first])
    assert (table.regulars[0].name, table.regulars[0].gained) == ("ANN", (1, 1))
    assert [one.title for one in table.evenings] == ["Evening 1", "Evening 2"]


@pytest.fixture
def record(tmp_path):
    record = HubRecord(tmp_path / "hub", lambda: NOON_US)
    yield record
    record.close()


def played(record, form=Form.ROUNDS):
    cup = begun(record, seats=3, form=form)
    record.desk.pair(cup)
    ruled_all(record, cup)
    return cup


def points(record):
    table = table_of(record.series.find("ab" * 4), record.desk.all())
    return {line.name: line.points for line in table.regulars}


@on_both
def test_whatever_happens_to_its_tournaments_the_series_follows(record):
    record.series.make("ab" * 4, "Club", Worth.PLACES, 2)
    record.series.make("ab" * 4, "Club", Worth.PLACES, 2)  # a second tap
    assert len(record.series.all()) == 1
    first, second = played(record), played(record)
    for cup in (first, second):
        record.series.put(record.desk.find(cup), "ab" * 4)
    assert sorted(points(record).values()) == [0, 2, 4]
    record.desk.delete(second)
    assert sorted(points(record).values()) == [0, 1, 2]
    record.desk.restore(second)
    ann = record.desk.find(second).state.entrants[0]
    record.desk.rename(second, ann, "Zoe")
    assert set(points(record)) == {"Ann", "Ben", "Cleo", "Zoe"}
    record.desk.rename(second, ann, "ann")
    record.desk.take_back(second, record.desk.acts(second)[0].seq)
    assert sorted(points(record).values()) == [0, 1, 2]
    record.series.put(record.desk.find(first), "")
    assert points(record) == {}
    record.series.delete("ab" * 4)
    with pytest.raises(NotFound):
        record.series.find("ab" * 4)
    record.series.restore("ab" * 4)
    assert record.series.find("ab" * 4).best == 2


@on_both
def test_a_knock_out_gives_no_points_for_a_series_that_counts_them(record):
    record.series.make("ab" * 4, "Club", Worth.POINTS, 0)
    cup = record.desk.find(played(record, Form.KNOCK_OUT))
    with pytest.raises(IllegalEvent, match="A knock-out gives no points"):
        record.series.put(cup, "ab" * 4)
    record.series.change("ab" * 4, "Club", Worth.PLACES, 0, record.desk.all())
    record.series.put(cup, "ab" * 4)
    with pytest.raises(IllegalEvent, match="A knock-out gives no points"):
        record.series.change("ab" * 4, "Club", Worth.POINTS, 0, record.desk.all())
    for title, best in (("", 0), ("Club", 101)):
        with pytest.raises(BadInput):
            record.series.change("ab" * 4, title, Worth.PLACES, best)
