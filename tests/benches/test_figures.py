"""`make figures`: what counts as dearer, by numbers of which everybody can say it."""

import json

import pytest

from companion.app.bench.figures import Figure
from tests.benches.figures import Ratio, compared, left_out, rows_of, unexplained
from tests.benches.hub import ratios

FOLD, PAGE = ("fold", "stack", "ms"), ("page", "stack", "ms")


def ratio(here: float, base: float = 10.0, bench: str = "rules") -> Ratio:
    return Ratio(bench, FOLD, base, here)


def test_only_rows_of_time_and_memory_are_compared():
    rows = [
        {"name": "fold", "group": "stack", "value": 2.0, "unit": "ms"},
        {"name": "games taken a second", "group": "stack", "value": 9.0, "unit": "1/s"},
        {"name": "throws told", "group": "stack", "count": 1, "total": 2},
    ]
    assert rows_of(json.dumps({"benches": {"rules": rows}}), "rules") == {FOLD: 2.0}


def test_the_median_of_the_runs_counts_and_a_row_that_one_lacks_is_named():
    base, here = [{FOLD: 10.0}, {FOLD: 90.0}, {FOLD: 20.0}], [{FOLD: 21.0, PAGE: 1.0}, {FOLD: 22.0}, {FOLD: 0.1}]
    assert compared("rules", base, here) == [Ratio("rules", FOLD, 20.0, 21.0)]
    assert left_out(base, here) == ["page"]


@pytest.mark.parametrize(
    ("here", "base", "is_dearer"), [(12.0, 10.0, False), (12.1, 10.0, True), (1.0, 0.0, True), (0.0, 0.0, False)]
)
def test_more_than_a_fifth_is_dearer(here, base, is_dearer):
    assert bool(unexplained([ratio(here, base)], "")) is is_dearer


def test_a_commit_says_why_for_the_bench_that_it_names():
    dearer = [ratio(20.0), ratio(30.0), ratio(20.0, bench="web"), ratio(5.0, bench="idle")]
    told = unexplained(dearer, "A subject\n\nDearer: web: pages are signed now\nDearer: rules:\n")
    assert [sentence.partition(".")[0] for sentence in told] == ["rules: 2 rows are above 1"]
    assert "up to 3.00" in told[0]


def test_a_hall_is_compared_with_the_smallest_one():
    rows = [
        Figure("memory", "2 tables", value=50.0, unit="MB"),
        Figure("games refused", "2 tables", count=0, total=10),
        Figure("a game, longest", "2 tables", value=1.0, unit="ms"),
        Figure("a game, longest", "20 tables", value=9.0, unit="ms"),
        Figure("memory", "20 tables", value=75.0, unit="MB"),
        Figure("games refused", "20 tables", count=0, total=10),
        Figure("memory", "200 tables", value=200.0, unit="MB"),
    ]
    assert [(row.name, row.group, row.value, row.unit) for row in ratios(rows)] == [
        ("memory", "20 tables / 2 tables", 1.5, "times"),
        ("memory", "200 tables / 2 tables", 4.0, "times"),
    ]
