"""Debouncing, on bounce as contacts make it: 1.6 ms on average and 6.2 ms at worst, spikes, breaks, stuck buttons.

`RECORDED` are sequences of the shapes that published measurements of push buttons show, written down by hand; the rest
is made at random.
"""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.debounce import AGAIN_US, LOST_US, SETTLE_US, TRACE_EDGES, Change, at_rest, edge, look, settle

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


def told(edges: Edges, *, timely: bool = True, held: bool = False) -> list[Change]:
    """What a button tells of its edges, when it is asked in time, or only long after the last edge."""
    contact, heard = at_rest(held), []
    for pressed, at_us in edges:
        while timely and contact.due_us is not None and contact.due_us < at_us:
            due_us = contact.due_us
            contact, changes = look(contact, contact.level, due_us, due_us)
            heard += changes
        contact, changes = edge(contact, pressed, at_us)
        heard += changes
    return heard + list(settle(contact, edges[-1][1] + 1_000_000)[1])


def facts(changes: list[Change]) -> list[tuple[bool, int]]:
    """The changes without their traces."""
    return [(change.pressed, change.at_us) for change in changes]


def train(*gaps_us: int) -> Edges:
    """Edges that alternate, closing first: the first at 0, each later one so long after the one before."""
    return [(number % 2 == 0, at_us) for number, at_us in enumerate(accumulate(gaps_us, initial=0))]


gaps = st.lists(st.integers(50, 3_000), max_size=20)


@st.composite
def taps(draw: st.DrawFn) -> tuple[Edges, Edges]:
    """Presses and releases as a hand makes them, and the edges that real contacts make of them.

    A press is meant at its first edge, a release at its last: then the contact stays open.
    """
    meant, edges, at_us = [], [], draw(st.integers(0, 10**9))
    for pressed in [True, False] * draw(st.integers(1, 4)):
        made = bouncing(pressed, at_us, draw(gaps))
        meant.append((pressed, made[0 if pressed else -1][1]))
        edges += made
        at_us += draw(st.integers(TAP_US, 10 * TAP_US))
    return meant, edges


@given(taps())
def test_chatter_is_one_press_at_its_first_edge(tap):
    meant, edges = tap
    assert facts(told(edges)) == meant


@given(taps())
def test_asking_late_changes_nothing(tap):
    meant, edges = tap
    assert facts(told(edges, timely=False)) == meant


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30_000)), min_size=1, max_size=30))
def test_presses_and_releases_always_alternate_whenever_anybody_asks(steps):
    at_us, edges = 0, []
    for pressed, gap_us in steps:
        at_us += gap_us
        edges.append((pressed, at_us))
    changes = told(edges)
    assert changes == told(edges, timely=False)
    assert [change.pressed for change in changes] == [n % 2 == 0 for n in range(len(changes))]
    assert (changes[-1].pressed if changes else False) <= edges[-1][0]  # a press may be a spike, a release is none
    assert sorted(change.at_us for change in changes) == [change.at_us for change in changes]


def changes_of_many(buttons: list[Edges]) -> list[tuple[int, int]]:
    """(when told, stamp) of every change of several buttons, each asked the moment it is due."""
    heard = []
    for edges in buttons:
        contact = at_rest(False)
        for pressed, at_us in [*edges, (edges[-1][0], edges[-1][1] + 1_000_000)]:
            while contact.decided_us is not None and contact.decided_us < at_us:
                due_us = contact.decided_us
                contact, changes = settle(contact, due_us)
                heard += [(due_us, change.at_us) for change in changes]
            contact, _ = edge(contact, pressed, at_us)
    return sorted(heard)


@given(st.lists(taps(), min_size=2, max_size=4))
def test_the_changes_of_a_whole_table_are_told_in_the_order_of_their_stamps(table):
    heard = changes_of_many([edges for _, edges in table])
    assert all(told_us - stamp_us == SETTLE_US for told_us, stamp_us in heard)


RECORDED = {
    "clean microswitch": train(),
    "tactile switch, 1.6 ms": train(90, 210, 60, 340, 45, 180, 120, 555),
    "arcade button, long first contact": train(2_300, 150, 80, 400),
    "worn button, 6.2 ms": train(300, 700, 150, 900, 60, 1_800, 40, 1_500, 250, 500),
    "two bursts": train(40, 60, 30, 4_900, 700, 200),
    "slow closing, a spray of touches": train(12, 95, 8, 130, 15, 210, 22, 340, 18, 510),
}


@pytest.mark.parametrize("edges", RECORDED.values(), ids=RECORDED)
def test_bounce_as_it_was_measured_is_one_press_at_its_first_edge(edges):
    assert edges[-1][0]
    assert edges[-1][1] <= WORST_BOUNCE_US
    assert facts(told(edges)) == [(True, 0)]
    assert facts(told([*edges, (False, 80_000)])) == [(True, 0), (False, 80_000)]


def test_a_press_is_told_once_the_worst_bounce_is_over():
    contact, changes = edge(at_rest(False), True, 5_000)
    assert (changes, contact.due_us) == ((), 5_000 + SETTLE_US)
    assert facts(settle(contact, 5_000 + SETTLE_US)[1]) == [(True, 5_000)]
    assert SETTLE_US > WORST_BOUNCE_US


def test_the_lightest_tap_counts():
    assert facts(told([(True, 0), (False, 3_000)])) == [(True, 0), (False, 3_000)]


@pytest.mark.parametrize("spike_us", [1, 40, 900])
def test_a_spike_is_no_press(spike_us):
    assert told([(True, 0), (False, spike_us)]) == []


def test_a_burst_of_spikes_is_no_press():
    assert (
        told([(level, at_us) for n in range(50) for level, at_us in ((True, n * 9_000), (False, n * 9_000 + 15))]) == []
    )


def test_a_spike_long_before_a_press_lends_it_no_stamp():
    assert facts(told([(True, 0), (False, 40), (True, 12_000)])) == [(True, 12_000)]


def test_a_break_under_a_finger_that_holds_on_is_no_second_press():
    held = [(True, 0), (False, 500_000), (True, 500_300), (False, 700_000), (True, 712_000), (False, 900_000)]
    assert facts(told(held)) == [(True, 0), (False, 900_000)]


def test_two_taps_of_one_hand_are_two():
    edges = [(True, 0), (False, 30_000), (True, 60_000), (False, 90_000)]
    assert facts(told(edges)) == edges


def test_a_stuck_button_tells_nothing_until_it_is_let_go():
    assert at_rest(True).due_us is None
    assert facts(told([(False, 60_000)], held=True)) == [(False, 60_000)]


def test_an_edge_the_kernel_lost_is_made_up_for_by_reading_the_level():
    contact, _ = edge(at_rest(False), True, 0)
    contact, changes = look(contact, True, SETTLE_US, SETTLE_US)
    assert (facts(changes), contact.due_us) == ([(True, 0)], LOST_US)
    contact, _ = look(contact, False, LOST_US, LOST_US)  # the contact came up meanwhile, and nobody said so
    assert contact.due_us == LOST_US + AGAIN_US
    _, changes = look(contact, False, LOST_US + AGAIN_US, LOST_US + AGAIN_US)
    assert facts(changes) == [(False, LOST_US)]


def test_a_level_read_before_the_message_of_a_fresh_press_lends_it_no_stamp():
    contact, _ = edge(at_rest(True), False, 0)
    contact, _ = settle(contact, SETTLE_US)
    contact, _ = look(contact, True, LOST_US, LOST_US)
    contact, _ = edge(contact, True, LOST_US - 400)
    assert facts(settle(contact, LOST_US + SETTLE_US)[1]) == [(True, LOST_US - 400)]


def test_a_break_whose_end_is_told_late_is_no_second_press():
    contact, _ = edge(at_rest(True), False, 0)
    contact, changes = look(contact, True, SETTLE_US, SETTLE_US)  # closed again: the message of that is under way
    assert changes == ()
    contact, changes = edge(contact, True, 200)
    assert changes == ()
    assert look(contact, True, LOST_US, LOST_US)[1] == ()


def test_a_level_that_is_as_it_was_told_is_read_once():
    contact, _ = edge(at_rest(False), True, 0)
    contact, _ = settle(contact, SETTLE_US)
    assert look(contact, True, LOST_US, LOST_US)[0].due_us is None


def test_the_trace_keeps_every_edge_around_a_press():
    edges = RECORDED["tactile switch, 1.6 ms"]
    (change,) = told([(True, -200_000), (False, -199_990), *edges])
    assert change.trace == ((True, -200_000), (False, -199_990), *edges)


def test_the_trace_of_a_noisy_line_does_not_fill_the_memory():
    contact = at_rest(False)
    for number in range(1_000):
        contact, _ = edge(contact, number % 2 == 0, number * 10)
    assert len(contact.trace) == TRACE_EDGES
    assert contact.trace[-1] == (False, 9_990)
