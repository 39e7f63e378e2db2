"""Points on pages: whatever points people can have, two that differ never look alike."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web.render.charts import figure

HALVES_BEATEN = {seats: range(2 * (seats - 1) + 1) for seats in range(2, 9)}
"""Players at a table → twice the number of rivals beaten, ties as one."""


@st.composite
def tournament_points(draw):
    """The points of somebody in a tournament: a share of rivals beaten for each game, and whole points for byes."""
    seats = draw(st.lists(st.integers(2, 8), max_size=12))
    shares = [Fraction(draw(st.sampled_from(HALVES_BEATEN[count])), 2 * (count - 1)) for count in seats]
    return sum(shares, Fraction(draw(st.integers(0, 3))))


@given(one=tournament_points(), other=tournament_points())
def test_points_that_differ_never_look_alike(one, other):
    assert (figure(one) == figure(other)) == (one == other)


@pytest.mark.parametrize(
    ("points", "shown"),
    [
        (Fraction(1, 3), "⅓"),
        (Fraction(2, 3), "⅔"),
        (Fraction(4, 3), "1⅓"),
        (Fraction(5, 3), "1⅔"),
        (Fraction(29, 12), "2\u202f5/12"),
        (Fraction(1, 14), "1/14"),
        (0.5, "½"),
        (-1.5, "−1½"),
        (0, "0"),
        (1200, "1,200"),
    ],
)
def test_points_are_written_as_people_write_them(points, shown):
    assert figure(points) == shown
