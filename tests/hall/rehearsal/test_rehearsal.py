"""An evening with a real hub and real tables in which twelve things go wrong, and the judge of it."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from tests.hall.rehearsal.__main__ import rehearse
from tests.hall.rehearsal.evening import FULL_DISK, INCIDENTS, Happening
from tests.hall.rehearsal.paper import Paper, Row, differences, number_of
from tests.hall.rehearsal.report import page

SEED = 1
THIRD = Fraction(1, 3)


def test_an_evening_in_which_twelve_things_go_wrong_has_the_standings_on_paper(tmp_path):
    print(f"seed {SEED}")
    evening, wrong, seconds = rehearse(tmp_path, SEED)
    assert wrong == []
    told = page(evening, SEED, wrong, seconds)
    assert [what for what in INCIDENTS if f"| {what} |" not in told] == ([] if evening.disk else [FULL_DISK])
    assert len(INCIDENTS) == 12


@pytest.mark.parametrize("skipped", [(), (FULL_DISK,)])
def test_the_page_says_what_was_not_shown(skipped):
    """Who is not root can mount no disk to fill: the page claims nothing of it."""
    happened = [Happening(what) for what in INCIDENTS if what not in skipped]
    told = page(SimpleNamespace(happened=happened, paper=Paper(["Ann", "Ben"])), SEED, [], 60.0)
    said = ("Not shown this time: a full disk." in told, "filled to the last byte" in told, "and twelve things" in told)
    assert said == ((True, False, False) if skipped else (False, True, True))
    assert ("and eleven things that go wrong" in told) is bool(skipped)


def test_standings_on_paper_are_those_that_a_person_works_out():
    """Round 1: Ann before Ben and Cleo, who tie, before Dan. Round 2: Ben before Ann before Cleo; Dan has a bye."""
    paper = Paper(["Ann", "Ben", "Cleo", "Dan"], byes=["Dan"])
    paper.write(1, (("Dan",), ("Ben", "Cleo", "Ann")))
    paper.write(1, (("Ann",), ("Ben", "Cleo"), ("Dan",)))  # The slip is crossed out.
    paper.write(2, (("Ben",), ("Ann",), ("Cleo",)))
    half = Fraction(1, 2)
    assert paper.standings() == {  # Of 3 rivals Ann beats 3, Ben and Cleo beat 1 and tie with 1; of 2 Ann beats 1.
        "Ann": Row(1, 1 + half, 1, (1 + half) * 2 + half * 2 + 1, 2, 0),
        "Ben": Row(1, half + 1, 1, (1 + half) * 2 + half * 2 + 1, 2, 0),
        "Cleo": Row(4, half, 0, (1 + half) * 4 + 1, 2, 0),
        "Dan": Row(3, Fraction(1), 0, (1 + half) * 2 + half, 1, 1),
    }
    changed = paper.standings() | {"Dan": replace(paper.standings()["Dan"], wins=1)}
    assert [line.partition(":")[0] for line in differences(paper.standings(), changed)] == ["Dan"]


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("3", 3), ("⅓", THIRD), ("1⅔", 1 + 2 * THIRD), ("2\u202f5/12", Fraction(29, 12)), ("½", Fraction(1, 2))],
)
def test_points_are_read_as_the_page_writes_them(text, number):
    assert number_of(text) == number
