"""Debouncing, on synthetic bounce: contacts chatter for 1.6 ms on average and 6.2 ms at worst."""

from hypothesis import given
from hypothesis import strategies as st

from firmware.debounce import SETTLE_US, Change, at_rest, edge, reread

WORST_BOUNCE_US = 6_200
TAP_US = 50_000  # the shortest time between two taps of one hand

Edges = list[tuple[bool, int]]


def bouncing(pressed: bool, at_us: int, gaps_us: list[int]) -> Edges:
    """The edges of one contact that closes (or opens) at `at_us` and chatters: an even number of extra edges."""
    edges = [(pressed, at_us)]
    for gap_us in gaps_us[: len(gaps_us) // 2 * 2]:
        level, before_us = edges[-1]
        if before_us + gap_us > at_us + WORST_BOUNCE_US:
            break
        edges.append((not level, before_us + gap_us))
    return edges if edges[-1][0] == pressed else edges[:-1]


def told(edges: Edges, *, timely: bool) -> list[Change]:
    """What a button tells of its edges, when its level is read again in time, or only long after the last edge."""
    contact, heard = at_rest(False), []
    for pressed, at_us in edges:
        while timely and contact.reread_us is not None and contact.reread_us < at_us:
            contact, changes = reread(contact, contact.level, contact.reread_us)
            heard += changes
        contact, changes = edge(contact, pressed, at_us)
        heard += changes
    _, changes = reread(contact, edges[-1][0], edges[-1][1] + 1_000_000)
    return heard + list(changes)


gaps = st.lists(st.integers(50, 3_000), max_size=20)


@st.composite
def taps(draw: st.DrawFn) -> tuple[list[Change], Edges]:
    """Presses and releases as a hand makes them, and the edges that real contacts make of them."""
    meant, edges, at_us = [], [], draw(st.integers(0, 10**9))
    for pressed in [True, False] * draw(st.integers(1, 4)):
        meant.append(Change(pressed, at_us))
        edges += bouncing(pressed, at_us, draw(gaps))
        at_us += draw(st.integers(TAP_US, 10 * TAP_US))
    return meant, edges


@given(taps())
def test_chatter_is_one_press_at_its_first_edge(tap):
    meant, edges = tap
    assert told(edges, timely=True) == meant


@given(taps())
def test_looking_late_changes_nothing(tap):
    meant, edges = tap
    assert told(edges, timely=False) == meant


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30_000)), min_size=1, max_size=30), st.booleans())
def test_presses_and_releases_always_alternate_and_end_with_the_level(steps, timely):
    at_us, edges = 0, []
    for pressed, gap_us in steps:
        at_us += gap_us
        edges.append((pressed, at_us))
    changes = told(edges, timely=timely)
    assert [change.pressed for change in changes] == [n % 2 == 0 for n in range(len(changes))]
    assert (changes[-1].pressed if changes else False) == edges[-1][0]
    assert sorted(change.at_us for change in changes) == [change.at_us for change in changes]


def test_the_first_edge_counts_at_once():
    _, changes = edge(at_rest(False), True, 5_000)
    assert changes == (Change(True, 5_000),)


def test_a_release_inside_the_chatter_is_not_lost():
    assert told([(True, 0), (False, 5_000)], timely=True) == [Change(True, 0), Change(False, 5_000)]


def test_an_edge_the_kernel_lost_is_made_up_for_by_reading_the_level():
    contact, _ = edge(at_rest(False), True, 0)
    _, changes = reread(contact, False, 20_000)
    assert changes == (Change(False, 20_000),)


def test_two_taps_of_one_hand_are_two():
    edges = [(True, 0), (False, 30_000), (True, 60_000), (False, 90_000)]
    assert [change.pressed for change in told(edges, timely=True)] == [True, False, True, False]


def test_a_stuck_button_tells_nothing_until_it_is_let_go():
    contact, changes = reread(at_rest(True), True, 50_000)
    assert changes == ()
    assert edge(contact, False, 60_000)[1] == (Change(False, 60_000),)


def test_a_spike_is_a_press_and_a_release():
    # Our price for counting at once; the hardware notes ask for a stronger pull-up instead.
    assert told([(True, 0), (False, 40)], timely=True) == [Change(True, 0), Change(False, 40)]


def test_a_contact_that_chatters_for_longer_than_the_settle_time_presses_again():
    edges = [(True, 0), (False, SETTLE_US + 1_000), (True, SETTLE_US + 2_000)]
    assert [change.pressed for change in told(edges, timely=True)] == [True, False, True]
